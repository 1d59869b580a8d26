"""Runs work in threads for a caller, and stops as soon as the caller leaves or anything fails.

What the work is belongs to the callers. Not `concurrent.futures`: its threads keep the program alive until they end,
so an interrupt would wait for every request under way. Only the caller's thread logs and records, because Dagster does
not say that a context may be used by several threads.
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

Item = TypeVar("Item")
Result = TypeVar("Result")

_WARNINGS = 20
"""How often the caller hears that nothing gets done, before that is an error."""
_LONGEST_WAIT = 0.5
"""Seconds that the caller waits at a time. The system may hand Ctrl-C to any thread, and Python acts on it in the main
thread only, as soon as that one wakes up: a caller who waited for a result in one go would not hear of it before."""


class AbandonedError(Exception):
    """Nobody waits for this work any longer: the run was interrupted, or something else in it has failed."""


@dataclass(frozen=True)
class IdleLimit:
    """How long a caller waits while nothing gets done.

    Attributes:
        seconds: The longest time.
        warn: Called now and then with the seconds so far.
        error: Raised at the end.
    """

    seconds: float
    warn: Callable[[float], None]
    error: Exception


NO_IDLE_LIMIT = IdleLimit(TIMEOUT_MAX, lambda _: None, TimeoutError())
"""For work that has time limits of its own."""


@contextmanager
def map_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int, limit: IdleLimit
) -> Iterator[Iterator[Result]]:
    """Apply `work` to each item in several threads; yields the results as they get ready. The first error ends it all.

    At most four items a worker are read ahead. When the caller leaves, work under way is not waited for, and no more
    is begun; `is_abandoned` tells that work.

        with map_parallel(work, items, 16, limit) as results:
            for result in results:
    """
    with map_groups(work, ((item,) for item in items), workers, limit) as results:
        yield results


@contextmanager
def map_groups(
    work: Callable[[Item], Result], groups: Iterable[Sequence[Item]], workers: int, limit: IdleLimit
) -> Iterator[Iterator[Result]]:
    """Do the same for items in groups: those of one group are worked on one after the other.

    Args:
        work: Takes one item.
        groups: The items; no group is empty.
        workers: How many groups are worked on at the same time.
        limit: How long the caller waits.
    """
    groups = iter(groups)
    first = list(islice(groups, 4 * workers))
    waiting: SimpleQueue[Sequence[Item] | None] = SimpleQueue()
    for group in first:
        waiting.put(group)

    def run(offer: Callable[[Result], None]) -> None:
        while (group := waiting.get()) is not None:
            for item in group:
                require_caller()
                offer(work(item))

    def read_results(take: Callable[[], Result]) -> Iterator[Result]:
        left = sum(map(len, first))
        while left:
            result = take()
            left -= 1
            for group in islice(groups, 1):
                waiting.put(group)
                left += len(group)
            yield result

    threads = min(workers, len(first))
    try:
        with _start_helpers(run, threads, 4 * workers, limit) as take:
            yield read_results(take)
    finally:
        for _ in range(threads):
            waiting.put(None)


@contextmanager
def prefetch_pages(pages: Iterable[Sequence[Item]], limit: IdleLimit) -> Iterator[Iterator[Item]]:
    """The items of pages that a thread fetches while the caller does something else; it keeps four pages ready.

    An error of the thread is raised where the caller reads. Pages that the caller does not read are not waited for.
    """

    def run(offer: Callable[[Sequence[Item] | None], None]) -> None:
        for page in pages:
            offer(page)
            require_caller()
        offer(None)

    def read_items(take: Callable[[], Sequence[Item] | None]) -> Iterator[Item]:
        while (page := take()) is not None:
            yield from page

    with _start_helpers(run, 1, 4, limit) as take:
        yield read_items(take)


def is_abandoned() -> bool:
    """Whether the caller of this thread has left: the thread should begin nothing more."""
    thread = current_thread()
    return isinstance(thread, _Helper) and thread.ended.is_set()


def require_caller() -> None:
    """Go on only while somebody waits for the work of this thread.

    Raises:
        AbandonedError: Nobody does.
    """
    if is_abandoned():
        raise AbandonedError


def sleep(seconds: float) -> None:
    """Wait, in any thread; a helper thread wakes up when its caller leaves.

    Raises:
        AbandonedError: The caller has left.
    """
    thread = current_thread()
    if not isinstance(thread, _Helper):
        time.sleep(seconds)
    elif thread.ended.wait(seconds):
        raise AbandonedError


def call_in_caller(function: Callable[[Item], None]) -> Callable[[Item], None]:
    """Wrap a function, such as one that logs, so that it always runs in the thread of the caller.

    A call from a helper thread runs before the caller takes that helper's next result; any other runs at once.
    """

    def call(value: Item) -> None:
        thread = current_thread()
        if isinstance(thread, _Helper):
            # The caller may be a helper itself, so it calls this wrapper again.
            thread.put(_Call(partial(call, value)))
        else:
            function(value)

    return call


@dataclass(frozen=True)
class _Ready(Generic[Result]):
    result: Result


@dataclass(frozen=True)
class _Call:
    run: Callable[[], None]


class _Helper(Thread):
    """Works while its caller wants it. A daemon thread: it never keeps the program from ending."""

    def __init__(self, work: Callable[[], None], ended: Event, put: Callable[[_Call], None]) -> None:
        super().__init__(target=work, name="rag_assets helper", daemon=True)
        self.ended = ended
        self.put = put


@contextmanager
def _start_helpers(
    run: Callable[[Callable[[Result], None]], None], threads: int, most_ready: int, limit: IdleLimit
) -> Iterator[Callable[[], Result]]:
    """Start threads that each call `run`; yields a function that takes the next result that any of them offers."""
    queue: Queue[_Ready[Result] | _Call | BaseException] = Queue(most_ready)
    ended = Event()

    def put(message: _Ready[Result] | _Call | BaseException) -> None:
        while not ended.is_set():
            with suppress(Full):
                queue.put(message, timeout=0.1)
                return

    def run_safely() -> None:
        try:
            run(lambda result: put(_Ready(result)))
        except BaseException as error:
            put(error)

    def take() -> Result:
        message = _wait_for_result(queue, limit)
        if isinstance(message, BaseException):
            raise message
        return message.result

    for _ in range(threads):
        _Helper(run_safely, ended, put).start()
    try:
        yield take
    finally:
        ended.set()


def _wait_for_result(
    queue: "Queue[_Ready[Result] | _Call | BaseException]", limit: IdleLimit
) -> _Ready[Result] | BaseException:
    """The next result or error. Calls that come before it are made, and do not count as work that gets done."""
    warn = call_in_caller(limit.warn)
    pause = limit.seconds / _WARNINGS
    began = time.monotonic()
    warnings = 1
    while warnings <= _WARNINGS:
        left = began + warnings * pause - time.monotonic()
        try:
            message = queue.get(timeout=min(max(0.0, left), _LONGEST_WAIT))
        except Empty:
            if left <= _LONGEST_WAIT:
                warn(warnings * pause)
                warnings += 1
        else:
            if not isinstance(message, _Call):
                return message
            message.run()
    raise limit.error
