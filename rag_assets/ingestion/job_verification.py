"""Verifies an ingestion job by its own counts and failure reasons: do they prove that nothing was lost?

Nothing here calls the service. A job that ended COMPLETE has not necessarily ingested everything. One was seen that
scanned 383 documents, indexed none, and showed 0 failed and 0 skipped; only `failureReasons` said that it ignored all.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from rag_assets.corpus.sidecar_limits import IN_S3_VECTORS
from rag_assets.model import Model


class JobStatistics(Model):
    """What a job has done so far, in documents (sidecars for the two metadata counts).

    https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_IngestionJobStatistics.html does not say whether
    `skipped` also counts documents that needed no work.
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


def read_statistics(job: Mapping[str, Any]) -> JobStatistics:
    """The counts of a job as GetIngestionJob shows it; a missing count is 0."""
    told: Mapping[str, int] = job.get("statistics") or {}
    return JobStatistics(
        scanned=told.get("numberOfDocumentsScanned", 0),
        metadata_scanned=told.get("numberOfMetadataDocumentsScanned", 0),
        new=told.get("numberOfNewDocumentsIndexed", 0),
        modified=told.get("numberOfModifiedDocumentsIndexed", 0),
        metadata_modified=told.get("numberOfMetadataDocumentsModified", 0),
        deleted=told.get("numberOfDocumentsDeleted", 0),
        failed=told.get("numberOfDocumentsFailed", 0),
        skipped=told.get("numberOfDocumentsSkipped", 0),
    )


class ExpectedObjects(Model):
    """What is under the prefix after a sync.

    Attributes:
        documents: Objects that are documents.
        sidecars: Objects that are sidecars; None if that is not known.
        fingerprint: Hash over the keys and contents of all of them.
        foreign: Objects of others beside them that a job may take for documents.
        foreign_sidecars: Sidecars of others.
    """

    documents: int = Field(ge=0)
    sidecars: int | None = Field(default=None, ge=0)
    fingerprint: str = Field(min_length=1)
    foreign: int = Field(default=0, ge=0)
    foreign_sidecars: int = Field(default=0, ge=0)


class PendingCounts(Model):
    """How many documents were changed in the bucket since the last good ingestion, by any syncs.

    Each counts once, by its last change. What was changed and changed back, or came and went, counts as well: a job has
    to do at most so much.

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


ProblemKind = Literal[
    "stopped", "bucket", "rights", "sidecars", "files", "failed", "scan", "missing", "surplus", "unnamed", "unseen"
]
"""What is wrong, as far as the remedy depends on it:

- stopped: a person ended the job;
- bucket: it is not there, or not where the Knowledge Base may read it; rights: the Knowledge Base lacks some;
- sidecars: are too large; files: something else about the files that are told of;
- failed: the job broke off for another reason;
- scan: it read other files than were uploaded;
- missing, surplus: the Knowledge Base holds fewer, or other, documents;
- unnamed: it left documents as they were, and their addresses are too long to ingest them by name;
- unseen: the documents could not be looked at.
"""


_REMEDIES: Mapping[ProblemKind, str] = {
    "stopped": "Nothing has to be mended.",
    "bucket": "Create the bucket in the Knowledge Base's region, or correct it in the settings.",
    "rights": "Allow the Knowledge Base's own role (not yours) what it lacks: s3:ListBucket on the bucket, "
    "s3:GetObject on the prefix, bedrock:InvokeModel on the embedding model, and access to the vector store. A model "
    "that is not Amazon's has to be opened to the account first (docs/aws.md, step 1: Model).",
    "sidecars": f"Shorten the sidecars: on S3 Vectors the whole file may have {IN_S3_VECTORS.most_bytes:,} bytes.",
    "files": "Look at the files that are named, and at the sidecars beside them: a text that cannot be read or is too "
    "large fails, and a file whose sidecar has an empty value, or is too large, is left out without a reason.",
    "failed": "Mend what the reasons name, where they do.",
    "scan": "See that nobody else changes the bucket while a job runs, and that the data source reads just this place.",
    "missing": "Run s3_objects too: with it every document is looked for by name, and taken in where it is missing.",
    "surplus": "If they are still told of after the next job, take them out by name (DeleteKnowledgeBaseDocuments), or "
    "delete the data source and create another.",
    "unnamed": "Shorten the prefix in the settings, and with it in the data source, so that every address has 128 "
    "characters at most.",
    "unseen": "",
}


@dataclass(frozen=True)
class JobProblem:
    """Something that is wrong after an ingestion job.

    Attributes:
        kind: What it is.
        told: The same in words.
    """

    kind: ProblemKind
    told: str

    def __str__(self) -> str:
        return self.told


def describe_problems(place: str, faults: Sequence[JobProblem]) -> str:
    """What is wrong with an ingestion, and what to do about it, in lines.

    Args:
        place: Where.
        faults: At least one. The first is the job's, the others, if any, say what is behind it.
    """
    first, *others = faults
    remedies = dict.fromkeys(_REMEDIES[fault.kind] for fault in others or faults)
    return "\n".join(
        [
            f"{place}: not everything that was uploaded is in the Knowledge Base ({first}).",
            *(f"- {fault}" for fault in others),
            f"What to do: {' '.join(filter(None, remedies))} Then run again: a new job is started.",
        ]
    )


_NAMES = re.compile(r"\[Files: .*\]|s3://\S+")
"""Names of files in a reason, which may hold any word."""

_SIGNS: Mapping[ProblemKind, re.Pattern[str]] = {
    "bucket": re.compile(r"\bNoSuchBucket\b|bucket does not exist|must be in the knowledge base's region", re.I),
    "rights": re.compile(r"\bAccessDenied(Exception)?\b|\baccess denied\b|\bnot authorized\b|status code: 403\b", re.I),
    "sidecars": re.compile(r"\bmetadata was larger\b|\bMaximumFileSize\b", re.I),
}


def classify_reason(reason: str, otherwise: ProblemKind) -> ProblemKind:
    """What a reason is about; the service gives it in words only."""
    words = _NAMES.sub("", reason)
    return next((kind for kind, sign in _SIGNS.items() if sign.search(words)), otherwise)


def read_failure_reasons(job: Mapping[str, Any]) -> tuple[str, ...]:
    """The reasons of a job; the service gives them as JSON lists, each in a string."""
    return tuple(reason for told in job.get("failureReasons") or () for reason in _split_reasons(told))


def _split_reasons(told: str) -> Sequence[str]:
    try:
        found = json.loads(told)
    except ValueError:
        return [told]
    return [str(reason) for reason in found] if isinstance(found, list) else [told]


def find_job_problems(
    status: str, statistics: JobStatistics, reasons: Sequence[str], expected: ExpectedObjects
) -> list[JobProblem]:
    """What is wrong with a job that has ended, as far as it tells itself; empty where nothing is.

    Skipped documents are no fault by themselves: `proves_complete` then wants the documents looked at one by one.

    Args:
        status: COMPLETE, FAILED or STOPPED.
        statistics: Its counts.
        reasons: Its failure reasons.
        expected: What was uploaded.
    """
    if status == "STOPPED":
        return [
            JobProblem(
                "stopped", "it was stopped (StopIngestionJob, or Stop in the console) before it had done everything"
            )
        ]
    broken = status != "COMPLETE"
    told = [
        JobProblem(classify_reason(reason, "failed" if broken else "files"), f"the service says: {reason}")
        for reason in reasons
    ]
    if broken:
        return [JobProblem(told[0].kind if told else "failed", f"it ended {status}"), *told]
    return [*_find_failed_files(statistics, told, expected), *_find_scan_problems(statistics, expected)]


def _find_failed_files(
    statistics: JobStatistics, told: list[JobProblem], expected: ExpectedObjects
) -> list[JobProblem]:
    """What it says of files. If there are foreign ones, it may be about those: the documents themselves will show."""
    if expected.foreign or expected.foreign_sidecars:
        return []
    failed = [JobProblem(told[0].kind if told else "files", f"{statistics.failed:,} document(s) failed")]
    return (failed if statistics.failed else []) + told


def _find_scan_problems(statistics: JobStatistics, expected: ExpectedObjects) -> list[JobProblem]:
    """Whether it has read all that was uploaded, and no more than is there.

    It is not documented whether a file that the service cannot read, such as a foreign one, counts as scanned.
    """
    faults = []
    left_out = expected.documents - statistics.scanned
    if left_out > 0 or -left_out > expected.foreign:
        explained = 0 < left_out <= statistics.failed + statistics.skipped
        faults.append(
            JobProblem(
                "files" if explained else "scan",
                f"it scanned {statistics.scanned:,} documents, but {expected.documents:,} were uploaded"
                + _describe_foreign(expected.foreign),
            )
        )
    if expected.sidecars is not None:
        too_many = statistics.metadata_scanned - expected.sidecars
        if not 0 <= too_many <= expected.foreign_sidecars:
            faults.append(
                JobProblem(
                    "scan",
                    f"it scanned {statistics.metadata_scanned:,} sidecars, but {expected.sidecars:,} were uploaded"
                    f"{_describe_foreign(expected.foreign_sidecars)}: metadata filters would miss documents",
                )
            )
    return faults


def _describe_foreign(foreign: int) -> str:
    return f" (and {foreign:,} not sent from here)" if foreign else ""


def proves_complete(
    statistics: JobStatistics, expected: ExpectedObjects, pending: PendingCounts, *, all_pending: bool
) -> bool:
    """Whether the counts of a job without faults prove that every document is in the Knowledge Base, as it is now.

    They do where all documents were uploaded for the first time and are new, or where this one job did all that has
    happened since the last good ingestion. Otherwise the documents have to be looked at one by one: the job left
    something out without a word, or an earlier one had taken it in already, or documents of others are counted too.

    Args:
        statistics: Its counts.
        expected: What was uploaded.
        pending: What was changed.
        all_pending: Whether that is everything since a good ingestion; not where none is known of.
    """
    if statistics.skipped or statistics.deleted < pending.deleted or expected.foreign:
        return False
    if statistics.new == pending.new == expected.documents > 0:
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
