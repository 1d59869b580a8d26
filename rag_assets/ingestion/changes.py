"""From what a sync of the objects changes to what an ingestion has to know of it: the link between the two.

Objects are told there, documents noted here: a text and its sidecar are one document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_assets.ingestion.data_source import IngestionTarget
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.state import DocumentChange, IngestionLedger, changing, open_ledger
from rag_assets.s3.checking import document_key, is_sidecar
from rag_assets.s3.objects import ObjectChange, SyncReport


@contextmanager
def record_changes(
    state: Path, target: IngestionTarget, before_first: Callable[[], None] = lambda: None
) -> Iterator["ChangeRecorder"]:
    """What is to be given to `sync_folder` as `on_change`, but not for a dry run.

    Before the first object is uploaded or deleted, every document that will be is noted as pending, and stays so until
    an ingestion has ended well, whatever becomes of this sync. Where the Knowledge Base is not known to hold the
    others, they are noted too, to be looked for by name: one that somebody took out would be missed by number only.
    What an earlier sync noted and did not come to do is put right, by what is there after this one. Memory does not
    grow with the number of documents.

        with noted_changes(state, target) as note:
            report = sync_folder(s3, folder, target, manifest, on_change=note)
        ingest(agent, target, expected_of(report), state)

    Args:
        state: The data source's state file.
        target: The data source.
        before_first: Called before the first change is noted; not at all where there is none.

    Raises:
        StorageError: They cannot be noted: nothing may be changed.
    """
    with open_ledger(state, target) as ledger:
        ledger.begin_sync()
        notes = ChangeRecorder(ledger, before_first)
        yield notes
        notes.end()


class ChangeRecorder:
    """Takes one object of a sync after another, and has to be told of all of them."""

    def __init__(self, ledger: IngestionLedger, before_first: Callable[[], None]) -> None:
        self._ledger = ledger
        self._before_first = before_first
        self._any = False

    def __call__(self, change: ObjectChange, key: str) -> None:
        """Note what is about to become of an object."""
        document = document_key(key)
        if change == "foreign":
            # A sidecar of others is no document, and may be all that is left beside a text of ours that goes.
            if not is_sidecar(key):
                self._ledger.told_of(document)
                self._ledger.note_foreign(document)
            return
        self._ledger.told_of(document)
        if change != "unchanged":
            only_sidecar = is_sidecar(key) and change != "deleted"
            self._note("metadata_changed" if only_sidecar else change, document)
        elif self._ledger.is_to_go(document):
            # An earlier sync was to delete it, and was broken off or has half done so: it stays after all.
            self._note("changed", document)
        elif self._ledger.wants_names:
            self._ledger.note_there(document)

    def end(self) -> None:
        """Note what this sync was not told of: an earlier one was to upload it, and it is neither here nor there."""
        for document in self._ledger.untold():
            self._note("deleted", document)
        self._ledger.end_sync()

    def _note(self, change: DocumentChange, document: str) -> None:
        if not self._any:
            self._before_first()
            self._ledger.write(changing(self._ledger.state))
            self._any = True
        self._ledger.note(change, document)


def expected_after(report: SyncReport) -> ExpectedObjects:
    """What an ingestion after this sync has to find."""
    return ExpectedObjects(
        documents=report.documents,
        sidecars=report.sidecars,
        fingerprint=report.fingerprint,
        foreign=report.foreign_documents,
        foreign_sidecars=report.foreign_sidecars,
    )
