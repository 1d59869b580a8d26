"""From a variant's files to S3 and into its Knowledge Base, by variant."""

from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.assets.progress import told_every
from rag_assets.assets.reading import OWNERS, Materialized, Metadatum, table
from rag_assets.model import Model, Variant
from rag_assets.partitions import ONE_RUN, same_variant
from rag_assets.resources import Bedrock, CorpusStore, HomeFolder, Preparation, Sync
from rag_assets.storage import StorageError, read_lines, told_of, write_lines
from rag_assets.sync.changes import ChangeCount
from rag_assets.sync.data_source import IngestionTarget, data_source_faults
from rag_assets.sync.direct import Changes
from rag_assets.sync.ingestion import IngestionReport, ingest
from rag_assets.sync.judgement import Expected
from rag_assets.sync.objects import SyncError, SyncReport, sync_folder
from rag_assets.sync.places import Target
from rag_assets.sync.service import IngestionError, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_PROGRESS_EVERY = 500


class Synced(Model):
    """What a sync left in S3, for the ingestion after it.

    Attributes:
        target: The place.
        expected: What the ingestion has to find there.
        changes: What the sync changed, by name, where it is little enough for direct ingestion.
    """

    target: Target
    expected: Expected
    changes: Changes | None


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
        store: CorpusStore,
        bedrock: Bedrock,
    ) -> Materialized:
        """S3 objects: the place of each variant holds what its folder holds, and nothing else.

        Only what differs in content is uploaded, with checksums; what is gone is deleted, last; what lies outside the
        variant's prefix is never touched. Stopped anywhere and run again, it ends in the same state. A guard refuses to
        delete a large share of a corpus. Before anything is sent, the data source is held against the variant.
        """
        failed: dict[str, str] = {}
        for name in context.partition_keys:
            target = sync.target(name)
            if target is None or sync.mode == "off":
                _tell_left_out(context, name, target, sync)
                continue
            try:
                report = _synced(context, home, preparation.variant(name), target, sync, store, bedrock)
            except (SyncError, IngestionError, StorageError) as error:
                failed[name] = str(error)
                continue
            context.add_asset_metadata(_object_metadata(report, target), partition_key=name)
            context.log.info(f"{name}: {_in_words(report)}")
        _fail_if(failed, "could not be synced to S3. The others are")
        return dg.MaterializeResult()

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
        quotas are waited out. Its counts are held against what was uploaded: a job that ended COMPLETE and left files
        out is a failure. What is pending survives a crash.
        """
        failed: dict[str, str] = {}
        for name in context.partition_keys:
            target = sync.target(name)
            if target is None or not target.knowledge_base_id or sync.mode != "on":
                _tell_left_out(context, name, target, sync)
                continue
            try:
                report = _ingested(context, home, preparation.variant(name), target, sync, bedrock)
            except (IngestionError, StorageError) as error:
                failed[name] = str(error)
                continue
            context.add_asset_metadata(_ingestion_metadata(report, target), partition_key=name)
            context.log.info(f"{name}: {_ingestion_in_words(report)}")
        _fail_if(failed, "could not be ingested. What is pending stays so")
        return dg.MaterializeResult()

    return [s3_objects, knowledge_base_ingestion]


def _synced(
    context: dg.AssetExecutionContext,
    home: HomeFolder,
    variant: Variant,
    target: Target,
    sync: Sync,
    store: CorpusStore,
    bedrock: Bedrock,
) -> SyncReport:
    dry_run = sync.mode == "dry-run"
    if not dry_run:
        # There again only when this sync has come to its end: what is half uploaded is not ingested.
        path = home.home.synced(variant.name)
        with told_of(path):
            path.unlink(missing_ok=True)
    ingestion = _ingestion_target(target, variant)
    if ingestion is not None:
        faults = data_source_faults(bedrock.client("bedrock-agent"), ingestion)
        if faults:
            raise IngestionError("\n".join([f"{ingestion}: nothing was uploaded, its set-up does not fit:", *faults]))
    count = (
        ChangeCount(home.home.ingestion(variant.name), ingestion, sync.direct_ingestion_up_to)
        if ingestion is not None and not dry_run
        else None
    )
    report = sync_folder(
        store.get_client(),
        home.home.corpus(variant.name),
        target,
        home.home.objects(variant.name),
        dry_run=dry_run,
        most_deleted_share=sync.most_deleted_share,
        may_delete_more=sync.allow_deletions,
        on_change=count,
        on_progress=told_every(_PROGRESS_EVERY, context, variant.name, "objects"),
    )
    if count is not None:
        found = Synced(target=target, expected=count.expected(report), changes=count.changes)
        write_lines(home.home.synced(variant.name), [found])
    return report


def _ingested(
    context: dg.AssetExecutionContext, home: HomeFolder, variant: Variant, target: Target, sync: Sync, bedrock: Bedrock
) -> IngestionReport:
    synced = _last_sync(home.home.synced(variant.name), target)
    ingestion = _ingestion_target(target, variant)
    assert ingestion is not None

    def progress(told: Progress) -> None:
        context.log.info(f"{variant.name}: {told.message}")

    return ingest(
        bedrock.client("bedrock-agent"),
        ingestion,
        synced.expected,
        home.home.ingestion(variant.name),
        changes=synced.changes,
        direct_up_to=sync.direct_ingestion_up_to,
        on_progress=progress,
    )


def _last_sync(path: Path, target: Target) -> Synced:
    """What the last sync left in S3.

    Raises:
        IngestionError: There was none, it went elsewhere, or it did not come to its end.
        StorageError: The file cannot be read.
    """
    for synced in read_lines(path, Synced, "s3_objects") if path.is_file() else ():
        if synced.target == target:
            return synced
    raise IngestionError(
        f"{target.uri}: nothing was ingested, since no sync to it has come to its end: materialize s3_objects first"
    )


def _ingestion_target(target: Target, variant: Variant) -> IngestionTarget | None:
    if not target.knowledge_base_id:
        return None
    return IngestionTarget(**target.model_dump(), chunking=variant.chunking)


def _tell_left_out(context: dg.AssetExecutionContext, variant: str, target: Target | None, sync: Sync) -> None:
    state, words = _why_left_out(target, sync)
    told = words.format(variant=variant, mode=sync.mode)
    context.log.info(f"{variant}: {told}")
    context.add_asset_metadata({"state": state, "how": told}, partition_key=variant)


def _why_left_out(target: Target | None, sync: Sync) -> tuple[str, str]:
    if target is None:
        return "not configured", _NOT_CONFIGURED
    if sync.mode != "on":
        return "switched off", _NOT_ON
    return "in S3 only", _ONLY_IN_S3


def _fail_if(failed: "Mapping[str, str]", what: str) -> None:
    if failed:
        lines = "\n".join(f"  {variant}: {why}" for variant, why in failed.items())
        raise dg.Failure(description=f"{len(failed)} variant(s) {what}.\n{lines}", allow_retries=False)


def _in_words(report: SyncReport) -> str:
    would = "would be " if report.dry_run else ""
    refused = "; a real run would be refused, since it deletes too large a share" if report.refused else ""
    return (
        f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {report.deleted} deleted objects "
        f"{would}in {report.seconds:.1f} s{refused}"
    )


def _object_metadata(report: SyncReport, target: Target) -> dict[str, Metadatum]:
    shown = [("new", report.first_new), ("changed", report.first_changed), ("deleted", report.first_deleted)]
    return {
        "place": target.uri,
        "dry run": str(report.dry_run),
        "new": report.new,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "bytes sent": report.bytes_sent,
        "seconds": round(report.seconds, 1),
        "objects a second": round(report.objects_per_second, 1),
        "dagster/row_count": report.documents + report.sidecars,
        "first objects": table([{"what": what, "key": key} for what, keys in shown for key in keys]),
    }


def _ingestion_in_words(report: IngestionReport) -> str:
    if report.how == "nothing":
        return "the Knowledge Base is up to date"
    if report.direct is not None:
        return f"{report.direct.ingested} documents ingested and {report.direct.deleted} deleted directly"
    return f"job {report.job_id} {report.status}: {report.statistics}"


def _ingestion_metadata(report: IngestionReport, target: Target) -> dict[str, Metadatum]:
    return {
        "knowledge base": target.knowledge_base_id,
        "data source": target.data_source_id,
        "what was done": _ingestion_in_words(report),
        "statistics": table([report.statistics.model_dump()]),
        "seconds": round(report.seconds, 1),
        "waited": table([report.waited.model_dump()]),
        "documents looked at one by one": str(report.listed),
    }
