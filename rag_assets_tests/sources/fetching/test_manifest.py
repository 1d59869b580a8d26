from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.sources.fetching.manifest import (
    FetchEntry,
    ManifestError,
    Outcome,
    open_manifest,
    read_manifest,
    referenced_objects,
)

NOW = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)


def _entry(key: str, outcome: Outcome = "fetched", sha256: str | None = None) -> FetchEntry:
    return FetchEntry(key=key, url=f"http://x/{key}", checked_at=NOW, outcome=outcome, sha256=sha256)


def test_last_line_of_a_key_counts_and_the_file_is_compacted(tmp_path: Path) -> None:
    path = tmp_path / "new" / "shotoku.jsonl"
    with open_manifest(path) as manifest:
        for outcome in ("failed", "fetched", "unchanged"):
            manifest.record(_entry("1000", outcome))
        manifest.record(_entry("1100"))
        assert len(path.read_bytes().splitlines()) == 4
    assert len(path.read_bytes().splitlines()) == 2
    assert read_manifest(path) == {"1000": _entry("1000", "unchanged"), "1100": _entry("1100")}


def test_a_line_outlives_the_writer_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with open_manifest(path) as manifest:
        manifest.record(_entry("1000"))
        assert list(read_manifest(path)) == ["1000"]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read_manifest(tmp_path / "m.jsonl") == {}


def test_every_torn_last_line_is_dropped_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with open_manifest(path) as manifest:
        manifest.record(_entry("1000"))
    good = path.read_bytes()
    torn = _entry("1100").model_dump_json().encode()
    for length in range(1, len(torn) + 1, 7):
        path.write_bytes(good + torn[:length])
        assert list(read_manifest(path)) == ["1000"]
        with open_manifest(path) as manifest:
            manifest.record(_entry("1200"))
        assert list(read_manifest(path)) == ["1000", "1200"]


def test_a_broken_line_elsewhere_is_told_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    line = _entry("1000").model_dump_json()
    path.write_text(f'{line}\n{{"kind": "page"\n{line}\n')
    with pytest.raises(ManifestError, match=r"m\.jsonl, line 2"):
        read_manifest(path)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with open_manifest(path), pytest.raises(ManifestError, match="another run"), open_manifest(path):
        pass
    with open_manifest(path):
        pass


def test_another_place_starts_afresh(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with open_manifest(path) as manifest:
        manifest.begin("sample", NOW)
        manifest.record(_entry("1000"))
        manifest.begin("sample", NOW)
        assert list(manifest.entries) == ["1000"]
        manifest.begin("https://live", NOW)
        assert not manifest.entries
    assert read_manifest(path) == {}


def test_referenced_objects(tmp_path: Path) -> None:
    for name, digit in (("a", "1"), ("b", "2")):
        with open_manifest(tmp_path / name) as manifest:
            manifest.record(_entry("1000", sha256="0" * 64))
            manifest.record(_entry("1000", sha256=digit * 64))
            manifest.record(_entry("1100", "withdrawn"))
    assert referenced_objects([tmp_path / "a", tmp_path / "b"]) == {"1" * 64, "2" * 64}


actions = st.lists(
    st.one_of(
        st.tuples(st.just("begin"), st.sampled_from(["site", "folder"])),
        st.tuples(st.just("record"), st.sampled_from("abcd")),
        st.tuples(st.just("finish"), st.just("")),
    ),
    max_size=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=actions)
def test_compaction_changes_nothing(tmp_path: Path, actions: list[tuple[str, str]]) -> None:
    path = tmp_path / "m.jsonl"
    path.unlink(missing_ok=True)
    with open_manifest(path) as manifest:
        for action, argument in actions:
            if action == "begin":
                manifest.begin(argument, NOW)
            elif action == "record":
                manifest.record(_entry(argument))
            elif manifest.started is not None:
                manifest.finish(NOW)
        before = dict(manifest.entries), manifest.started, manifest.finished, manifest.recorded
    with open_manifest(path) as manifest:
        assert (dict(manifest.entries), manifest.started, manifest.finished, manifest.recorded) == before
