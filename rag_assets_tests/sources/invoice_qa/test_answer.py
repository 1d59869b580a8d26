"""An answer's lines as sections, items, notes, tables and boxes."""

from rag_assets.corpus.record_text import plain_text
from rag_assets.model import Cell, Record, Section, Table, TextBlock
from rag_assets.sources.invoice_qa.answer import answer_sections
from rag_assets.sources.invoice_qa.flow import FlowTable, read_flow
from rag_assets_tests.sources.invoice_qa.qa_pages import Book


def sections(book: Book) -> tuple[Section, ...]:
    return answer_sections(read_flow(book.pages()))


def outline(book: Book) -> list[tuple[tuple[str, ...], list[str]]]:
    return [
        (section.headings, [block.text if isinstance(block, TextBlock) else "（表）" for block in section.blocks])
        for section in sections(book)
    ]


def words(book: Book) -> str:
    record = Record(
        record_id="invoice_qa/book/1",
        source="invoice_qa",
        document="手引",
        number="1",
        label="問１",
        title="紙",
        origin_sha256="0" * 64,
        sections=sections(book),
    )
    return "".join(plain_text(record).split())


def blocks(book: Book) -> list[tuple[str, int, str]]:
    return [
        (block.kind, block.depth, block.text)
        for section in sections(book)
        for block in section.blocks
        if isinstance(block, TextBlock)
    ]


def test_numbered_parts_with_text_below_are_sections() -> None:
    book = (
        Book()
        .text("渡し方は二つあります。")
        .text("１　紙の場合", 0)
        .text("店で渡します。")
        .text("２　電子の場合", 0)
        .text("送ります。")
    )
    assert outline(book) == [
        ((), ["渡し方は二つあります。"]),
        (("１　紙の場合",), ["店で渡します。"]),
        (("２　電子の場合",), ["送ります。"]),
    ]


def test_a_numbered_heading_may_end_in_a_bracketed_remark() -> None:
    book = Book().text("１　紙の場合（写しを残した場合を除きます。）", 0).text("店で渡します。")
    assert outline(book) == [(("１　紙の場合（写しを残した場合を除きます。）",), ["店で渡します。"])]


def test_a_numbered_list_is_no_headings() -> None:
    book = Book().text("次の三つを書きます。").text("１　名前").text("２　日付").text("３　額").text("以上です。")
    assert blocks(book) == [
        ("paragraph", 0, "次の三つを書きます。"),
        ("item", 0, "１　名前"),
        ("item", 0, "２　日付"),
        ("item", 0, "３　額"),
        ("paragraph", 0, "以上です。"),
    ]


def test_numbered_notes_go_on_as_notes_and_head_nothing() -> None:
    book = Book().text("（注）１　紙に限ります。").text("２　電子の場合", 0).text("送ります。")
    assert blocks(book)[:2] == [("note", 0, "（注）１　紙に限ります。"), ("note", 1, "２　電子の場合")]


def test_items_have_the_depth_of_their_marks() -> None:
    book = (
        Book()
        .text("次のとおりです。")
        .text("①　紙")
        .text("イ　店の紙", 2)
        .text("ロ　客の紙", 2)
        .text("②　電子")
        .text("・　便り", 2)
    )
    assert [(kind, depth) for kind, depth, _ in blocks(book)] == [
        ("paragraph", 0),
        ("item", 0),
        ("item", 1),
        ("item", 1),
        ("item", 0),
        ("item", 1),
    ]


def test_lines_in_brackets_head_the_text_below_until_the_answer_comes_back_to_its_question() -> None:
    book = Book().text("【紙の場合】", 0).text("・　渡します。").text("【電子の場合】", 0).text("・　送ります。")
    book.text("したがって、どちらでも足ります。")
    assert outline(book) == [
        (("【紙の場合】",), ["・　渡します。"]),
        (("【電子の場合】",), ["・　送ります。"]),
        ((), ["したがって、どちらでも足ります。"]),
    ]


def test_a_labelled_box_is_a_section_in_its_place_and_no_table() -> None:
    book = Book().text("渡します。").box("（参考）", "昔は要りませんでした。").text("なお、写しを残します。")
    assert outline(book) == [
        ((), ["渡します。"]),
        (("（参考）",), ["昔は要りませんでした。"]),
        ((), ["なお、写しを残します。"]),
    ]
    assert words(book) == "渡します。（参考）昔は要りませんでした。なお、写しを残します。"


def test_a_box_over_the_page_is_one_section_with_its_paragraph_whole() -> None:
    book = Book().text("渡します。").box("【参考】", "あ" * 41).new_page().box("いいい。")
    assert outline(book)[-1] == (("【参考】",), ["あ" * 41 + "いいい。"])


def test_a_box_that_ends_a_numbered_part_stands_under_its_heading() -> None:
    book = (
        Book()
        .text("１　紙の場合", 0)
        .text("渡します。")
        .box("（参考）", "昔の話です。")
        .text("２　電子の場合", 0)
        .text("送ります。")
    )
    assert outline(book) == [
        (("１　紙の場合",), ["渡します。"]),
        (("１　紙の場合", "（参考）"), ["昔の話です。"]),
        (("２　電子の場合",), ["送ります。"]),
    ]


def test_a_box_inside_a_numbered_part_does_not_print_its_heading_again() -> None:
    book = Book().text("１　紙の場合", 0).text("渡します。").box("（参考）", "昔の話です。").text("写しを残します。")
    assert outline(book) == [(("１　紙の場合",), ["渡します。", "（参考）　昔の話です。", "写しを残します。"])]
    assert words(book) == "１紙の場合渡します。（参考）昔の話です。写しを残します。"


def test_a_box_without_a_label_is_text() -> None:
    assert outline(Book().text("渡します。").box("写しも残します。")) == [((), ["渡します。", "写しも残します。"])]


def test_a_box_label_alone_is_kept() -> None:
    assert words(Book().text("渡します。").box("（参考）")) == "渡します。（参考）"


def test_a_table_has_its_caption_and_column_headings() -> None:
    rows = [["区分", "割合"], ["小売業", "80％"]]
    [section] = sections(Book().text("次のとおりです。").text("○　割合の一覧", 0).grid(rows))
    table = section.blocks[1]
    assert isinstance(table, Table)
    assert table.caption == "○　割合の一覧"
    assert [cell.text for cell in table.cells if cell.heading] == ["区分", "割合"]


def test_names_over_two_rows_are_headings_and_lead_every_value() -> None:
    cells = (
        Cell(text="仕入れの時期", row=0, column=0, row_span=2),
        Cell(text="差し引ける割合", row=0, column=1, column_span=2),
        *(Cell(text=text, row=1, column=at) for at, text in ((1, "商品"), (2, "その他"))),
        *(Cell(text=text, row=2, column=at) for at, text in enumerate(("令和７年から", "90％", "70％"))),
    )
    [section] = answer_sections([FlowTable(1, cells)])
    [table] = section.blocks
    assert isinstance(table, Table)
    assert {cell.row for cell in table.cells if cell.heading} == {0, 1}


def test_a_sentence_above_a_table_is_no_caption() -> None:
    [section] = sections(Book().text("次のとおりです。").grid([["区分", "割合"], ["小売業", "80％"]]))
    assert isinstance(section.blocks[0], TextBlock)
    assert isinstance(section.blocks[1], Table)
    assert section.blocks[1].caption == ""


def test_a_form_drawn_as_a_grid_has_no_column_headings() -> None:
    for first in (
        ["請求書", "山田商店御中"],
        ["合計", "109,200円"],
        ["１", "紙"],
        ["区分", ""],
        ["紙", "紙"],
        ["①　紙", "②　電子"],
    ):
        [section] = sections(Book().text("【記載例】", 0).grid([first, ["茶", "110円"]]))
        [table] = section.blocks
        assert isinstance(table, Table)
        assert not any(cell.heading for cell in table.cells), first


def test_a_table_of_one_row_has_no_headings() -> None:
    [section] = sections(Book().grid([["紙", "電子"]]))
    [table] = section.blocks
    assert isinstance(table, Table)
    assert not any(cell.heading for cell in table.cells)


def test_paragraphs_of_a_cell_are_parted_by_a_blank() -> None:
    [section] = sections(Book().grid([["①　名前\n②　日付", "紙"]]))
    [table] = section.blocks
    assert isinstance(table, Table)
    assert table.cells[0].text == "①　名前　②　日付"


def test_tables_of_the_question_stand_first() -> None:
    shown = [item for item in read_flow(Book().grid([["茶", "110円"]]).pages()) if isinstance(item, FlowTable)]
    found = answer_sections(read_flow(Book().text("足ります。").pages()), shown)
    assert [section.blocks[0].kind for section in found] == ["table", "paragraph"]


def test_headings_upon_headings_lose_nothing() -> None:
    book = (
        Book().text("１　紙の場合", 0).text("【渡す時】", 0).text("すぐです。").text("【渡す場所】", 0).text("店です。")
    )
    assert words(book) == "１紙の場合【渡す時】すぐです。【渡す場所】店です。"


def test_an_answer_that_says_nothing_has_no_sections() -> None:
    assert answer_sections([]) == ()
