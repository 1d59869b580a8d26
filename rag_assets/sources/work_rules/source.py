"""The source of work rules: how a document is named and configured. How its PDF is read is in `reader.py`."""

from typing import Literal

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSource, PdfDocument


class WorkRulesDocument(PdfDocument):
    """One document of rules; the defaults suit model rules with commentary and a company's own rules alike."""

    edition: str = ""
    """Which edition it is, such as 令和４年11月版; without it, what the head says (of several dates the last
    amendment's), else when it came into force by its supplements. Article numbers shift between editions."""
    commentary: bool = True
    """Whether commentary is kept, and what stands under a chapter before its first article."""
    preface: bool = True
    """Whether what stands before the first chapter is kept."""
    frames: Literal["auto", "yes", "no"] = "auto"
    """Whether the articles stand in frames, so that what stands outside explains them; `auto` looks."""
    shared_commentary: Literal["each", "first"] = "each"
    """Whether commentary headed with several articles stands with each of them, or with the first."""
    signs: bool = True
    """Whether ○○, △△ and ○ before a unit are blanks in rule text."""
    forms: Literal["mark", "keep", "leave_out"] = "mark"
    """What becomes of forms to fill in (様式第１号, and a 別紙 that is one): `mark` keeps each as a record of its own
    that says 様式 in its label and over its text, `keep` without that, `leave_out` leaves them out. Their fields are
    never the company's to set."""


SOURCE = DocumentSource(
    name="work_rules",
    kind="pdf",
    title="就業規則",
    names_in_words="work rules by article (PDF)",
    record_in_words="a 条: rule text, and its commentary (解説) as a part of its own",
    example_numbers=("6", "10-2", "suppl-1", "table-1", "form-2"),
    settings=WorkRulesDocument,
    sample=WorkRulesDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "work_rules.pdf")),
    packages=("pdfplumber",),
)
