import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.retrieval.query import normalize_question, trim_question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("定期同額給与って？", "定期同額給与"),
        ("インボイスの登録番号とは", "インボイスの登録番号"),
        ("インボイスの登録番号とは何ですか？", "インボイスの登録番号"),
        ("インボイス制度というのはどういうものでしょうか", "インボイス制度"),
        ("シングルマザーの税金の優遇って？", "シングルマザーの税金の優遇"),
        ("所得税の割合は？", "所得税の割合"),
        ("アパートの共益費にも消費税はつくの？", "アパートの共益費にも消費税はつく"),
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
        "いくらまで使える",
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
    [("定期同額給与って？", "定期同額給与って"), ("８％ですか？ ", "8%ですか"), ("？", "?"), ("", "")],
)
def test_what_is_embedded_keeps_its_ending(question: str, expected: str) -> None:
    assert normalize_question(question) == expected


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
