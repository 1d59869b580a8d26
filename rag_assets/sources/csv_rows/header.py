"""Where a CSV file's column names seem to stand, if titles, dates or notes are above them.

A guess that is shown to a person, never acted on. How rows are read belongs to `table.py`.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_assets.japanese.dates import written_date
from rag_assets.sources.csv_rows.table import DELIMITERS, separator_told
from rag_assets.sources.csv_rows.values import read_number

_FILLED = 0.6
"""Of the columns, which a row of names fills; a title fills one, a date with its label two."""
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Header:
    """Where column names seem to stand.

    Attributes:
        line: Line of the file, from 1.
        above: What stands above them.
    """

    line: int
    above: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _HeaderLine:
    number: int
    cells: tuple[str, ...]

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))

    @property
    def looks_like_names(self) -> bool:
        """Whether its cells could name columns: different words, or years or days that follow each other behind one."""
        given = list(filter(None, self.cells))
        values = [value for cell in given if (value := _number_or_day(cell)) is not None]
        is_short = all(len(cell) <= _LONGEST_NAME for cell in given)
        return len(set(given)) == len(given) and is_short and (not values or _is_series(values, given))


def probable_header(lines: Sequence[str], delimiter: str = "") -> Header | None:
    """Where the names stand, by the first rows of a file; None where they are in the first row that is not blank.

    They are the first row that is as wide as the rows of the table and filled as names are.

    Args:
        lines: The first lines of the file.
        delimiter: What parts the cells; empty tries all.
    """
    told = separator_told(lines[0]) if lines else ""
    tried = [delimiter or told] if delimiter or told else DELIMITERS
    guesses = [_guess(_rows(lines[1:] if told else lines, each, 2 if told else 1)) for each in tried]
    _, header = max(guesses, key=lambda guess: guess[0])
    return header if header and header.above else None


def _rows(lines: Iterable[str], delimiter: str, first: int) -> list[_HeaderLine]:
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[_HeaderLine] = []
    number = first
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_HeaderLine(number, tuple(cell.strip() for cell in cells)))
            number = first + reader.line_num
    except csv.Error:
        # What could be read is enough for a guess; the fault itself is told when the rows are read.
        pass
    return rows


def _guess(rows: Sequence[_HeaderLine]) -> tuple[tuple[float, int], Header | None]:
    """How well the rows make a table, and its header."""
    widths = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
    if not widths:
        return (0.0, 0), None
    width = max(widths, key=lambda each: (widths[each], each))
    wide = [at for at, row in enumerate(rows) if len(row.cells) == width and row.filled >= max(2, _FILLED * width)]
    at = next((at for at in wide if rows[at].looks_like_names), wide[0] if wide else None)
    if at is None:
        return (0.0, 0), None
    agreeing = sum(len(row.cells) == width for row in rows[at:]) / len(rows[at:])
    above = tuple("　".join(filter(None, row.cells)) for row in rows[:at])
    return (round(agreeing, 1), width), Header(rows[at].number, above)


def _is_series(values: Sequence[float], given: Sequence[str]) -> bool:
    """Whether all cells but the first count on by one, as 2023, 2024, 2025 do, or 4月1日, 4月2日."""
    steps = {after - before for before, after in pairwise(values)}
    return len(values) == len(given) - 1 and _number_or_day(given[0]) is None and steps in ({1}, {-1})


def _number_or_day(cell: str) -> float | None:
    """A number, or a date as the count of its day; None for words."""
    day = written_date(cell)
    return day.toordinal() if day else read_number(cell)
