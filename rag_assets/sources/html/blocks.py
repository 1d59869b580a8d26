"""The inside of a web page as headings, paragraphs, list items, notes and tables, in reading order.

How words are read inside a block is in `words.py`; what a reader does not see has been taken out before, by
`visibility.py`. Nothing here knows a site.
"""

import re
from collections.abc import Iterable, Iterator

from bs4 import Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from rag_assets.model import Block, Model, TextBlock
from rag_assets.sources.html.lists import ListNumbers
from rag_assets.sources.html.styles import Styles
from rag_assets.sources.html.tables import read_table, strays_in
from rag_assets.sources.html.words import Words

NOTE = re.compile(r"^(?:[（(]注|※|注[）)\d０-９])")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_ITEMS = frozenset({"li", "dt", "dd"})
_CONTAINERS = frozenset(
    {
        *("div", "section", "article", "main", "aside", "header", "footer", "center", "blockquote", "pre", "address"),
        *("form", "fieldset", "legend", "figure", "figcaption", "details", "summary", "hr", "nav", "search", "hgroup"),
        *("dialog", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"),
    }
)
"""Parts of a table are here for those that stand in none."""
_BLOCKS = frozenset({"p", "table", *_LISTS, *_ITEMS, *_HEADINGS, *_CONTAINERS})
_WITHOUT_BLOCKS = frozenset({"math", "select", "textarea", "ruby"})
"""What is read as words, whatever stands in it."""
_FIGURE = re.compile(r"[0-9０-９.．,，]")


class PageHeading(Model):
    """A heading of the page.

    Attributes:
        level: 1 is the highest.
        words: What it says.
        anchor: The name that links give it; empty where it has none.
    """

    level: int
    words: str
    anchor: str = ""


class Blocks:
    """Reads the blocks of one page."""

    def __init__(self, styles: Styles) -> None:
        self.words = Words(styles)
        self._numbers = ListNumbers(styles)

    def inside(self, element: Tag) -> Iterator[PageHeading | Block]:
        """The flow inside an element; words between two blocks are a paragraph."""
        return self._flow(element.children, depth=0)

    def _flow(self, nodes: Iterable[PageElement], depth: int) -> Iterator[PageHeading | Block]:
        inline: list[PageElement] = []
        for node in nodes:
            if isinstance(node, PreformattedString):
                continue
            if isinstance(node, Tag) and (node.name in _BLOCKS or _holds_blocks(node)):
                yield from self._text_block(inline, depth)
                inline = []
                yield from self._block(node, depth)
            elif isinstance(node, Tag | NavigableString):
                inline.append(node)
        yield from self._text_block(inline, depth)

    def _block(self, element: Tag, depth: int) -> Iterator[PageHeading | Block]:
        if element.name in _HEADINGS:
            words = self.words.line_of(element)
            if words:
                yield PageHeading(level=_HEADINGS[element.name], words=words, anchor=_anchor(element))
        elif element.name == "table":
            yield from self._flow(strays_in(element), depth)
            table = read_table(element, self._cell_text)
            if table is not None:
                yield table
        elif element.name in _LISTS:
            straight_in_list = element.parent is not None and element.parent.name in _LISTS
            yield from self._flow(element.children, depth + straight_in_list)
        elif element.name in _ITEMS:
            yield from self._item(element, depth)
        else:
            yield from self._flow(element.children, depth)

    def _item(self, element: Tag, depth: int) -> Iterator[PageHeading | Block]:
        number = self._numbers.number_of(element) if element.name == "li" else ""
        for inner in self._flow(element.children, depth + 1):
            block = _as_item(inner, depth)
            if not number:
                yield block
            elif isinstance(block, PageHeading):
                yield block.model_copy(update={"words": _numbered(number, block.words)})
            elif isinstance(block, TextBlock):
                yield block.model_copy(update={"text": _numbered(number, block.text)})
            else:
                yield TextBlock(kind="item", text=number, depth=depth)
                yield block
            number = ""

    def _text_block(self, nodes: list[PageElement], depth: int) -> Iterator[TextBlock]:
        text = self.words.line(nodes)
        if text:
            yield TextBlock(kind="note" if NOTE.match(text) else "paragraph", text=text, depth=depth)

    def _cell_text(self, cell: Tag) -> str:
        words: list[str] = []
        for item in self.inside(cell):
            if isinstance(item, PageHeading):
                words.append(item.words)
            elif isinstance(item, TextBlock):
                words.append(item.text)
            else:
                words.extend(text for text in (item.caption, *(inner.text for inner in item.cells)) if text)
        return "　".join(words)


def _anchor(heading: Tag) -> str:
    """The name of a heading, its own or that of an empty link inside it."""
    named = (str(each.get("id") or each.get("name") or "") for each in (heading, *heading.find_all("a", href=False)))
    return next(filter(None, named), "")


def _holds_blocks(element: Tag) -> bool:
    return element.name not in _WITHOUT_BLOCKS and any(
        isinstance(inner, Tag) and inner.name in _BLOCKS for inner in element.descendants
    )


def _as_item(inner: PageHeading | Block, depth: int) -> PageHeading | Block:
    if isinstance(inner, TextBlock) and inner.kind == "paragraph":
        return inner.model_copy(update={"kind": "item", "depth": depth})
    return inner


def _numbered(number: str, text: str) -> str:
    """Number and words; before a figure the blank is a wide one, so that nobody reads the two as one number."""
    return f"{number}{'　' if _FIGURE.match(text) else ' '}{text}"
