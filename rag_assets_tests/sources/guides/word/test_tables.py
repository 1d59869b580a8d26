"""Tables: merged cells, headings, boxes and what stands in cells."""

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.model import Cell, Table
from rag_assets.sources.guides.document import BodyBlock
from rag_assets_tests.sources.guides.word.word_files import (
    cell,
    level,
    lines,
    list_of,
    numbered,
    p,
    r,
    read,
    row,
    table,
)

HEAD = "<w:tblHeader/>"
SHADED = '<w:shd w:val="clear" w:fill="D9D9D9"/>'


def tables(body: str, **parts: str) -> list[Table]:
    blocks = (part.block for part in read(body, **parts).parts if isinstance(part, BodyBlock))
    return [block for block in blocks if isinstance(block, Table)]


def places(found: Table) -> list[tuple[str, int, int, int, int]]:
    return [(each.text, each.row, each.column, each.row_span, each.column_span) for each in found.cells]


def headings(found: Table) -> list[str]:
    return [each.text for each in found.cells if each.heading]


def span(columns: int) -> str:
    return f'<w:gridSpan w:val="{columns}"/>'


def merged(how: str = "") -> str:
    return f'<w:vMerge w:val="{how}"/>' if how else "<w:vMerge/>"


def test_merged_cells_have_their_places() -> None:
    [found] = tables(
        table(
            row(cell("区分", properties=merged("restart")), cell("上限", properties=span(2))),
            row(cell("", properties=merged()), "国内", "海外"),
            row("役員", "一万円", "二万円"),
        )
    )
    assert places(found) == [
        ("区分", 0, 0, 2, 1),
        ("上限", 0, 1, 1, 2),
        ("国内", 1, 1, 1, 1),
        ("海外", 1, 2, 1, 1),
        ("役員", 2, 0, 1, 1),
        ("一万円", 2, 1, 1, 1),
        ("二万円", 2, 2, 1, 1),
    ]


def test_columns_in_which_no_cell_begins_and_rows_of_merged_cells_alone_are_none() -> None:
    [found] = tables(
        table(
            row(cell("甲", properties=span(3) + merged("restart")), cell("乙", properties=merged("restart"))),
            row(cell("", properties=span(3) + merged()), cell("", properties=merged())),
            row(cell("丙", properties=span(3)), "丁"),
        )
    )
    assert places(found) == [("甲", 0, 0, 1, 1), ("乙", 0, 1, 1, 1), ("丙", 1, 0, 1, 1), ("丁", 1, 1, 1, 1)]


def test_cells_before_a_row_begins_and_cells_merged_the_old_way() -> None:
    [found] = tables(
        table(
            row("甲", "乙", "丙"),
            row("丁", "戊", properties='<w:gridBefore w:val="1"/>'),
            row(cell("己", properties='<w:hMerge w:val="restart"/>'), cell("", properties="<w:hMerge/>"), "庚"),
        )
    )
    assert [(text, column, columns) for text, _, column, _, columns in places(found)][3:] == [
        *(("丁", 1, 1), ("戊", 2, 1), ("己", 0, 2), ("庚", 2, 1)),
    ]


def test_rows_that_repeat_on_every_page_are_headings() -> None:
    [found] = tables(
        table(row("区分", "額", properties=HEAD), row("一般", "九千円"), row("計", "一万円", properties=HEAD))
    )
    assert headings(found) == ["区分", "額"]


def test_a_first_row_and_column_that_stand_out_are_headings() -> None:
    shaded = (cell("区分", properties=SHADED), cell("額", properties=SHADED))
    [found] = tables(table(row(*shaded), row("一般", "九千円"), row("役員", "二万円")))
    assert headings(found) == ["区分", "額"]
    bold = [cell(p(r(text, "<w:b/>"))) for text in ("区分", "一般", "役員")]
    [found] = tables(table(row(bold[0], "額"), row(bold[1], "九千円"), row(bold[2], "二万円")))
    assert headings(found) == ["区分", "一般", "役員"]


def test_headings_by_the_style_of_the_table() -> None:
    part = '<w:tblStylePr w:type="{}"><w:rPr><w:b/></w:rPr></w:tblStylePr>'
    styles = f'<w:style w:type="table" w:styleId="t">{part.format("firstRow")}{part.format("firstCol")}</w:style>'
    rows = row("区分", "額") + row("一般", "九千円") + row("役員", "二万円")

    def with_look(look: str) -> str:
        return table(rows).replace("<w:tblPr/>", f'<w:tblPr><w:tblStyle w:val="t"/><w:tblLook {look}/></w:tblPr>')

    for look, found in (
        ('w:firstRow="1" w:firstColumn="0"', ["区分", "額"]),
        ('w:val="00A0"', ["区分", "額", "一般", "役員"]),
        ('w:val="0000"', []),
    ):
        assert headings(tables(with_look(look), styles=styles)[0]) == found


def test_where_all_cells_or_none_stand_out_there_are_no_headings() -> None:
    shaded = [cell(text, properties=SHADED) for text in "甲乙丙丁"]
    for rows in ([row(*shaded[:2]), row(*shaded[2:])], [row("甲", "乙"), row("丙", "丁")]):
        [found] = tables(table(*rows))
        assert headings(found) == []


def test_both_rows_of_a_heading_with_two_levels() -> None:
    [found] = tables(
        table(
            row(cell("区分", properties=merged("restart") + SHADED), cell("上限", properties=span(2) + SHADED)),
            row(cell("", properties=merged() + SHADED), *(cell(text, properties=SHADED) for text in ("国内", "海外"))),
            row("役員", "一万円", "二万円"),
            row("一般", "九千円", "一万円"),
        )
    )
    assert headings(found) == ["区分", "上限", "国内", "海外"]


def test_a_box_of_one_cell_is_its_content() -> None:
    assert lines(table(row(cell(p("手続", style="2"), "申請する。", table(row("甲", "乙")))))) == [
        *("## 手続", "申請する。", "| 甲 | 乙"),
    ]


def test_all_that_stands_in_a_cell_is_kept_in_order() -> None:
    inner = table(row("内甲", "内乙"))
    body = table(row("左", cell(p("前", properties=numbered(1)), inner, p("後", properties=numbered(1)))))
    assert lines(body, numbering=list_of(level(0, "(%1)"))) == ["| 左 | (1) 前　内甲　内乙　(2) 後"]


def test_a_caption_above_a_table_is_the_tables_and_another_is_a_paragraph() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="c"><w:name w:val="caption"/></w:style>'
    caption = p("表1　宿泊費", style="c")
    [found] = tables(caption + table(row("甲", "乙")), styles=styles)
    assert found.caption == "表1　宿泊費"
    assert lines(table(row("甲", "乙")) + caption + p("文"), styles=styles) == ["| 甲 | 乙", "表1　宿泊費", "文"]


def test_a_table_without_words_is_none() -> None:
    assert lines(p("文") + table(row("", ""))) == ["文"]


def test_rows_and_cells_that_are_deleted() -> None:
    deleted = '<w:del w:id="1" w:author="甲"/>'
    body = table(
        row("甲", "乙"),
        row("丙", "丁", properties=deleted),
        row("戊", cell("己", properties='<w:cellDel w:id="2"/>'), "庚", properties='<w:ins w:id="3"/>'),
    )
    assert lines(body) == ["| 甲 | 乙", "| 戊 | 庚"]


_SPANS = st.lists(st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=4), min_size=1, max_size=5)


@given(_SPANS)
def test_no_two_cells_cover_one_place_and_no_words_are_lost(rows: list[list[tuple[int, bool]]]) -> None:
    written, words = [], []
    for number, spans in enumerate(rows):
        cells = []
        for position, (columns, goes_on) in enumerate(spans):
            is_hidden = goes_on and _stands_below(rows, number, position)
            text = "" if is_hidden else f"{number}の{position}"
            words += [text] if text else []
            cells.append(cell(text, properties=span(columns) + merged("" if is_hidden else "restart")))
        written.append(row(*cells))
    found = tables(table(*written))
    if len(words) > 1 or found:
        assert [each.text for each in found[0].cells] == words
        covered = [place for each in found[0].cells for place in _places_of(each)]
        assert len(covered) == len(set(covered))


def _stands_below(rows: list[list[tuple[int, bool]]], number: int, position: int) -> bool:
    """Whether a cell of the row above has the same columns."""
    edges = [
        (sum(columns for columns, _ in spans[:at]), spans[at][0])
        for spans in rows[max(number - 1, 0) : number]
        for at in range(len(spans))
    ]
    return (sum(columns for columns, _ in rows[number][:position]), rows[number][position][0]) in edges


def _places_of(each: Cell) -> list[tuple[int, int]]:
    return [
        (each.row + down, each.column + right) for down in range(each.row_span) for right in range(each.column_span)
    ]
