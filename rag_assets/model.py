"""The words of the domain: Record, Section, Table, Chunk, Variant.

Only the shapes that several folders share belong here; what reads or makes them lives with its folder.
"""

import datetime
import hashlib
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Attribute = str | int | float | bool | tuple[str, ...]
"""What a sidecar value may be (Knowledge Base contract: string, number, boolean or list of strings)."""


Mode = Literal["bm25", "dense", "hybrid"]
"""How an index is searched: by words, by meaning, or by both."""
SearchIn = Literal["index", "knowledge_base"]
"""What the evaluation asks: the embedded index of each variant, or its Knowledge Base."""


class Model(BaseModel):
    """Base of every value: immutable, and a misspelt field is an error."""

    # Messages do not repeat what was given: it may be an address with a secret in it.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class TextBlock(Model):
    """One paragraph, list item or note, on one line.

    Attributes:
        kind: `note` for what the document itself marks as a note, "（注1）…" or "※…".
        text: The words, without line breaks.
        depth: Nesting of a list item, 0 for the outermost.
    """

    kind: Literal["paragraph", "item", "note"] = "paragraph"
    text: str = Field(min_length=1)
    depth: int = Field(default=0, ge=0)


class Cell(Model):
    """One table cell at its resolved position.

    Attributes:
        text: The words, without line breaks; may be empty.
        row: Row of its upper left corner, from 0.
        column: Column of its upper left corner, from 0.
        row_span: Rows it covers, from 1, already clipped to the table.
        column_span: Columns it covers, from 1.
        heading: Whether the document marks it as a heading cell.
    """

    text: str
    row: int = Field(ge=0)
    column: int = Field(ge=0)
    row_span: int = Field(default=1, ge=1)
    column_span: int = Field(default=1, ge=1)
    heading: bool = False


class Table(Model):
    """A table with rowspan and colspan resolved: no two cells cover the same position."""

    kind: Literal["table"] = "table"
    caption: str = ""
    cells: tuple[Cell, ...] = Field(min_length=1)


Block = Annotated[TextBlock | Table, Field(discriminator="kind")]


class Part(Model):
    """A named part of a record that shares no chunk with another part, such as a long column of a row.

    Attributes:
        name: ASCII; the name its chunks have below the record's ID: `profile`.
        numbered: Whether they are always numbered (`description-001`), since it may go on for more than one.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    numbered: bool = False


class Section(Model):
    """Consecutive blocks under one heading path, outermost heading first; the path may be empty.

    Attributes:
        headings: The path.
        blocks: What stands under it.
        part: The named part of the record that it belongs to, where the record has such.
    """

    headings: tuple[str, ...] = ()
    blocks: tuple[Block, ...]
    part: Part | None = None


class Facet(Model):
    """A named attribute that belongs in the header of every chunk, such as 対象税目.

    Attributes:
        key: ASCII name in the sidecar.
        label: Japanese name in the header.
        values: At least one value.
    """

    key: str = Field(pattern=r"^[a-zA-Z][a-zA-Z0-9_-]*$")
    label: str = Field(min_length=1)
    values: tuple[str, ...] = Field(min_length=1)


class AsOf(Model):
    """The date a document speaks for: as printed, and as a calendar date where it can be read."""

    label: str = Field(min_length=1)
    date: datetime.date | None = None


class Record(Model):
    """The unit that owns an ID: one article, one 問, one 条, one row.

    Attributes:
        record_id: ASCII; leads back to the full text. `<source>/<number>` where the source is one collection,
            `<source>/<document key>/<number>` where it is made of documents.
        source: Name of the source, such as `tax_answer`.
        document: Name of the document as readers know it.
        number: Number within the source, such as `2594` or `1211-1`.
        label: The number as the document writes it, such as `No.2594`.
        title: Title of the article, caption of the 条, 見出し of the 問.
        question: The question of a Q&A; empty elsewhere.
        chapter: Chapter path, outermost first.
        facets: Attributes that every chunk's header names.
        as_of: The date the text speaks for, where the document tells it.
        url: Where a reader can see the original.
        attributes: Further sidecar attributes, by ASCII key.
        remarks: What the document tells of itself that is neither body text nor a filter, such as 根拠法令等, by name.
        origin_sha256: SHA-256 of the bytes the record was read from.
        sections: The body in reading order.
    """

    record_id: str = Field(pattern=r"^[a-z0-9_]+(?:/[a-z0-9][a-z0-9_-]*)?/[A-Za-z0-9._-]+$")
    source: str = Field(pattern=r"^[a-z0-9_]+$")
    document: str = Field(min_length=1)
    number: str = Field(min_length=1)
    label: str = Field(min_length=1)
    title: str = Field(min_length=1)
    question: str = ""
    chapter: tuple[str, ...] = ()
    facets: tuple[Facet, ...] = ()
    as_of: AsOf | None = None
    url: str | None = None
    attributes: dict[str, Attribute] = Field(default_factory=dict)
    remarks: dict[str, str] = Field(default_factory=dict)
    origin_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    sections: tuple[Section, ...] = Field(min_length=1)

    def digest(self) -> str:
        """SHA-256 over everything the record says, whatever bytes it was read from: tells two editions apart."""
        return hashlib.sha256(self.model_dump_json(exclude={"origin_sha256"}).encode()).hexdigest()


class Span(Model):
    """A stretch of a text that belongs to a record: from `start` up to, not including, `end`."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    record_id: str


class Original(Model):
    """The file of a document that is handed over as it is.

    Attributes:
        sha256: Of its bytes as they were fetched; empty where the text stands in for them.
        suffix: Ending of the file's name.
    """

    sha256: str = Field(pattern=r"^(?:[0-9a-f]{64})?$")
    suffix: str = Field(pattern=r"^\.[a-z]+$")


class Chunk(Model):
    """A piece of one record as a Knowledge Base will read it, or a whole document.

    Attributes:
        chunk_id: `<record_id>/<content id>`, or the record ID itself where a record is not cut.
        record_id: The record it is a piece of; of a whole document that holds several, `<source>/<key>`.
        variant: The way of preparing that made it.
        headings: Heading path of the section its body begins in.
        header: Whose piece it is: document, number, title, facets, as-of.
        context: What a continued section or table row needs to be understood; empty at a section's start.
        body: The piece itself, a slice of the record's text.
        keywords: Everyday words that the dictionary adds.
        attributes: What stands in the sidecar beside it.
        original: Of a whole document: its file.
        spans: Of a whole document: which stretches of the body belong to which records, in order.
    """

    chunk_id: str
    record_id: str
    variant: str
    headings: tuple[str, ...] = ()
    header: str = ""
    context: str = ""
    body: str = Field(min_length=1)
    keywords: tuple[str, ...] = ()
    attributes: dict[str, Attribute] = Field(default_factory=dict)
    original: Original | None = None
    spans: tuple[Span, ...] = ()

    @property
    def key(self) -> str:
        """Name of the chunk's file below the folder of its variant."""
        return self.chunk_id + (self.original.suffix if self.original else ".txt")

    @property
    def text(self) -> str:
        """The content of the chunk's file: header, context, body and everyday words, a line each."""
        words = f"関連する言葉：{'、'.join(self.keywords)}" if self.keywords else ""
        return "\n".join(part for part in (self.header, self.context, self.body, words) if part)


Fault = Literal[
    "several_records",
    "page_furniture",
    "unnamed",
    "begins_mid_sentence",
    "ends_mid_sentence",
    "orphan_phone",
    "parted_rows",
    "unkeyed_figures",
    "over_limit",
    "lost_records",
]
"""The counts of `QualityRow` that are faults."""

BIN_WIDTH = 100
"""Characters that a bin of `QualityRow.histogram` spans."""


class QualityRow(Model):
    """Faults of one variant's passages that need no question and no model to be seen.

    Counts are passages (a raw file is looked at as the windows the Knowledge Base will cut it into).

    Attributes:
        variant: Name of the variant.
        source: A source, or `all`.
        passages: Passages looked at.
        several_records: Passages that hold text of more than one record.
        page_furniture: Passages that hold a line which belongs to no record: page numbers, running titles, menus,
            tables of contents.
        unnamed: Passages that do not say which record they belong to (neither number nor title).
        begins_mid_sentence: Passages whose body begins inside a sentence.
        ends_mid_sentence: Passages whose body ends inside a sentence.
        orphan_phone: Passages with a phone number whose owner is not named in the passage.
        parted_rows: Table rows read in a passage without the headings of their columns; None where that cannot be told,
            since the tables of whole documents are plain lines.
        unkeyed_figures: Passages with rows of figures that nothing names, a table that could not be read; or None.
        over_limit: Passages whose body is over the variant's limit.
        lost_records: Records with no passage at all.
        length_p5: Characters of a passage, 5th percentile.
        length_p50: Median.
        length_p95: 95th percentile.
        length_max: Longest.
        histogram: Number of passages by length, bins of 100 characters from 0; the last bin is open.
    """

    variant: str
    source: str
    passages: int = Field(ge=0)
    several_records: int = Field(ge=0)
    page_furniture: int = Field(default=0, ge=0)
    unnamed: int = Field(ge=0)
    begins_mid_sentence: int = Field(ge=0)
    ends_mid_sentence: int = Field(ge=0)
    orphan_phone: int = Field(ge=0)
    parted_rows: int | None = Field(ge=0)
    unkeyed_figures: int | None = Field(ge=0)
    over_limit: int = Field(ge=0)
    lost_records: int = Field(ge=0)
    length_p5: int
    length_p50: int
    length_p95: int
    length_max: int
    histogram: tuple[int, ...]
    examples: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Up to three chunk IDs by fault, for a reader who wants to see one."""


VariantName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]
"""ASCII; also the folder of the variant's corpus."""


class Preparing(Model):
    """What a way of preparing does to records."""

    # The text below each setting is its description in the tables of docs/settings.md.
    model_config = ConfigDict(use_attribute_docstrings=True)

    unit: Literal["record", "document"] = "record"
    """`record` makes files of records; `document` hands each document over as it is, its own bytes, for comparison: of
    the settings below none applies."""
    limit: int | None = Field(default=None, ge=50)
    """Most characters of a chunk's body; without it, a record stays whole, one file, and the Knowledge Base cuts it."""
    header: Literal["full", "title"] = "full"
    """`full` puts document, number, title, facets and as-of at the head of a chunk; `title` number and title."""
    dictionary: bool = False
    """Whether everyday words of the synonym dictionary are added."""
    digits: bool = False
    """Whether numbers in kanji get their digits beside them: 四十五時間（45時間）"""

    @model_validator(mode="after")
    def _leaves_documents_as_they_are(self) -> Self:
        if self.unit == "document" and (self.limit is not None or self.dictionary or self.digits):
            raise ValueError(
                "unit = document leaves documents as they are: limit, dictionary and digits do not go with it"
            )
        return self


class Variant(Preparing):
    """One way of preparing the same records, by name.

    Attributes:
        name: See `VariantName`.
        chunking: What the Knowledge Base's data source has to be set to: NONE, or its own fixed windows.
    """

    name: VariantName

    @property
    def chunking(self) -> Literal["NONE", "FIXED_SIZE"]:
        """Chunking strategy of the data source that fits this variant (it cannot be changed afterwards)."""
        return "FIXED_SIZE" if self.limit is None else "NONE"
