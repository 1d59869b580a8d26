import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.kanji_numbers import digits_beside, int_to_kanji, kanji_to_int, numbers_without_digits

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
    *("3", "４", "箇所", "以上", "度", "一般", "労働日", "とする。", "＝", "%", "改正法", "か国", "一人一人", "都"),
)
_TEXTS = st.lists(st.sampled_from(_PARTS), max_size=14).map("".join)


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


@given(st.integers(0, 10**16 - 1))
def test_written_number_is_read_back(number: int) -> None:
    assert kanji_to_int(int_to_kanji(number)) == number


@pytest.mark.parametrize(
    ("number", "text"), [(10, "十"), (1000, "千"), (21, "二十一"), (10_000, "一万"), (15_010, "一万五千十")]
)
def test_number_is_written_as_statutes_do(number: int, text: str) -> None:
    assert int_to_kanji(number) == text


@pytest.mark.parametrize("number", [-1, 10**16])
def test_number_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        int_to_kanji(number)


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
    ],
)
def test_digits_stand_beside_what_counts(text: str, expected: str) -> None:
    assert digits_beside(text) == expected


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
    ],
)
def test_names_references_and_words_are_left_alone(text: str) -> None:
    assert digits_beside(text) == text


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
    assert digits_beside(text) == text


def test_other_brackets_behind_a_number_do_not_count_as_its_digits() -> None:
    assert digits_beside("五年（次の場合は、三年）") == "五年（5年）（次の場合は、三年（3年））"


@given(_TEXTS)
def test_twice_is_once(text: str) -> None:
    once = digits_beside(text)
    assert digits_beside(once) == once


@given(_TEXTS)
def test_nothing_but_bracketed_digits_is_added(text: str) -> None:
    written, start = digits_beside(text), 0
    rest = text
    for beside in numbers_without_digits(text):
        before, written = written[: beside.end - start], written[beside.end - start :]
        assert rest.startswith(before)
        assert before.endswith(beside.words)
        assert written.startswith(beside.insertion)
        rest, written, start = rest[len(before) :], written[len(beside.insertion) :], beside.end
    assert written == rest
