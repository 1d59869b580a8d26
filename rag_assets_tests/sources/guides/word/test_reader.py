"""Headings, titles, dates and what else a Word document is made of."""

import datetime
import io

import docx
import pytest

from rag_assets.sources.guides.document import Heading
from rag_assets.sources.guides.word import read_word
from rag_assets_tests.sources.guides.word.word_files import (
    HEADING_STYLES,
    cell,
    field,
    level,
    lines,
    lines_of,
    list_of,
    numbered,
    p,
    r,
    read,
    row,
    table,
    topics,
)


def style(style_id: str, name: str, properties: str = "", base: str = "", letters: str = "") -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return (
        f'<w:style w:type="paragraph" w:customStyle="1" w:styleId="{style_id}"><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{properties}</w:pPr><w:rPr>{letters}</w:rPr></w:style>"
    )


def test_headings_by_style_name_in_either_language_and_by_what_a_style_is_based_on() -> None:
    styles = HEADING_STYLES + style("a", "見出し ２") + style("b", "社内見出し", base="c") + style("c", "枠", base="3")
    body = p("旅費", style="1") + p("宿泊", style="a") + p("上限", style="b") + p("一泊につき", style="none")
    assert lines(body + p("日当", style="1"), styles=styles) == [
        "# 旅費",
        "## 宿泊",
        "### 上限",
        "一泊につき",
        "# 日当",
    ]


def test_outline_levels_make_headings_and_unmake_them() -> None:
    body = (
        p("前置き")
        + p("手続", properties='<w:outlineLvl w:val="1"/>')
        + p("見出しに見える文", style="1", properties='<w:outlineLvl w:val="9"/>')
    )
    assert lines(body) == ["前置き", "## 手続", "見出しに見える文"]
    assert lines(p("総則", style="2", properties='<w:outlineLvl w:val="²"/>')) == ["## 総則"]


def test_title_is_no_part_and_a_later_one_is_a_heading() -> None:
    styles = HEADING_STYLES + style("t", "表題") + style("s", "副題", base="t")
    body = p("出張の", style="t") + p("手引き", style="t") + p("第3版", style="s") + p("総則", style="2")
    document = read(body + p("付録", style="t"), styles=styles)
    assert document.title == "出張の　手引き"
    assert lines_of(document) == ["第3版", "## 総則", "# 付録"]


def test_the_only_outermost_heading_is_the_title_unless_it_is_numbered() -> None:
    assert read(p("手引き", style="1") + p("総則", style="2")).title == "手引き"
    assert lines(p("第１章　総則", style="1") + p("目的", style="2")) == ["# 第１章　総則", "## 目的"]
    assert lines(p("総則", style="1") + p("旅費", style="1")) == ["# 総則", "# 旅費"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("経費の手引き", "経費の手引き"),
        ("Microsoft Word - 手引き.doc", ""),
        ("手引き_最終.docx", ""),
        ("文書1", ""),
        ("", ""),
    ],
)
def test_title_of_the_properties_is_taken_where_a_person_wrote_it(given: str, taken: str) -> None:
    assert read(p("本文"), core=f"<dc:title>{given}</dc:title>").title == taken


def test_title_in_the_text_goes_before_that_of_the_properties() -> None:
    styles = style("t", "Title")
    assert read(p("表の題", style="t") + p("文"), styles=styles, core="<dc:title>別の題</dc:title>").title == "表の題"


def test_dates() -> None:
    core = "<dcterms:modified>2025-03-31T20:15:00Z</dcterms:modified>"
    body = p("令和7年4月1日", style="d") + p("総則", style="1") + p("2020年1月1日", style="d")
    document = read(body, styles=HEADING_STYLES + style("d", "Date"), core=core)
    assert document.modified_on == datetime.date(2025, 4, 1), "the day in Japan"
    assert document.dated == "令和7年4月1日"
    assert "2020年1月1日" in lines_of(document)
    assert read(p("文"), core="<dcterms:modified>きのう</dcterms:modified>").modified_on is None


def test_anchors_are_the_names_people_gave() -> None:
    mark = '<w:bookmarkStart w:id="{}" w:name="{}"/>'
    body = mark.format(1, "yado") + p("宿泊", style="1") + p(mark.format(2, "_Toc123"), "日当", style="1")
    headings = [part for part in read(body).parts if isinstance(part, Heading)]
    assert [heading.anchor for heading in headings] == ["yado", ""]


def test_table_of_contents_is_left_out_with_the_line_above_it_and_told() -> None:
    contents = (
        "<w:p>"
        + field("TOC \\o", "第１章　総則").removesuffix('<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + "</w:p>"
        + p("第２章　旅費", field("PAGEREF a", "3"))
        + '<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    in_frame = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        f"<w:sdtContent>{p('目次', style='1')}{p('旅費 3')}</w:sdtContent></w:sdt>"
    )
    for body in (p("目　次") + contents, in_frame, p("目次") + p("旅費　3", style="toc1")):
        styles = HEADING_STYLES + style("toc1", "toc 1")
        document = read(body + p("第１章　総則", style="1") + p("目的を定める。"), styles=styles)
        assert lines_of(document) == ["# 第１章　総則", "目的を定める。"]
        assert topics(document) == ["table of contents"]


def test_a_table_of_contents_typed_by_hand_is_left_out_and_a_single_line_of_dots_is_not() -> None:
    tab = '<w:tabs><w:tab w:val="right" w:leader="dot" w:pos="8000"/></w:tabs>'
    typed = [p(f"第{number}章　旅費………… {number}") for number in (1, 2)]
    drawn = p("第3章　雑則", "<w:r><w:tab/></w:r>", "12", properties=tab)
    body = p("総則", style="1") + p("文") + p("日当", style="1") + p("問い合わせ先………… 210")
    document = read(p("目　次") + "".join(typed) + drawn + body)
    assert lines_of(document) == ["# 総則", "文", "# 日当", "問い合わせ先………… 210"]
    assert "3 paragraphs" in document.findings[0].message


def test_a_field_that_never_ends_hides_nothing() -> None:
    body = p('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>', "前") + p("後")
    assert lines(body) == ["前", "後"]


def note(kind: str, note_id: int, *content: str) -> str:
    return f'<w:{kind} w:id="{note_id}">{"".join(map(p, content))}</w:{kind}>'


def test_notes_stand_once_behind_their_paragraph_with_their_mark() -> None:
    refer = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    body = (
        p("旅費", refer.format(4), style="1")
        + p("宿泊費", refer.format(2), "は実費とする。", '<w:r><w:endnoteReference w:id="2"/></w:r>')
        + table(row("区分", "額"), row(cell(p("一般", refer.format(3))), "九千円"))
        + p("日当", style="1")
    )
    separator = '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
    footnotes = (
        separator
        + note("footnote", 2, "朝食を", "除く。")
        + note("footnote", 3, "主任まで")
        + note("footnote", 4, "甲")
    )
    assert lines(body, footnotes=footnotes, endnotes=note("endnote", 2, "巻末")) == [
        "# 旅費",
        "※ （注1）甲",
        "宿泊費（注2）は実費とする。（注i）",
        "※ （注2）朝食を　除く。",
        "※ （注i）巻末",
        "| 区分 | 額",
        "| 一般（注3） | 九千円",
        "※ （注3）主任まで",
        "# 日当",
    ]


def test_a_note_with_a_mark_of_its_own_and_numbers_as_the_settings_say() -> None:
    own = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="1"/><w:t>＊</w:t></w:r>'
    body = p("甲", own) + p("乙", '<w:r><w:footnoteReference w:id="2"/></w:r>')
    settings = '<w:footnotePr><w:numFmt w:val="decimalFullWidth"/><w:numStart w:val="5"/></w:footnotePr>'
    footnotes = note("footnote", 1, "＊別に定める") + note("footnote", 2, "同じ")
    assert lines(body, footnotes=footnotes, settings=settings) == [
        "甲＊",
        "※ ＊別に定める",
        "乙（注５）",
        "※ （注５）同じ",
    ]


def text_box(inside: str) -> str:
    content = f"<w:txbxContent>{inside}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="1" name="箱"/>'
        f"<wps:txbx>{content}</wps:txbx></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )


def test_a_text_box_is_read_once_behind_its_paragraph() -> None:
    body = p("本文", text_box(p("箱の中") + table(row("甲", "乙"))), "の続き")
    assert lines(body) == ["本文の続き", "箱の中", "| 甲 | 乙"]


def test_words_of_a_diagram() -> None:
    body = p("流れ", '<w:r><w:drawing><dgm:relIds r:dm="r-diagramData"/></w:drawing></w:r>')
    data = "<a:p><a:r><a:t>申請</a:t></a:r></a:p><a:p/><a:p><a:r><a:t>承</a:t></a:r><a:r><a:t>認</a:t></a:r></a:p>"
    assert lines(body, diagramData=data) == ["流れ", "申請", "承認"]


def test_list_depth_counts_from_the_first_level_that_is_no_heading() -> None:
    levels = [level(0, "第%1章", "decimalFullWidth"), level(1, "第%2条"), level(2, "(%3)"), level(3, "", "bullet")]
    body = (
        p("総則", style="1", properties=numbered(1, 0))
        + p("目的", style="2", properties=numbered(1, 1))
        + p("甲", properties=numbered(1, 2))
        + p("乙", properties=numbered(1, 3))
        + p("旅費", style="1", properties=numbered(1, 0))
    )
    assert lines(body, numbering=list_of(*levels)) == [
        "# 第１章　総則",
        "## 第1条　目的",
        "- (1) 甲",
        "  - 乙",
        "# 第２章　旅費",
    ]


def test_a_document_of_python_docx() -> None:
    document = docx.Document()
    document.add_heading("経費の手引き", level=0)
    document.add_heading("交通費", level=1)
    document.add_paragraph("実費を払う。")
    document.add_paragraph("領収書", style="List Bullet")
    document.add_paragraph("定期券", style="List Number")
    document.add_heading("期限", level=2)
    document.add_paragraph("十日以内。")
    document.core_properties.modified = datetime.datetime(2024, 5, 1)
    out = io.BytesIO()
    document.save(out)
    found = read_word(out)
    assert (found.title, found.modified_on) == ("経費の手引き", datetime.date(2024, 5, 1))
    assert lines_of(found) == ["# 交通費", "実費を払う。", "- 領収書", "- 1. 定期券", "## 期限", "十日以内。"]
    assert found.findings == ()


def test_what_is_left_out_is_told_with_place_and_words() -> None:
    body = (
        p("旅費", style="1")
        + p(
            "表に出る", r("隠した文", "<w:vanish/>"), r("消した文", "<w:strike/>"), r("残す文", '<w:strike w:val="0"/>')
        )
        + p("注", '<w:r><w:commentReference w:id="1"/></w:r>')
        + "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
        + p("ここに入力")
        + "</w:sdtContent></w:sdt>"
        + p("日当", style="1")
    )
    document = read(body)
    assert lines_of(document) == ["# 旅費", "表に出る残す文", "注", "# 日当"]
    told = {finding.topic: finding for finding in document.findings}
    assert set(told) == {"hidden text", "struck text", "comment", "prompt"}
    assert (told["hidden text"].place, told["hidden text"].quote) == ("旅費", "隠した文")
    assert all(finding.kind == "note" for finding in document.findings)


def test_notes_that_a_list_marks() -> None:
    numbering = list_of(level(0, "※", "bullet")) + list_of(level(0, "（注%1）"), list_id=2)
    body = p("朝食を除く", properties=numbered(1)) + p("主任まで", properties=numbered(2))
    assert lines(body, numbering=numbering) == ["※ ※　朝食を除く", "※ （注1） 主任まで"]


def test_a_heading_of_nothing_but_a_note_mark_is_none() -> None:
    body = p('<w:r><w:footnoteReference w:id="1"/></w:r>', style="1") + p("旅費", style="2")
    assert lines(body, footnotes=note("footnote", 1, "甲")) == ["※ （注1）", "※ （注1）甲", "## 旅費"]


def test_inserted_files_are_told() -> None:
    document = read(p("一", style="1") + p("前。") + '<w:altChunk r:id="a"/>' + p("後。"))
    assert lines_of(document) == ["前。", "後。"]
    assert topics(document) == ["inserted file"]
