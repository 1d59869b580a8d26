"""The sync as assets: from a site's articles into S3 and a Knowledge Base, and what becomes of faults on the way.

What a sync of objects or an ingestion does by itself is tested in `rag_assets_tests/s3` and
`rag_assets_tests/ingestion`.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from emulation.clocks import PollPace, Progress
from rag_assets.definitions import build_defs
from rag_assets.orchestration.assets import knowledge_base_ingestion, s3_objects
from rag_assets.orchestration.chain import run_chain
from rag_assets.orchestration.resources import Bedrock, resources_of
from rag_assets.orchestration.s3_resource import CorpusStore
from rag_assets.orchestration.stages import SYNC_KNOWLEDGE_BASE, SYNC_S3, plan_run
from rag_assets.store.locks import held
from rag_assets_tests.command_line import REPOSITORY, command, environment
from rag_assets_tests.orchestration.assets.cloud import (
    ARTICLES,
    BUCKET,
    PREPARED,
    RAW,
    SYNCING,
    Cloud,
    Synced,
    cloud_of,
    credentials,
    prepared_home,
)
from rag_assets_tests.s3.faulty_s3 import Asked, Fault
from rag_assets_tests.small_site import Run, folder_site

BOTH = (RAW, PREPARED)
ALL_NEW = (2 * len(ARTICLES), 0, 0)
NOTHING = (0, 0, 0)
NOT_SYNCED = "raw/: not ingested: no sync to it from here has come to its end"
UP_TO_DATE = "the Knowledge Base is up to date"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_home(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[Cloud]:
    """Corpora that were never synced."""
    with cloud_of(tmp_path, monkeypatch, home=home) as cloud:
        yield cloud


@pytest.fixture
def cloud(fresh: Cloud) -> Cloud:
    """Corpora that S3 and the Knowledge Base hold."""
    assert fresh.sync().failures == {}
    return fresh


def change(cloud: Cloud, number: str = "2594", text: str = "昼食の補助は給与ではありません。") -> None:
    """A new edition of one article, up to its corpus files."""
    cloud.site.publish(number, text)
    cloud.prepare()


def withdraw(cloud: Cloud, *numbers: str) -> None:
    """Articles that are gone, up to the corpus files."""
    for number in numbers:
        cloud.site.withdraw(number)
    cloud.prepare()


def done(synced: Synced) -> dict[str, str]:
    """What became of the ingestion of each variant."""
    return {variant: str(told["what was done"]) for variant, told in synced.ingestion.items()}


# What goes well.


def test_first_everything_then_nothing(fresh: Cloud) -> None:
    first = fresh.sync()
    assert first.failures == {}
    assert [first.sent(variant) for variant in BOTH] == [ALL_NEW, ALL_NEW]
    assert [fresh.is_synced(variant) for variant in BOTH] == [True, True]
    assert fresh.jobs() == 2
    assert first.objects[RAW]["place"] == f"s3://{BUCKET}/raw/"
    assert first.ingestion[PREPARED]["data source"] == fresh.targets[PREPARED]["data_source_id"]

    fresh.faulty.asked.clear()
    again = fresh.sync()
    assert again.failures == {}
    assert [again.sent(variant) for variant in BOTH] == [NOTHING, NOTHING]
    assert fresh.faulty.counts() == {"list": 2}
    assert done(again) == {RAW: UP_TO_DATE, PREPARED: UP_TO_DATE}
    assert fresh.jobs() == 2


def test_one_changed_article_sends_its_own_chunks_and_starts_one_job_a_variant(cloud: Cloud) -> None:
    cloud.faulty.asked.clear()
    change(cloud)
    synced = cloud.sync()
    assert synced.failures == {}
    sent = cloud.faulty.keys("put")
    # A text and its sidecar; the sidecar of raw tells nothing of the text, and stays as it is.
    assert {key.split("/")[2].split(".")[0] for key in sent} == {"2594"}
    assert sum(synced.sent(RAW)) == 1
    assert len(sent) == sum(sum(synced.sent(variant)[:2]) for variant in BOTH)
    assert all(cloud.is_synced(variant) for variant in BOTH)
    assert cloud.texts(RAW).count("昼食の補助は給与ではありません。") == 2
    assert "記事2594の本文です。" not in cloud.texts(RAW)
    assert cloud.jobs() == 4
    # Its counts alone prove that nothing was lost.
    assert {told["documents looked at one by one"] for told in synced.ingestion.values()} == {"False"}


def test_where_only_one_variant_has_changed_only_its_job_is_started(cloud: Cloud) -> None:
    text = cloud.run().home.corpus(PREPARED) / next(name for name in cloud.here(PREPARED) if name.endswith(".txt"))
    text.write_text("別の本文です。\n")
    synced = cloud.sync()
    assert synced.sent(RAW) == NOTHING
    assert synced.sent(PREPARED) == (0, 1, 0)
    assert done(synced)[RAW] == UP_TO_DATE
    assert cloud.jobs() == 3


def test_few_changes_are_ingested_without_a_job_where_that_is_set(cloud: Cloud) -> None:
    change(cloud)
    synced = cloud.sync(direct_ingestion_up_to=4)
    assert synced.failures == {}
    told = "1 documents ingested and 0 deleted directly; all that was uploaded is in the Knowledge Base"
    assert done(synced)[RAW] == told
    assert cloud.jobs() == 2
    assert all(cloud.is_synced(variant) for variant in BOTH)
    assert done(cloud.sync(direct_ingestion_up_to=4)) == {RAW: UP_TO_DATE, PREPARED: UP_TO_DATE}


def test_a_withdrawn_article_is_deleted_and_found_no_more(cloud: Cloud) -> None:
    assert any("2610" in name for name in cloud.ingested(PREPARED))
    withdraw(cloud, "2610")
    synced = cloud.sync()
    assert synced.failures == {}
    assert [synced.sent(variant) for variant in BOTH] == [(0, 0, 2), (0, 0, 2)]
    for variant in BOTH:
        assert cloud.is_synced(variant)
        assert not any("2610" in name for name in [*cloud.there(variant), *cloud.ingested(variant)])
    assert "2610" not in cloud.texts(RAW)


def test_a_variant_without_a_knowledge_base_stays_in_s3_and_says_so(fresh: Cloud) -> None:
    fresh.targets[RAW] = {"bucket": BUCKET, "prefix": "raw/"}
    synced = fresh.sync()
    assert synced.failures == {}
    assert fresh.there(RAW) == fresh.here(RAW)
    assert synced.ingestion[RAW]["state"] == "in S3 only"
    assert "knowledge_base_id" in synced.ingestion[RAW]["how"]
    assert fresh.is_synced(PREPARED)
    assert fresh.jobs() == 1


def test_sidecars_too_large_for_the_vector_store_are_refused_before_upload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with cloud_of(tmp_path, monkeypatch, home=home, store="S3_VECTORS") as cloud:
        name = next(name for name in cloud.here(RAW) if name.endswith(".metadata.json"))
        (cloud.run().home.corpus(RAW) / name).write_text(json.dumps({"metadataAttributes": {"note": "注" * 400}}))
        synced = cloud.sync()
        told = synced.failures["s3_objects"]
        assert re.search(rf"{name}': it has \d+ bytes, at most 1024 are allowed in S3 Vectors", told), told
        assert cloud.there(RAW) == {}
        assert cloud.is_synced(PREPARED)


def test_clients_are_those_of_the_settings(fresh: Cloud) -> None:
    resources = resources_of(fresh.run(aws_region="eu-central-1").settings)
    store, bedrock = resources["store"], resources["bedrock"]
    assert isinstance(store, CorpusStore)
    assert isinstance(bedrock, Bedrock)
    clients = {fresh.faulty.url: store.get_client(), fresh.aws.url: bedrock.client("bedrock-agent")}
    for url, client in clients.items():
        assert (client.meta.region_name, client.meta.endpoint_url) == ("eu-central-1", url)


# What is not configured, or switched off.

NO_ENDPOINT = {"s3_endpoint": "no endpoint", "bedrock_endpoint": "no endpoint"}
"""With these no client can be made."""


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that knows of no AWS, in an environment that knows of none."""
    for name in credentials():
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    return Run(str(folder_site(tmp_path / "site", *ARTICLES)), tmp_path / "home", **NO_ENDPOINT)


def prepared_run(run: Run) -> Run:
    run.refresh()
    assert run.corpora() == {}
    return run


def test_without_a_target_the_assets_succeed_and_say_how_to_configure_them(
    local: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    prepared_run(local)
    assert [local.job(job) for job in (SYNC_S3, SYNC_KNOWLEDGE_BASE)] == [{}, {}]
    told = capfd.readouterr().err
    for variant in BOTH:
        assert f"Set `[target.{variant}]` in rag_assets.toml" in told
    assert "RagAssetsTargets" in told


def test_without_a_target_the_metadata_tell_too(fresh: Cloud) -> None:
    del fresh.targets[RAW]
    synced = fresh.sync()
    assert synced.failures == {}
    for told in (synced.objects[RAW], synced.ingestion[RAW]):
        assert told["state"] == "not configured"
        assert "[target.raw]" in told["how"]
    assert fresh.there(RAW) == {}
    assert fresh.is_synced(PREPARED)


def test_without_a_target_the_chain_has_no_such_stage(local: Run) -> None:
    assert not set(SYNCING) & {asset for stage in plan_run(local.settings) for asset in stage.assets}


def test_a_client_that_cannot_be_made_is_told_with_the_settings_to_look_at(cloud: Cloud) -> None:
    told = cloud.sync(**NO_ENDPOINT).failures["s3_objects"]
    for word in ("no endpoint", "aws_region", "aws_profile", "s3_endpoint", "aws configure list"):
        assert word in told


@pytest.mark.parametrize(("mode", "asked"), [("off", 0), ("dry-run", 2)])
def test_nothing_is_changed_where_it_is_switched_off(fresh: Cloud, mode: str, asked: int) -> None:
    settings = {"sync": mode} | ({} if asked else NO_ENDPOINT)
    run = fresh.run(**settings)
    assert run.job(SYNC_S3) == {}
    assert fresh.there(RAW) == fresh.there(PREPARED) == {}
    assert fresh.jobs() == 0
    assert fresh.faulty.counts() == ({"list": asked} if asked else {})
    assert not run.home.objects(RAW).exists()
    assert all(set(stage.assets) & set(SYNCING) <= {"s3_objects"} for stage in plan_run(run.settings))


def test_a_dry_run_tells_what_would_be_done(cloud: Cloud, capfd: pytest.CaptureFixture[str]) -> None:
    withdraw(cloud, "2600", "2610")
    before = cloud.there(RAW)
    synced = cloud.sync(sync="dry-run")
    assert synced.failures == {}
    assert synced.sent(RAW) == (0, 0, 4)
    assert synced.objects[RAW]["dry run"] == "True"
    told = capfd.readouterr().err
    assert told.count("would delete raw/") == 4
    assert f"would delete raw/{next(name for name in before if '2600' in name)}" in told
    assert "an ingestion would follow" in told
    assert cloud.there(RAW) == before
    assert cloud.jobs() == 2


def test_switched_off_says_that_it_is_and_not_that_nothing_is_configured(
    fresh: Cloud, capfd: pytest.CaptureFixture[str]
) -> None:
    fresh.run(sync="off").job(SYNC_S3)
    told = capfd.readouterr().err
    assert "`sync` is set to off" in told
    assert "no place in AWS is set" not in told


def test_what_an_upload_waits_for_is_told(fresh: Cloud, capfd: pytest.CaptureFixture[str]) -> None:
    fresh.faults.throttle("GetKnowledgeBase", times=2)
    fresh.run().job(SYNC_S3)
    assert f"{RAW}: GetKnowledgeBase: throttled; next try in 1 s" in capfd.readouterr().err
    assert fresh.there(RAW) == fresh.here(RAW)


def test_what_an_upload_notes_is_told(cloud: Cloud, capfd: pytest.CaptureFixture[str]) -> None:
    cloud.run().home.objects(RAW).write_bytes(b"no manifest" * 1000)
    assert cloud.run().job(SYNC_S3) == {}
    told = capfd.readouterr().err
    assert re.search(rf" {RAW}: \S+ is damaged, .* it was set aside as \S+\.set-aside-1 and may be deleted", told), told
    assert cloud.there(RAW) == cloud.here(RAW)


# What is deleted, and what is not.


def put_others(cloud: Cloud) -> dict[str, bytes]:
    """A hand-written note, and a document of another home below the prefix of `raw`."""
    others = {
        "raw/手書きのメモ.txt": "手書きのメモです。".encode(),
        "raw/old/a.txt": "別の文書です。".encode(),
        "raw/old/a.txt.metadata.json": b'{"metadataAttributes": {"record_id": "a"}}',
    }
    for key, content in others.items():
        cloud.aws.s3.put_object(Bucket=BUCKET, Key=key, Body=content)
    return {key.removeprefix("raw/"): content for key, content in others.items()}


@pytest.mark.parametrize("mode", ["on", "dry-run"])
def test_what_others_put_there_is_told_everywhere_and_left_alone(
    cloud: Cloud, capfd: pytest.CaptureFixture[str], mode: str
) -> None:
    others = put_others(cloud)
    change(cloud)
    synced = cloud.sync(sync=mode)
    assert synced.failures == {}
    assert {key: cloud.there(RAW)[key] for key in others} == others
    assert synced.objects[RAW]["of others"] == 3
    told = synced.objects[RAW]["what others put there"]
    assert told.startswith("3 objects are (raw/old/a.txt, raw/old/a.txt.metadata.json, raw/手書きのメモ.txt) not sent")
    assert "they appear in its answers" in told
    assert "move or delete them" in told
    assert told in capfd.readouterr().err
    assert "what others put there" not in synced.objects[PREPARED]


def test_an_ingestion_beside_documents_of_others_is_good_and_says_so(cloud: Cloud) -> None:
    others = put_others(cloud)
    withdraw(cloud, "2610")
    synced = cloud.sync(direct_ingestion_up_to=10)
    assert synced.failures == {}
    assert synced.ingestion[RAW]["documents of others"] == 2
    assert "it also reads 2 documents that were not sent from here" in done(synced)[RAW]
    change(cloud)
    assert cloud.sync(allow_deletions=True).failures == {}
    assert "old/a.txt" in cloud.ingested(RAW)
    assert set(others) <= set(cloud.there(RAW))


def test_what_is_deleted_is_named_in_the_log(cloud: Cloud, capfd: pytest.CaptureFixture[str]) -> None:
    withdraw(cloud, "2610")
    gone = next(name for name in cloud.there(RAW) if "2610" in name)
    assert cloud.sync().failures == {}
    assert re.search(rf"raw: \S+: 2 objects are \(raw/{gone}, .*\) no longer in the folder", capfd.readouterr().err)


def test_a_home_that_has_lost_all_it_knew_of_s3_still_deletes_its_own_and_nothing_else(cloud: Cloud) -> None:
    others = put_others(cloud)
    withdraw(cloud, "2610")
    shutil.rmtree(cloud.run().home.objects(RAW).parent)
    synced = cloud.sync()
    assert synced.failures == {}
    assert synced.sent(RAW) == (0, 0, 2)
    assert cloud.there(RAW) == cloud.here(RAW) | others


def test_a_large_share_is_deleted_only_where_that_is_asked_for(cloud: Cloud) -> None:
    withdraw(cloud, "2600", "2610")
    before = cloud.there(RAW)
    refused = cloud.sync().failures
    assert "4 of the 8 objects there (50%)" in refused["s3_objects"]
    assert "--allow-deletions" in refused["s3_objects"]
    assert cloud.there(RAW) == before
    assert cloud.jobs() == 2
    # What was refused has changed nothing: what was ingested before is still known to be.
    assert set(refused) == {"s3_objects"}

    assert cloud.sync(allow_deletions=True).failures == {}
    assert all(cloud.is_synced(variant) for variant in BOTH)


def test_the_share_is_a_setting(cloud: Cloud) -> None:
    withdraw(cloud, "2610")
    assert "(25%)" in cloud.sync(most_deleted_share=0.2).failures["s3_objects"]
    assert cloud.sync(most_deleted_share=0.25).failures == {}


def test_a_corpus_that_is_gone_empties_no_bucket(cloud: Cloud) -> None:
    shutil.rmtree(cloud.run().home.corpus(RAW))
    before = cloud.there(RAW)
    told = cloud.sync(allow_deletions=True).failures["s3_objects"]
    assert "materialize corpus_files first" in told
    assert cloud.there(RAW) == before


# A variant that fails, which is raw. Mended, a plain rerun makes it good.


def missing_bucket(cloud: Cloud) -> Callable[[], None]:
    cloud.targets[RAW]["bucket"] = "no-such-bucket"
    cloud.service.account.knowledge_bases[cloud.targets[RAW]["knowledge_base_id"]].data_sources[
        cloud.targets[RAW]["data_source_id"]
    ].bucket = "no-such-bucket"

    def mend() -> None:
        cloud.targets[RAW] |= {"bucket": BUCKET}
        cloud.place(RAW, cloud.targets[RAW]["knowledge_base_id"], cuts=True)

    return mend


def wrong_chunking(cloud: Cloud) -> Callable[[], None]:
    cloud.place(RAW, cloud.targets[RAW]["knowledge_base_id"], cuts=False)
    return lambda: cloud.place(RAW, cloud.targets[RAW]["knowledge_base_id"], cuts=True)


def denied_upload(cloud: Cloud) -> Callable[[], None]:
    cloud.faulty.fail(Fault("put", status=403, code="AccessDenied", times=1))
    return lambda: cloud.faulty.fail()


def job_failed(cloud: Cloud) -> Callable[[], None]:
    cloud.faults.die_in_job(after=2)
    return cloud.faults.clear


def failed_files(cloud: Cloud) -> Callable[[], None]:
    cloud.faults.fail_file("raw/tax_answer/2594.txt")
    return cloud.faults.clear


def skipped_files(cloud: Cloud) -> Callable[[], None]:
    cloud.faults.skip_file("raw/tax_answer/2594.txt")
    return cloud.faults.clear


@dataclass(frozen=True)
class Fails:
    """How raw fails.

    Attributes:
        asset: The asset that fails.
        told: What its failure has to tell, the remedy included.
    """

    fault: Callable[[Cloud], Callable[[], None]]
    asset: str
    told: tuple[str, ...]


FAILS = {
    "its bucket is missing": Fails(missing_bucket, "s3_objects", ("no-such-bucket", "check its name in the settings")),
    "its data source cuts in another way": Fails(
        wrong_chunking, "s3_objects", ("its chunking is NONE", "create another data source", "nothing was uploaded")
    ),
    "an upload is denied": Fails(denied_upload, "s3_objects", ("AccessDenied", "Allow s3:PutObject on")),
    "its job fails": Fails(
        job_failed, "knowledge_base_ingestion", ("it ended FAILED", "The vector store", "run again")
    ),
    "its job leaves files out": Fails(
        failed_files, "knowledge_base_ingestion", ("1 document(s) failed", "2594.txt", "run again")
    ),
    "its job leaves files out in silence": Fails(
        skipped_files, "knowledge_base_ingestion", ("skipped 1", "2594.txt", "run again")
    ),
}


@pytest.mark.parametrize("how", FAILS.values(), ids=FAILS)
def test_a_variant_that_fails_loses_no_other_and_is_made_good_by_a_rerun(fresh: Cloud, how: Fails) -> None:
    mend = how.fault(fresh)
    failures = fresh.sync().failures
    assert "raw: " in failures[how.asset]
    assert PREPARED not in failures[how.asset].replace("prepared_400/", "")
    for word in how.told:
        assert word in failures[how.asset]
    assert fresh.is_synced(PREPARED)
    # Not even half of it is taken in where it could not be uploaded whole.
    if how.asset == "s3_objects":
        assert NOT_SYNCED in failures["knowledge_base_ingestion"]
        assert fresh.jobs() == 1
    assert not fresh.is_synced(RAW)

    mend()
    again = fresh.sync()
    assert again.failures == {}
    assert again.sent(PREPARED) == NOTHING
    assert done(again)[PREPARED] == UP_TO_DATE
    assert all(fresh.is_synced(variant) for variant in BOTH)


def test_a_variant_that_was_synced_before_and_fails_now_is_not_ingested_half(cloud: Cloud) -> None:
    change(cloud)
    cloud.faulty.fail(Fault("put", status=403, code="AccessDenied", times=1))
    failures = cloud.sync().failures
    assert NOT_SYNCED in failures["knowledge_base_ingestion"]
    assert cloud.jobs() == 3
    cloud.faulty.fail()
    assert cloud.sync().failures == {}
    assert all(cloud.is_synced(variant) for variant in BOTH)


def test_after_a_first_sync_that_was_refused_the_ingestion_tells_nothing_new(fresh: Cloud) -> None:
    wrong_chunking(fresh)
    told = fresh.sync().failures["knowledge_base_ingestion"]
    assert NOT_SYNCED in told
    # Nothing has begun: no file tells of a sync that did not come to its end.
    assert not fresh.ledger(RAW).exists()


# Several Knowledge Bases.


class Together:
    """A job ends once another is running as well, or after many looks."""

    def __init__(self) -> None:
        self.cloud: Cloud

    def progress(self, polls: int, seconds: float) -> Progress:  # noqa: ARG002
        running = self.cloud.service.account.running_jobs()
        self.seen = max(getattr(self, "seen", 0), len(running))
        return Progress(begun=True, documents=10**6, may_finish=self.seen > 1 or polls > 2)


def test_different_knowledge_bases_are_ingested_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    pace = Together()
    with cloud_of(tmp_path, monkeypatch, home=home, pace=pace) as cloud:
        pace.cloud = cloud
        cloud.place(PREPARED, cloud.service.add_knowledge_base("other"), cuts=False)
        synced = cloud.sync()
        assert synced.failures == {}
        assert pace.seen == 2
        assert synced.ingestion.keys() == set(BOTH)
        assert all(cloud.is_synced(variant) for variant in BOTH)


def test_one_knowledge_base_that_fails_holds_up_no_other(fresh: Cloud) -> None:
    fresh.place(PREPARED, fresh.service.add_knowledge_base("other"), cuts=False)
    fresh.faults.fail_file("raw/*")
    failures = fresh.sync().failures
    assert "1 variant(s) could not be ingested; what is pending stays so (1 others could)" in failures[SYNCING[1]]
    assert fresh.is_synced(PREPARED)


def test_variants_of_one_knowledge_base_never_stand_in_each_others_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with cloud_of(tmp_path, monkeypatch, home=home, pace=PollPace(0, 1)) as cloud:
        assert cloud.sync().failures == {}
        assert cloud.jobs() == cloud.service.count("StartIngestionJob") == 2


def test_a_file_of_the_sync_that_is_damaged_loses_no_other_variant(fresh: Cloud) -> None:
    state = fresh.ledger(RAW)
    state.parent.mkdir()
    state.write_text("{}{")
    synced = fresh.sync()
    assert "does not hold the state of an ingestion" in synced.failures["s3_objects"]
    assert fresh.is_synced(PREPARED)
    # What was made is on record, though the step as a whole has failed.
    assert synced.objects.keys() == synced.ingestion.keys() == {PREPARED}
    assert synced.sent(PREPARED) == ALL_NEW
    state.unlink()
    assert fresh.sync().failures == {}
    assert fresh.is_synced(RAW)


@pytest.mark.parametrize(
    ("asset", "module", "work"),
    [(SYNCING[0], s3_objects, "sync_folder"), (SYNCING[1], knowledge_base_ingestion, "ingest")],
)
def test_an_error_that_was_not_foreseen_loses_no_other_variant(
    fresh: Cloud,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    asset: str,
    module: ModuleType,
    work: str,
) -> None:
    fresh.place(PREPARED, fresh.service.add_knowledge_base("other"), cuts=False)
    done_well = getattr(module, work)

    def with_a_fault(client: object, *given: Any, **further: Any) -> object:
        if any(getattr(one, "prefix", "") == "raw/" for one in given):
            raise KeyError("a fault")
        return done_well(client, *given, **further)

    with monkeypatch.context() as patch:
        patch.setattr(module, work, with_a_fault)
        synced = fresh.sync()
    assert re.search(r"1 variant\(s\).*\(1 others could\):\n  raw: .*: KeyError: 'a fault'$", synced.failures[asset])
    told = capfd.readouterr().err
    assert re.search(r" raw: .*:\nTraceback \(most recent call last\):\n", told)
    assert "in with_a_fault" in told
    assert fresh.is_synced(PREPARED)
    assert synced.objects.keys() | synced.ingestion.keys() >= {PREPARED}
    assert RAW not in (synced.objects if asset == SYNCING[0] else synced.ingestion)

    assert fresh.sync().failures == {}
    assert fresh.is_synced(RAW)


@pytest.mark.parametrize("asset", SYNCING)
def test_a_variant_that_another_process_is_at_is_left_alone(cloud: Cloud, asset: str) -> None:
    change(cloud)
    lock = cloud.run().home.sync_lock(RAW)
    with held(lock, AssertionError()):
        told = cloud.run().stage(asset).failures[asset]
        assert str(lock) in told
        assert "wait until it has ended" in told
        assert "2 variant(s)" not in told
    assert cloud.sync().failures == {}
    assert all(cloud.is_synced(variant) for variant in BOTH)


@pytest.mark.parametrize("where", ["Bedrock", "S3"])
def test_expired_credentials_are_told_and_renewed_go_on(fresh: Cloud, where: str) -> None:
    if where == "Bedrock":
        fresh.faults.expire_credentials()
    else:
        fresh.faulty.fail(*(Fault(kind, status=400, code="ExpiredToken") for kind in ("list", "put")))
    failures = fresh.sync().failures
    assert failures["s3_objects"].count("expired") >= 2
    assert "aws sso login" in failures["s3_objects"]
    fresh.faults.renew_credentials()
    fresh.faulty.fail()
    assert fresh.sync().failures == {}
    assert all(fresh.is_synced(variant) for variant in BOTH)


def test_ingesting_before_anything_was_synced_is_refused_with_the_remedy(fresh: Cloud) -> None:
    told = fresh.run().stage("knowledge_base_ingestion").failures["knowledge_base_ingestion"]
    assert "materialize s3_objects" in told
    assert fresh.jobs() == 0


def test_another_place_is_another_sync(cloud: Cloud) -> None:
    """Its ingestion does not take what is known of the old place for its own."""
    old, new = cloud.targets[RAW], cloud.targets[RAW]["knowledge_base_id"]
    cloud.place("elsewhere", new, cuts=True)
    cloud.targets[RAW] = cloud.targets.pop("elsewhere")
    told = cloud.run().stage("knowledge_base_ingestion").failures["knowledge_base_ingestion"]
    assert f"s3://{BUCKET}/elsewhere/: not ingested: no sync to it from here has come to its end" in told
    assert cloud.sync().failures == {}
    assert cloud.there("elsewhere") == cloud.here(RAW)
    assert cloud.jobs() == 3
    cloud.targets[RAW] = old
    back = cloud.sync()
    assert (back.failures, back.sent(RAW), done(back)[RAW]) == ({}, NOTHING, UP_TO_DATE)


def test_a_mistyped_target_takes_nothing_from_what_is_pending_of_the_right_one(cloud: Cloud) -> None:
    change(cloud)
    cloud.faults.deny("StartIngestionJob", times=2)
    assert "knowledge_base_ingestion" in cloud.sync().failures
    right = cloud.targets[RAW]
    cloud.targets[RAW] = right | {"knowledge_base_id": "AAAAAAAAAA"}
    assert "there is no Knowledge Base AAAAAAAAAA" in cloud.sync().failures["s3_objects"]
    cloud.targets[RAW] = right
    # The job leaves the changed text out without a word: only who knows that it was pending sees that.
    cloud.faults.overlook_file("raw/*2594*", times=1)
    assert cloud.sync().failures == {}
    assert "昼食の補助は給与ではありません。" in cloud.texts(RAW)


# A process that is killed.


class Gate:
    """Jobs stay in progress until it is opened."""

    def __init__(self) -> None:
        self.is_open = True

    def progress(self, polls: int, seconds: float) -> Progress:  # noqa: ARG002
        return Progress(begun=True, documents=10**6 if self.is_open else 0, may_finish=self.is_open)


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def killable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, gate: Gate) -> Iterator[Cloud]:
    """Corpora that were never synced, in an account whose jobs wait for the gate."""
    # The chain points Dagster at the home folder; the variable is put back when the test ends.
    monkeypatch.setenv("DAGSTER_HOME", "")
    with cloud_of(tmp_path, monkeypatch, home=home, pace=gate) as cloud:
        yield cloud


STAGES_OF_THE_SYNC = """
import dagster as dg

from rag_assets.definitions import build_defs
from rag_assets.orchestration.chain import run_stage
from rag_assets.orchestration.stages import plan_run
from rag_assets.settings import load_settings
from rag_assets_tests.orchestration.assets.cloud import SYNCING

settings = load_settings()
with dg.DagsterInstance.ephemeral() as instance:
    for stage in plan_run(settings):
        if set(stage.assets) <= set(SYNCING):
            run_stage(stage, build_defs(settings), instance)
"""
"""A program: what is prepared already is not prepared again, which takes longer than the sync."""


def start(
    cloud: Cloud, program: Sequence[str] = (sys.executable, "-c", STAGES_OF_THE_SYNC)
) -> "subprocess.Popen[bytes]":
    settings = {
        "RAG_ASSETS_HOME": str(cloud.home),
        "RAG_ASSETS_VARIANTS": ",".join(BOTH),
        "RAG_ASSETS_DICTIONARIES": str(cloud.run().settings.dictionaries),
        "RAG_ASSETS_TAX_ANSWER": cloud.site.server.url,
        "RAG_ASSETS_REQUEST_INTERVAL": "0",
    }
    return subprocess.Popen(
        program,
        cwd=REPOSITORY,
        env=environment({**cloud.variables(), **settings}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_when(process: "subprocess.Popen[bytes]", has_come: Callable[[], Any]) -> None:
    """SIGKILL, once it is so."""
    until = time.monotonic() + 90
    while not has_come() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL


def assert_all_is_in(cloud: Cloud) -> None:
    """All is where it belongs, and nothing is left to be done."""
    assert all(cloud.is_synced(variant) for variant in BOTH)
    assert done(cloud.sync()) == {RAW: UP_TO_DATE, PREPARED: UP_TO_DATE}


def assert_made_good(cloud: Cloud) -> None:
    """A plain rerun, in this process, reaches the right state."""
    assert cloud.sync().failures == {}
    assert_all_is_in(cloud)


def test_killed_while_uploading(killable: Cloud) -> None:
    def kill(asked: Asked, number: int) -> None:
        if len(killable.faulty.keys("put")) >= 3:
            process.kill()
            process.wait()

    killable.faulty.before = kill
    process = start(killable)
    assert process.wait(timeout=90) == -signal.SIGKILL
    killable.faulty.before = lambda _asked, _number: None
    assert killable.there(RAW) != killable.here(RAW)
    assert killable.jobs() == 0
    assert_made_good(killable)
    assert killable.jobs() == 2


def test_killed_between_upload_and_ingestion(killable: Cloud) -> None:
    killable.faults.throttle("StartIngestionJob", times=1000)
    kill_when(start(killable), lambda: killable.service.count("StartIngestionJob"))
    assert all(killable.there(variant) == killable.here(variant) for variant in BOTH)
    assert killable.texts(RAW) == ""
    killable.faults.clear()
    assert_made_good(killable)
    assert killable.jobs() == 2


def test_interrupted_while_jobs_run_it_ends_at_once_and_goes_on_with_them(killable: Cloud, gate: Gate) -> None:
    killable.place(PREPARED, killable.service.add_knowledge_base("other"), cuts=False)
    gate.is_open = False
    process = start(killable, command("run"))
    until = time.monotonic() + 90
    while killable.service.count("GetIngestionJob") < 4 and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=15) == 130
    assert killable.jobs() == 2
    gate.is_open = True
    settings = killable.run().settings
    results = run_chain(settings, build_defs(settings))
    assert [result.failures for result in results] == [{}] * len(plan_run(settings))
    assert_all_is_in(killable)
    assert killable.jobs() == 2


def test_killed_during_ingestion_which_is_then_waited_for(killable: Cloud, gate: Gate) -> None:
    gate.is_open = False
    kill_when(start(killable), lambda: killable.service.count("GetIngestionJob"))
    assert killable.texts(RAW) == ""
    gate.is_open = True
    assert_made_good(killable)
    # The job that ran on is not started again.
    assert killable.jobs() == 2
