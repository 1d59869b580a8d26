import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulation.chunking import FixedSize, cut
from emulation.ingestion import MOST_BYTES, failure_reasons
from emulation.local_aws import LocalAws, local_aws
from emulation.state import Behaviour
from rag_assets.corpus.passages import fixed_windows
from rag_assets.settings.places import SAMPLE
from rag_assets_tests.emulation.conftest import Source, source_of


def test_only_what_changed_is_worked_on(source: Source) -> None:
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        source.put(name, f"食事の支給 {name}", {"name": name})
    both = {"DocumentsScanned": 4, "MetadataDocumentsScanned": 4}
    assert source.counts() == {**both, "NewDocumentsIndexed": 4}
    assert source.counts() == both
    source.put("a.txt", "住宅借入金等特別控除")
    source.put_sidecar("b.txt", {"name": "other"})
    source.put("c.txt", "医療費控除", {"name": "new"})
    source.remove("d.txt")
    source.remove("d.txt.metadata.json")
    source.put("e.txt", "年末調整")
    assert source.counts() == {
        "DocumentsScanned": 4,
        "MetadataDocumentsScanned": 3,
        "NewDocumentsIndexed": 1,
        "ModifiedDocumentsIndexed": 2,
        "MetadataDocumentsModified": 2,
        "DocumentsDeleted": 1,
    }


def test_what_is_retrievable_is_what_lies_in_the_bucket(source: Source) -> None:
    source.put("meal.txt", "食事を支給したとき", {"kind": "old"})
    source.put("loan.txt", "住宅ローン控除")
    source.sync()
    assert source.found("食事の支給")[0] == "meal.txt"
    source.put_sidecar("meal.txt", {"kind": "new"})
    source.sync()
    assert source.found("食事", filter={"equals": {"key": "kind", "value": "new"}}) == ["meal.txt"]
    source.remove("meal.txt.metadata.json")
    assert source.counts()["MetadataDocumentsModified"] == 1
    assert source.found("食事", filter={"equals": {"key": "kind", "value": "new"}}) == []
    source.remove("meal.txt")
    # Gone from the bucket, it is found until a job has seen that.
    assert "meal.txt" in source.found("食事")
    source.sync()
    assert "meal.txt" not in source.found("食事")


def test_only_the_prefix_is_read(source: Source) -> None:
    source.put("deep/er/a.txt", "食事")
    source.put("", "")
    source.aws.s3.put_object(Bucket=source.bucket, Key="docs-of-others/b.txt", Body="食事".encode())
    source.aws.s3.put_object(Bucket=source.bucket, Key="c.txt", Body="食事".encode())
    assert source.counts() == {"DocumentsScanned": 1, "NewDocumentsIndexed": 1}


def test_a_sidecar_without_its_document_is_scanned_and_does_nothing(source: Source) -> None:
    source.put_sidecar("nowhere.txt", {"a": 1})
    assert source.counts() == {"MetadataDocumentsScanned": 1}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", "{}", "their file format was not supported"),
        ("a", "text", "their file format was not supported"),
        ("a.txt", " \n", "no text content found"),
        ("a.txt", "食事".encode("cp932"), "their text is not UTF-8"),
        ("a.txt", "食" * 7500, "exceeds what the embedding model takes"),
        ("a.doc", "食事", "reads no .doc files"),
        ("a.pdf", "%PDF", "they could not be parsed"),
    ],
)
def test_what_cannot_be_read_fails_and_a_complete_job_tells_so(
    source: Source, name: str, content: str | bytes, reason: str
) -> None:
    source.put(name, content)
    source.put("good.txt", "食事")
    job = source.sync()
    assert job["status"] == "COMPLETE"
    assert job["statistics"]["numberOfDocumentsFailed"] == 1
    assert job["statistics"]["numberOfNewDocumentsIndexed"] == 1
    (told,) = job["failureReasons"]
    (message,) = json.loads(told)
    assert reason in message
    assert f"[Files: s3://a-bucket/docs/{name}]" in message


def test_documents_are_read_as_they_are(source: Source) -> None:
    source.put("a.pdf", (SAMPLE / "documents/invoice_qa.pdf").read_bytes())
    source.put("b.docx", (SAMPLE / "documents/guides/travel_expenses.docx").read_bytes())
    source.put("c.html", "<!DOCTYPE html><meta charset=Shift_JIS><p>食事を支給".encode("cp932"))
    assert source.counts() == {"DocumentsScanned": 3, "NewDocumentsIndexed": 3}


def test_a_file_over_50_mb_fails(source: Source) -> None:
    source.put("a.txt", bytes(MOST_BYTES + 1))
    assert source.counts() == {"DocumentsScanned": 1, "DocumentsFailed": 1}


def test_what_failed_is_tried_again_and_its_old_text_stays_until_then(source: Source) -> None:
    source.put("a.txt", "食事を支給したとき")
    source.sync()
    source.put("a.txt", b"\xff\xff")
    assert source.counts() == {"DocumentsScanned": 1, "DocumentsFailed": 1}
    assert source.counts() == {"DocumentsScanned": 1, "DocumentsFailed": 1}
    assert source.found("食事") == ["a.txt"]
    source.put("a.txt", "住宅ローン控除")
    assert source.counts() == {"DocumentsScanned": 1, "ModifiedDocumentsIndexed": 1}
    assert source.aws.service.chunk_texts(source.ids.knowledge_base_id) == ["住宅ローン控除"]


@pytest.mark.parametrize("fault", ["fail_file", "skip_file"])
def test_what_failed_is_tried_again_also_where_the_change_was_taken_back(source: Source, fault: str) -> None:
    source.put("a.txt", "食事を支給したとき")
    source.sync()
    source.put("a.txt", "住宅ローン控除")
    getattr(source.aws.service.faults, fault)("*/a.txt", times=1)
    source.sync()
    source.put("a.txt", "食事を支給したとき")
    assert source.counts() == {"DocumentsScanned": 1, "ModifiedDocumentsIndexed": 1}
    assert source.counts() == {"DocumentsScanned": 1}


def test_an_empty_value_skips_the_file_and_nothing_tells_why(source: Source) -> None:
    source.put("a.txt", "食事", {"kind": ""})
    source.put("b.txt", "食事", {"kind": "x"})
    job = source.sync()
    assert job["status"] == "COMPLETE"
    assert "failureReasons" not in job
    assert job["statistics"]["numberOfDocumentsSkipped"] == 1
    assert source.found("食事") == ["b.txt"]


def test_the_silence_can_be_complete() -> None:
    with local_aws(Behaviour(skips_counted=False)) as aws:
        source = source_of(aws)
        source.put("a.txt", "食事", {"kind": []})
        assert source.counts() == {"DocumentsScanned": 1, "MetadataDocumentsScanned": 1}


def test_a_key_that_is_refused_fails_the_file_with_the_reason(source: Source) -> None:
    source.put("a.txt", "食事", {"_kind": "x"})
    job = source.sync()
    assert job["statistics"]["numberOfDocumentsFailed"] == 1
    assert "'_kind' is reserved" in job["failureReasons"][0]


def test_s3_vectors_takes_less_metadata(aws: LocalAws) -> None:
    long = {f"k{number}": "x" * 400 for number in range(3)}
    many = dict.fromkeys((f"k{number}" for number in range(36)), True)
    for bucket, store, failed in (("one-bucket", "S3_VECTORS", 2), ("other-bucket", "RDS", 0)):
        source = source_of(aws, bucket, store=store)
        source.put("a.txt", "食事", long)
        source.put("b.txt", "食事", many)
        assert source.sync()["statistics"]["numberOfDocumentsFailed"] == failed


def test_a_missing_bucket_fails_the_job(aws: LocalAws) -> None:
    source = source_of(aws)
    source.aws.s3.delete_bucket(Bucket=source.bucket)
    job = source.sync()
    assert job["status"] == "FAILED"
    assert "NoSuchBucket" in job["failureReasons"][0]


def test_a_bucket_in_another_region_fails_the_job(aws: LocalAws) -> None:
    aws.client("s3", region_name="us-east-1").create_bucket(Bucket="far-away")
    ids = aws.service.add_data_source(aws.service.add_knowledge_base(), "far-away")
    job = Source(aws, "far-away", ids, aws.client("bedrock-agent"), None).sync()
    assert job["status"] == "FAILED"
    assert "us-east-1" in job["failureReasons"][0]


def test_fixed_size_cuts_and_none_does_not(aws: LocalAws) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(600))
    source = source_of(aws, chunking=FixedSize())
    source.put("a.txt", text)
    source.sync()
    assert aws.service.chunk_texts(source.ids.knowledge_base_id) == [text[:255], text[204:459], text[408:]]
    told = source.agent.get_data_source(**source.named)["dataSource"]["vectorIngestionConfiguration"]
    assert told["chunkingConfiguration"]["fixedSizeChunkingConfiguration"] == {
        "maxTokens": 300,
        "overlapPercentage": 20,
    }
    # Cutting one document again leaves no chunk of what it was.
    source.put("a.txt", text[:100])
    source.sync()
    assert aws.service.chunk_texts(source.ids.knowledge_base_id) == [text[:100]]


@given(st.integers(1, 2000))
def test_windows_are_those_the_project_reckons_with(length: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(length))
    assert cut(text, FixedSize(300, 20)) == fixed_windows(text)
    assert cut(text, None) == [text]


def test_two_data_sources_of_a_knowledge_base_are_searched_together_unless_filtered(source: Source) -> None:
    other = source.aws.service.add_data_source(source.ids.knowledge_base_id, source.bucket, "other/")
    source.put("a.txt", "食事")
    source.aws.s3.put_object(Bucket=source.bucket, Key="other/b.txt", Body="食事".encode())
    source.sync()
    Source(source.aws, source.bucket, other, source.agent, source.runtime).sync()
    assert sorted(source.found("食事")) == ["a.txt", "b.txt"]
    only = {"equals": {"key": "x-amz-bedrock-kb-data-source-id", "value": other.data_source_id}}
    assert source.found("食事", filter=only) == ["b.txt"]


@given(st.integers(1, 300))
def test_failure_reasons_name_as_many_files_as_they_hold(number: int) -> None:
    uris = [f"s3://bucket/docs/{'x' * 40}{place}.txt" for place in range(number)]
    (reason,) = failure_reasons({"no text content found": uris})
    assert len(reason) <= 2048
    assert f"Ignored {number} files" in reason
    assert uris[0] in reason
