"""Paragraphs: soft line breaks joined, others kept."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.pdf.lines import PdfLine
from rag_assets.sources.pdf.paragraphs import joined_text, joined_words, paragraphs

EM, WIDTH = 10.0, 20
"""Size of the type, and characters of a full line."""
MARGIN = 80.0


def line(
    text: str, row: float, indent: float = 0.0, size: float = EM, page: int = 1, width: float | None = None
) -> PdfLine:
    x0 = MARGIN + indent * EM
    length = size * sum(0.5 if character.isascii() else 1.0 for character in text) if width is None else width
    bottom = 100 + row * 18.0
    return PdfLine(page, text, x0, x0 + length, bottom - size, bottom, size, "font")


def texts(*lines: PdfLine, right: float | None = MARGIN + WIDTH * EM) -> list[str]:
    return [joined_text(paragraph) for paragraph in paragraphs(lines, left=MARGIN, right=right)]


def wrapped(text: str, row: int, first: int = 1, further: int = 0) -> list[PdfLine]:
    """A paragraph as a typesetter breaks it, first line and further lines indented by so many characters."""
    lines = [line(text[: WIDTH - first], row, first)]
    rest, step = text[WIDTH - first :], WIDTH - further
    return lines + [line(rest[at : at + step], row + 1 + at // step, further) for at in range(0, len(rest), step)]


LONG = "この規程は、従業員の出張に関する手続と旅費の支給の基準について、必要な事項を定めるものである。"


@pytest.mark.parametrize(("first", "further"), [(1, 0), (0, 0), (0, 1), (2, 3)])
def test_a_wrapped_paragraph_is_one_whatever_its_indents(first: int, further: int) -> None:
    text = ("②\u3000" if further > first else "") + LONG
    assert texts(*wrapped(text, 0, first, further)) == [text]


def test_paragraphs_that_begin_indented_stay_apart() -> None:
    second = "前項の規程は、臨時の従業員には適用しないものとし、その旅費については別に定めるところによる。"
    lines = wrapped(LONG, 0)
    assert texts(*lines, *wrapped(second, len(lines))) == [LONG, second]


def test_a_full_last_line_does_not_draw_the_next_paragraph_in() -> None:
    full = "あ" * (WIDTH - 2) + "。"
    assert texts(line(full, 0, 1), line("いいいいいいいいいい。", 1, 1)) == [full, "いいいいいいいいいい。"]


def test_items_stay_apart() -> None:
    items = ["①\u3000氏名", "②\u3000住所、", "③\u3000電話の番号"]
    assert texts(*(line(item, row, 1) for row, item in enumerate(items))) == items


@pytest.mark.parametrize(("one", "two"), [("１）", "２）"), ("1)", "2)"), ("１．", "２．"), ("（１）", "（２）")])
def test_a_counted_paragraph_below_a_full_line_stays_apart(one: str, two: str) -> None:
    full = one + "あ" * (WIDTH - len(one) - 1) + "。"
    assert texts(line(full, 0), line(f"{two}いいいい。", 1)) == [full, f"{two}いいいい。"]


def test_an_item_that_fills_its_line_ends_before_the_next_item() -> None:
    first = "⑴\u3000" + "あ" * (WIDTH - 4) + "。"
    assert texts(line(first, 0, 1), line("⑵\u3000いいい", 1, 1)) == [first, "⑵\u3000いいい"]


def test_a_numbered_heading_below_a_long_title_is_its_own() -> None:
    title = "「" + "あ" * (WIDTH - 3) + "」"
    assert texts(line(title, 0, 1), line("１．\u3000目的", 1, 1)) == [title, "１．\u3000目的"]


def test_a_number_that_a_line_happens_to_begin_with_does_not_part_a_sentence() -> None:
    first, second = "あ" * (WIDTH - 3) + "次の", "①及び②の場合に限る。"
    assert texts(line(first, 0, 1), line(second, 1)) == [first + second]


def test_a_mark_that_may_not_begin_a_line_takes_its_neighbour_along() -> None:
    # The line lacks a character because 「る。」 had to stay together.
    first, second = "あ" * (WIDTH - 2), "る。その他の事項は別に定める。"
    assert texts(line(first, 0, 1), line(second, 1)) == [first + second]


def test_a_break_set_by_hand_inside_a_sentence_is_joined_at_the_margin() -> None:
    assert texts(line("この場合の手続は、", 0, 1), line("第七条の定めるところによる。", 1)) == [
        "この場合の手続は、第七条の定めるところによる。"
    ]


def test_a_heading_of_another_size_and_a_gap_part() -> None:
    heading = line("あ" * 14, 0, size=14)
    assert texts(heading, line("本文である。", 1)) == ["あ" * 14, "本文である。"]
    before, after = line("あ" * WIDTH, 0), line("い" * WIDTH, 1)
    far = replace(line("う" * WIDTH, 2), top=200.0, bottom=210.0)
    assert texts(before, after, far) == ["あ" * WIDTH + "い" * WIDTH, "う" * WIDTH]


def test_a_paragraph_goes_on_over_the_page() -> None:
    lines = wrapped(LONG, 0)
    over = [replace(other, page=2) for other in lines[1:]]
    assert texts(lines[0], *over) == [LONG]


def test_latin_words_get_their_blank_back_and_japanese_none() -> None:
    first = line("Retrieval of the knowledge", 0, width=WIDTH * EM - 10)
    assert joined_text([first, line("base", 1)]) == "Retrieval of the knowledge base"
    assert joined_text([line("年１", 0), line("回", 1)]) == "年１回"
    assert joined_text([line("Excel", 0), line("を使う", 1)]) == "Excelを使う"


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("登録を", "受けた", "登録を受けた"),
        ("the first", "second", "the first second"),
        ("Windows", "11を使う", "Windows 11を使う"),
        ("No. 5, the", "sixth", "No. 5, the sixth"),
        ("first,", "second", "first, second"),
        ("10", "20", "10 20"),
        ("価格は1,", "000円", "価格は1,000円"),
        ("Beyoncé", "études", "Beyoncé études"),
        ("詳しくはhttps://example.jp/invo", "ice.html", "詳しくはhttps://example.jp/invoice.html"),
        ("https://example.jp/を参照 the", "page", "https://example.jp/を参照 the page"),
        ("月額", "5万円", "月額5万円"),
        ("", "5万円", "5万円"),
    ],
)
def test_what_a_line_break_between_two_texts_stands_for(before: str, after: str, whole: str) -> None:
    assert joined_words(before, after) == whole


def test_no_lines_make_no_paragraph() -> None:
    assert paragraphs([]) == []


@given(
    st.lists(
        st.tuples(st.text("あいう。、①A1（）", min_size=1, max_size=24), st.sampled_from([0.0, 1.0, 2.0, 5.0])),
        max_size=12,
    )
)
def test_no_line_is_lost_doubled_or_moved(rows: list[tuple[str, float]]) -> None:
    lines = [line(text, row, indent) for row, (text, indent) in enumerate(rows)]
    grouped = paragraphs(lines)
    assert [member for group in grouped for member in group] == lines
    assert "".join(map(joined_text, grouped)).replace(" ", "") == "".join(text for text, _ in rows)
