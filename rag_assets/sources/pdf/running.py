"""Running headers, footers and page numbers: which lines at the edges of pages are not part of the text.

They are known by where they stand, on how many pages, and how they count; never by their words alone.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from rag_assets.sources.pdf.lines import PdfLine

_DEPTH = 3
"""Lines from each edge of a page that can be running ones: no header or footer is higher."""
_ZONE = 0.16
"""Share of the page's height from its edge within which they stand."""
_SAME_PLACE = 4.0
"""Points by which the place may differ from page to page."""
_WORDS_PAGES = 3
"""Pages on which words have to stand at one place; two pages may both begin with one title."""
_NUMBER_PAGES = 2
"""Pages whose numbers have to count on."""
_RESERVED = 0.8
"""Share of the lines at a place that repeat, from which the place is kept free for running lines: where text begins or
ends on other pages, something that happens to repeat is text."""
_APART = 1.25
"""Distance to the text in usual line distances, from which a line stands apart from it."""
_MAJORITY = 0.66
_COUNTING = 0.6
"""Share of neighbouring pages between which a number has to grow as the pages do; chapters start again."""
_NOT_LARGER = 1.08
"""Size against the text: headings are larger, running lines are not."""

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_PAGE_MARKS = re.compile(
    r"[#\W_]*(?:p|pp|page|頁|ページ|目次|全|第|of|の|[a-z])?[#\W_]*(?:頁|ページ|of|中|の)?[#\W_]*(?:頁|ページ)?[#\W_]*"
)
"""A number, and nothing beside it but signs and what pages are called."""
_GAP_AT_NUMBER = re.compile(r"#\u3000|\u3000#")

Edge = Literal["top", "bottom"]
PdfPlace = tuple[Edge, int]
"""An edge of a page, and the number of a row of lines counted from it, from 0."""


@dataclass(frozen=True, slots=True)
class _RunningTitleCandidate:
    page: int
    position: int
    place: float
    text: str
    numbers: tuple[int, ...]
    size: float
    apart: float
    """Distance to the next line inwards, against the page's usual distance; infinite where there is none."""


@dataclass(slots=True)
class EdgeLines:
    """The lines at the edges of all pages seen so far: a few words a page, however long the document is.

    `add` each page once, in order; then `running` tells which of its lines are no text.
    """

    _candidates: dict[Edge, list[_RunningTitleCandidate]]
    _sizes: defaultdict[float, int]

    def __init__(self) -> None:
        self._candidates = {"top": [], "bottom": []}
        self._sizes = defaultdict(int)

    def add(
        self, page: int, height: float, lines: Sequence[PdfLine], others: Sequence[tuple[float, float]] = ()
    ) -> None:
        """Note a page.

        Args:
            page: Its number.
            height: Its height in points.
            lines: Its lines from top to bottom.
            others: Upper and lower edges of its tables, which are text to stand apart from.
        """
        for line in lines:
            self._sizes[round(line.size, 1)] += len(line.text)
        pitch = _pitch(lines)
        rows = line_rows(lines)
        for edge in ("top", "bottom"):
            ordered = rows if edge == "top" else rows[::-1]
            for position, row in enumerate(ordered[:_DEPTH]):
                place = row[0].top if edge == "top" else height - row[0].bottom
                if place > _ZONE * height:
                    break
                blocks = [(line.top, line.bottom) for inner in ordered[position + 1 :] for line in inner] + list(others)
                if _is_behind(row[0], others, edge):
                    break
                self._candidates[edge].append(_candidate(page, position, place, row, blocks, pitch, edge))

    def running(self) -> dict[int, set[PdfPlace]]:
        """By page number, the lines that are running ones."""
        body = max(self._sizes, key=lambda size: self._sizes[size], default=0.0)
        found: dict[int, set[PdfPlace]] = {}
        for edge, candidates in self._candidates.items():
            for page, position in _running(candidates, edge, body):
                found.setdefault(page, set()).add((edge, position))
        return found


def without_running(lines: Sequence[PdfLine], running: Iterable[PdfPlace]) -> tuple[PdfLine, ...]:
    """A page's lines but for the running ones that `EdgeLines.running` tells for it."""
    rows = line_rows(lines)
    gone = {position if edge == "top" else len(rows) - 1 - position for edge, position in running}
    return tuple(line for position, row in enumerate(rows) if position not in gone for line in row)


def line_rows(lines: Sequence[PdfLine]) -> list[list[PdfLine]]:
    """Lines of one height together, as running lines are counted: a title, and a number far to the right of it."""
    rows: list[list[PdfLine]] = []
    for line in lines:
        if rows and abs(rows[-1][0].bottom - line.bottom) < 0.3 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _pitch(lines: Sequence[PdfLine]) -> float:
    steps = [below.bottom - above.bottom for above, below in pairwise(lines)]
    usual = [step for step in steps if step > 0]
    return median(usual) if usual else 0.0


def _is_behind(line: PdfLine, others: Sequence[tuple[float, float]], edge: Edge) -> bool:
    """Whether a table stands between a line and its edge of the page."""
    if edge == "top":
        return any(bottom <= line.top for _, bottom in others)
    return any(top >= line.bottom for top, _ in others)


def _candidate(
    page: int,
    position: int,
    place: float,
    row: Sequence[PdfLine],
    blocks: Sequence[tuple[float, float]],
    pitch: float,
    edge: Edge,
) -> _RunningTitleCandidate:
    text, numbers = _signature("\u3000".join(line.text for line in row))
    line = row[0]
    if edge == "top":
        distance = min((bottom - line.bottom for _, bottom in blocks if bottom > line.bottom), default=None)
    else:
        distance = min((line.bottom - bottom for _, bottom in blocks if bottom < line.bottom), default=None)
    apart = float("inf") if distance is None else distance / (pitch or 2 * line.size)
    return _RunningTitleCandidate(page, position, place, text, numbers, line.size, apart)


def _signature(text: str) -> tuple[str, tuple[int, ...]]:
    """The words with every number as #, and the numbers; Roman ones count where they are all there is."""
    plain = unicodedata.normalize("NFKC", text.replace("\u3000", "\t")).lower()
    numbers = tuple(int(number) for number in _DIGITS.findall(plain))
    shown = _DIGITS.sub("#", plain)
    letters = re.sub(r"[\W_]", "", plain)
    if not numbers and _ROMAN.fullmatch(letters):
        return re.sub(r"[ivxlc]+", "#", plain).strip(), (_roman_value(letters),)
    gapped = re.sub(r"\t+", "\u3000", shown.replace(" ", ""))
    return gapped, numbers


def _roman_value(letters: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in letters]
    return sum(-value if value < following else value for value, following in pairwise([*values, 0]))


def _running(candidates: Sequence[_RunningTitleCandidate], edge: Edge, body: float) -> set[tuple[int, int]]:
    """Page and position of the running lines at one edge."""
    groups = [
        group
        for place in _places(candidates)
        for groups in [[group for group in _groups(place) if _repeats(group, edge, body)]]
        if sum(map(len, groups)) >= _RESERVED * len(place)
        for group in groups
    ]
    accepted = _from_the_edge(groups)
    innermost = dict(sorted(accepted))
    apart = {(candidate.page, candidate.position): candidate.apart for candidate in candidates}

    def stands_apart(group: Sequence[_RunningTitleCandidate]) -> bool:
        far = sum(
            apart[candidate.page, innermost.get(candidate.page, candidate.position)] >= _APART for candidate in group
        )
        return far >= _MAJORITY * len(group)

    return _from_the_edge([group for group in groups if _is_page_number(group) or stands_apart(group)])


def _from_the_edge(groups: Iterable[Sequence[_RunningTitleCandidate]]) -> set[tuple[int, int]]:
    """Page and position of candidates outside of which there are only others: what stands beyond text is text too."""
    all_of_them = {(candidate.page, candidate.position) for group in groups for candidate in group}
    return {
        (page, position)
        for page, position in all_of_them
        if all((page, outer) in all_of_them for outer in range(position))
    }


def _places(candidates: Sequence[_RunningTitleCandidate]) -> list[list[_RunningTitleCandidate]]:
    """Candidates of the same distance from the edge together."""
    places: list[list[_RunningTitleCandidate]] = []
    for candidate in sorted(candidates, key=lambda candidate: candidate.place):
        if places and candidate.place - places[-1][0].place <= _SAME_PLACE:
            places[-1].append(candidate)
        else:
            places.append([candidate])
    return places


def _groups(place: Sequence[_RunningTitleCandidate]) -> list[list[_RunningTitleCandidate]]:
    """Candidates of the same words together, in the order of pages."""
    groups: defaultdict[str, list[_RunningTitleCandidate]] = defaultdict(list)
    for candidate in sorted(place, key=lambda candidate: candidate.page):
        groups[candidate.text.replace("\u3000", "")].append(candidate)
    return list(groups.values())


def _repeats(group: Sequence[_RunningTitleCandidate], edge: Edge, body: float) -> bool:
    """Whether lines of the same words at the same place may be running ones."""
    if _is_page_number(group):
        return len(group) >= _NUMBER_PAGES
    counting = _counts(group)
    if len(group) < _WORDS_PAGES or (group[0].numbers and not counting and not _constant(group)):
        return False
    if edge == "top" and counting and not _GAP_AT_NUMBER.search(group[0].text):
        return False  # 様式第１号, 様式第２号: one heading a page
    return group[0].size <= _NOT_LARGER * body


def _is_page_number(group: Sequence[_RunningTitleCandidate]) -> bool:
    return _counts(group) and _PAGE_MARKS.fullmatch(group[0].text.replace("\u3000", "")) is not None


def _counts(group: Sequence[_RunningTitleCandidate]) -> bool:
    """Whether one of the numbers grows as the pages do."""
    if len(group) < 2 or not group[0].numbers:
        return False
    steps = list(pairwise(group))
    return any(
        sum(below.numbers[index] - above.numbers[index] == below.page - above.page for above, below in steps)
        >= _COUNTING * len(steps)
        for index in range(len(group[0].numbers))
    )


def _constant(group: Sequence[_RunningTitleCandidate]) -> bool:
    return len({candidate.numbers for candidate in group}) == 1
