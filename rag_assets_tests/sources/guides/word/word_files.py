"""Makes Word documents of raw XML, so that a test says exactly what stands in the file."""

import io
import zipfile
from collections.abc import Mapping

from rag_assets.model import Table, TextBlock
from rag_assets.sources.guides.document import GuideDocument, Heading
from rag_assets.sources.guides.word import read_word

_OFFICE = "http://schemas.openxmlformats.org"
_NAMESPACES = (
    f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main" '
    f'xmlns:r="{_OFFICE}/officeDocument/2006/relationships" '
    f'xmlns:m="{_OFFICE}/officeDocument/2006/math" '
    f'xmlns:a="{_OFFICE}/drawingml/2006/main" '
    f'xmlns:wp="{_OFFICE}/drawingml/2006/wordprocessingDrawing" '
    f'xmlns:dgm="{_OFFICE}/drawingml/2006/diagram" '
    f'xmlns:mc="{_OFFICE}/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
HEADING_STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{level}"><w:name w:val="heading {level}"/>'
    f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
    for level in range(1, 4)
)
"""As Japanese Word writes them: the IDs are numbers, the names English."""


def word_bytes(body: str, parts: Mapping[str, str] | None = None, files: Mapping[str, bytes] | None = None) -> bytes:
    """A Word document.

    Args:
        body: What stands in `w:body`.
        parts: What stands in further parts, by the kind of their relation: `styles`, `numbering`, `footnotes`,
            `endnotes`, `settings`, `diagramData`; `core` for the properties. Styles are those of headings unless given.
        files: Further files of the package by name.
    """
    given = {"styles": HEADING_STYLES, **(parts or {})}
    core = given.pop("core", "")
    relations = "".join(
        f'<Relationship Id="r-{kind}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{kind}.xml"/>'
        for kind in given
    )
    entries: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": _relations(
            f'<Relationship Id="a" Type="{_OFFICE}/officeDocument/2006/relationships/officeDocument" '
            'Target="word/document.xml"/>'
        ),
        "word/_rels/document.xml.rels": _relations(relations),
        "word/document.xml": f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>",
        "docProps/core.xml": (
            '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{core}'
            "</cp:coreProperties>"
        ),
        **{f"word/{kind}.xml": f"<w:{kind} {_NAMESPACES}>{inside}</w:{kind}>" for kind, inside in given.items()},
        **(files or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


def read(body: str, **parts: str) -> GuideDocument:
    """What is read of a document with that body."""
    return read_word(io.BytesIO(word_bytes(body, parts)))


def lines(body: str, **parts: str) -> list[str]:
    """The parts of a document, a line each: `# heading`, `- item` (two blanks a level), `※ note`, `| cell | cell`."""
    return lines_of(read(body, **parts))


def lines_of(document: GuideDocument) -> list[str]:
    """See `lines`."""
    return [line for part in document.parts for line in _lines_of(part if isinstance(part, Heading) else part.block)]


def _lines_of(part: Heading | TextBlock | Table) -> list[str]:
    if isinstance(part, Heading):
        return [f"{'#' * part.level} {part.text}"]
    if isinstance(part, Table):
        rows = sorted({cell.row for cell in part.cells})
        return ["| " + " | ".join(cell.text for cell in part.cells if cell.row == row) for row in rows]
    head = {"paragraph": "", "item": f"{'  ' * part.depth}- ", "note": "※ "}[part.kind]
    return [head + part.text]


def topics(document: GuideDocument) -> list[str]:
    """What the findings are about."""
    return [finding.topic for finding in document.findings]


def p(*runs: str, style: str = "", properties: str = "") -> str:
    """A paragraph; what is no XML becomes a run."""
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{properties}</w:pPr>{''.join(map(_run, runs))}</w:p>"


def r(text: str, properties: str = "") -> str:
    """A run with properties."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def numbered(list_id: int, level: int = 0) -> str:
    """Paragraph properties that put it into a list."""
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'


def level(at: int, text: str, kind: str = "decimal", more: str = "") -> str:
    """One level of a list."""
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'
    )


def list_of(*levels: str, list_id: int = 1, overrides: str = "") -> str:
    """A list (its `w:abstractNum` and one `w:num`)."""
    return (
        f'<w:abstractNum w:abstractNumId="{list_id}">{"".join(levels)}</w:abstractNum>'
        f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{list_id}"/>{overrides}</w:num>'
    )


def table(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    """A row; what is no XML becomes a cell."""
    inside = "".join(each if each.startswith("<") else cell(each) for each in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def cell(*content: str, properties: str = "") -> str:
    """A cell; what is no XML becomes a paragraph."""
    inside = "".join(each if each.startswith("<") else p(each) for each in content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def field(code: str, result: str | None = None, start: str = "") -> str:
    """The runs of a field; without a result it shows nothing."""
    shown = "" if result is None else f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{_run(result)}'
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{start}</w:fldChar></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>{shown}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def _run(text: str) -> str:
    return text if text.startswith("<") else r(text)


def _relations(inside: str) -> str:
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inside}</Relationships>'
    )
