import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.outline import governing_lines
from rag_assets_tests.strategies import lines


def test_each_item_stands_under_the_one_that_opened_its_level() -> None:
    of = ["１　対象", "（1） 国内", "イ　居住者", "ロ　法人", "（2） 国外", "イ　個人", "２　手続き", "（1） 申告"]
    assert governing_lines(of) == [
        "",
        "１　対象",
        "（1） 国内",
        "（1） 国内",
        "１　対象",
        "（2） 国外",
        "",
        "２　手続き",
    ]


def test_the_order_of_kinds_is_the_documents_own() -> None:
    assert governing_lines(["①　甲", "１　乙", "②　丙", "イ　丁", "（イ） 戊"]) == [
        "",
        "①　甲",
        "",
        "②　丙",
        "イ　丁",
    ]


def test_a_line_without_a_mark_stands_under_none_and_closes_nothing() -> None:
    assert governing_lines(["（1） 国内", "説明です。", "イ　居住者", "", "ロ　法人"]) == [
        "",
        "",
        "（1） 国内",
        "",
        "（1） 国内",
    ]


def test_a_note_closes_everything_and_what_is_numbered_below_it_stands_under_it() -> None:
    assert governing_lines(["１　対象", "（1） 国内", "（注） 次による。", "イ　居住者", "※ 備考"]) == [
        "",
        "１　対象",
        "",
        "（注） 次による。",
        "",
    ]


def test_blanks_before_a_mark_do_not_count() -> None:
    assert governing_lines(["　１　対象", "　　（1） 国内"]) == ["", "１　対象"]


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("1. 対象", "(1) 国内"),
        ("１．対象", "⑴ 国内"),
        ("1、対象", "① 国内"),
        ("イ　居住者", "(イ) 個人"),
        ("① 国内", "a) 甲"),
        ("(1) 国内", "（ａ） 甲"),
        ("１", "イ"),
    ],
)
def test_marks_of_either_width(outer: str, inner: str) -> None:
    assert governing_lines([outer, inner]) == ["", outer]


@pytest.mark.parametrize(
    "text",
    [
        "10万円以下のもの",
        "2026年4月1日から",
        "イギリスの財産",
        "ロシアの財産",
        "（国内）の財産",
        "100 円",
        "（令和8年分）",
    ],
)
def test_what_is_no_mark(text: str) -> None:
    assert governing_lines(["（1） 国内", text]) == ["", ""]


_MARKED = st.builds(
    lambda mark, text: mark + text,
    st.sampled_from(["", "１　", "２　", "（1） ", "（2） ", "イ　", "ロ　", "（イ） ", "① ", "a) ", "（注） "]),
    lines(max_size=10),
)


@given(st.lists(_MARKED, max_size=12))
def test_a_governing_line_is_an_earlier_one_that_stands_under_no_later(of: list[str]) -> None:
    governing = governing_lines(of)
    assert len(governing) == len(of)
    for position, above in enumerate(governing):
        assert not above or above in [line.strip(" 　") for line in of[:position]]
    assert governing_lines(of[: len(of) // 2]) == governing[: len(of) // 2]


def test_items_of_laws_stand_under_their_number() -> None:
    of = ["２　次に掲げる処分は、この限りでない。", "一　許可", "イ　更新", "二の二　届出", "ロ　停止"]
    assert governing_lines(of) == ["", of[0], of[1], of[0], of[3]]
