"""The tables that a sync compares: the files here, the objects there, and what was sent before.

They are tables in SQLite, on disk, so that memory does not grow with the corpus. What was sent outlives the run: it
proves the content and the owner of an object as long as the listing shows the same ETag and size. The other tables are
temporary. Opening the file belongs to `manifest_file`; nothing here sends a request or reads a file of a corpus.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from rag_assets.corpus.writing import SIDECAR_SUFFIX
from rag_assets.s3.checking import LocalFile, is_corpus_file, is_sidecar
from rag_assets.s3.locations import S3Location
from rag_assets.s3.marks import ObjectHead, OwnershipMark

ObjectState = Literal["new", "changed", "unchanged", "doubtful"]
"""How a wanted object compares with the bucket. `doubtful`: its size is right, but its ETag proves nothing."""

Leftover = Literal["gone", "foreign", "in_the_way"]
"""An object of the bucket that is not as wanted.

- gone: ours, and its file is gone;
- foreign: not ours, at a key that we do not want;
- in_the_way: not ours, at a key where we want to put an object.
"""

_PAGE = 1000
_UNSAVED = 500
"""Objects sent between two commits. What a crash loses is proven again by ETag or by HeadObject."""

_TEMPORARY_TABLES = """
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
# An ETag that is the MD5 of our content belongs to no other content, however the object is encrypted.
_COMPARE = """
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
# An object is ours if it is as we sent it, and not ours if no corpus has such a file. An unchanged one need not be
# known, since nothing is done to it. The rest stays unclear, as do objects to adopt, which may bear another mark.
_FIND_OWNERS = f"""
UPDATE there SET ours = CASE
    WHEN NOT corpus THEN FALSE
    WHEN EXISTS (SELECT 1 {_SENT_FROM_HERE} AND sent.etag = there.etag AND sent.size = there.size) THEN TRUE
    WHEN NOT adopts(key) AND EXISTS (SELECT 1 FROM here WHERE here.key = there.key AND here.kind = 'unchanged')
        THEN TRUE
END, why = 'no corpus has such a file'
"""
_UNCLEAR = f"""
SELECT there.key, here.size, here.sha256, here.kind, here.key IS NOT NULL AND EXISTS (SELECT 1 {_SENT_FROM_HERE})
FROM there LEFT JOIN here ON here.key = there.key
WHERE there.ours IS NULL AND there.key > :after ORDER BY there.key LIMIT :page
"""
_DOCUMENT = f"substr(here.key, 1, length(here.key) - here.sidecar * {len(SIDECAR_SUFFIX)})"
_WANTED = "EXISTS (SELECT 1 FROM here WHERE here.key = there.key)"
_LEFTOVERS: dict[Leftover, str] = {
    "gone": f"FROM there WHERE ours AND NOT {_WANTED}",
    "foreign": f"FROM there WHERE NOT ours AND NOT {_WANTED}",
    "in_the_way": f"FROM there WHERE NOT ours AND {_WANTED}",
}
_REPLACED = (
    f"FROM there WHERE ours AND EXISTS (SELECT 1 {_SENT_FROM_HERE} AND sent.etag <> there.etag) "
    "AND EXISTS (SELECT 1 FROM here WHERE here.key = there.key AND here.kind = 'changed')"
)


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object as a listing shows it; the ETag is without quotes."""

    key: str
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class WantedObject:
    """An object as it should be; the key includes the prefix."""

    key: str
    size: int
    sha256: bytes


@dataclass(frozen=True, slots=True)
class SentObject:
    """An object that has the wanted content as long as it has this ETag."""

    wanted: WantedObject
    etag: str


@dataclass(frozen=True, slots=True)
class UnclearObject:
    """An object whose owner or content is not known.

    Attributes:
        key: Its key.
        wanted: The content that we want, if the object may have it.
        proven: Whether its ETag proves that content.
        replaces: Whether we sent an object to this key before and still want one there.
    """

    key: str
    wanted: WantedObject | None
    proven: bool
    replaces: bool


class SyncManifest:
    """The tables of one location."""

    def __init__(self, connection: sqlite3.Connection, location: S3Location) -> None:
        self._db = connection
        self._location = location
        self._parameters = {"bucket": location.bucket, "prefix": location.prefix}
        self._unsaved = 0
        connection.executescript(_TEMPORARY_TABLES)

    # -- filling the tables

    def add_files(self, files: Iterable[LocalFile]) -> None:
        """Add the files of the folder."""
        prefix = self._location.prefix
        self._db.executemany(
            "INSERT INTO here (key, sidecar, size, sha256, md5) VALUES (?, ?, ?, ?, ?)",
            ((prefix + file.key, is_sidecar(file.key), file.size, file.sha256, file.md5.hex()) for file in files),
        )

    def add_objects(self, objects: Iterable[ListedObject]) -> None:
        """Add the listed objects, but not the empty ones that the console shows as folders."""
        self._db.executemany(
            "INSERT OR REPLACE INTO there (key, sidecar, corpus, size, etag) VALUES (?, ?, ?, ?, ?)",
            (
                (found.key, is_sidecar(found.key), is_corpus_file(found.key), found.size, found.etag)
                for found in objects
                if found.size or not found.key.endswith("/")
            ),
        )

    def compare(self, adopts: Callable[[str], bool] = lambda _: False) -> None:
        """Decide the state of every wanted object and the owner of every listed one, as far as the tables tell.

        Args:
            adopts: Whether the object at a key becomes ours, unless it bears the mark of others.
        """
        self._db.create_function("adopts", 1, adopts, deterministic=True)
        self._db.execute(_COMPARE, self._parameters)
        self._db.execute(_FIND_OWNERS, self._parameters)

    def find_unclear(self) -> Iterator[UnclearObject]:
        """Objects that have to be looked at, by key; they may be settled meanwhile."""
        after = ""
        while rows := self._db.execute(_UNCLEAR, self._parameters | {"after": after, "page": _PAGE}).fetchall():
            for key, size, sha256, kind, replaces in rows:
                wanted = WantedObject(key, size, sha256) if kind in ("doubtful", "unchanged") else None
                yield UnclearObject(key, wanted, proven=kind == "unchanged", replaces=bool(replaces))
            after = rows[-1][0]

    def settle(self, unclear: UnclearObject, head: ObjectHead | None, mark: OwnershipMark) -> None:
        """Decide the content and the owner of an object that was looked at.

        An object is ours if it bears our mark and is as it was sent. An object without a mark, or changed since, that
        has replaced one of ours is overwritten if we still want one there; otherwise it stays. An object with another
        mark is never ours.

        Args:
            unclear: The object.
            head: What HeadObject says; None if the object is gone.
            mark: The mark of our objects.
        """
        key, wanted = unclear.key, unclear.wanted
        if head is None:
            self._db.execute("DELETE FROM there WHERE key = ?", (key,))
            self._db.execute("UPDATE here SET kind = 'new' WHERE key = ?", (key,))
            return
        why = mark.find_objection(head, replaces=unclear.replaces)
        if wanted and (unclear.proven or head.has_content(wanted.size, wanted.sha256)):
            self._db.execute("UPDATE here SET kind = 'unchanged' WHERE key = ?", (key,))
            self._save_sent(SentObject(wanted, head.etag), from_here=not why)
            why = ""
        else:
            self._db.execute("UPDATE here SET kind = 'changed' WHERE key = ? AND kind = 'doubtful'", (key,))
        self._db.execute("UPDATE there SET ours = ?, why = ? WHERE key = ?", (not why, why, key))

    def plan_uploads(self) -> None:
        """Plan the uploads, once nothing is unclear: document by document, the sidecar first."""
        self._db.execute(
            f"INSERT INTO uploads (document, key, size, sha256) SELECT {_DOCUMENT} AS document, key, size, sha256 "
            "FROM here WHERE kind IN ('new', 'changed') ORDER BY document, sidecar DESC"
        )

    # -- what is wanted

    def count_wanted(self, *, sidecars: bool) -> int:
        """Number of sidecars, or of texts, that should be in the bucket."""
        return self._count("SELECT count(*) FROM here WHERE sidecar = ?", sidecars)

    def count_state(self, state: ObjectState) -> int:
        """Number of wanted objects in a state."""
        return self._count("SELECT count(*) FROM here WHERE kind = ?", state)

    def keys_in_state(self, state: ObjectState) -> Iterator[str]:
        """Keys of wanted objects in a state, in order."""
        return self._keys("SELECT key FROM here WHERE kind = ? AND key > ? ORDER BY key LIMIT ?", state)

    def upload_bytes(self) -> int:
        """Size of all that is new or changed."""
        return self._count("SELECT coalesce(sum(size), 0) FROM here WHERE kind IN ('new', 'changed')")

    def uploads(self) -> Iterator[tuple[WantedObject, ...]]:
        """The planned uploads, a document at a time."""
        query = "SELECT place, document, key, size, sha256 FROM uploads WHERE place > ? ORDER BY place LIMIT ?"
        for _, rows in groupby(self._pages(query, 0), key=lambda row: row[1]):
            yield tuple(WantedObject(*row[2:]) for row in rows)

    def texts_without_sidecar(self) -> Iterator[str]:
        """Keys of texts here that have no sidecar, in order."""
        return self._keys(
            "SELECT key FROM here WHERE NOT sidecar AND key > ? AND NOT EXISTS "
            f"(SELECT 1 FROM here AS other WHERE other.key = here.key || '{SIDECAR_SUFFIX}') ORDER BY key LIMIT ?"
        )

    def sidecars_without_text(self) -> Iterator[str]:
        """Keys of sidecars here that have no text, in order."""
        return self._keys(
            "SELECT key FROM here WHERE sidecar AND key > ? AND NOT EXISTS "
            f"(SELECT 1 FROM here AS other WHERE other.key = {_DOCUMENT}) ORDER BY key LIMIT ?"
        )

    def fingerprint(self) -> str:
        """One hash over keys and contents of everything that should be in the bucket."""
        return hash_contents(self._pages("SELECT key, sha256 FROM here WHERE key > ? ORDER BY key LIMIT ?", ""))

    # -- what else is in the bucket

    def count_ours(self) -> int:
        """Number of our objects in the bucket, wanted or not."""
        return self._count("SELECT count(*) FROM there WHERE ours")

    def count(self, leftover: Leftover, *, sidecars: bool | None = None) -> int:
        """Number of leftover objects: sidecars only, others only, or (None) all."""
        only = "" if sidecars is None else f" AND {'' if sidecars else 'NOT '}sidecar"
        return self._count(f"SELECT count(*) {_LEFTOVERS[leftover]}{only}")

    def keys(self, leftover: Leftover) -> Iterator[str]:
        """Keys of leftover objects, in order."""
        return self._keys(f"SELECT key {_LEFTOVERS[leftover]} AND key > ? ORDER BY key LIMIT ?")

    def keys_to_delete(self) -> Iterator[str]:
        """Keys of what is gone: first the texts, then the sidecars, so that no text is ever without its sidecar."""
        for sidecar in (False, True):
            query = f"SELECT key {_LEFTOVERS['gone']} AND sidecar = ? AND key > ? ORDER BY key LIMIT ?"
            yield from self._keys(query, sidecar)

    def objections(self) -> Iterator[tuple[str, str]]:
        """Keys of what is in the way, in order, each with the reason why it is not ours."""
        query = f"SELECT key, why {_LEFTOVERS['in_the_way']} AND key > ? ORDER BY key LIMIT ?"
        return ((key, why) for key, why in self._pages(query, ""))

    def count_replaced(self) -> int:
        """Number of objects that others put in the place of ours."""
        number: int = self._db.execute(f"SELECT count(*) {_REPLACED}", self._parameters).fetchone()[0]
        return number

    def first_replaced(self, most: int) -> list[str]:
        """The first of their keys, in order."""
        query = f"SELECT key {_REPLACED} ORDER BY key LIMIT :most"
        return [key for (key,) in self._db.execute(query, self._parameters | {"most": most})]

    # -- what outlives the run

    def remember(self, sent: SentObject) -> None:
        """Remember an upload."""
        self._save_sent(sent, from_here=True)

    def _save_sent(self, sent: SentObject, *, from_here: bool) -> None:
        """Remember the content of an object, so that its ETag proves it from now on, and whether it is ours."""
        location, wanted = self._location, sent.wanted
        self._db.execute(
            "INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?)",
            (location.bucket, location.prefix, wanted.key, wanted.sha256, wanted.size, sent.etag, from_here),
        )
        self._unsaved += 1
        if self._unsaved >= _UNSAVED:
            self.save()

    def forget_gone(self) -> None:
        """Forget what is no longer wanted; what was sent to other locations may still be there."""
        self._db.execute(
            "DELETE FROM sent WHERE bucket = :bucket AND prefix = :prefix AND key NOT IN (SELECT key FROM here)",
            self._parameters,
        )

    def save(self) -> None:
        """Commit, so that what is remembered outlives this process."""
        self._db.commit()
        self._unsaved = 0

    # -- reading

    def _count(self, query: str, *parameters: Any) -> int:
        number: int = self._db.execute(query, parameters).fetchone()[0]
        return number

    def _keys(self, query: str, *parameters: Any) -> Iterator[str]:
        return (key for (key,) in self._pages(query, "", *parameters))

    def _pages(self, query: str, after: str | int, *parameters: Any) -> Iterator[tuple[Any, ...]]:
        """Rows, read a page at a time, because the tables may be written to meanwhile. Pages go by the first column."""
        while rows := self._db.execute(query, (*parameters, after, _PAGE)).fetchall():
            yield from rows
            after = rows[-1][0]


def hash_contents(contents: Iterable[tuple[Any, ...]]) -> str:
    """One hash over objects.

    Args:
        contents: Key and SHA-256 of each, in order of key.
    """
    digest = hashlib.sha256()
    for key, content in contents:
        digest.update(f"{len(key)}:{key}".encode())
        digest.update(content)
    return digest.hexdigest()
