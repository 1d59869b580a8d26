from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from rag_assets.corpus.dictionary import Dictionary, parse_dictionary, read_dictionary
from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.corpus.variants import BASELINES, VARIANTS, prepare
from rag_assets.corpus.writing import file_faults
from rag_assets.model import Chunk, Record, Section, Variant
from rag_assets.settings.places import SAMPLE_DICTIONARIES
from rag_assets.sources.tax_answer.reader import is_withdrawn, read_article
from rag_assets_tests.strategies import record, records, section

_BY_NAME = {variant.name: variant for variant in VARIANTS if variant.unit == "record"}
_SENTENCE = "役員や使用人に支給する食事は、次の要件を満たすとき給与として課税されません。"


def _no_dictionary(source: str) -> Dictionary:
    return Dictionary()


def _refused(source: str) -> Dictionary:
    pytest.fail("a variant without dictionary asked for one")


@pytest.fixture(scope="module")
def sample(sample_site: Path) -> list[Record]:
    root = sample_site / "taxes/shiraberu/taxanswer"
    pages = [(path, path.read_bytes()) for path in sorted(root.glob("*/[0-9]*.htm"))]
    return [
        read_article(
            data,
            number=path.stem,
            category=path.parent.name,
            url=None,
            content_type="text/html",
            document="みほん",
        ).record
        for path, data in pages
        if not is_withdrawn(data, "text/html")
    ]


def test_the_table_of_variants() -> None:
    assert [
        (variant.name, variant.limit, variant.header, variant.dictionary, variant.chunking) for variant in VARIANTS
    ] == [
        ("as_is", None, "full", False, "FIXED_SIZE"),
        ("raw", None, "title", False, "FIXED_SIZE"),
        ("prepared_900", 900, "full", False, "NONE"),
        ("prepared_400", 400, "full", False, "NONE"),
        ("prepared_400_dict", 400, "full", True, "NONE"),
    ]
    assert set(BASELINES) <= {variant.name for variant in VARIANTS}
    assert [variant.name for variant in VARIANTS if variant.unit == "document"] == ["as_is"]


def test_the_sample_in_four_ways(sample: list[Record]) -> None:
    dictionary = read_dictionary(SAMPLE_DICTIONARIES, "tax_answer")
    made = {name: prepare(sample, variant, lambda _: dictionary) for name, variant in _BY_NAME.items()}
    assert len(made["raw"]) == len(sample)
    assert len(sample) < len(made["prepared_900"]) < len(made["prepared_400"]) == len(made["prepared_400_dict"])
    for name, chunks in made.items():
        assert file_faults(chunks) == []
        assert [chunk.variant for chunk in chunks] == [name] * len(chunks)
        assert list(dict.fromkeys(chunk.record_id for chunk in chunks)) == [of.record_id for of in sample]
    for plain, worded in zip(made["prepared_400"], made["prepared_400_dict"], strict=True):
        assert worded.chunk_id == plain.chunk_id
        assert worded.body == plain.body
        assert plain.keywords == ()
        assert worded.text.removeprefix(plain.text) == (
            f"\n関連する言葉：{'、'.join(worded.keywords)}" if worded.keywords else ""
        )
    assert sum(bool(chunk.keywords) for chunk in made["prepared_400_dict"]) > len(sample) / 2


def test_the_text_of_a_prepared_chunk() -> None:
    dictionary = parse_dictionary("食事：まかない、社員食堂".encode(), "d.txt")
    of = record([section("概要", *[_SENTENCE] * 12)], number="2594")
    first, second = prepare([of], _BY_NAME["prepared_400_dict"], lambda _: dictionary)
    assert first.text.split("\n") == [
        "国税庁タックスアンサー No.2594 食事を支給したとき",
        "【概要】",
        *[_SENTENCE] * first.body.count(_SENTENCE),
        "関連する言葉：まかない、社員食堂",
    ]
    assert second.text.split("\n")[:2] == ["国税庁タックスアンサー No.2594 食事を支給したとき", "【概要】（続き）"]
    assert first.body.count(_SENTENCE) + second.body.count(_SENTENCE) == 12
    assert first.attributes["section"] == second.attributes["section"] == "概要"
    assert first.attributes["chunk_id"] == first.chunk_id


def test_a_headword_in_the_title_counts_for_every_chunk() -> None:
    dictionary = parse_dictionary("支給したとき: もらう".encode(), "d.txt")
    chunks = prepare([record([section("甲", "あ" * 900)])], _BY_NAME["prepared_400_dict"], lambda _: dictionary)
    assert [chunk.keywords for chunk in chunks] == [("もらう",)] * len(chunks)
    assert len(chunks) > 1


def test_each_source_has_its_own_dictionary() -> None:
    tax = record([section("概要", "食事")])
    law = tax.model_copy(update={"record_id": "law/1", "source": "law"})
    words = {"tax_answer": "食事: まかない", "law": "食事: 規定"}
    chunks = prepare(
        [tax, law],
        _BY_NAME["prepared_400_dict"],
        lambda source: parse_dictionary(words[source].encode(), f"{source}.txt"),
    )
    assert [chunk.keywords for chunk in chunks] == [("まかない",), ("規定",)]


def test_raw_is_number_and_title_and_the_page() -> None:
    of = record([section("概要", *[_SENTENCE] * 40)], number="2594")
    (chunk,) = prepare([of], _BY_NAME["raw"], _refused)
    assert chunk.chunk_id == chunk.record_id == "tax_answer/2594"
    assert chunk.text == f"No.2594 食事を支給したとき\n{plain_text(of)}"


def test_a_way_of_ones_own() -> None:
    own = Variant(name="own", limit=60, header="title")
    chunks = prepare([record([section("概要", *[_SENTENCE] * 4)])], own, _refused)
    assert {chunk.header for chunk in chunks} == {"No.1000 食事を支給したとき"}
    assert {chunk.variant for chunk in chunks} == {"own"}


@pytest.mark.parametrize("name", _BY_NAME)
def test_a_record_without_text_has_no_chunk_and_takes_none_from_others(name: str) -> None:
    empty = record([Section(headings=(), blocks=())])
    full = record([section("概要", "本文です。")], number="2000")
    assert [chunk.record_id for chunk in prepare([empty, full], _BY_NAME[name], _no_dictionary)] == ["tax_answer/2000"]
    assert prepare([], _BY_NAME[name], _no_dictionary) == []


def _identity(chunks: list[Chunk]) -> Iterator[tuple[str, str]]:
    return ((chunk.chunk_id, chunk.text) for chunk in chunks)


@given(records(), records())
def test_another_record_changes_nothing_of_this_one(of: Record, other: Record) -> None:
    other = other.model_copy(update={"record_id": "tax_answer/9", "number": "9", "label": "No.9"})
    for variant in (_BY_NAME["raw"], Variant(name="small", limit=60)):
        alone = prepare([of], variant, _no_dictionary)
        together = prepare([other, of], variant, _no_dictionary)
        mine = [chunk for chunk in together if chunk.record_id == of.record_id]
        assert list(_identity(mine)) == list(_identity(alone))
        assert len({chunk.chunk_id for chunk in together}) == len(together)


@given(records())
def test_every_chunk_leads_back_to_its_record(of: Record) -> None:
    chunks = prepare([of], Variant(name="small", limit=60), _no_dictionary)
    assert all(chunk.chunk_id.rpartition("/")[0] == chunk.record_id == of.record_id for chunk in chunks)
    assert "".join(chunk.body for chunk in chunks).replace("\n", "") == record_text(of).replace("\n", "")
