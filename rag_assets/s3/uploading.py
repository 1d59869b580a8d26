"""Sends the requests of a sync: list, head, put and delete objects.

What is done, and how much of it at once, is decided in `objects`.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from rag_assets.clock import Clock
from rag_assets.parallel import require_caller
from rag_assets.s3.checking import find_content_type
from rag_assets.s3.errors import TRANSIENT, SyncError, describe_refusal, translate_errors
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import ListedObject, SentObject, WantedObject
from rag_assets.s3.marks import ObjectHead, OwnershipMark, encode_checksum

MOST_DELETED_AT_ONCE = 1000
"""Keys of one DeleteObjects request (S3 API reference)."""
_DELETE_TRIES = 4
_ENDPOINT = "Check the endpoint in the settings, and any proxy: it does not do what S3 does"
_UNREAD = re.compile(rb"<(LastModified|ChecksumAlgorithm|ChecksumType|StorageClass)>[^<]*</\1>")
"""What a listing holds of each object beside key, size and ETag."""
_SMALL = 1024 * 1024
"""Bytes of an object that is sent without asking first (`Expect: 100-continue`)."""


def list_objects(s3: Any, location: S3Location) -> Iterator[list[ListedObject]]:
    """The objects in a location, a page at a time.

    Raises:
        SyncError: They cannot be listed, or the answer shows one that does not lie in the location.
    """
    with (
        translate_errors("ListObjectsV2", location),
        _with_handler(s3, "before-parse.s3.ListObjectsV2", _drop_unread_fields),
    ):
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=location.bucket, Prefix=location.prefix):
            if "Name" not in page:
                raise SyncError(f"{location.uri}: what answered is no S3; nothing was touched. {_ENDPOINT}")
            yield [_read_listed(found, location) for found in page.get("Contents", ())]


def _drop_unread_fields(response_dict: dict[str, Any], **_: Any) -> None:
    # Reading dates is six sevenths of the time that botocore takes for a page.
    response_dict["body"] = _UNREAD.sub(b"", response_dict["body"])


def _read_listed(found: Mapping[str, Any], location: S3Location) -> ListedObject:
    if not found["Key"].startswith(location.prefix):
        raise SyncError(
            f"{location.uri}: asked for what lies there, the service showed {found['Key']!r}, which does not; nothing "
            f"was touched. {_ENDPOINT}"
        )
    return ListedObject(found["Key"], found["Size"], found["ETag"].strip('"'))


def head_object(s3: Any, location: S3Location, key: str) -> ObjectHead | None:
    """An object as it is now, without its content; None if it is gone.

    Raises:
        SyncError: The request failed.
    """
    from botocore.exceptions import ClientError

    with translate_errors("HeadObject", location):
        try:
            head = s3.head_object(Bucket=location.bucket, Key=key, ChecksumMode="ENABLED")
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in ("404", "NoSuchKey", "NotFound"):
                return None
            if code in ("403", "AccessDenied"):
                return ObjectHead(key, denied=True)
            raise
    etag = head["ETag"].strip('"')
    return ObjectHead(key, etag, head["ContentLength"], head.get("ChecksumSHA256", ""), head.get("Metadata", {}))


def stop_abandoned_requests(s3: Any) -> None:
    """Stop a client from sending anything more, retries included, in threads whose caller has left.

    The client stays so: such a thread may outlive the caller by as long as botocore retries, and what it sent so late
    could replace what a later sync has uploaded.
    """
    s3.meta.events.register_first("before-send.s3", _refuse_abandoned, unique_id="rag-assets-unwanted")


def _refuse_abandoned(**_: Any) -> None:
    require_caller()


@contextmanager
def without_expect_header(s3: Any) -> Iterator[None]:
    """Let a client send small objects without `Expect: 100-continue`.

    botocore puts that header on every PUT, which costs one more round trip than it takes to send such a body.
    """
    # Of all operations: a handler of one operation comes before botocore's own, which puts the header there.
    with _with_handler(s3, "before-call.s3", _drop_expect_header):
        yield


@contextmanager
def _with_handler(s3: Any, event: str, handler: Callable[..., None]) -> Iterator[None]:
    """Let a client call a function at one of its events; any number of callers may do so at once."""
    named = {"unique_id": f"rag-assets{handler.__name__}", "unique_id_uses_count": True}
    s3.meta.events.register_last(event, handler, **named)
    try:
        yield
    finally:
        s3.meta.events.unregister(event, **named)


def _drop_expect_header(params: dict[str, Any], **_: Any) -> None:
    body = params.get("body")
    if isinstance(body, BytesIO) and body.getbuffer().nbytes <= _SMALL:
        params["headers"].pop("Expect", None)


def upload_document(s3: Any, folder: Path, mark: OwnershipMark, document: Sequence[WantedObject]) -> list[SentObject]:
    """Upload the wanted objects of one document, one after the other.

    Args:
        s3: Client.
        folder: Where the files are.
        mark: Their mark, and with it their location.
        document: Its sidecar, its text, or both in this order.

    Raises:
        SyncError: An upload was refused, or a file is no longer what it was when the sync began.
    """
    return [SentObject(wanted, _upload_one(s3, folder, mark, wanted)) for wanted in document]


def _upload_one(s3: Any, folder: Path, mark: OwnershipMark, wanted: WantedObject) -> str:
    location = mark.location
    path = folder / wanted.key.removeprefix(location.prefix)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SyncError(f"{path} could not be read: {error.strerror}. Run again when nothing writes there") from error
    if hashlib.sha256(content).digest() != wanted.sha256:
        raise SyncError(f"{path} was changed while it was being synced. Run again when nothing writes there")
    checksum = encode_checksum(wanted.sha256)
    with translate_errors("PutObject", location):
        answer = s3.put_object(
            Bucket=location.bucket,
            Key=wanted.key,
            Body=content,
            ContentType=find_content_type(wanted.key),
            ChecksumAlgorithm="SHA256",
            ChecksumSHA256=checksum,
            Metadata=mark.metadata(wanted.key, content),
        )
    if "ETag" not in answer or answer.get("ChecksumSHA256", checksum) != checksum:
        raise SyncError(f"s3://{location.bucket}/{wanted.key}: something else was stored than was sent. {_ENDPOINT}")
    etag: str = answer["ETag"].strip('"')
    return etag


def delete_objects(s3: Any, location: S3Location, keys: Sequence[str], clock: Clock) -> None:
    """Delete objects, at most 1,000; what S3 is too busy to delete is retried.

    Raises:
        SyncError: A key lies outside the location, or some are still there, for the reason that it tells.
    """
    outside = [key for key in keys if not key.startswith(location.prefix)]
    if outside:
        raise SyncError(f"{outside[0]!r} does not lie in {location.uri}; nothing was deleted")
    left, errors = list(keys), []
    for attempt in range(_DELETE_TRIES):
        if attempt:
            clock.sleep(2.0**attempt)
        with translate_errors("DeleteObjects", location):
            answer = s3.delete_objects(Bucket=location.bucket, Delete={"Objects": [{"Key": key} for key in left]})
        gone = {deleted["Key"] for deleted in answer.get("Deleted", ())}
        left = [key for key in left if key not in gone]
        if not left:
            return
        errors = answer.get("Errors", [])
        if not errors:
            raise SyncError(f"{location.uri}: {len(left)} of {len(keys)} keys were not deleted. {_ENDPOINT}")
        if any(error.get("Code") not in TRANSIENT for error in errors):
            break
    first = next((error for error in errors if error.get("Code") not in TRANSIENT), errors[0])
    refusal = describe_refusal("DeleteObjects", location, {"Error": first})
    raise SyncError(f"{refusal} ({len(errors)} of {len(keys)} keys, first of them {first['Key']})")
