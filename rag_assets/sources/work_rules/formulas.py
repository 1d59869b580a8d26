"""Formulas set as fractions, numerator over denominator, put on one line: 基本給÷１か月の所定労働時間数×1.25.

Read line by line a fraction says nothing: what is divided by what is told by place alone. Only places are judged here;
nothing is calculated.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from rag_assets.japanese.characters import remove_spaces
from rag_assets.sources.pdf.pages import PdfLine

_OPERATOR = re.compile(r"[×÷＋+－−＝=≦≧≤≥-]")
_BEGINS = re.compile(r"^[×÷＋+－−＝=≦≧≤≥]")
_ENDS = re.compile(r"[×÷＋+－−＝=≦≧≤≥]$")
_SENTENCE = re.compile(r"[。、]")
_WIDE_GAP = re.compile(r"[ \u3000]{2,}")
_CLOSEST, _WIDEST = 0.5, 1.35
"""Ems from one line to the next: half a fraction's height, closer than lines of text stand."""
_FURTHEST = 3.0
"""Ems from a denominator to what the whole sum is multiplied with."""
_TOUCH = 3.0


def join_formulas(lines: Sequence[PdfLine]) -> tuple[list[PdfLine], set[int]]:
    """Lines of a page with every fraction on one line.

    Recognised are a numerator, an operator half a line below and beside it (or between two fractions), and a
    denominator another half below; and a formula over a bare number.

    Returns:
        The lines from top to bottom, and the positions of those that are formulas.
    """
    found: list[PdfLine] = []
    formulas: set[int] = set()
    at = 0
    while at < len(lines):
        taken, line = _fraction(lines[at : at + 4])
        if taken > 1:
            formulas.add(len(found))
        found.append(line)
        at += taken
    return found, formulas


def _fraction(lines: Sequence[PdfLine]) -> tuple[int, PdfLine]:
    """How many of the lines make a fraction, 1 for none, and it on one line."""
    if len(lines) >= 3 and not any(_SENTENCE.search(line.text) for line in lines[:3]):
        upper, middle, lower = lines[:3]
        if _steps(upper, middle) and _steps(middle, lower) and _OPERATOR.search(middle.text):
            text, is_sum = _three(upper, middle, lower)
            factor = lines[3] if len(lines) > 3 else None
            if text and is_sum and factor is not None and _multiplies(lower, factor):
                return 4, _merge(f"｛{text}｝{remove_spaces(factor.text)}", lines[:4])
            if text:
                return 3, _merge(text, lines[:3])
    if len(lines) >= 2 and _over_number(lines[0], lines[1]):
        return 2, _merge(_write_division(lines[0].text, lines[1].text), lines[:2])
    return 1, lines[0]


def _three(upper: PdfLine, middle: PdfLine, lower: PdfLine) -> tuple[str, bool]:
    """The formula of three lines, empty where their places make none, and whether it is a sum with more behind it."""
    if min(upper.x1, lower.x1) <= max(upper.x0, lower.x0):
        return "", False
    operator = remove_spaces(middle.text)
    if middle.x0 >= max(upper.x1, lower.x1) - _TOUCH and _BEGINS.match(operator):
        return _write_division(upper.text, lower.text) + operator, False
    if middle.x1 <= min(upper.x0, lower.x0) + _TOUCH and _ENDS.search(operator):
        return operator + _write_division(upper.text, lower.text), operator[-1] in "＋+－−"
    above, below = _WIDE_GAP.split(upper.text), _WIDE_GAP.split(lower.text)
    if len(above) == len(below) == 2 and upper.x0 < middle.x0 and middle.x1 < upper.x1 and len(operator) == 1:
        return _write_division(above[0], below[0]) + operator + _write_division(above[1], below[1]), True
    return "", False


def _steps(upper: PdfLine, lower: PdfLine) -> bool:
    return upper.page == lower.page and _CLOSEST <= (lower.top - upper.top) / upper.size <= _WIDEST


def _multiplies(lower: PdfLine, factor: PdfLine) -> bool:
    return factor.text[:1] == "×" and factor.page == lower.page and factor.top - lower.top <= _FURTHEST * lower.size


def _over_number(upper: PdfLine, lower: PdfLine) -> bool:
    centred = abs((upper.x0 + upper.x1) - (lower.x0 + lower.x1)) / 2 <= upper.size
    near = upper.page == lower.page and 0 < lower.top - upper.top <= 2.4 * upper.size
    is_formula = len(_OPERATOR.findall(upper.text)) > 1 and not _SENTENCE.search(upper.text)
    return near and centred and is_formula and bool(re.fullmatch(r"[0-9０-９]+", lower.text))


def _write_division(above: str, below: str) -> str:
    return f"{_put_in_brackets(above)}÷{_put_in_brackets(below)}"


def _put_in_brackets(text: str) -> str:
    words = remove_spaces(text)
    if not _OPERATOR.search(words):
        return words
    return f"｛{words}｝" if re.search(r"[（(]", words) else f"（{words}）"


def _merge(text: str, lines: Sequence[PdfLine]) -> PdfLine:
    return replace(
        lines[0],
        text=text,
        x0=min(line.x0 for line in lines),
        x1=max(line.x1 for line in lines),
        bottom=max(line.bottom for line in lines),
    )
