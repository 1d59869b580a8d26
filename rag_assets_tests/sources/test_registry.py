"""The entries of the sources that are made of documents: complete, and with keys that stay."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.model import Record
from rag_assets.settings import Settings
from rag_assets.settings.places import SAMPLE_QUESTIONS
from rag_assets.sources.base import DocumentSource
from rag_assets.sources.document_keys import make_key
from rag_assets.sources.registry import BY_NAME, DOCUMENT_SOURCES
from rag_assets_tests.conftest import REPOSITORY


@pytest.mark.parametrize("source", DOCUMENT_SOURCES, ids=lambda source: source.name)
def test_an_entry_is_complete(source: DocumentSource) -> None:
    assert import_module(f"rag_assets.sources.{source.name}.source").SOURCE is source
    assert list(inspect.signature(source.reader).parameters) == ["file", "settings", "sha256", "url"]
    assert source.name in Settings.model_fields
    assert all(Path(document.location).is_file() for document in source.find_documents([source.sample]))
    assert source.title
    assert source.record_in_words
    assert source.example_numbers
    assert (SAMPLE_QUESTIONS / f"{source.name}.csv").is_file()
    assert (REPOSITORY / "dictionaries" / f"{source.name}.txt").is_file()
    assert (REPOSITORY / "rag_assets/sample/dictionaries" / f"{source.name}.txt").is_file()


@pytest.mark.parametrize("source", DOCUMENT_SOURCES, ids=lambda source: source.name)
def test_the_sample_is_read_in_whole(source: DocumentSource) -> None:
    found: list[Record] = []
    for document in source.find_documents([source.sample]):
        assert document.key.startswith("sample")
        with Path(document.location).open("rb") as file:
            readings = list(source.reader(file, document, sha256="0" * 64))
        records = [reading for reading in readings if isinstance(reading, Record)]
        assert all(record.record_id.startswith(f"{source.name}/{document.key}/") for record in records)
        assert not [each for each in readings if not isinstance(each, Record) and each.kind == "fault"]
        found.extend(records)
    assert len(found) >= 12
    assert len({record.record_id for record in found}) == len(found)
    assert all(record.origin_sha256 == "0" * 64 for record in found)


@pytest.mark.parametrize(
    ("location", "key"),
    [
        ("docs/QA 2026.pdf", "qa-2026"),
        ("https://example.jp/files/a_b.pdf?x=1", "a_b"),
        ("https://example.jp/%E8%A6%8F%E5%89%87.pdf", make_key("規則.pdf")),
        ("ＱＡ.pdf", make_key("docs/ＱＡ.pdf")),
    ],
)
def test_a_key_is_made_of_the_name_of_the_file(location: str, key: str) -> None:
    assert make_key(location) == key


@given(st.text(min_size=1, max_size=30).filter(lambda name: name.strip(". ") and not set(name) & set("/\\:?#%\0")))
def test_every_name_of_a_file_makes_a_key(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", make_key(f"{name}.pdf"))


def test_names_that_differ_in_japanese_only_have_keys_that_differ() -> None:
    assert make_key("就業規則2026.pdf") != make_key("賃金規程2026.pdf")


def test_a_law_keeps_its_key_in_a_later_edition() -> None:
    key_of = BY_NAME["law"].key_of
    first, later = "405AC0000000088_20180401_429AC0000000004.xml", "405AC0000000088_20250601_504AC0000000068.xml"
    assert key_of(first) == key_of(f"laws/{later}") == key_of("405AC0000000088") == "405ac0000000088"
    assert key_of("laws/労働基準法.xml") == make_key("労働基準法.xml")
