import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.retrieval.tokens import FTS5_TOKENIZER, fts_text, match_expression, search_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("相続税", ["相", "続", "税", "相続", "続税"]),
        ("いくら", ["いく", "くら"]),
        ("お金", ["金", "お金"]),
        ("税", ["税"]),
        ("は", ["は"]),
        ("メルカリで", ["メル", "ルカ", "カリ", "リで"]),
        ("ﾒﾙｶﾘ", ["メル", "ルカ", "カリ"]),
        ("7,500円", ["7500", "円"]),
        ("７，５００円", ["7500", "円"]),
        ("7500円", ["7500", "円"]),
        ("1,234,567.5", ["1234567.5"]),
        ("1,2", ["1", "2"]),
        ("10.21％", ["10.21"]),
        ("No.2594", ["no", "2594"]),
        ("ＮＰＯ法人", ["npo", "法", "人", "法人"]),
        ("e-Tax", ["e", "tax"]),
        ("人々", ["人", "々", "人々"]),
        ("𩸽焼", ["𩸽", "焼", "𩸽焼"]),
        ("税。金", ["税", "金"]),
        ("Übung", ["übung"]),
        ("", []),
        ("？！、。", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert search_tokens(text) == expected


def found(stored: str, question: str) -> bool:
    db = sqlite3.connect(":memory:")
    try:
        db.execute(f"CREATE VIRTUAL TABLE words USING fts5(tokens, content='', tokenize=\"{FTS5_TOKENIZER}\")")
        db.execute("INSERT INTO words (rowid, tokens) VALUES (1, ?)", (fts_text(stored),))
        expression = match_expression(question)
        return bool(expression) and bool(
            db.execute("SELECT 1 FROM words WHERE words MATCH ?", (expression,)).fetchall()
        )
    finally:
        db.close()


@pytest.mark.parametrize(
    ("stored", "question", "expected"),
    [
        ("相続税の計算", "相続は？", True),
        ("7,500円以下", "７５００円まで？", True),
        ("10.21%", "21", False),
        ("贈与", "消費", False),
        ("AND検索", "and", True),
    ],
)
def test_what_is_found(stored: str, question: str, expected: bool) -> None:
    assert found(stored, question) is expected


@pytest.mark.parametrize(
    "question", ['"', "'; DROP TABLE words; --", 'a" OR "b', "NEAR(a b)", "tokens : a", "-a*", "^a", "\x00"]
)
def test_query_syntax_is_words_or_nothing(question: str) -> None:
    assert found("贈与", question) is False


@given(st.text())
def test_any_text_is_a_valid_query_and_finds_itself(text: str) -> None:
    assert found(text, text) is bool(search_tokens(text))


@given(st.text(), st.text())
def test_texts_are_found_by_each_other_exactly_if_they_share_a_token(one: str, other: str) -> None:
    assert found(one, other) is bool(set(search_tokens(one)) & set(search_tokens(other)))


def test_a_very_long_question_is_no_error() -> None:
    question = "".join(chr(0x4E00 + number) for number in range(5000))
    assert found("一", question)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("髙橋", "高橋"),
        ("山﨑", "山崎"),
        ("葛\U000e0100城", "葛城"),
        ("サーバ\u2212", "サーバー"),
        ("渡邉様", "渡辺様"),
    ],
)
def test_forms_of_one_character_find_each_other(written: str, asked: str) -> None:
    assert search_tokens(written) == search_tokens(asked)
