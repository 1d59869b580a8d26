"""Sets up the S3 client, and turns S3's refusals into messages: what happened, to which bucket, and what to do next.

What holds for all of AWS, credentials above all, belongs to `aws.errors`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from rag_assets.aws.errors import CREDENTIALS, AwsFailure, classify_exception, classify_response
from rag_assets.s3.locations import S3Location

if TYPE_CHECKING:
    from botocore.config import Config

S3Operation = Literal["ListObjectsV2", "HeadObject", "PutObject", "DeleteObjects"]

WORKERS = 16
"""Requests at once: enough to hide the latency of S3; with more, Python itself is the limit."""

_DOING: Mapping[S3Operation, str] = {
    "ListObjectsV2": "the objects that are there could not be listed",
    "HeadObject": "an object could not be looked at",
    "PutObject": "an object could not be uploaded",
    "DeleteObjects": "objects whose files are gone could not be deleted",
}
_ACTION: Mapping[S3Operation, str] = {
    "ListObjectsV2": "s3:ListBucket",
    "HeadObject": "s3:GetObject",
    "PutObject": "s3:PutObject",
    "DeleteObjects": "s3:DeleteObject",
}
_ELSEWHERE = frozenset(
    {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "TemporaryRedirect"}
    | {"301", "307"}
)
_DAMAGED = frozenset({"BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"})
TRANSIENT = frozenset({"InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted"})
"""Error codes of failures that may pass."""
_RERUN = "Run again: it goes on where it stopped"
_FOREIGN = (
    "What answered seems to be something else than S3: look at the endpoint in the settings (s3_endpoint), and at what "
    f"lies between: a proxy, a network that wants a log-in. {_RERUN}"
)


class SyncError(Exception):
    """A sync could not be made or finished; the message says what happened, where, and what to do next."""


def s3_client_config(workers: int = WORKERS) -> "Config":
    """The configuration of a client for `sync_folder`: `session.client("s3", config=s3_client_config())`.

    Every request is tried five times with growing waits (up to 20 s) after 500, 503 SlowDown, a time-out or a dropped
    connection. The mode is not `adaptive`, which botocore calls experimental and in which one throttled answer slows
    down every request of the client
    (https://boto3.amazonaws.com/v1/documentation/api/latest/guide/retries.html).

    Args:
        workers: Connections that are kept open, and so requests at once.
    """
    from botocore.config import Config

    return Config(
        retries={"mode": "standard", "total_max_attempts": 5},
        connect_timeout=10,
        read_timeout=30,
        max_pool_connections=workers,
        tcp_keepalive=True,
    )


@contextmanager
def translate_errors(operation: S3Operation, location: S3Location) -> Iterator[None]:
    """Turn exceptions of botocore into messages with a remedy.

    Raises:
        SyncError: The request was refused, or nothing answered it, after all tries.
    """
    try:
        yield
    except Exception as error:
        failure = classify_exception(error)
        if failure is None:
            raise
        raise _make_error(operation, location, failure, getattr(error, "response", None) or {}) from error


def describe_refusal(operation: S3Operation, location: S3Location, response: Mapping[str, Any]) -> SyncError:
    """What an error response of S3 means.

    Args:
        operation: What was asked.
        location: Where.
        response: As botocore has parsed it, with `Error` and `ResponseMetadata`.
    """
    return _make_error(operation, location, classify_response(response), response)


def describe_timeout(location: S3Location, seconds: float) -> SyncError:
    """The error for a time in which no request fails, and none comes to its end."""
    return SyncError(
        f"{location.uri}: S3 was given up: in {seconds:.0f} s not one request came to its end, though the connections "
        f"stand. Check the network, a proxy, and the endpoint in the settings. {_RERUN}"
    )


def _make_error(
    operation: S3Operation, location: S3Location, failure: AwsFailure, response: Mapping[str, Any]
) -> SyncError:
    what = f"{failure.code} ({failure.message})" if failure.code and failure.message else failure.told
    advice = _advise(operation, location, failure, response)
    return SyncError(f"{location.uri}: {_DOING[operation]}: {what.rstrip('.')}. {advice}")


def _advise(operation: S3Operation, location: S3Location, failure: AwsFailure, response: Mapping[str, Any]) -> str:
    code = failure.code
    if failure.kind in CREDENTIALS:
        return f"{CREDENTIALS[failure.kind]}. {_RERUN}"
    if not code:
        return _advise_unsent(failure)
    if failure.kind == "denied":
        return _advise_permission(operation, location)
    if code == "NoSuchBucket":
        return (
            f"There is no bucket {location.bucket}: check its name in the settings, and the endpoint where one is set "
            "(s3_endpoint), or create it in the region of the Knowledge Base"
        )
    if code in _ELSEWHERE:
        return _advise_region(location, response)
    if code in _DAMAGED:
        return f"The content was damaged on its way; nothing of it was stored. {_RERUN}"
    if code in TRANSIENT or failure.is_transient:
        return f"S3 is overloaded or out of order, and several tries did not help. {_RERUN} (in some minutes)"
    if operation == "HeadObject" and code.isdigit():
        return (
            "S3 gives no reason in its answer to this request. Most often it is this: "
            f"{CREDENTIALS['expired']}. {_RERUN}: a reason that lasts is told by the listing, which comes first"
        )
    # S3 gives a code with every refusal but those of HeadObject.
    return _FOREIGN if failure.kind == "foreign" else f"Mend what S3 says. {_RERUN}"


def _advise_permission(operation: S3Operation, location: S3Location) -> str:
    bucket = f"arn:aws:s3:::{location.bucket}"
    resource = bucket if operation == "ListObjectsV2" else f"{bucket}/{location.prefix}*"
    key = (
        "; where the bucket is encrypted with a KMS key of its own, kms:GenerateDataKey and kms:Decrypt on that key too"
        if operation == "PutObject"
        else ""
    )
    return (
        f"Allow {_ACTION[operation]} on {resource} for the credentials in use{key}; see that no bucket policy denies "
        f"it. {_RERUN}"
    )


def _advise_region(location: S3Location, response: Mapping[str, Any]) -> str:
    headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region") or response.get("Error", {}).get("Region")
    where = f"is in {region}" if region else "is in another region"
    return (
        f"The bucket {location.bucket} {where}, not where it was asked for: set the region of the S3 settings to "
        f"{region or 'that of the bucket'} (a Knowledge Base must be in its bucket's region as well)"
    )


def _advise_unsent(failure: AwsFailure) -> str:
    if failure.kind == "foreign":
        return _FOREIGN
    if failure.kind == "settings":
        return f"Mend what it names, in the settings of S3 (aws_region, aws_profile, s3_endpoint). {_RERUN}"
    if failure.kind == "certificate":
        return (
            "The certificate is not trusted: where a proxy puts in one of its own, name the file with its authority in "
            f"AWS_CA_BUNDLE. {_RERUN}"
        )
    return f"Several tries did not help: check the network, a proxy, and the endpoint in the settings. {_RERUN}"
