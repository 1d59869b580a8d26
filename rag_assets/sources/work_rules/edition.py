"""Which of the dates that rules print of themselves holds: their last amendment that is in force.

Deciding only; how the dates are read is in `history`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_assets.japanese.dates import PrintedDate, find_dates
from rag_assets.sources.base import Finding
from rag_assets.sources.work_rules.history import HistoryEvent, Kind, events, is_history, unreadable_dates

Lines = Sequence[tuple[int, str]]
"""Lines or paragraphs, each with its page."""

_IN_FORCE = re.compile(
    r"(?:[（(][^（）()]*[）)]|[）)])?(?:から|より|に|付けで|をもって)?(?:これを)?"
    r"(?:(?P<word>施行|実施|適用)|(?P<amended>(?:一部|全部)?改[正定訂])(?:する|し))"
)
_PARTLY = re.compile(r"(?:^|。)[ \u3000]*(?:ただし|但し)")
_OF_THESE_RULES = re.compile(
    r"(?:この|本)[^、。]{0,12}?(?:規則|規程|規定|細則|内規|要綱|要領|基準|規約|条例|改正)は[、,]?[^。]*(?:施行|実施|適用)"
)
_RANK = {"amended": 4, "as of": 3, "in force": 2, "made": 1}
"""Which of several events of one day names it."""


@dataclass(frozen=True, slots=True)
class Supplement:
    """A supplement (附則).

    Attributes:
        of: What its heading says in brackets: 令和3年9月13日規程第27号.
        page: Where it begins.
        paragraphs: Its text.
    """

    of: str
    page: int
    paragraphs: Lines


@dataclass(frozen=True, slots=True)
class Edition:
    """Which edition of a document of rules this is.

    Attributes:
        holds: The event whose date holds; None where nothing tells one that is in force.
        findings: What a person should know of the other dates.
    """

    holds: HistoryEvent | None
    findings: tuple[Finding, ...]


def edition(head: Lines, supplements: Sequence[Supplement], articles: Lines, today: date) -> Edition:
    """The date that holds.

    In the head, the last amendment; where it lists none, the newest date, unless several supplements tell of later
    amendments. Where the head tells nothing, the newest date from which a supplement says the rules are in force, and
    where there is no supplement, an article (この規程は、…から施行する). What is to come does not hold yet.

    Args:
        head: The lines above the first chapter or article, without the title.
        supplements: In the order of the document.
        articles: Paragraphs of the articles.
        today: The day on which the document is read.
    """
    stated = _add_force(events(head), supplements)
    amending = [event for supplement in supplements for event in _amendments_by(supplement)]
    in_supplements = [event for supplement in supplements for event in _events_in(supplement)]
    unreadable = list(unreadable_dates(head))
    told = [*stated, *(amending if stated else ()), *in_supplements]
    holds = None
    if stated:
        proof = in_supplements if _was_amended_since(stated, amending, supplements) else ()
        holds = _last([*stated, *amending, *proof], today)
    holds = holds or _newest([*in_supplements, *(event for event in amending if event.in_force is None)], today)
    if holds is None and not told:
        told = [event for page, text in articles if _OF_THESE_RULES.search(text) for event in force_dates(page, text)]
        holds = _newest(told, today)
    # A date that cannot be read may be the last amendment's: an earlier one in its place would be wrong by years.
    return Edition(None if unreadable else holds, (*_findings(told, today), *map(_unreadable, unreadable)))


def force_dates(page: int, text: str, *, whole: bool = False) -> Iterator[HistoryEvent]:
    """From when a paragraph says that something is in force.

    Args:
        page: Where it stands.
        text: The paragraph.
        whole: Whether only what it says of the whole counts, not what it says of a part (ただし、…).
    """
    part = _PARTLY.search(text)
    for printed in find_dates(text):
        match = _IN_FORCE.match(text, printed.end)
        if (
            match is None
            or printed.day is None
            or printed.is_month
            or (whole and part and part.start() < printed.start)
        ):
            continue
        kind: Kind = "amended" if match["amended"] else "in force"
        word = match["amended"] or match["word"]
        yield HistoryEvent(kind, printed.day, re.sub(r"\s", "", printed.words), word, page)


def _add_force(stated: Sequence[HistoryEvent], supplements: Sequence[Supplement]) -> list[HistoryEvent]:
    """The head's events, each with the day from which the supplement of its own date says that it is in force."""
    forces = {event.day: event.in_force for supplement in supplements for event in _amendments_by(supplement)}
    return [
        replace(event, in_force=forces[event.day]) if event.in_force is None and forces.get(event.day) else event
        for event in stated
    ]


def _amendments_by(supplement: Supplement) -> list[HistoryEvent]:
    """The amendment that a supplement is of, by its heading: 附則（令和3年9月13日規程第27号）."""
    found = [(printed, printed.day) for printed in find_dates(supplement.of) if not printed.is_month]
    force = next(
        (event.day for page, text in supplement.paragraphs for event in force_dates(page, text, whole=True)), None
    )
    return [
        HistoryEvent("amended", day, re.sub(r"\s", "", printed.words), "改正", supplement.page, force)
        for printed, day in found[:1]
        if day is not None
    ]


def _events_in(supplement: Supplement) -> list[HistoryEvent]:
    """What a supplement tells: from when the rules are in force, and lists of amendments that stand in it."""
    lists = [(page, text) for page, text in supplement.paragraphs if is_history(text)]
    said = [(page, text) for page, text in supplement.paragraphs if not is_history(text)]
    return [*(event for page, text in said for event in force_dates(page, text)), *events(lists)]


def _was_amended_since(
    stated: Sequence[HistoryEvent], amending: Sequence[HistoryEvent], supplements: Sequence[Supplement]
) -> bool:
    """Whether supplements show that the rules were amended and the head lists no amendment at all."""
    listed = any(event.kind in ("amended", "as of") for event in (*stated, *amending))
    return not listed and sum(bool(_events_in(supplement)) for supplement in supplements) > 1


def _last(told: Sequence[HistoryEvent], today: date) -> HistoryEvent | None:
    """The last amendment that is in force, or state that is told; the newest date where there is none."""
    in_force = [event for event in told if event.holds_on(today)]
    amended = any(event.kind in ("amended", "as of") for event in in_force)
    return _newest([event for event in in_force if not amended or event.kind in ("amended", "as of", "")], today)


def _newest(told: Sequence[HistoryEvent], today: date) -> HistoryEvent | None:
    in_force = [event for event in told if event.holds_on(today) and event.kind != "repealed"]
    return max(in_force, key=lambda event: (event.day, _RANK.get(event.kind, 0)), default=None)


def _findings(told: Sequence[HistoryEvent], today: date) -> Iterator[Finding]:
    awaited = {event.in_force for event in told if event.kind != "in force"}
    for event in dict.fromkeys(told):
        when = max(event.day, event.in_force or event.day)
        if event.kind == "in force" and event.day in awaited:
            continue
        if when > today and event.kind == "repealed":
            yield Finding.note(
                "repealed",
                f"page {event.page}",
                f"the document says of itself that it is repealed on {when}: take it out of the settings then",
                event.label,
                review_on=when,
            )
        elif when > today:
            yield Finding.note(
                "not yet in force",
                f"page {event.page}",
                f"holds from {when} only: until then the as-of date is an earlier one, if any; the next "
                "run after that reads the document again",
                event.label,
                review_on=when,
            )
        elif event.kind == "repealed":
            yield Finding.note(
                "repealed",
                f"page {event.page}",
                "the document says of itself that it is repealed: take it out of the settings if so",
                event.label,
            )


def _unreadable(told: tuple[int, PrintedDate]) -> Finding:
    page, printed = told
    why = "two calendars name different days" if printed.contradicts else "no calendar has this day"
    return Finding.note(
        "date that cannot be",
        f"page {page}",
        f"{why}, so that nobody knows which date holds and the records go without: set as_of if you know it",
        printed.words,
    )
