"""Text -> search tokens for SQLite FTS5, and question -> FTS5 MATCH expression.

Belongs here: what counts as a word for full-text search. Nothing here changes a text that is shown or stored.
"""

import re
from itertools import pairwise

from rag_assets.japanese.character_variants import fold_variants

TOKENS_VERSION = "kanji1-char2/2"
"""Changes whenever `search_tokens` gives other tokens for the same text: indexes made before are then rebuilt."""

FTS5_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
"""Makes FTS5 part tokens at white space only, so that what it stores is what `search_tokens` gives."""

_KANJI = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〆"
_JAPANESE = f"\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30feー{_KANJI}"
_RUN = re.compile(
    r"(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    rf"|(?P<japanese>[{_JAPANESE}]+)"
    rf"|(?P<word>[^\W_0-9{_JAPANESE}]+)"
)
_IS_KANJI = re.compile(f"[{_KANJI}]").fullmatch


def search_tokens(text: str) -> list[str]:
    """The tokens of a text in order, repeats included.

    Japanese runs give every kanji and every pair of neighbouring characters, so that 「相続税」 is found by 「相続」
    and by 「税」 without a dictionary of words. Numbers are one token each, full-width or not and with or without
    thousands separators (「７，５００円」 and 「7500円」 agree); other words are one token each, case folded. Forms
    of one character agree (髙橋 and 高橋, see `fold_variants`).

    Kanji alone plus pairs is what ranked best on the Tax Answer and the invoice questions among: pairs alone,
    every character plus pairs, no pairs of hiragana, no pairs across scripts, whole katakana words, triples.
    """
    tokens: list[str] = []
    for run in _RUN.finditer(fold_variants(text).casefold()):
        if run["japanese"]:
            tokens += _japanese_tokens(run["japanese"])
        else:
            tokens.append(run[0].replace(",", ""))
    return tokens


def _japanese_tokens(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    kanji = [character for character in run if _IS_KANJI(character)]
    return kanji + [first + second for first, second in pairwise(run)]


def fts_text(text: str) -> str:
    """What is stored in the FTS5 index for a text."""
    return " ".join(search_tokens(text))


def match_expression(text: str) -> str:
    """The FTS5 MATCH expression that finds passages sharing any token with the text; empty where it has no token.

    Every token is quoted: operators and quotes in the text (`AND`, `NEAR(`, `"`, `*`) are words or nothing.
    """
    return " OR ".join('"' + token.replace('"', '""') + '"' for token in dict.fromkeys(search_tokens(text)))
