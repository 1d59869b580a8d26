"""Bootstrap intervals and paired tests: which differences may be chance.

The figures themselves belong to `metrics`.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rag_assets.evaluation.grouping import ResultGroup, compute_reciprocal_rank, group_results
from rag_assets.evaluation.model import Comparison, QuestionResult

SEED = 20260401
"""One seed for all resampling: the same results give the same intervals and p-values in every run."""

RESAMPLES = 10_000
_EXACT_UP_TO = 16
_LEVEL = 0.95
_ALPHA = 0.05


def compute_bootstrap_interval(values: ArrayLike, *, resamples: int = RESAMPLES) -> tuple[float, float]:
    """95% percentile bootstrap interval of the mean of the values (Efron 1979).

    Args:
        values: One figure a question, at least one.
        resamples: Samples drawn with replacement, each as large as the values.

    Raises:
        ValueError: There are no values.
    """
    sample = np.asarray(values, dtype=np.float64)
    if not sample.size:
        raise ValueError("an interval of no values cannot be computed")
    drawn = np.random.default_rng(SEED).integers(sample.size, size=(resamples, sample.size))
    outside = (1 - _LEVEL) / 2
    low, high = np.quantile(sample[drawn].mean(axis=1), (outside, 1 - outside))
    return float(low), float(high)


def compute_p_value(differences: ArrayLike, *, resamples: int = 2 * RESAMPLES) -> float:
    """Two-sided p-value of a paired sign-flip permutation test (Fisher's randomisation test) on the mean difference.

    If the two variants are equally good, each difference is as likely to have the other sign. The p-value is the share
    of sign assignments whose mean is at least as far from 0 as the observed one. Up to 16 differences other than 0, all
    assignments are counted. Beyond that, `resamples` of them are drawn and the observed one is counted too (Phipson and
    Smyth 2010), so that the p-value is never 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if not values.size:
        return 1.0
    # The tolerance lets sums that are equal but for the order of adding count as equal.
    observed = abs(values.sum()) * (1 - 1e-12) - 1e-12
    if values.size <= _EXACT_UP_TO:
        return float(np.mean(np.abs(_list_sums(values)) >= observed))
    signs = np.random.default_rng(SEED).choice((-1.0, 1.0), size=(resamples, values.size))
    return float((1 + np.sum(np.abs(signs @ values) >= observed)) / (1 + resamples))


def is_noise(p_value: float) -> bool:
    """Whether a difference with such a p-value is no more than chance may bring."""
    return p_value >= _ALPHA


def _list_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums


def compare_variants(results: Iterable[QuestionResult], baseline: str | None = "raw") -> list[Comparison]:
    """Every variant against the baseline, by mode, split and source, over the same questions; in the order of `scores`.

    Unanswerable questions are left out. Where the results hold no baseline there is nothing to compare.

    Raises:
        ValueError: A variant and the baseline were not asked the same questions.
    """
    groups = group_results(results)
    if baseline is None or all(group.variant != baseline for group in groups):
        return []
    return [
        _compare_group(group, ours, groups.get(group._replace(variant=baseline), []), baseline)
        for group, ours in groups.items()
        if group.variant != baseline
    ]


def _compare_group(
    group: ResultGroup, ours: list[QuestionResult], theirs: list[QuestionResult], baseline: str
) -> Comparison:
    our_ranks = {result.question.question_id: compute_reciprocal_rank(result) for result in ours}
    their_ranks = {result.question.question_id: compute_reciprocal_rank(result) for result in theirs}
    if our_ranks.keys() != their_ranks.keys():
        unpaired = ", ".join(sorted(our_ranks.keys() ^ their_ranks.keys()))
        raise ValueError(
            f"{group.variant} and {baseline} were not asked the same questions in mode {group.mode}: {unpaired};"
            " evaluate both anew"
        )
    differences = np.array([our_ranks[question] - their_ranks[question] for question in our_ranks])
    low, high = compute_bootstrap_interval(differences)
    p_value = compute_p_value(differences)
    difference = float(differences.mean())
    return Comparison(
        variant=group.variant,
        baseline=baseline,
        mode=group.mode,
        split=group.split,
        source=group.source,
        questions=len(differences),
        difference=difference,
        low=low,
        high=high,
        p_value=p_value,
        better=int(np.sum(differences > 0)),
        worse=int(np.sum(differences < 0)),
        verdict="noise" if is_noise(p_value) else "better" if difference > 0 else "worse",
    )
