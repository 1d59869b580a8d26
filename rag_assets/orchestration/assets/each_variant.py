"""Work on each variant by itself: what fails in one holds up no other. Used by the assets of the evaluation group."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import dagster as dg

from rag_assets.ingestion.service import IngestionError
from rag_assets.orchestration.recording import attempt, describe_failure
from rag_assets.orchestration.resources import Bedrock, Evaluation
from rag_assets.settings import SettingsError
from rag_assets.store.lines import StorageError

if TYPE_CHECKING:
    from rag_assets.retrieval.embedders import Embedder

Made = TypeVar("Made")


def make_each(context: dg.AssetExecutionContext, make: Callable[[str], Made]) -> tuple[dict[str, Made], dict[str, str]]:
    """What was made of each variant of the run, and why it failed for others."""
    from rag_assets.retrieval.bedrock_calls import BedrockError
    from rag_assets.retrieval.embedders import EmbeddingError
    from rag_assets.retrieval.index_file import IndexFileError

    foreseen = (StorageError, SettingsError, IngestionError, IndexFileError, EmbeddingError, BedrockError)
    made: dict[str, Made] = {}
    failed: dict[str, str] = {}
    for name in context.partition_keys:
        outcome = attempt(make, name)
        if isinstance(outcome, Exception):
            failed[name] = describe_failure(context.log.error, name, outcome, foreseen)
        else:
            made[name] = outcome
    return made, failed


def make_embedder(context: dg.AssetExecutionContext, evaluation: Evaluation, bedrock: Bedrock) -> "Embedder":
    """What makes the vectors of passages and questions."""
    from rag_assets.retrieval.bedrock_calls import BedrockPatience
    from rag_assets.retrieval.bedrock_embedders import embedder_of

    patience = BedrockPatience(tell=context.log.info)
    return embedder_of(evaluation.embedder, lambda: bedrock.client("bedrock-runtime"), patience=patience)
