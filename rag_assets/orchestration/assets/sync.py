"""From a variant's files to S3 and into its Knowledge Base, by variant."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from rag_assets.clock import Clock
from rag_assets.corpus.sidecar_limits import ANYWHERE, SizeLimits, size_limits
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.changes import expected_after, record_changes
from rag_assets.ingestion.data_source import IngestionTarget, check_setup
from rag_assets.ingestion.ingestion import ingest
from rag_assets.ingestion.service import IngestionError
from rag_assets.ingestion.sync_receipt import SyncReceipt, delete_receipt, read_receipt, write_receipt
from rag_assets.model import Variant
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, table
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import told_every, told_in_log
from rag_assets.orchestration.recording import fail_for, record_partitions, why_failed
from rag_assets.orchestration.resources import Bedrock, HomeFolder, ObjectStore, Preparation, Sync
from rag_assets.parallel import NO_IDLE_LIMIT, map_groups, sleep
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import Target
from rag_assets.s3.objects import SyncOptions, SyncReport, sync_folder
from rag_assets.s3.refusals import describe_foreign
from rag_assets.settings import SettingsError
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, told_of
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
_PROGRESS_EVERY = 500
_AT_ONCE = 5
"""Knowledge Bases; as many ingestion jobs may run in an account (Bedrock quotas)."""


def sync_assets(variants: dg.StaticPartitionsDefinition) -> list[dg.AssetsDefinition]:
    """The assets of the sync group.

    Args:
        variants: One partition a way of preparing.
    """

    @dg.asset(
        group_name="sync",
        deps=[same_variant("corpus_files")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"s3"},
        owners=OWNERS,
        code_version="1",
    )
    def s3_objects(
        context: dg.AssetExecutionContext,
        home: HomeFolder,
        preparation: Preparation,
        sync: Sync,
        store: dg.ResourceParam[ObjectStore],
        bedrock: Bedrock,
    ) -> Materialized:
        """S3 objects: the place of each variant holds what its folder holds, and nothing else of this project.

        Only what differs in content is uploaded, with checksums and a mark; what is gone and proven to be ours is
        deleted, last, and named in the log. What others put there is named, and never deleted or changed; what lies
        outside the variant's prefix is not even looked at. Stopped anywhere and run again, it ends in the same state. A
        guard refuses to delete a large share of a corpus. Before anything is sent, the data source is held against the
        variant.
        """

        def synced(name: str) -> _Told:
            target = sync.target(name)
            if target is None or sync.mode == "off":
                return _left_out(name, target, sync)
            with _alone(home.home.sync_lock(name)):
                report = _synced(context, home, preparation.variant(name), target, sync, store, bedrock)
            return _Told(_in_words(report, target), _object_metadata(report, target))

        outcomes = ((name, _tried(synced, name)) for name in context.partition_keys)
        return _recorded(context, outcomes, "could not be synced to S3")

    @dg.asset(
        group_name="sync",
        deps=[same_variant("s3_objects")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"bedrock"},
        owners=OWNERS,
        code_version="1",
    )
    def knowledge_base_ingestion(
        context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation, sync: Sync, bedrock: Bedrock
    ) -> Materialized:
        """Knowledge Base ingestion: what lies in S3 is taken in, all of it, and that is made sure of.

        A job is started only if something has changed or the last one did not end well; other jobs, throttling and
        quotas are waited out. Variants of different Knowledge Bases are ingested at the same time. A job's counts are
        held against what was uploaded: one that ended COMPLETE and left files out is a failure. What is pending
        survives a crash.
        """

        def ingested(name: str) -> _Told:
            target = sync.target(name)
            if target is None or not target.knowledge_base_id or sync.mode != "on":
                return _left_out(name, target, sync)
            with _alone(home.home.sync_lock(name)):
                report = _ingested(context, home, preparation.variant(name), target, sync, bedrock)
            return _Told(_ingestion_in_words(report), _ingestion_metadata(report, target))

        groups = _by_knowledge_base(context.partition_keys, sync)
        with map_groups(lambda name: (name, _tried(ingested, name)), groups, _AT_ONCE, NO_IDLE_LIMIT) as outcomes:
            return _recorded(context, outcomes, "could not be ingested; what is pending stays so")

    return [s3_objects, knowledge_base_ingestion]


@dataclass(frozen=True)
class _Told:
    """What is told of a variant: in the log, and on the asset's page."""

    words: str
    metadata: dict[str, Metadatum]


def _tried(work: Callable[[str], _Told], variant: str) -> _Told | Exception:
    """Do the work for a variant by itself: what fails holds up no other, be it foreseen or a fault of the program."""
    try:
        return work(variant)
    except Exception as error:
        return error


def _recorded(
    context: dg.AssetExecutionContext, outcomes: Iterable[tuple[str, _Told | Exception]], what_failed: str
) -> Materialized:
    complete: dict[str, dict[str, Metadatum]] = {}
    failed: dict[str, str] = {}
    for name, outcome in outcomes:
        if isinstance(outcome, _Told):
            complete[name] = outcome.metadata
            context.log.info(f"{name}: {outcome.words}")
        else:
            failed[name] = why_failed(context, name, outcome, _FORESEEN)
    record_partitions(context, complete, step_fails=bool(failed))
    fail_for({name: failed[name] for name in context.partition_keys if name in failed}, what_failed, len(complete))
    return dg.MaterializeResult()


def _by_knowledge_base(variants: Iterable[str], sync: Sync) -> list[list[str]]:
    """Those of one Knowledge Base together: it runs one job at a time."""
    together: defaultdict[str, list[str]] = defaultdict(list)
    for name in variants:
        target = sync.target(name)
        together[target.knowledge_base_id if target else ""].append(name)
    return list(together.values())


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Keep other runs over the same home from the variant's place and from what is known of it.

    Raises:
        SyncError: Another is at work.
        StorageError: The system does not let it be locked.
    """
    with told_of(lock):
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    in_use = SyncError(f"another run is uploading or ingesting it ({lock}): wait until it has ended, then run again")
    with held(lock, in_use):
        yield


def _synced(
    context: dg.AssetExecutionContext,
    home: HomeFolder,
    variant: Variant,
    target: Target,
    sync: Sync,
    store: ObjectStore,
    bedrock: Bedrock,
) -> SyncReport:
    dry_run = sync.mode == "dry-run"
    path = home.home.synced(variant.name, target.key)
    ingestion = IngestionTarget.of(target, variant.chunking) if target.knowledge_base_id else None
    limits = ANYWHERE if ingestion is None else _limits_of(context, variant.name, ingestion, bedrock)
    noting = (
        record_changes(home.home.ingestion(variant.name, target.key), ingestion, lambda: delete_receipt(path))
        if ingestion is not None and not dry_run
        else nullcontext()
    )
    with noting as note:
        report = sync_folder(
            store.get_client(),
            home.home.corpus(variant.name),
            target,
            home.home.objects(variant.name),
            SyncOptions(
                variant=variant.name,
                adopted=tuple(sync.adopt),
                dry_run=dry_run,
                limits=limits,
                most_deleted_share=sync.most_deleted_share,
                may_delete_more=sync.allow_deletions,
            ),
            on_change=note,
            on_progress=told_every(_PROGRESS_EVERY, context, variant.name, "objects"),
            on_note=lambda note: context.log.info(f"{variant.name}: {note}"),
        )
    if note is not None:
        write_receipt(path, SyncReceipt(target=target, expected=expected_after(report)))
    return report


def _limits_of(
    context: dg.AssetExecutionContext, variant: str, target: IngestionTarget, bedrock: Bedrock
) -> SizeLimits:
    """What its vector store takes.

    Raises:
        IngestionError: The Knowledge Base or the data source is not what the variant needs.
    """
    found = check_setup(bedrock.client("bedrock-agent"), target, on_progress=told_in_log(context, variant))
    if found.faults:
        raise IngestionError("\n".join([f"{target}: nothing was uploaded, its set-up does not fit:", *found.faults]))
    return size_limits(found.store)


def _ingested(
    context: dg.AssetExecutionContext,
    home: HomeFolder,
    variant: Variant,
    target: Target,
    sync: Sync,
    bedrock: Bedrock,
) -> IngestionReport:
    synced = _last_sync(home.home, variant.name, target)
    return ingest(
        bedrock.client("bedrock-agent"),
        IngestionTarget.of(target, variant.chunking),
        synced.expected,
        home.home.ingestion(variant.name, target.key),
        direct_up_to=sync.direct_ingestion_up_to,
        clock=Clock(sleep=sleep),
        on_progress=told_in_log(context, variant.name),
    )


def _last_sync(home: Home, variant: str, target: Target) -> SyncReceipt:
    """What the last sync left in S3.

    Raises:
        IngestionError: There was none to this target, or it did not come to its end.
        StorageError: The file cannot be read.
    """
    synced = read_receipt(home.synced(variant, target.key))
    if synced is None:
        raise IngestionError(
            f"{target.uri}: not ingested: no sync to it from here has come to its end: materialize s3_objects, or see "
            "there why it failed"
        )
    return synced


def _left_out(variant: str, target: Target | None, sync: Sync) -> _Told:
    state, words = _why_left_out(target, sync)
    told = words.format(variant=variant, mode=sync.mode)
    return _Told(told, {"state": state, "how": told})


def _why_left_out(target: Target | None, sync: Sync) -> tuple[str, str]:
    if target is None:
        return "not configured", _NOT_CONFIGURED
    if sync.mode != "on":
        return "switched off", _NOT_ON
    return "in S3 only", _ONLY_IN_S3


def _in_words(report: SyncReport, target: Target) -> str:
    counts = f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {report.deleted} deleted"
    counts += f", {report.foreign} foreign" if report.foreign else ""
    if not report.dry_run:
        return f"{target.uri}: {counts} objects in {report.seconds:.1f} s"
    refused = [f"a real run would be refused: {report.refused}"] if report.refused else []
    would = {"new": "upload", "changed": "upload again", "deleted": "delete"}
    listed = [f"would {would[row['what']]} {row['key']}" for row in _first_objects(report) if row["what"] in would]
    others = report.new + report.changed + report.deleted - len(listed)
    more = [f"and {others} others"] if others else []
    follows = ["an ingestion would follow"] if target.knowledge_base_id and listed else []
    foreign = [describe_foreign(report.foreign, report.first_foreign)] if report.foreign else []
    return "\n  ".join([f"{target.uri}: dry run: {counts} objects", *refused, *listed, *more, *foreign, *follows])


def _first_objects(report: SyncReport) -> list[dict[str, str]]:
    shown = [
        ("new", report.first_new),
        ("changed", report.first_changed),
        ("deleted", report.first_deleted),
        ("of others", report.first_foreign),
    ]
    return [{"what": what, "key": key} for what, keys in shown for key in keys]


def _object_metadata(report: SyncReport, target: Target) -> dict[str, Metadatum]:
    return {
        "place": target.uri,
        "dry run": str(report.dry_run),
        "new": report.new,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "of others": report.foreign,
        **({"what others put there": describe_foreign(report.foreign, report.first_foreign)} if report.foreign else {}),
        "bytes sent": report.bytes_sent,
        "seconds": round(report.seconds, 1),
        "objects a second": round(report.objects_per_second, 1),
        "dagster/row_count": report.documents + report.sidecars,
        "first objects": table(_first_objects(report)),
    }


def _ingestion_in_words(report: IngestionReport) -> str:
    beside = (
        [f"it also reads {report.foreign:,} documents that were not sent from here: s3_objects names them"]
        if report.foreign
        else []
    )
    if report.how == "nothing":
        return "; ".join(["the Knowledge Base is up to date", *beside])
    parts = [f"job {report.job_id} {report.status}: {report.statistics}"] if report.job_id else []
    if report.direct is not None:
        parts.append(f"{report.direct.ingested} documents ingested and {report.direct.deleted} deleted directly")
    return "; ".join([*parts, "all that was uploaded is in the Knowledge Base", *beside])


def _ingestion_metadata(report: IngestionReport, target: Target) -> dict[str, Metadatum]:
    return {
        "knowledge base": target.knowledge_base_id,
        "data source": target.data_source_id,
        "what was done": _ingestion_in_words(report),
        "documents of others": report.foreign,
        "statistics": table([report.statistics.model_dump()]),
        "seconds": round(report.seconds, 1),
        "waited": table([report.waited.model_dump()]),
        "documents looked at one by one": str(report.listed),
    }
