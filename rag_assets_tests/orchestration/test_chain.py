"""The chain in one process: where it goes on after a failure, where it stops, and in whose words it tells."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_assets.definitions import build_defs
from rag_assets.orchestration.chain import (
    HomeInUseError,
    StageResult,
    hold_home,
    prepare_dagster_home,
    run_chain,
)
from rag_assets.orchestration.stages import Stage, plan_run
from rag_assets.settings import Settings
from rag_assets_tests.http_server import Answer, page, serving
from rag_assets_tests.small_site import Run, SmallSite, article_html

LOST = Answer(status=404, body=b"nothing here")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        small = SmallSite(server)
        for number in ("2502", "2594"):
            small.publish(number)
        yield small


@pytest.fixture
def run(site: SmallSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    # The chain points Dagster at the home folder; the variable is put back when the test ends.
    monkeypatch.setenv("DAGSTER_HOME", "")
    return Run(site.server.url, tmp_path / "home")


def run_all(run: Run, on_stage: Callable[[Stage], None] = lambda _: None) -> list[StageResult]:
    return run_chain(run.settings, build_defs(run.settings), on_stage)


def failures(results: list[StageResult]) -> list[list[str]]:
    return [sorted(result.failures) for result in results]


def test_the_stages_of_a_run_without_questions_search_nothing(run: Run) -> None:
    names = [asset for stage in plan_run(run.settings) for asset in stage.assets]
    assert "retrieval_report" in names
    assert not {"search_index", "retrieval_results"} & set(names)


def test_the_stages_of_the_sample_search() -> None:
    assert "search_index" in plan_run(Settings())[-1].assets


TARGET = {"bucket": "a-bucket", "knowledge_base_id": "KB12345678", "data_source_id": "DS12345678"}
RAW_ONLY = {"variants": "raw", "target": {"raw": TARGET}}
IN_S3 = {"variants": "raw,prepared_900", "target": {"raw": {"bucket": "a-bucket"}}}


@pytest.mark.parametrize(
    ("settings", "titles"),
    [
        ({}, []),
        ({"variants": "prepared_900", "target": {"raw": TARGET}}, []),
        (RAW_ONLY, ["Sync with S3", "Ingest"]),
        ({**RAW_ONLY, "variants": "raw,prepared_900"}, ["Sync with S3", "Ingest"]),
        (IN_S3, ["Sync with S3"]),
        ({**RAW_ONLY, "sync": "dry-run"}, ["Sync with S3"]),
        ({**RAW_ONLY, "sync": "off"}, []),
    ],
)
def test_aws_has_stages_where_a_variant_of_the_run_goes_there(settings: dict[str, Any], titles: list[str]) -> None:
    found = [stage.title for stage in plan_run(Settings.model_validate(settings))]
    assert found[2:-2] == ["Prepare corpora", *titles]


def test_what_cannot_be_uploaded_or_ingested_holds_up_the_evaluation_only_where_it_is_asked_there() -> None:
    def going_on(**settings: Any) -> dict[str, bool]:
        found = plan_run(Settings.model_validate(RAW_ONLY | settings))
        return {asset: stage.keeps_good and not stage.is_needed for stage in found for asset in stage.assets}

    of_index, of_service = going_on(), going_on(search_in="knowledge_base")
    assert (of_index["s3_objects"], of_index["knowledge_base_ingestion"]) == (True, True)
    # Other variants are ingested all the same; the one that was not uploaded fails there too.
    assert (of_service["s3_objects"], of_service["knowledge_base_ingestion"]) == (True, False)
    assert "search_index" in of_index
    assert "search_index" not in of_service


def test_two_runs_do_not_share_a_home(run: Run) -> None:
    prepare_dagster_home(run.home.dagster)
    with hold_home(run.home), pytest.raises(HomeInUseError, match="another run is at work in"):
        run_all(run)
    assert failures(run_all(run)) == [[], [], [], [], []]


def test_every_stage_is_announced_before_it_runs(run: Run) -> None:
    announced: list[str] = []
    results = run_all(run, lambda stage: announced.append(stage.title))
    assert announced == [stage.title for stage in plan_run(run.settings)] == [result.stage.title for result in results]
    assert failures(results) == [[], [], [], [], []]


def test_an_article_that_fails_keeps_the_others_going_to_the_end(site: SmallSite, run: Run) -> None:
    site.answer("2594", LOST)
    assert failures(run_all(run)) == [["tax_answer_pages"], [], [], [], []]
    assert sorted(run.files("raw")) == ["tax_answer/2502.txt", "tax_answer/2502.txt.metadata.json"]


def test_a_page_not_understood_keeps_the_others_going_to_the_end(site: SmallSite, run: Run) -> None:
    site.answer("2594", page(article_html("2594").replace("bodyArea", "body")))
    assert failures(run_all(run)) == [[], ["tax_answer_records"], [], [], []]
    assert sorted(run.files("raw")) == ["tax_answer/2502.txt", "tax_answer/2502.txt.metadata.json"]


def test_nothing_fetched_stops_the_chain(site: SmallSite, run: Run) -> None:
    for number in ("2502", "2594"):
        site.answer(number, LOST)
    assert failures(run_all(run)) == [["tax_answer_pages"]]


def test_a_site_that_is_down_goes_on_with_what_was_fetched_before(site: SmallSite, run: Run) -> None:
    run_all(run)
    site.server.on("/taxes/shiraberu/taxanswer/code/index.htm", LOST)
    assert failures(run_all(run)) == [["tax_answer_pages"], [], [], [], []]
    assert sorted(run.kept()) == ["2502", "2594"]


def test_an_exception_is_told_in_its_own_words(site: SmallSite, run: Run) -> None:
    site.server.on("/taxes/shiraberu/taxanswer/code/index.htm", LOST)
    (result,) = run_all(run)
    assert result.failures == {
        "tax_answer_pages": f"{site.server.url}/taxes/shiraberu/taxanswer/code/index.htm: "
        "there is no such page (HTTP 404)"
    }


def test_the_message_of_an_exception_with_a_cause_is_its_own(run: Run) -> None:
    run.refresh()
    run.corpora()
    chunks = run.home.chunks("raw")
    chunks.write_text("{}\n")
    told = run.stage("corpus_files").failures["corpus_files"]
    assert told.startswith(f"{chunks}:1: chunk_id: ")
    assert told.endswith("materialize chunks again")


def test_dagster_is_told_to_keep_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    prepare_dagster_home(tmp_path / "dagster")
    assert os.environ["DAGSTER_HOME"] == str(tmp_path / "dagster")
    assert "telemetry:\n  enabled: false" in (tmp_path / "dagster" / "dagster.yaml").read_text()


def test_a_dagster_configuration_that_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    (tmp_path / "dagster.yaml").write_text("# mine\n")
    prepare_dagster_home(tmp_path)
    assert (tmp_path / "dagster.yaml").read_text() == "# mine\n"
