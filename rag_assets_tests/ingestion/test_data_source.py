from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from emulation.chunking import Chunking, FixedSize
from rag_assets.ingestion.data_source import (
    check_setup,
    find_chunking_faults,
    find_knowledge_base_faults,
    find_source_faults,
)
from rag_assets.ingestion.service import IngestionError
from rag_assets.s3.locations import IngestionTarget
from rag_assets_tests.ingestion.bench import VARIANTS, Bench, standing


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as bench:
        yield bench


def faults_of(bench: Bench, chunking: Chunking = None, **differently: Any) -> list[str]:
    """Those of a data source that differs from what the prepared variant needs."""
    target = bench.targets["prepared"]
    policy: Literal["DELETE", "RETAIN"] = differently.get("policy", "DELETE")
    ids = bench.aws.service.add_data_source(
        target.knowledge_base_id,
        differently.get("bucket", target.bucket),
        differently.get("prefix", target.prefix),
        chunking,
        deletion_policy=policy,
    )
    return check_setup(bench.agent, target.model_copy(update={"data_source_id": ids.data_source_id})).faults


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_data_source_that_fits_has_no_fault(bench: Bench, variant: str) -> None:
    assert check_setup(bench.agent, bench.targets[variant]).faults == []


def test_the_wrong_chunking_is_explained(bench: Bench) -> None:
    (fault,) = faults_of(bench, FixedSize())
    assert fault.startswith("its chunking is FIXED_SIZE, 300 tokens, 20% overlap, it should be NONE")
    assert "cannot be changed after a data source was created" in fault
    assert "create another data source" in fault
    prepared, raw = bench.targets["prepared"], bench.targets["raw"]
    crossed = raw.model_copy(update={"data_source_id": prepared.data_source_id})
    chunking, place = sorted(check_setup(bench.agent, crossed).faults, reverse=True)
    assert "its chunking is NONE, it should be FIXED_SIZE, 300 tokens, 20% overlap" in place + chunking
    assert "it reads the prefix prepared/, but the variant is uploaded to the prefix raw/" in place + chunking


@pytest.mark.parametrize("prefix", ["prepared", "prepared/deeper/", "", "raw/", None])
def test_another_prefix_is_told(bench: Bench, prefix: str | None) -> None:
    (fault,) = faults_of(bench, prefix=prefix)
    named = f"the prefix {prefix}" if prefix else "the whole bucket"
    assert f"it reads {named}, but the variant is uploaded to the prefix prepared/" in fault


def test_another_bucket_and_another_deletion_policy_are_told_together(bench: Bench) -> None:
    bucket, policy = faults_of(bench, bucket="other-bucket", policy="RETAIN")
    assert "it reads the bucket other-bucket, but the variant is uploaded to a-bucket" in bucket
    assert "its data deletion policy is RETAIN, it should be DELETE" in policy


def test_a_whole_bucket_may_be_a_place(bench: Bench) -> None:
    ids = bench.aws.service.add_data_source(bench.targets["raw"].knowledge_base_id, "a-bucket")
    whole = bench.targets["prepared"].model_copy(update={"data_source_id": ids.data_source_id, "prefix": ""})
    assert check_setup(bench.agent, whole).faults == []


def test_what_is_missing_is_told(bench: Bench) -> None:
    target = bench.targets["prepared"]
    no_base = target.model_copy(update={"knowledge_base_id": "ZZZZZZZZZZ"})
    no_source = target.model_copy(update={"data_source_id": "ZZZZZZZZZZ"})
    assert "no Knowledge Base ZZZZZZZZZZ in region ap-northeast-1" in check_setup(bench.agent, no_base).faults[0]
    assert "no data source ZZZZZZZZZZ" in check_setup(bench.agent, no_source).faults[0]


def test_what_cannot_be_found_out_is_an_error(bench: Bench) -> None:
    bench.faults.deny("GetDataSource")
    with pytest.raises(IngestionError, match="bedrock:GetDataSource"):
        check_setup(bench.agent, bench.targets["prepared"])


def test_nothing_is_ingested_into_a_data_source_that_does_not_fit(bench: Bench) -> None:
    crossed = bench.targets["prepared"].model_copy(update={"prefix": "raw/"})
    bench.targets = {**bench.targets, "crossed": crossed}
    with pytest.raises(
        IngestionError, match="it reads the prefix prepared/, but the variant is uploaded to the prefix raw/"
    ):
        bench.ingest(bench.sync({"a.txt": "食事"}, variant="crossed"), "crossed")
    assert bench.starts() == 0


# -- answers that the emulation does not give


def knowledge_base(**differently: Any) -> dict[str, Any]:
    return {"status": "ACTIVE", "knowledgeBaseConfiguration": {"type": "VECTOR"}, **differently}


def test_a_knowledge_base_that_is_not_active_is_told_with_what_to_do() -> None:
    assert find_knowledge_base_faults(knowledge_base()) == []
    (creating,) = find_knowledge_base_faults(knowledge_base(status="CREATING"))
    assert "CREATING, not ACTIVE: wait" in creating
    (failed,) = find_knowledge_base_faults(knowledge_base(status="FAILED", failureReasons=["no such index"]))
    assert "FAILED, not ACTIVE: look at it in the Bedrock console" in failed
    assert "no such index" in failed
    (kind,) = find_knowledge_base_faults(knowledge_base(knowledgeBaseConfiguration={"type": "KENDRA"}))
    assert "of type KENDRA, not VECTOR" in kind


def test_a_data_source_of_another_kind_or_status_is_told() -> None:
    target = IngestionTarget(
        knowledge_base_id="A" * 10, data_source_id="B" * 10, bucket="a-bucket", prefix="raw/", chunking="FIXED_SIZE"
    )
    (kind,) = find_source_faults({"dataSourceConfiguration": {"type": "WEB"}}, target)
    assert "of type WEB, not S3" in kind
    s3 = {"bucketArn": "arn:aws-cn:s3:::a-bucket", "inclusionPrefixes": ["raw/"]}
    told = {"status": "DELETING", "dataSourceConfiguration": {"type": "S3", "s3Configuration": s3}}
    status, chunking = find_source_faults(told, target)
    assert "DELETING, not AVAILABLE" in status
    assert "the default, not set explicitly" in chunking


@given(st.integers(1, 8192), st.integers(1, 99), st.sampled_from(["NONE", "FIXED_SIZE"]))
def test_only_the_sizes_that_are_compared_fit(tokens: int, overlap: int, wanted: Literal["NONE", "FIXED_SIZE"]) -> None:
    target = IngestionTarget(
        knowledge_base_id="A" * 10, data_source_id="B" * 10, bucket="a-bucket", prefix="", chunking=wanted
    )
    sizes = {"maxTokens": tokens, "overlapPercentage": overlap}
    told = {"chunkingStrategy": "FIXED_SIZE", "fixedSizeChunkingConfiguration": sizes}
    fits = wanted == "FIXED_SIZE" and (tokens, overlap) == (300, 20)
    assert (find_chunking_faults(told, target) == []) == fits


def test_a_target_is_named_by_ids_of_ten_characters() -> None:
    with pytest.raises(ValidationError, match="knowledge_base_id"):
        IngestionTarget(
            knowledge_base_id="short", data_source_id="B" * 10, bucket="a-bucket", prefix="", chunking="NONE"
        )
