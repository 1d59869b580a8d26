"""Files of a variant: the folder that is the future bucket, changed as little as possible and never half-written."""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from rag_assets.corpus.sidecars import MOST_BYTES, sidecar_bytes, sidecar_faults
from rag_assets.model import Chunk, Model

SIDECAR_SUFFIX = ".metadata.json"
_KEY = re.compile(r"^[A-Za-z0-9!_.*'()/-]+$")
"""The characters that S3's naming guide calls safe: ASCII only."""


class FileFault(Model):
    """A file that the Knowledge Base would refuse or skip, and why."""

    key: str
    faults: tuple[str, ...]


class InvalidFilesError(ValueError):
    """Files that must not be written as they are; the message names the first of them."""

    def __init__(self, faults: list[FileFault]) -> None:
        lines = "\n".join(f"  {fault.key}: {'; '.join(fault.faults)}" for fault in faults[:20])
        more = f"\n  … and {len(faults) - 20} more" if len(faults) > 20 else ""
        super().__init__(
            f"{len(faults)} file(s) would be refused or silently skipped by the Knowledge Base; "
            f"nothing was written:\n{lines}{more}"
        )
        self.faults = faults


class WriteReport(Model):
    """What changed in a folder, in files (a text and its sidecar are two)."""

    new: int
    changed: int
    unchanged: int
    deleted: int
    bytes_written: int


def corpus_files(chunks: Iterable[Chunk]) -> dict[str, bytes]:
    """The files of a variant by key: `<chunk_id>.txt` and its sidecar beside it."""
    files: dict[str, bytes] = {}
    for chunk in chunks:
        key = f"{chunk.chunk_id}.txt"
        files[key] = f"{chunk.text}\n".encode()
        files[key + SIDECAR_SUFFIX] = sidecar_bytes(chunk.attributes)
    return files


def file_faults(chunks: Iterable[Chunk]) -> list[FileFault]:
    """Every file of the chunks that breaks a rule of the Knowledge Base contract, with all its faults."""
    seen: set[str] = set()
    found: list[FileFault] = []
    for chunk in chunks:
        key = f"{chunk.chunk_id}.txt"
        faults = [f"sidecar: {fault}" for fault in sidecar_faults(chunk.attributes)]
        if not _KEY.match(key) or ".." in key.split("/"):
            faults.append("the key is not made of the ASCII characters that are safe in S3")
        if key in seen:
            faults.append("the key is used by another chunk as well")
        seen.add(key)
        if faults:
            found.append(FileFault(key=key, faults=tuple(faults)))
    return found


def write_files(folder: Path, files: dict[str, bytes]) -> WriteReport:
    """Make a folder hold exactly these files.

    A file whose content is the same already is not touched; files that are not among them are deleted, and folders
    that become empty with them. Every file is written whole under another name, outside the folder, and then moved
    into place: a crash leaves each file either old or new, and the next call does what is left.

    Args:
        folder: The variant's folder.
        files: Content by key; a key's slashes are folders.
    """
    present = dict(_files_in(folder))
    new = changed = unchanged = written = 0
    workshop = folder.parent / f".{folder.name}.writing"
    shutil.rmtree(workshop, ignore_errors=True)
    workshop.mkdir(parents=True)
    made: set[Path] = set()
    for key, content in files.items():
        size = present.get(key)
        target = folder / key
        if size == len(content) and target.read_bytes() == content:
            unchanged += 1
            continue
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        draft = workshop / "file"
        draft.write_bytes(content)
        draft.replace(target)
        new, changed = (new + 1, changed) if size is None else (new, changed + 1)
        written += len(content)
    stale = present.keys() - files.keys()
    for key in stale:
        (folder / key).unlink()
    _remove_empty(folder, {Path(key).parent for key in stale})
    shutil.rmtree(workshop)
    return WriteReport(new=new, changed=changed, unchanged=unchanged, deleted=len(stale), bytes_written=written)


def _files_in(folder: Path, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Key and size of every file below a folder."""
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_in(Path(entry.path), f"{prefix}{entry.name}/")
            else:
                yield f"{prefix}{entry.name}", entry.stat(follow_symlinks=False).st_size


def _remove_empty(folder: Path, parents: set[Path]) -> None:
    for parent in sorted(parents, key=lambda path: len(path.parts), reverse=True):
        while parent.parts and not any((folder / parent).iterdir()):
            (folder / parent).rmdir()
            parent = parent.parent


__all__ = [
    "MOST_BYTES",
    "SIDECAR_SUFFIX",
    "FileFault",
    "InvalidFilesError",
    "WriteReport",
    "corpus_files",
    "file_faults",
    "write_files",
]
