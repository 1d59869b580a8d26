"""Figures of a search: MRR, hit rate, recall and latency.

Groups of questions belong to `grouping`, intervals and tests to `significance`.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rag_assets.evaluation.grouping import ALL, ResultGroup, compute_reciprocal_rank, group_results
from rag_assets.evaluation.model import QuestionResult, Score
from rag_assets.evaluation.significance import compute_bootstrap_interval


def is_hit_at(result: QuestionResult, k: int) -> bool:
    """Whether a passage of a right record is among the first `k`."""
    rank = result.first_correct_rank
    return rank is not None and rank <= k


def compute_recall(result: QuestionResult, k: int) -> float:
    """Share of the question's gold records that have a passage among the first `k`.

    Raises:
        ValueError: The question has no gold: there is nothing to recall.
    """
    gold = set(result.question.gold)
    if not gold:
        raise ValueError(f"question {result.question.question_id} has no gold records; recall is not defined")
    return len(gold & {hit.record_id for hit in result.hits[:k]}) / len(gold)


def compute_scores(results: Iterable[QuestionResult], chunk_counts: Mapping[str, Mapping[str, int]]) -> list[Score]:
    """The comparison table: one row a variant, mode, split and source that has questions; see `Score`.

    Unanswerable questions are left out: they have no right passage to rank.

    Args:
        results: Of any variants and modes.
        chunk_counts: Passages in the index by variant and source, as `LocalIndex.counts` gives them.
    """
    return [
        _compute_score(group, members, chunk_counts[group.variant]) for group, members in group_results(results).items()
    ]


def _compute_score(group: ResultGroup, results: Sequence[QuestionResult], chunks: Mapping[str, int]) -> Score:
    reciprocal_ranks = [compute_reciprocal_rank(result) for result in results]
    low, high = compute_bootstrap_interval(reciprocal_ranks)
    p50, p95 = np.percentile([result.latency_ms for result in results], (50, 95))
    return Score(
        variant=group.variant,
        mode=group.mode,
        split=group.split,
        source=group.source,
        questions=len(results),
        chunks=sum(chunks.values()) if group.source == ALL else chunks.get(group.source, 0),
        mrr=float(np.mean(reciprocal_ranks)),
        mrr_low=low,
        mrr_high=high,
        hit_at_8=float(np.mean([is_hit_at(result, 8) for result in results])),
        recall_at_5=float(np.mean([compute_recall(result, 5) for result in results])),
        recall_at_10=float(np.mean([compute_recall(result, 10) for result in results])),
        latency_p50_ms=float(p50),
        latency_p95_ms=float(p95),
    )
