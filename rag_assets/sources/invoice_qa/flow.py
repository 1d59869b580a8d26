"""A Q&A document as one flow: its lines and tables in reading order, pages and frames behind them.

What a page is comes from the PDF modules; what a line means (question, heading, answer) is decided after this.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rag_assets.japanese.widths import half_width
from rag_assets.model import Cell
from rag_assets.sources.pdf.pages import PdfLine, PdfPage, PdfTable, continues, joined

PAGE = 0
"""The frame of everything that stands in no box."""

_SAME_EDGE = 3.0
"""Points by which the edges of one table or box may differ from page to page."""

_FULL_LINES = 8
"""Lines that have to end at one place before it is taken for the right margin."""

_OPENS_BOX = re.compile(r"[【(〔\[](?:参考|注|例|コラム)")


@dataclass(frozen=True, slots=True)
class FlowLine:
    """A printed line and the frame it stands in.

    Attributes:
        text: Its words.
        page: From 1.
        x0: Left edge in points.
        x1: Right edge.
        size: Size of most characters, points.
        font: Font of most characters.
        frame: `PAGE`, or the number of its box; a box that goes on over a page keeps its number.
        edge: Where lines of this frame end at the right.
    """

    text: str
    page: int
    x0: float
    x1: float
    size: float
    font: str
    frame: int
    edge: float


@dataclass(frozen=True, slots=True)
class FlowTable:
    """A ruled table, the pieces of all its pages joined."""

    page: int
    cells: tuple[Cell, ...]
    frame: int = PAGE


FlowItem = FlowLine | FlowTable


def words_only(text: str) -> str:
    """A text for comparing: compatibility forms unified, no blanks."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def read_flow(pages: Iterable[PdfPage]) -> list[FlowItem]:
    """All lines and tables of a document in reading order.

    A frame of one cell is a box, and its lines stand in the flow like others. A table or box that ends a page and
    goes on at the head of the next is one. All of it is in memory: it grows with the document's text.
    """
    flow: list[FlowItem] = []
    last: PdfTable | None = None
    frame = PAGE
    for page in pages:
        for position, piece in enumerate(_in_order(page)):
            if isinstance(piece, PdfLine):
                flow.append(_flow_line(piece, PAGE, page.width))
                last = None
                continue
            above = last if position == 0 else None
            if piece.is_box:
                frame += not (above and _box_goes_on(above, piece))
                flow.extend(_flow_line(line, frame, piece.x1) for line in piece.lines)
            elif above and continues(above, piece):
                piece = joined(above, piece)
                flow[-1] = FlowTable(flow[-1].page, piece.cells)
            else:
                flow.append(FlowTable(piece.page, piece.cells))
            last = piece
    return list(_with_edges(flow))


def body_style(flow: Iterable[FlowItem]) -> tuple[float, str]:
    """Size and font of most characters of the document."""
    counts: Counter[tuple[float, str]] = Counter()
    for item in flow:
        if isinstance(item, FlowLine):
            counts[round(item.size, 1), item.font] += len(item.text)
    return counts.most_common(1)[0][0] if counts else (0.0, "")


def _in_order(page: PdfPage) -> list[PdfLine | PdfTable]:
    pieces: list[PdfLine | PdfTable] = [*page.lines, *page.tables]
    return sorted(pieces, key=lambda piece: piece.top)


def _flow_line(line: PdfLine, frame: int, edge: float) -> FlowLine:
    return FlowLine(line.text, line.page, line.x0, line.x1, line.size, line.font, frame, edge)


def _box_goes_on(above: PdfTable, below: PdfTable) -> bool:
    """Whether the box at the head of a page is more of the one that ended the page before.

    It is as wide and has no label of its own.
    """
    return (
        above.is_box
        and below.is_box
        and below.page == above.page + 1
        and abs(above.x0 - below.x0) <= _SAME_EDGE
        and abs(above.x1 - below.x1) <= _SAME_EDGE
        and not (below.lines and _OPENS_BOX.match(half_width(below.lines[0].text)))
    )


def _with_edges(flow: list[FlowItem]) -> Iterator[FlowItem]:
    """The flow with every line told where lines of its frame end: what a full line is measured by.

    In the body that is where many lines end, or, in a document of few long lines, as far from the right side of the
    paper as text begins from its left side. In a box it is near its right border.
    """
    frames: dict[int, list[FlowLine]] = {}
    for item in flow:
        if isinstance(item, FlowLine):
            frames.setdefault(item.frame, []).append(item)
    edges = {frame: _edge(lines) for frame, lines in frames.items()}
    for item in flow:
        yield replace(item, edge=edges[item.frame]) if isinstance(item, FlowLine) else item


def _edge(lines: list[FlowLine]) -> float:
    size, outer = lines[0].size, lines[0].edge
    usual = sorted(line.x1 for line in lines)[int(len(lines) * 0.9)]
    if lines[0].frame != PAGE:
        return max(usual, outer - 2 * size)
    near = sum(abs(line.x1 - usual) <= 1.5 * size for line in lines)
    if near >= max(_FULL_LINES, len(lines) // 10):
        return usual
    return max(usual, outer - min(line.x0 for line in lines))
