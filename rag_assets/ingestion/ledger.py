"""The ledger of a data source: its ingestion state and its pending documents, in one SQLite file.

It outlives the runs. What the state means belongs to `state`; what a good ingestion is, to `ingestion`.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import ValidationError

from rag_assets.ingestion.job_verification import PendingCounts
from rag_assets.ingestion.state import IngestionState
from rag_assets.model import Model
from rag_assets.s3.locations import Target
from rag_assets.store.lines import StorageError, raise_storage_errors
from rag_assets.store.sqlite_files import copy_database

DocumentChange = Literal["new", "changed", "metadata_changed", "deleted"]
"""What happens to a document. `changed`: its text is another; `metadata_changed`: only its sidecar is."""

_FORMAT = 1
_BEGIN = b"SQLite format 3\0"
_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE state (state TEXT NOT NULL);
CREATE TABLE pending (
    document TEXT PRIMARY KEY, change TEXT NOT NULL, asked REAL, seen INTEGER NOT NULL DEFAULT FALSE
) WITHOUT ROWID;
PRAGMA user_version = {_FORMAT};
COMMIT;
"""
# Documents in the location that are not ours, as of the last finished sync; older files lack the table.
_FOREIGN_TABLE = "CREATE TABLE IF NOT EXISTS foreign_documents (document TEXT PRIMARY KEY) WITHOUT ROWID"
# A change of the sidecar adds nothing to one of the text, and neither makes a new document an old one.
_NOTE_CHANGE = """
INSERT INTO pending (document, change) VALUES (:document, :change)
ON CONFLICT (document) DO UPDATE SET asked = NULL, change = CASE
    WHEN :change = 'changed' AND change = 'new' THEN 'new'
    WHEN :change = 'metadata_changed' AND change NOT IN ('deleted', 'there') THEN change
    ELSE :change
END
"""
# `untold`: what was pending before a sync, and what the sync has not reported so far.
_BEGIN_SYNC = """
DROP TABLE IF EXISTS temp.untold;
CREATE TEMP TABLE untold (document TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO untold SELECT document FROM pending WHERE change <> 'deleted';
DROP TABLE IF EXISTS temp.foreign_found;
CREATE TEMP TABLE foreign_found (document TEXT PRIMARY KEY) WITHOUT ROWID;
"""
# `asked` is before any time, so that it counts as ingested whenever that was.
_NOTE_PRESENT = "INSERT OR IGNORE INTO pending (document, change, asked) VALUES (?, 'there', 0)"
_SEE_UNFIT = """
INSERT INTO pending (document, change, asked) VALUES (?, 'changed', ?)
ON CONFLICT (document) DO UPDATE SET seen = (change = 'deleted')
"""
_SEE = "UPDATE pending SET seen = (change = 'deleted' OR asked <= :updated) WHERE document = :document"
_LEFT = """
SELECT document, change = 'deleted' FROM pending WHERE seen = (change = 'deleted') AND length(document) BETWEEN ? AND ?
ORDER BY document LIMIT ?
"""
_LONGEST_KEY = 1024


class ChangedDocuments(Model):
    """Documents by whole key, without their sidecars.

    Attributes:
        put: New, or with another text or sidecar. Each has a sidecar beside it.
        deleted: Gone from the bucket.
    """

    put: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Documents in all."""
        return len(self.put) + len(self.deleted)


class IngestionLedger:
    """The state of a data source and its pending documents; the file is locked until it is closed.

    Every change outlives the process at once. (A power failure may lose the last seconds; the file is whole even then.)
    Memory does not grow with the number of documents.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, state: IngestionState) -> None:
        self._db = connection
        self._path = path
        self._state = state

    @property
    def state(self) -> IngestionState:
        """The state as it was written last."""
        return self._state

    def write(self, state: IngestionState) -> None:
        """Write the state."""
        with self._transaction():
            self._replace(state)

    # -- the bucket

    def begin_sync(self) -> None:
        """Begin a sync that reports every document that is or will be in the bucket, or is deleted."""
        with _translate_errors(self._path):
            self._db.executescript(_BEGIN_SYNC)

    def mark_reported(self, document: str) -> None:
        """Note, for the time of this sync, that it has reported a document."""
        self._db.execute("DELETE FROM temp.untold WHERE document = ?", (document,))

    def find_unreported(self) -> Iterator[str]:
        """Documents, in order, that were to be uploaded before this sync, and that it has not reported."""
        query, document = "SELECT min(document) FROM temp.untold WHERE document > ?", ""
        while (document := self._db.execute(query, (document,)).fetchone()[0]) is not None:
            yield document

    def end_sync(self) -> None:
        """Replace the foreign documents that an earlier sync found by those of this one."""
        with self._transaction():
            self._db.execute("DELETE FROM foreign_documents")
            self._db.execute("INSERT INTO foreign_documents SELECT document FROM temp.foreign_found")

    def note_change(self, change: DocumentChange, document: str) -> None:
        """Note what is about to happen to a document in the bucket."""
        with _translate_errors(self._path):
            self._db.execute(_NOTE_CHANGE, {"document": document, "change": change})

    def note_present(self, document: str) -> None:
        """Note that a document is in the bucket, changed or not."""
        with _translate_errors(self._path):
            self._db.execute(_NOTE_PRESENT, (document,))

    def note_foreign(self, document: str) -> None:
        """Note that a document in the bucket is not ours; `end_sync` keeps that.

        A pending change was about a document of ours that was there before. It must not be ingested by name any more:
        a job has to look at what is there now.
        """
        with self._transaction():
            self._db.execute("INSERT OR IGNORE INTO temp.foreign_found VALUES (?)", (document,))
            if self._db.execute("DELETE FROM pending WHERE document = ?", (document,)).rowcount:
                self._replace(self._state.model_copy(update={"by_job": True}))

    def is_deleted(self, document: str) -> bool:
        """Whether a document is pending as deleted."""
        return self._exists("pending WHERE document = ? AND change = 'deleted'", document)

    def is_foreign(self, document: str) -> bool:
        """Whether the last sync found that a document in the bucket is not ours."""
        return self._exists("foreign_documents WHERE document = ?", document)

    @property
    def wants_names(self) -> bool:
        """Whether unchanged documents have to be noted too, because the Knowledge Base may lack some of them."""
        return not self._state.good or self._state.by_job

    def count_present(self) -> int:
        """How many documents are noted that are in the bucket, changed or not."""
        number: int = self._db.execute("SELECT count(*) FROM pending WHERE change <> 'deleted'").fetchone()[0]
        return number

    def count_pending(self) -> PendingCounts:
        """How many documents were changed since the last good ingestion."""
        counts = self._db.execute("SELECT change, count(*) FROM pending WHERE change <> 'there' GROUP BY change")
        return PendingCounts(**dict(counts))

    def list_changed(self, most: int) -> ChangedDocuments | None:
        """The same documents by name; None if they are more than `most`."""
        query = "SELECT document, change = 'deleted' FROM pending WHERE change <> 'there' ORDER BY document LIMIT ?"
        found = self._select_documents(query, most + 1)
        return found if found.count <= most else None

    # -- the Knowledge Base

    def start_job(self, state: IngestionState, at: datetime) -> None:
        """Write that a job has been started.

        Args:
            state: With the job's ID.
            at: When it was started, as the service says. What it or a later job ingests is updated then or later.
        """
        with self._transaction():
            self._replace(state)
            self._db.execute("UPDATE pending SET asked = ? WHERE asked IS NULL", (at.timestamp(),))

    def forget_seen(self) -> None:
        """Begin a look at the documents of the Knowledge Base, one by one."""
        self._db.execute("UPDATE pending SET seen = FALSE WHERE seen")

    def see(self, document: str, updated: datetime | None) -> None:
        """Note that the Knowledge Base holds a document, and when it was updated; None if that is not known."""
        self._db.execute(_SEE, {"document": document, "updated": updated.timestamp() if updated else -1})

    def see_unfit(self, document: str, since: datetime) -> None:
        """Note that the Knowledge Base could not ingest a document, before a time: it is pending since then."""
        self._db.execute(_SEE_UNFIT, (document, since.timestamp()))

    def list_left(self, most: int, shortest: int = 0, longest: int = _LONGEST_KEY) -> ChangedDocuments:
        """The first pending documents that the Knowledge Base does not hold as the bucket does, as far as was seen.

        Args:
            most: How many.
            shortest: Characters that a key has at least.
            longest: Characters that a key has at most.
        """
        return self._select_documents(_LEFT, shortest, longest, most)

    def mark_ingested(self, documents: ChangedDocuments) -> None:
        """Note that the Knowledge Base holds these as the bucket does by now."""
        with self._transaction():
            for seen, keys in ((True, documents.put), (False, documents.deleted)):
                self._db.executemany("UPDATE pending SET seen = ? WHERE document = ?", ((seen, key) for key in keys))

    def end_well(self, fingerprint: str) -> None:
        """Write a good ingestion of what has this fingerprint: nothing is pending."""
        kept = self._state.model_dump(include={"knowledge_base_id", "data_source_id", "place"})
        self.reset(IngestionState(**kept, good=fingerprint, last_job=self._state.newest_job))

    def reset(self, state: IngestionState) -> None:
        """Write the state, with nothing pending."""
        with self._transaction():
            self._replace(state)
            self._db.execute("DELETE FROM pending")

    # -- the file

    def _replace(self, state: IngestionState) -> None:
        self._db.execute("DELETE FROM state")
        self._db.execute("INSERT INTO state VALUES (?)", (state.model_dump_json(),))
        self._state = state

    def _exists(self, rows: str, *parameters: Any) -> bool:
        return self._db.execute(f"SELECT 1 FROM {rows}", parameters).fetchone() is not None

    def _select_documents(self, query: str, *parameters: Any) -> ChangedDocuments:
        rows: list[tuple[str, int]] = self._db.execute(query, parameters).fetchall()
        return ChangedDocuments(
            put=tuple(document for document, deleted in rows if not deleted),
            deleted=tuple(document for document, deleted in rows if deleted),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _translate_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")


@contextmanager
def open_ledger(path: Path, target: Target) -> Iterator[IngestionLedger]:
    """The ledger of a data source, locked against any other run until it is closed.

    It is fresh if the file is missing, or belongs to another data source.

    Raises:
        StorageError: The file holds something else, or it cannot be read or written.
    """
    with raise_storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = _make_state(target)
    with _connect(path, path) as connection:
        ledger = IngestionLedger(connection, path, _read_state(connection, path) or fresh)
        if ledger.state.owner != fresh.owner:
            ledger.reset(fresh)
        yield ledger


def read_last_good(path: Path, target: Target) -> IngestionState | None:
    """The state of a data source that holds what was ingested last. It reads a copy: no file is made or changed.

    No run may have the ledger open meanwhile.

    Returns:
        None if no ingestion has ended well, something is pending, or the ledger is missing or belongs to another data
        source.

    Raises:
        StorageError: The file holds something else, or it cannot be read.
    """
    with raise_storage_errors(path), TemporaryDirectory(prefix="rag_assets-") as scratch:
        copy = copy_database(path, Path(scratch), "-wal")
        if not copy.is_file():
            return None
        with _connect(copy, path) as connection:
            state = _read_state(connection, path)
    if state is None or not state.good or state.pending or state.owner != _make_state(target).owner:
        return None
    return state


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StorageError(
            f"{path}: {error}. End what else uses it, or make room or make it readable and writable, then run again: "
            "it goes on where it stopped"
        ) from error
    except sqlite3.Error as error:
        raise _describe_wrong_file(path, str(error)) from error


def _make_state(target: Target) -> IngestionState:
    return IngestionState(
        knowledge_base_id=target.knowledge_base_id, data_source_id=target.data_source_id, place=target.uri
    )


@contextmanager
def _connect(file: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """A connection with a file to itself, with all tables; the file is the ledger at `path`, or a copy of it."""
    with raise_storage_errors(path):
        _require_database(file, path)
    with _translate_errors(path), closing(sqlite3.connect(file, timeout=1.0, isolation_level=None)) as connection:
        _prepare(connection, path)
        yield connection


def _require_database(file: Path, path: Path) -> None:
    """Refuse a file of a few bytes, which SQLite would take for an empty database and overwrite."""
    if file.is_file():
        with file.open("rb") as content:
            if (begin := content.read(len(_BEGIN))) not in (b"", _BEGIN):
                raise _describe_wrong_file(path, f"it begins with {begin!r}")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    # A note is one write, and a first sync writes one for each document before its first upload.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == 0:
        connection.executescript(_TABLES)
    elif found != _FORMAT:
        raise _describe_wrong_file(path, "it is of another version")
    connection.execute(_FOREIGN_TABLE)


def _read_state(connection: sqlite3.Connection, path: Path) -> IngestionState | None:
    row: Any = connection.execute("SELECT state FROM state").fetchone()
    try:
        return IngestionState.model_validate_json(row[0]) if row else None
    except ValidationError as error:
        raise _describe_wrong_file(path, error.errors()[0]["msg"]) from error


def _describe_wrong_file(path: Path, why: str) -> StorageError:
    return StorageError(
        f"{path} does not hold the state of an ingestion ({why}). Delete it, and {path.name}-wal beside it, and "
        "materialize s3_objects and knowledge_base_ingestion: a job then looks at every document"
    )
