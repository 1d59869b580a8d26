"""When things run by themselves: the sources every day, and each stage after the one before it.

The order of the stages is in `stages.py`.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.orchestration.partitions import tag_range
from rag_assets.orchestration.stages import Stage

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition


def define_schedule(cron: str, first: Stage) -> dg.ScheduleDefinition:
    """The first stage over all its partitions in one run; off until it is switched on in the UI.

    Args:
        cron: When, Japan time.
        first: The stage that fetches.
    """

    @dg.schedule(
        name="daily_refresh",
        job_name=first.job,
        cron_schedule=cron,
        execution_timezone="Asia/Tokyo",
        description="Fetch what has changed at the sources; corpora and report follow where their sensors are on.",
    )
    def schedule() -> dg.RunRequest:
        return dg.RunRequest(tags=tag_range(first.partitions))

    return schedule


def define_sensors(
    stages: Iterable[Stage], jobs: "Iterable[UnresolvedAssetJobDefinition]"
) -> list[dg.SensorDefinition]:
    """Each job after the one before it, also after a failed one that keeps what is good; off until switched on.

    A stage that names no sensor runs only when it is asked for, such as tuning.

    See https://docs.dagster.io/guides/automate/sensors/run-status-sensors.
    """
    by_name = {job.name: job for job in jobs}
    sensors: list[dg.SensorDefinition] = []
    for before, after in pairwise(stage for stage in stages if stage.job):
        if not after.sensor:
            continue
        monitored, requested = by_name[before.job], by_name[after.job]
        sensors.append(_define_sensor(after, monitored, requested, has_failed=False))
        if before.keeps_good:
            sensors.append(_define_sensor(after, monitored, requested, has_failed=True))
    return sensors


def _define_sensor(
    after: Stage,
    monitored: "UnresolvedAssetJobDefinition",
    requested: "UnresolvedAssetJobDefinition",
    *,
    has_failed: bool,
) -> dg.SensorDefinition:
    ended = "has failed, with what it kept" if has_failed else "has succeeded"

    @dg.run_status_sensor(
        run_status=dg.DagsterRunStatus.FAILURE if has_failed else dg.DagsterRunStatus.SUCCESS,
        name=after.sensor.replace("_after_", "_after_failed_") if has_failed else after.sensor,
        monitored_jobs=[monitored],
        request_job=requested,
        description=f"Runs {after.job} over all partitions when {monitored.name} {ended}.",
    )
    def sensor(context: dg.RunStatusSensorContext) -> dg.RunRequest:
        return dg.RunRequest(run_key=context.dagster_run.run_id, tags=tag_range(after.partitions))

    return sensor
