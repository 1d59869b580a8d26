"""Table rows as lines that can be read alone: every value under the headings of its column and row."""

import re
from dataclasses import dataclass, field
from itertools import groupby, pairwise, takewhile

from rag_assets.japanese.widths import half_width
from rag_assets.model import Cell, Table

FIELD_BAR = "｜"


@dataclass(frozen=True, slots=True)
class CellWords:
    """Where the words of cells stand in a line, from start up to end, and every heading they stand under."""

    start: int
    end: int
    headings: tuple[str, ...]

    def moved(self, distance: int) -> "CellWords":
        """The same words where so many characters more stand in front."""
        return CellWords(self.start + distance, self.end + distance, self.headings)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a row under its column heading; the heading is empty where the table has none.

    `words` tells where in `text` the cells' own words stand.
    """

    heading: str
    value: str
    words: tuple[CellWords, ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """Heading and value as they stand in the row."""
        return f"{self.heading}：{self.value}" if self.heading else self.value


@dataclass(frozen=True, slots=True)
class TextRow:
    """One body row as fields; `text` is its line."""

    fields: tuple[Field, ...]

    @property
    def text(self) -> str:
        """The row on one line."""
        return FIELD_BAR.join(field.text for field in self.fields)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """One line as a page shows it; `words` tells where in `text` the words of each cell stand, if it is a table row.

    Cells of a heading row stand under no heading.
    """

    text: str
    words: tuple[CellWords, ...]


def readable_rows(table: Table) -> list[TextRow]:
    """The body rows of a table, each carrying the headings of its columns.

    Columns under one heading form one field, their different cells side by side:
    「区分：協同組合等／年800万円以下の部分」.
    Under a heading of several levels the upper one is said once: 「適用関係：平28.4.1以後＝15%、平30.4.1以後＝15%」.

    A row whose cells do not fill the columns of the headings cannot be matched to them: it is given as it stands,
    behind all the headings in brackets, and nothing is guessed. The same holds for every row of a table that has rows
    of different widths but not one span: its page has lost them, and a row of the right width may be right by chance.
    A table with no body row is given as its heading rows. A row with no cell of its own (all reach in from above)
    says nothing and is left out. Headings with nothing but empty cells under them stand in a row before the others.
    """
    rows = _grid(table)
    heading_rows, headings = _headings(rows)
    body = rows[heading_rows:]
    if not body:
        return [TextRow((Field("", FIELD_BAR.join(_distinct_texts(row))),)) for row in rows]
    matchable = _matchable(table, rows)
    found = [_row(row, headings, matchable=matchable) for row in body]
    said = {heading for row in found for part in row.fields for words in part.words for heading in words.headings}
    unsaid = [heading for heading in _all_headings(headings) if heading not in said]
    if unsaid:
        found = [TextRow((Field("", FIELD_BAR.join(unsaid)),)), *found]
    return found


def placed_rows(table: Table) -> list[PlacedLine]:
    """The rows as a page shows them to a program that knows no headings: every cell once, side by side.

    With them comes what such a program does not know: which words stand under which headings.
    A cell over several columns stands under the headings that all of them share; the cells of a row that cannot be
    matched to the columns (see `readable_rows`) stand under all headings of the table.
    """
    grid = _grid(table)
    heading_rows, headings = _headings(grid)
    matchable = _matchable(table, grid)
    cells: dict[int, list[Cell]] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.text:
            cells.setdefault(cell.row, []).append(cell)
    return [
        _plain_row(own, headings if position >= heading_rows else [], matched=matchable and len(row) == len(headings))
        for position, (row, own) in enumerate(zip(grid, cells.values(), strict=True))
    ]


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


def _matchable(table: Table, rows: list[_GridRow]) -> bool:
    has_spans = any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)
    return has_spans or len({len(row) for row in rows}) == 1


def _heading_rows(rows: list[_GridRow]) -> int:
    """How many leading rows have nothing but headings."""
    return sum(1 for _ in takewhile(lambda row: all(cell is None or cell.heading for cell in row), rows))


def _column_headings(rows: list[_GridRow]) -> list[tuple[str, ...]]:
    """For every column, its different heading words from top to bottom; columns past the last heading have none."""
    width = max((len(row) for row in rows), default=0)
    return [
        tuple(
            dict.fromkeys(
                cell.text for row in rows if column < len(row) and (cell := row[column]) is not None and cell.text
            )
        )
        for column in range(width)
    ]


def _headings(rows: list[_GridRow]) -> tuple[int, list[tuple[str, ...]]]:
    """How many leading rows head the others, and what they say over each column.

    None do where what is marked as headings is a first row of values that is only set bold: a number, an amount, a
    sign, the beginning of an enumeration, a sentence. Put over the other rows such words would make false statements.
    Numbers that only count the columns under a heading over all of them are read with it: １ and ２ below 職務の級
    are 職務の級１ and 職務の級２.
    """
    count = _heading_rows(rows)
    headings = _with_numbers(_column_headings(rows[:count]))
    return (count, headings) if all(map(_speaks_as_heading, _all_headings(headings))) else (0, [])


def _with_numbers(headings: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Headings of columns, the numbers that only count columns behind what they count."""
    found: list[tuple[str, ...]] = []
    for upper, group in groupby(headings, key=lambda path: path[:-1]):
        paths = list(group)
        numbers = [_NUMBERED.fullmatch(half_width(path[-1])) if path else None for path in paths]
        counts = [int(match[1]) for match in numbers if match]
        counting = len(counts) == len(paths) > 1 and all(below - above == 1 for above, below in pairwise(counts))
        if upper and counting and _speaks_as_heading(upper[-1]):
            found.extend((*upper[:-1], upper[-1] + path[-1]) for path in paths)
        else:
            found.extend(paths)
    return found


_NUMBERED = re.compile(r"([0-9]{1,2})(?:\([^()]*\))?")
_LONGEST_HEADING = 50
"""Longest words that head a column: on the real Tax Answer pages, whatever is longer is a value or a formula's term."""

_NO_HEADING = re.compile(r"[\W\d_①-⑳]*(?:[イロハニホヘト]|[千万億]*円|パーセント)?[\W\d_]*")
_IN_BRACKETS = re.compile(r"（[^（）]*）|\([^()]*\)")


def _speaks_as_heading(words: str) -> bool:
    shortest = _IN_BRACKETS.sub("", words) or words
    return len(shortest) <= _LONGEST_HEADING and "。" not in shortest and not _NO_HEADING.fullmatch(words)


def _plain_row(cells: list[Cell], headings: list[tuple[str, ...]], *, matched: bool) -> PlacedLine:
    words: list[CellWords] = []
    start = 0
    for cell in cells:
        end = start + len(cell.text)
        words.append(CellWords(start, end, _shared_headings(cell, headings) if matched else _all_headings(headings)))
        start = end + 1
    return PlacedLine(" ".join(cell.text for cell in cells), tuple(words))


def _shared_headings(cell: Cell, headings: list[tuple[str, ...]]) -> tuple[str, ...]:
    paths = headings[cell.column : cell.column + cell.column_span]
    return tuple(heading for heading in paths[0] if all(heading in path for path in paths)) if paths else ()


def _all_headings(headings: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(heading for path in headings for heading in path))


def _row(row: _GridRow, headings: list[tuple[str, ...]], *, matchable: bool) -> TextRow:
    if headings and (not matchable or len(row) != len(headings)):
        named = FIELD_BAR.join(dict.fromkeys("＞".join(path) for path in headings if path))
        # Which of the headings is whose cannot be told, so every cell needs them all.
        needed = _all_headings(headings)
        fields = [
            _field("", [(f"［{named}］" if named and not position else "", [text], needed)])
            for position, text in enumerate(_distinct_texts(row))
        ]
        return TextRow(tuple(fields))
    paths = headings or [()] * len(row)
    fields = []
    for top, group in groupby(range(len(row)), key=lambda column: paths[column][:1] or ("", column)):
        columns = list(group)
        fields.extend(_fields(str(top[0]), [(paths[column][1:], row[column]) for column in columns]))
    return TextRow(tuple(fields))


def _fields(top: str, cells: list[tuple[tuple[str, ...], Cell | None]]) -> list[Field]:
    """The field of the columns under one top heading; empty cells are left out."""
    parts: list[_Part] = []
    for below, group in groupby(cells, key=lambda item: item[0]):
        texts = _distinct_texts([cell for _, cell in group])
        if texts:
            name = "＞".join(below)
            parts.append((f"{name}＝" if name else "", texts, (*([top] if top else []), *below)))
    return [_field(top, parts)] if parts else []


_Part = tuple[str, list[str], tuple[str, ...]]
"""What a field says before some cells' words, those words, and the headings they stand under."""


def _field(heading: str, parts: list[_Part]) -> Field:
    start = len(heading) + 1 if heading else 0
    words: list[CellWords] = []
    for before, texts, headings in parts:
        start += len(before)
        for text in texts:
            words.append(CellWords(start, start + len(text), headings))
            start += len(text) + 1
    value = "、".join(before + "／".join(texts) for before, texts, _ in parts)
    return Field(heading, value, tuple(words))


def _distinct_texts(row: list[Cell | None]) -> list[str]:
    """The words of a row's different cells; a cell over several columns is said once."""
    different = {id(cell): cell for cell in row if cell is not None and cell.text}
    return [cell.text for cell in different.values()]
