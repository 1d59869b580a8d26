"""Checks over the records of a source: always over all that are stored, whatever the run has read.

A run over one category or document that looked at its own records only would turn the check of all others green.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

import dagster as dg

from rag_assets.corpus.record_files import StoredRecord, iterate_records
from rag_assets.orchestration.checks import MOST_NAMED, blocking, result, telling
from rag_assets.sources.document_records import DocumentSummary
from rag_assets.sources.fetching.manifest import all_entries
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines

TITLED, DATED, READ = "titled_records", "dated_records", "read_as_fetched"


def record_check_specs(asset: str) -> list[dg.AssetCheckSpec]:
    """The checks of an asset of records."""
    return [
        blocking(asset, TITLED, "Every stored record has a title and body text."),
        telling(asset, DATED, "Every stored record says as of when it speaks."),
        telling(asset, READ, "All records were read from the bytes that were fetched last."),
    ]


class _Faults:
    """What was found wrong, for each of the checks."""

    def __init__(self) -> None:
        self.looked_at = self.undated = 0
        self.untitled: list[str] = []
        self.some_undated: list[str] = []
        self.unread: list[str] = []

    def results(self) -> list[dg.AssetCheckResult]:
        return [
            result(TITLED, self.untitled, looked_at=self.looked_at),
            result(
                DATED,
                self.some_undated,
                looked_at=self.looked_at,
                count=self.undated,
                severity=dg.AssetCheckSeverity.WARN,
            ),
            result(READ, self.unread, looked_at=self.looked_at, severity=dg.AssetCheckSeverity.WARN),
        ]


def check_articles(home: Home) -> list[dg.AssetCheckResult]:
    """The checks over all stored records of Tax Answer, of every category."""
    faults = _Faults()
    read: dict[str, str] = {}
    for path in sorted(home.records(TAX_ANSWER).glob("*.jsonl")):
        try:
            for record in iterate_records(path, "tax_answer_records"):
                faults.looked_at += 1
                read[record.number] = record.origin_sha256
                if not record.title.strip() or not record.text.strip():
                    faults.untitled.append(f"{record.record_id}: no {'body text' if record.title.strip() else 'title'}")
                if _is_undated(record):
                    faults.undated += 1
                    faults.some_undated.append(f"No.{record.number} {record.title}")
        except StorageError as error:
            faults.untitled.append(str(error))
    faults.unread += [
        f"No.{entry.key}: {_old_or_none(entry.key in read)}"
        for entry in all_entries(home.fetched(TAX_ANSWER))
        if entry.sha256 is not None and read.get(entry.key) != entry.sha256
    ]
    return faults.results()


def check_documents(source: str, home: Home) -> list[dg.AssetCheckResult]:
    """The checks over all stored records of a source of documents.

    Their summaries tell how many are at fault; the records themselves, which may be a million, are read for the names.
    """
    faults = _Faults()
    for entry in all_entries(home.fetched(source)):
        path = home.records(source) / f"{entry.key}.jsonl"
        try:
            summaries = read_lines(home.summary(source, entry.key), DocumentSummary, path.parent.name)
            first = next(iterate_records(path, f"{source}_records"), None)
            for summary in summaries:
                faults.looked_at += summary.records
                faults.untitled += summary.empty
                faults.undated += summary.undated
                if summary.undated:
                    undated = _undated_ids(iterate_records(path, f"{source}_records"))
                    faults.some_undated += islice(undated, MOST_NAMED)
        except StorageError as error:
            if path.is_file():
                faults.untitled.append(str(error))
            first = None
        if entry.sha256 is not None and (first is None or first.origin_sha256 != entry.sha256):
            faults.unread.append(f"{entry.key}: {_old_or_none(first is not None)}")
    return faults.results()


def record_check_events(context: dg.AssetExecutionContext, results: Iterable[dg.AssetCheckResult]) -> None:
    """Put the results on record although the step is about to fail, which says nothing of what the checks look at."""
    blocks = {spec.name: spec.blocking for spec in context.assets_def.check_specs}
    for each in results:
        assert each.check_name is not None
        evaluation = dg.AssetCheckEvaluation(
            asset_key=context.asset_key,
            check_name=each.check_name,
            passed=each.passed,
            metadata=each.metadata,
            severity=each.severity,
            blocking=blocks[each.check_name],
        )
        context.log_event(evaluation)


def _is_undated(record: StoredRecord) -> bool:
    return record.as_of is None or record.as_of.date is None


def _undated_ids(records: Iterable[StoredRecord]) -> Iterator[str]:
    return (record.record_id for record in records if _is_undated(record))


def _old_or_none(has_earlier: bool) -> str:
    if has_earlier:
        return "what was fetched last could not be read; the text of an earlier edition is still in use"
    return "what was fetched could not be read; there is no text of it"
