"""When things run by themselves: the sources every day, the corpora and the report after them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import dagster as dg

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from rag_assets.orchestration.jobs import (
    EVALUATE,
    PREPARE_CORPORA,
    READ_RECORDS,
    REFRESH_SOURCES,
    SYNC_KNOWLEDGE_BASE,
    SYNC_S3,
)

_RANGE_START = "dagster/asset_partition_range_start"
_RANGE_END = "dagster/asset_partition_range_end"


def whole_range(partitions: Sequence[str]) -> dict[str, str]:
    """The tags of one run over all partitions; none where there are none."""
    if not partitions:
        return {}
    return {_RANGE_START: partitions[0], _RANGE_END: partitions[-1]}


def daily_refresh(cron: str, partitions: Sequence[str]) -> dg.ScheduleDefinition:
    """All sources in one run; off until it is switched on in the UI.

    Args:
        cron: When, Japan time.
        partitions: All partitions of the sources, in order.
    """

    @dg.schedule(
        name="daily_refresh",
        job_name=REFRESH_SOURCES,
        cron_schedule=cron,
        execution_timezone="Asia/Tokyo",
        description="Fetch what has changed at the sources; corpora and report follow where their sensors are on.",
    )
    def schedule() -> dg.RunRequest:
        return dg.RunRequest(tags=whole_range(partitions))

    return schedule


def following_sensors(
    jobs: "Sequence[UnresolvedAssetJobDefinition]", source_partitions: Sequence[str], variants: Sequence[str]
) -> list[dg.SensorDefinition]:
    """Each stage after the one before it; off until switched on in the UI.

    Fetching and reading fail where a single article does, with all others kept: the stages after them follow all the
    same. S3 follows corpora that are complete, the Knowledge Base S3 and the evaluation the Knowledge Base, in whatever
    state these are.
    """
    by_name = {job.name: job for job in jobs}
    succeeded, failed = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE

    def following(
        name: str, before: str, after: str, partitions: Sequence[str], status: dg.DagsterRunStatus = succeeded
    ) -> dg.SensorDefinition:
        return _following(name, by_name[before], by_name[after], partitions, status)

    return [
        following("read_after_refresh", REFRESH_SOURCES, READ_RECORDS, source_partitions),
        following("read_after_failed_refresh", REFRESH_SOURCES, READ_RECORDS, source_partitions, failed),
        following("prepare_after_read", READ_RECORDS, PREPARE_CORPORA, variants),
        following("prepare_after_failed_read", READ_RECORDS, PREPARE_CORPORA, variants, failed),
        following("sync_after_prepare", PREPARE_CORPORA, SYNC_S3, variants),
        following("ingest_after_sync", SYNC_S3, SYNC_KNOWLEDGE_BASE, variants),
        following("ingest_after_failed_sync", SYNC_S3, SYNC_KNOWLEDGE_BASE, variants, failed),
        following("evaluate_after_ingestion", SYNC_KNOWLEDGE_BASE, EVALUATE, variants),
        following("evaluate_after_failed_ingestion", SYNC_KNOWLEDGE_BASE, EVALUATE, variants, failed),
    ]


def _following(
    name: str,
    before: "UnresolvedAssetJobDefinition",
    after: "UnresolvedAssetJobDefinition",
    partitions: Sequence[str],
    status: dg.DagsterRunStatus,
) -> dg.SensorDefinition:
    ended = "has succeeded" if status == dg.DagsterRunStatus.SUCCESS else "has failed, with what it kept"

    @dg.run_status_sensor(
        run_status=status,
        name=name,
        monitored_jobs=[before],
        request_job=after,
        description=f"Runs {after.name} over all partitions when {before.name} {ended}.",
    )
    def sensor(context: dg.RunStatusSensorContext) -> dg.RunRequest:
        return dg.RunRequest(run_key=context.dagster_run.run_id, tags=whole_range(partitions))

    return sensor
