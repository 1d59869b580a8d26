"""Ruled tables of a PDF page: ruling lines and characters into grids with whole cells, and what is left beside them.

The grid is found by pdfplumber's own steps (edges, intersections, cells); only its parsing of the page is not needed.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import Any

from rag_assets.model import Cell
from rag_assets.sources.pdf_drawings import Edge
from rag_assets.sources.pdf_figures import closed_up
from rag_assets.sources.pdf_lines import BLANKS, PdfLine, make_lines
from rag_assets.sources.pdf_open_tables import closing_edges
from rag_assets.sources.pdf_paragraphs import joined_text, paragraphs
from rag_assets.sources.pdf_text import Char, PageText
from rag_assets.sources.pdf_unruled import Box, Parted, free_figures, part_figures
from rag_assets.sources.pdf_word_rules import find_word_rules

_SHORTEST = 3.0
"""Points; shorter edges are ends of dashes and of filled corners (pdfplumber's `edge_min_length`)."""
_TOLERANCE = 3.0
"""Points by which edges miss each other (pdfplumber's `snap_tolerance`, `join_tolerance`, `intersection_tolerance`)."""
_MOST_POINTS = 5000
"""Intersections of one page beyond which its drawings are a chart: no table has that many."""
_SAME_COLUMN = 3.0
"""Points by which the columns of a table that goes on over the page may be shifted."""
_OVERFLOW = 3.0
"""Text that runs over the outer border of a table belongs to the cell it began in, up to so many em."""
_FRAME = 0.85
"""Share of the page's width and height from which a box is the frame of the page."""
_ROW_GAP = 0.75
"""White space that parts rows without a rule between them, in em; lines of one paragraph are set closer in a cell."""
_LEAST_CUTS = 2
"""Places where a ruled row has to be parted so, before it is taken for several rows."""
_INLINE_HEIGHT = 2.2
_INLINE_GAP = 2.0
"""A box no higher than this, in em, with text within this beside it, is a framed word in a line."""


@dataclass(frozen=True, slots=True)
class PdfTable:
    """A ruled grid; one with a single cell is a box around text.

    Attributes:
        page: Its page, from 1.
        x0: Left edge in points; the origin of all positions is the page's upper left corner.
        x1: Right edge.
        top: Upper edge.
        bottom: Lower edge.
        cells: Row by row, spans resolved, no two over one position; line breaks part a cell's paragraphs.
        lines: All lines inside, from top to bottom, as they are in `PdfPage.lines`.
        columns: Positions of the vertical borders, left to right.
        unruled: Left and right edge of the words in every column, where not all borders are ruled.
    """

    page: int
    x0: float
    x1: float
    top: float
    bottom: float
    cells: tuple[Cell, ...]
    lines: tuple[PdfLine, ...] = ()
    columns: tuple[float, ...] = ()
    unruled: tuple[tuple[float, float], ...] = ()

    @property
    def is_box(self) -> bool:
        """Whether it is a box around text and no grid."""
        return len(self.cells) == 1


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands on a page beside its tables.

    Attributes:
        chars: Level characters.
        standing: Runs of characters of other directions.
        underlines: Horizontal rules that are no borders of cells.
    """

    chars: list[Char]
    standing: list[list[Char]]
    underlines: tuple[Edge, ...] = ()


def split_tables(text: PageText, edges: Sequence[Edge], page: int) -> tuple[list[PdfTable], Beside]:
    """The tables of a page, and what stands in none.

    Every character is in exactly one place: the smallest cell around it, or the rest.

    Args:
        text: The characters of the page.
        edges: Its ruling lines.
        page: Its number.
    """
    words = find_word_rules(text.chars, edges)
    cells = _cells([edge for edge in edges if edge not in words.under and edge not in words.through])
    groups = [group for group in _groups(cells) if not _is_frame(group, text.frame.size)]
    contents = _contents([cell for group in groups for cell in group], text)
    for group in groups:
        if len(group) == 1 and _is_inline(group[0], contents):
            contents[None].take(contents.pop(group[0]))
    underlines = [edge for edge in _joined_rules(edges) if not any(_is_border(edge, cell) for cell in cells)]
    tables = [_table(group, contents, underlines, page) for group in groups if any(cell in contents for cell in group)]
    rest = contents[None]
    tables.extend(_free_tables(rest, page))
    return (
        sorted(tables, key=lambda table: (table.top, table.x0)),
        Beside(rest.chars, rest.standing, tuple(underlines)),
    )


def continues(above: PdfTable, below: PdfTable) -> bool:
    """Whether a table may be the next piece of one that the page before ends with: the same columns.

    It has to be the last thing of its page, and the other the first of the next; the caller sees that.
    """
    return (
        below.page == above.page + 1
        and len(above.columns) == len(below.columns) > 2
        and all(abs(a - b) <= _SAME_COLUMN for a, b in zip(above.columns, below.columns, strict=True))
    )


def joined(above: PdfTable, below: PdfTable) -> PdfTable:
    """Two pieces of one table as one: rows counted on, rows that only repeat the heading left out.

    Position and columns are those of the first piece, `page` that of the last, so that a third piece can be joined.
    """
    rows_above, rows_below = _rows(above.cells), _rows(below.cells)
    repeated = 0
    while repeated < min(len(rows_above), len(rows_below)) - 1 and rows_above[repeated] == rows_below[repeated]:
        repeated += 1
    if any(cell.row < repeated < cell.row + cell.row_span for cell in below.cells):
        repeated = 0
    height = max(cell.row + cell.row_span for cell in above.cells)
    moved = [
        cell.model_copy(update={"row": cell.row - repeated + height}) for cell in below.cells if cell.row >= repeated
    ]
    return PdfTable(
        page=below.page,
        x0=above.x0,
        x1=above.x1,
        top=above.top,
        bottom=above.bottom,
        cells=(*above.cells, *moved),
        lines=(*above.lines, *below.lines),
        columns=above.columns,
    )


def _rows(cells: Iterable[Cell]) -> list[tuple[tuple[int, int, int, str], ...]]:
    rows: defaultdict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for cell in cells:
        rows[cell.row].append((cell.column, cell.row_span, cell.column_span, cell.text))
    return [tuple(rows[row]) for row in range(max(rows) + 1)]


def _cells(edges: Sequence[Edge]) -> list[Box]:
    """Boxes that edges make, none of them cut by another edge."""
    if len(edges) < 4:
        return []
    from pdfplumber.table import edges_to_intersections, intersections_to_cells, merge_edges

    merged = merge_edges([_rule(edge) for edge in edges], *[_TOLERANCE] * 4)
    long = [rule for rule in merged if max(rule["x1"] - rule["x0"], rule["bottom"] - rule["top"]) >= _SHORTEST]
    drawn = [Edge(rule["x0"], rule["top"], rule["x1"], rule["bottom"]) for rule in long]
    long.extend(_rule(edge) for edge in closing_edges(drawn))
    points = edges_to_intersections(long, _TOLERANCE, _TOLERANCE)
    if len(points) > _MOST_POINTS:
        return []
    return [(float(x0), float(top), float(x1), float(bottom)) for x0, top, x1, bottom in intersections_to_cells(points)]


def _rule(edge: Edge) -> dict[str, Any]:
    """An edge as pdfplumber has it."""
    return {
        "x0": edge.x0,
        "x1": edge.x1,
        "top": edge.top,
        "bottom": edge.bottom,
        "doctop": edge.top,
        "width": edge.x1 - edge.x0,
        "height": edge.bottom - edge.top,
        "orientation": "h" if edge.horizontal else "v",
    }


def _groups(cells: Sequence[Box]) -> list[list[Box]]:
    """Cells that share corners together."""
    groups: list[tuple[set[tuple[float, float]], list[Box]]] = []
    for cell in cells:
        x0, top, x1, bottom = cell
        corners = {(x0, top), (x0, bottom), (x1, top), (x1, bottom)}
        members = [cell]
        apart = []
        for group in groups:
            if corners.isdisjoint(group[0]):
                apart.append(group)
            else:
                corners |= group[0]
                members = group[1] + members
        groups = [*apart, (corners, members)]
    return [members for _, members in groups]


def _is_frame(group: Sequence[Box], size: tuple[float, float]) -> bool:
    x0, top, x1, bottom = group[0]
    return len(group) == 1 and x1 - x0 >= _FRAME * size[0] and bottom - top >= _FRAME * size[1]


@dataclass(slots=True)
class _Content:
    """What stands in a cell, or in none."""

    chars: list[Char] = field(default_factory=list)
    standing: list[list[Char]] = field(default_factory=list)

    def take(self, other: "_Content") -> None:
        self.chars.extend(other.chars)
        self.standing.extend(other.standing)


_Contents = dict[Box | None, _Content]
"""By cell, only those that hold something; under None what stands in no cell, always there."""


def _contents(cells: Sequence[Box], text: PageText) -> _Contents:
    """What stands where: by the smallest cell around each character."""
    by_area = sorted(cells, key=lambda cell: (cell[2] - cell[0]) * (cell[3] - cell[1]))

    def cell_around(char: Char) -> Box | None:
        x, y = char.middle
        return next((cell for cell in by_area if cell[0] <= x < cell[2] and cell[1] <= y < cell[3]), None)

    contents: defaultdict[Box | None, _Content] = defaultdict(_Content)
    for char in text.chars:
        contents[cell_around(char)].chars.append(char)
    for run in text.standing:
        contents[cell_around(run[0])].standing.append(run)
    filled: _Contents = {
        cell: content
        for cell, content in contents.items()
        if content.standing or any(char.text not in BLANKS for char in content.chars)
    }
    filled.setdefault(None, _Content())
    _take_overflow(filled)
    return filled


def _take_overflow(contents: _Contents) -> None:
    """Give a cell the characters that follow its own closely on the same baseline, over the table's border."""
    ends: defaultdict[float, list[tuple[float, Box]]] = defaultdict(list)
    for cell, content in contents.items():
        if cell is not None:
            last: dict[float, float] = {}
            for char in content.chars:
                base = round(char.base, 1)
                last[base] = max(last.get(base, 0.0), char.x1)
            for base, x1 in last.items():
                ends[base].append((x1, cell))
    outside = []
    for char in sorted(contents[None].chars, key=lambda char: char.x0):
        here = ends.get(round(char.base, 1), [])
        for position, (end, cell) in enumerate(here):
            follows = abs(char.x0 - end) < 0.3 * char.size and end > cell[2] - 2 * char.size
            if follows and char.x0 < cell[2] + _OVERFLOW * char.size:
                contents[cell].chars.append(char)
                here[position] = (char.x1, cell)
                break
        else:
            outside.append(char)
    contents[None].chars = outside


def _is_inline(cell: Box, contents: _Contents) -> bool:
    """Whether a box frames a word of a line: low, and the line goes on close beside it."""
    if cell not in contents or not contents[cell].chars:
        return False
    inside = contents[cell].chars
    size = max(char.size for char in inside)
    if cell[3] - cell[1] > _INLINE_HEIGHT * size:
        return False
    bases = {round(char.base) for char in inside}
    return any(
        round(char.base) in bases
        and -_INLINE_GAP * size < max(cell[0] - char.x1, char.x0 - cell[2]) < _INLINE_GAP * size
        for char in contents[None].chars
        if char.text not in BLANKS
    )


def _joined_rules(edges: Sequence[Edge]) -> list[Edge]:
    """Horizontal ruling lines, the pieces of a broken one together."""
    rules: list[Edge] = []
    for edge in sorted((edge for edge in edges if edge.horizontal), key=lambda edge: (round(edge.top), edge.x0)):
        last = rules[-1] if rules else None
        if last is not None and round(last.top) == round(edge.top) and edge.x0 - last.x1 <= _TOLERANCE / 2:
            rules[-1] = Edge(last.x0, last.top, max(last.x1, edge.x1), last.bottom)
        else:
            rules.append(edge)
    return rules


def _is_border(edge: Edge, cell: Box) -> bool:
    x0, top, x1, bottom = cell
    return min(abs(edge.top - top), abs(edge.top - bottom)) <= _TOLERANCE and edge.x0 < x1 and edge.x1 > x0


def _free_tables(rest: _Content, page: int) -> Iterable[PdfTable]:
    """Tables of figures that stand in no ruled cell; their characters are taken out of the rest."""
    for box in free_figures(rest.chars):
        inside = [char for char in rest.chars if _is_inside(char, box)]
        parted = part_figures([box], {box: inside})
        if parted is not None:
            rest.chars = [char for char in rest.chars if not _is_inside(char, box)]
            yield _made_table({cell: _Content(chars) for cell, chars in parted.contents.items()}, parted, [], page)


def _is_inside(char: Char, box: Box) -> bool:
    x, y = char.middle
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def _table(group: Sequence[Box], contents: _Contents, underlines: Sequence[Edge], page: int) -> PdfTable:
    own = {box: contents.get(box, _Content()) for box in group}
    parted = None
    if not any(content.standing for content in own.values()):
        parted = part_figures(group, {box: content.chars for box, content in own.items()})
    if parted is not None:
        own = {box: _Content(chars) for box, chars in parted.contents.items()}
    return _made_table(own, parted, underlines, page)


def _made_table(
    contents: Mapping[Box, _Content], parted: Parted | None, underlines: Sequence[Edge], page: int
) -> PdfTable:
    lines: dict[Box, list[PdfLine]] = {}
    for box, content in contents.items():
        x0, top, x1, bottom = box
        beneath = [edge for edge in underlines if x0 < edge.x0 and edge.x1 < x1 and top < edge.top < bottom]
        lines[box] = make_lines(content.chars, page, content.standing, beneath)
    if parted is None:
        lines = _split_rows(lines)
    columns = sorted({x for cell in lines for x in (cell[0], cell[2])})
    rows = sorted({y for cell in lines for y in (cell[1], cell[3])})
    pitch = _closest(lines.values())
    cells: list[Cell] = []
    for box in sorted(lines, key=lambda cell: (cell[1], cell[0])):
        x0, top, x1, bottom = box
        row, column = bisect_left(rows, top), bisect_left(columns, x0)
        grouped = paragraphs(lines[box], right=_right_edge(lines[box], x0, x1), pitch=pitch)
        text = "\n".join(map(joined_text, grouped))
        if parted is not None:
            text = closed_up(text) + (f"（{parted.units[box]}）" if box in parted.units else "")
        cells.append(
            Cell(
                text=text,
                row=row,
                column=column,
                row_span=bisect_left(rows, bottom) - row,
                column_span=bisect_left(columns, x1) - column,
                heading=parted is not None and box in parted.headings,
            )
        )
    every_line = [line for inside in lines.values() for line in inside]
    return PdfTable(
        page=page,
        x0=round(columns[0], 2),
        x1=round(columns[-1], 2),
        top=round(rows[0], 2),
        bottom=round(rows[-1], 2),
        cells=tuple(cells),
        lines=tuple(sorted(every_line, key=lambda line: (line.bottom, line.x0))),
        columns=tuple(round(x, 2) for x in columns),
        unruled=parted.columns if parted is not None else (),
    )


def _split_rows(lines: dict[Box, list[PdfLine]]) -> dict[Box, list[PdfLine]]:
    """Rows that only white space parts, inside one ruled row, as rows of their own.

    Left together, a value could not be told from the one below it, nor an empty place from a full one.
    """
    width = max(box[2] for box in lines) - min(box[0] for box in lines)
    ruled: defaultdict[tuple[float, float], list[Box]] = defaultdict(list)
    for box in lines:
        ruled[box[1], box[3]].append(box)
    split: dict[Box, list[PdfLine]] = {}
    for (top, bottom), boxes in ruled.items():
        whole = abs(sum(box[2] - box[0] for box in boxes) - width) < 1
        cuts = _cuts([lines[box] for box in sorted(boxes)]) if whole and len(boxes) > 1 else []
        for x0, _, x1, _ in boxes:
            for upper, lower in pairwise([top, *cuts, bottom]):
                inside = lines[x0, top, x1, bottom]
                split[x0, upper, x1, lower] = [line for line in inside if upper <= (line.top + line.bottom) / 2 < lower]
    return split


def _cuts(columns: Sequence[Sequence[PdfLine]]) -> list[float]:
    """Where white space over all columns parts a row in several; nowhere unless each of them has a name at the left."""
    lines = sorted((line for column in columns for line in column), key=lambda line: line.top)
    cuts: list[float] = []
    reached = lines[0].bottom if lines else 0.0
    for line in lines:
        if line.top - reached >= _ROW_GAP * line.size:
            cuts.append((line.top + reached) / 2)
        reached = max(reached, line.bottom)
    if len(cuts) < _LEAST_CUTS:
        return []
    bands = list(pairwise([-inf, *cuts, inf]))

    def texts(column: Sequence[PdfLine]) -> list[str]:
        return ["".join(line.text for line in column if upper <= line.top < lower) for upper, lower in bands]

    named = all(len(name) > 1 for name in texts(columns[0]))
    valued = any(sum(map(bool, texts(column))) > 1 for column in columns[1:])
    return cuts if named and valued else []


def _closest(cells: Iterable[Sequence[PdfLine]]) -> float | None:
    """The distance at which lines of one paragraph follow each other: the closest of all cells of a table."""
    steps = [
        below.bottom - above.bottom
        for lines in cells
        for above, below in pairwise(lines)
        if below.bottom - above.bottom > 0.9 * min(above.size, below.size)
    ]
    return min(steps, default=None)


def _right_edge(lines: Sequence[PdfLine], x0: float, x1: float) -> float | None:
    """How far text may reach in a cell: as far from its right border as it keeps from the left one."""
    if not lines:
        return None
    return max(x1 - (min(line.x0 for line in lines) - x0), max(line.x1 for line in lines))
