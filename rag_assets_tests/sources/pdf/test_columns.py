"""Pages set in columns: each column read to its end, and what only looks like columns left alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.record_text import plain_text
from rag_assets.model import Record
from rag_assets.sources.invoice_qa.reader import records_of
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument
from rag_assets.sources.pdf.pages import PdfPage, read_pages
from rag_assets.sources.work_rules.reader import read_document
from rag_assets.sources.work_rules.source import WorkRulesDocument
from rag_assets_tests.conftest import REPOSITORY
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker

SHA = "0" * 64
LEFT, RIGHT, ROOM = 60.0, 310.0, 22
"""Left edges of two columns in points, and characters of a line."""
SENTENCE = "売った店が客に渡し、その写しを七年の間手元に残しておくこととされています"


def wrapped(text: str, room: int = ROOM) -> list[str]:
    return [text[at : at + room] for at in range(0, len(text), room)]


def question(number: int, answer: str) -> list[str]:
    return [f"（紙の話{number}）", f"問{number}\u3000紙{number}は要りますか。", "【答】", *wrapped(f"\u3000{answer}")]


def article(number: int) -> list[str]:
    return ["（紙の決まり）", *wrapped(f"第{wide(number)}条\u3000紙は、{SENTENCE}。")]


def wide(number: int) -> str:
    return "".join(chr(ord(digit) + 0xFEE0) for digit in str(number))


def in_columns(
    *columns: Sequence[str], edges: Sequence[float] = (LEFT, RIGHT), offset: float = 0.0, title: str = ""
) -> PdfMaker:
    maker = PdfMaker()
    if title:
        maker.text(150, 50, title, size=16)
    for number, (lines, x) in enumerate(zip(columns, edges, strict=True)):
        maker.lines(*lines, x=x, top=100 + number * offset, pitch=16)
    return maker


def read(maker: PdfMaker) -> list[PdfPage]:
    return list(read_pages(maker.file(), name="紙.pdf"))


def texts(pages: Sequence[PdfPage]) -> list[str]:
    return [line.text for page in pages for line in page.lines]


def records(maker: PdfMaker) -> list[Record]:
    settings = InvoiceQaDocument(key="book", location="紙.pdf")
    return [found for found in records_of(read(maker), settings, sha256=SHA) if isinstance(found, Record)]


@pytest.mark.parametrize("offset", [0.0, 5.0, 8.0])
def test_questions_in_two_columns_keep_their_own_answers(offset: float) -> None:
    answers = {number: f"紙{number}は、{SENTENCE}ので、要ります。" for number in range(1, 11)}
    sides = [
        [line for number in numbers for line in question(number, answers[number])]
        for numbers in (range(1, 6), range(6, 11))
    ]
    found = records(in_columns(*sides, offset=offset, title="紙に関するＱ＆Ａの全部の手引"))
    assert [record.title for record in found] == [f"紙の話{number}" for number in range(1, 11)]
    assert [plain_text(record) for record in found] == list(answers.values())
    assert found[0].document == "紙に関するＱ＆Ａの全部の手引"


def test_short_questions_in_two_columns_are_told_by_their_marks() -> None:
    sides = [
        [line for number in numbers for line in question(number, f"紙{number}は要ります。")]
        for numbers in (range(1, 6), range(6, 11))
    ]
    found = records(in_columns(*sides))
    assert [plain_text(record) for record in found] == [f"紙{number}は要ります。" for number in range(1, 11)]


def test_an_answer_goes_on_from_the_foot_of_a_column_to_the_head_of_the_next() -> None:
    lines = [line for number in range(1, 9) for line in question(number, f"紙{number}は、{SENTENCE}。")]
    half = len(lines) // 2 + 1
    found = records(in_columns(lines[:half], lines[half:]))
    assert [plain_text(record) for record in found] == [f"紙{number}は、{SENTENCE}。" for number in range(1, 9)]


def test_rules_in_two_columns_keep_their_own_articles() -> None:
    sides = [[line for number in numbers for line in article(number)] for numbers in (range(1, 6), range(6, 11))]
    file = in_columns(*sides, title="紙の取扱いについての規則").file()
    found = list(read_document(file, WorkRulesDocument(key="rules", location="規則.pdf"), sha256=SHA))
    articles = [one for one in found if isinstance(one, Record) and one.attributes["unit"] == "article"]
    assert [one.number for one in articles] == [str(number) for number in range(1, 11)]
    assert [plain_text(one).split("\u3000")[-1] for one in articles] == [f"紙は、{SENTENCE}。"] * 10


def test_text_above_and_below_columns_is_read_before_and_after_them() -> None:
    above, below = "あ" * 45, "い" * 45
    maker = in_columns(wrapped("左" * ROOM * 9), wrapped("右" * ROOM * 9))
    maker.lines(above, x=LEFT, top=70)
    maker.lines(below, x=LEFT, top=300)
    assert texts(read(maker)) == [above, *["左" * ROOM] * 9, *["右" * ROOM] * 9, below]


def test_columns_go_on_below_a_line_across_them() -> None:
    maker = in_columns(wrapped("左" * ROOM * 7), wrapped("右" * ROOM * 7))
    maker.lines("題" * 45, x=LEFT, top=230)
    for x, words in ((LEFT, "西"), (RIGHT, "東")):
        maker.lines(*[words * ROOM] * 7, x=x, top=260, pitch=16)
    found = [text[0] for text in texts(read(maker))]
    assert found == [*"左" * 7, *"右" * 7, "題", *"西" * 7, *"東" * 7]


def test_three_columns() -> None:
    maker = in_columns(*(wrapped(word * 13 * 9, 13) for word in "左中右"), edges=(60, 215, 370))
    pages = read(maker)
    assert [text[0] for text in texts(pages)] == [*"左" * 9, *"中" * 9, *"右" * 9]
    assert {page.number for page in pages} == {1}
    assert {line.x0 for page in pages for line in page.lines} == {60}


def test_a_table_stays_in_its_column() -> None:
    maker = in_columns(wrapped("左" * ROOM * 8), wrapped("右" * ROOM * 8))
    maker.grid([LEFT, LEFT + 90, LEFT + 180], [240, 260, 280])
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        maker.text(LEFT + 4 + 90 * column, 244 + 20 * row, f"欄{row}{column}")
    maker.lines(*["下" * ROOM] * 3, x=LEFT, top=290, pitch=16)
    maker.lines(*["又" * ROOM] * 8, x=RIGHT, top=230, pitch=16)
    left, right = read(maker)
    assert [table.cells[0].text for table in left.tables] == ["欄00"]
    assert right.tables == ()
    assert {line.text[0] for line in left.lines} == {"左", "下"}


def test_headers_and_page_numbers_of_columns_are_left_out() -> None:
    maker = PdfMaker()
    for number in range(1, 5):
        if number > 1:
            maker.page_break()
        maker.text(LEFT, 40, "紙の手引", size=8)
        maker.text(500, 40, f"{number}", size=8)
        for x, word in ((LEFT, "左"), (RIGHT, "右")):
            maker.lines(*(word + "あいうえお"[(row + 1) * number % 5] * (ROOM - 1) for row in range(20)), x=x, pitch=16)
        maker.text(290, 790, f"- {number} -")
    pages = read(maker)
    assert [page.number for page in pages] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert {text[0] for text in texts(pages)} == {"左", "右"}


@pytest.mark.parametrize(
    ("left", "right", "edge"),
    [
        (["紙の大きさ", "紙の重さと厚さ", "色", "作った店の名前", "値段", "期限"], ["右" * 20] * 6, 200.0),
        (["紙" * length for length in (15, 8, 12, 6, 18, 7)], ["色" * length for length in (9, 3, 12, 6, 4, 5)], RIGHT),
        (["紙の代金として払うもののうち次の" + "店" * 6] * 6, [f"{amount}円" for amount in range(100, 106)], 400.0),
        ([f"{number}\u3000{'紙' * 20}" for number in range(6)], ["右" * ROOM] * 5 + [""], RIGHT),
    ],
)
def test_lists_and_unruled_tables_are_no_columns(left: list[str], right: list[str], edge: float) -> None:
    pages = read(in_columns(left, right, edges=(LEFT, edge)))
    assert len(pages) == 1
    assert len(pages[0].lines) == 6


def test_one_column_with_wide_blanks_is_one() -> None:
    lines = ["紙" * 20 + "\u3000" * 3 + "箱" * 20] * 4 + ["紙" * 43] * 8
    assert len(read(in_columns(lines, edges=(LEFT,)))) == 1


@given(
    st.integers(6, 30),
    st.integers(6, 30),
    st.sampled_from([0.0, 3.0, 7.0]),
    st.sampled_from([290.0, 310.0, 330.0]),
)
def test_columns_lose_and_mix_nothing(left: int, right: int, offset: float, edge: float) -> None:
    sides = (
        [f"左{number:02}" + "あ" * 19 for number in range(left)],
        [f"右{number:02}" + "い" * 19 for number in range(right)],
    )
    assert texts(read(in_columns(*sides, edges=(LEFT, edge), offset=offset))) == [*sides[0], *sides[1]]


@pytest.mark.realdata
def test_real_documents_of_one_column_have_no_others(realdata: Path) -> None:
    for path in sorted((realdata / "pdf").glob("*.pdf")):
        with path.open("rb") as file:
            found = [page.number for page in read_pages(file)]
        assert found == list(range(1, len(found) + 1)), path.name


def test_the_sample_documents_have_one_column() -> None:
    for path in sorted((REPOSITORY / "rag_assets/sample/documents").glob("*.pdf")):
        with path.open("rb") as file:
            found = [page.number for page in read_pages(file)]
        assert found == list(range(1, len(found) + 1)), path.name
