"""The documents of a source as records."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import dagster as dg

from rag_assets.orchestration.checks import MOST_NAMED
from rag_assets.orchestration.chosen_documents import (
    MOST_LOGGED,
    PROGRESS_EVERY,
    DocumentsConfig,
    choose_documents,
    fail_for_documents,
)
from rag_assets.orchestration.metadata import MOST_ROWS, OWNERS, Materialized, Metadatum, code_version, folder, table
from rag_assets.orchestration.progress import log_every
from rag_assets.orchestration.record_checks import check_records, record_check_specs
from rag_assets.orchestration.record_metadata import as_of_label, describe_undated, sample_metadata, undated_metadata
from rag_assets.orchestration.recording import record_check_results
from rag_assets.orchestration.resources import Documents, HomeFolder
from rag_assets.sources.base import DocumentError, DocumentSettings, DocumentSource
from rag_assets.sources.document_records import (
    READING_CODE,
    DocumentSummary,
    NotFetchedError,
    first_records,
    forget_other_records,
    read_into_records,
)
from rag_assets.store.home import Home

_NAMED_NOTES = 3
"""Of a document, where they are counted; all of them stand in the asset's metadata."""


def document_records_asset(source: DocumentSource) -> dg.AssetsDefinition:
    """The asset that reads the documents of a source as records."""
    records_asset = f"{source.name}_records"

    @dg.asset(
        name=records_asset,
        group_name="records",
        deps=[source.fetching_asset],
        description=(
            f"The documents of the source {source.name} as records, each with its own ID, number, title, chapter and "
            "as-of date. A document that has not changed is not read again. What could not be read as it should, or "
            "was left out on purpose, is told with its place."
        ),
        kinds={"json"},
        owners=OWNERS,
        code_version=code_version(*READING_CODE),
        check_specs=record_check_specs(records_asset),
    )
    def document_records(
        context: dg.AssetExecutionContext, config: DocumentsConfig, home: HomeFolder, documents: Documents
    ) -> Materialized:
        every = documents.of(source.name)
        summaries: list[DocumentSummary] = []
        failed: dict[str, str] = {}
        chosen = choose_documents(every, config)
        log_progress = log_every(PROGRESS_EVERY, context.log.info, source.name, "documents looked at")
        read = 0
        for done, document in enumerate(chosen, start=1):
            if len(chosen) > MOST_LOGGED:
                log_progress(done, len(chosen))
            try:
                summary, was_read = read_into_records(source, document, home.home)
            except (DocumentError, NotFetchedError) as error:
                failed[document.key] = _describe_refusal(document, error)
                continue
            summaries.append(summary)
            read += was_read
            if len(chosen) <= MOST_LOGGED:
                told = _describe_summary(document, summary, was_read=was_read)
                _log_summary(context.log, document.key, told, [summary])
        if len(chosen) > MOST_LOGGED:
            _log_summary(context.log, f"{len(summaries)} documents", _describe_summaries(summaries, read), summaries)
        forgotten = forget_other_records(source.name, {document.key for document in every}, home.home)
        failed |= {summary.key: _describe_faults(summary) for summary in summaries if summary.faults()}
        checked = check_records(source.name, home.home)
        if failed:
            record_check_results(context, checked)
        fail_for_documents(
            failed,
            "could not be read, or not in whole. Everything else is written; mend what is named here",
            table([_record_row(each) for each in summaries]),
        )
        return dg.MaterializeResult(
            metadata=_records_metadata(source, summaries, forgotten, home.home),
            check_results=checked,
        )

    return document_records


def _describe_refusal(document: DocumentSettings, error: Exception) -> str:
    """Why a document was refused, with its place; several lines stand as they are, since they are for copying."""
    why = str(error)
    if document.location not in why:
        why = f"{document.location}: {why}"
    return f"\n{why}" if "\n" in why else why


def _describe_faults(summary: DocumentSummary) -> str:
    faults = [finding for finding in summary.findings if finding.kind == "fault"]
    lines = [f"{finding.place}: {finding.in_words()}" for finding in faults[:MOST_NAMED]]
    more = summary.faults() - len(lines)
    return "\n    ".join([f"{summary.faults()} fault(s)", *lines, *([f"… and {more} more"] if more else [])])


def _log_summary(log: dg.DagsterLogManager, what: str, told: str, summaries: Sequence[DocumentSummary]) -> None:
    log.info(f"{what}: {told}")
    undated = sum(summary.undated for summary in summaries)
    if undated:
        ids = [record_id for summary in summaries for record_id in summary.undated_ids]
        log.warning(f"{what}: {describe_undated(ids, undated, sum(summary.records for summary in summaries))}")


def _describe_summaries(summaries: Sequence[DocumentSummary], read: int) -> str:
    """What many documents brought together."""
    records = sum(summary.records for summary in summaries)
    counts = f"{records} records, {read} read, {len(summaries) - read} unchanged"
    return "; ".join(filter(None, [counts, _count_notes(summaries)]))


def _describe_summary(document: DocumentSettings, summary: DocumentSummary, *, was_read: bool) -> str:
    counts = f"{summary.records} records, {'read' if was_read else 'unchanged'}"
    return "; ".join(filter(None, [counts, _count_notes([summary])])) + _describe_skipped(document, summary)


def _count_notes(summaries: Iterable[DocumentSummary]) -> str:
    """How many notes there are by topic; empty without any."""
    notes: Counter[str] = Counter()
    for summary in summaries:
        notes.update({topic.topic: topic.count for topic in summary.topics if topic.kind == "note"})
    return ", ".join(f"{topic}: {count}" for topic, count in notes.items())


def _describe_skipped(document: DocumentSettings, summary: DocumentSummary) -> str:
    """The first notes, a line each, where faults are notes since the settings let them pass (`bad_rows`)."""
    if getattr(document, "bad_rows", "fail") != "skip":
        return ""
    return "".join(f"\n    {line}" for line in _list_first_notes(summary).splitlines())


def _list_first_notes(summary: DocumentSummary) -> str:
    notes = [finding for finding in summary.findings if finding.kind == "note"]
    lines = [f"{finding.place} ({finding.topic}): {finding.in_words()}" for finding in notes[:_NAMED_NOTES]]
    more = sum(topic.count for topic in summary.topics if topic.kind == "note") - len(lines)
    return "\n".join([*lines, *([f"… and {more} more"] if more else [])])


def _record_row(summary: DocumentSummary) -> dict[str, object]:
    return {
        "document": summary.key,
        "records": summary.records,
        "without as-of": summary.undated,
        "found": _count_notes([summary]),
        "first of them": _list_first_notes(summary),
        "faults": summary.faults(),
    }


def _records_metadata(
    source: DocumentSource, summaries: Sequence[DocumentSummary], forgotten: Sequence[str], home: Home
) -> dict[str, Metadatum]:
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": sum(summary.records for summary in summaries),
        "by document": table([_record_row(summary) for summary in summaries]),
        "no longer in the settings": ", ".join(forgotten) or "none",
        **undated_metadata(
            [record for summary in summaries for record in summary.undated_ids],
            sum(summary.undated for summary in summaries),
        ),
        "folder": folder(home.records(source.name)),
    }
    if findings := _finding_rows(summaries):
        metadata["found"] = table(findings)
    shown = list(
        islice(
            (
                record
                for summary in summaries
                for record in first_records(source.name, summary.key, home, most=MOST_ROWS)
            ),
            MOST_ROWS,
        )
    )
    metadata["records"] = table(
        [
            {
                "id": record.record_id,
                "number": record.label,
                "title": record.title,
                "chapter": "＞".join(record.chapter),
                "as of": as_of_label(record),
            }
            for record in shown
        ]
    )
    if shown:
        metadata |= sample_metadata(shown[0])
    return metadata


def _finding_rows(summaries: Sequence[DocumentSummary]) -> list[dict[str, object]]:
    return [
        {
            "document": summary.key,
            "what": finding.topic,
            "place": finding.place,
            "message": finding.message,
            "words": finding.quote,
        }
        for summary in summaries
        for finding in summary.findings
    ]
