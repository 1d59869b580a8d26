"""What the two assets of the sync share: the lock of a variant, when one is left out, and how each outcome is recorded.

Uploading is in `assets/s3_objects.py`, ingesting in `assets/knowledge_base_ingestion.py`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from rag_assets.ingestion.service import IngestionError
from rag_assets.orchestration.metadata import Metadatum
from rag_assets.orchestration.recording import describe_failure, fail_for, record_partitions
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import Target
from rag_assets.settings import SettingsError
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, raise_storage_errors
from rag_assets.store.locks import held

_NOT_CONFIGURED = (
    "Nothing was sent: no place in AWS is set for this variant. Set `[target.{variant}]` in rag_assets.toml with "
    "bucket, prefix, knowledge_base_id and data_source_id (the CloudFormation template in infrastructure/ makes them "
    "and tells them in its output RagAssetsTargets); credentials are found as the AWS CLI finds them."
)
_NOT_ON = (
    "Nothing was done: `sync` is set to {mode}. Leave the setting out, or set it to `on` (--sync on, RAG_ASSETS_SYNC)."
)
_ONLY_IN_S3 = (
    "Nothing was ingested: no Knowledge Base is set for this variant, which stays in S3. Set knowledge_base_id and "
    "data_source_id of `[target.{variant}]` in rag_assets.toml."
)
_FORESEEN = (SyncError, IngestionError, StorageError, SettingsError)


@dataclass(frozen=True)
class SyncOutcome:
    """What is told of a variant.

    Attributes:
        message: For the log.
        metadata: For the asset's page.
    """

    message: str
    metadata: dict[str, Metadatum]


def leave_out(variant: str, target: Target | None, mode: str) -> SyncOutcome:
    """The outcome of a variant that the settings keep here.

    Args:
        variant: Its name.
        target: Where it goes; None where nowhere.
        mode: The setting `sync`.
    """
    if target is None:
        state, why = "not configured", _NOT_CONFIGURED
    elif mode != "on":
        state, why = "switched off", _NOT_ON
    else:
        state, why = "in S3 only", _ONLY_IN_S3
    message = why.format(variant=variant, mode=mode)
    return SyncOutcome(message, {"state": state, "how": message})


@contextmanager
def lock_variant(home: Home, variant: str) -> Iterator[None]:
    """Keep other runs over the same home from the variant's place and from what is known of it.

    Raises:
        SyncError: Another is at work.
        StorageError: The system does not let it be locked.
    """
    lock = home.sync_lock(variant)
    with raise_storage_errors(lock):
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    in_use = SyncError(f"another run is uploading or ingesting it ({lock}): wait until it has ended, then run again")
    with held(lock, in_use):
        yield


def record_outcomes(
    context: dg.AssetExecutionContext, outcomes: Iterable[tuple[str, SyncOutcome | Exception]], what_failed: str
) -> None:
    """Log and record every outcome as it comes; fail at the end where a variant has failed.

    Raises:
        dagster.Failure: One has.
    """
    complete: dict[str, dict[str, Metadatum]] = {}
    failed: dict[str, str] = {}
    for name, outcome in outcomes:
        if isinstance(outcome, SyncOutcome):
            complete[name] = outcome.metadata
            context.log.info(f"{name}: {outcome.message}")
        else:
            failed[name] = describe_failure(context.log.error, name, outcome, _FORESEEN)
    record_partitions(context, complete, step_fails=bool(failed))
    fail_for({name: failed[name] for name in context.partition_keys if name in failed}, what_failed, len(complete))
