import json
from typing import Any

import pytest

from rag_assets.transformation.configuration import read_configuration
from rag_assets.transformation.errors import TransformationError
from rag_assets_tests.transformation.conftest import HELPDESK, ROWS, SOURCE, Bench, row

TOML = """
home = "data/own"
contact = "you@example.com"

[document.helpdesk]
source = "csv_rows"
location = "data/helpdesk.csv"
id = "番号"
text = ["質問", "回答"]

[document.rules]
source = "work_rules"
location = "rules.pdf"

[variant.rows]
limit = 2000
header = "title"
"""


def test_the_projects_settings_file_is_read_from_s3(bench: Bench) -> None:
    uri = bench.put("settings/rag_assets.toml", TOML)
    bench.environment |= {"TRANSFORMATION_SETTINGS": uri, "TRANSFORMATION_VARIANT": "rows"}
    configuration = read_configuration(bench.environment, bench.aws.s3)
    assert [document.settings.key for document in configuration.documents] == ["helpdesk", "rules"]
    assert configuration.variant.limit == 2000
    assert configuration.store == "S3_VECTORS"
    file = bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1")))
    (content,) = bench.contents(bench.call(file))
    assert content["contentBody"].startswith("No.HD-1 ")


def test_settings_in_s3_hold_from_the_next_call_on(bench: Bench) -> None:
    bench.environment["TRANSFORMATION_SETTINGS"] = bench.put("settings/rag_assets.toml", TOML)
    file = bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1")))
    assert "質問：" in bench.contents(bench.call(file))[0]["contentBody"]
    bench.put("settings/rag_assets.toml", TOML.replace('["質問", "回答"]', '"回答"'))
    assert "質問：" not in bench.contents(bench.call(file))[0]["contentBody"]


def test_a_settings_file_may_begin_with_a_byte_order_mark_and_has_to_be_utf_8(bench: Bench) -> None:
    bench.environment["TRANSFORMATION_SETTINGS"] = bench.put("settings/s.toml", "\ufeff" + TOML)
    assert len(read_configuration(bench.environment, bench.aws.s3).documents) == 2
    bench.put("settings/s.toml", TOML.encode("utf-16"))
    with pytest.raises(TransformationError, match=r"s\.toml: .*UTF-16.*save it as UTF-8"):
        read_configuration(bench.environment, bench.aws.s3)


def test_the_ending_of_a_settings_file_may_be_in_capitals(bench: Bench) -> None:
    bench.environment["TRANSFORMATION_SETTINGS"] = bench.put("settings/S.TOML", TOML)
    assert len(read_configuration(bench.environment, bench.aws.s3).documents) == 2


def test_a_variant_that_does_not_cut_is_refused_whoever_made_it(bench: Bench) -> None:
    tables = {"document": {"helpdesk": HELPDESK}, "variant": {"whole": {"header": "title"}, "cut": {"limit": 9000}}}
    bench.environment |= {"TRANSFORMATION_SETTINGS": json.dumps(tables), "TRANSFORMATION_VARIANT": "whole"}
    with pytest.raises(TransformationError, match=r"TRANSFORMATION_VARIANT: whole .* set limit in \[variant\.<name>\]"):
        read_configuration(bench.environment, bench.aws.s3)
    bench.environment["TRANSFORMATION_VARIANT"] = "cut"
    assert read_configuration(bench.environment, bench.aws.s3).variant.limit == 9000


def test_bad_lines_of_a_dictionary_are_told_in_the_log(bench: Bench, log: pytest.LogCaptureFixture) -> None:
    bench.put("dictionaries/csv_rows.txt", "紙: ペーパー\nコロンのない行\n紙: かみ\n")
    bench.environment |= {
        "TRANSFORMATION_VARIANT": "prepared_400_dict",
        "TRANSFORMATION_DICTIONARIES": f"s3://{SOURCE}/dictionaries/",
    }
    bench.call(bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-2"))))
    told = [record.getMessage() for record in log.records if record.levelname == "WARNING"]
    assert [line.partition(" ")[0] for line in told] == [
        f"s3://{SOURCE}/dictionaries/csv_rows.txt:2:",
        f"s3://{SOURCE}/dictionaries/csv_rows.txt:3:",
    ]
    assert "no colon" in told[0]


def test_a_variant_with_a_dictionary_reads_it_from_s3(bench: Bench) -> None:
    bench.put("dictionaries/csv_rows.txt", "紙: ペーパー\n")
    bench.put("dictionaries/csv_rows_more.txt", "回答: こたえ\n")
    bench.put("dictionaries/law.txt", "紙: 法律の言葉\n")
    bench.environment |= {
        "TRANSFORMATION_VARIANT": "prepared_400_dict",
        "TRANSFORMATION_DICTIONARIES": f"s3://{SOURCE}/dictionaries/",
    }
    file = bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1")))
    (content,) = bench.contents(bench.call(file))
    assert content["contentBody"].endswith("\n関連する言葉：ペーパー、こたえ")
    assert content["contentMetadata"]["variant"] == "prepared_400_dict"


def test_a_missing_dictionary_is_no_variant_without_one(bench: Bench) -> None:
    bench.environment["TRANSFORMATION_VARIANT"] = "prepared_400_dict"
    file = bench.file(bench.put("documents/helpdesk.csv", ROWS + row("HD-1")))
    with pytest.raises(TransformationError, match=r"TRANSFORMATION_DICTIONARIES .*csv_rows\.txt"):
        bench.call(file)
    bench.environment["TRANSFORMATION_DICTIONARIES"] = f"s3://{SOURCE}/dictionaries/"
    with pytest.raises(TransformationError, match=r"dictionaries/: there is no csv_rows\.txt"):
        bench.call(file)


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"TRANSFORMATION_SETTINGS": ""}, "TRANSFORMATION_SETTINGS is not set"),
        ({"TRANSFORMATION_SETTINGS": "{"}, "no JSON"),
        ({"TRANSFORMATION_SETTINGS": "[]"}, "has to hold tables"),
        ({"TRANSFORMATION_SETTINGS": "{}"}, r"no \[document\.<key>\] table"),
        ({"TRANSFORMATION_SETTINGS": '{"document": []}'}, r"document has to hold tables"),
        ({"TRANSFORMATION_SETTINGS": '{"document": {"a": 1}}'}, "document has to hold tables"),
        ({"TRANSFORMATION_SETTINGS": f"s3://{SOURCE}/none.toml"}, "there is no such object"),
        ({"TRANSFORMATION_VARIANT": "prepared_300"}, "'prepared_300' is none of the variants prepared_900"),
        ({"TRANSFORMATION_VARIANT": "raw"}, r"raw leaves the cutting .* choose one that cuts \(prepared_900,"),
        ({"TRANSFORMATION_STORE": "PINECONE"}, "'PINECONE' is none of S3_VECTORS"),
    ],
)
def test_wrong_settings_are_told_by_name(bench: Bench, environment: dict[str, str], told: str) -> None:
    with pytest.raises(TransformationError, match=told):
        read_configuration({**bench.environment, **environment}, bench.aws.s3)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"source": "html"}, "document.helpdesk: source has to be one of invoice_qa"),
        ({"titel": "件名"}, "document.helpdesk: titel: there is no such setting; did you mean title"),
        ({"source": ["csv_rows"]}, "document.helpdesk: source has to be one of invoice_qa"),
        ({"label": "番号"}, r"document.helpdesk: label: \{id\} has to stand in it"),
        ({"bad_rows": "ignore"}, "document.helpdesk: bad_rows"),
    ],
)
def test_wrong_tables_are_told_by_name(bench: Bench, changes: dict[str, Any], told: str) -> None:
    bench.configure(**changes)
    with pytest.raises(TransformationError, match=told):
        read_configuration(bench.environment, bench.aws.s3)


def test_wrong_variants_are_told_by_name(bench: Bench) -> None:
    tables = {"document": {"helpdesk": HELPDESK}, "variant": {"tiny": {"limit": 3}}}
    bench.environment["TRANSFORMATION_SETTINGS"] = json.dumps(tables)
    with pytest.raises(TransformationError, match="variant: limit"):
        read_configuration(bench.environment, bench.aws.s3)


def test_a_whole_address_goes_before_a_name_and_two_names_are_one_too_many(bench: Bench) -> None:
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1"))
    tables = {"one": HELPDESK, "two": {**HELPDESK, "location": r"C:\data\helpdesk.csv"}}
    bench.environment["TRANSFORMATION_SETTINGS"] = json.dumps({"document": tables})
    with pytest.raises(TransformationError, match=r"\[document\.one\], \[document\.two\] are for files of this name"):
        bench.call(bench.file(uri))
    bench.environment["TRANSFORMATION_SETTINGS"] = json.dumps(
        {"document": {**tables, "three": {**HELPDESK, "location": uri}}}
    )
    (content,) = bench.contents(bench.call(bench.file(uri)))
    assert content["contentMetadata"]["record_id"] == "csv_rows/three/HD-1"
