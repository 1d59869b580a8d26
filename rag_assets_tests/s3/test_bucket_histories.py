"""Any history of a bucket that several write to: nothing of others is deleted or changed, and nothing of ours is left.

A model tells whose each object is: that of whoever wrote it last. What a sync may do follows from that alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulation.local_aws import LocalAws, local_aws
from rag_assets.corpus.writing import write_files
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.objects import SyncOptions, SyncReport, sync_folder
from rag_assets_tests.s3.conftest import sidecar

HOMES = {
    "raw": ("kb/raw/", "raw"),
    "nested": ("kb/raw/old/", "raw"),
    "outer": ("kb/", "prepared"),
    "other variant": ("kb/raw/", "prepared"),
}
"""Prefix and variant of each home. All write to one bucket, most of them into each other's places."""
RECORDS = ("a", "b", "b/c", "old/a", "old/b", "raw/a", "raw/old/a")
FOREIGN = (
    "メモ.txt",
    "a.txt",
    "b.txt",
    "old/a.txt",
    "old/notes.txt",
    "minutes of a meeting.txt",
    "manual.pdf",
    "x.txt.metadata.json",
)
SIDECAR = ".metadata.json"


@pytest.fixture(scope="module")
def running() -> Iterator[LocalAws]:
    with local_aws() as aws:
        yield aws


@dataclass
class World:
    """A bucket, the homes that sync to it, and whose each object is.

    Attributes:
        owners: By key. People write as `people`.
    """

    s3: Any
    bucket: str
    folder: Path
    owners: dict[str, str] = field(default_factory=dict)
    moves: int = 0
    manifests: dict[str, Path] = field(default_factory=dict)

    def there(self) -> dict[str, tuple[str, bytes, str]]:
        """Version, content and mark of every object."""
        found = {}
        for one in self.s3.list_objects_v2(Bucket=self.bucket).get("Contents", []):
            answer = self.s3.get_object(Bucket=self.bucket, Key=one["Key"])
            found[one["Key"]] = (answer.get("VersionId", ""), answer["Body"].read(), str(answer["Metadata"]))
        return found

    def versions(self) -> set[tuple[str, str]]:
        """Every version that the bucket has ever had, of a versioned one."""
        told = self.s3.list_object_versions(Bucket=self.bucket).get("Versions", [])
        return {(one["Key"], one["VersionId"]) for one in told if one["VersionId"] != "null"}

    def put(self, key: str, content: bytes, **further: Any) -> None:
        """As people do: only where nothing lies."""
        if key not in self.owners:
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=content, **further)
            self.owners[key] = "people"

    def copy(self, key: str, to: str) -> None:
        """As people do who keep a copy: the mark goes with it."""
        if key in self.owners and to not in self.owners:
            self.s3.copy_object(Bucket=self.bucket, Key=to, CopySource={"Bucket": self.bucket, "Key": key})
            self.owners[to] = "people"

    def take_away(self, key: str) -> None:
        """As people do: what was theirs, or another's."""
        if self.owners.pop(key, ""):
            self.s3.delete_object(Bucket=self.bucket, Key=key)

    def sync(self, home: str, files: dict[str, bytes]) -> SyncReport | None:
        """None where it was refused."""
        prefix, variant = HOMES[home]
        folder = self.folder / home / "corpus"
        write_files(folder, files)
        place, manifest = S3Location(bucket=self.bucket, prefix=prefix), self.manifest(home)
        try:
            return sync_folder(self.s3, folder, place, manifest, SyncOptions(variant=variant, may_delete_more=True))
        except SyncError:
            return None

    def manifest(self, home: str) -> Path:
        return self.manifests.setdefault(home, self.folder / home / "sent.sqlite")

    def lose_ledger(self, home: str) -> None:
        self.manifest(home).unlink(missing_ok=True)

    def move(self, home: str) -> None:
        """To another machine, with all that it knows."""
        self.moves += 1
        before, after = self.manifest(home), self.folder / f"machine-{self.moves}.sqlite"
        if before.exists():
            before.rename(after)
        self.manifests[home] = after


def files_of(texts: dict[str, str]) -> dict[str, bytes]:
    files = {f"{record}.txt": text.encode() for record, text in texts.items()}
    return files | {key + SIDECAR: sidecar({"v": text.decode()}) for key, text in files.items()}


_texts = st.dictionaries(st.sampled_from(RECORDS), st.sampled_from(["一", "二", "三"]), min_size=1, max_size=4)
_homes = st.sampled_from(sorted(HOMES))
_steps = st.one_of(
    st.tuples(st.just("sync"), _homes, _texts),
    st.tuples(st.just("sync"), st.just("raw"), _texts),
    st.tuples(st.just("put"), st.sampled_from(FOREIGN), st.booleans()),
    st.tuples(st.just("copy"), st.sampled_from(RECORDS), st.sampled_from(["copy.txt", "old/b.txt", "b.txt"])),
    st.tuples(st.just("take away"), st.sampled_from(FOREIGN), st.none()),
    st.tuples(st.just("lose ledger"), _homes, st.none()),
    st.tuples(st.just("move"), _homes, st.none()),
)


@settings(max_examples=40)
@given(history=st.lists(_steps, min_size=3, max_size=9), versioned=st.booleans())
def test_nothing_of_others_is_touched_and_nothing_of_ours_is_left(
    running: LocalAws, history: list[tuple[str, str, Any]], versioned: bool
) -> None:
    bucket = running.create_bucket(f"bucket-{len(running.s3.list_buckets()['Buckets'])}")
    if versioned:
        running.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    with TemporaryDirectory() as scratch:
        world = World(running.s3, bucket, Path(scratch))
        for step, what, how in history:
            match step:
                case "put":
                    world.put(f"kb/raw/{what}", f"手で書いた{what}".encode())
                    if how:
                        world.put(f"kb/raw/{what}{SIDECAR}", sidecar({"v": "手"}))
                case "copy":
                    world.copy(f"kb/raw/{what}.txt", f"kb/raw/{how}")
                case "take away":
                    world.take_away(f"kb/raw/{what}")
                case "lose ledger":
                    world.lose_ledger(what)
                case "move":
                    world.move(what)
                case _:
                    sync_and_judge(world, what, files_of(how))


def sync_and_judge(world: World, home: str, files: dict[str, bytes]) -> None:
    """A sync, held to what the model says that it may do."""
    prefix, _ = HOMES[home]
    wanted = {prefix + key: content for key, content in files.items()}
    before, versions = world.there(), world.versions()
    others = {key for key, owner in world.owners.items() if owner != home}
    assert world.owners.keys() == before.keys()

    report = world.sync(home, files)

    after = world.there()
    assert world.versions() >= versions
    assert {key: before[key] for key in others} == {key: after.get(key) for key in others}
    in_the_way = {key for key in others & wanted.keys() if before[key][1] != wanted[key]}
    if report is None:
        assert in_the_way
        assert after == before
        return
    assert not in_the_way
    assert after.keys() == others | wanted.keys()
    assert {key: after[key][1] for key in wanted} == wanted
    foreign = {key for key in others - wanted.keys() if key.startswith(prefix)}
    assert report.foreign == len(foreign)
    assert set(report.first_foreign) == foreign
    world.owners |= {key: home for key in wanted if key not in others}
    for key in before.keys() - after.keys():
        del world.owners[key]
