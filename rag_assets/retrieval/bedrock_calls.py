"""Calls of Bedrock's runtime services: how long they are waited for, and as what their failures are raised.

What is asked for lies in `knowledge_base` and `bedrock_embedders`; how calls are made at all in `aws.calls`.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rag_assets.aws.calls import FAILURE_WORDS, Backoff, CallContext, CheckedAnswer, RetryingCaller, RetryLimit
from rag_assets.aws.errors import AwsFailure
from rag_assets.clock import Clock
from rag_assets.parallel import call_in_caller, require_caller, sleep

Tell = Callable[[str], None]
"""Takes a line for the log."""


class BedrockError(Exception):
    """Bedrock did not do what was asked; the message says what, why, and what to do about it."""


class BedrockPatience(NamedTuple):
    """How long is waited for a call that is throttled, met by a fault of the service, or not answered at all.

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
    purpose: CallContext,
    error: type[BedrockError] = BedrockError,
) -> CheckedAnswer:
    """What a call answers, tried again while what is in its way may pass.

    Raises:
        BedrockError: It failed for good, or still did when patience ended; of the kind `error`. The failure itself is
            its cause.
        UnwantedError: Whoever waited for this thread has gone.
    """
    tell = call_in_caller(patience.tell)

    def paused(operation: str, trouble: AwsFailure, pause: float) -> None:
        require_caller()
        tell(f"{purpose.what}: {operation}: {FAILURE_WORDS[trouble.kind]}; next try in {pause:,.1f} s ({trouble.told})")

    def called() -> Mapping[str, Any]:
        require_caller()
        return call()

    calls = RetryingCaller(client, lambda _: patience.answer, lambda _, message: error(message), patience.clock, paused)
    return calls.ask(purpose, called)


def region_of(client: Any) -> str:
    """The region a boto3 client asks."""
    return str(client.meta.region_name)
