"""The ways of cutting that a grid compares, and the passages they make of records.

What a way is worth is found out in `grid`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.passages import WINDOW_SIZE, Passage, fixed_windows, passages_of_chunk
from rag_assets.corpus.record_text import plain_text
from rag_assets.corpus.variants import prepare
from rag_assets.japanese.sentences import sentences
from rag_assets.model import Chunk, Model, Record, Variant
from rag_assets.retrieval.grid_settings import TuningGrid

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

CHARACTERS_A_TOKEN = WINDOW_SIZE / 300
"""Of Japanese text, as `passages` measured it for Titan Text Embeddings V2."""
_CHILD_LIMIT, _PARENT_LIMIT = 300, 900
_SEMANTIC_LIMIT = 600
_BREAK_PERCENTILE = 90
"""Of all distances between neighbouring sentences: from here on, a new passage begins."""


class Cut(Model):
    """One way of cutting and wording.

    Attributes:
        kind: `windows` of a fixed size, by `structure`, `parents` found by small chunks, or by `semantic` distance.
        size: Tokens of a window, or most characters of a chunk.
        overlap: Of windows, in percent.
        header: Whether document, number, title and as-of stand over every chunk.
        digits: Whether numbers in kanji get their digits.
        dictionary: Whether everyday words are added.
    """

    kind: Literal["windows", "structure", "parents", "semantic"]
    size: int
    overlap: int = 0
    header: bool = True
    digits: bool = True
    dictionary: bool = False

    @property
    def name(self) -> str:
        """Tells it from all others, in a few characters; also a file's name."""
        match self.kind:
            case "windows":
                return f"windows_{self.size}_overlap_{self.overlap}"
            case "parents" | "semantic":
                return f"{self.kind}_{self.size}"
            case "structure":
                changes = ("" if self.header else "_no_header", "" if self.digits else "_no_digits")
                return f"structure_{self.size}{''.join(changes)}{'_dict' if self.dictionary else ''}"


class CutRecords(Model):
    """What a way of cutting makes of all records.

    Attributes:
        passages: What is searched.
        parents: ID of the passage that is given for each, where that is another one.
    """

    passages: tuple[Passage, ...]
    parents: dict[str, str] = Field(default_factory=dict)


def list_cuts(grid: TuningGrid) -> list[Cut]:
    """All ways of cutting of a grid, each once."""
    cuts = [Cut(kind="windows", size=size, overlap=overlap) for size in grid.windows for overlap in grid.overlaps]
    cuts += [Cut(kind="structure", size=limit) for limit in grid.limits]
    if grid.ablated_limit is not None:
        whole = Cut(kind="structure", size=grid.ablated_limit)
        changes: tuple[dict[str, bool], ...] = ({}, {"header": False}, {"digits": False}, {"dictionary": True})
        cuts += [whole.model_copy(update=change) for change in changes]
    cuts += [Cut(kind="parents", size=_PARENT_LIMIT)] if grid.hierarchical else []
    cuts += [Cut(kind="semantic", size=_SEMANTIC_LIMIT)] if grid.semantic else []
    return list(dict.fromkeys(cuts))


def cut_records(
    cut: Cut, records: Sequence[Record], dictionary_of: Callable[[str], Dictionary], embed: Embed
) -> CutRecords:
    """The passages of all records.

    Args:
        cut: How they are cut.
        records: In reading order.
        dictionary_of: The dictionary of a source; asked only where the cut uses one.
        embed: Vectors of sentences, of length 1; asked only for semantic cutting.
    """
    match cut.kind:
        case "windows":
            return CutRecords(passages=tuple(_windows(cut, records)))
        case "structure":
            return CutRecords(passages=_passages(_chunks(cut, records, dictionary_of)))
        case "parents":
            small = cut.model_copy(update={"kind": "structure", "size": _CHILD_LIMIT})
            chunks = _chunks(small, records, dictionary_of)
            return CutRecords(passages=_passages(chunks), parents=dict(_find_parents(chunks, cut.size)))
        case "semantic":
            return CutRecords(passages=tuple(_semantic_passages(cut, records, embed)))


def _chunks(cut: Cut, records: Sequence[Record], dictionary_of: Callable[[str], Dictionary]) -> list[Chunk]:
    variant = Variant(name="grid", limit=cut.size, digits=cut.digits, dictionary=cut.dictionary)
    left_out: dict[str, object] = {"attributes": {}} | ({} if cut.header else {"header": ""})
    return [chunk.model_copy(update=left_out) for chunk in prepare(records, variant, dictionary_of)]


def _passages(chunks: Sequence[Chunk]) -> tuple[Passage, ...]:
    return tuple(passage for chunk in chunks for passage in passages_of_chunk(chunk, windowed=False))


def _windows(cut: Cut, records: Sequence[Record]) -> Iterator[Passage]:
    size = round(cut.size * CHARACTERS_A_TOKEN)
    step = max(1, round(size * (1 - cut.overlap / 100)))
    for record in records:
        text = f"{record.label} {record.title}\n{plain_text(record)}"
        yield from _number_passages(record, fixed_windows(text, size, step))


def _find_parents(chunks: Sequence[Chunk], limit: int) -> Iterator[tuple[str, str]]:
    """For every chunk the ID of the stretch of its record it lies in: as many neighbours as fit."""
    for record_id, own in groupby(chunks, key=lambda chunk: chunk.record_id):
        number = length = 0
        for chunk in own:
            if length and length + len(chunk.body) > limit:
                number, length = number + 1, 0
            length += len(chunk.body)
            yield chunk.chunk_id, f"{record_id}/parent-{number:03d}"


def _semantic_passages(cut: Cut, records: Sequence[Record], embed: Embed) -> Iterator[Passage]:
    """Sentences of a record joined as long as neighbours are alike, as semantic splitters do."""
    texts = [[part for line in plain_text(record).split("\n") for part in sentences(line)] for record in records]
    vectors = embed([sentence for own in texts for sentence in own])
    ends = np.cumsum([len(own) for own in texts], dtype=np.intp)
    parts = np.split(vectors, ends)[: len(texts)]
    distances = [1 - np.sum(own[:-1] * own[1:], axis=1) for own in parts]
    every = np.concatenate(distances) if distances else np.zeros(0)
    border = float(np.percentile(every, _BREAK_PERCENTILE)) if len(every) else 0.0
    for record, own, distance in zip(records, texts, distances, strict=True):
        yield from _number_passages(record, _join_alike(own, distance, border, cut.size))


def _join_alike(texts: Sequence[str], distances: NDArray[np.floating], border: float, limit: int) -> list[str]:
    joined = list(texts[:1])
    for (_, sentence), distance in zip(pairwise(texts), distances, strict=True):
        if distance > border or len(joined[-1]) + len(sentence) > limit:
            joined.append(sentence)
        else:
            joined[-1] += sentence
    return joined


def _number_passages(record: Record, texts: Sequence[str]) -> Iterator[Passage]:
    for number, text in enumerate(texts, start=1):
        if text.strip():
            passage_id = f"{record.record_id}/{number:04d}"
            yield Passage(
                passage_id=passage_id,
                chunk_id=passage_id,
                record_id=record.record_id,
                source=record.source,
                text=text,
            )
