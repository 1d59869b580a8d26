"""One cell as a value that filters can compare: string, number, date, boolean or list of strings.

Which columns these are is configuration, in `csv_rows.py`; the rules of a sidecar are kept by the corpus.
"""

import datetime
import re
import sys
import unicodedata
from functools import lru_cache
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from rag_assets.japanese.dates import contradiction, date_number, written_date
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Attribute, Model

PROFILE = "profile"
"""Name of the part that holds a row's short columns."""

_SEPARATORS = r"[、，,;；\n]"
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1", "はい", "有", "あり", "済", "○", "〇", "可"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0", "いいえ", "無", "なし", "未", "×", "✕", "不可"})


class Column(Model):
    """A column as a sidecar value; in a settings file, its name alone where it holds strings.

    Attributes:
        column: Its name in the file.
        type: What its cells are. A `date` becomes a YYYYMMDD number, since filters compare ranges of numbers only.
        separator: What parts the items of a `list`; empty parts at 、 ， , ; ； and line breaks.
    """

    column: str = Field(min_length=1)
    type: Literal["string", "number", "boolean", "date", "list"] = "string"
    separator: str = ""

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:
        return {"column": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _separator_of_a_list(self) -> Self:
        if self.separator and self.type != "list":
            raise ValueError(f'column {self.column}: a separator needs type = "list", it is {self.type}')
        return self


def cell_value(cell: str, column: Column) -> Attribute | None:
    """What a cell says; None where it is empty.

    Raises:
        ValueError: It is not of the column's type; the message goes on behind the column's name.
    """
    match column.type:
        case "list":
            return list_items(cell, column) or None
        case "string":
            return one_line(cell) or None
    text = unicodedata.normalize("NFKC", cell).strip()
    if not text:
        return None
    match column.type:
        case "number":
            return _number(text)
        case "date":
            return date_number(_date(text))
        case "boolean":
            return _boolean(text)


def list_items(cell: str, column: Column) -> tuple[str, ...]:
    """The items of a cell, each once, in order; a column that is no list has one."""
    if column.type != "list":
        text = one_line(cell)
        return (text,) if text else ()
    parts = cell.split(column.separator) if column.separator else re.split(_SEPARATORS, cell)
    return tuple(dict.fromkeys(filter(None, map(one_line, parts))))


def _number(text: str) -> int | float:
    if not _NUMBER.fullmatch(text):
        raise ValueError("is no number")
    plain = text.replace(",", "")
    value = float(plain)
    if abs(value) > sys.float_info.max:
        raise ValueError("is too large a number to be compared")
    return value if "." in plain else int(plain)


def _boolean(text: str) -> bool:
    word = text.casefold()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("is neither true nor false")


@lru_cache(maxsize=4096)
def _date(text: str) -> datetime.date:
    found = written_date(text)
    if found is None:
        raise ValueError("names two different days" if contradiction(text) else "is no date")
    return found
