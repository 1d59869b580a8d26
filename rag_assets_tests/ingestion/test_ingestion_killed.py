"""The process is killed between upload and ingestion, and during ingestion: a plain rerun reaches the right state."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulation.clocks import PollPace
from rag_assets_tests.ingestion.bench import Bench, standing

TEXTS = {f"{number}.txt": f"食事を支給したとき その{number}" for number in range(3)}
CHANGED = "住宅借入金等特別控除"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path, pace=PollPace(1, 2)) as bench:
        bench.ingest(bench.sync(TEXTS))
        yield bench


def killed_at(bench: Bench, moment: str, direct_up_to: int = 0) -> list[str]:
    """The steps of a process up to one whose line holds `moment`, where it is killed with SIGKILL."""
    target = bench.targets["prepared"]
    # What the bucket will hold is known from the files that are to be uploaded.
    before = bench.aws.s3.get_object(Bucket=target.bucket, Key="prepared/0.txt")["Body"].read()
    bench.put("prepared/0.txt", CHANGED.encode())
    expected = bench.expected()
    bench.put("prepared/0.txt", before)
    bench.time.go_by(1)
    arguments = (
        bench.aws.s3_url,
        bench.aws.url,
        target.model_dump_json(),
        expected.model_dump_json(),
        str(bench.state_file()),
        str(direct_up_to),
    )
    with subprocess.Popen(
        [sys.executable, "-m", "rag_assets_tests.ingestion.interrupted", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line.strip())
            if moment in line:
                break
            process.stdin.write("\n")
            process.stdin.flush()
        process.kill()
    assert lines
    assert moment in lines[-1], lines
    return lines


def is_right(bench: Bench) -> bool:
    return bench.texts() == sorted([CHANGED, TEXTS["1.txt"], TEXTS["2.txt"]])


def test_between_upload_and_ingestion(bench: Bench) -> None:
    killed_at(bench, "uploaded")
    assert not is_right(bench)
    # The sync has nothing left to upload; only the mark tells that there is something to ingest.
    report = bench.ingest()
    assert (report.how, report.started, report.statistics.modified) == ("job", True, 1)
    assert is_right(bench)
    assert bench.starts() == 2
    assert bench.ingest().how == "nothing"


def test_before_the_first_upload(bench: Bench) -> None:
    killed_at(bench, "marked")
    bench.ingest(bench.sync({"0.txt": CHANGED}))
    assert is_right(bench)


@pytest.mark.parametrize("moment", ["STARTING", "IN_PROGRESS", "COMPLETE"])
def test_while_the_job_runs_which_is_then_waited_for(bench: Bench, moment: str) -> None:
    lines = killed_at(bench, moment)
    job_id = lines[-1].split()[2].rstrip(":")
    report = bench.ingest()
    assert (report.job_id, report.started) == (job_id, False)
    assert is_right(bench)
    assert bench.starts() == 2
    assert bench.ingest().how == "nothing"


def test_while_the_job_runs_which_then_dies(bench: Bench) -> None:
    killed_at(bench, "IN_PROGRESS")
    bench.faults.die_in_job(reason="the store is gone")
    report = bench.ingest()
    assert report.started
    assert any("the job of an earlier run was not good" in told.message for told in bench.told)
    assert is_right(bench)
    assert bench.starts() == 3


def test_after_the_start_took_effect_but_before_its_answer_came(bench: Bench) -> None:
    bench.faults.drop("StartIngestionJob", times=2, after=True)
    killed_at(bench, "StartIngestionJob: no answer")
    assert bench.state().job_id == ""
    report = bench.ingest()
    assert report.how == "job"
    assert is_right(bench)
    # The same token led to the job that ran already.
    assert bench.starts() == 2


def test_while_waiting_for_another_job(bench: Bench) -> None:
    bench.faults.conflict(1000)
    killed_at(bench, "another ingestion job of this Knowledge Base is running")
    bench.faults.clear()
    assert bench.ingest().started
    assert is_right(bench)
    assert bench.starts() == 2


def test_a_job_that_was_left_running_is_not_good_enough_after_another_change(bench: Bench) -> None:
    killed_at(bench, "STARTING")
    report = bench.ingest(bench.sync({"2.txt": "医療費控除"}))
    assert report.started
    assert report.waited.conflicts > 0
    assert bench.starts() == 3
    assert bench.texts() == sorted([CHANGED, TEXTS["1.txt"], "医療費控除"])


@pytest.mark.parametrize(
    "moment", ["uploaded", "direct ingestion: 0 of 1 done", "IngestKnowledgeBaseDocuments: no answer"]
)
@pytest.mark.parametrize("direct_up_to", [0, 5])
def test_during_direct_ingestion_whatever_the_next_run_uses(bench: Bench, moment: str, direct_up_to: int) -> None:
    if "no answer" in moment:
        bench.faults.drop("IngestKnowledgeBaseDocuments", times=2, after=True)
    killed_at(bench, moment, direct_up_to=5)
    assert bench.state().pending
    report = bench.ingest(direct_up_to=direct_up_to)
    assert report.how == ("direct" if direct_up_to else "job")
    assert is_right(bench)
    assert bench.ingest().how == "nothing"


@pytest.mark.parametrize("direct_up_to", [0, 5])
def test_during_direct_ingestion_that_comes_to_nothing(bench: Bench, direct_up_to: int) -> None:
    bench.faults.overlook_file("*/0.txt", times=1)
    killed_at(bench, "direct ingestion: 0 of 1 done", direct_up_to=5)
    assert not is_right(bench)
    bench.ingest(direct_up_to=direct_up_to)
    assert is_right(bench)


def test_while_what_a_job_left_out_is_ingested_by_name(bench: Bench) -> None:
    bench.faults.overlook_file("*/0.txt", times=2)
    killed_at(bench, "direct ingestion: 0 of 1 done")
    assert not is_right(bench)
    report = bench.ingest()
    assert (report.how, report.started) == ("job", False)
    assert is_right(bench)
    assert bench.ingest().how == "nothing"
