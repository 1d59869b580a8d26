"""What a page declares of an element's looks, in its style attribute and in style sheets inside the page.

Only properties that change what a reader takes in are kept: whether words are seen, struck, raised or numbered. Style
sheets in files of their own are not read. What follows from a property belongs to the modules that ask for it.
"""

import re
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Tag
from soupsieve import SelectorSyntaxError

_KEPT = frozenset(
    {
        *("display", "visibility", "opacity", "content-visibility", "color", "background-color", "font-size"),
        *("position", "left", "right", "top", "bottom", "text-indent", "clip", "clip-path", "overflow"),
        *("width", "height", "max-width", "max-height", "text-decoration-line", "vertical-align"),
        *("font-variant-position", "list-style-type", "border-bottom", "border-top", "white-space"),
    }
)
_SHORT = {
    "text-decoration": "text-decoration-line",
    "list-style": "list-style-type",
    "background": "background-color",
    "border-bottom-style": "border-bottom",
    "border-top-style": "border-top",
    "overflow-y": "overflow",
    "overflow-x": "overflow",
}
"""Shorthands, and single properties that say the same here, by the property that they set."""

_STRING = r"""\"(?:\\.|[^"\\])*\"|'(?:\\.|[^'\\])*'"""
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_TURN = re.compile(rf"{_STRING}|[{{}};]", re.DOTALL)
_COMMA = re.compile(rf"{_STRING}|[()\[\],]", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_LIST_PLACE = re.compile(r"\b(?:inside|outside)\b|url\([^)]*\)")
_TRANSPARENT_GROUPS = ("@supports", "@layer", "@container", "@scope")
_NARROW_MEDIA = re.compile(r"max-|print|speech|portrait|prefers-|^\s*not\b", re.IGNORECASE)
"""Media that a reader at an ordinary screen does not use."""
_NO_STYLE = ("noscript", "template", "svg")

_Rank = tuple[bool, bool, tuple[int, int, int], int]
"""What wins: `!important`, the style attribute, the more specific selector, the later rule."""


class Styles:
    """The declarations in force, by element, after the rules of the cascade."""

    def __init__(self, page: BeautifulSoup) -> None:
        self._declared: dict[int, dict[str, tuple[_Rank, str]]] = {}
        order = 0
        elements = [element for element in page.descendants if isinstance(element, Tag)]
        for sheet in elements:
            if (
                sheet.name != "style"
                or sheet.find_parent(_NO_STYLE)
                or not _is_for_screens(str(sheet.get("media", "")))
            ):
                continue
            for selector, declarations in _rules(_COMMENT.sub("", sheet.get_text())):
                kept = list(_kept(declarations))
                if not kept:
                    continue
                order += 1
                for one in _parts(selector):
                    rank = _specificity(one)
                    for element in _selected(page, one):
                        self._declare(element, kept, inline=False, specificity=rank, order=order)
        for element in elements:
            if element.has_attr("style"):
                self._declare(element, _kept(str(element["style"])), inline=True, specificity=(0, 0, 0), order=0)

    def declares(self, element: Tag) -> bool:
        """Whether the page declares anything for an element itself: of most elements it does not."""
        return id(element) in self._declared

    def declared(self, element: Tag, name: str) -> str:
        """The value that the page declares for an element itself, in small letters; empty where it declares none."""
        own = self._declared.get(id(element))
        found = own.get(name) if own else None
        return found[1] if found else ""

    def inherited(self, element: Tag, name: str) -> str:
        """The value declared for the element or, failing that, for the nearest element around it."""
        for around in (element, *element.parents):
            value = self.declared(around, name)
            if value and value != "inherit":
                return value
        return ""

    def _declare(
        self,
        element: Tag,
        declarations: Iterable[tuple[str, str, bool]],
        *,
        inline: bool,
        specificity: tuple[int, int, int],
        order: int,
    ) -> None:
        own = self._declared.setdefault(id(element), {})
        for name, value, important in declarations:
            rank = (important, inline, specificity, order)
            if name not in own or own[name][0] <= rank:
                own[name] = rank, value


def length(value: str) -> float | None:
    """The number of a CSS length or percentage, whatever its unit; None for a word."""
    found = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)", value)
    return float(found[0]) if found else None


def _kept(declarations: str) -> Iterator[tuple[str, str, bool]]:
    for name, value, important in _declarations(declarations):
        if name == "list-style":
            yield "list-style-type", _list_type(value), important
        elif _SHORT.get(name, name) in _KEPT:
            yield _SHORT.get(name, name), value, important


def _declarations(text: str) -> Iterator[tuple[str, str, bool]]:
    for part in _COMMENT.sub("", text).split(";"):
        name, _, value = part.partition(":")
        plain = _IMPORTANT.sub("", value)
        if plain.strip():
            yield name.strip().lower(), plain.strip().lower(), plain != value


def _list_type(value: str) -> str:
    """The type in a `list-style`, which may also name a place and a picture."""
    words = _LIST_PLACE.sub(" ", value).split()
    return words[0] if words else "disc"


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Selector and declarations of every rule that holds on a screen, groups such as `@media` opened."""
    start, depth, opened = 0, 0, 0
    for turn in _TURN.finditer(css):
        if turn[0] == ";" and not depth:
            start = turn.end()
        elif turn[0] == "{":
            depth += 1
            opened = turn.start() if depth == 1 else opened
        elif turn[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield from _rule(css[start:opened].strip(), css[opened + 1 : turn.start()])
                start = turn.end()


def _rule(head: str, body: str) -> Iterator[tuple[str, str]]:
    if not head.startswith("@"):
        yield head, body
    elif head.lower().startswith(_TRANSPARENT_GROUPS) or (
        head.lower().startswith("@media") and _is_for_screens(head[len("@media") :])
    ):
        yield from _rules(body)


def _is_for_screens(media: str) -> bool:
    return any(not _NARROW_MEDIA.search(query) for query in media.split(","))


def _parts(selector: str) -> list[str]:
    """The selectors of a list, parted at commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for turn in _COMMA.finditer(selector):
        if turn[0] in "([":
            depth += 1
        elif turn[0] in ")]":
            depth -= 1
        elif turn[0] == "," and not depth:
            parts.append(selector[start : turn.start()])
            start = turn.end()
    return [part.strip() for part in (*parts, selector[start:]) if part.strip()]


def _selected(page: BeautifulSoup, selector: str) -> list[Tag]:
    """The elements of a selector; none where it is about what is no element (`::before`) or is no selector."""
    try:
        return page.select(selector)
    except (SelectorSyntaxError, NotImplementedError):
        return []


def _specificity(selector: str) -> tuple[int, int, int]:
    bare = re.sub(_STRING, "", selector)
    ids = len(re.findall(r"#[\w-]", bare))
    classes = len(re.findall(r"\.[\w-]|\[|(?<!:):(?!:)(?!is\b|where\b|not\b)[\w-]", bare))
    names = len(re.findall(r"(?:^|[\s>+~(])[a-zA-Z]", bare))
    return ids, classes, names
