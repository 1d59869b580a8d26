"""What a PDF tells beside its pages: its title, when it was made and changed, and its bookmarks.

What stands on the pages is read in `pages.py`.
"""

import datetime
import re
from dataclasses import dataclass
from typing import Any, BinaryIO

from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.pdf.pages import PDFIUM, open_pdf

_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")
"""A date as PDF writes it: D:20210910145441+09'00'."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline that viewers show beside the pages.

    Attributes:
        level: 1 for the outermost.
        title: Its words on one line.
        page: The page it leads to, from 1; None where it leads elsewhere.
    """

    level: int
    title: str
    page: int | None


@dataclass(frozen=True, slots=True)
class PdfProperties:
    """What a PDF tells of itself.

    Attributes:
        title: Its title property; empty where it has none.
        changed_on: The day it was last changed, or else made.
        bookmarks: From the first to the last, each followed by those below it.
    """

    title: str
    changed_on: datetime.date | None
    bookmarks: tuple[Bookmark, ...]


def read_properties(file: BinaryIO, *, name: str = "") -> PdfProperties:
    """The properties and bookmarks of a PDF.

    Args:
        file: The PDF, open for reading in binary mode and seekable.
        name: What the document is called in messages.

    Raises:
        DocumentError: It is no PDF, or a damaged, cut off or protected one.
    """
    with PDFIUM:
        document = open_pdf(file, name or getattr(file, "name", "") or "the PDF")
        try:
            told = document.get_metadata_dict(skip_empty=True)
            marks = tuple(_bookmark(mark) for mark in document.get_toc() if mark.get_title().strip())
        finally:
            document.close()
    changed_on = _day(told.get("ModDate", "")) or _day(told.get("CreationDate", ""))
    return PdfProperties(one_line(told.get("Title", "")), changed_on, marks)


def _bookmark(mark: Any) -> Bookmark:
    target = mark.get_dest()
    index = target.get_index() if target else None
    return Bookmark(mark.level + 1, one_line(mark.get_title()), index + 1 if index is not None else None)


def _day(written: str) -> datetime.date | None:
    match = _DATE.match(written)
    if match is None:
        return None
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None  # A program that wrote no real day tells nothing.
