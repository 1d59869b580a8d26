from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rag_assets.corpus.table_text import readable_rows
from rag_assets.model import Table
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pay_tables import PayTable, Rules, blocks_read, is_told, read_amounts, tables_of
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker

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


DRAWN = {
    "steps": st.lists(st.integers(8, 40), min_size=2, max_size=7).map(lambda steps: tuple(sorted(steps)[::-1])),
    "rules": st.sampled_from(WAYS),
    "align": st.sampled_from(["right", "center", "left"]),
    "head": st.sampled_from(["one", "two", "spanning", "corner", "diagonal"]),
    "unit": st.sampled_from(["none", "row", "each", "heading"]),
    "rows": st.sampled_from([12, 20, 40]),
    "repeated": st.booleans(),
    "latin": st.booleans(),
    "shift": st.sampled_from([0.0, 8.0]),
    "pitch": st.sampled_from([11.0, 14.0, 17.0]),
    "width": st.sampled_from([52.0, 62.0]),
}


@settings(max_examples=25, deadline=None, derandomize=True)
@given(table=st.builds(PayTable, **DRAWN))
def test_a_grid_reads_back_however_it_is_drawn(table: PayTable) -> None:
    assert read_amounts(tables_of(table.draw())) == table.amounts()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    table=st.builds(
        PayTable,
        **DRAWN,
        grades=st.sampled_from(["half", "full", "bare", "bare full"]),
        names=st.sampled_from(["half", "full", "kanji", "suffixed", "years"]),
        twin=st.booleans(),
        thousands=st.booleans(),
        framed=st.booleans(),
    )
)
def test_what_cannot_be_read_for_sure_is_told(table: PayTable) -> None:
    assume(table.head not in ("one", "two") or not table.grades.startswith("bare"))
    blocks = blocks_read(table.draw())
    found = read_amounts([block for block in blocks if isinstance(block, Table)])
    assert found == table.amounts() or is_told(blocks)


@pytest.mark.parametrize(
    "table",
    [
        PayTable(steps=(8, 8), align="right", head="corner", rows=12, repeated=False, pitch=11, width=52),
        PayTable(steps=(38, 37), rules="bare frame", unit="row", rows=12, pitch=11, width=52),
        PayTable(steps=(25, 22), rules="key", align="center", head="diagonal", unit="heading", rows=12, width=52),
        PayTable(steps=(22, 14), rules="key", align="center", head="spanning", unit="heading", shift=8, pitch=11),
        PayTable(steps=(30, 25, 8), grades="full", names="kanji", rules="frame"),
        PayTable(steps=(30, 25, 8), names="years", rules="columns", unit="row"),
        PayTable(steps=(30, 25, 8), names="suffixed", rules="open", thousands=True, unit="row"),
        PayTable(steps=(23, 18, 8, 8, 8), head="spanning", align="center", unit="row", pitch=17, twin=True),
        PayTable(steps=(30, 20), twin=True, rules="full", unit="each"),
        PayTable(steps=(30, 20), blocks=2, rows=10, twin=True, rules="columns"),
        PayTable(steps=(30, 20), framed=True, rules="none", names="kanji"),
        PayTable(steps=(30, 20, 9), framed=True, rules="columns"),
        PayTable(steps=(9,), names="suffixed", rules="frame"),
        *(
            PayTable(steps=(30, 20, 9), head="spanning", grades="bare full", rules=rules)
            for rules in ("full", "columns", "frame", "none")
        ),
    ],
)
def test_names_of_grades_and_steps_as_documents_have_them(table: PayTable) -> None:
    blocks = blocks_read(table.draw())
    assert read_amounts([block for block in blocks if isinstance(block, Table)]) == table.amounts()
    assert not is_told(blocks)


def test_numbered_grades_are_named_with_the_heading_over_them() -> None:
    (table,) = tables_of(PayTable(steps=(5, 5), head="spanning", grades="bare full", rules="columns").draw())
    assert readable_rows(table)[0].text == "号給：1｜職務の級１：178,610｜職務の級２：216,310"


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
