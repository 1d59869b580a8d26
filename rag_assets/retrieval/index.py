"""The embedded index: one SQLite file a variant, searched by words, by vectors, or by both.

Belongs here: storing passages and ranking them. What a word is lies in `tokens`, what is searched for in `query`,
how vectors are made in `embedders`.
"""

import json
import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_assets.corpus.passages import Hit, Passage
from rag_assets.model import Attribute, Mode, Model
from rag_assets.retrieval.embedders import Embedder, Progress, VectorCache, Vectors, unit
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.fusion import SearchSettings
from rag_assets.retrieval.query import normalize_question, search_words
from rag_assets.retrieval.tokens import FTS5_TOKENIZER, TOKENS_VERSION, fts_text, match_expression
from rag_assets.store.sqlite_files import damage_of

_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE passages (
    row INTEGER PRIMARY KEY,
    passage_id TEXT NOT NULL UNIQUE,
    chunk_id TEXT NOT NULL,
    record_id TEXT NOT NULL,
    source TEXT NOT NULL,
    text TEXT NOT NULL,
    head TEXT NOT NULL,
    attributes TEXT NOT NULL,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(tokens, content='', tokenize="{FTS5_TOKENIZER}");
"""
_SCHEMA_VERSION = "2"
_SHOWN = 3
"""Passages named in a message."""


class IndexFileError(ValueError):
    """The file is not an index that can be searched as asked; the message names it and says what to do."""


class Treatment(Model):
    """How a passage becomes one vector.

    Attributes:
        head_weight: A passage with a head has the direction of (1 - `head_weight`) x the vector of its whole text
            + `head_weight` x that of its head alone. 0 embeds the text once, as a Knowledge Base does. A passage
            without head is always embedded so. A title of 20 characters is lost in the vector of 400, and said
            apart it is not: on 250 everyday questions in three sets, hybrid MRR of prepared chunks rose from
            0.59 to 0.62; it is flat between 0.25 and 0.4.
    """

    head_weight: float = Field(default=0.35, ge=0, lt=1)


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
    treatment: Treatment | None = None,
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
        treatment: How a passage becomes a vector; another one than before makes the file anew.
        progress: Told how many of the missing texts are embedded.

    Raises:
        ValueError: Two passages have the same ID.
    """
    treatment = treatment or Treatment()
    wanted = _by_id(passages)
    meta = _meta(embedder, treatment)
    rebuilt = _read_meta(path) != meta or bool(_damage(path))
    known = {} if rebuilt else _known_hashes(path)
    hashes = _hashes(wanted)
    added, changed, removed = _differing(known, hashes)
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
    vectors = passage_vectors(new, embedder, cache, treatment, progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacement(path, copy=not rebuilt) as file, _writing(file) as db:
        if rebuilt:
            db.executescript(_SCHEMA)
            db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        _delete(db, (*removed, *changed))
        _insert(db, new, hashes, vectors)
    return changes


def require_current(path: Path, passages: Iterable[Passage], embedder: Embedder | None = None) -> None:
    """Refuse an index that holds other passages than these: what it finds would be of an earlier corpus.

    Texts, heads and attributes are held against each other by hash; nothing is embedded. 6,000 passages take 0.1 s.

    Args:
        path: The file.
        passages: All passages of the variant, as they are prepared now.
        embedder: The one it will be searched with.

    Raises:
        IndexFileError: It holds others, or cannot be searched at all (see `LocalIndex.open`).
        ValueError: Two passages have the same ID.
    """
    _require_searchable(path, embedder)
    differing = _differing(_known_hashes(path), _hashes(_by_id(passages)))
    told = [f"{len(ids):,} {what} ({_some(ids)})" for what, ids in differing._asdict().items() if ids]
    if told:
        raise IndexFileError(
            f"{path}: it is not of the corpus as it is prepared now: since it was written, passages were "
            f"{', '.join(told)}; write it again (asset search_index)"
        )


def passage_vectors(
    passages: Sequence[Passage],
    embedder: Embedder,
    cache: VectorCache,
    treatment: Treatment,
    progress: Progress | None = None,
) -> Vectors:
    """Vectors of the passages, shape (len(passages), dimension), each of length 1."""
    parts = [_parts(passage, treatment) for passage in passages]
    texts = [text for weighted in parts for text, _ in weighted]
    vectors = cache.vectors(embedder, texts, progress=progress)
    owners = np.repeat(np.arange(len(passages)), [len(weighted) for weighted in parts])
    weights = np.array([weight for weighted in parts for _, weight in weighted], dtype=np.float32)
    sums = np.zeros((len(passages), embedder.dimension), dtype=np.float32)
    np.add.at(sums, owners, vectors * weights[:, None])
    return unit(sums)


def _parts(passage: Passage, treatment: Treatment) -> list[tuple[str, float]]:
    if passage.head and passage.rest and treatment.head_weight:
        return [(passage.text, 1 - treatment.head_weight), (passage.head, treatment.head_weight)]
    return [(passage.text, 1.0)]


class LocalIndex:
    """A written index, opened for searching; the file is read only.

    Vectors, IDs and attributes are held in memory (2 KB a passage and vector of 512), texts are read as hits need
    them. Use as a context manager, or `close` it.
    """

    def __init__(
        self, path: Path, db: sqlite3.Connection, embedder: Embedder | None, settings: SearchSettings | None = None
    ) -> None:
        self.path = path
        self._db = db
        self._embedder = embedder
        self._settings = settings or SearchSettings()
        # In order of passage ID, so that equal scores are ranked by ID, however the file came about.
        rows = db.execute(
            "SELECT row, passage_id, chunk_id, record_id, source, attributes, vector FROM passages ORDER BY passage_id"
        ).fetchall()
        self._rows = np.array([row[0] for row in rows], dtype=np.int64)
        self._position = np.zeros(int(self._rows.max(initial=0)) + 1, dtype=np.int64)
        self._position[self._rows] = np.arange(len(rows))
        self._attributes = [
            _attributes(row[5]) | {"chunk_id": row[2], "record_id": row[3], "source": row[4]} for row in rows
        ]
        dimension = int(_read_meta(path)["dimension"])
        self._vectors = np.frombuffer(b"".join(row[6] for row in rows), dtype="<f4").reshape(len(rows), dimension)

    @classmethod
    def open(cls, path: Path, embedder: Embedder | None = None, settings: SearchSettings | None = None) -> Self:
        """Open the index at `path`.

        Args:
            path: A file that `write_index` has written.
            embedder: The one it was written with; without one, only `bm25` can be searched.
            settings: Of hybrid search, where a search brings none of its own.

        Raises:
            IndexFileError: There is no index, it is damaged, of another version, or was written with another embedder.
        """
        _require_searchable(path, embedder)
        return cls(path, _read_only(path), embedder, settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __len__(self) -> int:
        return len(self._rows)

    def counts(self) -> dict[str, int]:
        """Number of passages by source."""
        return dict(sorted(Counter(str(attributes["source"]) for attributes in self._attributes).items()))

    @staticmethod
    def modes() -> tuple[Mode, ...]:
        """The modes it can be searched in."""
        return ("bm25", "dense", "hybrid")

    def search(
        self,
        question: str,
        mode: Mode,
        k: int = 8,
        settings: SearchSettings | None = None,
        filters: Sequence[Condition] = (),
    ) -> list[Hit]:
        """The `k` best passages for the question, best first; fewer where fewer match.

        `bm25` finds passages that share a token with the question; `dense` ranks all passages by the cosine of
        question and passage; `hybrid` fuses the two. Filters, all of them, hold in all modes, before anything is
        counted out.
        Equal scores are ranked by passage ID.

        Raises:
            ValueError: The mode needs vectors, and the index was opened without an embedder.
        """
        settings = settings or self._settings
        allowed = self._allowed(filters)
        if mode == "bm25":
            ranked = self._by_words(question, allowed, k)
        elif mode == "dense":
            ranked = self._by_vector(question, allowed, k)
        else:
            depth = max(k, settings.depth)
            ranked = fuse(
                (self._by_words(question, allowed, depth), settings.bm25_weight),
                (self._by_vector(question, allowed, depth), settings.dense_weight),
                rrf_constant=settings.rrf_constant,
            )
        return [
            Hit(rank=rank, score=score, passage=self._passage(position))
            for rank, (position, score) in enumerate(ranked[:k], start=1)
        ]

    def _allowed(self, filters: Sequence[Condition]) -> NDArray[np.bool_]:
        if not filters:
            return np.ones(len(self), dtype=np.bool_)
        return np.array(
            [all(condition.matches(attributes) for condition in filters) for attributes in self._attributes],
            dtype=np.bool_,
        )

    def _by_words(self, question: str, allowed: NDArray[np.bool_], k: int) -> list[tuple[int, float]]:
        expression = match_expression(search_words(question))
        if not expression:
            return []
        found = self._db.execute("SELECT rowid, bm25(words) FROM words WHERE words MATCH ?", (expression,)).fetchall()
        if not found:
            return []
        rows, scores = np.array(found, dtype=np.float64).T
        positions = self._position[rows.astype(np.int64)]
        kept = allowed[positions]
        # FTS5 gives better matches lower values.
        return _best(positions[kept], -scores[kept], k)

    def _by_vector(self, question: str, allowed: NDArray[np.bool_], k: int) -> list[tuple[int, float]]:
        if self._embedder is None:
            raise ValueError(f"{self.path} was opened without an embedder: only mode bm25 can be searched")
        vector = self._embedder.embed_question(normalize_question(question))
        positions = np.flatnonzero(allowed)
        # Rounded, because the last digits depend on how the processor adds up, and ties should be ties everywhere.
        scores = np.round(self._vectors @ vector, 6)
        return _best(positions, scores[positions], k)

    def _passage(self, position: int) -> Passage:
        row = self._db.execute(
            "SELECT passage_id, chunk_id, record_id, source, text, head, attributes FROM passages WHERE row = ?",
            (int(self._rows[position]),),
        ).fetchone()
        fields = ("passage_id", "chunk_id", "record_id", "source", "text", "head")
        return Passage(**dict(zip(fields, row[:6], strict=True)), attributes=_attributes(row[6]))


def fuse(*rankings: tuple[Sequence[tuple[int, float]], float], rrf_constant: float) -> list[tuple[int, float]]:
    """Weighted reciprocal rank fusion of rankings, each best first with its weight: (position, score), best first.

    Only ranks count, never the scores; equal sums are ordered by position. A ranking of weight 0 adds nothing.
    """
    sums: dict[int, float] = {}
    for ranking, weight in rankings:
        if weight:
            for rank, (position, _) in enumerate(ranking, start=1):
                sums[position] = sums.get(position, 0.0) + weight / (rrf_constant + rank)
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))


def _best(positions: NDArray[np.int64], scores: NDArray[np.floating], k: int) -> list[tuple[int, float]]:
    order = np.lexsort((positions, -scores))[:k]
    return list(zip(positions[order].tolist(), scores[order].tolist(), strict=True))


def _by_id(passages: Iterable[Passage]) -> dict[str, Passage]:
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


def _differing(known: Mapping[str, str], hashes: Mapping[str, str]) -> _Differing:
    """How the passages that an index holds differ from those there are, both as hashes by ID."""
    return _Differing(
        added=[passage_id for passage_id in hashes if passage_id not in known],
        changed=[name for name, known_hash in known.items() if name in hashes and known_hash != hashes[name]],
        removed=[passage_id for passage_id in known if passage_id not in hashes],
    )


def _hashes(passages: Mapping[str, Passage]) -> dict[str, str]:
    return {passage_id: passage.content_hash() for passage_id, passage in passages.items()}


def _some(passage_ids: Sequence[str]) -> str:
    return ", ".join(passage_ids[:_SHOWN]) + (", …" if len(passage_ids) > _SHOWN else "")


def _require_searchable(path: Path, embedder: Embedder | None) -> None:
    """Refuse what `LocalIndex.open` refuses."""
    meta = _read_meta(path)
    if not meta:
        raise IndexFileError(f"{path}: there is no search index; write it first (asset search_index)")
    if (meta.get("schema"), meta.get("tokens")) != (_SCHEMA_VERSION, TOKENS_VERSION):
        raise IndexFileError(f"{path}: written by another version of the project; write it again (asset search_index)")
    if embedder and meta.get("embedder") != embedder.name:
        raise IndexFileError(
            f"{path}: its vectors are of {meta.get('embedder')}, questions would be embedded by {embedder.name};"
            " write it again with that embedder (asset search_index)"
        )
    damage = _damage(path)
    if damage:
        raise IndexFileError(f"{path}: it is damaged ({damage}); write it again (asset search_index)")


def _meta(embedder: Embedder, treatment: Treatment) -> dict[str, str]:
    return {
        "schema": _SCHEMA_VERSION,
        "tokens": TOKENS_VERSION,
        "embedder": embedder.name,
        "dimension": str(embedder.dimension),
        "treatment": treatment.model_dump_json(),
    }


def _read_meta(path: Path) -> dict[str, str]:
    """The settings an index was written with; empty where the file is missing or no index."""
    if not path.is_file():
        return {}
    db = _read_only(path)
    try:
        return dict(db.execute("SELECT key, value FROM meta"))
    except sqlite3.DatabaseError:
        return {}
    finally:
        db.close()


def _damage(path: Path) -> str:
    with closing(_read_only(path)) as db:
        return damage_of(db)


def _known_hashes(path: Path) -> dict[str, str]:
    db = _read_only(path)
    try:
        return dict(db.execute("SELECT passage_id, hash FROM passages"))
    finally:
        db.close()


def _read_only(path: Path) -> sqlite3.Connection:
    # Immutable: the file is only ever replaced, never written to, so no lock and no journal is needed.
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _attributes(stored: str) -> dict[str, Attribute]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(stored).items()}


@contextmanager
def _replacement(path: Path, *, copy: bool) -> Iterator[Path]:
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
def _writing(file: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(file)
    try:
        # The file takes its place only when it is complete: a journal would guard nothing.
        db.execute("PRAGMA journal_mode = OFF")
        with db:
            yield db
    finally:
        db.close()


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
                passage.head,
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
