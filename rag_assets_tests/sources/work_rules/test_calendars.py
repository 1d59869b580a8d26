"""Calendars of day numbers, ruled and as lines, and tables that only look like them."""

from collections.abc import Sequence

import pytest

from rag_assets.sources.base import Finding
from rag_assets.sources.work_rules.calendars import PLACEHOLDER, leave_out_calendars
from rag_assets.sources.work_rules.lines import RulePassage, passages
from rag_assets_tests.sources.work_rules.rules_pages import Rules

WEEK = tuple("日月火水木金土")


def month(first: int, days: int, marked: dict[int, str] | None = None) -> list[tuple[str, ...]]:
    """The rows of a month's grid that begins on weekday `first`; `marked` gives what stands in a day's cell."""
    cells = [""] * first + [(marked or {}).get(day, str(day)) for day in range(1, days + 1)]
    cells += [""] * (-len(cells) % 7)
    return [tuple(cells[at : at + 7]) for at in range(0, len(cells), 7)]


def read(rules: Rules) -> tuple[list[RulePassage], list[Finding]]:
    return leave_out_calendars(passages(rules.pages()))


def texts(found: Sequence[RulePassage]) -> list[str]:
    return [passage.text for passage in found]


def test_a_calendar_is_told_and_its_place_kept() -> None:
    rules = Rules().line("休日は色の付いた日とする。").table(WEEK, *month(3, 30)).line("休日は別に知らせる。")
    found, (note,) = read(rules)
    assert texts(found) == ["休日は色の付いた日とする。", PLACEHOLDER, "休日は別に知らせる。"]
    assert all(passage.table is None for passage in found)
    assert (note.kind, note.topic, note.place) == ("note", "calendar", "page 1")


def test_months_below_each_other_are_one() -> None:
    rules = Rules().line("年間の休日")
    for first in (0, 3, 5):
        rules.table(WEEK, *month(first, 31))
    found, notes = read(rules)
    assert texts(found) == ["年間の休日", PLACEHOLDER]
    assert len(notes) == 1


def test_months_side_by_side_in_one_grid() -> None:
    rows = [one + other for one, other in zip([WEEK, *month(1, 30)], [WEEK, *month(3, 31)], strict=True)]
    found, notes = read(Rules().line("年間の休日").table(*rows))
    assert texts(found) == ["年間の休日", PLACEHOLDER]
    assert len(notes) == 1


@pytest.mark.parametrize("words", ["29\nみほんの日", "29　みほんの日", "29休", "㉙"])
def test_days_that_say_something_are_kept(words: str) -> None:
    found, notes = read(
        Rules().line("休日").table(("４月", *[""] * 6), WEEK, *month(2, 30, {29: words, 30: "30 創立の日"}))
    )
    assert texts(found) == ["休日", PLACEHOLDER, f"４月、{words.replace(chr(10), chr(0x3000))}、30 創立の日"]
    assert len(notes) == 1


def test_a_calendar_of_lines_without_rules() -> None:
    long = "この一年の休日は、働く人の代表と話し合ったうえで次の表のとおりに定める。"
    rules = Rules().text(long * 2).line("４月").line("日　　月　　火　　水　　木　　金　　土")
    for row in (range(1, 8), range(8, 15), range(15, 22)):
        rules.line("　　".join(map(str, row)))
    found, notes = read(rules.line("休日は別に知らせる。"))
    assert texts(found) == [long * 2, "４月", PLACEHOLDER, "休日は別に知らせる。"]
    assert len(notes) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [("勤続", "日数"), *[(f"{year}年", str(9 + year)) for year in range(1, 16)]],
        [
            ("級", *"１２３４５６７"),
            *[(str(step), *[str(step * 10 + grade) for grade in range(7)]) for step in range(3)],
        ],
        [("", *WEEK), ("始業", *["9:00"] * 7), ("終業", *["18:00"] * 7)],
        [WEEK, ("休", "出", "出", "出", "出", "出", "休")],
        [WEEK, *month(3, 30, {day: f"{day} 休" for day in range(1, 31, 2)})],
        [("月", *map(str, range(1, 29))), ("４月", *["休" if day % 7 < 2 else "出" for day in range(28)])],
    ],
)
def test_what_is_no_calendar_of_bare_days_stays(rows: list[tuple[str, ...]]) -> None:
    found, notes = read(Rules().line("休日").table(*rows))
    assert found[-1].table is not None
    assert notes == []
