"""The words inside inline elements of a web page, on one line, as a reader takes them in.

Raised and lowered figures and fractions are written so that they cannot run into what stands beside them, ruby keeps
the word and leaves out its reading, pictures are told. What no reader sees has been taken out before.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from bs4 import Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from rag_assets.japanese.raised import fraction, lowered, mixed_number, raised
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.html_forms import FIELDS, field_words
from rag_assets.sources.html_math import formula
from rag_assets.sources.html_styles import Styles, length

UNTOLD_PICTURE = "（画像：元のページを参照）"

# Marks inside words that are not yet on their line; white space to HTML or not allowed in it, so no page has them.
_LINE_BREAK = "\v"
_FRACTION, _FRACTION_END = "\x1c", "\x1d"
_PICTURE, _PICTURE_END = "\x1e", "\x1f"
_MARKS = re.compile("[\v\x1c-\x1f]")

_MARKED_FRACTION = re.compile(f"{_FRACTION}([^{_FRACTION}{_FRACTION_END}]*){_FRACTION_END}")
_MARKED_PICTURE = re.compile(f"{_PICTURE}([^{_PICTURE}{_PICTURE_END}]*){_PICTURE_END}")
_BESIDE_A_PICTURE = re.compile(rf"[^\s{_LINE_BREAK}]")
_STROKE = re.compile(r"\s*[\u2044\u2215/／]\s*")
_STROKE_AND_NUMBER = re.compile(r"\s*\u2044\s*([0-9０-９]+)")
_NOTE_NUMBER = re.compile(r"\[?(?:注\s*)?([0-9０-９]{1,3}|[a-z])\s*[\]）)]?|注\s*[）)]?")
_NOTE_CLASSES = re.compile(r"foot-?note|note-?ref|fnref|\breference\b", re.IGNORECASE)
_BREAKS_AROUND = frozenset({"block", "list-item", "table", "table-row", "flex", "grid"})
_BORDER = re.compile(r"\b(?:solid|double|dotted|dashed)\b|^(?!0)[\d.]+\w*\b(?!.*none)")

_Place = Literal["raised", "lowered", ""]


class Words:
    """Reads the words of one page's inline elements."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles

    def line(self, nodes: Iterable[PageElement]) -> str:
        """The words of some elements and strings, on one line.

        A forced line break separates by a full-width space, but not before an opening bracket.
        """
        text = _settled(self._of_all(list(nodes)))
        lines = [line for line in (one_line(part) for part in text.split(_LINE_BREAK)) if line]
        return re.sub("　(?=[（(])", "", "　".join(lines)) if len(lines) > 1 else "".join(lines)

    def line_of(self, element: Tag) -> str:
        """The words inside an element, on one line."""
        return self.line(element.children)

    def _of_all(self, nodes: Sequence[PageElement]) -> str:
        words: list[str] = []
        rest = [node for node in nodes if not isinstance(node, PreformattedString)]
        while rest:
            found = self._fraction_of_scripts(rest)
            if found is None:
                words.append(self._of(rest.pop(0)))
                continue
            written, used, behind = found
            words += [written, behind]
            rest = rest[used:]
        return "".join(words)

    def _of(self, node: PageElement) -> str:
        if isinstance(node, NavigableString):
            text = _MARKS.sub(" ", str(node))
            return re.sub(r"\r\n?|\n", _LINE_BREAK, text) if self._keeps_line_breaks(node) else text
        if not isinstance(node, Tag):
            return ""
        if node.name == "br":
            return _LINE_BREAK
        if node.name == "img":
            return f"{_PICTURE}{one_line(str(node.get('alt', '')))}{_PICTURE_END}"
        if node.name in FIELDS:
            return field_words(node)
        if node.name == "math":
            written, is_fraction = formula(node)
            return _as_fraction(written) if is_fraction else written
        if node.name in ("rt", "rp", "rtc"):
            return self._base_inside_a_reading(node)
        if node.name == "q":
            return _quoted(self._of_all(list(node.children)))
        place = self._place(node)
        if place:
            return self._moved(node, place)
        return self._stacked_fraction(node) or self._parted(node, self._of_all(list(node.children)))

    def _keeps_line_breaks(self, string: NavigableString) -> bool:
        around = string.parent
        if around is None:
            return False
        declared = self._styles.inherited(around, "white-space")
        return (
            declared.startswith(("pre", "break-spaces"))
            if declared
            else around.find_parent("pre") is not None or (around.name == "pre")
        )

    def _place(self, element: Tag) -> _Place:
        if element.name in ("sup", "sub"):
            return "raised" if element.name == "sup" else "lowered"
        if element.name in ("td", "th"):
            return ""
        align = self._styles.declared(element, "vertical-align")
        variant = self._styles.declared(element, "font-variant-position")
        if "super" in (align, variant):
            return "raised"
        if "sub" in (align, variant):
            return "lowered"
        moved = length(align) or 0.0
        size = self._styles.declared(element, "font-size")
        if not moved and size and self._styles.declared(element, "position") == "relative":
            moved = (length(self._styles.declared(element, "bottom")) or 0.0) - (
                length(self._styles.declared(element, "top")) or 0.0
            )
        is_smaller = size and (size in ("smaller", "small", "x-small", "xx-small") or (length(size) or 0.0) > 0)
        if not moved or not is_smaller:
            return ""
        return "raised" if moved > 0 else "lowered"

    def _moved(self, element: Tag, place: _Place) -> str:
        inside = self.line_of(element)
        if place == "lowered":
            return lowered(inside)
        note = _NOTE_NUMBER.fullmatch(inside)
        if note and (inside.startswith("注") or _leads_to_a_note(element)):
            return f"（注{note[1] or ''}）"
        return raised(inside)

    def _fraction_of_scripts(self, nodes: Sequence[PageElement]) -> tuple[str, int, str] | None:
        """A fraction made of a raised and a lowered number with a stroke between: itself, its nodes, what follows."""
        if len(nodes) < 2 or not isinstance(nodes[0], Tag) or self._place(nodes[0]) != "raised":
            return None
        stroke = nodes[1]
        words = stroke.get_text()
        if isinstance(stroke, Tag) and not _STROKE.fullmatch(words):
            return None
        below = nodes[2] if len(nodes) > 2 else None
        if _STROKE.fullmatch(words) and isinstance(below, Tag) and self._place(below) == "lowered":
            return _as_fraction(fraction(self.line_of(nodes[0]), self.line_of(below))), 3, ""
        on_the_line = _STROKE_AND_NUMBER.match(words)
        if on_the_line:
            written = fraction(self.line_of(nodes[0]), on_the_line[1])
            return _as_fraction(written), 2, _MARKS.sub(" ", words[on_the_line.end() :])
        return None

    def _stacked_fraction(self, element: Tag) -> str:
        """A fraction made of two stacked elements with a line between them; empty where it is none."""
        parts = [child for child in element.children if isinstance(child, Tag)]
        alone = all(isinstance(child, Tag) or not str(child).strip() for child in element.children)
        if len(parts) != 2 or not alone or any(self._display(part) not in _BREAKS_AROUND for part in parts):
            return ""
        above, below = parts
        if not (
            _BORDER.search(self._styles.declared(above, "border-bottom"))
            or _BORDER.search(self._styles.declared(below, "border-top"))
        ):
            return ""
        return _as_fraction(fraction(self.line_of(above), self.line_of(below)))

    def _display(self, element: Tag) -> str:
        return self._styles.declared(element, "display")

    def _parted(self, element: Tag, words: str) -> str:
        """Words with a line break on both sides where the page shows their element as a block."""
        return f"{_LINE_BREAK}{words}{_LINE_BREAK}" if self._display(element) in _BREAKS_AROUND else words

    def _base_inside_a_reading(self, reading: Tag) -> str:
        """What of a ruby reading is the word itself: all of it outside ruby, and further bases of an unclosed one."""
        ruby = reading.find_parent("ruby")
        if ruby is None:
            return self._of_all(list(reading.children))
        bases = (base for base in reading.find_all("rb") if base.find_parent("ruby") is ruby)
        return "".join(self._of_all(list(base.children)) for base in bases)


def _leads_to_a_note(element: Tag) -> bool:
    """Whether a raised number is the mark of a note: a link within the page, or what is called so."""
    around = [element, *element.parents][:3]
    for each in (*around, *element.find_all(True)):
        named = " ".join(
            [str(each.get("id", "")), *map(str, each.get_attribute_list("class")), str(each.get("role", ""))]
        )
        if _NOTE_CLASSES.search(named):
            return each.name in ("sup", "a", "span")
    links = [each for each in around if each.name == "a"] + element.find_all("a")
    return any("#" in str(link.get("href", "")) for link in links)


def _quoted(words: str) -> str:
    return words if words.strip().startswith(("「", "『", "“", '"')) else f"「{words}」"


def _as_fraction(words: str) -> str:
    return f"{_FRACTION}{words}{_FRACTION_END}"


def _settled(text: str) -> str:
    """Words whose fractions and pictures are written as their neighbours ask for."""
    while _MARKED_FRACTION.search(text):
        text = _MARKED_FRACTION.sub(_fraction_among_words, text, count=1)
    return _MARKED_PICTURE.sub(_picture_among_words, text)


def _fraction_among_words(found: re.Match[str]) -> str:
    before, behind = found.string[: found.start()], found.string[found.end() :]
    written = found[1]
    if before[-1:].isdigit() and written[:1].isdigit():
        return mixed_number(before[-1:], written)[1:]
    runs_on = re.match(rf"[0-9０-９A-Za-z{_FRACTION}(]", behind) or re.search(r"[A-Za-z)÷/／∕]\Z", before)
    return f"({written})" if runs_on else written


def _picture_among_words(found: re.Match[str]) -> str:
    """One or two characters among words are those characters themselves; so is a sign, wherever it stands."""
    described = found[1]
    if not described:
        return UNTOLD_PICTURE
    before, behind = found.string[: found.start()], found.string[found.end() :]
    signs = _count_of_signs(described)
    beside = _BESIDE_A_PICTURE.fullmatch(before[-1:]) or _BESIDE_A_PICTURE.fullmatch(behind[:1])
    if (signs <= 2 and beside) or (signs == 1 and not described[0].isalnum()):
        return described
    return f"（図：{described}）"


def _count_of_signs(text: str) -> int:
    """Characters as a reader counts them: what combines with the one before, and what chooses its shape, is none."""
    return sum(unicodedata.category(sign) not in ("Mn", "Me", "Cf") for sign in text)
