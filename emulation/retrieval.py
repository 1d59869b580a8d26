"""Retrieve: the chunks nearest to a question, HYBRID or SEMANTIC, filtered, in pages.

Scores are simple and say nothing of Bedrock's; their order, direction and scale are what a vector store answers with.
"""

import re
from collections.abc import Mapping
from typing import Any

from emulation.errors import invalid
from emulation.filters import check_filter, matches
from emulation.pages import page
from emulation.search_index import IndexedChunk
from emulation.state import KnowledgeBase

USUAL_RESULTS = 5
HYBRID_STORES = ("RDS", "OPENSEARCH_SERVERLESS")
"""Where a Knowledge Base can search by words as well. S3 Vectors is none, though it has hybrid search itself."""

_MODEL = re.compile(r"arn:aws[^:]*:bedrock:[a-z0-9-]+:\d*:(foundation-model|inference-profile|[a-z-]+)/\S+")
"""A model that generates filters, by its ARN."""

LONGEST_QUESTION = 1000
"""Characters (API reference, KnowledgeBaseQuery; the service model of botocore allows more)."""

_WORDS_SHARE = 0.5

Scored = tuple[IndexedChunk, float]


def retrieve(knowledge_base: KnowledgeBase, given: Mapping[str, Any], page_size: int) -> dict[str, Any]:
    """The answer to a request that has been held to the service model.

    Raises:
        ServiceError: A ValidationException: nothing to search for, or too much, or what the vector store cannot do.
    """
    query = given["retrievalQuery"].get("text", "")
    if not query.strip():
        raise invalid("The text of the retrievalQuery must not be empty")
    if len(query) > LONGEST_QUESTION:
        raise invalid(f"The text of the retrievalQuery must not be longer than {LONGEST_QUESTION} characters")
    configuration = given.get("retrievalConfiguration", {})
    if "managedSearchConfiguration" in configuration:
        raise invalid(
            "managedSearchConfiguration is for Knowledge Bases of type MANAGED; "
            f"{knowledge_base.knowledge_base_id} is of type VECTOR: use vectorSearchConfiguration"
        )
    search = configuration.get("vectorSearchConfiguration", {})
    _check_implicit_filter(search.get("implicitFilterConfiguration"))
    kind = _search_type(knowledge_base, search.get("overrideSearchType"))
    condition = search.get("filter")
    if condition:
        check_filter(condition, knowledge_base.store)
    scored = hybrid(knowledge_base, query) if kind == "HYBRID" else knowledge_base.index.meanings(query)
    let_through = [(chunk, score) for chunk, score in scored if matches(condition, _metadata(chunk))]
    best = sorted(let_through, key=lambda one: (-one[1], one[0].chunk_id))[
        : search.get("numberOfResults", USUAL_RESULTS)
    ]
    if kind == "SEMANTIC" and knowledge_base.store == "RDS":
        # Seen on Aurora: the score is the distance, and results are sorted by it as if more were better.
        best = [(chunk, 1 - score) for chunk, score in reversed(best)]
    shown, token = page([_result(chunk, score) for chunk, score in best], given, page_size)
    return {"retrievalResults": list(shown), "nextToken": token}


def hybrid(knowledge_base: KnowledgeBase, query: str) -> list[Scored]:
    """Every chunk with the mean of its share of the best word score and its cosine."""
    words = knowledge_base.index.words(query)
    return [
        (chunk, _WORDS_SHARE * words.get(chunk.chunk_id, 0.0) + (1 - _WORDS_SHARE) * cosine)
        for chunk, cosine in knowledge_base.index.meanings(query)
    ]


def _check_implicit_filter(given: Mapping[str, Any] | None) -> None:
    """A model can only write a filter where it is told which, and of what keys. Which it writes is not emulated."""
    if given is None:
        return
    if not given.get("metadataAttributes"):
        raise invalid("implicitFilterConfiguration needs at least one of metadataAttributes")
    for attribute in given["metadataAttributes"]:
        if missing := [name for name in ("key", "type", "description") if not attribute.get(name)]:
            raise invalid(f"implicitFilterConfiguration: a metadata attribute lacks {', '.join(missing)}")
    if not _MODEL.fullmatch(given.get("modelArn") or ""):
        raise invalid("implicitFilterConfiguration needs the ARN of a model of Amazon Bedrock as modelArn")


def _search_type(knowledge_base: KnowledgeBase, asked: str | None) -> str:
    able = knowledge_base.store in HYBRID_STORES
    if asked == "HYBRID" and not able:
        raise invalid(
            f"HYBRID search type is not supported for search operation on index {knowledge_base.knowledge_base_id}. "
            "Retry your request with a different search type."
        )
    return asked or ("HYBRID" if able else "SEMANTIC")


def _metadata(chunk: IndexedChunk) -> dict[str, Any]:
    """What a result carries: the attributes, with every number a float as the service tells them, and its own keys."""
    told = {
        key: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for key, value in chunk.attributes.items()
    }
    return told | {
        "x-amz-bedrock-kb-source-uri": chunk.uri,
        "x-amz-bedrock-kb-chunk-id": chunk.chunk_id,
        "x-amz-bedrock-kb-data-source-id": chunk.data_source_id,
    }


def _result(chunk: IndexedChunk, score: float) -> dict[str, Any]:
    return {
        "content": {"text": chunk.text, "type": "TEXT"},
        "location": {"type": "S3", "s3Location": {"uri": chunk.uri}},
        "metadata": _metadata(chunk),
        "score": score,
    }
