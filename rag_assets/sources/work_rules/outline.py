"""What belongs to which article: passages to units (articles, chapters, supplements, appendices, preface).

Deciding only: how lines are read is in `lines`, what a heading looks like in `headings`, which lines are
articles in `articles`, where 別表 and forms belong in `placement`, which numbers are missing in
`numbers`, and how a unit becomes a record in `reader`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import median
from typing import Literal

from rag_assets.sources.base import Finding, name_pages
from rag_assets.sources.work_rules.appendices import (
    BARE_FORM,
    AppendixHeading,
    appendix_heading,
)
from rag_assets.sources.work_rules.articles import ArticleCandidate, Articles
from rag_assets.sources.work_rules.contents import table_of_contents
from rag_assets.sources.work_rules.deleted import Deleted, deleted_part
from rag_assets.sources.work_rules.headings import (
    ChapterHeading,
    CommentaryHeading,
    alternative_heading,
    caption_line,
    chapter_heading,
    commentary_heading,
    deleted_range,
    is_deleted,
    numbers_in,
    supplement_heading,
)
from rag_assets.sources.work_rules.history import is_history
from rag_assets.sources.work_rules.lines import RulePassage
from rag_assets.sources.work_rules.numbers import Book, Chapter, Numbered, missing_articles, missing_chapters
from rag_assets.sources.work_rules.placement import Placement, heading_in_table
from rag_assets.sources.work_rules.title import is_head_line
from rag_assets.sources.work_rules.units import (
    RuleStretch,
    Unit,
    settle_alternatives,
    settle_appendix,
    settle_form,
    split_reference,
)


@dataclass(frozen=True, slots=True)
class Outline:
    """A document of rules taken apart.

    Attributes:
        cover: What stands before everything and is no sentence: title, edition, publisher; also where it stands beside
            the first chapter's title.
        units: In the order of the document.
        findings: What a person should know.
    """

    cover: tuple[RulePassage, ...]
    units: tuple[Unit, ...]
    findings: tuple[Finding, ...]


def outline(passages: Sequence[RulePassage], *, framed: bool | None = None, forms: bool = True) -> Outline:
    """Units of a document of rules.

    What looks like an article and is none stays text of where it stands, with a finding: a quoted law's article is told
    by standing outside the frames that articles have, having no caption where they have one, or a number that does not
    fit between its neighbours'.

    Args:
        passages: In reading order.
        framed: Whether articles stand in frames and what stands outside explains them; None where the document tells.
        forms: Whether forms are wanted, so that one without text is missing.
    """
    contents = table_of_contents(passages)
    skipped = contents.positions
    body = [
        replace(passage, text="", table=None) if position in skipped else passage
        for position, passage in enumerate(passages)
    ]
    marks = Articles(body, framed=framed)
    reader = _OutlineReader(body, marks, forms=forms)
    for position, passage in enumerate(body):
        if position not in skipped:
            reader.read(position, passage)
    units = tuple(reader.finish())
    findings = [
        *marks.findings,
        *reader.findings,
        *missing_articles(reader.books, contents.articles, marks.rejected),
        *missing_chapters(reader.books, contents.chapters),
    ]
    if skipped:
        pages = [passages[position].page for position in skipped]
        message = f"left out: {len(skipped)} lines that only point to the pages of chapters and articles"
        findings.insert(0, Finding.note("table of contents", name_pages(min(pages), max(pages)), message))
    return Outline(tuple(reader.cover), units, tuple(findings))


class _OutlineReader:
    """Goes through the passages once and gives each to its unit."""

    def __init__(self, body: Sequence[RulePassage], marks: Articles, *, forms: bool) -> None:
        self._body = body
        self._forms = forms
        self._marks = marks
        self._placement = Placement(body, marks)
        self.cover: list[RulePassage] = []
        self.findings: list[Finding] = []
        self._units: list[Unit] = []
        self._front: list[RulePassage] = []
        self._beside: list[RulePassage] = []
        self._unit: Unit | None = None
        self._by_number: dict[tuple[int, ...], Unit] = {}
        self._waiting: list[tuple[tuple[int, ...], RuleStretch]] = []
        self.books = [Book()]
        self._book_title = ""
        self._chapters: list[ChapterHeading] = []
        self._stretch: RuleStretch | None = None
        self._frame = 0
        self._alternative = ""
        self._ahead: list[RulePassage] | None = None
        self._heading: RulePassage | None = None
        self._supplements = 0

    def read(self, at: int, passage: RulePassage) -> None:
        """The next passage."""
        text = passage.text
        article = self._marks.found.get(at)
        in_form = self._unit is not None and self._unit.kind == "form"
        commentary = None if in_form else commentary_heading(text)
        appendix = appendix_heading(text) or heading_in_table(passage)
        if at in self._marks.captions:
            return
        if at in self._marks.books:
            self._begin_book(text)
        elif article is not None:
            self._begin_article(article)
        elif (gone := deleted_part(text)) is not None and (self._begun or gone.what == "chapter"):
            self._leave_out_deleted(passage, gone)
        elif chapter := chapter_heading(text):
            self._begin_chapter(chapter, passage)
        elif (of := supplement_heading(text)) is not None:
            self._begin_supplement(passage, of)
        elif deleted := deleted_range(text):
            self._count(passage, *deleted)
            self._tell_deleted(passage, f"{deleted[0]}から{deleted[1]}まで")
        elif alternative_heading(text) and self._begun and not in_form:
            self._leave_ahead()
            self._alternative, self._ahead, self._heading = text, [], passage
        elif commentary is not None and self._begun:
            self._begin_commentary(at, commentary)
        elif appendix is not None and self._begun and not self._is_in_commentary():
            self._read_appendix(at, passage, appendix)
        elif self._unit is not None and self._placement.is_bare_form(self._unit, at):
            self._begin_appendix(passage, AppendixHeading("form", BARE_FORM, ""), "form")
            self._take(passage)
        elif text or passage.table is not None:
            self._take(passage)

    def finish(self) -> list[Unit]:
        """The units in the order of the document, those without text left out."""
        self._leave_ahead()
        for number, stretch in self._waiting:
            unit = self._by_number.get(number)
            if unit is None:
                self._tell_unplaced(number, stretch)
                unit = self._units[-1] if self._units else None
            if unit is not None and stretch not in unit.stretches:
                unit.stretches.append(stretch)
        self._split_front()
        for unit in self._units:
            settle_alternatives(unit)
            if unit.kind == "appendix":
                settle_appendix(unit)
            if unit.kind == "form":
                settle_form(unit)
            if unit.is_deleted:
                first = unit.passages[0]
                said = replace(first, text=f"{unit.label}\u3000{first.text}")
                self._tell_deleted(said, unit.label, _DELETED_KINDS.get(unit.kind, unit.kind))
                unit.stretches.clear()
                continue
            if unit.kind == "form" and not self._forms and not unit.passages:
                continue
            silent = [stretch for stretch in unit.stretches if not stretch.passages]
            if unit.kind != "chapter" and (len(silent) == len(unit.stretches) or any(each.opens for each in silent)):
                self._tell_empty(unit)
        return [unit for unit in self._units if any(stretch.passages for stretch in unit.stretches)]

    @property
    def _begun(self) -> bool:
        return bool(self._units)

    def _is_in_commentary(self) -> bool:
        return self._stretch is not None and self._stretch.part == "commentary" and bool(self._stretch.labels)

    def _begin_book(self, title: str) -> None:
        self._leave_ahead()
        self.books.append(Book())
        self._book_title = title
        self._place_waiting()
        self._by_number = {}
        self._chapters = []
        self._unit = self._stretch = None
        self._alternative = ""

    def _place_waiting(self) -> None:
        """Put commentary that stood before its article with it."""
        waiting, self._waiting = self._waiting, []
        for number, stretch in waiting:
            unit = self._by_number.get(number)
            if unit is None:
                self._waiting.append((number, stretch))
            elif stretch not in unit.stretches:
                unit.stretches.append(stretch)

    def _begin_chapter(self, chapter: ChapterHeading, passage: RulePassage) -> None:
        self._leave_ahead()
        if chapter.beside and chapter.beside not in {other.text for other in self._beside}:
            self._beside.append(replace(passage, text=chapter.beside))
        self._chapters = [*(open_ for open_ in self._chapters if open_.level < chapter.level), chapter]
        number = "-".join(f"{_LEVEL_NAMES[each.level]}-{each.number}" for each in self._chapters)
        above = self._path()[:-1]
        self.books[-1].chapters.append(Chapter(chapter.level, chapter.number, passage.page))
        self._begin(Unit("chapter", self._in_book(number), chapter.label, chapter.title, above, passage.page))
        self._alternative = ""

    def _begin_supplement(self, passage: RulePassage, of: str) -> None:
        self._leave_ahead()
        self._supplements += 1
        self._chapters = []
        number = self._in_book("suppl" if self._supplements == 1 else f"suppl-{self._supplements}")
        self._begin(Unit("supplement", number, "附則", of, self._path(), passage.page), "rule")
        self._alternative = ""

    def _read_appendix(self, at: int, passage: RulePassage, heading: AppendixHeading) -> None:
        if self._unit is not None and self._placement.is_inside(self._unit, heading, at):
            lacks_table = heading.kind == "table" and self._placement.lacks_table(self._unit, at)
            if lacks_table and not self._placement.comes_again(heading, at):
                self._tell_empty_table(passage, heading)
            self._take(passage)
        else:
            is_form = self._placement.is_form(heading, at)
            self._begin_appendix(passage, heading, "form" if is_form else "appendix")

    def _begin_appendix(
        self, passage: RulePassage, heading: AppendixHeading, kind: Literal["form", "appendix"]
    ) -> None:
        self._leave_ahead()
        number = "-".join((heading.kind, *map(str, numbers_in(heading.label))))
        related, title = split_reference(heading.title)
        unit = Unit(kind, self._in_book(number), heading.label, title, self._path(), passage.page)
        self._begin(unit, "rule")
        said = [related]
        if kind == "form" and caption_line(title):
            # What brackets behind a form's number say (用紙　Ａ４, 表) is not its name.
            unit.title = ""
            said.append(title)
        if passage.table is not None:
            unit.title = ""
            unit.stretch("rule").passages.append(passage)
        elif any(said):
            unit.stretch("rule").passages.append(replace(passage, text="".join(said)))
        self._alternative = ""

    def _leave_out_deleted(self, passage: RulePassage, gone: Deleted) -> None:
        """A chapter, supplement or appendix of which only the number is left."""
        self._leave_ahead()
        self._tell_deleted(passage, gone.label, gone.what, omitted=gone.omitted)
        if gone.what == "chapter":
            self._chapters = [open_ for open_ in self._chapters if open_.level < gone.level]
            self.books[-1].chapters.extend(Chapter(gone.level, number, passage.page) for number in gone.numbers)
        if gone.what != "supplement":
            self._unit, self._stretch = None, None

    def _begin(self, unit: Unit, part: Literal["rule", "commentary"] = "commentary") -> None:
        same = sum(other.number.split("_")[0] == unit.number for other in self._units)
        if same:
            unit.number = f"{unit.number}_{same + 1}"
        self._units.append(unit)
        self._unit = unit
        self._stretch = unit.stretch(part)
        self._frame = 0

    def _begin_article(self, found: ArticleCandidate) -> None:
        heading, passage = found.heading, found.passage
        self._count(passage, heading.label, heading.label)
        if heading.deleted or is_deleted(found.caption):
            self._leave_ahead()
            self._tell_deleted(passage, heading.label)
            self._unit, self._stretch = None, None
            return
        opens = self._ahead is not None
        ahead, self._ahead = self._ahead or [], None
        known = self._by_number.get(heading.number)
        if known is not None and self._alternative:
            self._unit = known
        else:
            number = self._in_book("-".join(map(str, heading.number)))
            self._begin(Unit("article", number, heading.label, found.caption, self._path(), passage.page))
        unit = self._unit
        if unit is None:
            return
        unit.stretches = [stretch for stretch in unit.stretches if stretch.passages or stretch.opens]
        self._by_number.setdefault(heading.number, unit)
        if ahead:
            unit.stretches.append(RuleStretch("commentary", self._alternative, opens=True, passages=ahead))
        self._stretch = RuleStretch("rule", self._alternative, opens=opens)
        unit.stretches.append(self._stretch)
        self._frame = passage.frame
        if heading.rest:
            self._stretch.passages.append(replace(passage, text=heading.rest))

    def _count(self, passage: RulePassage, first: str, last: str) -> None:
        self.books[-1].articles.append(Numbered(numbers_in(first), numbers_in(last), passage.page))

    def _begin_commentary(self, at: int, heading: CommentaryHeading) -> None:
        self._leave_ahead()
        follows = at > 0 and commentary_heading(self._body[at - 1].text) is not None
        if not (follows and self._stretch and self._stretch.part == "commentary" and not self._stretch.passages):
            self._stretch = RuleStretch("commentary", self._alternative)
        stretch = self._stretch
        if not heading.labels and self._unit is not None:
            stretch.labels = (self._unit.label,)
            self._unit.stretches.append(stretch)
        stretch.labels = (*stretch.labels, *heading.labels)
        stretch.captions = (*stretch.captions, *([heading.caption] if heading.caption else []))
        for label in heading.labels:
            number = numbers_in(label)
            if number in self._by_number:
                self._by_number[number].stretches.append(stretch)
            else:
                self._waiting.append((number, stretch))

    def _leave_ahead(self) -> None:
        """An alternative that no article followed stays text, with what stood under it."""
        if self._ahead is None:
            return
        ahead = [*([self._heading] if self._heading else []), *self._ahead]
        self._ahead = None
        if self._unit is not None:
            self._unit.stretch("commentary").passages.extend(ahead)
        else:
            for passage in ahead:
                self._tell_lost(passage)

    def _take(self, passage: RulePassage) -> None:
        if self._ahead is not None:
            self._ahead.append(passage)
        elif not self._begun:
            self._front.append(passage)
        elif self._unit and self._unit.kind == "chapter" and not self._by_number and is_head_line(passage.text):
            self._beside.append(passage)
        elif self._stretch is None or self._unit is None:
            self._tell_lost(passage)
        else:
            outside = self._marks.framed and self._stretch.part == "rule" and passage.frame != self._frame
            if outside and self._unit.kind == "article":
                self._stretch = RuleStretch("commentary")
                self._unit.stretches.append(self._stretch)
            self._stretch.passages.append(passage)

    def _split_front(self) -> None:
        """What stands before the first chapter: a cover, where no sentence is on the page, and a preface."""
        spoken = {passage.page for passage in self._front if "。" in passage.text}
        first = min(spoken, default=None)
        self.cover = [passage for passage in self._front if first is None or passage.page < first]
        if not self.cover:
            self.cover = list(takewhile(self._is_title, self._front))
            before = list(takewhile(lambda passage: "。" not in passage.text, self._front))
            dated = [at for at, passage in enumerate(before, 1) if is_history(passage.text)]
            self.cover = before[: max([len(self.cover), *dated])]
        preface = [passage for passage in self._front if passage not in self.cover]
        self.cover += self._beside
        if preface:
            unit = Unit("preface", "preface", "前文", "", (), preface[0].page)
            unit.stretches.append(RuleStretch("commentary", passages=preface))
            self._units.insert(0, unit)

    def _is_title(self, passage: RulePassage) -> bool:
        return "。" not in passage.text and passage.size > _TITLE * median(
            each.size for each in self._body if each.text
        )

    def _path(self) -> tuple[str, ...]:
        chapters = (f"{chapter.label}\u3000{chapter.title}".strip("\u3000") for chapter in self._chapters)
        return (*((self._book_title,) if self._book_title else ()), *chapters)

    def _in_book(self, number: str) -> str:
        book = len(self.books)
        return number if book == 1 else f"r{book}-{number}"

    def _tell_deleted(self, passage: RulePassage, label: str, what: str = "article", *, omitted: bool = False) -> None:
        self.findings.append(
            Finding.note(
                f"{'omitted' if omitted else 'deleted'} {what}",
                f"page {passage.page}, {label}",
                "the document keeps only the number; no record is made",
                passage.text[:40],
            )
        )

    def _tell_unplaced(self, number: tuple[int, ...], stretch: RuleStretch) -> None:
        page = stretch.passages[0].page if stretch.passages else 0
        name = "-".join(map(str, number))
        self.findings.append(
            Finding.fault(
                "commentary without its article",
                f"page {page}, article {name}",
                f"commentary is headed with article {name}, which is not in the document; it is kept with the "
                "last article: check the heading's number in the document",
            )
        )

    def _tell_empty(self, unit: Unit) -> None:
        alternatives = dict.fromkeys(stretch.alternative for stretch in unit.stretches if stretch.alternative)
        words = "\u3000".join(filter(None, (unit.label, unit.title, *alternatives)))
        self.findings.append(
            Finding.fault(
                "heading without text",
                f"page {unit.page}, {unit.label}",
                "no text stands under it, so it is left out; if the page shows some, it is a picture, or "
                "stands before its heading",
                words,
            )
        )

    def _tell_empty_table(self, passage: RulePassage, heading: AppendixHeading) -> None:
        self.findings.append(
            Finding.fault(
                "heading without text",
                f"page {passage.page}, {heading.label}",
                "no table stands under this caption; if the page shows one, it is a picture",
                passage.text,
            )
        )

    def _tell_lost(self, passage: RulePassage) -> None:
        cells = passage.table.cells if passage.table is not None else ()
        words = passage.text or " ".join(cell.text for cell in cells if cell.text)
        self.findings.append(
            Finding.note(
                "text of a deleted article",
                f"page {passage.page}",
                "stands under a deleted article or a title and is left out",
                words,
            )
        )


_TITLE = 1.15
"""Times the size of the text from which a line above a preface is a title."""
_LEVEL_NAMES = ("part", "chapter", "section", "subsection")
_DELETED_KINDS = {"form": "appendix"}
