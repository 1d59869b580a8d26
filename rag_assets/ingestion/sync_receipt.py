"""The sync receipt: a file of one line that a finished sync leaves for the ingestion after it, maybe in another run."""

from pathlib import Path

from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.model import Model
from rag_assets.s3.locations import Target
from rag_assets.store.lines import StorageError, raise_storage_errors, read_lines, write_lines


class SyncReceipt(Model):
    """What a finished sync left in S3.

    Attributes:
        target: The location.
        expected: What the ingestion has to find there.
    """

    target: Target
    expected: ExpectedObjects


def write_receipt(path: Path, receipt: SyncReceipt) -> None:
    """Write the receipt.

    Raises:
        StorageError: It cannot be written.
    """
    write_lines(path, [receipt])


def delete_receipt(path: Path) -> None:
    """Delete the receipt before a sync changes anything: what is half uploaded must not be ingested.

    Raises:
        StorageError: It cannot be deleted; then nothing may be changed.
    """
    with raise_storage_errors(path):
        path.unlink(missing_ok=True)


def read_receipt(path: Path) -> SyncReceipt | None:
    """The receipt; None if no sync has finished.

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
