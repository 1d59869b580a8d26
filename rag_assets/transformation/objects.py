"""Objects in S3 as the transformation reads and writes them, and the service's errors in words.

How a corpus is uploaded belongs to `s3/`, which is no part of the Lambda.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from rag_assets.model import Model
from rag_assets.transformation.errors import TransformationError

_BLOCK = 1024 * 1024


class ObjectAddress(Model):
    """An object, or with a key that ends in `/` a folder."""

    bucket: str
    key: str

    @property
    def uri(self) -> str:
        """As `s3://bucket/key`."""
        return f"s3://{self.bucket}/{self.key}"


def parse_address(uri: str) -> ObjectAddress:
    """The place of an `s3://bucket/key`; a key is taken as it is, whatever signs it holds.

    Raises:
        TransformationError: It is none.
    """
    bucket = urlsplit(uri).netloc if uri.startswith("s3://") else ""
    key = uri.removeprefix(f"s3://{bucket}").removeprefix("/")
    if not bucket or not key:
        raise TransformationError(f"{uri!r} is no address such as s3://bucket/folder/file.csv")
    return ObjectAddress(bucket=bucket, key=key)


def possible_addresses(address: ObjectAddress) -> tuple[ObjectAddress, ...]:
    """The addresses that the address of an object may mean: its key as it is; and where that has %E6 and such, decoded.

    Whether the service encodes keys that are not ASCII in its events is not documented.
    """
    decoded = ObjectAddress(bucket=address.bucket, key=unquote(address.key))
    return (address,) if decoded == address else (address, decoded)


def s3_client() -> Any:
    """A client that tries again by itself: a Lambda has no one who would."""
    import boto3
    from botocore.config import Config

    return boto3.client("s3", config=Config(retries={"total_max_attempts": 5, "mode": "standard"}))


def read_object(s3: Any, address: ObjectAddress) -> bytes:
    """The content of a small object.

    Raises:
        TransformationError: It could not be read.
    """
    with _translate_errors(address, "s3:GetObject"):
        content: bytes = s3.get_object(Bucket=address.bucket, Key=address.key)["Body"].read()
    return content


def download_first(s3: Any, addresses: Sequence[ObjectAddress], to: BinaryIO) -> str:
    """Copy the first of several objects that is there into a file, and go back to the file's start.

    One that is there and cannot be read to its end is no reason to take another, which may be another file.

    Returns:
        SHA-256 of the content.

    Raises:
        TransformationError: None is there, and the message is about the first; or it could not be read to its end.
    """
    first, *others = addresses
    try:
        return _download(s3, first, to)
    except ObjectMissingError:
        for address in others:
            with suppress(ObjectMissingError):
                return _download(s3, address, to)
        raise


def _download(s3: Any, address: ObjectAddress, to: BinaryIO) -> str:
    digest = hashlib.sha256()
    to.seek(0)
    to.truncate()
    with _translate_errors(address, "s3:GetObject"):
        for block in s3.get_object(Bucket=address.bucket, Key=address.key)["Body"].iter_chunks(_BLOCK):
            digest.update(block)
            to.write(block)
    to.seek(0)
    return digest.hexdigest()


def list_keys(s3: Any, folder: ObjectAddress) -> list[str]:
    """The keys right below a folder.

    Raises:
        TransformationError: It could not be listed.
    """
    prefix = f"{folder.key.rstrip('/')}/"
    with _translate_errors(folder, "s3:ListBucket"):
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=folder.bucket, Prefix=prefix, Delimiter="/")
        return [found["Key"] for page in pages for found in page.get("Contents", ())]


class IntermediateBucket:
    """The intermediate bucket, as one call writes into it: no object twice, and none of the service's own."""

    def __init__(self, s3: Any, bucket: str, taken: Iterable[str]) -> None:
        """Nothing is written yet.

        Args:
            s3: A boto3 client.
            bucket: Its name.
            taken: Keys of the service's own objects.
        """
        self._s3 = s3
        self._bucket = bucket
        self._taken = set(taken)

    def write(self, key: str, contents: list[dict[str, Any]]) -> None:
        """Write chunks as the service reads them: `{"fileContents": [...]}`.

        Raises:
            TransformationError: They could not be written, or would take the place of others.
        """
        address = ObjectAddress(bucket=self._bucket, key=key)
        if key in self._taken:
            raise TransformationError(
                f"{address.uri}: there are chunks of this call there already, which would be lost: synchronize one of "
                "the files at a time"
            )
        self._taken.add(key)
        body = json.dumps({"fileContents": contents}, ensure_ascii=False, separators=(",", ":")).encode()
        with _translate_errors(address, "s3:PutObject"):
            self._s3.put_object(Bucket=address.bucket, Key=address.key, Body=body, ContentType="application/json")


class ObjectMissingError(TransformationError):
    """There is no such object, as far as the function may know."""


_NOT_THERE = frozenset({"NoSuchKey", "404", "AccessDenied", "403"})
"""That an object is missing cannot be told from a missing right: without s3:ListBucket both are refused alike."""


@contextmanager
def _translate_errors(address: ObjectAddress, action: str) -> Iterator[None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        told = error.response["Error"]
        kind = ObjectMissingError if told.get("Code") in _NOT_THERE else TransformationError
        raise kind(f"{address.uri}: {_describe_error(told, action, address)}") from error
    except BotoCoreError as error:
        raise TransformationError(
            f"{address.uri}: S3 gave no whole answer ({error}); synchronize the data source again"
        ) from error
    except OSError as error:
        raise TransformationError(
            f"{address.uri}: it could not be kept in the function's /tmp ({error.strerror or error}); "
            "raise its EphemeralStorage"
        ) from error


def _describe_error(error: Mapping[str, Any], action: str, address: ObjectAddress) -> str:
    match error.get("Code"):
        case "NoSuchKey" | "404":
            return "there is no such object (any more); synchronize the data source again, or mend the address"
        case "NoSuchBucket":
            return f"there is no bucket {address.bucket}"
        case "AccessDenied" | "403":
            return (
                f"the function may not read or write it, or it does not exist: its role needs {action} for "
                f"arn:aws:s3:::{address.bucket}{'' if action == 's3:ListBucket' else '/' + address.key}"
            )
        case code:
            return f"S3 answered {code}: {error.get('Message')}; synchronize the data source again"
