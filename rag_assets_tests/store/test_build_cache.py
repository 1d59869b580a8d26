from pathlib import Path

import pytest

from rag_assets.store.build_cache import (
    PACKAGE,
    build_unless_current,
    code_fingerprint,
    file_fingerprint,
    file_state,
    fingerprint,
    folder_state,
    is_current,
    write_entry,
)


def test_parts_are_told_from_their_neighbours() -> None:
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    assert fingerprint("a", "") != fingerprint("a")
    assert fingerprint("あ") == fingerprint("あ".encode())


def test_files_count_by_content_and_name_and_a_missing_one_as_such(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("x")
    before = file_fingerprint([one, two])
    two.write_text("")
    assert file_fingerprint([one, two]) != before
    one.write_text("y")
    assert file_fingerprint([one]) != fingerprint("one", b"x")


def test_code_counts_with_every_file_of_a_package() -> None:
    assert code_fingerprint("corpus") != code_fingerprint("japanese")
    assert code_fingerprint("model.py") == file_fingerprint([PACKAGE / "model.py"])


@pytest.mark.parametrize("place", ["moved_away", "corpus/moved_away.py"])
def test_code_that_has_moved_away_is_told(place: str) -> None:
    with pytest.raises(FileNotFoundError, match="moved_away"):
        code_fingerprint(place)


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_a_folder_that_was_touched_looks_different(tmp_path: Path, change: str) -> None:
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "file"
    file.write_text("text")
    before = folder_state(tmp_path)
    assert folder_state(tmp_path) == before
    if change == "edit":
        file.write_text("texts")
    elif change == "add":
        (tmp_path / "other").write_text("")
    else:
        file.unlink()
    assert folder_state(tmp_path) != before


def test_a_cache_entry_is_current_for_just_its_input_hash_and_output_state(tmp_path: Path) -> None:
    entry = tmp_path / "output.entry"
    assert not is_current(entry, "inputs", "state")
    write_entry(entry, "inputs", "state")
    assert is_current(entry, "inputs", "state")
    assert not is_current(entry, "inputs", "other")
    assert not is_current(entry, "other", "state")


def test_an_output_is_built_again_where_its_inputs_or_itself_have_changed(tmp_path: Path) -> None:
    entry, output = tmp_path / "output.entry", tmp_path / "output"

    def is_built(input_hash: str) -> bool:
        return build_unless_current(entry, input_hash, lambda: file_state(output), lambda: output.write_text("built"))

    assert is_built("inputs")
    assert not is_built("inputs")
    output.write_text("edited by hand")
    assert is_built("inputs")
    assert is_built("other inputs")
