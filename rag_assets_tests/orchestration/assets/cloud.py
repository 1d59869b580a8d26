"""A small site whose variants go into an emulated account: an S3 server and a Knowledge Base of two data sources.

Configuration comes as users give it: settings, and credentials in environment variables.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from emulation.chunking import FixedSize
from emulation.clocks import Pace, PollPace
from emulation.faults import Faults
from emulation.local_aws import ACCESS_KEY, SECRET_KEY, LocalAws, local_aws
from emulation.service import KnowledgeBaseService
from emulation.state import Behaviour, Store
from rag_assets.definitions import build_defs
from rag_assets.orchestration.chain import run_stage
from rag_assets.orchestration.stages import plan_run
from rag_assets.s3.locations import Target
from rag_assets_tests.http_server import serving
from rag_assets_tests.s3.faulty_s3 import FaultyS3, faulty_s3
from rag_assets_tests.small_site import Run, SmallSite

BUCKET = "a-bucket"
ARTICLES = ("2502", "2594", "2600", "2610")
RAW, PREPARED = "raw", "prepared_400"
AT_ONCE = PollPace(starting=0, in_progress=0)
"""A job has ended when it is looked at for the first time."""
SYNCING = ("s3_objects", "knowledge_base_ingestion")

Metadata = dict[str, Any]


@dataclass(frozen=True)
class Synced:
    """What the assets of a sync have told.

    Attributes:
        failures: By asset.
        objects: Metadata of `s3_objects` by variant.
        ingestion: Metadata of `knowledge_base_ingestion` by variant.
    """

    failures: dict[str, str]
    objects: dict[str, Metadata]
    ingestion: dict[str, Metadata]

    def sent(self, variant: str) -> tuple[int, int, int]:
        """Objects that were new, changed and deleted."""
        told = self.objects[variant]
        return told["new"], told["changed"], told["deleted"]


@dataclass
class Cloud:
    """The site, the account, and the chain from the one into the other.

    Attributes:
        faulty: The proxy that S3 is asked through.
        targets: By variant, as the settings have them.
    """

    site: SmallSite
    aws: LocalAws
    faulty: FaultyS3
    home: Path
    targets: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def service(self) -> KnowledgeBaseService:
        return self.aws.service

    @property
    def faults(self) -> Faults:
        return self.aws.service.faults

    def place(self, variant: str, knowledge_base_id: str, *, cuts: bool) -> None:
        """A data source of a Knowledge Base for a variant, which the settings then name."""
        chunking = FixedSize() if cuts else None
        ids = self.service.add_data_source(knowledge_base_id, BUCKET, f"{variant}/", chunking, name=variant)
        self.targets[variant] = {
            "bucket": BUCKET,
            "prefix": f"{variant}/",
            "knowledge_base_id": knowledge_base_id,
            "data_source_id": ids.data_source_id,
        }

    def settings(self, **further: Any) -> dict[str, Any]:
        """The settings that lead here."""
        return {
            "target": self.targets,
            "aws_region": self.service.behaviour.region,
            "s3_endpoint": self.faulty.url,
            "bedrock_endpoint": self.aws.url,
            # Sidecars name the site: not one that has another port in every test.
            "tax_answer_links": "https://www.example.jp",
            **further,
        }

    def variables(self) -> dict[str, str]:
        """The same for a process of its own."""
        return {
            f"RAG_ASSETS_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, value in self.settings().items()
        }

    def run(self, **settings: Any) -> Run:
        """The chain with these settings."""
        return Run(self.site.server.url, self.home, **self.settings(**settings))

    def prepare(self, **settings: Any) -> None:
        """Fetch, read and prepare: nothing may fail."""
        run = self.run(**settings)
        run.refresh()
        assert run.corpora() == {}

    def sync(self, **settings: Any) -> Synced:
        """The stages of the sync, whatever fails."""
        run = self.run(**settings)
        failures: dict[str, str] = {}
        with dg.DagsterInstance.ephemeral() as instance:
            for stage in plan_run(run.settings):
                if set(stage.assets) <= set(SYNCING):
                    failures |= run_stage(stage, build_defs(run.settings), instance).failures
            objects, ingestion = (_told(instance, asset) for asset in SYNCING)
        return Synced(failures, objects, ingestion)

    def there(self, variant: str) -> dict[str, bytes]:
        """The objects of a variant, by key below its prefix, asked behind the project's back."""
        prefix = f"{variant}/"
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        keys = [found["Key"] for page in pages for found in page.get("Contents", [])]
        return {key.removeprefix(prefix): self.aws.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}

    def here(self, variant: str) -> dict[str, bytes]:
        """The files of a variant."""
        return {name: content for name, (_, content) in self.run().files(variant).items()}

    def is_synced(self, variant: str) -> bool:
        """Whether S3 and the Knowledge Base hold what the variant's folder holds."""
        here = self.here(variant)
        documents = {name for name in here if name.endswith(".txt")}
        return bool(here) and self.there(variant) == here and self.ingested(variant) == documents

    def ingested(self, variant: str) -> set[str]:
        """Files of a variant that a question finds in the Knowledge Base."""
        target = self.targets[variant]
        is_its_own = {"equals": {"key": "x-amz-bedrock-kb-data-source-id", "value": target["data_source_id"]}}
        results = self.aws.client("bedrock-agent-runtime").retrieve(
            knowledgeBaseId=target["knowledge_base_id"],
            retrievalQuery={"text": "記事の取扱い"},
            retrievalConfiguration={"vectorSearchConfiguration": {"numberOfResults": 100, "filter": is_its_own}},
        )["retrievalResults"]
        place = f"s3://{BUCKET}/{variant}/"
        return {result["location"]["s3Location"]["uri"].removeprefix(place) for result in results}

    def ledger(self, variant: str) -> Path:
        """The file that tells what is pending."""
        return self.run().home.ingestion(variant, Target.model_validate(self.targets[variant]).key)

    def texts(self, variant: str) -> str:
        """All that the Knowledge Base of a variant holds."""
        return "\n".join(self.service.chunk_texts(self.targets[variant]["knowledge_base_id"]))

    def jobs(self) -> int:
        """Ingestion jobs that were started."""
        return self.service.count("StartIngestionJob", refused=False)


def _told(instance: dg.DagsterInstance, asset: str) -> dict[str, Metadata]:
    records = instance.fetch_materializations(dg.AssetKey(asset), limit=100).records
    made = [record.asset_materialization for record in reversed(records)]
    return {
        one.partition or "": {name: value.value for name, value in one.metadata.items()}
        for one in made
        if one is not None
    }


@contextmanager
def cloud_of(
    folder: Path,
    patch: pytest.MonkeyPatch,
    *,
    home: Path | None = None,
    texts: Mapping[str, str] | None = None,
    store: Store = "OPENSEARCH_SERVERLESS",
    pace: Pace = AT_ONCE,
) -> Iterator[Cloud]:
    """Four articles on the site, an empty bucket, and one Knowledge Base with `raw` and `prepared_400` side by side.

    Args:
        folder: Where the home lies, `home`.
        patch: Sets the environment of the test.
        home: A home to begin with, see `prepared_home`.
        texts: What articles say, by number.
        store: The vector store.
        pace: How fast jobs go.
    """
    set_credentials(patch)
    with serving() as server, local_aws(Behaviour(pace=pace)) as aws, faulty_s3(aws.s3_url) as faulty:
        cloud = Cloud(SmallSite(server), aws, faulty, folder / "home")
        aws.create_bucket(BUCKET)
        knowledge_base_id = aws.service.add_knowledge_base(store=store)
        cloud.place(RAW, knowledge_base_id, cuts=True)
        cloud.place(PREPARED, knowledge_base_id, cuts=False)
        for number in ARTICLES:
            cloud.site.publish(number, (texts or {}).get(number, f"記事{number}の本文です。"))
        if home:
            shutil.copytree(home, cloud.home)
        yield cloud


def prepared_home(folder: Path, texts: Mapping[str, str] | None = None) -> Path:
    """The home of `cloud_of`, prepared and never synced: to be copied, since it takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch, cloud_of(folder, patch, texts=texts) as cloud:
        cloud.prepare()
        return cloud.home


def set_credentials(patch: pytest.MonkeyPatch) -> None:
    """Those of the emulation, and nothing of this machine's own configuration of AWS."""
    for name, value in credentials().items():
        patch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"):
        patch.delenv(name, raising=False)


def credentials() -> Mapping[str, str]:
    """Environment variables that hold them."""
    return {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_CONFIG_FILE": "/nonexistent",
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
