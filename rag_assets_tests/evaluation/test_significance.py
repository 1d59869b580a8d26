import itertools
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.evaluation.significance import compare_variants, compute_bootstrap_interval, compute_p_value
from rag_assets_tests.evaluation.results import question, result, result_at

figures = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=10)


@given(figures)
def test_the_interval_lies_within_the_values_and_is_the_same_every_time(values: list[float]) -> None:
    low, high = compute_bootstrap_interval(values, resamples=200)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert (low, high) == compute_bootstrap_interval(values, resamples=200)


def test_the_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.2, 400)
    low, high = compute_bootstrap_interval(values)
    error = values.std() / 20
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.002)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.002)


def test_an_interval_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        compute_bootstrap_interval([])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([1, 1, 1, 1, 1], 2 / 32),
        ([-1, -1, -1, -1, -1, 0, 0], 2 / 32),
        ([0.1, 0.1, -0.2], 1.0),
        ([1, 1, 1, -1], 10 / 16),
    ],
)
def test_few_differences_are_counted_exactly(differences: list[float], expected: float) -> None:
    assert compute_p_value(differences) == pytest.approx(expected)


@given(figures)
def test_the_exact_test_is_what_trying_all_signs_gives(differences: list[float]) -> None:
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    expected = np.mean([total >= abs(sum(differences)) - 1e-9 for total in sums])
    # Differences of less than the tolerance may fall on either side.
    lower = np.mean([total >= abs(sum(differences)) + 1e-9 for total in sums])
    assert lower <= compute_p_value(differences) <= expected


@given(figures)
def test_the_test_takes_no_side(differences: list[float]) -> None:
    assert compute_p_value(differences) == pytest.approx(compute_p_value([-value for value in differences]))


def test_many_differences_are_drawn_and_agree_with_theory() -> None:
    differences = np.random.default_rng(1).normal(0.1, 1.0, 100)
    z = differences.sum() / np.sqrt(np.sum(differences**2))
    assert compute_p_value(differences) == pytest.approx(2 * (1 - NormalDist().cdf(abs(z))), abs=0.02)
    assert 0 < compute_p_value(np.ones(100)) < 0.001


def test_a_variant_is_compared_question_by_question() -> None:
    asked = [question(str(number)) for number in range(8)]
    results = [
        *(result_at(one, 4) for one in asked),
        *(result_at(one, 1, variant="better") for one in asked),
        *(result_at(one, None, variant="worse") for one in asked),
        *(
            result_at(one, 1 if number == 0 else 5 if number == 1 else 4, variant="noise")
            for number, one in enumerate(asked)
        ),
    ]
    rows = {row.variant: row for row in compare_variants(results) if (row.split, row.source) == ("all", "all")}
    told = {
        name: (row.verdict, row.better, row.worse, row.questions, round(row.difference, 9))
        for name, row in rows.items()
    }
    assert told == {
        "better": ("better", 8, 0, 8, 0.75),
        "worse": ("worse", 0, 8, 8, -0.25),
        "noise": ("noise", 1, 1, 8, 0.0875),
    }
    assert rows["better"].p_value == pytest.approx(2 / 2**8)
    assert rows["noise"].low <= rows["noise"].difference <= rows["noise"].high


def test_modes_splits_and_sources_are_compared_apart() -> None:
    asked = [question("a"), question("b", split="holdout", source="t"), question("u", split="unanswerable", gold=())]
    results = [
        result(one, ["s/1"], variant=variant, mode=mode)
        for variant in ("raw", "new")
        for mode in ("bm25", "dense")
        for one in asked
    ]
    rows = compare_variants(results)
    assert [(row.mode, row.split, row.source, row.questions) for row in rows if row.mode == "bm25"] == [
        ("bm25", "tune", "s", 1),
        ("bm25", "tune", "all", 1),
        ("bm25", "holdout", "t", 1),
        ("bm25", "holdout", "all", 1),
        ("bm25", "all", "s", 1),
        ("bm25", "all", "t", 1),
        ("bm25", "all", "all", 2),
    ]
    assert len(rows) == 14


def test_other_questions_cannot_be_compared() -> None:
    results = [result_at(question("a"), 1), result_at(question("b"), 1, variant="new")]
    with pytest.raises(ValueError, match="new and raw were not asked the same questions in mode hybrid: a, b"):
        compare_variants(results)


def test_without_the_baseline_there_is_nothing_to_compare() -> None:
    assert compare_variants([result_at(question("a"), 1, variant="new")]) == []
