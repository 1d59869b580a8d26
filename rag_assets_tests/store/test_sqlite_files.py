import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rag_assets.store.sqlite_files import damage_of, is_damage


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (text TEXT PRIMARY KEY)")
        db.executemany("INSERT INTO t VALUES (?)", [(f"{number:0500}",) for number in range(100)])
        db.commit()
    return path


def test_a_whole_file(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        assert damage_of(db) == ""


def test_a_file_that_is_not_there_yet_is_whole(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new.sqlite")) as db:
        assert damage_of(db) == ""


@pytest.mark.parametrize("at", [0, 20_000, 40_000])
def test_a_damaged_file(file: Path, at: int) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:at] + b"\xff" * 5000 + content[at + 5000 :])
    with closing(sqlite3.connect(file)) as db:
        assert damage_of(db)


def test_a_file_that_is_no_database(file: Path) -> None:
    file.write_text("no database" * 100)
    with closing(sqlite3.connect(file)) as db:
        assert "not a database" in damage_of(db)


def test_a_locked_file_is_not_called_damaged(file: Path) -> None:
    with closing(sqlite3.connect(file)) as holding, closing(sqlite3.connect(file, timeout=0)) as db:
        holding.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
            damage_of(db)
    assert not is_damage(caught.value)
