"""The build cache: an output is built again only where its inputs, settings or code have changed.

A cache entry is a small file beside the outputs. It holds the input hash (over inputs, settings and code) and the state
of the output after the build. An output that was edited by hand is built again, like one whose inputs have changed.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from rag_assets.store.lines import write_if_changed

PACKAGE = Path(__file__).parents[1]


def fingerprint(*parts: str | bytes) -> str:
    """One hash over several parts, each told from its neighbours."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


def file_fingerprint(paths: Iterable[Path]) -> str:
    """Over the content of files; a file that is missing counts as such."""
    return fingerprint(*(part for path in paths for part in (path.name, path.read_bytes() if path.is_file() else b"-")))


@cache
def code_fingerprint(*places: str) -> str:
    """Over the project's own source code below the places named.

    Args:
        *places: Modules or packages relative to `rag_assets`, such as `corpus` or `sources/law/reader.py`.

    Raises:
        FileNotFoundError: A place holds no code: a change of what has moved away from it would go unnoticed.
    """
    files = [file for place in places for file in _python_files(PACKAGE / place)]
    return file_fingerprint(files)


def folder_state(folder: Path) -> str:
    """Over name, size and time of change of every file below a folder: told without reading them."""
    return fingerprint(*(f"{key}\n{size}\n{changed}" for key, size, changed in sorted(_files_below(folder))))


def file_state(path: Path) -> str:
    """Over size and time of change of one file: told without reading it."""
    if not path.is_file():
        return "-"
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def is_current(entry: Path, input_hash: str, output_state: str) -> bool:
    """Whether a cache entry holds just this input hash and output state."""
    return entry.is_file() and entry.read_text() == _format_entry(input_hash, output_state)


def write_entry(entry: Path, input_hash: str, output_state: str) -> None:
    """Write a cache entry after a build."""
    write_if_changed(entry, _format_entry(input_hash, output_state).encode())


def build_unless_current(
    entry: Path, input_hash: str, find_state: Callable[[], str], build: Callable[[], object]
) -> bool:
    """Build an output and write its cache entry, unless the entry is current; True if it was built.

    Args:
        entry: File of the cache entry.
        input_hash: Over inputs, settings and code.
        find_state: Tells the output's present state.
        build: Builds the output.
    """
    if is_current(entry, input_hash, find_state()):
        return False
    build()
    write_entry(entry, input_hash, find_state())
    return True


def _format_entry(input_hash: str, output_state: str) -> str:
    return f"{input_hash}\n{output_state}\n"


def _python_files(place: Path) -> list[Path]:
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    if not files or not all(file.is_file() for file in files):
        raise FileNotFoundError(f"{place} holds no code")
    return files


def _files_below(folder: Path, prefix: str = "") -> Iterator[tuple[str, int, int]]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(Path(entry.path), f"{prefix}{entry.name}/")
            else:
                status = entry.stat(follow_symlinks=False)
                yield f"{prefix}{entry.name}", status.st_size, status.st_mtime_ns
