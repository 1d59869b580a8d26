"""What the pages of the record assets share: undated records, a sample, and what has failed."""

from collections.abc import Mapping, Sequence

import dagster as dg

from rag_assets.corpus.record_text import record_text
from rag_assets.model import Record
from rag_assets.orchestration.metadata import Metadatum, sample, table
from rag_assets.sources.fetching.addresses import readers_address

MOST_UNDATED = 20
"""Records without a date that a line of the log names; the summary beside the records names all."""


def describe_undated(undated: Sequence[str], count: int, records: int) -> str:
    """How many records have no date, and which first: 2 of 40 records without as-of date: No.1120, No.1130."""
    if count == records:
        return f"none of its {records} records has an as-of date"
    named = ", ".join(undated[:MOST_UNDATED])
    more = f" … and {count - MOST_UNDATED} more" if count > MOST_UNDATED else ""
    return f"{count} of {records} records without as-of date: {named}{more}"


def undated_metadata(undated: Sequence[str], count: int) -> dict[str, Metadatum]:
    """Which records have no date."""
    return {
        "without as-of date": count,
        "without as-of date, which": table([{"record": record} for record in undated]),
    }


def sample_metadata(record: Record) -> dict[str, Metadatum]:
    """A record for reading, with the address of its original."""
    metadata: dict[str, Metadatum] = {"sample": sample(f"{record.label} {record.title}\n{record_text(record)}")}
    if address := readers_address(record.url):
        metadata["original of the sample"] = dg.MetadataValue.url(address)
    return metadata


def as_of_label(record: Record) -> str:
    """As of when a record speaks, in its own words; empty where it does not say."""
    return record.as_of.label if record.as_of else ""


def describe_failed(things: str, what: str, failed: Mapping[str, str]) -> str:
    """How many things have failed, and each with why, a line each.

    Args:
        things: What has failed, such as `document(s)`.
        what: What it could not be, and what to do.
        failed: Why, by name.
    """
    return "\n".join([f"{len(failed)} {things} {what}.", *(f"  {name}: {why}" for name, why in failed.items())])


def failed_table(thing: str, failed: Mapping[str, str]) -> dg.MetadataValue:
    """What has failed and why, as a table whose first column names the thing."""
    return table([{thing: name, "why": why} for name, why in failed.items()])
