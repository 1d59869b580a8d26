import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.kanji_numbers import add_digits, find_missing_digits, kanji_to_int

_PARTS = (
    *"〇一二三四五六七八九十百千万億",
    *("時間", "時", "分", "分の", "日", "月", "年", "箇月", "か月", "週間", "歳", "人", "円", "回", "割", "倍", "半"),
    *(
        "パーセント",
        "平成",
        "令和元年",
        "午後",
        "第",
        "条",
        "項",
        "号",
        "の",
        "同",
        "法律",
        "・",
        "、",
        "（",
        "）",
        "数",
    ),
    *("○", "〜", "，", "厘", "人事院規則", "一円", "関東", "未満"),
    *("3", "４", "箇所", "以上", "度", "一般", "労働日", "とする。", "＝", "%", "改正法", "か国", "一人一人", "都"),
)
_MONTHS = (
    "六月",
    "一月",
    "一年六月",
    "以内",
    "前",
    "後",
    "毎年",
    "翌年",
    "末日",
    "を超え",
    "及び",
    "又は",
    "から",
    "まで",
    "について",
)
_TEXTS = st.lists(st.sampled_from(_PARTS + _MONTHS), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("〇", 0),
        ("五", 5),
        ("十", 10),
        ("百二十三", 123),
        ("千", 1000),
        ("一千二百", 1200),
        ("一万五千", 15000),
        ("三百万", 3_000_000),
        ("一億二千万", 120_000_000),
        ("二〇二四", 2024),
        ("一五一", 151),
        ("二五〇万", 2_500_000),
        ("十二兆", 12 * 10**12),
    ],
)
def test_number_is_read(text: str, number: int) -> None:
    assert kanji_to_int(text) == number


@pytest.mark.parametrize(
    "text", ["", "万", "万一", "十十", "百千", "〇三", "一万万", "二億三兆", "二三十", "一般", "三〇百"]
)
def test_no_number_is_none(text: str) -> None:
    assert kanji_to_int(text) is None


def _written(number: int) -> str:
    """A number in 漢数字 with units, as statutes write it."""
    if number == 0:
        return "〇"
    words = ""
    for value, unit in ((10**12, "兆"), (10**8, "億"), (10**4, "万"), (1, "")):
        words += _below_ten_thousand(number // value % 10_000) + unit if number // value % 10_000 else ""
    return words


def _below_ten_thousand(number: int) -> str:
    ones = "一二三四五六七八九"
    words = ""
    for value, unit in ((1000, "千"), (100, "百"), (10, "十")):
        count = number // value % 10
        words += ("" if count == 1 else ones[count - 1]) + unit if count else ""
    return words + (ones[number % 10 - 1] if number % 10 else "")


@given(st.integers(0, 10**16 - 1))
def test_written_number_is_read_back(number: int) -> None:
    assert kanji_to_int(_written(number)) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("四十五時間を超え", "四十五時間（45時間）を超え"),
        ("三箇月以内", "三箇月（3か月）以内"),
        ("六ヶ月", "六ヶ月（6か月）"),
        ("一年六箇月以上", "一年六箇月（1年6か月）以上"),
        ("一日八時間", "一日八時間（1日8時間）"),
        ("一年半", "一年半（1年半）"),
        ("十八才に満たない", "十八才（18歳）に満たない"),
        ("十労働日", "十労働日（10労働日）"),
        ("二十万円以下の罰金", "二十万円（20万円）以下の罰金"),
        ("一億二千三百万円", "一億二千三百万円（1億2300万円）"),
        ("千円未満の端数", "千円（1000円）未満の端数"),
        ("二・五倍", "二・五倍（2.5倍）"),
        ("五パーセント", "五パーセント（5%）"),
        ("平成三十年四月一日から", "平成三十年四月一日（平成30年4月1日）から"),
        ("令和元年五月一日", "令和元年五月一日（令和元年5月1日）"),
        ("平成一一年一二月八日", "平成一一年一二月八日（平成11年12月8日）"),
        ("三月三十一日", "三月三十一日（3月31日）"),
        ("平成三十年度", "平成三十年度（平成30年度）"),
        ("二〇二四年", "二〇二四年（2024年）"),
        ("午後十時から午前五時まで", "午後十時（午後10時）から午前五時（午前5時）まで"),
        ("午後十時三十分", "午後十時三十分（午後10時30分）"),
        ("少くとも四十五分", "少くとも四十五分（45分）"),
        ("少なくとも六十分の休憩", "少なくとも六十分（60分）の休憩"),
        ("六十分の一", "六十分の一（60分の1）"),
        ("二割五分以上五割以下", "二割五分（2割5分＝25%）以上五割（5割＝50%）以下"),
        ("年五分の割合", "年五分（5分＝5%）の割合"),
        ("千分の百二十", "千分の百二十（1000分の120＝12%）"),
        ("百分の七・八", "百分の七・八（100分の7.8＝7.8%）"),
        ("三分の二以上", "三分の二（3分の2）以上"),
        ("一日三分の一", "一日（1日）三分の一（3分の1）"),
        ("三親等内の親族", "三親等（3親等）内の親族"),
        ("第二十条の三十日前", "第二十条の三十日（30日）前"),
        ("前三箇月間", "前三箇月間（3か月間）"),
        ("日数二十日", "日数二十日（20日）"),
        ("五百立方メートル", "五百立方メートル（500立方メートル）"),
        ("五十ミリシーベルト", "五十ミリシーベルト（50ミリシーベルト）"),
        ("午後五時半に終業", "午後五時半（午後5時半）に終業"),
        ("十時半", "十時半（10時半）"),
        ("十時半額にする", "十時（10時）半額にする"),
        ("五分半、二週半、一回半", "五分半（5分半）、二週半（2週半）、一回半（1回半）"),
        ("二割五分五厘", "二割五分五厘（2割5分5厘＝25.5%）"),
        ("三割五厘", "三割五厘（3割5厘＝30.5%）"),
        ("三割半額券", "三割（3割＝30%）半額券"),
        ("一〇〇分の一五", "一〇〇分の一五（100分の15＝15%）"),
        ("二十三日月曜日", "二十三日（23日）月曜日"),
        ("従業員数三百一人以上", "従業員数三百一人（301人）以上"),
        ("四人家族、一人世帯", "四人（4人）家族、一人（1人）世帯"),
        ("五分しかない", "五分（5分）しかない"),
        ("銀行の残高一万一円", "銀行の残高一万一円（1万1円）"),
        ("単価一円、ひとつ一円、差額一円", "単価一円（1円）、ひとつ一円（1円）、差額一円（1円）"),
        ("五十銭以上一円未満", "五十銭（50銭）以上一円（1円）未満"),
    ],
)
def test_digits_stand_beside_what_counts(text: str, expected: str) -> None:
    assert add_digits(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "第三十六条第一項第二号",
        "第三十八条の三の二第一項",
        "第四章の二",
        "別表第一の二",
        "附則第二条",
        "前二項、前三条及び各号の一",
        "第三者、第二回、第一日目",
        "昭和二十二年法律第四十九号",
        "平成五年厚生労働省令第十二号",
        "平成一一年一二月八日法律第一五一号",
        "平成三十年改正法の施行の日",
        "令和二年改正法附則第三条",
        "一般、一部、一定、一切、統一、二重、三角、万一、十分な休息",
        "同一人、同一年、統一日、単一年度",
        "二以上の事業",
        "一時金及び一時的な預り",
        "千葉県、四日市市、十日町、千歳市",
        "一人親方、一人一人",
        "数十人、何百円、初七日",
        "二三日",
        "〇〇円、令和〇年〇月〇日",
        "３箇月、３０万円、１千万円",
        "四半期",
        "赤十字社",
        "都一円",
        "万人",
        "関東一円、全国一円、アジア一円、九州（離島を除く）一円に広がる",
        "三日月形、二日酔い、日一日と、一日千秋の思い、十年一日のごとく",
        "百分率、千分比、五分五分、二分する、三分された、一分の隙もなく、一分一秒を争う",
        "五分五厘、二銭五厘、二割半",
        "二三割、百分の二三、二三分の一",
        "平成三十年人事院規則一〇—四、平成三十年改正法附則",
        "従業員数十人、社員数百人",
    ],
)
def test_names_references_and_words_are_left_alone(text: str) -> None:
    assert add_digits(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "四十五時間（45時間）",
        "四十五時間（４５時間）",
        "四十五時間(45時間)",
        "三箇月（3箇月）",
        "二割五分（25%）",
        "五パーセント（５％）以上",
    ],
)
def test_digits_that_stand_there_already_are_not_doubled(text: str) -> None:
    assert add_digits(text) == text


_COUNTED = (
    "円",
    "日",
    "人",
    "歳",
    "年",
    "箇月",
    "時間",
    "週間",
    "割",
    "回",
    "パーセント",
    "時",
    "分間",
    "分の一",
    "倍",
)


@pytest.mark.parametrize("counted", _COUNTED)
@pytest.mark.parametrize("between", "、，〜～")
@pytest.mark.parametrize(
    ("first", "last"), [("二", "三"), ("十五", "六"), ("百二", "三十"), ("二", "五〇〇"), ("２", "三")]
)
def test_end_of_a_number_gets_no_digits_of_its_own(first: str, last: str, between: str, counted: str) -> None:
    text = f"およそ{first}{between}{last}{counted}である。"
    assert add_digits(text) == text


@pytest.mark.parametrize("counter", ["日", "人", "歳", "年", "カ月", "時間", "割", "回"])
def test_decimal_that_may_be_two_numbers_gets_no_digits(counter: str) -> None:
    assert add_digits(f"二・三{counter}、十五・六{counter}") == f"二・三{counter}、十五・六{counter}"
    assert add_digits(f"一・五{counter}").count("（") == (counter != "割")


@pytest.mark.parametrize("counter", ["倍", "パーセント", "メートル", "平方キロメートル"])
def test_decimals_of_what_is_measured_stay_decimals(counter: str) -> None:
    assert add_digits(f"二・三{counter}").startswith(f"二・三{counter}（2.3")


@pytest.mark.parametrize("counted", _COUNTED)
@pytest.mark.parametrize("circle", "○◯〇")
def test_number_behind_a_circle_is_not_whole(circle: str, counted: str) -> None:
    assert add_digits(f"令和{circle}年{circle}月{circle}十{counted}") == f"令和{circle}年{circle}月{circle}十{counted}"
    assert add_digits(f"二{circle}{circle}五{counted}").count("（") == (circle == "〇")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一日、二日、三日間", "一日（1日）、二日（2日）、三日間（3日間）"),
        ("十人、五人", "十人（10人）、五人（5人）"),
        ("三分の一、四分の一", "三分の一（3分の1）、四分の一（4分の1）"),
        ("百分の三、五年", "百分の三（100分の3＝3%）、五年（5年）"),
        ("三以上、五年", "三以上、五年（5年）"),
        ("一、午後五時、平成十年", "一、午後五時（午後5時）、平成十年（平成10年）"),
    ],
)
def test_numbers_in_a_row_get_their_digits_where_each_is_whole(text: str, expected: str) -> None:
    assert add_digits(text) == expected


def test_other_brackets_behind_a_number_do_not_count_as_its_digits() -> None:
    assert add_digits("五年（次の場合は、三年）") == "五年（5年）（次の場合は、三年（3年））"


_PERIODS = (
    *(
        "期限の二月前まで",
        "三月後に",
        "六月以内",
        "六月以上",
        "六月以下の刑",
        "六月未満",
        "三月を超えない",
        "三月を経過した日",
    ),
    *(
        "一月ごとに",
        "三月に一度",
        "一月につき",
        "一月について",
        "一月当たり",
        "一月を限度とする",
        "六月に満たない",
        "二月にわたり",
    ),
    *(
        "六月間",
        "三月半",
        "前三月の",
        "施行後六月を目途として",
        "起算して三月",
        "継続して六月",
        "十八月とする",
        "三月の期間",
    ),
    *("一月及び一年の", "三月又は六月以内", "一月又は三箇月", "一月を下回らない", "六月内に"),
)


@pytest.mark.parametrize("text", _PERIODS)
def test_months_that_are_counted_are_told_as_such(text: str) -> None:
    written = add_digits(text)
    months = re.findall("（[0-9]+(.*?)）", written)
    assert months
    assert all(month in ("か月", "か月間", "か月半", "年") for month in months if not month.endswith("度"))
    assert re.search("月[間半]?（[0-9]+か月", written)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一年六月を経過した日", "一年六月（1年6か月）を経過した日"),
        ("五年六月以上", "五年六月（5年6か月）以上"),
        ("一年六月", "一年六月（1年6か月）"),
        ("毎年四月に", "毎年四月（4月）に"),
        ("翌年三月中に", "翌年三月（3月）中に"),
        ("十二月末日", "十二月（12月）末日"),
        ("九月上旬", "九月（9月）上旬"),
        ("四月以降", "四月（4月）以降"),
        ("四月一日以後の日", "四月一日（4月1日）以後の日"),
        ("二月二十九日前", "二月二十九日（2月29日）前"),
        ("平成三十年四月以後", "平成三十年四月（平成30年4月）以後"),
        ("二〇二四年四月に", "二〇二四年四月（2024年4月）に"),
        ("令和元年五月から", "令和元年五月（令和元年5月）から"),
    ],
)
def test_months_of_the_calendar_and_months_behind_years(text: str, expected: str) -> None:
    assert add_digits(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "四月から九月まで",
        "三月及び九月に",
        "六月とする",
        "六月",
        "三月分の賃料",
        "六月半ばの",
        "三月前半の",
        "九月後期の",
        "から六年三月まで",
    ],
)
def test_months_of_which_nothing_tells_what_they_are_get_no_digits(text: str) -> None:
    assert add_digits(text) == text


@pytest.mark.parametrize("text", ["六月（6か月）以内", "六月（６月）以内", "六月（6箇月）以内", "前三月（3か月）の"])
def test_months_told_already_are_not_told_again(text: str) -> None:
    assert add_digits(text) == text


# Sentences as statutes have them, every number in them: 〔〕 is what is put in.
_SENTENCES = """
申請は、期限の二月〔2か月〕前までにしなければならない。
停止の期間は、三月〔3か月〕を超えることができない。
六月〔6か月〕以上の期間を定めて雇い入れた者は、三月〔3か月〕以下の拘禁刑又は三十万円〔30万円〕以下の罰金に処する。
一日〔1日〕、一月〔1か月〕及び一年〔1年〕の時間を定める。
一月〔1か月〕につき三万円〔3万円〕を下らない額とする。
四月一日〔4月1日〕から翌年三月三十一日〔3月31日〕までを一年度〔1年度〕とする。
毎年十二月〔12月〕末日までに、前三月〔3か月〕の実績を届け出る。
令和元年五月一日〔令和元年5月1日〕以後に始まる期間について適用する。
令和二年改正法附則第三条第一項に規定する者
この法律を施行する日は、公布の日から起算して六月〔6か月〕を超えない範囲で政令により定める。
政府は、施行後五年〔5年〕を目途として検討を加える。
十八月〔18か月〕を超えない範囲で延長する。
解雇の三十日〔30日〕前に予告し、又は三十日〔30日〕分以上を支払う。
満十五歳〔15歳〕に達した日以後の最初の三月三十一日〔3月31日〕まで
満十八才〔18歳〕に満たない者
五人〔5人〕以上の労働者を使用する一の事業所
三人〔3人〕のうち一人〔1人〕は、三年〔3年〕以上の経験を有する者とする。
百分の二十五〔100分の25＝25%〕以上千分の九百〔1000分の900＝90%〕以下の率
千分の十五・五〔1000分の15.5＝1.55%〕を乗じる。
年十四・六パーセント〔14.6%〕又は年三分〔3分＝3%〕の利息を付する。
三分の二〔3分の2〕以上の同意を得て、一・五倍〔1.5倍〕に相当する額を支払う。
二割五分〔2割5分＝25%〕以上五割〔5割＝50%〕以下とする。
一億五千万円〔1億5000万円〕を超え、百円〔100円〕未満の端数がある場合
第十二条第二項第三号及び第三十七条の二の三第四項
別表第二の三の項及び附則第十条第一項
同条第二項中「三日〔3日〕」とあるのは「五日〔5日〕」とする。
一部を改正する法律により、一般に公正な、一切の、唯一の、統一した扱いをする。
万一に備え、一時に支払い、一時帰休とし、十分に、一両日中に、数日を要し、数箇月にわたる。
午前八時三十分〔午前8時30分〕から午後五時〔午後5時〕までの間に四十五分〔45分〕
一日六時間〔1日6時間〕、一週三十時間〔1週30時間〕を超える時間
百二十日〔120日〕を限度とし、二回〔2回〕を超えて分割しない。
二箇所〔2か所〕以上の場所で、三箇月〔3か月〕を限度とする。
十メートル〔10メートル〕以内、二百平方メートル〔200平方メートル〕以上、五キログラム〔5キログラム〕以下
二級河川、一級建築士、四半期、三親等〔3親等〕内の親族
一株〔1株〕につき一個〔1個〕の議決権とし、三千株〔3000株〕を超えない。
昭和三十二年法律第七号及び平成十年政令第二百号第三条
平成二十年度〔平成20年度〕から平成二十五年度〔平成25年度〕まで
二十四時間〔24時間〕以内に、七十二時間〔72時間〕を超えて
六十五歳〔65歳〕以上七十歳〔70歳〕未満の者
三分の一〔3分の1〕の者が一分〔1分〕以内に集まる。
"""


@pytest.mark.parametrize("sentence", _SENTENCES.split())
def test_sentences_of_statutes(sentence: str) -> None:
    plain = re.sub("〔.*?〕", "", sentence)
    assert add_digits(plain) == sentence.translate(str.maketrans("〔〕", "（）"))


@given(_TEXTS)
def test_twice_is_once(text: str) -> None:
    once = add_digits(text)
    assert add_digits(once) == once


@given(_TEXTS)
def test_nothing_but_bracketed_digits_is_added(text: str) -> None:
    written, start = add_digits(text), 0
    rest = text
    for beside in find_missing_digits(text):
        before, written = written[: beside.end - start], written[beside.end - start :]
        assert rest.startswith(before)
        assert before.endswith(beside.words)
        insertion = f"（{beside.digits}）"
        assert written.startswith(insertion)
        rest, written, start = rest[len(before) :], written[len(insertion) :], beside.end
    assert written == rest
