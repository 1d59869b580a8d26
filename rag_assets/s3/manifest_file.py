"""Opens the file of a sync's manifest: locks it, checks its format, carries over the one before, sets aside the rest.

What stands in the tables belongs to `manifest`.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EISDIR
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import SyncManifest
from rag_assets.store.sqlite_files import copy_database, damage_of, is_damage, result_code

_FORMAT = 3
"""Version of the table, and of what counts as proof of an object's content."""
_SENT = """sent (
    bucket TEXT NOT NULL, prefix TEXT NOT NULL, key TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL,
    etag TEXT NOT NULL, from_here INTEGER NOT NULL, PRIMARY KEY (bucket, prefix, key)
) WITHOUT ROWID"""
_FORMAT_BEFORE = 2
_SENT_BEFORE = """sent (
    bucket TEXT NOT NULL, key TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    PRIMARY KEY (bucket, key)
) WITHOUT ROWID"""
# Format 2 has no prefix, but each sync removed the rows of all other locations at its end.
_CARRY_OVER = """
INSERT INTO sent SELECT bucket, :prefix, key, sha256, size, etag, TRUE FROM sent_before
WHERE substr(key, 1, length(:prefix)) = :prefix
"""


@contextmanager
def open_manifest(
    path: Path, location: S3Location, *, only_read: bool = False, on_note: Callable[[str], None] = lambda _: None
) -> Iterator[SyncManifest]:
    """The manifest of a location, locked against any other run; a missing file is made.

    A file that is damaged or of another format is renamed, and a new one is begun: a sync finds out again what it held.

    Args:
        path: The file.
        location: The location.
        only_read: Work on a copy, and leave the file as it is.
        on_note: Called with a line for the log when a file is renamed.

    Raises:
        SyncError: Another run holds the file, or it cannot be read or written.
    """
    try:
        with (
            _copy(path) if only_read else _prepare(path) as file,
            _connect(file, location, lambda: on_note(_set_aside(file, path))) as connection,
        ):
            manifest = SyncManifest(connection, location)
            try:
                yield manifest
            finally:
                manifest.save()
    except sqlite3.Error as error:
        raise SyncError(f"{path}: {error}. {_find_remedy(error)}") from error


@contextmanager
def _prepare(path: Path) -> Iterator[Path]:
    with _translate_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite would only say that it cannot open it.
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    yield path


@contextmanager
def _copy(path: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="rag_assets-") as scratch:
        with _translate_errors(path):
            copy = copy_database(path, Path(scratch), "-journal")
        yield copy


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
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
    """Rename a file that is no manifest; returns a line for the log. `file` may be a copy of `path`."""
    numbered = (file.with_name(f"{file.name}.set-aside-{number}") for number in count(1))
    with _translate_errors(file):
        aside = next(name for name in numbered if not name.exists())
        file.rename(aside)
    done = f"it was set aside as {aside.name} and may be deleted" if file == path else "a real run sets it aside"
    return (
        f"{path} is damaged, or was written by another version: {done}. Nothing is lost: the objects are compared by "
        "ETag, or else by checksum"
    )


@contextmanager
def _connect(file: Path, location: S3Location, set_aside: Callable[[], None]) -> Iterator[sqlite3.Connection]:
    """A connection with the file to itself, and with the table in today's format."""
    connection = sqlite3.connect(file, timeout=1.0)
    try:
        if not _lock_if_valid(connection):
            connection.close()
            set_aside()
            connection = sqlite3.connect(file, timeout=1.0)
            _lock_if_valid(connection)
        _carry_over(connection, location)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_SENT}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        connection.commit()
        yield connection
    finally:
        connection.close()


def _lock_if_valid(connection: sqlite3.Connection) -> bool:
    """Lock the file, and check that it is whole and of a known format, or new."""
    try:
        # This comes first, since it drops all temporary tables.
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


def _carry_over(connection: sqlite3.Connection, location: S3Location) -> None:
    """Bring the format before into today's: without it, nothing that it sent would be ours."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == _FORMAT_BEFORE:
        connection.execute("ALTER TABLE sent RENAME TO sent_before")
        connection.execute(f"CREATE TABLE {_SENT}")
        connection.execute(_CARRY_OVER, {"prefix": location.prefix})
        connection.execute("DROP TABLE sent_before")


def _find_remedy(error: sqlite3.Error) -> str:
    code = result_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "Another run is syncing the same place: wait until it has ended"
    if code == sqlite3.SQLITE_FULL:
        return f"Make room there and in the folder for temporary files ({gettempdir()}), then run again"
    if is_damage(error):
        return "It was damaged meanwhile: run again, which sets it aside"
    return "Make it and its folder readable and writable, then run again: it goes on where it stopped"
