"""Small pages for the tests of reading HTML."""

from bs4 import BeautifulSoup, Tag

from rag_assets.model import Block, Table, TextBlock
from rag_assets.sources.html.blocks import Blocks, PageHeading
from rag_assets.sources.html.styles import Styles
from rag_assets.sources.html.visibility import UnreadWords, leave_out_unseen
from rag_assets.sources.html.words import Words


def page_of(html: str, css: str = "") -> tuple[BeautifulSoup, Styles]:
    """A page with these elements in its body and this style sheet in its head."""
    page = BeautifulSoup(f"<html><head><style>{css}</style></head><body>{html}</body></html>", "lxml")
    return page, Styles(page)


def body_of(page: BeautifulSoup) -> Tag:
    """The page's body."""
    assert isinstance(page.body, Tag)
    return page.body


def words_of(html: str, css: str = "") -> str:
    """The words of some inline elements, on one line."""
    page, styles = page_of(html, css)
    return Words(styles).line_of(body_of(page))


def seen_in(html: str, css: str = "") -> tuple[list[str], list[UnreadWords]]:
    """The blocks that a reader sees, a line each, and what was left out."""
    page, styles = page_of(html, css)
    left_out = leave_out_unseen(body_of(page), styles)
    return [_line(block) for block in Blocks(styles).inside(body_of(page))], left_out


def lines_of(html: str, css: str = "") -> list[str]:
    """The blocks that a reader sees, a line each; cells are parted by strokes, rows by double ones."""
    return seen_in(html, css)[0]


def _line(block: PageHeading | Block) -> str:
    if isinstance(block, PageHeading):
        return block.words
    if isinstance(block, TextBlock):
        return "　" * block.depth + block.text
    return _rows(block)


def _rows(table: Table) -> str:
    rows = range(max(cell.row for cell in table.cells) + 1)
    lines = ("｜".join(cell.text for cell in table.cells if cell.row == row) for row in rows)
    return "‖".join(filter(None, (table.caption, *lines)))
