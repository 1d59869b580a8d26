"""Much work at once, little of it held at a time, and none of it waited for in vain."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from rag_assets.parallel import Patience, fetched_ahead, in_parallel, unwanted


def patience(most: float = 60.0, tell: Callable[[float], None] = lambda _: None) -> Patience:
    return Patience(most, tell, TimeoutError("given up"))


def counted(taken: list[int], most: int = 10_000) -> Iterator[int]:
    for number in range(most):
        taken.append(number)
        yield number


def test_all_are_worked_on_and_few_are_taken_ahead() -> None:
    taken: list[int] = []
    ahead = []
    made = []
    with in_parallel(lambda number: number * 2, counted(taken, 500), 3, patience()) as results:
        for result in results:
            made.append(result)
            ahead.append(len(taken) - len(made))
    assert sorted(made) == list(range(0, 1000, 2))
    assert max(ahead) <= 2 * 4 * 3


def test_they_are_worked_on_at_once() -> None:
    together = threading.Barrier(3, timeout=5)
    with in_parallel(lambda _: together.wait(), range(3), 3, patience()) as results:
        assert sorted(results) == [0, 1, 2]


def test_an_error_ends_the_work() -> None:
    taken: list[int] = []

    def work(number: int) -> int:
        if number == 5:
            raise ValueError("five")
        return number

    with pytest.raises(ValueError, match="five"), in_parallel(work, counted(taken), 2, patience()) as results:
        list(results)
    assert len(taken) < 100


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_hangs_is_not_waited_for_and_knows_that_it_is_unwanted(error: type[BaseException]) -> None:
    go_on = threading.Event()
    seen: list[bool] = []

    def work(number: int) -> int:
        if number:
            go_on.wait(20)
            seen.append(unwanted())
        return number

    def one_done_then_left() -> None:
        with in_parallel(work, range(40), 4, patience()) as results:
            assert next(results) == 0
            assert not unwanted()
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
        if not any(thread.name == "sync" for thread in threading.enumerate()):
            return
        time.sleep(0.02)
    pytest.fail("a thread goes on though nobody waits for it")


def test_helpers_end_with_their_work() -> None:
    with in_parallel(abs, range(50), 4, patience()) as results:
        assert len(list(results)) == 50
    ended()


def test_that_nothing_gets_done_is_told_and_then_an_error() -> None:
    told: list[float] = []
    go_on = threading.Event()
    with (
        pytest.raises(TimeoutError, match="given up"),
        in_parallel(lambda _: go_on.wait(20), range(3), 2, patience(0.4, told.append)) as results,
    ):
        list(results)
    go_on.set()
    assert len(told) == 20
    assert told[-1] == pytest.approx(0.4)


def test_slow_work_is_not_given_up_while_anything_gets_done() -> None:
    with in_parallel(lambda _: time.sleep(0.1), range(10), 1, patience(0.5)) as results:
        assert len(list(results)) == 10


def test_a_few_pages_are_fetched_while_the_caller_does_something_else() -> None:
    taken: list[int] = []
    with fetched_ahead(([number, number] for number in counted(taken)), patience()) as items:
        time.sleep(0.2)
        assert 4 <= len(taken) <= 6
        assert [next(items) for _ in range(4)] == [0, 0, 1, 1]
    ended()
    assert len(taken) <= 10


def test_an_error_of_a_page_is_raised_where_it_is_read() -> None:
    def pages() -> Iterator[list[int]]:
        yield [1]
        raise ValueError("no second page")

    with fetched_ahead(pages(), patience()) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="no second page"):
            next(items)


def test_a_page_that_does_not_come_is_given_up() -> None:
    go_on = threading.Event()

    def pages() -> Iterator[list[int]]:
        yield [1]
        go_on.wait(20)

    with fetched_ahead(pages(), patience(0.2)) as items:
        assert next(items) == 1
        with pytest.raises(TimeoutError, match="given up"):
            next(items)
    go_on.set()
    ended()
