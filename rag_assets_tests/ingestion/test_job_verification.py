from datetime import UTC, datetime
from typing import get_args
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.ingestion.documents import DocumentStatuses, find_document_problems
from rag_assets.ingestion.job_verification import (
    ExpectedObjects,
    JobProblem,
    JobStatistics,
    PendingCounts,
    ProblemKind,
    classify_reason,
    describe_problems,
    find_job_problems,
    proves_complete,
    read_failure_reasons,
    read_statistics,
)
from rag_assets.s3.locations import IngestionTarget

NOW = datetime(2026, 4, 1, tzinfo=UTC)
TARGET = IngestionTarget(bucket="bbb", knowledge_base_id="A" * 10, data_source_id="B" * 10, chunking="NONE")
FEW = st.integers(0, 5)


def uploaded(documents: int = 5) -> ExpectedObjects:
    return ExpectedObjects(documents=documents, sidecars=documents, fingerprint="f")


def test_ignored_files_that_no_count_tells_are_told_by_the_reasons() -> None:
    # So a job was seen to end on S3 Vectors, where every sidecar was over 1,024 bytes.
    told = {"numberOfDocumentsScanned": 383, "numberOfMetadataDocumentsScanned": 383, "numberOfNewDocumentsIndexed": 0}
    job = {"statistics": told, "failureReasons": ["Ignored 383 files as the associated metadata was larger"]}
    faults = find_job_problems("COMPLETE", read_statistics(job), read_failure_reasons(job), uploaded(383))
    assert faults == [
        JobProblem("sidecars", "the service says: Ignored 383 files as the associated metadata was larger")
    ]


def test_the_same_without_any_reason_is_not_proven() -> None:
    silent = JobStatistics(scanned=383, metadata_scanned=383)
    assert find_job_problems("COMPLETE", silent, [], uploaded(383)) == []
    for all_pending in (True, False):
        assert not proves_complete(silent, uploaded(383), PendingCounts(new=383), all_pending=all_pending)


def test_counts_prove_nothing_where_not_all_changes_are_known() -> None:
    statistics = JobStatistics(scanned=5, metadata_scanned=5, modified=1)
    assert proves_complete(statistics, uploaded(), PendingCounts(changed=1), all_pending=True)
    assert not proves_complete(statistics, uploaded(), PendingCounts(changed=1), all_pending=False)
    # But where everything is new and was just uploaded, nothing else can be.
    all_new = JobStatistics(scanned=5, metadata_scanned=5, new=5)
    assert proves_complete(all_new, uploaded(), PendingCounts(new=5), all_pending=False)
    # Where it was not, the data source has been made to read another place.
    assert not proves_complete(all_new, uploaded(), PendingCounts(), all_pending=False)


def test_reasons_come_as_lists_in_strings_or_as_they_are() -> None:
    told = ['["Encountered error: Ignored 1 files", "Another"]', "plain", "5", '{"a": 1}']
    assert read_failure_reasons({"failureReasons": told}) == (
        "Encountered error: Ignored 1 files",
        "Another",
        "plain",
        "5",
        '{"a": 1}',
    )
    assert read_failure_reasons({}) == ()


@given(new=FEW, changed=FEW, metadata_changed=FEW, deleted=FEW, before=st.integers(10, 20), both=st.booleans())
def test_a_job_that_did_everything_is_good_and_proven(
    new: int, changed: int, metadata_changed: int, deleted: int, before: int, both: bool
) -> None:
    documents = before + new - deleted
    pending = PendingCounts(new=new, changed=changed, metadata_changed=metadata_changed, deleted=deleted)
    # Whether a document of which text and sidecar changed counts as one or as two is not told by the service.
    statistics = JobStatistics(
        scanned=documents,
        metadata_scanned=documents,
        new=new,
        modified=changed,
        metadata_modified=metadata_changed + (changed if both else 0),
        deleted=deleted,
    )
    assert find_job_problems("COMPLETE", statistics, [], uploaded(documents)) == []
    assert proves_complete(statistics, uploaded(documents), pending, all_pending=True) == (pending.total > 0)


@given(
    st.sampled_from(["new", "modified", "metadata_modified", "deleted"]),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
    st.integers(0, 3),
)
def test_a_job_that_did_less_is_not_proven(left_out: str, numbers: list[int], skipped: int) -> None:
    new, changed, metadata_changed, deleted = numbers
    documents = 20 + new - deleted
    pending = PendingCounts(new=new, changed=changed, metadata_changed=metadata_changed, deleted=deleted)
    done = {"new": new, "modified": changed, "metadata_modified": metadata_changed, "deleted": deleted}
    done[left_out] -= 1
    statistics = JobStatistics(scanned=documents, metadata_scanned=documents, skipped=skipped, **done)
    assert not proves_complete(statistics, uploaded(documents), pending, all_pending=True)


REASONS: dict[str, ProblemKind] = {
    "Access Denied (Service: S3, Status Code: 403) Call to Amazon S3 Source did not succeed.": "rights",
    "User: arn:aws:sts::1:role/a is not authorized to perform: bedrock:InvokeModel": "rights",
    "An error occurred (AccessDenied) when calling the GetObject operation": "rights",
    "An error occurred (NoSuchBucket) when calling the ListObjectsV2 operation": "bucket",
    "The bucket b is in us-east-1; it must be in the knowledge base's region, us-west-2.": "bucket",
    "Ignored 3 files as the associated metadata was larger than the limit": "sidecars",
    "Ignored 403 files as no text content found": "files",
}


@pytest.mark.parametrize(
    "name", ["a", "403", "status code: 403", "AccessDenied", "NoSuchBucket", "MaximumFileSize", "x]"]
)
@pytest.mark.parametrize("reason", REASONS)
def test_what_a_reason_is_about_does_not_depend_on_the_names_in_it(reason: str, name: str) -> None:
    named = f"{reason} [Files: s3://bucket/{name}.txt, s3://bucket/2/{name}.txt]."
    assert classify_reason(named, "files") == REASONS[reason]
    (fault,) = find_job_problems("COMPLETE", JobStatistics(scanned=5, metadata_scanned=5), [named], uploaded())
    assert fault.kind == REASONS[reason]


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_shortfall_that_left_out_files_explain_is_about_them(scanned: int, failed: int, skipped: int) -> None:
    statistics = JobStatistics(scanned=scanned, metadata_scanned=9, failed=failed, skipped=skipped)
    kinds = [fault.kind for fault in find_job_problems("COMPLETE", statistics, [], uploaded(9))]
    assert ("scan" in kinds) == (9 - scanned > failed + skipped)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_documents_are_good_if_and_only_if_all_are_indexed_and_no_other(
    indexed: int, failed: int, uploaded: int
) -> None:
    found = DocumentStatuses()
    for number in range(indexed + failed):
        take(found, "INDEXED" if number < indexed else "FAILED", f"bbb/{number}.txt")
    good = failed == 0 and indexed == uploaded
    faults = find_document_problems(found, uploaded, skipped=0)
    assert (faults == []) == good
    assert len(faults) <= 22


def take(found: DocumentStatuses, status: str, place: str, reason: str | None = None) -> None:
    detail = {"status": status, "statusReason": reason, "identifier": {"s3": {"uri": f"s3://{place}"}}}
    ledger = Mock()
    ledger.is_foreign.side_effect = lambda document: document.startswith("メモ")
    found.add({**detail, "updatedAt": NOW}, TARGET, ledger, NOW)


def test_a_document_that_is_not_indexed_is_named_with_its_reason() -> None:
    found = DocumentStatuses()
    take(found, "IGNORED", "bbb/403.txt", "too large")
    take(found, "FAILED", "bbb/1.txt", "Access Denied")
    told = [
        JobProblem("files", "s3://bbb/403.txt is IGNORED: too large"),
        JobProblem("rights", "s3://bbb/1.txt is FAILED: Access Denied"),
    ]
    assert find_document_problems(found, 2, skipped=0) == told
    assert find_document_problems(found, 2, skipped=1) == [*told, JobProblem("files", "1 document(s) skipped")]


@pytest.mark.parametrize(("skipped", "kind"), [(0, "missing"), (1, "missing"), (2, "files")])
def test_documents_that_are_not_known_at_all_were_skipped_or_are_missing(skipped: int, kind: str) -> None:
    found = DocumentStatuses()
    take(found, "INDEXED", "bbb/1.txt")
    assert find_document_problems(found, 3, skipped)[0].kind == kind


def test_documents_of_another_place_count_for_nothing() -> None:
    found = DocumentStatuses()
    take(found, "INDEXED", "old/1.txt")
    assert [fault.kind for fault in find_document_problems(found, 1, skipped=0)] == ["surplus", "missing"]


def test_a_message_tells_the_place_all_faults_and_each_remedy_once() -> None:
    faults = [
        JobProblem("files", "job J: COMPLETE"),
        JobProblem("sidecars", "one"),
        JobProblem("sidecars", "two"),
        JobProblem("scan", "3"),
    ]
    first, *others, last = describe_problems("a data source", faults).splitlines()
    assert first == "a data source: not everything that was uploaded is in the Knowledge Base (job J: COMPLETE)."
    assert others == ["- one", "- two", "- 3"]
    assert last.count("1,024 bytes") == 1
    assert "just this place" in last
    assert "Look at the files" not in last


@pytest.mark.parametrize("kind", get_args(ProblemKind))
def test_there_is_something_to_do_about_every_kind(kind: ProblemKind) -> None:
    assert "Then run again" in describe_problems("a data source", [JobProblem(kind, "x")])
