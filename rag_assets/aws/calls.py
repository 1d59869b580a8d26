"""Calls an AWS service: retries transient failures, validates answers, and raises the rest with advice.

What an error means belongs to `errors`; what is called, and how long it is retried, to the callers.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from rag_assets.aws.errors import CREDENTIALS, AwsFailure, FailureKind, UnreadableAnswerError, classify_exception
from rag_assets.clock import Clock
from rag_assets.model import Model

_MOST_SHOWN = 1000
"""Characters of what a service says; of a page that somebody else sent, that is not all."""


class Backoff(Model):
    """Pauses between tries, in seconds: each twice as long as the one before, up to the longest.

    Attributes:
        first: The first pause.
        longest: The longest.
        spread: The most that chance adds to each, so that callers which began together do not stay together.
    """

    first: float = Field(gt=0)
    longest: float = Field(gt=0)
    spread: float = Field(default=0, ge=0)

    def __iter__(self) -> Iterator[float]:  # type: ignore[override]
        pause = min(self.first, self.longest)
        while True:
            yield pause + random.uniform(0, self.spread)
            pause = min(2 * pause, self.longest)


class RetryLimit(Model):
    """How long a call is retried.

    Attributes:
        seconds: From the beginning of the first failed try; the last try begins before they are over.
        pauses: Between two tries.
    """

    seconds: float = Field(ge=0)
    pauses: Backoff


class Polling:
    """The pauses between tries or looks, since a time."""

    def __init__(self, clock: Clock, pauses: Backoff, began: float) -> None:
        self._clock = clock
        self._pauses = iter(pauses)
        self._began = began

    def next_pause(self, seconds: float) -> float | None:
        """The next pause; None if it would end more than so many seconds after the beginning."""
        pause = next(self._pauses)
        return pause if self._clock.monotonic() - self._began + pause <= seconds else None


@dataclass(frozen=True)
class CallContext:
    """What a call is for, in words for a message. All but `what`, `operation` and `resource` are sentences.

    Attributes:
        what: What is asked, or worked on: `Knowledge Base ABCDEFGHIJ (ap-northeast-1)`.
        operation: Its name in the API, which is that of the IAM action too.
        resource: What the action has to be allowed on: an ARN, or words.
        when_missing: What to do if the service does not know what it is asked about.
        when_denied: What may be missing beside the right.
        when_refused: What to do about any other refusal.
        rerun: What comes after the remedy.
    """

    what: str
    operation: str
    resource: str
    when_missing: str
    when_denied: str = ""
    when_refused: Callable[[AwsFailure], str] = lambda _: "It would be refused again: mend what the service says."
    rerun: str = "Run again."


class CheckedAnswer(dict[str, Any]):
    """The answer of a service; to read a missing member raises an error that says so."""

    def __init__(self, members: Mapping[str, Any], make_error: Callable[[str], Exception]) -> None:
        super().__init__({name: _check(value, make_error) for name, value in members.items()})
        self._make_error = make_error

    def __missing__(self, name: str) -> Any:
        raise self._make_error(name)


def _check(value: Any, make_error: Callable[[str], Exception]) -> Any:
    if isinstance(value, list):
        if None in value:
            raise UnreadableAnswerError("an answer with a list in which an item is null")
        return [_check(item, make_error) for item in value]
    return CheckedAnswer(value, make_error) if isinstance(value, dict) else value


@dataclass(frozen=True)
class RetryingCaller:
    """Makes the calls of one client.

    Attributes:
        client: Of boto3.
        limit_for: How long a transient failure is retried. Failures with the same limit share it.
        make_error: Makes the exception for any other failure, of the failure and a message with a remedy.
        clock: Time and waiting.
        on_pause: Called before every pause with the operation, the failure and the seconds.
    """

    client: Any
    limit_for: Callable[[AwsFailure], RetryLimit]
    make_error: Callable[[AwsFailure, str], Exception]
    clock: Clock
    on_pause: Callable[[str, AwsFailure, float], None]

    def call(self, context: CallContext, call: Callable[[], Mapping[str, Any]]) -> CheckedAnswer:
        """Make a call, again and again while its failure may pass.

        The call has to be one that may be repeated, and has to read its answer to the end: an answer that breaks off is
        retried as well.

        Raises:
            Exception: What `make_error` makes of a refusal, or of the last failure at the limit; also later, when a
                missing member of the answer is read.
        """
        polling: dict[RetryLimit, Polling] = {}
        while True:
            began = self.clock.monotonic()
            try:
                return self._check_answer(call(), context)
            except Exception as error:
                failure = classify_exception(error)
                if failure is None:
                    raise
                if not failure.is_transient:
                    raise self.make_error(failure, describe_failure(failure, context, self.client)) from error
                limit = self.limit_for(failure)
                pause = polling.setdefault(limit, Polling(self.clock, limit.pauses, began)).next_pause(limit.seconds)
                if pause is None:
                    message = describe_last_failure(failure, context, self.client, limit)
                    raise self.make_error(failure, message) from error
            self.on_pause(context.operation, failure, pause)
            self.clock.sleep(pause)

    def _check_answer(self, answer: Mapping[str, Any], context: CallContext) -> CheckedAnswer:
        # botocore drops what the service's model does not know: of a proxy's page, everything.
        if not isinstance(answer, Mapping) or not answer.keys() - {"ResponseMetadata"}:
            raise UnreadableAnswerError("an answer with nothing in it that this service answers")

        def make_error(name: str) -> Exception:
            failure = AwsFailure("garbled", f"an answer without {name}")
            return self.make_error(failure, describe_failure(failure, context, self.client))

        return CheckedAnswer(answer, make_error)


def describe_pause(operation: str, failure: AwsFailure, seconds: str) -> str:
    """What is in the way, and when the next try comes: a line for the log."""
    return f"{operation}: {FAILURE_WORDS[failure.kind]}; next try in {seconds} s ({failure.told})"


FAILURE_WORDS: Mapping[FailureKind, str] = {
    "conflicts": "another ingestion job of this Knowledge Base is running, or something else is at work there",
    "quotas": "a quota of the account is used up",
    "throttles": "throttled",
    "waking": "the database of the Knowledge Base was paused, and resumes",
    "unanswered": "no answer",
    "unreachable": "the service cannot be reached",
    "garbled": "an answer that cannot be read",
}
"""Transient failures, for a line in the log."""

_ADVICE: Mapping[FailureKind, str] = {
    **{kind: f"{remedy}." for kind, remedy in CREDENTIALS.items()},
    "conflicts": "One job runs at a time in a Knowledge Base, and another one (of any data source) still does. Let it "
    "end, or stop it in the console (Knowledge Base, data source, Stop).",
    "quotas": "A quota of the account is used up: of ingestion jobs, for one, 5 may run at once. Let what runs beside "
    "it end, or ask for a higher quota (Service Quotas, Amazon Bedrock).",
    "throttles": "The service throttles: something else in the account calls it as well. Wait, run less beside it, or "
    "ask for a higher quota (Service Quotas, Amazon Bedrock).",
    "waking": "The Aurora database of the Knowledge Base was paused, and is long in resuming: look at it in the RDS "
    "console; with a minimum capacity above 0 it is not paused.",
    "unanswered": "The service, or the network, does not answer at {endpoint}: look at the AWS Health Dashboard and "
    "the network.",
    "unreachable": "Nothing can be reached at {endpoint}: check the network, a proxy (HTTPS_PROXY), and the region and "
    "the endpoint in the settings (aws_region, bedrock_endpoint).",
    "certificate": "The certificate at {endpoint} is not trusted: where a proxy puts in one of its own, name the file "
    "with its authority in AWS_CA_BUNDLE.",
    "settings": "Mend what it names in the settings (aws_region, aws_profile, bedrock_endpoint) or in the "
    "configuration of the AWS CLI (`aws configure list`).",
    **dict.fromkeys(
        ("garbled", "foreign"),
        "What answers at {endpoint} seems to be something else than Amazon Bedrock: look at the endpoint in the "
        "settings (bedrock_endpoint), and at what lies between: a proxy (HTTPS_PROXY), a network that wants a log-in.",
    ),
}


def describe_failure(failure: AwsFailure, context: CallContext, client: Any) -> str:
    """What happened, and what to do about it."""
    happened = f"{failure.code} at {context.operation}" if failure.code else context.operation
    message = f"{context.what}: {happened}: {_shorten(failure.message)}."
    return " ".join(filter(None, (message, *_find_remedies(failure, context, client), context.rerun)))


def describe_last_failure(failure: AwsFailure, context: CallContext, client: Any, limit: RetryLimit) -> str:
    """What still happened when the wait was over, and what to do about it."""
    message = f"{context.what}: {context.operation} did not succeed within {limit.seconds:,.0f} seconds."
    last = f"The last answer was: {_shorten(failure.told)}"
    return " ".join((message, *_find_remedies(failure, context, client), context.rerun, last))


def _find_remedies(failure: AwsFailure, context: CallContext, client: Any) -> tuple[str, ...]:
    match failure.kind:
        case "denied":
            action = f"bedrock:{context.operation}"
            allow = f"Allow the action {action} on {context.resource} in the IAM policy of whoever runs this."
            return (allow, context.when_denied)
        case "missing":
            where = f"It was asked for at {client.meta.endpoint_url} (settings aws_region, bedrock_endpoint)."
            return (where, context.when_missing)
        case "refused":
            return (context.when_refused(failure),)
        case kind:
            return (_ADVICE[kind].format(endpoint=client.meta.endpoint_url),)


def _shorten(message: str) -> str:
    line = " ".join(message.split()).rstrip(".")
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN]}…"
