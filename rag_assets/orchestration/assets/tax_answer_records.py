"""Tax Answer: the fetched pages as records, by tax category."""

from collections.abc import Mapping, Sequence

import dagster as dg

from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, folder, table
from rag_assets.orchestration.partitions import ONE_RUN, TAX_CATEGORIES
from rag_assets.orchestration.record_checks import check_records, record_check_specs
from rag_assets.orchestration.record_metadata import (
    as_of_label,
    describe_failed,
    describe_undated,
    failed_table,
    sample_metadata,
    undated_metadata,
)
from rag_assets.orchestration.recording import record_check_results, record_partitions
from rag_assets.orchestration.resources import HomeFolder, TaxAnswerSite
from rag_assets.sources.base import Finding
from rag_assets.sources.document_records import DocumentSummary, count_topics
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.sources.tax_answer.record_files import read_into_category_records, record_file
from rag_assets.sources.tax_answer.site import READING_CODE, CategoryRecords, NeverFetchedError
from rag_assets.store.home import Home

_NAMED_ARTICLES = 10
"""Articles named in a line of the log; the asset's page names all."""

_Read = Mapping[str, tuple[CategoryRecords, DocumentSummary]]
"""What was read, by category."""


@dg.asset(
    group_name="records",
    deps=["tax_answer_pages"],
    partitions_def=TAX_CATEGORIES,
    backfill_policy=ONE_RUN,
    kinds={"json"},
    owners=OWNERS,
    code_version=code_version(*READING_CODE),
    check_specs=record_check_specs("tax_answer_records"),
)
def tax_answer_records(context: dg.AssetExecutionContext, home: HomeFolder, site: TaxAnswerSite) -> Materialized:
    """Tax Answer articles as records: one article, one ID, with number, title, tax items, as-of date and sections.

    Menus, related links, contacts and feedback forms are left out; tables have their merged cells resolved. A page
    that is not understood yields no empty record: the step fails and names it, and says what was missing.
    """
    read: dict[str, tuple[CategoryRecords, DocumentSummary]] = {}
    never_fetched: list[str] = []
    for category in context.partition_keys:
        try:
            found, summary = read[category] = read_into_category_records(
                category, home.home, document=site.document, link_base=site.links or None
            )
        except NeverFetchedError:
            never_fetched.append(category)
            continue
        context.log.info(
            f"{CATEGORIES[category]}: {len(found.records)} records, {found.reused} unchanged"
            f"{_describe_left_out(found.findings)}"
        )
        if summary.undated:
            undated = describe_undated(summary.undated_ids, summary.undated, summary.records)
            context.log.warning(f"{CATEGORIES[category]}: {undated}")
    failed = {number: why for found, _ in read.values() for number, why in found.failed.items()}
    complete = {
        category: _records_metadata(category, found, summary, home.home)
        for category, (found, summary) in read.items()
        if not found.failed
    }
    record_partitions(context, complete, step_fails=bool(failed or never_fetched))
    checked = check_records(TAX_ANSWER, home.home)
    if failed or never_fetched:
        record_check_results(context, checked)
        raise dg.Failure(
            description=_describe_failure(failed, never_fetched, home.home),
            metadata={"failed": failed_table("number", failed)},
            allow_retries=False,
        )
    return dg.MaterializeResult(metadata=_run_metadata(read, home.home), check_results=checked)


def _describe_left_out(findings: Sequence[Finding]) -> str:
    """How much was left out of which articles, for the log."""
    parts: list[str] = []
    for topic in count_topics(findings):
        places = list(dict.fromkeys(finding.place for finding in findings if finding.topic == topic.topic))
        more = f" and {len(places) - _NAMED_ARTICLES} more" if len(places) > _NAMED_ARTICLES else ""
        parts.append(f"{topic.topic}: {topic.count} ({', '.join(places[:_NAMED_ARTICLES])}{more})")
    return f"; {', '.join(parts)}" if parts else ""


def _describe_failure(failed: Mapping[str, str], never_fetched: Sequence[str], home: Home) -> str:
    lines: list[str] = []
    if failed:
        by_label = {f"No.{number}": why for number, why in failed.items()}
        lines.append(describe_failed("article(s)", "could not be read. All others are written", by_label))
    if never_fetched:
        lines.append(
            f"Nothing was ever fetched of {', '.join(never_fetched)} ({home.fetched(TAX_ANSWER)}): "
            "materialize tax_answer_pages first"
        )
    return "\n".join(lines)


def _run_metadata(read: _Read, home: Home) -> dict[str, Metadatum]:
    """What is told of the whole run."""
    rows = [
        {
            "category": category,
            "name": CATEGORIES[category],
            "records": len(found.records),
            "unchanged": found.reused,
            "withdrawn": ", ".join(found.withdrawn),
            "without as-of": summary.undated,
            "left out of pages": len(found.findings),
        }
        for category, (found, summary) in read.items()
    ]
    undated = [record_id for _, summary in read.values() for record_id in summary.undated_ids]
    findings = [finding for found, _ in read.values() for finding in found.findings]
    return {
        "this run, records": sum(len(found.records) for found, _ in read.values()),
        "this run, by category": table(rows),
        "this run, without as-of date": ", ".join(undated) or "none",
        "this run, left out of pages": _finding_table(findings),
        "folder": folder(home.records(TAX_ANSWER)),
    }


def _records_metadata(
    category: str, found: CategoryRecords, summary: DocumentSummary, home: Home
) -> dict[str, Metadatum]:
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": len(found.records),
        "unchanged": found.reused,
        "withdrawn": ", ".join(found.withdrawn) or "none",
        **undated_metadata(summary.undated_ids, summary.undated),
        "left out of pages": len(found.findings),
        "file": folder(record_file(home, category)),
    }
    if found.findings:
        metadata["left out"] = _finding_table(found.findings)
    if found.records:
        metadata["articles"] = table(
            [
                {
                    "number": record.number,
                    "title": record.title,
                    "as of": as_of_label(record),
                    "sections": len(record.sections),
                    "url": record.url or "",
                }
                for record in found.records
            ]
        )
        metadata |= sample_metadata(found.records[0])
    return metadata


def _finding_table(findings: Sequence[Finding]) -> dg.MetadataValue:
    return table(
        [
            {"article": found.place, "what": found.topic, "message": found.message, "words": found.quote}
            for found in findings
        ]
    )
