"""The one place where everything is wired: assets, jobs, schedule, sensors and resources from the settings."""

import dagster as dg

from rag_assets.orchestration.assets.chunks import chunks_asset
from rag_assets.orchestration.assets.corpus_files import corpus_files_asset
from rag_assets.orchestration.assets.corpus_quality import corpus_quality_asset
from rag_assets.orchestration.assets.document_files import document_files_asset
from rag_assets.orchestration.assets.document_records import document_records_asset
from rag_assets.orchestration.assets.evaluation import evaluation_assets
from rag_assets.orchestration.assets.knowledge_base_ingestion import knowledge_base_ingestion_asset
from rag_assets.orchestration.assets.s3_objects import s3_objects_asset
from rag_assets.orchestration.assets.synonym_dictionary import synonym_dictionary_asset
from rag_assets.orchestration.assets.tax_answer_pages import tax_answer_pages
from rag_assets.orchestration.assets.tax_answer_records import tax_answer_records
from rag_assets.orchestration.jobs import define_jobs
from rag_assets.orchestration.partitions import variant_partitions
from rag_assets.orchestration.resources import resources_of
from rag_assets.orchestration.schedules import define_schedule, define_sensors
from rag_assets.orchestration.stages import list_stages
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
    documents = [BY_NAME[source] for source in sources if source in BY_NAME]
    stages = list_stages(settings)
    jobs = define_jobs(stages)
    assets = [
        *([tax_answer_pages, tax_answer_records] if TAX_ANSWER in sources else []),
        *(document_files_asset(source) for source in documents),
        *(document_records_asset(source) for source in documents),
        synonym_dictionary_asset(sources),
        chunks_asset(variants, sources),
        corpus_files_asset(variants),
        corpus_quality_asset(variants, sources),
        s3_objects_asset(variants),
        knowledge_base_ingestion_asset(variants),
        *evaluation_assets(
            variants,
            sources,
            search_in=settings.search_in,
            is_sample=settings.is_sample,
            grid=settings.tuning,
        ),
    ]
    return dg.Definitions(
        assets=assets,
        jobs=jobs,
        schedules=[define_schedule(settings.refresh_cron, stages[0])],
        sensors=define_sensors(stages, jobs),
        resources=resources_of(settings),
        executor=dg.in_process_executor,
        loggers={"terminal": terminal_logger, "console": dg.colored_console_logger},
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What workspace.yaml loads, with the settings of the environment and the settings file."""
    return build_defs(load_settings())
