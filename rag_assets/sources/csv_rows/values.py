"""One cell as a value that filters can compare: string, number, date, boolean or list of strings.

Which columns these are is configuration, in `reader.py`; the rules of a sidecar are kept by the corpus.
"""

import datetime
import re
import sys
import unicodedata
from functools import lru_cache
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from rag_assets.japanese.composed import compose_all
from rag_assets.japanese.dates import contradiction, date_number, find_dates, written_date
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Attribute, Model

PROFILE = "profile"
"""Name of the part that holds a row's short columns."""

_UNTIL = re.compile(r"\s*(?:[(（].[)）])?\s*[~～〜]")
"""What stands behind the first day of a period whose last one is no whole date: 2026年4月1日～5日."""
_SEPARATORS = r"[、，,;；\n]"
_NUMBER = re.compile(
    # A sign may stand before the currency or behind it; a dash behind an amount closes it: ¥1,000-.
    r"(?:(?P<sign>[+\-△▲▽▼])\s*)?(?:(?P<currency>[¥\\])\s*)?(?:(?P<behind>[+\-△▲▽▼])\s*)?"
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\s*(?P<unit>円))?(?:也)?"
    r"(?(currency)(?:\.?-)?|(?(unit)-?))"
)
_MINUS = str.maketrans(dict.fromkeys("−‐‑‒–—―ー─━", "-"))
"""What is typed for a minus sign beside the sign itself; NFKC leaves them apart."""
_NEGATIVE = frozenset("-△▲▽▼")
_CIRCLES = "○〇◯●⭕✓✔☑✅"
_CROSSES = "×✕✖✗✘☓╳❌"
_TRUE = frozenset(
    {"true", "t", "yes", "y", "on", "1", "はい", "有", "有り", "あり", "済", "済み", "可", "要", "該当", *_CIRCLES}
)
_FALSE = frozenset(
    {
        *("false", "f", "no", "n", "off", "0", "いいえ", "無", "無し", "なし"),
        *("未", "未済", "不可", "不要", "非該当", *_CROSSES),
    }
)
_VARIATION = re.compile("[\ufe0e\ufe0f]")
"""Behind a sign, whether it is drawn as text or in colour: ⭕️ is ⭕."""
_RAISED = re.compile("[²³¹⁰-₎①-⓿❶-➓㉈-㋿]")
"""Digits that NFKC makes plain ones of: 10² would be 102."""


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
        return compose_all({"column": given} if isinstance(given, str) else given)

    @model_validator(mode="after")
    def _separator_of_a_list(self) -> Self:
        if self.separator and self.type != "list":
            raise ValueError(f'column {self.column}: a separator needs type = "list", it is {self.type}')
        return self


_A_NUMBER = Column(column="n", type="number")


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
    text = unicodedata.normalize("NFKC", _VARIATION.sub("", cell)).strip()
    if not text:
        return None
    match column.type:
        case "number":
            if _RAISED.search(cell):
                raise ValueError("is no number (a raised, lowered or circled digit is none of its digits)")
            return _parse_number(text)
        case "date":
            return date_number(_parse_date(text))
        case "boolean":
            word = text.casefold()
            if word in _TRUE or word in _FALSE:
                return word in _TRUE
            raise ValueError("is neither true nor false")


def read_number(cell: str) -> int | float | None:
    """The number that a cell says; None where it says none."""
    try:
        value = cell_value(cell, _A_NUMBER)
    except ValueError:
        return None
    return value if isinstance(value, int | float) else None


def list_items(cell: str, column: Column) -> tuple[str, ...]:
    """The items of a cell, each once, in order; a column that is no list has one."""
    if column.type != "list":
        text = one_line(cell)
        return (text,) if text else ()
    parts = cell.split(column.separator) if column.separator else re.split(_SEPARATORS, cell)
    return tuple(dict.fromkeys(filter(None, map(one_line, parts))))


def _parse_number(text: str) -> int | float:
    """A number as Japanese tables write it: 1,234円, ¥500, △1,000 and ▲5 (below zero).

    A share in percent, a range or a number with another unit is none: dropping what it is a number of would change it.

    Raises:
        ValueError: It is none.
    """
    match = _NUMBER.fullmatch(text.translate(_MINUS))
    if not match or (match["sign"] and match["behind"]):
        why = ""
        if text.endswith("%"):
            why = " (5% may be meant as 5 or as 0.05: write the number alone, and what it is into the column's name)"
        elif re.fullmatch(r"\([\d,.]+\)", text):
            why = " (in brackets it may be below zero or a remark; write -5)"
        raise ValueError(f"is no number{why}")
    plain = match["digits"].replace(",", "")
    factor = -1 if (match["sign"] or match["behind"]) in _NEGATIVE else 1
    if float(plain) > sys.float_info.max:
        raise ValueError("is too large a number to be compared")
    return factor * (float(plain) if "." in plain else int(plain))


def names_several_days(text: str) -> bool:
    """Whether a text names more than one day or month: a period, or a list of amendments. Neither is one date."""
    found = list(find_dates(text))
    return len({printed.day for printed in found if printed.day}) > 1 or any(
        _UNTIL.match(text, printed.end) for printed in found
    )


@lru_cache(maxsize=4096)
def _parse_date(text: str) -> datetime.date:
    if names_several_days(text):
        raise ValueError("names several days (one date can be compared: give each a column of its own)")
    found = written_date(text)
    if found is None:
        raise ValueError("names two different days" if contradiction(text) else "is no date")
    return found
