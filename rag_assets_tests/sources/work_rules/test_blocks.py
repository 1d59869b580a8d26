from rag_assets.japanese.blanks import BLANK
from rag_assets.model import Cell, Table, TextBlock
from rag_assets.sources.pdf.pages import PdfTable
from rag_assets.sources.work_rules.blocks import blocks_of
from rag_assets.sources.work_rules.lines import RulePassage


def passage(text: str, x0: float, left: float | None = None, page: int = 1) -> RulePassage:
    return RulePassage(page, text, x0, x0 if left is None else left, 10.0, 0)


def cells(*rows: tuple[str, ...]) -> tuple[Cell, ...]:
    return tuple(Cell(text=text, row=row, column=at) for row, texts in enumerate(rows) for at, text in enumerate(texts))


def table(*given: Cell) -> Table:
    made = PdfTable(page=3, x0=0, x1=100, top=0, bottom=100, cells=given)
    (block,) = blocks_of([RulePassage(3, "", 0, 0, 0, 0, made)], under_number=False, signs=True)[0]
    assert isinstance(block, Table)
    return block


def heading_rows(found: Table) -> set[int]:
    return {cell.row for cell in found.cells if cell.heading}


def depths(*passages: RulePassage, under_number: bool = False) -> list[int]:
    blocks, _ = blocks_of(passages, under_number=under_number, signs=True)
    return [block.depth for block in blocks if isinstance(block, TextBlock)]


def test_marks_further_in_stand_under_the_mark_above() -> None:
    assert depths(
        passage("休みは次のとおりとする。", 98),
        passage("①　夏", 108),
        passage("（ア）盆", 118),
        passage("ただし、盆を除く。", 128, 118),
        passage("②　冬", 108),
        passage("２　休みを替えることがある。", 98),
        under_number=True,
    ) == [0, 1, 2, 2, 1, 0]


def test_a_numbered_paragraph_counts_on_wherever_its_line_begins() -> None:
    assert depths(passage("１　あ", 85), passage("・い", 96), passage("２　う", 96), passage("①　え", 106)) == [
        0,
        1,
        0,
        1,
    ]


def test_a_formula_stands_with_the_line_that_says_what_it_is_for() -> None:
    blocks, _ = blocks_of(
        [
            passage("（夜の部分）", 90),
            passage("日給÷時間数×1.25", 100),
            passage("（昼の部分）", 90),
            passage("払わない。", 90),
        ],
        under_number=False,
        signs=True,
    )
    assert [block.text for block in blocks if isinstance(block, TextBlock)] == [
        "（夜の部分）　日給÷時間数×1.25",
        "（昼の部分）",
        "払わない。",
    ]


def test_kinds() -> None:
    blocks, _ = blocks_of(
        [passage("休む。", 90), passage("①　夏", 90), passage("※　冬は除く。", 90)], under_number=False, signs=True
    )
    assert [block.kind for block in blocks] == ["paragraph", "item", "note"]


def test_blanks_are_told_with_their_page() -> None:
    blocks, blanks = blocks_of([passage("月額　　円とする。", 90, page=7)], under_number=False, signs=True)
    assert [block.text for block in blocks if isinstance(block, TextBlock)] == [f"月額{BLANK}円とする。"]
    assert [(blank.page, blank.around) for blank in blanks] == [(7, f"月額{BLANK}円とする。")]


def test_a_row_of_words_heads_rows_of_figures_or_blanks() -> None:
    assert heading_rows(table(*cells(("勤めた年", "率"), ("5年", "1.0"), ("10年", "2.0")))) == {0}
    assert heading_rows(table(*cells(("始まり", "終わり"), ("午前　　時", "午後　　時")))) == {0}


def test_two_rows_with_words_in_front_are_heading_and_values() -> None:
    assert heading_rows(table(*cells(("勤めた年", "1年", "2年"), ("休みの日数", "10日", "11日")))) == {0}


def test_rows_that_are_all_alike_have_no_heading() -> None:
    assert (
        heading_rows(table(*cells(("昭和28年生まれ", "61歳"), ("昭和30年生まれ", "62歳"), ("昭和32年生まれ", "63歳"))))
        == set()
    )
    assert heading_rows(table(*cells(("あ",), ("1",)))) == set()


def test_cells_that_reach_over_others_head_them() -> None:
    spanned = (
        Cell(text="日数", row=0, column=0, row_span=2),
        Cell(text="勤めた年", row=0, column=1, column_span=2),
        *(Cell(text=text, row=1, column=at) for at, text in ((1, "1年"), (2, "2年"))),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("4日", "7日", "8日"))),
    )
    assert heading_rows(table(*spanned)) == {0, 1}


def test_headings_that_the_page_marks_are_left_as_they_are() -> None:
    marked = (
        Cell(text="あ", row=0, column=0),
        Cell(text="い", row=0, column=1),
        Cell(text="1", row=1, column=0, heading=True),
    )
    assert {(cell.row, cell.column) for cell in table(*marked).cells if cell.heading} == {(1, 0)}


def test_paragraphs_of_a_cell_stay_apart() -> None:
    assert table(*cells(("長\n次長", "い"), ("あ", "い"))).cells[0].text == "長　次長"


def test_a_table_without_words_is_left_out() -> None:
    empty = PdfTable(page=1, x0=0, x1=100, top=0, bottom=100, cells=cells(("", ""), ("", "")))
    assert blocks_of([RulePassage(1, "", 0, 0, 0, 0, empty)], under_number=False, signs=True) == ((), ())
