"""The sources that are made of documents, one entry each: what its documents are called, configured and read by.

A further kind of document is one more module in `sources/`, one more entry here and the setting that names its
documents (`settings.py`); assets, options, stages and schedule follow from the entry. Tax Answer, which is a site of
articles, has assets of its own.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from rag_assets.sources.base import DocumentSettings, Reading
from rag_assets.sources.csv_rows.reader import CsvRowsDocument
from rag_assets.sources.csv_rows.values import Column
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.sources.invoice_qa.reader import InvoiceQaDocument
from rag_assets.sources.law.reader import LawDocument, api_url, is_law_id
from rag_assets.sources.work_rules.reader import WorkRulesDocument
from rag_assets.store.file_names import existing_path
from rag_assets.store.validation import faults_in_words

SAMPLE_DOCUMENTS = Path(__file__).parents[1] / "sample" / "documents"


class ReadDocument(Protocol):
    """What a source's module does: bytes in, records and findings out."""

    def __call__(
        self, file: BinaryIO, settings: DocumentSettings, *, sha256: str, url: str | None = None
    ) -> Iterator[Reading]:
        """See the modules of `sources/`."""


@dataclass(frozen=True)
class DocumentSource:
    """One kind of document.

    Attributes:
        name: Of the source: in IDs, options, settings and assets.
        kind: What its documents are, as the UI shows it; also the end of the name of the asset that fetches them.
        settings: How one document is configured.
        sample: The bundled sample document.
        names_in_words: What its option takes, for the help text.
        address_of: Path or URL of a document.
        key_of: Key of a document that the settings give none.
        packages: Distributions that reading takes besides pydantic; the Lambda is given no others.
        takes_web_pages: Whether its documents may be web pages; else one that a site answers with is an error page.
    """

    name: str
    kind: str
    settings: type[DocumentSettings]
    sample: DocumentSettings
    names_in_words: str
    address_of: Callable[[DocumentSettings], str]
    key_of: Callable[[str], str]
    packages: tuple[str, ...] = ()
    takes_web_pages: bool = False

    @property
    def fetching_asset(self) -> str:
        """Name of the asset that holds the documents as fetched."""
        return f"{self.name}_{self.kind}"

    @property
    def reader(self) -> ReadDocument:
        """The function that reads a document of this kind."""
        read: ReadDocument = import_module(f"rag_assets.sources.{self.name}.reader").read_document
        return read


_LONGEST_SLUG = 60


def slug_of(location: str) -> str:
    """A key from the name of a file, as stable as the name: 「モデル就業規則.pdf」 has nothing in ASCII but a hash."""
    name = urlsplit(location).path.rstrip("/") if is_url(location) else location
    stem = Path(unquote(name)).stem
    plain = re.sub(r"[^a-z0-9_]+", "-", unicodedata.normalize("NFKC", stem).lower()).strip("-_")[:_LONGEST_SLUG]
    if stem.isascii() and plain and len(stem) <= _LONGEST_SLUG:
        return plain
    digest = hashlib.sha256(unicodedata.normalize("NFC", stem).encode()).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else f"d-{digest}"


def _path_or_url(document: DocumentSettings) -> str:
    if is_url(document.location):
        return document.location
    return str(existing_path(Path(document.location).expanduser()))


def _law_address(document: DocumentSettings) -> str:
    if isinstance(document, LawDocument) and is_law_id(document.location):
        return api_url(document.location, document.api)
    return _path_or_url(document)


def _law_key(location: str) -> str:
    """The law ID where the location has it: the same law in a later edition keeps its records' IDs."""
    for part in re.split(r"[^0-9A-Za-z]+", unquote(location)):
        if is_law_id(part):
            return part.lower()
    return slug_of(location)


DOCUMENT_SOURCES = (
    DocumentSource(
        name="invoice_qa",
        kind="pdf",
        settings=InvoiceQaDocument,
        sample=InvoiceQaDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "invoice_qa.pdf")),
        names_in_words="a Q&A booklet (PDF)",
        address_of=_path_or_url,
        key_of=slug_of,
        packages=("pdfplumber",),
    ),
    DocumentSource(
        name="work_rules",
        kind="pdf",
        settings=WorkRulesDocument,
        sample=WorkRulesDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "work_rules.pdf")),
        names_in_words="work rules by article (PDF)",
        address_of=_path_or_url,
        key_of=slug_of,
        packages=("pdfplumber",),
    ),
    DocumentSource(
        name="law",
        kind="xml",
        settings=LawDocument,
        sample=LawDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "law.xml"), as_of="令和7年4月1日施行"),
        names_in_words="a law as e-Gov standard XML, or its law ID (such as 322AC0000000049)",
        address_of=_law_address,
        key_of=_law_key,
        packages=("lxml",),
    ),
    DocumentSource(
        name="csv_rows",
        kind="csv",
        settings=CsvRowsDocument,
        sample=CsvRowsDocument(
            key="sample",
            location=str(SAMPLE_DOCUMENTS / "helpdesk.csv"),
            document="みほん商会 情報システム窓口 問い合わせの記録（架空の見本）",
            id=("番号",),
            title=("件名",),
            text=("質問", "回答"),
            long={"history": "経緯"},
            metadata={"department": Column(column="担当部署"), "priority": Column(column="優先度")},
            shown={"category": Column(column="分類")},
            as_of_column="受付日",
        ),
        names_in_words="a table of rows (CSV), its columns in a [document.<key>] table of the settings file",
        address_of=_path_or_url,
        key_of=slug_of,
    ),
    DocumentSource(
        name="guides",
        kind="files",
        settings=GuideSettings,
        sample=GuideSettings(
            key="sample",
            location=str(SAMPLE_DOCUMENTS / "guides"),
            document="みほん商会 社員ハンドブック（架空の見本）",
        ),
        names_in_words="a guide, manual or rules with headings (Markdown, HTML, Word, PDF), or a folder of them",
        address_of=_path_or_url,
        key_of=slug_of,
        packages=("markdown-it-py", "mdit-py-plugins", "pyyaml", "beautifulsoup4", "lxml", "python-docx", "pdfplumber"),
        takes_web_pages=True,
    ),
)
"""In the order they are shown."""

BY_NAME = {source.name: source for source in DOCUMENT_SOURCES}


def configured_document(key: str, table: Mapping[str, Any]) -> tuple[DocumentSource, DocumentSettings]:
    """The document that a `[document.<key>]` table configures, and the source that reads it.

    Raises:
        ValueError: The table is wrong; the message names the setting.
    """
    fields = dict(table)
    source = BY_NAME.get(str(fields.pop("source", "")))
    if source is None:
        raise ValueError(f"source has to be one of {', '.join(BY_NAME)}")
    if "key" in fields:
        raise ValueError("key: the table's name is the key")
    try:
        return source, source.settings(**fields, key=key)
    except ValidationError as error:
        raise ValueError(
            faults_in_words(error, (name for name in source.settings.model_fields if name != "key"))
        ) from error
