import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.blanks import BLANK, find_blanks, is_blank_between, mark_blanks

S = "\u3000"


def shown(text: str, *, signs: bool = True) -> str:
    """The marked text with a short mark, so that tests can be read."""
    return mark_blanks(text.replace("_", S), signs=signs).replace(BLANK, "▮")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("入った日から__か月間を見習いとする。", "入った日から▮か月間を見習いとする。"),
        ("手当は、月額___円とする。", "手当は、月額▮円とする。"),
        ("続けて__日以上休むとき", "続けて▮日以上休むとき"),
        ("勤続__年以上の者", "勤続▮年以上の者"),
        ("毎月__日に締め、翌月__日に払う。", "毎月▮日に締め、翌月▮日に払う。"),
        ("冬休み（１２月__日～１月__日）", "冬休み（１２月▮日～１月▮日）"),
        ("夏休み（__月__日～__月__日）", "夏休み（▮月▮日～▮月▮日）"),
        ("この規則は、令和__年__月__日から施行する。", "この規則は、令和▮年▮月▮日から施行する。"),
        ("②___年__月__日を初日とする", "②_▮年▮月▮日を初日とする"),
        ("__番を__番に替える".strip("_"), "番を▮番に替える"),
        ("払わない（__か月までは__割を払う）。", "払わない（▮か月までは▮割を払う）。"),
        ("本人が結婚したとき_____________日", "本人が結婚したとき▮日"),
        ("午前(___：___～___:___)又は", "午前(▮：▮～▮:▮)又は"),
        ("満＿歳とする", "満▮歳とする"),
        ("定員は（__）とする", "定員は（▮）とする"),
        ("第__条の定め", "第▮条の定め"),
        ("（月額）__円", "（月額）_▮円"),
    ],
)
def test_white_space_before_a_unit_is_a_blank(text: str, marked: str) -> None:
    assert shown(text) == marked.replace("_", S)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("定めにより、____株式会社で働く者", "定めにより、▮株式会社で働く者"),
        ("当社は株式会社____（以下「会社」という。）", "当社は株式会社▮（以下「会社」という。）"),
        ("あらかじめ、事前に____に対し届け出る", "あらかじめ、事前に▮に対し届け出る"),
        ("前日までに____が伝える", "前日までに▮が伝える"),
        ("手を打ち、____に知らせる", "手を打ち、▮に知らせる"),
        ("手当の額は月額__とする。", "手当の額は月額▮とする。"),
        ("時給___を下回らない。", "時給▮を下回らない。"),
        ("年額____（以下「年俸」という。）", "年額▮（以下「年俸」という。）"),
        ("店の番地は____とし、", "店の番地は▮とし、"),
        ("所在地：__（以下「本店」という。）", "所在地：▮（以下「本店」という。）"),
        ("店名：___、店長：___。", "店名：▮、店長：▮。"),
        ("店長の氏名：__", "店長の氏名：▮"),
        (
            "この規則は、みほん屋____店（以下「店」という。）の定めである。",
            "この規則は、みほん屋▮店（以下「店」という。）の定めである。",
        ),
    ],
)
def test_white_space_that_a_sentence_cannot_have_is_a_blank(text: str, marked: str) -> None:
    assert shown(text) == marked


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("月額（ ）円", "月額（▮）円"),
        ("名前は「 」とする", "名前は「▮」とする"),
        ("時刻は[ ]とする", "時刻は[▮]とする"),
        ("毎年 月 日を初日とする", "毎年▮月▮日を初日とする"),
        ("令和 年 月 日から施行する", "令和▮年▮月▮日から施行する"),
        ("午前 時 分に始める", "午前▮時▮分に始める"),
        ("休みは 日以内とする", "休みは▮日以内とする"),
        ("続けて 年以上勤めた者", "続けて▮年以上勤めた者"),
        ("( )は店長が決める", "(▮)は店長が決める"),
        ("月額（）円", "月額（▮）円"),
        ("店の名は「」とする", "店の名は「▮」とする"),
        ("毎年月日を初日とする", "毎年▮月▮日を初日とする"),
        ("令和年月日から施行する", "令和▮年▮月▮日から施行する"),
    ],
)
def test_half_a_characters_space_is_a_blank_where_nothing_else_can_be_meant(text: str, marked: str) -> None:
    assert shown(text) == marked


@pytest.mark.parametrize(
    "text",
    [
        "休日 日曜日、祝日",
        "日 月 火 水 木 金 土",
        "１ 日以内",
        "10 日以上休む",
        "数 日以内",
        "店長 月額は次のとおり",
        "Mihon shop 店",
        "とする。 年以上の者",
        "（ 注 ）次のとおり",
        "「」で囲む",
        "（）の中に書く",
        "生年月日を書く",
        "毎年月末に払う",
    ],
)
def test_half_a_characters_space_only_parts_words_elsewhere(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "第６条_新しく入った者は",
        "２_日曜日は休みとする。",
        "①_月の途中で辞めた者",
        "（１）_年の初めに決める",
        "１日は７_時間１５分とする。",
        "第２_土曜日",
        "休日_日曜日、祝日",
        "部長____月額は次のとおり",
        "氏_名",
        "期_日",
        "勤_務_日_数",
        "手_当",
        "附_則",
        "４月_日_月_火_水_木_金_土",
        "日_日_日_日_日",
        "１０日__１１日__１２日",
        "昇給は行わない。__年の途中でも同じ。",
        "賞与__年２回",
        "とする場合______必要な日数",
        "無給_／_通常の賃金を支払うこと_とする。",
        "（注）____の場合は",
        "某事件_某地裁判決",
        "１人につき__月額",
        "（時間単位での付与_）",
        "（注）_週によって日数が変わる者は別に定める。",
        "（注１）_年の途中で入った者",
        "【例】_月の途中で入った者",
        "（一）_月の途中で入った者",
        "第一条_月の途中で入った者",
        "※_週によって日数が変わる者",
        "１日の時間は、７_時間１５分とする。",
        "月額__基本給",
        "時給__備考",
        "休み時間：__正午から",
        "店長：_山田",
    ],
)
def test_layout_is_no_blank(text: str) -> None:
    assert shown(text) == text.replace("_", S)


def test_underscores_of_a_web_address_stay() -> None:
    assert mark_blanks("https://www.example.jp/work__rules/a_b.pdf") == "https://www.example.jp/work__rules/a_b.pdf"


def test_a_text_that_begins_with_a_unit_alone_begins_with_a_blank() -> None:
    assert shown("時__分から__時__分まで") == "▮時▮分から▮時▮分まで"
    assert shown("月__日") == "▮月▮日"
    assert shown("時間は次のとおり") == "時間は次のとおり"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("少なくとも○時間を空ける", "少なくとも○▮時間を空ける"),
        ("過去○年間の評価が○以上の者", "過去○▮年間の評価が○▮以上の者"),
        ("（１）○○業務では", "（１）○○▮業務では"),
        ("（２）△△業務では", "（２）△△▮業務では"),
        ("①_○○○○", "①_○○○○▮"),
        ("○内規の例", "○内規の例"),
        ("二〇二四年四月一日", "二〇二四年四月一日"),
        ("一〇日", "一〇日"),
        ("△５％", "△５％"),
        ("○印を付ける", "○印を付ける"),
        ("●年以上勤めた者", "●▮年以上勤めた者"),
        ("勤続●年の者", "勤続●▮年の者"),
        ("休みは◎日", "休みは◎▮日"),
        ("●年に一度、会を開く", "●年に一度、会を開く"),
        ("●日曜日は休む", "●日曜日は休む"),
        ("□月給_□日給", "□月給_□日給"),
        ("手当は××円とする", "手当は××▮円とする"),
        ("令和×年×月×日", "令和×▮年×▮月×▮日"),
        ("基本給×年数", "基本給×年数"),
        ("日給×日数×1.25", "日給×日数×1.25"),
        ("千円×月の数", "千円×月の数"),
        ("手当は…円とする", "手当は…▮円とする"),
        ("店長……円", "店長……▮円"),
        ("店長………50,000円", "店長………50,000円"),
        ("６時間以下の者…６時間", "６時間以下の者…６時間"),
        ("休み…年末", "休み…年末"),
    ],
)
def test_signs_stay_and_are_marked(text: str, marked: str) -> None:
    assert shown(text) == marked.replace("_", S)


def test_signs_can_be_left_alone() -> None:
    assert shown("例えば○○％とする", signs=False) == "例えば○○％とする"


def test_blanks_are_told_with_the_words_around_them() -> None:
    first, second = find_blanks(mark_blanks(f"給料は毎月{S}{S}日に締め、翌月{S}{S}日に払う。"), around=4)
    assert (first.start, first.around) == (5, f"料は毎月{BLANK}日に締め")
    assert second.around == f"め、翌月{BLANK}日に払う"


def test_white_space_at_a_line_break() -> None:
    assert is_blank_between("順に番を替え、", "番を次の番とする。")
    assert is_blank_between("入った日から", "か月間とする。")
    assert not is_blank_between("この場合は", "次のとおりとする。")
    assert not is_blank_between("労働時間を８", "時間とする。")
    assert not is_blank_between("法律で定める休", "日とする。")
    assert not is_blank_between("給料は、翌", "月の末日に払う。")


words = st.text(alphabet=f"年月日額時分円第条項以上下○△●×…１２あがに、。（）：注{S} か番株式会社", max_size=40)


@given(words)
def test_marking_takes_nothing_but_white_space_and_marks_once(text: str) -> None:
    marked = mark_blanks(text)
    assert "".join(marked.replace(BLANK, "").split()) == "".join(text.split())
    assert BLANK * 2 not in marked
    assert mark_blanks(marked) == marked


@given(st.text(alphabet="年月日時分円第条あがに、。（）ア１２", max_size=40))
def test_a_text_without_white_space_has_no_blank(text: str) -> None:
    assert mark_blanks(text) == text
