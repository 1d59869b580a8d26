"""Which lines of a document of rules are its articles, and which only look like one: a quoted law's 第38条.

Deciding only; what a line looks like is in `headings`, and what belongs to an article in `outline`.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from rag_assets.sources.base import Finding
from rag_assets.sources.work_rules.appendices import appendix_heading
from rag_assets.sources.work_rules.headings import (
    ArticleHeading,
    alternative_heading,
    article_heading,
    caption_line,
    chapter_heading,
    commentary_heading,
    deleted_range,
    rules_title,
    supplement_heading,
)
from rag_assets.sources.work_rules.history import is_history
from rag_assets.sources.work_rules.lines import RulePassage

_MOST = 0.6
"""Share of the articles from which on what they have (a frame, a caption) counts as the document's way."""
_DEEPER = 2.5
"""Ems that a line may begin further in than articles usually do and still be one."""


@dataclass(frozen=True, slots=True)
class ArticleCandidate:
    """A line that looks like an article's first.

    Attributes:
        at: Its position among the passages.
        heading: What it says.
        caption: The caption on it or on the line above.
        passage: The line with what follows of its paragraph.
    """

    at: int
    heading: ArticleHeading
    caption: str
    passage: RulePassage


class Articles:
    """Which passages are articles, captions of articles, and titles of further sets of rules.

    Attributes:
        found: The articles by position.
        captions: Positions of the captions above them.
        books: Positions of the titles of further sets of rules.
        framed: Whether the document's articles stand in frames.
        rejected: What looked like an article and is none, by number, with its page.
        findings: What of that a person should know, and articles whose number comes twice.
    """

    def __init__(self, body: Sequence[RulePassage], *, framed: bool | None = None) -> None:
        self._body = body
        self.findings: list[Finding] = []
        self.rejected: dict[tuple[int, ...], int] = {}
        self.captions: set[int] = set()
        self.found: dict[int, ArticleCandidate] = {}
        candidates = [found for at in range(len(body)) if (found := self._candidate(at))]
        mostly = _mostly(candidates, lambda found: bool(found.passage.frame)) and len(candidates) > 2
        self.framed = mostly if framed is None else framed
        self.captioned = _mostly(candidates, lambda found: bool(found.caption))
        self._edge = median([found.passage.x0 for found in candidates]) if candidates else 0.0
        self.books = self._book_titles(candidates)
        self._decide(candidates)

    def _candidate(self, at: int) -> ArticleCandidate | None:
        passage = self._body[at]
        above = caption_line(self._body[at - 1].text) if at and not is_history(self._body[at - 1].text) else ""
        heading = article_heading(passage.text, below_caption=bool(above))
        if heading is None or deleted_range(passage.text) is not None:
            return None
        return ArticleCandidate(at, heading, heading.caption or above, passage)

    def _book_titles(self, candidates: Sequence[ArticleCandidate]) -> set[int]:
        """Titles of further sets of rules in the same document: a title line with a first article soon behind it."""
        found: set[int] = set()
        for position, candidate in enumerate(candidates):
            if position < 2 or candidate.heading.number != (1,):
                continue
            for at in range(candidate.at - 1, max(candidate.at - 6, 0), -1):
                if article_heading(self._body[at].text) or supplement_heading(self._body[at].text) is not None:
                    break
                if rules_title(self._body[at].text):
                    found.add(at)
                    break
        return found

    def _decide(self, candidates: Sequence[ArticleCandidate]) -> None:
        by_position = {found.at: found for found in candidates}
        chain: set[tuple[int, tuple[int, ...]]] = set()
        for book, members in enumerate(self._books(candidates)):
            rise = _longest_rise([found for found in members if self._plausible(found)])
            chain |= {(book, by_position[at].heading.number) for at in rise}
        book = 0
        state = _ArticleState()
        for at, passage in enumerate(self._body):
            if at in self.books:
                state = _ArticleState()
                book += 1
            elif commentary_heading(passage.text) is not None and not state.appendix:
                state.commentary = True
            elif chapter_heading(passage.text) is not None:
                state.commentary = state.supplement = state.appendix = False
            elif (appendix := appendix_heading(passage.text)) is not None:
                state.commentary = state.supplement = False
                state.appendix, state.quotes = appendix.kind != "table", False
            elif supplement_heading(passage.text) is not None:
                state.commentary, state.supplement, state.appendix = False, True, False
            elif alternative_heading(passage.text) and not state.appendix:
                state.commentary, state.alternative = False, True
            elif at in by_position and not state.supplement:
                found = by_position[at]
                self._judge(found, state, in_chain=(book, found.heading.number) in chain)

    def _books(self, candidates: Sequence[ArticleCandidate]) -> list[list[ArticleCandidate]]:
        """The candidates of every set of rules, without those of supplements."""
        books: list[list[ArticleCandidate]] = [[]]
        positions = {found.at: found for found in candidates}
        supplement = False
        for at, passage in enumerate(self._body):
            if at in self.books:
                books.append([])
                supplement = False
            elif supplement_heading(passage.text) is not None:
                supplement = True
            elif chapter_heading(passage.text) is not None or appendix_heading(passage.text) is not None:
                supplement = False
            elif at in positions and not supplement:
                books[-1].append(positions[at])
        return books

    def _plausible(self, found: ArticleCandidate) -> bool:
        """Whether a candidate looks like the document's articles, whatever its number."""
        if found.heading.deleted:
            return True
        if self.framed:
            return bool(found.passage.frame)
        if found.caption:
            return True
        return not self.captioned or found.passage.x0 <= self._edge + _DEEPER * found.passage.size

    def _judge(self, found: ArticleCandidate, state: "_ArticleState", *, in_chain: bool) -> None:
        number = found.heading.number
        seen = number in state.numbers
        if found.heading.deleted:
            # What is no more has neither caption nor frame.
            accepted = not seen and (_is_next(number, state.last) or (in_chain and not state.commentary))
        elif state.appendix and (state.quotes or seen or not _is_next(number, state.last)):
            # A form of contract, and rules that a 別紙 holds, count their own articles.
            accepted, state.quotes = False, True
        elif not self._plausible(found):
            accepted = False
        elif self.framed:
            accepted = True
        elif in_chain and not seen:
            accepted = not state.commentary or self._follows(found, state)
        elif seen:
            accepted = state.alternative or (bool(found.caption) and not state.commentary)
        else:
            accepted = not state.commentary and (bool(found.caption) or not self.captioned)
        if not accepted:
            self.rejected.setdefault(number, found.passage.page)
            self._report(
                found,
                "note",
                "quoted article",
                "begins a line like an article, but is none of this document's; it stays part of the text it stands in",
            )
            return
        if seen and not state.alternative:
            self._report(
                found,
                "fault",
                "duplicate article number",
                "stands twice in the document; both are kept, the second as "
                f"{'-'.join(map(str, number))}_2: check the numbers in the document",
            )
        state.accept(number)
        self.found[found.at] = found
        if not found.heading.caption and found.caption:
            self.captions.add(found.at - 1)

    def _follows(self, found: ArticleCandidate, state: "_ArticleState") -> bool:
        """Whether an article that ends commentary is the next one, with a caption if articles here have one."""
        return _is_next(found.heading.number, state.last) and (bool(found.caption) or not self.captioned)

    def _report(self, found: ArticleCandidate, kind: Literal["note", "fault"], topic: str, what: str) -> None:
        place = f"page {found.passage.page}, {found.heading.label}"
        self.findings.append(Finding(kind=kind, topic=topic, place=place, message=what, quote=found.passage.text[:40]))


@dataclass(slots=True)
class _ArticleState:
    commentary: bool = False
    supplement: bool = False
    alternative: bool = False
    appendix: bool = False
    quotes: bool = False
    last: tuple[int, ...] = ()
    numbers: set[tuple[int, ...]] = field(default_factory=set)

    def accept(self, number: tuple[int, ...]) -> None:
        """An article of this number begins."""
        if number not in self.numbers:
            self.alternative = False
        self.commentary = self.appendix = False
        self.last = number
        self.numbers.add(number)


def _is_next(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether an article may come straight after the one numbered `last`; any may be the first."""
    return not last or number[0] == last[0] + 1 or (number[0] == last[0] and number > last)


def _mostly(candidates: Sequence[ArticleCandidate], has: Callable[[ArticleCandidate], bool]) -> bool:
    return bool(candidates) and sum(map(has, candidates)) >= _MOST * len(candidates)


def _longest_rise(candidates: Sequence[ArticleCandidate]) -> set[int]:
    """Positions of the longest run of candidates whose numbers rise."""
    tails: list[tuple[int, ...]] = []
    ends: list[int] = []
    before: dict[int, int] = {}
    for index, found in enumerate(candidates):
        place = bisect_left(tails, found.heading.number)
        if place == len(tails):
            tails.append(found.heading.number)
            ends.append(index)
        else:
            tails[place] = found.heading.number
            ends[place] = index
        before[index] = ends[place - 1] if place else -1
    chain: set[int] = set()
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.add(candidates[index].at)
        index = before[index]
    return chain
