"""Two homes that say the same are equal, whatever the times and hashes in them."""

import json
from pathlib import Path

from benchmarks.compare_homes import find_differences


def write_home(home: Path, *, text: str = "本文", fingerprint: str = "1", chunk: str = "断片") -> Path:
    files = {
        "records/law/sample.jsonl": json.dumps({"text": text, "fingerprint": fingerprint}) + "\n",
        "corpus/raw/law/1.txt": chunk,
        "reports/report.html": fingerprint,
    }
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
    return home


def test_times_and_hashes_of_code_are_no_difference(tmp_path: Path) -> None:
    before, after = write_home(tmp_path / "a"), write_home(tmp_path / "b", fingerprint="2")
    assert list(find_differences(before, after)) == []


def test_another_text_is_named(tmp_path: Path) -> None:
    before, after = write_home(tmp_path / "a"), write_home(tmp_path / "b", text="別の本文", chunk="別の断片")
    assert list(find_differences(before, after)) == [
        "differs: corpus/raw/law/1.txt",
        "differs: records/law/sample.jsonl",
    ]


def test_a_file_that_is_gone_or_new_is_named(tmp_path: Path) -> None:
    before, after = write_home(tmp_path / "a"), write_home(tmp_path / "b")
    (before / "corpus/raw/law/1.txt").rename(before / "corpus/raw/law/2.txt")
    assert list(find_differences(before, after)) == [
        "only before: corpus/raw/law/2.txt",
        "only after: corpus/raw/law/1.txt",
    ]
