"""Headings of documents that have no heading styles."""

from rag_assets_tests.sources.guides.word.word_files import (
    level,
    lines,
    lines_of,
    list_of,
    numbered,
    p,
    r,
    read,
    topics,
)

BODY = p("この手引きは、出張する人が旅費を受け取るまでの流れと、守ることを定めたものである。")


def bold(text: str, properties: str = "") -> str:
    return p(r(text, "<w:b/>"), properties=properties)


def large(text: str, size: int) -> str:
    return p(r(text, f'<w:sz w:val="{size}"/>'))


def test_chapters_and_bold_numbers_and_that_it_is_told() -> None:
    body = (
        p("第１章　総則") + bold("第１条（目的）") + BODY + bold("(1) 対象") + BODY
        + p("第２章　旅費") + bold("第２条（宿泊）") + BODY + p("(2) 太くない項目") + p("附　則") + BODY
    )  # fmt: skip
    document = read(body)
    assert [line for line in lines_of(document) if line.startswith("#")] == [
        *("# 第１章　総則", "## 第１条（目的）", "### (1) 対象", "# 第２章　旅費", "## 第２条（宿泊）"),
        "# 附　則",
    ]
    assert "(2) 太くない項目" in lines_of(document)
    assert topics(document) == ["headings by looks"]
    assert "6" in document.findings[0].message


def test_rules_without_any_look_have_chapters_and_the_captions_of_articles() -> None:
    body = (
        p("第１章　総則") + p("（目的）") + p("第１条　この規程は、旅費について定める。") + p("（略称）") + BODY
        + p("第２章　旅費") + p("第２条（宿泊費）") + BODY + p("第３条　前条の額は、社長が定める。")
        + p("第４条の２　（特例）")
    )  # fmt: skip
    assert lines(body) == [
        "# 第１章　総則",
        "## （目的）",
        "第１条　この規程は、旅費について定める。",
        "（略称）",
        *lines(BODY + BODY)[:1],
        "# 第２章　旅費",
        "## 第２条（宿泊費）",
        *lines(BODY + BODY)[:1],
        "第３条　前条の額は、社長が定める。",
        "## 第４条の２　（特例）",
    ]


def test_bold_items_behind_bullets_and_texts_all_bold_have_no_headings_by_weight() -> None:
    items = p(r("大切な項目", "<w:b/>"), properties=numbered(1)) + BODY
    assert "- 大切な項目" in lines(items, numbering=list_of(level(0, "", "bullet")))
    assert not any(line.startswith("#") for line in lines(bold("短い行") + bold("長い行" * 20) + bold("別の短い行")))


def test_larger_letters_stand_above_smaller_ones_and_bold_lines_beside_numbers() -> None:
    body = large("はじめ方", 32) + BODY + bold("1. 申請") + BODY + bold("補足") + BODY + large("困ったとき", 32) + BODY
    assert [line for line in lines(BODY + body) if line.startswith("#")] == [
        *("# はじめ方", "## 1. 申請", "## 補足", "# 困ったとき"),
    ]


def test_letters_without_serifs_among_those_with() -> None:
    gothic, mincho = (f'<w:rFonts w:eastAsia="ＭＳ {name}"/>' for name in ("ゴシック", "明朝"))
    styles = f"<w:docDefaults><w:rPrDefault><w:rPr>{mincho}</w:rPr></w:rPrDefault></w:docDefaults>"
    body = BODY + p(r("１　宿泊費", gothic)) + BODY
    assert "# １　宿泊費" in lines(body, styles=styles)


def test_the_number_may_be_the_lists() -> None:
    numbering = list_of(level(0, "第%1章", "decimalFullWidth"))
    body = p("総則", properties=numbered(1)) + BODY + p("旅費", properties=numbered(1)) + BODY
    assert [line for line in lines(body, numbering=numbering) if line.startswith("#")] == [
        *("# 第１章　総則", "# 第２章　旅費"),
    ]


def test_a_large_first_line_is_the_title() -> None:
    document = read(large("出張の手引き", 40) + p("第１章　総則") + BODY)
    assert document.title == "出張の手引き"
    centered = bold("出張の手引き", properties='<w:jc w:val="center"/>')
    assert read(centered + BODY).title == "出張の手引き"
    assert read(BODY + BODY).title == ""


def test_sentences_and_long_lines_are_no_headings() -> None:
    body = bold("必ず事前に申請すること。") + bold("第３章で定める旅費は、") + bold("あ" * 60) + BODY
    assert [line for line in lines(body) if line.startswith("#")] == []


def test_one_heading_style_is_enough_to_trust_the_styles() -> None:
    body = p("総則", style="2") + bold("1. 太い行") + BODY
    document = read(body)
    assert [line for line in lines_of(document) if line.startswith("#")] == ["## 総則"]
    assert document.findings == ()
