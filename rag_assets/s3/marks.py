"""The mark of ownership: metadata that the project writes with each object that it uploads, and what it proves.

The mark is user metadata of the object
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html). It outlives the home folder, and tools copy
and keep it; so it names the one object that it was written for, and its content. Nothing here sends a request.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from rag_assets.s3.locations import S3Location

_PLACE, _KEY, _VARIANT = "rag-assets-place", "rag-assets-key", "rag-assets-variant"
_SHA256, _MD5 = "rag-assets-sha256", "rag-assets-md5"
"""Names of the metadata; S3 puts `x-amz-meta-` before them."""


@dataclass(frozen=True, slots=True)
class ObjectHead:
    """An object as HeadObject shows it.

    Attributes:
        key: Its key.
        etag: Without the quotes; empty if access is denied.
        size: In bytes.
        checksum: SHA-256 that S3 computed from the content; empty if S3 has none.
        metadata: User metadata.
        denied: Access is denied: nothing else is known.
    """

    key: str
    etag: str = ""
    size: int = -1
    checksum: str = ""
    metadata: Mapping[str, str] | None = None
    denied: bool = False

    def has_content(self, size: int, sha256: bytes) -> bool:
        """Whether S3's own checksum says that the object has this content.

        All our uploads ask for that checksum, so an object without it is somebody else's, whatever its metadata say.
        The checksum of a multipart upload is a hash over hashes, and equals no content's. In a store without checksums,
        an object of ours that the manifest does not know, and whose ETag proves nothing, has to be adopted.
        """
        return self.size == size and self.checksum == encode_checksum(sha256)


@dataclass(frozen=True, slots=True)
class OwnershipMark:
    """The mark of a variant's objects.

    Attributes:
        location: The location, and so the home: one that syncs to a location within this one has another mark.
        variant: Name of the variant, because two homes may use one location after the other.
        adopted: Beginnings of keys, below the prefix. Objects there count as ours without a mark, or if they were
            changed since they got our mark.
    """

    location: S3Location
    variant: str = ""
    adopted: tuple[str, ...] = ()

    def metadata(self, key: str, content: bytes) -> dict[str, str]:
        """The mark of one object, given its whole key and its content."""
        return self._names(key) | {
            _SHA256: encode_checksum(hashlib.sha256(content).digest()),
            _MD5: hashlib.md5(content, usedforsecurity=False).hexdigest(),
        }

    def _names(self, key: str) -> dict[str, str]:
        return {_PLACE: self.location.uri, _KEY: key.removeprefix(self.location.prefix), _VARIANT: self.variant}

    def adopts(self, key: str) -> bool:
        """Whether the object at a key counts as ours where no mark proves anything."""
        return any(key.removeprefix(self.location.prefix).startswith(beginning) for beginning in self.adopted)

    def find_objection(self, head: ObjectHead, *, replaces: bool) -> str:
        """Why an object is not ours; empty if it is.

        Args:
            head: The object.
            replaces: Whether it has replaced one of ours that we want to put there again.
        """
        metadata = {name.lower(): value for name, value in (head.metadata or {}).items()}
        mark = {name: metadata[name] for name in (_PLACE, _KEY, _VARIANT) if name in metadata}
        if mark and mark != self._names(head.key):
            variant = f" of variant {mark[_VARIANT]}" if mark.get(_VARIANT) else ""
            return f"it was sent as {mark.get(_PLACE, '')}{mark.get(_KEY, '')}{variant}"
        if (mark and _is_as_sent(head, metadata)) or replaces:
            return ""
        if head.denied:
            return "it may not be looked at (s3:GetObject)"
        if self.adopts(head.key):
            return ""
        return (
            "nothing proves that it still is as sent from here" if mark else "nothing says that it was sent from here"
        )


def encode_checksum(sha256: bytes) -> str:
    """A SHA-256 as S3 writes it: in Base64."""
    return base64.b64encode(sha256).decode()


def _is_as_sent(head: ObjectHead, metadata: Mapping[str, str]) -> bool:
    """Whether S3's own checksum, or an ETag that is the MD5 of the content, is that of the mark."""
    return bool(head.checksum and head.checksum == metadata.get(_SHA256)) or head.etag == metadata.get(_MD5)
