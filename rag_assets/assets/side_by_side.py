"""Work that mostly waits, done for several things at the same time, and told of by one thread.

What the work is, is decided elsewhere. Only the caller's thread logs and records: that Dagster's context may be used by
others at once is nowhere said.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event, Thread
from typing import Generic, TypeVar

Made = TypeVar("Made")


class UnwantedError(Exception):
    """Nobody waits for the work any longer."""


@dataclass(frozen=True)
class Side:
    """What work is given to wait and to tell with.

    Attributes:
        tell: Takes lines for the log.
        ended: Set once nobody waits for the work any longer.
    """

    tell: Callable[[str], None]
    ended: Event

    def sleep(self, seconds: float) -> None:
        """Wait.

        Raises:
            UnwantedError: The caller has left meanwhile.
        """
        if self.ended.wait(seconds):
            raise UnwantedError


@dataclass(frozen=True)
class _Done(Generic[Made]):
    name: str
    made: Made


def side_by_side(
    groups: Sequence[Sequence[str]],
    work: Callable[[str, Side], Made],
    *,
    at_once: int,
    tell: Callable[[str], None],
) -> Iterator[tuple[str, Made]]:
    """What the work makes of each name, as it is done.

    When the caller leaves, be it for an error or an interrupt, no work is waited for: it ends when it next sleeps.

    Args:
        groups: Names; those of a group one after the other, groups at the same time.
        work: Of one name; an error that it raises ends everything.
        at_once: Most groups at the same time.
        tell: Takes lines for the log, in the caller's thread.
    """
    to_do: SimpleQueue[Sequence[str] | None] = SimpleQueue()
    told: SimpleQueue[str | _Done[Made] | BaseException] = SimpleQueue()
    side = Side(told.put, Event())

    def help_out() -> None:
        try:
            while (group := to_do.get()) is not None:
                for name in group:
                    told.put(_Done(name, work(name, side)))
        except BaseException as error:
            told.put(error)

    helpers = min(at_once, len(groups))
    for group in (*groups, *[None] * helpers):
        to_do.put(group)
    for _ in range(helpers):
        # A daemon: what it waits for holds up no end of the program.
        Thread(target=help_out, name="side by side", daemon=True).start()
    try:
        left = sum(len(group) for group in groups)
        while left:
            one = told.get()
            if isinstance(one, str):
                tell(one)
            elif isinstance(one, BaseException):
                raise one
            else:
                left -= 1
                yield one.name, one.made
    finally:
        side.ended.set()
