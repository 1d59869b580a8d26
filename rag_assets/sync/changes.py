"""From what a sync of the objects changes to what an ingestion has to know of it: the link between the two.

Objects are counted there, documents here: a text and its sidecar are one document.
"""

from pathlib import Path

from rag_assets.corpus.writing import SIDECAR_SUFFIX
from rag_assets.sync.data_source import IngestionTarget
from rag_assets.sync.direct import Changes
from rag_assets.sync.judgement import Expected
from rag_assets.sync.objects import Change, SyncReport
from rag_assets.sync.state import mark_pending


class ChangeCount:
    """To be given to `sync_folder` as `on_change`, but not for a dry run.

    Before the first object is uploaded or deleted, the ingestion is marked as pending. Memory does not grow with the
    number of changes.

        count = ChangeCount(state, target, direct_up_to=100)
        report = sync_folder(s3, folder, target, manifest, on_change=count)
        ingest(agent, target, count.expected(report), state, changes=count.changes, direct_up_to=100)
    """

    def __init__(self, state: Path, target: IngestionTarget, direct_up_to: int = 0) -> None:
        """Begin at nothing.

        Args:
            state: The data source's state file.
            target: The data source.
            direct_up_to: Up to how many changed documents are remembered by name.
        """
        self._state = state
        self._target = target
        self._most = direct_up_to
        self._marked = False
        self._documents = {"new": 0, "changed": 0, "deleted": 0}
        self._sidecars_alone = 0
        self._last_text = ""
        self._put: dict[str, None] = {}
        self._deleted: dict[str, None] = {}
        self._many = False

    def __call__(self, change: Change, key: str) -> None:
        """Take one object that will be changed; those of a kind come in the order of their keys.

        Raises:
            StorageError: The mark cannot be set: nothing may be changed.
        """
        if not self._marked:
            mark_pending(self._state, self._target.knowledge_base_id, self._target.data_source_id)
            self._marked = True
        text = key.removesuffix(SIDECAR_SUFFIX)
        if text == key:
            self._documents[change] += 1
            self._last_text = key
        elif change == "changed" and text != self._last_text:
            self._sidecars_alone += 1
        self._remember(change, text)

    def _remember(self, change: Change, text: str) -> None:
        if self._many:
            return
        (self._deleted if change == "deleted" else self._put)[text] = None
        if len(self._put) + len(self._deleted) > self._most:
            self._many = True
            self._put.clear()
            self._deleted.clear()

    @property
    def changes(self) -> Changes | None:
        """The changed documents by name; None where they are more than asked for."""
        return None if self._many else Changes(put=tuple(self._put), deleted=tuple(self._deleted))

    def expected(self, report: SyncReport) -> Expected:
        """What the ingestion has to find, from the report of the sync that was counted."""
        return Expected(
            documents=report.documents,
            sidecars=report.sidecars,
            fingerprint=report.fingerprint,
            metadata_changed=self._sidecars_alone,
            **self._documents,
        )
