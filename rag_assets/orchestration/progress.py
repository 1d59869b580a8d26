"""Long work tells how far it is, in the log."""

from collections.abc import Callable

import dagster as dg

from rag_assets.ingestion.service import IngestionProgress, OnProgress
from rag_assets.parallel import call_in_caller


def told_every(step: int, context: dg.AssetExecutionContext, variant: str, what: str) -> Callable[[int, int], None]:
    """A callback for work of many small pieces: a line in the log at every `step` pieces done, and at the last.

    Args:
        step: Pieces between two lines.
        context: Of the asset.
        variant: Whose work it is.
        what: What is counted, such as `texts embedded`.
    """
    told = 0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if done // step > told or done == total:
            told = done // step
            context.log.info(f"{variant}: {done}/{total} {what}")

    return progress


def told_in_log(context: dg.AssetExecutionContext, variant: str) -> OnProgress:
    """A callback for waiting on the service: its lines go to the log, in the thread that the context belongs to.

    Args:
        context: Of the asset.
        variant: Whose work it is.
    """
    tell = call_in_caller(context.log.info)

    def told(progress: IngestionProgress) -> None:
        tell(f"{variant}: {progress.message}")

    return told
