"""Lines of a CSV file as rows with their line numbers, and rows that are none as faults.

Which delimiter parts the cells is decided here; what a cell means belongs to `reader.py`.
"""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.base import DocumentError
from rag_assets.sources.csv_rows.text import DAMAGED

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_LINES = 200
_MOST_CHARACTERS = 8 * 1024 * 1024
"""Of one row: its lines are held in memory until its last quote is closed."""
_MOST_READ_AGAIN = 100
_NO_LIMIT = 2**31 - 1
_SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])\r?\n?", re.IGNORECASE)
"""First line by which Excel is told the delimiter; Excel does not show it."""
_CONTROL = re.compile(
    # The colours of a terminal; then what moves a cursor, or turns the direction of writing round. White space stays.
    r"\x1b\[[0-?]*[ -/]*[@-~]|[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row with as many cells as there are columns.

    Attributes:
        line: Line of the file that it begins in, from 1; a quoted cell may go on over several.
        cells: Their text as it stands in the file, without control characters.
        swallowed: How many lines of a cell look like rows of their own; 0 for almost every row.
    """

    line: int
    cells: list[str]
    swallowed: int = 0


@dataclass(frozen=True, slots=True)
class BadRow:
    """A place where a row should be and cannot be read.

    Attributes:
        line: Line of the file that it begins in.
        topic: What kind of fault it is.
        message: What is the matter, and what to do.
        cells: What could be read of it.
        harmless: Whether nothing is lost with it.
    """

    line: int
    topic: str
    message: str
    cells: Sequence[str] = ()
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file that has been opened: the names of its columns, and its rows still to be read.

    Attributes:
        columns: Names in order; one that is empty, or repeated, cannot be asked for.
        line: Line that the names begin in.
        delimiter: What parts the cells.
        rows: Everything below the names, in order; blank rows are left out.
    """

    columns: tuple[str, ...]
    line: int
    delimiter: str
    rows: Iterator[CsvRow | BadRow]


def open_table(lines: Iterator[str], delimiter: str = "", header_line: int = 1) -> CsvTable:
    """Read the column names and get ready for the rows.

    Args:
        lines: Lines of the file with their ends.
        delimiter: What parts the cells; empty takes what a first line `sep=;` says, or detects it.
        header_line: Line that the column names stand on, from 1, or the first below it that is not blank; what stands
            above is left out.

    Raises:
        DocumentError: There are no column names on that line; while reading `rows`, the quoting makes no sense.
    """
    # The limit is one of the process, and too low for long texts; what a row may hold is bounded by `_Feed`.
    csv.field_size_limit(_NO_LIMIT)
    above = list(islice(lines, 1))
    told = separator_told(above[0]) if above else ""
    if told:
        delimiter, header_line = delimiter or told, max(header_line, 2)
    lines = islice(chain(above, lines), header_line - 1, None)
    sample = list(islice(lines, _SAMPLE_LINES))
    delimiter = delimiter or detect_delimiter(sample)
    found = _read(_Feed(chain(sample, lines), header_line), delimiter)
    first = next((row for row in found if isinstance(row, BadRow) or "".join(row.cells).strip()), None)
    if not isinstance(first, CsvRow):
        raise DocumentError(
            f"line {header_line}: there are no column names ({first.message if first else 'the file ends before'}); "
            "set header_line to the line they stand on"
        )
    columns = tuple(one_line(_CONTROL.sub("", cell)) for cell in first.cells)
    while columns and not columns[-1]:
        columns = columns[:-1]
    if DAMAGED.search("".join(columns)) or "\0" in "".join(columns):
        raise DocumentError(f"line {first.line}: the column names hold bytes that are no text: is `encoding` right?")
    return CsvTable(columns, first.line, delimiter, _check_rows(found, columns, first.line, delimiter))


def separator_told(line: str) -> str:
    """The delimiter that a first line `sep=;` tells; empty where it is none."""
    told = _SEPARATOR_LINE.fullmatch(line)
    return told[1] if told else ""


def detect_delimiter(lines: Sequence[str]) -> str:
    """The delimiter under which most of the rows have as many cells as the first; comma where none parts anything."""
    scores = {delimiter: _agreement(lines, delimiter) for delimiter in DELIMITERS}
    return max(DELIMITERS, key=lambda delimiter: scores[delimiter])


def _agreement(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    try:
        rows = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return 0, 0
    if not rows or rows[0] < 2:
        return 0, 0
    return round(rows.count(rows[0]) / len(rows), 1), rows[0]


class _Feed:
    """The lines of the row that is being read, so that they can be read again if its quote is not closed.

    Attributes:
        line: Line that the row begins in.
        row: Its lines so far.

    Raises:
        DocumentError: A row does not end.
    """

    def __init__(self, lines: Iterable[str], first_line: int) -> None:
        self._lines = iter(lines)
        self._again: deque[str] = deque()
        self.line = first_line
        self.row: list[str] = []
        self._characters = 0

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        if self._characters > _MOST_CHARACTERS:
            raise DocumentError(
                f"line {self.line}: a quote that opens in this row is not closed within {_MOST_CHARACTERS:,} "
                'characters: close it, or double quotes inside a cell ("")'
            )
        text = self._again.popleft() if self._again else next(self._lines)
        self._characters += len(text)
        self.row.append(text)
        return text

    def begin_row(self) -> None:
        self.line += len(self.row)
        self.row.clear()
        self._characters = 0

    def read_again_below_first_line(self) -> None:
        self._again.extendleft(reversed(self.row[1:]))
        del self.row[1:]


def _read(feed: _Feed, delimiter: str) -> Iterator[CsvRow | BadRow]:
    """Rows of any number of cells; behind a quote that is not closed, reading goes on with the next line."""
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    read_again = 0
    while True:
        feed.begin_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield _bad_quote(feed, error)
            read_again += len(feed.row) > 1
            if read_again > _MOST_READ_AGAIN:
                raise DocumentError(
                    f"line {feed.line}: the {read_again}th quote that is not closed; "
                    'quotes inside a cell have to be doubled ("") and the cell quoted: export the file anew'
                ) from error
            feed.read_again_below_first_line()
            reader = csv.reader(feed, delimiter=delimiter, strict=True)
        else:
            yield CsvRow(feed.line, cells)


def _bad_quote(feed: _Feed, error: csv.Error) -> BadRow:
    if len(feed.row) > 1 or "unexpected end" in str(error):
        last = feed.line + len(feed.row) - 1
        message = (
            f"a quote that opens here is not closed by line {last} ({error}); the row is left out, and reading went on "
            'with the line below: close it, or double quotes inside a cell ("")'
        )
        return BadRow(feed.line, "unclosed quote", message)
    message = f'{error}; the row is left out: double quotes inside a cell ("") and quote the whole cell'
    return BadRow(feed.line, "misplaced quote", message)


def _check_rows(
    rows: Iterator[CsvRow | BadRow], columns: Sequence[str], header_line: int, delimiter: str
) -> Iterator[CsvRow | BadRow]:
    """The rows that have text and as many cells as there are columns; empty cells too many are left out."""
    width = len(columns)
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        cells = row.cells
        text = "".join(cells)
        if not text or text.isspace():
            continue
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            del cells[width:]
        if len(cells) != width:
            yield BadRow(row.line, "ragged row", _explain_ragged(cells, columns, header_line), cells)
        elif not text.isprintable() and DAMAGED.search(text):
            yield BadRow(row.line, "undecodable bytes", _explain_damaged(cells, columns), cells)
        elif "\0" in text:
            at = next(position for position, cell in enumerate(cells) if "\0" in cell)
            yield BadRow(
                row.line, "NUL byte", f"in column {columns[at]}; the row is left out: take it out of the file", cells
            )
        elif _repeats_names(cells, columns):
            message = f"the column names of line {header_line} once more (files that were joined?); left out"
            yield BadRow(row.line, "repeated column names", message, harmless=True)
        elif text.isprintable():
            yield row
        else:
            clean = [_CONTROL.sub("", cell) for cell in cells]
            yield CsvRow(row.line, clean, _count_swallowed(clean, delimiter))


def _repeats_names(cells: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a row is the column names again; in a table of one column, its name may be a word like any other."""
    return len(columns) > 1 and columns[-1] in cells[-1] and tuple(map(one_line, cells)) == tuple(columns)


def _count_swallowed(cells: Sequence[str], delimiter: str) -> int:
    """How many lines inside a cell look like rows: those of a quote that was left open, and closed by a later one.

    That is legal CSV, and only the delimiters tell: every line below the cell's first has as many as a row, its last
    one those of the columns up to the cell. A blank behind a delimiter makes it a comma in a sentence; fewer than two
    delimiters tell nothing.
    """
    for at, cell in enumerate(cells):
        below = [line for line in cell.splitlines()[1:] if line.strip()]
        found = [line.count(delimiter) for line in below]
        wanted = [len(cells) - 1] * (len(below) - 1) + [at]
        if below and found == wanted and sum(found) > 1 and not any(f"{delimiter} " in line for line in below):
            return len(below)
    return 0


def _explain_ragged(cells: Sequence[str], columns: Sequence[str], header_line: int) -> str:
    told = f"{len(cells)} cells where there are {len(columns)} columns; the row is left out"
    if len(cells) < len(columns):
        return f"{told}: {columns[len(cells)]} and what follows is missing, add the cells, empty ones too"
    return (
        f"{told}: quote the cell that holds a delimiter; if column {len(columns) + 1} is one of its own, "
        f"give it a name in line {header_line}"
    )


def _explain_damaged(cells: Sequence[str], columns: Sequence[str]) -> str:
    at = next(position for position, cell in enumerate(cells) if DAMAGED.search(cell))
    found = DAMAGED.search(cells[at])
    assert found is not None
    code = ord(found[0])
    byte = f" (byte 0x{code - 0xDC00:02X})" if 0xDC80 <= code <= 0xDCFF else ""
    return f"in column {columns[at]}{byte}; the row is left out: mend the cell and save the file anew"
