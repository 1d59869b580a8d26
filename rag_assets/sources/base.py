"""What all sources that are made of documents share: how one is named, and what reading it yields.

How documents are fetched and kept is in `fetching/documents.py`; how each kind is read, in its own module.
"""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from rag_assets.japanese.composed import all_composed
from rag_assets.japanese.dates import contradiction, written_date_or_month
from rag_assets.model import AsOf, Model, Record
from rag_assets.sources.fetching.addresses import has_user_info, link_fault

DocumentKey = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=100)]
"""Names a document within its source: the middle of its records' IDs, `<source>/<key>/<number>`."""


class DocumentSettings(Model):
    """One document as a person configures it; each source adds what its kind needs.

    Attributes:
        key: Its name in IDs and file names.
        location: Path or URL.
        document: Its name in headers; empty takes the name that the document gives itself.
        as_of: The date it speaks for as headers show it; empty takes what the document says. A date of their own that
            its records have (【…改訂】, a column) goes before.
        link: Where a reader can see the original (http or https); empty takes the URL it came from, or nothing.
    """

    key: DocumentKey
    location: str = Field(min_length=1)
    document: str = ""
    as_of: str = ""
    link: str = ""

    @model_validator(mode="before")
    @classmethod
    def _names_composed(cls, given: Any) -> Any:
        """Names of columns, marks and the like in the spelling that they are compared in.

        A location is a file's own name and stays as it is: it is found in either spelling.
        """
        if not isinstance(given, dict):
            return given
        return {name: value if name == "location" else all_composed(value) for name, value in given.items()}

    @field_validator("location")
    @classmethod
    def _lets_nobody_in(cls, location: str) -> str:
        if has_user_info(location):
            raise ValueError("a user or password may not stand in an address, which is kept and shown in many places")
        return location

    @field_validator("link")
    @classmethod
    def _can_be_clicked(cls, link: str) -> str:
        if link and (fault := link_fault(link)):
            raise ValueError(fault)
        return link

    def told_as_of(self) -> AsOf | None:
        """The as-of date that the settings give, None where they leave it to the document.

        A month that names no day is its first day.
        """
        return AsOf(label=self.as_of, date=written_date_or_month(self.as_of)) if self.as_of else None

    def as_of_findings(self) -> Iterator["Finding"]:
        """A note where the settings give an as-of date that is none."""
        told = self.told_as_of()
        if told and not told.date:
            why = (
                "as_of names two different days, one in each calendar"
                if contradiction(told.label)
                else "as_of tells no date (as 令和8年4月1日, R8.4.1, 2026-04-01 or 令和8年4月 do)"
            )
            yield Finding(
                kind="note",
                topic="as-of without date",
                place="settings",
                message=f"{why}: headers show its words as they are, filters by date find none of these records",
                quote=told.label,
            )


class PdfDocument(DocumentSettings):
    """One document that is a PDF.

    Attributes:
        picture_pages: Pages, from 1, that may be pictures only, or set in vertical lines, since nothing on them is to
            be read: any other such page is a fault, and a document that is mostly such pages is refused.
    """

    picture_pages: tuple[Annotated[int, Field(ge=1)], ...] = ()


class Finding(Model):
    """What a person should know of a document beside its records.

    Attributes:
        kind: `fault`: something that should be a record, or part of one, and is not; everything else is kept, and the
            run says so in the end. `note`: something left out or marked on purpose.
        topic: What kind of thing it is, for counting: `deleted article`, `blank`, `duplicate ID`.
        place: Where in the document: `page 12`, `line 17`, `第十二条`.
        message: What is the matter, and for a fault what to do about it.
        quote: The document's own words at that place, where they tell a reader which it is.
        review_on: The day from which the document has to be read again, since it tells something else from then on.
    """

    kind: Literal["fault", "note"]
    topic: str = Field(min_length=1)
    place: str
    message: str
    quote: str = ""
    review_on: datetime.date | None = None

    def in_words(self) -> str:
        """Message and quotation, for a person."""
        return f"{self.message}: {self.quote}" if self.quote else self.message


NO_TEXT = "no text"
"""Topic of the finding by which a reader tells that a document holds no text: then it is no fault to yield no record."""

Reading = Record | Finding
"""What a document yields, in reading order, one after the other: nobody has to hold all of it."""


class DocumentError(ValueError):
    """A document cannot be read at all; the message says which place of it is at fault, and what to do."""
