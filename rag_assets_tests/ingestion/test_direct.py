from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from emulation.clocks import PollPace
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.ingestion import ingest
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.service import IngestionError, IngestionProgress, WaitLimits
from rag_assets_tests.ingestion.bench import Bench, standing

TEXTS = {f"{number:02}.txt": f"食事を支給したとき その{number}" for number in range(16)}
OTHER = "住宅借入金等特別控除"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as bench:
        bench.ingest(bench.sync(TEXTS))
        bench.time.slept.clear()
        yield bench


def directly(bench: Bench, expected: ExpectedObjects, **settings: Any) -> IngestionReport:
    return bench.ingest(expected, direct_up_to=50, **settings)


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
    kept = {name: text for name, text in TEXTS.items() if name not in ("14.txt", "15.txt")}
    assert bench.texts() == sorted({**kept, **changed, "new.txt": OTHER}.values())
    assert bench.ingest().how == "nothing"
    # A later job finds nothing left to do.
    bench.state_file().unlink()
    statistics = bench.ingest(bench.sync()).statistics
    assert (statistics.new, statistics.modified, statistics.deleted) == (0, 0, 0)


def test_a_job_is_started_where_direct_ingestion_is_off_or_changes_are_many_or_not_known(bench: Bench) -> None:
    for most in (0, 1):
        expected = bench.sync({"00.txt": f"{OTHER} {most}", "01.txt": f"{OTHER} {most}"})
        assert bench.ingest(expected, direct_up_to=most).how == "job"
    # Somebody else changed the bucket.
    bench.put("prepared/00.txt", OTHER.encode())
    assert bench.ingest(direct_up_to=50).how == "job"


def test_the_first_ingestion_is_a_job(tmp_path: Path) -> None:
    with standing(tmp_path) as bench:
        assert directly(bench, bench.sync({"a.txt": "食事"})).how == "job"


def test_what_an_earlier_run_left_undone_is_ingested_directly_with_the_rest(bench: Bench) -> None:
    # The first sync is killed before anything is ingested.
    bench.sync({"00.txt": OTHER}, delete=("15.txt",))
    expected = bench.sync({"01.txt": OTHER, "00.txt": "年末調整"})
    report = directly(bench, expected)
    assert report.how == "direct"
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (2, 1)
    assert (bench.found(OTHER), bench.found("年末調整")) == (["01.txt"], ["00.txt"])
    assert len(bench.texts()) == 15


def test_no_document_is_ingested_directly_while_a_job_may_be_running_that_read_it_before(bench: Bench) -> None:
    bench.faults.deny("GetIngestionJob", times=1)
    with pytest.raises(IngestionError):
        bench.ingest(bench.sync({"00.txt": "年末調整"}))
    report = directly(bench, bench.sync({"00.txt": OTHER}))
    assert (report.how, report.waited.conflicts > 0) == ("job", True)
    assert bench.found(OTHER) == ["00.txt"]


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
    assert bench.found(OTHER) == ["03.txt", "04.txt"]


def test_an_object_that_is_gone_meanwhile_is_told(bench: Bench) -> None:
    expected = bench.sync({"new.txt": OTHER})
    bench.aws.s3.delete_object(Bucket="a-bucket", Key="prepared/new.txt")
    with pytest.raises(IngestionError, match=r"prepared/new\.txt is FAILED"):
        directly(bench, expected)


def test_documents_that_the_answer_itself_refuses_are_told_at_once_and_the_others_are_seen_to(bench: Bench) -> None:
    bench.faults.refuse_file("*/00.txt", "too old")
    bench.faults.fail_file("*/01.txt", "too long", times=1)
    with pytest.raises(IngestionError) as caught:
        directly(bench, bench.sync({"00.txt": OTHER, "01.txt": OTHER, "02.txt": OTHER}))
    assert "2 of 3 documents" in str(caught.value)
    assert "prepared/00.txt is IGNORED: too old" in str(caught.value)
    assert "prepared/01.txt is FAILED: too long" in str(caught.value)
    assert sum(bench.time.slept) < 60
    assert directly(bench, bench.expected()).how == "job"
    assert bench.found(OTHER) == ["00.txt", "01.txt", "02.txt"]


@pytest.mark.parametrize("pace", [PollPace(0, 0), PollPace()])
def test_what_a_document_was_before_is_not_taken_for_what_it_becomes(tmp_path: Path, pace: PollPace) -> None:
    with standing(tmp_path, unnoticed_looks=3, pace=pace) as bench:
        bench.ingest(bench.sync(TEXTS))
        report = directly(bench, bench.sync({"00.txt": OTHER, "new.txt": OTHER}, delete=("15.txt",)))
        assert report.how == "direct"
        assert bench.found(OTHER) == ["00.txt", "new.txt"]
        assert len(bench.texts()) == 16


@pytest.mark.parametrize("pace", [PollPace(0, 0), PollPace()])
@pytest.mark.parametrize(("name", "status"), [("00.txt", "INDEXED"), ("15.txt", "INDEXED"), ("new.txt", "NOT_FOUND")])
def test_a_request_that_was_taken_and_came_to_nothing_is_told_and_made_good_by_the_next_run(
    tmp_path: Path, pace: PollPace, name: str, status: str
) -> None:
    with standing(tmp_path, pace=pace) as bench:
        bench.ingest(bench.sync(TEXTS))
        bench.faults.overlook_file(f"*/{name}", times=1)
        expected = bench.sync({"00.txt": OTHER, "new.txt": OTHER}, delete=("15.txt",))
        with pytest.raises(IngestionError) as caught:
            directly(bench, expected, patience=WaitLimits(answer=100))
        assert "1 of 3 documents" in str(caught.value)
        assert f"prepared/{name} is {status}, as it was before" in str(caught.value)
        assert sum(bench.time.slept) < 200
        assert directly(bench, bench.expected()).how == "job"
        assert bench.found(OTHER) == ["00.txt", "new.txt"]
        assert len(bench.texts()) == 16


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
    assert bench.found(OTHER) == ["00.txt"]
    assert len(bench.texts()) == 15


def test_documents_that_do_not_get_ready_are_told_by_name(tmp_path: Path) -> None:
    with standing(tmp_path, pace=PollPace(in_progress=30)) as bench:
        bench.ingest(bench.sync(TEXTS))
        with pytest.raises(IngestionError, match=r"prepared/00\.txt is IN_PROGRESS still"):
            directly(bench, bench.sync({"00.txt": OTHER}), patience=WaitLimits(job=60))


def test_what_is_broken_off_is_gone_on_with(bench: Bench) -> None:
    def break_off(progress: IngestionProgress) -> None:
        raise KeyboardInterrupt(progress.message)

    expected = bench.sync({"00.txt": OTHER}, delete=("15.txt",))
    with pytest.raises(KeyboardInterrupt, match="direct ingestion: 0 of 2 done"):
        ingest(
            bench.agent,
            bench.targets["prepared"],
            expected,
            bench.state_file(),
            direct_up_to=50,
            clock=bench.time.clock,
            on_progress=break_off,
        )
    assert directly(bench, bench.expected()).how == "direct"
    assert bench.found(OTHER) == ["00.txt"]
    assert len(bench.texts()) == 15


def test_a_missing_right_is_named(bench: Bench) -> None:
    bench.faults.deny("IngestKnowledgeBaseDocuments")
    with pytest.raises(IngestionError, match="bedrock:IngestKnowledgeBaseDocuments"):
        directly(bench, bench.sync({"00.txt": OTHER}))
    assert bench.ingest().how == "job"


LONG = f"{'長い名前'.encode().hex()}/{'n' * 90}.txt"
"""With bucket and prefix more than the 128 characters that a request takes."""


@pytest.mark.parametrize(
    ("put", "delete"), [({LONG: OTHER}, ()), ({}, (LONG,)), ({"00.txt": OTHER, LONG: OTHER}, ("15.txt",))]
)
def test_where_an_address_is_too_long_for_a_request_a_job_is_started_and_that_is_told(
    bench: Bench, put: dict[str, str], delete: tuple[str, ...]
) -> None:
    bench.ingest(bench.sync({LONG: "長い名前の文書"}))
    bench.told.clear()
    report = directly(bench, bench.sync(put, delete=delete))
    assert report.how == "job"
    assert calls(bench, "IngestKnowledgeBaseDocuments") == calls(bench, "DeleteKnowledgeBaseDocuments") == []
    told = [line.message for line in bench.told if "more than 128 characters" in line.message]
    assert len(told) == 1
    assert f"prepared/{LONG}" in told[0]
    assert bench.found(OTHER) == sorted(name.rpartition("/")[2] for name in put)
    assert (LONG not in delete) or "長い名前の文書" not in bench.texts()


def test_the_longest_address_that_a_request_takes_is_ingested_directly(bench: Bench) -> None:
    name = f"{'n' * (128 - len('a-bucket/prepared/') - len('.txt'))}.txt"
    assert directly(bench, bench.sync({name: OTHER})).how == "direct"
    assert directly(bench, bench.sync(delete=(name,))).how == "direct"
    assert bench.found(OTHER) == []


def test_what_a_job_left_and_no_request_can_name_is_left_to_another_job(bench: Bench) -> None:
    bench.ingest(bench.sync({LONG: "長い名前の文書"}))
    bench.faults.overlook_file(f"*/{LONG}", times=1)
    jobs = bench.starts()
    assert bench.ingest(bench.sync({LONG: OTHER})).how == "job"
    assert bench.starts() == jobs + 2
    assert any("another job is started" in line.message for line in bench.told)
    assert bench.found(OTHER) == [LONG.rpartition("/")[2]]
    bench.faults.overlook_file(f"*/{LONG}", times=2)
    with pytest.raises(IngestionError, match="Shorten the prefix"):
        bench.ingest(bench.sync({LONG: "三度目の本文"}))
