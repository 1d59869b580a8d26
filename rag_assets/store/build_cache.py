"""Stamps: a made thing remembers what it was made from, so that making it again can be left out.

A stamp says which inputs, settings and code made a file or folder, and what that looked like afterwards. It holds while
none of these has changed; a file edited by hand is made again like one whose inputs changed.
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
    """Over the project's own source code below the places named: what the code does differently, is made again.

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


def is_current(stamp: Path, made_from: str, looks_like: str) -> bool:
    """Whether a stamp says just this."""
    return stamp.is_file() and stamp.read_text() == _content(made_from, looks_like)


def set_stamp(stamp: Path, made_from: str, looks_like: str) -> None:
    """Write down what something was made from and what it looks like now."""
    write_if_changed(stamp, _content(made_from, looks_like).encode())


def make_unless_current(stamp: Path, made_from: str, look: Callable[[], str], make: Callable[[], object]) -> bool:
    """Make something and stamp it, unless its stamp says that there is nothing to do; True if it was made.

    Args:
        stamp: The stamp's file.
        made_from: Fingerprint of inputs, settings and code.
        look: What it looks like now.
        make: Makes it.
    """
    if is_current(stamp, made_from, look()):
        return False
    make()
    set_stamp(stamp, made_from, look())
    return True


def _content(made_from: str, looks_like: str) -> str:
    return f"{made_from}\n{looks_like}\n"


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
