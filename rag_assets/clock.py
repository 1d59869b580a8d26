"""Time and waiting as a value, so that tests need not wait; and today's date in Japan.

Who waits for how long is decided where requests are made.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

_JAPAN = timezone(timedelta(hours=9))


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


def day_in_japan(moment: datetime) -> date:
    """The day that a moment belongs to where Japanese documents come into force; Japan has no summer time."""
    return moment.astimezone(_JAPAN).date()


def today_in_japan() -> date:
    """The day it is in Japan."""
    return day_in_japan(utc_now())


@dataclass(frozen=True)
class Clock:
    """Time of day, elapsed time and waiting.

    Attributes:
        now: The time of day, timezone-aware; for journals and for `Retry-After` given as a date.
        monotonic: Elapsed seconds from any start; for intervals, which a change of the
            wall clock must not bend.
        sleep: Waits so many seconds.
    """

    now: Callable[[], datetime] = utc_now
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
