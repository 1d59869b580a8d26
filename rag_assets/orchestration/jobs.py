"""The stages as jobs: a job can hold one partitions definition only."""

from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.model import SearchIn

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

REFRESH_SOURCES = "refresh_sources"
READ_RECORDS = "read_records"
PREPARE_CORPORA = "prepare_corpora"
SYNC_S3 = "sync_s3"
SYNC_KNOWLEDGE_BASE = "sync_knowledge_base"
EVALUATE = "evaluate"


def stage_jobs(search_in: SearchIn) -> "list[UnresolvedAssetJobDefinition]":
    """The jobs, in the order of the chain.

    Args:
        search_in: What the evaluation asks; the embedded index is made only where it is that.
    """
    evaluation = dg.AssetSelection.groups("evaluation")
    asked = evaluation if search_in == "index" else evaluation - dg.AssetSelection.assets("search_index")
    return [
        dg.define_asset_job(
            REFRESH_SOURCES,
            selection=dg.AssetSelection.groups("sources"),
            description="Fetch what has changed at the sources.",
        ),
        dg.define_asset_job(
            READ_RECORDS,
            selection=dg.AssetSelection.groups("records"),
            description="Read what was fetched as records. Apart from fetching: a page that fails holds up no other.",
        ),
        dg.define_asset_job(
            PREPARE_CORPORA,
            selection=dg.AssetSelection.groups("corpus"),
            description="Cut the records in every way of preparing, and write the files of each corpus.",
        ),
        dg.define_asset_job(
            SYNC_S3,
            selection=dg.AssetSelection.assets("s3_objects"),
            description="Make S3 hold what the corpora hold.",
        ),
        dg.define_asset_job(
            SYNC_KNOWLEDGE_BASE,
            selection=dg.AssetSelection.assets("knowledge_base_ingestion"),
            description="Let the Knowledge Bases take in what lies in S3. Apart from the upload: a variant that could "
            "not be uploaded holds up no other.",
        ),
        dg.define_asset_job(
            EVALUATE,
            selection=asked,
            description="Ask the questions of every variant and write the report.",
        ),
    ]
