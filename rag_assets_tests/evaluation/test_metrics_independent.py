"""The same figures by an independent implementation: ir-measures, which hands them to trec_eval."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, Success

from rag_assets.evaluation.grouping import compute_reciprocal_rank
from rag_assets.evaluation.metrics import compute_recall, compute_scores, is_hit_at
from rag_assets.evaluation.model import QuestionResult
from rag_assets_tests.evaluation.results import question, result

RECORDS = [f"s/{number}" for number in range(9)]

answers = st.lists(
    st.tuples(
        st.lists(st.sampled_from(RECORDS), min_size=1, max_size=3, unique=True),
        st.lists(st.sampled_from(RECORDS), max_size=50),
    ),
    min_size=1,
    max_size=8,
)
"""For each question its gold and the records of the passages found, which repeat."""


def results_of(drawn: list[tuple[list[str], list[str]]]) -> list[QuestionResult]:
    return [result(question(f"q{at}", gold=tuple(gold)), found) for at, (gold, found) in enumerate(drawn)]


def judge_passages(one: QuestionResult, measure: ir_measures.Measure) -> float:
    """A figure where every passage is a document, and right if its record is."""
    qrels = [ir_measures.Qrel("q", f"p{hit.rank}", int(hit.correct)) for hit in one.hits]
    # A right passage that was not found: without any, the question would not count.
    qrels.append(ir_measures.Qrel("q", "not found", 1))
    run = [ir_measures.ScoredDoc("q", f"p{hit.rank}", -hit.rank) for hit in one.hits]
    return float(ir_measures.calc_aggregate([measure], qrels, run or [ir_measures.ScoredDoc("q", "none", 0)])[measure])


def judge_records(one: QuestionResult, k: int) -> float:
    """Recall where every record is a document, ranked by its best passage among the first k."""
    qrels = [ir_measures.Qrel("q", record_id, 1) for record_id in one.question.gold]
    best: dict[str, int] = {}
    for hit in one.hits[:k]:
        best.setdefault(hit.record_id, hit.rank)
    run = [ir_measures.ScoredDoc("q", record_id, -rank) for record_id, rank in best.items()]
    measure = R @ k
    return float(ir_measures.calc_aggregate([measure], qrels, run or [ir_measures.ScoredDoc("q", "none", 0)])[measure])


@settings(max_examples=100, deadline=None)
@given(answers)
def test_each_question_agrees(drawn: list[tuple[list[str], list[str]]]) -> None:
    for one in results_of(drawn):
        assert compute_reciprocal_rank(one) == pytest.approx(judge_passages(one, RR @ 50))
        assert is_hit_at(one, 8) == bool(judge_passages(one, Success @ 8))
        for k in (5, 10):
            assert compute_recall(one, k) == pytest.approx(judge_records(one, k))


@settings(max_examples=50, deadline=None)
@given(answers)
def test_the_table_is_the_mean_over_questions(drawn: list[tuple[list[str], list[str]]]) -> None:
    results = results_of(drawn)
    score = next(score for score in compute_scores(results, {results[0].variant: {"s": 9}}) if score.split == "all")
    assert score.mrr == pytest.approx(np.mean([judge_passages(one, RR @ 50) for one in results]))
    assert score.hit_at_8 == pytest.approx(np.mean([judge_passages(one, Success @ 8) for one in results]))
    assert score.recall_at_5 == pytest.approx(np.mean([judge_records(one, 5) for one in results]))
