"""Booklets as people write them, as PDFs: every question once, question and answer as they were set."""

import io
import re
from collections.abc import Sequence

import pytest

from rag_assets.corpus.record_text import plain_text
from rag_assets.model import Record
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.invoice_qa.reader import read_document
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument
from rag_assets_tests.sources.pdf.pdf_maker import LEFT, PITCH, TOP, PdfMaker

SET = (
    ("鍵は、どこで借りますか。", "鍵は、二階の窓口で借りられます。使い終わったら、その日のうちに返してください。"),
    (
        "A社の車は、裏門を使えますか。",
        "A社は登録があるので、使えます。詳しくはQ1を見てください。\nA 氏の車は表門です。",
    ),
    (
        "答申の写しは、もらえますか。",
        "答申の写しは、総務課にあります。\n回答期限：申込みから五日です。\n答申は三月に出ます。",
    ),
    (
        "休日に出るときは、どう申し込みますか。",
        "前の日までに申し出ます。なお、Q2参照のこと。用紙は、\n問１の用紙と同じです。",
    ),
    ("紙が足りないときは、どうしますか。", "10時までなら、倉庫の棚の三段目から取ってください。"),
)
_FULL = str.maketrans("0123456789", "０１２３４５６７８９")
_LINE = 34
_BOTTOM = 760.0


def booklet(question: str, answer: str, *, below: bool = False, one_line: bool = False) -> io.BytesIO:
    """The questions with these marks, `{n}` and full-width `{z}` being the number, `{b}` a branch number from 1-1."""
    maker = PdfMaker()
    maker.text(LEFT, TOP - 40, "総務の手引", size=16)
    y = TOP
    for number, (asks, says) in enumerate(SET, start=1):
        branch = f"{(number + 2) // 3}-{(number - 1) % 3 + 1}"
        asked, told = (mark.format(n=number, z=str(number).translate(_FULL), b=branch) for mark in (question, answer))
        if one_line:
            paragraphs = [f"{asked}{asks}{told}{says}"]
        else:
            paragraphs = [asked + asks, *([told, says] if below else [told + says])]
        for line in _lines("\n".join(paragraphs)):
            if y > _BOTTOM:
                maker.page_break()
                y = TOP
            maker.text(LEFT, y, line)
            y += PITCH
        y += PITCH / 2
    return maker.file()


def _lines(text: str) -> list[str]:
    return re.findall(rf".{{1,{_LINE}}}[、。]?", text)


def _read(pdf: io.BytesIO) -> tuple[list[Record], list[Finding]]:
    found = list(read_document(pdf, InvoiceQaDocument(key="b", location="b.pdf"), sha256="0" * 64))
    records = [reading for reading in found if isinstance(reading, Record)]
    return records, [reading for reading in found if isinstance(reading, Finding) and reading.kind == "fault"]


def _plain(text: str) -> str:
    return re.sub(r"\s", "", text)


def _assert_right(pdf: io.BytesIO) -> None:
    records, faults = _read(pdf)
    assert faults == []
    expected = [(_plain(asks), _plain(says)) for asks, says in SET]
    assert [(_plain(record.question), _plain(plain_text(record))) for record in records] == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Q{n} ", "A "),
        ("Q{n} ", "A{n} "),
        ("Q{n}. ", "A{n}. "),
        ("Ｑ{z}　", "Ａ　"),
        ("Ｑ{z}．", "Ａ{z}．"),
        ("Ｑ{z}：", "Ａ："),
        ("Q{b} ", "A{b} "),
        ("Q.{n} ", "A. "),
        ("Q{n}) ", "A) "),
        ("Q{n} ", "(A) "),
        ("（Ｑ{z}）", "（Ａ{z}）"),
        ("【Q{n}】", "【A】"),
        ("■Q{n} ", "□A "),
        ("Q{n}", "A{n}"),
        ("Q{n} ", "回答："),
        ("問{n} ", "答 "),
        ("問{z}　", "答{z}　"),
        ("問{b} ", "答え："),
        ("問{z}．", "答："),
        ("問{z}　", "〔答〕"),
        ("問{n} ", "A "),
        ("問{z}　", "答"),
        ("（問{z}）", "（答）"),
        ("質問{z}　", "【回答】"),
        ("質問{n}：", "回答{n}："),
    ],
)
def test_marks_as_people_write_them(question: str, answer: str) -> None:
    _assert_right(booklet(question, answer))


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Q{n} ", "A"), ("Q{n} ", "A{n}"), ("問{z}　", "答"), ("問{z}　", "■回答"), ("Q{n}.", "答え：")],
)
def test_answers_in_the_line_below_the_mark(question: str, answer: str) -> None:
    _assert_right(booklet(question, answer, below=True))


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Q{n} ", " A "), ("Ｑ{z}：", "　Ａ{z}："), ("問{z}　", "　答　"), ("問{n} ", "【答】"), ("問{n}．", "回答：")],
)
def test_question_and_answer_on_one_line(question: str, answer: str) -> None:
    _assert_right(booklet(question, answer, one_line=True))


def test_a_document_in_another_form_is_refused_with_the_words_that_tell_which() -> None:
    with pytest.raises(
        DocumentError, match=r"Below 「Q1　鍵は、.*」 \(page 1\) stands: 「＞＞鍵は、二階.*answer_marks"
    ):
        _read(booklet("Q{n} ", "＞＞"))
    with pytest.raises(DocumentError, match=r"The document begins: 「総務の手引 / その１　鍵は、.*question_marks"):
        _read(booklet("その{z}　", "＞＞"))


def test_a_mark_of_ones_own_counts_where_it_stands_behind_every_question() -> None:
    settings = InvoiceQaDocument(key="b", location="b.pdf", answer_marks=("当社の考え",))
    found = list(read_document(booklet("Q{n} ", "当社の考え"), settings, sha256="0" * 64))
    assert len([reading for reading in found if isinstance(reading, Record)]) == len(SET)


@pytest.mark.parametrize("answer", ["A　", "Ａ．", "答　", "回答："])
@pytest.mark.parametrize("says", ["{n}.5倍です。", "{n}：30からです。", "{n} 年です。", "({n}) 窓口です。", "{n}"])
def test_a_figure_that_one_answer_begins_with_is_not_its_questions_number(answer: str, says: str) -> None:
    maker = PdfMaker()
    figure = says.format(n=2)
    told = ["どなたでも使えます。", figure, "申込みが要ります。", "要りません。"]
    for number, words in enumerate(told, start=1):
        maker.lines(f"Q{number} 部屋の{number}はどうですか。", answer + words, top=TOP + 3 * PITCH * number)
    records, faults = _read(maker.file())
    assert [_plain(plain_text(record)) for record in records] == [_plain(words) for words in told]
    assert faults == []


def test_a_number_behind_every_answer_mark_is_the_marks_even_where_a_figure_follows() -> None:
    maker = PdfMaker()
    maker.lines("Q1 何倍ですか。", "A1.5倍です。", "Q2 何年ですか。", "A2.3年です。", "Q3 だれですか。", "A3.係です。")
    records, _ = _read(maker.file())
    assert [plain_text(record) for record in records] == ["5倍です。", "3年です。", "係です。"]


@pytest.mark.parametrize("numbers", ["一二三", "①②③", ["(1)", "(2)", "(3)"], ["（１）", "（２）", "（３）"]])
@pytest.mark.parametrize(
    ("asks", "says"), [("問{}　", "答　"), ("問{}　", "答{}　"), ("Ｑ{}：", "Ａ{}："), ("問{}　", "【答】")]
)
def test_numbers_in_other_figures(numbers: Sequence[str], asks: str, says: str) -> None:
    maker = PdfMaker()
    told = ["一回五百円です。", "①窓口、②電話です。", "要ります。"]
    for number, words in zip(numbers, told, strict=True):
        maker.lines(
            f"{asks.format(number)}どうしますか。",
            says.format(number) + words,
            top=TOP + 3 * PITCH * (told.index(words) + 1),
        )
    records, faults = _read(maker.file())
    assert [(record.number, plain_text(record)) for record in records] == list(zip("123", told, strict=True))
    assert faults == []


def test_words_that_begin_with_a_number_make_no_question_of_a_line() -> None:
    maker = PdfMaker()
    maker.lines("問一般の人は使えますか。", "答　使えます。", "問二度目も使えますか。", "答　使えます。")
    with pytest.raises(DocumentError, match="questions without numbers are not read"):
        _read(maker.file())


def test_questions_in_a_table_are_refused_with_the_place() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP - 40, "総務の手引", size=16)
    maker.grid([80, 130, 500], [100, 122, 144, 166, 188])
    for row, (mark, words) in enumerate(
        [("Q1", "鍵は。"), ("A1", "窓口です。"), ("Q2", "車は。"), ("A2", "裏門です。")]
    ):
        maker.text(90, 106 + 22 * row, mark)
        maker.text(140, 106 + 22 * row, words)
    with pytest.raises(DocumentError, match=r"On page 1 they stand in a ruled table \(「Q1」\).*--csv-rows"):
        _read(maker.file())


def test_one_question_without_an_answer_is_told_with_what_follows_it_and_no_line_of_it_taken_for_one() -> None:
    maker = PdfMaker()
    lines = []
    for number in range(1, 8):
        says = "答案は、別に配ります。" if number == 4 else f"Ａ{number}．棚の{number}段目です。"
        lines += [f"Ｑ{number}．紙の{number}は、どこですか。", says]
    maker.lines(*lines)
    records, faults = _read(maker.file())
    assert [record.number for record in records] == ["1", "2", "3", "5", "6", "7"]
    assert [(fault.topic, fault.quote.split(" / ")[0]) for fault in faults] == [
        ("question without answer", "答案は、別に配ります。")
    ]
