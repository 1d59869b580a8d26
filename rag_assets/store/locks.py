"""Locks between processes: a file that one of them holds.

What is locked, and what a second process is told, belongs to who takes the lock.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(lock: Path, refused: Exception) -> Iterator[None]:
    """Hold a lock; the system lets go of it when the process ends, however it ends.

    Args:
        lock: The lock's file; its folder has to be there.
        refused: Raised at once where another process holds it.
    """
    with lock.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise refused from error
        yield
