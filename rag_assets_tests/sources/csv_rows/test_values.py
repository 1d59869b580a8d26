import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_assets.model import Attribute
from rag_assets.sources.csv_rows.values import Column, cell_value, list_items

CELLS: list[tuple[str, dict[str, str], Attribute | None]] = [
    (" 端末\n故障 ", {}, "端末故障"),
    (" 　\n", {}, None),
    ("１，２００", {"type": "number"}, 1200),
    ("-1.5", {"type": "number"}, -1.5),
    ("", {"type": "number"}, None),
    *((cell, {"type": "number"}, -1000) for cell in ("△1,000", "▲１，０００", "△ 1,000円", "-¥1,000", "￥-1,000")),
    *((cell, {"type": "number"}, -5) for cell in ("▲5", "−5", "‐5", "－5", "–5", "ー5", "▼5")),
    *((cell, {"type": "number"}, 1234) for cell in ("1,234円", "￥1,234", "¥1234", "1,234 円", "１２３４円也")),
    *((cell, {"type": "number"}, 1200) for cell in ("¥1,200-", "￥1,200.－", "1,200円－", "￥ 1,200 円也")),
    ("▲1,234.5", {"type": "number"}, -1234.5),
    ("５００", {"type": "number"}, 500),
    ("△0", {"type": "number"}, 0),
    *((cell, {"type": "boolean"}, True) for cell in ("◯", "○", "〇", "●", "✓", "⭕\ufe0f", "✔\ufe0f", "済み", "有り")),
    *((cell, {"type": "boolean"}, False) for cell in ("×", "✕", "✗", "✖", "❌\ufe0f", "☓", "未済", "無し")),
    ("はい", {"type": "boolean"}, True),
    ("FALSE", {"type": "boolean"}, False),
    ("０", {"type": "boolean"}, False),
    ("2026-04-01 10:20", {"type": "date"}, 20260401),
    ("2026/4/1", {"type": "date"}, 20260401),
    ("20260401", {"type": "date"}, 20260401),
    ("令和８年４月１日", {"type": "date"}, 20260401),
    ("R8.4.7", {"type": "date"}, 20260407),
    ("H31.4.30", {"type": "date"}, 20190430),
    ("令8.4.7", {"type": "date"}, 20260407),
    ("赤、青,赤；白\n黒", {"type": "list"}, ("赤", "青", "白", "黒")),
    ("a/b, c/", {"type": "list", "separator": "/"}, ("a", "b, c")),
    ("、、", {"type": "list"}, None),
]


@pytest.mark.parametrize(("cell", "column", "value"), CELLS)
def test_cells_by_type(cell: str, column: dict[str, str], value: Attribute | None) -> None:
    found = cell_value(cell, Column.model_validate({"column": "列", **column}))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("cell", "kind", "told"),
    [
        ("約3", "number", "is no number"),
        ("1,20", "number", "is no number"),
        ("nan", "number", "is no number"),
        ("5%", "number", "5% may be meant as 5 or as 0.05"),
        ("５％", "number", "5% may be meant as 5 or as 0.05"),
        ("(5)", "number", "write -5"),
        ("△▲5", "number", "is no number"),
        ("5−3", "number", "is no number"),
        ("1,234円（税込）", "number", "is no number"),
        ("5個", "number", "is no number"),
        ("1,200-", "number", "is no number"),
        *((cell, "number", "raised, lowered or circled") for cell in ("10²", "H₂0", "1①", "５³", "㉑")),
        ("△", "number", "is no number"),
        ("△", "boolean", "is neither true nor false"),
        ("◎", "boolean", "is neither true nor false"),
        ("9" * 400, "number", "is too large a number"),
        ("-" + "9" * 400 + ".5", "number", "is too large a number"),
        ("9" * 5000, "number", "^is too large a number to be compared$"),
        ("たぶん", "boolean", "is neither true nor false"),
        ("2026-02-30", "date", "is no date"),
        ("2026/13/45", "date", "is no date"),
        ("46113", "date", "is no date"),
        ("令和8年4月", "date", "is no date"),
        ("来週", "date", "is no date"),
        ("型番S60-1-2", "date", "is no date"),
        ("03-1234-5678", "date", "is no date"),
        ("2026年4月1日～2026年9月30日", "date", "names several days"),
        ("令和8年4月1日（水）〜5日", "date", "names several days"),
        ("R5.4.1改定、R8.4.1改定", "date", "names several days"),
        ("令和8（2025）年4月1日", "date", "names two different days"),
        ("2026年（令和7年）4月1日", "date", "names two different days"),
    ],
)
def test_cells_of_another_type_are_refused(cell: str, kind: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        cell_value(cell, Column.model_validate({"column": "列", "type": kind}))


@pytest.mark.parametrize("cell", ["¥" + " " * 200_000 + "x", "1" + ",111" * 100_000 + "x", "− " * 100_000])
def test_a_long_cell_is_refused_at_once(cell: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        cell_value(cell, Column(column="列", type="number"))


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_dates_become_numbers_in_their_order(day: datetime.date) -> None:
    column = Column(column="日", type="date")
    number = day.year * 10000 + day.month * 100 + day.day
    assert cell_value(day.isoformat(), column) == cell_value(f"{day.year}年{day.month}月{day.day}日", column) == number


@given(st.integers(-(10**12), 10**12))
def test_numbers_with_and_without_separators(number: int) -> None:
    column = Column(column="額", type="number")
    assert cell_value(f"{number:,}", column) == cell_value(str(number), column) == number


def test_a_name_alone_is_a_column_of_strings() -> None:
    assert Column.model_validate("分類") == Column(column="分類", type="string")
    assert list_items("甲、乙", Column(column="分類")) == ("甲、乙",)


def test_a_separator_needs_a_list() -> None:
    with pytest.raises(ValidationError, match='a separator needs type = "list"'):
        Column(column="分類", separator="/")


@given(st.integers(0, 10**12), st.sampled_from(["", "-", "−", "－", "△", "▲"]), st.sampled_from(["", "円"]))
def test_a_number_means_the_same_however_it_is_written(number: int, sign: str, unit: str) -> None:
    value = -number if sign else number
    assert cell_value(f"{sign}{number:,}{unit}", Column(column="列", type="number")) == value
