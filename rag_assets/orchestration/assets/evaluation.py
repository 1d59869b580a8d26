"""The assets of the evaluation group; each is made in a module of its own."""

from collections.abc import Sequence

import dagster as dg

from rag_assets.model import SearchIn
from rag_assets.orchestration.assets.questions import questions_asset
from rag_assets.orchestration.assets.retrieval_report import retrieval_report_asset
from rag_assets.orchestration.assets.retrieval_results import retrieval_results_asset
from rag_assets.orchestration.assets.search_index import search_index_asset
from rag_assets.orchestration.assets.tuning_grid import tuning_grid_asset
from rag_assets.retrieval.grid_settings import TuningGrid


def evaluation_assets(
    variants: dg.StaticPartitionsDefinition,
    sources: Sequence[str],
    *,
    search_in: SearchIn,
    is_sample: bool,
    grid: TuningGrid,
) -> list[dg.AssetsDefinition]:
    """Questions asked of every variant, and what came of it.

    Args:
        variants: One partition a way of preparing.
        sources: Names of the sources of this run.
        search_in: What is asked, and so what the results come from.
        is_sample: Whether all of them are the bundled sample.
        grid: What the tuning grid compares.
    """
    return [
        questions_asset(sources, search_in),
        search_index_asset(variants),
        retrieval_results_asset(variants, search_in),
        retrieval_report_asset(sources, is_sample=is_sample),
        tuning_grid_asset(sources, grid),
    ]
