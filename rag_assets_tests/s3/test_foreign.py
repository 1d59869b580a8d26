"""What others put into a variant's place: named, left as it is, and never in our way without a word."""

import sqlite3
from hashlib import md5, sha256
from pathlib import Path

import pytest

from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.marks import ObjectHead, OwnershipMark, encode_checksum
from rag_assets.s3.objects import sync_folder
from rag_assets_tests.s3.conftest import BUCKET, Bench
from rag_assets_tests.s3.faulty_s3 import Fault

NOTE = "kb/raw/手書きのメモ.txt"


def notes_of(bench: Bench, **further: object) -> list[str]:
    """What a sync tells for the log."""
    told: list[str] = []
    bench.sync(on_note=told.append, **further)
    return told


@pytest.mark.parametrize("key", [NOTE, "kb/raw/tax_answer/99.txt", "kb/raw/minutes of a meeting.txt"])
@pytest.mark.parametrize("sidecar", [True, False])
@pytest.mark.parametrize("after_a_sync", [True, False])
def test_a_text_that_was_never_sent_stays_and_is_named(
    bench: Bench, key: str, sidecar: bool, after_a_sync: bool
) -> None:
    if after_a_sync:
        bench.sync()
    (bench.put_document_there if sidecar else bench.put_there)(key)
    before = bench.there()

    planned = bench.sync(dry_run=True)
    assert planned.first_foreign[0] == key
    assert (planned.foreign_documents, planned.foreign_sidecars) == (1, int(sidecar))
    told = notes_of(bench, may_delete_more=True)

    assert bench.there() == before | bench.here()
    assert len(told) == 1
    assert f"{1 + sidecar} object" in told[0]
    assert key in told[0]
    assert (
        "a Knowledge Base that reads this place takes them in beside ours, so that they appear in its answers"
        in told[0]
    )
    assert bench.sync().deleted == 0


def test_the_first_twenty_are_named_and_the_rest_is_counted(bench: Bench) -> None:
    for number in range(23):
        bench.put_there(f"kb/raw/note-{number:02}.pdf")
    (told,) = notes_of(bench)
    assert "23 objects are (kb/raw/note-00.pdf," in told
    assert "kb/raw/note-19.pdf, and 3 more)" in told


def test_the_objects_of_another_home_below_our_prefix_stay(bench: Bench, tmp_path: Path) -> None:
    inner = S3Location(bucket=BUCKET, prefix="kb/raw/old/")
    # Both homes have the same corpus.
    sync_folder(bench.s3, bench.folder, inner, tmp_path / "other.sqlite")
    theirs = bench.there()

    report = bench.sync(may_delete_more=True)
    assert report.foreign == 6
    assert bench.there() == theirs | bench.here()
    assert sync_folder(bench.s3, bench.folder, inner, tmp_path / "other.sqlite").unchanged == 6


@pytest.mark.parametrize("lost", [True, False])
def test_what_is_gone_is_deleted_by_its_mark_where_the_home_has_lost_what_it_knew(bench: Bench, lost: bool) -> None:
    bench.sync(variant="raw")
    bench.remove("law/3-2")
    if lost:
        bench.manifest.unlink()
    bench.faulty.asked.clear()

    told = notes_of(bench, variant="raw", may_delete_more=True)

    assert bench.there() == bench.here()
    assert bench.faulty.counts()["head"] == (2 if lost else 0)
    assert "2 objects are (kb/raw/law/3-2.txt, kb/raw/law/3-2.txt.metadata.json) no longer in the folder" in told[0]


def test_objects_of_another_variant_in_the_same_place_stay(bench: Bench, tmp_path: Path) -> None:
    bench.sync(variant="prepared_400")
    bench.manifest.unlink()
    bench.remove("law/3-2")

    assert bench.sync(variant="raw", may_delete_more=True).foreign == 2


@pytest.mark.parametrize("to", ["kb/raw/law/3-2 copy.txt", "kb/raw/backup/law/3-2.txt"])
def test_a_copy_of_ours_is_not_ours_though_it_bears_the_mark(bench: Bench, to: str) -> None:
    bench.sync()
    source = {"Bucket": BUCKET, "Key": "kb/raw/law/3-2.txt"}
    bench.aws.s3.copy_object(Bucket=BUCKET, Key=to, CopySource=source)

    assert bench.sync(may_delete_more=True).first_foreign == (to,)
    assert to in bench.there()


@pytest.mark.parametrize("lost", [True, False])
def test_what_a_person_has_edited_with_a_tool_that_keeps_the_mark_is_not_deleted(bench: Bench, lost: bool) -> None:
    bench.sync()
    key = "kb/raw/law/3-2.txt"
    mark = bench.aws.s3.head_object(Bucket=BUCKET, Key=key)["Metadata"]
    bench.put_there(key, "手で直した".encode(), Metadata=mark)
    if lost:
        bench.manifest.unlink()
        # The edit of a text that we still want is not replaced either, where nothing else proves it ours.
        with pytest.raises(SyncError, match=rf"{key}: nothing proves that it still is as sent"):
            bench.sync()
    bench.remove("law/3-2")

    report = bench.sync(may_delete_more=True)

    assert (report.deleted, report.first_foreign) == (1, (key,))
    assert bench.there() == bench.here() | {key: "手で直した".encode()}


def test_where_somebody_elses_object_lies_at_a_key_of_ours_nothing_is_done(bench: Bench) -> None:
    bench.put_there("kb/raw/law/3-2.txt", "手書き".encode())
    bench.put_sent_there("kb/raw/gone.txt")
    before = bench.there()

    planned = bench.sync(dry_run=True, may_delete_more=True)
    assert (planned.in_the_way, planned.deleted, planned.foreign) == (1, 2, 0)
    assert "kb/raw/law/3-2.txt: nothing says that it was sent from here" in planned.refused
    with pytest.raises(SyncError, match=r"1 object\(s\) lie where one of this variant should go.*aws s3 rm.*adopt"):
        bench.sync(may_delete_more=True)

    assert bench.there() == before
    bench.aws.s3.delete_object(Bucket=BUCKET, Key="kb/raw/law/3-2.txt")
    bench.sync(may_delete_more=True)
    assert bench.there() == bench.here()


def test_an_object_of_another_home_at_a_key_of_ours_is_told_with_whose_it_is(bench: Bench) -> None:
    bench.sync()
    # It has taken the place of ours: without its mark it would be put right.
    bench.put_sent_there("kb/raw/law/3-2.txt", S3Location(bucket=BUCKET, prefix="kb/"), "prepared_400")

    with pytest.raises(SyncError, match=r"it was sent as s3://a-bucket/kb/raw/law/3-2\.txt of variant prepared_400"):
        bench.sync()


def test_what_took_the_place_of_ours_stays_where_ours_is_gone_from_the_folder(bench: Bench) -> None:
    bench.sync()
    bench.put_there("kb/raw/law/3-2.txt", "手書き".encode())
    bench.remove("law/3-2")

    report = bench.sync(may_delete_more=True)

    assert (report.deleted, report.first_foreign) == (1, ("kb/raw/law/3-2.txt",))
    assert bench.there() == bench.here() | {"kb/raw/law/3-2.txt": "手書き".encode()}


def test_objects_of_before_the_mark_are_taken_over_where_that_is_asked_for(bench: Bench) -> None:
    for key in ("kb/raw/tax_answer/8.txt", "kb/raw/tax_answer/1.txt", "kb/raw/notes/8.txt"):
        bench.put_document_there(key)
    bench.put_sent_there("kb/raw/tax_answer/9.txt", S3Location(bucket=BUCKET, prefix="kb/raw/tax_answer/"))
    for key in ("kb/raw/law/3-2.txt", "kb/raw/law/3-2.txt.metadata.json"):
        bench.put_there(key, bench.here()[key])

    report = bench.sync(adopted=("tax_answer/", "law/"), may_delete_more=True)

    assert (report.changed, report.unchanged, report.deleted) == (2, 2, 2)
    assert {key.rpartition("/")[0] for key in report.first_foreign} == {"kb/raw/notes", "kb/raw/tax_answer"}
    # What was taken over is known as ours from now on.
    bench.remove("law/3-2")
    assert bench.sync(may_delete_more=True).deleted == 2


def test_what_may_not_be_looked_at_is_not_deleted(bench: Bench) -> None:
    bench.put_sent_there("kb/raw/gone.txt")
    bench.faulty.fail(Fault("head", status=403))

    assert bench.sync(may_delete_more=True).foreign == 2
    bench.faulty.fail()
    assert bench.sync(may_delete_more=True).deleted == 2


def test_the_guard_counts_our_own_objects_alone(bench: Bench) -> None:
    bench.sync()
    for number in range(20):
        bench.put_there(f"kb/raw/note-{number:02}.txt")
    bench.remove("law/3-2")

    with pytest.raises(SyncError, match=r"2 of the 6 objects there \(33%\).*First: kb/raw/law/3-2\.txt"):
        bench.sync()


def test_in_a_versioned_bucket_no_version_is_deleted(bench: Bench) -> None:
    bench.aws.s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    bench.sync()
    bench.remove("law/3-2")
    bench.sync(may_delete_more=True)

    versions = bench.aws.s3.list_object_versions(Bucket=BUCKET)
    assert len(versions["Versions"]) == 6
    assert len(versions["DeleteMarkers"]) == 2
    assert bench.there() == bench.here()


def test_the_manifest_of_an_earlier_version_still_tells_what_was_sent(bench: Bench) -> None:
    bench.sync()
    with sqlite3.connect(bench.manifest) as connection:
        connection.executescript(
            "ALTER TABLE sent RENAME TO now;"
            "CREATE TABLE sent (\n"
            "    bucket TEXT NOT NULL, key TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL, "
            "etag TEXT NOT NULL,\n"
            "    PRIMARY KEY (bucket, key)\n"
            ") WITHOUT ROWID;"
            "INSERT INTO sent SELECT bucket, key, sha256, size, etag FROM now;"
            "DROP TABLE now;"
            "PRAGMA user_version = 2;"
        )
    for key, content in bench.here().items():
        # As it put them there: without a mark.
        bench.put_there(key, content)
    bench.remove("law/3-2")

    told = notes_of(bench, may_delete_more=True)

    assert bench.there() == bench.here()
    assert not any("set aside" in line for line in told)


@pytest.mark.parametrize(
    "metadata",
    [{}, {"rag-assets-place": "s3://b-bucket/kb/raw/"}, {"Rag-Assets-Place": "s3://a-bucket/kb/"}, {"other": "1"}],
)
def test_only_the_whole_mark_of_this_very_object_proves_it_ours(metadata: dict[str, str]) -> None:
    mark = OwnershipMark(S3Location(bucket=BUCKET, prefix="kb/raw/"), "raw")
    look = ObjectHead("kb/raw/a.txt", "1", 1, "", metadata)
    assert mark.find_objection(look, replaces=False)
    sent = mark.metadata("kb/raw/a.txt", b"x")
    checksum = encode_checksum(sha256(b"x").digest())
    for etag, told in ((md5(b"x").hexdigest(), ""), ("1", checksum)):
        assert not mark.find_objection(ObjectHead("kb/raw/a.txt", etag, 1, told, sent), replaces=False)
        assert mark.find_objection(ObjectHead("kb/raw/b.txt", etag, 1, told, sent), replaces=True)
    for etag, told in (("1", ""), (md5(b"y").hexdigest(), ""), ("1", encode_checksum(sha256(b"y").digest()))):
        assert "nothing proves that it still is as sent" in mark.find_objection(
            ObjectHead("kb/raw/a.txt", etag, 1, told, sent), replaces=False
        )
