"""Results to count over: questions answered with given ranks."""

from collections.abc import Collection, Sequence

from rag_assets.evaluation.model import HowSearched, Question, QuestionResult, RankedHit, Split
from rag_assets.model import Mode
from rag_assets.retrieval.filters import Condition

IN_INDEX = HowSearched(
    search_in="index", settings={"embedder": "use", "fusion": "zscore", "bm25_weight": "0.3"}, held="corpus"
)


def question(
    name: str,
    *,
    gold: Sequence[str] = ("s/1",),
    split: Split = "tune",
    source: str = "s",
    text: str = "問い",
    only: Condition | None = None,
) -> Question:
    return Question(question_id=name, text=text, source=source, gold=tuple(gold), split=split, filter=only)


def result(
    asked: Question,
    found: Sequence[str],
    *,
    variant: str = "raw",
    mode: Mode = "hybrid",
    latency_ms: float = 1.0,
    searched: HowSearched = IN_INDEX,
    strange: Collection[str] = (),
) -> QuestionResult:
    hits = tuple(
        RankedHit(
            question_id=asked.question_id,
            variant=variant,
            mode=mode,
            rank=rank,
            record_id=record_id,
            chunk_id=f"{record_id}/{rank}",
            score=1 / rank,
            correct=record_id in asked.gold,
            in_corpus=record_id not in strange,
            text="本文",
        )
        for rank, record_id in enumerate(found, start=1)
    )
    return QuestionResult(
        question=asked, variant=variant, searched=searched, mode=mode, hits=hits, latency_ms=latency_ms
    )


def result_at(asked: Question, rank: int | None, *, variant: str = "raw", mode: Mode = "hybrid") -> QuestionResult:
    """A result whose first right passage is at the rank, of ten; None where there is none."""
    found = [asked.gold[0] if place == rank else "s/wrong" for place in range(1, 11)]
    return result(asked, found, variant=variant, mode=mode)
