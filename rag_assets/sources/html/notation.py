"""How a web page marks raised and lowered words, stacked fractions and the marks of notes: by tags, styles, classes.

How such notation is then written on one line belongs to `japanese/raised.py`.
"""

import re
from typing import Literal

from bs4 import Tag
from bs4.element import NavigableString

from rag_assets.sources.html.styles import Styles, length

Place = Literal["raised", "lowered", ""]

SHOWN_AS_BLOCK = frozenset({"block", "list-item", "table", "table-row", "flex", "grid"})
"""Values of `display` that part an element from what stands beside it."""
STROKE = re.compile(r"\s*[\u2044\u2215/／]\s*")
"""What stands between the two numbers of a fraction."""

_TAGS: dict[str, Place] = {"sup": "raised", "sub": "lowered"}
_CLASSES: dict[str, Place] = {"sup": "raised", "superscript": "raised", "sub": "lowered", "subscript": "lowered"}
_AT_AN_EDGE: dict[str, Place] = {"text-top": "raised", "top": "raised", "text-bottom": "lowered", "bottom": "lowered"}
"""Where small letters stand at an edge of the line; larger words, and words, may do so to look well."""
_SMALL_NUMBER = re.compile(r"[0-9０-９]{1,3}")
_SMALL_SIZES = ("smaller", "small", "x-small", "xx-small")
_SIZE_OF_TEXT = {"px": 12, "pt": 9}
"""What letters smaller than this are smaller than, where nothing tells the size of those around them."""

_FRACTION_CLASSES = re.compile(r"(?<![a-z])(?:frac|bunsu)", re.IGNORECASE)
_LINE = re.compile(r"\b(?:solid|double|dotted|dashed)\b|^(?!0)[\d.]+\w*\b(?!.*none)")

_NOTE_NUMBER = re.compile(r"\[?(?:注\s*)?([0-9０-９]{1,3}|[a-z])\s*[\]）)]?|注\s*[）)]?")
_NOTE_NAMES = re.compile(r"foot-?note|note-?ref|fnref|\breference\b", re.IGNORECASE)


def place_of(element: Tag, styles: Styles) -> Place:
    """Whether an inline element is set above or below the line; neither for one that is only moved to look well."""
    if element.name in _TAGS:
        return _TAGS[element.name]
    if element.name in ("td", "th"):
        return ""
    align = styles.declared(element, "vertical-align")
    variant = styles.declared(element, "font-variant-position")
    if "super" in (align, variant):
        return "raised"
    if "sub" in (align, variant):
        return "lowered"
    moved = length(align) or 0.0
    if not moved and styles.declared(element, "position") == "relative":
        moved = -(length(styles.declared(element, "top")) or 0.0) or length(styles.declared(element, "bottom")) or 0.0
    if moved and _is_smaller(element, styles):
        return "raised" if moved > 0 else "lowered"
    if align in _AT_AN_EDGE and _SMALL_NUMBER.fullmatch(element.get_text(strip=True)) and _is_smaller(element, styles):
        return _AT_AN_EDGE[align]
    return _place_by_class(element)


def note_mark(element: Tag, words: str) -> str:
    """The raised mark of a note as （注1）, so that it is no exponent; empty where the words are no such mark.

    A number is one where it links within the page or is called so; 注1 says so itself.
    """
    found = _NOTE_NUMBER.fullmatch(words)
    is_mark = found is not None and (words.startswith("注") or _leads_to_a_note(element))
    return f"（注{found[1] or ''}）" if found and is_mark else ""


def stacked_fraction(element: Tag, styles: Styles) -> tuple[Tag, Tag] | None:
    """The two parts of a fraction whose elements stand one over the other, with a line between or called a fraction."""
    strings = (child for child in element.children if isinstance(child, NavigableString))
    if any(string.strip() and not STROKE.fullmatch(string) for string in strings):
        return None
    tags = [child for child in element.children if isinstance(child, Tag)]
    parts = [tag for tag in tags if (words := tag.get_text().strip()) and not STROKE.fullmatch(words)]
    if len(parts) != 2:
        return None
    above, below = parts
    is_one = _FRACTION_CLASSES.search(_classes(element)) or _has_line_between(above, below, styles)
    return (above, below) if is_one else None


def _is_smaller(element: Tag, styles: Styles) -> bool:
    """Whether letters are set smaller than those around them."""
    size = styles.declared(element, "font-size")
    number = length(size)
    if number is None:
        return size in _SMALL_SIZES
    unit = _unit(size)
    if unit in ("%", "em", "rem", "ex"):
        return number < (100 if unit == "%" else 1)
    around = styles.inherited(element.parent, "font-size") if element.parent is not None else ""
    known = length(around) if _unit(around) == unit else None
    return number < (known or _SIZE_OF_TEXT.get(unit, 0))


def _unit(size: str) -> str:
    return size.lstrip("+-.0123456789")


def _place_by_class(element: Tag) -> Place:
    """The place of a small number that has it only by its class, whose look is in a style sheet that is not here."""
    places = {_CLASSES[name] for name in _classes(element).lower().split() if name in _CLASSES}
    return places.pop() if len(places) == 1 and _SMALL_NUMBER.fullmatch(element.get_text(strip=True)) else ""


def _classes(element: Tag) -> str:
    return " ".join(map(str, element.get_attribute_list("class"))) if element.has_attr("class") else ""


def _has_line_between(above: Tag, below: Tag, styles: Styles) -> bool:
    stacked = all(styles.declared(part, "display") in SHOWN_AS_BLOCK for part in (above, below))
    lines = (styles.declared(above, "border-bottom"), styles.declared(below, "border-top"))
    return stacked and any(map(_LINE.search, lines))


def _leads_to_a_note(element: Tag) -> bool:
    around = [each for each in [element, *element.parents][:3] if each.name in ("sup", "a", "span")]
    for each in (*around, *element.find_all(True)):
        href = str(each.get("href", ""))
        named = " ".join([_classes(each), str(each.get("id", "")), str(each.get("role", "")), href])
        if href.startswith("#") or _NOTE_NAMES.search(named):
            return True
    return False
