"""Table rows as lines that can be read alone: every value under the headings of its column and row."""

from dataclasses import dataclass
from itertools import groupby, takewhile

from rag_assets.model import Cell, Table

FIELD_BAR = "｜"


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a row under its column heading; the heading is empty where the table has none."""

    heading: str
    value: str

    @property
    def text(self) -> str:
        """Heading and value as they stand in the row."""
        return f"{self.heading}：{self.value}" if self.heading else self.value


@dataclass(frozen=True, slots=True)
class Row:
    """One body row as fields; `text` is its line."""

    fields: tuple[Field, ...]

    @property
    def text(self) -> str:
        """The row on one line."""
        return FIELD_BAR.join(field.text for field in self.fields)


def readable_rows(table: Table) -> list[Row]:
    """The body rows of a table, each carrying the headings of its columns.

    Columns under one heading form one field, their different cells side by side: 「区分：協同組合等／年800万円以下の部分」.
    Under a heading of several levels the upper one is said once: 「適用関係：平28.4.1以後＝15%、平30.4.1以後＝15%」.

    A row whose cells do not fill the columns of the headings cannot be matched to them: it is given as it stands,
    behind all the headings in brackets, and nothing is guessed. The same holds for every row of a table that has rows
    of different widths but not one span: its page has lost them, and a row of the right width may be right by chance.
    A table with no body row is given as its heading rows. A row with no cell of its own (all reach in from above)
    says nothing and is left out.
    """
    rows = _grid(table)
    heading_rows = _heading_rows(rows)
    body = rows[heading_rows:]
    if not body:
        return [Row((Field("", FIELD_BAR.join(_distinct_texts(row))),)) for row in rows]
    headings = _column_headings(rows[:heading_rows])
    matchable = _has_spans(table) or len({len(row) for row in rows}) == 1
    return [_row(row, headings, matchable=matchable) for row in body]


def plain_rows(table: Table) -> list[str]:
    """The rows as a page shows them to a program that knows no headings: every cell once, side by side."""
    rows: dict[int, list[str]] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.text:
            rows.setdefault(cell.row, []).append(cell.text)
    return [" ".join(texts) for texts in rows.values()]


_GridRow = list[Cell | None]


def _grid(table: Table) -> list[_GridRow]:
    """The rows with every position filled by the cell that covers it; rows with no words of their own are left out."""
    height = max(cell.row + cell.row_span for cell in table.cells)
    grid: list[_GridRow] = [[] for _ in range(height)]
    for cell in sorted(table.cells, key=lambda cell: (cell.column, cell.row)):
        for row in grid[cell.row : cell.row + cell.row_span]:
            row.extend([None] * (cell.column - len(row)))
            row.extend([cell] * cell.column_span)
    speaking = {cell.row for cell in table.cells if cell.text}
    return [row for position, row in enumerate(grid) if position in speaking]


def _has_spans(table: Table) -> bool:
    return any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)


def _heading_rows(rows: list[_GridRow]) -> int:
    """How many leading rows have nothing but headings."""
    return sum(1 for _ in takewhile(lambda row: all(cell is None or cell.heading for cell in row), rows))


def _column_headings(rows: list[_GridRow]) -> list[tuple[str, ...]]:
    """For every column, its different heading words from top to bottom; columns past the last heading have none."""
    width = max((len(row) for row in rows), default=0)
    return [
        tuple(
            dict.fromkeys(
                cell.text
                for row in rows
                if column < len(row) and (cell := row[column]) is not None and cell.text
            )
        )
        for column in range(width)
    ]


def _row(row: _GridRow, headings: list[tuple[str, ...]], *, matchable: bool) -> Row:
    if headings and (not matchable or len(row) != len(headings)):
        named = FIELD_BAR.join(dict.fromkeys("＞".join(path) for path in headings if path))
        first, *others = _distinct_texts(row)
        return Row((Field("", f"［{named}］{first}" if named else first), *(Field("", text) for text in others)))
    paths = headings or [()] * len(row)
    fields: list[Field] = []
    for top, group in groupby(range(len(row)), key=lambda column: paths[column][:1] or ("", column)):
        columns = list(group)
        fields.extend(_fields(str(top[0]), [(paths[column][1:], row[column]) for column in columns]))
    return Row(tuple(fields))


def _fields(top: str, cells: list[tuple[tuple[str, ...], Cell | None]]) -> list[Field]:
    """The field of the columns under one top heading; empty cells are left out."""
    parts: list[str] = []
    for below, group in groupby(cells, key=lambda item: item[0]):
        texts = _distinct_texts([cell for _, cell in group])
        if texts:
            name = "＞".join(below)
            parts.append(f"{name}＝{'／'.join(texts)}" if name else "／".join(texts))
    return [Field(top, "、".join(parts))] if parts else []


def _distinct_texts(row: list[Cell | None]) -> list[str]:
    """The words of a row's different cells; a cell over several columns is said once."""
    different = {id(cell): cell for cell in row if cell is not None and cell.text}
    return [cell.text for cell in different.values()]
