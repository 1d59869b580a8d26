"""What a user is told of a CSV file whose columns are not configured, or misspelt: its columns, and a way to begin.

A guess is only ever shown here, never acted on: what is text and what is the ID decides what is found.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from statistics import mean

from rag_assets.corpus.sidecar_limits import is_taken
from rag_assets.japanese.characters import clip
from rag_assets.japanese.dates import written_date
from rag_assets.sources.csv_rows.header import Header
from rag_assets.sources.csv_rows.values import PROFILE, names_several_days, read_number

_SHOWN_ROWS = 3
_SHOWN_CHARACTERS = 24
_LONG_TEXT = 200
_SHORT_TEXT = 20
_ID_NAMES = re.compile(r"id|no\.?|番号|管理番号|受付番号|コード|code|key|連番|#|.*(?:番号|コード|id)", re.IGNORECASE)
_NO_ID_NAMES = re.compile(r"電話|携帯|ファクス|ファックス|FAX|TEL|郵便", re.IGNORECASE)
"""What a number of these reaches may change, and belongs into the text."""
_TITLE_NAMES = re.compile(r"件名|題名|表題|タイトル|品目|品名|名称|項目|質問|title|name|subject|summary", re.IGNORECASE)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KEY = re.compile(r"[a-z][a-z0-9_]*")


def unknown_columns(unknown: Sequence[str], columns: Sequence[str]) -> str:
    """Which configured columns the file does not have, what may have been meant, and what it has."""
    told = []
    for name in unknown:
        close = _close(name, columns)
        told.append(f"{name!r}" + (f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""))
    return f"there is no column {', '.join(told)}; the columns are {_list_columns(columns)}"


def header_seen(header: Header, columns: Sequence[str]) -> str:
    """That the column names seem to stand below other lines, and what to set then."""
    above = " / ".join(map(_quote_cell, header.above[:_SHOWN_ROWS]))
    more = " / …" if len(header.above) > _SHOWN_ROWS else ""
    return (
        f"Line {header.line} seems to hold the column names, {_list_columns(columns)}, below 「{above}{more}」: "
        f"if so, set header_line = {header.line}"
    )


def columns_to_configure(
    columns: Sequence[str], rows: Sequence[Sequence[str]], table: Mapping[str, str | int], key: str, seen: str = ""
) -> str:
    """The columns of a file, its first rows, and a settings table that can be pasted as it is and mended.

    Every column stands somewhere in it. Where only a person can choose a name (the ASCII key of a filter), the line
    stands there as a comment, and the column in the text all the same.

    Args:
        columns: Names in order.
        rows: Some of its first rows, each with as many cells.
        table: What the settings table begins with.
        key: The document's key.
        seen: What was seen of the lines above the names, if anything.
    """
    lines = [f"which columns hold what has to be set; the columns are {_list_columns(columns)}"]
    lines += [seen] if seen else []
    for number, row in enumerate(rows[:_SHOWN_ROWS], start=1):
        cells = "｜".join(_quote_cell(cell) for cell in row)
        lines.append(f"  row {number}: {cells}")
    lines += ["a table to begin with, for the settings file; mend what it guesses:", "", f"[document.{key}]"]
    for name, value in table.items():
        lines += ["# what every chunk calls the table: write its proper name"] if name == "document" else []
        lines.append(f"{name} = {_quote(value) if isinstance(value, str) else value}")
    lines += _guess(columns, rows)
    lines += _left_out(columns, rows)
    return "\n".join(lines)


def _guess(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    cells = {name: [row[at] for row in rows] for at, name in enumerate(columns) if name and columns.count(name) == 1}
    identity = _identity(cells)
    if identity:
        yield f"id = {_quote(identity)}"
    else:
        yield "# id: no column looks like one; without it, the ID is made of what a row says"
    rest = [name for name in cells if name != identity]
    title = _title(rest, cells)
    if title:
        yield f"title = {_quote(title)}"
    long = [name for name in rest if any(len(cell) > _LONG_TEXT for cell in cells[name])]
    # What only looks like an ID may say something: it stays in the text.
    said = [name for name in cells if name != identity or not _is_id_name(name)]
    text = [name for name in said if name not in (*long, title)]
    text = text or ([] if long else rest or list(cells))
    dates = [name for name in rest if name not in long and _all(cells[name], _is_one_date)]
    numbers = [name for name in rest if name not in (*long, *dates) and _all(cells[name], _is_number)]
    figures = [name for name in text if name in numbers]
    if figures and len(figures) < len(text):
        yield f"# numbers say little by themselves; take out of text what nobody asks for: {_list_columns(figures)}"
    if text:
        yield f"text = [{', '.join(map(_quote, text))}]"
    if long:
        yield "# each long column is a part of its own; the ASCII name before it stands in the names of its chunks"
        parts = _name_entries({name: _quote(name) for name in long}, "long_text")
        yield f"long = {{ {', '.join(parts)} }}"
    wordy = [name for name in rest if name not in (*long, *dates, *numbers)]
    filters = {name: _quote(name) for name in wordy if name != title and _groups(cells[name])}
    filters |= {name: f'{{column = {_quote(name)}, type = "number"}}' for name in numbers}
    filters |= {name: f'{{column = {_quote(name)}, type = "date"}}' for name in dates}
    line = f"metadata = {{ {', '.join(_name_entries(filters, 'ascii_name'))} }}"
    if "ascii_name" in line:
        yield "# columns to filter by: choose an ASCII name for each, and take the # away"
        yield f"# {line}"
    elif filters:
        yield line
    if dates:
        yield "# where a row speaks for a date of its own: take the # away"
        yield f"# as_of_column = {_quote(dates[0])}"


def _left_out(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The columns that no setting can name, as comments."""
    for name in dict.fromkeys(name for name in columns if name and columns.count(name) > 1):
        positions = " and ".join(str(at) for at, column in enumerate(columns, start=1) if column == name)
        yield f"# in nothing: columns {positions} are both named {name}; rename one in the file"
    for at, name in enumerate(columns):
        first = next((row[at] for row in rows if row[at].strip()), "")
        if not name and first:
            yield f"# in nothing: column {at + 1} (「{_quote_cell(first)}」 …) has no name; give it one in the file"


def _all(values: Sequence[str], fits: Callable[[str], object]) -> bool:
    given = [value for value in values if value]
    return bool(given) and all(map(fits, given))


def _is_number(cell: str) -> bool:
    return read_number(cell) is not None


def _is_one_date(cell: str) -> bool:
    return written_date(cell) is not None and not names_several_days(cell)


def _identity(cells: dict[str, list[str]]) -> str:
    """The column of an ID, by its name, else by its values: with letters in all of them, or the first column."""
    unique = [
        name
        for name, values in cells.items()
        if values and len(set(values)) == len(values) and all(_ID.fullmatch(value) for value in values)
    ]
    named = [name for name in unique if _is_id_name(name)]
    first = next(iter(cells), "")
    lettered = [
        name
        for name in unique
        if not _all(cells[name], written_date)
        and (name == first or all(re.search("[A-Za-z]", value) for value in cells[name]))
    ]
    return (named or lettered or [""])[0]


def _is_id_name(name: str) -> bool:
    plain = unicodedata.normalize("NFKC", name)
    return _ID_NAMES.fullmatch(plain) is not None and not _NO_ID_NAMES.search(plain)


def _title(rest: Sequence[str], cells: dict[str, list[str]]) -> str:
    named = [name for name in rest if _TITLE_NAMES.fullmatch(name)]
    wordy = [name for name in rest if 1 < mean(len(cell) for cell in cells[name] or [""]) <= _LONG_TEXT / 2]
    varied = [name for name in wordy if not _groups(cells[name])]
    return (named or varied or wordy or [""])[0]


def _groups(values: Sequence[str]) -> bool:
    """Whether the values put rows into groups: few and short."""
    given = [value for value in values if value]
    return bool(given) and len(set(given)) * 2 <= len(given) and max(map(len, given)) <= _SHORT_TEXT


def _name_entries(values: Mapping[str, str], placeholder: str) -> list[str]:
    """Entries of a TOML table, by the column's own name where it is one, else by a placeholder."""
    number = 0
    entries = []
    for name, value in values.items():
        key = name.lower()
        if not _KEY.fullmatch(key) or is_taken(key) or key == PROFILE:
            number += 1
            key = placeholder if number == 1 else f"{placeholder}_{number}"
        entries.append(f"{key} = {value}")
    return entries


def _close(name: str, columns: Sequence[str]) -> list[str]:
    plain = {each: unicodedata.normalize("NFKC", each).casefold().replace(" ", "") for each in (name, *columns)}
    wanted = plain[name]
    same = [column for column in columns if column and plain[column] == wanted]
    within = [column for column in columns if column and (wanted in plain[column] or plain[column] in wanted)]
    return (same or get_close_matches(name, columns, n=2, cutoff=0.5) or within)[:2]


def _list_columns(columns: Sequence[str]) -> str:
    return "、".join(f"「{name}」" for name in columns if name)


def _quote_cell(cell: str) -> str:
    return clip(" ".join(cell.split()), _SHOWN_CHARACTERS)


def _quote(text: str) -> str:
    """A TOML basic string: its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)
