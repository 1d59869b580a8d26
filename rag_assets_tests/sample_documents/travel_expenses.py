"""The sample's Word document: a company's rules on travel expenses, all of it invented, as Word itself would write it.

Its traps are those of the real kind: chapters, articles and items numbered by Word alone, merged cells, footnotes,
a table of contents, changes that are tracked, a text box, and a comment.
"""

import io
import zipfile
from collections.abc import Sequence
from html import escape

TITLE = "出張旅費規程"
_COMPANY = "みほん商会（架空の見本）"
_MOMENT = (2026, 4, 1, 9, 0, 0)
_OFFICE = "http://schemas.openxmlformats.org"
_NAMESPACES = (
    f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main" xmlns:r="{_OFFICE}/officeDocument/2006/relationships" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TRACKED = 'w:id="{}" w:author="総務課" w:date="2026-03-20T10:00:00Z"'

_CHAPTERS, _ARTICLES, _PARAGRAPHS, _ITEMS = range(1, 5)
"""The lists that number the rules, by their IDs."""
_LISTS_ANEW = (*((list_id, _PARAGRAPHS, 2) for list_id in range(11, 14)), (21, _ITEMS, 1))
"""Lists that begin anew with the look of another: ID, that other's ID, first number."""


def travel_expenses_docx() -> bytes:
    """The document: the same bytes at every call."""
    parts = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _package_relations(),
        "docProps/core.xml": _core_properties(),
        "word/_rels/document.xml.rels": _relations(
            *((f"rId{at}", kind, f"{kind}.xml") for at, kind in enumerate(_PARTS, start=1))
        ),
        "word/document.xml": f"<w:document {_NAMESPACES}><w:body>{_body()}{_PAGE}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_NAMESPACES}>{_styles()}</w:styles>",
        "word/numbering.xml": f"<w:numbering {_NAMESPACES}>{_numbering()}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {_NAMESPACES}>{_footnotes()}</w:footnotes>",
        "word/comments.xml": f"<w:comments {_NAMESPACES}>{_COMMENT}</w:comments>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _DECLARATION + content)
    return out.getvalue()


_PARTS = ("styles", "numbering", "footnotes", "comments")
_PAGE = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>'
    '<w:pgMar w:top="1985" w:right="1701" w:bottom="1701" w:left="1701" w:header="851" w:footer="992" w:gutter="0"/>'
    "</w:sectPr>"
)
_COMMENT = (
    f"<w:comment {_TRACKED.format(90)}><w:p><w:r>"
    "<w:t>金額は次の店長会議で決める（この注釈は本文ではない）</w:t></w:r></w:p></w:comment>"
)
_NOTES = (
    "駅から目的地まで歩いて三十分を超える場合、又は荷物が十キログラムを超える場合をいう。",
    "朝食の代金が宿泊料金に含まれるときは、日当から八百円を差し引く。",
)


def _body() -> str:
    blocks = [
        _p(TITLE, style="Title"),
        _p(_COMPANY, style="Subtitle"),
        _p("令和8年4月1日改訂", style="Date"),
        _contents(),
        _chapter("総則"),
        _article("（目的）"),
        _p("この規程は、みほん商会で働く者が会社の用務で出張するときの手続と、会社が支払う旅費について定める。"),
        _article("（出張の区分）"),
        _p("出張は、次の二つに区分する。"),
        _item("日帰り出張　片道の移動がおおむね六十キロメートルを超え、その日のうちに帰るもの"),
        _item("宿泊出張　用務の都合により、宿に一泊以上するもの"),
        _rule("片道六十キロメートル以下の外出は、近距離の用務とし、交通費の実費だけを支払う。"),
        _chapter("手続"),
        _article("（申請と承認）"),
        _p(
            "出張する者は、出発の",
            _deleted("三日", 1),
            _inserted("五日", 2),
            "前までに、行先、用務、日程及び見込みの費用を書いた出張申請書を所属長に提出し、承認を受ける。",
        ),
        _rule("急な用務で申請が間に合わないときは、電話で承認を受け、帰着後すみやかに申請書を提出する。", list_id=11),
        _article("（仮払い）"),
        _p("見込みの費用が二万円を超えるときは、出張する者は、経理係に仮払いを申し出ることができる。"),
        _rule("仮払いを受けた者は、精算が済むまで次の仮払いを受けることができない。", list_id=12),
        _article("（精算）"),
        _p(
            "出張から帰った者は、帰着の翌日から七営業日以内に、領収書を添えて精算書を経理係に提出する。",
            _comment_mark(),
            "領収書をなくしたときは、理由書に所属長の署名を受けて添える。",
        ),
        _box("精算の問い合わせは、本部総務課　経理係（内線 210）まで。"),
        _chapter("旅費"),
        _article("（交通費）"),
        _p("交通費は、最も経済的な通常の経路による実費とする。"),
        _item("鉄道の特急料金は、片道百キロメートル以上の移動に限り支払う。", list_id=21),
        _item(
            "タクシーは、公共の交通機関が使えないとき、又は所属長が必要と認めたとき",
            _note(1),
            "に限り使うことができる。",
            list_id=21,
        ),
        _item("自家用車を使うときは、あらかじめ承認を受け、一キロメートルにつき二十三円を支払う。", list_id=21),
        _article("（日当と宿泊費）"),
        _p("日当", _note(2), "と宿泊費の上限は、次の表のとおりとする。"),
        _allowances(),
        _rule("会社又は取引先が宿を用意したときは、宿泊費を支払わない。", list_id=13),
        _article("（海外出張）"),
        _p("海外出張の旅費は、行先ごとに社長が定める。旅券の取得にかかる費用は、初めての取得に限り会社が負担する。"),
        _p("附則", style="1"),
        _p("この規程は、令和8年4月1日から施行する。"),
    ]
    return "".join(blocks)


def _allowances() -> str:
    shaded = '<w:shd w:val="clear" w:color="auto" w:fill="D9D9D9"/>'
    rows = [
        _row(
            _cell("職位", merged="restart", more=shaded),
            _cell("日当", merged="restart", more=shaded),
            _cell("宿泊費の上限（一泊）", columns=2, more=shaded),
            is_heading=True,
        ),
        _row(
            _cell("", merged="continue", more=shaded),
            _cell("", merged="continue", more=shaded),
            _cell("大都市", more=shaded),
            _cell("その他の地域", more=shaded),
            is_heading=True,
        ),
        _row(_cell("店長以上"), _cell("三千円"), _cell("一万五千円"), _cell("一万二千円")),
        _row(_cell("主任"), _cell("二千五百円", merged="restart"), _cell("一万三千円"), _cell("一万円")),
        _row(_cell("一般"), _cell("", merged="continue"), _cell("一万二千円"), _cell("九千円")),
    ]
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in (1900, 1900, 2300, 2300))
    return (
        '<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="8400" w:type="dxa"/></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"
    )


def _row(*cells: str, is_heading: bool = False) -> str:
    properties = "<w:trPr><w:tblHeader/></w:trPr>" if is_heading else ""
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def _cell(words: str, columns: int = 1, merged: str = "", more: str = "") -> str:
    span = f'<w:gridSpan w:val="{columns}"/>' if columns > 1 else ""
    vertical = f'<w:vMerge w:val="{merged}"/>' if merged else ""
    return f'<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/>{span}{vertical}{more}</w:tcPr>{_p(words)}</w:tc>'


def _p(*runs: str, style: str = "", properties: str = "") -> str:
    """A paragraph; what is no XML becomes a run."""
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    told = f"<w:pPr>{style}{properties}</w:pPr>" if style or properties else ""
    return f"<w:p>{told}{''.join(each if each.startswith('<') else _r(each) for each in runs if each)}</w:p>"


def _r(words: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


def _chapter(words: str) -> str:
    return _p(words, style="1", properties=_in_list(_CHAPTERS))


def _article(words: str) -> str:
    return _p(words, style="2")


def _rule(words: str, list_id: int = _PARAGRAPHS) -> str:
    return _p(words, properties=_in_list(list_id))


def _item(*runs: str, list_id: int = _ITEMS) -> str:
    return _p(*runs, properties=_in_list(list_id))


def _in_list(list_id: int) -> str:
    return f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{list_id}"/></w:numPr>'


def _deleted(words: str, number: int) -> str:
    return f"<w:del {_TRACKED.format(number)}><w:r><w:delText>{words}</w:delText></w:r></w:del>"


def _inserted(words: str, number: int) -> str:
    return f"<w:ins {_TRACKED.format(number)}>{_r(words)}</w:ins>"


def _comment_mark() -> str:
    return '<w:r><w:commentReference w:id="90"/></w:r>'


def _note(number: int) -> str:
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="{number}"/></w:r>'


def _box(words: str) -> str:
    shape = (
        '<v:shape style="width:380pt;height:30pt" filled="f" stroked="t"><v:textbox><w:txbxContent>'
        f"{_p(words)}</w:txbxContent></v:textbox></v:shape>"
    )
    return _p(f"<w:r><w:pict>{shape}</w:pict></w:r>")


def _contents() -> str:
    """The table of contents, as Word keeps it in the file between two updates."""
    entries = ("第１章　総則", "第２章　手続", "第３章　旅費")
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText xml:space="preserve"> TOC \\o "1-1" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    lines = [
        _p(*([begin] if position == 0 else []), f"{entry}　…　{position + 1}", style="11")
        for position, entry in enumerate(entries)
    ]
    return _p("目　次") + "".join(lines) + _p('<w:r><w:fldChar w:fldCharType="end"/></w:r>')


def _footnotes() -> str:
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:footnote>'
        for kind, number, mark in (
            ("separator", -1, "separator"),
            ("continuationSeparator", 0, "continuationSeparator"),
        )
    )
    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
    notes = "".join(
        f'<w:footnote w:id="{number}">{_p(mark, f" {words}")}</w:footnote>'
        for number, words in enumerate(_NOTES, start=1)
    )
    return separators + notes


def _numbering() -> str:
    """The lists; where paragraphs or items begin anew they have one of their own, as Word makes them."""
    looks = "".join(
        f'<w:abstractNum w:abstractNumId="{list_id}"><w:multiLevelType w:val="singleLevel"/><w:lvl w:ilvl="0">'
        f'<w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>{style}<w:suff w:val="{suffix}"/>'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:ind w:left="{left}" w:hanging="{left}"/></w:pPr></w:lvl></w:abstractNum>'
        for list_id, start, kind, style, suffix, text, left in (
            (_CHAPTERS, 1, "decimalFullWidth", "", "space", "第%1章", 0),
            (_ARTICLES, 1, "decimalFullWidth", '<w:pStyle w:val="2"/>', "nothing", "第%1条", 0),
            (_PARAGRAPHS, 2, "decimalFullWidth", "", "space", "%1", 240),
            (_ITEMS, 1, "decimal", "", "tab", "(%1)", 480),
        )
    )
    lists = "".join(
        f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{list_id}"/></w:num>'
        for list_id in (_CHAPTERS, _ARTICLES, _PARAGRAPHS, _ITEMS)
    )
    return (
        looks
        + lists
        + "".join(
            f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{look}"/><w:lvlOverride w:ilvl="0">'
            f'<w:startOverride w:val="{start}"/></w:lvlOverride></w:num>'
            for list_id, look, start in _LISTS_ANEW
        )
    )


def _styles() -> str:
    fonts = '<w:rFonts w:ascii="Century" w:hAnsi="Century" w:eastAsia="ＭＳ 明朝"/>'
    gothic = '<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:eastAsia="ＭＳ ゴシック"/>'
    defaults = (
        f'<w:docDefaults><w:rPrDefault><w:rPr>{fonts}<w:sz w:val="21"/><w:lang w:val="en-US" w:eastAsia="ja-JP"/>'
        "</w:rPr></w:rPrDefault></w:docDefaults>"
    )
    article = f'<w:numPr><w:numId w:val="{_ARTICLES}"/></w:numPr>'
    centered = '<w:jc w:val="center"/>'
    return defaults + "".join(
        (
            '<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>',
            _style("1", "heading 1", '<w:keepNext/><w:outlineLvl w:val="0"/>', gothic + '<w:sz w:val="24"/>'),
            _style("2", "heading 2", f'<w:keepNext/>{article}<w:outlineLvl w:val="1"/>', gothic),
            _style("Title", "Title", centered, gothic + '<w:sz w:val="32"/>'),
            _style("Subtitle", "Subtitle", centered, '<w:sz w:val="24"/>'),
            _style("Date", "Date", '<w:jc w:val="right"/>', ""),
            _style("11", "toc 1", "", ""),
            '<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders>'
            + "".join(
                f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="auto"/>'
                for side in ("top", "left", "bottom", "right", "insideH", "insideV")
            )
            + "</w:tblBorders></w:tblPr></w:style>",
        )
    )


def _style(style_id: str, name: str, paragraph: str, letters: str) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/><w:basedOn w:val="a"/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{letters}</w:rPr></w:style>"
    )


def _content_types() -> str:
    overrides = "".join(f'<Override PartName="/word/{kind}.xml" ContentType="{_TYPES}.{kind}+xml"/>' for kind in _PARTS)
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_TYPES}.document.main+xml"/>{overrides}'
        '<Override PartName="/docProps/core.xml" '
        'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
    )


def _package_relations() -> str:
    core = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    return _relations(("rId1", "officeDocument", "word/document.xml")).replace(
        "</Relationships>", f'<Relationship Id="rId2" Type="{core}" Target="docProps/core.xml"/></Relationships>'
    )


def _relations(*entries: Sequence[str]) -> str:
    inside = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for name, kind, target in entries
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inside}</Relationships>'
    )


def _core_properties() -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{TITLE}</dc:title><dc:creator>{_COMPANY}</dc:creator>"
        '<dcterms:modified xsi:type="dcterms:W3CDTF">2026-04-01T00:00:00Z</dcterms:modified></cp:coreProperties>'
    )
