from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.corpus.passages import Passage
from rag_assets.evaluation.run import AskedVariant, evaluate, find_unmatched_filters
from rag_assets.retrieval.embedders import VectorCache
from rag_assets.retrieval.filters import Filter
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import write_index
from rag_assets_tests.evaluation.results import IN_INDEX, question
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder

TEXTS = ["食事の支給。半分以上の負担", "印紙税の過怠税", "印紙の貼り方", "贈与税の申告"]


@pytest.fixture
def asked_of(tmp_path: Path) -> Iterator[dict[str, AskedVariant]]:
    embedder = CountingEmbedder()
    passages = [
        Passage(passage_id=f"p{number}", chunk_id=f"s/{number}/c", record_id=f"s/{number}", source="s", text=text)
        for number, text in enumerate(TEXTS)
    ]
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        for variant in ("raw", "new"):
            write_index(tmp_path / variant, passages, embedder, cache)
    with LocalIndex.open(tmp_path / "raw", embedder) as raw, LocalIndex.open(tmp_path / "new", embedder) as new:
        yield {
            name: AskedVariant(
                index, IN_INDEX.model_copy(update={"place": name}), {passage.chunk_id for passage in passages}
            )
            for name, index in (("raw", raw), ("new", new))
        }


def test_every_question_is_asked_of_every_variant_in_every_mode(asked_of: dict[str, AskedVariant]) -> None:
    asked = [
        question("a", text="印紙税の過怠税は？", gold=("s/1", "s/2")),
        question("u", text="食事は？", gold=(), split="unanswerable"),
    ]
    results = evaluate(asked_of, asked)
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
        found.model_copy(
            update={"variant": "raw", "searched": ours.searched, "hits": ours.hits, "latency_ms": ours.latency_ms}
        )
        for found, ours in zip(results[6:], results[:6], strict=True)
    ]


def test_a_question_is_asked_of_the_passages_that_its_filter_lets_through(asked_of: dict[str, AskedVariant]) -> None:
    def only(key: str, *values: str) -> Filter:
        return Filter(key=key, operator="in", value=values)

    # Keys of a sidecar that the index holds apart from the attributes.
    asked = [
        question("record", text="印紙税", gold=("s/2",), only=only("record_id", "s/2", "s/3")),
        question("chunk", text="印紙税", gold=("s/1",), only=only("chunk_id", "s/2/c")),
        question("source", text="印紙税", only=only("source", "s")),
        question("words", text="印紙税", only=only("record_id", "s/0")),
        question("none", text="印紙税", only=only("source", "law")),
        question("free", text="あいう"),
    ]
    results = evaluate(asked_of, asked)
    found = {(one.variant, one.mode, one.question.question_id): [hit.record_id for hit in one.hits] for one in results}
    for variant in ("raw", "new"):
        assert found[variant, "hybrid", "record"] == ["s/2", "s/3"]
        assert found[variant, "dense", "chunk"] == ["s/2"]
        assert len(found[variant, "dense", "source"]) == len(TEXTS)
        assert (found[variant, "bm25", "words"], found[variant, "dense", "words"]) == ([], ["s/0"])
        assert [found[variant, mode, "none"] for mode in ("bm25", "dense", "hybrid")] == [[], [], []]
    assert find_unmatched_filters(results) == [
        (variant, "none", Filter(key="source", operator="in", value=("law",))) for variant in ("raw", "new")
    ]


def test_ranks_below_the_depth_are_not_looked_at(asked_of: dict[str, AskedVariant]) -> None:
    asked = [question("a", text="印紙税の過怠税", gold=("s/2",))]
    deep, shallow = (evaluate(asked_of, asked, ["dense"], depth=depth)[0] for depth in (4, 1))
    assert (deep.first_correct_rank, shallow.first_correct_rank) == (3, None)


def test_the_clock_is_read_before_and_after_each_search_but_not_in_the_warm_up(
    asked_of: dict[str, AskedVariant],
) -> None:
    readings = iter([0.0, 0.010, 1.0, 1.002])
    results = evaluate({"raw": asked_of["raw"]}, [question("a"), question("b")], ["bm25"], clock=lambda: next(readings))
    assert [found.latency_ms for found in results] == pytest.approx([10, 2])
    assert next(readings, None) is None


def test_progress_ends_with_all(asked_of: dict[str, AskedVariant]) -> None:
    told: list[tuple[int, int]] = []
    evaluate(asked_of, [question("a")], ["bm25", "dense"], progress=lambda *counts: told.append(counts))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_no_questions_have_no_results(asked_of: dict[str, AskedVariant]) -> None:
    assert evaluate(asked_of, []) == []


def test_results_say_what_answered_and_what_they_found_of_another_corpus(asked_of: dict[str, AskedVariant]) -> None:
    asked_of["new"] = asked_of["new"]._replace(chunk_ids={"s/0/c", "s/2/c"})
    results = evaluate(asked_of, [question("a", text="印紙税")], ["dense"])
    assert [(found.variant, found.searched) for found in results] == [
        (variant, asked.searched) for variant, asked in asked_of.items()
    ]
    strangers = {found.variant: {hit.chunk_id for hit in found.hits if not hit.in_corpus} for found in results}
    assert strangers == {"raw": set(), "new": {"s/1/c", "s/3/c"}}
