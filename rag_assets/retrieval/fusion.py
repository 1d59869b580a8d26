"""Full-text scores and vector scores -> one score a passage."""

import numpy as np
from numpy.typing import NDArray

from rag_assets.retrieval.search_settings import SearchSettings

Scores = NDArray[np.float64]

_DIGITS = 9
"""Scores are rounded to these: the last digits depend on how the processor adds up, and ties should be ties."""


def fuse(bm25: Scores, dense: Scores, settings: SearchSettings) -> Scores:
    """One score a passage, higher is better.

    Args:
        bm25: Full-text score of every passage, 0 where it shares no token with the question.
        dense: Cosine of every passage with the question.
        settings: How they become one. A search of weight 0 has no say.

    Returns:
        The scores; minus infinity for passages that were not found, which is so where only full-text search counts.
    """
    found = bm25 > 0
    fused = np.zeros(len(bm25))
    for scores, ranked, weight in (
        (bm25, found, settings.bm25_weight),
        (dense, np.ones_like(found), 1 - settings.bm25_weight),
    ):
        if weight > 0:
            fused += weight * _bring_to_scale(scores, ranked, settings)
    if settings.bm25_weight == 1:
        fused[~found] = -np.inf
    return np.round(fused, _DIGITS)


def keep_found(bm25: Scores) -> Scores:
    """Full-text scores with minus infinity for passages that share no token with the question."""
    return np.where(bm25 > 0, bm25, -np.inf)


def rank_best(scores: Scores, k: int) -> list[int]:
    """Positions of the `k` best scores, best first, equal ones in their order; those of minus infinity are none."""
    return [int(at) for at in np.argsort(-scores, kind="stable")[:k] if scores[at] > -np.inf]


def _bring_to_scale(scores: Scores, ranked: NDArray[np.bool_], settings: SearchSettings) -> Scores:
    match settings.fusion:
        case "zscore":
            return standardize(scores)
        case "max":
            return _divide_by_largest(scores)
        case "rrf":
            return np.where(ranked, 1 / (settings.rrf_constant + _count_ranks(scores)), 0.0)


def standardize(scores: Scores) -> Scores:
    """How many standard deviations each score lies above the mean of all; zeros where all are alike."""
    if not len(scores) or np.ptp(scores) == 0:
        return np.zeros(len(scores))
    return np.asarray((scores - scores.mean()) / scores.std())


def _divide_by_largest(scores: Scores) -> Scores:
    largest = float(np.abs(scores).max(initial=0))
    return np.asarray(scores / largest) if largest else scores


def _count_ranks(scores: Scores) -> Scores:
    """Rank of every score, the best has 1; equal scores are ranked in their order."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks
