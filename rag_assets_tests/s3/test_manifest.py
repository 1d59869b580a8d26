"""What the manifest keeps, what it does not, and what becomes of a file that is none."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rag_assets.s3.checking import LocalFile
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import ListedObject, SentObject, WantedObject
from rag_assets.s3.manifest_file import open_manifest

PLACE = S3Location(bucket="a-bucket", prefix="kb/raw/")


def remember(path: Path, *names: str, only_read: bool = False) -> None:
    with open_manifest(path, PLACE, only_read=only_read) as tables:
        for name in names:
            tables.remember(SentObject(WantedObject(f"kb/raw/{name}.txt", 1, b"hash"), "etag"))


def knows(path: Path, *names: str, only_read: bool = False, on_note: Callable[[str], None] = lambda _: None) -> bool:
    """Whether it takes objects that its place holds for unchanged, all or none of them."""
    with open_manifest(path, PLACE, only_read=only_read, on_note=on_note) as tables:
        tables.add_files(LocalFile(f"{name}.txt", 1, b"hash", b"md5") for name in names)
        tables.add_objects(ListedObject(f"kb/raw/{name}.txt", 1, "etag") for name in names)
        tables.compare()
        assert tables.count_state("unchanged") + tables.count_state("doubtful") == len(names)
        assert tables.count_state("unchanged") in (0, len(names))
        return tables.count_state("unchanged") == len(names)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_a_dry_run_proves_is_not_put_down(tmp_path: Path) -> None:
    path = tmp_path / "sent.sqlite"
    remember(path, "1")
    before = files(tmp_path)

    remember(path, *map(str, range(1200)), only_read=True)

    assert files(tmp_path) == before
    assert knows(path, "1")
    assert not knows(path, "2")


def test_what_was_sent_is_kept_though_the_run_ends_in_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "sent.sqlite"
    try:
        with open_manifest(path, PLACE) as tables:
            tables.remember(SentObject(WantedObject("kb/raw/1.txt", 1, b"hash"), "etag"))
            raise RuntimeError
    except RuntimeError:
        pass

    assert b"kb/raw/1.txt" in path.read_bytes()


LONG = [f"{number}{'x' * 10_000}" for number in range(400)]
"""More than SQLite holds in memory, and fewer than it takes for a commit: the file itself is amid a change."""
_KILLED = """
import os, signal, sys
from pathlib import Path
from rag_assets_tests.s3.test_manifest import LONG, PLACE, SentObject, WantedObject, open_manifest

with open_manifest(Path(sys.argv[1]), PLACE) as tables:
    for name in LONG:
        tables.remember(SentObject(WantedObject(f"kb/raw/{name}.txt", 1, b"hash"), "another"))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_a_kill_a_dry_run_leaves_all_files_as_they_are_and_knows_what_was_put_down(tmp_path: Path) -> None:
    path = tmp_path / "sent.sqlite"
    remember(path, *LONG)
    whole = files(tmp_path)
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    before = files(tmp_path)
    assert before.keys() == {"sent.sqlite", "sent.sqlite-journal"}
    assert before["sent.sqlite"] != whole["sent.sqlite"]

    for _ in range(2):
        assert knows(path, *LONG, only_read=True)

    assert files(tmp_path) == before
    assert knows(path, *LONG)
    assert files(tmp_path).keys() == {"sent.sqlite"}


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _overwritten(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = random.Random(4).randbytes(len(content) - 4096)
    path.write_bytes(content)


def _with(statement: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()

    return spoil


SPOILT: dict[str, Callable[[Path], object]] = {
    "cut": _cut,
    "overwritten": _overwritten,
    "a text": lambda path: path.write_text("a note of mine, and long enough to be looked at" * 20),
    "a short text": lambda path: path.write_text("a short note of mine"),
    "zeros": lambda path: path.write_bytes(bytes(8192)),
    "of an earlier version": _with("PRAGMA user_version = 1"),
    "of a later version": _with("PRAGMA user_version = 99"),
    "of no version": _with("PRAGMA user_version = 0"),
    "other tables": _with("ALTER TABLE sent RENAME COLUMN etag TO tag"),
    "no tables": _with("DROP TABLE sent"),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_is_no_manifest_of_ours_is_set_aside_whole_and_a_new_one_begun(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    path = tmp_path / "sent.sqlite"
    for number in (1, 2):
        remember(path, *map(str, range(200)))
        spoil(path)
        before, told = files(tmp_path), list[str]()

        assert not knows(path, "1", only_read=True, on_note=told.append)
        assert files(tmp_path) == before
        assert "a real run sets it aside" in told.pop()

        assert not knows(path, "1", on_note=told.append)
        aside = f"sent.sqlite.set-aside-{number}"
        assert f"{path} is damaged, or was written by another version: it was set aside as {aside}" in told.pop()
        assert files(tmp_path)[aside] == before["sent.sqlite"]

    remember(path, "1")
    assert knows(path, "1", on_note=pytest.fail)


@pytest.mark.parametrize("only_read", [False, True])
def test_a_folder_in_the_place_of_the_manifest_is_told_as_such(tmp_path: Path, only_read: bool) -> None:
    with pytest.raises(SyncError, match=f"^{tmp_path} is a folder, but the manifest belongs there: move it"):
        remember(tmp_path, only_read=only_read)


def test_a_file_in_the_place_of_a_folder_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(SyncError, match=r"home: File exists\. Make"):
        remember(tmp_path / "home" / "sent.sqlite")
