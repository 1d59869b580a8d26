"""Calls of Bedrock: what passes is waited out, an answer is held to what is read of it, the rest is told with a remedy.

The one engine for all its services. What an error means lies in `troubles`; what is asked, and how long is waited for
it, is decided by the callers.
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
    """How long to wait before the next try, in seconds: each time twice as long, up to the longest.

    Attributes:
        first: The first pause.
        longest: The longest.
        spread: Most that chance puts on top of each, so that callers which began together part.
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
    """How long a call is tried again.

    Attributes:
        seconds: From the beginning of the first try that failed so: with the last one, which may begin just before they
            are over, the longest that is waited for an answer.
        pauses: Between two tries.
    """

    seconds: float = Field(ge=0)
    pauses: Backoff


@dataclass(frozen=True)
class CallContext:
    """What a call is for, in the words of a message; all but `what` and `operation` are sentences.

    Attributes:
        what: What is asked, or worked on: `Knowledge Base ABCDEFGHIJ (ap-northeast-1)`.
        operation: Its name in the API, which is that of the IAM action too.
        resource: That the action has to be allowed on; no sentence: an ARN, or in words.
        when_missing: What to do where the service does not know what it is asked about.
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
    """What a service answered: to read a member that is not there is an error which says so."""

    def __init__(self, members: Mapping[str, Any], absent: Callable[[str], Exception]) -> None:
        super().__init__({name: _held(value, absent) for name, value in members.items()})
        self._absent = absent

    def __missing__(self, name: str) -> Any:
        raise self._absent(name)


def _held(value: Any, absent: Callable[[str], Exception]) -> Any:
    if isinstance(value, list):
        if None in value:
            raise UnreadableAnswerError("an answer with a list in which an item is null")
        return [_held(item, absent) for item in value]
    return CheckedAnswer(value, absent) if isinstance(value, dict) else value


@dataclass(frozen=True)
class RetryingCaller:
    """How calls of one client are made.

    Attributes:
        client: Of boto3.
        wait_for: How long is waited where a failure may pass. Failures with the same limit share it.
        failure: Makes the exception for what does not pass, of the trouble and a message with a remedy.
        clock: Time and waiting.
        on_pause: Told of every pause before it begins: the operation, what is in the way, seconds.
    """

    client: Any
    wait_for: Callable[[AwsFailure], RetryLimit]
    failure: Callable[[AwsFailure, str], Exception]
    clock: Clock
    on_pause: Callable[[str, AwsFailure, float], None]

    def ask(self, purpose: CallContext, call: Callable[[], Mapping[str, Any]]) -> CheckedAnswer:
        """What a call answers.

        The call is made again while what is in the way may pass, so it has to be one that may be repeated. It reads its
        answer to the end: what breaks on the way is tried again as well.

        Raises:
            Exception: What `failure` makes of a refusal, or of the last trouble when the wait is over; also later,
                where a member of the answer is read that is not there.
        """
        begun: dict[RetryLimit, tuple[float, Iterator[float]]] = {}
        while True:
            asked = self.clock.monotonic()
            try:
                return self._held(call(), purpose)
            except Exception as error:
                trouble = classify_exception(error)
                if trouble is None:
                    raise
                if not trouble.passes:
                    raise self.failure(trouble, describe_failure(trouble, purpose, self.client)) from error
                wait = self.wait_for(trouble)
                began, pauses = begun.setdefault(wait, (asked, iter(wait.pauses)))
                pause = next(pauses)
                if self.clock.monotonic() - began + pause > wait.seconds:
                    raise self.failure(trouble, describe_last_failure(trouble, purpose, self.client, wait)) from error
            self.on_pause(purpose.operation, trouble, pause)
            self.clock.sleep(pause)

    def _held(self, answer: Mapping[str, Any], purpose: CallContext) -> CheckedAnswer:
        # botocore leaves out what the service's model does not know: of a page of a proxy, all.
        if not isinstance(answer, Mapping) or not answer.keys() - {"ResponseMetadata"}:
            raise UnreadableAnswerError("an answer with nothing in it that this service answers")

        def absent(name: str) -> Exception:
            trouble = AwsFailure("garbled", f"an answer without {name}")
            return self.failure(trouble, describe_failure(trouble, purpose, self.client))

        return CheckedAnswer(answer, absent)


FAILURE_WORDS: Mapping[FailureKind, str] = {
    "conflicts": "another ingestion job of this Knowledge Base is running, or something else is at work there",
    "quotas": "a quota of the account is used up",
    "throttles": "throttled",
    "waking": "the database of the Knowledge Base was paused, and resumes",
    "unanswered": "no answer",
    "unreachable": "the service cannot be reached",
    "garbled": "an answer that cannot be read",
}
"""What passes, for a line in the log."""

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


def describe_failure(trouble: AwsFailure, purpose: CallContext, client: Any) -> str:
    """What happened, and what to do about it."""
    happened = f"{trouble.code} at {purpose.operation}" if trouble.code else purpose.operation
    message = f"{purpose.what}: {happened}: {_shortened(trouble.message)}."
    return " ".join(filter(None, (message, *_remedies(trouble, purpose, client), purpose.rerun)))


def describe_last_failure(trouble: AwsFailure, purpose: CallContext, client: Any, wait: RetryLimit) -> str:
    """What still happened when the wait was over, and what to do about it."""
    message = f"{purpose.what}: {purpose.operation} did not succeed within {wait.seconds:,.0f} seconds."
    last = f"The last answer was: {_shortened(trouble.told)}"
    return " ".join((message, *_remedies(trouble, purpose, client), purpose.rerun, last))


def _remedies(trouble: AwsFailure, purpose: CallContext, client: Any) -> tuple[str, ...]:
    match trouble.kind:
        case "denied":
            action = f"bedrock:{purpose.operation}"
            allow = f"Allow the action {action} on {purpose.resource} in the IAM policy of whoever runs this."
            return (allow, purpose.when_denied)
        case "missing":
            where = f"It was asked for at {client.meta.endpoint_url} (settings aws_region, bedrock_endpoint)."
            return (where, purpose.when_missing)
        case "refused":
            return (purpose.when_refused(trouble),)
        case kind:
            return (_ADVICE[kind].format(endpoint=client.meta.endpoint_url),)


def _shortened(message: str) -> str:
    line = " ".join(message.split()).rstrip(".")
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN]}…"
