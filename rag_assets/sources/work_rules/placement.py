"""Whether what a line heads as 別表, 別紙 or 様式 is an appendix of its own, or belongs to what it stands in.

A table with such a caption may stand in the middle of an article whose paragraphs go on below it, an article may list
the forms that stand behind the rules, and a form's further page repeats its heading.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from rag_assets.sources.work_rules.appendices import (
    BARE_FORM,
    AppendixHeading,
    appendix_heading,
    form_name,
    is_further_page,
    looks_like_form,
)
from rag_assets.sources.work_rules.articles import Articles
from rag_assets.sources.work_rules.headings import chapter_heading, item_mark, supplement_heading
from rag_assets.sources.work_rules.lines import RulePassage
from rag_assets.sources.work_rules.marks import ParagraphCount
from rag_assets.sources.work_rules.units import Unit, words_of

_ABOVE_NAME = 4
"""Lines at the head of a form without a number among which its name stands."""


class Placement:
    """Looks ahead from the heading of an appendix; positions are those of the body's passages."""

    def __init__(self, body: Sequence[RulePassage], marks: Articles) -> None:
        self._body = body
        self._marks = marks
        self._ends = frozenset(marks.found.keys() | marks.captions | marks.books)
        self._last_article = max(marks.found, default=0)

    def is_inside(self, unit: Unit, heading: AppendixHeading, at: int) -> bool:
        """Whether it is no appendix of its own but part of the unit that is being read."""
        if unit.kind == "form" and unit.label == heading.label and is_further_page(heading):
            return True
        if self._body[at].table is not None:
            return False
        if heading.kind == "table" and unit.kind in ("article", "supplement"):
            return self._counts_on(unit, at) or (unit.kind == "article" and self._articles_follow(at))
        return not any(self._behind(at)) and (self._articles_follow(at) or self.comes_again(heading, at))

    def is_form(self, heading: AppendixHeading, at: int) -> bool:
        """Whether it is a form to fill in."""
        lines = (line for passage in self._behind(at) for line in words_of(passage))
        return heading.kind == "form" or (heading.kind == "sheet" and looks_like_form([heading.title, *lines]))

    def lacks_table(self, unit: Unit, at: int) -> bool:
        """Whether nothing stands between a caption inside a unit and the paragraph or heading that goes on below it."""
        first = next(self._behind(at), None)
        return first is None or (item_mark(first.text) and self._counts_on(unit, at))

    def comes_again(self, heading: AppendixHeading, at: int) -> bool:
        """Whether the same heading stands further below, so that here it is only named."""
        later = (appendix_heading(passage.text) for passage in self._body[at + 1 :])
        return any(other is not None and other.label == heading.label for other in later)

    def is_bare_form(self, unit: Unit, at: int) -> bool:
        """Whether a page behind the rules begins here that is a form with a name and no number: 休暇届."""
        passage = self._body[at]
        if self._marks.framed or at < self._last_article:
            return False
        last = next((stretch.passages[-1] for stretch in reversed(unit.stretches) if stretch.passages), None)
        if last is None or last.page >= passage.page:
            return False
        if unit.kind not in ("article", "supplement") and unit.label != BARE_FORM:
            return False
        on_page = takewhile(lambda other: other.page == passage.page, [passage, *self._behind(at)])
        lines = [line for other in on_page for line in words_of(other)]
        return bool(form_name(lines[:_ABOVE_NAME])) and looks_like_form(lines, enough=3)

    def _behind(self, at: int) -> Iterator[RulePassage]:
        """What stands below a heading, up to the next heading of the document's own."""
        below = takewhile(lambda position: position not in self._ends, range(at + 1, len(self._body)))
        yield from takewhile(lambda passage: not _is_heading(passage), (self._body[position] for position in below))

    def _counts_on(self, unit: Unit, at: int) -> bool:
        """Whether the first marked passage below counts on from one above; an article's first is 1 without a mark.

        What an appendix counts itself begins with 1.
        """
        stretch = unit.stretches[-1] if unit.stretches else None
        if stretch is None or stretch.part != "rule":
            return False
        count = ParagraphCount()
        count.restart()
        for passage in stretch.passages:
            if item_mark(passage.text):
                count.begin(passage.text)
        first = next((passage.text for passage in self._behind(at) if item_mark(passage.text)), "")
        return count.goes_on_at(first)

    def _articles_follow(self, at: int) -> bool:
        """Whether a further article of the same chapter stands below, before anything that ends the articles."""
        for below in range(at + 1, len(self._body)):
            if below in self._marks.found:
                return True
            text = self._body[below].text
            if below in self._marks.books or chapter_heading(text) or supplement_heading(text) is not None:
                return False
        return False


def heading_in_table(passage: RulePassage) -> AppendixHeading | None:
    """The heading of a form that is one ruled table, where it stands in the first cell."""
    if passage.table is None:
        return None
    first = min(passage.table.cells, key=lambda cell: (cell.row, cell.column))
    heading = appendix_heading(first.text.partition("\n")[0].strip(" \u3000"))
    return heading if heading is not None and heading.kind == "form" else None


def _is_heading(passage: RulePassage) -> bool:
    text = passage.text
    return (
        appendix_heading(text) is not None
        or heading_in_table(passage) is not None
        or chapter_heading(text) is not None
        or supplement_heading(text) is not None
    )
