"""What single lines say by their marks."""

import pytest

from rag_assets.sources.invoice_qa.marks import (
    Marks,
    chapter_level,
    chapter_name,
    follows,
    in_brackets,
    numbered_line,
    split_notes,
    without_leaders,
    write_number,
)
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument

DEFAULTS = InvoiceQaDocument(key="k", location="x")
MARKS = Marks(DEFAULTS.question_marks, DEFAULTS.answer_marks, DEFAULTS.chapter_marks, DEFAULTS.revision_words)


@pytest.mark.parametrize(
    ("line", "number", "label", "rest"),
    [
        ("問１　紙は", "1", "問１", "紙は"),
        ("問24－２　紙は", "24-2", "問24－２", "紙は"),
        ("問 10．１万円は", "10", "問10", "１万円は"),
        ("問８の２　紙は", "8-2", "問８の２", "紙は"),
        ("問７", "7", "問７", ""),
        ("Q3: 紙は", "3", "Q3", "紙は"),
        ("問10１万円は", "101", "問10１", "万円は"),
    ],
)
def test_numbered_lines(line: str, number: str, label: str, rest: str) -> None:
    read = numbered_line(line, MARKS)
    assert read is not None
    assert (write_number(read.number), read.label, read.rest) == (number, label, rest)


@pytest.mark.parametrize("line", ["問110《紙》を", "問96≪紙≫を", "問いません", "質問の紙", "第１問", "１　紙"])
def test_what_begins_no_question(line: str) -> None:
    assert numbered_line(line, MARKS) is None


@pytest.mark.parametrize("line", ["問５もご参照ください", "問１参照", "問１及び問２"])
def test_what_reads_as_a_reference(line: str) -> None:
    read = numbered_line(line, MARKS)
    assert read is not None
    assert read.refers


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("第12章　紙", 1),
        ("第三編　紙", 0),
        ("Ⅳ　紙", 1),
        ("12　紙", 2),
        ("12か月", None),
        ("1.5倍", None),
        ("○紙", 1),
        ("紙", None),
    ],
)
def test_chapter_levels(line: str, level: int | None) -> None:
    assert chapter_level(line, MARKS, bare=False) == level


def test_entries_of_a_contents_page_lose_their_leaders() -> None:
    assert without_leaders("問１　登録の手続………………  12") == "問１　登録の手続"
    assert without_leaders("○紙のきまり ________ 3") == "○紙のきまり"
    assert without_leaders("Ⅰ　紙と電子") == "Ⅰ　紙と電子"
    assert chapter_name("○紙のきまり ________ 3") == "紙のきまり"


def test_brackets_have_to_be_one_pair_around_the_whole() -> None:
    assert in_brackets("（紙（写しを含む）の渡し方）") == "紙（写しを含む）の渡し方"
    assert in_brackets("（紙）と（電子）") is None
    assert in_brackets("紙（写し）") is None
    assert in_brackets("") is None


def test_notes_are_parted_and_lose_their_blanks() -> None:
    assert split_notes("紙は要りますか。【令和６年 ４月追加】【令和８年４月改訂】", MARKS) == (
        "紙は要りますか。",
        ("令和６年４月追加", "令和８年４月改訂"),
    )
    assert split_notes("紙は要りますか。【店の場合】", MARKS) == ("紙は要りますか。【店の場合】", ())


def test_what_follows_a_number() -> None:
    assert follows((24, 0), (24, 2))
    assert follows((24, 2), (24, 3))
    assert follows((24, 3), (25, 0))
    assert follows((1, 5), (2, 1))
    assert not follows((24, 0), (24, 3))
    assert not follows((24, 0), (26, 0))
    assert not follows((24, 0), (24, 0))
