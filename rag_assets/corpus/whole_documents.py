"""Documents as they are: one file a document, its own bytes, and which record each stretch of its text belongs to.

How the bytes of a document are read lies in `sources/originals.py`, how its records are found in its text in `tracing`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rag_assets.corpus.sidecars import document_attributes, sidecar_attributes
from rag_assets.corpus.tracing import trace_records
from rag_assets.model import Chunk, Original, Record, Variant


@dataclass(frozen=True)
class OriginalDocument:
    """A document as it was fetched.

    Attributes:
        document_id: `<source>/<key>`; that of its record where a document is one record.
        original: Its bytes.
        text: What a program reads in it, from top to bottom, page furniture included.
        records: Those read from it, in order; at least one.
    """

    document_id: str
    original: Original
    text: str
    records: tuple[Record, ...]


def find_document_id(record_id: str) -> str:
    """`law/322ac0000000049` of `law/322ac0000000049/36`; a record of one collection is its own document."""
    return record_id.rpartition("/")[0] if record_id.count("/") > 1 else record_id


def chunk_documents(documents: Iterable[OriginalDocument], variant: Variant) -> list[Chunk]:
    """A chunk a document: its whole text, for the Knowledge Base to cut. A document without text has none."""
    return [_chunk(document, variant) for document in documents if document.text.strip()]


def _chunk(document: OriginalDocument, variant: Variant) -> Chunk:
    first, is_one_record = document.records[0], len(document.records) == 1
    return Chunk(
        chunk_id=document.document_id,
        record_id=first.record_id if is_one_record else document.document_id,
        variant=variant.name,
        body=document.text,
        attributes=(
            sidecar_attributes(first, document.document_id, variant.name, ())
            if is_one_record
            else document_attributes(first.source, first.document, document.document_id, variant.name)
        ),
        original=document.original,
        spans=trace_records(document.text, document.records),
    )
