"""Rules of a PDF page that belong to words and are no borders: through words that are struck out, and in fractions."""

import re
from collections import defaultdict
from collections.abc import Sequence

from rag_assets.japanese.raised import fraction
from rag_assets.sources.pdf.drawings import Edge
from rag_assets.sources.pdf.filling import take_out_struck
from rag_assets.sources.pdf.text import BLANKS, Char, PageText

_THROUGH = (0.18, 0.58)
"""How far above the baseline a rule strikes words out, in em."""
_FILLED = 0.8
"""Share of the rule that stands in words: a border or a line of a chart crosses more than words."""
_SHORTEST, _LONGEST_BAR = 0.3, 6.0
"""Em of the rule of a fraction."""
_TERM = re.compile(r"[0-9０-９A-Za-zＡ-Ｚａ-ｚ+\-−－＋×.,（）()]{1,12}")
_WORDS = re.compile(r"[^\s、。]{1,12}")
"""A term in words, as 勤続日数 over 365."""
_APART = 0.5
"""Em between a term in words and what else stands at its height: closer, it is a part of a line."""
_BESIDE = 1.2
"""Em to the character beside a fraction, on whose middle its rule stands."""


def take_out_struck_words(text: PageText, edges: Sequence[Edge]) -> tuple[list[str], tuple[Edge, ...]]:
    """Take the words that rules strike through out of a page's text; gives back these words, and the other rules."""
    found: list[str] = []
    others: list[Edge] = []
    for edge in edges:
        words = _take_out_struck_by(edge, text) if edge.horizontal else ""
        if words:
            found.append(words)
        else:
            others.append(edge)
    return found, tuple(others)


def _take_out_struck_by(edge: Edge, text: PageText) -> str:
    through = [char for char in text.chars if _is_through(edge, char)]
    if not through or sum(char.x1 - char.x0 for char in through) < _FILLED * (edge.x1 - edge.x0):
        return ""
    top, bottom = min(char.base - char.size for char in through), max(char.base for char in through)
    return take_out_struck(text, Edge(edge.x0, top, edge.x1, bottom))


def _is_through(edge: Edge, char: Char) -> bool:
    if char.text in BLANKS or not edge.x0 <= char.middle[0] <= edge.x1:
        return False
    least, most = _THROUGH
    return least * char.size <= char.base - edge.top <= most * char.size


_CLOSE = 0.3
"""Em between what is struck out and the character before it."""


def close_struck_gaps(text: PageText) -> None:
    """Let characters reach over what was struck out behind them: white space there would be read as a blank to fill in.

    To be done last: where characters stand is what strokes, values and fractions are found by.
    """
    bases = {round(char.base, 1) for char in text.struck}
    lines: defaultdict[float, list[Char]] = defaultdict(list)
    for char in text.chars if bases else ():
        if round(char.base, 1) in bases:
            lines[round(char.base, 1)].append(char)
    for gone in sorted(text.struck, key=lambda char: char.x0):
        for char in lines[round(gone.base, 1)]:
            if char.x0 < gone.x0 and abs(gone.x0 - char.x1) <= _CLOSE * gone.size:
                char.x1 = max(char.x1, gone.x1)


def write_fractions(text: PageText, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """Write on one line what is certainly a fraction; gives back the rules that belong to none.

    Certain is a short rule at the middle of a character beside it, with figures right above and right below it.
    """
    return tuple(edge for edge in edges if not (edge.horizontal and _write_fraction(text, edge)))


def _write_fraction(text: PageText, edge: Edge) -> bool:
    width = edge.x1 - edge.x0
    if not 2.0 <= width <= 100.0:
        return False
    inside = [
        char
        for char in text.chars
        if edge.x0 - 1 <= char.middle[0] <= edge.x1 + 1 and -1.3 * char.size <= char.base - edge.top <= 1.3 * char.size
    ]
    above = [char for char in inside if 0 <= edge.top - char.base <= 0.6 * char.size]
    below = [char for char in inside if 0.6 * char.size <= char.base - edge.top <= 1.3 * char.size]
    seen = [char for char in inside if char.text not in BLANKS]
    if not above or not below or len(above) + len(below) < len(seen):
        return False
    numerator, denominator = _words(above), _words(below)
    if not (_TERM.fullmatch(numerator) and _TERM.fullmatch(denominator)) and not (
        _is_term_in_words(above, text) and _is_term_in_words(below, text)
    ):
        return False
    size = max(char.size for char in seen)
    if not _SHORTEST * size <= width <= _LONGEST_BAR * size:
        return False
    gone = {id(char) for char in inside}
    beside = [
        char for char in text.chars if id(char) not in gone and char.text not in BLANKS and _is_beside(edge, char)
    ]
    if not beside:
        return False
    near = min(beside, key=lambda char: max(edge.x0 - char.x1, char.x0 - edge.x1))
    whole = numerator[0].isdigit() and any(
        char.text.isdecimal() and -1 <= edge.x0 - char.x1 <= 0.5 * char.size for char in beside
    )
    words = f"{'と' if whole else ''}{fraction(numerator, denominator)}"
    at = min(index for index, char in enumerate(text.chars) if id(char) in gone)
    text.chars = [char for char in text.chars if id(char) not in gone]
    one = Char(words, edge.x0, edge.x1, near.base, near.size, near.run, near.paint, near.order)
    text.chars.insert(at, one)
    return True


def _words(chars: Sequence[Char]) -> str:
    return "".join(char.text for char in sorted(chars, key=lambda char: char.x0) if char.text not in BLANKS)


def _is_term_in_words(term: Sequence[Char], text: PageText) -> bool:
    """Whether characters over or under a bar are words that stand alone at their height."""
    bases = [char.base for char in term]
    if not _WORDS.fullmatch(_words(term)) or max(bases) - min(bases) > _CLOSE * term[0].size:
        return False
    x0, x1 = min(char.x0 for char in term), max(char.x1 for char in term)
    apart, inside = _APART * term[0].size, {id(char) for char in term}
    return not any(
        abs(char.base - bases[0]) < _CLOSE * char.size and x0 - apart < char.x1 and char.x0 < x1 + apart
        for char in text.chars
        if char.text not in BLANKS and id(char) not in inside
    )


def _is_beside(edge: Edge, char: Char) -> bool:
    """Whether a rule stands at the height of a character's middle, close to its left or right."""
    if abs(char.base - 0.35 * char.size - edge.top) > 0.22 * char.size:
        return False
    gap = max(edge.x0 - char.x1, char.x0 - edge.x1)
    return -1 <= gap <= _BESIDE * char.size
