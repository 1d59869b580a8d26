"""What is here, what is there, what was sent: tables compared where they lie, on disk.

One SQLite file a variant. What was sent outlives the run. It proves the content of an object only while the listing
shows the same ETag and size, and so whose it is; else the object itself has to say that (`marks`). What is here and
what is there are temporary tables, made anew by every run, so that memory does not grow with the corpus. No request is
made from here, and no file of a corpus is read.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EISDIR
from itertools import count, groupby
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Literal

from rag_assets.corpus.writing import SIDECAR_SUFFIX
from rag_assets.s3.checking import LocalFile, is_corpus_file, is_sidecar
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.marks import ObjectHead, OwnershipMark
from rag_assets.store.sqlite_files import damage_of, is_damage, result_code

ObjectState = Literal["new", "changed", "unchanged", "doubtful"]
"""What an object that should be there is. `doubtful`: of the right size, but its ETag does not tell the rest."""

_PAGE = 1000
_UNSAVED = 500
"""Objects sent between two commits; what a crash forgets is proven again by its ETag, or by asking for it."""
_FORMAT = 3
"""Of what is kept, and of what counts as proof of it."""

_SENT = """sent (
    bucket TEXT NOT NULL, prefix TEXT NOT NULL, key TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL,
    etag TEXT NOT NULL, from_here INTEGER NOT NULL, PRIMARY KEY (bucket, prefix, key)
) WITHOUT ROWID"""
_FORMAT_BEFORE = 2
_SENT_BEFORE = """sent (
    bucket TEXT NOT NULL, key TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    PRIMARY KEY (bucket, key)
) WITHOUT ROWID"""
# It did not put down to which place something was sent, but at the end of each sync it forgot all other places.
_CARRY_OVER = """
INSERT INTO sent SELECT bucket, :prefix, key, sha256, size, etag, TRUE FROM sent_before
WHERE substr(key, 1, length(:prefix)) = :prefix
"""
_OF_THE_RUN = """
CREATE TEMP TABLE here (
    key TEXT PRIMARY KEY, sidecar INTEGER NOT NULL, size INTEGER NOT NULL, sha256 BLOB NOT NULL, md5 TEXT NOT NULL,
    kind TEXT
) WITHOUT ROWID;
CREATE TEMP TABLE there (
    key TEXT PRIMARY KEY, sidecar INTEGER NOT NULL, corpus INTEGER NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    ours INTEGER, why TEXT
) WITHOUT ROWID;
CREATE TEMP TABLE uploads (
    place INTEGER PRIMARY KEY, document TEXT NOT NULL, key TEXT NOT NULL, size INTEGER NOT NULL, sha256 BLOB NOT NULL
);
"""
# An ETag that is the MD5 of our content can belong to no other content, however the object is encrypted.
_DECIDE = """
UPDATE here SET kind = coalesce((
    SELECT CASE
        WHEN there.size <> here.size THEN 'changed'
        WHEN there.etag = here.md5 THEN 'unchanged'
        WHEN sent.etag = there.etag AND sent.size = there.size
            THEN CASE WHEN sent.sha256 = here.sha256 THEN 'unchanged' ELSE 'changed' END
        ELSE 'doubtful'
    END
    FROM there LEFT JOIN sent ON sent.bucket = :bucket AND sent.prefix = :prefix AND sent.key = there.key
    WHERE there.key = here.key
), 'new')
"""
_SENT_FROM_HERE = (
    "FROM sent WHERE sent.bucket = :bucket AND sent.prefix = :prefix AND sent.key = there.key AND sent.from_here"
)
# Ours is what is as it was sent; what no corpus can have is not. What already is as we would send it need not be known:
# nothing is done to it. Of the rest it is not known yet, nor of what is to be adopted, which may bear another mark.
_OWN = f"""
UPDATE there SET ours = CASE
    WHEN NOT corpus THEN FALSE
    WHEN EXISTS (SELECT 1 {_SENT_FROM_HERE} AND sent.etag = there.etag AND sent.size = there.size) THEN TRUE
    WHEN NOT adopts(key) AND EXISTS (SELECT 1 FROM here WHERE here.key = there.key AND here.kind = 'unchanged')
        THEN TRUE
END, why = 'no corpus has such a file'
"""
_UNKNOWN = f"""
SELECT there.key, here.size, here.sha256, here.kind, here.key IS NOT NULL AND EXISTS (SELECT 1 {_SENT_FROM_HERE})
FROM there LEFT JOIN here ON here.key = there.key
WHERE there.ours IS NULL AND there.key > :after ORDER BY there.key LIMIT :page
"""
_DOCUMENT = f"substr(here.key, 1, length(here.key) - here.sidecar * {len(SIDECAR_SUFFIX)})"
_WANTED = "EXISTS (SELECT 1 FROM here WHERE here.key = there.key)"
_GONE = f"FROM there WHERE ours AND NOT {_WANTED}"
_FOREIGN = f"FROM there WHERE NOT ours AND NOT {_WANTED}"
_IN_THE_WAY = f"FROM there WHERE NOT ours AND {_WANTED}"
_REPLACED = (
    f"FROM there WHERE ours AND EXISTS (SELECT 1 {_SENT_FROM_HERE} AND sent.etag <> there.etag) "
    "AND EXISTS (SELECT 1 FROM here WHERE here.key = there.key AND here.kind = 'changed')"
)


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object as a listing shows it, its ETag without the quotes."""

    key: str
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class WantedObject:
    """An object as it should be; its key is that in the bucket, with the prefix."""

    key: str
    size: int
    sha256: bytes


@dataclass(frozen=True, slots=True)
class SentObject:
    """An object that has the wanted content while it has this ETag."""

    wanted: WantedObject
    etag: str


@dataclass(frozen=True, slots=True)
class UnclearObject:
    """An object of which it is not known whose it is, or what it holds.

    Attributes:
        key: Its key.
        wanted: What we want it to hold, where it may hold that already.
        proven: Whether its ETag proves that it does.
        replaces: Whether it lies where an object of ours is wanted and was put before: it has taken its place.
    """

    key: str
    wanted: WantedObject | None
    proven: bool
    replaces: bool


class SyncManifest:
    """The tables of one place."""

    def __init__(self, connection: sqlite3.Connection, place: S3Location) -> None:
        self._db = connection
        self._place = place
        self._of_place = {"bucket": place.bucket, "prefix": place.prefix}
        self._unsaved = 0

    # -- taking in

    def take_here(self, files: Iterable[LocalFile]) -> None:
        """Take in the files of the folder."""
        prefix = self._place.prefix
        self._db.executemany(
            "INSERT INTO here (key, sidecar, size, sha256, md5) VALUES (?, ?, ?, ?, ?)",
            ((prefix + file.key, is_sidecar(file.key), file.size, file.sha256, file.md5.hex()) for file in files),
        )

    def take_there(self, objects: Iterable[ListedObject]) -> None:
        """Take in the objects that are listed, but for empty ones that the console shows as folders."""
        self._db.executemany(
            "INSERT OR REPLACE INTO there (key, sidecar, corpus, size, etag) VALUES (?, ?, ?, ?, ?)",
            (
                (found.key, is_sidecar(found.key), is_corpus_file(found.key), found.size, found.etag)
                for found in objects
                if found.size or not found.key.endswith("/")
            ),
        )

    def decide(self, adopts: Callable[[str], bool] = lambda _: False) -> None:
        """Decide of what kind everything is that should be there, and whose the rest is, once both are taken in.

        What stays `unknown` has to be looked at, and settled.

        Args:
            adopts: Whether an object is to be ours, by its key, as long as it bears no mark of others.
        """
        self._db.create_function("adopts", 1, adopts, deterministic=True)
        self._db.execute(_DECIDE, self._of_place)
        self._db.execute(_OWN, self._of_place)

    def unknown(self) -> Iterator[UnclearObject]:
        """Objects that have to be looked at, in order of key; they may be settled meanwhile."""
        after = ""
        while rows := self._db.execute(_UNKNOWN, self._of_place | {"after": after, "page": _PAGE}).fetchall():
            for key, size, sha256, kind, replaces in rows:
                wanted = WantedObject(key, size, sha256) if kind in ("doubtful", "unchanged") else None
                yield UnclearObject(key, wanted, proven=kind == "unchanged", replaces=bool(replaces))
            after = rows[-1][0]

    def settle(self, unknown: UnclearObject, look: ObjectHead | None, mark: OwnershipMark) -> None:
        """Decide on an object that was looked at: what it holds, and whose it is.

        What bears the mark and is as it was sent is ours. What bears none, or has been changed since, and has taken the
        place of an object of ours counts as such as long as that one is wanted, and is put right; where it is not, it
        stays. What bears another mark is never ours.

        Args:
            unknown: The object.
            look: How it was found; None where it is gone.
            mark: What it bears if it is ours.
        """
        key, wanted = unknown.key, unknown.wanted
        if look is None:
            self._db.execute("DELETE FROM there WHERE key = ?", (key,))
            self._db.execute("UPDATE here SET kind = 'new' WHERE key = ?", (key,))
            return
        why = mark.objection(look, replaces=unknown.replaces)
        if wanted and (unknown.proven or look.holds(wanted.size, wanted.sha256)):
            self._db.execute("UPDATE here SET kind = 'unchanged' WHERE key = ?", (key,))
            self._put_down(SentObject(wanted, look.etag), from_here=not why)
            why = ""
        else:
            self._db.execute("UPDATE here SET kind = 'changed' WHERE key = ? AND kind = 'doubtful'", (key,))
        self._db.execute("UPDATE there SET ours = ?, why = ? WHERE key = ?", (not why, why, key))

    def plan(self) -> None:
        """Put down what is to be uploaded, once nothing is unknown: document by document, the sidecar first."""
        self._db.execute(
            f"INSERT INTO uploads (document, key, size, sha256) SELECT {_DOCUMENT} AS document, key, size, sha256 "
            "FROM here WHERE kind IN ('new', 'changed') ORDER BY document, sidecar DESC"
        )

    # -- asking

    def documents(self) -> int:
        """Number of texts that should be there."""
        return self._number("SELECT count(*) FROM here WHERE NOT sidecar")

    def sidecars(self) -> int:
        """Number of sidecars that should be there."""
        return self._number("SELECT count(*) FROM here WHERE sidecar")

    def ours_there(self) -> int:
        """Number of objects of ours that are there, be they still wanted or not."""
        return self._number("SELECT count(*) FROM there WHERE ours")

    def count(self, kind: ObjectState) -> int:
        """Number of objects of a kind."""
        return self._number("SELECT count(*) FROM here WHERE kind = ?", kind)

    def upload_bytes(self) -> int:
        """Size of all that is new or changed."""
        return self._number("SELECT coalesce(sum(size), 0) FROM here WHERE kind IN ('new', 'changed')")

    def of_kind(self, kind: ObjectState) -> Iterator[WantedObject]:
        """Objects of a kind, in order of key; they may be settled meanwhile."""
        query = "SELECT key, size, sha256 FROM here WHERE kind = ? AND key > ? ORDER BY key LIMIT ?"
        return (WantedObject(*row) for row in self._pages(query, "", kind))

    def uploads(self) -> Iterator[tuple[WantedObject, ...]]:
        """What was planned to be uploaded, a document at a time."""
        query = "SELECT place, document, key, size, sha256 FROM uploads WHERE place > ? ORDER BY place LIMIT ?"
        for _, rows in groupby(self._pages(query, 0), key=lambda row: row[1]):
            yield tuple(WantedObject(*row[2:]) for row in rows)

    def gone_count(self) -> int:
        """Number of objects of ours that should be there no longer."""
        return self._number(f"SELECT count(*) {_GONE}")

    def gone(self) -> Iterator[str]:
        """Their keys: texts in order, and then sidecars, so that no text is ever without its sidecar."""
        for sidecar in (False, True):
            yield from self._keys(f"SELECT key {_GONE} AND sidecar = ? AND key > ? ORDER BY key LIMIT ?", sidecar)

    def foreign_count(self, *, sidecars: bool | None = None) -> int:
        """Number of objects that are not ours, at keys that we do not want.

        Args:
            sidecars: Only those, or only the others; None is all.
        """
        only = "" if sidecars is None else f" AND {'' if sidecars else 'NOT '}sidecar"
        return self._number(f"SELECT count(*) {_FOREIGN}{only}")

    def foreign(self) -> Iterator[str]:
        """Their keys, in order."""
        return self._keys(f"SELECT key {_FOREIGN} AND key > ? ORDER BY key LIMIT ?")

    def in_the_way_count(self) -> int:
        """Number of objects that are not ours, where we want to put one."""
        return self._number(f"SELECT count(*) {_IN_THE_WAY}")

    def in_the_way(self) -> Iterator[tuple[str, str]]:
        """Their keys, in order, and what speaks against each being ours."""
        rows = self._pages(f"SELECT key, why {_IN_THE_WAY} AND key > ? ORDER BY key LIMIT ?", "")
        return ((key, why) for key, why in rows)

    def replaced_count(self) -> int:
        """Number of objects that have taken the place of ours."""
        number: int = self._db.execute(f"SELECT count(*) {_REPLACED}", self._of_place).fetchone()[0]
        return number

    def replaced(self, most: int) -> list[str]:
        """The first of their keys, in order."""
        query = f"SELECT key {_REPLACED} ORDER BY key LIMIT :most"
        return [key for (key,) in self._db.execute(query, self._of_place | {"most": most})]

    def texts_alone(self) -> Iterator[str]:
        """Keys of texts here that have no sidecar, in order."""
        return self._keys(
            "SELECT key FROM here WHERE NOT sidecar AND key > ? AND NOT EXISTS "
            f"(SELECT 1 FROM here AS other WHERE other.key = here.key || '{SIDECAR_SUFFIX}') ORDER BY key LIMIT ?"
        )

    def sidecars_alone(self) -> Iterator[str]:
        """Keys of sidecars here that have no text, in order."""
        return self._keys(
            "SELECT key FROM here WHERE sidecar AND key > ? AND NOT EXISTS "
            f"(SELECT 1 FROM here AS other WHERE other.key = {_DOCUMENT}) ORDER BY key LIMIT ?"
        )

    def fingerprint(self) -> str:
        """One hash over keys, in order, and contents of everything that should be there."""
        return hash_contents(self._pages("SELECT key, sha256 FROM here WHERE key > ? ORDER BY key LIMIT ?", ""))

    # -- what outlives the run

    def remember(self, sent: SentObject) -> None:
        """Put down what was sent."""
        self._put_down(sent, from_here=True)

    def _put_down(self, sent: SentObject, *, from_here: bool) -> None:
        """Put down what an object holds, so that its ETag tells it from now on; and whether it is known to be ours."""
        wanted = sent.wanted
        self._db.execute(
            "INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._place.bucket, self._place.prefix, wanted.key, wanted.sha256, wanted.size, sent.etag, from_here),
        )
        self._unsaved += 1
        if self._unsaved >= _UNSAVED:
            self.save()

    def forget_gone(self) -> None:
        """Forget what should be there no longer; what was sent to other places may still lie there."""
        self._db.execute(
            "DELETE FROM sent WHERE bucket = :bucket AND prefix = :prefix AND key NOT IN (SELECT key FROM here)",
            self._of_place,
        )

    def save(self) -> None:
        """Make what was put down outlive this process."""
        self._db.commit()
        self._unsaved = 0

    # -- reading

    def _number(self, query: str, *parameters: Any) -> int:
        number: int = self._db.execute(query, parameters).fetchone()[0]
        return number

    def _keys(self, query: str, *parameters: Any) -> Iterator[str]:
        return (key for (key,) in self._pages(query, "", *parameters))

    def _pages(self, query: str, after: str | int, *parameters: Any) -> Iterator[tuple[Any, ...]]:
        """Rows, a page at a time: the tables may be written to meanwhile. The first column is what pages go by."""
        while rows := self._db.execute(query, (*parameters, after, _PAGE)).fetchall():
            yield from rows
            after = rows[-1][0]


def hash_contents(contents: Iterable[tuple[Any, ...]]) -> str:
    """One hash over objects.

    Args:
        contents: Key in the bucket and SHA-256 of the content of each, in order of key.
    """
    digest = hashlib.sha256()
    for key, content in contents:
        digest.update(f"{len(key)}:{key}".encode())
        digest.update(content)
    return digest.hexdigest()


@contextmanager
def open_manifest(
    path: Path, place: S3Location, *, only_read: bool = False, on_note: Callable[[str], None] = lambda _: None
) -> Iterator[SyncManifest]:
    """The manifest of a place, held against any other run until it is closed; made where it is missing.

    A file that is damaged, of another format or no manifest at all is set aside under another name, and a new one is
    begun: what it told is found out again from the objects.

    Args:
        path: Its file.
        place: Whose it is.
        only_read: Work on a copy, and leave the file as it is, missing if it is missing.
        on_note: Told, for a log, when a file was set aside.

    Raises:
        SyncError: Another run holds it, or it cannot be read or written.
    """
    try:
        with (
            _copied(path) if only_read else _in_its_place(path) as file,
            _connected(file, place, lambda: on_note(_set_aside(file, path))) as connection,
        ):
            manifest = SyncManifest(connection, place)
            try:
                yield manifest
            finally:
                manifest.save()
    except sqlite3.Error as error:
        raise SyncError(f"{path}: {error}. {_remedy(error)}") from error


@contextmanager
def _in_its_place(path: Path) -> Iterator[Path]:
    with _told_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite says no more than that it cannot open it.
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    yield path


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A copy of the file, with the journal of a run that was killed: even to read it, SQLite would play that back."""
    with TemporaryDirectory(prefix="rag_assets-") as scratch:
        for suffix in ("", "-journal"):
            with _told_of(path), suppress(FileNotFoundError):
                shutil.copy(f"{path}{suffix}", Path(scratch, f"{path.name}{suffix}"))
        yield Path(scratch, path.name)


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    try:
        yield
    except IsADirectoryError as error:
        raise SyncError(f"{path} is a folder, but the manifest belongs there: move it away, then run again") from error
    except OSError as error:
        raise SyncError(
            f"{error.filename or path}: {error.strerror}. Make it and its folder readable and writable, and room in "
            f"{gettempdir()}, then run again"
        ) from error


def _set_aside(file: Path, path: Path) -> str:
    """Rename what is no manifest, and tell of it. The file is that which is worked on, a copy perhaps of the other."""
    numbered = (file.with_name(f"{file.name}.set-aside-{number}") for number in count(1))
    with _told_of(file):
        aside = next(name for name in numbered if not name.exists())
        file.rename(aside)
    done = f"it was set aside as {aside.name} and may be deleted" if file == path else "a real run sets it aside"
    return (
        f"{path} is damaged, or was written by another version: {done}. Nothing is lost: the objects are compared by "
        "ETag, or else by checksum"
    )


@contextmanager
def _connected(file: Path, place: S3Location, set_aside: Callable[[], None]) -> Iterator[sqlite3.Connection]:
    """A connection that has the file to itself, with all tables."""
    connection = sqlite3.connect(file, timeout=1.0)
    try:
        if not _is_manifest(connection):
            connection.close()
            set_aside()
            connection = sqlite3.connect(file, timeout=1.0)
            _is_manifest(connection)
        _carry_over(connection, place)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_SENT}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        connection.commit()
        connection.executescript(_OF_THE_RUN)
        yield connection
    finally:
        connection.close()


def _is_manifest(connection: sqlite3.Connection) -> bool:
    """Take the file for this connection alone, and see whether it is whole and of this format, or new."""
    try:
        # First, since it drops every temporary table there is.
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        tables = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")]
        damage = damage_of(connection)
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise
    known: dict[int, list[str]] = {
        0: [],
        _FORMAT_BEFORE: [f"CREATE TABLE {_SENT_BEFORE}"],
        _FORMAT: [f"CREATE TABLE {_SENT}"],
    }
    return not damage and known.get(found) == tables


def _carry_over(connection: sqlite3.Connection, place: S3Location) -> None:
    """Bring what the version before has put down into the form of today: without it nothing it sent would be ours."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == _FORMAT_BEFORE:
        connection.execute("ALTER TABLE sent RENAME TO sent_before")
        connection.execute(f"CREATE TABLE {_SENT}")
        connection.execute(_CARRY_OVER, {"prefix": place.prefix})
        connection.execute("DROP TABLE sent_before")


def _remedy(error: sqlite3.Error) -> str:
    code = result_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "Another run is syncing the same place: wait until it has ended"
    if code == sqlite3.SQLITE_FULL:
        return f"Make room there and in the folder for temporary files ({gettempdir()}), then run again"
    if is_damage(error):
        return "It was damaged meanwhile: run again, which sets it aside"
    return "Make it and its folder readable and writable, then run again: it goes on where it stopped"
