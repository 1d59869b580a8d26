"""The file of an embedded index: its schema, what it was made with, and how it is replaced in one step."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rag_assets.retrieval.embedders import Embedder
from rag_assets.retrieval.tokens import FTS5_TOKENIZER, TOKENS_VERSION
from rag_assets.store.sqlite_files import damage_of

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE passages (
    row INTEGER PRIMARY KEY,
    passage_id TEXT NOT NULL UNIQUE,
    chunk_id TEXT NOT NULL,
    record_id TEXT NOT NULL,
    source TEXT NOT NULL,
    text TEXT NOT NULL,
    is_mixed INTEGER NOT NULL,
    attributes TEXT NOT NULL,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(tokens, content='', tokenize="{FTS5_TOKENIZER}");
"""
_SCHEMA_VERSION = "4"


class IndexFileError(ValueError):
    """The file is not an index that can be searched as asked; the message names it and says what to do."""


def require_searchable(path: Path, embedder: Embedder | None) -> None:
    """Refuse what `LocalIndex.open` refuses."""
    meta = read_meta(path)
    if not meta:
        raise IndexFileError(f"{path}: there is no search index; write it first (asset search_index)")
    if (meta.get("schema"), meta.get("tokens")) != (_SCHEMA_VERSION, TOKENS_VERSION):
        raise IndexFileError(f"{path}: written by another version of the project; write it again (asset search_index)")
    if embedder and meta.get("embedder") != embedder.name:
        raise IndexFileError(
            f"{path}: its vectors are of {meta.get('embedder')}, questions would be embedded by {embedder.name};"
            " write it again with that embedder (asset search_index)"
        )
    damage = find_damage(path)
    if damage:
        raise IndexFileError(f"{path}: it is damaged ({damage}); write it again (asset search_index)")


def describe_making(embedder: Embedder) -> dict[str, str]:
    """What an index is made with, by name: another value makes the file anew."""
    return {
        "schema": _SCHEMA_VERSION,
        "tokens": TOKENS_VERSION,
        "embedder": embedder.name,
        "dimension": str(embedder.dimension),
    }


def read_meta(path: Path) -> dict[str, str]:
    """The settings an index was written with; empty where the file is missing or no index."""
    if not path.is_file():
        return {}
    db = open_to_read(path)
    try:
        return dict(db.execute("SELECT key, value FROM meta"))
    except sqlite3.DatabaseError:
        return {}
    finally:
        db.close()


def find_damage(path: Path) -> str:
    """What is wrong with the file; empty where nothing is."""
    with closing(open_to_read(path)) as db:
        return damage_of(db)


def read_hashes(path: Path) -> dict[str, str]:
    """Content hash of every passage in the file, by ID."""
    db = open_to_read(path)
    try:
        return dict(db.execute("SELECT passage_id, hash FROM passages"))
    finally:
        db.close()


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads."""
    # Immutable: the file is only ever replaced, never written to, so no lock and no journal is needed.
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


@contextmanager
def replace_file(path: Path, *, copy: bool) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place when the block ends well, and is gone otherwise."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    file = Path(name)
    try:
        if copy:
            shutil.copyfile(path, file)
        yield file
        file.chmod(0o644)
        file.replace(path)
    finally:
        file.unlink(missing_ok=True)


@contextmanager
def open_to_write(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file that nobody reads yet; commits at the end."""
    db = sqlite3.connect(file)
    try:
        # The file takes its place only when it is complete: a journal would guard nothing.
        db.execute("PRAGMA journal_mode = OFF")
        with db:
            yield db
    finally:
        db.close()
