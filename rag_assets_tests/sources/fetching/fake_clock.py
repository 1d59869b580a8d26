"""A clock that moves only when somebody sleeps, and remembers for how long."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from rag_assets.clock import Clock

START = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)


@dataclass
class FakeClock:
    elapsed: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.elapsed += seconds

    def clock(self) -> Clock:
        return Clock(now=self.now, monotonic=lambda: self.elapsed, sleep=self.sleep)
