import time

import pytest
import requests
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from emulation.clocks import PollPace
from emulation.local_aws import local_aws
from emulation.state import Behaviour
from rag_assets_tests.emulation.conftest import Source, source_of
from rag_assets_tests.emulation.test_wire import code_of


def test_a_fault_meets_so_many_calls_of_its_operation(source: Source) -> None:
    faults = source.aws.service.faults
    faults.throttle("GetDataSource", times=2)
    assert source.sync()["status"] == "COMPLETE"
    assert [code_of(source.agent.get_data_source, **source.named) for _ in range(2)] == ["ThrottlingException"] * 2
    assert source.agent.get_data_source(**source.named)
    assert source.aws.service.count("GetDataSource") == 3
    assert source.aws.service.count("GetDataSource", refused=True) == 2


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("conflict", "ConflictException"),
        ("quota", "ServiceQuotaExceededException"),
    ],
)
def test_a_start_is_refused_on_demand(source: Source, fault: str, code: str) -> None:
    getattr(source.aws.service.faults, fault)(2)
    assert [code_of(source.agent.start_ingestion_job, **source.named) for _ in range(2)] == [code] * 2
    assert source.sync()["status"] == "COMPLETE"


def test_faults_come_one_after_another(source: Source) -> None:
    faults = source.aws.service.faults
    faults.server_error("StartIngestionJob")
    faults.deny("StartIngestionJob", times=1)
    codes = [code_of(source.agent.start_ingestion_job, **source.named) for _ in range(2)]
    assert codes == ["InternalServerException", "AccessDeniedException"]
    assert source.sync()["status"] == "COMPLETE"


def test_boto3_retries_what_is_worth_it(source: Source) -> None:
    patient = source.aws.client("bedrock-agent", attempts=2)
    source.aws.service.faults.throttle("GetDataSource")
    assert patient.get_data_source(**source.named)["ResponseMetadata"]["RetryAttempts"] == 1


def test_a_slow_answer_outlasts_an_impatient_client(source: Source) -> None:
    source.aws.service.faults.slow("GetDataSource", 0.2, times=2)
    began = time.monotonic()
    assert source.agent.get_data_source(**source.named)
    assert time.monotonic() - began >= 0.2
    impatient = source.aws.client("bedrock-agent", timeout=0.05)
    with pytest.raises(ReadTimeoutError):
        impatient.get_data_source(**source.named)


def test_a_connection_is_dropped_before_or_after_the_job_started(source: Source) -> None:
    faults = source.aws.service.faults
    faults.drop("StartIngestionJob")
    with pytest.raises(ConnectionClosedError):
        source.start()
    assert source.agent.list_ingestion_jobs(**source.named)["ingestionJobSummaries"] == []
    faults.drop("StartIngestionJob", after=True)
    with pytest.raises(ConnectionClosedError):
        source.start(clientToken="t" * 40)
    # The job runs; the same token leads to it.
    (job,) = source.agent.list_ingestion_jobs(**source.named)["ingestionJobSummaries"]
    assert source.start(clientToken="t" * 40) == job["ingestionJobId"]


def test_a_file_fails_or_is_skipped_on_demand(source: Source) -> None:
    faults = source.aws.service.faults
    for name in ("a.txt", "b.txt", "c.txt"):
        source.put(name, "食事")
    faults.fail_file("*/a.txt", "the disk was full", times=1)
    faults.skip_file("docs/b*")
    job = source.sync()
    assert job["status"] == "COMPLETE"
    assert "as the disk was full [Files: s3://a-bucket/docs/a.txt]" in job["failureReasons"][0]
    assert (job["statistics"]["numberOfDocumentsFailed"], job["statistics"]["numberOfDocumentsSkipped"]) == (1, 1)
    assert source.counts() == {"DocumentsScanned": 3, "NewDocumentsIndexed": 1, "DocumentsSkipped": 1}
    faults.clear()
    assert source.counts() == {"DocumentsScanned": 3, "NewDocumentsIndexed": 1}


def test_a_job_dies_on_demand_and_the_next_one_ends_well() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0))) as aws:
        source = source_of(aws)
        for number in range(5):
            source.put(f"{number}.txt", "食事を支給したとき")
        aws.service.faults.die_in_job(after=3, reason="the store is gone")
        job = source.sync()
        assert job["status"] == "FAILED"
        assert job["failureReasons"] == ["Encountered error: the store is gone"]
        assert len(source.found("食事")) == 3
        assert source.counts() == {"DocumentsScanned": 5, "NewDocumentsIndexed": 2}
        aws.service.faults.die_in_job()
        assert source.sync()["status"] == "FAILED"


def test_the_number_scanned_is_off_on_demand(source: Source) -> None:
    source.put("a.txt", "食事")
    source.put("b.txt", "食事")
    source.aws.service.faults.scanned_off_by(-1)
    assert source.counts() == {"DocumentsScanned": 1, "NewDocumentsIndexed": 2}
    assert source.counts() == {"DocumentsScanned": 2}


def test_faults_are_told_over_http(source: Source) -> None:
    control = f"{source.aws.url}/_emulation"
    told = requests.post(
        f"{control}/faults", json={"fault": "throttle", "operation": "Retrieve", "times": 2}, timeout=5
    )
    assert told.status_code == 200
    query = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": "食事"}}
    assert code_of(source.runtime.retrieve, **query) == "ThrottlingException"
    assert requests.delete(f"{control}/faults", timeout=5).status_code == 200
    assert source.runtime.retrieve(**query)["retrievalResults"] == []
    assert requests.get(control, timeout=5).json()["calls"] == [
        {"operation": "Retrieve", "refused": "ThrottlingException"},
        {"operation": "Retrieve", "refused": None},
    ]


@pytest.mark.parametrize(
    "body", [{"fault": "explode"}, {"fault": "throttle"}, {"fault": "take_file", "key": "x"}, {}, [], "x"]
)
def test_a_fault_that_is_none_is_refused(source: Source, body: object) -> None:
    answer = requests.post(f"{source.aws.url}/_emulation/faults", json=body, timeout=5)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_a_job_leaves_out_what_it_overlooks_and_tells_nothing_of_it(source: Source) -> None:
    source.put("a.txt", "食事")
    source.sync()
    source.put("a.txt", "住宅")
    source.put("b.txt", "住宅")
    source.aws.service.faults.overlook_file("docs/a.txt", times=1)
    assert source.counts() == {"DocumentsScanned": 2, "NewDocumentsIndexed": 1}
    assert sorted(source.aws.service.chunk_texts(source.ids.knowledge_base_id)) == ["住宅", "食事"]
    assert source.counts() == {"DocumentsScanned": 2, "ModifiedDocumentsIndexed": 1}
