"""Every sidecar of every sample and real document, held against the project's rules and against the emulated service's.

The two were written apart: a sidecar that ours lets through and the service would skip shows here.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from emulation.sidecar_rules import check_for_s3_vectors, read_sidecar
from rag_assets.corpus.dictionary import read_dictionary
from rag_assets.corpus.sidecar_limits import IN_S3_VECTORS
from rag_assets.corpus.sidecars import sidecar_faults
from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.corpus.writing import SIDECAR_SUFFIX, corpus_files, file_faults
from rag_assets.model import Record
from rag_assets.settings.places import SAMPLE_DICTIONARIES, SAMPLE_SITE
from rag_assets.sources.base import DocumentSource
from rag_assets.sources.registry import DOCUMENT_SOURCES, configure_document
from rag_assets.sources.tax_answer.reader import is_withdrawn, read_article

REAL_DOCUMENTS: Mapping[str, Mapping[str, object]] = {
    "pdf/invoice_qa_rebuilt.pdf": {"source": "invoice_qa"},
    "pdf/qa_futankeigen.pdf": {"source": "invoice_qa"},
    "pdf/model_shugyo_kisoku_R4-11.pdf": {"source": "work_rules"},
    "law/405AC0000000088_20180401_429AC0000000004.xml": {"source": "law"},
    "law/labor_standards_act_rebuilt.xml": {"source": "law"},
    "csv/tsu_gomi_cp932.csv": {
        "source": "csv_rows",
        "id": "ID",
        "title": "品目",
        "text": ["品目", "分別区分", "出し方のポイント"],
        "metadata": {"category": "分別区分"},
    },
}


def records_of_site(root: Path) -> Iterator[Record]:
    for path in sorted((root / "taxes/shiraberu/taxanswer").glob("*/[0-9]*.htm")):
        data = path.read_bytes()
        if not is_withdrawn(data, "text/html"):
            yield read_article(
                data,
                number=path.stem,
                category=path.parent.name,
                url=f"https://www.example.jp/taxes/shiraberu/taxanswer/{path.parent.name}/{path.name}",
                content_type="text/html",
                document="国の税の相談室",
            ).record


def records_of_document(path: Path, table: Mapping[str, object]) -> Iterator[Record]:
    source, settings = configure_document("a-document", {**table, "location": str(path)})
    with path.open("rb") as file:
        for reading in source.reader(file, settings, sha256="0" * 64, url="https://www.example.jp/a-document"):
            if isinstance(reading, Record):
                yield reading


def assert_taken(records: list[Record]) -> None:
    """No sidecar of any variant is refused or skipped, by either, wherever the vectors lie."""
    assert records
    dictionary_of = cache(lambda source: read_dictionary(SAMPLE_DICTIONARIES, source))
    for variant in VARIANTS:
        chunks = prepare(records, variant, dictionary_of)
        assert file_faults(chunks) == []
        assert [chunk.chunk_id for chunk in chunks if sidecar_faults(chunk.attributes, IN_S3_VECTORS)] == []
        sidecars = [content for key, content in corpus_files(chunks).items() if key.endswith(SIDECAR_SUFFIX)]
        assert len(sidecars) == len(chunks)
        for content in sidecars:
            check_for_s3_vectors(read_sidecar(content).values)


def test_of_the_sample_site() -> None:
    assert_taken(list(records_of_site(SAMPLE_SITE)))


@pytest.mark.parametrize("source", DOCUMENT_SOURCES, ids=lambda source: source.name)
def test_of_the_sample_documents(source: DocumentSource) -> None:
    records: list[Record] = []
    for document in source.find_documents([source.sample]):
        with Path(document.location).open("rb") as file:
            readings = source.reader(file, document, sha256="0" * 64, url="https://www.example.jp/a-document")
            records.extend(reading for reading in readings if isinstance(reading, Record))
    assert_taken(records)


@pytest.mark.realdata
def test_of_the_real_site(realdata: Path) -> None:
    assert_taken(list(records_of_site(realdata / "taxanswer_site")))


@pytest.mark.realdata
@pytest.mark.parametrize("path", REAL_DOCUMENTS)
def test_of_the_real_documents(realdata: Path, path: str) -> None:
    assert_taken(list(records_of_document(realdata / path, REAL_DOCUMENTS[path])))
