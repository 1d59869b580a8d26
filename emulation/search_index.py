"""The vector store of a Knowledge Base: chunks in, scored chunks out.

Words are looked up in SQLite FTS5, "meaning" is the cosine of hashed n-grams. Filters and pages are no matter of it.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from emulation.vectors import DIMENSIONS, Vector, embed
from rag_assets.retrieval.tokens import FTS5_TOKENIZER, fts_text, match_expression


@dataclass(frozen=True)
class IndexedChunk:
    """One chunk as it is stored.

    Attributes:
        chunk_id: Unique within the Knowledge Base.
        data_source_id: Where it came from.
        uri: The document it is of.
        text: What a result carries.
        attributes: What filters look at and a result carries.
        embedded: What is embedded: the text, with attributes before it where their sidecar asks for that.
    """

    chunk_id: str
    data_source_id: str
    uri: str
    text: str
    attributes: Mapping[str, Any]
    embedded: str


class SearchIndex:
    """The chunks of one Knowledge Base."""

    def __init__(self) -> None:
        self._chunks: dict[int, IndexedChunk] = {}
        self._vectors: dict[int, Vector] = {}
        self._rows: dict[tuple[str, str], list[int]] = {}
        self._matrix: tuple[list[int], Vector] | None = None
        self._last = 0
        # The server answers from several threads, one at a time.
        self._words = sqlite3.connect(":memory:", check_same_thread=False)
        self._words.execute(f'CREATE VIRTUAL TABLE words USING fts5(text, content="", tokenize="{FTS5_TOKENIZER}")')

    def __len__(self) -> int:
        return len(self._chunks)

    def put(self, data_source_id: str, uri: str, chunks: Iterable[IndexedChunk]) -> None:
        """Store the chunks of a document in place of those it had."""
        self.remove(data_source_id, uri)
        for chunk in chunks:
            self._last += 1
            self._chunks[self._last] = chunk
            self._vectors[self._last] = embed(chunk.embedded)
            self._words.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (self._last, fts_text(chunk.embedded)))
            self._rows.setdefault((data_source_id, uri), []).append(self._last)
        self._matrix = None

    def remove(self, data_source_id: str, uri: str) -> None:
        """Forget a document; nothing happens where it has no chunks."""
        for row in self._rows.pop((data_source_id, uri), []):
            chunk = self._chunks.pop(row)
            del self._vectors[row]
            self._words.execute(
                "INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)", (row, fts_text(chunk.embedded))
            )
        self._matrix = None

    def meanings(self, query: str) -> list[tuple[IndexedChunk, float]]:
        """Every chunk with its cosine to the query."""
        if self._matrix is None:
            rows = list(self._vectors)
            stacked = np.stack([self._vectors[row] for row in rows]) if rows else np.zeros((0, DIMENSIONS), np.float32)
            self._matrix = rows, stacked
        rows, stacked = self._matrix
        return [(self._chunks[row], float(cosine)) for row, cosine in zip(rows, stacked @ embed(query), strict=True)]

    def words(self, query: str) -> dict[str, float]:
        """The chunks that share a word with the query, by ID, with their share of the best BM25 score."""
        expression = match_expression(query)
        if not expression:
            return {}
        found = self._words.execute(
            "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?", (expression,)
        ).fetchall()
        best = max((score for _, score in found), default=0.0)
        return {self._chunks[row].chunk_id: score / best if best > 0 else 0.0 for row, score in found}
