"""What a sync of the objects leaves for the ingestion after it, which may be another run: a file of one line."""

from pathlib import Path

from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.model import Model
from rag_assets.s3.locations import Target
from rag_assets.store.lines import StorageError, read_lines, told_of, write_lines


class SyncReceipt(Model):
    """What a sync that came to its end left in S3.

    Attributes:
        target: The place.
        expected: What the ingestion has to find there.
    """

    target: Target
    expected: ExpectedObjects


def write_receipt(path: Path, synced: SyncReceipt) -> None:
    """Write it down.

    Raises:
        StorageError: It cannot be written.
    """
    write_lines(path, [synced])


def delete_receipt(path: Path) -> None:
    """Before the first change of another sync: what is half uploaded is not to be ingested.

    Raises:
        StorageError: It cannot be forgotten; then nothing may be changed.
    """
    with told_of(path):
        path.unlink(missing_ok=True)


def read_receipt(path: Path) -> SyncReceipt | None:
    """What was written down; None where no sync has come to its end.

    Raises:
        StorageError: The file holds something else.
    """
    if not path.is_file():
        return None
    lines = read_lines(path, SyncReceipt, "s3_objects")
    if len(lines) != 1:
        raise StorageError(
            f"{path} should tell of one sync, and tells of {len(lines)}: delete it and materialize s3_objects again"
        )
    return lines[0]
