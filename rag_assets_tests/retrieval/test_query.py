import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.retrieval.query import normalize_question, search_words, trim_question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("かりの手当って？", "かりの手当"),
        ("登録証の番号とは", "登録証の番号"),
        ("登録証の番号とは何ですか？", "登録証の番号"),
        ("インボイス制度というのはどういうものでしょうか", "インボイス制度"),
        ("ひとり暮らしの税金の割引って？", "ひとり暮らしの税金の割引"),
        ("税金の割合は？", "税金の割合"),
        ("倉庫の管理費にも税はつくの？", "倉庫の管理費にも税はつく"),
        ("税金が安くなるって本当？", "税金が安くなる"),
        ("相続税の申告期限を教えてください。", "相続税の申告期限"),
        ("相続税の申告期限について知りたいのですが", "相続税の申告期限"),
        ("印紙は要りますか", "印紙は要ります"),
        ("印紙を貼らなくていいのでしょうか？", "印紙を貼らなくていい"),
        ("家賃に消費税はかかるのですか", "家賃に消費税はかかる"),
        ("気をつけることは？", "気をつけること"),
        ("８％？１０％？", "8%?10%"),
        ("  住民税の期限は？？  ", "住民税の期限"),
    ],
)
def test_the_question_ending_is_trimmed(question: str, expected: str) -> None:
    assert trim_question(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "税金は戻ってくる",
        "いくつまで選べる",
        "もらった株を売った",
        "青色申告の特典",
        "確定申告のやり方",
        "まかない",
        "いか",
    ],
)
def test_what_is_no_ending_stays(question: str) -> None:
    assert trim_question(question) == question


@pytest.mark.parametrize("question", ["何？", "とは？", "？", "税は", "教えて"])
def test_something_always_remains(question: str) -> None:
    assert trim_question(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [("かりの手当って？", "かりの手当って"), ("８％ですか？ ", "8%ですか"), ("？", "?"), ("", "")],
)
def test_what_is_embedded_keeps_its_ending(question: str, expected: str) -> None:
    assert normalize_question(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("コード4161について教えて", "4161"),
        ("No.4161とは？", "4161"),
        ("Ｎｏ．４１６１", "4161"),
        ("№4161", "4161"),
        ("NO 4161の計算例", "4161の計算例"),
        ("タックスアンサーのNo.1211-1の対象は？", "タックスアンサーの 1211-1の対象"),
        ("コード4161とコード4155の違いは？", "4161と 4155の違い"),
        ("No.12とは", "No.12"),
        ("コード123456の意味", "コード123456の意味"),
        ("コードの意味は？", "コードの意味"),
        ("4161とは何ですか", "4161"),
        ("No", "No"),
    ],
)
def test_an_article_named_by_number_is_looked_up_by_the_bare_number(question: str, expected: str) -> None:
    assert search_words(question) == expected


@given(st.text(alphabet="税金コードNo.4161-2 とは？"))
def test_looking_up_loses_no_digit(question: str) -> None:
    assert [c for c in search_words(question) if c.isdigit()] == [c for c in trim_question(question) if c.isdigit()]


@given(st.text())
def test_without_a_number_the_trimmed_question_is_looked_up(question: str) -> None:
    trimmed = trim_question(question)
    if not any(character.isdigit() for character in trimmed):
        assert search_words(question) == trimmed.strip()


@given(st.text())
def test_trimming_only_takes_from_the_end(question: str) -> None:
    assert normalize_question(question).startswith(trim_question(question))


@given(st.text(alphabet="税金とはってのですか教えてください？。何本当 "))
def test_trimming_is_done_at_once(question: str) -> None:
    trimmed = trim_question(question)
    assert trim_question(trimmed) == trimmed


@pytest.mark.realdata
def test_no_real_question_loses_its_matter(realdata: Path) -> None:
    with (realdata / "questions/tax_answer.csv").open(encoding="utf-8-sig", newline="") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    lost = [len(normalize_question(question)) - len(trim_question(question)) for question in questions]
    assert max(lost) <= 4
    assert sum(lost) > 0
