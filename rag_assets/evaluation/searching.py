"""Searches the variants of a run, in their embedded indexes or in their Knowledge Bases.

Asking one index and timing it belongs to `run`, what an index does with a question to `retrieval`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from rag_assets.corpus.passages import Hit, Passage, trace_passage
from rag_assets.corpus.prepared import chunks_of, passages_of
from rag_assets.corpus.tracing import SpanOwners
from rag_assets.evaluation.filter_text import to_text
from rag_assets.evaluation.ingested import count_foreign_documents, find_held_corpus
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult
from rag_assets.evaluation.run import AskedVariant, Searcher, evaluate
from rag_assets.evaluation.search_warnings import warn_before
from rag_assets.ingestion.service import OnProgress
from rag_assets.model import Chunk, Mode, Variant
from rag_assets.retrieval.bedrock_calls import BedrockPatience
from rag_assets.retrieval.embedders import Embedder
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import require_current
from rag_assets.retrieval.knowledge_base import KnowledgeBaseSearch, KnowledgeBaseSettings
from rag_assets.retrieval.knowledge_base_filters import list_attributes
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.s3.locations import IngestionTarget, Target
from rag_assets.store.home import Home


class SearchableVariants(Protocol):
    """The variants of a run, searched in one way."""

    def verify(self, variant: Variant) -> HowSearched:
        """Makes sure that a variant can be searched, and says how; no question is asked yet."""
        ...

    def open(self, variant: Variant, searched: HowSearched) -> AbstractContextManager[AskedVariant]:
        """Opens what answers the questions about a variant."""
        ...


@dataclass(frozen=True)
class IndexVariants:
    """Variants in their embedded indexes.

    Attributes:
        home: Where the indexes lie.
        embedder: Makes the vectors of questions.
        embedder_setting: Its name in the settings.
        search: How the two searches of hybrid search become one ranking.
    """

    home: Home
    embedder: Embedder
    embedder_setting: str
    search: SearchSettings

    def verify(self, variant: Variant) -> HowSearched:
        """See `SearchableVariants`.

        Raises:
            IndexFileError: The index holds another corpus than is prepared here, or cannot be searched.
            StorageError: The corpus was never made.
        """
        require_current(self.home.index(variant.name), passages_of(self.home, variant), self.embedder)
        settings = {
            "embedder": self.embedder_setting,
            "fusion": self.search.fusion,
            "bm25_weight": f"{self.search.bm25_weight:g}",
        }
        if self.search.fusion == "rrf":
            settings["rrf_constant"] = f"{self.search.rrf_constant:g}"
        return HowSearched(search_in="index", settings=settings, held="corpus")

    @contextmanager
    def open(self, variant: Variant, searched: HowSearched) -> Iterator[AskedVariant]:
        """See `SearchableVariants`."""
        chunk_ids = {chunk.chunk_id for chunk in chunks_of(self.home, variant.name)}
        with LocalIndex.open(self.home.index(variant.name), self.embedder, self.search) as index:
            yield AskedVariant(index, searched, chunk_ids)


@dataclass(frozen=True)
class KnowledgeBaseVariants:
    """Variants in their Knowledge Bases.

    Attributes:
        home: Whose syncs and ingestions are looked at.
        target_of: Where a variant goes in AWS, by its name; raises an error if that is nowhere.
        client: Makes a boto3 client of a service.
        options: Fields of `KnowledgeBaseSettings` that say how it is searched.
        log: Takes messages about retries.
        progress_of: Makes a callback for progress, by variant.
    """

    home: Home
    target_of: Callable[[str], Target]
    client: Callable[[str], Any]
    options: Mapping[str, str | bool]
    log: Callable[[str], None]
    progress_of: Callable[[str], OnProgress]

    def verify(self, variant: Variant) -> HowSearched:
        """See `SearchableVariants`.

        Raises:
            IngestionError: What was prepared here is not all in it.
            StorageError: The corpus was never made, or a file of the sync cannot be read.
        """
        name, target = variant.name, self.target_of(variant.name)
        ingestion, chunks = IngestionTarget.of(target, variant.chunking), chunks_of(self.home, name)
        agent = self.client("bedrock-agent")
        return HowSearched(
            search_in="knowledge_base",
            settings={option: to_text(value) for option, value in self.options.items()},
            held=find_held_corpus(self.home, name, ingestion, chunks, agent, self.progress_of(name)),
            knowledge_base_id=target.knowledge_base_id,
            place=target.uri,
            foreign=count_foreign_documents(self.home, name, target),
        )

    @contextmanager
    def open(self, variant: Variant, searched: HowSearched) -> Iterator[AskedVariant]:
        """See `SearchableVariants`."""
        target = self.target_of(variant.name).model_dump()
        settings = KnowledgeBaseSettings.model_validate(
            {**target, "variant": variant.name, "chunking": variant.chunking, **self.options}
        )
        chunks = chunks_of(self.home, variant.name)
        lists = list_attributes(chunk.attributes for chunk in chunks)
        runtime, patience = self.client("bedrock-agent-runtime"), BedrockPatience(tell=self.log)
        search = KnowledgeBaseSearch(runtime, settings, lists=lists, patience=patience)
        searcher = TracedSearch(search, chunks) if variant.unit == "document" else search
        yield AskedVariant(searcher, searched, {chunk.chunk_id for chunk in chunks})


class TracedSearch:
    """A search in whole documents: each passage found goes by the record that it holds most of."""

    def __init__(self, search: Searcher, chunks: Iterable[Chunk]) -> None:
        self._search = search
        self._chunks = {chunk.chunk_id: chunk for chunk in chunks}
        self._owners: dict[str, SpanOwners] = {}

    def search(self, question: str, mode: Mode, k: int, *, filters: Sequence[Condition] = ()) -> Sequence[Hit]:
        """See `Searcher`."""
        hits = self._search.search(question, mode, k, filters=filters)
        return [hit.model_copy(update={"passage": self._trace(hit.passage)}) for hit in hits]

    def modes(self) -> tuple[Mode, ...]:
        """See `Searcher`."""
        return self._search.modes()

    def _trace(self, passage: Passage) -> Passage:
        chunk = self._chunks.get(passage.chunk_id)
        if chunk is None:
            return passage
        if passage.chunk_id not in self._owners:
            self._owners[passage.chunk_id] = SpanOwners(chunk.text, chunk.spans)
        return trace_passage(passage, chunk, self._owners[passage.chunk_id])


def ask_questions(
    variants: SearchableVariants,
    variant: Variant,
    searched: HowSearched,
    questions: Sequence[Question],
    *,
    warn: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> list[QuestionResult]:
    """Asks all questions about one variant, and warns before where the results may be those of another corpus.

    Args:
        variants: How it is searched.
        variant: The variant.
        searched: What `verify` has said of it.
        questions: Unanswerable ones too.
        warn: Takes warnings, without the variant's name.
        progress: Called with the number of searches done and in all.
    """
    for warning in warn_before(searched):
        warn(warning)
    with variants.open(variant, searched) as asked:
        return evaluate({variant.name: asked}, questions, asked.searcher.modes(), progress=progress)
