"""Work that threads do for a caller, who waits for it only so long, and no longer once anything has failed.

What the work is, is decided elsewhere. However much there is of it, only a few pieces are held at a time. Only the
caller's thread logs and records: that Dagster's context may be used by others at once is nowhere said.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from queue import Empty, Full, Queue, SimpleQueue
from threading import TIMEOUT_MAX, Event, Thread, current_thread
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

_TOLD = 20
"""How often it is told that nothing gets done, before that is an error."""


class AbandonedError(Exception):
    """Work that nobody waits for any longer: the run was interrupted, or something else in it has failed."""


@dataclass(frozen=True)
class IdleLimit:
    """How long a caller waits.

    Attributes:
        most: Seconds in which nothing at all gets done.
        tell: Told now and then for how many seconds nothing has got done.
        given_up: Raised when they are over.
    """

    most: float
    tell: Callable[[float], None]
    given_up: Exception


NO_IDLE_LIMIT = IdleLimit(TIMEOUT_MAX, lambda _: None, TimeoutError())
"""For work that itself gives up what does not answer."""


@contextmanager
def map_parallel(
    work: Callable[[Given], Made], given: Iterable[Given], workers: int, patience: IdleLimit
) -> Iterator[Iterator[Made]]:
    """What `work` makes of each, in the order in which it is done; the first error ends it all.

    No more than four a worker are taken from `given` before their turn. What is still under way when the caller leaves,
    be it for an error or an interrupt, is not waited for, and nothing more is begun; see `is_abandoned`.

        with in_parallel(work, given, 16, patience) as made:
            for one in made:
    """
    with map_groups(work, ((one,) for one in given), workers, patience) as made:
        yield made


@contextmanager
def map_groups(
    work: Callable[[Given], Made], groups: Iterable[Sequence[Given]], workers: int, patience: IdleLimit
) -> Iterator[Iterator[Made]]:
    """As `map_parallel`, for things that stand in groups: those of one group are worked on one after the other.

    Args:
        work: Of one thing.
        groups: What is given, no group empty.
        workers: Groups at the same time.
        patience: With all of it.
    """
    groups = iter(groups)
    first = list(islice(groups, 4 * workers))
    to_do: SimpleQueue[Sequence[Given] | None] = SimpleQueue()
    for group in first:
        to_do.put(group)

    def help_out(offer: Callable[[Made], None]) -> None:
        while (group := to_do.get()) is not None:
            for one in group:
                require_caller()
                offer(work(one))

    def read(take: Callable[[], Made]) -> Iterator[Made]:
        under_way = sum(map(len, first))
        while under_way:
            made = take()
            under_way -= 1
            for group in islice(groups, 1):
                to_do.put(group)
                under_way += len(group)
            yield made

    helpers = min(workers, len(first))
    try:
        with _helped(help_out, helpers, 4 * workers, patience) as take:
            yield read(take)
    finally:
        for _ in range(helpers):
            to_do.put(None)


@contextmanager
def prefetch_pages(pages: Iterable[Sequence[Given]], patience: IdleLimit) -> Iterator[Iterator[Given]]:
    """What stands on pages that a thread fetches while the caller does something else; four are kept ready.

    An error of theirs is raised where they are read. What the caller leaves unread is not waited for.
    """

    def help_out(offer: Callable[[Sequence[Given] | None], None]) -> None:
        for page in pages:
            offer(page)
            require_caller()
        offer(None)

    def read(take: Callable[[], Sequence[Given] | None]) -> Iterator[Given]:
        while (page := take()) is not None:
            yield from page

    with _helped(help_out, 1, 4, patience) as take:
        yield read(take)


def is_abandoned() -> bool:
    """Whether nobody waits any longer for the work of the thread that asks: it should begin nothing more."""
    thread = current_thread()
    return isinstance(thread, _Helper) and thread.ended.is_set()


def require_caller() -> None:
    """Go on only while somebody waits for the work of this thread.

    Raises:
        UnwantedError: Nobody does.
    """
    if is_abandoned():
        raise AbandonedError


def sleep(seconds: float) -> None:
    """Wait, in any thread; a helper does only while its work is wanted.

    Raises:
        UnwantedError: The caller has left meanwhile.
    """
    thread = current_thread()
    if not isinstance(thread, _Helper):
        time.sleep(seconds)
    elif thread.ended.wait(seconds):
        raise AbandonedError


def call_in_caller(tell: Callable[[Given], None]) -> Callable[[Given], None]:
    """A function that takes what is to be told in any thread, and has it told in that of the caller.

    What a helper tells is told before what it makes next is taken; in a thread that helps nobody, at once.

    Args:
        tell: Takes a line for the log, or whatever else.
    """

    def told(line: Given) -> None:
        thread = current_thread()
        if isinstance(thread, _Helper):
            # Again by way of this function: the caller may be a helper itself.
            thread.put(_Told(partial(told, line)))
        else:
            tell(line)

    return told


@dataclass(frozen=True)
class _Ready(Generic[Made]):
    made: Made


@dataclass(frozen=True)
class _Told:
    tell: Callable[[], None]


class _Helper(Thread):
    """Does its work while its caller wants it. A daemon: what it waits for holds up no end of the program."""

    def __init__(self, work: Callable[[], None], ended: Event, put: Callable[[_Told], None]) -> None:
        super().__init__(target=work, name="rag_assets helper", daemon=True)
        self.ended = ended
        self.put = put


@contextmanager
def _helped(
    help_out: Callable[[Callable[[Made], None]], None], helpers: int, most_ready: int, patience: IdleLimit
) -> Iterator[Callable[[], Made]]:
    """Threads that each run `help_out`, and a function that takes the next thing that any of them offers."""
    queue: Queue[_Ready[Made] | _Told | BaseException] = Queue(most_ready)
    ended = Event()

    def put(ready: _Ready[Made] | _Told | BaseException) -> None:
        while not ended.is_set():
            with suppress(Full):
                queue.put(ready, timeout=0.1)
                return

    def run() -> None:
        try:
            help_out(lambda made: put(_Ready(made)))
        except BaseException as error:
            put(error)

    def take() -> Made:
        ready = _awaited(queue, patience)
        if isinstance(ready, BaseException):
            raise ready
        return ready.made

    for _ in range(helpers):
        _Helper(run, ended, put).start()
    try:
        yield take
    finally:
        ended.set()


def _awaited(queue: "Queue[_Ready[Made] | _Told | BaseException]", patience: IdleLimit) -> _Ready[Made] | BaseException:
    """The next thing that is ready; what is told until then is told, and is no work that gets done."""
    tell = call_in_caller(patience.tell)
    pause = patience.most / _TOLD
    began = time.monotonic()
    times = 1
    while times <= _TOLD:
        try:
            ready = queue.get(timeout=max(0.0, began + times * pause - time.monotonic()))
        except Empty:
            tell(times * pause)
            times += 1
        else:
            if not isinstance(ready, _Told):
                return ready
            ready.tell()
    raise patience.given_up
