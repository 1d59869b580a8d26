from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.evaluation.run import evaluate
from rag_assets.passages import Passage
from rag_assets.retrieval.embedders import VectorCache
from rag_assets.retrieval.index import LocalIndex, write_index
from rag_assets_tests.evaluation.results import question
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder

TEXTS = ["食事の支給。半分以上の負担", "印紙税の過怠税", "印紙の貼り方", "贈与税の申告"]


@pytest.fixture
def index_of(tmp_path: Path) -> Iterator[dict[str, LocalIndex]]:
    embedder = CountingEmbedder()
    passages = [
        Passage(passage_id=f"p{number}", chunk_id=f"s/{number}/c", record_id=f"s/{number}", source="s", text=text)
        for number, text in enumerate(TEXTS)
    ]
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        for variant in ("raw", "new"):
            write_index(tmp_path / variant, passages, embedder, cache)
    with LocalIndex.open(tmp_path / "raw", embedder) as raw, LocalIndex.open(tmp_path / "new", embedder) as new:
        yield {"raw": raw, "new": new}


def test_every_question_is_asked_of_every_variant_in_every_mode(index_of: dict[str, LocalIndex]) -> None:
    asked = [
        question("a", text="印紙税の過怠税は？", gold=("s/1", "s/2")),
        question("u", text="食事は？", gold=(), split="unanswerable"),
    ]
    results = evaluate(index_of, asked)
    assert [(found.variant, found.mode, found.question.question_id) for found in results] == [
        (variant, mode, name) for variant in ("raw", "new") for mode in ("bm25", "dense", "hybrid") for name in "au"
    ]
    first = results[0]
    assert [(hit.rank, hit.record_id, hit.chunk_id, hit.correct, hit.text) for hit in first.hits[:2]] == [
        (1, "s/1", "s/1/c", True, TEXTS[1]),
        (2, "s/2", "s/2/c", True, TEXTS[2]),
    ]
    assert not any(hit.correct for found in results if found.question.question_id == "u" for hit in found.hits)
    assert results[:6] == [
        found.model_copy(update={"variant": "raw", "hits": ours.hits, "latency_ms": ours.latency_ms})
        for found, ours in zip(results[6:], results[:6], strict=True)
    ]


def test_ranks_below_the_depth_are_not_looked_at(index_of: dict[str, LocalIndex]) -> None:
    asked = [question("a", text="印紙税の過怠税", gold=("s/2",))]
    deep, shallow = (evaluate(index_of, asked, ["dense"], depth=depth)[0] for depth in (4, 1))
    assert (deep.first_correct_rank, shallow.first_correct_rank) == (3, None)


def test_the_clock_is_read_before_and_after_each_search_but_not_in_the_warm_up(index_of: dict[str, LocalIndex]) -> None:
    readings = iter([0.0, 0.010, 1.0, 1.002])
    results = evaluate({"raw": index_of["raw"]}, [question("a"), question("b")], ["bm25"], clock=lambda: next(readings))
    assert [found.latency_ms for found in results] == pytest.approx([10, 2])
    assert next(readings, None) is None


def test_progress_ends_with_all(index_of: dict[str, LocalIndex]) -> None:
    told: list[tuple[int, int]] = []
    evaluate(index_of, [question("a")], ["bm25", "dense"], progress=lambda *counts: told.append(counts))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_no_questions_have_no_results(index_of: dict[str, LocalIndex]) -> None:
    assert evaluate(index_of, []) == []
