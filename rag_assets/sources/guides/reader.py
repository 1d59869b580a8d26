"""Guides, manuals and rules: bytes to Records, whatever the format.

Each format has a module of its own; which sections make a record is decided in `sections.py`.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import quote, unquote, urlsplit

from rag_assets.clock import today_in_japan
from rag_assets.model import AsOf, Attribute, Record
from rag_assets.sources.base import NO_TEXT, DocumentError, Finding, Reading
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.file_kinds import (
    HTML,
    MARKDOWN,
    PDF,
    PLAIN_TEXT,
    POWERPOINT,
    WORD,
    FileKind,
    as_guide,
    file_kind,
)
from rag_assets.sources.guides.document import GuideDocument, Heading
from rag_assets.sources.guides.edition import date_guide
from rag_assets.sources.guides.folder import tell_unread
from rag_assets.sources.guides.sections import SectionGroup, group_sections, read_sections
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.sources.guides.source import SOURCE

_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")
_PAGE_NAMES = (".html", ".htm", ".xhtml")
_TEXT_FAMILIES = ("text", "table", "page", "xml", "mail", "other")
"""What a Markdown file may look like by its bytes alone: it may begin with HTML, or with a table."""


def read_document(file: BinaryIO, settings: GuideSettings, *, sha256: str, url: str | None = None) -> Iterator[Reading]:
    """Yields a record a section of readable length, in the document's order, and what a person should know beside them.

    Args:
        file: Markdown, a web page, a Word document, slides or a PDF.
        settings: How the document is configured.
        sha256: SHA-256 of the file.
        url: Where it came from, where that is known.

    Raises:
        DocumentError: It is of another kind, or cannot be read.
    """
    yield from map(tell_unread, settings.unread)
    document, has_web_anchors = _read_file(file, settings)
    yield from document.findings
    as_of = settings.told_as_of()
    if as_of is None:
        as_of, findings = date_guide(document, today_in_japan())
        yield from findings
    anchors = _web_anchors(document) if has_web_anchors else ()
    groups = group_sections(read_sections(document.parts, anchors), settings.level)
    if not groups:
        yield Finding(
            kind="note", topic=NO_TEXT, place=_path(settings), message="the document holds no text, so no record"
        )
    title = document.title or PurePosixPath(_path(settings)).stem
    address = _Address(settings, url, pages=any(group.all_sections[0].page for group in groups))
    for group in groups:
        yield _record(group, settings, title=title, as_of=as_of, url=address.of(group), sha256=sha256)


def _record(
    group: SectionGroup, settings: GuideSettings, *, title: str, as_of: AsOf | None, url: str | None, sha256: str
) -> Record:
    document = settings.document or title
    above = (document,) if settings.document in ("", title) else (document, title)
    attributes: dict[str, Attribute] = {"path": _path(settings)}
    page = group.all_sections[0].page
    if page is not None:
        attributes["page"] = page
    return Record(
        record_id=f"{SOURCE.name}/{settings.key}/{group.name}",
        source=SOURCE.name,
        document=document,
        number=group.name,
        label=_path(settings),
        title=group.title or title,
        chapter=(*above, *group.chapter),
        as_of=as_of,
        url=url,
        attributes=attributes,
        origin_sha256=sha256,
        sections=group.body(),
    )


def _read_file(file: BinaryIO, settings: GuideSettings) -> tuple[GuideDocument, bool]:
    """The document, and whether sites make names for its headings out of their words.

    What reads a format is imported only where a file of it is read: that takes long.
    """
    kind = file_kind(file)
    suffix = PurePosixPath(_path(settings)).suffix.lower()
    family = kind.family if kind else "other"
    is_markdown = kind in (MARKDOWN, PLAIN_TEXT) or (family in _TEXT_FAMILIES and suffix in _MARKDOWN_NAMES)
    if (kind == HTML and suffix not in _MARKDOWN_NAMES) or (suffix in _PAGE_NAMES and family in _TEXT_FAMILIES):
        from rag_assets.sources.guides.web_page import read_web_page

        return read_web_page(file), False
    if is_markdown:
        from rag_assets.sources.guides.markdown import read_markdown

        return read_markdown(file), True
    if kind == WORD:
        from rag_assets.sources.guides.word import read_word

        return read_word(file), False
    if kind == POWERPOINT:
        from rag_assets.sources.guides.slides import read_slides

        return read_slides(file), False
    if kind == PDF:
        from rag_assets.sources.guides.pdf import read_pdf

        return read_pdf(file, picture_pages=settings.picture_pages), False
    raise DocumentError(f"{settings.location}: {_refuse(kind)}")


def _refuse(kind: FileKind | None) -> str:
    if kind is None:
        return "it is neither Markdown, a web page, a Word document (.docx), slides (.pptx) nor a PDF"
    return f"this is {kind.name}: {as_guide(kind)}"


def _path(settings: GuideSettings) -> str:
    """Path in the folder, or else the file's name."""
    location = settings.location
    name = unquote(urlsplit(location).path).rstrip("/") or location if is_url(location) else location
    return settings.path or name.replace("\\", "/").rpartition("/")[2]


def _web_anchors(document: GuideDocument) -> tuple[str, ...]:
    from rag_assets.sources.guides.markdown import github_anchors

    return tuple(github_anchors(part for part in document.parts if isinstance(part, Heading)))


class _Address:
    """Where readers see the records of a document."""

    def __init__(self, settings: GuideSettings, url: str | None, *, pages: bool) -> None:
        self._base = _published(settings) or url
        self._pages = pages

    def of(self, group: SectionGroup) -> str | None:
        """The address with the place in the document."""
        if not self._base or "#" in self._base:
            return self._base or None
        first = next(section for section in group.all_sections if section.blocks)
        if self._pages and first.page:
            return f"{self._base}#page={first.page}"
        return f"{self._base}#{quote(first.anchor)}" if first.anchor else self._base


def _published(settings: GuideSettings) -> str:
    """The address that `link` gives a document: of a folder, with the document's path in it."""
    if not settings.link or not settings.path:
        return settings.link
    path = PurePosixPath(settings.path)
    is_page = path.suffix.lower() in (*_MARKDOWN_NAMES, *_PAGE_NAMES)
    page = path.with_suffix("") if is_page else path
    if page.name.lower() in ("index", "_index", "readme"):
        page = page.parent
    told = {"{path}": quote(str(path)), "{page}": "" if str(page) == "." else quote(str(page))}
    link = settings.link
    if not any(name in link for name in told):
        link = f"{link.rstrip('/')}/{{page}}{'/' if is_page else ''}"
    for name, value in told.items():
        link = link.replace(name, value)
    scheme, separator, rest = link.partition("://")
    return scheme + separator + rest.replace("//", "/")
