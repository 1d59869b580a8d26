"""Questions, results and the report as assets, on two articles and on none too many questions."""

import csv
from pathlib import Path

import pytest

from rag_assets.chain import stages
from rag_assets_tests.small_site import Run, folder_site

QUESTIONS = "id,question,gold,split\nq1,記事2594の取扱いは？,2594,tune\nq2,火星の税金は？,,unanswerable\n"


def evaluated(tmp_path: Path, questions: str, **settings: str) -> Run:
    """A site of two articles up to its corpora, with a question set."""
    file = tmp_path / "questions.csv"
    file.write_text(questions)
    site = folder_site(tmp_path / "site", "2502", "2594")
    run = Run(str(site), tmp_path / "home", questions=str(file) if questions else "", **settings)
    run.refresh()
    assert run.corpora() == {}
    return run


def evaluate(run: Run) -> dict[str, str]:
    check, evaluate = stages(run.settings)[-2:]
    return run.stage(*check.assets).failures | run.stage(*evaluate.assets).failures


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_variants_that_do_not_include_raw_are_scored_without_a_comparison(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS, variants="prepared_400")
    assert evaluate(run) == {}
    scored = rows(run.home.reports / "retrieval.csv")
    assert {row["variant"] for row in scored} == {"prepared_400"}
    assert {row["mode"] for row in scored} == {"bm25", "dense", "hybrid"}
    assert rows(run.home.reports / "comparisons.csv") == []
    hits = rows(run.home.reports / "retrieval_hits.csv")
    assert {row["question"] for row in hits} == {"q1", "q2"}
    assert {row["record"] for row in hits} == {"tax_answer/2502", "tax_answer/2594"}


def test_a_withdrawn_article_is_found_no_more(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS.replace(",2594,tune", ",2502,tune"), variants="prepared_400")
    evaluate(run)
    folder_site(tmp_path / "site", "2502")
    run.refresh()
    assert run.corpora() == {}
    assert evaluate(run) == {}
    hits = rows(run.home.reports / "retrieval_hits.csv")
    assert hits
    assert {row["record"] for row in hits} == {"tax_answer/2502"}
    assert "2594の本文" not in (run.home.reports / "report.html").read_text()


def test_a_gold_article_that_is_withdrawn_leaves_its_question_out_and_no_more(tmp_path: Path) -> None:
    questions = QUESTIONS + "q3,記事2502の取扱いは？,2502,tune\n"
    run = evaluated(tmp_path, questions, variants="raw")
    folder_site(tmp_path / "site", "2502")
    run.refresh()
    assert run.corpora() == {}
    assert evaluate(run) == {}
    hits = rows(run.home.reports / "retrieval_hits.csv")
    assert {row["question"] for row in hits} == {"q2", "q3"}


def test_a_gold_number_that_is_no_record_is_named_with_file_and_line(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS.replace("2594,tune", "9999,tune"), variants="prepared_400")
    told = evaluate(run)["questions"]
    assert told.startswith(str(tmp_path / "questions.csv:2"))
    assert "9999" in told
    assert not (run.home.reports / "report.html").exists()


def test_without_a_question_set_the_report_tells_quality(tmp_path: Path) -> None:
    run = evaluated(tmp_path, "")
    assert evaluate(run) == {}
    assert [row["variant"] for row in rows(run.home.reports / "corpus_quality.csv") if row["source"] == "all"] == [
        "raw",
        "prepared_400",
    ]
    assert rows(run.home.reports / "retrieval.csv") == []
    assert not run.home.index("raw").exists()


@pytest.mark.parametrize("asset", ["search_index", "retrieval_results"])
def test_searching_before_preparing_is_refused_with_the_remedy(tmp_path: Path, asset: str) -> None:
    site = folder_site(tmp_path / "site", "2502")
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    run = Run(str(site), tmp_path / "home", questions=str(tmp_path / "questions.csv"))
    assert "materialize" in run.stage(asset).failures[asset]


def test_the_evaluation_job_with_no_question_set_makes_the_quality_report(tmp_path: Path) -> None:
    run = evaluated(tmp_path, "", variants="prepared_400")
    assert run.job("evaluate") == {}
    assert (run.home.reports / "report.html").exists()
