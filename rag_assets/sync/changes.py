"""From what a sync of the objects changes to what an ingestion has to know of it: the link between the two.

Objects are told there, documents noted here: a text and its sidecar are one document.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_assets.sync.checking import TEXT_SUFFIX, document_of, is_sidecar
from rag_assets.sync.data_source import IngestionTarget
from rag_assets.sync.judgement import Expected
from rag_assets.sync.objects import Change, SyncReport
from rag_assets.sync.state import Ledger, changing, opened_ledger


@contextmanager
def noted_changes(state: Path, target: IngestionTarget) -> Iterator["Notes"]:
    """What is to be given to `sync_folder` as `on_change`, but not for a dry run.

    Before the first object is uploaded or deleted, every document that will be is noted as pending, and stays so until
    an ingestion has ended well, whatever becomes of this sync. Memory does not grow with their number.

        with noted_changes(state, target) as note:
            report = sync_folder(s3, folder, target, manifest, on_change=note)
            note.all_in(folder)
        ingest(agent, target, expected_of(report), state)

    Args:
        state: The data source's state file.
        target: The data source.

    Raises:
        StorageError: They cannot be noted: nothing may be changed.
    """
    with opened_ledger(state, target) as ledger:
        yield Notes(ledger, target.prefix)


class Notes:
    """Takes one object after another."""

    def __init__(self, ledger: Ledger, prefix: str) -> None:
        self._ledger = ledger
        self._prefix = prefix
        self._any = False

    def __call__(self, change: Change, key: str) -> None:
        """Note what is about to become of an object."""
        if not self._any:
            self._ledger.write(changing(self._ledger.state))
            self._any = True
        only_sidecar = is_sidecar(key) and change != "deleted"
        self._ledger.note("metadata_changed" if only_sidecar else change, document_of(key))

    def all_in(self, folder: Path) -> None:
        """Note which documents there are once the folder's sync has come to its end.

        The ingestion then looks for each by name, where they are not known to have been taken in: one that somebody
        took out of the Knowledge Base it would otherwise miss by their number only, and could not name.
        """
        if self._ledger.wants_names:
            texts = folder.rglob(f"*{TEXT_SUFFIX}")
            self._ledger.note_there(self._prefix + text.relative_to(folder).as_posix() for text in texts)


def expected_of(report: SyncReport) -> Expected:
    """What an ingestion after this sync has to find."""
    return Expected(documents=report.documents, sidecars=report.sidecars, fingerprint=report.fingerprint)
