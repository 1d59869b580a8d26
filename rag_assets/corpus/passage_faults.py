"""What can be wrong with one passage, told from its text and from where it was cut.

Making passages and counting their faults belongs in quality.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from rag_assets.corpus.bare_figures import BareFigures
from rag_assets.corpus.phone_numbers import PhoneNumber, tells_owner
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.corpus.text_layout import TextLayout
from rag_assets.model import Fault, Record

FAULTS: tuple[str, ...] = get_args(Fault)
"""The counts of `QualityRow`; `corpus_quality` says what each means."""

_LONGER_NUMBER = re.compile(r"[-－‐‑–—−]?[0-9０-９]")
_LONGER_ARTICLE = re.compile(r"の[0-9０-９一二三四五六七八九十](?![部般定])")


@dataclass(frozen=True)
class Origin:
    """A text that passages are slices of.

    Attributes:
        layout: The text, and where its lines and cells are.
        phones: The telephone numbers in it, in order.
        record: The record whose text it is.
    """

    layout: TextLayout
    phones: list[PhoneNumber]
    record: Record

    def phones_within(self, start: int, end: int) -> Iterator[PhoneNumber]:
        """The telephone numbers that stand in full between two positions."""
        for phone in self.phones[bisect_left(self.phones, start, key=lambda phone: phone.start) :]:
            if phone.end > end:
                return
            yield phone

    def is_own(self, line: str) -> bool:
        """Whether the record itself says what a line of a passage says; a passage may hold only part of a line."""
        return line in self._own_lines or line in self._own_text

    @cached_property
    def bare_figures(self) -> BareFigures:
        """Its rows of figures that nothing names."""
        return BareFigures(self.layout)

    @cached_property
    def _own_text(self) -> str:
        return f"{plain_text(self.record)}\n{record_text(self.record)}"

    @cached_property
    def _own_lines(self) -> frozenset[str]:
        return frozenset(self._own_text.split("\n"))


@dataclass(frozen=True, slots=True)
class Mixture:
    """What a window of a whole document holds.

    Attributes:
        records: How many records it has text of.
        has_furniture: Whether a line of it belongs to no record.
    """

    records: int
    has_furniture: bool


@dataclass(frozen=True, slots=True)
class CutPassage:
    """One text as a search returns it, and where it was cut.

    Attributes:
        passage_id: Chunk ID, or that of a window of a chunk.
        record: The record it is a piece of.
        text: Everything a reader of the passage sees, header and everyday words included.
        origin: The text that its body is a slice of.
        start: Where the body begins in the origin.
        end: Where it ends.
        over_limit: Whether the body is longer than its variant allows.
        mixture: Of a window of a whole document.
    """

    passage_id: str
    record: Record
    text: str
    origin: Origin
    start: int
    end: int
    over_limit: bool
    mixture: Mixture | None = None


class NameBook:
    """Finds which record a line names at its start, in a few steps however many records there are."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._documents = tuple({f"{record.document} " for record in records})
        self._names: dict[str, set[str]] = defaultdict(set)
        for record in records:
            self._names[_name(record)].add(record.record_id)
        self._key_length = min((len(name) for name in self._names), default=0)
        self._by_key: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._names, key=len, reverse=True):
            self._by_key[name[: self._key_length]].append(name)

    def named_at_start(self, line: str) -> set[str]:
        """IDs of the records with the longest name that the line begins with."""
        for document in ("", *self._documents):
            if line.startswith(document):
                rest = line[len(document) :]
                for name in self._by_key.get(rest[: self._key_length], ()):
                    if rest.startswith(name):
                        return self._names[name]
        return set()


def _name(record: Record) -> str:
    return f"{record.label} {record.title}"


def faults_of(passage: CutPassage, names: NameBook) -> Iterator[str]:
    """Names of the fields of `QualityRow` that this passage counts in, one a fault (a row parted, each time)."""
    layout = passage.origin.layout
    named = _names_record(passage.text, passage.record)
    if passage.mixture.records > 1 if passage.mixture else _holds_another(passage, names):
        yield "several_records"
    if passage.mixture and passage.mixture.has_furniture:
        yield "page_furniture"
    if not named:
        yield "unnamed"
    if not layout.begins_well(passage.start):
        yield "begins_mid_sentence"
    if not layout.ends_well(passage.end):
        yield "ends_mid_sentence"
    if _has_orphan_phone(passage, named=named):
        yield "orphan_phone"
    yield from ["parted_rows"] * _parted_rows(passage)
    if passage.origin.bare_figures.rows_between(passage.start, passage.end):
        yield "unkeyed_figures"
    if passage.over_limit:
        yield "over_limit"


def _names_record(text: str, record: Record) -> bool:
    return record.title in text or _holds_label(text, record.label)


def _holds_label(text: str, label: str) -> bool:
    """Whether a label stands in a text as itself, not as the beginning of a longer one: No.1211-1, 第６条の２."""
    longer = _LONGER_NUMBER if label[-1].isdecimal() else _LONGER_ARTICLE
    found = text.find(label)
    while found >= 0:
        if not longer.match(text, found + len(label)):
            return True
        found = text.find(label, found + 1)
    return False


def _holds_another(passage: CutPassage, names: NameBook) -> bool:
    for line in passage.text.split("\n"):
        named = names.named_at_start(line)
        if named and passage.record.record_id not in named and not passage.origin.is_own(line):
            return True
    return False


def _has_orphan_phone(passage: CutPassage, *, named: bool) -> bool:
    inside = passage.origin.phones_within(passage.start, passage.end)
    return any(not tells_owner(passage.text, phone, named=named) for phone in inside)


def _parted_rows(passage: CutPassage) -> int:
    return sum(
        any(
            words.start < passage.end
            and words.end > passage.start
            and any(heading not in passage.text for heading in words.headings)
            for words in line.words
        )
        for line in passage.origin.layout.lines_between(passage.start, passage.end)
    )
