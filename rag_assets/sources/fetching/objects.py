"""Bytes kept as they were fetched, named by their content.

Which bytes belong to which page is the manifest's business (`manifest.py`).
"""

import hashlib
import os
import shutil
from collections.abc import Collection
from datetime import datetime
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_PIECE_BYTES = 1 << 20


class ObjectError(Exception):
    """Bytes that should be in the store are not there, or are not what they were."""


class FetchedObjects:
    """Objects under `<folder>/objects/<first two hex digits>/<sha256>`.

    Safe to use from several threads and processes at once: an object appears whole or not at all.
    """

    def __init__(self, folder: Path) -> None:
        self._objects = folder / "objects"

    def path_of(self, sha256: str) -> Path:
        """Where an object lies, or would lie."""
        return self._objects / sha256[:2] / sha256

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their SHA-256. An object found damaged is written anew."""
        return self.put_file(BytesIO(data))

    def put_file(self, file: BufferedReader | BytesIO) -> str:
        """Keep what a file holds and return its SHA-256, piece by piece: memory does not grow with the file.

        The file is read twice where its bytes are new: to know them, and to keep them.

        Raises:
            ObjectError: It changed between the two.
        """
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        target = self.path_of(sha256)
        if self._is_whole(target, sha256):
            # A young date keeps `collect` away until the manifest names the object.
            os.utime(target)
            return sha256
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{sha256}.{uuid4().hex}.tmp")
        file.seek(0)
        try:
            with temporary.open("w+b") as copy:
                shutil.copyfileobj(file, copy, _PIECE_BYTES)
                copy.seek(0)
                if hashlib.file_digest(copy, "sha256").hexdigest() != sha256:
                    raise ObjectError("the file is being written to: run again when it is complete")
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        return sha256

    @staticmethod
    def _is_whole(path: Path, sha256: str) -> bool:
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256
        except FileNotFoundError:
            return False

    def find(self, sha256: str) -> bytes | None:
        """The object's bytes, or None if they are missing or no longer match their hash."""
        try:
            data = self.path_of(sha256).read_bytes()
        except FileNotFoundError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def get(self, sha256: str) -> bytes:
        """The object's bytes, verified.

        Raises:
            ObjectError: Missing or damaged; the message names the file and the remedy.
        """
        with self.open(sha256) as file:
            return file.read()

    def open(self, sha256: str) -> BinaryIO:
        """The object as an open file, verified: for what is too large to be held in memory.

        Raises:
            ObjectError: Missing or damaged; the message names the file and the remedy.
        """
        path = self.path_of(sha256)
        if not self._is_whole(path, sha256):
            raise ObjectError(f"{path} is missing or damaged; fetch the source again to replace it")
        return path.open("rb")

    def collect(self, referenced: Collection[str], older_than: datetime) -> int:
        """Remove the objects that nothing refers to, and what crashed writers left; return how many.

        Args:
            referenced: SHA-256 of every object to keep, over all manifests that share this store.
            older_than: Files younger than this stay, since a crawl under way may be about to name them.
        """
        limit = older_than.timestamp()
        removed = 0
        for file in self._objects.glob("*/*"):
            if file.name not in referenced and file.stat().st_mtime < limit:
                file.unlink(missing_ok=True)
                removed += 1
        return removed
