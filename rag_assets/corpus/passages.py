"""Passages, what is searched and ranked: a chunk, or a window that the Knowledge Base would cut of a raw file.

How a chunk is made lies in `corpus`, how a passage is stored and found in `retrieval`.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator

from pydantic import Field

from rag_assets.corpus.tracing import SpanOwners
from rag_assets.model import Attribute, Chunk, Model, Variant

# A Knowledge Base set to FIXED_SIZE, 300 tokens, 20% overlap counts tokens of Titan Text Embeddings V2. On Japanese
# text of the Tax Answer corpus such a window was measured to hold about 255 characters, and to begin 204
# characters (80%) after the one before.
WINDOW_SIZE = 255
WINDOW_STEP = 204


class Passage(Model):
    """What is searched and ranked: a chunk, or one window of a chunk that the Knowledge Base would cut itself.

    Attributes:
        passage_id: Unique within an index.
        chunk_id: The chunk it is, or is a window of.
        record_id: The record it leads back to; of a window of a whole document the one it holds most of, or the
            document where it holds none.
        source: Source of that record.
        text: The words in full, as a model would be handed them.
        is_mixed: Whether it holds text of further records.
        attributes: What filters look at, as in the sidecar.
    """

    passage_id: str = Field(min_length=1)
    chunk_id: str = Field(min_length=1)
    record_id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    text: str = Field(min_length=1)
    is_mixed: bool = False
    attributes: dict[str, Attribute] = Field(default_factory=dict)

    def content_hash(self) -> str:
        """SHA-256 over everything the passage says: equal hashes need no new index entry."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Hit(Model):
    """One passage found: its rank from 1, its score (higher is better, comparable within one search), itself."""

    rank: int = Field(ge=1)
    score: float
    passage: Passage


def fixed_windows(text: str, size: int = WINDOW_SIZE, step: int = WINDOW_STEP) -> list[str]:
    """Cut text as a Knowledge Base's fixed-size chunking does: windows of `size` characters, one every `step`.

    Every character lies in at least one window, and no window lies wholly within the one before it: the cutting
    ends with the first window that reaches the end of the text. Empty text has no windows.

    Raises:
        ValueError: `step` is not between 1 and `size`: text would be lost, or the cutting would not end.
    """
    if not 1 <= step <= size:
        raise ValueError(f"step must lie between 1 and size ({size}), it is {step}")
    starts = range(0, max(len(text) - size + step, 1), step) if text else range(0)
    return [text[start : start + size] for start in starts]


def passages_of_chunk(chunk: Chunk, *, windowed: bool) -> Iterator[Passage]:
    """The passages a chunk is found by: itself, or its windows where the Knowledge Base does the cutting.

    Args:
        chunk: The chunk, with its sidecar's attributes.
        windowed: Whether the variant leaves the cutting to the Knowledge Base (FIXED_SIZE).
    """
    source = chunk.record_id.partition("/")[0]
    if not windowed:
        yield Passage(
            passage_id=chunk.chunk_id,
            chunk_id=chunk.chunk_id,
            record_id=chunk.record_id,
            source=source,
            text=chunk.text,
            attributes=chunk.attributes,
        )
        return
    owners = SpanOwners(chunk.text, chunk.spans)
    for number, window in enumerate(fixed_windows(chunk.text), start=1):
        if window.strip():
            start = (number - 1) * WINDOW_STEP
            owning = owners.find_between(start, start + len(window))
            yield Passage(
                passage_id=f"{chunk.chunk_id}#w{number:04d}",
                chunk_id=chunk.chunk_id,
                record_id=owning[0] if owning else chunk.record_id,
                source=source,
                text=window,
                is_mixed=len(owning) > 1,
                attributes=chunk.attributes,
            )


def trace_passage(passage: Passage, chunk: Chunk, owners: SpanOwners) -> Passage:
    """A passage that a service cut from a document, with the record it holds most of.

    Args:
        passage: As it was found.
        chunk: The document.
        owners: Of the document's text; made once for all passages of it.
    """
    owning = owners.find_in_passage(passage.text)
    return passage.model_copy(
        update={"record_id": owning[0] if owning else chunk.record_id, "is_mixed": len(owning) > 1}
    )


def passage_texts(chunks: Iterable[Chunk], variant: Variant, wanted: Collection[str]) -> dict[str, str]:
    """The texts of some passages of a variant, by passage ID; those that are not there are left out."""
    chunk_ids = {passage_id.partition("#")[0] for passage_id in wanted}
    return {
        passage.passage_id: passage.text
        for chunk in chunks
        if chunk.chunk_id in chunk_ids
        for passage in passages_of_chunk(chunk, windowed=variant.chunking == "FIXED_SIZE")
        if passage.passage_id in wanted
    }
