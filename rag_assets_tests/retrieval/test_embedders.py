import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.retrieval.embedders import UseEmbedder, VectorCache, unit
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder


def test_each_text_is_embedded_once_whatever_asks_for_it(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    with VectorCache(tmp_path / "folder/vectors.sqlite") as cache:
        first = cache.vectors(embedder, ["a", "b", "a"])
    with VectorCache(tmp_path / "folder/vectors.sqlite") as cache:
        second = cache.vectors(embedder, ["c", "a", "b"])
    assert embedder.asked == ["a", "b", "c"]
    assert np.array_equal(first, CountingEmbedder().embed(["a", "b", "a"]))
    assert np.array_equal(second, CountingEmbedder().embed(["c", "a", "b"]))


def test_vectors_of_one_embedder_are_not_those_of_another(tmp_path: Path) -> None:
    one, other = CountingEmbedder("one"), CountingEmbedder("other", dimension=8)
    with VectorCache(tmp_path / "v.sqlite") as cache:
        cache.vectors(one, ["a"])
        assert cache.vectors(other, ["a"]).shape == (1, 8)
    assert other.asked == ["a"]


def test_what_is_made_before_a_stop_is_kept(tmp_path: Path) -> None:
    class Stopping(CountingEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            if "e" in texts:
                raise KeyboardInterrupt
            return super().embed(texts)

    with VectorCache(tmp_path / "v.sqlite") as cache, pytest.raises(KeyboardInterrupt):
        cache.vectors(Stopping(), list("abcdef"), batch=2)
    resumed = CountingEmbedder()
    with VectorCache(tmp_path / "v.sqlite") as cache:
        cache.vectors(resumed, list("abcdef"), batch=2)
    assert resumed.asked == ["e", "f"]


def test_progress_counts_what_is_missing(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with VectorCache(tmp_path / "v.sqlite") as cache:
        cache.vectors(CountingEmbedder(), ["a"])
        cache.vectors(CountingEmbedder(), list("abcdef"), batch=2, progress=lambda *counts: told.append(counts))
    assert told == [(2, 5), (4, 5), (5, 5)]


def page_lost(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "something else": lambda path: path.write_bytes(b"garbage" * 1000),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "cut in a page": lambda path: path.write_bytes(path.read_bytes()[:-1000]),
    "a page lost": page_lost,
    "its head lost": lambda path: path.write_bytes(b"\0" * 100 + path.read_bytes()[100:]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_set_aside_and_begun_anew(tmp_path: Path, damage: str) -> None:
    path, texts, told = tmp_path / "v.sqlite", [str(number) for number in range(300)], list[str]()
    with VectorCache(path) as cache:
        wanted = cache.vectors(CountingEmbedder(), texts)
    DAMAGES[damage](path)
    damaged = path.read_bytes()
    for _ in range(2):
        with VectorCache(path, told.append) as cache:
            assert np.array_equal(cache.vectors(CountingEmbedder(), texts), wanted)
    assert len(told) == 1
    assert told[0].startswith(f"{path}: the cache of vectors is damaged (")
    assert f"it is now {path}.damaged, which may be deleted, and a new one is begun" in told[0]
    assert Path(f"{path}.damaged").read_bytes() == damaged


def test_a_cache_that_cannot_be_opened_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "v.sqlite").mkdir()
    with pytest.raises(sqlite3.OperationalError):
        VectorCache(tmp_path / "v.sqlite")
    assert [path.name for path in tmp_path.iterdir()] == ["v.sqlite"]


@pytest.mark.parametrize(
    "vector",
    [
        b"",
        b"\1",
        b"\0" * 64,
        b"\0" * 256,
        np.full(64, np.nan, dtype="<f4").tobytes(),
        np.array([1.0] * 63 + [np.inf], dtype="<f4").tobytes(),
    ],
    ids=["empty", "a byte", "short", "zeros", "NaN", "infinite"],
)
def test_a_cached_vector_that_is_none_is_made_again(tmp_path: Path, vector: bytes) -> None:
    path = tmp_path / "v.sqlite"
    with VectorCache(path) as cache:
        wanted = cache.vectors(CountingEmbedder(), ["a", "b"])
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE vectors SET vector = ?", (vector,))
    db.close()
    embedder = CountingEmbedder()
    with VectorCache(path) as cache:
        assert np.array_equal(cache.vectors(embedder, ["a", "b"]), wanted)
        assert np.array_equal(cache.vectors(embedder, ["a", "b"]), wanted)
    assert embedder.asked == ["a", "b"]


def test_no_texts_have_no_vectors(tmp_path: Path) -> None:
    with VectorCache(tmp_path / "v.sqlite") as cache:
        assert cache.vectors(CountingEmbedder(), []).shape == (0, 64)
    assert UseEmbedder().embed([]).shape == (0, 512)


@given(
    st.lists(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3), min_size=1)
)
@example([[0, 0, 8.35e-23]])
@example([[3e38, 3e38, -3e38], [1e-45, 0, 0], [0, 0, 0]])
def test_unit_vectors_have_length_one_or_none(rows: list[list[float]]) -> None:
    vectors = np.array(rows, dtype=np.float32)
    made = unit(vectors)
    assert made.dtype == np.float32
    expected = [1 if any(vector) else 0 for vector in vectors]
    assert np.linalg.norm(made, axis=1) == pytest.approx(expected, abs=1e-5)
    assert (np.sign(made) * np.sign(vectors) >= 0).all()


def test_the_bundled_encoder_tells_meanings_apart() -> None:
    embedder = UseEmbedder()
    texts = ["社員に出す食事は給料になりますか", "使用人に食事を支給したとき", "印紙を貼り忘れた契約書"]
    question, meal, stamp = embedder.embed(texts)
    assert np.allclose(np.linalg.norm([question, meal, stamp], axis=1), 1, atol=1e-5)
    assert question @ meal > question @ stamp + 0.1
    # One by one or together, a text has the same vector: what is cached does not depend on its batch.
    assert np.allclose(embedder.embed([texts[1]])[0], meal, atol=1e-4)
