"""What of a web page a reader does not see, or sees struck out as void: taken out of the page and told.

After that, reading the page needs no more thought of it. A reader is one who sees the page as it opens on a screen;
what a click opens (`details`) counts as seen.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from rag_assets.japanese.characters import clip
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Model
from rag_assets.sources.base import Finding
from rag_assets.sources.html.styles import Styles, length

_INERT = frozenset(
    {
        *("script", "style", "noscript", "template", "title", "head", "meta", "link", "base", "datalist"),
        *("audio", "video", "canvas", "iframe", "noframes", "noembed", "param", "source", "track"),
        *("annotation", "annotation-xml", "button", "desc", "metadata", "defs"),
    }
)
"""Never text of the page: code, what other readers' machines would show instead, push buttons."""
_WITHOUT_WORDS = frozenset({"img", "input", "select", "textarea", "svg"})
"""What is seen without being words of the page itself."""
_STRUCK = frozenset({"s", "strike", "del"})
_PLACES = frozenset({"td", "th", "li"})
"""What keeps its place, and its number, when its words go: its neighbours stand where they stood."""
_PLACE_HOLDERS = frozenset({"tr", "thead", "tbody", "tfoot"})
_FAR = 900
"""Pixels, from which something is moved off the page on purpose."""
_PIXELS = {"em": 16, "rem": 16, "vw": 10, "vh": 10, "%": 10}
"""How many make up a unit, about; where it is a part of the window or of the element, of a small one."""
_LONGEST_QUOTE = 60
_WHITE = "#ffffff"
_COLOURS = {"white": _WHITE, "black": "#000000"}
_SEE_THROUGH = re.compile(r"transparent|(?:rgba|hsla)\(.*[,/]\s*0(?:\.0+)?%?\s*\)")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)\w*[\s,]|inset\(\s*(?:50|100)%|circle\(\s*0")


class UnreadWords(Model):
    """Words that stand in the page's source and are not read.

    Attributes:
        why: Not seen at all, or seen struck out.
        words: The words, shortened.
    """

    why: Literal["hidden", "struck"]
    words: str

    def finding(self, place: str) -> Finding:
        """What a person is told of it."""
        if self.why == "struck":
            topic, message = "struck text", "struck out (取消線), so it no longer holds: left out"
        else:
            topic, message = "hidden text", "in the page's source, but no reader sees it: left out"
        return Finding(kind="note", topic=topic, place=place, message=message, quote=self.words)


@dataclass(frozen=True, slots=True)
class _Looks:
    """What an element hands down to those inside it.

    Attributes:
        shown: Whether `visibility` lets words be seen.
        sized: Whether letters have a size.
        ink: Colour of the words; empty where it is not known.
        ground: Colour behind them; empty where it is not known.
    """

    shown: bool = True
    sized: bool = True
    ink: str = ""
    ground: str = ""

    def are_seen(self) -> bool:
        return self.shown and self.sized and not (self.ink and (self.ink == "transparent" or self.ink == self.ground))


def is_live(element: Tag, styles: Styles) -> bool:
    """Whether an element is part of what a reader sees: neither it nor anything around it is code, hidden or void."""
    looks = _Looks()
    for each in _from_outside(element):
        looks = _looks_inside(each, looks, styles)
        if each.name in _INERT or _is_hidden(each, styles) or _is_struck(each, styles):
            return False
    return looks.are_seen()


def leave_out_unseen(root: Tag, styles: Styles) -> list[UnreadWords]:
    """Take what no reader sees, and what is struck out, out of the page below `root`; gives back what that was."""
    looks = _Looks(ground=_WHITE if _has_no_other_styles(root) else "")
    for element in _from_outside(root):
        looks = _looks_inside(element, looks, styles)
    return list(_leave_out(root, looks, styles))


def _from_outside(element: Tag) -> Iterator[Tag]:
    """The elements around one, the outermost first, and itself."""
    yield from reversed([parent for parent in element.parents if not isinstance(parent, BeautifulSoup)])
    yield element


def _leave_out(element: Tag, looks: _Looks, styles: Styles) -> Iterator[UnreadWords]:
    for child in list(element.children):
        if isinstance(child, PreformattedString):
            child.extract()
        elif isinstance(child, NavigableString):
            if not looks.are_seen() and child.strip():
                yield from _told("hidden", child.extract())
        elif isinstance(child, Tag):
            if child.name in _INERT or (child.name in _WITHOUT_WORDS and not looks.shown):
                child.extract()
            elif _is_hidden(child, styles):
                yield from _told("hidden", child)
                _empty(child) if _keeps_its_place(child, styles) else child.extract()
            elif _is_struck(child, styles):
                yield from _told("struck", child)
                _empty(child)
            else:
                yield from _leave_out(child, _looks_inside(child, looks, styles), styles)


def _told(why: Literal["hidden", "struck"], what: Tag | NavigableString) -> Iterator[UnreadWords]:
    words = one_line(" ".join(_source_words(what)))
    if words:
        yield UnreadWords(why=why, words=clip(words, _LONGEST_QUOTE + 1))


def _source_words(what: Tag | NavigableString) -> Iterator[str]:
    if isinstance(what, NavigableString):
        if not isinstance(what, PreformattedString):
            yield str(what).strip()
    elif what.name == "img":
        yield str(what.get("alt", ""))
    elif what.name not in _INERT:
        for child in what.children:
            if isinstance(child, Tag | NavigableString):
                yield from _source_words(child)


def _empty(element: Tag) -> None:
    """Take an element's words away; cells and list items keep their places."""
    if element.name in _PLACES:
        element.clear()
    elif element.name in _PLACE_HOLDERS:
        for cell in element.find_all(["td", "th"]):
            cell.clear()
    else:
        element.extract()


def _keeps_its_place(element: Tag, styles: Styles) -> bool:
    """Whether what is hidden still takes up its room."""
    return not element.has_attr("hidden") and styles.declared(element, "display") != "none"


def _is_hidden(element: Tag, styles: Styles) -> bool:
    if element.get("aria-hidden") == "true" or element.name == "mphantom":
        return True
    if element.name == "input" and str(element.get("type", "")).lower() == "hidden":
        return True
    by_browser = (
        element.has_attr("hidden") or element.has_attr("popover") or (element.name == "dialog" and _is_closed(element))
    )
    if not styles.declares(element):
        return by_browser
    display = styles.declared(element, "display")
    return display == "none" or (by_browser and not display) or _is_out_of_sight(element, styles)


def _is_closed(dialog: Tag) -> bool:
    return not dialog.has_attr("open")


def _is_out_of_sight(element: Tag, styles: Styles) -> bool:
    def of(name: str) -> str:
        return styles.declared(element, name)

    if of("opacity") and length(of("opacity")) == 0:
        return True
    if of("content-visibility") == "hidden" or _is_far(of("text-indent")):
        return True
    if of("position") in ("absolute", "fixed", "relative") and any(map(_is_far, map(of, ("left", "right", "top")))):
        return True
    if _CLIPPED.match(of("clip") or of("clip-path")):
        return True
    flat = any(_is_nothing(of(name)) for name in ("height", "width", "max-height", "max-width"))
    return flat and of("overflow") in ("hidden", "clip")


def _is_nothing(value: str) -> bool:
    """Whether a size leaves nothing to be seen: style sheets say 1px where words are for screen readers only."""
    return length(value) == 0 or value == "1px"


def _is_far(value: str) -> bool:
    number = length(value)
    return number is not None and number * _PIXELS.get(value.lstrip("+-.0123456789"), 1) <= -_FAR


def _is_struck(element: Tag, styles: Styles) -> bool:
    line = styles.declared(element, "text-decoration-line")
    if "line-through" in line or "strike" in str(element.get("notation", "")):
        return True
    return element.name == "del" or (element.name in _STRUCK and not line)


def _looks_inside(element: Tag, looks: _Looks, styles: Styles) -> _Looks:
    if not (styles.declares(element) or element.has_attr("color") or element.has_attr("bgcolor")):
        return looks
    visibility = styles.declared(element, "visibility")
    size = styles.declared(element, "font-size")
    ink = _colour(
        styles.declared(element, "color") or (str(element.get("color", "")) if element.name == "font" else "")
    )
    ground = styles.declared(element, "background-color") or str(element.get("bgcolor", "")).lower()
    if visibility and visibility != "inherit":
        looks = replace(looks, shown=visibility == "visible")
    if size and size != "inherit":
        looks = replace(looks, sized=length(size) != 0)
    if ink and ink != "inherit":
        looks = replace(looks, ink=ink)
    if ground and not _SEE_THROUGH.match(ground) and ground not in ("none", "inherit", "initial"):
        looks = replace(looks, ground=_colour(ground))
    return looks


def _colour(value: str) -> str:
    """A colour in one way of writing; a word stays as it is, what may be a picture is unknown."""
    value = value.strip().lower()
    if _SEE_THROUGH.match(value):
        return "transparent"
    value = _COLOURS.get(value, value)
    if re.fullmatch(r"#[0-9a-f]{3}", value):
        return "#" + "".join(2 * digit for digit in value[1:])
    numbers = re.fullmatch(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*1(?:\.0+)?\s*)?\)", value)
    if numbers:
        return "#" + "".join(f"{min(int(number), 255):02x}" for number in numbers.groups())
    return value if re.fullmatch(r"#[0-9a-f]{6}|[a-z]+", value) else ""


def _has_no_other_styles(root: Tag) -> bool:
    """Whether the page has no style sheet outside it: where none is declared, the ground is white."""
    pages = [parent for parent in root.parents if isinstance(parent, BeautifulSoup)]
    return not any("stylesheet" in link.get_attribute_list("rel") for page in pages for link in page.find_all("link"))
