"""Classes of characters that many patterns share: spaces, digits, numerals, brackets, hyphens.

A constant is what stands inside the square brackets of a pattern (`rf"[{DIGITS}]{{1,3}}"`), unless it says otherwise.
Only classes that several modules mean alike belong here.
"""

import re

SPACES = " \u3000"
"""What a typist puts between words: a space and a full-width space; also for `str.strip`."""
GAP = rf"[{SPACES}]*"
"""A whole pattern: spaces, or none."""

DIGITS = "0-9０-９"
ONE_TO_TEN = "一二三四五六七八九十"
KANJI_NUMERALS = f"〇{ONE_TO_TEN}百千"
CIRCLED_TO_20 = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"

OPENING = r"（(【［\[〔"
CLOSING = r"）)】］\]〕"

HYPHENS = r"\-‐‑‒–—―−ー"
"""What people type for a hyphen between numbers: hyphens, dashes, the minus sign, the long vowel mark."""

_SPACES = re.compile(rf"[{SPACES}]")


def remove_spaces(text: str) -> str:
    """A text without spaces and full-width spaces: 第 ６ 条 becomes 第６条."""
    return _SPACES.sub("", text)


def clip(text: str, most: int) -> str:
    """A text of at most `most` characters; … stands for what was cut off."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
