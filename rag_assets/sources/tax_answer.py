"""Tax Answer (国税庁タックスアンサー): the article list and the article page, bytes to Records.

How pages are fetched and kept belongs to the fetching modules; how records are cut belongs to the corpus.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString
from bs4.filter import SoupStrainer

from rag_assets.japanese.dates import first_date
from rag_assets.japanese.encodings import decode_html
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import AsOf, Block, Facet, Model, Record, Section, TextBlock
from rag_assets.sources.html_tables import read_table

SOURCE = "tax_answer"
DOCUMENT = "国税庁タックスアンサー"
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

_BODY_TAG = re.compile(r"""<[a-z]+\b[^<>]*\bid\s*=\s*["']?bodyArea\b""", re.IGNORECASE)
_NUMBER = r"\d{3,6}(?:[-_]\d+)?"
_ARTICLE_LINK = re.compile(
    rf"/taxanswer/(?!code/)(?P<category>[A-Za-z0-9_-]+)/(?P<number>{_NUMBER})\.html?$", re.IGNORECASE
)
_LINK_TEXT = re.compile(rf"^(?:No\.?\s*)?{_NUMBER}[\s\u3000]*")
_HEADING = re.compile(rf"^No\.?\s*(?P<number>{_NUMBER})(?!\d)[\s\u3000]*(?P<title>.+)$")
_AS_OF = re.compile(r"^[\[［〔【（(](?P<label>.*現在法令等)[\]］〕】）)]$")
_NOTE = re.compile(r"^(?:[（(]注|※|注[）)\d０-９])")
_WITHDRAWN = "指定されたページを表示できませんでした"

_TAX_ITEMS = "対象税目"
_LEGAL_BASIS = "根拠法令等"
_NO_BODY_TEXT = frozenset({"関連リンク", "関連コード", "QAリンク", "根拠リンク", "お問い合わせ先"})
_OPENING_SECTION = "概要"
"""The site's fixed first section. What follows it as h3 in one edition is h2 in the next: never its subsections."""
_LEAF_SECTIONS = frozenset({_OPENING_SECTION, _TAX_ITEMS, _LEGAL_BASIS})
"""Sections that have no subsections: whatever heading follows, at whatever level, ends them."""

_HEADINGS = {"h1": 2, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
"""Levels. The article's own h1 is taken out before; another one is a heading like any other."""
_LISTS = frozenset({"ul", "ol", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_CONTAINERS = frozenset(
    {
        *("div", "section", "article", "main", "aside", "header", "footer", "center", "blockquote", "pre", "address"),
        *("form", "fieldset", "legend", "figure", "figcaption", "details", "summary", "hr"),
    }
)
_BLOCKS = frozenset({"p", "table", *_LISTS, *_ITEMS, *_HEADINGS, *_CONTAINERS})
_SKIPPED = frozenset({"script", "style", "noscript", "template", "button"})
_SKIPPED_CLASSES = frozenset({"contents-feedback", "breadcrumb", "page-header", "skip", "page-top-link", "info-btn"})


class ArticleLink(Model):
    """One article in the site's list: number with branch, title as listed, category, path on the site."""

    number: str
    title: str
    category: str
    path: str


class PageLayoutError(ValueError):
    """A page is not laid out as an article; the message says what is missing."""


def read_index(data: bytes, content_type: str | None = None) -> list[ArticleLink]:
    """The articles of the code index, each once, in the order of their first mention.

    Articles stand in several groups (一覧, よく読まれるもの); branch numbers (1211-1) are articles of their own.

    Raises:
        PageLayoutError: The page lists no article at all.
    """
    body = _body(data, content_type)
    found: dict[str, ArticleLink] = {}
    for link in body.find_all("a", href=True) if body else ():
        path = urlsplit(urljoin(INDEX_PATH, str(link["href"]).strip())).path
        match = _ARTICLE_LINK.search(path)
        if match and match["number"] not in found:
            found[match["number"]] = ArticleLink(
                number=match["number"],
                title=_LINK_TEXT.sub("", one_line(link.get_text())),
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
    """Whether a page is the site's error page, which stands (with status 200) where an article was withdrawn."""
    if b"bodyArea" in data:
        return False
    return _WITHDRAWN in decode_html(data, content_type).text


def read_article(
    data: bytes,
    *,
    number: str,
    url: str | None = None,
    category: str = "",
    content_type: str | None = None,
    document: str = DOCUMENT,
) -> Record:
    """One article page as a Record.

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
        return _read_body(_body(data, content_type), data, number=number, url=url, category=category, document=document)
    except RecursionError as error:
        raise PageLayoutError("its elements are nested too deeply to be read") from error


def _read_body(body: Tag | None, data: bytes, *, number: str, url: str | None, category: str, document: str) -> Record:
    if body is None:
        raise PageLayoutError("no div#bodyArea: this is not an article page, or the site's layout has changed")
    title = _title(body, number)
    as_of, parts = _leading_as_of(list(_parts(body)))
    sections = tuple(_body_sections(parts))
    if not any(section.blocks for section in sections):
        raise PageLayoutError("no body text between the heading and the links at the end")
    legal_basis = "　".join(_texts_under(parts, _LEGAL_BASIS))
    return Record(
        record_id=f"{SOURCE}/{number}",
        source=SOURCE,
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


def _body(data: bytes, content_type: str | None) -> Tag | None:
    """The element that holds everything of worth; menus before it are not even parsed."""
    html = decode_html(data, content_type).text
    start = _BODY_TAG.search(html)
    page = BeautifulSoup(html[start.start() :] if start else html, "lxml", parse_only=SoupStrainer(id="bodyArea"))
    return page.find(id="bodyArea")


def _title(body: Tag, number: str) -> str:
    """The title, whose h1 is taken out of the page."""
    heading = body.find("h1")
    if heading is None:
        raise PageLayoutError("no h1 inside div#bodyArea")
    words = one_line(heading.extract().get_text())
    match = _HEADING.match(unicodedata.normalize("NFKC", words[:12]) + words[12:])
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
            return AsOf(label=label, date=first_date(label)), parts[:position] + parts[position + 1 :]
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


def _parts(body: Tag) -> Iterator[_Part]:
    """The flat flow of the page: every block under the headings in force, every heading once by itself."""
    path: list[tuple[int, str]] = []
    for item in _flow(body, depth=0):
        if isinstance(item, _Heading):
            path = [(level, words) for level, words in path if level < item.level and words not in _LEAF_SECTIONS]
            path.append((item.level, item.words))
            yield tuple(words for _, words in path), None
        else:
            yield tuple(words for _, words in path), item


class _Heading(Model):
    level: int
    words: str


def _flow(parent: Tag, depth: int) -> Iterator[_Heading | Block]:
    inline: list[str] = []
    for child in parent.children:
        if isinstance(child, PreformattedString):
            continue
        if isinstance(child, NavigableString):
            inline.append(str(child))
        elif isinstance(child, Tag) and not _is_skipped(child):
            if child.name not in _BLOCKS and not _holds_blocks(child):
                inline.append(_words(child))
                continue
            yield from _text_block("".join(inline), depth)
            inline = []
            yield from _block(child, depth)
    yield from _text_block("".join(inline), depth)


def _holds_blocks(element: Tag) -> bool:
    return any(isinstance(inner, Tag) and inner.name in _BLOCKS for inner in element.descendants)


def _block(element: Tag, depth: int) -> Iterator[_Heading | Block]:
    if element.name in _HEADINGS:
        words = one_line(_words(element))
        if words:
            yield _Heading(level=_HEADINGS[element.name], words=words)
    elif element.name == "table":
        table = read_table(element, lambda cell: _cell_text(cell))
        if table is not None:
            yield table
    elif element.name in _LISTS:
        straight_in_list = element.parent is not None and element.parent.name in _LISTS
        yield from _flow(element, depth + straight_in_list)
    elif element.name in _ITEMS:
        for inner in _flow(element, depth + 1):
            yield _as_item(inner, depth)
    else:
        yield from _flow(element, depth)


def _as_item(inner: _Heading | Block, depth: int) -> _Heading | Block:
    if isinstance(inner, TextBlock) and inner.kind == "paragraph":
        return inner.model_copy(update={"kind": "item", "depth": depth})
    return inner


def _text_block(words: str, depth: int) -> Iterator[TextBlock]:
    text = _broken_lines_joined(words)
    if text:
        yield TextBlock(kind="note" if _NOTE.match(text) else "paragraph", text=text, depth=depth)


def _words(element: Tag) -> str:
    """The words inside an inline element, with forced line breaks marked and images told by their description."""
    if element.name == "br":
        return _LINE_BREAK
    if element.name == "img":
        return _image_words(element)
    return "".join(
        _words(child) if isinstance(child, Tag) else str(child)
        for child in element.children
        if not isinstance(child, PreformattedString) and not (isinstance(child, Tag) and _is_skipped(child))
    )


_LINE_BREAK = "\v"


def _image_words(image: Tag) -> str:
    description = one_line(str(image.get("alt", "")))
    return f"（図：{description}）" if description else "（画像：元のページを参照）"


def _cell_text(cell: Tag) -> str:
    words: list[str] = []
    for item in _flow(cell, depth=0):
        if isinstance(item, _Heading):
            words.append(item.words)
        elif isinstance(item, TextBlock):
            words.append(item.text)
        else:
            words.extend(text for text in (item.caption, *(inner.text for inner in item.cells)) if text)
    return "　".join(words)


def _broken_lines_joined(words: str) -> str:
    """One line; a forced line break separates by a full-width space, but not before an opening bracket."""
    lines = [line for line in (one_line(part) for part in words.split(_LINE_BREAK)) if line]
    return re.sub("　(?=[（(])", "", "　".join(lines)) if len(lines) > 1 else "".join(lines)


def _is_skipped(element: Tag) -> bool:
    return element.name in _SKIPPED or bool(_SKIPPED_CLASSES.intersection(element.get_attribute_list("class")))
