"""Dates that leave out what the date before them says: 平成8年3月29日、同12年4月1日, 令和8年9月1日、翌年4月1日."""

import re
from collections.abc import Iterable

from rag_assets.japanese.dates import ERAS
from rag_assets.japanese.kanji_numbers import kanji_to_int

_NUMBER = r"(?:元|\d{1,2}|[〇○一二三四五六七八九十]{1,3})"
_MONTH = r"\s*(?:\d{1,2}|[一二三四五六七八九十]{1,2})\s*月"
_DAY = r"\s*(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s*日"
_SPACED_ERAS = "|".join(r"\s*".join(era) for era in ERAS)
_YEAR = re.compile(
    rf"(?P<era>{_SPACED_ERAS}|[令平昭大明](?=\s*[\d元])|(?<![A-Za-z])[RHSTM](?=\.?\s*[\d元]))\.?\s*(?P<year>{_NUMBER})"
    rf"|(?P<western>(?<!\d)\d{{4}}(?=\s*[年./-]))"
    rf"|(?P<same>[同翌])\s*年(?={_MONTH})"
    # Without 同, only what has a day: 1年6月 is how long something lasts.
    rf"|(?:同|〃)\s*{_NUMBER}\s*年(?={_MONTH})|(?<![\w(（]){_NUMBER}\s*年(?={_MONTH}{_DAY})"
)
_DITTO = re.compile(r"[同〃]\s*")


def spelled_out(texts: Iterable[str]) -> list[str]:
    """Texts, one after the other, in which dates name the era and year that stand in a date before them only.

    Nothing changes where no date stands before, or where that is one without an era: 2023年4月1日、24年4月1日.
    """
    era, year = "", ""

    def full(found: re.Match[str]) -> str:
        nonlocal era, year
        if found["era"]:
            era, year = re.sub(r"\s", "", found["era"]), found["year"]
        elif found["western"]:
            era, year = "", found["western"]
        elif found["same"]:
            if not year:
                return found[0]
            year = year if found["same"] == "同" else _next(year)
            return f"{era}{year}年"
        elif era:
            year = _DITTO.sub("", found[0]).partition("年")[0].strip()
            return f"{era}{year}年"
        return found[0]

    return [_YEAR.sub(full, text) for text in texts]


def _next(year: str) -> str:
    if year == "元":
        return "2"
    return str((int(year) if year.isdecimal() else kanji_to_int(year.replace("○", "〇")) or 0) + 1)
