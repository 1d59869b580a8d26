"""A Knowledge Base with `raw` and `prepared` side by side, a stand-in for the sync of objects, and time to move.

The clients are boto3's, the servers those of `emulation`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emulation.chunking import FixedSize
from emulation.clocks import ManualClock
from emulation.faults import Faults
from emulation.local_aws import LocalAws, local_aws
from emulation.state import Behaviour
from rag_assets.clock import Clock
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.changes import record_changes
from rag_assets.ingestion.ingestion import ingest
from rag_assets.ingestion.job_verification import ExpectedObjects, PendingCounts
from rag_assets.ingestion.ledger import ChangedDocuments, open_ledger
from rag_assets.ingestion.service import IngestionProgress
from rag_assets.ingestion.state import IngestionState
from rag_assets.s3.locations import IngestionTarget
from rag_assets.s3.objects import ObjectChange

BUCKET = "a-bucket"
VARIANTS = ("raw", "prepared")
SIDECAR = ".metadata.json"


class Time:
    """Time that passes only while somebody sleeps; the emulation's clock goes along with it."""

    def __init__(self, emulation: ManualClock) -> None:
        self._emulation = emulation
        self._start = emulation.now()
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.go_by(seconds)

    def go_by(self, seconds: float) -> None:
        """Let time pass though nobody sleeps: something takes that long."""
        self._emulation.advance(seconds)

    @property
    def clock(self) -> Clock:
        return Clock(
            now=self._emulation.now,
            monotonic=lambda: (self._emulation.now() - self._start).total_seconds(),
            sleep=self.sleep,
        )


@dataclass
class Bench:
    """What a test works at."""

    aws: LocalAws
    folder: Path
    targets: Mapping[str, IngestionTarget]
    time: Time
    agent: Any
    told: list[IngestionProgress] = field(default_factory=list)

    @property
    def faults(self) -> Faults:
        return self.aws.service.faults

    def state_file(self, variant: str = "prepared") -> Path:
        return self.folder / f"{variant}.json"

    def state(self, variant: str = "prepared") -> IngestionState:
        with open_ledger(self.state_file(variant), self.targets[variant]) as ledger:
            return ledger.state

    def pending(self, variant: str = "prepared") -> tuple[PendingCounts, ChangedDocuments]:
        """What is pending: how many documents of each kind, and which."""
        with open_ledger(self.state_file(variant), self.targets[variant]) as ledger:
            changes = ledger.list_changed(10**6)
            assert changes is not None
            return ledger.count_pending(), changes

    def sync(
        self,
        put: Mapping[str, str | bytes] | None = None,
        *,
        sidecars: Mapping[str, Mapping[str, Any]] | None = None,
        delete: tuple[str, ...] = (),
        foreign: tuple[str, ...] = (),
        variant: str = "prepared",
    ) -> ExpectedObjects:
        """Put documents with their sidecars into the bucket, change sidecars alone, delete others.

        What is foreign lies there already.
        """
        put, sidecars, target = put or {}, sidecars or {}, self.targets[variant]
        before = self.etags(variant)
        self.time.go_by(1)
        with record_changes(self.state_file(variant), target) as note:
            for name in {**put, **sidecars}:
                change: ObjectChange = "changed" if target.prefix + name in before else "new"
                for key in ([name] if name in put else []) + [name + SIDECAR]:
                    note(change, target.prefix + key)
            for name in delete:
                for key in (name, name + SIDECAR):
                    note("deleted", target.prefix + key)
            touched = {target.prefix + name + suffix for name in {*put, *sidecars, *delete} for suffix in ("", SIDECAR)}
            others = {target.prefix + name for name in foreign}
            for key in sorted(before.keys() - touched - others):
                note("unchanged", key)
            for key in sorted(others):
                note("foreign", key)
        for name, text in put.items():
            self.put(target.prefix + name, text if isinstance(text, bytes) else text.encode())
            self.put_sidecar(target, name, {"variant": variant, "name": name})
        for name, attributes in sidecars.items():
            self.put_sidecar(target, name, attributes)
        for name in delete:
            for key in (name, name + SIDECAR):
                self.aws.s3.delete_object(Bucket=BUCKET, Key=target.prefix + key)
        return self.expected(variant, foreign)

    def expected(self, variant: str = "prepared", foreign: tuple[str, ...] = ()) -> ExpectedObjects:
        """What a sync with nothing to do tells."""
        prefix = self.targets[variant].prefix
        etags = {key: etag for key, etag in self.etags(variant).items() if key.removeprefix(prefix) not in foreign}
        sidecars = sum(key.endswith(SIDECAR) for key in etags)
        fingerprint = hashlib.sha256(json.dumps(sorted(etags.items())).encode()).hexdigest()
        foreign_sidecars = sum(key.endswith(SIDECAR) for key in foreign)
        return ExpectedObjects(
            documents=len(etags) - sidecars,
            sidecars=sidecars,
            fingerprint=fingerprint,
            foreign=len(foreign) - foreign_sidecars,
            foreign_sidecars=foreign_sidecars,
        )

    def etags(self, variant: str) -> dict[str, str]:
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(
            Bucket=BUCKET, Prefix=self.targets[variant].prefix
        )
        return {one["Key"]: one["ETag"] for page in pages for one in page.get("Contents", [])}

    def put(self, key: str, content: bytes) -> None:
        self.aws.s3.put_object(Bucket=BUCKET, Key=key, Body=content)

    def put_sidecar(self, target: IngestionTarget, name: str, attributes: Mapping[str, Any]) -> None:
        content = json.dumps({"metadataAttributes": attributes}, ensure_ascii=False).encode()
        self.put(target.prefix + name + SIDECAR, content)

    def ingest(
        self, expected: ExpectedObjects | None = None, variant: str = "prepared", **settings: Any
    ) -> IngestionReport:
        """With this bench's time; what a sync with nothing to do tells unless told otherwise."""
        return ingest(
            settings.pop("agent", self.agent),
            self.targets[variant],
            expected or self.expected(variant),
            self.state_file(variant),
            clock=self.time.clock,
            on_progress=settings.pop("on_progress", self.told.append),
            **settings,
        )

    def found(self, question: str, variant: str = "prepared") -> list[str]:
        """Names of the documents of a variant in whose text the question stands, as Retrieve finds them.

        Retrieve tells every document that it has, however far: only the text that is found says what it holds. None
        that is found may be of another variant.
        """
        target = self.targets[variant]
        results = self.aws.client("bedrock-agent-runtime").retrieve(
            knowledgeBaseId=target.knowledge_base_id,
            retrievalQuery={"text": question},
            retrievalConfiguration={
                "vectorSearchConfiguration": {
                    "numberOfResults": 100,
                    "filter": {"equals": {"key": "x-amz-bedrock-kb-data-source-id", "value": target.data_source_id}},
                }
            },
        )["retrievalResults"]
        assert {result["metadata"].get("variant", variant) for result in results} <= {variant}
        return sorted(
            {
                result["location"]["s3Location"]["uri"].rpartition("/")[2]
                for result in results
                if question in result["content"]["text"]
            }
        )

    def texts(self, variant: str = "prepared") -> list[str]:
        """What the Knowledge Base holds of a variant."""
        target = self.targets[variant]
        chunks = self.aws.service.account.knowledge_base(target.knowledge_base_id).index.meanings("-")
        return sorted(chunk.text for chunk, _ in chunks if chunk.data_source_id == target.data_source_id)

    def starts(self) -> int:
        """Jobs that were started, by anybody."""
        jobs = [
            job
            for target in self.targets.values()
            for job in self.agent.list_ingestion_jobs(**target.ids)["ingestionJobSummaries"]
        ]
        return len(jobs)


@contextmanager
def standing(folder: Path, **behaviour: Any) -> Iterator[Bench]:
    """A bench with an empty bucket and nothing ingested."""
    clock = ManualClock()
    with local_aws(Behaviour(**behaviour), clock) as aws:
        aws.create_bucket(BUCKET)
        knowledge_base_id = aws.service.add_knowledge_base()
        targets = {}
        for variant in VARIANTS:
            chunking = FixedSize() if variant == "raw" else None
            ids = aws.service.add_data_source(knowledge_base_id, BUCKET, f"{variant}/", chunking, name=variant)
            targets[variant] = IngestionTarget(
                knowledge_base_id=knowledge_base_id,
                data_source_id=ids.data_source_id,
                bucket=BUCKET,
                prefix=f"{variant}/",
                chunking="FIXED_SIZE" if chunking else "NONE",
            )
        yield Bench(aws, folder, targets, Time(clock), aws.client("bedrock-agent", timeout=30))
