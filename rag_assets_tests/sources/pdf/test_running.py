"""Running headers, footers and page numbers: gone where they are some, and never a line of text."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import LEFT, TOP, PdfMaker

HEADER_TOP, FOOTER_TOP = 50.0, 790.0
BODY_LINES = 36
KANA = "いろはにほへとちりぬるをわかよたれそつねならむうゐのおくやまけふこえてあさきゆめみしゑひもせす"

Furnish = Callable[[PdfMaker, int], None]
"""Puts the furniture on page number so and so, from 1."""


def document(pages: int, furnish: Furnish, body_lines: int = BODY_LINES, first: int = 1) -> PdfMaker:
    maker = PdfMaker()
    for number in range(first, first + pages):
        if number > first:
            maker.page_break()
        maker.lines(*(f"{words(number, line)}について定める。" for line in range(body_lines)))
        furnish(maker, number)
    return maker


def words(page: int, line: int) -> str:
    """Different on every line of every page, in letters: figures alone would count."""
    return "".join(KANA[(page * 5 + line * 7 + position * (page + line + 1)) % len(KANA)] for position in range(12))


def body(maker: PdfMaker) -> list[list[str]]:
    return [[line.text for line in page.lines] for page in read_pages(maker.file(), tables=True)]


def expected(pages: int, body_lines: int = BODY_LINES, first: int = 1) -> list[list[str]]:
    return [
        [f"{words(page, line)}について定める。" for line in range(body_lines)] for page in range(first, first + pages)
    ]


@pytest.mark.parametrize(
    "shown",
    [
        lambda n: f"- {n} -",
        lambda n: f"{n}",
        lambda n: f"{n}".translate({48 + d: 0xFF10 + d for d in range(10)}),
        lambda n: f"目次－{n}",
        lambda n: f"{n}／12",
        lambda n: f"第{n}頁",
        lambda n: f"{n} ページ",
        lambda n: f"P.{n}",
        lambda n: f"— {n} / 120 —",
        lambda n: ("i", "ii", "iii", "iv", "v", "vi")[n - 1],
        lambda n: f"３－{n}",
    ],
)
@pytest.mark.parametrize("top", [HEADER_TOP, FOOTER_TOP])
@pytest.mark.parametrize("pages", [2, 6])
def test_page_numbers_go_whatever_they_look_like(shown: Callable[[int], str], top: float, pages: int) -> None:
    maker = document(pages, lambda maker, n: maker.text(290 - 3 * len(shown(n)), top, shown(n)))
    assert body(maker) == expected(pages)


def test_numbers_may_begin_again_and_stand_at_alternating_sides() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        printed = number if number <= 4 else number - 4
        maker.text(60 if number % 2 else 500, FOOTER_TOP, str(printed))

    assert body(document(12, furnish)) == expected(12)


def test_headers_of_chapters_and_of_odd_and_even_pages_go() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        chapter = "第一章 総則" if number <= 6 else "第二章 手続"
        if number % 2:
            maker.text(300, HEADER_TOP, chapter, size=8)
            maker.text(500, HEADER_TOP, str(number), size=8)
        else:
            maker.text(60, HEADER_TOP, str(number), size=8)
            maker.text(100, HEADER_TOP, "就業のしおり", size=8)

    assert body(document(12, furnish)) == expected(12)


def test_two_lines_of_header_and_a_number_below_go_together() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        maker.text(LEFT, 40, "人事部の手引", size=8)
        maker.text(LEFT, 52, "取扱注意", size=8)
        maker.text(290, FOOTER_TOP, f"- {number} -")

    assert body(document(5, furnish)) == expected(5)


def test_what_only_the_first_page_lacks_goes_from_the_others() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        if number > 1:
            maker.text(290, FOOTER_TOP, str(number))

    assert body(document(4, furnish)) == expected(4)


def test_one_page_keeps_everything() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        maker.text(LEFT, HEADER_TOP, "届出書")
        maker.text(290, FOOTER_TOP, str(number))

    assert body(document(1, furnish)) == [["届出書", *expected(1)[0], "1"]]


def test_two_pages_that_begin_with_one_title_keep_it() -> None:
    maker = document(2, lambda maker, _: maker.text(LEFT, HEADER_TOP, "申請書（記入の例）"))
    assert [page[0] for page in body(maker)] == ["申請書（記入の例）"] * 2


def test_headings_that_count_page_by_page_are_text() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        maker.text(LEFT, HEADER_TOP, f"様式第{number}号")

    assert [page[0] for page in body(document(5, furnish))] == [f"様式第{n}号" for n in range(1, 6)]


def test_large_headings_that_repeat_are_text() -> None:
    maker = document(4, lambda maker, _: maker.text(200, HEADER_TOP, "届出書の様式", size=16))
    assert [page[0] for page in body(maker)] == ["届出書の様式"] * 4


def test_the_heading_row_of_an_unruled_list_on_every_page_is_text() -> None:
    maker = document(5, lambda maker, _: maker.text(LEFT, TOP - 18, "番号\u3000名称\u3000金額"))
    assert [page[0] for page in body(maker)] == ["番号\u3000名称\u3000金額"] * 5


def test_the_heading_row_of_a_ruled_table_on_every_page_stays_in_the_table() -> None:
    maker = PdfMaker()
    for number in range(1, 5):
        if number > 1:
            maker.page_break()
        maker.grid([80, 200, 400], [45, 65, 85, 105])
        for row, cells in enumerate([("品目", "限度の額"), (words(number, 1), "一円"), (words(number, 2), "二円")]):
            maker.text(85, 50 + 20 * row, cells[0])
            maker.text(205, 50 + 20 * row, cells[1])
        maker.text(290, FOOTER_TOP, f"- {number} -")
    pages = list(read_pages(maker.file()))
    assert [page.tables[0].cells[0].text for page in pages] == ["品目"] * 4
    assert all(page.lines == () for page in pages)


def test_a_last_line_of_text_at_the_same_place_on_every_page_stays() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        maker.text(290, FOOTER_TOP, str(number))
        if number in (2, 4, 6, 8):
            maker.text(LEFT, TOP + BODY_LINES * 18, "（次のページに続く）")
        else:
            maker.text(LEFT, TOP + BODY_LINES * 18, f"{words(number, 99)}である。")

    read = body(document(8, furnish))
    assert [page[-1] for page in read][1::2] == ["（次のページに続く）"] * 4
    assert [page[-1] for page in read][::2] == [f"{words(n, 99)}である。" for n in (1, 3, 5, 7)]


def test_bare_numbers_that_are_text_stay_beside_page_numbers() -> None:
    def furnish(maker: PdfMaker, number: int) -> None:
        maker.text(290, FOOTER_TOP, f"- {number} -")
        maker.text(LEFT, TOP + BODY_LINES * 18, str(number * number + 40))

    assert [page[-1] for page in body(document(6, furnish))] == [str(n * n + 40) for n in range(1, 7)]


@given(
    pages=st.integers(1, 7),
    body_lines=st.integers(0, 36),
    shown=st.sampled_from(["- {} -", "{}", "{}／9", "第{}頁"]),
    first=st.integers(1, 200),
    top=st.sampled_from([HEADER_TOP, FOOTER_TOP]),
)
def test_text_never_goes_with_the_numbers(pages: int, body_lines: int, shown: str, first: int, top: float) -> None:
    maker = document(pages, lambda maker, n: maker.text(290, top, shown.format(n)), body_lines, first)
    read = body(maker)
    assert [[text for text in page if "について" in text] for page in read] == expected(pages, body_lines, first)
    if pages > 1:
        assert read == expected(pages, body_lines, first)
