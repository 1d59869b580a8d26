"""Where the cells of a table stand (rowspans and colspans as positions in its grid), and which of them are headings.

How spans are written, and how far a rowspan may reach, belongs to the format that the table comes from.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from rag_assets.model import Cell

_Element = TypeVar("_Element")


def mark_headings(cells: Iterable[Cell], rows: int) -> tuple[Cell, ...]:
    """Mark the cells of the first rows as headings."""
    return tuple(cell.model_copy(update={"heading": True}) if cell.row < rows else cell for cell in cells)


class GridPlace(NamedTuple):
    """The rows and columns that a cell covers, from its upper left corner; all but the spans count from 0."""

    row: int
    column: int
    row_span: int
    column_span: int


def place_cells(rows: Iterable[Iterable[tuple[_Element, int, int]]]) -> Iterator[tuple[_Element, GridPlace]]:
    """Place cells where browsers put them: each in the first free column of its row.

    Where spans collide, the later cell covers only the columns that are free.

    Args:
        rows: The cells of each row, each with the rows and columns that it spans.
    """
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(rows):
        column = 0
        for element, row_span, wanted in cells:
            while (row, column) in taken:
                column += 1
            column_span = next((span for span in range(1, wanted) if (row, column + span) in taken), wanted)
            taken.update((row + down, column + right) for down in range(row_span) for right in range(column_span))
            yield element, GridPlace(row, column, row_span, column_span)
            column += column_span
