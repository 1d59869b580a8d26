import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.sidecar_limits import IN_S3_VECTORS, RECORD_KEYS, RESERVED_KEYS, is_taken, size_limits
from rag_assets.corpus.sidecars import FEWEST_CHARACTERS, sidecar_attributes, sidecar_bytes, sidecar_faults
from rag_assets.model import AsOf, Attribute, Facet, Record
from rag_assets_tests.strategies import headings, record, records, section

_RECORD = record([section("概要", "本文です。")], number="2594").model_copy(
    update={
        "facets": (Facet(key="tax_items", label="対象税目", values=("源泉所得税", "法人税")),),
        "as_of": AsOf(label="令和8年4月1日現在法令等", date=date(2026, 4, 1)),
        "url": "https://example.org/2594.htm",
        "attributes": {"category": "gensen"},
    }
)


def _attributes(of: Record, *path: str) -> dict[str, Attribute]:
    return sidecar_attributes(of, f"{of.record_id}/abc", "prepared_400", path)


def test_attributes_of_a_chunk() -> None:
    assert _attributes(_RECORD, "手続き", "申告先等") == {
        "record_id": "tax_answer/2594",
        "chunk_id": "tax_answer/2594/abc",
        "source": "tax_answer",
        "variant": "prepared_400",
        "document": "国税庁タックスアンサー",
        "number": "2594",
        "title": "食事を支給したとき",
        "section": "手続き＞申告先等",
        "url": "https://example.org/2594.htm",
        "as_of": 20260401,
        "tax_items": ("源泉所得税", "法人税"),
        "category": "gensen",
    }


def test_the_file_is_the_contracts_json() -> None:
    data = sidecar_bytes({"title": "食事", "as_of": 20260401, "open": True, "tax_items": ("源泉所得税",)})
    assert json.loads(data) == {
        "metadataAttributes": {"title": "食事", "as_of": 20260401, "open": True, "tax_items": ["源泉所得税"]}
    }
    assert "食事".encode() in data
    assert sidecar_bytes({"b": 1, "a": 2}) == sidecar_bytes({"a": 2, "b": 1})


def test_what_is_unknown_or_blank_is_absent() -> None:
    bare = _RECORD.model_copy(
        update={
            "as_of": AsOf(label="令和某年現在"),
            "url": None,
            "facets": (Facet(key="tax_items", label="税目", values=(" ", "")),),
            "attributes": {"memo": "　", "tags": ("", "甲", " "), "none": (), "zero": 0, "no": False},
        }
    )
    found = _attributes(bare)
    assert {"as_of", "url", "section", "tax_items", "memo", "none"}.isdisjoint(found)
    assert (found["tags"], found["zero"], found["no"]) == (("甲",), 0, False)
    assert sidecar_faults(found) == []


def test_more_values_than_a_list_may_have_are_counted() -> None:
    values = tuple(f"税目{number}" for number in range(12))
    many = _RECORD.model_copy(update={"facets": (Facet(key="tax_items", label="対象税目", values=values),)})
    found = _attributes(many)
    assert (found["tax_items"], found["tax_items_total"]) == (values[:10], 12)
    ten = _RECORD.model_copy(update={"facets": (Facet(key="tax_items", label="対象税目", values=values[:10]),)})
    assert "tax_items_total" not in _attributes(ten)


def test_a_title_or_path_too_long_for_s3_vectors_says_that_it_is_cut() -> None:
    found = _attributes(
        _RECORD.model_copy(update={"title": "題" * 2049, "chapter": ("章" * 30,)}), "上" * 150, "下" * 90
    )
    size = len(sidecar_bytes(found))
    assert IN_S3_VECTORS.most_bytes * 3 // 4 < size <= IN_S3_VECTORS.most_bytes
    title, section = str(found["title"]), str(found["section"])
    assert title == "題" * (len(title) - 1) + "…"
    assert section[0] == "…"
    assert f"{'上' * 150}＞{'下' * 90}".endswith(section[1:])
    # What is short enough is told as it is.
    assert found["chapter"] == "章" * 30
    assert found["tax_items"] == ("源泉所得税", "法人税")


def test_a_title_that_just_fits_is_whole() -> None:
    room = IN_S3_VECTORS.most_bytes - len(sidecar_bytes(_attributes(_RECORD.model_copy(update={"title": "a"}))))
    just = _RECORD.model_copy(update={"title": "a" * (room + 1)})
    assert len(sidecar_bytes(_attributes(just))) == IN_S3_VECTORS.most_bytes
    assert _attributes(just)["title"] == just.title
    longer = _attributes(just.model_copy(update={"title": just.title + "a"}))
    assert str(longer["title"]).endswith("…")


def test_titles_are_not_shortened_to_nothing_for_attributes_that_are_too_large() -> None:
    large = _RECORD.model_copy(update={"title": "題" * 60, "attributes": {"note": "注" * 500}})
    found = _attributes(large, "上" * 30)
    assert found["title"] == "題" * (FEWEST_CHARACTERS - 1) + "…"
    assert (found["section"], found["note"]) == ("上" * 30, "注" * 500)
    (fault,) = sidecar_faults(found, IN_S3_VECTORS)
    assert "at most 1024 are allowed in S3 Vectors: give its record fewer or shorter attributes" in fault


def test_s3_vectors_takes_fewer_keys() -> None:
    keys: dict[str, Attribute] = {f"k{number}": number for number in range(36)}
    assert sidecar_faults(keys) == []
    (fault,) = sidecar_faults(keys, size_limits("S3_VECTORS"))
    assert fault.startswith("36 attributes, at most 35 are allowed in S3 Vectors")
    assert sidecar_faults(keys, size_limits("OPENSEARCH_SERVERLESS")) == []


def test_sources_know_which_keys_a_sidecar_has() -> None:
    # Every place that a record can fill is filled.
    whole = record([section("甲", "文。")]).model_copy(
        update={"url": "https://example.org", "chapter": ("章",), "as_of": AsOf(label="日", date=date(2026, 1, 1))}
    )
    assert sidecar_attributes(whole, "c", "v", ("甲",), part="profile").keys() == RECORD_KEYS


@given(st.sampled_from(sorted(RECORD_KEYS | RESERVED_KEYS | {"x-amz-bedrock-a", "_a"})), st.data())
def test_a_key_is_taken_in_whatever_case(key: str, data: st.DataObject) -> None:
    written = "".join(data.draw(st.sampled_from([letter, letter.upper()])) for letter in key)
    assert is_taken(written)
    assert not is_taken(f"my_{written}")


@pytest.mark.parametrize("key", ["title", "record_id", "as_of", "section", "tax_items"])
def test_an_attribute_hides_none_of_ours(key: str) -> None:
    with pytest.raises(ValueError, match=rf"tax_answer/2594: its attribute '{key}' would hide another"):
        _attributes(_RECORD.model_copy(update={"attributes": {key: "x"}}))


def test_a_facet_hides_none_of_ours() -> None:
    clashing = _RECORD.model_copy(update={"facets": (Facet(key="number", label="番号", values=("1",)),)})
    with pytest.raises(ValueError, match="its attribute 'number' would hide another"):
        _attributes(clashing)


HOLDING: dict[str, dict[str, Any]] = {
    "every kind of value": {"s": "x", "n": 1, "f": 1.5, "b": False, "l": ("a", "b"), "l2": ["a"]},
    "2,048 characters": {"k": "漢" * 2048},
    "ten items": {"k": ("x",) * 10},
    "2,048 characters in an item": {"k": ("漢" * 2048,)},
    "fifty attributes": {f"k{number}": 1 for number in range(50)},
    "ASCII letters, digits, hyphen, underscore": {"aZ09-_": "x", "1": "x", "-": "x"},
    "a key that only contains what is reserved": {"my_id": "x", "ident": "x", "my-x-amz-bedrock": "x"},
    "zero and negative": {"a": 0, "b": -1, "c": 0.0},
    "the largest number": {"k": 1.7976931348623157e308},
    "a line break and an emoji": {"k": "甲\n😀"},
}
BREAKING: dict[str, tuple[dict[str, Any], str]] = {
    "empty string": ({"k": ""}, "k: an empty value makes the Knowledge Base skip the file in silence"),
    "blank string": ({"k": " \t\n　"}, "k: an empty value"),
    "empty list": ({"k": ()}, "k: an empty list makes"),
    "empty list as JSON has it": ({"k": []}, "k: an empty list makes"),
    "None": ({"k": None}, "k: NoneType is neither string"),
    "empty item": ({"k": ("a", "")}, "k: an empty value"),
    "blank item": ({"k": ("a", "　")}, "k: an empty value"),
    "None as an item": ({"k": ("a", None)}, "k: None is no string"),
    "number as an item": ({"k": ("a", 1)}, "k: 1 is no string"),
    "2,049 characters": ({"k": "a" * 2049}, "k: 2049 characters, at most 2048"),
    "2,049 characters in an item": ({"k": ("a" * 2049,)}, "k: 2049 characters"),
    "eleven items": ({"k": ("x",) * 11}, "k: 11 items, at most 10"),
    "51 attributes": ({f"k{number}": 1 for number in range(51)}, "51 attributes, at most 50"),
    "no attribute": ({}, "there is no attribute at all"),
    "not a number": ({"k": float("nan")}, "k: it is no number"),
    "infinite": ({"k": float("inf")}, "k: it is no number"),
    "minus infinite": ({"k": float("-inf")}, "k: it is no number"),
    "an integer beyond all floats": ({"k": 10**400}, "k: it is no number"),
    "nested": ({"k": {"a": 1}}, "k: dict is neither"),
    "nested list": ({"k": (("a",),)}, "k: ('a',) is no string"),
    "bytes": ({"k": b"a"}, "k: bytes is neither"),
    "date": ({"k": date(2026, 4, 1)}, "k: date is neither"),
    "half a surrogate pair": ({"k": "a\ud800"}, "no text that UTF-8 can hold"),
    "half a surrogate pair in an item": ({"k": ("a\ud800",)}, "no text that UTF-8 can hold"),
    "id": ({"id": "x"}, "key 'id' is reserved"),
    "ID": ({"ID": "x"}, "key 'ID' is reserved"),
    "x-amz-bedrock": ({"x-amz-bedrock-kb": "x"}, "are reserved"),
    "X-Amz-Bedrock": ({"X-Amz-Bedrock-kb": "x"}, "are reserved"),
    "leading underscore": ({"_k": "x"}, "are reserved"),
    "Japanese key": ({"税目": "x"}, "key '税目': only ASCII"),
    "full-width key": ({"ｋ": "x"}, "only ASCII"),
    "a digit that is not ASCII": ({"k１": "x"}, "only ASCII"),
    "blank in a key": ({"a b": "x"}, "only ASCII"),
    "dot in a key": ({"a.b": "x"}, "only ASCII"),
    "line break behind a key": ({"key\n": "x"}, "only ASCII"),
    "empty key": ({"": "x"}, "only ASCII"),
}


@pytest.mark.parametrize("case", HOLDING)
def test_what_just_holds(case: str) -> None:
    assert sidecar_faults(HOLDING[case]) == []


@pytest.mark.parametrize("case", BREAKING)
def test_what_breaks_a_rule_is_named(case: str) -> None:
    attributes, said = BREAKING[case]
    faults = sidecar_faults(attributes)
    assert len(faults) == 1
    assert said in faults[0]


def test_the_file_holds_ten_kilobytes_and_no_byte_more() -> None:
    full: dict[str, Attribute] = {f"k{number}": "a" * 2000 for number in range(5)}
    full["k"] = "a" * (10 * 1024 - len(sidecar_bytes(full | {"k": ""})))
    assert len(sidecar_bytes(full)) == 10_240
    assert sidecar_faults(full) == []
    full["k"] = f"{full['k']}a"
    assert sidecar_faults(full) == ["the file has 10241 bytes, at most 10240 are allowed"]
    japanese: dict[str, Attribute] = {f"k{number}": "漢" * 700 for number in range(5)}
    assert "10240" in sidecar_faults(japanese)[0]


def test_every_fault_is_told() -> None:
    broken: dict[str, Any] = {"税": "", "id": None, **{f"k{number}": 1 for number in range(50)}}
    assert len(sidecar_faults(broken)) == 5


_VALUES = st.one_of(
    st.text(max_size=20),
    st.integers(),
    st.floats(allow_nan=True),
    st.booleans(),
    st.lists(st.text(max_size=5), max_size=12).map(tuple),
)
_KEYS = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{0,8}", fullmatch=True)


@given(records(), headings(max_size=900), st.text(min_size=1, max_size=3000), st.lists(st.text(), min_size=1))
def test_whatever_a_document_says_its_sidecar_is_valid_or_too_large(
    of: Record, path: tuple[str, ...], title: str, values: list[str]
) -> None:
    told = of.model_copy(
        update={"title": title, "facets": (Facet(key="tax_items", label="税目", values=tuple(values)),)}
    )
    found = sidecar_attributes(told, of.record_id, "raw", path)
    faults = [fault for fault in sidecar_faults(found) if "bytes, at most" not in fault and "tax_items: " not in fault]
    assert faults == []
    assert all(value not in ("", (), None) for value in found.values())


@given(st.dictionaries(_KEYS, _VALUES, max_size=60))
def test_what_has_no_fault_is_read_back_as_it_was(attributes: dict[str, Attribute]) -> None:
    if sidecar_faults(attributes):
        return
    data = sidecar_bytes(attributes)
    assert len(data) <= 10_240
    read = json.loads(data, parse_constant=pytest.fail)["metadataAttributes"]
    assert {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()} == attributes
