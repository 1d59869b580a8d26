"""Compares two home folders: says what a change of the code has changed in the records, chunks, files and results.

`python -m benchmarks.compare_homes BEFORE AFTER` exits with 0 where nothing differs, else with 1 and what does.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMPARED = ("records", "summaries", "chunks", "corpus", "quality", "evaluation")
"""Folders of a home that hold what was made of the documents. All others hold times, or are made from these."""

_MADE_ANEW = frozenset({"fingerprint", "latency_ms", "latency_p50_ms", "latency_p95_ms", "made_at"})
"""Fields that differ from run to run: hashes of the code, and times."""
_SHOWN = 20


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, metavar="BEFORE")
    parser.add_argument("after", type=Path, metavar="AFTER")
    given = parser.parse_args()
    files = len(_list_files(given.before))
    differences = list(find_differences(given.before, given.after))
    for line in differences[:_SHOWN]:
        print(line)
    if len(differences) > _SHOWN:
        print(f"… and {len(differences) - _SHOWN} more")
    print(f"{files} files compared, {len(differences)} differ")
    return 1 if differences or not files else 0


def find_differences(before: Path, after: Path) -> Iterator[str]:
    """A line for every file that is in one home only, or says something else."""
    ours, theirs = _list_files(before), _list_files(after)
    yield from (f"only before: {name}" for name in sorted(ours.keys() - theirs.keys()))
    yield from (f"only after: {name}" for name in sorted(theirs.keys() - ours.keys()))
    for name in sorted(ours.keys() & theirs.keys()):
        one, other = ours[name].read_bytes(), theirs[name].read_bytes()
        if one != other and (not name.endswith(".jsonl") or _read_lines(one) != _read_lines(other)):
            yield f"differs: {name}"


def _list_files(home: Path) -> dict[str, Path]:
    return {
        path.relative_to(home).as_posix(): path
        for folder in COMPARED
        for path in (home / folder).rglob("*")
        if path.is_file()
    }


def _read_lines(data: bytes) -> list[Any]:
    return [_drop_made_anew(json.loads(line)) for line in data.splitlines()]


def _drop_made_anew(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _drop_made_anew(each) for name, each in value.items() if name not in _MADE_ANEW}
    return [_drop_made_anew(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    raise SystemExit(main())
