import threading
import time

import pytest

from rag_assets.assets.side_by_side import Side, UnwantedError, side_by_side

SOON = 10.0
"""Seconds in which a thread does what it was let do."""


def test_groups_are_at_work_at_the_same_time_and_names_of_a_group_one_after_the_other() -> None:
    both = threading.Barrier(2)
    at_work: set[str] = set()

    def work(name: str, _: Side) -> str:
        assert not {other for other in at_work if other[0] == name[0]}
        at_work.add(name)
        if name.endswith("1"):
            both.wait(SOON)
        at_work.remove(name)
        return name.upper()

    made = dict(side_by_side([["a1", "a2"], ["b1", "b2"]], work, at_once=5, tell=print))
    assert made == {"a1": "A1", "a2": "A2", "b1": "B1", "b2": "B2"}


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_groups_are_at_work_than_may_be(at_once: int) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work(_: str, side: Side) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        side.sleep(0.02)
        with lock:
            now -= 1

    names = [[str(number)] for number in range(8)]
    assert len(list(side_by_side(names, work, at_once=at_once, tell=print))) == 8
    assert most == at_once


def test_lines_are_told_in_the_thread_of_the_caller_and_before_what_they_lead_to() -> None:
    told: list[tuple[str, object]] = []

    def work(name: str, side: Side) -> None:
        side.tell(f"{name} begun")

    for name, _ in side_by_side([["a"]], work, at_once=5, tell=lambda line: told.append((line, threading.get_ident()))):
        told.append((f"{name} done", threading.get_ident()))
    assert told == [("a begun", threading.get_ident()), ("a done", threading.get_ident())]


def test_nothing_to_do_is_done_at_once() -> None:
    assert list(side_by_side([], lambda _, side: side, at_once=5, tell=print)) == []


def test_an_error_ends_it_and_whoever_waits_ends_too() -> None:
    ended: list[float] = []

    def work(name: str, side: Side) -> None:
        if name == "bad":
            raise ZeroDivisionError
        try:
            side.sleep(600)
        except UnwantedError:
            ended.append(time.monotonic())
            raise

    with pytest.raises(ZeroDivisionError):
        list(side_by_side([["waiting"], ["bad"]], work, at_once=5, tell=print))
    until = time.monotonic() + SOON
    while not ended and time.monotonic() < until:
        time.sleep(0.005)
    assert ended
