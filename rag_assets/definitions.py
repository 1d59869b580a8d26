"""The one place where everything is wired: assets, jobs, schedule, sensors and resources from the settings."""

import warnings

import dagster as dg

from rag_assets.orchestration.assets.corpus import corpus_assets
from rag_assets.orchestration.assets.documents import document_assets
from rag_assets.orchestration.assets.evaluation import evaluation_assets
from rag_assets.orchestration.assets.sync import sync_assets
from rag_assets.orchestration.assets.tax_answer import tax_answer_assets
from rag_assets.orchestration.jobs import stage_jobs
from rag_assets.orchestration.partitions import TAX_CATEGORIES, variant_partitions
from rag_assets.orchestration.resources import resources_of
from rag_assets.orchestration.schedules import daily_refresh, following_sensors
from rag_assets.orchestration.terminal_logger import terminal_logger
from rag_assets.settings import Settings, load_settings
from rag_assets.sources.registry import BY_NAME, TAX_ANSWER


def build_defs(settings: Settings) -> dg.Definitions:
    """Everything Dagster knows of the project.

    Args:
        settings: Of this run or this code location.
    """
    variants = variant_partitions(settings.chosen_variants())
    sources = settings.sources()
    source_partitions = TAX_CATEGORIES.get_partition_keys() if TAX_ANSWER in sources else []
    jobs = stage_jobs(settings.search_in)
    with warnings.catch_warnings():
        # Used knowingly: without single-run backfills a range of partitions takes a run each.
        warnings.filterwarnings("ignore", message=".*`backfill_policy`.*", category=dg.BetaWarning)
        assets = [
            *(tax_answer_assets() if TAX_ANSWER in sources else []),
            *(asset for source in sources if source in BY_NAME for asset in document_assets(BY_NAME[source])),
            *corpus_assets(variants, sources),
            *sync_assets(variants),
            *evaluation_assets(variants, sources, search_in=settings.search_in, is_sample=settings.is_sample),
        ]
    return dg.Definitions(
        assets=assets,
        jobs=jobs,
        schedules=[daily_refresh(settings.refresh_cron, source_partitions)],
        sensors=following_sensors(jobs, source_partitions, variants.get_partition_keys()),
        resources=resources_of(settings),
        executor=dg.in_process_executor,
        loggers={"terminal": terminal_logger, "console": dg.colored_console_logger},
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What workspace.yaml loads, with the settings of the environment and the settings file."""
    return build_defs(load_settings())
