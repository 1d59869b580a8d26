"""How S3 is asked, and what its refusals mean for a person: what happened, to which bucket, and what to do next.

Only S3 belongs here; what is done with the answers does not.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from rag_assets.sync.places import Place

if TYPE_CHECKING:
    from botocore.config import Config

Operation = Literal["ListObjectsV2", "HeadObject", "PutObject", "DeleteObjects"]

WORKERS = 16
"""Requests under way at once: enough to hide the way to S3 and back; beyond that Python itself is the limit."""

_DOING: Mapping[Operation, str] = {
    "ListObjectsV2": "the objects that are there could not be listed",
    "HeadObject": "an object could not be looked at",
    "PutObject": "an object could not be uploaded",
    "DeleteObjects": "objects that are gone could not be deleted",
}
_ACTION: Mapping[Operation, str] = {
    "ListObjectsV2": "s3:ListBucket",
    "HeadObject": "s3:GetObject",
    "PutObject": "s3:PutObject",
    "DeleteObjects": "s3:DeleteObject",
}
_EXPIRED = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired", "InvalidToken"}
)
_UNKNOWN_KEYS = frozenset(
    {"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSecurity", "UnrecognizedClientException"}
)
_DENIED = frozenset({"AccessDenied", "AllAccessDisabled", "AccountProblem", "403"})
_ELSEWHERE = frozenset(
    {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "TemporaryRedirect"}
    | {"301", "307"}
)
_DAMAGED = frozenset({"BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"})
TRANSIENT = frozenset({"InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted"})
"""Codes that say: the same again, later."""
_RERUN = "Run again: it goes on where it stopped"


class SyncError(Exception):
    """A sync could not be made or finished; the message says what happened, where, and what to do next."""


def s3_client_config(workers: int = WORKERS) -> "Config":
    """How a client for `sync_folder` is set up: `session.client("s3", config=s3_client_config())`.

    Every request is tried five times with growing waits (up to 20 s) after 500, 503 SlowDown, a time-out or a dropped
    connection, before it counts as failed. Not `adaptive`, which botocore calls experimental: there one throttled
    answer slows down every request of the client.

    Args:
        workers: Connections that are kept open; no more requests than these are under way at once.
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
def told_in_words(operation: Operation, place: Place) -> Iterator[None]:
    """Turn what botocore raises into words with a remedy.

    Raises:
        SyncError: The request was refused, or nothing answered it, after all tries.
    """
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    try:
        yield
    except ClientError as error:
        raise refusal(operation, place, error.response) from error
    except (BotoCoreError, ResponseParserError) as error:
        raise SyncError(f"{place.uri}: {_DOING[operation]}: {_said(error)}. {_remedy(error)}") from error


def refusal(operation: Operation, place: Place, response: Mapping[str, Any]) -> SyncError:
    """What an error response of S3 means.

    Args:
        operation: What was asked.
        place: Where.
        response: As botocore has parsed it, with `Error` and `ResponseMetadata`.
    """
    error = response.get("Error", {})
    code, message = str(error.get("Code", "")), str(error.get("Message", ""))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    what = f"{place.uri}: {_DOING[operation]}: {code}{f' ({message})' if message else ''}"
    return SyncError(f"{what}. {_advice(operation, place, code, status, response)}")


def _advice(operation: Operation, place: Place, code: str, status: int | None, response: Mapping[str, Any]) -> str:
    if code in _EXPIRED:
        return f"The credentials have expired: renew them (`aws sso login`, or new temporary keys). {_RERUN}"
    if code in _UNKNOWN_KEYS:
        return (
            "S3 does not know these credentials: check the profile or access key in use (`aws sts get-caller-identity`)"
        )
    if code in _DENIED:
        return _permission(operation, place)
    if code == "NoSuchBucket" or (code == "404" and operation != "HeadObject"):
        return (
            f"There is no bucket {place.bucket}: check its name in the settings, or create it in the region of the "
            "Knowledge Base"
        )
    if code in _ELSEWHERE:
        return _region(place, response)
    if code == "RequestTimeTooSkewed":
        return f"The clock of this machine is wrong: set it. {_RERUN}"
    if code in _DAMAGED:
        return f"The content was damaged on its way; nothing of it was stored. {_RERUN}"
    if code in TRANSIENT or (status is not None and status >= 500):
        return f"S3 is overloaded or out of order, and several tries did not help. {_RERUN} (in some minutes)"
    return f"Mend what S3 says. {_RERUN}"


def _permission(operation: Operation, place: Place) -> str:
    bucket = f"arn:aws:s3:::{place.bucket}"
    resource = bucket if operation == "ListObjectsV2" else f"{bucket}/{place.prefix}*"
    key = (
        "; where the bucket is encrypted with a KMS key of its own, kms:GenerateDataKey and kms:Decrypt on that key too"
        if operation == "PutObject"
        else ""
    )
    return (
        f"Allow {_ACTION[operation]} on {resource} for the credentials in use{key}; see that no bucket policy denies "
        f"it. {_RERUN}"
    )


def _region(place: Place, response: Mapping[str, Any]) -> str:
    headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    region = headers.get("x-amz-bucket-region") or response.get("Error", {}).get("Region")
    where = f"is in {region}" if region else "is in another region"
    return (
        f"The bucket {place.bucket} {where}, not where it was asked for: set the region of the S3 settings to "
        f"{region or 'that of the bucket'} (a Knowledge Base must be in its bucket's region as well)"
    )


def _said(error: Exception) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__


def _remedy(error: Exception) -> str:
    # By name: not every botocore that the project works with has all of these classes.
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & {"NoCredentialsError", "PartialCredentialsError"}:
        return "No AWS credentials were found: name a profile in the settings, set AWS_PROFILE, or run `aws configure`"
    if kinds & {
        "CredentialRetrievalError",
        "SSOError",
        "TokenRetrievalError",
        "LoginError",
        "RefreshWithMFAUnsupportedError",
    }:
        return f"The credentials could not be renewed: log in again (`aws sso login` or `aws login`). {_RERUN}"
    if "NoRegionError" in kinds:
        return "Set the region of the S3 settings to that of the bucket"
    if kinds & {"ParamValidationError", "ValidationError"}:
        return "Mend the setting it names"
    return f"Several tries did not help: check the network, a proxy, and the endpoint in the settings. {_RERUN}"
