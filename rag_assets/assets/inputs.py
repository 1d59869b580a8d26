"""What assets of several groups read: the records of all sources, the chunks of a variant.

Each is read once a process: the assets of a stage follow each other in one, and reading is most of what the later ones
would do. How the values lie in files is in `record_files.py` and `storage.py`.
"""

from functools import lru_cache
from pathlib import Path

from rag_assets.corpus.dictionary import Dictionary, HeadwordUse, headword_use
from rag_assets.layout import Home
from rag_assets.model import Chunk
from rag_assets.record_files import StoredRecord, read_all_records
from rag_assets.resources import SOURCES
from rag_assets.sources.manifest import Entry, read_manifest
from rag_assets.stamps import file_state, folder_state
from rag_assets.storage import StorageError, read_lines

RECORD_ASSETS = tuple(f"{source}_records" for source in SOURCES)


def all_records(home: Home) -> tuple[StoredRecord, ...]:
    """The records of all sources.

    Raises:
        StorageError: There is none at all. Going on would empty every corpus.
    """
    records = _records_as_of(home.all_records, folder_state(home.all_records))
    if not records:
        raise StorageError(f"{home.all_records} holds no record: materialize {' or '.join(RECORD_ASSETS)} first")
    return records


def listed_pages(home: Home) -> dict[str, Entry]:
    """What is known of every page that a source has ever listed, by the ID its record has where there is one."""
    return {
        f"{source}/{entry.key}": entry
        for source in SOURCES
        for path in sorted((home.fetched(source) / "manifest").glob("*.jsonl"))
        for entry in read_manifest(path).values()
    }


def uses_of(home: Home, source: str, dictionary: Dictionary) -> list[HeadwordUse]:
    """How often the headwords of a source's dictionary stand in its records, see `headword_use`."""
    records = [record for record in all_records(home) if record.source == source]
    return headword_use(dictionary, records, {record.record_id: [record.text] for record in records})


def chunks_of(home: Home, variant: str) -> tuple[Chunk, ...]:
    """The chunks of a variant, in reading order.

    Raises:
        StorageError: They were never made, or by another version.
    """
    path = home.chunks(variant)
    return _chunks_as_of(path, file_state(path))


@lru_cache(maxsize=1)
def _records_as_of(folder: Path, state: str) -> tuple[StoredRecord, ...]:
    del state
    return tuple(read_all_records(folder, " or ".join(RECORD_ASSETS)))


@lru_cache(maxsize=8)
def _chunks_as_of(path: Path, state: str) -> tuple[Chunk, ...]:
    del state
    return tuple(read_lines(path, Chunk, "chunks"))
