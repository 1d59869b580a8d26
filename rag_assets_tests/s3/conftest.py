"""A bucket, a folder of a variant, and an S3 server that can be told to fail."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends

from emulation.local_aws import LocalAws, local_aws, make_client
from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.s3.errors import s3_client_config
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import SentObject, WantedObject
from rag_assets.s3.manifest_file import open_manifest
from rag_assets.s3.marks import OwnershipMark
from rag_assets.s3.objects import SyncOptions, SyncReport, sync_folder
from rag_assets_tests.s3.faulty_s3 import FaultyS3, faulty_s3

BUCKET = "a-bucket"
OTHER = b"somebody else's"


@dataclass
class Bench:
    """What a sync needs, and what a test looks at afterwards.

    Attributes:
        aws: The servers.
        faulty: The proxy that `s3` goes through.
        folder: The variant's folder.
        place: Where it goes.
        manifest: What was sent.
        s3: A client as the project makes one, but that it gives up sooner.
    """

    aws: LocalAws
    faulty: FaultyS3
    folder: Path
    place: S3Location
    manifest: Path
    s3: Any

    def write(self, name: str, text: str = "本文です。\n", **attributes: Any) -> None:
        """Write a text and its sidecar; the name without `.txt`."""
        self.put(f"{name}.txt", text.encode())
        self.put(f"{name}.txt.metadata.json", sidecar_bytes({"record_id": name} | attributes))

    def put(self, key: str, content: bytes) -> None:
        """Write one file."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def remove(self, name: str) -> None:
        """Remove a text and its sidecar."""
        (self.folder / f"{name}.txt").unlink()
        (self.folder / f"{name}.txt.metadata.json").unlink()

    def sync(self, s3: Any = None, **further: Any) -> SyncReport:
        """Sync the folder, with options and callbacks by name."""
        options = SyncOptions(**{one.name: further.pop(one.name) for one in fields(SyncOptions) if one.name in further})
        return sync_folder(s3 or self.s3, self.folder, self.place, self.manifest, options, **further)

    def client(self, **further: Any) -> Any:
        """Another client through the proxy, as the project makes one or with other arguments."""
        arguments = {"region_name": "us-east-1", "config": s3_client_config()} | further
        return make_client("s3", self.faulty.url, **arguments)

    def there(self) -> dict[str, bytes]:
        """Everything in the bucket by key, asked behind the proxy's back."""
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        keys = [found["Key"] for page in pages for found in page.get("Contents", [])]
        return {key: self.aws.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}

    def here(self) -> dict[str, bytes]:
        """Everything in the folder, by the key that it should have in the bucket."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {self.place.prefix + path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}

    def put_document_there(self, key: str, **further: Any) -> None:
        """Put a text with its sidecar likewise."""
        self.put_there(key, **further)
        self.put_there(f"{key}.metadata.json", **further)

    def put_sent_there(self, key: str, place: S3Location | None = None, variant: str = "") -> None:
        """Put a text with its sidecar there as a sync whose manifest is lost did, to this place or to another."""
        mark = OwnershipMark(place or self.place, variant)
        for one in (key, f"{key}.metadata.json"):
            self.put_there(one, OTHER, Metadata=mark.metadata(one, OTHER), ChecksumAlgorithm="SHA256")

    def remember_there(self, keys: Iterable[str]) -> None:
        """Put empty objects there that a sync from here has sent.

        Into the server's own storage: through HTTP many of them would take seconds.
        """
        with open_manifest(self.manifest, self.place) as tables:
            for key in keys:
                s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object(BUCKET, key, b"")
                tables.remember(SentObject(WantedObject(key, 0, sha256(b"").digest()), md5(b"").hexdigest()))

    def put_there(self, key: str, content: bytes = OTHER, **further: Any) -> None:
        """Put an object into the bucket behind the project's back."""
        self.aws.s3.put_object(Bucket=BUCKET, Key=key, Body=content, **further)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Three documents that were never synced, and an empty bucket."""
    with local_aws() as aws, faulty_s3(aws.s3_url) as faulty:
        aws.create_bucket(BUCKET)
        config = s3_client_config().merge(_impatient())
        s3 = make_client("s3", faulty.url, region_name="us-east-1", config=config)
        found = Bench(
            aws, faulty, tmp_path / "raw", S3Location(bucket=BUCKET, prefix="kb/raw/"), tmp_path / "sent.sqlite", s3
        )
        for name in ("tax_answer/1", "tax_answer/2", "law/3-2"):
            found.write(name, f"{name}の本文です。\n", number=7)
        yield found


def _impatient() -> Any:
    from botocore.config import Config

    return Config(retries={"mode": "standard", "total_max_attempts": 2}, read_timeout=1)


def sidecar(attributes: Mapping[str, Any]) -> bytes:
    """A sidecar as somebody else might write it."""
    return json.dumps({"metadataAttributes": attributes}, ensure_ascii=False).encode()
