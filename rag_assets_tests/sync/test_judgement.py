from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sync.documents import Documents, document_faults
from rag_assets.sync.judgement import (
    Expected,
    Pending,
    Statistics,
    failure_reasons_of,
    is_proven,
    job_faults,
    statistics_of,
)

FEW = st.integers(0, 5)


def uploaded(documents: int = 5) -> Expected:
    return Expected(documents=documents, sidecars=documents, fingerprint="f")


def test_ignored_files_that_no_count_tells_are_told_by_the_reasons() -> None:
    # So a job was seen to end on S3 Vectors, where every sidecar was over 1,024 bytes.
    told = {"numberOfDocumentsScanned": 383, "numberOfMetadataDocumentsScanned": 383, "numberOfNewDocumentsIndexed": 0}
    job = {"statistics": told, "failureReasons": ["Ignored 383 files as the associated metadata was larger"]}
    faults = job_faults("COMPLETE", statistics_of(job), failure_reasons_of(job), uploaded(383))
    assert faults == ["the service says: Ignored 383 files as the associated metadata was larger"]


def test_the_same_without_any_reason_is_not_proven() -> None:
    silent = Statistics(scanned=383, metadata_scanned=383)
    assert job_faults("COMPLETE", silent, [], uploaded(383)) == []
    for all_pending in (True, False):
        assert not is_proven(silent, uploaded(383), Pending(new=383), all_pending=all_pending)


def test_counts_prove_nothing_where_not_all_changes_are_known() -> None:
    statistics = Statistics(scanned=5, metadata_scanned=5, modified=1)
    assert is_proven(statistics, uploaded(), Pending(changed=1), all_pending=True)
    assert not is_proven(statistics, uploaded(), Pending(changed=1), all_pending=False)
    # But where everything is new, nothing else can be.
    assert is_proven(Statistics(scanned=5, metadata_scanned=5, new=5), uploaded(), Pending(), all_pending=False)


def test_reasons_come_as_lists_in_strings_or_as_they_are() -> None:
    told = ['["Encountered error: Ignored 1 files", "Another"]', "plain", "5", '{"a": 1}']
    assert failure_reasons_of({"failureReasons": told}) == (
        "Encountered error: Ignored 1 files",
        "Another",
        "plain",
        "5",
        '{"a": 1}',
    )
    assert failure_reasons_of({}) == ()


@given(new=FEW, changed=FEW, metadata_changed=FEW, deleted=FEW, before=st.integers(10, 20), both=st.booleans())
def test_a_job_that_did_everything_is_good_and_proven(
    new: int, changed: int, metadata_changed: int, deleted: int, before: int, both: bool
) -> None:
    documents = before + new - deleted
    pending = Pending(new=new, changed=changed, metadata_changed=metadata_changed, deleted=deleted)
    # Whether a document of which text and sidecar changed counts as one or as two is not told by the service.
    statistics = Statistics(
        scanned=documents,
        metadata_scanned=documents,
        new=new,
        modified=changed,
        metadata_modified=metadata_changed + (changed if both else 0),
        deleted=deleted,
    )
    assert job_faults("COMPLETE", statistics, [], uploaded(documents)) == []
    assert is_proven(statistics, uploaded(documents), pending, all_pending=True) == (pending.total > 0)


@given(
    st.sampled_from(["new", "modified", "metadata_modified", "deleted"]),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
    st.integers(0, 3),
)
def test_a_job_that_did_less_is_not_proven(left_out: str, numbers: list[int], skipped: int) -> None:
    new, changed, metadata_changed, deleted = numbers
    documents = 20 + new - deleted
    pending = Pending(new=new, changed=changed, metadata_changed=metadata_changed, deleted=deleted)
    done = {"new": new, "modified": changed, "metadata_modified": metadata_changed, "deleted": deleted}
    done[left_out] -= 1
    statistics = Statistics(scanned=documents, metadata_scanned=documents, skipped=skipped, **done)
    assert not is_proven(statistics, uploaded(documents), pending, all_pending=True)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_documents_are_good_if_and_only_if_all_are_indexed_and_no_other(
    indexed: int, failed: int, uploaded: int
) -> None:
    found = Documents()
    for number in range(indexed + failed):
        status = "INDEXED" if number < indexed else "FAILED"
        found.add({"status": status, "identifier": {"s3": {"uri": f"s3://b/{number}"}}})
    good = failed == 0 and indexed == uploaded
    faults = document_faults(found, uploaded)
    assert (faults == []) == good
    assert len(faults) <= 22


def test_a_document_that_is_not_indexed_is_named_with_its_reason() -> None:
    found = Documents()
    found.add({"status": "IGNORED", "statusReason": "too large", "identifier": {"s3": {"uri": "s3://b/a.txt"}}})
    assert document_faults(found, 1) == ["s3://b/a.txt is IGNORED: too large"]
