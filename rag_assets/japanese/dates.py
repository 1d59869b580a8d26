"""Dates as Japanese documents print them: 和暦 with 元年, 西暦, both at once, 漢数字, any width of digits.

Dates only; which printed date a document means belongs to its source.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from rag_assets.japanese.characters import ONE_TO_TEN
from rag_assets.japanese.kanji_numbers import kanji_to_int

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
_ERA_LETTERS = frozenset("RHSTM")

_KANJI_DIGITS = "〇○◯一二三四五六七八九"
_NUMERALS = f"[{_KANJI_DIGITS}十百千]"
_KANJI = rf"{_NUMERALS}(?:\s*{_NUMERALS})*"
_DIGITS = r"\d(?:\s*\d)?"
_IS_WORD = r"A-Za-z\d"

ERA_NAMES = "|".join(r"\s*".join(era) for era in ERAS)
"""A pattern of an era's name, spaced out or not."""
# Short names of eras only where a year follows: 「大和10.4.1」 and 「平均8.4.1」 hold no date. The letters stand for an
# era only as a word of their own: 「型番XR8.4.7」 holds none either.
_ERA = (
    rf"(?:{ERA_NAMES}|[令平昭大明](?=\s*(?:\d|元))|(?<![一-龠々])[令平昭大明](?=[{_KANJI_DIGITS}十])"
    rf"|(?<![{_IS_WORD}])[RHSTM](?=\.?\s*(?:\d|元)))"
)


def _year(name: str) -> str:
    """A year of either calendar, its groups called by `name`."""
    kanji = rf"[{_KANJI_DIGITS}](?:\s*[{_KANJI_DIGITS}]){{3}}|[一二]?千[{_KANJI_DIGITS}百十]*"
    return (
        rf"(?:(?P<{name}_era>{_ERA})\.?\s*(?P<{name}_of_era>元|{_DIGITS}|{_KANJI})"
        rf"|(?:西\s*暦\s*)?(?P<{name}_western>(?<!\d)\d(?:\s*\d){{3}}(?!\d)|(?<!{_NUMERALS}){kanji}))"
    )


def _bracketed_year(name: str) -> str:
    return rf"(?:[(\[〔【〈《]\s*{_year(name)}\s*年?\s*[)\]〕】〉》]\s*)?"


_DATE = re.compile(
    rf"{_year('first')}\s*{_bracketed_year('inside')}(?:"
    # 令和8年4月1日, and a month alone; a day that is not called one (4月1) must end there.
    rf"年\s*{_bracketed_year('behind')}(?P<month>{_DIGITS}|{_KANJI})\s*月"
    rf"(?:\s*(?P<day>(?:{_DIGITS}|{_KANJI})(?=\s*日)|\d{{1,2}}(?!\s*[\w]))(?:\s*日)?)?"
    r"|年\s*(?P<month_before_mark>\d{1,2})\s*[./]\s*(?P<day_behind_mark>\d{1,2})(?!\d)"
    # R8.4.1, 令8・4・1, 2026/4/1, R8-4-1: the same mark twice, and no third one, as version numbers have.
    rf"|(?P<mark>[./・-])\s*(?P<short_month>\d{{1,2}}|[{ONE_TO_TEN}]{{1,2}})"
    rf"\s*(?P=mark)\s*(?P<short_day>\d{{1,2}}|[{ONE_TO_TEN}]{{1,3}})(?!\d)(?!(?P=mark)\s*\d)"
    r")"
)
_CODE_BEFORE = re.compile(
    r"(?:[A-Za-z\d][-_/.#]|[#/_\\-]|第|(?:型番|品番|型式|形式|機種|製番|図番|部品|製品|番号|記号|コード|ロット|管理|No\.?)"
    r"\s*[:=は]?\s*[「『(\[]?)$",
    re.IGNORECASE,
)
"""What stands before a number that is written like a date and is a code: 型番 S60-1-2, 第R8-4-1."""
_CODE_BEHIND = re.compile(rf"\s*(?:号|番|条|項|丁目|型|形|系)|(?!T\d\d)[{_IS_WORD}_]")
"""What stands behind such a code; behind a date, T begins the time of day: 2026-04-01T10:20."""
_WORD_BEFORE = re.compile(r"[ァ-ヶー一-龠々](?<![正定訂行日在加新設])$")
"""A word that R8-4-1 is part of, unless it says what happened on that day: 改正R8-4-1."""
_NEAR = 24
"""How many characters before a date can tell that it is a code."""
_GOES_ON = re.compile(r"\s*\d")
_TYPED_DASH = re.compile(r"(?<=[\d元])[ー—―](?=\d)")
"""The long vowel mark, which stands on the same key: 2026ー04ー01."""
_SMALL_ERA = re.compile(r"[rhstm](?=\.?\s*(?:\d|元))")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_BESIDE = re.compile(r"\s*[(\[〔]\s*(?:西\s*暦\s*)?")
_BESIDE_END = re.compile(r"\s*[)\]〕]")


@dataclass(frozen=True, slots=True)
class PrintedDate:
    """A date, or a month of a year, where it is printed.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        words: The words that say it.
        day: The day; of a month, its first. None where no calendar has it (令和7年2月30日), and where it is told in
            two calendars that name different ones.
        is_month: Whether no day of the month is named.
        contradicts: Whether two calendars name different days: 令和8（2025）年4月1日.
    """

    start: int
    end: int
    words: str
    day: date | None
    is_month: bool
    contradicts: bool


def find_dates(text: str) -> Iterator[PrintedDate]:
    """Every date and every month of a year in a text, in order.

    A date that brackets repeat in the other calendar, 令和8年4月1日（2026年4月1日）, is one.
    """
    plain, places = _plain(text)
    found = list(_matches(plain, places, text))
    at = 0
    while at < len(found):
        one = found[at]
        at += 1
        end = _end_of_repetition(plain, places, one, found[at]) if at < len(found) else None
        if end is not None:
            agree = one.day is not None and one.day == found[at].day
            day = one.day if agree else None
            one = PrintedDate(one.start, end, text[one.start : end], day, is_month=False, contradicts=not agree)
            at += 1
        yield one


def first_date(text: str, *, or_month: bool = False) -> date | None:
    """The first complete calendar date in a text, or None where there is none.

    Reads 令和8年4月1日, 令和元年５月１日, 令和八年四月一日, 平28.4.1, R8-4-1, 令8・4・1, 2026年4月1日, 2026-04-01, and
    both calendars at once: 令和8（2026）年4月1日, 2026年（令和8年）4月1日. A day that the calendar does not have
    (令和7年2月30日) or an era does not have (令和0年) is no date; an era's years beyond its end (平成40年) are read on.
    Where two calendars contradict each other there is no date at all: nobody knows which of them is right.

    Args:
        text: The text.
        or_month: Whether a month that names no day (令和8年5月改訂) counts as its first day.
    """
    for printed in find_dates(text):
        if (or_month or not printed.is_month) and (printed.day is not None or printed.contradicts):
            return printed.day
    return None


def written_date(text: str, *, or_month: bool = False) -> date | None:
    """The date that a value of its own gives, a cell or a setting: also 20260401; see `first_date`.

    Any other number is none: spreadsheets that hand out their count of days (46113) do not say from when they count.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    compact = _COMPACT.fullmatch(plain)
    if compact:
        return _calendar_day(*map(int, compact.groups()))
    # In a value of its own a small letter can mean nothing else: r8.4.1.
    found = first_date(plain[0].upper() + plain[1:] if _SMALL_ERA.match(plain) else plain)
    return found or (first_date(text, or_month=True) if or_month else None)


def contradiction(text: str) -> str:
    """The first words of a text that name one date in two calendars that contradict each other; empty if none do."""
    return next((printed.words for printed in find_dates(text) if printed.contradicts), "")


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


def _plain(text: str) -> tuple[str, list[int]]:
    """The text in one width of digits, and where each of its characters stands in the text as given."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for plain in unicodedata.normalize("NFKC", character):
            characters.append("-" if plain in "‐‑–−" else plain)
            places.append(place)
    return _TYPED_DASH.sub("-", "".join(characters)), [*places, len(text)]


def _matches(plain: str, places: list[int], text: str) -> Iterator[PrintedDate]:
    for match in _DATE.finditer(plain):
        if match["mark"] and _is_code(match, plain):
            continue
        month = match["month"] or match["month_before_mark"] or match["short_month"]
        day = match["day"] or match["day_behind_mark"] or match["short_day"]
        if day is None and _GOES_ON.match(plain, match.end()):
            # 令和8年4月12345 is neither a date nor a month.
            continue
        years = [year for name in ("first", "inside", "behind") if (year := _year_of(match, name)) is not None]
        contradicts = len({*years}) > 1
        found = _calendar_day(years[0], _number(month), _number(day) if day else 1)
        start, end = places[match.start()], places[match.end() - 1] + 1
        yield PrintedDate(start, end, text[start:end], None if contradicts else found, day is None, contradicts)


def _is_code(match: re.Match[str], plain: str) -> bool:
    """Whether three numbers between marks are none of a date's: R8-4-1号, 型番S60-1-2, 0120-12-12."""
    before, behind = plain[max(match.start() - _NEAR, 0) : match.start()], plain[match.end() : match.end() + _NEAR]
    written_in_kanji = match["first_era"] is not None and match["first_era"] not in _ERA_LETTERS
    if _CODE_BEHIND.match(behind) or (match["mark"] == "-" and behind[:1] == "-"):
        return match["mark"] == "-" or not written_in_kanji or behind[:1] in "号番条項"
    if written_in_kanji:
        return False
    if match["first_era"] is not None and _CODE_BEFORE.search(before):
        return True
    if match["mark"] != "-":
        return False
    if _CODE_BEFORE.search(before) or (match["first_era"] and _WORD_BEFORE.search(before)):
        return True
    # Telephone numbers have such parts as well: 0120-12-12.
    return match["first_western"] is not None and match["first_western"].startswith("0")


def _end_of_repetition(plain: str, places: list[int], one: PrintedDate, two: PrintedDate) -> int | None:
    """Where two dates end that are one, told once more in brackets in the other calendar; None where they are two."""
    if one.is_month or two.is_month or one.words[:1].isdigit() == two.words[:1].isdigit():
        return None
    end, start, closing = (bisect_left(places, place) for place in (one.end, two.start, two.end))
    closed = _BESIDE_END.match(plain, closing)
    return places[closed.end() - 1] + 1 if closed and _BESIDE.fullmatch(plain, end, start) else None


def _year_of(match: re.Match[str], name: str) -> int | None:
    if western := match[f"{name}_western"]:
        return _number(western)
    if match[f"{name}_era"] is None:
        return None
    printed = re.sub(r"\s", "", match[f"{name}_era"])
    era = _ERA_SHORT.get(printed, printed)
    of_era = match[f"{name}_of_era"]
    year = 1 if of_era == "元" else _number(of_era)
    return era_year(era, year) if year else 0


def _number(words: str) -> int:
    """A number in digits or in kanji; 0 where it is none."""
    closed = re.sub("[○◯]", "〇", re.sub(r"\s", "", words))
    return int(closed) if closed.isdecimal() else kanji_to_int(closed.lstrip("〇")) or 0


def _calendar_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
