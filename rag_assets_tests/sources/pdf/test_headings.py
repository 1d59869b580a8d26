"""Which rows head a table whose page does not say so."""

from collections.abc import Sequence

import pytest

from rag_assets.model import Cell
from rag_assets.sources.pdf.headings import heading_rows


def cells(*rows: Sequence[str]) -> list[Cell]:
    return [Cell(text=text, row=row, column=at) for row, texts in enumerate(rows) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    "rows",
    [
        (("区分", "割合"), ("小売業", "80％")),
        (("記載事項", "紙"), ("名前", "必要"), ("日付", "必要")),
        (("勤めた年", "1年", "2年"), ("休みの日数", "10日", "11日")),
        (("令和５年分", "令和６年分"), ("免税の期間", "課税の期間")),
        (("登録番号の構成", "説明"), ("Ｒ＋数字", "法人番号による")),
        (("", "小売業", "卸売業"), ("割合", "80％", "90％")),
        (("業種", "資本金", "", "人数"), ("小売業", "５万円以下", "又は", "５人以下")),
        (("始まり", "終わり"), ("午前　　時", "午後　　時")),
    ],
)
def test_a_row_of_names_heads_the_rows_below(rows: tuple[tuple[str, ...], ...]) -> None:
    assert heading_rows(cells(*rows)) == 1


@pytest.mark.parametrize(
    "first",
    [
        ("請求書", "山田商店御中"),
        ("合計", "109,200円"),
        ("合計", "209円"),
        ("登録番号T12345", "紙"),
        ("１", "紙"),
        ("区分", ""),
        ("紙", "紙"),
        ("①　紙", "②　電子"),
        ("紙は要りません。", "電子"),
        ("あ" * 41, "電子"),
        ("〃", "電子"),
    ],
)
def test_forms_values_and_sentences_head_nothing(first: tuple[str, str]) -> None:
    assert heading_rows(cells(first, ("茶", "110円"))) == 0


def test_a_first_row_made_like_those_below_is_one_of_them() -> None:
    rows = ("昭和28年から昭和30年", "61歳"), ("昭和30年から昭和32年", "62歳"), ("昭和32年から昭和34年", "63歳")
    assert heading_rows(cells(*rows)) == 0


def test_one_row_or_one_column_has_no_heading() -> None:
    assert heading_rows(cells(("紙", "電子"))) == 0
    assert heading_rows(cells(("紙",), ("電子",))) == 0


def spanned(corner: Cell, *more: Cell) -> list[Cell]:
    return [
        corner,
        Cell(text="差し引ける割合", row=0, column=1, column_span=2),
        *more,
        *(Cell(text=text, row=1, column=at) for at, text in ((1, "商品"), (2, "その他"))),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("令和７年から", "90％", "70％"))),
        *(Cell(text=text, row=3, column=at) for at, text in enumerate(("令和８年から", "60％", "30％"))),
    ]


def test_names_over_two_rows_head_both() -> None:
    assert heading_rows(spanned(Cell(text="時期", row=0, column=0, row_span=2))) == 2


def test_names_under_a_wide_one_head_beside_an_empty_cell_too() -> None:
    assert heading_rows(spanned(Cell(text="時期", row=0, column=0), Cell(text="", row=1, column=0))) == 2
    assert heading_rows(spanned(Cell(text="時期", row=0, column=0), Cell(text="前", row=1, column=0))) == 1


def test_values_under_a_wide_name_are_no_headings() -> None:
    told = [
        cell.model_copy(update={"text": "90％"}) if (cell.row, cell.column) == (1, 1) else cell
        for cell in spanned(Cell(text="時期", row=0, column=0, row_span=2))
    ]
    assert heading_rows(told) == 0


def test_a_cell_that_reaches_over_rows_of_values_is_no_heading() -> None:
    rows = [
        Cell(text="書面", row=0, column=0, row_span=2),
        *(Cell(text=text, row=0, column=at) for at, text in ((1, "個人"), (2, "40日"))),
        *(Cell(text=text, row=1, column=at) for at, text in ((1, "法人"), (2, "55日"))),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("電子", "個人", "14日"))),
    ]
    assert heading_rows(rows) == 0
