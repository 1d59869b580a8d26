import csv
import io

import pytest

from rag_assets.evaluation.metrics import compute_scores
from rag_assets.evaluation.model import Comparison
from rag_assets.evaluation.significance import compare_variants
from rag_assets.evaluation.tables import make_comparison_table, make_hit_table, make_score_table, to_csv
from rag_assets_tests.evaluation.results import question, result, result_at


def test_retrieval_csv() -> None:
    results = [
        result(question("a"), ["s/9", "s/9", "s/1"], latency_ms=1.23456),
        result(question("u", gold=(), split="unanswerable"), ["s/9"], latency_ms=9),
    ]
    assert make_score_table(compute_scores(results, {"raw": {"s": 7}})).to_csv(index=False).splitlines() == [
        "variant,mode,split,source,questions,chunks,mrr,hit_at_8,recall_at_5,recall_at_10,latency_p50_ms,latency_p95_ms",
        "raw,hybrid,tune,s,1,7,0.3333,1.0,1.0,1.0,1.23,1.23",
        "raw,hybrid,tune,all,1,7,0.3333,1.0,1.0,1.0,1.23,1.23",
        "raw,hybrid,all,s,1,7,0.3333,1.0,1.0,1.0,1.23,1.23",
        "raw,hybrid,all,all,1,7,0.3333,1.0,1.0,1.0,1.23,1.23",
    ]


def test_retrieval_hits_csv() -> None:
    results = [result(question("a"), ["s/9", "s/1"]), result(question("b"), [])]
    assert make_hit_table(results).to_csv(index=False).splitlines() == [
        "question,variant,mode,rank,record,chunk",
        "a,raw,hybrid,1,s/9,s/9/1",
        "a,raw,hybrid,2,s/1,s/1/2",
    ]


def test_comparisons() -> None:
    results = [result_at(question("a"), 3), result_at(question("a"), 1, variant="new")]
    row = make_comparison_table(compare_variants(results)).iloc[-1]
    assert (row["variant"], row["difference"], row["verdict"]) == ("new", 0.6667, "noise")


def test_tables_of_nothing_have_their_columns() -> None:
    assert list(make_score_table([]).columns)[:2] == ["variant", "mode"]
    assert list(make_hit_table([]).columns) == ["question", "variant", "mode", "rank", "record", "chunk"]
    assert list(make_comparison_table([]).columns) == list(Comparison.model_fields)
    assert to_csv(make_hit_table([])).decode().strip() == "question,variant,mode,rank,record,chunk"


@pytest.mark.parametrize("question_id", ['=HYPERLINK("http://example.com/","x")', "+1", "-1+1", "@SUM(A1)", "＝1+1"])
def test_no_cell_is_a_formula_for_a_spreadsheet(question_id: str) -> None:
    table = make_hit_table([result(question(question_id), ["s/9"])])
    [_, row] = csv.reader(io.StringIO(to_csv(table).decode()))
    assert row[0] == f"'{question_id}"


def test_a_negative_figure_stays_a_figure() -> None:
    results = [result_at(question("a"), 1), result_at(question("a"), 3, variant="new")]
    header, *rows = csv.reader(io.StringIO(to_csv(make_comparison_table(compare_variants(results))).decode()))
    assert {row[header.index("difference")] for row in rows} == {"-0.6667"}
