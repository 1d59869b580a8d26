"""What an ingestion job tells of itself, and whether that means that nothing was lost.

Pure: no call is made here. A job that ended COMPLETE has not necessarily taken everything in. One was seen that
scanned 383 documents, indexed none, and told 0 failed and 0 skipped; only `failureReasons` said that all were ignored.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from rag_assets.model import Model


class Statistics(Model):
    """What a job has done so far, in documents (sidecars for the two metadata counts).

    Source: IngestionJobStatistics in the API reference of Agents for Amazon Bedrock. Whether `skipped` counts documents
    that needed no work as well, it does not say.
    """

    scanned: int = 0
    metadata_scanned: int = 0
    new: int = 0
    modified: int = 0
    metadata_modified: int = 0
    deleted: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        told = {
            "new": self.new,
            "modified": self.modified,
            "sidecars modified": self.metadata_modified,
            "deleted": self.deleted,
            "failed": self.failed,
            "skipped": self.skipped,
        }
        parts = [f"{name} {number:,}" for name, number in told.items() if number]
        return ", ".join([f"scanned {self.scanned:,} documents and {self.metadata_scanned:,} sidecars", *parts])


def statistics_of(job: Mapping[str, Any]) -> Statistics:
    """The counts of a job as GetIngestionJob tells it; a count that is left out is 0."""
    told: Mapping[str, int] = job.get("statistics") or {}
    return Statistics(
        scanned=told.get("numberOfDocumentsScanned", 0),
        metadata_scanned=told.get("numberOfMetadataDocumentsScanned", 0),
        new=told.get("numberOfNewDocumentsIndexed", 0),
        modified=told.get("numberOfModifiedDocumentsIndexed", 0),
        metadata_modified=told.get("numberOfMetadataDocumentsModified", 0),
        deleted=told.get("numberOfDocumentsDeleted", 0),
        failed=told.get("numberOfDocumentsFailed", 0),
        skipped=told.get("numberOfDocumentsSkipped", 0),
    )


class Expected(Model):
    """What lies under the prefix after a sync of the objects.

    Attributes:
        documents: Objects that are documents.
        sidecars: Objects that are sidecars; None where that is not known.
        fingerprint: Over the keys and contents of all of them: the same where, and only where, they are the same.
    """

    documents: int = Field(ge=0)
    sidecars: int | None = Field(default=None, ge=0)
    fingerprint: str = Field(min_length=1)


class Pending(Model):
    """How many documents were changed in the bucket since the last good ingestion, by whichever syncs.

    Each is counted once, by what became of it in the end. What was changed and changed back, or came and went, counts
    as well: these are the most that a job can have to do, not the least.

    Attributes:
        new: Were not there before.
        changed: Have another text.
        metadata_changed: Have another sidecar only.
        deleted: Are gone.
    """

    new: int = Field(default=0, ge=0)
    changed: int = Field(default=0, ge=0)
    metadata_changed: int = Field(default=0, ge=0)
    deleted: int = Field(default=0, ge=0)

    @property
    def total(self) -> int:
        """Documents in all."""
        return self.new + self.changed + self.metadata_changed + self.deleted


def failure_reasons_of(job: Mapping[str, Any]) -> tuple[str, ...]:
    """The reasons of a job in plain words: the service tells them as JSON lists, each in a string."""
    return tuple(reason for told in job.get("failureReasons") or () for reason in _reasons_in(told))


def _reasons_in(told: str) -> Sequence[str]:
    try:
        found = json.loads(told)
    except ValueError:
        return [told]
    return [str(reason) for reason in found] if isinstance(found, list) else [told]


def job_faults(status: str, statistics: Statistics, reasons: Sequence[str], expected: Expected) -> list[str]:
    """What is wrong with a job that has ended, as far as it tells itself; empty where nothing is.

    Skipped documents are no fault by themselves: `is_proven` then wants the documents looked at one by one.

    Args:
        status: COMPLETE, FAILED or STOPPED.
        statistics: Its counts.
        reasons: Its failure reasons.
        expected: What was uploaded.
    """
    if status == "STOPPED":
        return ["it was stopped (StopIngestionJob, or Stop in the console) before it had done everything"]
    if status != "COMPLETE":
        return [f"it ended {status}", *(f"the service says: {reason}" for reason in reasons)]
    faults = [f"{statistics.failed:,} document(s) failed"] if statistics.failed else []
    faults += [f"the service says: {reason}" for reason in reasons]
    if statistics.scanned != expected.documents:
        faults.append(
            f"it scanned {statistics.scanned:,} documents, but {expected.documents:,} were uploaded: the bucket was "
            "changed meanwhile, or the data source reads something else"
        )
    if expected.sidecars is not None and statistics.metadata_scanned != expected.sidecars:
        faults.append(
            f"it scanned {statistics.metadata_scanned:,} sidecars, but {expected.sidecars:,} were uploaded: "
            "metadata filters would miss documents"
        )
    return faults


def is_proven(statistics: Statistics, expected: Expected, pending: Pending, *, all_pending: bool) -> bool:
    """Whether the counts of a job without faults prove that every document is in the Knowledge Base, as it is now.

    They do where all documents are new, or where this one job did all that has happened since the last good ingestion.
    Otherwise the documents have to be looked at one by one: the job left something out without a word, or an earlier
    one had taken it in already.

    Args:
        statistics: Its counts.
        expected: What was uploaded.
        pending: What was changed.
        all_pending: Whether that is everything since a good ingestion; not where none is known of.
    """
    if statistics.skipped or statistics.deleted < pending.deleted:
        return False
    if statistics.new == expected.documents > 0:
        return True
    touched = statistics.modified + statistics.metadata_modified
    return (
        all_pending
        and pending.total > 0
        and statistics.new >= pending.new
        and statistics.modified >= pending.changed
        # Whether a document with both changed counts twice is not told: at least once it does.
        and touched >= pending.changed + pending.metadata_changed
    )
