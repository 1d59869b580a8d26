"""Booklets as people write them, as PDFs: every question once, question and answer as they were set."""

import io
import re

import pytest

from rag_assets.corpus.record_text import plain_text
from rag_assets.model import Record
from rag_assets.sources.documents import DocumentError, Finding
from rag_assets.sources.invoice_qa import InvoiceQaDocument, read_document
from rag_assets_tests.sources.pdf_maker import LEFT, PITCH, TOP, PdfMaker

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
