"""Documents as they were fetched: their bytes, and the plainest reading of them, such as a service's parser gives.

Nothing here knows what a record is: page numbers, running titles, menus and tables of contents are part of the text.
"""

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import PurePosixPath

from rag_assets.corpus.whole_documents import OriginalDocument, find_document_id
from rag_assets.japanese.encodings import decode_html, decode_text
from rag_assets.model import Original, Record
from rag_assets.s3.checking import SUFFIXES, TEXT_SUFFIX
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.file_kinds import HTML, LAW_XML, PDF, POWERPOINT, WORD, XML, FileKind, file_kind
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError

_OFFICE_PART = re.compile(r"word/document\d*\.xml|ppt/slides/slide\d+\.xml")


def read_originals(home: Home, records: Sequence[Record]) -> Iterator[OriginalDocument]:
    """Yields the documents that records were read from, in the order of the records.

    A file whose kind the service does not read (XML, slides) stands in as the text it holds.

    Args:
        home: Where the bytes lie.
        records: Those of one document stand together.

    Raises:
        StorageError: The bytes of a document are not there any more, or damaged.
    """
    for document_id, group in groupby(records, key=lambda record: find_document_id(record.record_id)):
        own = tuple(group)
        data = _read_bytes(home, own[0].source, own[0].origin_sha256, document_id)
        kind = file_kind(BytesIO(data))
        text = read_text(data, kind)
        suffix = _find_suffix(own[0], kind)
        original = (
            Original(sha256=own[0].origin_sha256, suffix=suffix)
            if suffix in SUFFIXES
            else Original(sha256="", suffix=TEXT_SUFFIX)
        )
        yield OriginalDocument(document_id, original, text, own)


def read_original_bytes(home: Home, source: str, sha256: str) -> bytes:
    """The bytes of a document as they were fetched.

    Raises:
        StorageError: They are not there any more, or damaged.
    """
    return _read_bytes(home, source, sha256, source)


def read_text(data: bytes, kind: FileKind | None) -> str:
    """All text of a file in the order it stands in, lines as the file has them.

    Args:
        data: The file.
        kind: What it is; text in some encoding where that cannot be told.
    """
    readers: dict[FileKind | None, Callable[[bytes], str]] = {
        HTML: _read_page,
        PDF: _read_pdf,
        WORD: _read_office,
        POWERPOINT: _read_office,
        LAW_XML: _read_xml,
        XML: _read_xml,
    }
    text = readers.get(kind, _decode)(data)
    return re.sub(r"\n\s*\n+", "\n", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")


def _read_bytes(home: Home, source: str, sha256: str, what: str) -> bytes:
    objects = FetchedObjects(home.fetched(source))
    data = objects.find(sha256)
    if data is None:
        raise StorageError(
            f"{objects.path_of(sha256)}: the bytes that {what} was read from are not there any more: fetch its source "
            "again (refresh_sources), and read its records again"
        )
    return data


def _find_suffix(record: Record, kind: FileKind | None) -> str:
    """The ending of the file's own name, where it is known; else the usual one of its kind."""
    path = record.attributes.get("path")
    if isinstance(path, str) and PurePosixPath(path).suffix.lower() in (*SUFFIXES, ".pptx"):
        return PurePosixPath(path).suffix.lower()
    usual = {HTML: ".html", PDF: ".pdf", WORD: ".docx", POWERPOINT: ".pptx", LAW_XML: ".xml", XML: ".xml"}
    return usual.get(kind, ".csv" if record.source == "csv_rows" else TEXT_SUFFIX) if kind else TEXT_SUFFIX


def _read_page(data: bytes) -> str:
    from bs4 import BeautifulSoup

    page = BeautifulSoup(decode_html(data).text, "lxml")
    for unseen in page(["script", "style", "template", "noscript"]):
        unseen.extract()
    return "\n".join(page.stripped_strings)


def _read_pdf(data: bytes) -> str:
    import pypdfium2

    with pypdfium2.PdfDocument(data) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _read_office(data: bytes) -> str:
    """The paragraphs of a Word document or of slides, as their parts have them."""
    from lxml import etree

    lines: list[str] = []
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = filter(_OFFICE_PART.fullmatch, archive.namelist())
        for name in sorted(parts, key=lambda name: (len(name), name)):
            root = etree.fromstring(archive.read(name), etree.XMLParser(resolve_entities=False, huge_tree=True))
            for paragraph in root.iter("{*}p"):
                words = "".join(text.text or "" for text in paragraph.iter("{*}t"))
                lines += [words] if words.strip() else []
    return "\n".join(lines)


def _read_xml(data: bytes) -> str:
    from lxml import etree

    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True))
    return "\n".join(words for text in root.itertext() if (words := str(text).strip()))


def _decode(data: bytes) -> str:
    return decode_text(data).text
