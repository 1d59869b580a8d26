"""Files that the Knowledge Base would refuse or skip never leave: one test a rule of DESIGN.md, section 6."""

import json
import re
from typing import Any

import pytest

from rag_assets.corpus.sidecar_limits import size_limits
from rag_assets.s3.errors import SyncError
from rag_assets_tests.s3.conftest import Bench, sidecar

NAME = "law/36.txt"
BESIDE = f"{NAME}.metadata.json"


def refused(bench: Bench, name: str, why: str, **further: Any) -> None:
    """Sync, and see that the file is refused by name and S3 asked for nothing but a listing."""
    with pytest.raises(SyncError) as caught:
        bench.sync(**further)
    message = str(caught.value)
    assert f"'{name}': " in message
    assert re.search(why, message), message
    assert "nothing was uploaded" in message
    assert bench.faulty.counts().keys() <= {"list"}
    assert bench.there() == {}


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"a": ""}, "empty value"),
        ({"a": "  "}, "empty value"),
        ({"a": []}, "empty list"),
        ({"a": ["x", ""]}, "empty value"),
        ({"a": None}, "NoneType|null"),
        ({"a": {"b": "c"}}, "neither string"),
        ({"a": [1]}, "no string"),
        ({"あ": "x"}, "ASCII"),
        ({"a b": "x"}, "ASCII"),
        ({"id": "x"}, "reserved"),
        ({"_a": "x"}, "reserved"),
        ({"x-amz-bedrock-kb-a": "x"}, "reserved"),
        ({f"a{n}": n for n in range(51)}, "51 attributes"),
        ({"a": "x" * 2049}, "2049 characters"),
        ({"a": [str(n) for n in range(11)]}, "11 items"),
        ({f"a{n}": "あ" * 2000 for n in range(2)}, "at most 10240"),
        ({}, "no attribute"),
    ],
)
def test_a_sidecar_that_breaks_a_rule(bench: Bench, attributes: dict[str, Any], why: str) -> None:
    bench.put(NAME, b"text")
    bench.put(BESIDE, sidecar(attributes))
    refused(bench, BESIDE, why)


def test_a_sidecar_that_is_too_large_for_the_vector_store(bench: Bench) -> None:
    bench.put(NAME, b"text")
    bench.put(BESIDE, sidecar({"a": "あ" * 400}))
    refused(bench, BESIDE, r"1\d\d\d bytes, at most 1024 are allowed in S3 Vectors", limits=size_limits("S3_VECTORS"))
    assert bench.sync(limits=size_limits("RDS")).new == 8


def test_a_sidecar_of_too_many_keys_for_the_vector_store(bench: Bench) -> None:
    bench.put(NAME, b"text")
    bench.put(BESIDE, sidecar({f"a{n}": n for n in range(36)}))
    refused(bench, BESIDE, "36 attributes, at most 35", limits=size_limits("S3_VECTORS"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no JSON"),
        (b'{"metadataAttributes": {"a": "b"}', "no JSON"),
        ("\ufeff".encode() + sidecar({"a": "b"}), "no JSON"),
        (json.dumps({"metadataAttributes": {"a": "あ"}}, ensure_ascii=False).encode("cp932"), "no JSON"),
        (b'{"metadataAttributes": {"a": "b", "a": "c"}}', "twice"),
        (b'{"metadataAttributes": {"a": NaN}}', "number"),
        (b'{"metadataAttributes": {"a": 1e999}}', "number"),
        (b'{"metadataAttributes": ["a"]}', "no object"),
        (b'{"a": "b"}', "not of the form"),
        (b'{"metadataAttributes": {"a": "b"}, "more": 1}', "not of the form"),
        (b"[]", "not of the form"),
        (b"[" * 9000, "no JSON"),
        # 10 KB as it lies there, whatever it would have without its blanks.
        (sidecar({"a": "b"}) + b" " * 10240, "at most 10240"),
    ],
)
def test_a_sidecar_that_cannot_be_read(bench: Bench, content: bytes, why: str) -> None:
    bench.put(NAME, b"text")
    bench.put(BESIDE, content)
    refused(bench, BESIDE, why)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no text"),
        (b" \n", "no text"),
        ("円".encode("cp932"), "no UTF-8"),
        (b"x" * (50 * 2**20 + 1), "52428801 bytes"),
    ],
)
def test_a_text_that_cannot_be_read(bench: Bench, content: bytes, why: str) -> None:
    bench.put(NAME, content)
    bench.put(BESIDE, sidecar({"a": "b"}))
    refused(bench, NAME, why)


def test_a_text_without_its_sidecar(bench: Bench) -> None:
    bench.put(NAME, b"text")
    refused(bench, NAME, "no sidecar")


def test_a_sidecar_without_its_text(bench: Bench) -> None:
    bench.put(BESIDE, sidecar({"a": "b"}))
    refused(bench, BESIDE, "no text that it belongs to")


@pytest.mark.parametrize("name", ["law/36.xls", "law/36.metadata.json", ".DS_Store", "law/36.txt~"])
def test_a_file_that_no_corpus_holds(bench: Bench, name: str) -> None:
    bench.put(name, sidecar({"a": "b"}))
    refused(bench, name, "neither a file of a corpus")


def test_a_key_that_is_not_ascii(bench: Bench) -> None:
    bench.write("law/三十六")
    refused(bench, r"law/\u4e09\u5341\u516d.txt", "ASCII")


def test_a_name_that_is_not_even_text(bench: Bench) -> None:
    (bench.folder / "law" / "\udcff.txt").write_text("text")
    refused(bench, r"law/\udcff.txt", "ASCII")


def test_a_key_whose_sidecar_is_too_long_with_the_prefix(bench: Bench) -> None:
    name = "/".join([*["x" * 100] * 9, "x" * 95])
    assert len(f"{name}.txt.metadata.json") == 1022
    bench.write(name)
    refused(bench, f"{name}.txt", "longer than 1024 bytes")


def test_a_link(bench: Bench) -> None:
    bench.write("law/36")
    (bench.folder / NAME).unlink()
    (bench.folder / NAME).symlink_to(bench.folder / "law/3-2.txt")
    refused(bench, NAME, "link")


def test_many_faults_are_counted_and_the_first_are_named(bench: Bench) -> None:
    for number in range(30):
        bench.put(f"many/{number}.txt", b"")
    with pytest.raises(SyncError) as caught:
        bench.sync()
    message = str(caught.value)
    assert message.startswith("30 file(s)")
    assert message.count("there is no text in it") == 20
    assert message.endswith("and 10 more")


def test_a_dry_run_refuses_likewise(bench: Bench) -> None:
    bench.put(NAME, b"text")
    refused(bench, NAME, "no sidecar", dry_run=True)
