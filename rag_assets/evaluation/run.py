"""Asking every question of every index, and timing it.

Belongs here: the asking. What is counted over the answers lies in `metrics`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, get_args

from rag_assets.evaluation.model import Question, QuestionResult, RankedHit
from rag_assets.model import Mode
from rag_assets.passages import Hit

MODES: tuple[Mode, ...] = get_args(Mode)

DEPTH = 50
"""Ranks looked at. A right passage further down would add less than 0.02 to its question's reciprocal rank, and no one
reads or hands on that many passages; counting it as not found keeps the tables small."""


class Searcher(Protocol):
    """Whatever answers a question with ranked passages: the embedded index, or a Knowledge Base."""

    def search(self, question: str, mode: Mode, k: int) -> Sequence[Hit]:
        """The `k` best passages, best first."""
        ...


def evaluate(
    index_of: Mapping[str, Searcher],
    questions: Sequence[Question],
    modes: Sequence[Mode] = MODES,
    *,
    depth: int = DEPTH,
    clock: Callable[[], float] = time.perf_counter,
    progress: Callable[[int, int], None] | None = None,
) -> list[QuestionResult]:
    """What each variant's index finds for each question in each mode.

    Ranks count passages, not records: several passages of one record each take a rank, as they each take a place
    among those a model is handed. All passages of an index compete, whatever source the question is about. A passage
    is right if its record is among the question's gold.

    The latency is that of the whole search of one question: trimming it, finding its tokens, embedding it (dense and
    hybrid), ranking, reading the hits. Each index and mode is searched once before anything is timed, so that loading
    the model is not counted.

    Args:
        index_of: Opened indexes by variant.
        questions: Unanswerable ones too: what is found for them is shown, not scored.
        modes: Search modes, in the order of the tables.
        depth: Most hits a question; a right passage below counts as not found.
        clock: Seconds, only ever growing.
        progress: Told the number of searches done and to be done.
    """
    if not questions:
        return []
    total, results = len(index_of) * len(modes) * len(questions), []
    for variant, index in index_of.items():
        for mode in modes:
            index.search(questions[0].text, mode, depth)
            for question in questions:
                start = clock()
                hits = index.search(question.text, mode, depth)
                latency_ms = (clock() - start) * 1000
                ranked = tuple(_ranked(hit, question, variant, mode) for hit in hits)
                results.append(
                    QuestionResult(question=question, variant=variant, mode=mode, hits=ranked, latency_ms=latency_ms)
                )
                if progress:
                    progress(len(results), total)
    return results


def _ranked(hit: Hit, question: Question, variant: str, mode: Mode) -> RankedHit:
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
        text=passage.text,
    )
