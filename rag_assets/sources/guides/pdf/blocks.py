"""The text between two headings as blocks: paragraphs, list items with their depth, notes, tables with captions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Block, Cell, Table, TextBlock
from rag_assets.sources.guides.document import BodyBlock
from rag_assets.sources.guides.pdf.flow import FlowPart, GuideFlow, GuideLine, GuideTable
from rag_assets.sources.guides.pdf.headings import CAPTION
from rag_assets.sources.guides.pdf.numbering import find_numbering
from rag_assets.sources.pdf.headings import heading_rows
from rag_assets.sources.pdf.pages import PdfLine, joined_text, paragraphs

_NOTE = re.compile(r"[※＊]|[（(〔\[]?注(?:[0-9０-９]+|記|意)?[)）〕\]:：.．\u3000 ]")
_BULLET = re.compile(r"[・•●○◯◎■□◆◇▪◦‣➢✓☑☐►▶–][ \u3000]?\S")
_NO_ITEM = frozenset({"【", "〔", "[", "＜", "〈", "《", "≪", "『", "条", "章", "節", "編", "部", "款", "目"})
_COLUMN = re.compile(r"\u3000+")
_FEWEST_COLUMNS = 3
_SAME_INDENT = 0.4
_DEEPEST = 5


@dataclass(slots=True)
class _FrameLines:
    """Lines of one frame that follow each other."""

    frame: int
    left: float
    right: float
    lines: list[PdfLine]


class BlockReader:
    """Reads the blocks of a flow's stretches; footnotes stand behind the paragraph that ends their page."""

    def __init__(self, flow: GuideFlow) -> None:
        self._flow = flow
        self._footnotes = dict(flow.footnotes)

    def read(self, parts: Sequence[FlowPart], next_page: int | None) -> Iterator[BodyBlock]:
        """The blocks between two headings.

        Args:
            parts: Lines and tables in reading order.
            next_page: The page on which what comes next begins; None at the end of the document.
        """
        depths = _ParagraphDepths()
        caption: list[PdfLine] = []
        for group in self._groups(parts):
            if isinstance(group, GuideTable):
                yield from self._table(group, caption)
                caption = []
                continue
            for lines in self._paragraphs(group):
                yield from self._text(caption, depths)
                caption = []
                yield from self._notes_before(lines[0].page)
                if CAPTION.match(lines[0].text) and len(lines) == 1:
                    caption = list(lines)
                    continue
                yield from self._text(lines, depths)
        yield from self._text(caption, depths)
        yield from self._notes_before(next_page)

    def _paragraphs(self, stretch: _FrameLines) -> Iterator[Sequence[PdfLine]]:
        """The lines of each paragraph; a row of a table without rules is one by itself."""
        rows = _find_rows(stretch.lines)
        for is_row, numbered in groupby(enumerate(stretch.lines), key=lambda numbered: numbered[0] in rows):
            lines = [line for _, line in numbered]
            if is_row:
                yield from ([line] for line in lines)
            else:
                yield from paragraphs(lines, left=stretch.left, right=stretch.right, pitch=self._flow.pitch)

    def _groups(self, parts: Sequence[FlowPart]) -> Iterator[_FrameLines | GuideTable]:
        stretch: _FrameLines | None = None
        for part in parts:
            if isinstance(part, GuideLine) and stretch is not None and part.frame == stretch.frame:
                stretch.lines.append(part.line)
                continue
            if stretch is not None:
                yield stretch
                stretch = None
            if isinstance(part, GuideLine):
                stretch = _FrameLines(part.frame, part.left, part.right, [part.line])
            else:
                yield part
        if stretch is not None:
            yield stretch

    def _text(self, lines: Sequence[PdfLine], depths: "_ParagraphDepths") -> Iterator[BodyBlock]:
        text = one_line(joined_text(lines)) if lines else ""
        if not text:
            return
        is_item = _is_item(text)
        depth = depths.depth_of(lines, marked=is_item)
        if _NOTE.match(text):
            block: Block = TextBlock(kind="note", text=text, depth=depth)
        else:
            block = TextBlock(kind="item" if is_item else "paragraph", text=text, depth=depth)
        yield BodyBlock(block, lines[0].page)

    def _table(self, table: GuideTable, caption: Sequence[PdfLine]) -> Iterator[BodyBlock]:
        cells = [cell.model_copy(update={"text": _cell_text(cell)}) for cell in table.table.cells]
        if any(cell.text for cell in cells):
            named = any(cell.heading for cell in cells)
            rows = 0 if named else heading_rows(cells)
            headed = [cell.model_copy(update={"heading": cell.heading or cell.row < rows}) for cell in cells]
            words = one_line(joined_text(caption)) if caption else ""
            yield BodyBlock(Table(caption=words, cells=tuple(headed)), caption[0].page if caption else table.page)

    def _notes_before(self, page: int | None) -> Iterator[BodyBlock]:
        """The footnotes of all pages before one; of all that are left where none follows."""
        for number in sorted(self._footnotes):
            if page is None or number < page:
                for lines in self._footnotes.pop(number):
                    yield BodyBlock(TextBlock(kind="note", text=one_line(joined_text(lines))), number)


class _ParagraphDepths:
    """Tells how deep paragraphs stand below marked ones further to the left."""

    def __init__(self) -> None:
        self._open: list[float] = []

    def depth_of(self, lines: Sequence[PdfLine], *, marked: bool) -> int:
        """The number of marks that a paragraph stands under."""
        edge = lines[0].x0 if marked else min(line.x0 for line in lines)
        slack = _SAME_INDENT * lines[0].size
        above = [mark for mark in self._open if mark < edge - slack]
        if marked:
            self._open = [*above, edge]
        elif not above:
            self._open = []
        return min(len(above), _DEEPEST)


def _find_rows(lines: Sequence[PdfLine]) -> set[int]:
    """Positions of lines that stand in columns, at least two below each other."""
    in_columns = {at for at, line in enumerate(lines) if len(_COLUMN.split(line.text.strip())) >= _FEWEST_COLUMNS}
    return {at for at in in_columns if at - 1 in in_columns or at + 1 in in_columns}


def _is_item(text: str) -> bool:
    if _BULLET.match(text):
        return True
    numbering = find_numbering(text)
    return numbering is not None and numbering.kind not in _NO_ITEM and not numbering.stands_on_top


def _cell_text(cell: Cell) -> str:
    return "\u3000".join(filter(None, map(one_line, cell.text.split("\n"))))
