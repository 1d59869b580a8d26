"""Ruled tables of a PDF page: ruling lines and characters into grids with whole cells, and what is left beside them.

The grid is found by pdfplumber's own steps (edges, intersections, cells); only its parsing of the page is not needed.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from typing import Any

from rag_assets.model import Cell
from rag_assets.sources.pdf.drawings import Edge
from rag_assets.sources.pdf.figures import closed_up, count_of
from rag_assets.sources.pdf.lines import BLANKS, PdfLine, make_lines
from rag_assets.sources.pdf.open_tables import closing_edges
from rag_assets.sources.pdf.paragraphs import joined_text, paragraphs
from rag_assets.sources.pdf.text import Char, PageText
from rag_assets.sources.pdf.unruled import Box, Parted, free_figures, part_figures
from rag_assets.sources.pdf.word_rules import find_word_rules

_SHORTEST = 3.0
"""Points; shorter edges are ends of dashes and of filled corners (pdfplumber's `edge_min_length`)."""
_TOLERANCE = 3.0
"""Points by which edges miss each other (pdfplumber's `snap_tolerance`, `join_tolerance`, `intersection_tolerance`)."""
_MOST_POINTS = 5000
"""Intersections of one page beyond which its drawings are a chart: no table has that many."""
_OVERFLOW = 3.0
"""Text that runs over the outer border of a table belongs to the cell it began in, up to so many em."""
_FULL_LINE = 1.3
"""Em that a full line lacks at most to the border's margin."""
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
        extents: Left and right edge of the words in every column; its borders where it has none.
        unruled: Whether borders of columns are not ruled but told by white space.
        blocks: How many times its columns were printed side by side; they are below each other in `cells`.
        full: Columns whose cell in the last row ends in a full line.
        open_end: Whether no rule closes it at its lower edge.
    """

    page: int
    x0: float
    x1: float
    top: float
    bottom: float
    cells: tuple[Cell, ...]
    lines: tuple[PdfLine, ...] = ()
    columns: tuple[float, ...] = ()
    extents: tuple[tuple[float, float], ...] = ()
    unruled: bool = False
    blocks: int = 1
    full: frozenset[int] = frozenset()
    open_end: bool = False

    @property
    def is_box(self) -> bool:
        """Whether it is a box around text and no grid."""
        return len(self.cells) == 1

    @property
    def holds_one_text(self) -> bool:
        """Whether it is a box, or one drawn within another, whose rim counts as cells without text."""
        return self.is_box or sum(bool(cell.text.strip()) for cell in self.cells) == 1


@dataclass(frozen=True, slots=True)
class BesideTables:
    """What stands on a page beside its tables.

    Attributes:
        chars: Level characters.
        standing: Runs of characters of other directions.
        underlines: Horizontal rules that are no borders of cells.
    """

    chars: list[Char]
    standing: list[list[Char]]
    underlines: tuple[Edge, ...] = ()


def split_tables(text: PageText, edges: Sequence[Edge], page: int) -> tuple[list[PdfTable], BesideTables]:
    """The tables of a page, and what stands in none.

    Every character is in exactly one place: the smallest cell around it, or the rest.

    Args:
        text: The characters of the page.
        edges: Its ruling lines.
        page: Its number.
    """
    words = find_word_rules(text.chars, edges)
    cells, closing = _cells([edge for edge in edges if edge not in words.under and edge not in words.through])
    groups = [group for group in _groups(cells) if not _is_frame(group, text.frame.size)]
    contents = _contents([cell for group in groups for cell in group], text)
    for group in groups:
        if len(group) == 1 and _is_inline(group[0], contents):
            contents[None].take(contents.pop(group[0]))
    underlines = [edge for edge in _joined_rules(edges) if not any(_is_border(edge, cell) for cell in cells)]
    framed = [table for group in groups if len(group) == 1 for table in _framed_tables(group[0], contents, page)]
    tables = framed + [
        _with_end(_table(group, contents, underlines, page), closing)
        for group in groups
        if any(cell in contents for cell in group)
    ]
    rest = contents[None]
    tables.extend(_free_tables(rest, page))
    return (
        sorted(tables, key=lambda table: (table.top, table.x0)),
        BesideTables(rest.chars, rest.standing, tuple(underlines)),
    )


def _cells(edges: Sequence[Edge]) -> tuple[list[Box], list[Edge]]:
    """Boxes that edges make, none of them cut by another edge; and the edges that open tables lacked for it."""
    if len(edges) < 4:
        return [], []
    from pdfplumber.table import edges_to_intersections, intersections_to_cells, merge_edges

    merged = merge_edges([_rule(edge) for edge in edges], *[_TOLERANCE] * 4)
    long = [rule for rule in merged if max(rule["x1"] - rule["x0"], rule["bottom"] - rule["top"]) >= _SHORTEST]
    drawn = [Edge(rule["x0"], rule["top"], rule["x1"], rule["bottom"]) for rule in long]
    closing = closing_edges(drawn)
    long.extend(_rule(edge) for edge in closing)
    points = edges_to_intersections(long, _TOLERANCE, _TOLERANCE)
    if len(points) > _MOST_POINTS:
        return [], []
    cells = intersections_to_cells(points)
    return [(float(x0), float(top), float(x1), float(bottom)) for x0, top, x1, bottom in cells], closing


def _with_end(table: PdfTable, closing: Sequence[Edge]) -> PdfTable:
    """A table that knows whether its lower edge is drawn."""
    ends = any(
        edge.horizontal and abs(edge.top - table.bottom) <= _TOLERANCE and edge.x0 < table.x1 and edge.x1 > table.x0
        for edge in closing
    )
    return replace(table, open_end=ends)


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


def _framed_tables(box: Box, contents: _Contents, page: int) -> Iterable[PdfTable]:
    """Tables of figures among the sentences in a frame; their characters are taken out of it."""
    content = contents.get(box)
    if content is not None and not content.standing and part_figures([box], {box: content.chars}) is None:
        yield from _free_tables(content, page)


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
    width = len(columns) - 1
    if parted is None:
        cells = _with_repeated_headings(cells, width)
    blocks = _blocks(cells, width)
    every_line = [line for inside in lines.values() for line in inside]
    return PdfTable(
        page=page,
        x0=round(columns[0], 2),
        x1=round(columns[-1], 2),
        top=round(rows[0], 2),
        bottom=round(rows[-1], 2),
        cells=tuple(unfolded(cells, blocks, width)),
        lines=tuple(sorted(every_line, key=lambda line: (line.bottom, line.x0))),
        columns=tuple(round(x, 2) for x in columns),
        extents=tuple(_extents(columns, lines, parted)),
        unruled=parted is not None and bool(parted.cuts),
        blocks=blocks,
        full=frozenset(
            bisect_left(columns, box[0])
            for box, inside in lines.items()
            if box[3] == rows[-1] and _ends_full(box, inside)
        ),
    )


def _extents(
    columns: Sequence[float], lines: Mapping[Box, Sequence[PdfLine]], parted: Parted | None
) -> Iterator[tuple[float, float]]:
    """Where words stand in every column, headings left out."""
    heads = parted.headings if parted is not None else set()
    for left, right in pairwise(columns):
        own = [line for box in lines if box not in heads and (box[0], box[2]) == (left, right) for line in lines[box]]
        if own:
            yield round(min(line.x0 for line in own), 2), round(max(line.x1 for line in own), 2)
        else:
            yield round(left, 2), round(right, 2)


def _ends_full(box: Box, lines: Sequence[PdfLine]) -> bool:
    """Whether the last line of a cell has no room for one more character."""
    if not lines:
        return False
    last, edge = lines[-1], box[2] - max(min(line.x0 for line in lines) - box[0], 0)
    return last.x1 + _FULL_LINE * last.size > edge


def _blocks(cells: Sequence[Cell], width: int) -> int:
    """How many times a table's columns stand side by side under the same headings, each time with its own numbers."""
    heads = [cell for cell in cells if cell.heading]
    paths = [
        tuple(
            re.sub(r"[ \u3000\n]", "", cell.text)
            for cell in heads
            if cell.column <= column < cell.column + cell.column_span
        )
        for column in range(width)
    ]
    for count in range(width // 2, 1, -1):
        own = width // count
        if width % count or any(paths[column] != paths[column % own] for column in range(width)) or not paths[0]:
            continue
        whole = all(cell.column // own == (cell.column + cell.column_span - 1) // own for cell in cells)
        names = [
            [cell.text for cell in cells if cell.column == block * own and not cell.heading and cell.text]
            for block in range(count)
        ]
        # A block's last column may repeat the names of the rows.
        inner = paths[1 : own - 1] if own > 2 and paths[own - 1] == paths[0] else paths[1:own]
        if whole and own > 1 and all(paths[0] != path for path in inner) and all(map(_counts_up, names)):
            return count
    return 1


def _with_repeated_headings(cells: list[Cell], width: int) -> list[Cell]:
    """Cells with their headings marked, where the same ones stand over several blocks of columns side by side."""
    numbered = [cell.row for cell in cells if cell.column == 0 and count_of(cell.text) is not None]
    first = min(numbered, default=0)
    marked = [cell.model_copy(update={"heading": cell.row < first}) for cell in cells]
    return marked if first and _blocks(marked, width) > 1 else cells


def _counts_up(names: Sequence[str]) -> bool:
    counts = [count for name in names if (count := count_of(name)) is not None]
    return len(counts) == len(names) > 0 and all(above < below for above, below in pairwise(counts))


def unfolded(cells: Sequence[Cell], blocks: int, width: int) -> list[Cell]:
    """Cells with the blocks that are printed side by side one below the other, under the headings of the first."""
    if blocks == 1:
        return list(cells)
    own = width // blocks
    heads = [cell for cell in cells if cell.heading]
    top = max((cell.row + cell.row_span for cell in heads), default=0)
    height = max(cell.row + cell.row_span for cell in cells) - top
    body = [
        cell.model_copy(
            update={"row": cell.row + cell.column // own * height, "column": cell.column % own},
        )
        for cell in cells
        if not cell.heading
    ]
    filled = sorted({cell.row for cell in body if cell.text})
    place = {row: top + position for position, row in enumerate(filled)}
    body = [cell.model_copy(update={"row": place[cell.row]}) for cell in body if cell.row in place]
    return sorted([*(cell for cell in heads if cell.column < own), *body], key=lambda cell: (cell.row, cell.column))


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
            inside = lines[x0, top, x1, bottom]
            for upper, lower in pairwise([top, *cuts, bottom]):
                # What reaches over the row's own borders belongs to it all the same.
                least, most = -inf if upper == top else upper, inf if lower == bottom else lower
                split[x0, upper, x1, lower] = [line for line in inside if least <= (line.top + line.bottom) / 2 < most]
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
    bands = list(pairwise([-inf, *cuts, inf]))

    def texts(column: Sequence[PdfLine]) -> list[str]:
        return ["".join(line.text for line in column if upper <= line.top < lower) for upper, lower in bands]

    names, values = texts(columns[0]), [texts(column) for column in columns[1:]]
    starts = _starts(names, values)
    if len(starts) <= _LEAST_CUTS or any(len(names[start]) < 2 for start in starts):
        return []
    valued = any(sum(bool(column[start]) for start in starts) > 1 for column in values)
    return [cuts[start - 1] for start in starts[1:]] if valued else []


def _starts(names: Sequence[str], values: Sequence[Sequence[str]]) -> list[int]:
    """The bands of text that begin a row: those with a name; none where a name may be broken over several bands.

    It is not where every band has a name, where no two bands with names follow each other (words that go on leave no
    white line between), or where another column says something in just these bands, as numbers of days do.
    """
    starts = [number for number, name in enumerate(names) if name]
    if not starts or starts[0] != 0:
        return []
    every = len(starts) == len(names)
    apart = all(later - start > 1 for start, later in pairwise(starts))
    alike = any([number for number, text in enumerate(column) if text] == starts for column in values)
    return starts if every or apart or alike else []


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
