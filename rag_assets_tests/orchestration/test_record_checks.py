"""Checks over records: a run over a part turns none of the rest green; a page that cannot be read fails none."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.definitions import build_defs
from rag_assets.orchestration.partitions import tag_range
from rag_assets.orchestration.record_checks import DATED, READ, TITLED
from rag_assets_tests.http_server import page, serving
from rag_assets_tests.small_site import Run, SmallSite, article_html

UNDATED = article_html("2503").replace("<p>[令和7年4月1日現在法令等]</p>", "")
UNREADABLE = article_html("2503").replace("h1>", "b>")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        small = SmallSite(server)
        for number in ("2502", "2503"):
            small.publish(number)
        small.publish("8010", category="saigai")
        yield small


@pytest.fixture
def run(site: SmallSite, tmp_path: Path) -> Run:
    return Run(site.server.url, tmp_path / "home")


def evaluated(
    run: Run, asset: str, *, categories: tuple[str, ...] = (), documents: tuple[str, ...] = ()
) -> dict[str, tuple[bool, int, str]]:
    """Materialize an asset; of each check whether it passed, how many faults it has, and which it names."""
    config = {asset: {"config": {"documents": list(documents)}}} if documents else {}
    with dg.DagsterInstance.ephemeral() as instance:
        job = build_defs(run.settings).resolve_implicit_global_asset_job_def()
        done = job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(asset)],
            tags=tag_range(categories),
            run_config={"ops": config},
            raise_on_error=False,
        )
        keys = [dg.AssetCheckKey(dg.AssetKey(asset), name) for name in (TITLED, DATED, READ)]
        latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(keys)
        assert {record.status.value for record in latest.values()} <= {"SUCCEEDED", "FAILED"}  # none is left out
        logged = instance.all_logs(done.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    evaluations = [entry.dagster_event.asset_check_evaluation_data for entry in logged if entry.dagster_event]
    return {each.check_name: (each.passed, _number(each), _named(each)) for each in evaluations}


def _number(evaluation: dg.AssetCheckEvaluation) -> int:
    faults = evaluation.metadata["faults"].value
    assert isinstance(faults, int)
    return faults


def _named(evaluation: dg.AssetCheckEvaluation) -> str:
    named = evaluation.metadata.get("named")
    return str(named.value) if named else ""


def articles(run: Run, *categories: str) -> dict[str, tuple[bool, int, str]]:
    return evaluated(run, "tax_answer_records", categories=categories)


def test_a_good_category_run_again_does_not_turn_the_check_of_another_green(site: SmallSite, run: Run) -> None:
    site.server.on("/taxes/shiraberu/taxanswer/gensen/2503.htm", page(UNDATED))
    run.pages()
    for categories in (("gensen",), ("saigai",), ("gensen",)):
        passed, faults, named = articles(run, *categories)["dated_records"]
        assert (passed, faults) == (False, 1)
        assert "No.2503" in named
        assert "2502" not in named
    site.publish("2503")
    run.pages()
    assert articles(run, "saigai")["dated_records"][0] is False
    assert articles(run, "gensen")["dated_records"][:2] == (True, 0)


def test_a_bad_category_beside_a_good_one_fails_both_ways_round(site: SmallSite, run: Run) -> None:
    site.answer(
        "8010", page(article_html("8010").replace("[令和7年4月1日現在法令等]", "（時点なし）")), category="saigai"
    )
    run.pages()
    assert "No.8010" in articles(run, "saigai")["dated_records"][2]
    assert "No.8010" in articles(run, "gensen")["dated_records"][2]


def test_a_page_that_cannot_be_read_is_no_fault_of_its_date(site: SmallSite, run: Run) -> None:
    site.answer("2503", page(UNREADABLE))
    run.pages()
    failed = run.records()
    assert list(failed) == ["tax_answer_records"]
    for categories in (("gensen",), ("saigai",)):
        found = articles(run, *categories)
        assert found["dated_records"][:2] == found["titled_records"][:2] == (True, 0)
        assert found["read_as_fetched"][:2] == (False, 1)
        assert "No.2503: what was fetched could not be read; there is no text of it" in found["read_as_fetched"][2]


def test_a_page_that_can_no_longer_be_read_says_that_its_old_text_is_in_use(site: SmallSite, run: Run) -> None:
    run.refresh()
    assert articles(run, "gensen")["read_as_fetched"][:2] == (True, 0)
    site.answer("2503", page(UNREADABLE))
    run.pages()
    articles(run, "gensen")
    assert "earlier edition is still in use" in articles(run, "saigai")["read_as_fetched"][2]


def test_records_of_another_version_are_told_also_where_another_category_is_read(site: SmallSite, run: Run) -> None:
    run.refresh()
    (run.home.records("tax_answer") / "gensen.jsonl").write_text('{"record_id": "x"}\n')
    passed, _, named = articles(run, "saigai")["titled_records"]
    assert not passed
    assert "gensen.jsonl:1" in named


@pytest.fixture
def desk(tmp_path: Path) -> Run:
    tables = {}
    for key in ("desk", "lost"):
        (tmp_path / f"{key}.csv").write_text("番号,件名,回答,日\n1,鍵,総務へ。,2025-04-01\n2,傘,受付へ。,2025-05-01\n")
        tables[key] = {"source": "csv_rows", "location": str(tmp_path / f"{key}.csv"), "id": "番号", "title": "件名"}
        tables[key] |= {"text": "回答", "as_of_column": "日"}
    return Run("", tmp_path / "home", document=tables)


def test_a_good_document_read_alone_does_not_turn_the_check_of_another_green(tmp_path: Path, desk: Run) -> None:
    (tmp_path / "desk.csv").write_text(
        "番号,件名,回答,日\n1,鍵,総務へ。,2025-04-01\n2,傘,受付へ。,\n3,帽子,警備へ。,\n"
    )
    desk.stage("csv_rows_csv")
    for documents in ((), ("desk",), ("lost",), ("lost",)):
        passed, faults, named = evaluated(desk, "csv_rows_records", documents=documents)["dated_records"]
        assert (passed, faults) == (False, 2)
        assert named == "- csv_rows/desk/2\n- csv_rows/desk/3"


def test_a_document_that_cannot_be_read_is_no_fault_of_its_dates(tmp_path: Path, desk: Run) -> None:
    desk.stage("csv_rows_csv")
    assert evaluated(desk, "csv_rows_records")["read_as_fetched"][0]
    (tmp_path / "desk.csv").write_text("番号,題\n1,鍵\n")
    desk.stage("csv_rows_csv")
    for documents in (("desk",), ("lost",), ()):
        found = evaluated(desk, "csv_rows_records", documents=documents)
        assert found["dated_records"][0]
        assert "desk: what was fetched last could not be read" in found["read_as_fetched"][2]
