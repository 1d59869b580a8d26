import datetime
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_assets.corpus.digits import with_digits
from rag_assets.corpus.headers import header
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.corpus.sidecars import sidecar_attributes, sidecar_faults
from rag_assets.model import Record, Table
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.fetching.documents import document_entry, fetch_document
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.fetching.web import WebOptions
from rag_assets.sources.law.law_ids import api_url, is_law_id
from rag_assets.sources.law.reader import read_document
from rag_assets.sources.law.source import LawDocument
from rag_assets_tests.http_server import Answer, serving

SHA256 = "ab" * 32


def _law(*parts: str, appended: str = "") -> str:
    """A law of these parts of its main provision, and of 附則 and 別表 behind it."""
    return (
        f'<Law Era="Reiwa" Lang="ja" LawType="Act" Num="3" Year="02"><LawNum>令和二年法律第三号</LawNum><LawBody>'
        f"<LawTitle>見本法</LawTitle><TOC><TOCLabel>目次</TOCLabel></TOC>"
        f"<MainProvision>{''.join(parts)}</MainProvision>{appended}</LawBody></Law>"
    )


def _article(num: str, name: str, *paragraphs: str, caption: str = "") -> str:
    head = f"<ArticleCaption>（{caption}）</ArticleCaption>" if caption else ""
    return f'<Article Num="{num}">{head}<ArticleTitle>{name}</ArticleTitle>{"".join(paragraphs)}</Article>'


def _paragraph(text: str, inside: str = "", number: str = "", attributes: str = 'Num="1"', caption: str = "") -> str:
    head = f"<ParagraphCaption>（{caption}）</ParagraphCaption>" if caption else ""
    return (
        f"<Paragraph {attributes}>{head}<ParagraphNum>{number}</ParagraphNum>"
        f"<ParagraphSentence><Sentence>{text}</Sentence></ParagraphSentence>{inside}</Paragraph>"
    )


def _chapter(title: str, *inside: str, tag: str = "Chapter") -> str:
    return f'<{tag} Num="1"><{tag}Title>{title}</{tag}Title>{"".join(inside)}</{tag}>'


def _row(*cells: str, tag: str = "TableColumn", attributes: str = "") -> str:
    """A row of a table, the attributes on its first cell."""
    columns = [f"<{tag}{'' if number else attributes}>{cell}</{tag}>" for number, cell in enumerate(cells)]
    row = tag.replace("Column", "Row")
    return f"<{row}>{''.join(columns)}</{row}>"


def _item(name: str, text: str, inside: str = "", tag: str = "Item") -> str:
    return f'<{tag} Num="1"><{tag}Title>{name}</{tag}Title><{tag}Sentence>{text}</{tag}Sentence>{inside}</{tag}>'


def _suppl(inside: str, attributes: str = "") -> str:
    return f"<SupplProvision{attributes}><SupplProvisionLabel>附　則</SupplProvisionLabel>{inside}</SupplProvision>"


SIMPLE = _law(_article("1", "第一条", _paragraph("この法律は、見本である。"), caption="目的"))


def _read(
    xml: str | bytes, *, url: str | None = None, location: str = "law.xml", **settings: Any
) -> tuple[dict[str, Record], list[Finding]]:
    data = xml.encode() if isinstance(xml, str) else xml
    document = LawDocument(key="sample", location=location, **settings)
    readings = list(read_document(io.BytesIO(data), document, sha256=SHA256, url=url))
    records = [reading for reading in readings if isinstance(reading, Record)]
    assert len({record.record_id for record in records}) == len(records)
    return {record.number: record for record in records}, [found for found in readings if isinstance(found, Finding)]


def _lines(inside: str) -> list[str]:
    """The text of the only paragraph of a law."""
    records, _ = _read(_law(_article("1", "第一条", _paragraph("次のとおり。", inside), caption="甲")))
    return record_text(records["1"]).split("\n")[1:]


def test_an_article_is_a_record() -> None:
    article = _article("36", "第三十六条", _paragraph("働く時間は、定める。"), caption="時間")
    chapter = _chapter("第一編　総則", _chapter("第一章　通則", article), tag="Part")
    records, _ = _read(_law(chapter))
    record = records["36"]
    assert record.record_id == "law/sample/36"
    assert (record.document, record.label, record.title) == ("見本法", "第三十六条", "時間")
    assert record.chapter == ("第一編　総則", "第一章　通則")
    assert record.origin_sha256 == SHA256
    assert record.attributes == {
        "law_num": "令和二年法律第三号",
        "law_type": "Act",
        "supplementary": False,
        "article": 36,
    }
    assert record_text(record) == "働く時間は、定める。"


def test_branch_numbers_and_numbers_read_from_the_name() -> None:
    records, _ = _read(
        _law(
            _article("32_3_2", "第三十二条の三の二", _paragraph("甲。"), caption="甲"),
            _article("", "第百四条の二", _paragraph("乙。")),
        )
    )
    assert list(records) == ["32-3-2", "104-2"]
    assert records["32-3-2"].attributes["article"] == 32


def test_article_without_any_number_is_a_fault() -> None:
    records, findings = _read(_law(_article("1", "第一条", _paragraph("甲。")), _article("", "条", _paragraph("乙。"))))
    assert list(records) == ["1"]
    assert [(found.kind, found.topic, found.place) for found in findings if found.kind == "fault"] == [
        ("fault", "article without number", "条")
    ]


def test_caption_is_shared_with_the_articles_behind_it_but_not_with_the_next_chapter() -> None:
    captioned = _article("1", "第一条", _paragraph("甲。"), caption="定義")
    first = _chapter("第一章　総則", captioned, _article("2", "第二条", _paragraph("乙。")))
    second = _chapter("第二章　罰則", _article("3", "第三条", _paragraph("丙。")))
    records, _ = _read(_law(first, second))
    assert [record.title for record in records.values()] == ["定義", "定義", "罰則"]


_GONE = {
    "deleted": _article("2", "第二条", _paragraph("削除")),
    "a range deleted": _article("2:8", "第二条から第八条まで", _paragraph("削除")),
    "marked as deleted": _article("2", "第二条", _paragraph("乙。")).replace("<Article ", '<Article Delete="true" '),
    "deleted with a caption": _article("2", "第二条", _paragraph("削除"), caption="古いこと"),
    "hidden": _article("2", "第二条", _paragraph("乙。")).replace("<Article ", '<Article Hide="true" '),
    "a chapter deleted": _chapter("第二節　削除", tag="Section"),
    "a chapter": _chapter("第二節　乙", _article("2", "第二条", _paragraph("乙。")), tag="Section"),
}


@pytest.mark.parametrize("between", _GONE)
def test_a_shared_caption_does_not_reach_across_what_is_gone(between: str) -> None:
    captioned = _article("1", "第一条", _paragraph("甲。"), caption="定義")
    behind = _article("9", "第九条", _paragraph("丙。")), _article("10", "第十条", _paragraph("丁。"))
    records, _ = _read(_law(_chapter("第一章　総則", captioned, _GONE[between], *behind)))
    assert [records[number].title for number in ("1", "9", "10")] == ["定義", "総則", "総則"]


def test_article_without_caption_and_chapter_goes_by_the_law() -> None:
    records, _ = _read(_law(_article("1", "第一条", _paragraph("甲。"))))
    assert records["1"].title == "見本法"


def test_only_the_outer_brackets_of_a_caption_go() -> None:
    texts = ("通則（総則を除く。）", "甲）及び（乙")
    records, _ = _read(
        _law(
            *(_article(str(number), "第一条", _paragraph("甲。"), caption=text) for number, text in enumerate(texts, 1))
        )
    )
    assert [record.title for record in records.values()] == ["通則（総則を除く。）", "（甲）及び（乙）"]


@pytest.mark.parametrize(
    "deleted",
    [
        _article("2", "第二条", _paragraph("削除")),
        _article("38:84", "第三十八条から第八十四条まで", _paragraph("削除")),
        _article("2", "第二条", _paragraph("かつての文。")).replace("<Article ", '<Article Delete="true" '),
        _article("2", "第二条", _paragraph("（削　除）")),
    ],
)
def test_deleted_articles_are_left_out_and_counted(deleted: str) -> None:
    records, findings = _read(_law(_article("1", "第一条", _paragraph("甲。")), deleted), as_of="令和2年4月1日")
    assert list(records) == ["1"]
    assert [(found.kind, found.topic) for found in findings] == [("note", "deleted article")]
    assert findings[0].place == re.findall("<ArticleTitle>(.*?)<", deleted)[0]


def test_an_article_about_deletion_is_no_deleted_article() -> None:
    records, _ = _read(_law(_article("1", "第一条", _paragraph("記録の削除は、求めることができる。"))))
    assert list(records) == ["1"]


def test_deleted_chapter_without_articles_is_noted() -> None:
    article = _article("1", "第一条", _paragraph("甲。"))
    _, findings = _read(_law(_chapter("第一章　甲", article), _chapter("第二章　削除")))
    assert ("deleted chapter", "第二章　削除") in [(found.topic, found.place) for found in findings]


def test_paragraphs_and_items_keep_numbers_and_nesting() -> None:
    third = _item("（１）", "<Sentence>小さなもの</Sentence>", tag="Subitem2")
    second = _item("イ", "<Sentence>細かなもの</Sentence>", third, tag="Subitem1")
    items = _item(
        "一", "<Column><Sentence>用語</Sentence></Column><Column><Sentence>その意義</Sentence></Column>", second
    )
    records, _ = _read(
        _law(
            _article(
                "1",
                "第一条",
                _paragraph("次の各号のとおりとする。", items),
                _paragraph("前項の規定は、準用する。", number="２", attributes='Num="2"'),
                caption="甲",
            )
        )
    )
    assert record_text(records["1"]).split("\n") == [
        "次の各号のとおりとする。",
        "　一　用語　その意義",
        "　　イ　細かなもの",
        "　　　（１）　小さなもの",
        "２　前項の規定は、準用する。",
    ]
    assert len(records["1"].sections) == 2


def test_sentences_of_a_paragraph_are_joined() -> None:
    records, _ = _read(
        _law(_article("1", "第一条", _paragraph('本文。</Sentence><Sentence Function="proviso">ただし、例外。')))
    )
    assert record_text(records["1"]) == "本文。ただし、例外。"


def test_paragraphs_that_print_no_number_are_numbered_and_counted() -> None:
    records, findings = _read(
        _law(
            _article(
                "9",
                "第九条",
                _paragraph("前段。", attributes='Num="1" OldNum="true"'),
                _paragraph("後段。", attributes='Num="2" OldNum="true"'),
            )
        )
    )
    assert record_text(records["9"]).split("\n") == ["前段。", "②　後段。"]
    assert [found.place for found in findings if found.topic == "unprinted paragraph number"] == ["第九条"]


def test_paragraph_captions_are_headings_that_hold_until_the_next() -> None:
    paragraphs = (
        _paragraph("公布の日から施行する。", number="１", caption="施行期日"),
        _paragraph("従前の例による。", number="２", caption="経過措置"),
        _paragraph("政令で定める。", number="３"),
    )
    records, _ = _read(SIMPLE.replace("</MainProvision>", "</MainProvision>" + _suppl("".join(paragraphs))))
    record = records["suppl"]
    assert (record.label, record.title, record.chapter) == ("附則", "施行期日", ())
    assert [section.headings for section in record.sections] == [(), ("経過措置",)]
    assert record_text(record).split("\n") == [
        "１　公布の日から施行する。",
        "【経過措置】",
        "２　従前の例による。",
        "３　政令で定める。",
    ]


def test_words_inside_a_sentence() -> None:
    records, findings = _read(
        _law(
            _article(
                "1",
                "第一条",
                _paragraph("<Ruby>瑕疵<Rt>かし</Rt></Ruby>ある面積十<Sup>２</Sup>、Ｃ<Sub>６</Sub>、ａ<Sup>ｘ</Sup>"),
                _paragraph("<ArithFormula><Fig src='a.jpg'/></ArithFormula>による。<!-- 注 -->", number="２"),
            )
        )
    )
    assert record_text(records["1"]).split("\n") == [
        "瑕疵ある面積十²、Ｃ₆、ａ^(ｘ)",
        "２　（図：元の法令を参照）による。",
    ]
    assert [found.place for found in findings if found.topic == "figure"] == ["第一条"]


def test_line_breaks_in_the_xml_are_no_text() -> None:
    records, _ = _read(_law(_article("1", "第一条", _paragraph("\n   働く時間は、\n   定める。\n"))))
    assert record_text(records["1"]) == "働く時間は、定める。"


def test_tables_are_tables() -> None:
    table = (
        "<TableStruct><TableStructTitle>年数の表</TableStructTitle><Table>"
        + _row("区分", "年数", tag="TableHeaderColumn")
        + _row("<Sentence>甲種</Sentence>", "<Sentence>一年</Sentence>", attributes=' rowspan="2"')
        + _row("<Sentence>二年</Sentence><Sentence>（特例）</Sentence>")
        + _row(_item("一", "<Sentence>その他</Sentence>"), attributes=' colspan="2"')
        + "</Table><Remarks><RemarksLabel>備考</RemarksLabel><Sentence>暦による。</Sentence></Remarks></TableStruct>"
    )
    assert _lines(table) == [
        "（表）年数の表",
        "区分：甲種｜年数：一年",
        "区分：甲種｜年数：二年（特例）",
        "区分：一　その他｜年数：一　その他",
        "　備考　暦による。",
    ]


def test_cells_stand_at_their_resolved_positions() -> None:
    first = _row("<Sentence>甲</Sentence>", "<Sentence>乙</Sentence>", attributes=' rowspan="9"')
    table = f"<TableStruct><Table>{first}{_row('<Sentence>丙</Sentence>')}</Table></TableStruct>"
    records, _ = _read(_law(_article("1", "第一条", _paragraph("次の表。", table))))
    found = next(block for block in records["1"].sections[0].blocks if isinstance(block, Table))
    # A rowspan beyond the table ends with it.
    assert [(cell.text, cell.row, cell.column, cell.row_span) for cell in found.cells] == [
        ("甲", 0, 0, 2),
        ("乙", 0, 1, 1),
        ("丙", 1, 1, 1),
    ]


def test_lists_quotations_and_unknown_elements_keep_their_words() -> None:
    inside = "<Sublist1><Sublist1Sentence><Sentence>細目</Sentence></Sublist1Sentence></Sublist1>"
    listed = f"<List><ListSentence><Sentence>列記</Sentence></ListSentence>{inside}</List>"
    assert _lines(listed) == ["　列記", "　　細目"]
    adding = "<AmendProvisionSentence><Sentence>次の一条を加える。</Sentence></AmendProvisionSentence>"
    added = f"<NewProvision>{_article('5', '第五条', _paragraph('新しい文。'), caption='新設')}</NewProvision>"
    assert _lines(f"<AmendProvision>{adding}{added}</AmendProvision>") == [
        "　次の一条を加える。",
        "　（新設）",
        "　第五条",
        "　　新しい文。",
    ]
    assert _lines("<Novelty><Sentence>知らない要素の文。</Sentence></Novelty>") == ["　知らない要素の文。"]


_AMENDING = ' AmendLawNum="令和三年五月一九日法律第三七号"'


def test_supplementary_provisions_are_scoped_by_the_law_that_brought_them() -> None:
    article = _article("1", "第一条", _paragraph("公布の日から施行する。"), caption="施行期日")
    records, _ = _read(
        SIMPLE.replace(
            "</MainProvision>",
            "</MainProvision>"
            + _suppl(article)
            + _suppl(article, f'{_AMENDING} Extract="true"')
            + _suppl(article, _AMENDING)
            + _suppl(_paragraph("公布の日から施行する。"), ' AmendLawNum="令和元年六月一日政令第二号"')
            + _suppl(article, ' AmendLawNum="某年某月の法律"'),
        )
    )
    numbers = list(records)
    assert numbers[:5] == ["1", "suppl-1", "suppl-20210519-37-1", "suppl-20210519-37.2-1", "suppl-20190601-2"]
    assert re.fullmatch("suppl-x[0-9a-f]{8}-1", numbers[5])
    first, amending = records["suppl-1"], records["suppl-20210519-37-1"]
    assert (first.label, first.chapter, first.attributes["supplementary"]) == ("附則第一条", (), True)
    assert (amending.label, amending.chapter) == ("附則第一条", ("附則（令和三年五月一九日法律第三七号）抄",))
    assert amending.attributes["amending_law"] == "令和三年五月一九日法律第三七号"
    assert records["suppl-20190601-2"].title == "令和元年六月一日政令第二号"


@pytest.mark.parametrize(
    ("wanted", "numbers", "left_out"),
    [
        ("all", ["1", "suppl-1", "suppl-20210519-37-1"], 0),
        ("original", ["1", "suppl-1"], 1),
        ("none", ["1"], 2),
    ],
)
def test_which_supplementary_provisions_are_read_is_a_setting(wanted: str, numbers: list[str], left_out: int) -> None:
    article = _article("1", "第一条", _paragraph("公布の日から施行する。"))
    xml = _law(article, appended=_suppl(article) + _suppl(article, _AMENDING))
    records, findings = _read(xml, supplementary=wanted)
    assert list(records) == numbers
    told = [found.message for found in findings if found.topic == "附則 left out"]
    assert [message.split()[0] for message in told] == ([str(left_out)] if left_out else [])


def _appended_table(name: str) -> str:
    row = _row("<Sentence>手数料</Sentence>", "<Sentence>千円</Sentence>")
    return (
        f"<AppdxTable><AppdxTableTitle>{name}</AppdxTableTitle><RelatedArticleNum>（第一条関係）</RelatedArticleNum>"
        f"<TableStruct><Table>{row}</Table></TableStruct></AppdxTable>"
    )


def test_appended_tables_are_records() -> None:
    form = "<StyleStruct><Style><Fig src='a.pdf'/></Style></StyleStruct>"
    style = f"<AppdxStyle><AppdxStyleTitle>様式第一号</AppdxStyleTitle>{form}</AppdxStyle>"
    appended = _appended_table("別表第一　手数料") + _appended_table("別表第一の二") + _appended_table("別表") + style
    records, findings = _read(_law(_article("1", "第一条", _paragraph("甲。")), appended=appended))
    assert list(records) == ["1", "table-1", "table-1-2", "table"]
    assert [(record.label, record.title) for record in list(records.values())[1:]] == [
        ("別表第一", "手数料"),
        ("別表第一の二", "第一条関係"),
        ("別表", "第一条関係"),
    ]
    assert record_text(records["table"]) == "手数料｜千円"
    assert "article" not in records["table-1"].attributes
    assert [found.place for found in findings if found.topic == "no words"] == ["様式第一号"]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("別表第１", "table-1"),
        ("別表第１の２", "table-1-2"),
        ("別表第12の3　料金", "table-12-3"),
        ("別表第十二", "table-12"),
    ],
)
def test_an_appended_table_has_the_number_of_its_name_in_any_figures(name: str, number: str) -> None:
    records, _ = _read(_law(_article("1", "第一条", _paragraph("甲。")), appended=_appended_table(name)))
    assert list(records) == ["1", number]


def _without_content(element: str, name: str, related: str = "", inside: str = "") -> str:
    head = f"<RelatedArticleNum>{related}</RelatedArticleNum>" if related else ""
    return f"<{element}><{element}Title>{name}</{element}Title>{head}{inside}</{element}>"


@pytest.mark.parametrize(
    ("appended", "place"),
    [
        (_without_content("AppdxTable", "別表第一　削除"), "別表第一"),
        (_without_content("AppdxTable", "別表第二から別表第四まで　削　除"), "別表第二から別表第四まで"),
        (_without_content("AppdxTable", "別表第一（第二条関係）　削除"), "別表第一"),
        (_without_content("AppdxTable", "別表第一削除"), "別表第一削除"),
        (_without_content("AppdxStyle", "様式第三号（削除）"), "様式第三号（削除）"),
        (_without_content("AppdxTable", "別表", related="削除"), "別表"),
        (_without_content("AppdxNote", "別記", inside="<NoteStruct><Note>削除</Note></NoteStruct>"), "別記"),
        (
            _without_content("AppdxFormat", "書式第一", inside="<Remarks><Sentence>削除</Sentence></Remarks>"),
            "書式第一",
        ),
        (_without_content("AppdxTable", "別表第五").replace("<AppdxTable>", '<AppdxTable Delete="true">'), "別表第五"),
    ],
)
def test_deleted_appendices_are_told_as_deleted(appended: str, place: str) -> None:
    records, findings = _read(
        _law(_article("1", "第一条", _paragraph("甲。")), appended=appended), as_of="令和2年4月1日"
    )
    assert list(records) == ["1"]
    assert [(found.kind, found.topic, found.place) for found in findings] == [("note", "deleted appendix", place)]


def test_deleted_appendices_and_paragraphs_of_supplementary_provisions_are_told_as_deleted() -> None:
    table = _without_content("SupplProvisionAppdxTable", "附則別表第一　削除")
    appended = _suppl(_paragraph("この法律は、公布の日から施行する。") + table) + _suppl(
        _paragraph("削除", number="１") + _paragraph("削除", number="２", attributes='Num="2"'),
        ' AmendLawNum="令和三年五月六日法律第七号"',
    )
    records, findings = _read(
        _law(_article("1", "第一条", _paragraph("甲。")), appended=appended), as_of="令和2年4月1日"
    )
    assert list(records) == ["1", "suppl"]
    assert [(found.topic, found.place) for found in findings] == [
        ("deleted appendix", "附則別表第一"),
        ("deleted provision", "附則（令和三年五月六日法律第七号）"),
    ]


def test_an_appendix_about_deletion_is_not_deleted() -> None:
    appended = _appended_table("別表第一　記録の削除") + _appended_table("別表第二　削除")
    records, _ = _read(_law(_article("1", "第一条", _paragraph("甲。")), appended=appended))
    assert [record.title for record in records.values()][1:] == ["記録の削除", "削除"]


@pytest.mark.parametrize(
    ("name", "related", "label", "title"),
    [
        ("別表第一", "（第二条関係）", "別表第一", "第二条関係"),
        ("別表第一", "見本の寸法（第二条、第三条関係）", "別表第一", "見本の寸法（第二条、第三条関係）"),
        ("別表第一", "（第二条関係）（第五条関係）", "別表第一", "（第二条関係）（第五条関係）"),
        (
            "別表第一",
            "第二条（第三条において準用する場合を含む。）関係",
            "別表第一",
            "第二条（第三条において準用する場合を含む。）関係",
        ),
        (
            "別表第四（第五条第一号（第六条で準用する場合を含む。）関係）",
            "",
            "別表第四",
            "第五条第一号（第六条で準用する場合を含む。）関係",
        ),
        ("別表第一", "〔第二条関係〕", "別表第一", "〔第二条関係〕"),
        ("別表第一", "(第二条関係)", "別表第一", "第二条関係"),
        ("別表第一（第二条関係）", "", "別表第一", "第二条関係"),
        ("別表第一（第二条関係）　手数料（消費税を除く。）", "", "別表第一", "手数料（消費税を除く。）"),
        ("別表第一　幅（大）と長さ（小）（第二条関係）", "", "別表第一", "幅（大）と長さ（小）"),
        ("別表（甲）", "（第二条関係）", "別表（甲）", "第二条関係"),
    ],
)
def test_brackets_in_names_of_appendices_are_whole(name: str, related: str, label: str, title: str) -> None:
    table = f"<TableStruct><Table>{_row('<Sentence>大</Sentence>', '<Sentence>一尺</Sentence>')}</Table></TableStruct>"
    appended = _without_content("AppdxTable", name, related=related, inside=table)
    records, _ = _read(_law(_article("1", "第一条", _paragraph("甲。")), appended=appended))
    record = list(records.values())[1]
    assert (record.label, record.title) == (label, title)


def test_cells_that_no_line_parts_are_one() -> None:
    def cell(text: str, top: str, bottom: str) -> str:
        return (
            f'<TableColumn BorderTop="{top}" BorderBottom="{bottom}" BorderLeft="solid" BorderRight="solid">'
            f"<Sentence>{text}</Sentence></TableColumn>"
        )

    table = (
        f"<TableStruct><Table><TableRow>{cell('甲種', 'solid', 'none')}{cell('一年', 'solid', 'solid')}</TableRow>"
        f"<TableRow>{cell('（特例）', 'none', 'none')}{cell('二年', 'solid', 'solid')}</TableRow>"
        f"<TableRow>{cell('乙種', 'none', 'solid')}{cell('三年', 'solid', 'solid')}</TableRow></Table></TableStruct>"
    )
    assert _lines(table) == [f"甲種（特例）　乙種｜{years}" for years in ("一年", "二年", "三年")]


def test_appended_tables_can_be_left_out() -> None:
    records, findings = _read(
        _law(_article("1", "第一条", _paragraph("甲。")), appended=_appended_table("別表")), appended=False
    )
    assert list(records) == ["1"]
    assert [found.place for found in findings if found.topic == "別表 left out"] == ["別表"]


def test_preamble_and_enacting_words_are_records() -> None:
    opening = f"<EnactStatement>ここに制定する。</EnactStatement><Preamble>{_paragraph('われらは、誓う。')}</Preamble>"
    records, _ = _read(SIMPLE.replace("<MainProvision>", opening + "<MainProvision>"))
    assert {number: record_text(record) for number, record in records.items() if number != "1"} == {
        "preamble": "われらは、誓う。",
        "enactment": "ここに制定する。",
    }
    assert records["preamble"].title == "見本法の前文"


def test_a_law_of_paragraphs_only_is_one_record() -> None:
    records, _ = _read(_law(_paragraph("火の用心。"), _paragraph("水の用心。", number="２")))
    assert {number: (record.label, record_text(record)) for number, record in records.items()} == {
        "main": ("本則", "火の用心。\n２　水の用心。")
    }


def test_a_number_that_comes_twice_gets_its_count() -> None:
    records, findings = _read(_law(*(_article("1", "第一条", _paragraph(text)) for text in ("甲。", "乙。"))))
    assert {number: record_text(record) for number, record in records.items()} == {"1": "甲。", "1.2": "乙。"}
    assert [found.kind for found in findings if found.topic == "duplicate ID"] == ["note"]


def _version_2(law: str, more: str = "") -> str:
    return (
        "<?xml version='1.0' encoding='UTF-8'?><law_data_response>"
        "<law_info><law_id>502AC0000000003</law_id></law_info><revision_info>"
        f"<amendment_enforcement_date>2020-05-01</amendment_enforcement_date>{more}</revision_info>"
        f"<law_full_text>{law}</law_full_text></law_data_response>"
    )


def _version_1(law: str) -> str:
    return (
        "<DataRoot><Result><Code>0</Code><Message/></Result><ApplData><LawId>502AC0000000003</LawId>"
        f"<LawFullText>{law}</LawFullText></ApplData></DataRoot>"
    )


FILE_NAME = "laws/502AC0000000003_20200501_503AC0000000037.xml"


@pytest.mark.parametrize(
    ("xml", "location"),
    [
        (_version_2(SIMPLE), "502AC0000000003"),
        (_version_1(SIMPLE), FILE_NAME),
        (SIMPLE, FILE_NAME),
        (SIMPLE.replace("<Law ", '<Law LawId="502AC0000000003" EnforcementDate="2020/05/01" '), "law.xml"),
    ],
)
def test_law_id_and_enforcement_date_come_from_response_or_file_name(xml: str, location: str) -> None:
    records, findings = _read(xml, location=location)
    as_of = records["1"].as_of
    assert as_of is not None
    assert (as_of.label, as_of.date) == ("令和2年5月1日施行", datetime.date(2020, 5, 1))
    assert records["1"].attributes["law_id"] == "502AC0000000003"
    assert findings == []


@pytest.mark.parametrize(
    ("day", "label"),
    [
        ("20190501", "令和元年5月1日施行"),
        ("20190430", "平成31年4月30日施行"),
        ("19470901", "昭和22年9月1日施行"),
        ("18670101", "1867年1月1日施行"),
    ],
)
def test_enforcement_date_is_told_in_japanese_years(day: str, label: str) -> None:
    records, _ = _read(SIMPLE, location=FILE_NAME.replace("20200501", day))
    assert records["1"].as_of is not None
    assert records["1"].as_of.label == label


def test_settings_come_before_what_the_document_says() -> None:
    records, _ = _read(
        _version_2(SIMPLE), document="わが社の法", as_of="令和3年1月1日現在", link="https://example.jp/law"
    )
    record = records["1"]
    assert record.as_of is not None
    assert (record.document, record.as_of.label, record.url) == (
        "わが社の法",
        "令和3年1月1日現在",
        "https://example.jp/law",
    )


def test_a_law_without_a_date_says_so() -> None:
    records, findings = _read(SIMPLE)
    assert records["1"].as_of is None
    assert [(found.kind, found.topic) for found in findings] == [("note", "no enforcement date")]


def test_an_edition_that_is_not_in_force_is_noted() -> None:
    _, findings = _read(_version_2(SIMPLE, "<repeal_status>Repeal</repeal_status>"))
    assert [(found.topic, "Repeal" in found.message) for found in findings] == [("not in force", True)]
    _, findings = _read(_version_2(SIMPLE, "<repeal_status>None</repeal_status>"))
    assert findings == []


def test_readers_are_sent_to_the_page_not_to_the_api() -> None:
    fetched = api_url("502AC0000000003", "https://laws.example.jp")
    records, _ = _read(_version_2(SIMPLE), url=fetched)
    assert records["1"].url == "https://laws.example.jp/law/502AC0000000003"
    records, _ = _read(SIMPLE, url="https://example.jp/files/law.xml")
    assert records["1"].url == "https://example.jp/files/law.xml"
    assert _read(SIMPLE)[0]["1"].url is None


_BOMB = '<!DOCTYPE Law [<!ENTITY a "長い文"><!ENTITY b "&a;&a;&a;">]>'
_FILE_ENTITY = '<!DOCTYPE Law [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "empty"),
        ("<!DOCTYPE html><html><body><p>混雑しています<br></body></html>", "web page.*HTML.*laws.e-gov.go.jp"),
        ("<html><body><p>お知らせ</p></body></html>", "web page.*HTML.*laws.e-gov.go.jp"),
        ('{"code": "404001"}', "JSON.*response_format=xml"),
        ("PK\x03\x04law.xml", "ZIP archive.*unpack.*--csv-rows"),
        ("%PDF-1.7\n%\x00\x01", "a PDF.*--work-rules.*--invoice-qa"),
        ("\n<!-- -->%PDF-1.4", "a PDF"),
        ("番号,件名\n1,鍋\n", "a table.*--csv-rows"),
        ("番号\t件名\n1\t鍋\n", "a table.*--csv-rows"),
        ("第一条　文。\n", "plain text"),
        ("\x7fELF\0\0", "another kind"),
        (SIMPLE[:300], "not well-formed"),
        ("<feed><entry/></feed>", "no Law element"),
        (
            "<DataRoot><Result><Code>1</Code><Message>該当なし</Message></Result></DataRoot>",
            "error instead of a law: 1 該当なし",
        ),
        ("<error><code>404001</code><message>not found</message></error>", "404001 not found"),
        ("<Law><LawNum>令和二年法律第三号</LawNum></Law>", "LawBody"),
        (_law(), "no article"),
        (_law(_article("1", "第一条", _paragraph("削除"))), "no article"),
        (_BOMB + SIMPLE.replace("見本である", "&b;"), "entities"),
        (_BOMB + SIMPLE.replace('Num="1"', 'Num="&b;"'), "entities"),
        (_FILE_ENTITY + SIMPLE.replace("見本である", "&a;"), "entities"),
        ('<!DOCTYPE Law SYSTEM "law.dtd">' + SIMPLE.replace("見本である", "&a;"), "entities"),
        ("<a>" * 5000, "not well-formed"),
    ],
)
def test_what_is_no_law_is_refused_with_a_remedy(data: str, words: str) -> None:
    with pytest.raises(DocumentError, match=words) as error:
        _read(data)
    assert "(<string>" not in str(error.value)


def test_the_name_of_the_kept_bytes_is_not_told(tmp_path: Path) -> None:
    kept = tmp_path / ("ab" * 32)
    for content in (SIMPLE[:300], "第一条　文。"):
        kept.write_text(content, encoding="utf-8")
        with kept.open("rb") as file, pytest.raises(DocumentError) as error:
            list(read_document(file, LawDocument(key="sample", location="law.xml"), sha256=SHA256))
        assert "abab" not in str(error.value)


def test_encodings_and_namespaces() -> None:
    declared = f"<?xml version='1.0' encoding='Shift_JIS'?>{SIMPLE}"
    assert _read(declared.encode("cp932"))[0]["1"].document == "見本法"
    assert _read(b"\xef\xbb\xbf" + SIMPLE.encode())[0]["1"].document == "見本法"
    spaced = SIMPLE.replace("<Law ", '<Law xmlns="https://example.jp/law" ')
    assert _read(spaced)[0]["1"].title == "目的"


def test_law_ids() -> None:
    assert all(
        map(
            is_law_id,
            ("405AC0000000088", "321CONSTITUTION", "413M60000080001", "405AC0000000088_20180401_429AC0000000004"),
        )
    )
    assert not any(
        map(is_law_id, ("", "law.xml", "405AC0000000088.xml", "905AC0000000088", "https://example.jp/405AC0000000088"))
    )


def test_api_url() -> None:
    assert (
        api_url("405AC0000000088")
        == "https://laws.e-gov.go.jp/api/2/law_data/405AC0000000088?response_format=xml&law_full_text_format=xml"
    )
    assert api_url("a/b", "http://127.0.0.1:8000/").startswith("http://127.0.0.1:8000/api/2/law_data/a%2Fb?")


@pytest.mark.parametrize("base", ["", "laws.e-gov.go.jp", "ftp://laws.example.jp", "https://", "https://a.example/?x"])
def test_an_api_that_is_no_address_is_refused(base: str) -> None:
    with pytest.raises(ValidationError, match="api"):
        LawDocument(key="sample", location="502AC0000000003", api=base)


def test_a_law_is_fetched_and_read_by_its_law_id(tmp_path: Path) -> None:
    law_id = "502AC0000000003"
    with serving() as server:
        settings = LawDocument(key="sample", location=law_id, api=server.url)
        address = api_url(settings.location, settings.api)
        path = address.removeprefix(server.url)
        server.on(path, Answer(body=_version_2(SIMPLE).encode(), headers={"Content-Type": "application/xml"}))
        fetched = fetch_document(address, settings.key, tmp_path, WebOptions(interval_seconds=0, attempts=1))
        assert (fetched.outcome, fetched.error) == ("fetched", "")
        assert server.count(path) == 1
    entry = document_entry(settings.key, tmp_path)
    assert entry is not None
    assert entry.sha256 is not None
    with FetchedObjects(tmp_path).open(entry.sha256) as file:
        (record,) = read_document(file, settings, sha256=entry.sha256, url=entry.url)
    assert isinstance(record, Record)
    assert record_text(record) == "この法律は、見本である。"
    assert (record.url, record.origin_sha256) == (f"{server.url}/law/{law_id}", entry.sha256)
    assert record.as_of is not None
    assert record.as_of.label == "令和2年5月1日施行"


def test_what_the_api_answers_instead_of_a_law_is_told(tmp_path: Path) -> None:
    with serving() as server:
        address = api_url("502AC0000000003", server.url)
        error = Answer(status=404, body=b"<error><code>404001</code><message>not found</message></error>")
        server.on(address.removeprefix(server.url), error)
        fetched = fetch_document(address, "sample", tmp_path, WebOptions(interval_seconds=0, attempts=1))
    assert fetched.outcome == "failed"
    assert "404" in fetched.error
    assert address.partition("?")[0] in fetched.error


_LEVELS = ("Item", "Subitem1", "Subitem2", "Subitem3")


@st.composite
def _nested(draw: st.DrawFn, level: int = 0) -> str:
    """Items with items below them, every text with its own number."""
    inside = "".join(draw(st.lists(_nested(level + 1), max_size=2))) if level + 1 < len(_LEVELS) else ""
    return _item(draw(st.sampled_from("一二イロ")), "<Sentence>@</Sentence>", inside, tag=_LEVELS[level])


@given(st.lists(st.lists(_nested(), max_size=3).map("".join), min_size=1, max_size=4))
def test_no_word_is_lost_doubled_or_moved(paragraphs: list[str]) -> None:
    article = _article("1", "第一条", *(_paragraph("@", items) for items in paragraphs), caption="甲")
    counted = iter(range(1000))
    records, _ = _read(re.sub("@", lambda _: f"文{next(counted)}。", _law(article)))
    found = [int(number) for number in re.findall("文([0-9]+)。", plain_text(records["1"]))]
    assert found == list(range(next(counted)))


def _real(path: Path) -> tuple[dict[str, Record], list[Finding], str]:
    records, findings = _read(path.read_bytes(), location=str(path))
    return records, findings, path.read_text(encoding="utf-8")


def _main(xml: str) -> str:
    found = re.search("<MainProvision>.*</MainProvision>", xml, re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.realdata
def test_every_article_of_a_real_law(realdata: Path) -> None:
    records, _, xml = _real(next((realdata / "law").glob("405AC*.xml")))
    main = {number: record for number, record in records.items() if not record.attributes["supplementary"]}
    numbers = re.findall(r'<Article [^>]*Num="([^"]+)"', _main(xml))
    assert [number.replace("_", "-") for number in numbers] == list(main)
    # The last 附則 articles count too: every Article element is a record, and 附則 of paragraphs only are one each.
    without_articles = sum(
        "<Article " not in part for part in re.findall("<SupplProvision[ >].*?</SupplProvision>", xml)
    )
    assert len(records) == len(re.findall("<Article ", xml)) + without_articles
    assert {record.as_of.label for record in records.values() if record.as_of} == {"平成30年4月1日施行"}
    said = re.sub(r"\s", "", "".join(map(plain_text, records.values())))
    sentences = re.findall("<Sentence[^>]*>([^<]+)</Sentence>", xml)
    assert len(sentences) > 250
    assert [sentence for sentence in sentences if re.sub(r"\s", "", sentence) not in said] == []
    items = [
        block
        for record in records.values()
        for part in record.sections
        for block in part.blocks
        if block.kind == "item"
    ]
    assert len(items) == len(re.findall("<(?:Item|Subitem1) ", xml))


@pytest.mark.realdata
def test_every_article_of_the_labour_law(realdata: Path) -> None:
    records, findings, xml = _real(realdata / "law/labor_standards_act_rebuilt.xml")
    deleted = [found.place for found in findings if found.topic == "deleted article"]
    assert len(re.findall("<Article ", xml)) == 122 == len(records) + len(deleted)
    for name in deleted:
        assert re.search(f"<ArticleTitle>{name}</ArticleTitle>.{{0,200}}>削除<", xml, re.DOTALL)
    assert records["32-3-2"].label == "第三十二条の三の二"
    held = re.sub(
        r"<ArticleTitle>.*?</Article>", lambda found: "" if ">削除<" in found[0] else found[0], xml, flags=re.S
    )
    sentences = re.findall("<Sentence[^>]*>([^<]+)</Sentence>", held)
    assert len(sentences) > 200
    said = re.sub(r"\s", "", "".join(map(plain_text, records.values())))
    assert [sentence for sentence in sentences if re.sub(r"\s", "", sentence) not in said] == []
    assert "四十五時間（45時間）" in record_text(with_digits(records["36"]))
    assert not re.search(
        "第[一二三四五六七八九十百の条項号]*（[0-9]", "".join(map(record_text, map(with_digits, records.values())))
    )


@pytest.mark.realdata
def test_sidecars_of_real_laws_keep_the_rules(realdata: Path) -> None:
    for path in (realdata / "law").glob("*.xml"):
        for record in _real(path)[0].values():
            assert not sidecar_faults(sidecar_attributes(record, f"{record.record_id}/x", "v", ()))


@pytest.mark.realdata
def test_the_reported_laws(realdata: Path) -> None:
    cases = realdata.parent / "cases"
    if not cases.is_dir():
        pytest.skip("the reported cases (../shared/cases beside the checkout) are not here")
    merged, _ = _read((cases / "law_border_merged.xml").read_bytes())
    keys = [line.split("｜")[0] for line in record_text(merged["2"]).split("\n")[1:]]
    assert keys == ["第八条第一項"] * 3 + ["第十一条"] * 2 + ["第十四条第二項"]
    titled, _ = _read((cases / "law_title_brackets.xml").read_bytes())
    assert titled["table-2"].title == "標識の寸法（第二条、第三条関係）"
    assert header(titled["1"], "full") == "みほん標識設置法 第一条"
    _, findings = _read((cases / "deleted_appendix.xml").read_bytes())
    told = [(found.topic, found.place) for found in findings if found.topic.startswith("deleted")]
    assert told == [("deleted article", "第三条"), ("deleted appendix", "別表第一")]
