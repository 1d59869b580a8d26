import pytest
from hypothesis import given

from rag_assets.corpus.record_text import BACK_TO_TEXT, lines_of, plain_text, record_text, section_title
from rag_assets.model import Part, Record, Section, Table, TextBlock
from rag_assets_tests.strategies import record, records, section, table


def test_lines_in_reading_order() -> None:
    of = record(
        [
            section("概要", "本文です。", TextBlock(kind="item", text="項目", depth=1)),
            section(("手続き", "申告先等"), table("区分｜税率", "甲｜1%", caption="税率表")),
        ]
    )
    assert [(line.kind, line.text, line.section) for line in lines_of(of)] == [
        ("heading", "【概要】", 0),
        ("text", "本文です。", 0),
        ("text", "　項目", 0),
        ("heading", "【手続き＞申告先等】", 1),
        ("caption", "（表）税率表", 1),
        ("row", "区分：甲｜税率：1%", 1),
    ]


def test_a_section_without_heading_has_no_heading_line() -> None:
    assert record_text(record([Section(headings=(), blocks=(TextBlock(text="本文です。"),))])) == "本文です。"
    assert section_title(()) == ""


@pytest.mark.parametrize(
    ("headings", "title"),
    [
        (("【参考】",), "【参考】"),
        (("３　要件", "［参考］"), "【３　要件＞参考】"),
        (("「開業の届出書」",), "【「開業の届出書」】"),
        (("（参考）",), "【（参考）】"),
        (("《計算例》",), "【計算例】"),
        (("［例１］と［例２］",), "【［例１］と［例２］】"),
        (("要件（参考）",), "【要件（参考）】"),
    ],
)
def test_brackets_around_a_heading_are_not_doubled(headings: tuple[str, ...], title: str) -> None:
    assert section_title(headings) == title


def test_text_after_a_box_says_that_it_is_the_text_again() -> None:
    of = record([section((), "甲。"), section("参考", "乙。"), section((), "丙。"), section((), "丁。")])
    assert record_text(of).split("\n") == ["甲。", "【参考】", "乙。", BACK_TO_TEXT, "丙。", "丁。"]
    assert plain_text(of).split("\n") == ["甲。", "参考", "乙。", "丙。", "丁。"]


def test_another_part_does_not_go_on_with_the_text() -> None:
    rule, history = Part(name="rule"), Part(name="history", numbered=True)
    of = record(
        [
            section("例１", "甲。").model_copy(update={"part": rule}),
            section((), "乙。").model_copy(update={"part": history}),
        ]
    )
    assert record_text(of).split("\n") == ["【例１】", "甲。", "乙。"]


def test_plain_text_says_a_heading_once_and_a_table_as_the_page_does() -> None:
    of = record(
        [
            section("手続き", "甲。"),
            section(("手続き", "申告先等"), "乙。", table("区分｜税率", "甲｜1%", caption="税率表")),
            section(("手続き", "申告の期限"), "丙。"),
        ]
    )
    assert plain_text(of).split("\n") == [
        *("手続き", "甲。", "申告先等", "乙。", "税率表", "区分 税率", "甲 1%", "申告の期限", "丙。"),
    ]


def test_plain_text_repeats_a_heading_that_stands_twice() -> None:
    assert plain_text(record([section("例", "甲。"), section("例", "乙。")])).split("\n") == [
        "例",
        "甲。",
        "例",
        "乙。",
    ]


@given(records())
def test_record_text_is_its_lines(of: Record) -> None:
    found = lines_of(of)
    assert record_text(of) == "\n".join(line.text for line in found)
    assert [line.section for line in found] == sorted(line.section for line in found)


@given(records())
def test_both_texts_hold_every_word(of: Record) -> None:
    readable, plain = record_text(of), plain_text(of)
    for found in of.sections:
        for heading in found.headings:
            assert heading in readable
            assert heading in plain
        for block in found.blocks:
            texts = [cell.text for cell in block.cells] if isinstance(block, Table) else [block.text]
            assert all(text in readable and text in plain for text in texts)
