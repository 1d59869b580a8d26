"""S3 objects: the files of each variant, uploaded to its place in S3."""

from collections.abc import Callable
from contextlib import nullcontext

import dagster as dg

from rag_assets.corpus.sidecar_limits import ANYWHERE, SizeLimits, size_limits
from rag_assets.ingestion.changes import expected_after, record_changes
from rag_assets.ingestion.data_source import check_setup
from rag_assets.ingestion.service import IngestionError
from rag_assets.ingestion.sync_receipt import SyncReceipt, delete_receipt, write_receipt
from rag_assets.model import Variant
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, table
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import log_every, log_waiting
from rag_assets.orchestration.recording import attempt
from rag_assets.orchestration.resources import Bedrock, HomeFolder, ObjectStore, Preparation, Sync
from rag_assets.orchestration.sync_outcomes import SyncOutcome, leave_out, lock_variant, record_outcomes
from rag_assets.s3.locations import IngestionTarget, Target
from rag_assets.s3.objects import SyncOptions, SyncReport, sync_folder
from rag_assets.s3.refusals import describe_foreign
from rag_assets.store.home import Home

_CODE = ("s3", "corpus/sidecar_limits.py")
_PROGRESS_EVERY = 500
"""Objects between two lines of progress in the log."""


def s3_objects_asset(variants: dg.StaticPartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `s3_objects`.

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
        code_version=code_version(*_CODE),
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

        def upload(name: str) -> SyncOutcome:
            target = sync.target(name)
            if target is None or sync.mode == "off":
                return leave_out(name, target, sync.mode)
            with lock_variant(home.home, name):
                report = _sync_variant(
                    home.home, preparation.variant(name), target, sync, store, bedrock, context.log.info
                )
            return SyncOutcome(_describe_report(report, target), _object_metadata(report, target))

        outcomes = ((name, attempt(upload, name)) for name in context.partition_keys)
        record_outcomes(context, outcomes, "could not be synced to S3")
        return dg.MaterializeResult()

    return s3_objects


def _sync_variant(
    home: Home,
    variant: Variant,
    target: Target,
    sync: Sync,
    store: ObjectStore,
    bedrock: Bedrock,
    log: Callable[[str], None],
) -> SyncReport:
    """Upload a variant's files; note for the ingestion what changes, before it does, and leave the sync receipt."""
    dry_run = sync.mode == "dry-run"
    path = home.synced(variant.name, target.key)
    ingestion = IngestionTarget.of(target, variant.chunking) if target.knowledge_base_id else None
    limits = ANYWHERE if ingestion is None else _find_limits(variant.name, ingestion, bedrock, log)
    noting = (
        record_changes(home.ingestion(variant.name, target.key), ingestion, lambda: delete_receipt(path))
        if ingestion is not None and not dry_run
        else nullcontext()
    )
    with noting as note:
        report = sync_folder(
            store.get_client(),
            home.corpus(variant.name),
            target,
            home.objects(variant.name),
            SyncOptions(
                variant=variant.name,
                adopted=tuple(sync.adopt),
                dry_run=dry_run,
                limits=limits,
                most_deleted_share=sync.most_deleted_share,
                may_delete_more=sync.allow_deletions,
            ),
            on_change=note,
            on_progress=log_every(_PROGRESS_EVERY, log, variant.name, "objects"),
            on_note=lambda note: log(f"{variant.name}: {note}"),
        )
    if note is not None:
        write_receipt(path, SyncReceipt(target=target, expected=expected_after(report)))
    return report


def _find_limits(variant: str, target: IngestionTarget, bedrock: Bedrock, log: Callable[[str], None]) -> SizeLimits:
    """What its vector store takes.

    Raises:
        IngestionError: The Knowledge Base or the data source is not what the variant needs.
    """
    found = check_setup(bedrock.client("bedrock-agent"), target, on_progress=log_waiting(log, variant))
    if found.faults:
        raise IngestionError("\n".join([f"{target}: nothing was uploaded, its set-up does not fit:", *found.faults]))
    return size_limits(found.store)


def _describe_report(report: SyncReport, target: Target) -> str:
    counts = f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {report.deleted} deleted"
    counts += f", {report.foreign} foreign" if report.foreign else ""
    if not report.dry_run:
        return f"{target.uri}: {counts} objects in {report.seconds:.1f} s"
    refused = [f"a real run would be refused: {report.refused}"] if report.refused else []
    would = {"new": "upload", "changed": "upload again", "deleted": "delete"}
    listed = [f"would {would[row['what']]} {row['key']}" for row in _list_first(report) if row["what"] in would]
    others = report.new + report.changed + report.deleted - len(listed)
    more = [f"and {others} others"] if others else []
    follows = ["an ingestion would follow"] if target.knowledge_base_id and listed else []
    foreign = [describe_foreign(report.foreign, report.first_foreign)] if report.foreign else []
    return "\n  ".join([f"{target.uri}: dry run: {counts} objects", *refused, *listed, *more, *foreign, *follows])


def _list_first(report: SyncReport) -> list[dict[str, str]]:
    """The first objects of each kind, a row each."""
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
        "first objects": table(_list_first(report)),
    }
