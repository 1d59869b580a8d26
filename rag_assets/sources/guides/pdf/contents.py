"""What a document lists of its headings itself: its table of contents (目次) and its bookmarks, and their lines.

Lines that are headings though nothing lists them are found in `headings.py`.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from rag_assets.sources.guides.pdf.flow import FlowPart, GuideLine
from rag_assets.sources.guides.pdf.numbering import Numbering, find_numbering
from rag_assets.sources.pdf.pages import joined_words
from rag_assets.sources.pdf.properties import Bookmark

_CONTENTS = re.compile(r"[［\[【〔■]?(?:目次|もくじ|CONTENTS|TABLEOFCONTENTS)[］\]】〕]?", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:[ \u3000]*[…‥・.．･\-－─―_]{2,}[…‥・.．･\-－─―_ \u3000]*|[ \u3000]+)"
    r"(?:[PpＰ]\.?|[(（\-－])?[ \u3000]*(?:[0-9０-９]{1,3}|[ivxlIVX]{1,5})(?:[)）\-－]|頁|ページ)?$"
)
_LEADERS = re.compile(r"[ \u3000]*(?:[…‥]{2,}|[・.．･]{4,})[…‥・.．･ \u3000]*(?:[0-9０-９]{1,3}|[ivxlIVX]{1,5})?$")
_FEW = 3
"""Lines with leaders from which they are a table of contents that nothing heads."""
_TRIED = 5
"""First entries of which one has to come again where the text begins."""
_LINES = 4
"""Lines over which a heading goes at most."""
_ALIKE = 0.75
"""How alike the words of an entry and of a heading of the same number are, at least."""
_SAME_INDENT = 0.6
_BRACKETS = str.maketrans("〔［【＜〈《", "[[[[[[") | str.maketrans("〕］】＞〉》", "]]]]]]")


@dataclass(frozen=True, slots=True)
class ListedHeading:
    """A heading as the document lists it.

    Attributes:
        text: Its words, without the page number.
        level: 1 for the outermost; 0 where the list does not tell levels.
        page: The page of the file it is on; None where the list does not tell it.
    """

    text: str
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class GuideContents:
    """The table of contents of a document.

    Attributes:
        positions: Positions of its lines in the flow.
        headings: What it lists.
    """

    positions: frozenset[int] = frozenset()
    headings: tuple[ListedHeading, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedLines:
    """The lines of a listed heading.

    Attributes:
        positions: Positions in the flow, without a gap.
        level: As the list tells it; 0 where it does not.
    """

    positions: range
    level: int


def read_contents(parts: Sequence[FlowPart]) -> GuideContents:
    """The table of contents of a document; empty where there is none."""
    heading = next((at for at, part in enumerate(parts) if _is_line(part) and _heads_contents(part)), None)
    start, end = _range_below(parts, heading) if heading is not None else _range_of_leaders(parts)
    lines = [part for part in parts[start:end] if isinstance(part, GuideLine)]
    if not lines:
        return GuideContents()
    first = heading if heading is not None else start
    positions = frozenset(at for at in range(first, end) if isinstance(parts[at], GuideLine))
    return GuideContents(positions, tuple(_with_levels(_entries(lines))))


def read_bookmarks(bookmarks: Iterable[Bookmark]) -> tuple[ListedHeading, ...]:
    """What the bookmarks of a PDF list."""
    marks = list(bookmarks)
    entries = [_ContentsEntry(mark.title, float(mark.level), 1.0, mark.page) for mark in marks]
    return tuple(_with_levels(entries))


def find_listed_lines(headings: Sequence[ListedHeading], lines: Mapping[int, GuideLine]) -> dict[int, ListedLines]:
    """The lines of listed headings by their first position: as many as keep the order of the list.

    Args:
        headings: In the order of the document.
        lines: The document's lines by their position in the flow, without those of the list itself.
    """
    index = _LineIndex(lines)
    pairs = [(entry, found) for entry, heading in enumerate(headings) for found in index.find(heading)]
    return {
        found.start: ListedLines(found, headings[entry].level)
        for entry, found in _longest_in_order(sorted(pairs, key=lambda pair: (pair[0], -pair[1].start)))
    }


def comparable(text: str) -> str:
    """A text for comparing: compatibility forms unified, no blanks, one kind of brackets."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text.translate(_BRACKETS)))


def _is_line(part: FlowPart) -> bool:
    return isinstance(part, GuideLine)


def _heads_contents(part: FlowPart) -> bool:
    return isinstance(part, GuideLine) and _CONTENTS.fullmatch(comparable(part.text)) is not None


def _range_below(parts: Sequence[FlowPart], heading: int) -> tuple[int, int]:
    """The entries below the heading 目次: up to where one of the first comes again, or the last with a page number."""
    keys: set[object] = set()
    numbered = heading
    end = None
    for at in range(heading + 1, len(parts)):
        part = parts[at]
        if not isinstance(part, GuideLine) or "。" in part.text:
            break
        leads = _LEADERS.search(part.text) or _PAGE_NUMBER.search(part.text)
        key = _key(_without_page(part.text))
        if not leads and key in keys:
            end = at
            break
        if len(keys) < _TRIED and key != "目次":
            keys.add(key)
        if leads:
            numbered = at
    return heading + 1, end if end is not None else numbered + 1


def _range_of_leaders(parts: Sequence[FlowPart]) -> tuple[int, int]:
    start = run = 0
    for at, part in enumerate(parts):
        if isinstance(part, GuideLine) and _LEADERS.search(part.text) and "。" not in part.text:
            start, run = (at, 1) if not run else (start, run + 1)
        elif run >= _FEW:
            break
        else:
            run = 0
    return (start, start + run) if run >= _FEW else (0, 0)


def _key(text: str) -> object:
    """What an entry and its heading have in common: kind and number of a 章 or 条, else its words."""
    numbering = find_numbering(text)
    if numbering and numbering.family == "第":
        return numbering.kind, numbering.number
    return comparable(text)


def _without_page(text: str) -> str:
    return _LEADERS.sub("", text) if _LEADERS.search(text) else _PAGE_NUMBER.sub("", text)


@dataclass(slots=True)
class _ContentsEntry:
    """An entry while its list is read; `indent` is where it begins, in units of `step`."""

    text: str
    indent: float
    step: float
    page: int | None = None
    numbering: Numbering | None = field(init=False)

    def __post_init__(self) -> None:
        self.numbering = find_numbering(self.text)


def _entries(lines: Sequence[GuideLine]) -> list[_ContentsEntry]:
    """The entries of a table of contents, those over two lines joined."""
    entries: list[_ContentsEntry] = []
    open_line: GuideLine | None = None
    for line in lines:
        words = _without_page(line.text)
        leads = words != line.text
        if open_line is not None and entries and _continues_entry(open_line, line, words):
            entries[-1].text = joined_words(entries[-1].text, words)
        elif words:
            entries.append(_ContentsEntry(words, line.line.x0, line.line.size * _SAME_INDENT))
        open_line = None if leads else line
    return [entry for entry in entries if comparable(entry.text) != "目次"]


def _continues_entry(above: GuideLine, line: GuideLine, words: str) -> bool:
    if not words:
        return True
    further_in = line.line.x0 > above.line.x0 + line.line.size
    return above.is_full and find_numbering(line.text) is None and further_in


def _with_levels(entries: Sequence[_ContentsEntry]) -> Iterator[ListedHeading]:
    """Entries with the levels that their indents tell; at one indent, 章 and 条 nest, as 1 and 1.1 do."""
    steps: list[float] = []
    for entry in sorted(entries, key=lambda entry: entry.indent):
        if not steps or entry.indent - steps[-1] > entry.step * (1 - 1e-6):
            steps.append(entry.indent)

    def step_of(entry: _ContentsEntry) -> int:
        return sum(step <= entry.indent for step in steps)

    depths: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for entry in entries:
        if entry.numbering and entry.numbering.family:
            depths[step_of(entry), entry.numbering.family].add(entry.numbering.depth)

    def place_of(entry: _ContentsEntry) -> tuple[int, int]:
        found = entry.numbering
        known = depths[step_of(entry), found.family] if found and found.family else set()
        return step_of(entry), sum(depth < found.depth for depth in known) if found else 0

    places = sorted({place_of(entry) for entry in entries})
    for entry in entries:
        level = places.index(place_of(entry)) + 1 if len(places) > 1 else 0
        yield ListedHeading(entry.text, level, entry.page)


class _LineIndex:
    """Finds the lines that say what an entry says."""

    def __init__(self, lines: Mapping[int, GuideLine]) -> None:
        self._lines = lines
        self._by_start: defaultdict[str, list[int]] = defaultdict(list)
        self._by_number: defaultdict[object, list[tuple[int, Numbering]]] = defaultdict(list)
        self._words = {at: comparable(line.text) for at, line in lines.items()}
        for at, words in self._words.items():
            self._by_start[words[:2]].append(at)
            if numbering := find_numbering(lines[at].text):
                self._by_number[numbering.kind, numbering.number].append((at, numbering))

    def find(self, heading: ListedHeading) -> Iterator[range]:
        """All lines that may be those of a heading, in order."""
        wanted = comparable(heading.text)
        found = {at: lines for at in self._by_start[wanted[:2]] if (lines := self._lines_saying(wanted, at))}
        numbering = find_numbering(heading.text)
        if numbering and not found:
            found = {
                at: range(at, at + 1)
                for at, other in self._by_number[numbering.kind, numbering.number]
                if numbering.kind == "条" or _is_alike(numbering, other)
            }
        for at, lines in sorted(found.items()):
            if heading.page is None or abs(self._lines[at].line.page - heading.page) <= 1:
                yield lines

    def _lines_saying(self, wanted: str, start: int) -> range | None:
        said = ""
        for at in range(start, start + _LINES):
            said += self._words.get(at, "\0")
            if said == wanted:
                return range(start, at + 1)
            if not wanted.startswith(said):
                return None
        return None


def _is_alike(entry: Numbering, line: Numbering) -> bool:
    if not entry.number or not entry.rest or "。" in line.rest:
        return False
    return SequenceMatcher(None, comparable(entry.rest), comparable(line.rest)).ratio() >= _ALIKE


def _longest_in_order(pairs: Sequence[tuple[int, range]]) -> list[tuple[int, range]]:
    """The longest chain of pairs whose entries and lines both go on; those of one entry come from the last line up."""
    ends: list[int] = []
    chain: list[int] = []
    before: list[int | None] = []
    for number, (_, lines) in enumerate(pairs):
        at = bisect_left(ends, lines.start)
        before.append(chain[at - 1] if at else None)
        ends[at : at + 1] = [lines.start]
        chain[at : at + 1] = [number]
    found: list[tuple[int, range]] = []
    last = chain[-1] if chain else None
    while last is not None:
        found.append(pairs[last])
        last = before[last]
    return found[::-1]
