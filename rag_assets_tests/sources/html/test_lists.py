"""Numbers of list items."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.html.lists import written_number
from rag_assets_tests.sources.html.html_pages import lines_of


def _items(*words: str) -> str:
    return "".join(f"<li>{word}</li>" for word in words)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<ol>{_items('甲', '乙')}</ol><ol start='4'>{_items('丙')}</ol>", ["1 甲", "2 乙", "4 丙"]),
        ("<ol><li>甲<li value='7'>乙<li>丙</ol>", ["1 甲", "7 乙", "8 丙"]),
        (f"<ol reversed>{_items('甲', '乙', '丙')}</ol>", ["3 甲", "2 乙", "1 丙"]),
        (f"<ol reversed start='10'>{_items('甲', '乙')}</ol>", ["10 甲", "9 乙"]),
        (f"<ol start='x'>{_items('甲')}</ol>", ["1 甲"]),
        (f"<ol start='-1'>{_items('甲', '乙')}</ol>", ["-1 甲", "0 乙"]),
        (f"<ol type='a' start='26'>{_items('甲', '乙')}</ol>", ["z 甲", "aa 乙"]),
        (f"<ol type='A'>{_items('甲', '乙')}</ol>", ["A 甲", "B 乙"]),
        (f"<ol type='i' start='4'>{_items('甲')}</ol>", ["iv 甲"]),
        (f"<ol type='I' start='9'>{_items('甲')}</ol>", ["IX 甲"]),
        ("<ol><li>甲<li type='A'>乙</ol>", ["1 甲", "B 乙"]),
        (f"<ol style='list-style-type:cjk-ideographic' start='10'>{_items('甲', '乙')}</ol>", ["十 甲", "十一 乙"]),
        (f"<ol style='list-style: katakana inside'>{_items('甲', '乙')}</ol>", ["ア 甲", "イ 乙"]),
        (f"<ol style='list-style-type:katakana-iroha'>{_items('甲', '乙')}</ol>", ["イ 甲", "ロ 乙"]),
        (f"<ol style='list-style-type:decimal-leading-zero'>{_items('甲')}</ol>", ["01 甲"]),
        (f"<ul style='list-style-type:decimal'>{_items('甲')}</ul>", ["1 甲"]),
        (f"<ul>{_items('甲')}</ul>", ["甲"]),
        ("<ol><li>甲<ol type='a'><li>乙<li>丙</ol></li><li>丁</ol>", ["1 甲", "　a 乙", "　b 丙", "2 丁"]),
        ("<ol><li>甲<ul><li>乙</ul><li>丙</ol>", ["1 甲", "　乙", "2 丙"]),
        ("<ol><div><li>甲</li></div><li>乙</li></ol>", ["1 甲", "2 乙"]),
        ("<ol><li><p>甲</p><p>乙</p></li><li>丙</li></ol>", ["1 甲", "乙", "2 丙"]),
        ("<ol><li></li><li>甲</li></ol>", ["2 甲"]),
        ("<ol><li><table><tr><td>甲</td></tr></table></li></ol>", ["1", "甲"]),
        ("<table><tr><td><ol><li>甲<li>乙</ol></td></tr></table>", ["1 甲　2 乙"]),
    ],
)
def test_numbers_are_those_that_a_browser_prints(html: str, expected: list[str]) -> None:
    assert lines_of(html) == expected


def test_a_number_before_a_figure_does_not_run_into_it() -> None:
    assert lines_of(f"<ol>{_items('10,000円', '３割')}</ol>") == ["1　10,000円", "2　３割"]


@pytest.mark.parametrize("words", [("1 申込書", "2 届出書"), ("申込書", "届出書"), ("(1)申込書", "(2)届出書")])
@pytest.mark.parametrize("attribute", ["style='list-style-type:none'", "style='list-style: none'", "class='plain'"])
def test_a_list_whose_numbers_are_switched_off_has_none(attribute: str, words: tuple[str, ...]) -> None:
    assert lines_of(f"<ol {attribute}>{_items(*words)}</ol>", ".plain { list-style: none }") == list(words)


@pytest.mark.parametrize(
    "words",
    [
        ("(1) 申込書", "(2) 届出書"),
        ("（一）申込書", "（二）届出書"),
        ("①申込書", "②届出書"),
        ("イ　申込書", "ロ　届出書"),
        ("1．申込書", "2．届出書"),
        ("4 申込書", "5 届出書"),
        ("Q1 申し込めますか。", "Q2 届け出ますか。", "(注) 書面に限ります。"),
    ],
)
def test_items_that_print_their_own_numbers_are_not_numbered_twice(words: tuple[str, ...]) -> None:
    assert [line.strip() for line in lines_of(f"<ol>{_items(*words)}</ol>")] == list(words)


def test_words_that_begin_with_a_quantity_are_no_numbers_of_their_own() -> None:
    assert lines_of(f"<ol>{_items('3 人以上のとき', '10 人以上のとき')}</ol>") == [
        "1　3 人以上のとき",
        "2　10 人以上のとき",
    ]
    assert lines_of(f"<ol>{_items('1.5倍', '2.5倍')}</ol>") == ["1　1.5倍", "2　2.5倍"]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (20, "japanese-informal", "二十"),
        (110, "cjk-ideographic", "百十"),
        (1024, "cjk-ideographic", "千二十四"),
        (11, "japanese-formal", "壱拾壱"),
        (10, "cjk-decimal", "一〇"),
        (0, "lower-alpha", "0"),
        (4000, "upper-roman", "4000"),
        (3, "hiragana", "う"),
        (2, "unknown", "2"),
    ],
)
def test_ways_of_writing(value: int, kind: str, expected: str) -> None:
    assert written_number(value, kind) == expected


_KINDS = ["decimal", "lower-alpha", "upper-roman", "katakana", "katakana-iroha", "cjk-ideographic", "japanese-formal"]


@given(st.sampled_from(_KINDS), st.lists(st.integers(min_value=1, max_value=3999), min_size=2, unique=True))
def test_two_items_never_have_the_same_number(kind: str, values: list[int]) -> None:
    assert len({written_number(value, kind) for value in values}) == len(values)
