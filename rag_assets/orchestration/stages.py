"""The stages in their order: the one table that the jobs, the `run` command and the automation are made from.

How a stage is run in this process is in `chain.py`, how stages follow each other by themselves in `schedules.py`.
"""

from dataclasses import dataclass, replace

from rag_assets.corpus.prepared import record_assets
from rag_assets.settings import Settings
from rag_assets.sources.registry import BY_NAME, TAX_ANSWER
from rag_assets.sources.tax_answer.reader import CATEGORIES

REFRESH_SOURCES = "refresh_sources"
READ_RECORDS = "read_records"
PREPARE_CORPORA = "prepare_corpora"
SYNC_S3 = "sync_s3"
SYNC_KNOWLEDGE_BASE = "sync_knowledge_base"
EVALUATE = "evaluate"
TUNE = "tune"


@dataclass(frozen=True)
class Stage:
    """Assets that one run of Dagster materializes, over all their partitions.

    Attributes:
        title: What a person at a terminal is told.
        assets: Names of the assets.
        partitions: Names of the partitions; empty where the assets have none.
        job: Name of its job; empty where the job of the next stage includes its assets.
        description: Of the job.
        sensor: Name of the sensor that starts the job after the job before it; empty where a schedule does.
        keeps_good: Whether the next stage follows where this one has failed: what succeeded is kept, and enough.
        is_needed: Whether `run` stops where the stage has failed, even so.
        skipped: Those of the assets that `run` leaves out with these settings.
    """

    title: str
    assets: tuple[str, ...]
    partitions: tuple[str, ...] = ()
    job: str = ""
    description: str = ""
    sensor: str = ""
    keeps_good: bool = False
    is_needed: bool = False
    skipped: tuple[str, ...] = ()


def list_stages(settings: Settings) -> list[Stage]:
    """All stages, in their order.

    A job can hold one partitions definition only. Fetching and reading fail where a single article does, with all
    others kept; a variant that cannot be uploaded holds up the ingestion of no other. Questions are checked apart: a
    wrong one is told before embedding, which takes longest. Without a question set `run` searches nothing, and the
    report tells quality.
    """
    sources = settings.sources()
    categories = tuple(CATEGORIES) if TAX_ANSWER in sources else ()
    variants = tuple(variant.name for variant in settings.chosen_variants())
    targets = [settings.target[variant] for variant in variants if variant in settings.target]
    is_uploaded = settings.sync != "off" and bool(targets)
    is_ingested = settings.sync == "on" and any(target.knowledge_base_id for target in targets)
    searching = ("search_index", "retrieval_results") if settings.search_in == "index" else ("retrieval_results",)
    return [
        Stage(
            "Fetch sources",
            tuple(BY_NAME[source].fetching_asset if source in BY_NAME else "tax_answer_pages" for source in sources),
            categories,
            job=REFRESH_SOURCES,
            description="Fetch what has changed at the sources.",
            keeps_good=True,
        ),
        Stage(
            "Read records",
            tuple(record_assets(sources)),
            categories,
            job=READ_RECORDS,
            description="Read what was fetched as records. Apart from fetching: a page that fails holds up no other.",
            sensor="read_after_refresh",
            keeps_good=True,
        ),
        Stage(
            "Prepare corpora",
            ("synonym_dictionary", "chunks", "corpus_files", "corpus_quality"),
            variants,
            job=PREPARE_CORPORA,
            description="Cut the records in every way of preparing, and write the files of each corpus.",
            sensor="prepare_after_read",
        ),
        Stage(
            "Sync with S3",
            ("s3_objects",),
            variants,
            job=SYNC_S3,
            description="Make S3 hold what the corpora hold.",
            sensor="sync_after_prepare",
            keeps_good=True,
            skipped=() if is_uploaded else ("s3_objects",),
        ),
        Stage(
            "Ingest",
            ("knowledge_base_ingestion",),
            variants,
            job=SYNC_KNOWLEDGE_BASE,
            description="Let the Knowledge Bases take in what lies in S3. Apart from the upload: a variant that could "
            "not be uploaded holds up no other.",
            sensor="ingest_after_sync",
            keeps_good=True,
            is_needed=settings.search_in == "knowledge_base",
            skipped=() if is_ingested else ("knowledge_base_ingestion",),
        ),
        Stage("Check questions", ("questions",)),
        Stage(
            "Evaluate",
            (*searching, "retrieval_report"),
            variants,
            job=EVALUATE,
            description="Ask the questions of every variant and write the report.",
            sensor="evaluate_after_ingestion",
            skipped=() if settings.question_files() else searching,
        ),
        Stage(
            "Tune",
            ("tuning_grid",),
            job=TUNE,
            description="Compare ways of cutting and searching with the same questions. Asked for by itself: it takes "
            "minutes.",
            skipped=("tuning_grid",),
        ),
    ]


def plan_tune(settings: Settings) -> list[Stage]:
    """The stages of the `tune` command: sources, records, questions, and the grid."""
    wanted = (REFRESH_SOURCES, READ_RECORDS, "", TUNE)
    return [replace(stage, skipped=()) for stage in list_stages(settings) if stage.job in wanted]


def plan_run(settings: Settings) -> list[Stage]:
    """The stages of the `run` command: those that have anything to do with these settings."""
    kept = (
        replace(stage, assets=tuple(asset for asset in stage.assets if asset not in stage.skipped))
        for stage in list_stages(settings)
    )
    return [stage for stage in kept if stage.assets]
