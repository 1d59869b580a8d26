"""Headings of web pages that have no heading elements: short lines told by their class names, weight and size.

Old pages of offices and companies have `<p class="midashi">`, `<font size="5"><b>…` or `<dt>` where others have `h2`.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile

from bs4 import Tag
from bs4.element import NavigableString, PreformattedString

from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.base import Finding

HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NAMES = re.compile(
    r"(?:^|[-_])(?:[a-z]{0,4}midashi|heading|headline|ttl|title|subtitle|h)[0-9]{0,2}(?:[-_]|$)|見出し", re.I
)
_BLOCKS = ("p", "div", "table", "ul", "ol", "dl", "pre", "blockquote", "hr", "dt", "dd", "li", *HEADINGS)
_LINES = ("p", "div", "dt")
_INLINE = ("font", "b", "strong", "big")
_MOST_LETTERS = 50
_ENDS_A_SENTENCE = re.compile(r"[。．、，,：:；;]$")
_LARGE = 4
"""Size of a `font` from which letters are larger than the text's 3."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An element that may be a heading, and how it looks: by its class name, or by its letters."""

    element: Tag
    look: str
    is_named: bool


def mark_headings(root: Tag) -> list[Finding]:
    """Make heading elements of the lines below an element that look like headings, where it has none but a title.

    Looks take levels in the order in which they first come up. A look that no class names has to come up twice.
    """
    present = root.find_all(HEADINGS)
    if len(present) > 1 or any(heading.name != "h1" for heading in present):
        return []
    candidates = [found for found in map(_find_look, root.find_all([*_LINES, *_INLINE])) if found]
    counts = Counter(candidate.look for candidate in candidates)
    first_words = next((string for string in root.find_all(string=True) if _is_seen(string)), None)
    levels: dict[str, int] = {}
    for candidate in candidates:
        element, look = candidate.element, candidate.look
        opens_page = not present and first_words is not None and any(each is element for each in first_words.parents)
        if opens_page and counts[look] == 1:
            element.name = "h1"
        elif candidate.is_named or counts[look] > 1:
            element.name = HEADINGS[min(levels.setdefault(look, len(levels) + 1), len(HEADINGS) - 1)]
    for group in root.find_all("dl"):
        _open_description_list(group)
    if not levels:
        return []
    count = sum(counts[look] for look in levels)
    return [
        Finding(
            kind="note",
            topic="headings by looks",
            place="page",
            message=(
                f"the page has no heading elements: {count} headings are told by their class names, weight and size"
            ),
        )
    ]


def _find_look(element: Tag) -> _Candidate | None:
    text = one_line(element.get_text())
    if not text or len(text) > _MOST_LETTERS or _ENDS_A_SENTENCE.search(text) or element.find(_BLOCKS):
        return None
    if element.name == "dt":
        return _Candidate(element, "dt", is_named=True) if _heads_blocks(element) else None
    if element.find_parent(["table", "li", "dl", "blockquote"]) is not None:
        return None
    names = [str(name) for name in element.get_attribute_list("class") if name and _NAMES.search(str(name))]
    if names and element.name in _LINES:
        return _Candidate(element, names[0], is_named=True)
    if element.name in _INLINE and not _is_alone_on_its_line(element):
        return None
    look = _letters_of(element)
    return _Candidate(element, look, is_named=False) if look else None


def _heads_blocks(term: Tag) -> bool:
    """Whether what a term of a list describes is a section, and no few words."""
    described = term.find_next_sibling(["dt", "dd"])
    return described is not None and described.name == "dd" and described.find(_BLOCKS) is not None


def _is_alone_on_its_line(element: Tag) -> bool:
    before, behind = element.previous_sibling, element.next_sibling
    while isinstance(before, NavigableString) and not before.strip():
        before = before.previous_sibling
    while isinstance(behind, NavigableString) and not behind.strip():
        behind = behind.next_sibling
    around = element.parent
    return (
        around is not None
        and around.name in ("div", "td", "body", "center", "main", "section", "article")
        and all(
            beside is None or (isinstance(beside, Tag) and beside.name in ("br", *_BLOCKS))
            for beside in (before, behind)
        )
    )


def _letters_of(element: Tag) -> str:
    """How all letters of an element stand out: their size, or that they are bold; empty where some do not."""
    sizes: set[int] = set()
    is_bold = True
    for string in filter(_is_seen, element.find_all(string=True)):
        around = [element, *takewhile(lambda each: each is not element, string.parents)]
        sizes.add(max((_size_of(each) for each in around), default=0))
        is_bold = is_bold and any(each.name in ("b", "strong") for each in around)
    size = min(sizes, default=0)
    if size >= _LARGE:
        return f"size {size}"
    return "bold" if is_bold and sizes else ""


def _size_of(element: Tag) -> int:
    if element.name == "big":
        return _LARGE
    told = re.fullmatch(r"(\+?)([1-7])", str(element.get("size", "")).strip()) if element.name == "font" else None
    return 0 if told is None else int(told[2]) + (3 if told[1] else 0)


def _is_seen(string: NavigableString) -> bool:
    return bool(string.strip()) and not isinstance(string, PreformattedString) and type(string) is NavigableString


def _open_description_list(group: Tag) -> None:
    """A list whose terms have become headings holds sections, and is none any more."""
    parts = group.find_all(["dt", "dd", *HEADINGS], recursive=False)
    if any(part.name in HEADINGS for part in parts):
        group.name = "div"
        for part in parts:
            part.name = "div" if part.name in ("dt", "dd") else part.name
