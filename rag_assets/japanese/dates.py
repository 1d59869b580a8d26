"""Dates as Japanese documents print them: 和暦 with 元年, 西暦, any width of digits.

Dates only; which printed date a document means belongs to its source.
"""

import re
import unicodedata
from datetime import date

_ERA_FIRST_YEAR = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
_ERA_LETTER = {"明": "明治", "大": "大正", "昭": "昭和", "平": "平成", "令": "令和"}

_DATE = re.compile(
    r"(?:(?P<era>明治|大正|昭和|平成|令和|[明大昭平令](?=\s*(?:\d|元)))\s*(?P<year>\d{1,2}|元)|(?<!\d)(?P<western>\d{4}))"
    r"\s*[年./]\s*(?P<month>\d{1,2})\s*[月./]\s*(?P<day>\d{1,2})(?!\d)"
)


def first_date(text: str) -> date | None:
    """The first complete calendar date in a text, or None where there is none.

    Reads 令和8年4月1日, 令和元年５月１日, 平28.4.1 and 2026年4月1日. A day that the calendar does not have
    (令和7年2月30日) or an era does not have (令和0年) is no date; an era's years beyond its end (平成40年) are read on.
    """
    for match in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        found = _calendar_date(match)
        if found is not None:
            return found
    return None


def _calendar_date(match: re.Match[str]) -> date | None:
    if match["era"] is None:
        year = int(match["western"])
    elif match["year"] == "0" or match["year"] == "00":
        return None
    else:
        era = _ERA_LETTER.get(match["era"], match["era"])
        year = _ERA_FIRST_YEAR[era] + (1 if match["year"] == "元" else int(match["year"])) - 1
    try:
        return date(year, int(match["month"]), int(match["day"]))
    except ValueError:
        return None


def date_number(day: date) -> int:
    """The date as a YYYYMMDD number: Knowledge Base filters compare ranges of numbers only."""
    return day.year * 10000 + day.month * 100 + day.day
