import json
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.variants import prepare
from rag_assets.model import Record, Variant
from rag_assets.sources.base import SAMPLE_DOCUMENTS
from rag_assets.sources.csv_rows.reader import read_document
from rag_assets.sources.csv_rows.source import CsvRowsDocument
from rag_assets.sources.registry import BY_NAME
from rag_assets.transformation import handler as handler_module
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.event import read_event
from rag_assets.transformation.file_report import LOGGED_FINDINGS
from rag_assets.transformation.handler import MOST_CHUNKS, handler
from rag_assets.transformation.objects import IntermediateBucket
from rag_assets_tests.japanese.test_composed import Form
from rag_assets_tests.transformation.conftest import INTERMEDIATE, ROWS, SOURCE, Bench, row

PREPARED_400 = Variant(name="prepared_400", limit=400, digits=True)


def without_dictionary(source: str) -> Dictionary:
    raise AssertionError(f"the dictionary of {source} was asked for")


def test_one_row_becomes_one_chunk_with_its_metadata(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-2"))
    contents = bench.contents(bench.call(bench.file(uri)))
    assert [content["contentMetadata"]["record_id"] for content in contents] == [
        "csv_rows/helpdesk/HD-1",
        "csv_rows/helpdesk/HD-2",
    ]
    assert contents[0] == {
        "contentBody": "架空商会の記録 No.HD-1 紙が詰まる（担当：印刷係）\n質問：紙が詰まった。\n"
        "回答：HD-1の回答をする。",
        "contentType": "TEXT",
        "contentMetadata": {
            "chunk_id": "csv_rows/helpdesk/HD-1/profile",
            "desk": ["印刷係"],
            "document": "架空商会の記録",
            "number": "HD-1",
            "part": "profile",
            "received": 20260401,
            "record_id": "csv_rows/helpdesk/HD-1",
            "source": "csv_rows",
            "title": "紙が詰まる",
            "variant": "prepared_400",
        },
    }


def test_chunks_are_those_of_the_corpus(bench: Bench) -> None:
    sample = SAMPLE_DOCUMENTS / "helpdesk.csv"
    document = BY_NAME["csv_rows"].sample
    assert isinstance(document, CsvRowsDocument)
    table = document.model_dump(mode="json", exclude={"key"}) | {"source": "csv_rows", "location": "helpdesk.csv"}
    bench.environment["TRANSFORMATION_SETTINGS"] = json.dumps({"document": {"sample": table}})
    uri = bench.put("documents/helpdesk.csv", sample.read_bytes())
    contents = bench.contents(bench.call(bench.file(uri)))
    with sample.open("rb") as file:
        records = [found for found in read_document(file, document, sha256="0" * 64) if isinstance(found, Record)]
    chunks = prepare(records, PREPARED_400, without_dictionary)
    assert [content["contentBody"] for content in contents] == [chunk.text for chunk in chunks]
    assert [content["contentMetadata"]["chunk_id"] for content in contents] == [chunk.chunk_id for chunk in chunks]
    assert len({content["contentMetadata"]["record_id"] for content in contents}) == len(records)


def test_answer_has_the_shape_of_the_service(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    given_file = bench.file(uri, metadata={"owner": "課", "year": 2026, "labels": ["a", "b"]})
    answered = bench.call(given_file)
    assert set(answered) == {"outputFiles"}
    (file,) = answered["outputFiles"]
    assert file["originalFileLocation"] == {"type": "S3", "s3_location": {"uri": uri}}
    assert file["fileMetadata"] == {"owner": "課", "year": 2026, "labels": ["a", "b"]}
    assert [set(batch) for batch in file["contentBatches"]] == [{"key"}]
    assert file["contentBatches"][0]["key"].startswith("temp/aws/bedrock/knowledge_bases/KB12345678/DS12345678/")
    assert set(json.loads(bench.read(file["contentBatches"][0]["key"]))) == {"fileContents"}
    assert json.loads(json.dumps(answered)) == answered


def test_fields_that_the_service_adds_go_back_as_they_came(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    file = bench.file(uri)
    file["originalFileLocation"]["versionId"] = "v1"
    file["newField"] = {"a": 1}
    (back,) = bench.call(file)["outputFiles"]
    assert back["originalFileLocation"]["versionId"] == "v1"
    assert back["newField"] == {"a": 1}


def test_objects_of_the_service_are_left_alone(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    file = bench.file(uri)
    key = file["contentBatches"][0]["key"]
    before = bench.read(key)
    answered = bench.call(file)
    assert bench.read(key) == before
    assert key not in [batch["key"] for batch in answered["outputFiles"][0]["contentBatches"]]


def test_a_file_that_the_service_cut_into_batches_is_transformed_once(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-2"))
    contents = bench.contents(bench.call(bench.file(uri, batches=3)))
    assert [content["contentMetadata"]["number"] for content in contents] == ["HD-1", "HD-2"]


def test_a_file_that_is_named_twice_has_its_rows_once(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    first, second = bench.file(uri), bench.file(uri, batches=2)
    second["contentBatches"] = second["contentBatches"][1:]
    answered = bench.call(first, second)
    assert [len(file["contentBatches"]) for file in answered["outputFiles"]] == [1, 1]
    assert len(bench.contents(answered)) == 1
    assert len(bench.contents(bench.call(first, first, first))) == 1


@pytest.mark.parametrize(
    "batches",
    [
        ("temp/0/helpdesk_1.JSON", "temp/1/helpdesk_1.JSON"),
        ("temp/helpdesk_1.JSON", "temp/helpdesk_2.JSON"),
        ("temp/batch.1", "temp/batch.2"),
        ("temp/helpdesk.csv", "temp/helpdesk.txt"),
        ("temp/helpdesk_1.JSON", "temp/helpdesk_1.JSON"),
        ("helpdesk_1.JSON", "helpdesk_1.JSON"),
    ],
)
def test_several_files_of_one_call_keep_their_chunks_apart(bench: Bench, batches: tuple[str, str]) -> None:
    uris = {name: f"s3://{SOURCE}/documents/{name}/helpdesk.csv" for name in ("east", "west")}
    bench.configure_several(**uris)
    files = [
        bench.file(bench.put(f"documents/{name}/helpdesk.csv", ROWS + row("HD-1"))) | {"contentBatches": [{"key": key}]}
        for name, key in zip(uris, batches, strict=True)
    ]
    answered = bench.call(*files)
    assert [content["contentMetadata"]["record_id"] for content in bench.contents(answered)] == [
        "csv_rows/east/HD-1",
        "csv_rows/west/HD-1",
    ]
    assert bench.call(*files) == answered


def test_no_object_is_written_over(bench: Bench) -> None:
    bench.put("of/the/service.json", "{}", INTERMEDIATE)
    intermediate = IntermediateBucket(bench.aws.s3, INTERMEDIATE, ["of/the/service.json"])
    intermediate.write("ours.json", [{"contentBody": "first"}])
    for key in ("ours.json", "of/the/service.json"):
        with pytest.raises(TransformationError, match=f"{key}: there are chunks of this call there already"):
            intermediate.write(key, [{"contentBody": "second"}])
    assert json.loads(bench.read("ours.json")) == {"fileContents": [{"contentBody": "first"}]}


def test_called_again_it_writes_the_same_objects(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + "".join(row(f"HD-{number}") for number in range(20)))
    file = bench.file(uri)
    first = bench.call(file)
    keys, contents = bench.keys(), [bench.read(key) for key in sorted(bench.keys())]
    assert bench.call(file) == first
    assert bench.keys() == keys
    assert [bench.read(key) for key in sorted(keys)] == contents


def test_a_large_file_is_written_in_several_objects_of_bounded_size(bench: Bench) -> None:
    rows = MOST_CHUNKS * 2 + 1
    uri = bench.put("documents/helpdesk.csv", ROWS + "".join(row(f"HD-{number}") for number in range(rows)))
    answered = bench.call(bench.file(uri))
    keys = [batch["key"] for batch in answered["outputFiles"][0]["contentBatches"]]
    assert [len(json.loads(bench.read(key))["fileContents"]) for key in keys] == [MOST_CHUNKS, MOST_CHUNKS, 1]
    numbers = [content["contentMetadata"]["number"] for content in bench.contents(answered)]
    assert numbers == [f"HD-{number}" for number in range(rows)]


@pytest.mark.parametrize("rows", [[row("HD-1")], [row(f"HD-{n}") for n in range(50)], [row("")] * 50])
@pytest.mark.parametrize("bad_rows", ["fail", "skip"])
def test_the_end_of_the_functions_time_is_told_before_it_comes(bench: Bench, rows: list[str], bad_rows: str) -> None:
    bench.configure(bad_rows=bad_rows)
    uri = bench.put("documents/helpdesk.csv", ROWS + "".join(rows))
    told = r"helpdesk\.csv: the function's time is over after {} chunks and findings.*Timeout"
    with pytest.raises(TransformationError, match=told.format(0)):
        bench.call(bench.file(uri), seconds=3)
    with pytest.raises(TransformationError, match=told.format(len(rows) - 1)):
        bench.call(bench.file(uri), seconds=60, looks=len(rows) - 1)


def test_long_columns_are_chunks_of_their_own(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1", history="ローラーを掃除した。" * 60))
    contents = bench.contents(bench.call(bench.file(uri)))
    ids = [content["contentMetadata"]["chunk_id"].rpartition("/")[2] for content in contents]
    assert ids == ["profile", "history-001", "history-002"]
    assert all(content["contentBody"].startswith("架空商会の記録 No.HD-1") for content in contents)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=30, unique_by=str.lower))
def test_every_row_comes_out_once_and_in_order(bench: Bench, numbers: list[str]) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + "".join(map(row, numbers)))
    contents = bench.contents(bench.call(bench.file(uri)))
    assert [content["contentMetadata"]["number"] for content in contents] == numbers


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (row("HD-1") + row("HD-1"), "line 3 (duplicate ID): ID HD-1 stands in line 2 already"),
        (
            row("HD-1") + "HD-2,2026-04-01,印刷係\n",
            "line 3 (ragged row): ID HD-2: 3 cells where there are 7 columns",
        ),
        (row("HD-1") + row("HD-2", received="昨日"), "line 3 (unreadable value): ID HD-2: column 受付日 is no date"),
        (row("HD-1") + row(""), "line 3 (missing ID): column 番号 is empty"),
        (row("HD-1") + row("HD-2", title="紙\0が"), "line 3 (NUL byte): ID HD-2: in column 件名"),
    ],
)
def test_a_faulty_row_is_told_and_by_setting_left_out(
    bench: Bench, log: pytest.LogCaptureFixture, rows: str, told: str
) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + rows)
    with pytest.raises(TransformationError) as refused:
        bench.call(bench.file(uri))
    assert str(refused.value).startswith(f"{uri}: 1 fault(s): {told}")
    # What is done without it, the message itself says: the row is left out, or kept without the value.
    assert str(refused.value).endswith('set bad_rows = "skip" in [document.helpdesk] to go on as is said here')
    log.clear()
    bench.configure(bad_rows="skip")
    contents = bench.contents(bench.call(bench.file(uri)))
    assert contents[0]["contentMetadata"]["number"] == "HD-1"
    (warning,) = [record for record in log.records if record.levelname == "WARNING"]
    assert told in warning.getMessage()
    assert warning.__dict__["file"] == uri
    assert warning.__dict__["finding"]["place"] == "line 3"


def test_many_faults_are_counted_and_the_first_are_told(bench: Bench, log: pytest.LogCaptureFixture) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") * 301)
    with pytest.raises(TransformationError, match=r"300 fault\(s\): line 3.*line 4.*line 5.*and 297 more"):
        bench.call(bench.file(uri))
    assert len([record for record in log.records if record.levelname == "ERROR"]) == LOGGED_FINDINGS
    (summary,) = [record for record in log.records if record.levelname == "INFO"]
    assert summary.__dict__["findings"] == {"fault: duplicate ID": 300}
    assert summary.__dict__["chunks"] == 1
    assert summary.__dict__["ingestion_job"] == "JOB1234567"


def test_rows_passed_over_are_named_where_they_are_counted(bench: Bench, log: pytest.LogCaptureFixture) -> None:
    bench.configure(bad_rows="skip")
    bench.call(bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1") * 6)))
    (summary,) = [record for record in log.records if record.levelname == "INFO"]
    assert ": 1 chunks, 5 note(s): line 3 (duplicate ID): ID HD-1" in summary.getMessage()
    assert "line 5 (duplicate ID)" in summary.getMessage()
    assert summary.getMessage().endswith("(and 2 more)")


@pytest.mark.parametrize(("in_settings", "in_s3"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
@pytest.mark.parametrize("location", ["data/窓口が.csv", f"s3://{SOURCE}/documents/窓口が.csv"])
def test_a_file_finds_its_table_in_either_spelling_of_its_name(
    bench: Bench, location: str, in_settings: Form, in_s3: Form
) -> None:
    bench.configure(location=unicodedata.normalize(in_settings, location))
    uri = bench.put(unicodedata.normalize(in_s3, "documents/窓口が.csv"), ROWS + row("HD-1"))
    assert len(bench.contents(bench.call(bench.file(uri)))) == 1


def test_metadata_too_large_for_the_store_are_told_by_row(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-2", desk="長い名の係" * 80))
    with pytest.raises(
        TransformationError,
        match=r"csv_rows/helpdesk/HD-2/profile \(metadata of a chunk\): the file has \d+ bytes, "
        r"at most 1024 are allowed in S3 Vectors.*; the chunk is left out",
    ):
        bench.call(bench.file(uri))
    bench.configure(bad_rows="skip")
    assert len(bench.contents(bench.call(bench.file(uri)))) == 1
    bench.environment["TRANSFORMATION_STORE"] = "OPENSEARCH_SERVERLESS"
    assert len(bench.contents(bench.call(bench.file(uri)))) == 2


def test_metadata_of_the_file_count_towards_the_limit_of_the_store(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    with pytest.raises(TransformationError, match="allowed in S3 Vectors"):
        bench.call(bench.file(uri, metadata={"about": "x" * 900}))
    bench.call(bench.file(uri, metadata={"x-amz-bedrock-kb-source-uri": "x" * 900}))
    with pytest.raises(TransformationError, match=r"attributes, at most 35 are allowed"):
        bench.call(bench.file(uri, metadata={f"k{number}": 1 for number in range(30)}))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "there are no column names"),
        ("番号,件名\nHD-1,紙\n".encode(), "受付日"),
        (b"PK\x03\x04....", "Excel workbook"),
        (ROWS.encode(), "it can be read and holds no record .a table: column names and no row below them"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(bench: Bench, content: bytes, told: str) -> None:
    uri = bench.put("documents/helpdesk.csv", content)
    with pytest.raises(TransformationError, match=told) as refused:
        bench.call(bench.file(uri))
    assert uri in str(refused.value)


def test_a_file_of_which_every_row_is_left_out_says_why(bench: Bench) -> None:
    bench.configure(bad_rows="skip")
    uri = bench.put("documents/helpdesk.csv", ROWS + row("") * 3 + "HD-2,2026-04-01,印刷係,件名,,,\n")
    with pytest.raises(
        TransformationError, match=r"nothing in it became a chunk: missing ID \(3\), empty text \(1\); .*log"
    ):
        bench.call(bench.file(uri))


KEYS = ["documents/日本 語.csv", "documents/a%20b.csv", "documents/a b+c.csv", "documents/100%.csv"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_a_key_is_found_as_it_is_and_percent_encoded(bench: Bench, key: str, encoded: bool, whole: bool) -> None:
    uri = bench.put(key, ROWS + row("HD-1"))
    bench.configure(location=uri if whole else key.rpartition("/")[2])
    asked = f"s3://{SOURCE}/{quote(key)}" if encoded else uri
    (back,) = bench.call(bench.file(asked))["outputFiles"]
    assert back["originalFileLocation"]["s3_location"]["uri"] == asked
    assert len(bench.contents({"outputFiles": [back]})) == 1


def test_of_two_keys_that_are_one_decoded_each_is_read_for_itself(bench: Bench) -> None:
    plain = bench.put("documents/a b.csv", ROWS + row("HD-1"))
    literal = bench.put("documents/a%20b.csv", ROWS + row("HD-2"))
    bench.configure_several(plain=plain, literal=literal)
    contents = bench.contents(bench.call(bench.file(plain), bench.file(literal)))
    assert [content["contentMetadata"]["record_id"] for content in contents] == [
        "csv_rows/plain/HD-1",
        "csv_rows/literal/HD-2",
    ]


def test_files_in_cp932_are_read(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", (ROWS + row("HD-1")).encode("cp932"))
    (content,) = bench.contents(bench.call(bench.file(uri)))
    assert "紙が詰まった。" in content["contentBody"]


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        (f"s3://{SOURCE}/documents/gone/helpdesk.csv", "there is no such object"),
        ("s3://no-such-bucket/helpdesk.csv", "there is no bucket no-such-bucket"),
        (f"s3://{SOURCE}/documents/other.csv", r"no \[document\.<key>\] table of TRANSFORMATION_SETTINGS"),
        ("https://example.jp/helpdesk.csv", "is no address such as s3://"),
    ],
)
def test_a_file_that_is_not_there_or_not_configured_is_told(bench: Bench, uri: str, told: str) -> None:
    with pytest.raises(TransformationError, match=told) as refused:
        bench.call(bench.file(uri))
    assert uri in str(refused.value)


def test_files_of_other_connectors_are_refused(bench: Bench) -> None:
    file = bench.file(f"s3://{SOURCE}/helpdesk.csv")
    file["originalFileLocation"] = {"type": "WEB", "web_location": {"url": "https://example.jp/"}}
    with pytest.raises(TransformationError, match="only files of an S3 data source"):
        bench.call(file)


def test_missing_permission_names_the_action(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    policy = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}],
    }
    bench.aws.s3.put_bucket_policy(Bucket=SOURCE, Policy=json.dumps(policy))
    with pytest.raises(TransformationError, match=f"s3:GetObject for arn:aws:s3:::{SOURCE}/documents/helpdesk.csv"):
        bench.call(bench.file(uri))


def test_a_missing_intermediate_bucket_is_told(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    file = bench.file(uri)
    for key in sorted(bench.keys()):
        bench.aws.s3.delete_object(Bucket=INTERMEDIATE, Key=key)
    bench.aws.s3.delete_bucket(Bucket=INTERMEDIATE)
    with pytest.raises(TransformationError, match=f"there is no bucket {INTERMEDIATE}"):
        bench.call(file)


@pytest.mark.parametrize(
    ("name", "source"), [("law.txt", "law"), ("invoice_qa.pdf", "invoice_qa"), ("work_rules.pdf", "work_rules")]
)
def test_other_documents_are_transformed_likewise(bench: Bench, name: str, source: str) -> None:
    bench.environment["TRANSFORMATION_SETTINGS"] = json.dumps(
        {"document": {"sample": {"source": source, "location": name}}}
    )
    path = SAMPLE_DOCUMENTS / name.replace(".txt", ".xml")
    uri = bench.put(f"documents/{name}", path.read_bytes())
    contents = bench.contents(bench.call(bench.file(uri)))
    assert len(contents) > 10
    assert all(content["contentMetadata"]["record_id"].startswith(f"{source}/sample/") for content in contents)


@pytest.mark.parametrize("absent", ["knowledgeBaseId", "dataSourceId", "ingestionJobId", "version", "priorTask"])
def test_what_is_for_the_log_only_may_be_null_or_missing(bench: Bench, absent: str) -> None:
    event = bench.event(bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))))
    assert read_event(event | {absent: None}).input_files
    assert read_event({name: value for name, value in event.items() if name != absent}).input_files


def test_a_file_without_a_sidecar_may_have_null_as_its_metadata(bench: Bench) -> None:
    file = bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1")))
    assert len(bench.contents(bench.call(file | {"fileMetadata": None}))) == 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bucketName": ""}, "bucketName of the event is empty"),
        ({"bucketName": None}, r"no event of a custom transformation \(bucketName: "),
        ({"inputFiles": None}, r"no event of a custom transformation \(inputFiles: "),
        ({"inputFiles": [{}]}, r"no event of a custom transformation \(inputFiles\.0\.originalFileLocation: "),
    ],
)
def test_an_event_that_does_not_say_what_is_needed_is_told(bench: Bench, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(TransformationError, match=told):
        read_event(bench.event() | changes)


@pytest.mark.parametrize("event", [None, [], {}, "x"])
def test_what_is_no_event_is_told(event: Any) -> None:
    with pytest.raises(TransformationError, match=r"this is no event of a custom transformation .*POST_CHUNKING"):
        read_event(event)


def test_a_file_that_the_service_found_nothing_in_is_told_by_name(bench: Bench) -> None:
    file = bench.file(bench.put("documents/helpdesk.csv", ""), batches=0)
    with pytest.raises(TransformationError, match=r"helpdesk\.csv: contentBatches of the event is empty"):
        bench.call(file)


class Context:
    """What the Lambda runtime hands over."""

    def get_remaining_time_in_millis(self) -> int:
        return 300_000


@pytest.fixture
def runtime(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The environment of the Lambda, which is all that it has."""
    for name, value in {
        **bench.environment,
        "AWS_ENDPOINT_URL_S3": bench.aws.s3_url,
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "EMULATED",
        "AWS_SECRET_ACCESS_KEY": "emulated",
    }.items():
        monkeypatch.setenv(name, value)
    handler_module._client.cache_clear()
    yield bench
    handler_module._client.cache_clear()


def test_the_entry_point_takes_all_from_its_environment(runtime: Bench) -> None:
    uri = runtime.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    answered = handler(runtime.event(runtime.file(uri)), Context())
    assert len(runtime.contents(answered)) == 1


def test_the_entry_point_logs_why_it_fails(runtime: Bench, log: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TransformationError, match="this is no event of a custom transformation"):
        handler({"Records": []}, Context())
    assert "POST_CHUNKING" in log.text


def test_temporary_files_are_gone_afterwards(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-1"))
    with pytest.raises(TransformationError):
        bench.call(bench.file(uri))
    assert list(tmp_path.iterdir()) == []
