"""Writes the embedded index of a variant: only what is new or changed is tokenised and embedded."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rag_assets.corpus.passages import Passage
from rag_assets.model import Model
from rag_assets.retrieval.embedders import Embedder, Progress, VectorCache, Vectors
from rag_assets.retrieval.index_file import (
    SCHEMA,
    IndexFileError,
    describe_making,
    find_damage,
    open_to_write,
    read_hashes,
    read_meta,
    replace_file,
    require_searchable,
)
from rag_assets.retrieval.tokens import fts_text

_SHOWN = 3
"""Passages named in a message."""


class IndexChanges(Model):
    """What writing an index changed, in passages."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    rebuilt: bool = False
    """Whether the file was made anew: there was none, a damaged one, or one made with other settings."""

    @property
    def any(self) -> bool:
        """Whether the file was written at all."""
        return self.rebuilt or bool(self.added or self.changed or self.removed)


def write_index(
    path: Path,
    passages: Iterable[Passage],
    embedder: Embedder,
    cache: VectorCache,
    *,
    progress: Progress | None = None,
) -> IndexChanges:
    """Make the index at `path` hold these passages and no others.

    Only new and changed passages are tokenised and looked up in the cache; passages that are gone vanish. The file
    is replaced at the end in one step, so that a crash leaves the old one, and a reader sees the old or the new.
    Searching an updated index gives what searching one made anew gives. Nothing changed: the file is not touched.

    Args:
        path: The SQLite file; its folder is made.
        passages: All passages of the variant.
        embedder: Makes the vectors; another one than before makes the file anew.
        cache: Where vectors come from and go to.
        progress: Told how many of the missing texts are embedded.

    Raises:
        ValueError: Two passages have the same ID.
    """
    wanted = _index_by_id(passages)
    meta = describe_making(embedder)
    rebuilt = read_meta(path) != meta or bool(find_damage(path))
    known = {} if rebuilt else read_hashes(path)
    hashes = _hash_passages(wanted)
    added, changed, removed = _find_differing(known, hashes)
    changes = IndexChanges(
        added=len(added),
        changed=len(changed),
        removed=len(removed),
        unchanged=len(known) - len(removed) - len(changed),
        rebuilt=rebuilt,
    )
    if not changes.any:
        return changes
    new = [wanted[passage_id] for passage_id in (*added, *changed)]
    vectors = cache.vectors(embedder, [passage.text for passage in new], progress=progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path, copy=not rebuilt) as file, open_to_write(file) as db:
        if rebuilt:
            db.executescript(SCHEMA)
            db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        _delete(db, (*removed, *changed))
        _insert(db, new, hashes, vectors)
    return changes


def require_current(path: Path, passages: Iterable[Passage], embedder: Embedder | None = None) -> None:
    """Refuse an index that holds other passages than these: what it finds would be of an earlier corpus.

    Texts and attributes are held against each other by hash; nothing is embedded. 6,000 passages take 0.1 s.

    Args:
        path: The file.
        passages: All passages of the variant, as they are prepared now.
        embedder: The one it will be searched with.

    Raises:
        IndexFileError: It holds others, or cannot be searched at all (see `LocalIndex.open`).
        ValueError: Two passages have the same ID.
    """
    require_searchable(path, embedder)
    differing = _find_differing(read_hashes(path), _hash_passages(_index_by_id(passages)))
    told = [f"{len(ids):,} {what} ({_name_some(ids)})" for what, ids in differing._asdict().items() if ids]
    if told:
        raise IndexFileError(
            f"{path}: it is not of the corpus as it is prepared now: since it was written, passages were "
            f"{', '.join(told)}; write it again (asset search_index)"
        )


def _index_by_id(passages: Iterable[Passage]) -> dict[str, Passage]:
    wanted: dict[str, Passage] = {}
    for passage in passages:
        if wanted.setdefault(passage.passage_id, passage) is not passage:
            raise ValueError(f"two passages have the ID {passage.passage_id}; IDs must be unique within an index")
    return wanted


class _Differing(NamedTuple):
    """IDs of passages, by what became of them since an index was written."""

    added: list[str]
    changed: list[str]
    removed: list[str]


def _find_differing(known: Mapping[str, str], hashes: Mapping[str, str]) -> _Differing:
    """How the passages that an index holds differ from those there are, both as hashes by ID."""
    return _Differing(
        added=[passage_id for passage_id in hashes if passage_id not in known],
        changed=[name for name, known_hash in known.items() if name in hashes and known_hash != hashes[name]],
        removed=[passage_id for passage_id in known if passage_id not in hashes],
    )


def _hash_passages(passages: Mapping[str, Passage]) -> dict[str, str]:
    return {passage_id: passage.content_hash() for passage_id, passage in passages.items()}


def _name_some(passage_ids: Sequence[str]) -> str:
    return ", ".join(passage_ids[:_SHOWN]) + (", …" if len(passage_ids) > _SHOWN else "")


def _insert(db: sqlite3.Connection, passages: Sequence[Passage], hashes: Mapping[str, str], vectors: Vectors) -> None:
    first = db.execute("SELECT coalesce(max(row), 0) + 1 FROM passages").fetchone()[0]
    for row, (passage, vector) in enumerate(zip(passages, vectors, strict=True), start=first):
        db.execute(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row,
                passage.passage_id,
                passage.chunk_id,
                passage.record_id,
                passage.source,
                passage.text,
                passage.is_mixed,
                json.dumps(passage.attributes, ensure_ascii=False),
                hashes[passage.passage_id],
                vector.astype("<f4").tobytes(),
            ),
        )
        db.execute("INSERT INTO words (rowid, tokens) VALUES (?, ?)", (row, fts_text(passage.text)))


def _delete(db: sqlite3.Connection, passage_ids: Iterable[str]) -> None:
    for passage_id in passage_ids:
        row, text = db.execute("SELECT row, text FROM passages WHERE passage_id = ?", (passage_id,)).fetchone()
        # A contentless FTS5 table forgets a row when it is told the very tokens it was given.
        db.execute("INSERT INTO words (words, rowid, tokens) VALUES ('delete', ?, ?)", (row, fts_text(text)))
        db.execute("DELETE FROM passages WHERE row = ?", (row,))
