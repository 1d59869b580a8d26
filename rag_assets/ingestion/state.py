"""What is known of a data source's ingestion from one run to the next: one SQLite file.

It says what the last good ingestion covered, what was changed in the bucket since then, document by document, and what
was tried to get it in. When to start a job, and what a good ingestion is, is decided in `ingestion`.
"""

import hashlib
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import ValidationError

from rag_assets.ingestion.job_verification import PendingCounts
from rag_assets.model import Model
from rag_assets.s3.locations import Target
from rag_assets.store.lines import StorageError, told_of

DocumentChange = Literal["new", "changed", "metadata_changed", "deleted"]
"""What becomes of a document: its text is another, or its sidecar only."""

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
# Documents in the place that are not ours, as of the last sync that came to its end; files of before lack it.
_FOREIGN_TABLE = "CREATE TABLE IF NOT EXISTS foreign_documents (document TEXT PRIMARY KEY) WITHOUT ROWID"
# A change of the sidecar adds nothing to one of the text, and neither makes a new document an old one.
_NOTE = """
INSERT INTO pending (document, change) VALUES (:document, :change)
ON CONFLICT (document) DO UPDATE SET asked = NULL, change = CASE
    WHEN :change = 'changed' AND change = 'new' THEN 'new'
    WHEN :change = 'metadata_changed' AND change NOT IN ('deleted', 'there') THEN change
    ELSE :change
END
"""
# What was pending before a sync, and of which it has not been told so far.
_BEGIN_SYNC = """
DROP TABLE IF EXISTS temp.untold;
CREATE TEMP TABLE untold (document TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO untold SELECT document FROM pending WHERE change <> 'deleted';
DROP TABLE IF EXISTS temp.foreign_found;
CREATE TEMP TABLE foreign_found (document TEXT PRIMARY KEY) WITHOUT ROWID;
"""
# It counts as taken in whenever it was: `asked` is before any time.
_NOTE_THERE = "INSERT OR IGNORE INTO pending (document, change, asked) VALUES (?, 'there', 0)"
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


class IngestionState(Model):
    """The state of one data source, but for the documents that are pending.

    Attributes:
        knowledge_base_id: Whose state it is: what it says is worth nothing for another Knowledge Base.
        data_source_id: Likewise.
        place: Likewise.
        good: Fingerprint of what the last good ingestion covered; empty where there was none.
        pending: Names what has to be ingested; empty where nothing has.
        attempt: How often it was asked for since it became pending.
        asked: Whether the last job may be running: it was asked for, and how it ended is not known.
        job_id: Of that job; empty where the answer is not known.
        last_job: The job before that, the last that is known to be of this home.
        covers: Fingerprint of what lay in the bucket when it was asked for.
        by_job: Whether an attempt ended badly since the last good ingestion, or nobody knows how: a job, which looks at
            every document, has to be the next.
    """

    knowledge_base_id: str = ""
    data_source_id: str = ""
    place: str = ""
    good: str = ""
    pending: str = ""
    attempt: int = 0
    asked: bool = False
    job_id: str = ""
    last_job: str = ""
    covers: str = ""
    by_job: bool = False

    @property
    def is_of(self) -> tuple[str, str, str]:
        """Whose it is."""
        return self.knowledge_base_id, self.data_source_id, self.place

    @property
    def newest_job(self) -> str:
        """The last job that is known to be of this home; empty where none is."""
        return self.job_id or self.last_job

    @property
    def is_fresh(self) -> bool:
        """Whether nothing is known of any ingestion, nor of a change."""
        return not self.good and not self.pending

    def needs_ingestion(self, fingerprint: str) -> bool:
        """Whether the Knowledge Base may hold anything but what has this fingerprint."""
        return bool(self.pending) or self.good != fingerprint

    def token(self, purpose: str = "job") -> str:
        """The clientToken of the attempt: 64 characters, the same in every process that goes on with it.

        A token has 33 to 256 letters, digits and hyphens (StartIngestionJob in the API reference).
        """
        parts = (self.knowledge_base_id, self.data_source_id, self.pending, str(self.attempt), purpose)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def changing(state: IngestionState) -> IngestionState:
    """The state before a sync changes the bucket.

    From here on, until an ingestion has ended well, every run ingests, whatever becomes of this one. A job that was
    asked for before is no longer good enough: it may have read the bucket before the change. It may still be running,
    and a document that is ingested directly meanwhile might become what it has read: so a job is the next, which waits
    for that one.
    """
    return state.model_copy(
        update={
            "pending": uuid.uuid4().hex,
            "attempt": 0,
            "asked": False,
            "job_id": "",
            "last_job": state.newest_job,
            "covers": "",
            "by_job": state.by_job or state.asked,
        }
    )


def asking(state: IngestionState, fingerprint: str) -> IngestionState:
    """The state before a new job is asked for."""
    return state.model_copy(
        update={
            "pending": state.pending or uuid.uuid4().hex,
            "attempt": state.attempt + 1,
            "asked": True,
            "job_id": "",
            "last_job": state.newest_job,
            "covers": fingerprint,
        }
    )


def asking_directly(state: IngestionState, fingerprint: str) -> IngestionState:
    """The state before documents are ingested without a job."""
    return asking(state, fingerprint).model_copy(update={"asked": False})


def ended_badly(state: IngestionState) -> IngestionState:
    """The state after an attempt that was not good: still pending, and a new job is the next."""
    return state.model_copy(update={"asked": False, "job_id": "", "last_job": state.newest_job, "by_job": True})


def disturbed(state: IngestionState) -> IngestionState:
    """The state once others are known to have changed the Knowledge Base: what was good is not known to be any more."""
    return state.model_copy(update={"good": "", "pending": state.pending or uuid.uuid4().hex})


class IngestionLedger:
    """The state of a data source and its pending documents, in a file that is held until it is closed.

    Every change of it outlives the process at once (not a power failure within the seconds that the system takes to
    write it; the file is whole even then). Memory does not grow with the number of documents.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, state: IngestionState) -> None:
        self._db = connection
        self._path = path
        self._state = state

    @property
    def state(self) -> IngestionState:
        """As it was written last."""
        return self._state

    def write(self, state: IngestionState) -> None:
        """Write the state down."""
        with self._at_once():
            self._replace(state)

    # -- the bucket

    def note(self, change: DocumentChange, document: str) -> None:
        """Put down what is about to become of a document in the bucket, whatever was put down of it before."""
        with _in_words(self._path):
            self._db.execute(_NOTE, {"document": document, "change": change})

    def begin_sync(self) -> None:
        """Before a sync that tells of every document that is in the bucket, or will be, or will not be any more."""
        with _in_words(self._path):
            self._db.executescript(_BEGIN_SYNC)

    def told_of(self, document: str) -> None:
        """Put down, for the time of this sync, that it has told of a document."""
        self._db.execute("DELETE FROM temp.untold WHERE document = ?", (document,))

    def untold(self) -> Iterator[str]:
        """Documents that were to be put into the bucket before this sync, and of which it has not told, in order."""
        query, document = "SELECT min(document) FROM temp.untold WHERE document > ?", ""
        while (document := self._db.execute(query, (document,)).fetchone()[0]) is not None:
            yield document

    def is_to_go(self, document: str) -> bool:
        """Whether a document is pending as deleted."""
        query = "SELECT 1 FROM pending WHERE document = ? AND change = 'deleted'"
        return self._db.execute(query, (document,)).fetchone() is not None

    def note_foreign(self, document: str) -> None:
        """Put down that a document in the bucket is not ours, for as long as this sync's end takes it over.

        What was pending of it was about one of ours that lay there before: it is not to be taken in or out by name any
        more. A job has to look at what is there now.
        """
        with self._at_once():
            self._db.execute("INSERT OR IGNORE INTO temp.foreign_found VALUES (?)", (document,))
            if self._db.execute("DELETE FROM pending WHERE document = ?", (document,)).rowcount:
                self._replace(self._state.model_copy(update={"by_job": True}))

    def end_sync(self) -> None:
        """Put down what this sync has found that is not ours, in the place of what an earlier one did."""
        with self._at_once():
            self._db.execute("DELETE FROM foreign_documents")
            self._db.execute("INSERT INTO foreign_documents SELECT document FROM temp.foreign_found")

    def is_foreign(self, document: str) -> bool:
        """Whether the last sync found that a document in the bucket is not ours."""
        query = "SELECT 1 FROM foreign_documents WHERE document = ?"
        return self._db.execute(query, (document,)).fetchone() is not None

    @property
    def wants_names(self) -> bool:
        """Whether the Knowledge Base is not known to have held all documents; what is noted there is looked for."""
        return not self._state.good or self._state.by_job

    def note_there(self, document: str) -> None:
        """Put down that a document lies in the bucket, changed or not."""
        with _in_words(self._path):
            self._db.execute(_NOTE_THERE, (document,))

    @property
    def names(self) -> int:
        """How many documents are noted that lie in the bucket, changed or not."""
        number: int = self._db.execute("SELECT count(*) FROM pending WHERE change <> 'deleted'").fetchone()[0]
        return number

    def pending(self) -> PendingCounts:
        """How many documents were changed since the last good ingestion: each once, by what became of it."""
        counts = self._db.execute("SELECT change, count(*) FROM pending WHERE change <> 'there' GROUP BY change")
        return PendingCounts(**dict(counts))

    def changes(self, most: int) -> ChangedDocuments | None:
        """The same documents by name; None where they are more than `most`."""
        rows = self._db.execute(
            "SELECT document, change = 'deleted' FROM pending WHERE change <> 'there' ORDER BY document LIMIT ?",
            (most + 1,),
        )
        found = _changes(rows.fetchall())
        return found if found.count <= most else None

    # -- the Knowledge Base

    def started(self, state: IngestionState, at: datetime) -> None:
        """Write down that a job has been started.

        Args:
            state: With its ID.
            at: When, as the service tells. What it, or any later one, takes in is updated then or later.
        """
        with self._at_once():
            self._replace(state)
            self._db.execute("UPDATE pending SET asked = ? WHERE asked IS NULL", (at.timestamp(),))

    def forget_seen(self) -> None:
        """Before the documents of the Knowledge Base are looked at one by one."""
        self._db.execute("UPDATE pending SET seen = FALSE WHERE seen")

    def see(self, document: str, updated: datetime | None) -> None:
        """Take down that the Knowledge Base holds a document, as it was updated at a time; None: it does not tell."""
        self._db.execute(_SEE, {"document": document, "updated": updated.timestamp() if updated else -1})

    def see_unfit(self, document: str, since: datetime) -> None:
        """Take down that it knows a document and could not take it in, before a time: it is pending since then."""
        self._db.execute(_SEE_UNFIT, (document, since.timestamp()))

    def left(self, most: int, shortest: int = 0, longest: int = _LONGEST_KEY) -> ChangedDocuments:
        """The first of the pending documents of which it holds not what the bucket holds, as far as was seen.

        Args:
            most: How many.
            shortest: Characters that a key has at least.
            longest: Characters that a key has at most.
        """
        return _changes(self._db.execute(_LEFT, (shortest, longest, most)).fetchall())

    def made_up_for(self, changes: ChangedDocuments) -> None:
        """Take down that it does by now."""
        with self._at_once():
            for seen, documents in ((True, changes.put), (False, changes.deleted)):
                self._db.executemany("UPDATE pending SET seen = ? WHERE document = ?", ((seen, d) for d in documents))

    def ended_well(self, fingerprint: str) -> None:
        """Write down a good ingestion of what has this fingerprint: nothing is pending."""
        kept = {"knowledge_base_id", "data_source_id", "place"}
        self.reset(
            IngestionState(**self._state.model_dump(include=kept), good=fingerprint, last_job=self._state.newest_job)
        )

    def reset(self, state: IngestionState) -> None:
        """Write the state down, with nothing pending."""
        with self._at_once():
            self._replace(state)
            self._db.execute("DELETE FROM pending")

    def _replace(self, state: IngestionState) -> None:
        self._db.execute("DELETE FROM state")
        self._db.execute("INSERT INTO state VALUES (?)", (state.model_dump_json(),))
        self._state = state

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        with _in_words(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")


def _changes(rows: list[tuple[str, int]]) -> ChangedDocuments:
    return ChangedDocuments(
        put=tuple(document for document, deleted in rows if not deleted),
        deleted=tuple(document for document, deleted in rows if deleted),
    )


@contextmanager
def open_ledger(path: Path, target: Target) -> Iterator[IngestionLedger]:
    """The ledger of a data source, held against any other run until it is closed.

    A fresh one where the file is missing, or is that of another data source.

    Raises:
        StorageError: The file holds something else, or it cannot be read or written.
    """
    with told_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = _fresh(target)
    with _connected(path, path) as connection:
        ledger = IngestionLedger(connection, path, _found(connection, path) or fresh)
        if ledger.state.is_of != fresh.is_of:
            ledger.reset(fresh)
        yield ledger


def read_last_good(path: Path, target: Target) -> IngestionState | None:
    """The state of a data source that holds what was ingested last; no file is made or changed.

    A copy is read, with what a run that was killed left beside it: even to read that, SQLite would write. Do not let a
    run have the ledger meanwhile.

    Returns:
        None where no ingestion has ended well, or something is pending, or the ledger is missing or that of another
        data source.

    Raises:
        StorageError: The file holds something else, or it cannot be read.
    """
    with told_of(path), TemporaryDirectory(prefix="rag_assets-") as scratch:
        copy = Path(scratch, path.name)
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        if not copy.is_file():
            return None
        with _connected(copy, path) as connection:
            state = _found(connection, path)
    if state is None or not state.good or state.pending or state.is_of != _fresh(target).is_of:
        return None
    return state


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StorageError(
            f"{path}: {error}. End what else uses it, or make room or make it readable and writable, then run again: "
            "it goes on where it stopped"
        ) from error
    except sqlite3.Error as error:
        raise _no_ledger(path, str(error)) from error


def _fresh(target: Target) -> IngestionState:
    return IngestionState(
        knowledge_base_id=target.knowledge_base_id, data_source_id=target.data_source_id, place=target.uri
    )


@contextmanager
def _connected(file: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that has a file to itself, with all tables; the file is the ledger at `path`, or a copy of it."""
    with told_of(path):
        _refuse_other(file, path)
    with _in_words(path), closing(sqlite3.connect(file, timeout=1.0, isolation_level=None)) as connection:
        _prepare(connection, path)
        yield connection


def _refuse_other(file: Path, path: Path) -> None:
    """SQLite takes a file of a few bytes for an empty one, and writes over it."""
    if file.is_file():
        with file.open("rb") as content:
            if (begin := content.read(len(_BEGIN))) not in (b"", _BEGIN):
                raise _no_ledger(path, f"it begins with {begin!r}")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    # A note is one write: a first sync has one for each document before its first upload.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == 0:
        connection.executescript(_TABLES)
    elif found != _FORMAT:
        raise _no_ledger(path, "it is of another version")
    connection.execute(_FOREIGN_TABLE)


def _found(connection: sqlite3.Connection, path: Path) -> IngestionState | None:
    row: Any = connection.execute("SELECT state FROM state").fetchone()
    try:
        return IngestionState.model_validate_json(row[0]) if row else None
    except ValidationError as error:
        raise _no_ledger(path, error.errors()[0]["msg"]) from error


def _no_ledger(path: Path, why: str) -> StorageError:
    return StorageError(
        f"{path} does not hold the state of an ingestion ({why}). Delete it, and {path.name}-wal beside it, and "
        "materialize s3_objects and knowledge_base_ingestion: a job then looks at every document"
    )
