"""The embedded index: one SQLite file a variant, searched by words, by vectors, or by both.

Writing one is in `index_writing`, the file itself in `index_file`. What a word is lies in `tokens`, what is searched
for in `query`, how vectors are made in `embedders`.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rag_assets.corpus.passages import Hit, Passage
from rag_assets.model import Attribute, Mode
from rag_assets.retrieval.embedders import Embedder
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.fusion import Scores, fuse, keep_found, rank_best
from rag_assets.retrieval.index_file import (
    open_to_read,
    read_meta,
    require_searchable,
)
from rag_assets.retrieval.query import normalize_question, search_words
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.retrieval.tokens import match_expression


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
            _read_attributes(row[5]) | {"chunk_id": row[2], "record_id": row[3], "source": row[4]} for row in rows
        ]
        dimension = int(read_meta(path)["dimension"])
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
        require_searchable(path, embedder)
        return cls(path, open_to_read(path), embedder, settings)

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
        question and passage; `hybrid` fuses the two (`fusion`). Filters, all of them, hold in all modes, before
        anything is ranked.
        Equal scores are ranked by passage ID.

        Raises:
            ValueError: The mode needs vectors, and the index was opened without an embedder.
        """
        settings = settings or self._settings
        positions = self._find_allowed(filters)
        if mode == "bm25":
            scores = keep_found(self.score_words(question)[positions])
        elif mode == "dense":
            scores = self.score_vectors(question)[positions]
        else:
            scores = fuse(self.score_words(question)[positions], self.score_vectors(question)[positions], settings)
        return [
            Hit(rank=rank, score=float(scores[at]), passage=self._passage(int(positions[at])))
            for rank, at in enumerate(rank_best(scores, k), start=1)
        ]

    def _find_allowed(self, filters: Sequence[Condition]) -> NDArray[np.intp]:
        if not filters:
            return np.arange(len(self))
        return np.flatnonzero(
            [all(condition.matches(attributes) for condition in filters) for attributes in self._attributes]
        )

    def score_words(self, question: str) -> Scores:
        """BM25 of every passage in order of passage ID, 0 where it shares no token with the question."""
        scores = np.zeros(len(self))
        expression = match_expression(search_words(question))
        if not expression:
            return scores
        found = self._db.execute("SELECT rowid, bm25(words) FROM words WHERE words MATCH ?", (expression,)).fetchall()
        if found:
            rows, values = np.array(found, dtype=np.float64).T
            # FTS5 gives better matches lower values.
            scores[self._position[rows.astype(np.int64)]] = -values
        return scores

    def score_vectors(self, question: str) -> Scores:
        """Cosine of every passage with the question, in order of passage ID.

        Raises:
            ValueError: The index was opened without an embedder.
        """
        if self._embedder is None:
            raise ValueError(f"{self.path} was opened without an embedder: only mode bm25 can be searched")
        vector = self._embedder.embed_question(normalize_question(question))
        # Rounded, because the last digits depend on how the processor adds up, and ties should be ties everywhere.
        return np.asarray(np.round(self._vectors @ vector, 6), dtype=np.float64)

    def _passage(self, position: int) -> Passage:
        row = self._db.execute(
            "SELECT passage_id, chunk_id, record_id, source, text, is_mixed, attributes FROM passages WHERE row = ?",
            (int(self._rows[position]),),
        ).fetchone()
        fields = ("passage_id", "chunk_id", "record_id", "source", "text", "is_mixed")
        return Passage(**dict(zip(fields, row[:6], strict=True)), attributes=_read_attributes(row[6]))


def _read_attributes(stored: str) -> dict[str, Attribute]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(stored).items()}
