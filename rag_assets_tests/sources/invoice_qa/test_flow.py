"""Lines, tables and boxes of several pages as one flow."""

from rag_assets.sources.invoice_qa.flow import PAGE, FlowLine, FlowTable, read_flow
from rag_assets_tests.sources.invoice_qa.qa_pages import Book


def test_boxes_stand_opened_among_the_lines_in_their_place() -> None:
    flow = read_flow(Book().text("前の段落です。").box("（参考）", "枠の中です。").text("後の段落です。").pages())
    assert [(item.text, item.frame) for item in flow if isinstance(item, FlowLine)] == [
        ("前の段落です。", PAGE),
        ("（参考）", 1),
        ("枠の中です。", 1),
        ("後の段落です。", PAGE),
    ]


def test_a_box_that_goes_on_over_the_page_is_one_frame() -> None:
    flow = read_flow(Book().box("（参考）", "枠の中です。").new_page().box("その続きです。").pages())
    assert {item.frame for item in flow} == {1}


def test_a_labelled_box_at_the_head_of_a_page_is_a_box_of_its_own() -> None:
    flow = read_flow(Book().box("（参考１）", "ひとつめ。").new_page().box("（参考２）", "ふたつめ。").pages())
    assert [item.frame for item in flow] == [1, 1, 2, 2]


def test_text_between_two_boxes_parts_them() -> None:
    flow = read_flow(Book().box("上の枠。").new_page().text("本文。").box("下の枠。").pages())
    assert [item.frame for item in flow] == [1, PAGE, 2]


def test_a_table_over_the_page_is_one_and_its_repeated_heading_row_stands_once() -> None:
    book = Book().grid([["区分", "割合"], ["小売業", "80％"]]).new_page().grid([["区分", "割合"], ["卸売業", "90％"]])
    [table] = read_flow(book.pages())
    assert isinstance(table, FlowTable)
    assert [(cell.row, cell.text) for cell in table.cells] == [
        (0, "区分"),
        (0, "割合"),
        (1, "小売業"),
        (1, "80％"),
        (2, "卸売業"),
        (2, "90％"),
    ]
    assert table.page == 1


def test_a_table_over_three_pages_is_one() -> None:
    book = Book().grid([["一", "二"]]).new_page().grid([["三", "四"]]).new_page().grid([["五", "六"]])
    [table] = read_flow(book.pages())
    assert isinstance(table, FlowTable)
    assert "".join(cell.text for cell in table.cells) == "一二三四五六"


def test_a_table_of_other_columns_is_another_table() -> None:
    book = Book().grid([["一", "二"]]).new_page().grid([["三", "四", "五"]])
    assert len(read_flow(book.pages())) == 2
