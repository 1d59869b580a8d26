"""What answers the questions about a variant: its embedded index, or its Knowledge Base.

Asking the questions belongs to `run`. What either of them does with a question belongs to `retrieval`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from rag_assets.corpus.prepared import chunks_of, passages_of
from rag_assets.evaluation.filter_text import to_text
from rag_assets.evaluation.ingested import count_foreign_documents, find_held
from rag_assets.evaluation.model import HowSearched
from rag_assets.evaluation.run import Asked
from rag_assets.ingestion.data_source import IngestionTarget
from rag_assets.ingestion.service import OnProgress
from rag_assets.model import Variant
from rag_assets.retrieval.bedrock_calls import Patience
from rag_assets.retrieval.embedders import Embedder
from rag_assets.retrieval.fusion import SearchSettings
from rag_assets.retrieval.index import LocalIndex, require_current
from rag_assets.retrieval.knowledge_base import KnowledgeBaseSearch, KnowledgeBaseSettings
from rag_assets.retrieval.knowledge_base_filters import list_attributes
from rag_assets.s3.locations import Target
from rag_assets.store.home import Home


class VariantSearch(Protocol):
    """A way to search variants."""

    def verify(self, variant: Variant) -> HowSearched:
        """How the variant is searched; no question is asked yet.

        Raises:
            ValueError: It cannot be searched; the message says what to do.
        """
        ...

    def open(self, variant: Variant, searched: HowSearched) -> AbstractContextManager[Asked]:
        """What answers the questions about the variant."""
        ...


class IndexSearch:
    """The embedded index of each variant."""

    def __init__(self, home: Home, embedder: Embedder, embedder_setting: str, weights: SearchSettings) -> None:
        """Nothing is opened yet.

        Args:
            home: Where the indexes lie.
            embedder: Makes the vectors of questions.
            embedder_setting: Its name in the settings.
            weights: Of hybrid search.
        """
        self._home, self._embedder, self._weights = home, embedder, weights
        self._settings = {
            "embedder": embedder_setting,
            "bm25_weight": f"{weights.bm25_weight:g}",
            "rrf_constant": f"{weights.rrf_constant:g}",
        }

    def verify(self, variant: Variant) -> HowSearched:
        """See `VariantSearch`.

        Raises:
            IndexFileError: The index holds another corpus than is prepared here, or cannot be searched.
            StorageError: The corpus was never made.
        """
        require_current(self._home.index(variant.name), passages_of(self._home, variant), self._embedder)
        return HowSearched(search_in="index", settings=self._settings, held="corpus")

    @contextmanager
    def open(self, variant: Variant, searched: HowSearched) -> Iterator[Asked]:
        """See `VariantSearch`."""
        chunk_ids = {chunk.chunk_id for chunk in chunks_of(self._home, variant.name)}
        with LocalIndex.open(self._home.index(variant.name), self._embedder, self._weights) as index:
            yield Asked(index, searched, chunk_ids)


class KnowledgeBaseVariantSearch:
    """The Knowledge Base of each variant."""

    def __init__(
        self,
        home: Home,
        target_of: Callable[[str], Target],
        client: Callable[[str], Any],
        options: Mapping[str, str | bool],
        *,
        log: Callable[[str], None],
        progress_of: Callable[[str], OnProgress],
    ) -> None:
        """Nothing is asked yet.

        Args:
            home: Whose syncs and ingestions are looked at.
            target_of: Where a variant goes in AWS, by its name; raises an error where that is nowhere.
            client: Makes a boto3 client of a service.
            options: Fields of `KnowledgeBaseSettings` that say how it is searched.
            log: Takes what is said of retries.
            progress_of: Makes what takes progress, by variant.
        """
        self._home, self._target_of, self._client, self._options = home, target_of, client, options
        self._log, self._progress_of = log, progress_of

    def verify(self, variant: Variant) -> HowSearched:
        """See `VariantSearch`.

        Raises:
            IngestionError: What was prepared here is not all in it.
            StorageError: The corpus was never made, or a file of the sync cannot be read.
        """
        target = self._target_of(variant.name)
        chunks = chunks_of(self._home, variant.name)
        ingestion = IngestionTarget.of(target, variant.chunking)
        agent, on_progress = self._client("bedrock-agent"), self._progress_of(variant.name)
        return HowSearched(
            search_in="knowledge_base",
            settings={name: to_text(value) for name, value in self._options.items()},
            held=find_held(self._home, variant.name, ingestion, chunks, agent, on_progress),
            knowledge_base_id=target.knowledge_base_id,
            place=target.uri,
            foreign=count_foreign_documents(self._home, variant.name, target),
        )

    @contextmanager
    def open(self, variant: Variant, searched: HowSearched) -> Iterator[Asked]:
        """See `VariantSearch`."""
        settings = KnowledgeBaseSettings.model_validate(
            {
                **self._target_of(variant.name).model_dump(),
                "variant": variant.name,
                "chunking": variant.chunking,
                **self._options,
            }
        )
        chunks = chunks_of(self._home, variant.name)
        lists = list_attributes(chunk.attributes for chunk in chunks)
        runtime = self._client("bedrock-agent-runtime")
        search = KnowledgeBaseSearch(runtime, settings, lists=lists, patience=Patience(tell=self._log))
        yield Asked(search, searched, {chunk.chunk_id for chunk in chunks})
