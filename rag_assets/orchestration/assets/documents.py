"""Sources that are made of documents: each has its documents as fetched, and their records."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import dagster as dg
from pydantic import Field

from rag_assets.corpus.record_text import record_text
from rag_assets.orchestration.checks import MOST_NAMED
from rag_assets.orchestration.metadata import (
    MOST_ROWS,
    OWNERS,
    Materialized,
    Metadatum,
    folder,
    sample,
    table,
    undated_in_words,
    undated_metadata,
)
from rag_assets.orchestration.record_checks import check_documents, record_check_events, record_check_specs
from rag_assets.orchestration.resources import Addresses, Documents, HomeFolder, Web
from rag_assets.sources.base import DocumentError, DocumentSettings, DocumentSource
from rag_assets.sources.document_records import (
    DocumentSummary,
    NotFetchedError,
    first_records,
    forget_other_records,
    read_into_records,
)
from rag_assets.sources.fetching.addresses import readers_address
from rag_assets.sources.fetching.documents import FetchedDocument, fetch_document, forget_others
from rag_assets.store.home import Home

_NAMED_NOTES = 3
"""Of a document, where they are counted; all of them stand in the asset's metadata."""


class DocumentsConfig(dg.Config):
    """Which documents."""

    documents: list[str] = Field(
        default=[], description="Keys of the documents to do, and no others; empty does all of the source."
    )


def document_assets(source: DocumentSource) -> list[dg.AssetsDefinition]:
    """The documents of a source as fetched, and their records."""
    records_asset = f"{source.name}_records"

    @dg.asset(
        name=source.fetching_asset,
        group_name="sources",
        description=(
            f"The documents of the source {source.name} ({source.names_in_words}), as fetched from where the settings "
            "say: a path, or a URL, politely. Bytes that have not changed are not kept twice; a document that cannot "
            "be read keeps its earlier edition, loses no other, and fails the step by name."
        ),
        kinds={source.kind},
        owners=OWNERS,
        code_version="1",
        freshness_policy=dg.FreshnessPolicy.time_window(fail_window=timedelta(days=7), warn_window=timedelta(days=2)),
    )
    def documents_asset(
        context: dg.AssetExecutionContext,
        config: DocumentsConfig,
        home: HomeFolder,
        documents: Documents,
        addresses: dg.ResourceParam[Addresses],
        web: Web,
    ) -> Materialized:
        kept = home.home.fetched(source.name)
        every = documents.of(source.name)
        fetched: list[FetchedDocument] = []
        for document in _chosen(every, config):
            address = addresses.of(source.name, document)
            fetched.append(
                fetch_document(address, document.key, kept, web.options(), takes_web_pages=source.takes_web_pages)
            )
            context.log.info(f"{document.key}: {fetched[-1].outcome} ({source.address_of(document)})")
        forgotten = forget_others({document.key for document in every}, kept)
        rows = table([_fetch_row(source, document, every) for document in fetched])
        _fail_if(
            {document.key: document.error for document in fetched if document.error},
            "could not be fetched. The others are kept; run again to retry these",
            rows,
        )
        return dg.MaterializeResult(
            metadata={
                "this run, documents": rows,
                "no longer in the settings": ", ".join(forgotten) or "none",
                "folder": folder(kept),
            }
        )

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
        code_version="1",
        check_specs=record_check_specs(records_asset),
    )
    def document_records(
        context: dg.AssetExecutionContext, config: DocumentsConfig, home: HomeFolder, documents: Documents
    ) -> Materialized:
        every = documents.of(source.name)
        summaries: list[DocumentSummary] = []
        failed: dict[str, str] = {}
        for document in _chosen(every, config):
            try:
                summary, was_read = read_into_records(source, document, home.home)
            except (DocumentError, NotFetchedError) as error:
                failed[document.key] = _refusal(document, error)
                continue
            summaries.append(summary)
            state = "read" if was_read else "unchanged"
            notes = f"{_notes_in_words(summary)}{_passed_over(document, summary)}"
            context.log.info(f"{document.key}: {summary.records} records, {state}{notes}")
            if summary.undated:
                context.log.warning(
                    f"{document.key}: {undated_in_words(summary.undated_ids, summary.undated, summary.records)}"
                )
        forgotten = forget_other_records(source.name, {document.key for document in every}, home.home)
        failed |= {summary.key: _faults_in_words(summary) for summary in summaries if summary.faults()}
        checked = check_documents(source.name, home.home)
        if failed:
            record_check_events(context, checked)
        _fail_if(
            failed,
            "could not be read, or not in whole. Everything else is written; mend what is named here",
            table([_record_row(each) for each in summaries]),
        )
        return dg.MaterializeResult(
            metadata=_records_metadata(source, summaries, forgotten, home.home),
            check_results=checked,
        )

    return [documents_asset, document_records]


def _chosen(every: Sequence[DocumentSettings], config: DocumentsConfig) -> list[DocumentSettings]:
    unknown = set(config.documents) - {document.key for document in every}
    if unknown:
        raise dg.Failure(
            f"No document of this source has the key {', '.join(sorted(unknown))}; "
            f"there are {', '.join(document.key for document in every)}",
            allow_retries=False,
        )
    return [document for document in every if not config.documents or document.key in config.documents]


def _fail_if(failed: Mapping[str, str], what: str, rows: dg.MetadataValue) -> None:
    """Fail the step over some documents, after everything else was done.

    Raises:
        dg.Failure: There are any.
    """
    if not failed:
        return
    lines = "\n".join(f"  {key}: {why}" for key, why in failed.items())
    raise dg.Failure(
        description=f"{len(failed)} document(s) {what}.\n{lines}",
        metadata={
            "failed": table([{"document": key, "why": why} for key, why in failed.items()]),
            "this run, documents": rows,
        },
        allow_retries=False,
    )


def _refusal(document: DocumentSettings, error: Exception) -> str:
    """Why a document was refused, with its place; several lines stand as they are, since they are for copying."""
    why = str(error)
    if document.location not in why:
        why = f"{document.location}: {why}"
    return f"\n{why}" if "\n" in why else why


def _faults_in_words(summary: DocumentSummary) -> str:
    told = [finding for finding in summary.findings if finding.kind == "fault"]
    lines = [f"{finding.place}: {finding.in_words()}" for finding in told[:MOST_NAMED]]
    more = summary.faults() - len(lines)
    return "\n    ".join([f"{summary.faults()} fault(s)", *lines, *([f"… and {more} more"] if more else [])])


def _notes_in_words(summary: DocumentSummary) -> str:
    notes = [f"{topic.topic}: {topic.count}" for topic in summary.topics if topic.kind == "note"]
    return f"; {', '.join(notes)}" if notes else ""


def _passed_over(document: DocumentSettings, summary: DocumentSummary) -> str:
    """The first notes, a line each, where faults are notes since the settings let them pass (`bad_rows`)."""
    if getattr(document, "bad_rows", "fail") != "skip":
        return ""
    return "".join(f"\n    {line}" for line in _first_notes(summary).splitlines())


def _first_notes(summary: DocumentSummary) -> str:
    notes = [finding for finding in summary.findings if finding.kind == "note"]
    lines = [f"{finding.place} ({finding.topic}): {finding.in_words()}" for finding in notes[:_NAMED_NOTES]]
    more = sum(topic.count for topic in summary.topics if topic.kind == "note") - len(lines)
    return "\n".join([*lines, *([f"… and {more} more"] if more else [])])


def _fetch_row(
    source: DocumentSource, fetched: FetchedDocument, every: Sequence[DocumentSettings]
) -> dict[str, object]:
    document = next(document for document in every if document.key == fetched.key)
    return {
        "document": fetched.key,
        "from": source.address_of(document),
        "outcome": fetched.outcome,
        "bytes": fetched.size,
        "error": fetched.error,
    }


def _record_row(summary: DocumentSummary) -> dict[str, object]:
    return {
        "document": summary.key,
        "records": summary.records,
        "without as-of": summary.undated,
        "found": _notes_in_words(summary).removeprefix("; "),
        "first of them": _first_notes(summary),
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
    findings = [
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
    if findings:
        metadata["found"] = table(findings)
    shown = [
        record for summary in summaries for record in first_records(source.name, summary.key, home, most=MOST_ROWS)
    ]
    metadata["records"] = table(
        [
            {
                "id": record.record_id,
                "number": record.label,
                "title": record.title,
                "chapter": "＞".join(record.chapter),
                "as of": record.as_of.label if record.as_of else "",
            }
            for record in shown
        ]
    )
    if shown:
        first = shown[0]
        metadata["sample"] = sample(f"{first.label} {first.title}\n{record_text(first)}")
        if address := readers_address(first.url):
            metadata["original of the sample"] = dg.MetadataValue.url(address)
    return metadata
