"""Whose an object in a bucket is: what the project writes beside each that it uploads, and what that proves.

The mark lies in the object's user metadata. It outlives the home folder, and goes with the object wherever tools copy
it; so it names the one object that it was written for, and what that held: tools that edit an object keep its metadata.
No request is made from here.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from rag_assets.s3.locations import S3Location

_PLACE, _KEY, _VARIANT = "rag-assets-place", "rag-assets-key", "rag-assets-variant"
_SHA256, _MD5 = "rag-assets-sha256", "rag-assets-md5"
"""Names of user metadata, which S3 puts `x-amz-meta-` before."""


@dataclass(frozen=True, slots=True)
class ObjectHead:
    """An object as HeadObject tells it.

    Attributes:
        key: Its key.
        etag: Without the quotes; empty where it may not be looked at.
        size: In bytes.
        checksum: SHA-256 that S3 made of the content, as S3 tells it; empty where it does not.
        metadata: User metadata.
        denied: It may not be looked at: nothing else is known.
    """

    key: str
    etag: str = ""
    size: int = -1
    checksum: str = ""
    metadata: Mapping[str, str] | None = None
    denied: bool = False

    def holds(self, size: int, sha256: bytes) -> bool:
        """Whether S3 says that it has just this content.

        Only the checksum that S3 made of the content tells. Every upload of ours asks for one, so an object without it
        was put there by somebody else, whatever its metadata say: tools that edit or copy objects keep those. That of a
        multipart upload is a hash over hashes, and equals none of a content. A store that knows no checksums works too:
        there an object of ours whose ETag tells nothing and that the manifest does not know has to be adopted.
        """
        return self.size == size and self.checksum == encode_checksum(sha256)


@dataclass(frozen=True, slots=True)
class OwnershipMark:
    """What objects of a variant in its place bear.

    Attributes:
        place: The place, and so the home: another that syncs to a place within this one has another mark.
        variant: Name of the variant, which two homes may have put in one place after the other.
        adopted: Beginnings of keys, below the prefix, of what counts as ours though it bears no mark, or has
            been changed since it got that of this place.
    """

    place: S3Location
    variant: str = ""
    adopted: tuple[str, ...] = ()

    def metadata(self, key: str, content: bytes) -> dict[str, str]:
        """The mark of one object, by its whole key and what it holds."""
        return self._names(key) | {
            _SHA256: encode_checksum(hashlib.sha256(content).digest()),
            _MD5: hashlib.md5(content, usedforsecurity=False).hexdigest(),
        }

    def _names(self, key: str) -> dict[str, str]:
        return {_PLACE: self.place.uri, _KEY: key.removeprefix(self.place.prefix), _VARIANT: self.variant}

    def adopts(self, key: str) -> bool:
        """Whether an object counts as ours where no mark proves anything, by its whole key."""
        return any(key.removeprefix(self.place.prefix).startswith(beginning) for beginning in self.adopted)

    def objection(self, look: ObjectHead, *, replaces: bool) -> str:
        """What speaks against an object being ours; empty where it is.

        Args:
            look: The object.
            replaces: Whether it has taken the place of one of ours, which we want to put there again.
        """
        told = {name.lower(): value for name, value in (look.metadata or {}).items()}
        found = {name: told[name] for name in (_PLACE, _KEY, _VARIANT) if name in told}
        if found and found != self._names(look.key):
            return _worded(found)
        if (found and _holds_what_was_sent(look, told)) or replaces:
            return ""
        if look.denied:
            return "it may not be looked at (s3:GetObject)"
        if self.adopts(look.key):
            return ""
        return (
            "nothing proves that it still is as sent from here" if found else "nothing says that it was sent from here"
        )


def encode_checksum(sha256: bytes) -> str:
    """A SHA-256 as S3 writes it: in Base64."""
    return base64.b64encode(sha256).decode()


def _holds_what_was_sent(look: ObjectHead, told: Mapping[str, str]) -> bool:
    """Whether S3's own checksum, or an ETag that is the MD5 of the content, is that of the mark."""
    return bool(look.checksum and look.checksum == told.get(_SHA256)) or look.etag == told.get(_MD5)


def _worded(found: Mapping[str, str]) -> str:
    variant = f" of variant {found[_VARIANT]}" if found.get(_VARIANT) else ""
    return f"it was sent as {found.get(_PLACE, '')}{found.get(_KEY, '')}{variant}"
