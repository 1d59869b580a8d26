"""The jobs: one a stage, or one for a stage and those before it that have none of their own."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.orchestration.stages import Stage

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition


def define_jobs(stages: Iterable[Stage]) -> "list[UnresolvedAssetJobDefinition]":
    """The jobs, in the order of the stages."""
    jobs: list[UnresolvedAssetJobDefinition] = []
    assets: list[str] = []
    for stage in stages:
        assets += stage.assets
        if stage.job:
            selection = dg.AssetSelection.assets(*assets)
            jobs.append(dg.define_asset_job(stage.job, selection=selection, description=stage.description))
            assets = []
    return jobs
