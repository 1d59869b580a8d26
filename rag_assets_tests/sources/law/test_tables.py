import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.table_text import readable_rows
from rag_assets.model import Cell, Table
from rag_assets.sources.law.tables import BorderedCell, Borders, merge_by_borders


def _bordered(drawing: str) -> list[BorderedCell]:
    """Cells as drawn: a line of words a row, and under each the lines below its cells: `=` drawn, `.` not drawn.

    A `!` behind a word leaves out the line to its right.
    """
    lines = [line.split() for line in drawing.strip().splitlines()]
    rows, rules = lines[::2], lines[1::2]
    cells = []
    for number, row in enumerate(rows):
        for column, word in enumerate(row):
            below = "none" if number < len(rules) and rules[number][column] == "." else "solid"
            above = "none" if number and rules[number - 1][column] == "." else "solid"
            left = "none" if column and row[column - 1].endswith("!") else "solid"
            right = "none" if word.endswith("!") else "solid"
            text = word.removesuffix("!").replace("_", "")
            cells.append(BorderedCell(Cell(text=text, row=number, column=column), Borders(above, below, left, right)))
    return cells


def _rows(cells: list[BorderedCell]) -> list[str]:
    merged = merge_by_borders(cells, lambda before, text: f"{before}・{text}")
    return [row.text for row in readable_rows(Table(cells=merged))]


@pytest.mark.parametrize(
    ("drawing", "rows"),
    [
        pytest.param(
            "甲 一 ア \n . = = \n _ 二 イ \n . = = \n _ 三 ウ \n = = = \n 乙 四 エ",
            ["甲｜一｜ア", "甲｜二｜イ", "甲｜三｜ウ", "乙｜四｜エ"],
            id="a key over three rows",
        ),
        pytest.param(
            "甲 一 ア \n . . = \n _ _ イ \n = = = \n 乙 二 ウ \n = . = \n 丙 _ エ",
            ["甲｜一｜ア", "甲｜一｜イ", "乙｜二｜ウ", "丙｜二｜エ"],
            id="two columns, and one in the middle",
        ),
        pytest.param("第一条 甲 \n . = \n 第二条 乙", ["第一条・第二条｜甲", "第一条・第二条｜乙"], id="words in both"),
        pytest.param(
            "_ 甲 \n . = \n 第一条 乙 \n . = \n _ 丙", ["第一条｜甲", "第一条｜乙", "第一条｜丙"], id="words midway"
        ),
        pytest.param(
            "甲 百 \n . . \n 乙 二百 \n . . \n 丙 三百", ["甲｜百", "乙｜二百", "丙｜三百"], id="no row lines"
        ),
        pytest.param(
            "甲 一 百 \n . . . \n _ 二 二百", ["甲｜一｜百", "甲｜二｜二百"], id="no row lines, a key goes on"
        ),
        pytest.param(
            "甲 百 \n . . \n _ _ \n . . \n _ 二百 \n = = \n 乙 三百",
            ["甲｜百", "甲｜二百", "乙｜三百"],
            id="no row lines, a key goes on over a blank row",
        ),
        pytest.param("甲 百 \n . . \n _ _ \n . . \n 乙 二百", ["甲｜百", "乙｜二百"], id="no row lines, a blank row"),
        pytest.param(
            "甲 一 百 \n . . . \n 乙 _ 二百", ["甲｜一｜百", "乙｜二百"], id="no row lines, a value is missing"
        ),
        pytest.param("甲! _ 百 \n = = = \n 乙 丙 二百", ["甲｜甲｜百", "乙｜丙｜二百"], id="over two columns"),
        pytest.param("一! 甲 \n = = \n 二! 乙", ["一｜甲", "二｜乙"], id="two columns that no line parts"),
        pytest.param("甲! _ \n = = \n 乙! 百", ["甲", "乙｜百"], id="no column lines, a value is missing"),
    ],
)
def test_what_no_line_parts_is_one_cell(drawing: str, rows: list[str]) -> None:
    assert _rows(_bordered(drawing)) == rows


def _column(*cells: tuple[str, Borders]) -> list[BorderedCell]:
    """A column of cells with these borders, beside one in which every line is drawn."""
    solid = Borders("solid", "solid", "solid", "solid")
    return [
        each
        for row, (text, borders) in enumerate(cells)
        for each in (
            BorderedCell(Cell(text=text, row=row, column=0), borders),
            BorderedCell(Cell(text=f"値{row}", row=row, column=1), solid),
        )
    ]


@pytest.mark.parametrize(
    ("upper", "lower", "text", "second"),
    [
        (Borders(bottom="none"), Borders(top="none"), "", "甲｜値1"),
        (Borders(bottom="none"), Borders(top="solid"), "", "甲｜値1"),
        (Borders(bottom="solid"), Borders(top="none"), "", "甲｜値1"),
        (Borders(), Borders(top="none"), "", "甲｜値1"),
        (Borders(bottom="none"), Borders(top="solid"), "乙", "乙｜値1"),
        (Borders(bottom="dotted"), Borders(top="none"), "乙", "乙｜値1"),
        (Borders(), Borders(), "", "値1"),
        (Borders(bottom="dotted"), Borders(top="dotted"), "", "値1"),
    ],
)
def test_one_side_without_a_line_is_enough_for_an_empty_cell(
    upper: Borders, lower: Borders, text: str, second: str
) -> None:
    assert _rows(_column(("甲", upper), (text, lower)))[1] == second


def test_a_table_without_any_line_is_layout_and_stays() -> None:
    blank = Borders("none", "none", "none", "none")
    cells = [
        BorderedCell(Cell(text=text, row=at // 2, column=at % 2), blank)
        for at, text in enumerate(("甲", "一", "", "二"))
    ]
    assert merge_by_borders(cells, str.__add__) == tuple(each.cell for each in cells)


def test_headings_and_values_are_never_one_cell() -> None:
    heading, value = _column(("区分", Borders(bottom="none")), ("", Borders(top="none")))[::2]
    marked = BorderedCell(heading.cell.model_copy(update={"heading": True}), heading.borders)
    assert len(merge_by_borders([marked, value], str.__add__)) == 2


def test_cells_of_different_width_are_no_one_cell() -> None:
    wide = BorderedCell(Cell(text="甲", row=0, column=0, column_span=2), Borders(bottom="none", top="solid"))
    below = [BorderedCell(Cell(text=text, row=1, column=at), Borders(top="none")) for at, text in enumerate(("", "乙"))]
    assert len(merge_by_borders([wide, *below], str.__add__)) == 3


_SIDES = st.sampled_from(["none", "solid", "dotted"])


@given(st.data(), st.integers(1, 5), st.integers(1, 4))
def test_every_word_stays_once_and_no_two_cells_overlap(data: st.DataObject, height: int, width: int) -> None:
    cells = [
        BorderedCell(
            Cell(text=data.draw(st.sampled_from(["", f"語{row}の{column}。"])), row=row, column=column),
            Borders(*(data.draw(_SIDES) for _ in range(4))),
        )
        for row in range(height)
        for column in range(width)
    ]
    merged = merge_by_borders(cells, str.__add__)
    covered = [
        (cell.row + down, cell.column + right)
        for cell in merged
        for down in range(cell.row_span)
        for right in range(cell.column_span)
    ]
    assert sorted(covered) == [(row, column) for row in range(height) for column in range(width)]
    words = sorted(word for cell in merged for word in cell.text.split("。"))
    assert [word for word in words if word] == sorted(each.cell.text[:-1] for each in cells if each.cell.text)


def test_a_long_table_without_row_lines_is_merged_at_once() -> None:
    rows = 6000
    drawing = " \n . = \n ".join(f"{'_' if row % 50 else '甲'} {row}" for row in range(rows))
    started = time.process_time()
    merged = merge_by_borders(_bordered(drawing), str.__add__)
    assert len(merged) == rows + 1
    # Twenty times what it takes; looking through all cells for every row took a minute.
    assert time.process_time() - started < 20
