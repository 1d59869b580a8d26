"""Everything of the project that asks AWS, each with a real client, to be held to the same rules."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emulation.local_aws import make_client
from rag_assets.ingestion.data_source import check_setup
from rag_assets.ingestion.service import IngestionService
from rag_assets.retrieval.bedrock_calls import BedrockPatience, Tell
from rag_assets.retrieval.bedrock_embedders import CohereEmbedder, TitanEmbedder
from rag_assets.retrieval.knowledge_base import KnowledgeBaseSearch, KnowledgeBaseSettings
from rag_assets.s3.locations import IngestionTarget, S3Location
from rag_assets.s3.uploading import list_objects
from rag_assets_tests.http_server import Answer
from rag_assets_tests.sources.fetching.fake_clock import FakeClock

REGION = "ap-northeast-1"
TARGET = IngestionTarget(
    knowledge_base_id="A" * 10, data_source_id="B" * 10, bucket="a-bucket", prefix="raw/", chunking="NONE"
)
IDS = TARGET.ids


@dataclass(frozen=True)
class Caller:
    """One way to ask.

    Attributes:
        ask: Asks with a client and a clock, and reads of the answer what the project reads. Those that ask a runtime
            service take a `Tell` as well.
        good: What a service answers, as JSON.
        limit: Seconds that it waits for what passes.
        service: Of AWS.
    """

    ask: Callable[..., object]
    good: Mapping[str, Any]
    limit: int
    service: str

    def client(self, url: str, **further: Any) -> Any:
        """As the project makes one, but that boto3 itself tries once."""
        from botocore.config import Config

        config = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=0.5)
        return make_client(self.service, url, **{"region_name": REGION, "config": config} | further)

    def asked(self, url: str, clock: FakeClock | None = None) -> object:
        """What it gets."""
        return self.ask(self.client(url), clock or FakeClock())


def answer(members: object, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(status, json.dumps(members).encode(), {"Content-Type": "application/json"})


def refusal(code: str, status: int, message: str = "as told") -> Answer:
    """A refusal as Bedrock makes it."""
    return Answer(status, json.dumps({"message": message}).encode(), {"x-amzn-ErrorType": f"{code}:http://internal/"})


def page(text: str = "<html>Please log in to the network</html>", status: int = 200) -> Answer:
    """What a proxy answers in the place of a service."""
    return Answer(status, text.encode(), {"Content-Type": "text/html"})


def _set_up(client: Any, clock: FakeClock) -> object:
    return check_setup(client, TARGET, clock=clock.clock())


def _documents(client: Any, clock: FakeClock) -> object:
    details = IngestionService(client, "a data source", clock.clock()).call("ListKnowledgeBaseDocuments", **IDS)
    return [(detail["status"], detail["identifier"]["s3"]["uri"]) for detail in details["documentDetails"]]


def _started(client: Any, clock: FakeClock) -> object:
    started = IngestionService(client, "a data source", clock.clock()).start(
        "StartIngestionJob", **IDS, clientToken="t" * 33
    )
    return started["ingestionJob"]["ingestionJobId"]


def _untold(_: str) -> None:
    pass


def _found(client: Any, clock: FakeClock, tell: Tell = _untold) -> object:
    settings = KnowledgeBaseSettings(**TARGET.model_dump(), variant="raw", verify_order=False)
    return KnowledgeBaseSearch(client, settings, patience=BedrockPatience(clock=clock.clock(), tell=tell)).search(
        "食事"
    )


def _titan(client: Any, clock: FakeClock, tell: Tell = _untold) -> object:
    return TitanEmbedder(client, 256, patience=BedrockPatience(clock=clock.clock(), tell=tell)).embed(["食事"])


def _cohere(client: Any, clock: FakeClock, tell: Tell = _untold) -> object:
    return CohereEmbedder(client, patience=BedrockPatience(clock=clock.clock(), tell=tell)).embed(["食事"])


def _listed(client: Any, clock: FakeClock) -> object:
    return list(list_objects(client, S3Location(bucket="a-bucket", prefix="raw/")))


# Answers GetKnowledgeBase and GetDataSource alike.
_SET_UP = {
    "knowledgeBase": {"status": "ACTIVE", "knowledgeBaseConfiguration": {"type": "VECTOR"}},
    "dataSource": {
        "status": "AVAILABLE",
        "dataSourceConfiguration": {
            "type": "S3",
            "s3Configuration": {"bucketArn": "arn:aws:s3:::a-bucket", "inclusionPrefixes": ["raw/"]},
        },
        "vectorIngestionConfiguration": {"chunkingConfiguration": {"chunkingStrategy": "NONE"}},
    },
}
_DOCUMENT = {
    "status": "INDEXED",
    "identifier": {"dataSourceType": "S3", "s3": {"uri": "s3://a-bucket/raw/a.txt"}},
}
_RESULT = {
    "content": {"text": "食事"},
    "location": {"type": "S3", "s3Location": {"uri": "s3://a-bucket/raw/s/1.txt"}},
    "metadata": {"record_id": "s/1", "chunk_id": "s/1"},
    "score": 0.5,
}
BEDROCK = {
    "set-up": Caller(_set_up, _SET_UP, 300, "bedrock-agent"),
    "documents": Caller(_documents, {"documentDetails": [_DOCUMENT]}, 300, "bedrock-agent"),
    "start": Caller(
        _started, {"ingestionJob": {"ingestionJobId": "J" * 10, "status": "STARTING"}}, 300, "bedrock-agent"
    ),
    "Retrieve": Caller(_found, {"retrievalResults": [_RESULT]}, 60, "bedrock-agent-runtime"),
    "Titan": Caller(_titan, {"embedding": [1.0] * 256}, 60, "bedrock-runtime"),
    "Cohere": Caller(_cohere, {"embeddings": [[1.0] * 1024]}, 60, "bedrock-runtime"),
}
S3 = Caller(_listed, {}, 0, "s3")
