"""What a sync does to a bucket, whatever was there before."""

import os
import re
import time
from base64 import b64encode
from hashlib import sha256

import pytest

from rag_assets.corpus.writing import corpus_files, write_files
from rag_assets.model import Chunk
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.marks import OwnershipMark
from rag_assets.s3.objects import ObjectChange
from rag_assets_tests.s3.conftest import BUCKET, Bench
from rag_assets_tests.s3.faulty_s3 import Asked, Fault

# -- uploading


def test_the_first_sync_uploads_every_file_with_type_and_checksum(bench: Bench) -> None:
    report = bench.sync()

    assert bench.there() == bench.here()
    assert (report.new, report.changed, report.unchanged, report.deleted) == (6, 0, 0, 0)
    assert (report.documents, report.sidecars) == (3, 3)
    assert report.bytes_sent == sum(map(len, bench.here().values()))
    assert report.first_new[0] == "kb/raw/law/3-2.txt"
    assert report.objects_per_second > 0
    text = bench.aws.s3.head_object(Bucket=BUCKET, Key="kb/raw/law/3-2.txt", ChecksumMode="ENABLED")
    assert text["ContentType"] == "text/plain; charset=utf-8"
    assert text["ChecksumSHA256"] == b64encode(sha256(bench.here()["kb/raw/law/3-2.txt"]).digest()).decode()
    beside = bench.aws.s3.head_object(Bucket=BUCKET, Key="kb/raw/law/3-2.txt.metadata.json")
    assert beside["ContentType"] == "application/json"


def test_what_the_corpus_writes_is_what_a_sync_takes(bench: Bench) -> None:
    chunks = [
        Chunk(chunk_id=f"a/{n}", record_id="a", variant="raw", body="本文", attributes={"n": n}) for n in range(3)
    ]
    write_files(bench.folder, corpus_files(chunks))

    assert bench.sync().documents == 3
    assert bench.there() == bench.here()


def test_with_nothing_changed_one_listing_is_all(bench: Bench) -> None:
    first = bench.sync()
    bench.faulty.asked.clear()

    second = bench.sync()

    assert bench.faulty.counts() == {"list": 1}
    assert (second.unchanged, second.bytes_sent, second.new + second.changed + second.deleted) == (6, 0, 0)
    assert second.fingerprint == first.fingerprint


def test_without_the_manifest_the_etag_tells(bench: Bench) -> None:
    bench.sync()
    bench.manifest.unlink()
    bench.faulty.asked.clear()

    assert bench.sync().unchanged == 6
    assert bench.faulty.counts() == {"list": 1}


def test_an_etag_that_is_no_md5_needs_the_manifest_or_a_look_at_each_object(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    bench.faulty.asked.clear()

    assert bench.sync().unchanged == 6
    assert bench.faulty.counts() == {"list": 1}

    bench.manifest.unlink()
    assert bench.sync().unchanged == 6
    assert bench.faulty.counts() == {"list": 2, "head": 6}

    # The looks were put down.
    bench.sync()
    assert bench.faulty.counts() == {"list": 3, "head": 6}


def test_what_must_not_be_looked_at_is_not_replaced_where_only_a_look_would_prove_it_ours(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    bench.manifest.unlink()
    bench.faulty.fail(Fault("head", status=403))
    before = bench.there()

    planned = bench.sync(dry_run=True)
    assert (planned.changed, planned.in_the_way) == (6, 6)
    with pytest.raises(SyncError, match=r"law/3-2\.txt: it may not be looked at \(s3:GetObject\)"):
        bench.sync()

    assert bench.there() == before
    bench.faulty.fail()
    assert bench.sync().unchanged == 6


def test_what_must_not_be_looked_at_is_uploaded_again_where_it_was_sent_from_here(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    # Another upload of the same content by somebody else has another ETag.
    bench.faulty.salt = "another key"
    bench.faulty.fail(Fault("head", status=403))

    assert bench.sync(dry_run=True).changed == 6
    assert bench.sync().changed == 6
    assert bench.sync().unchanged == 6


@pytest.mark.parametrize("opaque", [False, True])
def test_a_change_that_keeps_size_and_time_is_seen(bench: Bench, opaque: bool) -> None:
    bench.faulty.opaque_etags = opaque
    before = bench.sync()
    path = bench.folder / "tax_answer/1.txt"
    status = path.stat()
    path.write_bytes(path.read_bytes().replace("本".encode(), "木".encode()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    bench.faulty.asked.clear()

    report = bench.sync()

    assert bench.faulty.keys("put") == list(report.first_changed) == ["kb/raw/tax_answer/1.txt"]
    assert bench.faulty.counts()["head"] == 0
    assert report.fingerprint != before.fingerprint
    assert bench.there() == bench.here()


def test_a_text_never_goes_before_its_sidecar(bench: Bench) -> None:
    bench.sync(workers=1)

    keys = bench.faulty.keys("put")
    assert len(keys) == 6
    assert all(keys.index(key) == keys.index(f"{key}.metadata.json") + 1 for key in keys if key.endswith(".txt"))


def test_small_objects_are_sent_without_asking_first_and_the_client_is_left_as_it_was(bench: Bench) -> None:
    bench.write("tax_answer/large", "あ" * 400_000)
    bench.sync()
    bench.s3.put_object(Bucket=BUCKET, Key="other", Body=b"1")

    asking = [asked.key for asked in bench.faulty.asked if asked.expects_leave]
    assert asking == ["kb/raw/tax_answer/large.txt", "other"]


def test_listings_of_the_client_are_whole_again_afterwards(bench: Bench) -> None:
    bench.sync()

    assert "LastModified" in bench.s3.list_objects_v2(Bucket=BUCKET)["Contents"][0]


def test_a_folder_with_names_that_sort_between_a_text_and_its_sidecar(bench: Bench) -> None:
    bench.write("tax_answer/1.txt.a")
    bench.write("tax_answer/1-2")
    bench.write("tax_answer/1/x")

    assert bench.sync(workers=1).documents == 6
    assert bench.there() == bench.here()


# -- what somebody else did


def test_changes_of_somebody_else_are_put_right(bench: Bench) -> None:
    bench.sync()
    size = len(bench.here()["kb/raw/law/3-2.txt"])
    bench.put_there("kb/raw/law/3-2.txt", b"x" * size)
    bench.put_sent_there("kb/raw/law/36.txt")
    told: list[str] = []
    bench.aws.s3.delete_object(Bucket=BUCKET, Key="kb/raw/tax_answer/1.txt.metadata.json")

    report = bench.sync(on_note=told.append)

    assert (report.new, report.changed, report.deleted) == (1, 1, 2)
    assert bench.there() == bench.here()
    assert any("1 object is (kb/raw/law/3-2.txt) not as sent from here" in line for line in told)


def _hash_in_metadata(content: bytes) -> dict[str, str]:
    return {"sha256": sha256(content).hexdigest()}


@pytest.mark.parametrize("opaque", [False, True])
@pytest.mark.parametrize("forgotten", [False, True])
def test_metadata_that_other_tools_keep_prove_nothing(bench: Bench, opaque: bool, forgotten: bool) -> None:
    bench.faulty.opaque_etags = opaque
    bench.sync()
    key = "kb/raw/law/3-2.txt"
    right = bench.here()[key]
    bench.put_there(key, b"x" * len(right), Metadata=_hash_in_metadata(right))
    if forgotten:
        bench.manifest.unlink()
        with pytest.raises(SyncError, match=rf"{key}: nothing says that it was sent from here"):
            bench.sync()
        assert bench.there()[key] == b"x" * len(right)
        other = b"x" * len(right)
        mark = OwnershipMark(bench.place).metadata(key, other) | _hash_in_metadata(right)
        bench.put_there(key, other, Metadata=mark, ChecksumAlgorithm="SHA256")

    assert bench.sync().first_changed == (key,)
    assert bench.there() == bench.here()
    assert bench.sync().unchanged == 6


@pytest.mark.parametrize("manifest", [True, False])
def test_the_same_content_put_there_by_somebody_else_counts_where_s3_tells_it(bench: Bench, manifest: bool) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    key = "kb/raw/law/3-2.txt"
    # Another tool's copy: the ETag is another, as with another key of KMS.
    bench.faulty.salt = "another key"
    bench.put_there(key, bench.here()[key], ChecksumAlgorithm="SHA256")
    if not manifest:
        bench.manifest.unlink()

    assert bench.sync().unchanged == 6


@pytest.mark.parametrize("checksum", [{}, {"ChecksumAlgorithm": "SHA256", "ChecksumType": "COMPOSITE"}])
def test_a_multipart_upload_proves_nothing_though_it_carries_our_hash(bench: Bench, checksum: dict[str, str]) -> None:
    bench.sync()
    key = "kb/raw/law/3-2.txt"
    _put_in_parts(bench, key, _hash_in_metadata(bench.here()[key]), checksum)
    head = bench.aws.s3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")
    assert "-" in head["ETag"]
    assert ("ChecksumSHA256" in head) == bool(checksum)

    assert bench.sync().first_changed == (key,)
    assert bench.sync().unchanged == 6


@pytest.mark.parametrize("kind", ["COMPOSITE", "FULL_OBJECT", ""])
def test_a_hash_over_the_hashes_of_parts_proves_nothing_however_it_is_told(bench: Bench, kind: str) -> None:
    bench.sync()
    key = "kb/raw/law/3-2.txt"
    content = bench.here()[key]
    _put_in_parts(bench, key, {}, {})
    # A store that tells neither the kind nor the number of parts, or the one without the other.
    for suffix in ("-1", ""):
        told = b64encode(sha256(sha256(content).digest()).digest()).decode() + suffix
        headers = {"x-amz-checksum-sha256": told, "Content-Length": str(len(content)), "ETag": '"1-1"'}
        bench.faulty.fail(Fault("head", status=200, headers=headers | ({"x-amz-checksum-type": kind} if kind else {})))
        assert bench.sync(dry_run=True).first_changed == (key,)


def test_a_store_that_knows_no_checksums_gets_what_is_in_doubt_once_more_where_that_is_asked_for(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.faulty.knows_checksums = False
    bench.sync()
    assert bench.sync().unchanged == 6
    bench.manifest.unlink()

    with pytest.raises(SyncError, match=r"nothing proves that it still is as sent.*adopt"):
        bench.sync()
    assert bench.sync(adopted=("law/", "tax_answer/")).changed == 6
    assert bench.sync().unchanged == 6


def _put_in_parts(bench: Bench, key: str, metadata: dict[str, str], checksum: dict[str, str]) -> None:
    s3, named = bench.aws.s3, {"Bucket": BUCKET, "Key": key}
    algorithm = {name: value for name, value in checksum.items() if name == "ChecksumAlgorithm"}
    upload = s3.create_multipart_upload(**named, Metadata=metadata, **checksum)["UploadId"]
    part = s3.upload_part(**named, UploadId=upload, PartNumber=1, Body=bench.here()[key], **algorithm)
    told = {name: part[name] for name in ("ETag", "ChecksumSHA256") if name in part}
    parts = {"Parts": [{"PartNumber": 1} | told]}
    s3.complete_multipart_upload(**named, UploadId=upload, MultipartUpload=parts)


def test_nothing_outside_the_prefix_is_touched(bench: Bench) -> None:
    neighbours = {
        "kb/raw2/a.txt": b"1",
        "kb/raw": b"2",
        "kb/rav/a.txt": b"3",
        "a.txt": b"4",
        "kb/raw2/kb/raw/a.txt": b"5",
    }
    for key, content in neighbours.items():
        bench.put_there(key, content)

    bench.sync(may_delete_more=True)

    assert bench.there() == bench.here() | neighbours


def test_a_whole_bucket_is_a_place_too(bench: Bench) -> None:
    bench.place = S3Location(bucket=BUCKET)
    bench.put_sent_there("law/37.txt")

    assert bench.sync(may_delete_more=True).deleted == 2
    assert bench.there() == bench.here()


def test_a_text_that_has_lost_its_sidecar_is_still_known_as_ours(bench: Bench) -> None:
    bench.sync()
    bench.remove("law/3-2")
    bench.aws.s3.delete_object(Bucket=BUCKET, Key="kb/raw/law/3-2.txt.metadata.json")

    assert bench.sync().deleted == 1
    assert bench.there() == bench.here()


def test_folders_made_in_the_console_are_left_alone(bench: Bench) -> None:
    bench.put_there("kb/raw/", b"")
    bench.put_there("kb/raw/law/", b"")

    bench.sync()

    assert bench.there() == bench.here() | {"kb/raw/": b"", "kb/raw/law/": b""}


# -- deleting


def test_what_is_gone_is_deleted_last_and_texts_before_their_sidecars(bench: Bench) -> None:
    bench.sync()
    bench.remove("tax_answer/1")
    bench.write("tax_answer/1a")
    bench.faulty.asked.clear()

    report = bench.sync(most_deleted_share=0.34)

    assert report.first_deleted == ("kb/raw/tax_answer/1.txt", "kb/raw/tax_answer/1.txt.metadata.json")
    assert [asked.operation for asked in bench.faulty.asked] == ["list", "put", "put", "delete"]
    assert bench.there() == bench.here()


def test_more_than_a_thousand_are_deleted_in_several_requests_one_after_the_other(bench: Bench) -> None:
    bench.remember_there(f"kb/raw/old/{number}.txt.metadata.json" for number in range(1001))

    order: list[str] = []

    def begun(asked: Asked, _number: int) -> None:
        if asked.operation == "delete":
            order.append("begun")
            time.sleep(0.1)

    bench.faulty.before = begun
    bench.faulty.after = lambda asked, _number: order.append("done") if asked.operation == "delete" else None
    report = bench.sync(may_delete_more=True)

    assert report.deleted == 1001
    assert order == ["begun", "done"] * 2
    assert bench.there() == bench.here()


def test_too_many_deletions_are_refused_before_anything_is_touched(bench: Bench) -> None:
    bench.sync()
    before = bench.there()
    bench.remove("tax_answer/1")
    bench.write("tax_answer/2", "新しい本文です。\n")
    bench.faulty.asked.clear()

    with pytest.raises(SyncError, match=r"2 of the 6 objects there \(33%\).*30%.*--allow-deletions"):
        bench.sync()

    assert bench.there() == before
    assert bench.faulty.counts() == {"list": 1}
    planned = bench.sync(dry_run=True)
    assert planned.refused
    assert planned.deleted == 2
    assert not bench.sync(dry_run=True, may_delete_more=True).refused
    bench.sync(may_delete_more=True)
    assert bench.there() == bench.here()


def _left_of(bench: Bench, left: int, of: int) -> None:
    """A folder with so many documents, and a place that holds them and others."""
    for name in ("tax_answer/1", "tax_answer/2", "law/3-2"):
        bench.remove(name)
    for number in range(of):
        if number < left:
            bench.write(f"{number}")
    bench.remember_there(f"kb/raw/{number}.txt{suffix}" for number in range(of) for suffix in ("", ".metadata.json"))


@pytest.mark.parametrize(("gone", "of", "share"), [(29, 100, 0.29), (57, 100, 0.57), (3, 10, 0.3), (9, 9, 1.0)])
def test_the_share_that_is_allowed_may_go_to_the_last_object(bench: Bench, gone: int, of: int, share: float) -> None:
    _left_of(bench, of - gone, of)
    bench.write("new")

    assert not bench.sync(dry_run=True, most_deleted_share=share).refused
    assert bench.sync(dry_run=True, most_deleted_share=share - 1e-9).refused


@pytest.mark.parametrize(
    ("gone", "of", "share", "told"),
    [
        (1, 3, 0.3, "33%) are no longer in the folder and would be deleted, more than the 30% "),
        (38, 125, 0.3, "30.4%) are no longer in the folder and would be deleted, more than the 30% "),
        (61, 203, 0.3, "30.05%) are no longer in the folder and would be deleted, more than the 30% "),
        (1, 3, 0.333, "33.33%) are no longer in the folder and would be deleted, more than the 33.3% "),
        (3, 3, 0.999, "100%) are no longer in the folder and would be deleted, more than the 99.9% "),
        (1, 10, 0, "10%) are no longer in the folder and would be deleted, more than the 0% "),
    ],
)
def test_a_share_reads_as_more_than_the_one_that_is_allowed(
    bench: Bench, gone: int, of: int, share: float, told: str
) -> None:
    _left_of(bench, of - gone, of)
    bench.write("new")
    with pytest.raises(SyncError, match=re.escape(f"{2 * gone} of the {2 * of} objects there ({told}")):
        bench.sync(most_deleted_share=share)


@pytest.mark.parametrize("missing", [False, True])
def test_an_empty_or_missing_folder_never_empties_a_bucket(bench: Bench, missing: bool) -> None:
    bench.sync()
    before = bench.there()
    for name in ("tax_answer/1", "tax_answer/2", "law/3-2"):
        bench.remove(name)
    if missing:
        for folder in ("tax_answer", "law", ""):
            (bench.folder / folder).rmdir()

    with pytest.raises(SyncError, match="does not exist: materialize" if missing else "is empty"):
        bench.sync(may_delete_more=True)

    assert bench.there() == before


# -- dry runs and what is told


def test_a_dry_run_tells_every_key_and_touches_nothing(bench: Bench) -> None:
    bench.sync()
    bench.write("tax_answer/3")
    bench.write("tax_answer/2", "新しい本文です。\n", number=8)
    (bench.folder / "law/3-2.txt").rename(bench.folder / "law/3-3.txt")
    (bench.folder / "law/3-2.txt.metadata.json").rename(bench.folder / "law/3-3.txt.metadata.json")
    before, manifest = bench.there(), bench.manifest.read_bytes()
    bench.faulty.asked.clear()
    told: list[tuple[ObjectChange, str]] = []

    report = bench.sync(dry_run=True, most_deleted_share=0.5, on_change=lambda change, key: told.append((change, key)))

    assert bench.faulty.counts() == {"list": 1}
    assert (bench.there(), bench.manifest.read_bytes()) == (before, manifest)
    assert report.dry_run
    assert (report.new, report.changed, report.unchanged, report.deleted) == (4, 2, 2, 2)
    assert [change for change, _ in told] == ["new"] * 4 + ["changed"] * 2 + ["deleted"] * 2 + ["unchanged"] * 2
    assert ("deleted", "kb/raw/law/3-2.txt") in told
    assert report.fingerprint == bench.sync(most_deleted_share=0.5).fingerprint


def test_a_dry_run_before_the_first_sync_makes_no_manifest(bench: Bench) -> None:
    assert bench.sync(dry_run=True).new == 6
    assert bench.there() == {}
    assert not bench.manifest.exists()


def test_a_dry_run_puts_nothing_down_in_the_manifest(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    bench.manifest.unlink()
    bench.sync(dry_run=True)
    bench.manifest.touch()

    assert bench.sync(dry_run=True).unchanged == 6
    assert bench.manifest.read_bytes() == b""


def test_progress_ends_with_all_done(bench: Bench) -> None:
    bench.put_sent_there("kb/raw/old.txt")
    told: list[tuple[int, int]] = []

    bench.sync(may_delete_more=True, on_progress=lambda done, total: told.append((done, total)))

    assert told[-1] == (8, 8)
    assert told == sorted(told)


# -- the folder and the manifest meanwhile


def test_a_file_that_changes_during_the_sync_is_not_uploaded(bench: Bench) -> None:
    def spoil(change: ObjectChange, key: str) -> None:
        (bench.folder / "law/3-2.txt").write_text("書きかけ")

    with pytest.raises(SyncError, match=r"3-2\.txt was changed while"):
        bench.sync(on_change=spoil)

    assert "kb/raw/law/3-2.txt" not in bench.there()
    bench.sync()
    assert bench.there() == bench.here()


def test_a_file_that_goes_during_the_sync_is_told(bench: Bench) -> None:
    with pytest.raises(SyncError, match=r"3-2\.txt could not be read"):
        bench.sync(on_change=lambda _change, _key: (bench.folder / "law/3-2.txt").unlink(missing_ok=True))


def test_two_runs_of_a_place_do_not_get_in_each_others_way(bench: Bench) -> None:
    def second(change: ObjectChange, key: str) -> None:
        with pytest.raises(SyncError, match="Another run is syncing"):
            bench.sync()

    bench.sync(on_change=lambda change, key: second(change, key) if key.endswith("3-2.txt") else None)

    assert bench.there() == bench.here()


def test_with_a_damaged_manifest_a_plain_run_reaches_the_right_state_and_tells(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    bench.manifest.write_bytes(bench.manifest.read_bytes()[:1500])
    bench.write("law/36")
    told: list[str] = []

    assert bench.sync(dry_run=True, on_note=told.append).unchanged == 6
    assert bench.sync(on_note=told.append).unchanged == 6

    assert ["a real run sets it aside" in line for line in told] == [True, False]
    assert all(line.startswith(f"{bench.manifest} is damaged") for line in told)
    assert bench.there() == bench.here()
    bench.faulty.asked.clear()
    assert bench.sync().unchanged == 8
    assert bench.faulty.counts() == {"list": 1}


def test_a_long_listing_tells_how_far_it_is(bench: Bench) -> None:
    bench.remember_there(f"kb/raw/{number}.txt.metadata.json" for number in range(5_001))
    told: list[str] = []

    bench.sync(dry_run=True, on_note=told.append)

    assert told == ["s3://a-bucket/kb/raw/: 5,000 objects listed so far"]


def test_a_manifest_that_lies_about_another_bucket_proves_nothing(bench: Bench) -> None:
    bench.sync()
    other = bench.aws.create_bucket("b-bucket")
    bench.place = S3Location(bucket=other, prefix="kb/raw/")

    assert bench.sync().new == 6


# -- places


@pytest.mark.parametrize("prefix", ["raw", "/", "/raw/", "raw//", "../raw/", "日本/", "a b/", "x" * 300 + "/"])
def test_a_prefix_that_is_no_folder_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        S3Location(bucket=BUCKET, prefix=prefix)


@pytest.mark.parametrize(
    ("bucket", "rule"),
    [
        ("ab", "3 to 63 characters"),
        ("a" * 64, "3 to 63 characters"),
        ("a_b", "a to z, 0 to 9, hyphens and dots"),
        ("My-bucket", "a to z, 0 to 9, hyphens and dots"),
        ("バケット", "a to z, 0 to 9, hyphens and dots"),
        ("a-bucket\n", "a to z, 0 to 9, hyphens and dots"),
        ("s3://a-bucket", "a to z, 0 to 9, hyphens and dots"),
        ("-bucket", "begins and ends with a letter or digit"),
        ("bucket.", "begins and ends with a letter or digit"),
        ("a..b", "has no dot beside another dot or a hyphen"),
        ("a-.b", "has no dot beside another dot or a hyphen"),
        ("a.-b", "has no dot beside another dot or a hyphen"),
        ("192.168.1.1", "does not look like an IP address"),
        ("xn--bucket", "does not begin with xn--"),
        ("sthree-bucket", "does not begin with .*sthree-"),
        ("amzn-s3-demo-bucket", "does not begin with .*amzn-s3-demo-"),
        ("bucket-s3alias", "does not end with -s3alias"),
        ("bucket--ol-s3", "does not end with .*--ol-s3"),
        ("bucket.mrap", r"does not end with .*\.mrap"),
        ("bucket--apne1-az1--x-s3", "does not end with .*--x-s3"),
        ("bucket--table-s3", "does not end with .*--table-s3"),
    ],
)
def test_a_name_that_no_bucket_can_have_is_refused_with_the_rule(bucket: str, rule: str) -> None:
    with pytest.raises(ValueError, match=f"cannot be the name of a bucket: such a name .*{rule}"):
        S3Location(bucket=bucket)


@pytest.mark.parametrize("bucket", ["abc", "a" * 63, "a.b.c", "1-2", "192.168.1.1.5", "xn-b", "s3alias", "a--b"])
def test_any_other_bucket_is_taken(bucket: str) -> None:
    assert S3Location(bucket=bucket).bucket == bucket


def test_places_overlap_where_one_lies_in_the_other() -> None:
    raw = S3Location(bucket=BUCKET, prefix="kb/raw/")
    assert raw.overlaps(raw)
    assert raw.overlaps(S3Location(bucket=BUCKET))
    assert S3Location(bucket=BUCKET, prefix="kb/").overlaps(raw)
    assert not raw.overlaps(S3Location(bucket=BUCKET, prefix="kb/raw2/"))
    assert not raw.overlaps(S3Location(bucket="b-bucket", prefix="kb/raw/"))
