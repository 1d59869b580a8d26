"""Invoice Q&A (国税庁 インボイス制度に関するQ&A) and documents like it: a PDF of questions and answers to Records.

Where questions are and what answers are made of is in the modules beside this one; pages and tables in the PDF modules.
"""

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import BinaryIO

from rag_assets.japanese.characters import clip
from rag_assets.japanese.dates import find_dates
from rag_assets.japanese.whitespace import one_line
from rag_assets.japanese.widths import half_width
from rag_assets.model import AsOf, Record
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.invoice_qa.answer import answer_sections
from rag_assets.sources.invoice_qa.answer_marks import after_answer_mark
from rag_assets.sources.invoice_qa.blocks import join_lines
from rag_assets.sources.invoice_qa.consistency import consistent_layout
from rag_assets.sources.invoice_qa.flow import FlowItem, FlowLine, FlowTable, read_flow
from rag_assets.sources.invoice_qa.marks import Marks, numbered_line, write_number
from rag_assets.sources.invoice_qa.questions import FoundQuestion, first_words_below
from rag_assets.sources.invoice_qa.source import SOURCE, InvoiceQaDocument
from rag_assets.sources.pdf.pages import PdfPage, read_pages

_LONGEST_TITLE = 60
_BEHIND_DATE = re.compile(r"[^（）()\[\]【】、。]*")
"""What may belong to a date on the title page: 令和8年4月1日現在."""


def read_document(
    file: BinaryIO, settings: InvoiceQaDocument, *, sha256: str, url: str | None = None
) -> Iterator[Reading]:
    """One Record a question, in the document's order; with them what a person should know.

    Memory grows with the document: all its lines and tables are kept until the last question is known, as which lines
    are questions shows only over the whole (the book of 200 pages: about 3 MB).

    Raises:
        DocumentError: The PDF cannot be read, or no question with an answer is found in it.
    """
    findings: list[Finding] = []
    pages = read_pages(file, name=settings.location, picture_pages=settings.picture_pages, findings=findings)
    yield from records_of(pages, settings, sha256=sha256, url=url)
    yield from findings


def records_of(
    pages: Iterable[PdfPage], settings: InvoiceQaDocument, *, sha256: str, url: str | None = None
) -> Iterator[Reading]:
    """What `read_document` yields, from pages that are read already."""
    marks = Marks(settings.question_marks, settings.answer_marks, settings.chapter_marks, settings.revision_words)
    flow = read_flow(pages)
    layout = consistent_layout(flow, marks)
    if not layout.questions:
        raise DocumentError(f"{settings.location}: {_explain_no_question(flow, marks)}")
    yield from layout.findings
    document = settings.document or _title(layout.front) or settings.key
    edition = settings.told_as_of() or _edition(layout.front)
    seen: dict[str, FoundQuestion] = {}
    for question in layout.questions:
        number = write_number(question.number)
        if settings.restarts_by_chapter:
            number = f"{question.chapter_count}.{number}"
        sections = answer_sections(question.answer, question.shown)
        if number in seen:
            yield _fault(
                question,
                "number twice",
                f"its number stands on page {seen[number].page} already, so it is left out; if numbers begin anew in "
                "every chapter, set restarts_by_chapter",
            )
        elif not sections:
            yield _fault(question, "question without answer", "its answer mark has no text behind it: is it a picture?")
        else:
            seen[number] = question
            revised = AsOf(label="・".join(question.notes), date=_latest(question.notes)) if question.notes else None
            yield Record(
                record_id=f"{SOURCE.name}/{settings.key}/{number}",
                source=SOURCE.name,
                document=document,
                number=number,
                label=question.label,
                # Where there is no 見出し, the question's beginning stands for one.
                title=one_line(question.heading) or clip(question.text, _LONGEST_TITLE) or question.label,
                question=one_line(question.text),
                chapter=tuple(map(one_line, question.chapter)),
                as_of=revised or edition,
                url=settings.link or url or None,
                attributes={"page": question.page},
                remarks={"改訂": revised.label} if revised else {},
                origin_sha256=sha256,
                sections=sections,
            )


def _explain_no_question(flow: Sequence[FlowItem], marks: Marks) -> str:
    lines = [item for item in flow if isinstance(item, FlowLine)]
    questions = [line for line in lines if numbered_line(line.text, marks)]
    answers = [line for line in lines if after_answer_mark(line.text, marks) is not None]
    return (
        f"no question with an answer was found: {len(questions)} lines{_first_page(questions)} begin with one of "
        f"{' '.join(marks.question)} and a number, {len(answers)}{_first_page(answers)} with one of "
        f"{' '.join(marks.answer)}. {_describe_beginning(flow, marks)}set question_marks and answer_marks accordingly"
        f"{'' if questions else '; questions without numbers are not read'}{_describe_tables(flow, marks)}"
    )


def _describe_tables(flow: Sequence[FlowItem], marks: Marks) -> str:
    """That questions or answers seem to stand in the cells of ruled tables, which are read as tables only."""
    asking = tuple(map(half_width, (*marks.question, *marks.answer)))
    for table in flow:
        if isinstance(table, FlowTable):
            begun = [one_line(cell.text) for cell in table.cells if half_width(cell.text).startswith(asking)]
            if len(begun) > 1:
                return (
                    f". On page {table.page} they stand in a ruled table (「{clip(begun[0], _LONGEST_TITLE)}」): "
                    "questions are not read from tables; type the table as CSV for --csv-rows"
                )
    return ""


def _describe_beginning(flow: Sequence[FlowItem], marks: Marks) -> str:
    """How the document prints a question and what follows it, or how it begins where no line looks like a question."""
    numbered = (numbered_line(item.text, marks) if isinstance(item, FlowLine) else None for item in flow)
    found = [at for at, line in enumerate(numbered) if line and not line.refers]
    # Entries of a 目次 follow each other; a question has something below it.
    parted = [at for at, below in pairwise([*found, -1]) if below != at + 1]
    for at in parted[:1]:
        line = flow[at]
        assert isinstance(line, FlowLine)
        below = first_words_below(flow, at) or "nothing"
        return f"Below 「{clip(one_line(line.text), _LONGEST_TITLE)}」 (page {line.page}) stands: 「{below}」: "
    begins = first_words_below(flow, -1)
    return f"The document begins: 「{begins}」: " if begins else ""


def _first_page(lines: Sequence[FlowLine]) -> str:
    return f" (the first on page {lines[0].page})" if lines else ""


def _fault(question: FoundQuestion, topic: str, message: str) -> Finding:
    return Finding.fault(topic, f"page {question.page}", f"{question.label}: {message}")


def _title(front: Sequence[FlowLine]) -> str:
    """The document's own name: the lines in the largest letters on its first page with text."""
    page = [line for line in front if line.page == front[0].page] if front else []
    largest = max((line.size for line in page), default=0.0)
    lines: list[str] = []
    for line in page:
        if line.size >= largest - 0.5:
            lines.append(line.text)
        elif lines:
            break
    return one_line(join_lines(lines))


def _edition(front: Sequence[FlowLine]) -> AsOf | None:
    """The latest date that the title page tells, as printed."""
    dated = [
        AsOf(label=one_line(printed.words + behind[0]), date=printed.day)
        for line in front
        for printed in find_dates(line.text)
        if printed.day and (behind := _BEHIND_DATE.match(line.text, printed.end))
    ]
    return max(dated, key=lambda as_of: str(as_of.date), default=None)


def _latest(notes: Sequence[str]) -> datetime.date | None:
    """The latest date of revision notes; a month without a day is its first."""
    days = [printed.day for note in notes for printed in find_dates(note) if printed.day]
    return max(days, default=None)
