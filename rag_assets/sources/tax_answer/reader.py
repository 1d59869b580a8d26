"""Tax Answer (国税庁タックスアンサー): the article list and the article page, bytes to Records.

How pages are fetched and kept belongs to the fetching modules; how records are cut belongs to the corpus.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from rag_assets.japanese.dates import first_date
from rag_assets.japanese.encodings import decode_html
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import AsOf, Block, Facet, Model, Record, Section, TextBlock
from rag_assets.sources.base import Finding
from rag_assets.sources.html.blocks import Blocks, PageHeading
from rag_assets.sources.html.page import page_around
from rag_assets.sources.html.styles import Styles
from rag_assets.sources.html.visibility import UnreadWords, is_live, leave_out_unseen
from rag_assets.sources.html.words import Words
from rag_assets.sources.tax_answer.source import DOCUMENT, SOURCE

INDEX_PATH = "/taxes/shiraberu/taxanswer/code/index.htm"
"""The list of all articles by number; `index2.htm` beside it lists categories only."""

CATEGORIES = {
    "shotoku": "所得税",
    "gensen": "源泉所得税",
    "joto": "譲渡所得",
    "sozoku": "相続税",
    "zoyo": "贈与税",
    "hyoka": "財産の評価",
    "hojin": "法人税",
    "shohi": "消費税",
    "inshi": "印紙税その他国税",
    "hotei": "法定調書",
    "fufuku": "不服申立て",
    "saigai": "災害関係",
    "osirase": "お知らせ",
}
"""Folder of the site to tax category: the partitions of this source."""

_BODY = "bodyArea"
"""ID of the element that holds an article."""
_NUMBER = r"\d{3,6}(?:[-_]\d+)?"
_ARTICLE_LINK = re.compile(
    rf"/taxanswer/(?!code/)(?P<category>[A-Za-z0-9_-]+)/(?P<number>{_NUMBER})\.html?$", re.IGNORECASE
)
_LINK_TEXT = re.compile(rf"^(?:No\.?\s*)?{_NUMBER}[\s\u3000]*")
_HEADING = re.compile(rf"^No\.?\s*(?P<number>{_NUMBER})(?!\d)[\s\u3000]*(?P<title>.+)$")
_AS_OF = re.compile(r"^[\[［〔【（(＜<〈《](?P<label>.*現在の?\s*法令等?)\s*[\]］〕】）)＞>〉》]$")
_WITHDRAWN = "指定されたページを表示できませんでした"

_TAX_ITEMS = "対象税目"
_LEGAL_BASIS = "根拠法令等"
_NO_BODY_TEXT = frozenset({"関連リンク", "関連コード", "QAリンク", "根拠リンク", "お問い合わせ先"})
_OPENING_SECTION = "概要"
"""The site's fixed first section. What follows it as h3 in one edition is h2 in the next: never its subsections."""
_LEAF_SECTIONS = frozenset({_OPENING_SECTION, _TAX_ITEMS, _LEGAL_BASIS})
"""Sections that have no subsections: whatever heading follows, at whatever level, ends them."""

_WIDGETS = frozenset({"contents-feedback", "breadcrumb", "page-header", "skip", "page-top-link", "info-btn"})
"""Classes of what the site puts round its articles."""


class ArticleLink(Model):
    """One article in the site's list: number with branch, title as listed, category, path on the site."""

    number: str
    title: str
    category: str
    path: str


class PageLayoutError(ValueError):
    """A page is not laid out as an article; the message says what is missing."""


class Article(Model):
    """What one page yields: its record, and what a person should know beside it."""

    record: Record
    findings: tuple[Finding, ...] = ()


def read_index(data: bytes, content_type: str | None = None) -> list[ArticleLink]:
    """The articles of the code index, each once, in the order of their first mention.

    Articles stand in several groups (一覧, よく読まれるもの); branch numbers (1211-1) are articles of their own.

    Raises:
        PageLayoutError: The page lists no article at all.
    """
    page = _Page(data, content_type)
    words_of = Words(page.styles)
    found: dict[str, ArticleLink] = {}
    for link in (link for body in page.bodies for link in body.find_all("a", href=True)):
        path = urlsplit(urljoin(INDEX_PATH, str(link["href"]).strip())).path
        match = _ARTICLE_LINK.search(path)
        if match and match["number"] not in found:
            found[match["number"]] = ArticleLink(
                number=match["number"],
                title=_LINK_TEXT.sub("", words_of.line_of(link)),
                category=match["category"],
                path=path,
            )
    if not found:
        raise PageLayoutError(
            f"the article list ({INDEX_PATH}) has no link to an article inside div#bodyArea: "
            "is this the code index of Tax Answer, and has its layout changed?"
        )
    return list(found.values())


def is_withdrawn(data: bytes, content_type: str | None = None) -> bool:
    """Whether a page is the site's error page, which stands (with status 200) where an article was withdrawn.

    An article may quote the error, and the error page may have an article in a comment: what is seen decides.
    """
    text = decode_html(data, content_type).text
    if _WITHDRAWN not in text or _Page(data, content_type).bodies:
        return False
    return _WITHDRAWN in BeautifulSoup(text, "lxml").get_text()


def read_article(
    data: bytes,
    *,
    number: str,
    url: str | None = None,
    category: str = "",
    content_type: str | None = None,
    document: str = DOCUMENT,
) -> Article:
    """One article page as a Record, with what was left out of it.

    Args:
        data: The page as fetched.
        number: Number the page is listed under; the page has to carry the same.
        url: Where a reader can see the page, where that is known.
        category: Folder of the site it is listed in, such as `gensen`.
        content_type: The Content-Type header, where there was one.
        document: Name of the document in headers.

    Raises:
        PageLayoutError: Something an article must have is missing; the message says what.
    """
    try:
        page = _Page(data, content_type)
        body, findings = page.article(number)
        record = _read_body(body, page.styles, data, number=number, url=url, category=category, document=document)
    except RecursionError as error:
        raise PageLayoutError("its elements are nested too deeply to be read") from error
    return Article(record=record, findings=(*findings, *_undatable(record)))


def _undatable(record: Record) -> Iterator[Finding]:
    if record.as_of is not None and record.as_of.date is None:
        yield Finding.note(
            "as-of without date",
            record.label,
            "names two days that contradict each other, or none that a calendar has",
            record.as_of.label,
        )


def _read_body(
    body: Tag, styles: Styles, data: bytes, *, number: str, url: str | None, category: str, document: str
) -> Record:
    blocks = Blocks(styles)
    title = _title(body, number, blocks.words)
    as_of, parts = _leading_as_of(list(_parts(blocks.inside(body))))
    sections = tuple(_body_sections(parts))
    if not any(section.blocks for section in sections):
        raise PageLayoutError("no body text between the heading and the links at the end")
    legal_basis = "　".join(_texts_under(parts, _LEGAL_BASIS))
    return Record(
        record_id=f"{SOURCE.name}/{number}",
        source=SOURCE.name,
        document=document,
        number=number,
        label=f"No.{number}",
        title=title,
        facets=tuple(_tax_items(parts)),
        as_of=as_of,
        url=url,
        attributes={"category": category} if category else {},
        remarks={_LEGAL_BASIS: legal_basis} if legal_basis else {},
        origin_sha256=hashlib.sha256(data).hexdigest(),
        sections=sections,
    )


class _Page:
    """One page of the site, and those of its elements that hold everything of worth.

    Attributes:
        soup: The page: what surrounds an element decides whether a reader sees it.
        styles: What it declares of looks.
        bodies: The elements named `bodyArea` that a reader sees; comments, code and hidden editions are none.
    """

    def __init__(self, data: bytes, content_type: str | None) -> None:
        self.soup = page_around(decode_html(data, content_type).text, _BODY)
        self.styles = Styles(self.soup)
        named = [element for element in _elements(self.soup) if element.get("id") == _BODY]
        outer = [body for body in named if not any(around.get("id") == _BODY for around in body.parents)]
        self.bodies = [body for body in outer if is_live(body, self.styles)]

    def article(self, number: str) -> tuple[Tag, tuple[Finding, ...]]:
        """The element of an article without what a reader does not see, and what to tell of that."""
        if not self.bodies:
            raise PageLayoutError("no div#bodyArea: this is not an article page, or the site's layout has changed")
        left_out: list[UnreadWords] = []
        for body in self.bodies:
            self._take_widgets_out(body)
            left_out += leave_out_unseen(body, self.styles)
        place = f"No.{number}"
        findings = [left.finding(place) for left in left_out]
        headed = [body for body in self.bodies if body.find("h1") is not None]
        own = [body for body in headed if _says_number(body, number)]
        if len(own) > 1:
            findings.append(
                Finding.note(
                    "second body",
                    place,
                    f"the page shows {len(own)} elements {_BODY} with this number: the first is read",
                )
            )
        return (own or headed or self.bodies)[0], tuple(findings)

    def _take_widgets_out(self, body: Tag) -> None:
        """Leave of what the site puts round its articles only the article's heading, which may stand in it."""
        heading = next((found for found in body.find_all("h1") if is_live(found, self.styles)), None)
        if heading is not None:
            body.insert(0, heading.extract())
        for element in list(_elements(body)):
            if not _WIDGETS.isdisjoint(element.get_attribute_list("class")):
                element.extract()


def _elements(root: Tag) -> Iterator[Tag]:
    """Every element below `root`: on whole pages, quicker by far than a search of BeautifulSoup's by attribute."""
    return (element for element in root.descendants if isinstance(element, Tag))


def _says_number(body: Tag, number: str) -> bool:
    heading = body.find("h1")
    match = _heading_match(one_line(heading.get_text())) if heading else None
    return match is not None and match["number"] == number


def _heading_match(words: str) -> re.Match[str] | None:
    return _HEADING.match(unicodedata.normalize("NFKC", words[:12]) + words[12:])


def _title(body: Tag, number: str, words_of: Words) -> str:
    """The title, whose h1 is taken out of the page."""
    heading = body.find("h1")
    if heading is None:
        raise PageLayoutError("no h1 inside div#bodyArea")
    words = words_of.line_of(heading.extract())
    match = _heading_match(words)
    if match is None:
        raise PageLayoutError(f"the h1 {words!r} is not 'No.<number> <title>'")
    if match["number"] != number:
        raise PageLayoutError(f"the page says No.{match['number']} but is listed as {number}")
    return match["title"].strip()


_Part = tuple[tuple[str, ...], Block | None]
"""A block under its heading path; a heading by itself comes with None."""


def _leading_as_of(parts: list[_Part]) -> tuple[AsOf | None, list[_Part]]:
    """The as-of line, which stands before the first heading, and the parts without it."""
    for position, (headings, block) in enumerate(parts):
        if headings:
            break
        match = _AS_OF.match(block.text) if isinstance(block, TextBlock) else None
        if match:
            label = match["label"].strip()
            return AsOf(label=label, date=first_date(label, or_month=True)), parts[:position] + parts[position + 1 :]
    return None, parts


def _tax_items(parts: list[_Part]) -> Iterator[Facet]:
    items = [
        item.strip()
        for text in _texts_under(parts, _TAX_ITEMS)
        for item in re.split(r"[、，,\u3000](?![^（(]*[）)])", text)
    ]
    if any(items):
        yield Facet(key="tax_items", label=_TAX_ITEMS, values=tuple(dict.fromkeys(filter(None, items))))


def _texts_under(parts: list[_Part], heading: str) -> list[str]:
    return [block.text for headings, block in parts if heading in headings and isinstance(block, TextBlock)]


def _body_sections(parts: list[_Part]) -> Iterator[Section]:
    """Consecutive blocks under one heading path.

    A heading with nothing under it stays, as a section without blocks, unless deeper headings follow that name it.
    """
    outside = _NO_BODY_TEXT | {_TAX_ITEMS, _LEGAL_BASIS}
    path: tuple[str, ...] = ()
    blocks: list[Block] = []
    for headings, block in parts:
        if any(heading in outside or heading.startswith("◆") for heading in headings):
            continue
        if block is None:
            if blocks or (path and headings[: len(path)] != path):
                yield Section(headings=path, blocks=tuple(blocks))
            path, blocks = headings, []
        else:
            blocks.append(block)
    if blocks or path:
        yield Section(headings=path, blocks=tuple(blocks))


def _parts(flow: Iterable[PageHeading | Block]) -> Iterator[_Part]:
    """The flat flow of the page: every block under the headings in force, every heading once by itself."""
    path: list[tuple[int, str]] = []
    for item in flow:
        if isinstance(item, PageHeading):
            # The title is taken out before: a further h1 is a heading like any other.
            at = max(item.level, 2)
            path = [(level, words) for level, words in path if level < at and words not in _LEAF_SECTIONS]
            path.append((at, item.words))
            yield tuple(words for _, words in path), None
        else:
            yield tuple(words for _, words in path), item
