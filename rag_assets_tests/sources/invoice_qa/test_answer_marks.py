"""What begins an answer, on a line by itself."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.invoice_qa.answer_marks import Above, after_answer_mark, answer_mark_inside
from rag_assets.sources.invoice_qa.marks import Latitude
from rag_assets_tests.sources.invoice_qa.test_marks import MARKS

NUMBER = (1, 0)


def _free(freedom: int, text: str, above: Above) -> str | None:
    return after_answer_mark(text, replace(MARKS, latitude=Latitude(freedom=freedom)), above)


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("【答】", ""),
        ("【 答 】", ""),
        ("(答) はい。", "はい。"),
        ("【回答１】はい。", "はい。"),
        ("(A) はい。", "はい。"),
        ("[A1] はい。", "はい。"),
        ("〈答え〉はい。", "はい。"),
        ("Ａ１　はい。", "はい。"),
        ("A はい。", "はい。"),
        ("A.はい。", "はい。"),
        ("A：はい。", "はい。"),
        ("Ａ１．はい。", "はい。"),
        ("A.1 はい。", "はい。"),
        ("A-1 はい。", "はい。"),
        ("A 10時です。", "10時です。"),
        ("A.10時です。", "10時です。"),
        ("答　はい。", "はい。"),
        ("答：はい。", "はい。"),
        ("答え：はい。", "はい。"),
        ("回答：はい。", "はい。"),
        ("回答1：はい。", "はい。"),
        ("■回答", ""),
        ("答えは紙です。", None),
        ("答申の写しは", None),
        ("回答期限：五日", None),
        ("回答者：総務課", None),
        ("A社は", None),
        ("A4 用紙は", None),
        ("ABC", None),
        ("Q1参照", None),
    ],
)
def test_answer_marks(line: str, rest: str | None) -> None:
    assert after_answer_mark(line, MARKS, Above(number=NUMBER)) == rest


def test_a_letter_counts_only_behind_a_letter() -> None:
    above = Above(number=NUMBER, letter=False)
    assert after_answer_mark("Ａ　紙", MARKS, above) is None
    assert after_answer_mark("（Ａ）紙", MARKS, above) is None
    assert after_answer_mark("（答）", MARKS, above) == ""
    assert _free(1, "Ａ　紙", above) == "紙"


def test_a_blank_alone_parts_nothing_inside_a_sentence() -> None:
    above = Above(number=NUMBER, ended=False)
    assert after_answer_mark("Ａ　社の紙", MARKS, above) is None
    assert after_answer_mark("Ａ：社の紙", MARKS, above) == "社の紙"
    assert _free(3, "Ａ　社の紙", above) == "社の紙"


@pytest.mark.parametrize(
    ("freedom", "numbered", "bare"), [(0, None, None), (1, "紙です。", None), (2, "紙です。", "紙です。")]
)
def test_marks_that_nothing_parts_need_a_number_or_more_freedom(
    freedom: int, numbered: str | None, bare: str | None
) -> None:
    above = Above(number=NUMBER)
    assert _free(freedom, "A1紙です。", above) == numbered
    assert _free(freedom, "A2紙です。", above) is None
    assert _free(freedom, "答紙です。", above) == bare


def test_a_mark_may_stand_behind_the_question() -> None:
    above = Above(number=NUMBER)
    assert answer_mark_inside("Q1　紙は、どこですか。　A　棚です。", MARKS, above) == len("Q1　紙は、どこですか。　")
    assert answer_mark_inside("問１　紙は、どこですか？【答】棚です。", MARKS, above) == len("問１　紙は、どこですか？")
    assert answer_mark_inside("Q1　紙は、A社にありますか。棚ですか。", MARKS, above) is None


@given(
    st.sampled_from(["答申", "回答期限", "答弁書", "A社", "A氏", "B", "AED", "回答用紙", "答案"]),
    st.text("紙は、棚の三段目。"),
)
def test_words_that_begin_like_a_mark_are_none(word: str, behind: str) -> None:
    assert after_answer_mark(f"{word}{behind}", MARKS, Above(number=NUMBER)) is None
