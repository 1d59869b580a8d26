"""Finds out which stretch of a document's plain text belongs to which of its records.

The text comes from another reading than the records do: a service's parser, or the plainest reading of a file. So the
two are aligned by the words they share, in the order both have them in.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise

from rag_assets.corpus.record_text import plain_text
from rag_assets.model import Record, Span

_LENGTHS = (24, 12, 6, 3, 2)
"""Characters of the words that two texts are aligned by, from sure to unsure: the shorter fill what others leave."""
_LEAST_SHARE = 0.5
"""Of a line's letters that a record has: with fewer, and no stretch of `_SURE` letters, it only looks alike."""
_SURE = 8
_PAGE_NUMBER = re.compile(
    r"^[^\S\n]*[-－‐‑–—−・(（]*[^\S\n]*(?:目次|p\.?|P\.?|page)?[^\S\n]*[-－‐‑–—−]?[0-9０-９]{1,4}"
    r"(?:[^\S\n]*[/／][^\S\n]*[0-9０-９]{1,4}|ページ|頁)?[^\S\n]*[-－‐‑–—−・)）]*[^\S\n]*$",
    re.M,
)


@dataclass
class _Letters:
    """A text as its letters, compatibility forms folded and white space left out, and where each stands in it."""

    letters: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> "_Letters":
        found = cls()
        for place, character in enumerate(text):
            for letter in character if character.isascii() else unicodedata.normalize("NFKC", character):
                if not letter.isspace():
                    found.letters.append(letter.lower())
                    found.places.append(place)
        return found

    @property
    def joined(self) -> str:
        return "".join(self.letters)


def trace_records(text: str, records: Sequence[Record]) -> tuple[Span, ...]:
    """Where in a document's text its records stand, in order; what lies in no span belongs to none.

    Each line goes to one record, or several where it holds parts of several (the rows of a line-less table). Lines that
    are no record's, such as page numbers, menus and tables of contents, are in no span.

    Args:
        text: The document, as any program reads it.
        records: Those read from the document, in the order of the document.
    """
    shown = _Letters.of(text)
    words, owners = _join_words(records)
    matched = _align(shown.joined, words)
    owner_of: dict[int, int] = {}
    for at, place in enumerate(matched):
        if place >= 0:
            owner_of[shown.places[at]] = owners[place]
    return tuple(
        Span(start=start, end=end, record_id=records[owner].record_id)
        for start, end, owner in _join_spans(text, _claim_lines(text, owner_of, shown.places))
    )


class SpanOwners:
    """Tells which records own a stretch of a document's text, or a passage that was cut from it."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text = text
        self._spans = spans
        self._ends = [span.end for span in spans]

    def find_between(self, start: int, end: int) -> list[str]:
        """IDs of the records with text between two positions, the one with most first."""
        counts: Counter[str] = Counter()
        for span in self._overlapping(start, end):
            counts[span.record_id] += len("".join(self._text[max(span.start, start) : min(span.end, end)].split()))
        return [record_id for record_id, count in counts.most_common() if count]

    def has_gap_between(self, start: int, end: int) -> bool:
        """Whether a whole line between two positions belongs to no record."""
        behind = start
        for span in [*self._overlapping(start, end), Span(start=end, end=end, record_id="")]:
            if self._text[behind : max(span.start, behind)].strip():
                return True
            behind = max(behind, span.end)
        return False

    def find_in_passage(self, passage: str) -> list[str]:
        """IDs of the records that a passage holds, which a service cut from the document; that with most letters first.

        By position where the passage stands in the text as it is; by the words the two share where the service read
        the file otherwise.
        """
        cut, (whole, places) = _Letters.of(passage), self._letters
        start = whole.find(cut.joined) if cut.letters else -1
        matched = range(start, start + len(cut.letters)) if start >= 0 else _align(cut.joined, whole)
        counts: Counter[str] = Counter()
        for at in matched:
            if at >= 0:
                counts.update(span.record_id for span in self._overlapping(places[at], places[at] + 1))
        if counts.total() < min(_SURE, _LEAST_SHARE * len(cut.letters)):
            return []
        return [record_id for record_id, _ in counts.most_common()]

    @cached_property
    def _letters(self) -> tuple[str, list[int]]:
        """The letters of the whole text, and where each stands in it."""
        whole = _Letters.of(self._text)
        return whole.joined, whole.places

    def _overlapping(self, start: int, end: int) -> Iterator[Span]:
        for position in range(bisect_right(self._ends, start), len(self._spans)):
            if self._spans[position].start >= end:
                return
            yield self._spans[position]


def _join_words(records: Sequence[Record]) -> tuple[str, list[int]]:
    """The words of all records, one behind the other, and whose each letter is."""
    words: list[str] = []
    owners: list[int] = []
    for owner, record in enumerate(records):
        own = _Letters.of("\n".join((*record.chapter, record.label, record.title, record.question, plain_text(record))))
        words += own.letters
        owners += [owner] * len(own.letters)
    return "".join(words), owners


def _align(one: str, other: str) -> list[int]:
    """For each letter of one text its place in the other, -1 where it has none; places only grow."""
    places = [-1] * len(one)
    waiting = [(0, len(one), 0, len(other), 0)]
    while waiting:
        start, end, other_start, other_end, level = waiting.pop()
        if level == len(_LENGTHS) or start == end or other_start == other_end:
            continue
        anchors = _find_anchors(one[start:end], other[other_start:other_end], _LENGTHS[level])
        behind, other_behind = start, other_start
        for at, other_at, length in anchors:
            first, other_first = start + at, other_start + other_at
            waiting.append((behind, first, other_behind, other_first, level + 1))
            places[first : first + length] = range(other_first, other_first + length)
            behind, other_behind = first + length, other_first + length
        waiting.append((behind, end, other_behind, other_end, level + 1))
    return places


def _find_anchors(one: str, other: str, length: int) -> list[tuple[int, int, int]]:
    """Stretches that two texts share, in the order of both: start in one, start in the other, length.

    They grow out of words of a length that stand in the other text once. In the first one the last place counts: a
    table of contents and a menu say a heading before the text does.
    """
    here, there = _index_last(one, length), _index_once(other, length)
    pairs = sorted((at, there[word]) for word, at in here.items() if word in there)
    anchors: list[tuple[int, int, int]] = []
    for at, other_at in _keep_growing(pairs):
        if anchors and (at < sum(anchors[-1][::2]) or other_at < anchors[-1][1] + anchors[-1][2]):
            continue
        least = (anchors[-1][0] + anchors[-1][2], anchors[-1][1] + anchors[-1][2]) if anchors else (0, 0)
        anchors.append(_grow(one, other, at, other_at, length, least))
    return anchors


def _index_last(text: str, length: int) -> dict[str, int]:
    """Where the words of a length begin in a text for the last time."""
    return {text[at : at + length]: at for at in range(len(text) - length + 1)}


def _index_once(text: str, length: int) -> dict[str, int]:
    """Where the words of a length that stand in a text once begin."""
    found: dict[str, int] = {}
    for at in range(len(text) - length + 1):
        word = text[at : at + length]
        found[word] = -1 if word in found else at
    return {word: at for word, at in found.items() if at >= 0}


def _keep_growing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second numbers grow as the first do (patience sorting)."""
    tails: list[int] = []
    tail_at: list[int] = []
    before: list[int] = []
    for at, (_, second) in enumerate(pairs):
        pile = bisect_left(tails, second)
        before.append(tail_at[pile - 1] if pile else -1)
        tails[pile : pile + 1] = [second]
        tail_at[pile : pile + 1] = [at]
    kept: list[tuple[int, int]] = []
    at = tail_at[-1] if tail_at else -1
    while at >= 0:
        kept.append(pairs[at])
        at = before[at]
    return kept[::-1]


def _grow(one: str, other: str, at: int, other_at: int, length: int, least: tuple[int, int]) -> tuple[int, int, int]:
    end, other_end = at + length, other_at + length
    while at > least[0] and other_at > least[1] and one[at - 1] == other[other_at - 1]:
        at, other_at = at - 1, other_at - 1
    while end < len(one) and other_end < len(other) and one[end] == other[other_end]:
        end, other_end = end + 1, other_end + 1
    return at, other_at, end - at


def _claim_lines(text: str, owner_of: dict[int, int], places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The stretches of each line, by the record that its letters were found in; lines with few such are left out."""
    lettered = set(places)
    for line in re.finditer(r"[^\n]+", text):
        letters = [place for place in range(line.start(), line.end()) if place in lettered]
        claimed = [place for place in letters if place in owner_of]
        stretches = (sum(1 for _ in run) for found, run in groupby(letters, key=owner_of.__contains__) if found)
        if not claimed or (len(claimed) < _LEAST_SHARE * len(letters) and max(stretches) < _SURE):
            continue
        runs = [list(run) for _, run in groupby(claimed, key=owner_of.__getitem__)]
        borders = [line.start(), *(run[0] for run in runs[1:]), line.end()]
        for run, (start, end) in zip(runs, pairwise(borders), strict=True):
            yield start, end, owner_of[run[0]]


def _join_spans(text: str, stretches: Iterator[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Neighbouring stretches of one record as one: what stands between them is its own, unless it numbers a page."""
    joined: list[tuple[int, int, int]] = []
    for start, end, owner in stretches:
        if joined and joined[-1][2] == owner and not _PAGE_NUMBER.search(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end, owner)
        else:
            joined.append((start, end, owner))
    return joined
