"""Rows of a CSV file (help-desk histories, lists, product tables): one row, one Record, as the settings say.

How bytes become rows is in `text.py` and `table.py`, how a cell becomes a filter's value in `values.py`.
"""

import hashlib
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO, Literal, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from rag_assets.corpus.sidecar_limits import MOST_CHARACTERS, MOST_LIST_ITEMS
from rag_assets.japanese.characters import clip
from rag_assets.japanese.composed import compose
from rag_assets.japanese.dates import contradiction, written_date
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import AsOf, Attribute, Facet, Part, Record, Section, TextBlock
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.csv_rows.header import Header, probable_header
from rag_assets.sources.csv_rows.hints import columns_to_configure, header_seen, unknown_columns
from rag_assets.sources.csv_rows.source import SOURCE, CsvRowsDocument
from rag_assets.sources.csv_rows.table import BadRow, CsvRow, CsvTable, open_table
from rag_assets.sources.csv_rows.text import read_lines
from rag_assets.sources.csv_rows.values import PROFILE, cell_value, list_items, names_several_days
from rag_assets.sources.fetching.addresses import LEFT_OUT, shown_address

_PROFILE = Part(name=PROFILE)
_LABELLED = 120
"""Characters up to which a text stands behind its column's name on one line; a longer one stands under it."""
_TITLE_CHARACTERS = 40
"""Of a title that is made of the beginning of the text."""
_QUOTED_CHARACTERS = 60
"""Of a cell, where a finding tells what it says."""
_PLACE = re.compile(r"\{([^{}]+)\}")
_EMPTY_BRACKETS = re.compile(r"（\s*）|\(\s*\)|【\s*】|［\s*］|\[\s*\]|「\s*」|〔\s*〕|<\s*>|＜\s*＞")
_DANGLING = " 　・／/、,:：-–—|｜"
_SAFE_ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9_-])?")
_HASHED_ID = re.compile(r".*--[0-9a-f]{16}")
_PART_OF_ID = re.compile(r"[A-Za-z0-9_]{1,20}")
_SHOWN_OF_HASH = 8
_SAMPLE_ROWS = 30
_HEADER_LINES = 200
"""Of the file's beginning, by which the line with the column names is guessed."""
_BETWEEN = "\x1f"


def read_document(
    file: BinaryIO, settings: CsvRowsDocument, *, sha256: str, url: str | None = None
) -> Iterator[Reading]:
    """The rows of a CSV file as Records, and what is wrong with the others as Findings, in the order of the file.

    Nothing is kept of a row that has been handed out but its ID, and that on disk: memory does not grow with the file.
    Of two rows with one ID the first is kept; so it is where IDs differ in case only, since record IDs become names of
    files, and file systems (those of macOS and Windows) may take these for one.

    Raises:
        DocumentError: No column is configured as text (the message shows a table to begin with), or one that is
            configured is not there; it is no text, or in another encoding than it seemed; its quoting makes no sense.
    """
    table = open_table(read_lines(file, settings.encoding), settings.delimiter, settings.header_line)
    if not settings.text and not settings.long:
        raise DocumentError(_to_configure(file, table, settings))
    unknown = [name for name in _asked_columns(settings, table.columns) if name not in table.columns]
    if unknown:
        header = _find_header_below(file, settings)
        told = f". {header_seen(header, _open_at(file, settings, header).columns)}" if header else ""
        raise DocumentError(f"line {table.line}: {unknown_columns(unknown, table.columns)}{told}")
    yield from _column_notes(table, settings)
    reader = _RowReader(table.columns, settings, sha256, url)
    with closing(_SeenIds()) as seen:
        for row in table.rows:
            if isinstance(row, BadRow):
                finding = _finding(settings, row.line, row.topic, reader.name_row(row) + row.message)
                yield finding.model_copy(update={"kind": "note"}) if row.harmless else finding
            else:
                yield from _row_readings(row, reader, seen, settings)


def _row_readings(row: CsvRow, reader: "_RowReader", seen: "_SeenIds", settings: CsvRowsDocument) -> Iterator[Reading]:
    identity, number = reader.identity(row)
    if not number:
        columns = "、".join(settings.id)
        yield _finding(
            settings, row.line, "missing ID", f"column {columns} is empty; the row is left out: give it an ID"
        )
        return
    end = _ascii_id(identity, number)
    first, kept = seen.first(end, row.line)
    if first != row.line:
        topic, what = ("duplicate ID", f"ID {number}") if settings.id else ("duplicate row", "the whole row")
        message = f"{what} stands in line {first} already, which is kept; this one is left out"
        if kept != end:
            topic = "ID differing in case only"
            message = (
                f"{what} and {kept} (line {first}, which is kept) differ in case only, and some file systems take "
                "names that do for one; this one is left out: change one of the two, or add a column to `id`"
            )
        yield _finding(settings, row.line, topic, message)
        return
    if row.swallowed:
        message = (
            f"ID {number}: {row.swallowed} lines inside a cell look like rows of their own; the row is kept with them "
            'as its text: if a quote was left open, close it; if the cell is meant so, set bad_rows = "skip"'
        )
        yield _finding(settings, row.line, "rows inside a cell", message)
    sections = reader.sections(row)
    if not sections:
        columns = "、".join((*settings.text, *settings.long.values()))
        yield _finding(settings, row.line, "empty text", f"No text in {columns}; the row (ID {number}) is left out")
        return
    attributes, faults = reader.attributes(row)
    as_of, undated = reader.as_of(row)
    for fault in (*faults, *undated):
        yield _finding(settings, row.line, fault.topic, f"ID {number}: {fault.message}", fault.cell)
    yield reader.record(row, end, number, sections, attributes, as_of)


def _finding(settings: CsvRowsDocument, line: int, topic: str, message: str, quote: str = "") -> Finding:
    kind: Literal["fault", "note"] = "fault" if settings.bad_rows == "fail" else "note"
    return Finding(
        kind=kind, topic=topic, place=f"line {line}", message=message, quote=clip(one_line(quote), _QUOTED_CHARACTERS)
    )


def _to_configure(file: BinaryIO, table: CsvTable, settings: CsvRowsDocument) -> str:
    header = _find_header_below(file, settings)
    if header:
        table = _open_at(file, settings, header)
    seen = header_seen(header, table.columns) if header else ""
    rows = [row.cells for row in islice(table.rows, _SAMPLE_ROWS) if isinstance(row, CsvRow)]
    begun: dict[str, str | int] = {
        "source": SOURCE.name,
        "location": shown_address(settings.location, left_out=LEFT_OUT),
        "document": _document_name(settings),
    }
    if header or settings.header_line > 1:
        begun["header_line"] = table.line
    return columns_to_configure(table.columns, rows, begun, settings.key, seen)


def _find_header_below(file: BinaryIO, settings: CsvRowsDocument) -> Header | None:
    """Where the column names seem to stand, if titles are above them and the settings do not say where they are."""
    if "header_line" in settings.model_fields_set:
        return None
    file.seek(0)
    return probable_header(list(islice(read_lines(file, settings.encoding), _HEADER_LINES)), settings.delimiter)


def _open_at(file: BinaryIO, settings: CsvRowsDocument, header: Header) -> CsvTable:
    file.seek(0)
    return open_table(read_lines(file, settings.encoding), settings.delimiter, header.line)


def _column_notes(table: CsvTable, settings: CsvRowsDocument) -> Iterator[Finding]:
    """Column names that stand twice, where nobody asks for them.

    Raises:
        DocumentError: A column that is asked for is there twice.
    """
    asked = _asked_columns(settings, table.columns)
    repeated = [name for name in dict.fromkeys(table.columns) if name and table.columns.count(name) > 1]
    for name in repeated:
        positions = [str(at) for at, column in enumerate(table.columns, start=1) if column == name]
        told = f"columns {' and '.join(positions)} are both named {name}"
        if name in asked:
            raise DocumentError(f"line {table.line}: {told}: which one is meant? Rename one in the file")
        yield Finding.note("repeated column name", f"line {table.line}", f"{told}; neither is used")


def _asked_columns(settings: CsvRowsDocument, columns: Sequence[str]) -> list[str]:
    templates = [name for title in settings.title for name in _template_columns(title, columns)]
    values = [column.column for column in (*settings.metadata.values(), *settings.shown.values())]
    as_of = [settings.as_of_column] if settings.as_of_column else []
    links = _PLACE.findall(settings.link)
    return list(
        dict.fromkeys([*settings.id, *templates, *settings.text, *settings.long.values(), *values, *as_of, *links])
    )


def _template_columns(template: str, columns: Sequence[str]) -> list[str]:
    return [template] if template in columns else _PLACE.findall(template) or [template]


class _SeenIds:
    """The ends of record IDs so far and the line of each, in a temporary file that the system removes."""

    def __init__(self) -> None:
        # An empty name is a database of its own on disk, with a cache of bounded size in memory.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA cache_size = -4096")
        self._db.execute(
            "CREATE TABLE seen (name TEXT PRIMARY KEY COLLATE NOCASE, line INTEGER NOT NULL) WITHOUT ROWID"
        )
        self._db.execute("BEGIN")

    def first(self, end: str, line: int) -> tuple[int, str]:
        """The line that an ID stood in first, in whatever case, and how it was written there; it may be this one."""
        if self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (end, line)).rowcount:
            return line, end
        found = self._db.execute("SELECT line, name FROM seen WHERE name = ?", (end,)).fetchone()
        return int(found[0]), str(found[1])

    def close(self) -> None:
        self._db.close()


class _CellFault(NamedTuple):
    """A cell that cannot be taken as it is: what kind of fault, in words, and what the cell says."""

    topic: str
    message: str
    cell: str


@dataclass(frozen=True, slots=True)
class _ColumnPlace:
    """A configured column: its name, and where its cell is."""

    name: str
    at: int
    part: Part = _PROFILE


class _RowReader:
    """Turns rows into Records; everything that is the same for all rows is worked out once."""

    def __init__(self, columns: Sequence[str], settings: CsvRowsDocument, sha256: str, url: str | None) -> None:
        at = {name: position for position, name in enumerate(columns)}
        self._ids = [at[name] for name in settings.id]
        self._titles = [_filler(template, at) for template in settings.title]
        self._texts = [_ColumnPlace(name, at[name]) for name in settings.text]
        self._longs = [
            _ColumnPlace(column, at[column], Part(name=part, numbered=True)) for part, column in settings.long.items()
        ]
        self._metadata = [(key, at[column.column], column) for key, column in settings.metadata.items()]
        self._shown = [(key, at[column.column], column) for key, column in settings.shown.items()]
        self._as_of_field = (
            _ColumnPlace(settings.as_of_column, at[settings.as_of_column]) if settings.as_of_column else None
        )
        self._as_of = settings.told_as_of()
        self._label = settings.label or ("No.{id}" if settings.id else "")
        self._link = _filler(settings.link, at, quoted=True) if _PLACE.search(settings.link) else None
        self._url = settings.link or url or None
        self._prefix = f"{SOURCE.name}/{settings.key}/"
        self._document = _document_name(settings)
        self._sha256 = sha256

    def identity(self, row: CsvRow) -> tuple[str, str]:
        """What tells the row from others, and the number that it is known by; empty where its ID is missing."""
        if not self._ids:
            digest = _digest(_BETWEEN.join(map(one_line, row.cells)))
            return digest, digest
        parts = [one_line(row.cells[at]) for at in self._ids]
        return _BETWEEN.join(parts), "-".join(filter(None, parts))

    def sections(self, row: CsvRow) -> tuple[Section, ...]:
        """The text columns as one part, each long column as a part of its own; empty where there is no text."""
        found: list[Section] = []
        labelled: list[TextBlock] = []
        for field in self._texts:
            lines = _lines(row.cells[field.at])
            if len(lines) == 1 and len(lines[0]) <= _LABELLED:
                labelled.append(TextBlock(text=f"{field.name}：{lines[0]}"))
            elif lines:
                if labelled:
                    found.append(Section(blocks=tuple(labelled), part=_PROFILE))
                    labelled = []
                found.append(_section(field, lines))
        if labelled:
            found.append(Section(blocks=tuple(labelled), part=_PROFILE))
        found.extend(_section(field, lines) for field in self._longs if (lines := _lines(row.cells[field.at])))
        return tuple(found)

    def attributes(self, row: CsvRow) -> tuple[dict[str, Attribute], list[_CellFault]]:
        """What filters look at, and every cell that cannot be taken as it is."""
        values: dict[str, Attribute] = {}
        faults: list[_CellFault] = []
        for key, at, column in self._metadata:
            cell = row.cells[at]
            try:
                value = cell_value(cell, column)
            except ValueError as error:
                message = f"column {column.column} {error}; the row is kept without {key}"
                faults.append(_CellFault("unreadable value", message, cell))
                continue
            if value is None:
                continue
            too_much = _too_much(value)
            if too_much:
                message = f"column {column.column} has {too_much}; the row is kept without {key}"
                faults.append(_CellFault("oversized value", message, cell))
            else:
                values[key] = value
        return values, faults

    def as_of(self, row: CsvRow) -> tuple[AsOf | None, list[_CellFault]]:
        """The date that the row speaks for, and its cell where that tells none."""
        field = self._as_of_field
        cell = one_line(row.cells[field.at]) if field else ""
        if not field or not cell:
            return self._as_of, []
        told = _as_of(cell)
        if told:
            return told, []
        kept = "the as-of date of the settings" if self._as_of else "no as-of date"
        why = "names two different days" if contradiction(cell) or names_several_days(cell) else "is no date"
        message = f"column {field.name} {why}; the row is kept with {kept}"
        return self._as_of, [_CellFault("unreadable value", message, cell)]

    def name_row(self, row: BadRow) -> str:
        """Whose row it seems to be, as far as its cells go; empty where nothing tells."""
        if not self._ids or len(row.cells) <= max(self._ids):
            return ""
        number = "-".join(filter(None, (one_line(row.cells[at]) for at in self._ids)))
        return f"ID {number}: " if number and number.isprintable() else ""

    def record(
        self,
        row: CsvRow,
        end: str,
        number: str,
        sections: tuple[Section, ...],
        attributes: dict[str, Attribute],
        as_of: AsOf | None,
    ) -> Record:
        """The row as a Record."""
        return Record(
            record_id=self._prefix + end,
            source=SOURCE.name,
            document=self._document,
            number=number,
            label=self._label.replace("{id}", number) if self._label else f"#{number[:_SHOWN_OF_HASH]}",
            title=self._title(row, sections),
            facets=tuple(
                Facet(key=key, label=column.column, values=values)
                for key, at, column in self._shown
                if (values := list_items(row.cells[at], column))
            ),
            as_of=as_of,
            url=self._link(row.cells) if self._link else self._url,
            attributes=attributes,
            origin_sha256=self._sha256,
            sections=sections,
        )

    def _title(self, row: CsvRow, sections: tuple[Section, ...]) -> str:
        title = "　".join(filter(None, (filled(row.cells) for filled in self._titles)))
        if title:
            return title
        block = sections[0].blocks[0]
        assert isinstance(block, TextBlock)
        words = block.text if sections[0].headings else block.text.partition("：")[2]
        return clip(words, _TITLE_CHARACTERS)


def _section(field: _ColumnPlace, lines: Sequence[str]) -> Section:
    return Section(headings=(field.name,), blocks=tuple(TextBlock(text=line) for line in lines), part=field.part)


def _lines(cell: str) -> list[str]:
    """The lines of a cell that have text. A break in a cell was typed there, and is none that a layout made."""
    # Most cells are one plain line: nothing to unify, and several times as fast.
    if cell.isprintable() and "  " not in cell:
        text = cell.strip()
        return [text] if text else []
    return [line for line in map(one_line, cell.splitlines()) if line]


def _filler(template: str, at: dict[str, int], *, quoted: bool = False) -> Callable[[Sequence[str]], str]:
    """A template as a function of a row's cells; the name of a column is a template by itself."""
    if template in at:
        position = at[template]
        return lambda cells: one_line(cells[position])
    pieces = _PLACE.split(template)
    words, places = pieces[::2], [at[name] for name in pieces[1::2]]

    def fill(cells: Sequence[str]) -> str:
        values = [one_line(cells[place]) for place in places]
        if quoted:
            values = [quote(value, safe="") for value in values]
        text = words[0] + "".join(value + behind for value, behind in zip(values, words[1:], strict=True))
        return text if quoted or all(values) else one_line(_EMPTY_BRACKETS.sub("", text)).strip(_DANGLING)

    return fill


@lru_cache(maxsize=4096)
def _as_of(cell: str) -> AsOf | None:
    day = None if names_several_days(cell) else written_date(cell, or_month=True)
    return AsOf(label=cell, date=day) if day else None


def _too_much(value: Attribute) -> str:
    """Why a sidecar cannot hold a value; empty where it can."""
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        return f"{len(value)} characters, at most {MOST_CHARACTERS} can be filtered"
    if isinstance(value, tuple) and len(value) > MOST_LIST_ITEMS:
        return f"{len(value)} items, at most {MOST_LIST_ITEMS} can be filtered"
    return next(filter(None, map(_too_much, value)), "") if isinstance(value, tuple) else ""


def _ascii_id(identity: str, number: str) -> str:
    """The end of a record ID: an ID of one column as it is where it is ASCII and short; else readable, with a hash.

    Nothing that is taken as it is looks like one with a hash, so no two IDs come out the same.
    """
    if _BETWEEN not in identity:
        if _SAFE_ID.fullmatch(identity) and not _HASHED_ID.fullmatch(identity):
            return identity
    elif all(_PART_OF_ID.fullmatch(part) for part in identity.split(_BETWEEN)) and len(number) <= 80:
        return number
    slug = re.sub(r"[^A-Za-z0-9_]+", "-", unicodedata.normalize("NFKC", number)).strip("-")[:40].strip("-")
    return f"{slug or 'row'}--{_digest(identity)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _document_name(settings: CsvRowsDocument) -> str:
    return settings.document or _name_in(settings.location) or settings.key


def _name_in(location: str) -> str:
    """A file's name without folders and ending."""
    if "://" in location:
        return compose(PurePosixPath(unquote(urlsplit(location).path)).stem)
    return compose(PureWindowsPath(location).stem if "\\" in location else PurePosixPath(location).stem)
