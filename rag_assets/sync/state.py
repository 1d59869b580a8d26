"""What is known of a data source's ingestion from one run to the next: a small file, written whole or not at all.

It says what the last good ingestion covered and whether anything has happened since. When to start a job, and what a
good ingestion is, is decided in `ingestion`.
"""

import hashlib
import uuid
from pathlib import Path

from pydantic import ValidationError

from rag_assets.model import Model
from rag_assets.storage import StorageError, write_if_changed


class IngestionState(Model):
    """The state of one data source.

    Attributes:
        knowledge_base_id: Whose state it is: that of another Knowledge Base or data source says nothing.
        data_source_id: Likewise.
        good: Fingerprint of what the last good ingestion covered; empty where there was none.
        pending: Names what has to be ingested; empty where nothing has.
        attempt: How many jobs were asked for since it became pending.
        asked: Whether the last of these may be running: it was asked for, and how it ended is not known.
        job_id: Of that job; empty where the answer is not known.
        covers: Fingerprint of what lay in the bucket when it was asked for.
        alone: Whether everything that happened since the last good ingestion is of the sync that marked it.
    """

    knowledge_base_id: str = ""
    data_source_id: str = ""
    good: str = ""
    pending: str = ""
    attempt: int = 0
    asked: bool = False
    job_id: str = ""
    covers: str = ""
    alone: bool = False

    def needs_ingestion(self, fingerprint: str) -> bool:
        """Whether the Knowledge Base may hold anything but what has this fingerprint."""
        return bool(self.pending) or self.good != fingerprint

    def token(self, purpose: str = "job") -> str:
        """The clientToken of the attempt: 64 characters, the same in every process that goes on with it.

        A token has 33 to 256 letters, digits and hyphens (StartIngestionJob in the API reference).
        """
        parts = (self.knowledge_base_id, self.data_source_id, self.pending, str(self.attempt), purpose)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def read_state(path: Path, knowledge_base_id: str, data_source_id: str) -> IngestionState:
    """The state of a data source; a fresh one where the file is missing, or is that of another.

    Raises:
        StorageError: The file holds something else.
    """
    fresh = IngestionState(knowledge_base_id=knowledge_base_id, data_source_id=data_source_id)
    if not path.is_file():
        return fresh
    try:
        found = IngestionState.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise StorageError(
            f"{path} does not hold the state of an ingestion ({error.errors()[0]['msg']}). Delete it and run again: "
            "an ingestion job then looks at every document"
        ) from error
    same = (found.knowledge_base_id, found.data_source_id) == (knowledge_base_id, data_source_id)
    return found if same else fresh


def write_state(path: Path, state: IngestionState) -> None:
    """Write it down, whole or not at all.

    Raises:
        StorageError: The system does not let it be written.
    """
    write_if_changed(path, state.model_dump_json(indent=1).encode() + b"\n")


def mark_pending(path: Path, knowledge_base_id: str, data_source_id: str) -> None:
    """Note that the bucket is about to change: to be called before a sync's first upload or deletion, every time.

    From here on, until an ingestion has ended well, every run ingests, whatever becomes of this one. A job that was
    asked for before is no longer good enough: it may have read the bucket before the change.

    Raises:
        StorageError: It cannot be noted; then nothing may be changed.
    """
    before = read_state(path, knowledge_base_id, data_source_id)
    after = IngestionState(
        knowledge_base_id=knowledge_base_id,
        data_source_id=data_source_id,
        good=before.good,
        pending=uuid.uuid4().hex,
        alone=bool(before.good) and not before.pending,
    )
    write_state(path, after)


def asking(state: IngestionState, fingerprint: str) -> IngestionState:
    """The state before a new job is asked for."""
    return state.model_copy(
        update={
            "pending": state.pending or uuid.uuid4().hex,
            "attempt": state.attempt + 1,
            "asked": True,
            "job_id": "",
            "covers": fingerprint,
            "alone": False,
        }
    )


def ended_badly(state: IngestionState) -> IngestionState:
    """The state after a job that was not good: still pending, and the next job is a new one."""
    return state.model_copy(update={"asked": False, "job_id": "", "alone": False})


def ended_well(state: IngestionState, fingerprint: str) -> IngestionState:
    """The state after a good ingestion of what has this fingerprint."""
    return IngestionState(
        knowledge_base_id=state.knowledge_base_id, data_source_id=state.data_source_id, good=fingerprint
    )
