"""The words of corpus preparation: Variant and QualityRow. Shapes only."""

from typing import Literal

from pydantic import Field

from rag_assets.model import Model


class QualityRow(Model):
    """Faults of one variant's passages that need no question and no model to be seen.

    Counts are passages (a raw file is looked at as the windows the Knowledge Base will cut it into).

    Attributes:
        variant: Name of the variant.
        source: A source, or `all`.
        passages: Passages looked at.
        several_records: Passages that hold text of more than one record.
        unnamed: Passages that do not say which record they belong to (neither number nor title).
        begins_mid_sentence: Passages whose body begins inside a sentence.
        ends_mid_sentence: Passages whose body ends inside a sentence.
        orphan_phone: Passages with a phone number whose owner is not named in the passage.
        parted_rows: Table rows read in a passage without the headings of their columns.
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
    unnamed: int = Field(ge=0)
    begins_mid_sentence: int = Field(ge=0)
    ends_mid_sentence: int = Field(ge=0)
    orphan_phone: int = Field(ge=0)
    parted_rows: int = Field(ge=0)
    over_limit: int = Field(ge=0)
    lost_records: int = Field(ge=0)
    length_p5: int
    length_p50: int
    length_p95: int
    length_max: int
    histogram: tuple[int, ...]
    examples: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Up to three chunk IDs by fault, for a reader who wants to see one."""


class Variant(Model):
    """One way of preparing the same records.

    Attributes:
        name: ASCII; also the folder of its corpus.
        limit: Most characters of a chunk's body; None leaves the record whole, one file.
        header: `full` puts document, number, title, facets and as-of at the head; `title` number and title.
        dictionary: Whether everyday words of the synonym dictionary are added.
        chunking: What the Knowledge Base's data source has to be set to: NONE, or its own fixed windows.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_]*$")
    limit: int | None = Field(default=None, ge=50)
    header: Literal["full", "title"] = "full"
    dictionary: bool = False

    @property
    def chunking(self) -> Literal["NONE", "FIXED_SIZE"]:
        """Chunking strategy of the data source that fits this variant (it cannot be changed afterwards)."""
        return "FIXED_SIZE" if self.limit is None else "NONE"
