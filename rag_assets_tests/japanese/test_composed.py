import unicodedata
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.composed import compose, compose_all

Form = Literal["NFC", "NFD"]


@given(st.text("がぱあアヴ亜é1a"))
def test_both_spellings_are_one(text: str) -> None:
    assert compose(unicodedata.normalize("NFD", text)) == text
    assert compose(text) == text


def test_nothing_else_is_changed() -> None:
    for text in ("神\ufa19", "①㈱ｶﾞ", "\u3099か", "葛\U000e0100城", "テスト"):
        assert compose(text) == text


def test_texts_in_lists_and_tables_are_composed_with_their_keys() -> None:
    nfd = unicodedata.normalize("NFD", "が")
    assert compose_all({nfd: [nfd, 1, {"a": (nfd, None)}]}) == {"が": ["が", 1, {"a": ("が", None)}]}
