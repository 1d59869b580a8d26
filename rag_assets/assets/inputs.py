"""What assets of several groups read: the records of all sources. How records lie in files is in `record_files.py`."""

from rag_assets.layout import Home
from rag_assets.record_files import StoredRecord, read_all_records
from rag_assets.resources import SOURCES
from rag_assets.storage import StorageError

RECORD_ASSETS = tuple(f"{source}_records" for source in SOURCES)


def all_records(home: Home) -> list[StoredRecord]:
    """The records of all sources.

    Raises:
        StorageError: There is none at all. Going on would empty every corpus.
    """
    records = read_all_records(home.all_records, " or ".join(RECORD_ASSETS))
    if not records:
        raise StorageError(f"{home.all_records} holds no record: materialize {' or '.join(RECORD_ASSETS)} first")
    return records
