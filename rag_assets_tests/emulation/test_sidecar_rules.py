"""The judge's rules, and whether what the project takes for good is good to the judge."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulation.sidecar_rules import (
    FileFailedError,
    SilentSkipError,
    check_object_key,
    read_sidecar,
)
from rag_assets.corpus.sidecars import sidecar_bytes, sidecar_faults
from rag_assets_tests.emulation.conftest import Source


def judged(attributes: Any) -> str:
    return judged_file(json.dumps({"metadataAttributes": attributes}).encode())


def judged_file(content: bytes) -> str:
    try:
        read_sidecar(content)
    except SilentSkipError:
        return "skipped"
    except FileFailedError:
        return "failed"
    return "taken"


@pytest.mark.parametrize("empty", ["", " ", "　", None, [], [""], ["a", ""], {}, [None], [1], {"a": "b"}])
def test_an_empty_or_odd_value_skips_the_file(empty: Any) -> None:
    assert judged({"good": "x", "kind": empty}) == "skipped"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"metadataAttributes": {}}',
        b'{"metadataAttributes": []}',
        b'{"metadataAttributes": {"a": NaN}}',
        '{"metadataAttributes": {"a": "食"}}'.encode("cp932"),
        b'\xef\xbb\xbf{"metadataAttributes": {"a": 1}}',
        b"[" * 9000,
    ],
)
def test_a_malformed_file_skips_the_document(content: bytes) -> None:
    assert judged_file(content) == "skipped"


@pytest.mark.parametrize(
    "attributes",
    [
        {"id": "x"},
        {"_kind": "x"},
        {"x-amz-bedrock-kb-source-uri": "x"},
        {"税目": "x"},
        {"two words": "x"},
        {"": "x"},
        {"k" * 201: "x"},
        {"kind": "x" * 2049},
        {"kind": ["x"] * 11},
        {"kind": ["x" * 2049]},
        {"kind": 10**400},
        {f"k{number}": 1 for number in range(51)},
        {f"k{number}": "x" * 2048 for number in range(5)},
    ],
)
def test_what_breaks_a_limit_fails_the_document(attributes: dict[str, Any]) -> None:
    assert judged(attributes) == "failed"


def test_what_just_keeps_the_limits_is_taken() -> None:
    assert judged({"kind": "x" * 2048, "list": ["x"] * 10, "k" * 200: True, "n": -1.5}) == "taken"
    assert judged({f"k{number}": number for number in range(50)}) == "taken"
    rest = 10_240 - len(json.dumps({"metadataAttributes": {"a": "x" * 2000, "b": "x" * 2000, "c": ["x" * 2000] * 3}}))
    attributes = {"a": "x" * 2000, "b": "x" * 2000, "c": ["x" * 2000] * 3}
    whole = json.dumps({"metadataAttributes": attributes}).encode()
    assert judged_file(whole + b" " * rest) == "taken"
    assert judged_file(whole + b" " * (rest + 1)) == "failed"


def test_the_typed_form_is_read() -> None:
    typed = {
        "title": {"value": {"type": "STRING", "stringValue": "食事"}, "includeForEmbedding": True},
        "year": {"value": {"type": "NUMBER", "numberValue": 2026}, "includeForEmbedding": False},
        "open": {"value": {"type": "BOOLEAN", "booleanValue": False}},
        "items": {"value": {"type": "STRING_LIST", "stringListValue": ["a", "b"]}},
        "plain": "x",
    }
    read = read_sidecar(json.dumps({"metadataAttributes": typed}).encode())
    assert read.values == {"title": "食事", "year": 2026, "open": False, "items": ["a", "b"], "plain": "x"}
    assert read.embedded == ("title",)
    assert judged({"title": {"value": {"type": "STRING", "stringValue": ""}}}) == "skipped"
    assert judged({"title": {"value": {"type": "DATE", "stringValue": "x"}}}) == "skipped"


TYPES = {"STRING": "stringValue", "NUMBER": "numberValue", "BOOLEAN": "booleanValue", "STRING_LIST": "stringListValue"}
GOOD: dict[str, list[Any]] = {
    "STRING": ["x"],
    "NUMBER": [5, 5.5, 0, -1],
    "BOOLEAN": [True, False],
    "STRING_LIST": [["x"], ["x", "y"]],
}
ODD: list[Any] = [None, "", [], {}, ["x", 5], {"a": 1}]


@pytest.mark.parametrize("kind", list(TYPES))
@pytest.mark.parametrize("name", list(TYPES.values()))
@pytest.mark.parametrize("value", [*itertools.chain(*GOOD.values()), *ODD])
def test_the_typed_form_takes_values_of_its_type_only(kind: str, name: str, value: Any) -> None:
    # By repr: to Python, 1 and true are equal.
    good = name == TYPES[kind] and repr(value) in map(repr, GOOD[kind])
    assert judged({"good": "x", "kind": {"value": {"type": kind, name: value}}}) == ("taken" if good else "skipped")


@pytest.mark.parametrize("kind", [None, 5, ["STRING"], {}, "string", "DATE"])
def test_the_typed_form_takes_types_that_there_are_only(kind: Any) -> None:
    assert judged({"kind": {"value": {"type": kind, "stringValue": "x"}}}) == "skipped"


@pytest.mark.parametrize("key", ["p/日本.txt", "p/é.txt", "p/ａ.txt", "日本/a.txt"])
def test_a_key_that_is_not_ascii_fails_the_document(key: str) -> None:
    with pytest.raises(FileFailedError, match="not ASCII"):
        check_object_key(key)
    check_object_key("p/a b%20~!.txt")


def test_a_job_tells_the_key_that_is_not_ascii_and_does_not_index_it(source: Source) -> None:
    source.put("日本.txt", "食事")
    source.put("a.txt", "食事")
    job = source.sync()
    assert job["statistics"]["numberOfDocumentsFailed"] == 1
    assert "日本.txt" in job["failureReasons"][0]
    assert source.found("食事") == ["a.txt"]


TEXT = st.text(max_size=12) | st.sampled_from(["x" * 2048, "x" * 2049, "食" * 800])
VALUES = TEXT | st.integers() | st.floats() | st.booleans() | st.lists(TEXT, max_size=12).map(tuple) | st.just(10**400)
KEYS = st.text("abcXYZ019_-", min_size=1, max_size=8) | st.sampled_from(["id", "ID", "_a", "x-amz-bedrock-x", "税", ""])


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_whatever_the_project_writes_the_judge_takes(attributes: dict[str, Any]) -> None:
    if not sidecar_faults(attributes):
        content = sidecar_bytes(attributes)
        assert judged_file(content) == "taken"
        assert read_sidecar(content).values == json.loads(content)["metadataAttributes"]


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_whatever_the_judge_does_not_take_the_project_does_not_write(attributes: dict[str, Any]) -> None:
    try:
        content = json.dumps({"metadataAttributes": attributes}, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        assert sidecar_faults(attributes)
        return
    if judged_file(content) != "taken":
        assert sidecar_faults(attributes)
