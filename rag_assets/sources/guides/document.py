"""What every reader of a guide yields, whatever the file's format: its own words about itself, headings and blocks.

How sections become records is in `sections.py`; how each format is read, in a module of its own.
"""

import datetime
from dataclasses import dataclass

from rag_assets.model import Block
from rag_assets.sources.base import Finding


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in reading order.

    Attributes:
        level: 1 for the outermost; levels may be skipped.
        text: As a reader sees it, with the document's own number: `第1章　総則`, `1.2 範囲`.
        anchor: The name that links give it; empty where the format has none.
        page: Page of a PDF, from 1; None in other formats.
    """

    level: int
    text: str
    anchor: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class BodyBlock:
    """A paragraph, list item, note or table in reading order.

    Attributes:
        block: What stands there.
        page: Page of a PDF it begins on, from 1; None in other formats.
    """

    block: Block
    page: int | None = None


@dataclass(frozen=True, slots=True)
class GuideDocument:
    """A guide as its format tells it.

    Attributes:
        parts: Headings and blocks in reading order; the document's title is no part where it is told in `title`.
        title: What the document calls itself (front matter, title page, Title style, `<h1>` or `<title>`); empty where
            it does not.
        dated: The words with which its metadata tell the date it speaks for (front matter `date: 2024-04-01`), as
            they stand; empty where they do not. Dates in the text are found later.
        modified_on: When the file says it was last changed (its properties): the last resort.
        findings: What was left out or could not be read.
    """

    parts: tuple[Heading | BodyBlock, ...]
    title: str = ""
    dated: str = ""
    modified_on: datetime.date | None = None
    findings: tuple[Finding, ...] = ()
