"""MathML on one line: 1/2, 2と1/2, x², √(x+1), ∑_(i=1)ⁿ.

What stands for the formula in other forms (annotations, TeX) is not read beside it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from bs4 import Tag
from bs4.element import NavigableString, PreformattedString

from rag_assets.japanese.raised import fraction, mixed_number, write_lowered, write_raised
from rag_assets.japanese.whitespace import one_line

_Kind = Literal["operator", "term", "fraction", "root", "empty"]

_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "maligngroup", "malignmark"})
_TOKENS = frozenset({"mi", "mn", "mtext", "ms"})
_UNSEEN_SIGNS = re.compile("[\u2061\u2062\u2063]")
_UNSEEN_PLUS = "\u2064"
_ACCENTS = {
    "¯": "\u0304",
    "‾": "\u0304",
    "ˉ": "\u0304",
    "―": "\u0304",
    "_": "\u0304",
    "^": "\u0302",
    "ˆ": "\u0302",
    "~": "\u0303",
    "˜": "\u0303",
    "∼": "\u0303",
    "˙": "\u0307",
    ".": "\u0307",
    "¨": "\u0308",
    "→": "\u20d7",
    "⃗": "\u20d7",
}
"""Signs over a letter, as characters that combine with it."""
_RAISED = re.compile(r"[⁰¹²³⁴-ⁿⁱ₀-₎]|[\^_]\(|'|′")
_ONE_TERM = re.compile(r"[^\s+\-−＋－±×÷*/／=＝,、⁰¹²³⁴-ⁿⁱ₀-₎^_√]+")
_IN_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_OPENING = ("(", "（", "[", "{")
_CLOSING_OR_DIVIDING = (")", "）", "]", "}", "÷", "/", "／", "∕")
_RELATION = re.compile(r"[=＝<>＜＞≤≥≦≧≠≒≈]")


@dataclass(frozen=True, slots=True)
class _FormulaPiece:
    text: str
    kind: _Kind


def formula(math: Tag) -> tuple[str, bool]:
    """A formula on one line, and whether it is a fraction and no more: a number before it must not run into it.

    A formula without any content is told by its `alttext`.
    """
    piece = _row(_children(math))
    if piece.kind == "empty":
        told = one_line(str(math.get("alttext", "")))
        return (f"（式：{told}）" if told else ""), False
    return piece.text, piece.kind == "fraction"


def _children(element: Tag) -> list[Tag | str]:
    found: list[Tag | str] = []
    for child in element.children:
        if isinstance(child, Tag):
            if child.name not in _LEFT_OUT:
                found.append(child)
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString) and child.strip():
            found.append(one_line(str(child)))
    return found


def _piece(of: Tag | str) -> _FormulaPiece:
    if isinstance(of, str):
        return _FormulaPiece(of, "term")
    if of.name == "mo":
        sign = _UNSEEN_SIGNS.sub("", _own_text(of))
        return _FormulaPiece(sign, "operator" if sign else "empty")
    if of.name in _TOKENS:
        return _term(_own_text(of))
    reader = _READERS.get(of.name)
    return reader(of) if reader else _row(_children(of))


def _own_text(token: Tag) -> str:
    glyphs = (str(glyph.get("alt", "")) for glyph in token.find_all("mglyph"))
    return one_line("".join([token.get_text(), *glyphs]))


def _term(text: str) -> _FormulaPiece:
    return _FormulaPiece(text, "term" if text else "empty")


def _row(parts: Iterable[Tag | str]) -> _FormulaPiece:
    """Pieces one behind the other: a fraction or root beside another term is bracketed, but for a number before it."""
    pieces = [piece for piece in map(_piece, parts) if piece.kind != "empty"]
    if len(pieces) == 1:
        return pieces[0]
    line = ""
    for position, piece in enumerate(pieces):
        before = pieces[position - 1] if position else None
        behind = pieces[position + 1] if position + 1 < len(pieces) else None
        text = piece.text
        if text == _UNSEEN_PLUS:
            continue
        if before is not None and before.text == _UNSEEN_PLUS:
            before = pieces[position - 2] if position > 1 else None
        goes_on = _runs_on(behind, opens=True)
        if piece.kind == "fraction" and before is not None and _is_mixed(before.text, text):
            number = mixed_number(before.text, text)
            line = line.removesuffix(before.text) + (f"({number})" if goes_on else number)
            continue
        if piece.kind in ("fraction", "root") and (
            goes_on or (_begins_openly(piece) and _runs_on(before, opens=False))
        ):
            text = f"({text})"
        line += f" {text}" if before is not None and _are_two_words(before.text, text) else text
    return _term(line)


def _is_mixed(before: str, fraction: str) -> bool:
    return before[-1:].isdigit() and fraction[:1].isdigit()


def _begins_openly(piece: _FormulaPiece) -> bool:
    """Whether a piece can run into a term before it; the sign of a square root keeps them apart."""
    return not piece.text.startswith("√")


def _are_two_words(before: str, text: str) -> bool:
    """Whether one word stands behind another, such as a variable behind `sin`."""
    return re.fullmatch(r"[A-Za-z]{2,}", before) is not None and re.match(r"[A-Za-z]", text) is not None


def _runs_on(neighbour: _FormulaPiece | None, *, opens: bool) -> bool:
    """Whether a neighbour would be read as one term with what stands beside it."""
    if neighbour is None:
        return False
    if neighbour.kind == "operator":
        return neighbour.text in (_OPENING if opens else _CLOSING_OR_DIVIDING)
    return True


def _base(text: str) -> str:
    """What a script is set to, in brackets where the script would be taken for that of its last sign alone."""
    return text if not text or _ONE_TERM.fullmatch(text) or _IN_BRACKETS.fullmatch(text) else f"({text})"


def _argument(element: Tag, position: int) -> str:
    parts = _children_with_places(element)
    return _piece(parts[position]).text if position < len(parts) else ""


def _children_with_places(element: Tag) -> list[Tag]:
    """The children by position, empty ones such as `none` included."""
    return [child for child in element.children if isinstance(child, Tag)]


def _fraction(element: Tag) -> _FormulaPiece:
    above, below = _argument(element, 0), _argument(element, 1)
    if re.match(r"0(?!\.?\d*[1-9])", str(element.get("linethickness", ""))):
        return _term(f"{above}; {below}")
    return _FormulaPiece(fraction(above, below), "fraction")


def _raised(element: Tag) -> _FormulaPiece:
    return _term(_base(_argument(element, 0)) + write_raised(_argument(element, 1)))


def _lowered(element: Tag) -> _FormulaPiece:
    return _term(_base(_argument(element, 0)) + write_lowered(_argument(element, 1)))


def _lowered_and_raised(element: Tag) -> _FormulaPiece:
    return _term(
        _base(_argument(element, 0)) + write_lowered(_argument(element, 1)) + write_raised(_argument(element, 2))
    )


def _over(element: Tag) -> _FormulaPiece:
    base, over = _argument(element, 0), _argument(element, 1)
    accent = _ACCENTS.get(over)
    if accent and base.isalpha():
        return _term("".join(letter + accent for letter in base))
    return _term(_base(base) + write_raised(over))


def _with_scripts_on_both_sides(element: Tag) -> _FormulaPiece:
    """`mmultiscripts`: the base, then pairs of lowered and raised, then after `mprescripts` those before it."""
    parts = _children_with_places(element)
    middle = next((position for position, part in enumerate(parts) if part.name == "mprescripts"), len(parts))
    base = _argument(element, 0)
    return _term(_scripts(parts[middle + 1 :]) + _base(base) + _scripts(parts[1:middle]))


def _scripts(parts: list[Tag]) -> str:
    words = ["" if part.name in _LEFT_OUT else _piece(part).text for part in parts]
    return "".join((write_lowered, write_raised)[position % 2](text) for position, text in enumerate(words))


def _root(element: Tag) -> _FormulaPiece:
    return _FormulaPiece(f"√{_radicand(_row(_children(element)).text)}", "root")


def _root_of_degree(element: Tag) -> _FormulaPiece:
    return _FormulaPiece(f"{write_raised(_argument(element, 1))}√{_radicand(_argument(element, 0))}", "root")


def _radicand(text: str) -> str:
    return text if _ONE_TERM.fullmatch(text) or _IN_BRACKETS.fullmatch(text) else f"({text})"


def _fenced(element: Tag) -> _FormulaPiece:
    opening, closing = str(element.get("open", "(")), str(element.get("close", ")"))
    separators = re.sub(r"\s", "", str(element.get("separators", ",")))
    line = ""
    for position, part in enumerate(_children(element)):
        if position and separators:
            line += separators[min(position - 1, len(separators) - 1)]
        line += _piece(part).text
    return _term(f"{opening}{line}{closing}")


def _matrix(element: Tag) -> _FormulaPiece:
    rows = [row for row in element.find_all(["mtr", "mlabeledtr"]) if row.find_parent("mtable") is element]
    return _term("; ".join(filter(None, map(_matrix_row, rows))))


def _matrix_row(row: Tag) -> str:
    cells = [_row(_children(cell)).text for cell in row.find_all("mtd", recursive=False)]
    label = cells.pop(0) if row.name == "mlabeledtr" and cells else ""
    line = ""
    for cell in filter(None, cells):
        line += f"{'' if not line else ' ' if _RELATION.match(cell) else ', '}{cell}"
    return f"{line} {label}".strip()


def _meaning(element: Tag) -> _FormulaPiece:
    """`semantics` and `maction`: the first child is what is seen."""
    return _row(_children(element)[:1])


def _enclosed(element: Tag) -> _FormulaPiece:
    inside = _row(_children(element))
    return (
        _FormulaPiece(f"√{_radicand(inside.text)}", "root") if "radical" in str(element.get("notation", "")) else inside
    )


_READERS: dict[str, Callable[[Tag], _FormulaPiece]] = {
    "mfrac": _fraction,
    "msup": _raised,
    "msub": _lowered,
    "munder": _lowered,
    "mover": _over,
    "msubsup": _lowered_and_raised,
    "munderover": _lowered_and_raised,
    "mmultiscripts": _with_scripts_on_both_sides,
    "msqrt": _root,
    "mroot": _root_of_degree,
    "mfenced": _fenced,
    "mtable": _matrix,
    "semantics": _meaning,
    "maction": _meaning,
    "menclose": _enclosed,
    "mspace": lambda _: _FormulaPiece("", "empty"),
}
