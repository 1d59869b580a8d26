"""Asks every question of every index, and times it.

What is computed from the answers belongs to `metrics`.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, get_args

from rag_assets.corpus.passages import Hit
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult, RankedHit
from rag_assets.model import Mode
from rag_assets.retrieval.filters import Condition

MODES: tuple[Mode, ...] = get_args(Mode)

DEPTH = 50
"""Ranks looked at. A right passage further down would add less than 0.02 to its question's reciprocal rank, and nobody
reads that many passages. It counts as not found, which keeps the tables small."""


class Searcher(Protocol):
    """Whatever answers a question with ranked passages: the embedded index, or a Knowledge Base."""

    def search(self, question: str, mode: Mode, k: int, *, filters: Sequence[Condition] = ()) -> Sequence[Hit]:
        """The `k` best of the passages that all filters let through, best first."""
        ...

    def modes(self) -> tuple[Mode, ...]:
        """The modes it can be searched in."""
        ...


class AskedVariant(NamedTuple):
    """A variant that is asked.

    Attributes:
        searcher: Answers.
        searched: Describes it for the results.
        chunk_ids: The variant's chunks, as they are prepared here.
    """

    searcher: Searcher
    searched: HowSearched
    chunk_ids: Collection[str]


def evaluate(
    asked: Mapping[str, AskedVariant],
    questions: Sequence[Question],
    modes: Sequence[Mode] = MODES,
    *,
    depth: int = DEPTH,
    clock: Callable[[], float] = time.perf_counter,
    progress: Callable[[int, int], None] | None = None,
) -> list[QuestionResult]:
    """Asks each question in each variant and mode.

    Ranks count passages, not records: several passages of one record each take a rank, as they each take a place
    among those given to a model. All passages compete, whatever source the question is about, unless its filter
    excludes them. A passage is right if its record is among the question's gold.

    The latency is that of the whole search of one question: cleaning, tokens, embedding (dense and hybrid), ranking,
    reading the hits. Each index and mode is searched once before anything is timed, so that loading the model is not
    counted.

    Args:
        asked: What answers, by variant.
        questions: Unanswerable ones too; their results are shown, not scored.
        modes: Search modes, in the order of the tables.
        depth: Most hits a question; a right passage below counts as not found.
        clock: Seconds, only ever growing.
        progress: Called with the number of searches done and in all.
    """
    if not questions:
        return []
    total, results = len(asked) * len(modes) * len(questions), []
    for variant, (index, searched, chunk_ids) in asked.items():
        for mode in modes:
            index.search(questions[0].text, mode, depth)
            for question in questions:
                filters = (question.filter,) if question.filter else ()
                start = clock()
                hits = index.search(question.text, mode, depth, filters=filters)
                latency_ms = (clock() - start) * 1000
                results.append(
                    QuestionResult(
                        question=question,
                        variant=variant,
                        searched=searched,
                        mode=mode,
                        hits=tuple(_rank_hit(hit, question, variant, mode, chunk_ids) for hit in hits),
                        latency_ms=latency_ms,
                    )
                )
                if progress:
                    progress(len(results), total)
    return results


def find_unmatched_filters(results: Sequence[QuestionResult]) -> list[tuple[str, str, Condition]]:
    """Filters that no passage of a variant fulfils: the variant, the question's ID, the filter.

    No mode finds anything then. A dense search ranks every passage, so that this is never a matter of missing words.
    """
    filtered = {(one.variant, one.question.question_id): one.question.filter for one in results if one.question.filter}
    found = {(one.variant, one.question.question_id) for one in results if one.hits}
    return [(*asked, condition) for asked, condition in filtered.items() if asked not in found]


def _rank_hit(hit: Hit, question: Question, variant: str, mode: Mode, chunk_ids: Collection[str]) -> RankedHit:
    passage = hit.passage
    return RankedHit(
        question_id=question.question_id,
        variant=variant,
        mode=mode,
        rank=hit.rank,
        record_id=passage.record_id,
        chunk_id=passage.chunk_id,
        score=hit.score,
        correct=passage.record_id in question.gold,
        in_corpus=passage.chunk_id in chunk_ids,
        text=passage.text,
        is_mixed=passage.is_mixed,
    )
