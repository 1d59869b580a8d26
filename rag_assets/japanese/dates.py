"""Dates as Japanese documents print them: 和暦 with 元年, 西暦, any width of digits.

Dates only; which printed date a document means belongs to its source.
"""

import re
import unicodedata
from datetime import date

_ERA_STARTS = {
    "令和": date(2019, 5, 1),
    "平成": date(1989, 1, 8),
    "昭和": date(1926, 12, 25),
    "大正": date(1912, 7, 30),
    "明治": date(1868, 1, 25),
}
ERAS = tuple(_ERA_STARTS)
"""Names of the eras, the latest first."""
_ERA_SHORT = dict(zip("令平昭大明RHSTM", ERAS * 2, strict=True))

_DATE = re.compile(
    # The letters stand for an era only as a word of their own: 「型番XR8.4.7」 holds no date.
    r"(?:(?P<era>明治|大正|昭和|平成|令和|[明大昭平令](?=\s*(?:\d|元))|(?<![A-Za-z\d])[MTSHR](?=\.?\s*(?:\d|元)))"
    r"\.?\s*(?P<year>\d{1,2}|元)|(?<!\d)(?P<western>\d{4}))"
    r"\s*[年./]\s*(?P<month>\d{1,2})\s*[月./]\s*(?P<day>\d{1,2})(?!\d)"
)
_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)|(\d{4})(\d{2})(\d{2})$")
_MONTH_ALONE = re.compile(r"(?<=\d)\s*月(?!\s*\d)")


def first_date(text: str) -> date | None:
    """The first complete calendar date in a text, or None where there is none.

    Reads 令和8年4月1日, 令和元年５月１日, 平28.4.1, R8.4.1 and 2026年4月1日. A day that the calendar does not have
    (令和7年2月30日) or an era does not have (令和0年) is no date; an era's years beyond its end (平成40年) are read on.
    """
    for match in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        found = _calendar_date(match)
        if found is not None:
            return found
    return None


def first_date_or_month(text: str) -> date | None:
    """As `first_date`, and a month that names no day (令和8年5月改訂) is its first day."""
    return first_date(_MONTH_ALONE.sub("月1日", unicodedata.normalize("NFKC", text)))


def written_date(text: str) -> date | None:
    """The date that a value of its own gives, a cell or a setting: also 2026-04-01 and 20260401.

    Any other number is none: spreadsheets that hand out their count of days (46113) do not say from when they count.
    """
    text = unicodedata.normalize("NFKC", text).strip()
    match = _ISO_DATE.match(text)
    if match is None:
        return first_date(text)
    try:
        return date(*(int(part) for part in match.groups() if part))
    except ValueError:
        return None


def written_date_or_month(text: str) -> date | None:
    """As `written_date`, and a month that names no day is its first day."""
    return written_date(text) or first_date_or_month(text)


def era_year(era: str, year: int) -> int:
    """The western year of a year of an era (one of `ERAS`), counted from 1 for 元年."""
    return _ERA_STARTS[era].year + year - 1


def in_era(day: date) -> str:
    """令和8年4月1日, 平成31年4月30日, 令和元年5月1日; before the eras of the modern calendar, 1867年1月1日."""
    era = next((era for era, start in _ERA_STARTS.items() if day >= start), "")
    year = day.year - _ERA_STARTS[era].year + 1 if era else day.year
    return f"{era}{'元' if era and year == 1 else year}年{day.month}月{day.day}日"


def date_number(day: date) -> int:
    """The date as a YYYYMMDD number: Knowledge Base filters compare ranges of numbers only."""
    return day.year * 10000 + day.month * 100 + day.day


def _calendar_date(match: re.Match[str]) -> date | None:
    if match["era"] is None:
        year = int(match["western"])
    elif match["year"] == "0" or match["year"] == "00":
        return None
    else:
        era = _ERA_SHORT.get(match["era"], match["era"])
        year = era_year(era, 1 if match["year"] == "元" else int(match["year"]))
    try:
        return date(year, int(match["month"]), int(match["day"]))
    except ValueError:
        return None
