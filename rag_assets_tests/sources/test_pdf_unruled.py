from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rag_assets.corpus.table_text import readable_rows
from rag_assets.sources.pdf_pages import read_pages
from rag_assets_tests.sources.pay_tables import PayTable, Rules, read_amounts, tables_of
from rag_assets_tests.sources.pdf_maker import PdfMaker

WAYS: list[Rules] = ["full", "columns", "open", "frame", "bare frame", "key", "rows", "lines", "none", "open sides"]


@pytest.mark.parametrize("rules", WAYS)
@pytest.mark.parametrize("repeated", [True, False])
def test_every_amount_of_a_pay_table_has_its_grade_and_step(rules: Rules, repeated: bool) -> None:
    table = replace(PayTable(steps=(40, 40, 33, 25, 9)), rules=rules, repeated=repeated)
    assert read_amounts(tables_of(table.draw())) == table.amounts()


@pytest.mark.parametrize(
    "table",
    [
        PayTable(steps=(30, 25, 12), head="two", unit="row", rules="open", align="right"),
        PayTable(steps=(30, 25, 12, 9), head="spanning", unit="heading", rules="frame", width=52),
        PayTable(steps=(41, 33, 22), head="spanning", rules="frame", align="left", rows=30, shift=8, width=52),
        PayTable(steps=(44, 30, 9), head="diagonal", rules="columns", unit="row", repeated=False, shift=8),
        PayTable(steps=(44, 20), head="corner", rules="none", unit="each", latin=True, repeated=False),
        PayTable(steps=(44, 44, 44, 44, 44, 44, 12), rules="key", align="center", pitch=11, rows=44),
    ],
)
def test_headings_units_and_fewer_steps(table: PayTable) -> None:
    assert read_amounts(tables_of(table.draw())) == table.amounts()


@pytest.mark.parametrize("rules", ["full", "columns", "frame", "key", "none"])
@pytest.mark.parametrize("repeated", [True, False])
def test_blocks_side_by_side_are_read_one_after_the_other(rules: Rules, repeated: bool) -> None:
    table = replace(PayTable(steps=(44, 38), blocks=2, rows=12), rules=rules, repeated=repeated)
    assert read_amounts(tables_of(table.draw())) == table.amounts()


@settings(max_examples=25, deadline=None)
@given(
    table=st.builds(
        PayTable,
        steps=st.lists(st.integers(8, 40), min_size=2, max_size=7).map(lambda steps: tuple(sorted(steps)[::-1])),
        rules=st.sampled_from(WAYS),
        align=st.sampled_from(["right", "center", "left"]),
        head=st.sampled_from(["one", "two", "spanning", "corner", "diagonal"]),
        unit=st.sampled_from(["none", "row", "each", "heading"]),
        rows=st.sampled_from([12, 20, 40]),
        repeated=st.booleans(),
        latin=st.booleans(),
        shift=st.sampled_from([0.0, 8.0]),
        pitch=st.sampled_from([11.0, 14.0, 17.0]),
        width=st.sampled_from([52.0, 62.0]),
    )
)
def test_a_grid_reads_back_however_it_is_drawn(table: PayTable) -> None:
    # One or two rows that go on, of which cells are empty, show no columns where no rule does.
    assume(len(table.pages()[-1][-1]) > 2)
    assert read_amounts(tables_of(table.draw())) == table.amounts()


def test_the_unit_stands_in_the_heading_and_in_no_row() -> None:
    (table,) = tables_of(PayTable(steps=(5, 5), unit="row", rules="open").draw())
    rows = readable_rows(table)
    assert [row.text for row in rows][:1] == ["号給：1｜1級（円）：178,610｜2級（円）：216,310"]
    assert len(rows) == 5


def test_rows_that_are_not_quite_level_are_rows_and_spread_letters_are_words() -> None:
    maker = PdfMaker()
    maker.text(80, 40, "第１条　休日は次の表による。")
    maker.grid([100, 250, 370], [100, 130])
    maker.grid([100, 250, 370], [130, 230])
    for x, text in ((110, "一日の時間"), (260, "休日の数")):
        maker.text(x, 108, text)
    for row, (key, value) in enumerate(
        (("９　時　間", "１３１日"), ("８　時　間", "１０３日"), ("7時間30分", "９８日"))
    ):
        maker.text(140, 140 + 20 * row, key)
        maker.text(290, 137 + 21 * row, value)
    (table,) = tables_of(maker)
    assert [row.text for row in readable_rows(table)] == [
        "一日の時間：９時間｜休日の数：１３１日",
        "一日の時間：８時間｜休日の数：１０３日",
        "一日の時間：7時間30分｜休日の数：９８日",
    ]


def test_a_group_beside_unruled_rows_stands_in_every_row() -> None:
    maker = PdfMaker()
    maker.text(80, 40, "第１条　手当は次の表による。")
    maker.grid([80, 160, 240, 340], [100, 120, 200, 260])
    for x, text in ((90, "区分"), (170, "等級"), (250, "月額")):
        maker.text(x, 105, text)
    for group, top, steps in (("一般職", 130, (1, 2, 3)), ("技術職", 206, (1, 2))):
        maker.text(90, top + 20, group)
        for number in steps:
            maker.text(190, top + 18 * (number - 1), f"{number}")
            maker.text(270, top + 18 * (number - 1), f"{number}0,000円")
    (table,) = tables_of(maker)
    assert [row.text for row in readable_rows(table)] == [
        "区分：一般職｜等級：1｜月額：10,000円",
        "区分：一般職｜等級：2｜月額：20,000円",
        "区分：一般職｜等級：3｜月額：30,000円",
        "区分：技術職｜等級：1｜月額：10,000円",
        "区分：技術職｜等級：2｜月額：20,000円",
    ]


def test_figures_in_sentences_and_lists_are_no_table() -> None:
    maker = PdfMaker()
    texts = [
        "１　令和６年４月１日から施行する。",
        "２　第５条の額は 10,000 円とする。",
        "３　第６条の額は 20,000 円とする。",
    ]
    maker.lines(*texts, "電話 03-0000-0000　内線 123", "03-0000-0001", "03-0000-0002")
    (page,) = read_pages(maker.file(), name="x.pdf")
    assert page.tables == ()
