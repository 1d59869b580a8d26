"""Tables of Word to Table: spans and merged cells resolved to positions, heading cells found.

How the words of a cell are read belongs to `reader.py`.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag_assets.model import Cell, Table
from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.names import W, is_on, read_number, read_value

_MOST_COLUMNS = 1000
_NO_FILL = frozenset({"", "auto", "ffffff"})


@dataclass(frozen=True, slots=True)
class CellContent:
    """What a cell says: its words on one line, and whether all of them are bold."""

    text: str
    is_bold: bool


@dataclass(slots=True)
class _PlacedCell:
    """A cell at its position, which cells merged with it may make taller."""

    words: CellContent
    row: int
    column: int
    columns: int
    is_shaded: bool
    in_heading_row: bool
    rows: int = field(default=1)

    @property
    def stands_out(self) -> bool:
        return self.is_shaded or (self.words.is_bold and bool(self.words.text))


def find_rows(table: Element) -> list[Element]:
    """The rows of a table, without those of tables in its cells."""
    return list(table.findall(W + "tr"))


def find_only_cell(table: Element) -> Element | None:
    """The one cell of a table that is but a box around text; None for any other table."""
    cells = [cell for row in find_rows(table) for cell in row.findall(W + "tc")]
    return cells[0] if len(cells) == 1 else None


def read_word_table(
    table: Element, read_cell: Callable[[Element], CellContent], emphasized: frozenset[str], caption: str = ""
) -> Table | None:
    """A table; None where it has no words.

    Heading cells are those of the rows that Word repeats on every page; in a table without such rows, those of a first
    row, and of a first column, that is bold or shaded from end to end while other cells are not.

    Args:
        table: The `w:tbl`.
        read_cell: Reads the words of a `w:tc`.
        emphasized: What the table's style sets bold or shades: `firstRow`, `firstCol`.
        caption: The words above the table that name it.
    """
    placed = _place_cells(table, read_cell, emphasized)
    if not caption and not any(cell.words.text for cell in placed):
        return None
    headings = _find_headings(placed)
    columns = sorted({cell.column for cell in placed})
    cells: list[Cell] = []
    for cell in placed:
        # Columns that no cell begins in are none: they come of lines drawn by hand.
        column = bisect_left(columns, cell.column)
        cells.append(
            Cell(
                text=cell.words.text,
                row=cell.row,
                column=column,
                row_span=cell.rows,
                column_span=bisect_left(columns, cell.column + cell.columns) - column,
                heading=id(cell) in headings,
            )
        )
    return Table(caption=caption, cells=tuple(cells)) if cells else None


def _place_cells(
    table: Element, read_cell: Callable[[Element], CellContent], emphasized: frozenset[str]
) -> list[_PlacedCell]:
    placed: list[_PlacedCell] = []
    above: dict[int, _PlacedCell] = {}
    heads = True
    number = 0
    for row in find_rows(table):
        properties = row.find(W + "trPr")
        heads = heads and bool(is_on(properties, "tblHeader"))
        column = min(max(read_number(properties, "gridBefore") or 0, 0), _MOST_COLUMNS)
        own: dict[int, _PlacedCell] = {}
        last: _PlacedCell | None = None
        for cell in row.findall(W + "tc"):
            told = cell.find(W + "tcPr")
            columns = min(max(read_number(told, "gridSpan") or 1, 1), _MOST_COLUMNS)
            goes_on = _goes_on(told, "vMerge")
            upper = above.get(column)
            if _goes_on(told, "hMerge") and last is not None:
                last.columns += columns
            elif goes_on and upper is not None and upper.columns == columns:
                upper.rows += 1
                own[column] = last = upper
            else:
                by_style = ("firstRow" in emphasized and number == 0) or ("firstCol" in emphasized and column == 0)
                last = _PlacedCell(read_cell(cell), number, column, columns, by_style or _is_shaded(told), heads)
                own[column] = last
                placed.append(last)
            column += columns
        above = own
        # A row in which every cell only goes on from above is none of its own.
        if all(each.row < number for each in own.values()):
            for each in {id(each): each for each in own.values()}.values():
                each.rows -= 1
        else:
            number += 1
    return placed


def _goes_on(properties: Element | None, merged: str) -> bool:
    """Whether a cell is only the rest of the one above it (`vMerge`) or before it (`hMerge`)."""
    told = read_value(properties, merged)
    return told is not None and told != "restart"


def _is_shaded(properties: Element | None) -> bool:
    shading = None if properties is None else properties.find(W + "shd")
    if shading is None:
        return False
    fill = shading.get(W + "fill", "").lower()
    return fill not in _NO_FILL or shading.get(W + "themeFill") not in (None, "background1")


def _find_headings(cells: Sequence[_PlacedCell]) -> set[int]:
    """The `id` of every heading cell."""
    marked = {id(cell) for cell in cells if cell.in_heading_row}
    rows = max((cell.row + cell.rows for cell in cells), default=0)
    first_row = [cell for cell in cells if cell.row == 0]
    if not marked and rows > 1 and _stand_out_alone(first_row, cells):
        # Cells below a heading that is wider than one column are headings too, down to where the tallest ends.
        deepest = max(cell.rows for cell in first_row)
        head = [cell for cell in cells if cell.row < deepest]
        marked = {id(cell) for cell in (head if all(cell.stands_out for cell in head) else first_row)}
    body = [cell for cell in cells if id(cell) not in marked]
    keys = [cell for cell in body if cell.column == 0]
    columns = max((cell.column + cell.columns for cell in cells), default=0)
    if columns > 1 and _stand_out_alone(keys, body):
        marked |= {id(cell) for cell in keys}
    return marked


def _stand_out_alone(some: Sequence[_PlacedCell], cells: Sequence[_PlacedCell]) -> bool:
    """Whether all of some cells are bold or shaded, and say something, while most others are not."""
    others = [cell for cell in cells if all(cell is not each for each in some)]
    said = any(cell.words.text for cell in some)
    return (
        said
        and all(cell.stands_out for cell in some if cell.words.text or cell.is_shaded)
        and bool(others)
        and sum(cell.stands_out for cell in others) * 2 <= len(others)
    )
