"""Forms of one character are one for searching."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.character_variants import fold_variants


@pytest.mark.parametrize(
    ("written", "standard"),
    [
        ("髙橋", "高橋"),
        ("山﨑", "山崎"),
        ("渡邊", "渡辺"),
        ("渡邉", "渡辺"),
        ("齋藤", "斎藤"),
        ("齊藤", "斉藤"),
        ("濵田", "浜田"),
        ("櫻井", "桜井"),
        ("廣澤", "広沢"),
        ("國學院", "国学院"),
        ("𠮷野家", "吉野家"),
        ("葛\U000e0100城", "葛城"),
        ("辻\U000e0101", "辻"),
        ("神\ufe00社", "神社"),
        ("福祉", "福祉"),
        ("サーバ\u2212", "サーバー"),
        ("サーバ－", "サーバー"),
        ("サ\u2015バ\u2010", "サーバー"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("ア\u2500\u2500", "アーー"),
        ("㈱みほん", "(株)みほん"),
    ],
)
def test_forms_of_one_word_agree(written: str, standard: str) -> None:
    assert fold_variants(written) == fold_variants(standard)


@pytest.mark.parametrize("text", ["03-1234-5678", "A-1", "様式ア-1", "ア\u2500\u25001", "埼玉", "10−3", "税－率"])
def test_a_dash_that_is_none_of_katakana_stays(text: str) -> None:
    assert fold_variants(text) == unicodedata.normalize("NFKC", text)


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold_variants(fold_variants(text)) == fold_variants(text)
