import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.orchestration.metadata import (
    MOST_INLINE,
    MOST_ROWS,
    code,
    sample,
    small_bars,
    table,
)


def test_a_table_has_a_typed_column_a_key() -> None:
    value = table([{"number": "2594", "chunks": 3, "mean": 1.5, "read": True}])
    assert isinstance(value, dg.TableMetadataValue)
    assert [(column.name, column.type) for column in value.schema.columns] == [
        ("number", "string"),
        ("chunks", "int"),
        ("mean", "float"),
        ("read", "bool"),
    ]
    assert value.records[0].data == {"number": "2594", "chunks": 3, "mean": 1.5, "read": True}


def test_an_empty_table_says_none() -> None:
    assert table([]) == dg.MetadataValue.text("none")


def test_what_is_no_cell_value_is_shown_as_words() -> None:
    value = table([{"numbers": ("1", "2")}])
    assert isinstance(value, dg.TableMetadataValue)
    assert value.records[0].data == {"numbers": "('1', '2')"}


def test_a_long_table_ends() -> None:
    value = table([{"row": row} for row in range(MOST_ROWS + 1)])
    assert isinstance(value, dg.TableMetadataValue)
    assert len(value.records) == MOST_ROWS


def test_a_sample_keeps_its_line_breaks_and_its_signs() -> None:
    value = sample("＊印\n# 1*2 <b>\n\n- 項目")
    assert value.value == "＊印  \n\\# 1\\*2 \\<b\\>  \n&nbsp;  \n\\- 項目"


@given(st.text(max_size=3000))
def test_a_sample_is_always_short_enough_to_be_shown(text: str) -> None:
    assert len(str(sample(text).value)) <= MOST_INLINE


@given(st.text(alphabet="あ*_\\", min_size=500, max_size=1500))
def test_a_sample_never_ends_in_half_an_escape(text: str) -> None:
    value = str(sample(text).value)
    backslashes = len(value.removesuffix("…")) - len(value.removesuffix("…").rstrip("\\"))
    assert not value.endswith("…") or backslashes % 2 == 0


def test_lines_of_code_stay_as_they_are() -> None:
    assert "\n{\n  *\n}\n" in str(code("{\n  *\n}").value)


@pytest.mark.parametrize("counts", [[0] * 21, [99999] * 21, list(range(21)), [1], []])
def test_small_bars_are_short_enough_to_be_drawn_on_the_page(counts: list[int]) -> None:
    assert len(str(small_bars(counts, bin_width=100, what="characters of a passage").value)) <= MOST_INLINE
