import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.storage import StorageError
from rag_assets.sync.state import (
    IngestionState,
    asking,
    ended_badly,
    ended_well,
    mark_pending,
    read_state,
    write_state,
)

IDS = ("A" * 10, "B" * 10)
TOKEN = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,256}")


def test_what_is_marked_stays_pending_until_an_ingestion_ended_well(tmp_path: Path) -> None:
    path = tmp_path / "folder/state.json"
    assert read_state(path, *IDS).needs_ingestion("f")
    mark_pending(path, *IDS)
    state = read_state(path, *IDS)
    assert state.pending
    assert not state.alone
    write_state(path, ended_well(asking(state, "f"), "f"))
    assert not read_state(path, *IDS).needs_ingestion("f")
    assert read_state(path, *IDS).needs_ingestion("g")
    mark_pending(path, *IDS)
    assert read_state(path, *IDS).needs_ingestion("f")
    write_state(path, ended_badly(asking(read_state(path, *IDS), "f")))
    assert read_state(path, *IDS).needs_ingestion("f")


def test_a_sync_is_alone_only_where_the_one_before_was_ingested(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_state(path, ended_well(read_state(path, *IDS), "f"))
    mark_pending(path, *IDS)
    assert read_state(path, *IDS).alone
    assert not asking(read_state(path, *IDS), "f").alone
    mark_pending(path, *IDS)
    assert not read_state(path, *IDS).alone


def test_a_job_asked_for_before_a_mark_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_state(path, asking(read_state(path, *IDS), "f").model_copy(update={"job_id": "C" * 10}))
    before = read_state(path, *IDS)
    mark_pending(path, *IDS)
    after = read_state(path, *IDS)
    assert (after.asked, after.job_id, after.covers) == (False, "", "")
    assert asking(after, "f").token() != before.token()


@given(st.text(max_size=40), st.integers(0, 10**6), st.text(max_size=10))
def test_tokens_are_those_the_service_takes_and_one_an_attempt(pending: str, attempt: int, purpose: str) -> None:
    state = IngestionState(knowledge_base_id=IDS[0], data_source_id=IDS[1], pending=pending, attempt=attempt)
    token = state.token(purpose)
    assert 33 <= len(token) <= 256
    assert TOKEN.fullmatch(token)
    assert token == IngestionState.model_validate_json(state.model_dump_json()).token(purpose)
    assert token != asking(state, "f").token(purpose)
    assert token != state.model_copy(update={"data_source_id": "C" * 10}).token(purpose)


def test_a_state_of_another_data_source_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_state(path, ended_well(read_state(path, *IDS), "f"))
    assert read_state(path, IDS[0], "C" * 10).needs_ingestion("f")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"good": 5}', b'{"unknown": ""}'])
def test_a_file_that_holds_something_else_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    for call in (read_state, mark_pending):
        with pytest.raises(StorageError, match="Delete it and run again"):
            call(path, *IDS)
    assert path.read_bytes() == content
