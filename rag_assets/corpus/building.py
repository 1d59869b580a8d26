"""Builds a variant's outputs in the home folder: chunks, corpus files and quality rows, each only where it has to.

How records are cut is in `variants.py`, how files are written in `writing.py`, what quality means in `quality.py`.
"""

from collections.abc import Callable, Iterable, Sequence

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.quality import corpus_quality
from rag_assets.corpus.variants import prepare
from rag_assets.corpus.whole_documents import OriginalDocument, chunk_documents
from rag_assets.corpus.writing import FileFault, ReadOriginal, WriteReport, corpus_files, file_faults, write_files
from rag_assets.japanese.sentences import tokens
from rag_assets.model import Chunk, QualityRow, Record, Variant
from rag_assets.store.build_cache import (
    build_unless_current,
    code_fingerprint,
    file_fingerprint,
    file_state,
    fingerprint,
    folder_state,
    is_current,
    write_entry,
)
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines

CHUNKS_CODE = ("corpus", "japanese", "model.py", "sources/originals.py")
FILES_CODE = ("corpus/writing.py", "corpus/sidecars.py", "model.py", "corpus/sidecar_limits.py")
QUALITY_CODE = ("corpus", "japanese", "model.py")


def build_chunks(
    home: Home,
    sources: Sequence[str],
    records: Sequence[Record],
    variant: Variant,
    dictionary_of: Callable[[str], Dictionary],
    read_documents: Callable[[], Iterable[OriginalDocument]],
) -> bool:
    """Write a variant's chunks, unless records, settings, dictionaries and code are unchanged; True if written.

    Args:
        home: Where they are written.
        sources: Whose records they are.
        records: All records of the sources.
        variant: How they are cut.
        dictionary_of: The dictionary of a source; asked only where the variant uses dictionaries.
        read_documents: The documents as they were fetched; asked only where the variant leaves them as they are.
    """

    def make_chunks() -> list[Chunk]:
        if variant.unit == "document":
            return chunk_documents(read_documents(), variant)
        return prepare(records, variant, dictionary_of)

    path = home.chunks(variant.name)
    dictionaries = [dictionary_of(source).model_dump_json() for source in sources if variant.dictionary]
    return build_unless_current(
        home.cache_entry("chunks", variant.name),
        fingerprint(
            _hash_record_files(home, sources),
            variant.model_dump_json(),
            *dictionaries,
            code_fingerprint(*CHUNKS_CODE),
        ),
        find_state=lambda: file_state(path),
        build=lambda: write_lines(path, make_chunks()),
    )


def build_files(
    home: Home, variant: str, chunks: Sequence[Chunk], read_original: ReadOriginal
) -> tuple[list[FileFault], WriteReport | None]:
    """Write a variant's corpus files, unless chunks and code are unchanged.

    Args:
        home: Where they are written.
        variant: Name of the variant.
        chunks: Its chunks.
        read_original: Asked only for documents that are left as they are.

    Returns:
        What keeps the files from being written, and what was written where nothing does.
    """
    folder, entry = home.corpus(variant), home.cache_entry("files", variant)
    input_hash = fingerprint(file_fingerprint([home.chunks(variant)]), code_fingerprint(*FILES_CODE))
    if is_current(entry, input_hash, folder_state(folder)):
        return [], WriteReport(new=0, changed=0, unchanged=2 * len(chunks), deleted=0, bytes_written=0)
    faults = file_faults(chunks)
    if faults:
        return faults, None
    report = write_files(folder, corpus_files(chunks, read_original))
    write_entry(entry, input_hash, folder_state(folder))
    return [], report


def build_quality(
    home: Home,
    sources: Sequence[str],
    records: Sequence[Record],
    variant: Variant,
    chunks: Sequence[Chunk],
    progress: Callable[[int, int], None],
) -> list[QualityRow]:
    """A variant's quality rows, written unless records, chunks, settings and code are unchanged.

    Args:
        home: Where they are written.
        sources: Whose records they are about.
        records: All records of the sources.
        variant: The variant.
        chunks: Its chunks.
        progress: Called with the passages done and the passages in all.
    """
    path = home.quality(variant.name)
    build_unless_current(
        home.cache_entry("quality", variant.name),
        fingerprint(
            _hash_record_files(home, sources),
            variant.model_dump_json(),
            file_fingerprint([home.chunks(variant.name)]),
            code_fingerprint(*QUALITY_CODE),
        ),
        find_state=lambda: file_state(path),
        build=lambda: write_lines(path, corpus_quality(records, chunks, variant, progress=progress)),
    )
    return read_lines(path, QualityRow, "corpus_quality")


def is_over_limit(chunk: Chunk, variant: Variant) -> bool:
    """Whether a chunk's body is longer than its variant allows; a single token cannot be cut."""
    if variant.limit is None:
        return False
    length = len(chunk.body) + (len(chunk.context) + 1 if chunk.context else 0)
    return length > variant.limit and len(tokens(chunk.body)) > 1


def _hash_record_files(home: Home, sources: Sequence[str]) -> str:
    return file_fingerprint(path for source in sources for path in sorted(home.records(source).glob("*.jsonl")))
