"""A PowerPoint presentation (.pptx, .pptm) as headings and blocks: a slide is a heading with what stands below it.

The shapes of a slide are read in the order in which they are read aloud: that of the file. What is shown on every
slide (date, footer, number) is no text of one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import BinaryIO

from rag_assets.japanese.raised import write_lowered, write_raised
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Cell, Table, TextBlock
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.file_kinds import LOCKED_OFFICE, OLD_POWERPOINT, POWERPOINT
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.office_package import Element, OfficePackage, choose_alternatives, open_package
from rag_assets.sources.html.lists import written_number

_OFFICE = "http://schemas.openxmlformats.org"
_P = f"{{{_OFFICE}/presentationml/2006/main}}"
_A = f"{{{_OFFICE}/drawingml/2006/main}}"
_R = f"{{{_OFFICE}/officeDocument/2006/relationships}}"
_DIAGRAM = f"{{{_OFFICE}/drawingml/2006/diagram}}"

_REMEDIES = {
    LOCKED_OFFICE.name: "open it in PowerPoint with its password, take the password off, save it, and give that file",
    OLD_POWERPOINT.name: "open it in PowerPoint, save it as a PowerPoint presentation (.pptx), and give that file",
    "other": "open it in PowerPoint, save it again as a PowerPoint presentation (.pptx), and give that file",
}
_TITLES = frozenset({"title", "ctrTitle"})
_ON_EVERY_SLIDE = frozenset({"dt", "ftr", "sldNum", "hdr"})
_BULLETED = frozenset({"body", "obj", "outline"})
_NUMBER_KINDS = (
    ("arabic", "decimal"),
    ("alphaLc", "lower-alpha"),
    ("alphaUc", "upper-alpha"),
    ("romanLc", "lower-roman"),
    ("romanUc", "upper-roman"),
    ("ea1Jpn", "japanese-informal"),
    ("ea1Chs", "japanese-informal"),
)
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_FIGURE = re.compile(r"[0-9０-９]")
_DEEPEST = 8
_MOST_LETTERS = 50
"""Letters of a first line that is taken for the title of a slide."""


@dataclass(frozen=True, slots=True)
class _Slide:
    """One slide: what it is called, and what stands on it."""

    title: str
    is_title_slide: bool
    blocks: tuple[TextBlock | Table, ...]


def read_slides(file: BinaryIO) -> GuideDocument:
    """Read a presentation.

    A slide without a title takes a short first line as one; else it goes on with the slide before. Hidden slides and
    the speaker's notes are left out, and told in findings.

    Args:
        file: The bytes.

    Raises:
        DocumentError: It is no such presentation, locked, damaged, or holds no text; the message says what to do.
    """
    package = open_package(file, POWERPOINT, _REMEDIES)
    return _SlidesReader(package).read()


class _SlidesReader:
    """Reads the slides of one presentation, in their order."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._hidden = 0
        self._with_notes = 0

    def read(self) -> GuideDocument:
        slides = list(self._read_all())
        title = self._package.title
        parts: list[Heading | BodyBlock] = []
        for position, slide in enumerate(slides):
            if position == 0 and slide.is_title_slide:
                title = slide.title
            elif slide.title:
                parts.append(Heading(level=1, text=slide.title))
            parts.extend(BodyBlock(block) for block in slide.blocks)
        if not parts and not any(slide.title for slide in slides):
            raise DocumentError(
                "The presentation holds no text, only pictures or nothing: make a PDF with a text layer of it by OCR, "
                "and give that PDF"
            )
        return GuideDocument(
            parts=tuple(parts),
            title=title,
            modified_on=self._package.modified_on,
            findings=tuple(self._make_findings()),
        )

    def _make_findings(self) -> Iterator[Finding]:
        for count, topic, message in (
            (self._hidden, "hidden slide", "{} hidden slides are left out"),
            (self._with_notes, "speaker's notes", "the speaker's notes of {} slides are left out"),
        ):
            if count:
                yield Finding(kind="note", topic=topic, place="slides", message=message.format(count))

    def _read_all(self) -> Iterator[_Slide]:
        name, root = self._package.find_main_part("ppt/presentation.xml")
        relations = self._package.read_relations(name)
        for entry in root.iterfind(f"{_P}sldIdLst/{_P}sldId"):
            target = relations.get(entry.get(_R + "id", ""))
            slide = self._package.read_part(target.target) if target else None
            if target is None or slide is None:
                continue
            if slide.get("show") in ("0", "false"):
                self._hidden += 1
                continue
            yield self._read_slide(slide, target.target)

    def _read_slide(self, root: Element, name: str) -> _Slide:
        choose_alternatives(root)
        relations = self._package.read_relations(name)
        self._with_notes += any(
            self._has_notes(each.target) for each in relations.values() if each.kind == "notesSlide"
        )
        title = ""
        is_title_slide = False
        blocks: list[TextBlock | Table] = []
        for shape in _find_shapes(root.find(f"{_P}cSld/{_P}spTree")):
            kind = _read_placeholder(shape)
            if kind in _TITLES and not title:
                title = "　".join(filter(None, map(_read_words, shape.iter(_A + "p"))))
                is_title_slide = kind == "ctrTitle"
            elif kind not in _ON_EVERY_SLIDE:
                blocks.extend(_read_blocks(shape, kind))
                for diagram in shape.iter(_DIAGRAM + "relIds"):
                    data = relations.get(diagram.get(_R + "dm", ""))
                    root_of_data = self._package.read_part(data.target) if data else None
                    if root_of_data is not None:
                        blocks.extend(_read_paragraphs(root_of_data, is_bulleted=False))
        first = blocks[0] if blocks else None
        if (
            not title
            and isinstance(first, TextBlock)
            and first.kind == "paragraph"
            and len(first.text) <= _MOST_LETTERS
        ):
            title = first.text
            del blocks[0]
        return _Slide(title, is_title_slide, tuple(blocks))

    def _has_notes(self, name: str) -> bool:
        root = self._package.read_part(name)
        shapes = [] if root is None else _find_shapes(root.find(f"{_P}cSld/{_P}spTree"))
        return any(
            _read_placeholder(shape) == "body" and any(map(_read_words, shape.iter(_A + "p"))) for shape in shapes
        )


def _find_shapes(tree: Element | None) -> Iterator[Element]:
    """The shapes of a slide, those of groups too."""
    for shape in tree if tree is not None else []:
        if shape.tag == _P + "grpSp":
            yield from _find_shapes(shape)
        elif shape.tag in (_P + "sp", _P + "pic", _P + "graphicFrame", _P + "cxnSp"):
            yield shape


def _read_placeholder(shape: Element) -> str:
    """What the layout keeps a place for; empty for a shape that someone drew."""
    for properties in shape.iterfind(f"*/{_P}nvPr/{_P}ph"):
        return str(properties.get("type", "obj"))
    return ""


def _read_blocks(shape: Element, kind: str) -> Iterator[TextBlock | Table]:
    tables = list(shape.iter(_A + "tbl"))
    for table in tables:
        read = _read_table(table)
        if read is not None:
            yield read
    if not tables:
        yield from _read_paragraphs(shape, is_bulleted=kind in _BULLETED)
    described = one_line(next((each.get("descr", "") for each in shape.iterfind(f"*/{_P}cNvPr")), ""))
    if described and shape.tag in (_P + "pic", _P + "graphicFrame"):
        yield TextBlock(text=f"（図：{described}）")


def _read_paragraphs(shape: Element, *, is_bulleted: bool) -> Iterator[TextBlock]:
    """The paragraphs of a shape; those with a bullet or number are list items."""
    counts: dict[int, int] = {}
    for paragraph in shape.iter(_A + "p"):
        text = _read_words(paragraph)
        if not text:
            continue
        properties = paragraph.find(_A + "pPr")
        depth = min(_read_number(properties, "lvl", 0), _DEEPEST)
        numbering = None if properties is None else properties.find(_A + "buAutoNum")
        counts = {
            level: count
            for level, count in counts.items()
            if level < depth or (level == depth and numbering is not None)
        }
        if numbering is not None:
            counts[depth] = counts.get(depth, _read_number(numbering, "startAt", 1) - 1) + 1
            number = _format_number(counts[depth], numbering.get("type", ""))
            blank = "　" if _FIGURE.match(text) else " "
            yield TextBlock(kind="item", text=f"{number}{blank}{text}", depth=depth)
        elif _has_bullet(properties, is_bulleted=is_bulleted):
            yield TextBlock(kind="item", text=text, depth=depth)
        else:
            yield TextBlock(text=text)


def _has_bullet(properties: Element | None, *, is_bulleted: bool) -> bool:
    if properties is None:
        return is_bulleted
    if properties.find(_A + "buNone") is not None:
        return False
    return is_bulleted or any(properties.find(_A + name) is not None for name in ("buChar", "buBlip"))


def _format_number(value: int, kind: str) -> str:
    """A number as a `buAutoNum` type writes it: arabicParenBoth (1), circleNumDbPlain ①."""
    if kind.startswith("circleNum") and 1 <= value <= len(_CIRCLED):
        return _CIRCLED[value - 1]
    style = next((style for name, style in _NUMBER_KINDS if kind.startswith(name)), "decimal")
    written = written_number(value, style)
    if kind.endswith("ParenBoth"):
        return f"({written})"
    return f"{written}{')' if kind.endswith('ParenR') else '.' if kind.endswith('Period') else ''}"


def _read_words(paragraph: Element) -> str:
    """The words of a paragraph on one line; a line break separates by a full-width space."""
    words = ""
    for child in paragraph:
        if child.tag == _A + "br":
            words += "\v"
        elif child.tag in (_A + "r", _A + "fld"):
            words += _read_run(child)
    return "　".join(filter(None, map(one_line, words.split("\v"))))


def _read_run(run: Element) -> str:
    properties = run.find(_A + "rPr")
    text = "".join(part.text or "" for part in run.iterfind(_A + "t"))
    if properties is not None and properties.get("strike", "noStrike") != "noStrike":
        return ""
    baseline = _read_number(properties, "baseline", 0)
    return write_raised(text) if baseline > 0 else write_lowered(text) if baseline < 0 else text


def _read_number(element: Element | None, name: str, otherwise: int) -> int:
    told = "" if element is None else element.get(name, "")
    return int(told) if re.fullmatch(r"-?[0-9]{1,9}", told) else otherwise


def _read_table(table: Element) -> Table | None:
    properties = table.find(_A + "tblPr")
    has_heading_row = properties is not None and properties.get("firstRow") in ("1", "true")
    rows = [row.findall(_A + "tc") for row in table.iterfind(_A + "tr")]
    cells = [
        Cell(
            text="　".join(filter(None, map(_read_words, cell.iter(_A + "p")))),
            row=at,
            column=column,
            row_span=1 + _count_merged((cells[column : column + 1] for cells in rows[at + 1 :]), "vMerge"),
            column_span=1 + _count_merged(([behind] for behind in row[column + 1 :]), "hMerge"),
            heading=has_heading_row and at == 0,
        )
        for at, row in enumerate(rows)
        for column, cell in enumerate(row)
        if not _is_merged(cell)
    ]
    return Table(cells=tuple(cells)) if any(cell.text for cell in cells) else None


def _is_merged(cell: Element, *ways: str) -> bool:
    """Whether a cell is but a place that the one before (`hMerge`) or above (`vMerge`) covers."""
    return any(cell.get(way) in ("1", "true") for way in ways or ("hMerge", "vMerge"))


def _count_merged(places: Iterable[Sequence[Element]], way: str) -> int:
    """How many of the next places a cell covers; a row may be too short to have one."""
    return sum(1 for _ in takewhile(lambda cells: any(_is_merged(cell, way) for cell in cells), places))
