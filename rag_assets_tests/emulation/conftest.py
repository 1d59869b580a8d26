"""The emulation, started anew for each test, and one bucket with one data source."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from emulation.local_aws import LocalAws, local_aws
from emulation.service import DataSourceIds


@dataclass(frozen=True)
class Source:
    """A data source with the clients that a test needs."""

    aws: LocalAws
    bucket: str
    ids: DataSourceIds
    agent: Any
    runtime: Any

    @property
    def named(self) -> dict[str, str]:
        """The parameters that name it."""
        return {"knowledgeBaseId": self.ids.knowledge_base_id, "dataSourceId": self.ids.data_source_id}

    def put(self, name: str, text: str | bytes, attributes: Mapping[str, Any] | bytes | None = None) -> None:
        """Upload a document under the prefix, and its sidecar."""
        body = text.encode() if isinstance(text, str) else text
        self.aws.s3.put_object(Bucket=self.bucket, Key=f"docs/{name}", Body=body)
        if attributes is not None:
            self.put_sidecar(name, attributes)

    def put_sidecar(self, name: str, attributes: Mapping[str, Any] | bytes) -> None:
        """Upload a sidecar; bytes as they are."""
        plain = isinstance(attributes, bytes)
        content = attributes if plain else json.dumps({"metadataAttributes": attributes}).encode()
        self.aws.s3.put_object(Bucket=self.bucket, Key=f"docs/{name}.metadata.json", Body=content)

    def remove(self, name: str) -> None:
        """Delete an object under the prefix."""
        self.aws.s3.delete_object(Bucket=self.bucket, Key=f"docs/{name}")

    def start(self, **further: Any) -> str:
        """Start a job."""
        job_id: str = self.agent.start_ingestion_job(**self.named, **further)["ingestionJob"]["ingestionJobId"]
        return job_id

    def job(self, job_id: str) -> dict[str, Any]:
        """A job as GetIngestionJob tells it now."""
        job: dict[str, Any] = self.agent.get_ingestion_job(**self.named, ingestionJobId=job_id)["ingestionJob"]
        return job

    def sync(self) -> dict[str, Any]:
        """A job from its start to its end."""
        job_id = self.start()
        for _ in range(20):
            job = self.job(job_id)
            if job["status"] not in ("STARTING", "IN_PROGRESS", "STOPPING"):
                return job
        raise AssertionError(f"the job does not end: {job}")

    def counts(self) -> dict[str, int]:
        """What a job from its start to its end has done, without what it has not."""
        statistics = self.sync()["statistics"]
        return {name.removeprefix("numberOf"): number for name, number in statistics.items() if number}

    def found(self, question: str, **search: Any) -> list[str]:
        """Names of the documents that Retrieve finds, best first as it says."""
        results = self.runtime.retrieve(
            knowledgeBaseId=self.ids.knowledge_base_id,
            retrievalQuery={"text": question},
            retrievalConfiguration={"vectorSearchConfiguration": search},
        )["retrievalResults"]
        return [result["location"]["s3Location"]["uri"].rpartition("/")[2] for result in results]


def source_of(aws: LocalAws, bucket: str = "a-bucket", **further: Any) -> Source:
    """A Knowledge Base with one data source that reads `docs/` of a new bucket."""
    store = further.pop("store", "OPENSEARCH_SERVERLESS")
    aws.create_bucket(bucket)
    ids = aws.service.add_data_source(aws.service.add_knowledge_base(store=store), bucket, "docs/", **further)
    return Source(aws, bucket, ids, aws.client("bedrock-agent"), aws.client("bedrock-agent-runtime"))


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    """The emulation as it is unless told otherwise."""
    with local_aws() as running:
        yield running


@pytest.fixture
def source(aws: LocalAws) -> Source:
    """Its only data source, with an empty bucket."""
    return source_of(aws)
