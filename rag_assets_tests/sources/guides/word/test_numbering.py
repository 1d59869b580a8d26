"""Numbers as Word prints them: which paragraph has which, and how it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.guides.word.number_formats import format_number
from rag_assets_tests.sources.guides.word.word_files import HEADING_STYLES, level, lines, list_of, numbered, p


def items(numbering: str, *places: tuple[int, int]) -> list[str]:
    """What stands before paragraphs of some lists and levels."""
    chapters = p("前編", style="1") + p("後編", style="1")
    body = chapters + "".join(p("文", properties=numbered(list_id, at)) for list_id, at in places)
    found = lines(body, numbering=numbering)[2:]
    return [line.strip().removeprefix("- ").removesuffix("文").rstrip(" 　") for line in found]


def test_levels_count_below_one_another() -> None:
    numbering = list_of(level(0, "%1."), level(1, "%1.%2"), level(2, "（%3）", "decimalFullWidth"))
    assert items(numbering, (1, 0), (1, 1), (1, 1), (1, 2), (1, 0), (1, 1)) == [
        *("1.", "1.1", "1.2", "（１）", "2.", "2.1"),
    ]


def test_a_level_may_never_begin_anew_or_only_after_an_outer_one() -> None:
    never = list_of(level(0, "第%1章"), level(1, "第%2条", more='<w:lvlRestart w:val="0"/>'))
    assert items(never, (1, 0), (1, 1), (1, 1), (1, 0), (1, 1)) == ["第1章", "第1条", "第2条", "第2章", "第3条"]
    outer = list_of(level(0, "%1"), level(1, "%2"), level(2, "%3", more='<w:lvlRestart w:val="1"/>'))
    assert items(outer, (1, 0), (1, 1), (1, 2), (1, 1), (1, 2), (1, 0), (1, 2))[2::2] == ["1", "2", "1"]


def test_lists_of_one_look_go_on_counting_unless_one_begins_anew() -> None:
    two = list_of(level(0, "%1.")) + '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    assert items(two, (1, 0), (2, 0), (1, 0)) == ["1.", "2.", "3."]
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    anew = list_of(level(0, "%1.")) + f'<w:num w:numId="2"><w:abstractNumId w:val="1"/>{override}</w:num>'
    assert items(anew, (1, 0), (1, 0), (2, 0), (2, 0)) == ["1.", "2.", "1.", "2."]


def test_a_list_may_replace_a_level_and_begin_elsewhere() -> None:
    replaced = f'<w:lvlOverride w:ilvl="0">{level(0, "〔%1〕", "upperLetter")}</w:lvlOverride>'
    assert items(list_of(level(0, "%1."), overrides=replaced), (1, 0), (1, 0)) == ["〔A〕", "〔B〕"]
    begins = '<w:lvl w:ilvl="0"><w:start w:val="7"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/></w:lvl>'
    assert items(list_of(begins), (1, 0), (1, 0)) == ["7)", "8)"]


def test_outer_numbers_in_figures_and_levels_never_used() -> None:
    legal = list_of(level(0, "第%1章", "japaneseCounting"), level(1, "%1-%2", more="<w:isLgl/>"))
    assert items(legal, (1, 0), (1, 0), (1, 1)) == ["第一章", "第二章", "2-1"]
    assert items(list_of(level(0, "%1."), level(1, "%1.%2")), (1, 1), (1, 0)) == ["1.1", "2."]
    bullets = list_of(level(0, "", "bullet"), level(1, "%1%2.", more="<w:isLgl/>"))
    assert items(bullets, (1, 0), (1, 1)) == ["", "1."]


def test_a_style_numbers_its_paragraphs_on_the_level_that_names_it() -> None:
    numbers = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>{based}{numbers}</w:style>'
        for name, based in (("heading 1", ""), ("heading 2", '<w:basedOn w:val="heading 1"/>'))
    )
    styles += (
        '<w:style w:type="paragraph" w:styleId="own"><w:name w:val="own"/><w:basedOn w:val="heading 2"/></w:style>'
    )
    levels = [
        level(0, "第%1章", more='<w:pStyle w:val="heading 1"/>'),
        level(1, "%1.%2", more='<w:pStyle w:val="heading 2"/>'),
    ]
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = p("総則", style="heading 1") + p("範囲", style="heading 2") + p("用語", style="own")
    body += p("附則", style="heading 1", properties=off) + p("旅費", style="heading 1")
    assert lines(body, styles=styles, numbering=list_of(*levels)) == [
        "# 第1章　総則",
        "## 1.1 範囲",
        "## 1.2 用語",
        "# 附則",
        "# 第2章　旅費",
    ]


def test_a_list_that_only_names_a_list_style() -> None:
    style = '<w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbering = list_of(level(0, "%1）")) + (
        '<w:abstractNum w:abstractNumId="9"><w:numStyleLink w:val="L"/></w:abstractNum>'
        '<w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num>'
    )
    body = p("甲", properties=numbered(9))
    assert lines(body, styles=HEADING_STYLES + style, numbering=numbering) == ["- 1） 甲"]


@pytest.mark.parametrize(
    ("text", "more", "words", "line"),
    [
        ("第%1条", "", "（目的）", "第1条　（目的）"),
        ("第%1条", '<w:suff w:val="nothing"/>', "（目的）", "第1条（目的）"),
        ("%1", '<w:suff w:val="nothing"/>', "３人まで", "1　３人まで"),
        ("(%1)", "", "旅費", "(1) 旅費"),
        ("%1.", "", "20日まで", "1.　20日まで"),
        ("\uf0b7", "", "旅費", "旅費"),
    ],
)
def test_number_and_words(text: str, more: str, words: str, line: str) -> None:
    body = p("総則", style="2") + p(words, properties=numbered(1))
    assert lines(body, numbering=list_of(level(0, text, more=more))) == ["## 総則", f"- {line}"]


def test_paragraphs_without_words_or_unseen_ones() -> None:
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    body = p("甲", properties=numbered(1)) + p(properties=numbered(1)) + p(properties=numbered(1) + hidden)
    assert lines(body + p("乙", properties=numbered(1)), numbering=list_of(level(0, "%1."))) == ["- 1. 甲", "- 3. 乙"]


def test_a_kind_that_older_programs_do_not_know() -> None:
    wrapped = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/>'
        '</mc:Fallback></mc:AlternateContent><w:lvlText w:val="様式%1"/></w:lvl>'
    )
    assert items(list_of(wrapped), (1, 0), (1, 0)) == ["様式009", "様式010"]


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        ("decimalFullWidth", 12, "１２"),
        ("decimalZero", 3, "03"),
        ("japaneseCounting", 12, "十二"),
        ("japaneseLegal", 3, "参"),
        ("ideographDigital", 20, "二〇"),
        ("ideographTraditional", 4, "丁"),
        ("ideographTraditional", 11, "11"),
        ("aiueo", 2, "ｲ"),
        ("aiueoFullWidth", 47, "ア"),
        ("irohaFullWidth", 3, "ハ"),
        ("decimalEnclosedCircle", 20, "⑳"),
        ("decimalEnclosedCircle", 21, "㉑"),
        ("decimalEnclosedCircle", 51, "51"),
        ("decimalEnclosedParen", 2, "⑵"),
        ("lowerRoman", 4, "iv"),
        ("lowerLetter", 27, "aa"),
        ("lowerLetter", 28, "bb"),
        ("ordinal", 22, "22nd"),
        ("bullet", 2, ""),
        ("none", 2, ""),
        ("arabicAbjad", 2, "2"),
    ],
)
def test_how_a_number_is_written(kind: str, value: int, written: str) -> None:
    assert format_number(value, kind) == written


@given(st.integers(0, 100_000), st.sampled_from(["decimalFullWidth", "japaneseCounting", "aiueo", "ideographDigital"]))
def test_every_number_is_written(value: int, kind: str) -> None:
    assert format_number(value, kind)


@given(st.lists(st.integers(0, 3), max_size=30))
def test_a_level_counts_its_paragraphs_since_the_last_outer_one_and_one_that_was_left_out(places: list[int]) -> None:
    numbering = list_of(*(level(at, f"%{at + 1}") for at in range(4)))
    expected = []
    for position, at in enumerate(places):
        since = next((back for back in range(position - 1, -1, -1) if places[back] < at), -1)
        below = places[since + 1 : position + 1]
        expected.append(str(below.count(at) + (below[0] != at)))
    assert items(numbering, *((1, at) for at in places)) == expected
