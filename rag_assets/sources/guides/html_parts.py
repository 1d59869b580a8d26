"""The part of a web page that is read, as headings and blocks of a guide; rendered Markdown is such a page too.

Which part of a page that is, is found in `web_page.py`. Words, lists and tables are read by `sources/html/`.
"""

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from rag_assets.japanese.characters import clip
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.base import Finding
from rag_assets.sources.guides.document import BodyBlock, Heading
from rag_assets.sources.html.blocks import Blocks, PageHeading
from rag_assets.sources.html.styles import Styles
from rag_assets.sources.html.visibility import leave_out_unseen

Parts = list[Heading | BodyBlock]

_FEWEST_LINKS = 3
"""In-page links that make a list one of contents, which repeats the headings below it."""
CONTENTS_HEADING = re.compile(
    r"(?:もく?じ|目\s*次|(?:table of )?contents|toc|on this page|このページの(?:内容|目次))", re.I
)
_FLOW = frozenset({"div", "section", "article", "main", "body", "details", "[document]"})
"""What holds blocks: a footnote moves behind the block of such an element that refers to it."""
_LONGEST_QUOTE = 80


def read_parts(page: BeautifulSoup, root: Tag) -> tuple[Parts, list[Finding]]:
    """The headings and blocks below an element, in reading order, and what was left out of them.

    What no reader sees and what is struck out goes; so do lists that only link to headings of the same page. A
    footnote stands behind the block that refers to it first. Code is read line by line.
    """
    styles = Styles(page)
    findings = [left.finding("page") for left in leave_out_unseen(root, styles)]
    findings += _leave_out_contents(root)
    _place_footnotes(page, root)
    _split_code(page, root)
    parts: Parts = []
    for item in Blocks(styles).inside(root):
        if isinstance(item, PageHeading):
            parts.append(Heading(level=item.level, text=item.words, anchor=item.anchor))
        else:
            parts.append(BodyBlock(item))
    return parts, findings


def quote(words: str) -> str:
    """The beginning of some words, on one line, as a finding shows them."""
    return clip(one_line(words), _LONGEST_QUOTE + 1)


def navigation_finding(words: str) -> Finding:
    """A note that navigation was left out."""
    return Finding(
        kind="note", topic="navigation", place="page", message="navigation, not text: left out", quote=quote(words)
    )


def _leave_out_contents(root: Tag) -> list[Finding]:
    """Take lists out that only link to headings of this page, with the heading 目次 above them."""
    findings: list[Finding] = []
    for found in root.find_all(["ul", "ol"]):
        if found.decomposed or not _is_contents_list(found):
            continue
        above = found.find_previous_sibling()
        if isinstance(above, Tag) and CONTENTS_HEADING.fullmatch(one_line(above.get_text())):
            above.decompose()
        findings.append(navigation_finding(found.get_text(" ")))
        found.decompose()
    return findings


def _is_contents_list(found: Tag) -> bool:
    links = found.find_all("a")
    if len(links) < _FEWEST_LINKS or not all(str(link.get("href", "")).startswith("#") for link in links):
        return False
    linked = "".join(link.get_text() for link in links)
    return re.sub(r"\s", "", found.get_text()) == re.sub(r"\s", "", linked)


def _place_footnotes(page: BeautifulSoup, root: Tag) -> None:
    """Put footnotes, which stand at the page's end, behind the block that refers to them first, with their mark."""
    placed: dict[int, Tag] = {}
    for note in root.find_all("li", id=True):
        back_links = [link for link in note.find_all("a", href=True) if _leads_back(link)]
        references = [
            link
            for link in root.find_all("a", href=f"#{note['id']}")
            if note not in link.parents and link not in back_links
        ]
        if not back_links or not references:
            continue
        mark = f"（注{re.sub(r'[^0-9A-Za-z*†]', '', references[0].get_text()) or len(placed) + 1}）"
        block = _block_around(references[0])
        for reference in references:
            raised = reference.parent
            alone = (
                raised is not None
                and raised.name == "sup"
                and one_line(raised.get_text()) == one_line(reference.get_text())
            )
            (raised if alone and raised is not None else reference).replace_with(NavigableString(mark))
        for link in back_links:
            link.decompose()
        moved = page.new_tag("div")
        for child in list(note.contents):
            moved.append(child.extract())
        first = moved.find("p")
        (first if isinstance(first, Tag) else moved).insert(0, NavigableString(mark))
        placed.get(id(block), block).insert_after(moved)
        placed[id(block)] = moved
        _remove_emptied(note)


def _leads_back(link: Tag) -> bool:
    classes = " ".join(link.get_attribute_list("class"))
    return (
        "backref" in classes
        or "footnote-back" in classes
        or link.get("role") == "doc-backlink"
        or (str(link["href"]).startswith("#") and one_line(link.get_text()) in ("↩", "↩︎", "↑", "^"))
    )


def _block_around(element: Tag) -> Tag:
    """The outermost element around one that stands directly in the flow of the page."""
    block = element
    for around in element.parents:
        if around.name in _FLOW:
            break
        block = around
    return block


def _remove_emptied(note: Tag) -> None:
    """Remove a note's list item, and its list and section once nothing is left in them."""
    around = note.parent
    note.decompose()
    while around is not None and around.name in ("ol", "ul", "section", "div") and not around.get_text(strip=True):
        emptied, around = around, around.parent
        emptied.decompose()


def _split_code(page: BeautifulSoup, root: Tag) -> None:
    """Make every line of preformatted text a paragraph of its own: its line breaks mean something."""
    for code in root.find_all("pre"):
        for line_break in code.find_all("br"):
            line_break.replace_with("\n")
        lines = page.new_tag("div")
        for line in _nonblank_lines(code.get_text()):
            paragraph = page.new_tag("p")
            paragraph.string = line
            lines.append(paragraph)
        code.replace_with(lines)


def _nonblank_lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())
