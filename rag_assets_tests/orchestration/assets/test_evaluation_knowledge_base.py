"""The evaluation through a Knowledge Base, and embedders on Bedrock for the embedded index: the same report."""

import csv
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from emulation.state import Store
from rag_assets.definitions import build_defs
from rag_assets.model import Chunk
from rag_assets.orchestration.chain import StageResult, run_chain
from rag_assets.orchestration.stages import plan_run
from rag_assets.store.lines import read_lines
from rag_assets_tests.orchestration.assets.cloud import ARTICLES, BUCKET, PREPARED, RAW, Cloud, cloud_of, prepared_home
from rag_assets_tests.s3.faulty_s3 import Fault

TEXTS = dict(
    zip(
        ARTICLES,
        (
            "役員に支給する食事の取扱い",
            "医療費を支払ったとき",
            "住宅ローンで家を買ったとき",
            "父母から贈与を受けたとき",
        ),
        strict=True,
    )
)
QUESTIONS = """\
id,question,gold,split
q1,お昼の食事を支給すると？,2502,tune
q2,病院の医療費は？,2594,tune
q3,住宅ローンで家を買うと？,2600,holdout
q4,火星の税金は？,,unanswerable
"""
IN_KNOWLEDGE_BASE = {"search_in": "knowledge_base"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_home(tmp_path_factory.mktemp("prepared"), TEXTS)


@contextmanager
def standing(folder: Path, patch: pytest.MonkeyPatch, home: Path, store: Store) -> Iterator[Cloud]:
    with cloud_of(folder, patch, home=home, store=store, texts=TEXTS) as cloud:
        (folder / "questions.csv").write_text(QUESTIONS)
        yield cloud


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[Cloud]:
    """Corpora that were never synced, and a question set."""
    # The chain points Dagster at the home folder; the variable is put back when the test ends.
    monkeypatch.setenv("DAGSTER_HOME", "")
    with standing(tmp_path, monkeypatch, home, "OPENSEARCH_SERVERLESS") as cloud:
        yield cloud


@pytest.fixture
def cloud(fresh: Cloud) -> Cloud:
    """Both variants in one Knowledge Base."""
    assert fresh.sync().failures == {}
    return fresh


def asked(cloud: Cloud, **settings: Any) -> dict[str, Any]:
    return {"questions": str(cloud.home.parent / "questions.csv"), **settings}


def evaluate(cloud: Cloud, **settings: Any) -> dict[str, str]:
    """Check the questions and ask them; what failed."""
    run = cloud.run(**asked(cloud, **settings))
    check, evaluation = plan_run(run.settings)[-2:]
    return run.stage(*check.assets).failures | run.stage(*evaluation.assets).failures


def rows(cloud: Cloud, name: str) -> list[dict[str, str]]:
    with (cloud.home / "reports" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def first_hits(cloud: Cloud, mode: str = "hybrid") -> dict[tuple[str, str], str]:
    """The best record by variant and question."""
    return {
        (row["variant"], row["question"]): row["record"].rpartition("/")[2]
        for row in rows(cloud, "retrieval_hits.csv")
        if row["rank"] == "1" and row["mode"] == mode and row["question"] != "q4"
    }


RIGHT = {
    (variant, question): number
    for variant in (RAW, PREPARED)
    for question, number in (("q1", "2502"), ("q2", "2594"), ("q3", "2600"))
}


def test_the_report_is_that_of_the_embedded_index(cloud: Cloud) -> None:
    assert evaluate(cloud) == {}
    assert _told_settings(cloud)["search_in"] == "index"
    tables = ("retrieval.csv", "comparisons.csv", "corpus_quality.csv", "retrieval_hits.csv")
    of_index = {name: rows(cloud, name) for name in tables}
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE) == {}
    of_service = {name: rows(cloud, name) for name in tables}
    assert first_hits(cloud) == RIGHT
    assert of_service["corpus_quality.csv"] == of_index["corpus_quality.csv"]
    for name in ("retrieval.csv", "comparisons.csv"):
        hybrid = [row for row in of_index[name] if row["mode"] == "hybrid"]
        assert [[row["variant"], row["split"]] for row in of_service[name]] == [
            [row["variant"], row["split"]] for row in hybrid
        ]
        assert list(of_service[name][0]) == list(hybrid[0])
    assert {row["mrr"] for row in of_service["retrieval.csv"] if row["split"] == "tune"} == {"1.0"}
    assert "2502" in (cloud.home / "reports" / "report.html").read_text()
    told = _told_settings(cloud)
    assert (told["search_in"], told["search_type"]) == ("knowledge_base", "HYBRID")
    assert cloud.targets[RAW]["knowledge_base_id"] in told["target.raw"]
    assert "bm25_weight" not in told


def _told_settings(cloud: Cloud) -> dict[str, str]:
    """The report's table of settings."""
    page = BeautifulSoup((cloud.home / "reports" / "report.html").read_text(), "html.parser")
    rows = page.select("table.settings tr")
    return {row.select_one("th").get_text(): row.select_one("td").get_text() for row in rows}  # type: ignore[union-attr]


def test_no_embedded_index_is_made_where_it_is_not_searched(cloud: Cloud) -> None:
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE) == {}
    assert not (cloud.home / "index").exists()


def test_variants_side_by_side_in_one_knowledge_base_find_their_own_chunks_only(cloud: Cloud) -> None:
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE) == {}
    chunks = {
        variant: {chunk.chunk_id for chunk in read_lines(cloud.run().home.chunks(variant), Chunk, "chunks")}
        for variant in (RAW, PREPARED)
    }
    hits = rows(cloud, "retrieval_hits.csv")
    for variant, own in chunks.items():
        found = [row for row in hits if row["variant"] == variant and row["question"] == "q1"]
        assert {row["chunk"].partition("#")[0] for row in found} == own
        # Each of the four articles once: were the other variant's among them, it would come twice.
        assert sorted(row["record"].rpartition("/")[2] for row in found) == sorted(ARTICLES)


def test_a_withdrawn_article_is_found_no_more_by_the_evaluation(cloud: Cloud) -> None:
    cloud.site.withdraw("2610")
    cloud.prepare()
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE) == {}
    assert any("2610" in row["record"] for row in rows(cloud, "retrieval_hits.csv"))
    assert cloud.sync().failures == {}
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE) == {}
    assert not any("2610" in row["record"] for row in rows(cloud, "retrieval_hits.csv"))


@pytest.mark.parametrize(
    ("search_type", "modes"), [("HYBRID", {"hybrid"}), ("SEMANTIC", {"dense"}), ("BOTH", {"dense", "hybrid"})]
)
def test_the_search_types_are_the_modes_of_the_report(cloud: Cloud, search_type: str, modes: set[str]) -> None:
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE, search_type=search_type) == {}
    for name in ("retrieval.csv", "retrieval_hits.csv"):
        assert {row["mode"] for row in rows(cloud, name)} == modes
    for mode in modes:
        assert first_hits(cloud, mode) == RIGHT
    overridden = {
        call.parameters["retrievalConfiguration"]["vectorSearchConfiguration"].get("overrideSearchType")
        for call in cloud.service.calls
        if call.operation == "Retrieve"
    }
    assert overridden == {"HYBRID" if mode == "hybrid" else "SEMANTIC" for mode in modes}


def test_s3_vectors_does_not_search_by_words_and_the_setting_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with standing(tmp_path, monkeypatch, home, "S3_VECTORS") as cloud:
        assert cloud.sync().failures == {}
        told = evaluate(cloud, **IN_KNOWLEDGE_BASE)["retrieval_results"]
        assert "set search_type to SEMANTIC" in told
        assert cloud.targets[RAW]["knowledge_base_id"] in told
        assert evaluate(cloud, **IN_KNOWLEDGE_BASE, search_type="SEMANTIC") == {}
        assert first_hits(cloud, "dense") == RIGHT
        page = BeautifulSoup((cloud.home / "reports" / "report.html").read_text(), "html.parser")
        assert "質問 3 問を意味の近さの検索（dense）で比べると" in page.select("p.summary")[0].get_text()


def test_an_order_that_is_upside_down_is_told_and_turned_by_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with standing(tmp_path, monkeypatch, home, "RDS") as cloud:
        assert cloud.sync().failures == {}
        told = evaluate(cloud, **IN_KNOWLEDGE_BASE, search_type="SEMANTIC")["retrieval_results"]
        assert "the best hit comes last" in told
        assert "semantic_order to best_last" in told
        assert evaluate(cloud, **IN_KNOWLEDGE_BASE, search_type="SEMANTIC", semantic_order="best_last") == {}
        assert first_hits(cloud, "dense") == RIGHT


def test_unverified_an_order_that_is_upside_down_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with standing(tmp_path, monkeypatch, home, "RDS") as cloud:
        assert cloud.sync().failures == {}
        assert evaluate(cloud, **IN_KNOWLEDGE_BASE, search_type="SEMANTIC", verify_order=False) == {}
        assert first_hits(cloud, "dense") != RIGHT
        assert _told_settings(cloud)["verify_order"] == "false"


FILTERS = {
    "q1": {"equals": {"key": "record_id", "value": "tax_answer/2610"}},
    "q2": {"listContains": {"key": "tax_items", "value": "源泉所得税"}},
    "q3": {"andAll": [{"equals": {"key": "source", "value": "tax_answer"}}, {"in": {"key": "number", "value": ["1"]}}]},
}


def test_filters_let_the_same_passages_through_as_in_the_embedded_index(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    with (cloud.home.parent / "questions.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        header, *asked = csv.reader(QUESTIONS.splitlines())
        writer.writerow([*header, "filter"])
        writer.writerows([*row, json.dumps(FILTERS[row[0]]) if row[0] in FILTERS else ""] for row in asked)

    def found() -> dict[str, set[str]]:
        hits = [row for row in rows(cloud, "retrieval_hits.csv") if row["mode"] == "hybrid"]
        return {name: {row["record"] for row in hits if row["question"] == name} for name in ("q1", "q2", "q3", "q4")}

    everything = {f"tax_answer/{number}" for number in ARTICLES}
    expected = {"q1": {"tax_answer/2610"}, "q2": everything, "q3": set(), "q4": everything}
    for settings in ({}, IN_KNOWLEDGE_BASE):
        capsys.readouterr()
        assert evaluate(cloud, **settings) == {}
        assert found() == expected
        told = capsys.readouterr().err
        assert [f"{variant}: question q3 has found nothing" in told for variant in (RAW, PREPARED)] == [True, True]
    sent = [
        call.parameters["retrievalConfiguration"]["vectorSearchConfiguration"]["filter"]
        for call in cloud.service.calls
        if call.operation == "Retrieve"
    ]
    assert {"andAll": [{"equals": {"key": "variant", "value": RAW}}, FILTERS["q2"]]} in sent


def test_hits_of_one_record_count_once_where_that_is_set(cloud: Cloud) -> None:
    """Long enough for several windows of 300 tokens."""
    cloud.site.publish("2502", "役員に支給する食事の取扱い。" * 60)
    cloud.prepare()
    assert cloud.sync().failures == {}
    counts = []
    for once in (False, True):
        assert evaluate(cloud, **IN_KNOWLEDGE_BASE, once_a_record=once) == {}
        found = [row for row in rows(cloud, "retrieval_hits.csv") if (row["variant"], row["question"]) == (RAW, "q1")]
        counts.append(sum(row["record"] == "tax_answer/2502" for row in found))
    assert counts[0] > 1
    assert counts[1] == 1


def test_a_variant_that_was_never_ingested_is_told_with_what_to_materialize(fresh: Cloud) -> None:
    told = evaluate(fresh, **IN_KNOWLEDGE_BASE)["retrieval_results"]
    assert "s3_objects, knowledge_base_ingestion" in told
    assert not (fresh.home / "reports" / "report.html").exists()


# What the Knowledge Base holds is what is prepared here, or that it may not be is told.


def log_and_cautions(
    cloud: Cloud, capsys: pytest.CaptureFixture[str], **settings: Any
) -> tuple[dict[str, list[str]], list[str]]:
    """Warnings of the log by variant, and the cautions of the report, of an evaluation that nothing failed in."""
    capsys.readouterr()
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE, **settings) == {}
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("  retrieval_results ")]
    log = [line for line in lines if not line.endswith((" searches", " questions asked"))]
    page = BeautifulSoup((cloud.home / "reports" / "report.html").read_text(), "html.parser")
    told = {
        variant: [line.partition(f" {variant}: ")[2] for line in log if f" {variant}: " in line]
        for variant in (RAW, PREPARED)
    }
    return told, [caution.get_text() for caution in page.select(".caution")]


def test_what_was_ingested_from_here_is_searched_without_a_word(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    for settings in ({}, {"sync": "off"}):
        assert log_and_cautions(cloud, capsys, **settings) == ({RAW: [], PREPARED: []}, [])


@pytest.mark.parametrize("how", [{"sync": "off"}, {"sync": "dry-run"}])
def test_where_others_sync_the_search_goes_on_and_says_that_it_is_not_known(
    cloud: Cloud, capsys: pytest.CaptureFixture[str], how: dict[str, str]
) -> None:
    shutil.rmtree(cloud.home / "sync")
    assert cloud.sync(**how).failures == {}
    log, cautions = log_and_cautions(cloud, capsys, **how)
    for variant in (RAW, PREPARED):
        assert [line.partition(",")[0] for line in log[variant]] == ["this home has never ingested it there"]
    assert len(cautions) == 1
    assert cautions[0].startswith(f"{RAW}、{PREPARED}：")
    assert "確かめていません" in cautions[0]
    # Looking has not left the beginnings of a sync of its own.
    assert not any(cloud.ledger(variant).exists() for variant in (RAW, PREPARED))
    cloud.site.delist("2610")
    cloud.prepare()
    log, cautions = log_and_cautions(cloud, capsys, **how)
    assert "raw: 1 chunk(s)" not in log[RAW][0]
    assert log[RAW][1].startswith("1 chunk(s) were found that are none of raw as it is prepared here (tax_answer/2610")
    assert [caution.partition("：")[0] for caution in cautions] == [RAW, PREPARED, f"{RAW}、{PREPARED}"]


def test_a_corpus_that_has_changed_since_is_told_and_its_strangers_are_named(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.site.publish("2600", "住宅ローンで家を建てたとき")
    cloud.prepare()
    log, cautions = log_and_cautions(cloud, capsys)
    for variant in (RAW, PREPARED):
        assert log[variant][0].startswith("the Knowledge Base holds what an earlier sync of this home brought there")
    # A whole record is the same chunk whatever its text; a chunk of another text is another.
    assert (len(log[RAW]), log[PREPARED][1].partition(" that are none")[0]) == (1, "1 chunk(s) were found")
    assert [caution.partition("：")[0] for caution in cautions] == [PREPARED, f"{RAW}、{PREPARED}"]
    assert "手元のコーパスより前に取り込んだもの" in cautions[1]
    cloud.site.withdraw("2610")
    cloud.prepare()
    log, cautions = log_and_cautions(cloud, capsys, sync="off")
    for variant in (RAW, PREPARED):
        assert len(log[variant]) == 2
        assert "tax_answer/2610" in log[variant][1]
        assert f"Materialize s3_objects and knowledge_base_ingestion for {variant}" in log[variant][1]
    assert [caution.partition("：")[0] for caution in cautions] == [RAW, PREPARED, f"{RAW}、{PREPARED}"]
    assert cloud.sync(allow_deletions=True).failures == {}
    assert log_and_cautions(cloud, capsys) == ({RAW: [], PREPARED: []}, [])


def test_documents_of_others_that_the_last_sync_saw_are_told_and_copies_of_ours_are_no_chunks_of_the_corpus(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(cloud.there(PREPARED)):
        if name.startswith("tax_answer/2502/"):
            source = {"Bucket": BUCKET, "Key": f"{PREPARED}/{name}"}
            cloud.aws.s3.copy_object(Bucket=BUCKET, Key=f"{PREPARED}/backup/{name}", CopySource=source)
    cloud.aws.s3.put_object(Bucket=BUCKET, Key=f"{RAW}/手書き.txt", Body="食事のメモ".encode())
    # Until a sync has seen them, nothing is known of them.
    assert log_and_cautions(cloud, capsys) == ({RAW: [], PREPARED: []}, [])
    assert cloud.sync().failures == {}
    cloud.site.publish("2502", "役員に支給する食事の新しい取扱い")
    cloud.prepare()
    assert cloud.sync(allow_deletions=True).failures == {}

    log, cautions = log_and_cautions(cloud, capsys)
    assert log[RAW][0].startswith(f"the last sync saw 1 document(s) in s3://{BUCKET}/{RAW}/ that were not sent")
    assert [line.partition(" ")[0] for line in log[PREPARED]] == ["the", "1"]
    assert "(backup/tax_answer/2502/" in log[PREPARED][1]
    assert [caution.partition("：")[0] for caution in cautions] == [PREPARED, RAW, PREPARED]
    assert "手元のコーパスにないチャンクが 1 件" in cautions[0]
    for caution, variant in zip(cautions[1:], (RAW, PREPARED), strict=True):
        assert f"s3://{BUCKET}/{variant}/ には、この実行環境から送っていない文書が 1 件あります" in caution


def test_a_knowledge_base_that_this_home_has_not_synced_to_is_not_known(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    own = dict(cloud.targets)
    another = cloud.service.add_knowledge_base(store="OPENSEARCH_SERVERLESS")
    cloud.place(RAW, another, cuts=True)
    ids = {"knowledgeBaseId": another, "dataSourceId": cloud.targets[RAW]["data_source_id"]}
    agent = cloud.aws.client("bedrock-agent")
    job = agent.start_ingestion_job(**ids)["ingestionJob"]["ingestionJobId"]
    assert agent.get_ingestion_job(**ids, ingestionJobId=job)["ingestionJob"]["status"] == "COMPLETE"
    log, cautions = log_and_cautions(cloud, capsys)
    assert [line.partition(",")[0] for line in log[RAW]] == ["this home has never ingested it there"]
    assert log[PREPARED] == []
    assert [caution.partition("：")[0] for caution in cautions] == [RAW]
    assert _told_settings(cloud)["target.raw"].startswith(another)
    cloud.targets.update(own)
    assert log_and_cautions(cloud, capsys) == ({RAW: [], PREPARED: []}, [])


def test_an_ingestion_that_is_pending_is_refused_until_it_has_ended_well(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.site.publish("2600", "住宅ローンで家を建てたとき")
    cloud.prepare()
    cloud.faults.die_in_job(times=1)
    assert cloud.sync().failures.keys() == {"knowledge_base_ingestion"}
    before = cloud.service.count("Retrieve")
    told = evaluate(cloud, **IN_KNOWLEDGE_BASE)["retrieval_results"]
    assert cloud.service.count("Retrieve") == before
    first, *lines = told.splitlines()
    assert first == "1 variant(s) cannot be searched, and no question was asked (1 others could):"
    assert len(lines) == 1
    assert lines[0].startswith(f"  {RAW}: Knowledge Base {cloud.targets[RAW]['knowledge_base_id']} was not searched")
    assert "what was last synced from here has not been ingested well (s3://a-bucket/raw/)" in told
    assert "Materialize s3_objects and knowledge_base_ingestion for raw first" in told
    # The other has ended well.
    assert evaluate(cloud, **IN_KNOWLEDGE_BASE, variants=PREPARED) == {}
    assert cloud.sync().failures == {}
    assert log_and_cautions(cloud, capsys) == ({RAW: [], PREPARED: []}, [])


def test_an_upload_that_has_not_come_to_its_end_is_refused_until_it_has(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.site.publish("2600", "住宅ローンで家を建てたとき")
    cloud.prepare()
    cloud.faulty.fail(Fault("put", status=403, code="AccessDenied", times=1))
    assert "s3_objects" in cloud.sync().failures
    told = evaluate(cloud, **IN_KNOWLEDGE_BASE)["retrieval_results"]
    assert "a sync from here has begun and not come to its end (s3://a-bucket/" in told
    # As it says, where another home syncs it by now.
    named = Path(told.partition("delete ")[2].partition(", and")[0])
    assert named.parent == cloud.home / "sync"
    for file in named.parent.glob(named.name):
        file.unlink()
    log, _ = log_and_cautions(cloud, capsys)
    assert len(log[named.name.partition(".")[0]]) == 1
    cloud.faulty.fail()
    assert cloud.sync().failures == {}
    assert log_and_cautions(cloud, capsys) == ({RAW: [], PREPARED: []}, [])


def test_an_index_and_a_knowledge_base_are_never_compared(cloud: Cloud) -> None:
    assert evaluate(cloud) == {}
    assert cloud.run(**asked(cloud, **IN_KNOWLEDGE_BASE, variants=RAW)).stage("retrieval_results").failures == {}
    told = cloud.run(**asked(cloud)).stage("retrieval_report").failures["retrieval_report"].splitlines()
    assert told[1].startswith("  raw: search_in knowledge_base, search_type HYBRID")
    assert told[2].startswith("  prepared_400: search_in index, embedder use")
    assert cloud.run(**asked(cloud, **IN_KNOWLEDGE_BASE)).stage("retrieval_results").failures == {}
    # The report is of what was searched, whatever the settings say by now.
    assert cloud.run(**asked(cloud)).stage("retrieval_report").failures == {}
    assert _told_settings(cloud)["search_type"] == "HYBRID"
    page = (cloud.home / "reports" / "report.html").read_text()
    assert "検索先：Knowledge Base（search_type：HYBRID）" in page


def test_a_question_that_is_too_long_is_told_before_it_is_asked(cloud: Cloud) -> None:
    file = cloud.home.parent / "questions.csv"
    file.write_text(f"{QUESTIONS}q5,{'医療費' * 334},2594,tune\n")
    before = len(cloud.service.calls)
    told = evaluate(cloud, **IN_KNOWLEDGE_BASE)["questions"]
    assert told.startswith(f"{file}:6: the question q5 has 1,002 characters")
    assert len(cloud.service.calls) == before
    assert evaluate(cloud) == {}


# A sync that fails, in the whole chain.


def ran(cloud: Cloud, **settings: Any) -> list[StageResult]:
    chosen = cloud.run(**asked(cloud, **settings)).settings
    return run_chain(chosen, build_defs(chosen))


def test_where_the_index_is_searched_a_failed_sync_holds_up_no_evaluation(fresh: Cloud) -> None:
    fresh.faults.die_in_job(times=2)
    results = ran(fresh)
    assert {result.stage.title: list(result.failures) for result in results if result.failures} == {
        "Ingest": ["knowledge_base_ingestion"]
    }
    assert results[-1].stage.title == "Evaluate"
    assert {row["mode"] for row in rows(fresh, "retrieval.csv")} == {"bm25", "dense", "hybrid"}


def test_where_the_knowledge_base_is_searched_a_failed_sync_stops_the_chain(fresh: Cloud) -> None:
    fresh.faults.die_in_job(times=1)
    results = ran(fresh, **IN_KNOWLEDGE_BASE)
    assert (results[-1].stage.title, list(results[-1].failures)) == ("Ingest", ["knowledge_base_ingestion"])
    assert not (fresh.home / "reports" / "report.html").exists()
    assert fresh.sync().failures == {}
    assert evaluate(fresh, **IN_KNOWLEDGE_BASE) == {}
    assert first_hits(fresh) == RIGHT


# Embedders on Bedrock.


@pytest.mark.parametrize("embedder", ["titan-v2:256", "cohere-multilingual-v3"])
def test_an_embedder_on_bedrock_makes_the_vectors_of_the_index_once(fresh: Cloud, embedder: str) -> None:
    def indexed() -> list[str]:
        """The texts that were embedded for the index."""
        before = len(fresh.service.calls)
        assert fresh.run(**asked(fresh, embedder=embedder)).stage("search_index").failures == {}
        made = [call.parameters for call in fresh.service.calls[before:] if call.operation == "InvokeModel"]
        return [text for call in made for text in _texts(call["body"])]

    first = indexed()
    assert len(first) == len(set(first)) > len(ARTICLES)
    assert indexed() == []
    assert evaluate(fresh, embedder=embedder) == {}
    assert first_hits(fresh, "dense").keys() == RIGHT.keys()
    fresh.site.publish("2594", "歯の治療を受けたとき")
    fresh.prepare()
    # Of raw and of prepared.
    assert ["歯の治療" in text for text in indexed()] == [True, True]


def _texts(body: bytes) -> list[str]:
    told = json.loads(body)
    texts: list[str] = told["texts"] if "texts" in told else [told["inputText"]]
    return texts


def test_an_embedder_that_may_not_be_used_is_told_with_the_right_it_needs(fresh: Cloud) -> None:
    fresh.faults.deny("InvokeModel")
    told = fresh.run(**asked(fresh, embedder="titan-v2")).stage("search_index").failures["search_index"]
    assert "bedrock:InvokeModel" in told
    assert "amazon.titan-embed-text-v2:0" in told


def test_the_embedder_of_the_project_asks_nobody(fresh: Cloud) -> None:
    assert evaluate(fresh, s3_endpoint="no endpoint", bedrock_endpoint="no endpoint", sync="off") == {}
    assert fresh.service.calls == []
