"""Ruled tables: whole cells, each character once, what is no table left alone."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.model import Cell
from rag_assets.sources.pdf.pages import PdfPage, PdfTable, continues, joined, read_pages
from rag_assets_tests.sources.pdf.pdf_maker import LEFT, TOP, PdfMaker


def pages_of(maker: PdfMaker) -> list[PdfPage]:
    return list(read_pages(maker.file()))


def only_page(maker: PdfMaker) -> PdfPage:
    (page,) = pages_of(maker)
    return page


def grid_of(table: PdfTable) -> list[tuple[int, int, int, int, str]]:
    return [(cell.row, cell.column, cell.row_span, cell.column_span, cell.text) for cell in table.cells]


def test_a_grid_has_whole_cells_and_their_text_is_nowhere_else() -> None:
    maker = PdfMaker()
    maker.text(LEFT, 80, "次の表のとおりとする。")
    maker.grid([80, 180, 320], [100, 124, 166])
    maker.text(85, 106, "区分")
    maker.text(185, 106, "上限の額")
    maker.text(85, 130, "宿泊の料金")
    maker.text(185, 130, "一夜につき一万二千円の額を")
    maker.text(185, 146, "超えないものとする")
    maker.text(LEFT, 180, "前項の定めによる。")
    page = only_page(maker)
    (table,) = page.tables
    assert grid_of(table) == [
        (0, 0, 1, 1, "区分"),
        (0, 1, 1, 1, "上限の額"),
        (1, 0, 1, 1, "宿泊の料金"),
        (1, 1, 1, 1, "一夜につき一万二千円の額を超えないものとする"),
    ]
    assert [line.text for line in page.lines] == ["次の表のとおりとする。", "前項の定めによる。"]
    assert (table.page, table.x0, table.x1, table.top, table.bottom) == (1, 80, 320, 100, 166)
    assert table.columns == (80, 180, 320)
    assert [line.text for line in table.lines][-1] == "超えないものとする"


def test_merged_cells_cover_their_rows_and_columns() -> None:
    maker = PdfMaker()
    # +-------+---------------+
    # | 区分  |     金額      |
    # |       +-------+-------+
    # |       | 昼    | 夜    |
    # +-------+-------+-------+
    maker.rule(80, 100, 320, 100)
    maker.rule(160, 120, 320, 120)
    maker.rule(80, 140, 320, 140)
    maker.rule(80, 160, 320, 160)
    for x, top in ((80, 100), (160, 100), (240, 120), (320, 100)):
        maker.rule(x, top, x, 160)
    for x, top, text in ((100, 115, "区分"), (220, 104, "金額"), (190, 124, "昼"), (270, 124, "夜"), (85, 144, "甲")):
        maker.text(x, top, text)
    assert grid_of(only_page(maker).tables[0]) == [
        (0, 0, 2, 1, "区分"),
        (0, 1, 1, 2, "金額"),
        (1, 1, 1, 1, "昼"),
        (1, 2, 1, 1, "夜"),
        (2, 0, 1, 1, "甲"),
        (2, 1, 1, 1, ""),
        (2, 2, 1, 1, ""),
    ]


@pytest.mark.parametrize("way", ["lines", "rectangle", "thin fills", "dots", "pictures", "rounded", "form"])
def test_a_box_is_found_however_it_is_drawn(way: str) -> None:
    maker = PdfMaker()
    left, top, right, bottom = 70.0, 90.0, 400.0, 140.0
    sides = [
        (left, top, right, top),
        (left, bottom, right, bottom),
        (left, top, left, bottom),
        (right, top, right, bottom),
    ]
    canvas, height = maker.canvas, maker.size[1]
    for x0, y0, x1, y1 in sides if way in ("lines", "thin fills", "dots", "pictures") else []:
        if way == "lines":
            maker.rule(x0, y0, x1, y1)
        elif way == "thin fills":
            canvas.rect(x0, height - y1 - 0.5, max(x1 - x0, 0.5), max(y1 - y0, 0.5), stroke=0, fill=1)
        elif way == "dots":
            for step in range(0, int(max(x1 - x0, y1 - y0)), 4):
                x, y = (x0 + step, y0) if y0 == y1 else (x0, y0 + step)
                maker.rule(x, y, min(x + 2, x1), min(y + 2, y1))
        else:
            maker.picture(x0, y0, max(x1, x0 + 0.5), max(y1, y0 + 0.5))
    if way == "rectangle":
        canvas.rect(left, height - bottom, right - left, bottom - top)
    if way == "form":
        canvas.beginForm("frame")
        canvas.rect(0, 0, (right - left) / 2, (bottom - top) / 2)
        canvas.endForm()
        canvas.saveState()
        canvas.translate(left, height - bottom)
        canvas.scale(2, 2)
        canvas.doForm("frame")
        canvas.restoreState()
    if way == "rounded":
        canvas.roundRect(left, height - bottom, right - left, bottom - top, 8)
    maker.lines("（例）", "この枠の中の文である。")
    maker.text(LEFT, 160, "枠の外の文である。")
    page = only_page(maker)
    assert [(table.is_box, table.cells[0].text) for table in page.tables] == [(True, "（例）\nこの枠の中の文である。")]
    assert [line.text for line in page.lines] == ["枠の外の文である。"]
    assert [thing.text for thing in page.flow() if not isinstance(thing, PdfTable)] == [
        "（例）",
        "この枠の中の文である。",
        "枠の外の文である。",
    ]


def test_a_table_inside_a_box_stands_between_the_lines_of_the_box() -> None:
    maker = PdfMaker()
    maker.grid([70, 500], [90, 250])
    maker.grid([100, 200, 300], [130, 150, 170])
    maker.text(80, 100, "箱の初めの文。")
    maker.text(105, 135, "甲")
    maker.text(205, 135, "乙")
    maker.text(80, 200, "箱の終わりの文。")
    page = only_page(maker)
    assert page.lines == ()
    shown = [
        [cell.text for cell in thing.cells] if isinstance(thing, PdfTable) else thing.text for thing in page.flow()
    ]
    assert shown == ["箱の初めの文。", ["甲", "乙", "", ""], "箱の終わりの文。"]


def test_without_tables_their_text_is_in_the_lines() -> None:
    maker = PdfMaker()
    maker.grid([80, 180, 320], [100, 124])
    maker.text(85, 106, "区分")
    maker.text(185, 106, "上限の額")
    (page,) = read_pages(maker.file(), tables=False)
    assert page.tables == ()
    assert [line.text.replace("\u3000", "") for line in page.lines] == ["区分上限の額"]


def test_shading_underlines_and_a_frame_around_the_page_are_no_tables() -> None:
    maker = PdfMaker()
    maker.canvas.rect(20, 20, 555, 802)
    maker.canvas.setFillGray(0.9)
    maker.canvas.rect(70, 700, 300, 60, stroke=0, fill=1)
    maker.canvas.setFillGray(0)
    maker.lines("網かけの中の文である。", "下線のある文である。")
    maker.rule(LEFT, TOP + 30, LEFT + 100, TOP + 30)
    page = only_page(maker)
    assert page.tables == ()
    assert [line.text for line in page.lines] == ["網かけの中の文である。", "下線のある文である。"]


def test_a_framed_word_stays_in_its_line() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "次の欄の")
    maker.grid([121, 143], [99, 113])
    maker.text(122, TOP, "承認")
    maker.text(146, TOP, "を押す。")
    page = only_page(maker)
    assert page.tables == ()
    assert [line.text for line in page.lines] == ["次の欄の承認を押す。"]


def test_rows_parted_by_white_space_only_are_rows() -> None:
    maker = PdfMaker()
    maker.grid([80, 200, 260, 320], [100, 120, 240])
    for column, heading in enumerate(("品目", "昼", "夜")):
        maker.text((85, 205, 265)[column], 105, heading)
    for row, cells in enumerate(
        [("机のたぐい", "一円", ""), ("椅子のたぐい", "", "二円"), ("棚", "三円", "四円"), ("そのほかのもの", "", "")]
    ):
        for column, text in enumerate(cells):
            maker.text((85, 205, 265)[column], 128 + 24 * row, text if text != "棚" else "棚など")
    maker.text(85, 128 + 24 * 3 + 14, "（十円まで）")
    rows: dict[int, list[str]] = {}
    for cell in only_page(maker).tables[0].cells:
        rows.setdefault(cell.row, []).append(cell.text)
    assert list(rows.values()) == [
        ["品目", "昼", "夜"],
        ["机のたぐい", "一円", ""],
        ["椅子のたぐい", "", "二円"],
        ["棚など", "三円", "四円"],
        ["そのほかのもの\n（十円まで）", "", ""],
    ]


def test_spaced_paragraphs_beside_one_name_are_one_row() -> None:
    maker = PdfMaker()
    maker.grid([80, 200, 420], [100, 240])
    maker.text(85, 108, "届出の期限")
    for row, text in enumerate(("初めの段落である。", "次の段落である。", "終わりの段落である。")):
        maker.text(205, 108 + 30 * row, text)
    assert [cell.text for cell in only_page(maker).tables[0].cells] == [
        "届出の期限",
        "初めの段落である。\n次の段落である。\n終わりの段落である。",
    ]


def test_a_ruled_form_without_any_text_is_no_table() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "記入欄")
    maker.grid([80, 180, 320], [130, 150, 170])
    assert only_page(maker).tables == ()


def test_text_that_runs_over_the_border_stays_with_its_cell() -> None:
    maker = PdfMaker()
    maker.grid([70, 155], [90, 130])
    maker.lines("枠よりも長い一つの文", "その次の行")
    page = only_page(maker)
    assert page.lines == ()
    assert page.tables[0].cells[0].text.replace("\n", "") == "枠よりも長い一つの文その次の行"


def test_upright_text_beside_sideways_text_in_a_cell() -> None:
    maker = PdfMaker()
    maker.grid([70, 120, 300], [90, 190])
    maker.text(130, 100, "備考の本文である")
    maker.canvas.rotate(90)
    maker.canvas.drawString(maker.size[1] - 170, -100, "sideways")
    assert [cell.text for cell in only_page(maker).tables[0].cells] == ["sideways", "備考の本文である"]


def pieces(*rows_of_pages: list[tuple[str, str]], shift: float = 0.0) -> list[PdfPage]:
    maker = PdfMaker()
    for number, rows in enumerate(rows_of_pages):
        if number:
            maker.page_break()
        moved = shift * number
        maker.grid([80 + moved, 180 + moved, 320 + moved], [100 + 20 * row for row in range(len(rows) + 1)])
        for row, (first, second) in enumerate(rows):
            maker.text(85 + moved, 105 + 20 * row, first)
            maker.text(185 + moved, 105 + 20 * row, second)
    return pages_of(maker)


HEADING = ("品目", "限度の額")


def test_a_table_goes_on_over_pages_and_repeats_its_heading() -> None:
    first, second, third = pieces([HEADING, ("机", "一円")], [HEADING, ("椅子", "二円")], [HEADING, ("棚", "三円")])
    whole = first.tables[0]
    for page in (second, third):
        assert continues(whole, page.tables[0])
        whole = joined(whole, page.tables[0])
    assert [cell.text for cell in whole.cells] == [*HEADING, "机", "一円", "椅子", "二円", "棚", "三円"]
    assert [cell.row for cell in whole.cells] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(whole.lines) == 6 * 2


def test_a_table_goes_on_without_a_heading() -> None:
    first, second = pieces([HEADING, ("机", "一円")], [("椅子", "二円"), ("棚", "三円")])
    whole = joined(first.tables[0], second.tables[0])
    assert [(cell.row, cell.text) for cell in whole.cells if cell.column == 0] == [
        (0, "品目"),
        (1, "机"),
        (2, "椅子"),
        (3, "棚"),
    ]


def test_other_columns_are_another_table() -> None:
    first, second = pieces([HEADING], [HEADING], shift=25.0)
    assert not continues(first.tables[0], second.tables[0])


@given(
    rows=st.integers(1, 5),
    columns=st.integers(1, 5),
    merged=st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 3), st.integers(1, 3)),
    data=st.data(),
)
def test_every_cell_of_any_grid_has_its_text_and_none_is_lost_or_doubled(
    rows: int, columns: int, merged: tuple[int, int, int, int], data: st.DataObject
) -> None:
    top, left, height, width = merged
    top, left = min(top, rows - 1), min(left, columns - 1)
    height, width = min(height, rows - top), min(width, columns - left)
    inside = {(row, column) for row in range(top, top + height) for column in range(left, left + width)}
    expected = {}
    maker = PdfMaker()
    for row in range(rows):
        for column in range(columns):
            spans = (height, width) if (row, column) == (top, left) else (1, 1)
            if (row, column) in inside and (row, column) != (top, left):
                continue
            text = data.draw(st.sampled_from(["", "甲", "乙の欄", "12,345円"]))
            x, y = 60 + 90 * column, 100 + 30 * row
            maker.canvas.rect(x, maker.size[1] - y - 30 * spans[0], 90 * spans[1], 30 * spans[0])
            maker.text(x + 5, y + 8, text)
            expected[row, column, *spans] = text
    page = only_page(maker) if any(expected.values()) else None
    if page is None:
        return
    (table,) = page.tables
    assert {(cell.row, cell.column, cell.row_span, cell.column_span): cell.text for cell in table.cells} == _closed_up(
        expected
    )
    printed = Counter("".join(expected.values()))
    assert Counter("".join(line.text for line in table.lines)) == printed
    assert page.lines == ()


def _closed_up(cells: dict[tuple[int, int, int, int], str]) -> dict[tuple[int, int, int, int], str]:
    """The same cells as a reader counts them: a border that no cell begins or ends at does not exist."""
    ys = sorted({y for row, _, height, _ in cells for y in (row, row + height)})
    xs = sorted({x for _, column, _, width in cells for x in (column, column + width)})
    return {
        (
            ys.index(row),
            xs.index(column),
            ys.index(row + height) - ys.index(row),
            xs.index(column + width) - xs.index(column),
        ): text
        for (row, column, height, width), text in cells.items()
    }


COLUMNS_ONLY: dict[str, tuple[list[tuple[str, ...]], list[str]]] = {
    "names apart": (
        [
            ("部長", "部の業務を統べ", "管理職"),
            ("", "る", "とする"),
            ("課長", "課の業務を統べ", "管理職"),
            ("", "る", "とする"),
            ("係長", "係の業務を行う", "一般職"),
            ("", "ほか指導する", "とする"),
        ],
        ["部長", "課長", "係長"],
    ),
    "numbers tell the rows": (
        [
            ("結婚休暇", "５日", "本人が結婚する"),
            ("", "", "とき"),
            ("忌引休暇", "７日", "父母のとき"),
            ("転居休暇", "１日", "転居のため休む"),
            ("", "", "とき"),
        ],
        ["結婚休暇", "忌引休暇", "転居休暇"],
    ),
    "one line each": ([("早番", "７時", "一"), ("日勤", "８時", ""), ("遅番", "９時", "二")], ["早番", "日勤", "遅番"]),
}
"""Lines of a table whose columns alone are ruled, and the names of its rows."""


@pytest.mark.parametrize(("rows", "names"), COLUMNS_ONLY.values(), ids=COLUMNS_ONLY.keys())
def test_rows_of_several_lines_that_no_rule_parts(rows: list[tuple[str, ...]], names: list[str]) -> None:
    cells = columns_only(rows)
    assert [cell.text for cell in cells if cell.column == 0] == ["区分", *names]
    assert len({cell.row for cell in cells}) == len(names) + 1


def test_a_name_broken_over_lines_is_one_row() -> None:
    rows = (
        ("配偶者が出産", "３日", "願い出により"),
        ("する場合など", "", "所属長の許可"),
        ("（職員）", "", "を受けたとき"),
    )
    cells = columns_only((*rows, ("", "", "とする")))
    assert {cell.row for cell in cells} == {0, 1}


def columns_only(rows: Sequence[tuple[str, ...]]) -> Sequence[Cell]:
    maker = PdfMaker()
    columns, bottom = [LEFT, LEFT + 100, LEFT + 200, LEFT + 300], TOP + 18 * (len(rows) + 1) + 8
    for x in columns:
        maker.rule(x, TOP, x, bottom)
    for y in (TOP, TOP + 18, bottom):
        maker.rule(LEFT, y, LEFT + 300, y)
    for number, row in enumerate((("区分", "内容", "備考"), *rows)):
        for x, text in zip(columns, row, strict=False):
            maker.text(x + 5, TOP + 4 + 18 * number, text)
    ((table,),) = [page.tables for page in read_pages(maker.file())]
    return table.cells


@pytest.mark.parametrize("y", [4.8, 5.0, 5.2, 6.0])
def test_words_on_a_rule_from_border_to_border_are_not_lost(y: float) -> None:
    maker = PdfMaker()
    maker.grid([LEFT, LEFT + 100, LEFT + 300], [TOP, TOP + 30, TOP + 60])
    for x, top, text in ((5, 10, "定年"), (115, 10, "満六十歳とする"), (5, 40, "再雇用"), (115, 40, "満七十歳まで")):
        maker.text(LEFT + x, TOP + top, text)
    maker.rule(LEFT + 100, TOP + 10 + y, LEFT + 300, TOP + 10 + y)
    ((table,),) = [page.tables for page in read_pages(maker.file())]
    assert {cell.text for cell in table.cells} - {""} == {"定年", "満六十歳とする", "再雇用", "満七十歳まで"}
