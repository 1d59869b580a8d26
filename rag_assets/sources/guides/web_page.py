"""Guides that are web pages: where on the page the guide stands, and what it is called.

What stands there is read by `html_parts.py`.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from rag_assets.japanese.encodings import UndecodableError, decode_html
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.guides.document import GuideDocument
from rag_assets.sources.guides.html_parts import Parts, navigation_finding, read_parts
from rag_assets.sources.guides.markdown import split_title
from rag_assets.sources.guides.page_panels import open_panels
from rag_assets.sources.guides.unmarked_headings import HEADINGS, mark_headings
from rag_assets.sources.html.styles import Styles
from rag_assets.sources.html.words import Words

_MAIN_NAMES = re.compile(
    r"(?:main|article|entry|post|page)[-_]?(?:content|body|text)|content|contents|main|markdown-body|td-content"
    r"|theme-doc-markdown|md-content|honbun|本文",
    re.I,
)
_ALWAYS_AROUND = ("nav", "aside", "footer")
_AROUND_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "doc-toc", "menu", "menubar"}
)
_AROUND_NAMES = re.compile(
    r"(?:^|[-_])(?:nav|navi|navbar|gnav|lnav|navigation|breadcrumbs?|topic-?path|pankuzu|toc|table-of-contents|sidebar"
    r"|side-?menu|menu|footer|pagination|pager|prev-?next|share|sns|social|related|skip|skip-?link|page-?top|search"
    r"|edit-?this-?page|feedback|copyright|cookie|advertisement|headerlink|header-?anchor|anchor-?link)(?:[-_]|$)",
    re.I,
)
_PERMALINKS = re.compile(r"[#¶§🔗\u200b\s]*")
_COPYRIGHT = re.compile(r"(?:copyright|©|\(c\)|（c）).{0,120}", re.I)
_BREADCRUMB = re.compile(r"(?:ホーム|home|トップ(?:ページ)?|top(?:ページ)?)\s*[>＞»›]\s*\S.{0,200}", re.I)
_LEADS_UP = re.compile(
    r"[▲△↑⬆\s]*(?:(?:この)?ページの?(?:先頭|トップ|上部?)|page\s?top|トップ|top|先頭|上|目次)?(?:へ|に)?(?:戻る|もどる)?[▲△↑⬆\s]*",
    re.I,
)
"""What links to the head of the page say: ▲ページの先頭へ, 目次へ戻る."""
_MOST_LINKED = 0.6
"""Share of a block's words that stand in links, from which it is a menu."""
_MENU_LINKED = 0.95
"""Share from which a list or a cell without a name for it is one."""
_FEWEST_MENU_LINKS = 3
_LEAST_SHARE = 0.5
"""Of the page's text without navigation, that the part found has to hold; else the whole page is read."""
_DATE_NAMES = re.compile(
    r"(?:article:)?modified_time|last-modified|dcterms\.modified|dc\.date\.modified|revised|date\.?modified|date"
    r"|dcterms\.date|dc\.date",
    re.I,
)


def read_web_page(file: BinaryIO) -> GuideDocument:
    """A web page as a guide.

    Raises:
        DocumentError: Its bytes are no text, or it is nested too deeply.
    """
    try:
        page = BeautifulSoup(decode_html(file.read()).text, "lxml")
        return _read_page(page)
    except UndecodableError as error:
        raise DocumentError(f"{error}; save the page in UTF-8") from error
    except RecursionError as error:
        raise DocumentError("its elements are nested too deeply to be read") from error


def _read_page(page: BeautifulSoup) -> GuideDocument:
    body = page.body
    if frames := page.find_all("frame", src=True):
        return GuideDocument(parts=(), findings=(_tell_frames(frames),))
    if not isinstance(body, Tag):
        return GuideDocument(parts=())
    title = one_line(page.title.get_text()) if page.title else ""
    dated = _find_date(page)
    findings = [*_unfold_layout_tables(body), *_leave_out_navigation(body)]
    open_panels(body)
    root = _find_main(body)
    findings += mark_headings(root)
    findings += _tell_left_out(body, root)
    headline = _headline(page, body, root)
    parts, left_out = read_parts(page, root)
    own, below = split_title(parts)
    if own:
        title, parts = own, below
    elif headline:
        title = headline
    return GuideDocument(parts=tuple(parts), title=title, dated=dated, findings=(*findings, *left_out))


def _find_date(page: BeautifulSoup) -> str:
    """The date that the page's head tells; the name that speaks of a change goes first."""
    told = {
        str(meta.get("name") or meta.get("property") or "").lower(): str(meta.get("content", "")).strip()
        for meta in page.find_all("meta")
    }
    named = [name for name, content in told.items() if content and _DATE_NAMES.fullmatch(name)]
    return told[min(named, key=lambda name: "modif" not in name and "revis" not in name)] if named else ""


def _tell_frames(frames: list[Tag]) -> Finding:
    return Finding(
        kind="note",
        topic="frames",
        place="page",
        message=(
            "the page only places others in frames, and holds no text: give those that do, of "
            f"{', '.join(str(frame['src']) for frame in frames)}"
        ),
    )


def _unfold_layout_tables(body: Tag) -> Iterator[Finding]:
    """Make divisions of the cells of tables that only place parts of the page, and leave cells of links out.

    A table places parts where its cells hold headings or tables and none is a heading cell. Where they only hold
    tables, it has no border, and one cell has most of the words. Inner tables go first: what they place stands in the
    cells of the outer one then.
    """
    for table in reversed(body.find_all("table")):
        inside = [element for element in table.find_all(True) if element.find_parent("table") is table]
        names = {element.name for element in inside}
        if not names.isdisjoint(("th", "caption")):
            continue
        if names.isdisjoint(HEADINGS) and not ("table" in names and _is_filled_by_one_cell(table, inside)):
            continue
        for element in inside:
            if element.decomposed:
                continue
            if element.name == "td" and _is_cell_of_links(element):
                yield navigation_finding(_words(element))
                element.decompose()
            elif element.name in ("tbody", "thead", "tfoot", "tr", "td"):
                element.name = "div"
        table.name = "div"


def _is_filled_by_one_cell(table: Tag, inside: list[Tag]) -> bool:
    cells = [len(_words(element)) for element in inside if element.name == "td"]
    return str(table.get("border", "0")).strip() in ("", "0") and max(cells, default=0) > _LEAST_SHARE * sum(cells)


def _is_cell_of_links(cell: Tag) -> bool:
    return len(cell.find_all("a")) >= _FEWEST_MENU_LINKS and _link_share(cell) > _MENU_LINKED


def _leave_out_navigation(body: Tag) -> Iterator[Finding]:
    for element in list(body.find_all(True)):
        if element.decomposed:
            continue
        if _is_permalink(element):
            element.decompose()
        elif _leads_up(element):
            yield navigation_finding(_words(element))
            element.decompose()
        elif element is not body and (_is_around(element) or _is_menu(element)):
            words = _words(element)
            if words:
                yield navigation_finding(words)
            element.decompose()


def _is_permalink(element: Tag) -> bool:
    """A sign beside a heading that links to it."""
    return (
        element.name == "a"
        and element.find_parent(HEADINGS) is not None
        and not element.get("id")
        and not element.get("name")
        and _PERMALINKS.fullmatch(element.get_text()) is not None
        and element.find("img") is None
    )


def _leads_up(element: Tag) -> bool:
    """A link to the head of the page, which its words and its address tell."""
    words = _words(element) if element.name == "a" and str(element.get("href", "")).startswith("#") else ""
    return bool(words) and _LEADS_UP.fullmatch(words) is not None


def _is_around(element: Tag) -> bool:
    """Whether an element says of itself that it stands around the text; a header with a heading belongs to it."""
    if element.name in _ALWAYS_AROUND:
        return not _is_note(element)
    roles = set(element.get_attribute_list("role"))
    if roles & _AROUND_ROLES:
        return element.find("main") is None
    if element.name == "header":
        return element.find(HEADINGS) is None
    if element.name in ("main", "article", "body", "html", *HEADINGS, "td", "th", "tr", "table", "p", "li"):
        return False
    names = [str(name) for name in (*element.get_attribute_list("class"), element.get("id") or "") if name]
    return (
        any(_AROUND_NAMES.search(name) for name in names)
        and element.find(["main", "article"]) is None
        and (element.find(HEADINGS) is None or _link_share(element) > _MOST_LINKED or _is_list_of_contents(names))
    )


def _is_list_of_contents(names: list[str]) -> bool:
    return any(re.search(r"(?:^|[-_])(?:toc|table-of-contents)(?:[-_]|$)", name, re.I) for name in names)


def _is_note(element: Tag) -> bool:
    """Whether an aside or footer holds footnotes, which belong to the text, or is a hint inside the text."""
    roles = set(element.get_attribute_list("role"))
    if roles & {"doc-endnotes", "doc-footnote", "note"} or "footnotes" in element.get_attribute_list("class"):
        return True
    return (
        element.name == "aside"
        and element.find_parent(["main", "article"]) is not None
        and (_link_share(element) <= _MOST_LINKED)
    )


def _is_menu(element: Tag) -> bool:
    """Whether a list outside the text holds nothing but links to other pages, or a block is a copyright line."""
    if element.name in ("p", "div", "small", "address") and _COPYRIGHT.fullmatch(_words(element)):
        return True
    if element.name in ("p", "div", "ul", "ol") and element.find("a") and _BREADCRUMB.fullmatch(_words(element)):
        return True
    if element.name not in ("ul", "ol") or element.find_parent(["main", "article", "li", "td"]) is not None:
        return False
    links = element.find_all("a")
    return (
        len(links) >= _FEWEST_MENU_LINKS
        and _link_share(element) > _MENU_LINKED
        and element.find_previous(HEADINGS) is None
    )


def _link_share(element: Tag) -> float:
    whole = len(re.sub(r"\s", "", _words(element)))
    linked = sum(len(re.sub(r"\s", "", link.get_text())) for link in element.find_all("a"))
    return linked / whole if whole else 0.0


def _find_main(body: Tag) -> Tag:
    """The element that holds the text: main, article, what is called so, or else the whole body."""
    whole = len(_words(body))
    by_role = [element for element in body.find_all(True) if element.get("role") == "main"]
    named = [
        element
        for element in body.find_all(["div", "section"])
        if any(
            _MAIN_NAMES.fullmatch(str(name)) for name in (*element.get_attribute_list("class"), element.get("id") or "")
        )
    ]
    for candidates in (body.find_all("main"), by_role, body.find_all("article"), named):
        largest = max(candidates, key=lambda element: len(_words(element)), default=None)
        if largest is not None and len(_words(largest)) >= _LEAST_SHARE * whole:
            return largest
    return body


def _tell_left_out(body: Tag, root: Tag) -> list[Finding]:
    """What stands on the page beside the part that is read."""
    if root is body:
        return []
    inside = {id(each) for each in root.descendants}
    words = " ".join(
        str(string)
        for string in body.find_all(string=True)
        if id(string) not in inside
        and not isinstance(string, PreformattedString)
        and string.find_parent(["script", "style", "noscript", "template"]) is None
        and string.strip()
        and string.find_parent("h1") is None
    )
    return [navigation_finding(words)] if words.strip() else []


def _headline(page: BeautifulSoup, body: Tag, root: Tag) -> str:
    """The page's only h1, where it stands above the part that is read."""
    found = [heading for heading in body.find_all("h1") if root is body or root not in heading.parents]
    return Words(Styles(page)).line_of(found[0]) if root is not body and len(found) == 1 else ""


def _words(element: Tag) -> str:
    return one_line(
        " ".join(
            str(string)
            for string in element.find_all(string=True)
            if type(string) is NavigableString and string.find_parent(["script", "style"]) is None
        )
    )


__all__ = ["Parts", "read_web_page"]
