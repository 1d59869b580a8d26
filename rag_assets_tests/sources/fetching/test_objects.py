import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.sources.fetching.objects import FetchedObjects, ObjectError


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_bytes_come_back(tmp_path: Path, data: bytes) -> None:
    store = FetchedObjects(tmp_path)
    sha256 = store.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest()
    assert store.get(sha256) == data


def test_objects_lie_by_their_hash_and_leave_no_temporary_files(tmp_path: Path) -> None:
    store = FetchedObjects(tmp_path)
    sha256 = store.put(b"page")
    store.put(b"page")
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [Path("objects") / sha256[:2] / sha256]


def test_damage_and_loss_are_noticed_and_mended(tmp_path: Path) -> None:
    store = FetchedObjects(tmp_path)
    sha256 = store.put(b"page")
    store.path_of(sha256).write_bytes(b"pag3")
    assert store.find(sha256) is None
    with pytest.raises(ObjectError, match=sha256):
        store.get(sha256)
    store.put(b"page")
    assert store.get(sha256) == b"page"
    store.path_of(sha256).unlink()
    with pytest.raises(ObjectError, match="fetch the source again"):
        store.get(sha256)


def test_collect_removes_what_nothing_refers_to_but_nothing_young(tmp_path: Path) -> None:
    store = FetchedObjects(tmp_path)
    kept, dropped = store.put(b"kept"), store.put(b"dropped")
    left = store.path_of(kept).with_name(".crashed.tmp")
    left.write_bytes(b"half")
    now = datetime.now(UTC)
    assert store.collect({kept}, now - timedelta(hours=1)) == 0
    assert store.collect({kept}, now + timedelta(seconds=5)) == 2
    assert store.get(kept) == b"kept"
    assert store.find(dropped) is None
    assert not left.exists()


def test_an_old_object_that_is_put_again_is_young(tmp_path: Path) -> None:
    store = FetchedObjects(tmp_path)
    sha256 = store.put(b"page")
    os.utime(store.path_of(sha256), (0, 0))
    store.put(b"page")
    assert store.collect(set(), datetime.now(UTC) - timedelta(hours=1)) == 0
