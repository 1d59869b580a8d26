from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emulation.clocks import PollPace
from rag_assets.ingestion.ledger import open_ledger
from rag_assets.ingestion.service import IngestionError, IngestionProgress, WaitLimits
from rag_assets_tests.ingestion.bench import VARIANTS, Bench, standing

TEXTS = {f"{number}.txt": f"食事を支給したとき その{number}" for number in range(5)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as bench:
        yield bench


def message(bench: Bench, **settings: object) -> str:
    with pytest.raises(IngestionError) as caught:
        bench.ingest(**settings)  # type: ignore[arg-type]
    return str(caught.value)


# -- when a job is started


def test_a_first_sync_is_ingested_by_one_job_and_the_next_run_asks_for_nothing(bench: Bench) -> None:
    report = bench.ingest(bench.sync(TEXTS))
    assert (report.how, report.started, report.status) == ("job", True, "COMPLETE")
    assert (report.statistics.scanned, report.statistics.metadata_scanned, report.statistics.new) == (5, 5, 5)
    assert not report.listed
    assert bench.found("食事") == sorted(TEXTS)
    calls = len(bench.aws.service.calls)
    assert bench.ingest().how == "nothing"
    # One question, whether others were here.
    assert [call.operation for call in bench.aws.service.calls[calls:]] == ["ListIngestionJobs"]
    assert bench.starts() == 1


def test_changed_and_deleted_documents_are_ingested_by_one_job(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    expected = bench.sync({"0.txt": "住宅ローン控除"}, sidecars={"1.txt": {"name": "other"}}, delete=("2.txt",))
    report = bench.ingest(expected)
    statistics = report.statistics
    assert (statistics.modified, statistics.metadata_modified, statistics.deleted) == (1, 1, 1)
    assert not report.listed
    assert bench.starts() == 2
    assert bench.found("住宅ローン控除") == ["0.txt"]
    assert bench.found("食事") == ["1.txt", "3.txt", "4.txt"]


def test_another_fingerprint_is_enough_for_a_job(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    # Somebody else changed the bucket, or the state is that of an older run.
    bench.put("prepared/extra.txt", "年末調整".encode())
    report = bench.ingest()
    assert (report.how, report.statistics.new, report.listed) == ("job", 1, True)
    assert bench.found("年末調整") == ["extra.txt"]


def test_the_state_of_another_data_source_says_nothing(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.sync(TEXTS, variant="raw")
    bench.state_file("raw").write_bytes(bench.state_file("prepared").read_bytes())
    assert "is new" in message(bench, variant="raw")
    bench.sync(variant="raw")
    assert bench.ingest(variant="raw").how == "job"


def test_the_state_of_another_bucket_says_nothing_where_all_keys_are_the_same(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    target = bench.targets["prepared"]
    bench.aws.create_bucket("a-replica")
    for key in bench.etags("prepared"):
        bench.aws.s3.copy_object(Bucket="a-replica", Key=key, CopySource={"Bucket": target.bucket, "Key": key})
    bench.aws.service.account.data_source(*target.ids.values())[1].bucket = "a-replica"
    bench.targets = {"prepared": target.model_copy(update={"bucket": "a-replica"})}
    assert bench.ingest(bench.sync()).how == "job"
    listed = bench.agent.list_knowledge_base_documents(**target.ids)["documentDetails"]
    assert {detail["identifier"]["s3"]["uri"] for detail in listed} == {
        f"s3://a-replica/prepared/{name}" for name in TEXTS
    }
    assert bench.ingest().how == "nothing"


def test_documents_of_another_place_that_are_still_known_are_told(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    target = bench.targets["prepared"]
    source = bench.aws.service.account.data_source(*target.ids.values())[1]
    source.documents = {uri.replace("a-bucket", "old-bucket"): one for uri, one in source.documents.items()}
    bench.faults.overlook_file("s3://old-bucket/*")
    bench.state_file().unlink()
    told = message(bench, expected=bench.sync({"0.txt": "食事 0"}))
    assert "5 documents of another place are still known" in told
    assert "create another" in told


# -- what others do


def a_job_of_others(bench: Bench) -> None:
    job = bench.agent.start_ingestion_job(**bench.targets["prepared"].ids)["ingestionJob"]
    while job["status"] != "COMPLETE":
        job = bench.agent.get_ingestion_job(**bench.targets["prepared"].ids, ingestionJobId=job["ingestionJobId"])[
            "ingestionJob"
        ]


def changed_ingested_and_put_back(bench: Bench, name: str = "0.txt") -> None:
    """Somebody else changes a document, has it ingested, and puts back what was there: no sync sees that."""
    bench.time.go_by(1)
    bench.put(f"prepared/{name}", b"WRONG")
    a_job_of_others(bench)
    bench.put(f"prepared/{name}", TEXTS[name].encode())


def test_what_others_changed_ingested_and_put_back_is_mended_though_nothing_is_new(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    changed_ingested_and_put_back(bench)
    assert "WRONG" in bench.texts()
    report = bench.ingest()
    assert (report.how, report.started, report.listed) == ("job", True, True)
    assert any("was not started from here" in told.message for told in bench.told)
    assert bench.texts() == sorted(TEXTS.values())
    assert bench.ingest().how == "nothing"
    assert bench.starts() == 3


def test_a_job_of_others_that_found_everything_as_it_was_is_none_of_our_business(bench: Bench) -> None:
    """Another home with the same corpus: each would otherwise go on starting jobs because of the other's."""
    bench.ingest(bench.sync(TEXTS))
    for _ in range(3):
        a_job_of_others(bench)
        assert bench.ingest().how == "nothing"
    changed_ingested_and_put_back(bench)
    a_job_of_others(bench)
    assert bench.ingest().how == "job"
    assert bench.texts() == sorted(TEXTS.values())


def test_after_a_job_of_others_few_changes_are_no_matter_for_direct_ingestion(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    changed_ingested_and_put_back(bench)
    assert bench.ingest(bench.sync({"1.txt": "年末調整"}), direct_up_to=5).how == "job"
    assert bench.texts() == sorted({**TEXTS, "1.txt": "年末調整"}.values())


def test_what_a_job_does_for_others_does_not_count_as_done_for_us(bench: Bench) -> None:
    """Their job runs while ours waits for it: one document modified is not the one that was changed."""
    bench.ingest(bench.sync(TEXTS))
    expected = bench.sync({"1.txt": "年末調整"})
    bench.faults.overlook_file("*/1.txt", times=2)

    def interfere(told: IngestionProgress) -> None:
        if "StartIngestionJob" in told.message:
            changed_ingested_and_put_back(bench)

    bench.faults.conflict()
    report = bench.ingest(expected, on_progress=interfere)
    assert (report.statistics.modified, report.listed) == (1, True)
    assert bench.texts() == sorted({**TEXTS, "1.txt": "年末調整"}.values())


def test_an_interrupted_run_does_not_hide_a_job_of_others(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    changed_ingested_and_put_back(bench)
    bench.faults.deny("StartIngestionJob", times=1)
    message(bench)
    assert bench.ingest().listed
    assert bench.texts() == sorted(TEXTS.values())


def test_what_was_uploaded_again_and_never_ingested_otherwise_is_no_alarm(bench: Bench) -> None:
    """Somebody overwrote an object; the sync put back what the Knowledge Base has, before any job."""
    bench.ingest(bench.sync(TEXTS))
    bench.put("prepared/0.txt", b"WRONG")
    report = bench.ingest(bench.sync({"0.txt": TEXTS["0.txt"]}))
    assert (report.how, report.statistics.modified) == ("job", 0)
    assert bench.texts() == sorted(TEXTS.values())
    assert bench.ingest().how == "nothing"
    assert bench.starts() == 2


@pytest.mark.parametrize("overlooked", [0, 1])
def test_with_a_fresh_state_documents_that_others_took_out_are_found_missing_by_name(
    bench: Bench, overlooked: int, tmp_path: Path
) -> None:
    bench.ingest(bench.sync(TEXTS))
    target = bench.targets["prepared"]
    gone = [{"dataSourceType": "S3", "s3": {"uri": target.object_uri("prepared/1.txt")}}]
    bench.agent.delete_knowledge_base_documents(**target.ids, documentIdentifiers=gone)
    for _ in range(3):
        bench.agent.get_knowledge_base_documents(**target.ids, documentIdentifiers=gone)
    assert len(bench.texts()) == 4
    # Nothing tells of that but to look at every document.
    assert bench.ingest().how == "nothing"
    bench.state_file().unlink()
    bench.sync()
    # A job may take it for unchanged.
    bench.faults.overlook_file("*/1.txt", times=overlooked)
    report = bench.ingest()
    assert (report.listed, bool(report.direct)) == (True, bool(overlooked))
    assert bench.texts() == sorted(TEXTS.values())
    assert bench.ingest().how == "nothing"


def test_one_document_that_is_missing_is_not_made_up_for_by_another_too_many(bench: Bench, tmp_path: Path) -> None:
    bench.ingest(bench.sync({**TEXTS, "old.txt": "古い"}))
    bench.state_file().unlink()
    bench.aws.s3.delete_object(Bucket="a-bucket", Key="prepared/old.txt")
    bench.aws.s3.delete_object(Bucket="a-bucket", Key="prepared/old.txt.metadata.json")
    bench.faults.overlook_file("*/old.txt")
    bench.aws.service.account.data_source(*bench.targets["prepared"].ids.values())[1].documents.pop(
        "s3://a-bucket/prepared/1.txt"
    )
    bench.faults.overlook_file("*/1.txt", times=1)
    bench.sync()
    # The number is right until what is missing is there again.
    assert "1 that are gone from the bucket are still found" in message(bench)
    bench.faults.clear()
    bench.ingest()
    assert bench.texts() == sorted(TEXTS.values())


def test_a_lost_state_costs_a_sync_and_a_job_and_nothing_else(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.state_file().unlink()
    for _ in range(2):
        assert "s3_objects first" in message(bench)
    assert bench.starts() == 1
    report = bench.ingest(bench.sync())
    assert (report.statistics.new, report.listed) == (0, True)
    assert bench.ingest().how == "nothing"


def test_progress_tells_how_far_the_job_is(tmp_path: Path) -> None:
    with standing(tmp_path, pace=PollPace(1, 1, documents=2)) as bench:
        bench.ingest(bench.sync(TEXTS))
        counts = [told.statistics.new for told in bench.told if told.statistics]
        assert counts == [0, 0, 2, 4, 5]
        assert "IN_PROGRESS, scanned 5 documents and 5 sidecars, new 2" in bench.told[2].message
        # Looks come ever more seldom, up to every 30 seconds.
        assert bench.time.slept == [2, 4, 8, 16]


def test_raw_and_prepared_in_one_knowledge_base_wait_for_each_other_and_never_mix(bench: Bench) -> None:
    raw, prepared = bench.sync(TEXTS, variant="raw"), bench.sync({"a.txt": "食事", "b.txt": "食事代"})
    # The raw variant's job is under way when the prepared one's turn comes.
    bench.agent.start_ingestion_job(**bench.targets["raw"].ids)
    report = bench.ingest(prepared)
    assert report.waited.conflicts > 0
    assert any("another ingestion job of this Knowledge Base is running" in told.message for told in bench.told)
    assert bench.ingest(raw, "raw").how == "job"
    assert bench.found("食事") == ["a.txt", "b.txt"]
    assert bench.found("食事", "raw") == sorted(TEXTS)
    assert [bench.ingest(variant=variant).how for variant in VARIANTS] == ["nothing", "nothing"]


# -- what is in the way of a start


def test_throttling_at_the_start_is_waited_out(tmp_path: Path) -> None:
    with standing(tmp_path, starts_per_second=0.1) as bench:
        bench.ingest(bench.sync(TEXTS, variant="raw"), "raw")
        # The job took two looks, after 2 and 4 seconds: these two starts are within ten.
        assert bench.time.slept == [2, 4]
        report = bench.ingest(bench.sync(TEXTS))
        assert report.waited.throttles == 1
        bench.time.sleep(11)
        bench.faults.throttle("StartIngestionJob", times=3)
        report = bench.ingest(bench.sync({"0.txt": "住宅ローン控除"}))
        assert report.waited.throttles == 3
        assert bench.found("住宅ローン") == ["0.txt"]


@pytest.mark.parametrize("fault", ["conflict", "quota"])
def test_conflicts_and_quotas_are_waited_out_up_to_a_limit(bench: Bench, fault: str) -> None:
    expected = bench.sync(TEXTS)
    getattr(bench.faults, fault)(1000)
    told = message(bench, expected=expected, patience=WaitLimits(start=300))
    assert "StartIngestionJob did not succeed within 300 seconds" in told
    assert {"conflict": "One job runs at a time", "quota": "Service Quotas"}[fault] in told
    assert sum(bench.time.slept) <= 300
    bench.faults.clear()
    getattr(bench.faults, fault)(3)
    report = bench.ingest()
    assert report.started
    assert (report.waited.conflicts, report.waited.quotas) == ((3, 0) if fault == "conflict" else (0, 3))
    assert bench.found("食事") == sorted(TEXTS)
    assert bench.starts() == 1


# -- jobs that do not end well


def test_a_failed_job_is_told_with_its_reason_and_the_next_run_starts_another(tmp_path: Path) -> None:
    with standing(tmp_path, pace=PollPace(documents=2)) as bench:
        expected = bench.sync(TEXTS)
        bench.faults.die_in_job(after=2, reason="The vector store could not be reached.")
        told = message(bench, expected=expected)
        assert "it ended FAILED" in told
        assert "The vector store could not be reached." in told
        assert "run again" in told
        assert bench.found("食事") == ["0.txt", "1.txt"]
        bench.told.clear()
        report = bench.ingest()
        assert (report.started, report.statistics.new, report.listed) == (True, 3, True)
        assert not any("earlier run" in told.message for told in bench.told)
        assert bench.found("食事") == sorted(TEXTS)
        assert bench.starts() == 2


def test_complete_with_failed_files_is_not_good(bench: Bench) -> None:
    expected = bench.sync({**TEXTS, "bad.txt": b"\xff\xfe\xff"})
    told = message(bench, expected=expected)
    assert "1 document(s) failed" in told
    assert "their text is not UTF-8" in told
    assert "s3://a-bucket/prepared/bad.txt is FAILED" in told
    assert bench.targets["prepared"].data_source_id in told
    assert bench.state().pending
    # Nothing is mended: it stays bad. Mended: it is good.
    assert "bad.txt" in message(bench)
    bench.ingest(bench.sync({"bad.txt": "医療費控除"}))
    assert bench.found("医療費控除") == ["bad.txt"]
    assert bench.ingest().how == "nothing"


@pytest.mark.parametrize("counted", [True, False])
def test_complete_with_skipped_files_is_not_good_even_where_no_count_tells(tmp_path: Path, counted: bool) -> None:
    with standing(tmp_path, skips_counted=counted) as bench:
        bench.ingest(bench.sync(TEXTS))
        # Among unchanged documents a skipped one cannot be told by the counts alone.
        expected = bench.sync({"new.txt": "年末調整"}, sidecars={"new.txt": {"kind": ""}})
        told = message(bench, expected=expected)
        assert "s3://a-bucket/prepared/new.txt is IGNORED" in told
        assert bench.state().pending
        assert "new.txt is IGNORED" in message(bench)
        bench.ingest(bench.sync({"new.txt": "年末調整"}))
        assert bench.found("年末調整") == ["new.txt"]


def test_a_changed_text_that_is_skipped_in_silence_is_found_out(tmp_path: Path) -> None:
    with standing(tmp_path, skips_counted=False) as bench:
        bench.ingest(bench.sync(TEXTS))
        bench.faults.skip_file("*/0.txt")
        told = message(bench, expected=bench.sync({"0.txt": "住宅ローン控除"}))
        assert "prepared/0.txt is IGNORED" in told
        bench.faults.clear()
        bench.ingest()
        assert bench.found("住宅ローン控除") == ["0.txt"]


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("fault", ["fail_file", "skip_file"])
def test_a_document_that_failed_once_recovers_where_the_change_is_taken_back(
    bench: Bench, fault: str, lost: bool
) -> None:
    bench.ingest(bench.sync(TEXTS))
    getattr(bench.faults, fault)("*/0.txt", times=1)
    message(bench, expected=bench.sync({"0.txt": "住宅ローン控除"}))
    expected = bench.sync({"0.txt": TEXTS["0.txt"]})
    if lost:
        bench.state_file().unlink()
        bench.sync()
    # The job has no reason to look at it: the object is as it was when it was indexed.
    bench.faults.overlook_file("*/0.txt", times=1)
    report = bench.ingest(expected)
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (1, 0)
    assert bench.texts() == sorted(TEXTS.values())
    assert bench.ingest().how == "nothing"


def test_a_document_that_fails_by_name_too_is_told_and_tried_again(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.faults.fail_file("*/0.txt", "the model was throttled", times=2)
    message(bench, expected=bench.sync({"0.txt": "住宅ローン控除"}))
    bench.faults.overlook_file("*/0.txt", times=1)
    expected = bench.sync({"0.txt": TEXTS["0.txt"]})
    assert "prepared/0.txt is FAILED: the model was throttled" in message(bench, expected=expected)
    bench.ingest()
    assert bench.texts() == sorted(TEXTS.values())


FILES = "Look at the files that are named"
OTHERS = "nobody else changes the bucket"
ROLE = "Allow the Knowledge Base's own role"


@pytest.mark.parametrize("name", ["0.txt", "5403.txt", "403/AccessDenied.txt", "NoSuchBucket.txt"])
@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        (lambda bench, key: bench.faults.fail_file(key, "their text could not be read"), FILES),
        (lambda bench, key: bench.faults.fail_file(key, "Access Denied (Service: S3, Status Code: 403)"), ROLE),
        (lambda bench, key: bench.faults.fail_file(key, "the associated metadata was larger"), "Shorten the sidecars"),
        (lambda bench, key: bench.faults.skip_file(key), FILES),
        (lambda bench, _: bench.faults.scanned_off_by(403), OTHERS),
        (lambda bench, _: bench.faults.die_in_job(reason="The vector store 403 is gone"), "Mend what the reasons name"),
    ],
)
def test_what_to_do_follows_from_what_is_wrong_and_not_from_names_and_numbers(
    bench: Bench, name: str, fault: Callable[[Bench, str], Any], remedy: str
) -> None:
    bench.ingest(bench.sync({**TEXTS, name: "食事"}))
    fault(bench, f"*/{name}")
    told = message(bench, expected=bench.sync({name: "住宅ローン控除"})).rpartition("What to do: ")[2]
    assert remedy in told
    assert [one for one in (FILES, OTHERS, ROLE, "Create the bucket") if one in told and one != remedy] == []


def test_how_many_were_skipped_is_told_in_a_line_of_its_own(bench: Bench) -> None:
    bench.faults.skip_file("*/[01].txt")
    assert "\n- 2 document(s) skipped\n" in message(bench, expected=bench.sync(TEXTS))


def interrupted(bench: Bench, how: str) -> None:
    """One text changed, and a run that does not end well."""
    expected = bench.sync({"0.txt": "住宅ローン控除"}, delete=("4.txt",))
    if how == "start denied":
        bench.faults.deny("StartIngestionJob", times=1)
    elif how == "job failed":
        bench.faults.die_in_job()
    elif how == "answers denied":
        bench.faults.deny("GetIngestionJob", times=1)
    if how != "killed after the upload":
        message(bench, expected=expected)


INTERRUPTIONS = ("killed after the upload", "start denied", "answers denied", "job failed")


@pytest.mark.parametrize("how", INTERRUPTIONS)
def test_what_a_job_leaves_as_it_was_is_ingested_by_name_after_any_interruption(bench: Bench, how: str) -> None:
    bench.ingest(bench.sync(TEXTS))
    interrupted(bench, how)
    bench.faults.overlook_file("*/0.txt", times=1)
    report = bench.ingest()
    assert (report.how, report.listed, report.statistics.modified) == ("job", True, 0)
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (1, 0)
    assert any("they are ingested by name (prepared/0.txt" in told.message for told in bench.told)
    assert bench.found("住宅ローン控除") == ["0.txt"]
    assert bench.ingest().how == "nothing"


@pytest.mark.parametrize("how", INTERRUPTIONS)
def test_what_stays_as_it_was_is_never_called_good_however_often_it_is_tried(bench: Bench, how: str) -> None:
    bench.ingest(bench.sync(TEXTS))
    interrupted(bench, how)
    bench.faults.overlook_file("*/0.txt")
    for _ in range(3):
        assert "prepared/0.txt is INDEXED, as it was before" in message(bench)
    bench.faults.clear()
    assert bench.ingest().started
    assert bench.found("住宅ローン控除") == ["0.txt"]


def test_a_deleted_text_that_is_left_in_place_of_a_new_one_is_found_out(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.faults.overlook_file("*/new.txt", times=1)
    bench.faults.overlook_file("*/4.txt", times=1)
    # The number of documents is right.
    report = bench.ingest(bench.sync({"new.txt": "年末調整"}, delete=("4.txt",)))
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (1, 1)
    assert (bench.found("年末調整"), bench.found("食事")) == (["new.txt"], ["0.txt", "1.txt", "2.txt", "3.txt"])


def test_what_is_ingested_by_name_needs_a_right_that_is_named(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.faults.overlook_file("*/0.txt", times=1)
    bench.faults.deny("IngestKnowledgeBaseDocuments")
    expected = bench.sync({"0.txt": "住宅ローン控除"})
    assert "Allow the action bedrock:IngestKnowledgeBaseDocuments" in message(bench, expected=expected)
    bench.faults.clear()
    assert bench.ingest().started
    assert bench.found("住宅ローン控除") == ["0.txt"]


@pytest.mark.parametrize("off", [-1, 1])
def test_another_number_scanned_than_uploaded_is_not_good(bench: Bench, off: int) -> None:
    expected = bench.sync(TEXTS)
    bench.faults.scanned_off_by(off)
    told = message(bench, expected=expected)
    assert f"it scanned {5 + off} documents, but 5 were uploaded" in told
    assert bench.state().pending
    assert bench.ingest().started
    assert bench.ingest().how == "nothing"


def test_a_sidecar_that_is_missing_in_the_bucket_is_not_good(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    bench.aws.s3.delete_object(Bucket="a-bucket", Key="prepared/0.txt.metadata.json")
    assert "it scanned 4 sidecars, but 5 were uploaded" in message(bench, expected=expected)
    # The next sync puts it there again.
    bench.ingest(bench.sync({"0.txt": TEXTS["0.txt"]}))
    assert bench.found("食事") == sorted(TEXTS)
    assert bench.ingest().how == "nothing"


def test_a_stopped_job_is_not_good(bench: Bench) -> None:
    expected = bench.sync(TEXTS)

    def stop(told: object) -> None:
        (job,) = bench.agent.list_ingestion_jobs(**bench.targets["prepared"].ids)["ingestionJobSummaries"]
        if job["status"] == "IN_PROGRESS":
            bench.agent.stop_ingestion_job(**bench.targets["prepared"].ids, ingestionJobId=job["ingestionJobId"])

    with pytest.raises(IngestionError, match="it was stopped"):
        bench.ingest(expected, on_progress=stop)
    assert bench.ingest().started
    assert bench.found("食事") == sorted(TEXTS)


def test_a_job_that_does_not_end_is_waited_for_again_by_the_next_run(tmp_path: Path) -> None:
    with standing(tmp_path, pace=PollPace(in_progress=12)) as bench:
        expected = bench.sync(TEXTS)
        told = message(bench, expected=expected, patience=WaitLimits(job=100))
        assert "is still IN_PROGRESS after 100 seconds" in told
        report = bench.ingest()
        assert not report.started
        assert bench.starts() == 1
        assert bench.found("食事") == sorted(TEXTS)


def test_a_job_that_was_left_running_is_not_good_enough_where_the_bucket_is_another_by_now(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))

    def break_off(progress: IngestionProgress) -> None:
        if "IN_PROGRESS" in progress.message:
            raise KeyboardInterrupt

    expected = bench.sync({"0.txt": "年末調整"})
    with pytest.raises(KeyboardInterrupt):
        bench.ingest(expected, on_progress=break_off)
    # Somebody else changes a document that the job has seen already; nothing marks that.
    bench.put("prepared/0.txt", "住宅借入金等特別控除".encode())
    assert bench.ingest().started
    assert bench.found("住宅借入金等特別控除") == ["0.txt"]
    assert bench.starts() == 3


def test_a_job_that_nobody_knows_any_more_is_replaced(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    lost = bench.state().ask_for_job(expected.fingerprint).model_copy(update={"job_id": "ZZZZZZZZZZ"})
    target = bench.targets["prepared"]
    with open_ledger(bench.state_file(), target) as ledger:
        ledger.write(lost)
    assert bench.ingest(expected).started
    assert bench.found("食事") == sorted(TEXTS)


def test_the_bucket_is_missing(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    objects = [{"Key": key} for key in bench.etags("prepared")]
    bench.aws.s3.delete_objects(Bucket="a-bucket", Delete={"Objects": objects})
    bench.aws.s3.delete_bucket(Bucket="a-bucket")
    told = message(bench, expected=expected)
    assert "NoSuchBucket" in told
    assert "Create the bucket in the Knowledge Base's region" in told
    bench.aws.create_bucket("a-bucket")
    bench.ingest(bench.sync(TEXTS))
    assert bench.found("食事") == sorted(TEXTS)


# -- the service, credentials and rights


def test_expired_credentials_end_it_at_once_and_renewed_ones_go_on(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    bench.faults.expire_credentials()
    told = message(bench, expected=expected)
    assert "credentials are expired" in told
    assert "aws sso login" in told
    assert bench.time.slept == []
    bench.faults.renew_credentials()
    assert bench.ingest().started
    assert bench.found("食事") == sorted(TEXTS)


def test_credentials_that_expire_during_the_job_lose_nothing(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    bench.faults.refuse("GetIngestionJob", "ExpiredTokenException")
    assert "ExpiredTokenException at GetIngestionJob" in message(bench, expected=expected)
    report = bench.ingest()
    assert not report.started
    assert bench.starts() == 1
    assert bench.found("食事") == sorted(TEXTS)


@pytest.mark.parametrize(
    "operation",
    ["GetKnowledgeBase", "GetDataSource", "StartIngestionJob", "GetIngestionJob", "ListKnowledgeBaseDocuments"],
)
def test_a_missing_right_is_named(bench: Bench, operation: str) -> None:
    bench.ingest(bench.sync(TEXTS))
    bench.state_file().unlink()
    bench.sync({"new.txt": "食事"})
    bench.faults.deny(operation)
    told = message(bench)
    assert f"Allow the action bedrock:{operation}" in told
    assert bench.time.slept.count(11) == 0
    bench.faults.clear()
    bench.ingest()
    assert bench.starts() == 2
    bench.faults.deny("ListIngestionJobs", times=1)
    assert "Allow the action bedrock:ListIngestionJobs" in message(bench)
    assert bench.ingest().how == "nothing"


def test_a_missing_knowledge_base_and_a_missing_data_source_are_told(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    bench.targets = {
        "prepared": bench.targets["prepared"],
        "no_base": bench.targets["prepared"].model_copy(update={"knowledge_base_id": "ZZZZZZZZZZ"}),
        "no_source": bench.targets["prepared"].model_copy(update={"data_source_id": "YYYYYYYYYY"}),
    }
    assert "there is no Knowledge Base ZZZZZZZZZZ in region ap-northeast-1" in message(
        bench, expected=expected, variant="no_base"
    )
    assert "has no data source YYYYYYYYYY" in message(bench, expected=expected, variant="no_source")
    assert bench.ingest(expected).started


def test_the_wrong_region_is_told(bench: Bench) -> None:
    elsewhere = bench.aws.client("bedrock-agent", region_name="us-west-2")
    assert "in region us-west-2" in message(bench, expected=bench.sync(TEXTS), agent=elsewhere)
    assert bench.ingest().started
    assert bench.found("食事") == sorted(TEXTS)


@pytest.mark.parametrize("operation", ["GetKnowledgeBase", "StartIngestionJob", "GetIngestionJob"])
def test_errors_of_the_service_and_dropped_connections_are_tried_again(bench: Bench, operation: str) -> None:
    expected = bench.sync(TEXTS)
    bench.faults.server_error(operation)
    bench.faults.refuse(operation, "ServiceUnavailableException")
    bench.faults.drop(operation)
    bench.faults.drop(operation, after=True)
    report = bench.ingest(expected)
    assert report.waited.unanswered == 4
    assert bench.starts() == 1
    assert bench.found("食事") == sorted(TEXTS)


@pytest.mark.parametrize("operation", ["StartIngestionJob", "GetIngestionJob"])
def test_answers_that_come_too_late_are_asked_for_again(bench: Bench, operation: str) -> None:
    impatient = bench.aws.client("bedrock-agent", timeout=0.2)
    expected = bench.sync(TEXTS)
    bench.faults.slow(operation, 0.4, times=2)
    report = bench.ingest(expected, agent=impatient)
    assert report.waited.unanswered >= 1
    assert bench.starts() == 1
    assert bench.found("食事") == sorted(TEXTS)


def test_a_service_that_stays_silent_ends_it_with_advice(bench: Bench) -> None:
    expected = bench.sync(TEXTS)
    bench.faults.drop("StartIngestionJob", times=1000)
    told = message(bench, expected=expected, patience=WaitLimits(answer=60))
    assert "StartIngestionJob did not succeed within 60 seconds" in told
    assert "AWS Health Dashboard" in told
    bench.faults.clear()
    assert bench.ingest().started
    assert bench.starts() == 1
