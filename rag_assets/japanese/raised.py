"""Raised, lowered and stacked notation written on one line, so that no reader can take 10³ for 103 or ½ for 12.

How a document marks such notation (a tag, a smaller size, a higher baseline) belongs to its source.
"""

import re

_DIGITS = "0123456789"
_WIDE_DIGITS = "０１２３４５６７８９"
_SIGNS = "+-=()"
_WIDE_SIGNS = "＋－＝（）"
_MINUS_SIGNS = {0x2212: "-", 0x2010: "-", 0x2013: "-"}

_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_SIGNS = "⁺⁻⁼⁽⁾"
_LOWERED_DIGITS = "₀₁₂₃₄₅₆₇₈₉"
_LOWERED_SIGNS = "₊₋₌₍₎"

_RAISED = str.maketrans(
    f"{_DIGITS}{_WIDE_DIGITS}{_SIGNS}{_WIDE_SIGNS}niｎｉ",
    f"{_RAISED_DIGITS * 2}{_RAISED_SIGNS * 2}ⁿⁱⁿⁱ",
)
_LOWERED = str.maketrans(
    f"{_DIGITS}{_WIDE_DIGITS}{_SIGNS}{_WIDE_SIGNS}",
    f"{_LOWERED_DIGITS * 2}{_LOWERED_SIGNS * 2}",
)
_NOTE_MARK = re.compile(
    r"[※＊*†‡].{0,4}"  # ※1
    r"|[′″‴'’”°∘]+"  # minutes, seconds and degrees are raised by themselves
    r"|st|nd|rd|th|TM|SM|®|™"  # 1st
    r"|[（(［\[〔【].*[^\d０-９+\-=＋－＝()（）\s].*[）)］\]〕】]"  # （注1）, but not (1), which has signs of its own
)
"""What is raised for looks and says so itself, or is no number: it cannot be misread, and stays as it is."""
_SINGLE_TERM = re.compile(r"[^\s+\-−＋－±×÷*/／=＝,、]+")


def write_raised(text: str) -> str:
    """A superscript on one line: ³, ⁻², ⁽¹⁾, ^(x+1); the mark of a note (※1, （注2）) as it is; nothing for nothing."""
    return _move(text, _RAISED, "^")


def write_lowered(text: str) -> str:
    """A subscript on one line: ₂, ₁₊₁, _(max); the mark of a note as it is; nothing for nothing."""
    return _move(text, _LOWERED, "_")


def fraction(numerator: str, denominator: str) -> str:
    """A fraction on one line: 1/2, (a+b)/c."""
    return f"{_term(numerator)}/{_term(denominator)}"


def mixed_number(whole: str, part: str) -> str:
    """A whole number before a fraction of digits, which must not run into it: 2と1/2."""
    return f"{whole}と{part}" if whole[-1:].isdigit() and part[:1].isdigit() else f"{whole}{part}"


def _move(text: str, signs: dict[int, int], mark: str) -> str:
    text = text.strip(" \u3000")
    if not text or _NOTE_MARK.fullmatch(text):
        return text
    plain = text.translate(_MINUS_SIGNS)
    if all(ord(sign) in signs for sign in plain):
        return plain.translate(signs)
    # What is moved as a whole already stays; a number with a power of its own (10²) must not become one number.
    return text if all(ord(sign) in signs.values() for sign in text) else f"{mark}({text})"


def _term(text: str) -> str:
    text = text.strip()
    in_brackets = (
        text.startswith(("(", "（")) and text.endswith((")", "）")) and text.count("(") + text.count("（") == 1
    )
    return text if in_brackets or _SINGLE_TERM.fullmatch(text) else f"({text})"
