"""Calendars of day numbers: as text they say next to nothing, since what a day is shows in its colour or shading.

Their numbers are left out and told; days that words stand beside (29 昭和の日) are kept.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.base import Finding
from rag_assets.sources.pdf.pages import PdfTable
from rag_assets.sources.work_rules.lines import RulePassage

PLACEHOLDER = "カレンダー：日付の数字だけのため省略（原本を参照）"
"""What stands in the text where a calendar was."""

_WEEK = "日月火水木金土"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛"
_WEEKDAYS = 5
"""Weekdays that head a calendar at least."""
_DAYS = 14
"""Day numbers from which a grid is a calendar, not a row of counts."""
_BARE = 0.75
"""Share of a calendar's days that are numbers alone; where more of them say something, it is a table to read."""
_WEEKDAY = re.compile(r"[日月火水木金土](?:曜日?)?")
_DAY = re.compile(r"(?P<day>[0-9]{1,2})日?(?P<words>.*)", re.DOTALL)


def leave_out_calendars(passages: Sequence[RulePassage]) -> tuple[list[RulePassage], list[Finding]]:
    """The passages with a placeholder for every calendar or run of calendars, and what is told of them."""
    found: list[RulePassage] = []
    pages: list[int] = []
    at = 0
    while at < len(passages):
        taken, kept = _calendar(passages, at)
        if not taken:
            found.append(passages[at])
            at += 1
            continue
        passage = passages[at]
        if not (found and found[-1].text == PLACEHOLDER):
            found.append(replace(passage, text=PLACEHOLDER, table=None, size=passage.size or _size_near(passages, at)))
        if kept:
            found.append(replace(passage, text="、".join(kept), table=None, size=found[-1].size))
        if passage.page not in pages:
            pages.append(passage.page)
        at += taken
    return found, [_report_calendar(page) for page in pages]


def _report_calendar(page: int) -> Finding:
    return Finding.note(
        "calendar",
        f"page {page}",
        "a calendar of day numbers says little as text: its numbers are left out, and which days are working "
        "days or holidays (colours, shading, circles) shows only in the original; words beside days are kept",
    )


def _calendar(passages: Sequence[RulePassage], at: int) -> tuple[int, list[str]]:
    """How many passages are one calendar, 0 for none, and its days that say something."""
    table = passages[at].table
    if table is not None:
        kept = _days_with_words(table)
        return (0, []) if kept is None else (1, kept)
    if not _is_week(passages[at].text):
        return 0, []
    lines = list(_day_lines(passages[at + 1 :]))
    days = [number for line in lines for number in re.findall(r"[0-9]{1,2}", _plain(line))]
    if len(days) < _DAYS:
        return 0, []
    return 1 + len(lines), [line for line in lines if re.search(r"[^0-9 ]", _plain(line))]


def _days_with_words(table: PdfTable) -> list[str] | None:
    """The days of a calendar that words stand beside; None where the table is none."""
    texts = [text for cell in table.cells if (text := _plain(cell.text))]
    days = [match for text in texts if (match := _DAY.fullmatch(text)) and 1 <= int(match["day"]) <= 31]
    bare = [match for match in days if not match["words"].strip()]
    weekdays = {text[0] for text in texts if _WEEKDAY.fullmatch(text)}
    if len(weekdays) < _WEEKDAYS or len(days) < _DAYS or len(bare) < _BARE * len(days) or not _counts_on(bare):
        return None
    told = [one_line(cell.text.replace("\n", "\u3000")) for cell in table.cells if cell.text.strip()]
    return [words for words in told if not _is_bare(_plain(words))]


def _is_bare(text: str) -> bool:
    return bool(_WEEKDAY.fullmatch(text) or re.fullmatch(r"[0-9]{1,2}日?", text))


def _counts_on(days: Sequence[re.Match[str]]) -> bool:
    """Whether numbers follow each other as days do, however many months stand side by side."""
    numbers = {int(match["day"]) for match in days}
    return sum(number + 1 in numbers for number in numbers) >= _BARE * (len(numbers) - 1)


def _day_lines(passages: Sequence[RulePassage]) -> Iterator[str]:
    """The lines below a week's heading that hold days, as far as they go."""
    for passage in passages:
        text = _plain(passage.text)
        numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
        is_days = bool(numbers) and all(1 <= number <= 31 for number in numbers)
        words = re.sub(r"[0-9 ]", "", text)
        if passage.table is not None or not is_days or len(words) > len(text) / 2:
            return
        yield passage.text


def _is_week(text: str) -> bool:
    """Whether a line is the heads of one or more weeks: 日　月　火　水　木　金　土."""
    heads = re.findall(r"[^ ]+", _plain(text))
    return len(heads) >= _WEEKDAYS and all(_WEEKDAY.fullmatch(head) for head in heads)


def _size_near(passages: Sequence[RulePassage], at: int) -> float:
    return next((passage.size for passage in reversed(passages[:at]) if passage.size), 0.0)


def _plain(text: str) -> str:
    """The text in half-width letters; a number in a circle is a day that is marked, and stays one."""
    half = "".join(char if char in _CIRCLED else unicodedata.normalize("NFKC", char) for char in text)
    return re.sub(r"[ \u3000\n]+", " ", half).strip()
