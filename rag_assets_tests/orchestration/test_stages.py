"""The table of stages against the assets there are: each stands in one stage, and comes after what it is made from."""

from typing import Any

import pytest

from rag_assets.definitions import build_defs
from rag_assets.orchestration.stages import TUNE, list_stages, plan_run
from rag_assets.settings import Settings

TARGET = {"bucket": "a-bucket", "knowledge_base_id": "KB12345678", "data_source_id": "DS12345678"}


@pytest.mark.parametrize("settings", [{}, {"variants": "raw", "target": {"raw": TARGET}}])
def test_every_asset_stands_in_one_stage_after_what_it_is_made_from(settings: dict[str, Any]) -> None:
    chosen = Settings.model_validate(settings)
    position = {asset: at for at, stage in enumerate(list_stages(chosen)) for asset in stage.assets}
    assert sum(len(stage.assets) for stage in list_stages(chosen)) == len(position)
    nodes = build_defs(chosen).resolve_asset_graph().asset_nodes
    assert {node.key.to_user_string() for node in nodes} == set(position)
    for node in nodes:
        for parent in node.parent_keys:
            assert position[parent.to_user_string()] <= position[node.key.to_user_string()]


def test_the_partitions_of_a_stage_are_those_of_its_assets() -> None:
    graph = {node.key.to_user_string(): node for node in build_defs(Settings()).resolve_asset_graph().asset_nodes}
    for stage in list_stages(Settings()):
        found = {
            tuple(node.partitions_def.get_partition_keys())
            for node in map(graph.__getitem__, stage.assets)
            if node.partitions_def is not None
        }
        assert found <= {stage.partitions}


def test_a_job_has_a_description_and_every_job_that_follows_another_a_sensor() -> None:
    with_jobs = [stage for stage in list_stages(Settings()) if stage.job]
    assert all(stage.description for stage in with_jobs)
    # The first is started by the schedule, the tuning grid by people.
    assert [stage.job for stage in with_jobs if not stage.sensor] == [with_jobs[0].job, TUNE]


def test_a_run_leaves_out_what_it_skips_and_keeps_the_order() -> None:
    whole, planned = list_stages(Settings()), plan_run(Settings())
    skipped = {asset for stage in whole for asset in stage.skipped}
    assert {"s3_objects", "knowledge_base_ingestion", "tuning_grid"} == skipped
    assert [asset for stage in planned for asset in stage.assets] == [
        asset for stage in whole for asset in stage.assets if asset not in skipped
    ]
