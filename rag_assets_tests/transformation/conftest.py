"""Two buckets on moto's S3, and calls as the service makes them."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import PurePosixPath
from typing import Any

import pytest

from emulation.local_aws import LocalAws, local_aws
from rag_assets.transformation.configuration import read_configuration
from rag_assets.transformation.event import read_event
from rag_assets.transformation.handler import transform

SOURCE = "my-documents"
INTERMEDIATE = "my-intermediate"

HELPDESK = {
    "source": "csv_rows",
    "location": "helpdesk.csv",
    "document": "架空商会の記録",
    "id": "番号",
    "title": "件名",
    "text": ["質問", "回答"],
    "long": {"history": "経緯"},
    "metadata": {"received": {"column": "受付日", "type": "date"}},
    "shown": {"desk": "担当"},
}
ROWS = "番号,受付日,担当,件名,質問,回答,経緯\n"


def row(
    number: str, *, received: str = "2026-04-01", desk: str = "印刷係", title: str = "紙が詰まる", history: str = ""
) -> str:
    """One line of the CSV file."""
    return f"{number},{received},{desk},{title},紙が詰まった。,{number}の回答をする。,{history}\n"


@dataclass
class Bench:
    """S3 with a configured function before it."""

    aws: LocalAws
    environment: dict[str, str] = field(default_factory=dict)

    def put(self, key: str, content: str | bytes, bucket: str = SOURCE) -> str:
        """Upload an object."""
        body = content.encode() if isinstance(content, str) else content
        self.aws.s3.put_object(Bucket=bucket, Key=key, Body=body)
        return f"s3://{bucket}/{key}"

    def file(self, uri: str, batches: int = 1, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """An input file, with the service's own chunks of it in the intermediate bucket."""
        stem = f"temp/aws/bedrock/knowledge_bases/KB12345678/DS12345678/{PurePosixPath(uri).stem}"
        keys = [f"{stem}_{number}.JSON" for number in range(1, batches + 1)]
        for key in keys:
            content = {"contentBody": "cut by the service", "contentType": "TEXT", "contentMetadata": {}}
            self.put(key, json.dumps({"fileContents": [content]}), INTERMEDIATE)
        told = {} if metadata is None else {"fileMetadata": metadata}
        location = {"type": "S3", "s3_location": {"uri": uri}}
        return {"originalFileLocation": location, **told, "contentBatches": [{"key": key} for key in keys]}

    def event(self, *files: dict[str, Any]) -> dict[str, Any]:
        """A call, as the service makes it."""
        return {
            "version": "1.0",
            "knowledgeBaseId": "KB12345678",
            "dataSourceId": "DS12345678",
            "ingestionJobId": "JOB1234567",
            "bucketName": INTERMEDIATE,
            "priorTask": "CHUNKING",
            "inputFiles": list(files),
        }

    def configure_several(self, **locations: str) -> None:
        """Set several tables that differ in key and location only."""
        tables = {key: {**HELPDESK, "location": location} for key, location in locations.items()}
        self.environment["TRANSFORMATION_SETTINGS"] = json.dumps({"document": tables})

    def call(self, *files: dict[str, Any], seconds: float = 900, looks: int = 1_000_000) -> dict[str, Any]:
        """What the function answers.

        Args:
            files: Of the call.
            seconds: That the function may still run.
            looks: How often the clock says so, before the time is over.
        """
        configuration = read_configuration(self.environment, self.aws.s3)
        clock = chain(repeat(seconds, looks), repeat(0.0))
        return transform(read_event(self.event(*files)), configuration, self.aws.s3, lambda: next(clock))

    def contents(self, answered: dict[str, Any]) -> list[dict[str, Any]]:
        """The chunks that an answer leads to, in order."""
        return [
            content
            for file in answered["outputFiles"]
            for batch in file["contentBatches"]
            for content in json.loads(self.read(batch["key"]))["fileContents"]
        ]

    def read(self, key: str) -> bytes:
        """An object of the intermediate bucket."""
        body: bytes = self.aws.s3.get_object(Bucket=INTERMEDIATE, Key=key)["Body"].read()
        return body

    def keys(self) -> set[str]:
        """Of the intermediate bucket."""
        listed = self.aws.s3.list_objects_v2(Bucket=INTERMEDIATE)
        return {found["Key"] for found in listed.get("Contents", ())}

    def configure(self, **changes: Any) -> None:
        """Set the table of the CSV file."""
        table = {**HELPDESK, **changes}
        self.environment["TRANSFORMATION_SETTINGS"] = json.dumps({"document": {"helpdesk": table}})


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Configured for `helpdesk.csv`."""
    with local_aws() as aws:
        aws.create_bucket(SOURCE)
        aws.create_bucket(INTERMEDIATE)
        made = Bench(aws)
        made.configure()
        yield made


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What the function writes into its log."""
    caplog.set_level(logging.INFO, "rag_assets.transformation")
    return caplog
