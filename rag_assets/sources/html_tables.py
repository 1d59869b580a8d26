"""HTML tables to Table: rowspan and colspan resolved to positions. Nothing here knows a site."""

from collections.abc import Callable

from bs4 import Tag

from rag_assets.model import Cell, Table

_MOST_SPAN = 1000
"""HTML's own limit for colspan; a larger number is a typing error."""


def read_table(table: Tag, text_of: Callable[[Tag], str]) -> Table | None:
    """The table with every cell at its resolved position, or None where it holds no text at all.

    A rowspan is clipped to the rows there are, as browsers do, and `rowspan="0"` reaches to the last row of its row
    group. Where spans collide, the later cell moves to the next free column. Cells that are commented out are not
    there. Tables inside a cell are part of that cell's text.

    Args:
        table: The `table` element.
        text_of: How the words of a cell or caption are read, on one line.
    """
    rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row_number, row in enumerate(rows):
        rows_left = _rows_left_in_group(rows, row_number)
        column = 0
        for element in row.find_all(["td", "th"], recursive=False):
            while (row_number, column) in taken:
                column += 1
            row_span = min(_span(element, "rowspan") or rows_left, rows_left)
            column_span = _free_columns(taken, row_number, column, _span(element, "colspan") or 1)
            taken.update(
                (r, c)
                for r in range(row_number, row_number + row_span)
                for c in range(column, column + column_span)
            )
            cells.append(
                Cell(
                    text=text_of(element),
                    row=row_number,
                    column=column,
                    row_span=row_span,
                    column_span=column_span,
                    heading=element.name == "th" or element.find_parent("thead") is not None,
                )
            )
            column += column_span
    caption = table.find("caption")
    if not any(cell.text for cell in cells):
        return None
    return Table(caption=text_of(caption) if caption is not None else "", cells=tuple(cells))


def _rows_left_in_group(rows: list[Tag], row_number: int) -> int:
    group = rows[row_number].parent
    return sum(1 for row in rows[row_number:] if row.parent is group)


def _free_columns(taken: set[tuple[int, int]], row: int, column: int, wanted: int) -> int:
    span = 1
    while span < wanted and (row, column + span) not in taken:
        span += 1
    return span


def _span(element: Tag, attribute: str) -> int:
    """The span as a number from 1; 0 where the attribute is 0; 1 where it is absent or no number."""
    written = str(element.get(attribute, "1")).strip()
    return min(int(written), _MOST_SPAN) if written.isascii() and written.isdigit() else 1
