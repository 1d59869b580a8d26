"""Bytes kept as they were fetched, named by their content.

Which bytes belong to which page is the manifest's business (`manifest.py`).
"""

import hashlib
import os
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from uuid import uuid4


class ObjectError(Exception):
    """Bytes that should be in the store are not there, or are not what they were."""


class ObjectStore:
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
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.path_of(sha256)
        if self.find(sha256) is not None:
            # A young date keeps `collect` away until the manifest names the object.
            os.utime(target)
            return sha256
        temporary = target.with_name(f".{sha256}.{uuid4().hex}.tmp")
        try:
            temporary.write_bytes(data)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
        temporary.replace(target)
        return sha256

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
        data = self.find(sha256)
        if data is None:
            raise ObjectError(f"{self.path_of(sha256)} is missing or damaged; fetch the source again to replace it")
        return data

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
