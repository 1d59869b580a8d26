"""Many requests at once, few of them held at a time."""

import threading
import time
from collections.abc import Iterator

import pytest

from rag_assets.sync.uploading import fetched_ahead, in_parallel


def counted(taken: list[int], most: int = 10_000) -> Iterator[int]:
    for number in range(most):
        taken.append(number)
        yield number


def test_all_are_worked_on_and_few_are_taken_ahead() -> None:
    taken: list[int] = []
    ahead = []
    made = []
    for result in in_parallel(lambda number: number * 2, counted(taken, 500), workers=3):
        made.append(result)
        ahead.append(len(taken) - len(made))
    assert sorted(made) == list(range(0, 1000, 2))
    assert max(ahead) <= 2 * 4 * 3


def test_an_error_ends_the_work() -> None:
    taken: list[int] = []

    def work(number: int) -> int:
        if number == 5:
            raise ValueError("five")
        return number

    with pytest.raises(ValueError, match="five"):
        list(in_parallel(work, counted(taken), workers=2))
    assert len(taken) < 100


def test_a_few_pages_are_fetched_while_the_caller_does_something_else() -> None:
    taken: list[int] = []
    with fetched_ahead([number, number] for number in counted(taken)) as items:
        time.sleep(0.2)
        assert 4 <= len(taken) <= 6
        assert [next(items) for _ in range(4)] == [0, 0, 1, 1]
    for _ in range(100):
        if not any(thread.name == "sync-ahead" for thread in threading.enumerate()):
            break
        time.sleep(0.02)
    else:
        pytest.fail("the thread goes on though nobody reads")
    assert len(taken) <= 10


def test_an_error_of_a_page_is_raised_where_it_is_read() -> None:
    def pages() -> Iterator[list[int]]:
        yield [1]
        raise ValueError("no second page")

    with fetched_ahead(pages()) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="no second page"):
            next(items)
