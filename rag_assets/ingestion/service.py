"""Calls of bedrock-agent during an ingestion: how long is waited for what, the lines for the log, what was in the way.

What to call, and what the answers mean, is decided elsewhere; how calls are made at all lies in `aws.calls`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from rag_assets.aws.calls import FAILURE_WORDS, Backoff, CallContext, RetryingCaller, RetryLimit
from rag_assets.aws.errors import AwsFailure, FailureKind
from rag_assets.clock import Clock
from rag_assets.ingestion.job_verification import JobStatistics
from rag_assets.model import Model


class IngestionError(Exception):
    """The Knowledge Base does not hold what was uploaded; the message says what happened, where, and what to do."""


class UnknownResourceError(IngestionError):
    """The service knows no such Knowledge Base, data source or job."""


class WaitLimits(Model):
    """How long is waited for what, in seconds.

    Attributes:
        start: For other jobs, throttling and quotas to let a job start.
        job: For a job to end.
        answer: For the service to answer again after throttling, quotas, errors of its own, and time-outs.
        start_pauses: Between two tries to start. StartIngestionJob takes 0.1 requests a second (Bedrock quotas).
        poll_pauses: Between two looks at a job or at documents.
        answer_pauses: Between two tries of any other call.
    """

    start: float = Field(default=3600, ge=0)
    job: float = Field(default=6 * 3600, ge=0)
    answer: float = Field(default=300, ge=0)
    start_pauses: Backoff = Backoff(first=11, longest=60)
    poll_pauses: Backoff = Backoff(first=2, longest=30)
    answer_pauses: Backoff = Backoff(first=1, longest=30)


class RetryCounts(Model):
    """How often, and for how many seconds, something was in the way (`aws.troubles.PASSING`)."""

    conflicts: int = 0
    throttles: int = 0
    quotas: int = 0
    waking: int = 0
    unanswered: int = 0
    unreachable: int = 0
    garbled: int = 0
    seconds: float = 0


class IngestionProgress(Model):
    """A line for the log.

    Attributes:
        message: What happens, for people.
        seconds: Since the ingestion began.
        statistics: What the job has done so far, where there is one.
    """

    message: str
    seconds: float
    statistics: JobStatistics | None = None


OnProgress = Callable[[IngestionProgress], None]


def client_config() -> Any:
    """The botocore configuration for clients of the service: limited time-outs, and no retries that nobody hears of.

    A vector store that wakes up may take half a minute to answer.
    """
    from botocore.config import Config

    return Config(connect_timeout=10, read_timeout=30, retries={"total_max_attempts": 1, "mode": "standard"})


_STARTS_LATER: frozenset[FailureKind] = frozenset({"conflicts", "quotas", "throttles"})
"""What keeps from starting as long as others are at work, which may be hours."""


@dataclass
class IngestionService:
    """A bedrock-agent client, and the patience to use it with.

    Attributes:
        agent: The boto3 client.
        place: What is worked on, for messages.
        clock: Time and waiting.
        patience: How long is waited for what.
        on_progress: Takes the lines for the log.
        waited: What was in the way so far.
    """

    agent: Any
    place: str
    clock: Clock = field(default_factory=Clock)
    patience: WaitLimits = field(default_factory=WaitLimits)
    on_progress: OnProgress | None = None
    waited: RetryCounts = field(default_factory=RetryCounts)

    def __post_init__(self) -> None:
        self._began = self.clock.monotonic()

    @property
    def region(self) -> str:
        """Where the client asks."""
        return str(self.agent.meta.region_name)

    @property
    def seconds(self) -> float:
        """Since the ingestion began."""
        return self.clock.monotonic() - self._began

    def tell(self, message: str, statistics: JobStatistics | None = None) -> None:
        """A line for the log."""
        if self.on_progress:
            self.on_progress(IngestionProgress(message=message, seconds=self.seconds, statistics=statistics))

    def start(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call an operation that is refused while others are busy, and wait until it is not.

        The parameters hold a clientToken: a try whose answer was lost may have taken effect, and the next one with
        the same token then leads to that.

        Raises:
            IngestionError: It stays refused beyond the patience, or is refused for good.
        """
        start = RetryLimit(seconds=self.patience.start, pauses=self.patience.start_pauses)
        return self._call(
            operation, lambda trouble: start if trouble.kind in _STARTS_LATER else self._answer, parameters
        )

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call any other operation, which may be repeated without harm.

        Raises:
            IngestionError: It is not answered within the patience, or refused.
        """
        return self._call(operation, lambda _: self._answer, parameters)

    @property
    def _answer(self) -> RetryLimit:
        return RetryLimit(seconds=self.patience.answer, pauses=self.patience.answer_pauses)

    def _call(
        self, operation: str, wait_for: Callable[[AwsFailure], RetryLimit], parameters: dict[str, Any]
    ) -> dict[str, Any]:
        names = self.agent.meta.method_to_api_mapping
        method = getattr(self.agent, next(python for python, api in names.items() if api == operation))
        purpose = CallContext(
            what=self.place,
            operation=operation,
            resource="the Knowledge Base",
            when_missing=f"The service knows no such thing in region {self.region}: compare the IDs and the region in "
            "the settings with the Bedrock console.",
            rerun="Run again: it goes on where it stopped.",
        )
        calls = RetryingCaller(self.agent, wait_for, _failure, self.clock, self._paused)
        return calls.ask(purpose, lambda: method(**parameters))

    def _paused(self, operation: str, trouble: AwsFailure, pause: float) -> None:
        self.tell(f"{operation}: {FAILURE_WORDS[trouble.kind]}; next try in {pause:,.0f} s ({trouble.told})")
        counts = {trouble.kind: getattr(self.waited, trouble.kind) + 1, "seconds": self.waited.seconds + pause}
        self.waited = self.waited.model_copy(update=counts)


def _failure(trouble: AwsFailure, message: str) -> IngestionError:
    return UnknownResourceError(message) if trouble.kind == "missing" else IngestionError(message)
