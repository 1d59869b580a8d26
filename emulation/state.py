"""What the emulated account holds: Knowledge Bases, their data sources, documents and jobs; and its limits."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from emulation.chunking import Chunking
from emulation.clocks import Pace, PollPace
from emulation.errors import not_found
from emulation.search_index import SearchIndex
from emulation.sidecar_rules import Attributes

Store = Literal["S3_VECTORS", "RDS", "OPENSEARCH_SERVERLESS"]
"""Type of the vector store; RDS is Aurora PostgreSQL."""

RUNNING = ("STARTING", "IN_PROGRESS", "STOPPING")


@dataclass(frozen=True)
class Behaviour:
    """How the emulated account behaves; the defaults are those of a real one, but for time.

    Attributes:
        region: The only region in which it has anything.
        account: Account number.
        pace: How fast jobs go.
        jobs_per_account: How many ingestion jobs may run at once.
        starts_per_second: Rate of StartIngestionJob above which it is throttled; the real one is 0.1. None: no limit.
        results_per_page: How many results of Retrieve fit into one answer.
        skips_counted: Whether `numberOfDocumentsSkipped` tells of files that were skipped silently.
        unnoticed_looks: How many looks at a document that was taken directly still tell what it was before.
    """

    region: str = "ap-northeast-1"
    account: str = "123456789012"
    pace: Pace = field(default_factory=PollPace)
    jobs_per_account: int = 5
    starts_per_second: float | None = None
    results_per_page: int = 100
    skips_counted: bool = True
    unnoticed_looks: int = 0


@dataclass(frozen=True)
class Seen:
    """An S3 object as a listing tells it; equal where nothing changed.

    The time is left out of that: S3 tells it in seconds, so that a test would depend on when it runs.
    """

    key: str
    etag: str
    size: int
    modified: datetime = field(compare=False)


@dataclass
class Document:
    """A document that a data source knows of.

    Attributes:
        uri: `s3://bucket/key`.
        status: As GetKnowledgeBaseDocuments tells it.
        updated: When that came about.
        indexed: The object its chunks were made of; None where it has none.
        sidecar: The sidecar that went with it; None where there was none.
        reason: Why it is as it is.
        inline: Attributes given with a direct ingestion.
    """

    uri: str
    status: str
    updated: datetime
    indexed: Seen | None = None
    sidecar: Seen | None = None
    reason: str | None = None
    inline: Attributes | None = None


@dataclass(frozen=True)
class Work:
    """One document that a job has to do something about.

    Attributes:
        uri: The document.
        kind: What has become of it since it was last indexed; `metadata`: only its sidecar is another.
        seen: The object; None where it is gone.
        sidecar: Its sidecar; None where there is none.
        sidecar_changed: The sidecar was changed or taken away.
    """

    uri: str
    kind: Literal["new", "modified", "metadata", "deleted"]
    seen: Seen | None
    sidecar: Seen | None
    sidecar_changed: bool = False


@dataclass
class Statistics:
    """What a job has done so far."""

    scanned: int = 0
    metadata_scanned: int = 0
    new: int = 0
    modified: int = 0
    metadata_modified: int = 0
    deleted: int = 0
    failed: int = 0
    skipped: int = 0

    def told(self) -> dict[str, int]:
        """Under the names of the service."""
        return {
            "numberOfDocumentsScanned": self.scanned,
            "numberOfMetadataDocumentsScanned": self.metadata_scanned,
            "numberOfNewDocumentsIndexed": self.new,
            "numberOfModifiedDocumentsIndexed": self.modified,
            "numberOfMetadataDocumentsModified": self.metadata_modified,
            "numberOfDocumentsDeleted": self.deleted,
            "numberOfDocumentsFailed": self.failed,
            "numberOfDocumentsSkipped": self.skipped,
        }


@dataclass
class Job:
    """An ingestion job."""

    job_id: str
    knowledge_base_id: str
    data_source_id: str
    description: str | None
    started: datetime
    updated: datetime
    status: str = "STARTING"
    polls: int = 0
    work: Sequence[Work] = ()
    done: int = 0
    statistics: Statistics = field(default_factory=Statistics)
    failures: dict[str, list[str]] = field(default_factory=dict)
    broken: str | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.status in RUNNING


@dataclass
class DataSource:
    """A prefix of a bucket that a Knowledge Base reads."""

    data_source_id: str
    knowledge_base_id: str
    name: str
    bucket: str
    prefix: str | None
    chunking: Chunking
    deletion_policy: Literal["DELETE", "RETAIN"]
    created: datetime
    documents: dict[str, Document] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)

    def uri(self, key: str) -> str:
        """Of an object in its bucket."""
        return f"s3://{self.bucket}/{key}"

    def covers(self, uri: str) -> bool:
        """Whether the object lies where the data source reads."""
        return uri.startswith(self.uri(self.prefix or ""))


@dataclass
class KnowledgeBase:
    """A Knowledge Base with its vector store."""

    knowledge_base_id: str
    name: str
    store: Store
    created: datetime
    data_sources: dict[str, DataSource] = field(default_factory=dict)
    index: SearchIndex = field(default_factory=SearchIndex)


class Account:
    """Everything there is, in one region."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.knowledge_bases: dict[str, KnowledgeBase] = {}
        self._made = 0

    def new_id(self, kind: str) -> str:
        """An ID as the service makes them, the same in every run."""
        self._made += 1
        number = int.from_bytes(hashlib.sha256(f"{kind} {self._made}".encode()).digest()[:8], "big")
        digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        return "".join(digits[number // 36**place % 36] for place in range(10))

    def knowledge_base(self, knowledge_base_id: str) -> KnowledgeBase:
        """The Knowledge Base of an ID.

        Raises:
            ServiceError: There is none.
        """
        if knowledge_base_id not in self.knowledge_bases:
            raise not_found("Knowledge Base", knowledge_base_id)
        return self.knowledge_bases[knowledge_base_id]

    def data_source(self, knowledge_base_id: str, data_source_id: str) -> tuple[KnowledgeBase, DataSource]:
        """A data source and the Knowledge Base it belongs to.

        Raises:
            ServiceError: One of them is not there.
        """
        knowledge_base = self.knowledge_base(knowledge_base_id)
        if data_source_id not in knowledge_base.data_sources:
            raise not_found("Data source", data_source_id)
        return knowledge_base, knowledge_base.data_sources[data_source_id]

    def job(self, knowledge_base_id: str, data_source_id: str, job_id: str) -> Job:
        """An ingestion job.

        Raises:
            ServiceError: It is not there.
        """
        _, data_source = self.data_source(knowledge_base_id, data_source_id)
        if job_id not in data_source.jobs:
            raise not_found("Ingestion job", job_id)
        return data_source.jobs[job_id]

    def running_jobs(self) -> list[Job]:
        """The jobs that have not ended."""
        return [
            job
            for knowledge_base in self.knowledge_bases.values()
            for data_source in knowledge_base.data_sources.values()
            for job in data_source.jobs.values()
            if job.running
        ]
