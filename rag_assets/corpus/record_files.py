"""Records as files: one a line, with its full text, for the next stage and for scripts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.model import Record
from rag_assets.store.lines import iterate_lines, read_folder, read_lines, write_json_lines


class StoredRecord(Record):
    """One line of a `records/<source>/*.jsonl` file: the record, and what is derived from it.

    Attributes:
        content_hash: Hash of what the record says.
        fingerprint: What it was read from and how: an equal one needs no new reading.
        text: The full text that prepared chunks are pieces of.
        plain_text: The text as its page has it, which the raw variant holds.
    """

    content_hash: str
    fingerprint: str
    text: str
    plain_text: str


def write_records(path: Path, records: Iterable[Record], fingerprint_of: Callable[[Record], str]) -> bool:
    """Write records to a file, one a line, as they come; True if that changed it."""
    return write_json_lines(path, (_line(record, fingerprint_of(record)) for record in records))


def read_records(path: Path, made_by: str) -> list[StoredRecord]:
    """The records of one file.

    Args:
        path: A file written by `write_records`.
        made_by: The asset that makes it, for the message where it is missing or old.

    Raises:
        StorageError: It is missing or not of this version.
    """
    return read_lines(path, StoredRecord, made_by)


def iterate_records(path: Path, made_by: str) -> Iterator[StoredRecord]:
    """Likewise, one after the other."""
    return iterate_lines(path, StoredRecord, made_by)


def read_all_records(folders: Sequence[Path], made_by: str) -> list[StoredRecord]:
    """The records of some sources' folders, in order of folder and file."""
    return [record for folder in folders for record in read_folder(folder, StoredRecord, made_by)]


def _line(record: Record, fingerprint: str) -> dict[str, object]:
    if isinstance(record, StoredRecord):
        return record.model_dump(mode="json")
    return {
        **record.model_dump(mode="json"),
        "content_hash": record.digest(),
        "fingerprint": fingerprint,
        "text": record_text(record),
        "plain_text": plain_text(record),
    }
