import pytest
from hypothesis import given

from rag_assets.corpus.table_text import placed_rows, readable_rows
from rag_assets.model import Cell, Table
from rag_assets_tests.strategies import table, tables


def _texts(of: Table) -> list[str]:
    return [row.text for row in readable_rows(of)]


def test_every_value_stands_under_its_heading() -> None:
    of = table("区分｜税率｜適用", "普通法人｜23.2%｜平30.4.1以後", "協同組合等｜19%｜平31.4.1以後")
    assert _texts(of) == [
        "区分：普通法人｜税率：23.2%｜適用：平30.4.1以後",
        "区分：協同組合等｜税率：19%｜適用：平31.4.1以後",
    ]


def test_a_cell_over_several_rows_is_said_in_each() -> None:
    of = Table(
        cells=(
            Cell(text="区分", row=0, column=0, column_span=2, heading=True),
            Cell(text="税率", row=0, column=2, heading=True),
            Cell(text="協同組合等", row=1, column=0, row_span=2),
            Cell(text="年800万円以下", row=1, column=1),
            Cell(text="15%", row=1, column=2),
            Cell(text="年800万円超", row=2, column=1),
            Cell(text="19%", row=2, column=2),
        )
    )
    assert _texts(of) == [
        "区分：協同組合等／年800万円以下｜税率：15%",
        "区分：協同組合等／年800万円超｜税率：19%",
    ]


def test_under_headings_of_two_levels_the_upper_is_said_once() -> None:
    of = Table(
        cells=(
            Cell(text="区分", row=0, column=0, row_span=2, heading=True),
            Cell(text="適用関係", row=0, column=1, column_span=2, heading=True),
            Cell(text="平28.4.1以後", row=1, column=1, heading=True),
            Cell(text="平30.4.1以後", row=1, column=2, heading=True),
            Cell(text="普通法人", row=2, column=0),
            Cell(text="23.4%", row=2, column=1),
            Cell(text="23.2%", row=2, column=2),
        )
    )
    assert _texts(of) == ["区分：普通法人｜適用関係：平28.4.1以後＝23.4%、平30.4.1以後＝23.2%"]


def test_a_heading_in_the_first_column_is_a_value_of_its_row() -> None:
    of = Table(
        cells=(
            Cell(text="区分", row=0, column=0, heading=True),
            Cell(text="税率", row=0, column=1, heading=True),
            Cell(text="普通法人", row=1, column=0, heading=True),
            Cell(text="23.2%", row=1, column=1),
        )
    )
    assert _texts(of) == ["区分：普通法人｜税率：23.2%"]


def test_a_row_that_fills_not_all_columns_is_not_matched() -> None:
    of = table("区分｜内容｜税率", "設立｜株式会社｜1,000分の7", "合名会社｜6万円")
    assert _texts(of)[1] == "［区分｜内容｜税率］合名会社｜6万円"


def test_a_table_whose_spans_are_lost_is_matched_nowhere() -> None:
    of = table("区分｜内容｜税率", "設立｜株式会社｜1,000分の7", "合名会社｜6万円")
    assert _texts(of)[0].startswith("［区分｜内容｜税率］設立｜")


def test_empty_cells_are_left_out() -> None:
    assert _texts(table("区分｜税率｜備考", "甲｜｜あり", "乙｜2%｜")) == ["区分：甲｜備考：あり", "区分：乙｜税率：2%"]


def test_a_heading_over_empty_cells_is_not_lost() -> None:
    assert _texts(table("区分｜備考", "甲｜", "乙｜")) == ["備考", "区分：甲", "区分：乙"]


def test_a_table_without_headings() -> None:
    assert _texts(table("甲｜1%", "乙｜2%", heading_rows=0)) == ["甲｜1%", "乙｜2%"]


def test_a_table_of_headings_only() -> None:
    assert _texts(table("甲｜1%", "乙｜2%", heading_rows=2)) == ["甲｜1%", "乙｜2%"]


def test_a_row_of_which_all_reaches_in_from_above_is_left_out() -> None:
    of = Table(
        cells=(
            Cell(text="甲", row=0, column=0, row_span=2),
            Cell(text="1%", row=0, column=1, row_span=2),
            Cell(text="", row=1, column=2),
        )
    )
    assert len(readable_rows(of)) == 1
    assert [row.text for row in placed_rows(of)] == ["甲 1%"]


@pytest.mark.parametrize(
    "first",
    [
        *("1｜計算明細書", "（1）｜計算明細書", "イ｜5年以下のもの", "①｜5年以下のもの", "子｜×｜20％"),
        *("帳簿価額｜1,000万円", "令和7年分｜申告書を提出します。添付します。", f"令和7年分｜{'長' * 51}"),
    ],
)
def test_a_first_row_of_values_set_bold_heads_nothing(first: str) -> None:
    second = "｜".join(["乙"] * (first.count("｜") + 1))
    assert _texts(table(first, second)) == [first, second]


def test_what_a_heading_says_in_brackets_does_not_make_it_a_value() -> None:
    of = table(f"卸売業（{'長' * 60}を除きます。）｜製造業", "1,000分の10｜1,000分の8")
    assert _texts(of) == [f"卸売業（{'長' * 60}を除きます。）：1,000分の10｜製造業：1,000分の8"]


@given(tables())
def test_plain_rows_say_every_cell_once_in_order(of: Table) -> None:
    rows: dict[int, list[str]] = {}
    for cell in sorted(of.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.text:
            rows.setdefault(cell.row, []).append(cell.text)
    assert [row.text for row in placed_rows(of)] == [" ".join(texts) for texts in rows.values()]


@given(tables())
def test_readable_rows_say_every_cell(of: Table) -> None:
    said = _texts(of)
    assert all(text for text in said)
    for cell in of.cells:
        assert any(cell.text in text for text in said) or not cell.text


@given(tables())
def test_every_row_with_words_of_its_own_says_them(of: Table) -> None:
    said = _texts(of)
    speaking = sorted({cell.row for cell in of.cells if cell.text})
    heading_rows = 0
    for row in speaking:
        covering = [cell for cell in of.cells if cell.row <= row < cell.row + cell.row_span]
        if not all(cell.heading for cell in covering):
            break
        heading_rows += 1
    body = speaking[heading_rows:] or speaking
    for row, text in zip(body, said[len(said) - len(body) :], strict=True):
        covering = [cell for cell in of.cells if cell.row <= row < cell.row + cell.row_span]
        assert all(cell.text in text for cell in covering)


@given(tables())
def test_words_lie_where_they_are_said_to_lie(of: Table) -> None:
    texts = {cell.text for cell in of.cells}
    for row in readable_rows(of):
        for field in row.fields:
            for words in field.words:
                assert field.text[words.start : words.end] in texts
