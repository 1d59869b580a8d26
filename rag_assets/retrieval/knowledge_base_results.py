"""Results of Retrieve -> passages, each traced back to its chunk and record.

How results are asked for and ranked lies in `knowledge_base`.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from rag_assets.corpus.passages import Passage
from rag_assets.corpus.sidecar_limits import SERVICE_PREFIX
from rag_assets.model import Attribute, VariantName
from rag_assets.retrieval.bedrock_calls import BedrockError
from rag_assets.s3.checking import TEXT_SUFFIX, remove_suffix
from rag_assets.s3.locations import IngestionTarget

_URI = f"{SERVICE_PREFIX}-kb-source-uri"
_CHUNK = f"{SERVICE_PREFIX}-kb-chunk-id"
_DATA_SOURCE = f"{SERVICE_PREFIX}-kb-data-source-id"
_SHOWN = 40


class TraceError(BedrockError):
    """A result that leads to no record, or to another corpus than was asked; the message names its file."""


class IngestedVariant(IngestionTarget):
    """A variant in its Knowledge Base, whose results are expected; those of another bucket or data source are refused.

    Attributes:
        variant: Name of the variant, as in the sidecars.
    """

    variant: VariantName


def passage_of(result: Mapping[str, Any], corpus: IngestedVariant) -> Passage:
    """The passage that a result is.

    Chunk and record are what the sidecar says; where a result has no such metadata, the name of its file says it,
    `<prefix><chunk ID>.txt`. The sidecar of a whole document names no record, so that the document stands for it
    (`passages.trace_passage` finds it). A copy that somebody put elsewhere in the place, with the sidecar of ours, is a
    chunk of its own, named by its file. A window that the Knowledge Base cut is named by its own chunk ID, or else by
    its text. Whole numbers, which come back as floats, are whole numbers again.

    Raises:
        TraceError: It leads to no record, has no text, or is none of the corpus.
    """
    metadata: Mapping[str, Any] = result.get("metadata") or {}
    uri = _uri_of(result, metadata)
    text = str(result.get("content", {}).get("text") or "")
    place = uri or f"a result without a file ({text[:_SHOWN]!r}…)"
    if not text.strip():
        raise TraceError(f"{place}: the result has no text; only text files belong in the data source")
    _refuse_foreign(metadata, uri, place, corpus)
    chunk_id, record_id = _ids_of(metadata, uri, place, corpus)
    name = str(metadata.get(_CHUNK) or hashlib.sha256(text.encode()).hexdigest()[:12])
    return Passage(
        passage_id=chunk_id if corpus.chunking == "NONE" else f"{chunk_id}#{name}",
        chunk_id=chunk_id,
        record_id=record_id,
        source=str(metadata.get("source") or record_id.partition("/")[0]),
        text=text,
        attributes={
            key: value
            for key, given in metadata.items()
            if not key.startswith(SERVICE_PREFIX) and (value := _attribute(given)) is not None
        },
    )


def _uri_of(result: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    location = result.get("location", {}).get("s3Location", {}).get("uri")
    return str(location or metadata.get(_URI) or "")


def _refuse_foreign(metadata: Mapping[str, Any], uri: str, place: str, corpus: IngestedVariant) -> None:
    """Refuse what the filter should have kept out: its ranks would be those of two corpora mixed."""
    remedy = "Ingest this variant again, and give every variant a prefix and a data source of its own"
    variant, source = metadata.get("variant"), metadata.get(_DATA_SOURCE)
    if variant is not None and variant != corpus.variant:
        raise TraceError(f"{place}: a passage of variant {variant!r}, {corpus.variant!r} was searched. {remedy}")
    if source is not None and source != corpus.data_source_id:
        raise TraceError(
            f"{place}: a passage of data source {source}, {corpus.data_source_id} was searched. {remedy}, or delete "
            "what a former data source has left"
        )
    if uri and _key_of(uri, corpus) is None:
        raise TraceError(f"{place}: a passage from elsewhere than {corpus.uri}. Check bucket and prefix. {remedy}")


def _key_of(uri: str, corpus: IngestedVariant) -> str | None:
    """The key of a file below the corpus's prefix; None where it does not lie there."""
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    if bucket != corpus.bucket or not key.startswith(corpus.prefix):
        return None
    return key.removeprefix(corpus.prefix)


def _ids_of(metadata: Mapping[str, Any], uri: str, place: str, corpus: IngestedVariant) -> tuple[str, str]:
    chunk_id, record_id = metadata.get("chunk_id"), metadata.get("record_id")
    named = (_key_of(uri, corpus) or "") if uri else ""
    is_whole = corpus.chunking == "FIXED_SIZE"
    of_file = remove_suffix(named) if is_whole or named.endswith(TEXT_SUFFIX) else ""
    if chunk_id and (record_id or is_whole):
        is_copy = bool(named) and of_file != chunk_id
        return (of_file or named) if is_copy else str(chunk_id), str(record_id or chunk_id)
    chunk_id = of_file
    record_id = chunk_id if is_whole else chunk_id.rpartition("/")[0]
    if "/" not in record_id:
        raise TraceError(
            f"{place}: it leads back to no record: the result has no metadata record_id and chunk_id, and no file of "
            f"a corpus is named so. Let the data source of {corpus.variant} read the synced corpus and nothing else, "
            "sidecars (.metadata.json) included"
        )
    return chunk_id, record_id


def _attribute(value: object) -> Attribute | None:
    match value:
        case bool() | int() | str():
            return value
        case float():
            return int(value) if value.is_integer() else value
        case list() if all(isinstance(item, str) for item in value):
            return tuple(value)
        case _:
            return None
