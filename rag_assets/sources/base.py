"""What a source is: its names, how one of its documents is configured, and what reading a document yields.

Each source has its entry in `<its folder>/source.py`; `registry.py` lists the entries. How documents are fetched and
kept is in `fetching/documents.py`.
"""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, Protocol, Self

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from rag_assets.japanese.composed import compose_all
from rag_assets.japanese.dates import contradiction, written_date
from rag_assets.model import AsOf, Model, Record
from rag_assets.sources.document_keys import make_key
from rag_assets.sources.fetching.addresses import has_user_info, is_url, link_fault
from rag_assets.store.file_names import existing_path

SAMPLE_DOCUMENTS = Path(__file__).parents[1] / "sample" / "documents"
"""Folder of the sample documents that come with the package."""

DocumentKey = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=100)]
"""Names a document within its source: the middle of its records' IDs, `<source>/<key>/<number>`."""


class DocumentSettings(Model):
    """One document as a person configures it; each source adds what its kind needs."""

    # The text below each setting is its description in the tables of docs/sources.md.
    model_config = ConfigDict(use_attribute_docstrings=True)

    key: DocumentKey
    """Its name in IDs and file names; the name of the table."""
    location: str = Field(min_length=1)
    """Path or URL."""
    document: str = ""
    """Its name in headers; without it, the name that the document gives itself."""
    as_of: str = ""
    """The date it speaks for, as headers show it; without it, what the document says. A date that a record has of its
    own (【…改訂】, a column) goes before."""
    link: str = ""
    """Where a reader can see the original (http or https); without it, the URL it came from, or nothing."""

    @model_validator(mode="before")
    @classmethod
    def _names_composed(cls, given: Any) -> Any:
        """Names of columns, marks and the like in the spelling that they are compared in.

        A location is a file's own name and stays as it is: it is found in either spelling.
        """
        if not isinstance(given, dict):
            return given
        return {name: value if name == "location" else compose_all(value) for name, value in given.items()}

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
        return AsOf(label=self.as_of, date=written_date(self.as_of, or_month=True)) if self.as_of else None

    def as_of_findings(self) -> Iterator["Finding"]:
        """A note where the settings give an as-of date that is none."""
        told = self.told_as_of()
        if told and not told.date:
            why = (
                "as_of names two different days, one in each calendar"
                if contradiction(told.label)
                else "as_of tells no date (as 令和8年4月1日, R8.4.1, 2026-04-01 or 令和8年4月 do)"
            )
            message = f"{why}: headers show its words as they are, filters by date find none of these records"
            yield Finding.note("as-of without date", "settings", message, told.label)


class PdfDocument(DocumentSettings):
    """One document that is a PDF."""

    picture_pages: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Pages, from 1, that may be pictures only, or set in vertical lines, since nothing on them is to be read; any
    other such page is a fault, and a document that is mostly such pages is refused."""


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

    @classmethod
    def note(
        cls, topic: str, place: str, message: str, quote: str = "", review_on: datetime.date | None = None
    ) -> Self:
        """A finding of the kind `note`."""
        return cls(kind="note", topic=topic, place=place, message=message, quote=quote, review_on=review_on)

    @classmethod
    def fault(cls, topic: str, place: str, message: str, quote: str = "") -> Self:
        """A finding of the kind `fault`."""
        return cls(kind="fault", topic=topic, place=place, message=message, quote=quote)

    def in_words(self) -> str:
        """Message and quotation, for a person."""
        return f"{self.message}: {self.quote}" if self.quote else self.message


def name_pages(first: int, last: int) -> str:
    """The pages of a finding as its place: `page 3`, `pages 3-5`."""
    return f"page {first}" if first == last else f"pages {first}-{last}"


NO_TEXT = "no text"
"""Topic of the finding by which a reader tells that a document holds no text, so that no record is no fault."""

Reading = Record | Finding
"""What a document yields, in reading order, one after the other: nobody has to hold all of it."""


class DocumentError(ValueError):
    """A document cannot be read at all; the message says which place of it is at fault, and what to do."""


class ReadDocument(Protocol):
    """What a source's reader does: bytes in, records and findings out."""

    def __call__(
        self, file: BinaryIO, settings: DocumentSettings, *, sha256: str, url: str | None = None
    ) -> Iterator[Reading]:
        """See the readers of the sources."""


def find_address(document: DocumentSettings) -> str:
    """The URL of a document, or its path as the file system spells it."""
    if is_url(document.location):
        return document.location
    return str(existing_path(Path(document.location).expanduser()))


@dataclass(frozen=True, kw_only=True)
class Source:
    """One source, and how it is called wherever people meet it.

    Attributes:
        name: Of the source: in IDs, options, settings and assets.
        kind: What is fetched, as the UI shows it; also the end of the name of the asset that fetches it.
        title: What readers of reports call it.
        column_title: The same where columns are narrow.
        names_in_words: What its option takes, for the help text.
        record_in_words: What one of its records is.
        example_numbers: Numbers of its records, as they stand in IDs.
    """

    name: str
    kind: str
    title: str
    column_title: str = ""
    names_in_words: str
    record_in_words: str
    example_numbers: tuple[str, ...]

    @property
    def fetching_asset(self) -> str:
        """Name of the asset that holds what was fetched."""
        return f"{self.name}_{self.kind}"


@dataclass(frozen=True, kw_only=True)
class DocumentSource(Source):
    """A source that is made of documents.

    Attributes:
        settings: How one document is configured.
        sample: The bundled sample document.
        address_of: Path or URL of a document.
        key_of: Key of a document that the settings give none.
        packages: Distributions that reading takes besides pydantic; the Lambda is given no others.
        takes_folders: Whether a location may be a folder.
        expand: The documents that a configured one stands for, where that shows only when its location is looked at,
            as with a folder. Each has a key of its own.
        takes_web_pages: Whether its documents may be web pages; of others, one that a site answers with is an error.
    """

    settings: type[DocumentSettings]
    sample: DocumentSettings
    address_of: Callable[[DocumentSettings], str] = find_address
    key_of: Callable[[str], str] = make_key
    packages: tuple[str, ...] = ()
    takes_folders: bool = False
    expand: Callable[[DocumentSettings], Iterable[DocumentSettings]] | None = None
    takes_web_pages: bool = False

    @property
    def reader(self) -> ReadDocument:
        """The function `read_document` of `reader.py` in the source's folder: imported late, since that takes long."""
        read: ReadDocument = import_module(f"rag_assets.sources.{self.name}.reader").read_document
        return read

    def find_documents(self, configured: Iterable[DocumentSettings]) -> list[DocumentSettings]:
        """All documents that the configured ones stand for.

        Raises:
            DocumentError: A configured one stands for none, or two documents have one key.
        """
        if self.expand is None:
            return list(configured)
        found: list[DocumentSettings] = []
        for one in configured:
            below = list(self.expand(one))
            if not below:
                raise DocumentError(f"{one.location}: there is no document in it; name {self.names_in_words}")
            found.extend(below)
        for key, count in Counter(document.key for document in found).items():
            if count > 1:
                places = " and ".join(document.location for document in found if document.key == key)
                raise DocumentError(
                    f"{places} have the same key {key!r}: rename one of them, or give their folders keys of their own "
                    "as [document.<key>] tables of the settings file"
                )
        return found
