"""Cells of a law's table that only their borders join: no line is drawn between them, so a reader sees one cell.

e-Gov's tables mostly have no rowspan. A key that holds for several rows stands in the first, `BorderBottom="none"`, and
the cells under it are empty, `BorderTop="none"`. What the cells say is read in `text.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_assets.model import Cell

_NONE = "none"


@dataclass(frozen=True, slots=True)
class Borders:
    """How the sides of a cell are drawn, as the XML writes it: solid, dotted, none; what it leaves out is drawn."""

    top: str = "solid"
    bottom: str = "solid"
    left: str = "solid"
    right: str = "solid"

    @property
    def are_drawn(self) -> bool:
        """Whether any side has a line."""
        return any(side != _NONE for side in (self.top, self.bottom, self.left, self.right))


@dataclass(frozen=True, slots=True)
class BorderedCell:
    """A cell at its position, rowspan and colspan resolved, and its borders."""

    cell: Cell
    borders: Borders


def merge_by_borders(cells: Sequence[BorderedCell], join: Callable[[str, str], str]) -> tuple[Cell, ...]:
    """Join the cells that have no line between them, as a reader sees them, with their words in reading order.

    Where no line is drawn between two rows from the first column to the last, they are rows all the same, of a table
    without inner lines: there only keys go on, the empty cells a row begins with. Columns likewise: where no line parts
    two columns in any row, only a heading goes on over them. A table without any line at all stays as it is.

    Args:
        cells: In reading order.
        join: How the words of one cell go on with those of the next.
    """
    if not any(cell.borders.are_drawn for cell in cells):
        return tuple(each.cell for each in cells)
    stacked = _join_pairs(cells, _vertical_pairs(cells), join)
    whole = _join_pairs(stacked, _horizontal_pairs(stacked), join)
    return tuple(each.cell for each in whole)


_Pair = tuple[BorderedCell, BorderedCell]


def _vertical_pairs(cells: Sequence[BorderedCell]) -> Iterator[_Pair]:
    """Cells one below the other that are one."""
    at = _positions(cells)
    rows, columns = _size(at)
    keys_of_rows = _keys(at, rows, columns)
    for row in range(1, rows):
        edges = list(_edges(at, [((row - 1, column), (row, column)) for column in range(columns)]))
        is_parted = any(not _is_open(upper.borders.bottom, lower.borders.top) for upper, lower in edges)
        keys = set() if is_parted else keys_of_rows[row]
        for upper, lower in edges:
            if _columns(upper.cell) != _columns(lower.cell) or upper.cell.heading != lower.cell.heading:
                continue
            is_one = _is_one_cell(upper.borders.bottom, lower.borders.top, lower.cell.text)
            if is_one and (is_parted or lower.cell.column in keys):
                yield upper, lower


def _horizontal_pairs(cells: Sequence[BorderedCell]) -> Iterator[_Pair]:
    """Cells side by side that are one."""
    at = _positions(cells)
    rows, columns = _size(at)
    for column in range(1, columns):
        edges = list(_edges(at, [((row, column - 1), (row, column)) for row in range(rows)]))
        is_parted = any(not _is_open(left.borders.right, right.borders.left) for left, right in edges)
        for left, right in edges:
            if _rows(left.cell) != _rows(right.cell) or left.cell.heading != right.cell.heading:
                continue
            is_one = _is_one_cell(left.borders.right, right.borders.left, right.cell.text)
            if is_one and (is_parted or (left.cell.heading and not right.cell.text)):
                yield left, right


def _is_open(one: str, other: str) -> bool:
    """Whether no line is drawn between two sides: a line that one of them has is drawn."""
    return one == other == _NONE


def _is_one_cell(one: str, other: str, text: str) -> bool:
    """Whether what follows goes on with what is before it; for an empty cell, one side without a line is enough."""
    return _is_open(one, other) or (not text and _NONE in (one, other))


def _keys(at: dict[tuple[int, int], BorderedCell], rows: int, columns: int) -> list[set[int]]:
    """Of each row, the columns of the empty cells it begins with; of a blank row, those of the row with words below."""
    keys: list[set[int]] = []
    for row in reversed(range(rows)):
        empty: set[int] = set()
        for column in range(columns):
            found = at.get((row, column))
            if found is None or (found.cell.text and found.cell.row == row):
                break
            empty.add(column)
        else:
            empty = keys[-1] if keys else set()
        keys.append(empty)
    return keys[::-1]


def _edges(
    at: dict[tuple[int, int], BorderedCell], places: Iterable[tuple[tuple[int, int], tuple[int, int]]]
) -> Iterator[_Pair]:
    """The pairs of different cells at these places, each once."""
    last: _Pair | None = None
    for before, behind in places:
        first, second = at.get(before), at.get(behind)
        if first is None or second is None or first is second or (first, second) == last:
            continue
        last = first, second
        yield last


def _positions(cells: Sequence[BorderedCell]) -> dict[tuple[int, int], BorderedCell]:
    return {
        (each.cell.row + down, each.cell.column + right): each
        for each in cells
        for down in range(each.cell.row_span)
        for right in range(each.cell.column_span)
    }


def _size(at: dict[tuple[int, int], BorderedCell]) -> tuple[int, int]:
    """How many rows and columns there are."""
    return max(row for row, _ in at) + 1, max(column for _, column in at) + 1


def _columns(cell: Cell) -> tuple[int, int]:
    return cell.column, cell.column_span


def _rows(cell: Cell) -> tuple[int, int]:
    return cell.row, cell.row_span


def _join_pairs(
    cells: Sequence[BorderedCell], pairs: Iterator[_Pair], join: Callable[[str, str], str]
) -> list[BorderedCell]:
    """The cells with each chain of pairs as one; all cells of a chain stand in one row, or in one column."""
    first_of = {_place(each): _place(each) for each in cells}
    for before, behind in pairs:
        first_of[_place(behind)] = first_of[_place(before)]
    chains: dict[tuple[int, int], list[BorderedCell]] = {}
    for each in cells:
        chains.setdefault(first_of[_place(each)], []).append(each)
    return [_join_chain(chain, join) for chain in chains.values()]


def _place(each: BorderedCell) -> tuple[int, int]:
    return each.cell.row, each.cell.column


def _join_chain(chain: Sequence[BorderedCell], join: Callable[[str, str], str]) -> BorderedCell:
    if len(chain) == 1:
        return chain[0]
    first, last = chain[0], chain[-1]
    text = first.cell.text
    for _, each in pairwise(chain):
        text = join(text, each.cell.text) if text and each.cell.text else text or each.cell.text
    cell = first.cell.model_copy(
        update={
            "text": text,
            "row_span": last.cell.row + last.cell.row_span - first.cell.row,
            "column_span": last.cell.column + last.cell.column_span - first.cell.column,
        }
    )
    borders = Borders(first.borders.top, last.borders.bottom, first.borders.left, last.borders.right)
    return BorderedCell(cell, borders)
