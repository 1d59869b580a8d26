"""Long work tells how far it is, in the log."""

from collections.abc import Callable

from rag_assets.ingestion.service import IngestionProgress, OnProgress
from rag_assets.parallel import call_in_caller


def log_every(step: int, log: Callable[[str], None], variant: str, what: str) -> Callable[[int, int], None]:
    """A callback for work of many small pieces: logs a line at every `step` pieces done, and at the last.

    Args:
        step: Pieces between two lines.
        log: Takes a line.
        variant: Whose work it is.
        what: What is counted, such as `texts embedded`.
    """
    steps_logged = 0

    def progress(done: int, total: int) -> None:
        nonlocal steps_logged
        if done // step > steps_logged or done == total:
            steps_logged = done // step
            log(f"{variant}: {done}/{total} {what}")

    return progress


def log_waiting(log: Callable[[str], None], variant: str) -> OnProgress:
    """A callback for waiting on a service: logs its lines, in the thread that calls this function.

    Args:
        log: Takes a line.
        variant: Whose work it is.
    """
    tell = call_in_caller(log)

    def progress(event: IngestionProgress) -> None:
        tell(f"{variant}: {event.message}")

    return progress
