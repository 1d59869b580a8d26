from datetime import UTC, datetime

import dagster as dg
import pytest

from rag_assets.definitions import build_defs
from rag_assets.orchestration.partitions import TAX_CATEGORIES, tag_range
from rag_assets.settings import Settings

START, END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


@pytest.fixture(scope="module")
def repository() -> dg.RepositoryDefinition:
    return build_defs(
        Settings.model_validate({"refresh_cron": "30 4 * * 1", "variants": "raw,prepared_400"})
    ).get_repository_def()


def test_the_range_of_all_partitions() -> None:
    assert tag_range(["a", "b", "c"]) == {START: "a", END: "c"}
    assert tag_range(["a"]) == {START: "a", END: "a"}


def test_the_schedule_asks_for_one_run_over_all_categories(repository: dg.RepositoryDefinition) -> None:
    schedule = repository.get_schedule_def("daily_refresh")
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("30 4 * * 1", "Asia/Tokyo")
    assert schedule.job_name == "refresh_sources"
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_schedule_context(
            instance=instance, repository_def=repository, scheduled_execution_time=datetime(2026, 4, 1, tzinfo=UTC)
        )
        (request,) = schedule.evaluate_tick(context).run_requests or []
    keys = TAX_CATEGORIES.get_partition_keys()
    assert (request.tags[START], request.tags[END]) == (keys[0], keys[-1])


@pytest.mark.parametrize(
    ("sensor", "before", "ended", "after"),
    [
        ("read_after_refresh", "refresh_sources", "SUCCESS", "read_records"),
        ("read_after_failed_refresh", "refresh_sources", "FAILURE", "read_records"),
        ("prepare_after_read", "read_records", "SUCCESS", "prepare_corpora"),
        ("prepare_after_failed_read", "read_records", "FAILURE", "prepare_corpora"),
        ("sync_after_prepare", "prepare_corpora", "SUCCESS", "sync_s3"),
        ("ingest_after_sync", "sync_s3", "SUCCESS", "sync_knowledge_base"),
        ("ingest_after_failed_sync", "sync_s3", "FAILURE", "sync_knowledge_base"),
        ("evaluate_after_ingestion", "sync_knowledge_base", "SUCCESS", "evaluate"),
        ("evaluate_after_failed_ingestion", "sync_knowledge_base", "FAILURE", "evaluate"),
    ],
)
def test_a_stage_follows_the_one_before_it(
    repository: dg.RepositoryDefinition, sensor: str, before: str, ended: str, after: str
) -> None:
    definition = repository.get_sensor_def(sensor)
    assert definition.job_name == after
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.create_run_for_job(repository.get_job(before), status=dg.DagsterRunStatus[ended])
        event = dg.DagsterEvent(event_type_value=f"PIPELINE_{ended}", job_name=before)
        context = dg.build_run_status_sensor_context(
            sensor_name=sensor, dagster_event=event, dagster_instance=instance, dagster_run=run
        )
        request = definition(context)
    assert isinstance(request, dg.RunRequest)
    assert request.run_key == run.run_id
    keys = TAX_CATEGORIES.get_partition_keys() if after == "read_records" else ["raw", "prepared_400"]
    assert request.tags == {START: keys[0], END: keys[-1]}


def test_what_takes_long_is_only_asked_for(repository: dg.RepositoryDefinition) -> None:
    assert repository.has_job("tune")
    assert "tune" not in {sensor.job_name for sensor in repository.sensor_defs}


def test_nothing_runs_by_itself_until_it_is_switched_on(repository: dg.RepositoryDefinition) -> None:
    assert repository.get_schedule_def("daily_refresh").default_status == dg.DefaultScheduleStatus.STOPPED
    for sensor in repository.sensor_defs:
        assert sensor.default_status == dg.DefaultSensorStatus.STOPPED
