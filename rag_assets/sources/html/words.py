"""The words inside inline elements of a web page, on one line, as a reader takes them in.

Raised and lowered figures and fractions are written so that they cannot run into what stands beside them, ruby keeps
the word and leaves out its reading, pictures are told. What no reader sees has been taken out before.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from bs4 import Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from rag_assets.japanese.raised import fraction, mixed_number, write_lowered, write_raised
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.html.forms import EMPTY_FIELD, FIELDS, field_words
from rag_assets.sources.html.math import formula
from rag_assets.sources.html.notation import SHOWN_AS_BLOCK, STROKE, Place, note_mark, place_of, stacked_fraction
from rag_assets.sources.html.styles import Styles

UNTOLD_PICTURE = "（画像：元のページを参照）"

# Marks inside words that are not yet on their line; white space to HTML or not allowed in it, so no page has them.
_LINE_BREAK = "\v"
_FRACTION, _FRACTION_END = "\x1c", "\x1d"
_PICTURE, _PICTURE_END = "\x1e", "\x1f"
_MARKS = re.compile("[\v\x1c-\x1f]")
_BREAKS = re.compile(r"\r\n?|\n")

_MARKED_FRACTION = re.compile(f"{_FRACTION}([^{_FRACTION}{_FRACTION_END}]*){_FRACTION_END}")
_MARKED_PICTURE = re.compile(f"{_PICTURE}([^{_PICTURE}{_PICTURE_END}]*){_PICTURE_END}")
_BESIDE_A_PICTURE = re.compile(rf"[^\s]|[{_PICTURE}{_PICTURE_END}]")
_TYPED_WORDS = re.compile(rf"^(?!{EMPTY_FIELD})(?=.*[^\W\d_])")
_RUNS_INTO = re.compile(rf"[A-Za-z)÷/／∕{_FRACTION_END}]")
_RUNS_ON_AS = re.compile(rf"[0-9０-９A-Za-z({_FRACTION}]")
_STROKE_AND_NUMBER = re.compile(r"\s*\u2044\s*([0-9０-９]+)")


class Words:
    """Reads the words of one page's inline elements."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles

    def line(self, nodes: Iterable[PageElement]) -> str:
        """The words of some elements and strings, on one line.

        A forced line break separates by a full-width space, but not before an opening bracket.
        """
        text = _settled(self._of_all(nodes))
        lines = [line for line in (one_line(part) for part in text.split(_LINE_BREAK)) if line]
        return re.sub("　(?=[（(])", "", "　".join(lines)) if len(lines) > 1 else "".join(lines)

    def line_of(self, element: Tag) -> str:
        """The words inside an element, on one line."""
        return self.line(element.children)

    def _of_all(self, nodes: Iterable[PageElement]) -> str:
        words: list[str] = []
        rest = [node for node in nodes if not isinstance(node, PreformattedString)]
        position = 0
        while position < len(rest):
            if position and _are_fields(rest[position - 1], rest[position]):
                words.append(" ")
            written, used = self._fraction_of_scripts(rest[position : position + 3]) or (self._of(rest[position]), 1)
            words.append(written)
            position += used
        return "".join(words)

    def _of(self, node: PageElement) -> str:
        if isinstance(node, NavigableString):
            text = _MARKS.sub(" ", str(node))
            has_breaks = "\n" in text or "\r" in text
            return _BREAKS.sub(_LINE_BREAK, text) if has_breaks and self._keeps_line_breaks(node) else text
        if not isinstance(node, Tag):
            return ""
        if node.name == "br":
            return _LINE_BREAK
        if node.name == "img":
            return f"{_PICTURE}{one_line(str(node.get('alt', '')))}{_PICTURE_END}"
        if node.name in FIELDS:
            return _field(node)
        if node.name == "math":
            return _formula(node)
        if node.name in ("rt", "rp", "rtc"):
            return self._base_inside_a_reading(node)
        if node.name == "q":
            return _quoted(self._of_all(node.children))
        place = place_of(node, self._styles)
        return self._moved(node, place) if place else self._inside(node)

    def _keeps_line_breaks(self, string: NavigableString) -> bool:
        around = string.parent
        if around is None:
            return False
        declared = self._styles.inherited(around, "white-space")
        if declared:
            return declared.startswith(("pre", "break-spaces"))
        return any(each.name == "pre" for each in (around, *around.parents))

    def _moved(self, element: Tag, place: Place) -> str:
        inside = self.line_of(element)
        return write_lowered(inside) if place == "lowered" else note_mark(element, inside) or write_raised(inside)

    def _fraction_of_scripts(self, nodes: Sequence[PageElement]) -> tuple[str, int] | None:
        """A fraction made of a raised and a lowered number with a stroke between, and how many nodes make it."""
        if len(nodes) < 2 or not isinstance(nodes[0], Tag) or place_of(nodes[0], self._styles) != "raised":
            return None
        above, stroke = nodes[0], nodes[1].get_text()
        below = nodes[2] if len(nodes) > 2 else None
        if STROKE.fullmatch(stroke) and isinstance(below, Tag) and place_of(below, self._styles) == "lowered":
            return _as_fraction(fraction(self.line_of(above), self.line_of(below))), 3
        on_the_line = _STROKE_AND_NUMBER.match(stroke)
        if on_the_line and isinstance(nodes[1], NavigableString):
            written = _as_fraction(fraction(self.line_of(above), on_the_line[1]))
            return written + _MARKS.sub(" ", stroke[on_the_line.end() :]), 2
        return None

    def _inside(self, element: Tag) -> str:
        """The words of an element without a meaning of its own; set apart where the page shows it as a block."""
        stacked = stacked_fraction(element, self._styles)
        if stacked:
            above, below = stacked
            return _as_fraction(fraction(self.line_of(above), self.line_of(below)))
        words = self._of_all(element.children)
        display = self._styles.declared(element, "display")
        is_apart = display in SHOWN_AS_BLOCK or display == "table-cell" or _is_drawn_text(element)
        return f"{_LINE_BREAK}{words}{_LINE_BREAK}" if is_apart else words

    def _base_inside_a_reading(self, reading: Tag) -> str:
        """What of a ruby reading is the word itself: all of it outside ruby, and further bases of an unclosed one."""
        ruby = reading.find_parent("ruby")
        if ruby is None:
            return self._of_all(reading.children)
        bases = (base for base in reading.find_all("rb") if base.find_parent("ruby") is ruby)
        return "".join(self._of_all(base.children) for base in bases)


def _are_fields(before: PageElement | None, node: PageElement) -> bool:
    return all(isinstance(each, Tag) and each.name in FIELDS for each in (before, node))


def _is_drawn_text(element: Tag) -> bool:
    """Whether an element is a label in a drawing (SVG), which stands by itself wherever it is drawn."""
    return element.name == "text" and element.find_parent("svg") is not None


def _formula(math: Tag) -> str:
    written, is_fraction = formula(math)
    marked = _as_fraction(written) if is_fraction else written
    return f"{_LINE_BREAK}{marked}{_LINE_BREAK}" if math.get("display") == "block" else marked


def _field(field: Tag) -> str:
    """What a field shows: words set apart, a figure or box where it stands, the lines of a large field as lines."""
    if field.name != "textarea":
        words = field_words(field)
        return f" {words} " if field.name == "input" and _TYPED_WORDS.search(words) else words
    lines = (one_line(line) for line in field.get_text().splitlines())
    return f"{_LINE_BREAK}{_LINE_BREAK.join(lines) if field.get_text(strip=True) else field_words(field)}{_LINE_BREAK}"


def _quoted(words: str) -> str:
    return words if words.strip().startswith(("「", "『", "“", '"')) else f"「{words}」"


def _as_fraction(words: str) -> str:
    return f"{_FRACTION}{words}{_FRACTION_END}"


def _settled(text: str) -> str:
    """Words whose fractions and pictures are written as their neighbours ask for."""
    return _MARKED_PICTURE.sub(_picture_among_words, _MARKED_FRACTION.sub(_fraction_among_words, text))


def _fraction_among_words(found: re.Match[str]) -> str:
    """A fraction that can be taken for one term with what stands beside it is bracketed, or a mixed number."""
    before, written, behind = _neighbour(found, -1), found[1], _neighbour(found, 1)
    if before.isdigit() and written[:1].isdigit():
        return mixed_number(before, written).removeprefix(before)
    has_words = any(sign.isalpha() and not sign.isascii() for sign in written)
    runs_on = has_words and (before.isalpha() or behind.isalpha())
    if runs_on or _RUNS_INTO.fullmatch(before) or _RUNS_ON_AS.fullmatch(behind):
        return f"({written})"
    return written


def _picture_among_words(found: re.Match[str]) -> str:
    """One or two characters among words are those characters themselves; so is a sign, wherever it stands."""
    described = found[1]
    if not described:
        return UNTOLD_PICTURE
    signs = _count_of_signs(described)
    beside = any(_BESIDE_A_PICTURE.fullmatch(_neighbour(found, side)) for side in (-1, 1))
    if (signs <= 2 and beside) or (signs == 1 and not described[0].isalnum()):
        return described
    return f"（図：{described}）"


def _neighbour(found: re.Match[str], side: int) -> str:
    """The character before or behind a match; nothing at the end of the words."""
    position = found.start() - 1 if side < 0 else found.end()
    return found.string[position : position + 1] if position >= 0 else ""


def _count_of_signs(text: str) -> int:
    """Characters as a reader counts them: what combines with the one before, and what chooses its shape, is none."""
    return sum(unicodedata.category(sign) not in ("Mn", "Me", "Cf") for sign in text)
