"""Reads what is prepared: the records of all sources, the chunks and passages of a variant.

Each is read once a process, since the assets of a stage run in one. File formats belong to `record_files.py` and
`store/lines.py`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from rag_assets.corpus.dictionary import Dictionary, HeadwordUse, headword_use
from rag_assets.corpus.passages import Passage, passages_of_chunk
from rag_assets.corpus.record_files import StoredRecord, read_all_records
from rag_assets.model import Chunk, Variant
from rag_assets.store.build_cache import file_state, folder_state
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines


def record_assets(sources: Sequence[str]) -> list[str]:
    """Names of the assets that hold the records of some sources."""
    return [f"{source}_records" for source in sources]


def all_records(home: Home, sources: Sequence[str]) -> tuple[StoredRecord, ...]:
    """The records of all sources of this run.

    Raises:
        StorageError: There is none at all. Going on would empty every corpus.
    """
    folders = tuple(home.records(source) for source in sources)
    records = _records_as_of(folders, tuple(folder_state(folder) for folder in folders))
    if not records:
        raise StorageError(
            f"{home.root / 'records'} holds no record: materialize {' or '.join(record_assets(sources))} first"
        )
    return records


def uses_of(records: Sequence[StoredRecord], source: str, dictionary: Dictionary) -> list[HeadwordUse]:
    """How often the headwords of a source's dictionary occur in its records, see `headword_use`."""
    records = [record for record in records if record.source == source]
    return headword_use(dictionary, records, {record.record_id: [record.text] for record in records})


def chunks_of(home: Home, variant: str) -> tuple[Chunk, ...]:
    """The chunks of a variant, in reading order.

    Raises:
        StorageError: They were never made, or by another version.
    """
    path = home.chunks(variant)
    return _chunks_as_of(path, file_state(path))


def records_in(chunks: Iterable[Chunk]) -> set[str]:
    """IDs of the records that chunks are pieces of, or hold."""
    return {record_id for chunk in chunks for record_id in (chunk.record_id, *(span.record_id for span in chunk.spans))}


def passages_of(home: Home, variant: Variant) -> list[Passage]:
    """What is searched of a variant: its chunks, or the windows that the Knowledge Base cuts of its files."""
    windowed = variant.chunking == "FIXED_SIZE"
    return [
        passage for chunk in chunks_of(home, variant.name) for passage in passages_of_chunk(chunk, windowed=windowed)
    ]


def passage_counts(home: Home, variant: Variant) -> dict[str, int]:
    """Number of passages of a variant by source."""
    return dict(sorted(Counter(passage.source for passage in passages_of(home, variant)).items()))


@lru_cache(maxsize=1)
def _records_as_of(folders: tuple[Path, ...], states: tuple[str, ...]) -> tuple[StoredRecord, ...]:
    del states
    return tuple(read_all_records(folders, "the record assets"))


@lru_cache(maxsize=8)
def _chunks_as_of(path: Path, state: str) -> tuple[Chunk, ...]:
    del state
    return tuple(read_lines(path, Chunk, "chunks"))
