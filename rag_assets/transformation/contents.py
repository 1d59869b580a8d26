"""One document as the chunks that the service stores: pure, no S3 and no Lambda in here."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from rag_assets.corpus.sidecar_limits import SERVICE_PREFIX, size_limits
from rag_assets.corpus.sidecars import sidecar_bytes, sidecar_faults, size_faults
from rag_assets.corpus.variants import prepare
from rag_assets.model import Chunk
from rag_assets.sources.base import Finding
from rag_assets.transformation.configuration import ConfiguredDocument, LambdaConfiguration, VectorStore

ChunkContent = dict[str, Any]
"""A chunk as the service reads it: `contentBody`, `contentType`, `contentMetadata`."""


def read_contents(
    file: BinaryIO,
    document: ConfiguredDocument,
    configuration: LambdaConfiguration,
    *,
    sha256: str,
    file_metadata: Mapping[str, Any],
) -> Iterator[ChunkContent | Finding]:
    """The chunks of a document in reading order, and what is wrong with the rest of it; memory does not grow with it.

    A row is one chunk as long as its text is within the variant's limit; each long column has chunks of its own.

    Args:
        file: The document, at its start.
        document: What it is.
        configuration: How it is prepared.
        sha256: Hash of its bytes.
        file_metadata: Attributes of its own sidecar, which every chunk has as well.

    Raises:
        DocumentError: It cannot be read at all.
    """
    for reading in document.source.reader(file, document.settings, sha256=sha256):
        if isinstance(reading, Finding):
            yield reading
            continue
        for chunk in prepare([reading], configuration.variant, configuration.dictionary_of):
            faults = _find_metadata_faults(chunk, file_metadata, configuration.store)
            if faults:
                yield _report_left_out(chunk, faults, document)
            else:
                yield to_content(chunk)


def to_content(chunk: Chunk) -> ChunkContent:
    """A chunk as the service reads it; its metadata are what its sidecar would hold."""
    return {"contentBody": chunk.text, "contentType": "TEXT", "contentMetadata": dict(sorted(chunk.attributes.items()))}


def _find_metadata_faults(chunk: Chunk, file_metadata: Mapping[str, Any], store: VectorStore) -> list[str]:
    together = {**_drop_service_keys(file_metadata.items()), **chunk.attributes}
    faults = sidecar_faults(chunk.attributes)
    return faults or size_faults(len(sidecar_bytes(together)), len(together), size_limits(store))


def _drop_service_keys(attributes: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in attributes if not key.startswith(SERVICE_PREFIX)}


def _report_left_out(chunk: Chunk, faults: list[str], document: ConfiguredDocument) -> Finding:
    """A chunk that the service would refuse, and the whole file with it."""
    skipped = getattr(document.settings, "bad_rows", "fail") == "skip"
    return Finding(
        kind="note" if skipped else "fault",
        topic="metadata of a chunk",
        place=chunk.chunk_id,
        message=f"{'; '.join(faults)}; the chunk is left out",
    )
