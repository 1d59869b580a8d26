from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.model import Attribute, Chunk
from rag_assets.store.lines import (
    StorageError,
    read_folder,
    read_lines,
    write_if_changed,
    write_json_lines,
    write_lines,
)


def _chunk(**fields: object) -> Chunk:
    return Chunk.model_validate({"chunk_id": "s/1/a", "record_id": "s/1", "variant": "v", "body": "本文", **fields})


def test_only_a_change_is_written(tmp_path: Path) -> None:
    path = tmp_path / "deep/er/x.jsonl"
    assert write_if_changed(path, b"one")
    before = path.stat()
    assert not write_if_changed(path, b"one")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert [found.name for found in path.parent.iterdir()] == ["x.jsonl"]


def test_the_new_file_takes_the_place_of_the_old_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_if_changed(path, b"old")
    with path.open("rb") as reader:
        write_if_changed(path, b"new and longer")
        assert reader.read() == b"old"


def test_what_a_crash_left_is_no_value_and_no_hindrance(tmp_path: Path) -> None:
    write_lines(tmp_path / "x.jsonl", [_chunk()])
    (tmp_path / ".x.jsonl.writing").write_bytes(b'{"chunk_id"')
    assert read_folder(tmp_path, Chunk, "chunks") == [_chunk()]
    assert write_lines(tmp_path / "x.jsonl", [])
    assert [found.name for found in tmp_path.iterdir()] == ["x.jsonl"]


@pytest.mark.parametrize("hindrance", ["a folder in its place", "a file in its folder's place"])
def test_what_cannot_be_written_is_told_and_leaves_no_litter(tmp_path: Path, hindrance: str) -> None:
    path = tmp_path / "in/x.jsonl"
    if hindrance == "a folder in its place":
        path.mkdir(parents=True)
    else:
        path.parent.write_bytes(b"")
    with pytest.raises(StorageError, match=r"in/x\.jsonl could not be written: .*then run again"):
        write_if_changed(path, b"new")
    assert not list(tmp_path.rglob("*.writing"))


def test_japanese_stays_readable_and_a_value_is_a_line(tmp_path: Path) -> None:
    write_json_lines(tmp_path / "x.jsonl", [{"k": "食事\n\u2028"}, {}])
    assert (tmp_path / "x.jsonl").read_bytes() == '{"k":"食事\\n\u2028"}\n{}\n'.encode()


_attributes = st.dictionaries(
    st.text(max_size=5),
    st.one_of(
        st.text(max_size=9),
        st.integers(-(2**63), 2**63),
        st.floats(allow_nan=False),
        st.booleans(),
        st.lists(st.text(max_size=5), max_size=3).map(tuple),
    ),
    max_size=5,
)


@given(
    st.lists(
        st.builds(lambda body, attributes: _chunk(body=body, attributes=attributes), st.text(min_size=1), _attributes)
    )
)
def test_what_is_written_is_read(values: list[Chunk]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        write_lines(path, values)
        read = read_lines(path, Chunk, "chunks")
        assert read == values
        assert [_kinds(value.attributes) for value in read] == [_kinds(value.attributes) for value in values]
        assert not write_lines(path, read)


def _kinds(attributes: dict[str, Attribute]) -> dict[str, type]:
    return {key: type(value) for key, value in attributes.items()}


def test_a_missing_file_names_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"x\.jsonl does not exist yet: materialize chunks first"):
        read_lines(tmp_path / "x.jsonl", Chunk, "chunks")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{}", r"x\.jsonl:2: chunk_id: Field required; the file was not written by this version: materialize chunks"),
        (b'{"chunk_id": 1', r"x\.jsonl:2: Invalid JSON"),
        (b"", r"x\.jsonl:2: Invalid JSON"),
        (b"\xff\xfe", r"x\.jsonl:2: Invalid JSON"),
        (_chunk().model_dump_json().replace('"body"', '"bodyy"').encode(), r"x\.jsonl:2: body: Field required"),
        (b'{"attributes": {"k": null}}', r"x\.jsonl:2: "),
    ],
)
def test_a_line_of_another_kind_is_told_with_its_place(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(_chunk().model_dump_json().encode() + b"\n" + line + b"\n")
    with pytest.raises(StorageError, match=said):
        read_lines(path, Chunk, "chunks")


def test_a_folder_is_read_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        write_lines(tmp_path / f"{name}.jsonl", [_chunk(chunk_id=f"{name}1"), _chunk(chunk_id=f"{name}0")])
    (tmp_path / "notes.txt").write_text("no values")
    assert [value.chunk_id for value in read_folder(tmp_path, Chunk, "chunks")] == ["a1", "a0", "b1", "b0", "c1", "c0"]
    assert read_folder(tmp_path / "absent", Chunk, "chunks") == []
