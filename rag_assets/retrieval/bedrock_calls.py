"""Calls Bedrock's runtime services, in helper threads too: how long failures are retried, and what is raised.

What is called belongs to `knowledge_base` and `bedrock_embedders`; how a call is retried, to `aws.calls`.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rag_assets.aws.calls import Backoff, CallContext, CheckedAnswer, RetryingCaller, RetryLimit, describe_pause
from rag_assets.aws.errors import AwsFailure
from rag_assets.clock import Clock
from rag_assets.parallel import call_in_caller, require_caller, sleep

Tell = Callable[[str], None]
"""Takes a line for the log."""


class BedrockError(Exception):
    """Bedrock did not do what was asked; the message says what, why, and what to do about it."""


class BedrockPatience(NamedTuple):
    """How long a call is retried that is throttled, fails in the service, or is not answered at all.

    A minute is enough for a quota of a minute, and for an Aurora database that was paused to wake up (about 15 seconds,
    30 after a day; Aurora user guide, automatic pause and resume). The client itself does not try again.

    Attributes:
        answer: For an answer; several requests are under way at once, so chance parts them.
        clock: Time and waiting.
        tell: Told of every pause, in the thread that waits for the answers.
    """

    answer: RetryLimit = RetryLimit(seconds=60, pauses=Backoff(first=0.5, longest=20, spread=0.5))
    clock: Clock = Clock(sleep=sleep)
    tell: Tell = logging.getLogger(__name__).info


def call_bedrock(
    client: Any,
    call: Callable[[], Mapping[str, Any]],
    patience: BedrockPatience,
    context: CallContext,
    error: type[BedrockError] = BedrockError,
) -> CheckedAnswer:
    """Make a call, retried while its failure may pass.

    Raises:
        BedrockError: It failed for good, or for too long; of the kind `error`. Its cause is the failure itself.
        AbandonedError: Whoever waited for this thread has gone.
    """
    tell = call_in_caller(patience.tell)

    def note_pause(operation: str, failure: AwsFailure, pause: float) -> None:
        require_caller()
        tell(f"{context.what}: {describe_pause(operation, failure, f'{pause:,.1f}')}")

    def call_if_wanted() -> Mapping[str, Any]:
        require_caller()
        return call()

    caller = RetryingCaller(
        client, lambda _: patience.answer, lambda _, message: error(message), patience.clock, note_pause
    )
    return caller.call(context, call_if_wanted)


def region_of(client: Any) -> str:
    """The region a boto3 client asks."""
    return str(client.meta.region_name)
