"""Reads and checks the files of a variant's folder: the Knowledge Base would refuse or silently skip bad ones.

The folder may have been edited since it was written, so every file is read, whatever its time and size say. Nothing
here sends a request.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_assets.corpus.sidecar_limits import ANYWHERE, SizeLimits
from rag_assets.corpus.sidecars import sidecar_faults
from rag_assets.corpus.writing import SIDECAR_SUFFIX, key_faults

TEXT_SUFFIX = ".txt"
_CONTENT_TYPES = {
    TEXT_SUFFIX: "text/plain; charset=utf-8",
    # Of documents as they are, the encoding is their own business.
    ".md": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".csv": "text/csv",
    ".pdf": "application/pdf",
}
"""By the ending of the files that a corpus may hold: texts, and documents as they are."""
SUFFIXES = tuple(_CONTENT_TYPES)
"""What a Knowledge Base's own parser reads, of the kinds of files there are here
(https://docs.aws.amazon.com/bedrock/latest/userguide/knowledge-base-ds.html)."""
MOST_TEXT_BYTES = 50 * 1024 * 1024
"""Of a source file (quota "Ingestion job file size" on https://docs.aws.amazon.com/general/latest/gr/bedrock.html)."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """One file below the folder.

    Attributes:
        key: Its path below the folder.
        size: In bytes.
        sha256: Of its content; empty if it was not read.
        md5: Likewise.
        faults: Why it must not be uploaded.
    """

    key: str
    size: int = 0
    sha256: bytes = b""
    md5: bytes = b""
    faults: tuple[str, ...] = ()


def is_sidecar(key: str) -> bool:
    """Whether a key is that of a metadata file."""
    return key.endswith(SIDECAR_SUFFIX)


def document_key(key: str) -> str:
    """The key of the text, given that of the text itself or of its sidecar."""
    return key.removesuffix(SIDECAR_SUFFIX)


def is_corpus_file(key: str) -> bool:
    """Whether a corpus could hold such a file: a text or document, or the sidecar of one."""
    return document_key(key).endswith(SUFFIXES)


def remove_suffix(key: str) -> str:
    """A text's or document's key without its ending; empty where no file of a corpus is named so."""
    stem, dot, ending = key.rpartition(".")
    return stem if dot + ending in _CONTENT_TYPES else ""


def find_content_type(key: str) -> str:
    """The content type of a corpus file."""
    return "application/json" if is_sidecar(key) else _CONTENT_TYPES[key[key.rindex(".") :]]


def read_local_files(folder: Path, prefix: str, limits: SizeLimits = ANYWHERE) -> Iterator[LocalFile]:
    """Read every file below the folder, in no particular order. Links are not followed.

    Whether each text has a sidecar is not checked here, since that takes knowing all files.

    Args:
        folder: The variant's folder.
        prefix: The prefix of its keys in the bucket, which counts as part of their length.
        limits: How much a sidecar may hold.

    Raises:
        OSError: A file cannot be read.
    """
    waiting = [""]
    while waiting:
        parent = waiting.pop()
        with os.scandir(folder / parent) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{parent}{entry.name}/")
                else:
                    yield _read_file(Path(entry.path), f"{parent}{entry.name}", prefix, limits)


def _read_file(path: Path, key: str, prefix: str, limits: SizeLimits) -> LocalFile:
    status = path.lstat()
    faults = _find_name_faults(key, prefix)
    if not stat.S_ISREG(status.st_mode):
        faults.append("it is a link or the like, not a file")
    most, note = (limits.most_bytes, limits.note) if is_sidecar(key) else (MOST_TEXT_BYTES, "")
    if status.st_size > most:
        faults.append(f"it has {status.st_size} bytes, at most {most} are allowed{note}")
    if faults:
        return LocalFile(key, status.st_size, faults=tuple(faults))
    content = path.read_bytes()
    if is_sidecar(key):
        faults = _find_sidecar_faults(content, limits)
    else:
        faults = _find_text_faults(content) if key.endswith(TEXT_SUFFIX) else _find_document_faults(content)
    md5 = hashlib.md5(content, usedforsecurity=False).digest()
    return LocalFile(key, len(content), hashlib.sha256(content).digest(), md5, tuple(faults))


def _find_name_faults(key: str, prefix: str) -> list[str]:
    if not is_corpus_file(key):
        known = ", ".join(SUFFIXES)
        return [f"it is neither a file of a corpus ({known}) nor the sidecar of one (…{SIDECAR_SUFFIX})"]
    return key_faults(prefix + document_key(key))


def _find_text_faults(content: bytes) -> list[str]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return [f"it is no UTF-8: {error.reason} at byte {error.start}"]
    return [] if text.strip() else ["there is no text in it"]


def _find_document_faults(content: bytes) -> list[str]:
    return [] if content.strip() else ["there is nothing in it"]


def _find_sidecar_faults(content: bytes, limits: SizeLimits) -> list[str]:
    try:
        whole = json.loads(content.decode(), object_pairs_hook=_require_unique_keys)
    except (ValueError, RecursionError) as error:
        return [f"it is no JSON that can be read: {error}"]
    if not isinstance(whole, dict) or whole.keys() != {"metadataAttributes"}:
        return ['it is not of the form {"metadataAttributes": {…}}']
    attributes = whole["metadataAttributes"]
    return sidecar_faults(attributes, limits) if isinstance(attributes, dict) else ["metadataAttributes is no object"]


def _require_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in it twice")
    return found
