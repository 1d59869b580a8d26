import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.corpus.writing import corpus_files, file_faults, write_files
from rag_assets.model import Chunk
from rag_assets.store.lines import StorageError
from rag_assets_tests.strategies import record, section


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _folders(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_dir()}


def _wanted_folders(files: Mapping[str, bytes]) -> set[str]:
    return {parent.as_posix() for key in files for parent in Path(key).parents if parent.parts}


def _counts(folder: Path, files: dict[str, bytes]) -> tuple[int, int, int, int]:
    report = write_files(folder, files)
    return report.new, report.changed, report.unchanged, report.deleted


FILES = {"s/1/a.txt": b"one", "s/1/a.txt.metadata.json": b"{}", "s/2/b.txt": "二".encode()}


def test_the_folder_holds_exactly_these_files(tmp_path: Path) -> None:
    folder = tmp_path / "corpus/raw"
    report = write_files(folder, FILES)
    assert _tree(folder) == FILES
    assert (report.new, report.changed, report.unchanged, report.deleted) == (3, 0, 0, 0)
    assert report.bytes_written == sum(map(len, FILES.values()))
    assert [path.name for path in folder.parent.iterdir()] == ["raw"]


def test_a_second_call_touches_nothing(tmp_path: Path) -> None:
    write_files(tmp_path / "v", FILES)

    def stamps() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in (tmp_path / "v").rglob("*")}

    before = stamps()
    assert _counts(tmp_path / "v", FILES) == (0, 0, 3, 0)
    assert stamps() == before


def test_only_what_differs_is_written_and_what_is_gone_goes(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    write_files(folder, FILES)
    untouched = (folder / "s/1/a.txt").stat()
    after = {"s/1/a.txt": b"one", "s/1/a.txt.metadata.json": b"[]", "s/3/c.txt": b"new"}
    assert _counts(folder, after) == (1, 1, 1, 1)
    assert _tree(folder) == after
    assert _folders(folder) == {"s", "s/1", "s/3"}
    assert (folder / "s/1/a.txt").stat().st_ino == untouched.st_ino


def test_a_new_file_takes_the_place_of_the_old_at_once(tmp_path: Path) -> None:
    write_files(tmp_path / "v", FILES)
    with (tmp_path / "v/s/1/a.txt").open("rb") as reader:
        write_files(tmp_path / "v", {**FILES, "s/1/a.txt": b"new and longer"})
        assert reader.read() == b"one"


def test_nothing_to_hold_empties_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    write_files(folder, FILES)
    assert _counts(folder, {}) == (0, 0, 0, 3)
    assert list(folder.iterdir()) == []


def test_what_others_left_is_removed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "v", tmp_path / "elsewhere"
    (folder / "empty/deeper").mkdir(parents=True)
    (folder / ".DS_Store").write_bytes(b"x")
    elsewhere.mkdir()
    (elsewhere / "1.txt").write_bytes(b"not ours")
    (folder / "s").symlink_to(elsewhere)
    write_files(folder, FILES)
    assert _tree(folder) == FILES
    assert _folders(folder) == {"s", "s/1", "s/2"}
    assert _tree(elsewhere) == {"1.txt": b"not ours"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": b"1"}, {"a/b.txt": b"2"}),
        ({"a/b/c.txt": b"1", "a/d": b"1"}, {"a": b"2"}),
        ({"t/2594.txt": b"raw"}, {"t/2594/x.txt": b"piece"}),
    ],
)
def test_a_file_takes_the_place_of_a_folder_and_the_other_way_round(
    tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    write_files(tmp_path / "v", before)
    write_files(tmp_path / "v", after)
    assert _tree(tmp_path / "v") == after


def test_an_empty_folder_in_the_place_of_a_file_gives_way(tmp_path: Path) -> None:
    (tmp_path / "v/a.txt/deeper").mkdir(parents=True)
    write_files(tmp_path / "v", {"a.txt": b"1"})
    assert _tree(tmp_path / "v") == {"a.txt": b"1"}


@pytest.mark.parametrize("key", ["../x", "a/../../x", "/x", "a//x", "./x", "a/", "", "..", "a\0b"])
def test_a_key_that_leads_elsewhere_is_refused_and_nothing_written(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="nothing was written"):
        write_files(tmp_path / "corpus/v", {"good.txt": b"1", key: b"2"})
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_is_the_folder_of_another_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a file and a folder at once, first of them 'a\.txt'"):
        write_files(tmp_path / "v", {"a.txt": b"1", "a.txt/b.txt": b"2"})


_names = st.sampled_from(["a", "b", "A", "c.txt", "d-1", "x.txt.metadata.json"])
_keys = st.lists(_names, min_size=1, max_size=3).map("/".join)


def _without_clashes(files: dict[str, bytes]) -> dict[str, bytes]:
    return {key: content for key, content in files.items() if key not in _wanted_folders(files)}


_states = st.dictionaries(_keys, st.binary(max_size=3), max_size=6).map(_without_clashes)


@settings(max_examples=60)
@given(_states, _states)
def test_from_any_state_to_any_other(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "v"
        write_files(folder, before)
        new, changed, unchanged, deleted = _counts(folder, after)
        assert _tree(folder) == after
        assert _folders(folder) == _wanted_folders(after)
        same = sum(before.get(key) == content for key, content in after.items())
        assert (unchanged, deleted) == (same, len(before.keys() - after.keys()))
        assert (new, changed) == (len(after.keys() - before.keys()), len(before.keys() & after.keys()) - same)
        assert {path.name for path in Path(name).iterdir()} <= {"v"}


def _chunk(chunk_id: str, **attributes: str) -> Chunk:
    return Chunk(
        chunk_id=chunk_id, record_id="s/1", variant="v", header="題", body="本文", attributes=attributes or {"k": "x"}
    )


def test_a_chunk_is_a_text_and_its_sidecar() -> None:
    files = corpus_files([_chunk("s/1/abc", title="食事")])
    assert files == {
        "s/1/abc.txt": "題\n本文\n".encode(),
        "s/1/abc.txt.metadata.json": '{"metadataAttributes":{"title":"食事"}}'.encode(),
    }


@pytest.mark.parametrize(
    "chunk_id",
    ["tax_answer/2594", "tax_answer/1211-1/0123456789-2", "s/A.b_c!*'()", f"s/{'a' * 237}", "s/a..b"],
)
def test_keys_that_are_safe(chunk_id: str) -> None:
    assert file_faults([_chunk(chunk_id)]) == []


@pytest.mark.parametrize(
    ("chunk_id", "said"),
    [
        ("s/食事", "ASCII characters"),
        ("s/a b", "ASCII characters"),
        ("s\\a", "ASCII characters"),
        ("s/a\n", "ASCII characters"),
        ("s/a#1", "ASCII characters"),
        ("s/a%2f", "ASCII characters"),
        ("../a", "does not name a file below"),
        ("s/../../a", "does not name a file below"),
        ("/etc/a", "does not name a file below"),
        ("s//a", "does not name a file below"),
        ("./a", "does not name a file below"),
        (f"s/{'a' * 238}", "longer than 255 bytes"),
        ("/".join(["a" * 200] * 6), "longer than 1024 bytes"),
    ],
)
def test_keys_that_are_not(chunk_id: str, said: str) -> None:
    (fault,) = file_faults([_chunk("s/good"), _chunk(chunk_id)])
    assert fault.key == f"{chunk_id}.txt"
    assert any(said in line for line in fault.faults)


def test_two_chunks_with_one_key_or_one_inside_the_other_are_told() -> None:
    (twin,) = file_faults([_chunk("s/a"), _chunk("s/b"), _chunk("s/a")])
    assert twin.faults == ("the key is used by another chunk as well",)
    (outer,) = file_faults([_chunk("s/a"), _chunk("s/a.txt/b")])
    assert outer.key == "s/a.txt"
    assert outer.faults == ("the key is also the folder of another chunk's file",)
    assert file_faults([_chunk("s/a"), _chunk("s/a/b"), _chunk("s/A")]) == []


def test_faults_of_sidecar_and_key_are_told_together() -> None:
    (fault,) = file_faults([_chunk("s/食", title="", id="x")])
    assert len(fault.faults) == 3
    assert [line.startswith("sidecar: ") for line in fault.faults] == [True, True, False]


def test_raw_and_prepared_keys_of_one_record_do_not_clash(tmp_path: Path) -> None:
    of = record([section("概要", "文。" * 400)], number="2594")
    chunks = [chunk for variant in VARIANTS[1:3] for chunk in prepare([of], variant, lambda _: Dictionary())]
    assert file_faults(chunks) == []
    write_files(tmp_path / "v", corpus_files(chunks))
    assert {path.name for path in (tmp_path / "v/tax_answer").iterdir()} == {
        "2594",
        "2594.txt",
        "2594.txt.metadata.json",
    }
    sidecar = json.loads((tmp_path / "v/tax_answer/2594.txt.metadata.json").read_bytes())
    assert sidecar["metadataAttributes"]["record_id"] == "tax_answer/2594"


_WRITER = """
import sys
from pathlib import Path
from rag_assets.corpus.writing import write_files
fill = sys.argv[2].encode()
files = {f"s/{n % 50}/{n}.txt": fill * 3000 for n in range(int(sys.argv[3]))}
print("writing", flush=True)
write_files(Path(sys.argv[1]), files)
"""


def _expected(fill: str, count: int) -> dict[str, bytes]:
    return {f"s/{n % 50}/{n}.txt": fill.encode() * 3000 for n in range(count)}


def _start_writing(folder: Path, fill: str, count: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", _WRITER, str(folder), fill, str(count)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=Path(__file__).resolve().parents[2])
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    return process


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_killed_while_writing_every_file_is_old_or_new_and_the_next_call_completes(
    tmp_path: Path, seconds: float
) -> None:
    folder = tmp_path / "corpus/v"
    old, new = _expected("o", 3500), _expected("n", 3000)
    write_files(folder, old)
    with _start_writing(folder, "n", 3000) as process:
        # Not before something has been written, so that the kill falls into the writing.
        deadline = time.monotonic() + 20
        while (folder / "s/0/0.txt").read_bytes() == old["s/0/0.txt"] and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    found = _tree(folder)
    assert found.keys() >= new.keys()
    assert all(content in (old.get(key), new.get(key)) for key, content in found.items())
    rewritten = sum(found[key] == content for key, content in new.items())
    assert rewritten > 0
    report = write_files(folder, new)
    assert report.changed == len(new) - rewritten
    assert _tree(folder) == new
    assert [path.name for path in folder.parent.iterdir()] == ["v"]


def test_what_a_killed_writer_left_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".v.writing").mkdir()
    (tmp_path / ".v.writing/file").write_bytes(b"hal")
    (tmp_path / "v/s/9").mkdir(parents=True)
    write_files(tmp_path / "v", FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
    assert _folders(tmp_path / "v") == {"s", "s/1", "s/2"}


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_bytes(b"a file where a folder should be")
    with pytest.raises(StorageError, match=r"corpus/v could not be written: .*Make room or make it writable"):
        write_files(tmp_path / "corpus/v", FILES)


_LIMITED = """
import resource, sys
from pathlib import Path
from rag_assets.corpus.writing import write_files
from rag_assets.store.lines import StorageError, write_if_changed
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    if sys.argv[2] == "corpus":
        write_files(Path(sys.argv[1]), {"s/1.txt": b"n" * 10, "s/2.txt": b"n" * 5000, "s/3.txt": b"n" * 10})
    else:
        write_if_changed(Path(sys.argv[1]), b"n" * 5000)
except StorageError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["corpus", "lines"])
def test_where_the_system_stops_in_mid_file_the_old_file_stays_and_it_is_told(tmp_path: Path, what: str) -> None:
    target = tmp_path / "v"
    if what == "corpus":
        write_files(target, {"s/2.txt": b"old"})
    else:
        target.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(target), what],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.stdout.startswith(f"{target} could not be written: File too large")
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
    if what == "corpus":
        assert _tree(target) == {"s/1.txt": b"n" * 10, "s/2.txt": b"old"}
    else:
        assert target.read_bytes() == b"old"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    write_files(tmp_path / "v", {"s/1.txt": b"old"})
    (tmp_path / "v/s").chmod(0o555)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            write_files(tmp_path / "v", {"s/1.txt": b"new"})
    finally:
        (tmp_path / "v/s").chmod(0o755)
    assert _tree(tmp_path / "v") == {"s/1.txt": b"old"}
