"""The source of work rules: how a document is named and configured. How its PDF is read is in `reader.py`."""

from collections.abc import Callable, Iterator
from typing import Literal

from pydantic import Field

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSource, PdfDocument, Reading


class WorkRulesDocument(PdfDocument):
    """One document of rules; the defaults suit model rules with commentary and a company's own rules alike."""

    edition: str = Field(
        default="",
        description="which edition it is, such as 令和４年11月版; without it, what the head says (of several dates the "
        "last amendment's), else when it came into force by its supplements. Article numbers shift between editions",
    )
    commentary: bool = Field(
        default=True,
        description="whether commentary is kept, and what stands under a chapter before its first article",
    )
    preface: bool = Field(default=True, description="whether what stands before the first chapter is kept")
    frames: Literal["auto", "yes", "no"] = Field(
        default="auto",
        description="whether the articles stand in frames, so that what stands outside explains them; `auto` looks",
    )
    shared_commentary: Literal["each", "first"] = Field(
        default="each",
        description="whether commentary headed with several articles stands with each of them, or with the first",
    )
    signs: bool = Field(default=True, description="whether ○○, △△ and ○ before a unit are blanks in rule text")
    forms: Literal["mark", "keep", "leave_out"] = Field(
        default="mark",
        description="what becomes of forms to fill in (様式第１号, and a 別紙 that is one): `mark` keeps each as a "
        "record of its own that says 様式 in its label and over its text, `keep` without that, `leave_out` leaves them "
        "out. Their fields are never the company's to set",
    )


def _load_reader() -> Callable[..., Iterator[Reading]]:
    from rag_assets.sources.work_rules.reader import read_document

    return read_document


SOURCE = DocumentSource(
    name="work_rules",
    kind="pdf",
    title="就業規則",
    names_in_words="work rules by article (PDF)",
    record_in_words="a 条: rule text, and its commentary (解説) as a part of its own",
    example_numbers=("6", "10-2", "suppl-1", "table-1", "form-2"),
    settings=WorkRulesDocument,
    sample=WorkRulesDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "work_rules.pdf")),
    load_reader=_load_reader,
    packages=("pdfplumber",),
)
