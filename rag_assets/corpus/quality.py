"""What is wrong with a variant's passages, counted from text and positions alone: no question, no model.

Prepared and raw passages are held to the same rules. Showing the counts belongs in evaluation's report.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from rag_assets.corpus.passage_faults import FAULTS, CutPassage, Mixture, NameBook, Origin, faults_of
from rag_assets.corpus.passages import fixed_windows
from rag_assets.corpus.phone_numbers import phone_numbers
from rag_assets.corpus.text_layout import TextLayout, bare_layout, plain_layout, prepared_layout, set_between
from rag_assets.corpus.tracing import SpanOwners
from rag_assets.corpus.variants import as_prepared
from rag_assets.corpus.whole_documents import find_document_id
from rag_assets.model import BIN_WIDTH, Chunk, QualityRow, Record, Variant

BINS = 21
"""Bins of the histogram; the last holds everything from 2,000 characters up."""

EXAMPLES = 3
"""Passages named for every fault."""

ALL_SOURCES = "all"


def corpus_quality(
    records: Sequence[Record],
    chunks: Sequence[Chunk],
    variant: Variant,
    windows: Callable[[str], list[str]] = fixed_windows,
    progress: Callable[[int, int], None] | None = None,
) -> list[QualityRow]:
    """The faults of one variant's passages: a row for all sources together, then one a source.

    A variant with a limit is looked at chunk by chunk. One without is looked at as the windows that the Knowledge Base
    will cut its files into, named `<chunk_id>#w0001` and so on, as the search index names them. The faults:

    - several_records: a window of a whole document holds text of more than one record. Of a chunk of a record, a line
      begins with the name of another record (label and title, with or without the document before them) and does not
      stand in the passage's own record, which may well list others.
    - page_furniture: a line of a whole document's window that belongs to no record: a page number, a running title, a
      menu, a table of contents. Chunks of records have none.
    - unnamed: neither the record's label nor its title stands in the passage. 「No.1211-1」 is no 「No.1211」.
    - begins_mid_sentence, ends_mid_sentence: the body is not cut at a line, sentence, table field or cell.
    - orphan_phone: a telephone number whose owner is not named in the passage (see `phone_numbers`, `tells_owner`).
    - parted_rows: table rows of which words of a cell stand in a passage that lacks a heading of the cell's column.
      Counted once per passage and row.
    - unkeyed_figures: rows of figures with no heading and no name beside them (see `bare_figures`): a table that could
      not be read.
    - over_limit: context, line break and body are longer than the limit together.
    - lost_records: records without a chunk.

    What a window of a whole document belongs to is told by its spans (`Chunk.spans`); its tables are plain lines there,
    so that neither parted rows nor unkeyed figures can be told (None).

    Args:
        records: All records of the corpus.
        chunks: The variant's chunks; those of one record in reading order.
        variant: The way of preparing that made the chunks.
        windows: Cuts a file's text as the Knowledge Base would, into slices in order; asked only without a limit.
        progress: Told after every passage how many have been looked at, of how many.

    Raises:
        ValueError: A chunk belongs to no record given, or a window is no slice of its text.
    """
    records = [as_prepared(record, variant) for record in records]
    passages_of, lost_of = _passages_by_source(records, chunks, variant, windows)
    names = NameBook(records)
    sources = list(passages_of)
    tell = _counter(sum(map(len, passages_of.values())), progress)
    counts = {source: _count(passages_of[source], lost_of[source], names, tell) for source in sources}
    rows = [_row(variant, ALL_SOURCES, [counts[source] for source in sources])]
    return rows + [_row(variant, source, [counts[source]]) for source in sources]


def _passages_by_source(
    records: Sequence[Record], chunks: Sequence[Chunk], variant: Variant, windows: Callable[[str], list[str]]
) -> tuple[dict[str, list[CutPassage]], dict[str, list[str]]]:
    """The passages and the IDs of records without any, by source."""
    chunks_of: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        chunks_of[chunk.record_id].append(chunk)
    if variant.unit == "document":
        return _document_passages(records, chunks, windows)
    passages: dict[str, list[CutPassage]] = {}
    lost: dict[str, list[str]] = {}
    for record in records:
        passages.setdefault(record.source, [])
        lost.setdefault(record.source, [])
        own = chunks_of.pop(record.record_id, [])
        if not own:
            lost[record.source].append(record.record_id)
        elif variant.limit is None:
            passages[record.source].extend(p for chunk in own for p in _window_passages(record, chunk, windows))
        else:
            passages[record.source].extend(_chunk_passages(record, own, variant.limit))
    if chunks_of:
        stray = next(iter(chunks_of.values()))[0]
        raise ValueError(
            f"variant {variant.name}: chunk {stray.chunk_id} belongs to {stray.record_id}, which is not among the "
            f"{len(records)} records given ({len(chunks_of)} such records): prepare the chunks again from these records"
        )
    return passages, lost


def _document_passages(
    records: Sequence[Record], chunks: Sequence[Chunk], windows: Callable[[str], list[str]]
) -> tuple[dict[str, list[CutPassage]], dict[str, list[str]]]:
    """The windows of whole documents and the IDs of records that no document holds, by source."""
    by_id = {record.record_id: record for record in records}
    first_of = {find_document_id(record.record_id): record for record in reversed(records)}
    passages: dict[str, list[CutPassage]] = {record.source: [] for record in records}
    for chunk in chunks:
        first = first_of[find_document_id(chunk.record_id)]
        passages[first.source].extend(_document_windows(chunk, by_id, first, windows))
    found = {span.record_id for chunk in chunks for span in chunk.spans}
    lost: dict[str, list[str]] = {source: [] for source in passages}
    for record in records:
        if record.record_id not in found:
            lost[record.source].append(record.record_id)
    return passages, lost


def _document_windows(
    chunk: Chunk, records: Mapping[str, Record], first: Record, windows: Callable[[str], list[str]]
) -> Iterator[CutPassage]:
    """The windows of a document; one that holds none of its records is taken for one of the first."""
    owners = SpanOwners(chunk.text, chunk.spans)
    layout = bare_layout(chunk.text)
    phones = phone_numbers(layout)
    origins = {first.record_id: Origin(layout, phones, first)}
    for name, window, start in _cut_windows(chunk, windows):
        end = start + len(window)
        owning = owners.find_between(start, end)
        record = records[owning[0]] if owning else first
        origin = origins.setdefault(record.record_id, Origin(layout, phones, record))
        mixture = Mixture(records=len(owning), has_furniture=owners.has_gap_between(start, end))
        yield CutPassage(name, record, window, origin, start, end, over_limit=False, mixture=mixture)


def _chunk_passages(record: Record, chunks: list[Chunk], limit: int) -> Iterator[CutPassage]:
    origin = _origin(prepared_layout(record), record)
    behind = 0
    for chunk in chunks:
        start = origin.layout.text.find(chunk.body, behind)
        if start < 0:
            start = origin.layout.text.find(chunk.body)
        # A body that is no slice of the text can be judged by its own lines only.
        own = origin if start >= 0 else _origin(bare_layout(chunk.body), record)
        start = max(start, 0)
        end = start + len(chunk.body)
        behind = end if own is origin else behind
        length = len(chunk.body) + (len(chunk.context) + 1 if chunk.context else 0)
        yield CutPassage(chunk.chunk_id, record, chunk.text, own, start, end, over_limit=length > limit)


def _window_passages(record: Record, chunk: Chunk, windows: Callable[[str], list[str]]) -> Iterator[CutPassage]:
    origin = _origin(_file_layout(record, chunk), record)
    for name, window, start in _cut_windows(chunk, windows):
        yield CutPassage(name, record, window, origin, start, start + len(window), over_limit=False)


def _cut_windows(chunk: Chunk, windows: Callable[[str], list[str]]) -> Iterator[tuple[str, str, int]]:
    """The windows of a file that have text: name, text and where it begins."""
    text = chunk.text
    start = -1
    cut = windows(text)
    for number, window in enumerate(cut, start=1):
        # The last window may be so short that its words stand before it, too.
        last = number == len(cut) and text.endswith(window)
        start = len(text) - len(window) if last else text.find(window, start + 1)
        if start < 0:
            raise ValueError(f"window {number} of {chunk.chunk_id} is no slice of its text: windows may only cut")
        if window.strip():
            yield f"{chunk.chunk_id}#w{number:04d}", window, start


def _file_layout(record: Record, chunk: Chunk) -> TextLayout:
    """The layout of a whole file: the record between the file's head and its everyday words."""
    before = "\n".join(part for part in (chunk.header, chunk.context) if part)
    behind = (len(before) + 1 if before else 0) + len(chunk.body) + 1
    layouts = (layout(record) for layout in (plain_layout, prepared_layout))
    body = next((layout for layout in layouts if layout.text == chunk.body), None)
    return set_between(before, body or bare_layout(chunk.body), chunk.text[behind:])


def _origin(layout: TextLayout, record: Record) -> Origin:
    return Origin(layout, phone_numbers(layout), record)


# Figures


@dataclass(frozen=True, slots=True)
class _Counts:
    """What was found in one source: passage IDs by fault, a passage as often as it counts, and lengths."""

    found: dict[str, list[str]]
    lengths: list[int]


def _counter(total: int, progress: Callable[[int, int], None] | None) -> Callable[[], None]:
    """What is called after every passage: tells how many that makes of all."""
    done = count(1)

    def tell() -> None:
        if progress is not None:
            progress(next(done), total)

    return tell


def _count(passages: list[CutPassage], lost: list[str], names: NameBook, tell: Callable[[], None]) -> _Counts:
    found: dict[str, list[str]] = {fault: [] for fault in FAULTS}
    for passage in passages:
        for fault in faults_of(passage, names):
            found[fault].append(passage.passage_id)
        tell()
    found["lost_records"].extend(lost)
    return _Counts(found, [len(passage.text) for passage in passages])


def _row(variant: Variant, source: str, counts: list[_Counts]) -> QualityRow:
    found = {fault: [passage_id for count in counts for passage_id in count.found[fault]] for fault in FAULTS}
    lengths = sorted(length for count in counts for length in count.lengths)
    return QualityRow(
        variant=variant.name,
        source=source,
        passages=len(lengths),
        several_records=len(found["several_records"]),
        page_furniture=len(found["page_furniture"]),
        unnamed=len(found["unnamed"]),
        begins_mid_sentence=len(found["begins_mid_sentence"]),
        ends_mid_sentence=len(found["ends_mid_sentence"]),
        orphan_phone=len(found["orphan_phone"]),
        parted_rows=len(found["parted_rows"]) if variant.unit == "record" else None,
        unkeyed_figures=len(found["unkeyed_figures"]) if variant.unit == "record" else None,
        over_limit=len(found["over_limit"]),
        lost_records=len(found["lost_records"]),
        length_p5=_percentile(lengths, 5),
        length_p50=_percentile(lengths, 50),
        length_p95=_percentile(lengths, 95),
        length_max=lengths[-1] if lengths else 0,
        histogram=_histogram(lengths),
        examples={fault: tuple(dict.fromkeys(ids))[:EXAMPLES] for fault, ids in found.items() if ids},
    )


def _percentile(ordered: list[int], percent: int) -> int:
    """The smallest value that at least so many percent are not above (nearest rank); 0 of nothing."""
    return ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)] if ordered else 0


def _histogram(lengths: list[int]) -> tuple[int, ...]:
    bins = [0] * BINS
    for length in lengths:
        bins[min(length // BIN_WIDTH, BINS - 1)] += 1
    return tuple(bins)
