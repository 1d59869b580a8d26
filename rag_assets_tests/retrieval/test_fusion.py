"""Two searches become one ranking."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_assets.retrieval.fusion import Scores, fuse
from rag_assets.retrieval.search_settings import Fusion, SearchSettings

FUSIONS: tuple[Fusion, ...] = ("zscore", "max", "rrf")

two_searches = st.lists(
    st.tuples(st.integers(0, 4000).map(lambda score: score / 100), st.integers(-99, 99).map(lambda score: score / 100)),
    max_size=30,
)


def scores_of(values: Sequence[float]) -> Scores:
    return np.array(values, dtype=np.float64)


def test_z_scores_are_added_up() -> None:
    fused = fuse(scores_of([4, 0, 2]), scores_of([0.1, 0.5, 0.3]), SearchSettings(bm25_weight=0.25))
    deviation = 1.5**0.5
    assert fused == pytest.approx([0.25 * deviation - 0.75 * deviation, -0.25 * deviation + 0.75 * deviation, 0])


def test_shares_of_the_best_are_added_up() -> None:
    fused = fuse(scores_of([4, 0, 2]), scores_of([-0.1, 0.5, 0.25]), SearchSettings(fusion="max", bm25_weight=0.25))
    assert fused == pytest.approx([0.25 - 0.75 * 0.2, 0.75, 0.25 * 0.5 + 0.75 * 0.5])


def test_reciprocal_ranks_are_added_up() -> None:
    settings = SearchSettings(fusion="rrf", bm25_weight=0.4, rrf_constant=10)
    fused = fuse(scores_of([0, 9, 1]), scores_of([0.7, 0.1, -0.3]), settings)
    assert fused == pytest.approx([0.6 / 11, 0.4 / 11 + 0.6 / 12, 0.4 / 12 + 0.6 / 13])


@given(two_searches, st.sampled_from(FUSIONS), st.floats(0, 1))
def test_what_both_put_ahead_stays_ahead(found: list[tuple[float, float]], fusion: Fusion, weight: float) -> None:
    bm25, dense = (scores_of([pair[at] for pair in found]) for at in (0, 1))
    fused = fuse(bm25, dense, SearchSettings(fusion=fusion, bm25_weight=weight))
    assert len(fused) == len(found)
    for ahead, behind in np.argwhere((bm25[:, None] > bm25) & (dense[:, None] > dense)):
        assert fused[ahead] >= fused[behind]


@given(two_searches.filter(bool), st.sampled_from(FUSIONS))
def test_a_weight_of_zero_or_one_leaves_one_ranking(found: list[tuple[float, float]], fusion: Fusion) -> None:
    bm25, dense = (scores_of([pair[at] for pair in found]) for at in (0, 1))
    by_words = fuse(bm25, dense, SearchSettings(fusion=fusion, bm25_weight=1))
    by_meaning = fuse(bm25, dense, SearchSettings(fusion=fusion, bm25_weight=0))
    assert np.array_equal(by_words > -np.inf, bm25 > 0)
    assert np.array_equal(np.argsort(-by_words, kind="stable")[: sum(bm25 > 0)], _rank(bm25)[: sum(bm25 > 0)])
    assert np.array_equal(np.argsort(-by_meaning, kind="stable"), _rank(dense))


def _rank(scores: Scores) -> Scores:
    return np.argsort(-scores, kind="stable").astype(np.float64)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_a_question_without_any_known_word_is_ranked_by_meaning(fusion: Fusion) -> None:
    fused = fuse(np.zeros(3), scores_of([0.1, 0.3, 0.2]), SearchSettings(fusion=fusion))
    assert np.argsort(-fused).tolist() == [1, 2, 0]


@pytest.mark.parametrize("fusion", FUSIONS)
def test_scores_that_are_all_alike_decide_nothing(fusion: Fusion) -> None:
    fused = fuse(scores_of([0.1] * 3), scores_of([0.1, 0.3, 0.2]), SearchSettings(fusion=fusion, bm25_weight=0.1))
    assert np.argmax(fused) == 1
    assert np.isfinite(fuse(scores_of([0.1] * 3), scores_of([0.7] * 3), SearchSettings(fusion=fusion))).all()


@pytest.mark.parametrize("fusion", FUSIONS)
def test_nothing_is_fused_to_nothing(fusion: Fusion) -> None:
    assert fuse(np.zeros(0), np.zeros(0), SearchSettings(fusion=fusion)).tolist() == []


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_is_a_share(weight: float) -> None:
    with pytest.raises(ValidationError, match="bm25_weight"):
        SearchSettings(bm25_weight=weight)
