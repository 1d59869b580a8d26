"""Tax Answer: pages fetched and read as records, by tax category."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import dagster as dg
from pydantic import Field

from rag_assets.corpus.record_files import read_records, write_records
from rag_assets.corpus.record_text import record_text
from rag_assets.model import Record
from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.metadata import (
    OWNERS,
    Materialized,
    Metadatum,
    folder,
    sample,
    table,
    undated_in_words,
    undated_metadata,
)
from rag_assets.orchestration.partitions import ONE_RUN, TAX_CATEGORIES
from rag_assets.orchestration.record_checks import check_articles, record_check_events, record_check_specs
from rag_assets.orchestration.recording import record_partitions
from rag_assets.orchestration.resources import HomeFolder, TaxAnswerSite, Web
from rag_assets.sources.base import Finding
from rag_assets.sources.document_records import DocumentSummary, count_topics, summary_of
from rag_assets.sources.fetching.addresses import readers_address
from rag_assets.sources.fetching.crawl import CrawlResult
from rag_assets.sources.fetching.manifest import Outcome
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.sources.tax_answer.site import (
    CategoryRecords,
    NeverFetchedError,
    SiteCrawl,
    crawl_site,
    read_category,
)
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines, write_lines

_PROGRESS_EVERY = 25
"""Pages between two lines of progress in the log."""
_NAMED_ARTICLES = 10
"""Articles named in a line of the log; the asset's page names all."""


class PagesConfig(dg.Config):
    """What to fetch."""

    article_ids: list[str] = Field(
        default=[],
        description="Article numbers (such as 2594 or 1211-1) to fetch afresh, and no others; empty fetches all.",
    )


def tax_answer_assets() -> list[dg.AssetsDefinition]:
    """Pages and records of Tax Answer."""

    @dg.asset(
        group_name="sources",
        partitions_def=TAX_CATEGORIES,
        backfill_policy=ONE_RUN,
        kinds={"html"},
        owners=OWNERS,
        code_version="1",
        freshness_policy=dg.FreshnessPolicy.time_window(fail_window=timedelta(days=7), warn_window=timedelta(days=2)),
        check_specs=[
            telling("tax_answer_pages", "known_categories", "The site lists no category that is unknown to us.")
        ],
    )
    def tax_answer_pages(
        context: dg.AssetExecutionContext, config: PagesConfig, home: HomeFolder, site: TaxAnswerSite, web: Web
    ) -> Materialized:
        """Pages of the National Tax Agency's Tax Answer (タックスアンサー), as fetched.

        Reads the site's article list, then asks for every article of the chosen tax categories: politely (robots.txt,
        one request a second, only what has changed) and resumably. A page that fails loses no other: the good ones are
        kept, then the step fails and names the bad ones. Withdrawn articles are reported by number.
        """

        def progress(category: str, done: int, total: int, number: str, outcome: Outcome) -> None:
            if done % _PROGRESS_EVERY == 0 or done == total or outcome == "failed":
                context.log.info(f"{CATEGORIES[category]}: {done}/{total} (No.{number} {outcome})")

        crawled = crawl_site(
            site.place(web.options()),
            home.home.fetched(TAX_ANSWER),
            context.partition_keys,
            only=config.article_ids,
            on_progress=progress,
        )
        withdrawn = crawled.withdrawn()
        if withdrawn:
            context.log.info(f"withdrawn by the site: {', '.join(withdrawn)}")
        if crawled.delisted():
            context.log.info(f"gone from the site's list: {', '.join(crawled.delisted())}")
        unknown = [
            f"No.{link.number} {link.title}: category {link.category!r} is new: not fetched until it is "
            "added to CATEGORIES in rag_assets/sources/tax_answer/reader.py"
            for link in crawled.unknown
        ]
        for fault in unknown:
            context.log.warning(fault)
        metadata = {category: _crawl_metadata(crawl) for category, crawl in crawled.crawls.items()}
        failed = crawled.failed()
        complete = {category: metadata[category] for category, crawl in crawled.crawls.items() if not crawl.failed}
        record_partitions(context, complete, step_fails=bool(failed))
        checked = [
            result(
                "known_categories",
                unknown,
                looked_at=sum(crawled.listed.values()) + len(crawled.unknown),
                severity=dg.AssetCheckSeverity.WARN,
            )
        ]
        if failed:
            record_check_events(context, checked)
            raise dg.Failure(
                description=_failure("could not be fetched", failed, "The others are kept; run again to retry these"),
                metadata={"failed": table([{"number": number, "why": why} for number, why in failed.items()])},
                allow_retries=False,
            )
        return dg.MaterializeResult(
            metadata={
                "this run, by category": table(_crawl_rows(crawled)),
                "this run, withdrawn": ", ".join(withdrawn) or "none",
                "site": site.location,
                "folder": folder(home.home.fetched(TAX_ANSWER)),
            },
            check_results=checked,
        )

    @dg.asset(
        group_name="records",
        deps=[tax_answer_pages],
        partitions_def=TAX_CATEGORIES,
        backfill_policy=ONE_RUN,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=record_check_specs("tax_answer_records"),
    )
    def tax_answer_records(context: dg.AssetExecutionContext, home: HomeFolder, site: TaxAnswerSite) -> Materialized:
        """Tax Answer articles as records: one article, one ID, with number, title, tax items, as-of date and sections.

        Menus, related links, contacts and feedback forms are left out; tables have their merged cells resolved. A page
        that is not understood yields no empty record: the step fails and names it, and says what was missing.
        """
        read: dict[str, CategoryRecords] = {}
        summaries: dict[str, DocumentSummary] = {}
        metadata: dict[str, dict[str, Metadatum]] = {}
        never_fetched: list[str] = []
        for category in context.partition_keys:
            path = home.home.records(TAX_ANSWER) / f"{category}.jsonl"
            told = _earlier_findings(home.home.summary(TAX_ANSWER, category))
            try:
                read[category] = read_category(
                    home.home.fetched(TAX_ANSWER),
                    category,
                    document=site.document,
                    link_base=site.links or None,
                    earlier=_earlier(path) if told is not None else {},
                    earlier_findings=told or (),
                )
            except NeverFetchedError:
                never_fetched.append(category)
                continue
            # First what was found: records without it would be taken over unread, and it would never be told again.
            summary = summaries[category] = summary_of(category, [*read[category].findings, *read[category].records])
            write_lines(home.home.summary(TAX_ANSWER, category), [summary])
            write_records(path, read[category].records, read[category].fingerprint_of)
            metadata[category] = _records_metadata(read[category], summary, path)
            context.log.info(
                f"{CATEGORIES[category]}: {len(read[category].records)} records, {read[category].reused} unchanged"
                f"{_left_out_in_words(read[category].findings)}"
            )
            if summary.undated:
                undated = undated_in_words(summary.undated_ids, summary.undated, summary.records)
                context.log.warning(f"{CATEGORIES[category]}: {undated}")
        findings = [finding for found in read.values() for finding in found.findings]
        failed = {number: why for found in read.values() for number, why in found.failed.items()}
        complete = {category: metadata[category] for category, found in read.items() if not found.failed}
        record_partitions(context, complete, step_fails=bool(failed or never_fetched))
        checked = check_articles(home.home)
        if failed or never_fetched:
            record_check_events(context, checked)
            raise dg.Failure(
                description="\n".join(
                    [
                        *([_failure("could not be read", failed, "All others are written")] if failed else []),
                        *([_never_fetched(never_fetched, home.home)] if never_fetched else []),
                    ]
                ),
                metadata={"failed": table([{"number": number, "why": why} for number, why in failed.items()])},
                allow_retries=False,
            )
        return dg.MaterializeResult(
            metadata={
                "this run, records": sum(len(found.records) for found in read.values()),
                "this run, by category": table(
                    [
                        {
                            "category": category,
                            "name": CATEGORIES[category],
                            "records": len(found.records),
                            "unchanged": found.reused,
                            "withdrawn": ", ".join(found.withdrawn),
                            "without as-of": summaries[category].undated,
                            "left out of pages": len(found.findings),
                        }
                        for category, found in read.items()
                    ]
                ),
                "this run, without as-of date": ", ".join(
                    record_id for summary in summaries.values() for record_id in summary.undated_ids
                )
                or "none",
                "this run, left out of pages": table(_finding_rows(findings)),
                "folder": folder(home.home.records(TAX_ANSWER)),
            },
            check_results=checked,
        )

    return [tax_answer_pages, tax_answer_records]


def _earlier(path: Path) -> Mapping[str, tuple[str, Record]]:
    """What was read the last time; nothing where there is no such file or it is of another version."""
    try:
        return {record.record_id: (record.fingerprint, record) for record in read_records(path, "tax_answer_records")}
    except StorageError:
        return {}


def _earlier_findings(summary: Path) -> Sequence[Finding] | None:
    """What was found the last time; None where that is not known, so that every page has to be read again."""
    try:
        (found,) = read_lines(summary, DocumentSummary, "tax_answer_records")
    except (StorageError, ValueError):
        return None
    return found.findings


def _left_out_in_words(findings: Sequence[Finding]) -> str:
    """How much was left out of which articles, for the log."""
    told: list[str] = []
    for topic in count_topics(findings):
        places = list(dict.fromkeys(finding.place for finding in findings if finding.topic == topic.topic))
        more = f" and {len(places) - _NAMED_ARTICLES} more" if len(places) > _NAMED_ARTICLES else ""
        told.append(f"{topic.topic}: {topic.count} ({', '.join(places[:_NAMED_ARTICLES])}{more})")
    return f"; {', '.join(told)}" if told else ""


def _finding_rows(findings: Sequence[Finding]) -> list[dict[str, object]]:
    return [
        {"article": found.place, "what": found.topic, "message": found.message, "words": found.quote}
        for found in findings
    ]


def _never_fetched(categories: Sequence[str], home: Home) -> str:
    return (
        f"Nothing was ever fetched of {', '.join(categories)} ({home.fetched(TAX_ANSWER)}): "
        "materialize tax_answer_pages first"
    )


def _failure(what: str, failed: Mapping[str, str], remedy: str) -> str:
    lines = "\n".join(f"  No.{number}: {why}" for number, why in failed.items())
    return f"{len(failed)} article(s) {what}. {remedy}.\n{lines}"


def _crawl_metadata(crawl: CrawlResult) -> dict[str, Metadatum]:
    return {
        "fetched": len(crawl.fetched),
        "unchanged": len(crawl.unchanged),
        "withdrawn": ", ".join(crawl.withdrawn) or "none",
        "gone from the list": ", ".join(crawl.delisted) or "none",
        "failed": len(crawl.failed),
    }


def _crawl_rows(crawled: SiteCrawl) -> list[dict[str, object]]:
    return [
        {
            "category": category,
            "name": CATEGORIES[category],
            "listed": crawled.listed[category],
            "fetched": len(crawl.fetched),
            "unchanged": len(crawl.unchanged),
            "resumed": len(crawl.resumed),
            "withdrawn": ", ".join(crawl.withdrawn),
            "gone from the list": ", ".join(crawl.delisted),
        }
        for category, crawl in crawled.crawls.items()
    ]


def _records_metadata(found: CategoryRecords, summary: DocumentSummary, path: Path) -> dict[str, Metadatum]:
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": len(found.records),
        "unchanged": found.reused,
        "withdrawn": ", ".join(found.withdrawn) or "none",
        **undated_metadata(summary.undated_ids, summary.undated),
        "left out of pages": len(found.findings),
        "file": folder(path),
    }
    if found.findings:
        metadata["left out"] = table(_finding_rows(found.findings))
    if found.records:
        first = found.records[0]
        metadata["articles"] = table(
            [
                {
                    "number": record.number,
                    "title": record.title,
                    "as of": record.as_of.label if record.as_of else "",
                    "sections": len(record.sections),
                    "url": record.url or "",
                }
                for record in found.records
            ]
        )
        metadata["sample"] = sample(f"{first.label} {first.title}\n{record_text(first)}")
        if address := readers_address(first.url):
            metadata["original of the sample"] = dg.MetadataValue.url(address)
    return metadata
