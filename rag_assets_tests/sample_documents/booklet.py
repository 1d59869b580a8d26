"""A booklet on A4 pages: paragraphs, ruled tables and framed boxes put on pages and drawn as a PDF.

What is written in it belongs to the modules of the documents; where a line ends, to `japanese_lines`.
"""

import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from rag_assets_tests.sample_documents.japanese_lines import broken, width

MINCHO = "HeiseiMin-W3"
GOTHIC = "HeiseiKakuGo-W5"
"""Fonts that every PDF reader brings or replaces: nothing is embedded, the files stay small."""

_PAGE_WIDTH, _PAGE_HEIGHT = A4
_MARGIN = 72.0
_TOP = _PAGE_HEIGHT - 68.0
_BOTTOM = 84.0
_FOOTER = 48.0
_LEADING = 1.8
_CELL_LEADING = 1.45
_CELL_PADDING = 4.0
_FRAME_PADDING = 8.0
_BLANK = re.compile(r"\u3000{2,}")


@dataclass(frozen=True)
class Text:
    """A paragraph. Lengths in em of its own size; `above` and `below` in points.

    Attributes:
        words: What it says; `\\n` breaks a line in any case.
        first: Indent of the first line.
        rest: Indent of the other lines.
        size: Font size in points.
        gothic: Whether it is set in the heavier face.
        align: Where its lines stand.
        above: Space before it, but not at the head of a page.
        below: Space after it.
        keep: Whether it never ends a page: a heading.
        blanks: Whether white space inside it is underlined, as a blank to be filled.
        leader: What stands at the right end of a line of dots, for tables of contents.
        mark: A name by which the page it comes to stand on can be asked for.
    """

    words: str
    first: float = 0
    rest: float = 0
    size: float = 10.5
    gothic: bool = False
    align: Literal["left", "center", "right"] = "left"
    above: float = 0
    below: float = 0
    keep: bool = False
    blanks: bool = False
    leader: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Cell:
    """A table cell that covers more than its own place, or is not set as the others are."""

    words: str
    rows: int = 1
    columns: int = 1
    gothic: bool = False
    align: Literal["left", "center", "right"] = "left"


@dataclass(frozen=True)
class Grid:
    """A ruled table; a place that another cell covers is simply not written.

    Attributes:
        widths: Width of each column in em of `size`.
        rows: Cells of each row.
        indent: Distance from the left margin in em of `size`.
        size: Font size in points.
    """

    widths: Sequence[float]
    rows: Sequence[Sequence[str | Cell]]
    indent: float = 1
    size: float = 9.5


@dataclass(frozen=True)
class Frame:
    """Paragraphs and tables with a frame around them; over a page's end the frame goes on."""

    blocks: Sequence[Text | Grid]


@dataclass(frozen=True)
class NewPage:
    """What follows begins a page."""


@dataclass(frozen=True)
class Down:
    """What follows stands so many points lower."""

    points: float


Block = Text | Grid | Frame | NewPage | Down


@dataclass(frozen=True)
class Strip:
    """What is never parted by a page's end: a line, or table rows that share a cell."""

    height: float
    draw: Callable[["Canvas", float], None]
    above: float = 0
    keep: bool = False
    frame: int | None = None
    mark: str = ""


@dataclass
class Page:
    """Strips with the height at which each one's upper edge stands."""

    strips: list[tuple[float, Strip]] = field(default_factory=list)


def paged(blocks: Sequence[Block]) -> list[Page]:
    """The blocks on pages."""
    pages = [Page()]
    y = _TOP
    for group in _kept_together(_strips(blocks)):
        if group is None:
            pages.append(Page())
            y = _TOP
            continue
        above = group[0].above if pages[-1].strips else 0.0
        if pages[-1].strips and y - above - _height(group) < _BOTTOM:
            pages.append(Page())
            y, above = _TOP, 0.0
        y -= above
        for position, strip in enumerate(group):
            y -= strip.above if position else 0.0
            pages[-1].strips.append((y, strip))
            y -= strip.height
    return pages


def pages_of_marks(pages: Sequence[Page]) -> dict[str, int]:
    """Position of the page, from 0, on which each marked paragraph begins."""
    return {
        strip.mark: number
        for number, page in reversed(list(enumerate(pages)))
        for _, strip in page.strips
        if strip.mark
    }


def drawn(pages: Sequence[tuple[Page, str]], *, title: str, author: str) -> bytes:
    """The PDF of pages with their footers: the same bytes for the same pages."""
    for font in (MINCHO, GOTHIC):
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle(title)
    canvas.setAuthor(author)
    for page, footer in pages:
        canvas.setLineWidth(0.6)
        for y, strip in page.strips:
            strip.draw(canvas, y)
        _draw_frames(canvas, page)
        canvas.setFont(MINCHO, 9)
        canvas.drawCentredString(_PAGE_WIDTH / 2, _FOOTER, footer)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _strips(blocks: Sequence[Block]) -> Iterator[Strip | NewPage]:
    frames = itertools.count()
    for block in blocks:
        match block:
            case NewPage():
                yield block
            case Down(points):
                yield Strip(points, _draw_nothing)
            case Text():
                yield from _text_strips(block, 0.0)
            case Grid():
                yield from _grid_strips(block)
            case Frame(inner):
                yield from _frame_strips(inner, next(frames))


def _draw_nothing(_canvas: Canvas, _y: float) -> None:
    """Space."""


def _frame_strips(blocks: Sequence[Text | Grid], frame: int) -> Iterator[Strip]:
    strips = [
        strip
        for block in blocks
        for strip in (_grid_strips(block) if isinstance(block, Grid) else _text_strips(block, _FRAME_PADDING))
    ]
    for position, strip in enumerate(strips):
        above = 12.0 if position == 0 else strip.above
        yield replace(strip, frame=frame, above=above, keep=strip.keep or position == 0)
    yield Strip(12.0, _draw_nothing)


def _kept_together(strips: Iterator[Strip | NewPage]) -> Iterator[list[Strip] | None]:
    """Strips in groups that stand on one page; None where a page is begun in any case."""
    group: list[Strip] = []
    for strip in strips:
        if isinstance(strip, NewPage):
            if group:
                yield group
            group = []
            yield None
            continue
        group.append(strip)
        if not strip.keep:
            yield group
            group = []
    if group:
        yield group


def _height(group: Sequence[Strip]) -> float:
    return sum(strip.height for strip in group) + sum(strip.above for strip in group[1:])


def _text_strips(text: Text, inset: float) -> Iterator[Strip]:
    room = (_PAGE_WIDTH - 2 * _MARGIN - 2 * inset) / text.size
    kept_room = width(text.leader) + 3 if text.leader else 0
    lines = list(broken(text.words, room - text.first - kept_room, room - text.rest - kept_room))
    for position, (words, last) in enumerate(lines):
        indent = text.first if position == 0 else text.rest
        ends = position == len(lines) - 1
        yield Strip(
            height=text.size * _LEADING + (text.below if ends else 0.0),
            draw=_line_drawer(text, words, indent, room - indent, inset, last=last, leader=text.leader if ends else ""),
            above=text.above if position == 0 else 0.0,
            keep=text.keep or (position == 0 and len(lines) > 1) or position == len(lines) - 2,
            mark=text.mark if position == 0 else "",
        )


def _line_drawer(
    text: Text, words: str, indent: float, room: float, inset: float, *, last: bool, leader: str
) -> Callable[[Canvas, float], None]:
    font = GOTHIC if text.gothic else MINCHO
    left = _MARGIN + inset + indent * text.size

    def draw(canvas: Canvas, y: float) -> None:
        baseline = y - text.size * (_LEADING + 0.75) / 2
        line = _led(words, leader, room, text.size, font) if leader else words
        natural = pdfmetrics.stringWidth(line, font, text.size)
        spare = room * text.size - natural
        x = left + {"left": 0.0, "center": spare / 2, "right": spare}[text.align]
        spacing = spare / (len(line) - 1) if len(line) > 1 and _justified(text, last, spare, leader) else 0.0
        _draw_words(canvas, line, x, baseline, font, text.size, spacing)
        if text.blanks:
            _underline_blanks(canvas, line, x, baseline, font, text.size, spacing)

    return draw


def _justified(text: Text, last: bool, spare: float, leader: str) -> bool:
    return bool(leader) or (text.align == "left" and (not last or spare < 0))


def _led(words: str, leader: str, room: float, size: float, font: str) -> str:
    """A line of a table of contents: words, dots up to the right margin, page number."""
    spare = room * size - pdfmetrics.stringWidth(f"{words} {leader}", font, size)
    return f"{words}{'…' * int(spare // size)} {leader}"


def _draw_words(canvas: Canvas, words: str, x: float, y: float, font: str, size: float, spacing: float) -> None:
    text: Any = canvas.beginText(x, y)
    text.setFont(font, size)
    text.setCharSpace(spacing)
    text.textOut(words)
    canvas.drawText(text)


def _underline_blanks(canvas: Canvas, line: str, x: float, y: float, font: str, size: float, spacing: float) -> None:
    for blank in _BLANK.finditer(line):
        start, end = (
            x + pdfmetrics.stringWidth(line[:position], font, size) + spacing * position for position in blank.span()
        )
        canvas.line(start, y - 2, end, y - 2)


def _draw_frames(canvas: Canvas, page: Page) -> None:
    framed = [(y, strip) for y, strip in page.strips if strip.frame is not None]
    for _, group in itertools.groupby(framed, key=lambda placed: placed[1].frame):
        placed = list(group)
        top = placed[0][0] + 4
        bottom = placed[-1][0] - placed[-1][1].height - 4
        canvas.rect(_MARGIN, bottom, _PAGE_WIDTH - 2 * _MARGIN, top - bottom)


@dataclass(frozen=True)
class _Placed:
    """A cell at its place in the table, with its lines."""

    cell: Cell
    row: int
    column: int
    lines: tuple[str, ...]


def _grid_strips(grid: Grid) -> Iterator[Strip]:
    cells = list(_placed_cells(grid))
    heights = _row_heights(grid, cells)
    for position, (start, end) in enumerate(_row_groups(len(grid.rows), cells)):
        yield Strip(
            height=sum(heights[start:end]),
            draw=_grid_drawer(grid, [cell for cell in cells if start <= cell.row < end], heights, start),
            above=6.0 if position == 0 else 0.0,
            keep=position == 0 and len(grid.rows) > 1,
        )
    yield Strip(8.0, _draw_nothing)


def _placed_cells(grid: Grid) -> Iterator[_Placed]:
    covered: set[tuple[int, int]] = set()
    for row, written in enumerate(grid.rows):
        free = (column for column in range(len(grid.widths)) if (row, column) not in covered)
        for entry in written:
            cell = Cell(entry) if isinstance(entry, str) else entry
            column = next(free)
            places = itertools.product(range(row, row + cell.rows), range(column, column + cell.columns))
            covered.update(places)
            room = sum(grid.widths[column : column + cell.columns]) - 2 * _CELL_PADDING / grid.size
            yield _Placed(cell, row, column, tuple(line for line, _ in broken(cell.words, room, room)))


def _row_heights(grid: Grid, cells: Sequence[_Placed]) -> list[float]:
    """Heights that hold every cell; a cell over several rows makes the last of them higher where it must."""
    heights = [grid.size * _CELL_LEADING + 2 * _CELL_PADDING] * len(grid.rows)
    for cell in sorted(cells, key=lambda cell: cell.cell.rows):
        rows = range(cell.row, cell.row + cell.cell.rows)
        needed = len(cell.lines) * grid.size * _CELL_LEADING + 2 * _CELL_PADDING
        heights[rows[-1]] += max(0.0, needed - sum(heights[row] for row in rows))
    return heights


def _row_groups(count: int, cells: Sequence[_Placed]) -> Iterator[tuple[int, int]]:
    """Rows that a cell holds together, as start and end."""
    start = 0
    for end in range(1, count + 1):
        if not any(cell.row < end < cell.row + cell.cell.rows for cell in cells):
            yield start, end
            start = end


def _grid_drawer(
    grid: Grid, cells: Sequence[_Placed], heights: Sequence[float], first_row: int
) -> Callable[[Canvas, float], None]:
    def draw(canvas: Canvas, y: float) -> None:
        for placed in cells:
            left = _MARGIN + grid.size * (grid.indent + sum(grid.widths[: placed.column]))
            across = grid.size * sum(grid.widths[placed.column : placed.column + placed.cell.columns])
            top = y - sum(heights[first_row : placed.row])
            down = sum(heights[placed.row : placed.row + placed.cell.rows])
            canvas.rect(left, top - down, across, down)
            _draw_cell(canvas, placed, grid.size, left, top, across, down)

    return draw


def _draw_cell(
    canvas: Canvas, placed: _Placed, size: float, left: float, top: float, across: float, down: float
) -> None:
    font = GOTHIC if placed.cell.gothic else MINCHO
    leading = size * _CELL_LEADING
    y = top - (down - len(placed.lines) * leading) / 2 - leading * 0.5 - size * 0.38
    for line in placed.lines:
        spare = across - 2 * _CELL_PADDING - pdfmetrics.stringWidth(line, font, size)
        x = left + _CELL_PADDING + {"left": 0.0, "center": spare / 2, "right": spare}[placed.cell.align]
        _draw_words(canvas, line, x, y, font, size, 0.0)
        y -= leading
