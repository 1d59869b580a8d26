from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_assets.sync.direct import Changes, refused_at_once
from rag_assets.sync.ingestion import IngestionReport, ingest
from rag_assets.sync.judgement import Expected
from rag_assets.sync.service import IngestionError, Patience, Progress
from rag_assets_tests.knowledge_base.clocks import PollPace
from rag_assets_tests.sync.bench import Bench, standing

TEXTS = {f"{number:02}.txt": f"食事を支給したとき その{number}" for number in range(16)}
OTHER = "住宅借入金等特別控除"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as bench:
        bench.ingest(bench.sync(TEXTS))
        bench.time.slept.clear()
        yield bench


def directly(bench: Bench, expected: Expected, **settings: Any) -> IngestionReport:
    return bench.ingest(expected, changes=bench.changes["prepared"], direct_up_to=50, **settings)


def calls(bench: Bench, operation: str) -> list[int]:
    """How many documents each call of an operation was about."""
    return [
        len(call.parameters.get("documents") or call.parameters["documentIdentifiers"])
        for call in bench.aws.service.calls
        if call.operation == operation
    ]


def test_small_changes_are_ingested_in_batches_of_ten_without_a_job(bench: Bench) -> None:
    changed = dict.fromkeys(list(TEXTS)[:12], OTHER)
    expected = bench.sync(
        {**changed, "new.txt": OTHER}, sidecars={"12.txt": {"kind": "x"}}, delete=("14.txt", "15.txt")
    )
    report = directly(bench, expected)
    assert report.how == "direct"
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (14, 2)
    assert calls(bench, "IngestKnowledgeBaseDocuments") == [10, 4]
    assert calls(bench, "DeleteKnowledgeBaseDocuments") == [2]
    assert bench.starts() == 1
    found = bench.found(OTHER)
    assert found == sorted({*TEXTS, "new.txt"} - {"14.txt", "15.txt"})
    texts = bench.aws.service.chunk_texts(bench.targets["prepared"].knowledge_base_id)
    assert texts.count(OTHER) == 13
    assert bench.ingest().how == "nothing"
    # A later job finds nothing left to do.
    bench.state_file().unlink()
    statistics = bench.ingest().statistics
    assert (statistics.new, statistics.modified, statistics.deleted) == (0, 0, 0)


def test_a_job_is_started_where_direct_ingestion_is_off_or_changes_are_many_or_not_known(bench: Bench) -> None:
    for most in (0, 1):
        expected = bench.sync({"00.txt": f"{OTHER} {most}", "01.txt": f"{OTHER} {most}"})
        assert bench.ingest(expected, changes=bench.changes["prepared"], direct_up_to=most).how == "job"
    assert bench.ingest(bench.sync({"00.txt": "食事"}), direct_up_to=50).how == "job"
    assert bench.ingest(bench.sync({"00.txt": OTHER}), changes=Changes(), direct_up_to=50).how == "job"


def test_the_first_ingestion_is_a_job(tmp_path: Path) -> None:
    with standing(tmp_path) as bench:
        assert directly(bench, bench.sync({"a.txt": "食事"})).how == "job"


def test_what_an_earlier_run_left_undone_is_done_by_a_job(bench: Bench) -> None:
    # The first sync is killed before anything is ingested; the second one knows its own changes only.
    bench.sync({"00.txt": OTHER})
    expected = bench.sync({"01.txt": OTHER})
    assert directly(bench, expected).how == "job"
    texts = bench.aws.service.chunk_texts(bench.targets["prepared"].knowledge_base_id)
    assert texts.count(OTHER) == 2


@pytest.mark.parametrize(("fault", "status"), [("fail_file", "FAILED"), ("skip_file", "IGNORED")])
def test_a_document_that_is_not_indexed_is_told_and_the_next_run_starts_a_job(
    bench: Bench, fault: str, status: str
) -> None:
    getattr(bench.faults, fault)("*/03.txt")
    expected = bench.sync({"03.txt": OTHER, "04.txt": OTHER})
    with pytest.raises(IngestionError) as caught:
        directly(bench, expected)
    assert f"s3://a-bucket/prepared/03.txt is {status}" in str(caught.value)
    assert "1 of 2 documents" in str(caught.value)
    assert "starts an ingestion job" in str(caught.value)
    bench.faults.clear()
    assert directly(bench, bench.expected()).how == "job"
    texts = bench.aws.service.chunk_texts(bench.targets["prepared"].knowledge_base_id)
    assert texts.count(OTHER) == 2


def test_an_object_that_is_gone_meanwhile_is_told(bench: Bench) -> None:
    expected = bench.sync({"new.txt": OTHER})
    bench.aws.s3.delete_object(Bucket="a-bucket", Key="prepared/new.txt")
    with pytest.raises(IngestionError, match=r"prepared/new\.txt is FAILED"):
        directly(bench, expected)


def test_documents_that_the_answer_itself_refuses_are_told() -> None:
    details = [
        {"status": status, "statusReason": "too old", "identifier": {"s3": {"uri": f"s3://b/{status}"}}}
        for status in ("STARTING", "IGNORED", "FAILED", "INDEXED")
    ]
    assert refused_at_once({"documentDetails": details}) == [
        "s3://b/IGNORED is IGNORED: too old",
        "s3://b/FAILED is FAILED: too old",
    ]


def test_throttling_quotas_time_outs_and_lost_answers_are_waited_out(bench: Bench) -> None:
    for operation in ("IngestKnowledgeBaseDocuments", "DeleteKnowledgeBaseDocuments"):
        bench.faults.throttle(operation)
        bench.faults.refuse(operation, "ServiceQuotaExceededException")
        bench.faults.server_error(operation)
        bench.faults.drop(operation, after=True)
    bench.faults.throttle("GetKnowledgeBaseDocuments", 2)
    report = directly(bench, bench.sync({"00.txt": OTHER}, delete=("15.txt",)))
    assert report.how == "direct"
    assert (report.waited.throttles, report.waited.quotas, report.waited.unanswered) == (4, 2, 4)
    assert bench.found(OTHER) == sorted({*TEXTS} - {"15.txt"})


def test_documents_that_do_not_get_ready_are_told_by_name(tmp_path: Path) -> None:
    with standing(tmp_path, pace=PollPace(in_progress=30)) as bench:
        bench.ingest(bench.sync(TEXTS))
        with pytest.raises(IngestionError, match=r"prepared/00\.txt is IN_PROGRESS still"):
            directly(bench, bench.sync({"00.txt": OTHER}), patience=Patience(job=60))


def test_what_is_broken_off_is_done_by_a_job(bench: Bench) -> None:
    def break_off(progress: Progress) -> None:
        raise KeyboardInterrupt(progress.message)

    expected = bench.sync({"00.txt": OTHER}, delete=("15.txt",))
    with pytest.raises(KeyboardInterrupt, match="direct ingestion: 0 of 1 done"):
        ingest(
            bench.agent,
            bench.targets["prepared"],
            expected,
            bench.state_file(),
            changes=bench.changes["prepared"],
            direct_up_to=50,
            clock=bench.time.clock,
            on_progress=break_off,
        )
    report = directly(bench, bench.expected())
    assert (report.how, report.started) == ("job", True)
    assert bench.found(OTHER) == sorted({*TEXTS} - {"15.txt"})


def test_a_missing_right_is_named(bench: Bench) -> None:
    bench.faults.deny("IngestKnowledgeBaseDocuments")
    with pytest.raises(IngestionError, match="bedrock:IngestKnowledgeBaseDocuments"):
        directly(bench, bench.sync({"00.txt": OTHER}))
    assert bench.ingest().how == "job"
