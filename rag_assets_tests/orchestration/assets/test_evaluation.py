"""Questions, results and the report as assets, on two articles and on none too many questions."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.definitions import build_defs
from rag_assets.evaluation.model import Question, QuestionResult
from rag_assets.model import Mode
from rag_assets.orchestration.chain import run_stage
from rag_assets.orchestration.partitions import tag_range
from rag_assets.orchestration.resources import Evaluation, resources_of
from rag_assets.orchestration.stages import plan_run
from rag_assets.store.lines import read_lines, write_lines
from rag_assets_tests.evaluation.results import question, result_at
from rag_assets_tests.small_site import Run, folder_site

VARIANTS = ("raw", "prepared_400")
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
    check, evaluate = plan_run(run.settings)[-2:]
    return run.stage(*check.assets).failures | run.stage(*evaluate.assets).failures


def check(run: Run, asset: str, name: str) -> tuple[bool, str, object]:
    """Whether a check has passed when its asset is made, the faults it names, and how much it has looked at."""
    with dg.DagsterInstance.ephemeral() as instance:
        result = (
            build_defs(run.settings)
            .resolve_implicit_global_asset_job_def()
            .execute_in_process(
                instance=instance,
                asset_selection=[dg.AssetKey(asset)],
                tags=tag_range(run.settings.variants if asset != "retrieval_report" else ()),
            )
        )
    (found,) = (each for each in result.get_asset_check_evaluations() if each.check_name == name)
    named = found.metadata.get("named")
    return found.passed, str(named.value) if named else "", found.metadata["looked at"].value


def made(run: Run, asset: str) -> tuple[str, set[str]]:
    """Why an asset has failed, and the variants that are on record as made."""
    with dg.DagsterInstance.ephemeral() as instance:
        whole = next(stage for stage in plan_run(run.settings) if asset in stage.assets)
        failures = run_stage(replace(whole, assets=(asset,)), build_defs(run.settings), instance).failures
        records = instance.fetch_materializations(dg.AssetKey(asset), limit=10).records
    partitions = {one.asset_materialization.partition for one in records if one.asset_materialization}
    return failures.get(asset, ""), {partition or "" for partition in partitions}


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


def test_a_filter_narrows_a_question_and_one_that_fits_nothing_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def only(number: str) -> str:
        return '"{""equals"": {""key"": ""number"", ""value"": ""' + number + '""}}"'

    questions = (
        "id,question,gold,split,filter\n"
        f"q1,記事2594の取扱いは？,2594,tune,{only('2502')}\n"
        f"q2,記事2594の取扱いは？,2594,tune,{only('9999')}\n"
        "q3,記事2594の取扱いは？,2594,tune,\n"
    )
    run = evaluated(tmp_path, questions)
    capsys.readouterr()
    assert evaluate(run) == {}
    found = {
        name: {row["record"] for row in rows(run.home.reports / "retrieval_hits.csv") if row["question"] == name}
        for name in ("q1", "q2", "q3")
    }
    assert found == {"q1": {"tax_answer/2502"}, "q2": set(), "q3": {"tax_answer/2502", "tax_answer/2594"}}
    told = [line for line in capsys.readouterr().err.splitlines() if "has found nothing" in line]
    assert len(told) == 2
    for line, variant in zip(told, ("raw", "prepared_400"), strict=True):
        assert f"{variant}: question q2 has found nothing" in line
        assert f"(number ＝ 9999). Look for number in the sidecars below corpus/{variant}" in line
    assert "絞り込み：number ＝ 9999" in (run.home.reports / "report.html").read_text()


def test_a_filter_is_held_against_the_attributes_that_there_are(tmp_path: Path) -> None:
    of_list = '"{""equals"": {""key"": ""tax_items"", ""value"": ""所得税""}}"'
    run = evaluated(tmp_path, f"id,question,gold,split,filter\nq1,食事は？,2594,tune,{of_list}\n")
    told = evaluate(run)["questions"]
    assert told.startswith(f"{tmp_path / 'questions.csv'}:2: filter: equals on tax_items: its values are lists")


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


# What is compared is the preparation, and nothing else.


def refusal(run: Run) -> list[str]:
    """What the report is refused for, a line each."""
    told = run.stage("retrieval_report").failures["retrieval_report"]
    return told.splitlines()


def with_settings(run: Run, **settings: object) -> Run:
    return Run(run.settings.tax_answer, run.home.root, **{"questions": run.settings.questions, **settings})


def test_one_partition_asked_with_other_settings_is_refused_until_all_are(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    assert evaluate(run) == {}
    before = (run.home.reports / "report.html").read_bytes()
    assert with_settings(run, variants="raw", bm25_weight="0.5").stage("retrieval_results").failures == {}
    assert refusal(run)[1:] == [
        "  raw: bm25_weight 0.5",
        "  prepared_400: bm25_weight 0.3",
        "Materialize retrieval_results for all of them (raw, prepared_400) with the settings that are wanted.",
    ]
    assert (run.home.reports / "report.html").read_bytes() == before
    assert with_settings(run, bm25_weight="0.5").stage("retrieval_results").failures == {}
    # Those of the results are told, whatever the settings say by now.
    assert run.stage("retrieval_report").failures == {}
    assert '<th scope="row">bm25_weight</th><td>0.5</td>' in (run.home.reports / "report.html").read_text()


def test_one_partition_asked_other_questions_is_refused_until_all_are(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    assert evaluate(run) == {}
    (tmp_path / "questions.csv").write_text(QUESTIONS.replace("の取扱いは？", "はどうなりますか？"))
    assert run.stage("questions").failures == {}
    assert refusal(run)[1:] == [
        "  raw: q1",
        "  prepared_400: q1",
        "Materialize retrieval_results for raw, prepared_400.",
    ]
    assert with_settings(run, variants="raw").stage("retrieval_results").failures == {}
    assert refusal(run)[1:] == ["  prepared_400: q1", "Materialize retrieval_results for prepared_400."]
    assert run.stage("retrieval_results").failures == {}
    assert run.stage("retrieval_report").failures == {}


def test_results_of_an_earlier_version_are_told_with_the_remedy(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    assert evaluate(run) == {}
    path = run.home.results("raw")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps({**line, 'searched': None})}\n" for line in lines))
    (told,) = refusal(run)
    assert told.startswith(f"{path}:1: searched: ")
    assert told.endswith("materialize retrieval_results again")


@pytest.mark.parametrize("mode", ["hybrid", "dense", "bm25"])
def test_a_preparation_that_is_worse_is_told_in_whatever_mode_was_searched(tmp_path: Path, mode: Mode) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    asked: list[Question] = [question(f"q{number}", source="tax_answer") for number in range(8)]
    write_lines(run.home.questions, asked)
    for variant, rank in (("raw", 1), ("prepared_400", 9)):
        write_lines(run.home.results(variant), [result_at(each, rank, variant=variant, mode=mode) for each in asked])
    passed, named, looked_at = check(run, "retrieval_report", "preparation_pays")
    assert (passed, looked_at) == (False, 1)
    assert named.startswith(f"- prepared_400: MRR ({mode}) -0.889")


def test_an_index_of_an_earlier_corpus_is_never_searched(tmp_path: Path) -> None:
    """Whether chunks came, went, or have another text under the same ID."""
    run = evaluated(tmp_path, QUESTIONS)
    assert evaluate(run) == {}
    assert check(run, "retrieval_results", "found_in_corpus")[:2] == (True, "")
    before = {variant: run.home.results(variant).read_bytes() for variant in VARIANTS}
    pages = tmp_path / "site/taxes/shiraberu/taxanswer/gensen"

    def rewrite() -> None:
        (pages / "2594.htm").write_text((pages / "2594.htm").read_text().replace("本文", "別の文章"))

    def replace_one() -> None:
        folder_site(tmp_path / "site", "2594", "2600")
        (pages / "2502.htm").unlink()

    for change in (rewrite, replace_one):
        change()
        run.refresh()
        assert run.corpora() == {}
        told, recorded = made(run, "retrieval_results")
        first, *lines = told.splitlines()
        assert (first, recorded) == ("2 variant(s) cannot be searched, and no question was asked:", set())
        for line, variant in zip(lines, VARIANTS, strict=True):
            assert line.startswith(f"  {variant}: {run.home.index(variant)}: it is not of the corpus as it is prepared")
            assert line.endswith("write it again (asset search_index)")
        assert {variant: run.home.results(variant).read_bytes() for variant in VARIANTS} == before
        assert run.stage("search_index").failures == {}
        assert made(run, "retrieval_results") == ("", set(VARIANTS))
        before = {variant: run.home.results(variant).read_bytes() for variant in VARIANTS}
    found = read_lines(run.home.results("raw"), QuestionResult, "retrieval_results")
    assert {hit.record_id for result in found for hit in result.hits} == {"tax_answer/2594", "tax_answer/2600"}
    assert {result.searched.held for result in found} == {"corpus"}


# What fails in one variant holds up no other, and what is made is on record.


@pytest.mark.parametrize("failing", VARIANTS)
def test_a_variant_that_cannot_be_indexed_loses_no_other(tmp_path: Path, failing: str) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    (other,) = {*VARIANTS} - {failing}
    chunks = run.home.chunks(failing).read_bytes()
    run.home.chunks(failing).unlink()
    told, recorded = made(run, "search_index")
    assert told.splitlines()[0] == "1 variant(s) could not be indexed (1 others could):"
    assert f"  {failing}: {run.home.chunks(failing)} does not exist yet: materialize chunks first" in told
    assert recorded == {other}
    assert (run.home.index(other).is_file(), run.home.index(failing).is_file()) == (True, False)
    run.home.chunks(failing).write_bytes(chunks)
    assert made(run, "search_index") == ("", set(VARIANTS))


@pytest.mark.parametrize("failing", VARIANTS)
def test_an_error_that_nobody_foresaw_loses_no_other_variant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], failing: str
) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    (other,) = {*VARIANTS} - {failing}
    run.home.index(failing).mkdir(parents=True)
    capsys.readouterr()
    told, recorded = made(run, "search_index")
    assert f"  {failing}: an error that was not foreseen, whose traceback is in the log; " in told
    assert "IsADirectoryError: " in told
    assert recorded == {other}
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("failing", VARIANTS)
def test_a_variant_that_cannot_be_asked_loses_no_other(tmp_path: Path, failing: str) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    (other,) = {*VARIANTS} - {failing}
    assert (run.stage("questions").failures, run.stage("search_index").failures) == ({}, {})
    run.home.results(failing).mkdir(parents=True)
    told, recorded = made(run, "retrieval_results")
    assert told.splitlines()[0] == "1 variant(s) could not be searched (1 others could):"
    assert f"  {failing}: {run.home.results(failing)} could not be written" in told
    assert recorded == {other}
    run.home.results(failing).rmdir()
    assert made(run, "retrieval_results") == ("", set(VARIANTS))


def test_what_is_searched_is_one_thing_whatever_the_launchpad_says_of_it(tmp_path: Path) -> None:
    """Asset and dependencies are made for the setting; a resource configured otherwise does not part them."""
    run = evaluated(tmp_path, QUESTIONS, variants="raw")
    assert (run.stage("questions").failures, run.stage("search_index").failures) == ({}, {})
    evaluation = resources_of(run.settings)["evaluation"]
    assert isinstance(evaluation, Evaluation)
    of_launchpad = evaluation.model_dump() | {"bm25_weight": 0.5}
    with dg.DagsterInstance.ephemeral() as instance:
        result = (
            build_defs(run.settings)
            .resolve_implicit_global_asset_job_def()
            .execute_in_process(
                instance=instance,
                asset_selection=[dg.AssetKey("retrieval_results")],
                tags=tag_range(("raw",)),
                run_config={"resources": {"evaluation": {"config": of_launchpad}}},
            )
        )
    assert result.success
    found = read_lines(run.home.results("raw"), QuestionResult, "retrieval_results")
    told = {(result.searched.search_in, result.searched.settings["bm25_weight"]) for result in found}
    assert told == {("index", "0.5")}


def test_asking_tells_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = "".join(f"q{number},記事2594の取扱いは？,2594,tune\n" for number in range(40))
    run = evaluated(tmp_path, f"id,question,gold,split\n{many}", variants="raw")
    capsys.readouterr()
    assert evaluate(run) == {}
    told = [line.rpartition("raw: ")[2] for line in capsys.readouterr().err.splitlines() if line.endswith("searches")]
    assert told == ["100/120 searches", "120/120 searches"]


def test_code_versions_follow_the_code_that_makes_each_asset(tmp_path: Path) -> None:
    run = Run(str(folder_site(tmp_path / "site", "2502")), tmp_path / "home")
    assets = ("questions", "search_index", "retrieval_results", "retrieval_report")
    specs = {spec.key.to_user_string(): spec for spec in build_defs(run.settings).resolve_all_asset_specs()}
    versions = {asset: specs[asset].code_version or "" for asset in assets}
    assert all(len(version) == 16 for version in versions.values())
    assert len(set(versions.values())) == len(assets)


def test_what_has_not_changed_is_not_searched_again(tmp_path: Path) -> None:
    run = evaluated(tmp_path, QUESTIONS)
    assert evaluate(run) == {}
    # Times of searches never come out alike.
    before = {name: run.home.results(name).read_bytes() for name in ("raw", "prepared_400")}
    assert evaluate(run) == {}
    assert {name: run.home.results(name).read_bytes() for name in before} == before
    assert evaluate(with_settings(run, bm25_weight="0.5")) == {}
    assert all(run.home.results(name).read_bytes() != content for name, content in before.items())
    (tmp_path / "questions.csv").write_text(QUESTIONS.replace("取扱い", "扱い"))
    assert evaluate(run) == {}
    found = read_lines(run.home.results("raw"), QuestionResult, "retrieval_results")
    assert {result.question.text for result in found} == {"記事2594の扱いは？", "火星の税金は？"}
