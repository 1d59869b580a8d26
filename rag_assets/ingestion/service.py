"""Calls bedrock-agent during an ingestion: how long it waits for what, the lines for the log, and what was in the way.

What is called belongs to the other modules; how a call is retried, to `aws.calls`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from rag_assets.aws.calls import Backoff, CallContext, Polling, RetryingCaller, RetryLimit, describe_pause
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
        start_pauses: Between two tries to start. StartIngestionJob takes 0.1 requests a second
            (https://docs.aws.amazon.com/general/latest/gr/bedrock.html).
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
    """How often each kind of transient failure was in the way (`aws.errors.TRANSIENT_KINDS`), and for how long."""

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
        statistics: What the job has done so far, if there is one.
    """

    message: str
    seconds: float
    statistics: JobStatistics | None = None


OnProgress = Callable[[IngestionProgress], None]


def client_config() -> Any:
    """The botocore configuration for clients of the service: limited time-outs, and no silent retries.

    A vector store that wakes up may take half a minute to answer.
    """
    from botocore.config import Config

    return Config(connect_timeout=10, read_timeout=30, retries={"total_max_attempts": 1, "mode": "standard"})


_BUSY: frozenset[FailureKind] = frozenset({"conflicts", "quotas", "throttles"})
"""What keeps a job from starting while others are at work, which may be hours."""


@dataclass
class IngestionService:
    """A bedrock-agent client, and how long to wait for it.

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
        """The region that the client calls."""
        return str(self.agent.meta.region_name)

    @property
    def seconds(self) -> float:
        """Since the ingestion began."""
        return self.clock.monotonic() - self._began

    def tell(self, message: str, statistics: JobStatistics | None = None) -> None:
        """Log a line."""
        if self.on_progress:
            self.on_progress(IngestionProgress(message=message, seconds=self.seconds, statistics=statistics))

    def start_polling(self) -> Polling:
        """The pauses between looks at a job or at documents, from now on."""
        return Polling(self.clock, self.patience.poll_pauses, self.clock.monotonic())

    def start(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call an operation that is refused while others are busy, and wait until it is not.

        The parameters hold a clientToken: a try whose answer was lost may have taken effect, and the next try with the
        same token then leads to that.

        Raises:
            IngestionError: It is refused for good, or for too long.
        """
        start = RetryLimit(seconds=self.patience.start, pauses=self.patience.start_pauses)
        return self._call(operation, lambda failure: start if failure.kind in _BUSY else self._answer, parameters)

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call any other operation, which may be repeated without harm.

        Raises:
            IngestionError: It is refused, or not answered for too long.
        """
        return self._call(operation, lambda _: self._answer, parameters)

    @property
    def _answer(self) -> RetryLimit:
        return RetryLimit(seconds=self.patience.answer, pauses=self.patience.answer_pauses)

    def _call(
        self, operation: str, limit_for: Callable[[AwsFailure], RetryLimit], parameters: dict[str, Any]
    ) -> dict[str, Any]:
        names = self.agent.meta.method_to_api_mapping
        method = getattr(self.agent, next(python for python, api in names.items() if api == operation))
        context = CallContext(
            what=self.place,
            operation=operation,
            resource="the Knowledge Base",
            when_missing=f"The service knows no such thing in region {self.region}: compare the IDs and the region in "
            "the settings with the Bedrock console.",
            rerun="Run again: it goes on where it stopped.",
        )
        caller = RetryingCaller(self.agent, limit_for, _make_error, self.clock, self._note_pause)
        return caller.call(context, lambda: method(**parameters))

    def _note_pause(self, operation: str, failure: AwsFailure, pause: float) -> None:
        self.tell(describe_pause(operation, failure, f"{pause:,.0f}"))
        counts = {failure.kind: getattr(self.waited, failure.kind) + 1, "seconds": self.waited.seconds + pause}
        self.waited = self.waited.model_copy(update=counts)


def _make_error(failure: AwsFailure, message: str) -> IngestionError:
    return UnknownResourceError(message) if failure.kind == "missing" else IngestionError(message)
