"""Knowledge Base ingestion: the objects of each variant, taken into its Knowledge Base."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import dagster as dg

from rag_assets.clock import Clock
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.ingestion import ingest
from rag_assets.ingestion.service import IngestionError
from rag_assets.ingestion.sync_receipt import SyncReceipt, read_receipt
from rag_assets.model import Variant
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, table
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import log_waiting
from rag_assets.orchestration.recording import attempt
from rag_assets.orchestration.resources import Bedrock, HomeFolder, Preparation, Sync
from rag_assets.orchestration.sync_outcomes import SyncOutcome, leave_out, lock_variant, record_outcomes
from rag_assets.parallel import NO_IDLE_LIMIT, map_groups, sleep
from rag_assets.s3.locations import IngestionTarget, Target
from rag_assets.store.home import Home

_CODE = ("ingestion",)
_AT_ONCE = 5
"""Knowledge Bases; as many ingestion jobs may run in an account
(https://docs.aws.amazon.com/bedrock/latest/userguide/quotas.html)."""


def knowledge_base_ingestion_asset(variants: dg.StaticPartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `knowledge_base_ingestion`.

    Args:
        variants: One partition a way of preparing.
    """

    @dg.asset(
        group_name="sync",
        deps=[same_variant("s3_objects")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"bedrock"},
        owners=OWNERS,
        code_version=code_version(*_CODE),
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

        def take_in(name: str) -> SyncOutcome:
            target = sync.target(name)
            if target is None or not target.knowledge_base_id or sync.mode != "on":
                return leave_out(name, target, sync.mode)
            with lock_variant(home.home, name):
                report = _ingest_variant(home.home, preparation.variant(name), target, sync, bedrock, context.log.info)
            return SyncOutcome(_describe_report(report), _ingestion_metadata(report, target))

        groups = _group_by_knowledge_base(context.partition_keys, sync)
        with map_groups(lambda name: (name, attempt(take_in, name)), groups, _AT_ONCE, NO_IDLE_LIMIT) as outcomes:
            record_outcomes(context, outcomes, "could not be ingested; what is pending stays so")
        return dg.MaterializeResult()

    return knowledge_base_ingestion


def _group_by_knowledge_base(variants: Iterable[str], sync: Sync) -> list[list[str]]:
    """Those of one Knowledge Base together: it runs one job at a time."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in variants:
        target = sync.target(name)
        groups[target.knowledge_base_id if target else ""].append(name)
    return list(groups.values())


def _ingest_variant(
    home: Home, variant: Variant, target: Target, sync: Sync, bedrock: Bedrock, log: Callable[[str], None]
) -> IngestionReport:
    receipt = _read_receipt(home, variant.name, target)
    return ingest(
        bedrock.client("bedrock-agent"),
        IngestionTarget.of(target, variant.chunking),
        receipt.expected,
        home.ingestion(variant.name, target.key),
        direct_up_to=sync.direct_ingestion_up_to,
        clock=Clock(sleep=sleep),
        on_progress=log_waiting(log, variant.name),
    )


def _read_receipt(home: Home, variant: str, target: Target) -> SyncReceipt:
    """What the last sync left in S3.

    Raises:
        IngestionError: There was none to this target, or it did not come to its end.
        StorageError: The file cannot be read.
    """
    receipt = read_receipt(home.synced(variant, target.key))
    if receipt is None:
        raise IngestionError(
            f"{target.uri}: not ingested: no sync to it from here has come to its end: materialize s3_objects, or see "
            "there why it failed"
        )
    return receipt


def _describe_report(report: IngestionReport) -> str:
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
        "what was done": _describe_report(report),
        "documents of others": report.foreign,
        "statistics": table([report.statistics.model_dump()]),
        "seconds": round(report.seconds, 1),
        "waited": table([report.waited.model_dump()]),
        "documents looked at one by one": str(report.listed),
    }
