"""The ways of preparing, and records prepared in one of them."""

from collections.abc import Callable, Iterable

from rag_assets.corpus.chunking import Cut, Cutting, content_ids, cut_record
from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.digits import with_digits
from rag_assets.corpus.headers import header
from rag_assets.corpus.record_text import plain_text
from rag_assets.corpus.sidecars import sidecar_attributes
from rag_assets.model import Chunk, Record, Variant

VARIANTS = (
    Variant(name="as_is", unit="document"),
    Variant(name="raw", header="title"),
    Variant(name="prepared_900", limit=900, digits=True),
    Variant(name="prepared_400", limit=400, digits=True),
    Variant(name="prepared_400_dict", limit=400, digits=True, dictionary=True),
)
"""What is compared unless the settings say otherwise. A further way is one more entry here or in the settings file."""

BASELINES = ("as_is", "raw")
"""What the others are compared with: the first of these that there is."""


def find_baseline(names: Iterable[str]) -> str | None:
    """The variant that the others of a run are compared with; None where it has none to compare with."""
    known = set(names)
    return next((name for name in BASELINES if name in known), None)


def prepare(records: Iterable[Record], variant: Variant, dictionary_of: Callable[[str], Dictionary]) -> list[Chunk]:
    """All records in one way: chunks in the order of the records, each of exactly one record.

    A record without any text has no chunk, in no variant.

    Args:
        records: Records of any sources.
        variant: The way of preparing.
        dictionary_of: The dictionary of a source by name; asked only where the variant uses one.
    """
    chunks: list[Chunk] = []
    for record in records:
        dictionary = dictionary_of(record.source) if variant.dictionary else None
        chunks.extend(_record_chunks(as_prepared(record, variant), variant, dictionary))
    return chunks


def as_prepared(record: Record, variant: Variant) -> Record:
    """The record with the words that a variant's chunks are cut from."""
    return with_digits(record) if variant.digits else record


def _record_chunks(record: Record, variant: Variant, dictionary: Dictionary | None) -> list[Chunk]:
    if variant.limit is None:
        text = plain_text(record)
        whole = Cutting(body=text, context="", headings=(), before=Cut.SECTION)
        return [_chunk(record, variant, record.record_id, whole, dictionary)] if text else []
    cuttings = cut_record(record, variant.limit)
    return [
        _chunk(record, variant, f"{record.record_id}/{content_id}", cutting, dictionary)
        for cutting, content_id in zip(cuttings, content_ids(cuttings), strict=True)
    ]


def _chunk(record: Record, variant: Variant, chunk_id: str, cutting: Cutting, dictionary: Dictionary | None) -> Chunk:
    part = cutting.part.name if cutting.part else ""
    return Chunk(
        chunk_id=chunk_id,
        record_id=record.record_id,
        variant=variant.name,
        headings=cutting.headings,
        header=header(record, variant.header),
        context=cutting.context,
        body=cutting.body,
        keywords=dictionary.words_for(record.title, cutting.context, cutting.body) if dictionary else (),
        attributes=sidecar_attributes(record, chunk_id, variant.name, cutting.headings, part),
    )
