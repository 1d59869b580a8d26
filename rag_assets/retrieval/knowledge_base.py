"""Searching a Bedrock Knowledge Base as the embedded index is searched: question -> ranked passages.

Belongs here: what is asked of `Retrieve`, and in which order its results are hits. Filters lie in
`knowledge_base_filters`, what a result is in `knowledge_base_results`, retries in `bedrock_calls`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from rag_assets.aws.calls import CallContext
from rag_assets.corpus.passages import Hit, Passage
from rag_assets.model import Mode
from rag_assets.retrieval.bedrock_calls import BedrockError, BedrockPatience, call_bedrock, region_of
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.knowledge_base_filters import retrieval_filter, variant_is
from rag_assets.retrieval.knowledge_base_results import IngestedVariant, TraceError, passage_of
from rag_assets.retrieval.query import normalize_question

MOST_RESULTS = 100
"""`numberOfResults` of Retrieve."""
LONGEST_QUESTION = 1000
"""Characters (Amazon Bedrock service quotas, "(Knowledge Bases) User query size"). The API model allows 20,000."""

_SEARCH_TYPES: Mapping[Mode, Literal["HYBRID", "SEMANTIC"]] = {"hybrid": "HYBRID", "dense": "SEMANTIC"}
_MODES: Mapping[str, tuple[Mode, ...]] = {"HYBRID": ("hybrid",), "SEMANTIC": ("dense",), "BOTH": ("dense", "hybrid")}
_MOST_PAGES = 100
_PROBE_RESULTS = 10

Results = list[Mapping[str, Any]]


class KnowledgeBaseError(BedrockError):
    """The Knowledge Base cannot be searched as asked; the message names it and the setting to change."""


class KnowledgeBaseSettings(IngestedVariant):
    """Which Knowledge Base one variant is searched in, and how.

    The search filters by the variant, which every sidecar names, so that no other variant beside it is found.

    Attributes:
        search_type: HYBRID searches by words and meaning; it takes OpenSearch Serverless, Aurora PostgreSQL or
            MongoDB. SEMANTIC searches by meaning alone, with any vector store. BOTH, one after the other, compares.
        semantic_order: Where a SEMANTIC search has its best result. `best_last` has been seen on Aurora PostgreSQL,
            whose score is a distance.
        verify_order: Whether the order is verified before the first search of either type, and the scores of every
            search are held against it. Off only where that is known to mistake.
        once_a_record: Whether hits of one record are counted once, as its best.
    """

    search_type: Literal["HYBRID", "SEMANTIC", "BOTH"] = "HYBRID"
    semantic_order: Literal["best_first", "best_last"] = "best_first"
    verify_order: bool = True
    once_a_record: bool = False


class KnowledgeBaseSearch:
    """One variant in a Knowledge Base, to be searched. It answers what is ingested, not what lies in the bucket."""

    def __init__(
        self,
        runtime: Any,
        settings: KnowledgeBaseSettings,
        *,
        lists: frozenset[str] | None = None,
        patience: BedrockPatience | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            runtime: A boto3 client of bedrock-agent-runtime.
            settings: What is searched.
            lists: Keys of attributes that are lists (`list_attributes`); needed by the filter `contains` alone.
            patience: With a Knowledge Base that does not answer.
        """
        self.settings = settings
        self._runtime = runtime
        self._lists = lists
        self._patience = patience or BedrockPatience()
        self._verified: set[Mode] = set()

    def modes(self) -> tuple[Mode, ...]:
        """The search modes that the settings offer; `bm25` alone is none that a Knowledge Base has."""
        return _MODES[self.settings.search_type]

    def search(self, question: str, mode: Mode = "hybrid", k: int = 8, filters: Sequence[Condition] = ()) -> list[Hit]:
        """The `k` best passages for the question, best first; fewer where fewer match.

        `hybrid` is HYBRID, `dense` is SEMANTIC. The question is cleaned as it is for the embedded index; one of no
        words finds nothing. Scores are the service's, higher is better; a distance is told as a negative number, and
        where results have no score, it is one over the rank. With `once_a_record` at most the best 100 passages are
        looked through.

        Args:
            question: At most 1,000 characters.
            mode: One of `modes()`.
            k: 1 to 100.
            filters: All of them hold.

        Raises:
            ValueError: The mode is not offered, `k` is out of range, or a filter cannot be expressed (FilterError).
            BedrockError: The Knowledge Base cannot be searched, has nothing of this variant, does not answer, answers
                in an unexpected order, or with a passage that leads to no record.
        """
        if mode not in self.modes():
            raise ValueError(
                f"{self._name}: mode {mode} is not offered with search_type {self.settings.search_type}; "
                f"offered are {', '.join(self.modes())}"
            )
        if not 1 <= k <= MOST_RESULTS:
            raise ValueError(f"{self._name}: a search answers 1 to {MOST_RESULTS} hits, not {k}")
        text = normalize_question(question)
        if not text:
            return []
        if len(text) > LONGEST_QUESTION:
            raise KnowledgeBaseError(
                f"{self._name}: the question has {len(text)} characters, at most {LONGEST_QUESTION} are taken: "
                f"shorten it ({text[:30]!r}…)"
            )
        condition = retrieval_filter([variant_is(self.settings.variant), *filters], self._lists)
        results = self._retrieve(text, mode, MOST_RESULTS if self.settings.once_a_record else k, condition)
        if not results and not filters:
            raise KnowledgeBaseError(
                f"{self._name}: it has no passage with variant {self.settings.variant!r}. Sync and ingest "
                "the variant first, sidecars (.metadata.json) included (assets s3_objects, "
                "knowledge_base_ingestion), and check the ID"
            )
        if self.settings.verify_order and mode not in self._verified:
            self._verify_order(results, mode, condition)
        return self._hits(results, mode, k)

    @property
    def _name(self) -> str:
        return f"Knowledge Base {self.settings.knowledge_base_id} ({region_of(self._runtime)})"

    # -- asking

    def _retrieve(self, text: str, mode: Mode, number: int, condition: Mapping[str, Any] | None) -> Results:
        """So many results as the service orders them, from as many pages as it takes."""
        results: Results = []
        for page in self._pages(text, mode, number, condition):
            results += page
            if len(results) >= number:
                break
        return results

    def _pages(self, text: str, mode: Mode, number: int, condition: Mapping[str, Any] | None) -> Iterator[Results]:
        vector_search = {
            "numberOfResults": number,
            "overrideSearchType": _SEARCH_TYPES[mode],
            **({"filter": condition} if condition else {}),
        }
        request: dict[str, Any] = {
            "knowledgeBaseId": self.settings.knowledge_base_id,
            "retrievalQuery": {"text": text},
            "retrievalConfiguration": {"vectorSearchConfiguration": vector_search},
        }
        for _ in range(_MOST_PAGES):
            answer = self._asked(request, mode)
            yield answer["retrievalResults"]
            if not answer.get("nextToken"):
                return
            request["nextToken"] = answer["nextToken"]
        raise KnowledgeBaseError(f"{self._name}: {number} results did not come in {_MOST_PAGES} pages: run again later")

    def _asked(self, request: Mapping[str, Any], mode: Mode) -> Mapping[str, Any]:
        return call_bedrock(
            self._runtime,
            lambda: self._answer(request),
            self._patience,
            self._purpose(mode),
            KnowledgeBaseError,
        )

    def _answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._runtime.retrieve(**request)
        return answer

    def _purpose(self, mode: Mode) -> CallContext:
        return CallContext(
            what=self._name,
            operation="Retrieve",
            resource=f"arn:aws:bedrock:{region_of(self._runtime)}:<account>:knowledge-base/"
            f"{self.settings.knowledge_base_id}",
            when_missing="Check knowledge_base_id, the region and the account you are signed in to.",
            when_refused=lambda failure: self._advice(mode, failure.message),
        )

    def _advice(self, mode: Mode, message: str) -> str:
        if mode == "hybrid" and "HYBRID" in message:
            return (
                "The vector store of this Knowledge Base cannot search by words: set search_type to SEMANTIC, or keep "
                "the Knowledge Base in OpenSearch Serverless or Aurora PostgreSQL. S3 Vectors has hybrid search, but "
                "not through a Knowledge Base."
            )
        if "filter" in message.lower():
            return (
                "Not every vector store knows every filter: S3 Vectors has neither startsWith nor stringContains, "
                "nor keys made non-filterable (variant has to stay filterable), and startsWith is OpenSearch "
                "Serverless alone. Ask with equals or in."
            )
        return "Check the settings of the search."

    # -- ordering

    def _verify_order(self, results: Results, mode: Mode, condition: Mapping[str, Any] | None) -> None:
        """Ask for the very text of a passage, which has to be the best hit, and see where it comes.

        The scores do not tell: distances sorted as if more were better fall from first to last as they should, and
        have the best hit last. Where all passages say the same there is no order to verify.

        Raises:
            KnowledgeBaseError: It does not come where the settings say.
        """
        texts = list(dict.fromkeys(text for text in map(_text, results) if text.strip()))
        if len(texts) < 2:
            return
        for text in dict.fromkeys((texts[-1], texts[0], texts[len(texts) // 2])):
            found = self._retrieve(text[:LONGEST_QUESTION], mode, _PROBE_RESULTS, condition)
            comes = [_text(result) == text for result in found]
            if comes and comes[0] != comes[-1]:
                self._hold_against_settings(mode, "best_first" if comes[0] else "best_last")
                self._verified.add(mode)
                return
        raise KnowledgeBaseError(
            f"{self._name}: the order of {_SEARCH_TYPES[mode]} hits could not be verified: asked for the very text of "
            "its passages, it puts them neither first nor last. Look at the hits yourself, and set verify_order to "
            "false if they are in order"
        )

    def _hold_against_settings(self, mode: Mode, seen: Literal["best_first", "best_last"]) -> None:
        if seen == self._order(mode):
            return
        told = (
            f"{self._name}: asked for the very text of one of its passages, a {_SEARCH_TYPES[mode]} search puts it "
            f"{'first' if seen == 'best_first' else 'last'}"
        )
        if mode == "hybrid":
            raise KnowledgeBaseError(f"{told}: HYBRID hits cannot be ranked. Set search_type to SEMANTIC")
        if seen == "best_first":
            raise KnowledgeBaseError(f"{told}, and the settings say best_last. Set semantic_order to best_first")
        raise KnowledgeBaseError(
            f"{told}: the best hit comes last, as Aurora PostgreSQL does whose score is a distance. Set semantic_order "
            "to best_last, or search_type to HYBRID"
        )

    def _order(self, mode: Mode) -> Literal["best_first", "best_last"]:
        return self.settings.semantic_order if mode == "dense" else "best_first"

    def _hits(self, results: Results, mode: Mode, k: int) -> list[Hit]:
        ordered = results if self._order(mode) == "best_first" else results[::-1]
        scores = self._scores(ordered, mode)
        kept: dict[str, tuple[Passage, float]] = {}
        for result, score in zip(ordered, scores, strict=True):
            passage = passage_of(result, self.settings)
            key = passage.record_id if self.settings.once_a_record else passage.passage_id
            known, _ = kept.setdefault(key, (passage, score))
            if known.passage_id == passage.passage_id and known.text != passage.text:
                raise TraceError(
                    f"{passage.chunk_id}.txt: it came back in several pieces: the data source of "
                    f"{self.settings.variant} cuts files, and has to leave them whole (chunking NONE). That cannot be "
                    "changed: make the data source anew"
                )
        return [
            Hit(rank=rank, score=score, passage=passage)
            for rank, (passage, score) in enumerate(list(kept.values())[:k], start=1)
        ]

    def _scores(self, ordered: Results, mode: Mode) -> list[float]:
        """Scores of results in order, best first, such that higher is better.

        Raises:
            KnowledgeBaseError: They neither fall nor rise all the way.
        """
        told = [result.get("score") for result in ordered]
        scores = [float(score) for score in told if score is not None]
        by_rank = [1 / rank for rank in range(1, len(ordered) + 1)]
        if len(scores) < len(told):
            return by_rank
        if all(first >= second for first, second in pairwise(scores)):
            return scores
        if all(first <= second for first, second in pairwise(scores)):
            return [-score for score in scores]
        if not self.settings.verify_order:
            return by_rank
        raise KnowledgeBaseError(
            f"{self._name}: the scores of a {_SEARCH_TYPES[mode]} search neither fall nor rise from hit to hit, so its "
            "hits are in no order. Look at them yourself, and set verify_order to false to rank them as they come"
        )


def _text(result: Mapping[str, Any]) -> str:
    return str(result.get("content", {}).get("text") or "")
