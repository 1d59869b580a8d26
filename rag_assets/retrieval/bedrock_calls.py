"""Calls of Bedrock's runtime services: what is tried again, and what a refusal means to the person who reads it.

What is asked for lies in `knowledge_base` and `bedrock_embedders`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class BedrockError(Exception):
    """Bedrock did not do what was asked; the message says what, why, and what to do about it."""


@dataclass(frozen=True)
class Patience:
    """How long a call is tried again that is throttled, met by a fault of the service, or not answered at all.

    The waits double from `first_wait` up to `longest_wait`, with a random share on top so that several callers part.
    With the defaults a call is given up after about a minute: enough for a throttled minute, and for an Aurora
    database that was paused to wake up (about 15 seconds; Aurora user guide, automatic pause and resume). The
    client's own retries come on top.

    Attributes:
        attempts: How often it is tried in all.
        first_wait: Seconds before the second attempt.
        longest_wait: Seconds.
        sleep: Waits so many seconds.
    """

    attempts: int = 9
    first_wait: float = 0.5
    longest_wait: float = 20.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Purpose:
    """What a call is for, in the words of a message.

    Attributes:
        what: What was asked, and of whom: `Knowledge Base ABCDEFGHIJ (ap-northeast-1)`.
        action: The IAM action it takes.
        resource: ARN, or a pattern of one, that the action has to be allowed on.
        when_denied: What may be missing beside that right; a sentence, or nothing.
        when_missing: What to do where it is not found.
    """

    what: str
    action: str
    resource: str
    when_denied: str
    when_missing: str


def tried(call: Callable[[], Answer], patience: Patience, purpose: Purpose) -> Answer:
    """What a call answers, tried again while its failure may pass.

    Raises:
        BedrockError: It failed for good, or still did at the last attempt. The failure itself is its cause.
    """
    from botocore.exceptions import BotoCoreError, ClientError
    from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

    retrying = Retrying(
        stop=stop_after_attempt(patience.attempts),
        wait=wait_exponential(patience.first_wait, patience.longest_wait) + wait_random(0, patience.first_wait),
        retry=retry_if_exception(_may_pass),
        sleep=patience.sleep,
        reraise=True,
    )
    try:
        return retrying(call)
    except (ClientError, BotoCoreError) as error:
        raise BedrockError(_explained(error, patience, purpose)) from error


def region_of(client: Any) -> str:
    """The region a boto3 client asks."""
    return str(client.meta.region_name)


def refusal_of(error: BaseException | None) -> tuple[str, str]:
    """Code and message of the service's refusal; both empty where it is none."""
    told = getattr(error, "response", None) or {}
    refusal = told.get("Error", {})
    return str(refusal.get("Code", "")), str(refusal.get("Message", ""))


_PASSING_STATUS = frozenset({408, 409, 424, 429})
"""Time-out of a model, conflict, a dependency that failed, throttling (errors of InvokeModel and Retrieve)."""
_THROTTLED = ("ThrottlingException", "TooManyRequestsException")
_WAKING = "auto-paused"
"""In the ValidationException that Retrieve answers while an Aurora database wakes up."""
_BAD_CREDENTIALS = frozenset(
    {
        "ExpiredTokenException",
        "ExpiredToken",
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "IncompleteSignature",
        "RequestExpired",
    }
)


def _may_pass(error: BaseException) -> bool:
    from botocore import exceptions

    if isinstance(error, exceptions.ClientError):
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        return status in _PASSING_STATUS or status >= 500 or _WAKING in refusal_of(error)[1]
    return isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)) and not isinstance(
        error, exceptions.SSLError
    )


def _explained(error: Exception, patience: Patience, purpose: Purpose) -> str:
    code, message = refusal_of(error)
    if not code:
        return _unanswered(error, patience, purpose)
    told = f"{purpose.what}: {code}: {message.rstrip('.')}."
    if code in _BAD_CREDENTIALS:
        return f"{told} AWS does not take the credentials: sign in again (aws sso login, or new keys), then run again."
    if code == "AccessDeniedException":
        return f"{told} Allow {purpose.action} on {purpose.resource}. {purpose.when_denied}".rstrip()
    if code == "ResourceNotFoundException":
        return f"{told} {purpose.when_missing}"
    if code in _THROTTLED:
        return (
            f"{told} It was still throttled at attempt {patience.attempts}. Run again later, run less beside it, or "
            "ask for a higher quota (Service Quotas, Amazon Bedrock)."
        )
    if _may_pass(error):
        return f"{told} It still failed at attempt {patience.attempts}: run again later."
    return told


def _unanswered(error: Exception, patience: Patience, purpose: Purpose) -> str:
    from botocore import exceptions

    if _may_pass(error):
        return (
            f"{purpose.what}: no answer at attempt {patience.attempts} ({error}). Check the region, the network and "
            "the time-outs of the client, then run again."
        )
    if isinstance(error, (exceptions.NoCredentialsError, exceptions.PartialCredentialsError)):
        return f"{purpose.what}: no AWS credentials were found ({error}). Sign in, or name a profile (AWS_PROFILE)."
    return f"{purpose.what}: {error}. Check the AWS configuration (profile, region, sign-in), then run again."
