"""Checks over the records of a source: always over all that are stored, whatever the run has read.

A run over one category or document that looked at its own records only would turn the check of all others green.
"""

import dagster as dg

from rag_assets.orchestration.checks import MOST_NAMED, blocking, result, telling
from rag_assets.sources.record_faults import find_article_faults, find_document_faults
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.store.home import Home

TITLED, DATED, READ = "titled_records", "dated_records", "read_as_fetched"


def record_check_specs(asset: str) -> list[dg.AssetCheckSpec]:
    """The checks of an asset of records."""
    return [
        blocking(asset, TITLED, "Every stored record has a title and body text."),
        telling(asset, DATED, "Every stored record says as of when it speaks."),
        telling(asset, READ, "All records were read from the bytes that were fetched last."),
    ]


def check_records(source: str, home: Home) -> list[dg.AssetCheckResult]:
    """The checks over all stored records of a source."""
    if source == TAX_ANSWER:
        faults = find_article_faults(home)
    else:
        faults = find_document_faults(source, home, most_undated=MOST_NAMED)
    records, warning = faults.records, dg.AssetCheckSeverity.WARN
    return [
        result(TITLED, faults.untitled, looked_at=records),
        result(DATED, faults.named_undated, looked_at=records, count=faults.undated, severity=warning),
        result(READ, faults.unread, looked_at=records, severity=warning),
    ]
