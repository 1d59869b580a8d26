import re
import shutil
import sqlite3
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.ingestion.job_verification import PendingCounts
from rag_assets.ingestion.ledger import ChangedDocuments, DocumentChange, IngestionLedger, open_ledger, read_last_good
from rag_assets.ingestion.state import IngestionState
from rag_assets.s3.locations import Target
from rag_assets.store.lines import StorageError

IDS = ("A" * 10, "B" * 10)
TOKEN = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,256}")
NOW = datetime(2026, 4, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


TARGET = Target(bucket="a-bucket", prefix="a/", knowledge_base_id=IDS[0], data_source_id=IDS[1])


def opened(folder: Path, **other: str) -> AbstractContextManager[IngestionLedger]:
    return open_ledger(folder / "folder/state", TARGET.model_copy(update=other))


def test_what_is_marked_stays_pending_until_an_ingestion_ended_well(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        assert ledger.state.needs_ingestion("f")
        ledger.write(ledger.state.begin_change())
    with opened(tmp_path) as ledger:
        assert ledger.state.pending
        ledger.write(ledger.state.ask_for_job("f"))
        ledger.end_well("f")
    with opened(tmp_path) as ledger:
        assert not ledger.state.needs_ingestion("f")
        assert ledger.state.needs_ingestion("g")
        ledger.write(ledger.state.begin_change())
    with opened(tmp_path) as ledger:
        assert ledger.state.needs_ingestion("f")
        ledger.write(ledger.state.ask_for_job("f").end_badly())
    with opened(tmp_path) as ledger:
        assert ledger.state.needs_ingestion("f")


def test_a_change_makes_a_job_that_was_asked_for_worthless(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.write(ledger.state.begin_change())
        before = ledger.state.ask_for_job("f").model_copy(update={"job_id": "C" * 10})
        after = before.begin_change()
    assert (after.asked, after.job_id, after.covers) == (False, "", "")
    assert after.ask_for_job("f").make_token() != before.make_token()


def test_after_an_attempt_that_ended_badly_or_a_job_that_may_be_running_a_job_is_the_next() -> None:
    state = IngestionState(good="f").begin_change()
    assert not state.by_job
    assert not state.ask_directly("g").begin_change().by_job
    assert state.ask_for_job("g").begin_change().by_job
    assert state.ask_directly("g").end_badly().begin_change().by_job


@given(st.text(max_size=40), st.integers(0, 10**6), st.text(max_size=10))
def test_tokens_are_those_the_service_takes_and_one_an_attempt(pending: str, attempt: int, purpose: str) -> None:
    state = IngestionState(knowledge_base_id=IDS[0], data_source_id=IDS[1], pending=pending, attempt=attempt)
    token = state.make_token(purpose)
    assert 33 <= len(token) <= 256
    assert TOKEN.fullmatch(token)
    assert token == IngestionState.model_validate_json(state.model_dump_json()).make_token(purpose)
    assert token != state.ask_for_job("f").make_token(purpose)
    assert token != state.model_copy(update={"data_source_id": "C" * 10}).make_token(purpose)


ROUNDS: dict[tuple[DocumentChange, ...], PendingCounts] = {
    ("new",): PendingCounts(new=1),
    ("new", "metadata_changed"): PendingCounts(new=1),
    ("metadata_changed", "new"): PendingCounts(new=1),
    ("new", "changed"): PendingCounts(new=1),
    ("changed", "metadata_changed"): PendingCounts(changed=1),
    ("metadata_changed", "changed"): PendingCounts(changed=1),
    ("metadata_changed", "metadata_changed"): PendingCounts(metadata_changed=1),
    ("changed", "deleted"): PendingCounts(deleted=1),
    ("new", "deleted", "new"): PendingCounts(new=1),
    ("deleted", "metadata_changed"): PendingCounts(metadata_changed=1),
}


@pytest.mark.parametrize("changes", ROUNDS, ids=" ".join)
def test_a_document_is_pending_once_by_what_became_of_it(tmp_path: Path, changes: tuple[DocumentChange, ...]) -> None:
    for change in changes:
        with opened(tmp_path) as ledger:
            ledger.note_change(change, "a/1.txt")
    with opened(tmp_path) as ledger:
        assert ledger.count_pending() == ROUNDS[changes]
        found = (
            ChangedDocuments(deleted=("a/1.txt",)) if changes[-1] == "deleted" else ChangedDocuments(put=("a/1.txt",))
        )
        assert ledger.list_changed(1) == found
        assert ledger.list_changed(0) is None
        ledger.end_well("f")
        assert ledger.count_pending() == PendingCounts()


def test_what_was_updated_after_a_job_was_first_asked_to_take_it_in_is_not_left(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        for name in ("early", "late", "never", "untold"):
            ledger.note_change("changed", name)
        ledger.note_change("deleted", "gone")
        ledger.note_change("deleted", "still there")
        ledger.start_job(ledger.state, NOW)
        # A second job: what the first one took in stays taken in, what was changed in between does not.
        ledger.note_change("changed", "twice")
        ledger.note_change("changed", "late")
        ledger.start_job(ledger.state, NOW + 10 * SECOND)
        ledger.see("early", NOW + SECOND)
        ledger.see("late", NOW + 10 * SECOND)
        ledger.see("twice", NOW + 9 * SECOND)
        ledger.see("untold", None)
        ledger.see("still there", NOW + 20 * SECOND)
        ledger.see("not pending", NOW - SECOND)
        left = ChangedDocuments(put=("never", "twice", "untold"), deleted=("still there",))
        assert ledger.list_left(10) == left
        assert ledger.list_left(1).count == 1
        ledger.mark_ingested(left)
        assert ledger.list_left(10).count == 0
        ledger.forget_seen()
        assert ledger.list_left(10).put == ("early", "late", "never", "twice", "untold")


@pytest.mark.parametrize("what", ["knowledge_base_id", "data_source_id", "bucket", "prefix"])
def test_a_state_of_another_data_source_or_place_says_nothing(tmp_path: Path, what: str) -> None:
    with opened(tmp_path) as ledger:
        ledger.end_well("f")
        ledger.note_change("changed", "a.txt")
    with opened(tmp_path) as ledger:
        assert (ledger.state.good, ledger.count_pending().total) == ("f", 1)
    with opened(tmp_path, **{what: "CCCCCCCCC/"}) as ledger:
        assert (ledger.state.good, ledger.count_pending().total) == ("", 0)


def test_what_is_there_is_looked_for_by_name_and_is_no_change(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        assert ledger.wants_names
        ledger.note_change("new", "new")
        for name in ("new", "old", "gone", "sidecar"):
            ledger.note_present(name)
        assert ledger.count_present() == 4
        ledger.note_change("metadata_changed", "sidecar")
        assert (ledger.count_pending(), ledger.list_changed(2)) == (
            PendingCounts(new=1, metadata_changed=1),
            ChangedDocuments(put=("new", "sidecar")),
        )
        ledger.start_job(ledger.state, NOW)
        ledger.see("old", NOW - SECOND)
        ledger.see("new", NOW - SECOND)
        assert ledger.list_left(9).put == ("gone", "new", "sidecar")
        ledger.end_well("f")
        assert not ledger.wants_names
        ledger.write(ledger.state.ask_for_job("f").end_badly())
        assert ledger.wants_names


def test_what_could_not_be_taken_in_before_is_left_until_it_is(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.note_change("deleted", "deleted")
        ledger.note_change("new", "new")
        ledger.start_job(ledger.state, NOW)
        for name in ("deleted", "new", "other"):
            ledger.see_unfit(name, NOW + SECOND)
        assert ledger.list_left(9) == ChangedDocuments(put=("new", "other"), deleted=("deleted",))
        ledger.see("other", NOW)
        assert ledger.list_left(9).put == ("new", "other")
        ledger.see("other", NOW + SECOND)
        assert ledger.list_left(9).put == ("new",)


def test_the_last_job_of_this_home_is_known_whatever_becomes_of_it(tmp_path: Path) -> None:
    ran = IngestionState().ask_for_job("f").model_copy(update={"job_id": "J1"})
    for after in (ran.begin_change(), ran.ask_for_job("f"), ran.end_badly(), ran.end_badly().begin_change()):
        assert (after.job_id, after.last_job, after.newest_job) == ("", "J1", "J1")
    with opened(tmp_path) as ledger:
        ledger.write(ran)
        ledger.end_well("f")
        assert ledger.state.newest_job == "J1"


def test_where_others_were_at_work_nothing_is_good_any_more() -> None:
    good = IngestionState(good="f", last_job="J1")
    assert not good.needs_ingestion("f")
    after = good.distrust()
    assert after.needs_ingestion("f")
    assert (after.good, after.last_job) == ("", "J1")


def test_two_at_once_are_told(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.write(ledger.state.begin_change())
        with pytest.raises(StorageError, match=r"folder/state: database is locked. End what else uses it"):
            opened(tmp_path).__enter__()


@pytest.mark.parametrize("content", [b"{", b"{}{", b'{"good": "f"}', b"[]" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_holds_something_else_is_told_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"does not hold the state of an ingestion .* Delete it"):
        open_ledger(path, TARGET).__enter__()
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", ["PRAGMA user_version = 9", """UPDATE state SET state = '{"good": 5}'"""])
def test_a_state_of_another_version_is_told(tmp_path: Path, change: str) -> None:
    with opened(tmp_path) as ledger:
        ledger.end_well("f")
    with sqlite3.connect(tmp_path / "folder/state") as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(StorageError, match=r"does not hold the state of an ingestion .* Delete it"):
        opened(tmp_path).__enter__()


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def test_what_was_last_good_is_looked_up_without_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "folder/state"
    assert read_last_good(path, TARGET) is None
    assert not path.parent.exists()
    with opened(tmp_path) as ledger:
        ledger.end_well("f")
    before = files_of(tmp_path)
    found = read_last_good(path, TARGET)
    assert found is not None
    assert found.good == "f"
    assert read_last_good(path, TARGET.model_copy(update={"bucket": "another"})) is None
    assert files_of(tmp_path) == before
    with opened(tmp_path) as ledger:
        assert ledger.state.good == "f"
        ledger.write(ledger.state.distrust())
    assert read_last_good(path, TARGET) is None


def test_what_a_run_that_was_killed_has_written_last_counts_and_stays_where_it_is(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.end_well("f")
    with opened(tmp_path) as ledger:
        ledger.write(ledger.state.begin_change())
        killed = tmp_path / "killed"
        shutil.copytree(tmp_path / "folder", killed)
    # That is what this is about: the change is not yet in the file itself.
    assert (killed / "state-wal").stat().st_size
    before = files_of(killed)
    assert read_last_good(killed / "state", TARGET) is None
    assert files_of(killed) == before
    (killed / "state-wal").unlink()
    found = read_last_good(killed / "state", TARGET)
    assert found is not None
    assert found.good == "f"


def test_a_look_up_in_what_is_no_ledger_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "state"
    for content in (b"{", b"SQLite format 3\0" + b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(StorageError, match=f"^{re.escape(str(path))} does not hold the state of an ingestion"):
            read_last_good(path, TARGET)
    path.unlink()
    path.mkdir()
    with pytest.raises(StorageError, match=re.escape(str(path))):
        read_last_good(path, TARGET)


def test_what_a_sync_has_not_told_of_is_known_until_it_does(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        for name in ("b", "a", "c"):
            ledger.note_change("new", name)
        ledger.note_present("d")
        ledger.note_change("deleted", "gone")
        ledger.begin_sync()
        ledger.note_change("new", "of this sync")
        ledger.mark_reported("b")
        assert list(ledger.find_unreported()) == ["a", "c", "d"]
        assert [ledger.is_deleted(name) for name in ("gone", "a", "unknown")] == [True, False, False]
        ledger.begin_sync()
        assert list(ledger.find_unreported()) == ["a", "b", "c", "d", "of this sync"]
