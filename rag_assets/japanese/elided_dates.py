"""Dates that leave out what the date before them says: 平成8年3月29日、同12年4月1日, 令和8年9月1日、翌年4月1日."""

import re
from collections.abc import Iterable

from rag_assets.japanese.characters import ONE_TO_TEN
from rag_assets.japanese.dates import ERA_NAMES
from rag_assets.japanese.kanji_numbers import kanji_to_int

_NUMBER = rf"(?:元|\d{{1,2}}|[〇○{ONE_TO_TEN}]{{1,3}})"
_MONTH = rf"\s*(?:\d{{1,2}}|[{ONE_TO_TEN}]{{1,2}})\s*月"
_DAY = rf"\s*(?:\d{{1,2}}|[{ONE_TO_TEN}]{{1,3}})\s*日"
_YEAR = re.compile(
    rf"(?P<era>{ERA_NAMES}|[令平昭大明](?=\s*[\d元])|(?<![A-Za-z])[RHSTM](?=\.?\s*[\d元]))\.?\s*(?P<year>{_NUMBER})"
    rf"|(?P<western>(?<!\d)\d{{4}}(?=\s*[年./-]))"
    rf"|(?P<same>[同翌])\s*年(?={_MONTH})"
    # Without 同, only what has a day: 1年6月 is how long something lasts.
    rf"|(?:同|〃)\s*{_NUMBER}\s*年(?={_MONTH})|(?<![\w(（]){_NUMBER}\s*年(?={_MONTH}{_DAY})"
)
_DITTO = re.compile(r"[同〃]\s*")


def spell_out_dates(texts: Iterable[str]) -> list[str]:
    """Give each date the era and year that it takes over from a date before it, in the same text or an earlier one.

    Nothing changes where no date stands before, or where that is one without an era: 2023年4月1日、24年4月1日.
    """
    era, year = "", ""

    def spell_out(found: re.Match[str]) -> str:
        nonlocal era, year
        if found["era"]:
            era, year = re.sub(r"\s", "", found["era"]), found["year"]
        elif found["western"]:
            era, year = "", found["western"]
        elif found["same"] and year:
            year = year if found["same"] == "同" else _year_after(year)
            return f"{era}{year}年"
        elif era and not found["same"]:
            year = _DITTO.sub("", found[0]).partition("年")[0].strip()
            return f"{era}{year}年"
        return found[0]

    return [_YEAR.sub(spell_out, text) for text in texts]


def _year_after(year: str) -> str:
    if year == "元":
        return "2"
    return str((int(year) if year.isdecimal() else kanji_to_int(year.replace("○", "〇")) or 0) + 1)
