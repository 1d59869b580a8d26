"""Connects a sync of objects with the ingestion after it: notes in the ledger which documents the sync changes.

A sync reports objects; the ledger notes documents. A text and its sidecar are one document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.ledger import DocumentChange, IngestionLedger, open_ledger
from rag_assets.s3.checking import document_key, is_sidecar
from rag_assets.s3.locations import IngestionTarget
from rag_assets.s3.objects import ObjectChange, SyncReport


@contextmanager
def record_changes(
    state: Path, target: IngestionTarget, before_first: Callable[[], None] = lambda: None
) -> Iterator["ChangeRecorder"]:
    """Yields what `sync_folder` takes as `on_change`; not for a dry run.

    Before the first upload or deletion, every document that will change is noted as pending. It stays so until an
    ingestion ends well, whatever happens to this sync. If the Knowledge Base is not known to hold the other documents,
    they are noted too, to be looked for by name. What an earlier sync noted and did not do is corrected by what is
    there after this one. Memory does not grow with the number of documents.

        with record_changes(state, target) as record:
            report = sync_folder(s3, folder, target, manifest, on_change=record)
        ingest(agent, target, expected_after(report), state)

    Args:
        state: The data source's ledger file.
        target: The data source.
        before_first: Called before the first change is noted; not at all if there is none.

    Raises:
        StorageError: The changes cannot be noted: nothing may be changed.
    """
    with open_ledger(state, target) as ledger:
        ledger.begin_sync()
        recorder = ChangeRecorder(ledger, before_first)
        yield recorder
        recorder.end()


class ChangeRecorder:
    """Takes the objects of a sync, one after another; it has to be called with all of them."""

    def __init__(self, ledger: IngestionLedger, before_first: Callable[[], None]) -> None:
        self._ledger = ledger
        self._before_first = before_first
        self._has_changes = False

    def __call__(self, change: ObjectChange, key: str) -> None:
        """Note what is about to happen to an object."""
        document = document_key(key)
        if change == "foreign":
            # A foreign sidecar is no document, and may be all that is left beside a text of ours that is deleted.
            if not is_sidecar(key):
                self._ledger.mark_reported(document)
                self._ledger.note_foreign(document)
            return
        self._ledger.mark_reported(document)
        if change != "unchanged":
            only_sidecar = is_sidecar(key) and change != "deleted"
            self._note("metadata_changed" if only_sidecar else change, document)
        elif self._ledger.is_deleted(document):
            # An earlier sync was to delete it, and stopped before or half-way: it stays after all.
            self._note("changed", document)
        elif self._ledger.wants_names:
            self._ledger.note_present(document)

    def end(self) -> None:
        """Note what this sync did not report: an earlier one was to upload it, and it is neither here nor there."""
        for document in self._ledger.find_unreported():
            self._note("deleted", document)
        self._ledger.end_sync()

    def _note(self, change: DocumentChange, document: str) -> None:
        if not self._has_changes:
            self._before_first()
            self._ledger.write(self._ledger.state.begin_change())
            self._has_changes = True
        self._ledger.note_change(change, document)


def expected_after(report: SyncReport) -> ExpectedObjects:
    """What an ingestion after this sync has to find."""
    return ExpectedObjects(
        documents=report.documents,
        sidecars=report.sidecars,
        fingerprint=report.fingerprint,
        foreign=report.foreign_documents,
        foreign_sidecars=report.foreign_sidecars,
    )
