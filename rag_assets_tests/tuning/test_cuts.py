"""The ways of cutting that a grid compares."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.model import Record
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.tuning.cuts import Cut, CutRecords, cut_records, list_cuts
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder
from rag_assets_tests.strategies import record, records, section

LONG = record([section("概要", *(f"{number}番目の文はここで終わる。" * 12 for number in range(9)))], number="1")
ALL_KINDS = list_cuts(TuningGrid())


def cut(how: Cut, found: Sequence[Record]) -> CutRecords:
    return cut_records(how, found, lambda _: Dictionary(), CountingEmbedder().embed)


def test_the_default_grid_holds_each_way_once() -> None:
    names = [how.name for how in ALL_KINDS]
    assert len(names) == len(set(names)) == 15
    assert {"windows_256_overlap_20", "structure_400", "structure_400_no_header", "structure_400_dict"} < set(names)
    assert {"parents_900", "semantic_600"} < set(names)
    assert all(name.isascii() and "/" not in name for name in names)


def test_a_grid_can_be_narrowed() -> None:
    narrow = TuningGrid(windows=(), limits=(500,), ablated_limit=None, hierarchical=False, semantic=False)
    assert [how.name for how in list_cuts(narrow)] == ["structure_500"]


@pytest.mark.parametrize("how", ALL_KINDS, ids=lambda how: how.name)
def test_every_way_gives_passages_of_each_record(how: Cut) -> None:
    short = record([section("要件", "半分以上を負担する。")], number="2")
    made = cut(how, [LONG, short])
    assert {passage.record_id for passage in made.passages} == {LONG.record_id, short.record_id}
    assert len({passage.passage_id for passage in made.passages}) == len(made.passages)
    words = "".join(passage.text for passage in made.passages)
    assert all(f"{number}番目の文" in words for number in range(9))
    assert "半分以上を負担する。" in words


def test_windows_overlap_by_their_share() -> None:
    none, fifth = (cut(Cut(kind="windows", size=256, overlap=overlap), [LONG]).passages for overlap in (0, 20))
    assert len(none) < len(fifth)
    assert "".join(passage.text for passage in none).endswith("終わる。")
    assert fifth[0].text[-20:] in fifth[1].text


def test_a_header_is_left_out_and_nothing_else() -> None:
    with_header, without = (
        cut(Cut(kind="structure", size=400, header=header), [LONG]).passages for header in (True, False)
    )
    assert [one.passage_id for one in with_header] == [one.passage_id for one in without]
    for one, other in zip(with_header, without, strict=True):
        assert one.text.endswith(other.text)
        assert LONG.title in one.text
        assert LONG.title not in other.text


def test_a_parent_holds_neighbours_of_one_record_up_to_its_size() -> None:
    other = LONG.model_copy(update={"record_id": "tax_answer/2"})
    made = cut(Cut(kind="parents", size=900), [LONG, other])
    assert set(made.parents) == {passage.passage_id for passage in made.passages}
    lengths: dict[str, int] = {}
    for passage in made.passages:
        parent = made.parents[passage.passage_id]
        assert parent.startswith(f"{passage.record_id}/parent-")
        lengths[parent] = lengths.get(parent, 0) + 1
    assert max(lengths.values()) > 1
    assert len(lengths) < len(made.passages)


def test_semantic_passages_break_where_neighbours_differ_most() -> None:
    about = {"税": [1.0, 0.0], "犬": [0.0, 1.0]}

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([about[text[0]] for text in texts], dtype=np.float32)

    of = record([section((), "税を納める。税を払う。税がかかる。税が戻る。犬を飼う。犬が走る。")], title="税金")
    texts = [
        one.text for one in cut_records(Cut(kind="semantic", size=600), [of], lambda _: Dictionary(), embed).passages
    ]
    assert texts == ["税を納める。税を払う。税がかかる。税が戻る。", "犬を飼う。犬が走る。"]


@given(st.lists(records(), max_size=3), st.sampled_from(ALL_KINDS))
def test_whatever_the_records_no_passage_is_empty_or_of_two(found: list[Record], how: Cut) -> None:
    numbered = [one.model_copy(update={"record_id": f"tax_answer/{at}"}) for at, one in enumerate(found)]
    made = cut(how, numbered)
    assert all(passage.text.strip() for passage in made.passages)
    assert {passage.record_id for passage in made.passages} <= {one.record_id for one in numbered}
