"""Tax Answer's record files: a category's kept pages, read where they have changed, and written beside their summary.

How a category is read is in `site.py`; the same for the sources of documents is in `sources/document_records.py`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rag_assets.corpus.record_files import read_records, write_records
from rag_assets.model import Record
from rag_assets.sources.base import Finding
from rag_assets.sources.document_records import DocumentSummary, summary_of
from rag_assets.sources.tax_answer.site import CategoryRecords, read_category
from rag_assets.sources.tax_answer.source import SOURCE
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines, write_lines

_ASSET = f"{SOURCE.name}_records"


def record_file(home: Home, category: str) -> Path:
    """The file of a category's records."""
    return home.records(SOURCE.name) / f"{category}.jsonl"


def read_into_category_records(
    category: str, home: Home, *, document: str, link_base: str | None
) -> tuple[CategoryRecords, DocumentSummary]:
    """Make a category's record file what its kept pages say.

    Args:
        category: Folder name of the site.
        home: Where pages are kept and records are written.
        document: Name of the document in headers.
        link_base: Base URL under which readers see the site; None where there is no such site.

    Raises:
        NeverFetchedError: The category was never crawled.
        StorageError: A file of ours could not be written.
    """
    path, summary_path = record_file(home, category), home.summary(SOURCE.name, category)
    findings = _read_earlier_findings(summary_path)
    found = read_category(
        home.fetched(SOURCE.name),
        category,
        document=document,
        link_base=link_base,
        earlier=_read_earlier(path) if findings is not None else {},
        earlier_findings=findings or (),
    )
    # First what was found: records without it would be taken over unread, and it would never be told again.
    summary = summary_of(category, [*found.findings, *found.records])
    write_lines(summary_path, [summary])
    write_records(path, found.records, found.fingerprint_of)
    return found, summary


def _read_earlier(path: Path) -> Mapping[str, tuple[str, Record]]:
    """What was read the last time; nothing where there is no such file or it is of another version."""
    try:
        return {record.record_id: (record.fingerprint, record) for record in read_records(path, _ASSET)}
    except StorageError:
        return {}


def _read_earlier_findings(summary: Path) -> Sequence[Finding] | None:
    """What was found the last time; None where that is not known, so that every page has to be read again."""
    try:
        (found,) = read_lines(summary, DocumentSummary, _ASSET)
    except (StorageError, ValueError):
        return None
    return found.findings
