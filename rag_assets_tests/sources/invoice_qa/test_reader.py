"""Q&A PDFs to Records: what a record says of itself, what is told, and the real books."""

import datetime
import difflib
import hashlib
import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.record_text import plain_text
from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.model import Block, Record, Table, TextBlock
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.invoice_qa.reader import read_document, records_of
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument
from rag_assets_tests.sources.invoice_qa.qa_pages import Book
from rag_assets_tests.sources.invoice_qa.test_questions import asked, small_book

SHA = "0" * 64


def document(**settings: object) -> InvoiceQaDocument:
    return InvoiceQaDocument.model_validate({"key": "book", "location": "book.pdf"} | settings)


def readings(book: Book, *, url: str | None = None, **settings: object) -> list[Reading]:
    return list(records_of(book.pages(), document(**settings), sha256=SHA, url=url))


def records(found: list[Reading]) -> list[Record]:
    return [reading for reading in found if isinstance(reading, Record)]


def findings(found: list[Reading]) -> list[Finding]:
    return [reading for reading in found if isinstance(reading, Finding)]


def test_a_record_says_whose_it_is_and_what_date_it_speaks_for() -> None:
    _, second, third = records(readings(small_book(), url="https://example.jp/book.pdf"))
    assert second.record_id == "invoice_qa/book/2"
    assert third.record_id == "invoice_qa/book/2-2"
    assert (third.number, third.label, third.title) == ("2-2", "問２－２", "渡す場所")
    assert second.document == "店の手引に関するＱ＆Ａ"
    assert second.question == "紙はいつ渡すのですか。"
    assert second.chapter == ("Ⅱ　紙の渡し方", "１　時期")
    assert second.as_of is not None
    assert second.as_of.label == "令和３年７月追加・令和４年４月改訂"
    assert second.as_of.date == datetime.date(2022, 4, 1)
    assert second.url == "https://example.jp/book.pdf"
    assert second.origin_sha256 == SHA
    assert second.attributes == {"page": 3}


def test_a_question_without_note_speaks_for_the_date_on_the_title_page() -> None:
    third = records(readings(small_book()))[2]
    assert third.as_of is not None
    assert (third.as_of.label, third.as_of.date) == ("令和６年４月改訂", datetime.date(2024, 4, 1))


def test_the_latest_of_several_dates_on_the_title_page_counts() -> None:
    book = (
        Book().line("手引", size=18).line("平成30年６月").line("（令和５年３月31日時点）").line("（令和４年４月改訂）")
    )
    [record] = records(readings(asked(book.new_page(), "問１")))
    assert record.as_of is not None
    assert (record.as_of.label, record.as_of.date) == ("令和５年３月31日時点", datetime.date(2023, 3, 31))


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("（令和６（2024）年４月１日改訂）", "令和６（2024）年４月１日改訂"),
        ("2024年（令和６年）４月改訂", "2024年（令和６年）４月改訂"),
        ("令和六年四月改訂", "令和六年四月改訂"),
        ("改訂　R6.4.1", "R6.4.1"),
    ],
)
def test_the_title_page_may_date_in_any_notation(line: str, label: str) -> None:
    [record] = records(readings(asked(Book().line("手引", size=18).line(line).line("みほん局").new_page(), "問１")))
    assert record.as_of is not None
    assert (record.as_of.label, record.as_of.date) == (label, datetime.date(2024, 4, 1))


@pytest.mark.parametrize(
    "note", ["令和６（2024）年４月改訂", "令和六年四月改訂", "R6-4-1追加", "令和3年7月追加、令和６年４月１日改訂"]
)
def test_a_note_of_revision_may_date_in_any_notation(note: str) -> None:
    [record] = records(readings(asked(Book(), "問１", words=f"　どうなりますか。【{note}】")))
    assert record.as_of is not None
    assert (record.as_of.label, record.as_of.date) == (note, datetime.date(2024, 4, 1))


def test_settings_go_before_what_the_document_says_but_not_before_a_questions_own_note() -> None:
    found = readings(
        small_book(), url="https://x.jp/a.pdf", document="手引", as_of="令和８年５月１日現在", link="https://x.jp/"
    )
    second = records(found)[1]
    assert second.document == "手引"
    assert second.as_of is not None
    assert second.as_of.date == datetime.date(2022, 4, 1)
    (undated,) = records(readings(asked(Book(), "問１"), as_of="令和８年５月１日現在"))
    assert undated.as_of is not None
    assert undated.as_of.date == datetime.date(2026, 5, 1)
    assert second.url == "https://x.jp/"
    assert second.remarks == {"改訂": "令和３年７月追加・令和４年４月改訂"}


def test_without_a_heading_the_questions_beginning_is_the_title() -> None:
    short, long = records(readings(asked(asked(Book(), "問１"), "問２", words="　" + "あ" * 80 + "。")))
    assert short.title == "どうなりますか。"
    assert long.title == "あ" * 59 + "…"
    assert long.question == "あ" * 80 + "。"


def test_a_document_without_a_title_page_is_named_by_its_key() -> None:
    [record] = records(readings(asked(Book(), "問１")))
    assert record.document == "book"


def test_a_number_that_stands_twice_is_told_with_both_pages() -> None:
    book = asked(asked(asked(Book(), "問１"), "問２").new_page(), "問２", says="ちがいます。")
    found = readings(book)
    assert [record.number for record in records(found)] == ["1", "2"]
    [finding] = findings(found)
    assert (finding.kind, finding.topic, finding.place) == ("fault", "number twice", "page 2")
    assert "page 1" in finding.message
    assert "restarts_by_chapter" in finding.message


def test_numbers_that_restart_get_their_chapter_before_them() -> None:
    book = asked(asked(Book().chapter("第１章　紙"), "問１"), "問２")
    found = readings(asked(book.chapter("第２章　電子"), "問１"), restarts_by_chapter=True)
    assert [record.record_id for record in records(found)] == [
        "invoice_qa/book/1.1",
        "invoice_qa/book/1.2",
        "invoice_qa/book/2.1",
    ]
    assert findings(found) == []


def test_an_answer_without_text_is_told() -> None:
    book = asked(Book().question("問１　図はどれですか。").line("【答】"), "問２")
    found = readings(book)
    assert [record.number for record in records(found)] == ["2"]
    assert [(finding.kind, finding.topic) for finding in findings(found)] == [("fault", "question without answer")]


def test_a_document_that_is_no_questions_and_answers_is_refused_with_what_to_set() -> None:
    with pytest.raises(
        DocumentError, match=r"book\.pdf: no question.* 2 lines \(the first on page 1\).* 0 with .*answer_marks"
    ):
        readings(
            Book().line("問１　紙は要りますか。").line("要ります。").line("問２　写しは要りますか。").line("要ります。")
        )


def test_a_pdf_is_read_from_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    write_pdf(path)
    with path.open("rb") as file:
        found = list(read_document(file, document(location=str(path)), sha256=SHA))
    assert findings(found) == []
    first, second = records(found)
    assert (first.label, first.title, first.question) == ("問１", "紙", "紙は要りますか。")
    assert plain_text(first) == "要ります。\n（参考）\n昔は要りませんでした。"
    assert first.sections[-1].headings == ("（参考）",)
    [table] = [block for section in second.sections for block in section.blocks if isinstance(block, Table)]
    assert [cell.text for cell in table.cells] == ["区分", "割合", "小売業", "80％"]


def write_pdf(path: Path) -> None:
    """Two pages with a footer, a box and a table."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    canvas = Canvas(str(path), pagesize=(595, 842))
    for number, lines in enumerate(
        (
            [
                "（紙）",
                "問１　紙は要りますか。",
                "【答】",
                "　要ります。",
                "",
                "　（参考）",
                "　昔は要りませんでした。",
            ],
            ["（割合）", "問２　割合はいくらですか。", "【答】", "　次のとおりです。"],
        ),
        start=1,
    ):
        canvas.setFont("HeiseiMin-W3", 11)
        for at, line in enumerate(lines):
            canvas.drawString(70, 770 - 20 * at, line)
        canvas.drawCentredString(297, 40, f"- {number} -")
        if number == 1:
            canvas.rect(70, 640, 450, 40)
        else:
            for row, cells in enumerate((["区分", "割合"], ["小売業", "80％"])):
                for column, cell in enumerate(cells):
                    canvas.rect(70 + 200 * column, 640 - 20 * row, 200, 20)
                    canvas.drawString(75 + 200 * column, 645 - 20 * row, cell)
        canvas.showPage()
    canvas.save()


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def differing(ours: str, gold: str) -> int:
    """Characters that two texts do not share, the larger count at every difference."""
    if ours == gold:
        return 0
    steps = difflib.SequenceMatcher(None, ours, gold, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in steps if tag != "equal")


def without_tables(record: Record) -> Record:
    """The record with no table's cells; a caption is a line of text to the gold, so it stays one."""
    sections = [
        section.model_copy(update={"blocks": tuple(filter(None, map(caption_only, section.blocks)))})
        for section in record.sections
    ]
    return record.model_copy(update={"sections": tuple(sections)})


def caption_only(block: Block) -> Block | None:
    if isinstance(block, TextBlock):
        return block
    return TextBlock(text=block.caption) if block.caption else None


@pytest.fixture(scope="module")
def invoice_book(realdata: Path) -> list[Reading]:
    path = realdata / "pdf/invoice_qa_rebuilt.pdf"
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    with path.open("rb") as file:
        return list(read_document(file, document(key="nta", location=path.name), sha256=sha))


@pytest.fixture(scope="module")
def gold(realdata: Path) -> dict[str, dict[str, str]]:
    lines = (realdata / "pdf/invoice_qa_gold.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["no"]: entry for entry in map(json.loads, lines)}


@pytest.mark.realdata
def test_the_invoice_books_questions_are_all_found_once_and_right(
    invoice_book: list[Reading], gold: dict[str, dict[str, str]]
) -> None:
    found = records(invoice_book)
    assert [(finding.kind, finding.topic, finding.place) for finding in findings(invoice_book)] == [
        ("note", "front matter", "page 1"),
        ("note", "table of contents", "pages 2-7"),
    ]
    assert [record.number for record in found] == list(gold)
    for record in found:
        truth = gold[record.number]
        assert record.label == truth["label"]
        assert squeezed(record.title) == squeezed(truth["heading"]), record.number
        assert squeezed(record.question) == squeezed(truth["question"]), record.number
        assert squeezed("".join(record.chapter)) == squeezed(truth["chapter"] + truth["section"]), record.number
        assert record.as_of is not None
        assert record.as_of.label == truth["revised"], record.number
        assert record.as_of.date is not None, record.number
        assert record.attributes["page"] == truth["page"], record.number


@pytest.mark.realdata
@pytest.mark.parametrize("field", ["answer", "answer_without_tables"])
def test_the_invoice_books_answers_equal_the_gold(
    invoice_book: list[Reading], gold: dict[str, dict[str, str]], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong: dict[str, int] = {}
    total = 0
    for record in records(invoice_book):
        shown = record if field == "answer" else without_tables(record)
        ours, truth = squeezed(plain_text(shown)), gold[record.number][field]
        total += len(truth)
        if differing(ours, truth):
            wrong[record.number] = differing(ours, truth)
    right = 1 - len(wrong) / len(gold)
    share = 1 - sum(wrong.values()) / total
    with capsys.disabled():
        sys.stdout.write(f"\n{field}: {right:.1%} of questions, {share:.3%} of characters equal; wrong: {wrong}\n")
    assert right >= 0.99
    assert sum(wrong.values()) <= total * 0.001


@pytest.mark.realdata
def test_the_invoice_books_tables_and_boxes_are_told_apart(
    invoice_book: list[Reading], gold: dict[str, dict[str, str]]
) -> None:
    for record in records(invoice_book):
        tables = [block for section in record.sections for block in section.blocks if isinstance(block, Table)]
        assert len(tables) == int(gold[record.number]["n_tables"]), record.number
        assert all(len(table.cells) > 1 for table in tables)


@pytest.mark.realdata
def test_no_chunk_of_the_invoice_book_has_a_footer_or_a_neighbours_heading(
    invoice_book: list[Reading], gold: dict[str, dict[str, str]]
) -> None:
    found = records(invoice_book)
    headings = {record.number: f"（{squeezed(record.title)}）" for record in found}
    for variant in VARIANTS:
        for chunk in prepare(found, variant, lambda _: Dictionary()):
            number = chunk.record_id.rsplit("/", 1)[1]
            lines = {squeezed(line) for line in chunk.body.splitlines()}
            assert not any(
                re.fullmatch(r"(?:-?|目次-?)[0-9０-９]+-?", unicodedata.normalize("NFKC", line)) for line in lines
            )
            body = squeezed(chunk.body)
            strange = [heading for other, heading in headings.items() if other != number and heading in body]
            assert [heading for heading in strange if heading not in gold[number]["answer"]] == [], number


@pytest.mark.realdata
def test_the_finance_ministrys_book_needs_no_settings(realdata: Path) -> None:
    path = realdata / "pdf/qa_futankeigen.pdf"
    with path.open("rb") as file:
        found = list(read_document(file, document(key="mof", location=path.name), sha256=SHA))
    assert [(finding.kind, finding.topic) for finding in findings(found)] == [
        ("note", "front matter"),
        ("note", "table of contents"),
    ]
    read = records(found)
    assert [record.number for record in read] == [str(number) for number in range(1, 22)]
    for record in read:
        assert record.as_of is not None
        assert record.as_of.date == datetime.date(2023, 3, 31)
        assert len(record.chapter) == 1
    pattern, chapter = "", ""
    for record in read:
        pattern += r"\d{0,2}"  # the page's number, where a page begins
        if record.chapter[0] != chapter:
            chapter = record.chapter[0]
            pattern += "○" + re.escape(unified(chapter))
        question = unified(f"問{record.number}．{record.question}（答）")
        pattern += re.escape(question) + re.escape(unified(plain_text(record)))
    whole = unified(text_as_pdfium_has_it(path))
    assert re.fullmatch(pattern, whole[whole.rindex("_") + 1 :].lstrip("0123456789"))


def unified(text: str) -> str:
    return squeezed(unicodedata.normalize("NFKC", text))


def text_as_pdfium_has_it(path: Path) -> str:
    """The text of all pages as the PDF's own order has it, read without any of this project's code."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()
