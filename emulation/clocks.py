"""Time for the emulation: the real one, or one that a test moves. And how fast ingestion jobs go by it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time, with its zone."""
        ...


class RealClock:
    """The time it is."""

    def now(self) -> datetime:
        """What time it is."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands until it is told to go on."""

    def __init__(self, start: datetime = datetime(2026, 4, 1, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """What time it is."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Progress:
    """How far a job may have come.

    Attributes:
        begun: It has left STARTING.
        documents: How many of the documents that need work may have been worked on.
        may_finish: It may end once all are.
    """

    begun: bool
    documents: int
    may_finish: bool


class Pace(Protocol):
    """How fast jobs go."""

    def progress(self, polls: int, seconds: float) -> Progress:
        """How far a job may have come that was looked at so many times and began so long ago."""
        ...


@dataclass(frozen=True)
class PollPace:
    """A job goes on when somebody looks at it, and no time passes.

    A look is a GetIngestionJob or ListIngestionJobs that tells of the job, or a StartIngestionJob refused for it.

    Attributes:
        starting: How many looks find it STARTING.
        in_progress: How many then find it IN_PROGRESS with nothing done.
        documents: How many documents each further look finds done.
    """

    starting: int = 1
    in_progress: int = 1
    documents: int = 250

    def progress(self, polls: int, seconds: float) -> Progress:  # noqa: ARG002
        """How far a job has come."""
        working = polls - self.starting - self.in_progress
        return Progress(polls > self.starting, max(0, working) * self.documents, working > 0)


@dataclass(frozen=True)
class TimePace:
    """A job goes on with the clock.

    Attributes:
        starting: Seconds in STARTING.
        in_progress: Seconds it is IN_PROGRESS at least.
        documents_per_second: How many documents are worked on in a second.
    """

    starting: float = 1.0
    in_progress: float = 2.0
    documents_per_second: float = 100.0

    def progress(self, polls: int, seconds: float) -> Progress:  # noqa: ARG002
        """How far a job has come."""
        working = seconds - self.starting
        return Progress(working >= 0, max(0, int(working * self.documents_per_second)), working >= self.in_progress)
