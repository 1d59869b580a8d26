"""A web page as a tree, without the insides of what stands around the part that is read.

On most sites menus hold several times as many elements as the text does, and building a tree of Python objects costs
far more than parsing.
"""

import re
from types import MappingProxyType
from typing import Any

from bs4 import BeautifulSoup
from bs4.builder._lxml import LXMLTreeBuilder
from lxml import etree

_MATHML = re.compile(r"^(?:m|mml|math|mathml):(?=m)")
_LOOKS = ("style", "link")
"""What tells of looks, wherever it stands."""


def page_around(text: str, part: str) -> BeautifulSoup:
    """The tree of a page, as BeautifulSoup's lxml builder makes it; only elements with the ID `part` are there in full.

    The elements around them are there too, and the siblings of those, so that style sheets select what they select
    on the page; siblings are empty, unless they hold style sheets or links to them. A page without such an element is
    there in full.
    """
    return BeautifulSoup(text, builder=_PartBuilder(part))


class _PartBuilder(LXMLTreeBuilder):
    """Builds the tree of a page around one part of it."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part

    def feed(self, markup: str | bytes) -> None:
        """Hand the page's elements on to BeautifulSoup, as the parser would, but for those that are not wanted."""
        root = self._parsed(markup) if isinstance(markup, str) and self._part in markup else None
        parts = [] if root is None else [element for element in root.iter() if element.get("id") == self._part]
        if root is None or not parts:
            super().feed(markup)
            return
        opened = {around for element in (*parts, *root.iter(*_LOOKS)) for around in (element, *element.iterancestors())}
        self._replay(root, opened, set(parts))

    def start(self, tag: str | bytes, attrib: Any, nsmap: Any = MappingProxyType({})) -> None:
        """MathML of pages written as XHTML, `m:mfrac`, has the names that it has in HTML."""
        super().start(_MATHML.sub("", str(tag)), attrib, dict(nsmap))

    def end(self, tag: str | bytes) -> None:
        """See `start`."""
        super().end(_MATHML.sub("", str(tag)))

    def _parsed(self, markup: str) -> etree._Element | None:
        parser = etree.HTMLParser(recover=True, huge_tree=True)
        try:
            parser.feed(markup)
            return parser.close()
        except etree.LxmlError:
            return None

    def _replay(self, root: etree._Element, opened: set[etree._Element], parts: set[etree._Element]) -> None:
        inside = 0
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, node in walk:
            if event == "start":
                self.start(node.tag, dict(node.attrib))
                inside += node in parts
                if inside or node in opened:
                    self._words(node.text)
                else:
                    walk.skip_subtree()
                continue
            if event == "end":
                inside -= node in parts
                self.end(node.tag)
            elif event == "comment":
                self.comment(node.text or "")
            self._words(node.tail)

    def _words(self, text: str | None) -> None:
        if text:
            self.data(text)
