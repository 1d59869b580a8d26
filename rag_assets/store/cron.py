"""Tells whether a text is a cron expression of five fields, as the schedule takes it.

See https://docs.dagster.io/guides/automate/schedules/defining-schedules. Dagster's own check is not asked: settings are
read without Dagster, whose import takes most of a second. What passes here passes there.
"""

import re
from collections.abc import Sequence

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_ALIASES = frozenset({"@midnight", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"})

_FIELDS: Sequence[tuple[int, int, Sequence[str]]] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, ("", *_MONTHS)),
    (0, 7, _WEEKDAYS),
)
"""Lowest and highest number of minute, hour, day, month and weekday, and the names that stand for numbers."""

_DAY, _MONTH, _WEEKDAY = 2, 3, 4
_ITEM = re.compile(r"(?P<first>\*|\w+)(-(?P<last>\w+))?(/(?P<step>[0-9]+))?")
_NTH_WEEKDAY = re.compile(r"(?P<weekday>\w+)#[1-5]|l[0-6]")
_NOT_IN_FEBRUARY = frozenset({30, 31})


def is_cron_expression(text: str) -> bool:
    """Whether the text is five fields of numbers, names, ranges, steps and lists, or an alias such as `@daily`."""
    if text.lower() in _ALIASES:
        return True
    fields = text.lower().split()
    if len(fields) != len(_FIELDS):
        return False
    return all(_is_field(field, position) for position, field in enumerate(fields)) and not _is_never(fields)


def _is_field(field: str, position: int) -> bool:
    if position in (_DAY, _WEEKDAY) and field == "?":
        return True
    if position == _DAY and field == "l":
        return True
    items = field.split(",")
    if position == _WEEKDAY and all(_is_nth_weekday(item) for item in items):
        return True
    return all(_expand(item, position) for item in items)


def _is_nth_weekday(item: str) -> bool:
    """A weekday of one week of the month, such as `mon#1`, or the last of the month, such as `l5`."""
    found = _NTH_WEEKDAY.fullmatch(item)
    return found is not None and (found["weekday"] is None or _number(found["weekday"], _WEEKDAY) is not None)


def _is_never(fields: Sequence[str]) -> bool:
    """Whether it names no day but the 30th or 31st of February."""
    days, months = (
        {number for item in fields[position].split(",") for number in _expand(item, position)}
        for position in (_DAY, _MONTH)
    )
    return months == {2} and bool(days) and days <= _NOT_IN_FEBRUARY


def _expand(item: str, position: int) -> set[int]:
    """The numbers that a number, name, range or step stands for; empty where it is none of these."""
    lowest, highest, _ = _FIELDS[position]
    found = _ITEM.fullmatch(item)
    if found is None:
        return set()
    step = int(found["step"] or 1)
    if found["first"] == "*":
        first, last = (lowest, highest) if found["last"] is None else (None, None)
    else:
        first = _number(found["first"], position)
        last = _number(found["last"], position) if found["last"] else highest if found["step"] else first
    if first is None or last is None or step == 0:
        return set()
    if first == last and found["last"]:
        # From a number to itself is once around.
        return set(range(lowest, highest + 1, step))
    if first > last and step > 1 and position in (_DAY, _MONTH):
        # Which days these are is told differently by different programs.
        return set()
    if first > last:
        return {*range(first, highest + 1, step), *range(lowest, last + 1, step)}
    return set(range(first, last + 1, step))


def _number(value: str, position: int) -> int | None:
    """The number of a value of a field; None where it has none."""
    lowest, highest, names = _FIELDS[position]
    number = names.index(value) if value in names else int(value) if re.fullmatch("[0-9]+", value) else -1
    return number if lowest <= number <= highest else None
