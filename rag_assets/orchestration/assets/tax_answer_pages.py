"""Tax Answer: the pages of the site as fetched, by tax category."""

from collections.abc import Callable

import dagster as dg
from pydantic import Field

from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.metadata import FRESHNESS, OWNERS, Materialized, Metadatum, code_version, folder, table
from rag_assets.orchestration.partitions import ONE_RUN, TAX_CATEGORIES
from rag_assets.orchestration.record_metadata import describe_failed, failed_table
from rag_assets.orchestration.recording import record_check_results, record_partitions
from rag_assets.orchestration.resources import HomeFolder, TaxAnswerSite, Web
from rag_assets.sources.fetching.crawl import CrawlResult
from rag_assets.sources.fetching.manifest import Outcome
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.sources.tax_answer.site import CategoryProgress, SiteCrawl, crawl_site

_CODE = ("sources/fetching", "sources/tax_answer")
_PROGRESS_EVERY = 25
"""Pages between two lines of progress in the log."""


class PagesConfig(dg.Config):
    """What to fetch."""

    article_ids: list[str] = Field(
        default=[],
        description="Article numbers (such as 2594 or 1211-1) to fetch afresh, and no others; empty fetches all.",
    )


@dg.asset(
    group_name="sources",
    partitions_def=TAX_CATEGORIES,
    backfill_policy=ONE_RUN,
    kinds={"html"},
    owners=OWNERS,
    code_version=code_version(*_CODE),
    freshness_policy=FRESHNESS,
    check_specs=[telling("tax_answer_pages", "known_categories", "The site lists no category that is unknown to us.")],
)
def tax_answer_pages(
    context: dg.AssetExecutionContext, config: PagesConfig, home: HomeFolder, site: TaxAnswerSite, web: Web
) -> Materialized:
    """Pages of the National Tax Agency's Tax Answer (タックスアンサー), as fetched.

    Reads the site's article list, then asks for every article of the chosen tax categories: politely (robots.txt,
    one request a second, only what has changed) and resumably. A page that fails loses no other: the good ones are
    kept, then the step fails and names the bad ones. Withdrawn articles are reported by number.
    """
    crawled = crawl_site(
        site.place(web.options()),
        home.home.fetched(TAX_ANSWER),
        context.partition_keys,
        only=config.article_ids,
        on_progress=_log_pages(context.log.info),
    )
    if withdrawn := crawled.withdrawn():
        context.log.info(f"withdrawn by the site: {', '.join(withdrawn)}")
    if delisted := crawled.delisted():
        context.log.info(f"gone from the site's list: {', '.join(delisted)}")
    checked = [_check_categories(crawled, context.log.warning)]
    failed = crawled.failed()
    complete = {category: _crawl_metadata(crawl) for category, crawl in crawled.crawls.items() if not crawl.failed}
    record_partitions(context, complete, step_fails=bool(failed))
    if failed:
        record_check_results(context, checked)
        what = "could not be fetched. The others are kept; run again to retry these"
        raise dg.Failure(
            description=describe_failed("article(s)", what, {f"No.{number}": why for number, why in failed.items()}),
            metadata={"failed": failed_table("number", failed)},
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


def _log_pages(log: Callable[[str], None]) -> CategoryProgress:
    def progress(category: str, done: int, total: int, number: str, outcome: Outcome) -> None:
        if done % _PROGRESS_EVERY == 0 or done == total or outcome == "failed":
            log(f"{CATEGORIES[category]}: {done}/{total} (No.{number} {outcome})")

    return progress


def _check_categories(crawled: SiteCrawl, warn: Callable[[str], None]) -> dg.AssetCheckResult:
    unknown = [
        f"No.{link.number} {link.title}: category {link.category!r} is new: not fetched until it is "
        "added to CATEGORIES in rag_assets/sources/tax_answer/reader.py"
        for link in crawled.unknown
    ]
    for fault in unknown:
        warn(fault)
    looked_at = sum(crawled.listed.values()) + len(crawled.unknown)
    return result("known_categories", unknown, looked_at=looked_at, severity=dg.AssetCheckSeverity.WARN)


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
