"""Documents as record files: read where the document, its settings or the reading code have changed, else left alone.

What is in the files is written by `record_files.py`; how documents are read, by the modules of `sources/`.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from rag_assets.clock import today_in_japan
from rag_assets.corpus.bare_figures import BareFigures
from rag_assets.corpus.record_files import StoredRecord, iterate_records, write_records
from rag_assets.corpus.text_layout import prepared_layout
from rag_assets.model import Model, Record
from rag_assets.sources.base import (
    NO_TEXT,
    DocumentError,
    DocumentSettings,
    DocumentSource,
    Finding,
    PdfDocument,
    Reading,
)
from rag_assets.sources.fetching.documents import document_entry
from rag_assets.sources.fetching.manifest import FetchEntry
from rag_assets.sources.fetching.objects import FetchedObjects, ObjectError
from rag_assets.sources.finding_tally import FindingTally
from rag_assets.store.build_cache import code_fingerprint, file_state, fingerprint, is_current, write_entry
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines

READING_CODE = (
    *("sources", "japanese", "model.py", "corpus/sidecar_limits.py", "corpus/record_files.py"),
    *("corpus/record_text.py", "corpus/table_text.py"),
    *("corpus/bare_figures.py", "corpus/text_layout.py"),
)
"""What a record file depends on besides its document; it holds the records' text as well."""

_SHOWN_OF_ROW = 80
_SHOWN_REASONS = 10
"""Findings told of a document that yields no record at all."""

KEPT_FINDINGS = 1000
"""Findings of a topic that are kept in full; beyond them only their number counts."""


class Topic(Model):
    """How often something was found in a document."""

    kind: str
    topic: str
    count: int


class DocumentSummary(Model):
    """What reading a document, or a category of Tax Answer, brought, beside the records themselves.

    Attributes:
        key: Name of the document within its source.
        records: How many.
        undated: How many of them tell no as-of date that can be read.
        undated_ids: Their IDs, as far as they are kept.
        review_on: The day from which the document tells something else (another date holds then); None for never.
        empty: IDs of those without any text.
        topics: What else was found, by topic.
        findings: The findings in full, as far as they are kept.
    """

    key: str
    records: int
    undated: int
    empty: tuple[str, ...]
    topics: tuple[Topic, ...]
    findings: tuple[Finding, ...]
    undated_ids: tuple[str, ...] = ()
    review_on: datetime.date | None = None

    def faults(self) -> int:
        """Things that should be records, or parts of them, and are not."""
        return sum(topic.count for topic in self.topics if topic.kind == "fault")

    def told(self, topic: Topic) -> list[str]:
        """The findings of a topic for readers of the documents: the place, and the words that stand there."""
        return [
            "：".join(filter(None, (_place_in_japanese(finding.place), finding.quote)))
            for finding in self.findings
            if (finding.kind, finding.topic) == (topic.kind, topic.topic)
        ]


def count_topics(findings: Iterable[Finding]) -> tuple[Topic, ...]:
    """How often each kind of thing was found, in the order of first mention."""
    return _as_topics(Counter((finding.kind, finding.topic) for finding in findings))


def _as_topics(counts: Counter[tuple[str, str]]) -> tuple[Topic, ...]:
    return tuple(Topic(kind=kind, topic=topic, count=count) for (kind, topic), count in counts.items())


class NotFetchedError(ValueError):
    """There are no bytes of a document to read."""


def read_into_records(
    source: DocumentSource,
    settings: DocumentSettings,
    home: Home,
    *,
    today: Callable[[], datetime.date] = today_in_japan,
) -> tuple[DocumentSummary, bool]:
    """Make a document's record file what the document says; True beside it if it had to be read for that.

    Records are written as they are read: memory grows with the document only as far as its reader's does. A document
    that tells of a day to come (it is in force from then on) is read again when that day is there.

    Raises:
        NotFetchedError: It was never fetched well.
        DocumentError: It cannot be read; the records of an earlier edition stay as they are.
        StorageError: A file of ours could not be written.
    """
    entry = document_entry(settings.key, home.fetched(source.name))
    if entry is None or entry.sha256 is None:
        raise NotFetchedError(f"it was never fetched: materialize {source.fetching_asset} first")
    records, summary = home.records(source.name) / f"{settings.key}.jsonl", home.summary(source.name, settings.key)
    url = _readers_url(entry)
    input_hash = fingerprint(entry.sha256, url or "", settings.model_dump_json(), code_fingerprint(*READING_CODE))
    cache_entry = home.records_cache_entry(source.name, settings.key)
    if is_current(cache_entry, input_hash, _output_state(records, summary)):
        earlier = read_lines(summary, DocumentSummary, f"{source.name}_records")[0]
        if earlier.review_on is None or today() < earlier.review_on:
            return earlier, False
    counts = _ReadingCounts(settings.key)
    try:
        opened = FetchedObjects(home.fetched(source.name)).open(entry.sha256)
    except ObjectError as error:
        raise NotFetchedError(str(error)) from error
    with opened as file:
        readings: Iterable[Reading] = chain(
            settings.as_of_findings(), source.reader(file, settings, sha256=entry.sha256, url=url)
        )
        if isinstance(settings, PdfDocument):
            readings = with_unread_tables(readings)
        write_records(records, counts.pass_records(readings), lambda _: input_hash)
    write_lines(summary, [counts.summary()])
    write_entry(cache_entry, input_hash, _output_state(records, summary))
    return counts.summary(), True


def with_unread_tables(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Readings of a document, each record with rows of figures that nothing names followed by a note that says so."""
    for reading in readings:
        yield reading
        if isinstance(reading, Record):
            layout = prepared_layout(reading)
            rows = BareFigures(layout).rows_between(0, len(layout.text))
            if rows:
                yield Finding.note(
                    "unreadable table",
                    f"{reading.label} {reading.title}".strip(),
                    f"{len(rows)} rows of figures have no heading or no name: the table's rows and columns could "
                    "not be told for sure, so no answer should be taken from them; the original shows them",
                    rows[0][:_SHOWN_OF_ROW],
                )


def forget_other_records(source: str, keys: set[str], home: Home) -> list[str]:
    """Remove the record files of documents that the settings no longer name; which."""
    gone = sorted(path for path in home.records(source).glob("*.jsonl") if path.stem not in keys)
    for path in gone:
        path.unlink()
        home.summary(source, path.stem).unlink(missing_ok=True)
        home.records_cache_entry(source, path.stem).unlink(missing_ok=True)
    return [path.stem for path in gone]


def summary_of(key: str, readings: Iterable[Reading]) -> DocumentSummary:
    """The summary of what no document reader yields: a category of Tax Answer."""
    counts = _ReadingCounts(key)
    for reading in readings:
        counts.count(reading)
    return counts.summary()


def first_records(source: str, key: str, home: Home, most: int) -> list[StoredRecord]:
    """The first records of a document."""
    return list(islice(iterate_records(home.records(source) / f"{key}.jsonl", f"{source}_records"), most))


def _place_in_japanese(place: str) -> str:
    pages = re.sub(
        r"\bpages? (\d+)(?:-(\d+))?", lambda found: f"{'～'.join(filter(None, found.groups()))}ページ", place
    )
    return re.sub(r"\bline (\d+)", r"\1行目", pages).replace(", ", "、")


class _ReadingCounts:
    """Counts what a reader yields, and lets the records through."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._records = 0
        self._undated = 0
        self._undated_ids: list[str] = []
        self._review_on: datetime.date | None = None
        self._empty: list[str] = []
        self._findings = FindingTally(KEPT_FINDINGS)

    def pass_records(self, readings: Iterable[Reading]) -> Iterator[Record]:
        for reading in readings:
            self.count(reading)
            if isinstance(reading, Record):
                yield reading
        if not self._records and not self._findings.counts["note", NO_TEXT]:
            raise DocumentError(self._explain_no_record())

    def count(self, reading: Reading) -> None:
        if isinstance(reading, Finding):
            self._findings.add(reading)
            if reading.review_on is not None:
                self._review_on = min(self._review_on or reading.review_on, reading.review_on)
            return
        self._records += 1
        if reading.as_of is None or reading.as_of.date is None:
            self._undated += 1
            if self._undated <= KEPT_FINDINGS:
                self._undated_ids.append(reading.record_id)
        if not reading.title.strip() or not any(section.blocks for section in reading.sections):
            self._empty.append(reading.record_id)

    def _explain_no_record(self) -> str:
        reasons = [f"  {finding.place}: {finding.in_words()}" for finding in self._findings.first[:_SHOWN_REASONS]]
        more = self._findings.counts.total() - len(reasons)
        reasons += [f"  … and {more} more"] if more else []
        return "\n".join(["it holds no record at all: is it a document of this kind?", *reasons])

    def summary(self) -> DocumentSummary:
        return DocumentSummary(
            key=self._key,
            records=self._records,
            undated=self._undated,
            undated_ids=tuple(self._undated_ids),
            review_on=self._review_on,
            empty=tuple(self._empty),
            topics=_as_topics(self._findings.counts),
            findings=tuple(self._findings.first),
        )


def _readers_url(entry: FetchEntry) -> str | None:
    """Where a reader can see the original: a file of this machine is nowhere to be seen."""
    return entry.url if entry.url.startswith(("http://", "https://")) else None


def _output_state(*paths: Path) -> str:
    return "\n".join(file_state(path) for path in paths)
