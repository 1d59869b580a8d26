"""The data of the report page: what was prepared, asked and found.

Shapes only. `collect` reads them from the home folder, `render` makes the page.
"""

from datetime import datetime

from pydantic import Field, model_validator

from rag_assets.corpus.variants import find_baseline
from rag_assets.evaluation.comparable import find_searched
from rag_assets.evaluation.model import Comparison, HowSearched, QuestionResult, Score
from rag_assets.model import Model, QualityRow, Variant
from rag_assets.sources.staleness import Staleness


class RecordLink(Model):
    """What a reader needs to find a record.

    Attributes:
        label: The number as the document writes it, such as `No.2594`.
        url: Where the original can be seen; only http and https become links.
    """

    record_id: str
    label: str
    title: str
    url: str | None = None

    @property
    def name(self) -> str:
        """Label and title."""
        return f"{self.label} {self.title}".strip()


class ReportDocument(Model):
    """A document whose records were prepared.

    Attributes:
        source: Name of its source.
        name: As readers know it.
        location: Where it was read from: a folder, a file, a URL, or the bundled sample.
        records: How many records it has.
    """

    source: str
    name: str
    location: str
    records: int = Field(ge=0)


class ReportFinding(Model):
    """What reading a document found beside its records.

    Attributes:
        document: Key of the document, with its source: `work_rules/rules2026`.
        topic: What was found, such as `blank`.
        count: How often.
        fault: Whether it should be mended; otherwise it was left out or marked on purpose.
        examples: Some of them, with their places.
    """

    document: str
    topic: str
    count: int = Field(ge=1)
    fault: bool
    examples: tuple[str, ...] = ()


class ExamplePassage(Model):
    """Text of a passage that `QualityRow.examples` names."""

    variant: str
    chunk_id: str
    text: str


class ReportTables(Model):
    """The figures of a report, as they are kept for the terminal.

    Attributes:
        searched: What answered the questions, by variant, in the order of the results.
        scores: Of every variant, mode, split and source.
        comparisons: Against one baseline; empty where there is none.
        quality: Of every variant and source.
    """

    searched: dict[str, HowSearched] = Field(default_factory=dict)
    scores: tuple[Score, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    quality: tuple[QualityRow, ...] = ()


class Report(Model):
    """Everything the page shows.

    Attributes:
        documents: What was prepared.
        made_at: When the report was made.
        variants: In the order to show; the baseline is put first.
        scores: See `ReportTables`, likewise `comparisons` and `quality`.
        further_comparisons: Against the other baseline, where there are two; for the CSV only.
        results: Hits of every question, variant and mode, best first.
        questions: Questions asked, the unanswerable included.
        records: Links of the records that hits and gold name; a record without one is shown by its ID.
        examples: Texts of the example passages of `quality`.
        findings: What was found in the documents beside their records, counted.
        dictionary_notes: What the editor of the dictionary should look at, a line each.
        staleness: How current the stored text of each source is.
        settings: Name and value of the run's settings, as text.
        command: What to type to make this report again.
        sample: Whether the corpus is the bundled sample.
    """

    documents: tuple[ReportDocument, ...] = Field(min_length=1)
    made_at: datetime
    variants: tuple[Variant, ...]
    scores: tuple[Score, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    further_comparisons: tuple[Comparison, ...] = ()
    results: tuple[QuestionResult, ...] = ()
    quality: tuple[QualityRow, ...] = ()
    questions: int = Field(default=0, ge=0)
    records: tuple[RecordLink, ...] = ()
    examples: tuple[ExamplePassage, ...] = ()
    findings: tuple[ReportFinding, ...] = ()
    dictionary_notes: tuple[str, ...] = ()
    staleness: tuple[Staleness, ...] = ()
    settings: dict[str, str] = Field(default_factory=dict)
    command: str = "python -m rag_assets run"
    sample: bool = False

    @property
    def corpus(self) -> str:
        """What was prepared, in a title's length: 「国税庁タックスアンサー ほか2文書」."""
        first, *others = self.documents
        return f"{first.name} ほか{len(others)}文書" if others else first.name

    @property
    def baseline(self) -> str | None:
        """The variant the others are compared with: what the comparisons name, else the usual one if there is one."""
        names = [variant.name for variant in self.variants]
        named = next((comparison.baseline for comparison in self.comparisons), find_baseline(names))
        return named if named in names else None

    @property
    def ordered_variants(self) -> list[Variant]:
        """The variants with the baseline first, the others in their own order."""
        return sorted(self.variants, key=lambda variant: variant.name != self.baseline)

    @property
    def variant_names(self) -> list[str]:
        """Names of `ordered_variants`."""
        return [variant.name for variant in self.ordered_variants]

    @property
    def searched(self) -> dict[str, HowSearched]:
        """What answered the questions, by variant, the baseline first."""
        found = find_searched(self.results)
        return {name: found[name] for name in self.variant_names if name in found}

    @property
    def tables(self) -> ReportTables:
        """What the terminal shows of it."""
        return ReportTables(
            searched=find_searched(self.results),
            scores=self.scores,
            comparisons=self.comparisons,
            quality=self.quality,
        )

    @model_validator(mode="after")
    def _variants_are_known(self) -> "Report":
        named = {row.variant for rows in (self.scores, self.comparisons, self.results, self.quality) for row in rows}
        if unknown := sorted(named - {variant.name for variant in self.variants}):
            raise ValueError(
                f"report of {self.corpus}: results of {', '.join(unknown)}, which `variants` does not list; "
                "add these variants or leave their results out"
            )
        return self
