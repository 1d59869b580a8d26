import pytest

from emulation.clocks import ManualClock, PollPace, TimePace
from emulation.local_aws import local_aws
from emulation.state import Behaviour
from rag_assets_tests.emulation.conftest import Source, source_of
from rag_assets_tests.emulation.test_wire import code_of

TOKEN = "t" * 33


def test_a_job_goes_on_with_each_look(source: Source) -> None:
    source.put("a.txt", "食事")
    started = source.agent.start_ingestion_job(**source.named, description="first")["ingestionJob"]
    assert (started["status"], started["description"]) == ("STARTING", "first")
    looks = [source.job(started["ingestionJobId"]) for _ in range(4)]
    assert [look["status"] for look in looks] == ["STARTING", "IN_PROGRESS", "COMPLETE", "COMPLETE"]
    assert [look["statistics"]["numberOfDocumentsScanned"] for look in looks] == [0, 1, 1, 1]
    assert [look["statistics"]["numberOfNewDocumentsIndexed"] for look in looks] == [0, 0, 1, 1]


def test_a_job_tells_how_far_it_is() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0, documents=2))) as aws:
        source = source_of(aws)
        for number in range(5):
            source.put(f"{number}.txt", "食事")
        job_id = source.start()
        looks = [source.job(job_id) for _ in range(3)]
    assert [look["statistics"]["numberOfNewDocumentsIndexed"] for look in looks] == [2, 4, 5]
    assert [look["status"] for look in looks] == ["IN_PROGRESS", "IN_PROGRESS", "COMPLETE"]


def test_a_job_goes_on_with_the_clock_whether_looked_at_or_not() -> None:
    clock = ManualClock()
    with local_aws(Behaviour(pace=TimePace(1, 2, documents_per_second=1)), clock) as aws:
        source = source_of(aws)
        for number in range(3):
            source.put(f"{number}.txt", "食事を支給したとき")
        job_id = source.start()
        assert source.job(job_id)["status"] == source.job(job_id)["status"] == "STARTING"
        clock.advance(2.5)
        job = source.job(job_id)
        assert (job["status"], job["statistics"]["numberOfNewDocumentsIndexed"]) == ("IN_PROGRESS", 1)
        assert len(source.found("食事")) == 1
        clock.advance(10)
        assert len(source.found("食事")) == 3
        assert source.job(job_id)["status"] == "COMPLETE"


def test_one_job_at_a_time_of_a_knowledge_base(source: Source) -> None:
    other = source.aws.service.add_data_source(source.ids.knowledge_base_id, source.bucket, "other/")
    source.start()
    second = {"knowledgeBaseId": other.knowledge_base_id, "dataSourceId": other.data_source_id}
    # A refused start is a look as well: who only waits for the conflict to end does not wait for ever.
    assert [code_of(source.agent.start_ingestion_job, **second) for _ in range(3)] == ["ConflictException"] * 3
    assert source.agent.start_ingestion_job(**second)["ingestionJob"]["status"] == "STARTING"


def test_five_jobs_an_account(source: Source) -> None:
    sources = [source_of(source.aws, f"bucket-{number}") for number in range(5)]
    for one in sources:
        one.start()
    assert code_of(source.agent.start_ingestion_job, **source.named) == "ServiceQuotaExceededException"
    # Refused starts are looks at all that run, so that these end, and there is room again.
    codes = [code_of(source.agent.start_ingestion_job, **source.named) for _ in range(2)]
    assert codes == ["ServiceQuotaExceededException"] * 2
    assert source.sync()["status"] == "COMPLETE"


def test_starts_come_at_most_once_in_ten_seconds_where_the_limit_is_on() -> None:
    clock = ManualClock()
    with local_aws(Behaviour(pace=PollPace(0, 0), starts_per_second=0.1), clock) as aws:
        source = source_of(aws)
        source.sync()
        assert code_of(source.agent.start_ingestion_job, **source.named) == "ThrottlingException"
        clock.advance(10)
        assert source.sync()["status"] == "COMPLETE"


def test_the_same_token_starts_no_second_job(source: Source) -> None:
    first = source.start(clientToken=TOKEN)
    assert source.start(clientToken=TOKEN) == first
    assert len(source.agent.list_ingestion_jobs(**source.named)["ingestionJobSummaries"]) == 1
    different = {**source.named, "clientToken": TOKEN, "description": "another request"}
    assert code_of(source.agent.start_ingestion_job, **different) == "ValidationException"


def test_a_stopped_job_keeps_what_it_did_and_the_next_does_the_rest() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0, documents=1))) as aws:
        source = source_of(aws)
        for number in range(3):
            source.put(f"{number}.txt", "食事を支給したとき")
        job_id = source.start()
        source.job(job_id)
        stopping = source.agent.stop_ingestion_job(**source.named, ingestionJobId=job_id)["ingestionJob"]
        assert stopping["status"] == "STOPPING"
        assert source.job(job_id)["status"] == "STOPPED"
        again = {**source.named, "ingestionJobId": job_id}
        assert code_of(source.agent.stop_ingestion_job, **again) == "ConflictException"
        assert source.counts() == {"DocumentsScanned": 3, "NewDocumentsIndexed": 2}
        assert len(source.found("食事")) == 3


@pytest.fixture
def ended(source: Source) -> Source:
    source.put("bad.txt", b"\xff\xfe\xff")
    source.sync()
    source.remove("bad.txt")
    source.put("a.txt", "食事")
    source.sync()
    source.start()
    return source


def test_jobs_are_listed_latest_first_and_without_failure_reasons(ended: Source) -> None:
    summaries = ended.agent.list_ingestion_jobs(**ended.named)["ingestionJobSummaries"]
    assert [one["status"] for one in summaries] == ["STARTING", "COMPLETE", "COMPLETE"]
    assert [one["statistics"]["numberOfDocumentsFailed"] for one in summaries] == [0, 0, 1]
    assert not any("failureReasons" in one for one in summaries)
    (reason,) = ended.job(summaries[-1]["ingestionJobId"])["failureReasons"]
    assert reason.startswith('["Encountered error: Ignored 1 files as their text is not UTF-8')
    assert "s3://a-bucket/docs/bad.txt" in reason


def test_jobs_are_filtered_sorted_and_paged(ended: Source) -> None:
    complete = [{"attribute": "STATUS", "operator": "EQ", "values": ["COMPLETE"]}]
    oldest_first = {"attribute": "STARTED_AT", "order": "ASCENDING"}
    pages = ended.agent.get_paginator("list_ingestion_jobs").paginate(
        **ended.named, filters=complete, sortBy=oldest_first, PaginationConfig={"PageSize": 1}
    )
    listed = [page["ingestionJobSummaries"] for page in pages]
    assert [len(page) for page in listed] == [1, 1]
    assert [page[0]["statistics"]["numberOfDocumentsFailed"] for page in listed] == [1, 0]
    by_status = ended.agent.list_ingestion_jobs(**ended.named, sortBy={"attribute": "STATUS", "order": "DESCENDING"})
    statuses = [one["status"] for one in by_status["ingestionJobSummaries"]]
    assert statuses == sorted(statuses, reverse=True)
