"""Work that threads do for a caller, who waits for it only so long, and no longer once anything has failed.

What the work is, is decided elsewhere. However much there is of it, only a few pieces are held at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, Full, Queue, SimpleQueue
from threading import Event, Thread, current_thread
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

_TOLD = 20
"""How often it is told that nothing gets done, before that is an error."""


@dataclass(frozen=True)
class Patience:
    """How long a caller waits.

    Attributes:
        most: Seconds in which nothing at all gets done.
        tell: Told now and then for how many seconds nothing has got done.
        given_up: Raised when they are over.
    """

    most: float
    tell: Callable[[float], None]
    given_up: Exception


@contextmanager
def in_parallel(
    work: Callable[[Given], Made], given: Iterable[Given], workers: int, patience: Patience
) -> Iterator[Iterator[Made]]:
    """What `work` makes of each, in the order in which it is done; the first error ends it all.

    No more than four a worker are taken from `given` before their turn. What is still under way when the caller leaves,
    be it for an error or an interrupt, is not waited for; see `unwanted`.

        with in_parallel(work, given, 16, patience) as made:
            for one in made:
    """
    given = iter(given)
    first = list(islice(given, 4 * workers))
    to_do: SimpleQueue[Given | None] = SimpleQueue()
    for one in first:
        to_do.put(one)

    def help_out(offer: Callable[[Made], None]) -> None:
        while (one := to_do.get()) is not None and not unwanted():
            offer(work(one))

    def read(take: Callable[[], Made]) -> Iterator[Made]:
        under_way = len(first)
        while under_way:
            made = take()
            under_way -= 1
            for one in islice(given, 1):
                to_do.put(one)
                under_way += 1
            yield made

    helpers = min(workers, len(first))
    try:
        with _helped(help_out, helpers, 4 * workers, patience) as take:
            yield read(take)
    finally:
        for _ in range(helpers):
            to_do.put(None)


@contextmanager
def fetched_ahead(pages: Iterable[Sequence[Given]], patience: Patience) -> Iterator[Iterator[Given]]:
    """What stands on pages that a thread fetches while the caller does something else; four are kept ready.

    An error of theirs is raised where they are read. What the caller leaves unread is not waited for.
    """

    def help_out(offer: Callable[[Sequence[Given] | None], None]) -> None:
        for page in pages:
            offer(page)
            if unwanted():
                return
        offer(None)

    def read(take: Callable[[], Sequence[Given] | None]) -> Iterator[Given]:
        while (page := take()) is not None:
            yield from page

    with _helped(help_out, 1, 4, patience) as take:
        yield read(take)


def unwanted() -> bool:
    """Whether nobody waits any longer for the work of the thread that asks: it should begin nothing more."""
    thread = current_thread()
    return isinstance(thread, _Helper) and thread.ended.is_set()


class _Helper(Thread):
    """Does its work while its caller wants it. A daemon: what it waits for holds up no end of the program."""

    def __init__(self, work: Callable[[], None], ended: Event) -> None:
        super().__init__(target=work, name="sync", daemon=True)
        self.ended = ended


@dataclass(frozen=True)
class _Ready(Generic[Made]):
    made: Made


@contextmanager
def _helped(
    help_out: Callable[[Callable[[Made], None]], None], helpers: int, most_ready: int, patience: Patience
) -> Iterator[Callable[[], Made]]:
    """Threads that each run `help_out`, and a function that takes the next thing that any of them offers."""
    queue: Queue[_Ready[Made] | Exception] = Queue(most_ready)
    ended = Event()

    def put(ready: _Ready[Made] | Exception) -> None:
        while not ended.is_set():
            with suppress(Full):
                queue.put(ready, timeout=0.1)
                return

    def run() -> None:
        try:
            help_out(lambda made: put(_Ready(made)))
        except Exception as error:
            put(error)

    def take() -> Made:
        ready = _awaited(queue, patience)
        if isinstance(ready, Exception):
            raise ready
        return ready.made

    for _ in range(helpers):
        _Helper(run, ended).start()
    try:
        yield take
    finally:
        ended.set()


def _awaited(queue: Queue[Made], patience: Patience) -> Made:
    pause = patience.most / _TOLD
    for times in range(1, _TOLD + 1):
        try:
            return queue.get(timeout=pause)
        except Empty:
            patience.tell(times * pause)
    raise patience.given_up
