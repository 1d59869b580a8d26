"""Equations of Word on one line: written as MathML, which `html/math.py` reads, and fields that draw (EQ)."""

import re
from collections.abc import Callable
from html import escape

from bs4 import BeautifulSoup

from rag_assets.japanese.raised import fraction
from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.names import M, W
from rag_assets.sources.html.math import formula

_TOKEN = re.compile(r"[0-9０-９]+(?:[.,][0-9]+)*|[^\W\d_]+|\s+|.", re.S)
_DRAWN = re.compile(r"\s*EQ\b", re.I)
_SWITCH = re.compile(r"\\\*\s*(?:\"[^\"]*\"|\S+)")
_CIRCLES = "○◯〇"


def read_equation(math: Element) -> tuple[str, bool]:
    """An `m:oMath` on one line, and whether it is a fraction and no more."""
    soup = BeautifulSoup(f"<math>{_write_inside(math)}</math>", "html.parser")
    return formula(soup.math) if soup.math else ("", False)


def read_drawn_words(code: str) -> str | None:
    """What a field that draws (EQ) shows: 漢字 under its reading, ㉑ in a circle, a fraction; None for other fields."""
    if not _DRAWN.match(code):
        return None
    rest = _SWITCH.sub("", _DRAWN.sub("", code, count=1)).strip()
    over = re.fullmatch(r"\\o\s*(?:\\a[a-z]\s*)?\((.*)\)", rest, re.S | re.I)
    if over:
        first, *others = _split_arguments(over[1])
        last = others[-1] if others else first
        return _encircle(last) if first.strip() in tuple(_CIRCLES) else last.strip()
    divided = re.fullmatch(r"\\f\s*\((.*)\)", rest, re.S | re.I)
    parts = _split_arguments(divided[1]) if divided else []
    return fraction(parts[0].strip(), parts[1].strip()) if len(parts) == 2 else ""


def _split_arguments(inside: str) -> list[str]:
    """What stands between the commas outside all brackets."""
    parts = [""]
    depth = 0
    for sign in inside:
        depth += (sign == "(") - (sign == ")")
        if sign in ",;" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _encircle(words: str) -> str:
    words = words.strip()
    if not words.isdecimal():
        return words
    number = int(words)
    for first, last, code in ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)):
        if first <= number <= last:
            return chr(code + number - first)
    return f"({words})"


def _write_inside(element: Element | None) -> str:
    return "" if element is None else "".join(map(_write_piece, element))


def _write_piece(element: Element) -> str:
    writer = _WRITERS.get(element.tag)
    return writer(element) if writer else ""


def _write_row(element: Element | None) -> str:
    return f"<mrow>{_write_inside(element)}</mrow>"


def _write_run(run: Element) -> str:
    text = "".join(part.text or "" for part in run.iter(M + "t", W + "t"))
    if run.find(f"{M}rPr/{M}nor") is not None:
        return f"<mtext>{escape(text)}</mtext>"
    return "".join(map(_write_token, _TOKEN.findall(text)))


def _write_token(text: str) -> str:
    if text.isspace():
        return ""
    name = "mn" if text[0].isdecimal() else "mi" if text[0].isalpha() else "mo"
    return f"<{name}>{escape(text)}</{name}>"


def _make_writer(name: str, *children: str) -> Callable[[Element], str]:
    """A writer of a MathML element whose children are those of the equation by name."""
    return lambda element: f"<{name}>{''.join(_write_row(element.find(M + child)) for child in children)}</{name}>"


def _read_property(element: Element, name: str, otherwise: str) -> str:
    """A value among the properties of an element; a property that is there without a value is empty."""
    found = next(iter(element.iterfind(f"{element.tag}Pr/{M}{name}")), None)
    return otherwise if found is None else found.get(M + "val", "")


def _is_set(element: Element, name: str) -> bool:
    return _read_property(element, name, "0").lower() not in ("0", "off", "false")


def _write_fraction(element: Element) -> str:
    kind = _read_property(element, "type", "bar")
    if kind == "noBar":
        stacked = _write_row(element.find(M + "num")) + _write_row(element.find(M + "den"))
        return f'<mfrac linethickness="0">{stacked}</mfrac>'
    return _make_writer("mfrac", "num", "den")(element)


def _write_root(element: Element) -> str:
    degree = _write_inside(element.find(M + "deg"))
    inside = _write_row(element.find(M + "e"))
    return f"<mroot>{inside}<mrow>{degree}</mrow></mroot>" if degree else f"<msqrt>{inside}</msqrt>"


def _write_sum(element: Element) -> str:
    sign = escape(_read_property(element, "chr", "∫"))
    below = "" if _is_set(element, "subHide") else _write_inside(element.find(M + "sub"))
    above = "" if _is_set(element, "supHide") else _write_inside(element.find(M + "sup"))
    scripts = f"<mo>{sign}</mo><mrow>{below}</mrow><mrow>{above}</mrow>"
    return f"<msubsup>{scripts}</msubsup>{_write_row(element.find(M + 'e'))}"


def _write_fence(element: Element) -> str:
    begin, end = (escape(_read_property(element, name, sign)) for name, sign in (("begChr", "("), ("endChr", ")")))
    between = f"<mo>{escape(_read_property(element, 'sepChr', '|'))}</mo>"
    inside = between.join(_write_row(child) for child in element.findall(M + "e"))
    return f"<mrow><mo>{begin}</mo>{inside}<mo>{end}</mo></mrow>"


def _write_function(element: Element) -> str:
    return _write_row(element.find(M + "fName")) + _write_row(element.find(M + "e"))


def _write_accent(element: Element) -> str:
    return f"<mover>{_write_row(element.find(M + 'e'))}<mo>{escape(_read_property(element, 'chr', '^'))}</mo></mover>"


def _write_bar(element: Element) -> str:
    return f"<mover>{_write_row(element.find(M + 'e'))}<mo>¯</mo></mover>"


def _write_matrix(element: Element) -> str:
    rows = (
        "".join(f"<mtd>{_write_inside(cell)}</mtd>" for cell in row.findall(M + "e"))
        for row in element.findall(M + "mr")
    )
    return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"


def _write_lines(element: Element) -> str:
    rows = (f"<mtr><mtd>{_write_inside(line)}</mtd></mtr>" for line in element.findall(M + "e"))
    return f"<mtable>{''.join(rows)}</mtable>"


def _write_inner(element: Element) -> str:
    return _write_row(element.find(M + "e"))


_WRITERS: dict[str, Callable[[Element], str]] = {
    M + "r": _write_run,
    M + "f": _write_fraction,
    M + "sSup": _make_writer("msup", "e", "sup"),
    M + "sSub": _make_writer("msub", "e", "sub"),
    M + "sSubSup": _make_writer("msubsup", "e", "sub", "sup"),
    M + "sPre": lambda element: (
        f"<mrow>{_make_writer('msubsup', 'none', 'sub', 'sup')(element)}{_write_inner(element)}</mrow>"
    ),
    M + "rad": _write_root,
    M + "nary": _write_sum,
    M + "d": _write_fence,
    M + "func": _write_function,
    M + "limLow": _make_writer("munder", "e", "lim"),
    M + "limUpp": _make_writer("mover", "e", "lim"),
    M + "acc": _write_accent,
    M + "bar": _write_bar,
    M + "m": _write_matrix,
    M + "eqArr": _write_lines,
    M + "groupChr": _write_inner,
    M + "box": _write_inner,
    M + "borderBox": _write_inner,
    M + "phant": _write_inner,
    M + "oMath": _write_row,
    M + "e": _write_row,
}
"""What is not here holds properties, which are not seen."""
