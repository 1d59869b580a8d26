"""What is wrong with the records of a source: always all that are stored, whatever has just been read.

How current the text is, which the report tells, is in `staleness.py`.
"""

from dataclasses import dataclass, field
from itertools import islice

from rag_assets.corpus.record_files import StoredRecord, iterate_records
from rag_assets.sources.document_records import DocumentSummary
from rag_assets.sources.fetching.manifest import all_entries
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines


@dataclass
class RecordFaults:
    """The faults, by name.

    Attributes:
        records: How many records there are.
        untitled: Records without title or body text, and files that cannot be read.
        undated: How many records do not say as of when they speak.
        named_undated: These, as far as they are named.
        unread: Articles or documents whose bytes, as fetched last, no record was read from.
    """

    records: int = 0
    untitled: list[str] = field(default_factory=list)
    undated: int = 0
    named_undated: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def is_undated(record: StoredRecord) -> bool:
    """Whether a record tells no as-of date that can be read."""
    return record.as_of is None or record.as_of.date is None


def find_article_faults(home: Home) -> RecordFaults:
    """The faults of the stored records of Tax Answer, of every category."""
    faults = RecordFaults()
    read: dict[str, str] = {}
    for path in sorted(home.records(TAX_ANSWER).glob("*.jsonl")):
        try:
            for record in iterate_records(path, f"{TAX_ANSWER}_records"):
                faults.records += 1
                read[record.number] = record.origin_sha256
                if not record.title.strip() or not record.text.strip():
                    faults.untitled.append(f"{record.record_id}: no {'body text' if record.title.strip() else 'title'}")
                if is_undated(record):
                    faults.undated += 1
                    faults.named_undated.append(f"No.{record.number} {record.title}")
        except StorageError as error:
            faults.untitled.append(str(error))
    faults.unread += [
        f"No.{entry.key}: {_describe_unread(entry.key in read)}"
        for entry in all_entries(home.fetched(TAX_ANSWER))
        if entry.sha256 is not None and read.get(entry.key) != entry.sha256
    ]
    return faults


def find_document_faults(source: str, home: Home, *, most_undated: int) -> RecordFaults:
    """The faults of the stored records of a source of documents.

    Their summaries tell how many are at fault; the records themselves, which may be a million, are read for the names.

    Args:
        source: Its name.
        home: Where they are stored.
        most_undated: Undated records that are named of a document.
    """
    faults, asset = RecordFaults(), f"{source}_records"
    for entry in all_entries(home.fetched(source)):
        path = home.records(source) / f"{entry.key}.jsonl"
        try:
            summaries = read_lines(home.summary(source, entry.key), DocumentSummary, path.parent.name)
            first = next(iterate_records(path, asset), None)
            for summary in summaries:
                faults.records += summary.records
                faults.untitled += summary.empty
                faults.undated += summary.undated
                if summary.undated:
                    undated = (record.record_id for record in iterate_records(path, asset) if is_undated(record))
                    faults.named_undated += islice(undated, most_undated)
        except StorageError as error:
            if path.is_file():
                faults.untitled.append(str(error))
            first = None
        if entry.sha256 is not None and (first is None or first.origin_sha256 != entry.sha256):
            faults.unread.append(f"{entry.key}: {_describe_unread(first is not None)}")
    return faults


def _describe_unread(has_earlier: bool) -> str:
    if has_earlier:
        return "what was fetched last could not be read; the text of an earlier edition is still in use"
    return "what was fetched could not be read; there is no text of it"
