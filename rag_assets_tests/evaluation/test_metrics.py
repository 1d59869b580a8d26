import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.evaluation.grouping import compute_reciprocal_rank
from rag_assets.evaluation.metrics import compute_recall, compute_scores, is_hit_at
from rag_assets_tests.evaluation.results import question, result, result_at

TWO = question("q", gold=("s/1", "s/2"))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["s/1"], 1.0),
        (["s/9", "s/9", "s/2", "s/1"], 1 / 3),
        (["s/9"], 0.0),
        ([], 0.0),
    ],
)
def test_the_reciprocal_rank_is_that_of_the_first_right_passage(found: list[str], expected: float) -> None:
    assert compute_reciprocal_rank(result(TWO, found)) == expected


def test_a_hit_counts_up_to_its_rank() -> None:
    found = result_at(question("q"), 8)
    assert is_hit_at(found, 8)
    assert not is_hit_at(found, 7)
    assert not is_hit_at(result_at(question("q"), None), 100)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.5), (2, 0.5), (3, 1.0), (10, 1.0)])
def test_recall_counts_records_not_passages(k: int, expected: float) -> None:
    assert compute_recall(result(TWO, ["s/1", "s/1", "s/2"]), k) == expected


def test_recall_of_no_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="question u has no gold"):
        compute_recall(result(question("u", gold=(), split="unanswerable"), ["s/1"]), 5)


@given(st.lists(st.sampled_from(["s/1", "s/2", "s/3"]), max_size=12), st.integers(1, 11))
def test_figures_lie_between_none_and_all_and_grow_with_k(found: list[str], k: int) -> None:
    answered = result(TWO, found)
    assert 0 <= compute_recall(answered, k) <= compute_recall(answered, k + 1) <= 1
    assert is_hit_at(answered, k) == (compute_recall(answered, k) > 0) == (compute_reciprocal_rank(answered) >= 1 / k)


def test_one_row_a_variant_mode_split_and_source() -> None:
    questions = [
        question("a"),
        question("b", split="holdout"),
        question("c", split="holdout", source="t", gold=("t/1",)),
        question("u", split="unanswerable", gold=()),
    ]
    ranks = {"a": 1, "b": 4, "c": None, "u": None}
    results = [
        result(asked, ["s/1"]) if asked.question_id == "u" else result_at(asked, ranks[asked.question_id], variant=v)
        for v in ("raw", "prepared")
        for asked in questions
        if v == "raw" or asked.question_id != "u"
    ]
    rows = compute_scores(results, {"raw": {"s": 10, "t": 5}, "prepared": {"s": 4}})
    assert [(row.variant, row.split, row.source, row.questions, row.chunks, row.mrr) for row in rows] == [
        ("raw", "tune", "s", 1, 10, 1.0),
        ("raw", "tune", "all", 1, 15, 1.0),
        ("raw", "holdout", "s", 1, 10, 0.25),
        ("raw", "holdout", "t", 1, 5, 0.0),
        ("raw", "holdout", "all", 2, 15, 0.125),
        ("raw", "all", "s", 2, 10, 0.625),
        ("raw", "all", "t", 1, 5, 0.0),
        ("raw", "all", "all", 3, 15, pytest.approx(1.25 / 3)),
        ("prepared", "tune", "s", 1, 4, 1.0),
        ("prepared", "tune", "all", 1, 4, 1.0),
        ("prepared", "holdout", "s", 1, 4, 0.25),
        ("prepared", "holdout", "t", 1, 0, 0.0),
        ("prepared", "holdout", "all", 2, 4, 0.125),
        ("prepared", "all", "s", 2, 4, 0.625),
        ("prepared", "all", "t", 1, 0, 0.0),
        ("prepared", "all", "all", 3, 4, pytest.approx(1.25 / 3)),
    ]
    whole = rows[7]
    assert [whole.hit_at_8, whole.recall_at_5] == pytest.approx([2 / 3, 2 / 3])
    assert whole.mrr_low <= whole.mrr <= whole.mrr_high


def test_latencies_are_percentiles() -> None:
    results = [result(question(str(number)), [], latency_ms=number) for number in range(101)]
    row = compute_scores(results, {"raw": {"s": 1}})[0]
    assert (row.latency_p50_ms, row.latency_p95_ms) == (50, 95)


def test_a_question_answered_twice_is_refused() -> None:
    twice = [result_at(question("a"), 1), result_at(question("a"), 2)]
    with pytest.raises(ValueError, match="question a was answered twice by raw in mode hybrid"):
        compute_scores(twice, {"raw": {"s": 1}})


def test_no_results_have_no_scores() -> None:
    assert compute_scores([], {}) == []
