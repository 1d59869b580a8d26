"""From what a sync of the objects changes to what an ingestion has to know of it: the link between the two.

Objects are told there, documents noted here: a text and its sidecar are one document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_assets.sync.checking import document_of, is_sidecar
from rag_assets.sync.data_source import IngestionTarget
from rag_assets.sync.judgement import Expected
from rag_assets.sync.objects import Change, SyncReport
from rag_assets.sync.state import Ledger, changing, opened_ledger


@contextmanager
def noted_changes(state: Path, target: IngestionTarget) -> Iterator[Callable[[Change, str], None]]:
    """What is to be given to `sync_folder` as `on_change`, but not for a dry run.

    Before the first object is uploaded or deleted, every document that will be is noted as pending, and stays so until
    an ingestion has ended well, whatever becomes of this sync. Memory does not grow with their number.

        with noted_changes(state, target) as note:
            report = sync_folder(s3, folder, target, manifest, on_change=note)
        ingest(agent, target, expected_of(report), state)

    Args:
        state: The data source's state file.
        target: The data source.

    Raises:
        StorageError: They cannot be noted: nothing may be changed.
    """
    with opened_ledger(state, target.knowledge_base_id, target.data_source_id) as ledger:
        yield _Notes(ledger)


class _Notes:
    """Takes one object after another."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._any = False

    def __call__(self, change: Change, key: str) -> None:
        if not self._any:
            self._ledger.write(changing(self._ledger.state))
            self._any = True
        only_sidecar = is_sidecar(key) and change != "deleted"
        self._ledger.note("metadata_changed" if only_sidecar else change, document_of(key))


def expected_of(report: SyncReport) -> Expected:
    """What an ingestion after this sync has to find."""
    return Expected(documents=report.documents, sidecars=report.sidecars, fingerprint=report.fingerprint)
