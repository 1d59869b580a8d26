"""What a step has made of its partitions, and what it could not make, put on record."""

import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import dagster as dg

from rag_assets.orchestration.metadata import Metadatum

Made = TypeVar("Made")

_UNFORESEEN = (
    "an error that was not foreseen, whose traceback is in the log; run again, and if it comes again, report it"
)


def record_partitions(
    context: dg.AssetExecutionContext, complete: Mapping[str, Mapping[str, Metadatum]], *, step_fails: bool
) -> None:
    """Record the partitions that are complete, also where the step as a whole is about to fail.

    Args:
        context: Of the asset.
        complete: Metadata by partition.
        step_fails: Dagster records nothing by itself of a step that raises: what was made would look as if it were not.
    """
    for partition, metadata in complete.items():
        if step_fails:
            context.log_event(dg.AssetMaterialization(context.asset_key, partition=partition, metadata=metadata))
        else:
            context.add_asset_metadata(metadata, partition_key=partition)


def record_check_results(context: dg.AssetExecutionContext, results: Iterable[dg.AssetCheckResult]) -> None:
    """Put check results on record although the step is about to fail, which says nothing of what the checks look at."""
    blocks = {spec.name: spec.blocking for spec in context.assets_def.check_specs}
    for each in results:
        assert each.check_name is not None
        evaluation = dg.AssetCheckEvaluation(
            asset_key=context.asset_key,
            check_name=each.check_name,
            passed=each.passed,
            metadata=each.metadata,
            severity=each.severity,
            blocking=blocks[each.check_name],
        )
        context.log_event(evaluation)


def attempt(work: Callable[[str], Made], partition: str) -> Made | Exception:
    """Do the work for a partition, or return what it raised: what fails holds up no other partition."""
    try:
        return work(partition)
    except Exception as error:
        return error


def describe_failure(
    log_error: Callable[[str], None], partition: str, error: Exception, foreseen: tuple[type[Exception], ...]
) -> str:
    """Why the work for a partition failed; the log gets the traceback of an error that is a fault of the program.

    Args:
        log_error: Takes a line for the log.
        partition: Its name.
        error: What the work raised.
        foreseen: Errors whose message says what happened and what to do.
    """
    if isinstance(error, foreseen):
        return str(error)
    log_error(f"{partition}: {_UNFORESEEN}:\n{''.join(traceback.format_exception(error))}")
    return f"{_UNFORESEEN}: {type(error).__name__}: {error}"


def fail_for(failed: Mapping[str, str], what_failed: str, others: int) -> None:
    """Let the step fail where a variant has; every one is named, with why.

    Args:
        failed: Why, by variant.
        what_failed: Words for it.
        others: How many could.

    Raises:
        dagster.Failure: One has.
    """
    if failed:
        lines = "\n".join(f"  {name}: {why}" for name, why in failed.items())
        could = f" ({others} others could)" if others else ""
        raise dg.Failure(f"{len(failed)} variant(s) {what_failed}{could}:\n{lines}", allow_retries=False)
