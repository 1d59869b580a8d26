"""Marks with no blank behind them: which lines begin a paragraph, and which go on with a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.work_rules.lines import passages
from rag_assets.sources.work_rules.marks import ParagraphCount, goes_on_with, marks_of
from rag_assets_tests.sources.work_rules.rules_pages import EM, LEFT, RIGHT, Rules

FULL = int((RIGHT - LEFT) / EM)


def full(words: str) -> str:
    """A line of these words that reaches the margin."""
    filler = "この定めは職場のすべての人にかかわるものとして広く読むこととし、"
    return (filler * 3)[: FULL - len(words)] + words


def read(*lines: str) -> list[str]:
    rules = Rules()
    for line in lines:
        rules.line(line)
    return [passage.text for passage in passages(rules.pages())]


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("、適用しない。", "２．臨時に働く者は別とする。"),
        ("、適用しない。", "2.臨時に働く者は別とする。"),
        ("、適用しない。", "２、臨時に働く者は別とする。"),
        ("、適用しない。", "２臨時に働く者は別とする。"),
        ("、適用しない（夜を除く。）。", "２．臨時に働く者は別とする。"),
        ("次による。", "（１）臨時に働く者"),
        ("次による。", "(1)臨時に働く者"),
        ("次による。", "⑴臨時に働く者"),
        ("次による。", "①臨時に働く者"),
        ("次による。", "１）臨時に働く者"),
        ("次による。", "ア．臨時に働く者"),
        ("次による。", "一．臨時に働く者"),
    ],
)
def test_a_paragraph_of_its_own_below_a_full_line(above: str, line: str) -> None:
    assert read("第５条（手当）", full(above), line) == ["第５条（手当）", full(above), line]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("（１）", "（２）"),
        ("⑴", "⑵"),
        ("①", "②"),
        ("一、", "二、"),
        ("一", "二"),
        ("イ", "ロ"),
        ("ア", "イ"),
        ("１）", "２）"),
        ("1.", "2."),
        ("９．", "１０．"),
    ],
)
def test_the_next_of_a_count_below_a_full_line(first: str, second: str) -> None:
    one = first + full("所の長が認める。")[len(first) :]
    assert read("第５条（手当）", one, f"{second}職員の届け") == ["第５条（手当）", one, f"{second}職員の届け"]


@pytest.mark.parametrize("end", ["氏名及び住所", "働くこと", "長の認めるもの"])
def test_the_next_of_a_list_of_words_without_full_stop(end: str) -> None:
    one = "１．" + full(end)[2:]
    assert read(one, "２．職員の届け") == [one, "２．職員の届け"]


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("基本給の範囲内で", "２．５倍とする。"),
        ("率は次のとおりとする。", "２．５倍を超えない。"),
        ("この規則の第", "２項の定めによる。"),
        ("届け出るものとする。", "２週間以内に届け出る。"),
        ("届け出るものとする。", "２以上の届けは認めない。"),
        ("届け出るものとする。", "２、３日前でもよい。"),
        ("届け出るものとする。", "二人以上の届けは認めない。"),
        ("届け出るものとする。", "一般の職員は別とする。"),
        ("届け出るものとする。", "アルバイトの者は別とする。"),
        ("届け出るものとする。", "イ社の者は別とする。"),
        ("届け出るものとする。", "５臨時に働く者は別とする。"),
        ("前条の（１）及び", "（２）に掲げる者とする。"),
        ("前条の①から", "②までに掲げる者とする。"),
        ("前条の⑴又は", "⑵に掲げる者とする。"),
        ("前条の１又は", "２．なお書きに掲げる者とする。"),
    ],
)
def test_a_number_inside_a_sentence_is_no_mark(above: str, line: str) -> None:
    assert read("第５条（手当）", full(above), line) == ["第５条（手当）", full(above) + line]


def test_a_letter_can_stand_in_two_counts() -> None:
    assert [(mark.style, mark.number) for mark in marks_of("イ社員")] == [("aiueo", 2), ("iroha", 1)]
    assert marks_of("働く者") == []


def test_the_count_begins_anew_under_every_heading_and_paragraph() -> None:
    count = ParagraphCount()
    count.restart()
    count.begin("ア．ひとつ")
    assert count.opens("イ社員の届け", "届け出る。")
    count.begin("２　つぎ")
    assert not count.opens("イ社員の届け", "届け出る。")
    assert count.opens("３臨時の者", "届け出る。")
    count.restart()
    assert not count.opens("３臨時の者", "届け出る。")


def test_what_follows_a_full_stop_does_not_go_on() -> None:
    assert goes_on_with("（２）に掲げる者", "前条の（１）及び")
    assert not goes_on_with("（２）に掲げる者", "次による。")
    assert not goes_on_with("（２）臨時の者", "前条の（１）及び")


_STYLES = {
    "．": "１２３４５６７８９",
    "、": "１２３４５６７８９",
    "": "一二三四五六七八九",
    "）": "１２３４５６７８９",
    " ": "アイウエオカキクケ",
}
_WORDS = st.sampled_from(["職員の届け", "夜の勤め", "休みの手当", "届け出た者"])


@given(st.sampled_from(sorted(_STYLES)), st.lists(_WORDS, min_size=2, max_size=9), st.lists(st.integers(0, 3)))
def test_whatever_the_marks_each_counted_paragraph_is_one(sign: str, words: list[str], more: list[int]) -> None:
    paragraphs = []
    lines = []
    for number, word in enumerate(words):
        mark = f"{_STYLES[sign][number]}{sign}"
        first = mark + word
        body = [first + full("所の長が認める。")[len(first) :]]
        if number < len(more):
            body = [first + full("所の長が")[len(first) :], *[full("所の長が")] * more[number], full("これを認める。")]
        lines += body
        paragraphs.append("".join(body))
    assert read("第５条（手当）", *lines) == ["第５条（手当）", *paragraphs]


@given(
    st.sampled_from(["２．５倍とする。", "２割を超えない。", "２項の者とする。", "二以上とする。"]), st.integers(0, 4)
)
def test_whatever_stands_above_a_number_of_the_sentence_joins_nothing_else(line: str, more: int) -> None:
    above = [full("所の長が")] * more + [full("その額の")]
    assert read("第５条（手当）", *above, line) == ["第５条（手当）", "".join(above) + line]
