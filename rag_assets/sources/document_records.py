"""Documents as record files: read where the document, its settings or the reading code have changed, else left alone.

What is in the files is written by `record_files.py`; how documents are read, by the modules of `sources/`.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from rag_assets.clock import today_in_japan
from rag_assets.corpus.bare_figures import BareFigures
from rag_assets.corpus.record_files import StoredRecord, iterate_records, write_records
from rag_assets.corpus.text_layout import prepared_layout
from rag_assets.model import Model, Record
from rag_assets.sources.base import DocumentError, DocumentSettings, Finding, PdfDocument, Reading
from rag_assets.sources.fetching.documents import document_entry
from rag_assets.sources.fetching.manifest import Entry
from rag_assets.sources.fetching.objects import ObjectError, ObjectStore
from rag_assets.sources.finding_tally import FindingTally
from rag_assets.sources.registry import DocumentSource
from rag_assets.store.build_cache import code_fingerprint, file_state, fingerprint, is_current, set_stamp
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines

_READING_CODE = (
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
    return _list_topics(Counter((finding.kind, finding.topic) for finding in findings))


def _list_topics(counts: Mapping[tuple[str, str], int]) -> tuple[Topic, ...]:
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
    made_from = fingerprint(
        entry.sha256,
        _readers_url(entry) or "",
        settings.model_dump_json(),
        code_fingerprint(*_READING_CODE),
    )
    stamp = home.record_stamp(source.name, settings.key)
    if is_current(stamp, made_from, _looks(records, summary)):
        earlier = read_lines(summary, DocumentSummary, f"{source.name}_records")[0]
        if earlier.review_on is None or today() < earlier.review_on:
            return earlier, False
    tally = _Tally(settings.key)
    with _opened(entry.sha256, home.fetched(source.name)) as file:
        readings = source.reader(file, settings, sha256=entry.sha256, url=_readers_url(entry))
        told = chain(settings.as_of_findings(), readings)
        found = tally.records_among(with_unread_tables(told) if isinstance(settings, PdfDocument) else told)
        write_records(records, found, lambda _: made_from)
    write_lines(summary, [tally.summary()])
    set_stamp(stamp, made_from, _looks(records, summary))
    return tally.summary(), True


def with_unread_tables(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Readings of a document, each record with rows of figures that nothing names followed by a note that says so."""
    for reading in readings:
        yield reading
        if isinstance(reading, Record):
            layout = prepared_layout(reading)
            rows = BareFigures(layout).rows_between(0, len(layout.text))
            if rows:
                yield Finding(
                    kind="note",
                    topic="unreadable table",
                    place=f"{reading.label} {reading.title}".strip(),
                    message=(
                        f"{len(rows)} rows of figures have no heading or no name: the table's rows and columns could "
                        "not be told for sure, so no answer should be taken from them; the original shows them"
                    ),
                    quote=rows[0][:_SHOWN_OF_ROW],
                )


def forget_other_records(source: str, keys: set[str], home: Home) -> list[str]:
    """Remove the record files of documents that the settings no longer name; which."""
    gone = sorted(path for path in home.records(source).glob("*.jsonl") if path.stem not in keys)
    for path in gone:
        path.unlink()
        home.summary(source, path.stem).unlink(missing_ok=True)
        home.record_stamp(source, path.stem).unlink(missing_ok=True)
    return [path.stem for path in gone]


def summary_of(key: str, readings: Iterable[Reading]) -> DocumentSummary:
    """The summary of what no document reader yields: a category of Tax Answer."""
    tally = _Tally(key)
    for reading in readings:
        tally.count(reading)
    return tally.summary()


def first_records(source: str, key: str, home: Home, most: int) -> list[StoredRecord]:
    """The first records of a document."""
    found: list[StoredRecord] = []
    for record in iterate_records(home.records(source) / f"{key}.jsonl", f"{source}_records"):
        found.append(record)
        if len(found) == most:
            break
    return found


def _place_in_japanese(place: str) -> str:
    pages = re.sub(
        r"\bpages? (\d+)(?:-(\d+))?", lambda found: f"{'～'.join(filter(None, found.groups()))}ページ", place
    )
    return re.sub(r"\bline (\d+)", r"\1行目", pages).replace(", ", "、")


class _Tally:
    """Counts what a reader yields, and lets the records through."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._records = 0
        self._undated = 0
        self._undated_ids: list[str] = []
        self._review_on: datetime.date | None = None
        self._empty: list[str] = []
        self._findings = FindingTally(KEPT_FINDINGS)

    def records_among(self, readings: Iterable[Reading]) -> Iterator[Record]:
        for reading in readings:
            self.count(reading)
            if isinstance(reading, Record):
                yield reading
        if not self._records:
            raise DocumentError(self._nothing())

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

    def _nothing(self) -> str:
        told = [f"  {finding.place}: {finding.in_words()}" for finding in self._findings.first[:_SHOWN_REASONS]]
        more = self._findings.counts.total() - len(told)
        reasons = [*told, *([f"  … and {more} more"] if more else [])]
        return "\n".join(["it holds no record at all: is it a document of this kind?", *reasons])

    def summary(self) -> DocumentSummary:
        return DocumentSummary(
            key=self._key,
            records=self._records,
            undated=self._undated,
            undated_ids=tuple(self._undated_ids),
            review_on=self._review_on,
            empty=tuple(self._empty),
            topics=_list_topics(self._findings.counts),
            findings=tuple(self._findings.first),
        )


def _opened(sha256: str, folder: Path) -> BinaryIO:
    try:
        return ObjectStore(folder).open(sha256)
    except ObjectError as error:
        raise NotFetchedError(str(error)) from error


def _readers_url(entry: Entry) -> str | None:
    """Where a reader can see the original: a file of this machine is nowhere to be seen."""
    return entry.url if entry.url.startswith(("http://", "https://")) else None


def _looks(*paths: Path) -> str:
    return "\n".join(file_state(path) for path in paths)
