"""Much work at once, little of it held at a time, and none of it waited for in vain."""

import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from rag_assets.parallel import (
    NO_IDLE_LIMIT,
    AbandonedError,
    IdleLimit,
    call_in_caller,
    is_abandoned,
    map_groups,
    map_parallel,
    prefetch_pages,
    sleep,
)

SOON = 10.0
"""Seconds in which a thread does what it was let do."""


def patience(most: float = 60.0, tell: Callable[[float], None] = lambda _: None) -> IdleLimit:
    return IdleLimit(most, tell, TimeoutError("given up"))


def counted(taken: list[int], most: int = 10_000) -> Iterator[int]:
    for number in range(most):
        taken.append(number)
        yield number


def test_all_are_worked_on_and_few_are_taken_ahead() -> None:
    taken: list[int] = []
    ahead = []
    made = []
    with map_parallel(lambda number: number * 2, counted(taken, 500), 3, patience()) as results:
        for result in results:
            made.append(result)
            ahead.append(len(taken) - len(made))
    assert sorted(made) == list(range(0, 1000, 2))
    assert max(ahead) <= 2 * 4 * 3


def test_they_are_worked_on_at_once() -> None:
    together = threading.Barrier(3, timeout=5)
    with map_parallel(lambda _: together.wait(), range(3), 3, patience()) as results:
        assert sorted(results) == [0, 1, 2]


def test_an_error_ends_the_work() -> None:
    taken: list[int] = []

    def work(number: int) -> int:
        if number == 5:
            raise ValueError("five")
        return number

    with pytest.raises(ValueError, match="five"), map_parallel(work, counted(taken), 2, patience()) as results:
        list(results)
    assert len(taken) < 100


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_hangs_is_not_waited_for_and_knows_that_it_is_unwanted(error: type[BaseException]) -> None:
    go_on = threading.Event()
    seen: list[bool] = []

    def work(number: int) -> int:
        if number:
            go_on.wait(20)
            seen.append(is_abandoned())
        return number

    def one_done_then_left() -> None:
        with map_parallel(work, range(40), 4, patience()) as results:
            assert next(results) == 0
            assert not is_abandoned()
            raise error

    began = time.monotonic()
    with pytest.raises(error):
        one_done_then_left()
    assert time.monotonic() - began < 5

    go_on.set()
    ended()
    assert seen == [True] * 4


def ended() -> None:
    """All helpers have ended."""
    for _ in range(200):
        if not any(thread.name == "rag_assets helper" for thread in threading.enumerate()):
            return
        time.sleep(0.02)
    pytest.fail("a thread goes on though nobody waits for it")


def test_helpers_end_with_their_work() -> None:
    with map_parallel(abs, range(50), 4, patience()) as results:
        assert len(list(results)) == 50
    ended()


def test_that_nothing_gets_done_is_told_and_then_an_error() -> None:
    told: list[float] = []
    go_on = threading.Event()
    with (
        pytest.raises(TimeoutError, match="given up"),
        map_parallel(lambda _: go_on.wait(20), range(3), 2, patience(0.4, told.append)) as results,
    ):
        list(results)
    go_on.set()
    assert len(told) == 20
    assert told[-1] == pytest.approx(0.4)


def test_slow_work_is_not_given_up_while_anything_gets_done() -> None:
    with map_parallel(lambda _: time.sleep(0.1), range(10), 1, patience(0.5)) as results:
        assert len(list(results)) == 10


def test_a_few_pages_are_fetched_while_the_caller_does_something_else() -> None:
    taken: list[int] = []
    with prefetch_pages(([number, number] for number in counted(taken)), patience()) as items:
        time.sleep(0.2)
        assert 4 <= len(taken) <= 6
        assert [next(items) for _ in range(4)] == [0, 0, 1, 1]
    ended()
    assert len(taken) <= 10


def test_an_error_of_a_page_is_raised_where_it_is_read() -> None:
    def pages() -> Iterator[list[int]]:
        yield [1]
        raise ValueError("no second page")

    with prefetch_pages(pages(), patience()) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="no second page"):
            next(items)


def test_a_page_that_does_not_come_is_given_up() -> None:
    go_on = threading.Event()

    def pages() -> Iterator[list[int]]:
        yield [1]
        go_on.wait(20)

    with prefetch_pages(pages(), patience(0.2)) as items:
        assert next(items) == 1
        with pytest.raises(TimeoutError, match="given up"):
            next(items)
    go_on.set()
    ended()


# Groups.


def test_groups_are_at_work_at_the_same_time_and_names_of_a_group_one_after_the_other() -> None:
    both = threading.Barrier(2)
    at_work: set[str] = set()

    def work(name: str) -> str:
        assert not {other for other in at_work if other[0] == name[0]}
        at_work.add(name)
        if name.endswith("1"):
            both.wait(SOON)
        at_work.remove(name)
        return name.upper()

    with map_groups(work, [["a1", "a2"], ["b1", "b2"]], 5, NO_IDLE_LIMIT) as made:
        assert sorted(made) == ["A1", "A2", "B1", "B2"]
    ended()


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_groups_are_at_work_than_may_be(workers: int) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work(_: str) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        sleep(0.02)
        with lock:
            now -= 1

    with map_groups(work, ([str(number)] * 2 for number in range(20)), workers, NO_IDLE_LIMIT) as made:
        assert len(list(made)) == 40
    assert most == workers


def test_nothing_to_do_is_done_at_once() -> None:
    with map_groups(str, [], 5, NO_IDLE_LIMIT) as made:
        assert list(made) == []


@pytest.mark.parametrize("groups", [[["first", "second"], ["third"]], [["first"], ["second"], ["third"]]])
@pytest.mark.parametrize("how", ["error of another", "interrupt while told", "interrupt while worked on"])
def test_nothing_more_is_begun_once_the_caller_has_left(groups: list[list[str]], how: str) -> None:
    begun: list[str] = []
    gone = threading.Event()

    def work(name: str) -> str:
        begun.append(name)
        if name == "bad":
            raise ZeroDivisionError
        call_in_caller(tell)(name)
        # Like a request that is under way: nothing ends it.
        assert gone.wait(SOON)
        return name

    def tell(_: str) -> None:
        if how == "interrupt while told":
            raise KeyboardInterrupt

    def left() -> None:
        bad = [["bad"]] if how == "error of another" else []
        with map_groups(work, [*groups[:1], *bad, *groups[1:]], 1 + len(bad), NO_IDLE_LIMIT) as made:
            if how == "interrupt while worked on":
                raise KeyboardInterrupt
            list(made)

    with pytest.raises((ZeroDivisionError, KeyboardInterrupt)):
        left()
    gone.set()
    ended()
    assert not {"second", "third"} & set(begun)


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit])
def test_whatever_ends_a_thread_is_raised_and_those_who_sleep_end_too(error: type[BaseException]) -> None:
    woken: list[AbandonedError] = []

    def work(name: str) -> None:
        if name == "bad":
            raise error
        try:
            sleep(600)
        except AbandonedError as unwanted_error:
            woken.append(unwanted_error)
            raise

    with pytest.raises(error), map_groups(work, [["waiting"], ["bad"]], 5, patience(SOON)) as made:
        list(made)
    ended()
    assert woken


def test_ctrl_c_that_the_system_hands_to_a_helper_ends_the_wait_of_the_caller() -> None:
    is_over = threading.Event()

    def work(_: int) -> None:
        time.sleep(0.2)  # the caller waits by then
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        is_over.wait(30)

    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt), map_parallel(work, [0], 1, NO_IDLE_LIMIT) as results:
            list(results)
        assert time.monotonic() - began < SOON
    finally:
        is_over.set()


def test_whoever_helps_nobody_sleeps_as_usual() -> None:
    began = time.monotonic()
    sleep(0.05)
    assert time.monotonic() - began >= 0.05


# What is told.


def test_lines_are_told_in_the_thread_of_the_caller_and_before_what_they_lead_to() -> None:
    told: list[tuple[str, int]] = []

    def log(line: str) -> None:
        told.append((line, threading.get_ident()))

    tell = call_in_caller(log)

    def work(name: str) -> str:
        tell(f"{name} begun")
        return name

    with map_parallel(work, ["a"], 5, patience()) as made:
        for name in made:
            tell(f"{name} done")
    assert told == [("a begun", threading.get_ident()), ("a done", threading.get_ident())]


def test_what_a_helper_of_a_helper_tells_is_told_by_the_first_caller() -> None:
    threads: list[int] = []
    tell = call_in_caller(lambda _: threads.append(threading.get_ident()))

    def pages() -> Iterator[list[int]]:
        tell("page")
        yield [1]

    def work(_: int) -> int:
        with prefetch_pages(pages(), patience()) as items:
            return sum(items)

    with map_parallel(work, range(3), 3, patience()) as made:
        assert list(made) == [1, 1, 1]
    assert threads == [threading.get_ident()] * 3


def test_many_lines_from_many_threads_are_all_told() -> None:
    told: list[int] = []

    def work(number: int) -> None:
        for _ in range(50):
            call_in_caller(told.append)(number)

    with map_parallel(work, range(8), 4, patience()) as made:
        assert len(list(made)) == 8
    assert sorted(told) == sorted(list(range(8)) * 50)


def test_to_tell_is_no_work_that_gets_done() -> None:
    def work(_: int) -> None:
        while time.monotonic() < began + SOON:
            call_in_caller(lines.append)("still waiting")
            sleep(0.001)

    lines: list[str] = []
    told: list[float] = []
    began = time.monotonic()
    with pytest.raises(TimeoutError, match="given up"), map_parallel(work, [1], 1, patience(0.4, told.append)) as made:
        list(made)
    assert lines
    assert len(told) == 20
    ended()
