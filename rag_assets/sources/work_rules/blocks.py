"""Passages of a unit as a record's blocks: list items by their indent, tables with their headings, blanks marked.

Which unit a passage belongs to is decided before (`outline`); what a blank is, in `japanese/blanks`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rag_assets.japanese.blanks import BLANK, find_blanks, mark_blanks
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Block, Table, TextBlock
from rag_assets.sources.pdf.headings import heading_rows
from rag_assets.sources.pdf.pages import PdfTable
from rag_assets.sources.tables import mark_headings
from rag_assets.sources.work_rules.headings import caption_line, item_mark, paragraph_number
from rag_assets.sources.work_rules.lines import RulePassage

_DEEPEST = 4
_NOTE = re.compile(r"^(?:[（(]注|※)")
_SAME_EDGE = 3.0


@dataclass(frozen=True, slots=True)
class BlankFound:
    """A blank for a person who has to fill it: its page and the words around it."""

    page: int
    around: str


def blocks_of(
    passages: Sequence[RulePassage], *, under_number: bool, signs: bool, fields: bool = False
) -> tuple[tuple[Block, ...], tuple[BlankFound, ...]]:
    """Blocks of a stretch of passages, and the blanks marked in them.

    Args:
        passages: In reading order.
        under_number: Whether the first one is the first paragraph of an article, whose number was its mark.
        signs: Whether ○○ and the like are blanks here.
        fields: Whether blanks are fields of a form, which whoever uses it fills in: they stay white space.
    """
    mark = partial(mark_blanks, signs=signs) if not fields else _leave_fields
    blocks: list[Block] = []
    blanks: list[BlankFound] = []
    for passage, depth in _find_depths(_name_formulas(passages), under_number=under_number):
        block = (
            _table(passage.table, mark, headed=not fields) if passage.table is not None else _text(passage, depth, mark)
        )
        if block is not None:
            blocks.append(block)
            texts = [block.text] if isinstance(block, TextBlock) else [cell.text for cell in block.cells]
            blanks.extend(BlankFound(passage.page, blank.around) for text in texts for blank in find_blanks(text))
    return tuple(blocks), tuple(blanks)


def _name_formulas(passages: Sequence[RulePassage]) -> list[RulePassage]:
    """Passages with every formula behind the bracketed line that says what it is for: alone it could be any."""
    found: list[RulePassage] = []
    for passage in passages:
        if found and "÷" in passage.text and "。" not in passage.text and caption_line(found[-1].text):
            found[-1] = replace(found[-1], text=f"{found[-1].text}\u3000{passage.text}")
        else:
            found.append(passage)
    return found


def _find_depths(passages: Sequence[RulePassage], *, under_number: bool) -> Iterator[tuple[RulePassage, int]]:
    """Every passage with the number of marks further to the left that it stands under.

    A numbered paragraph that counts on from an open one stands beside it, wherever its line begins.
    """
    open_marks: list[tuple[float, int]] = []
    for position, passage in enumerate(passages):
        marked = item_mark(passage.text) or (position == 0 and under_number)
        number = 1 if position == 0 and under_number else paragraph_number(passage.text)
        edge = passage.x0 if marked else passage.left
        above = [mark for mark in open_marks if mark[0] < edge - _SAME_EDGE]
        before = next((at for at, (_, counted) in enumerate(open_marks) if number and counted == number - 1), None)
        if before is not None:
            above = open_marks[:before]
        yield passage, min(len(above), _DEEPEST)
        if marked:
            open_marks = [*above, (passage.x0, number)]


def _leave_fields(text: str) -> str:
    """The text of a form, with white space where the lines of a paragraph meet at a field."""
    return text.replace(BLANK, "\u3000")


def _text(passage: RulePassage, depth: int, mark: Callable[[str], str]) -> TextBlock | None:
    text = one_line(mark(passage.text))
    if not text:
        return None
    if _NOTE.match(text):
        return TextBlock(kind="note", text=text, depth=depth)
    return TextBlock(kind="item" if item_mark(text) else "paragraph", text=text, depth=depth)


def _table(table: PdfTable, mark: Callable[[str], str], *, headed: bool) -> Table | None:
    cells = [cell.model_copy(update={"text": "\u3000".join(_cell_lines(cell.text, mark))}) for cell in table.cells]
    if not any(cell.text for cell in cells):
        return None
    # A form's grid names its fields beside them: its first row heads nothing.
    headings = heading_rows(cells) if headed and not any(cell.heading for cell in cells) else 0
    return Table(cells=mark_headings(cells, headings))


def _cell_lines(text: str, mark: Callable[[str], str]) -> Iterator[str]:
    for line in text.split("\n"):
        words = one_line(mark(line))
        if words:
            yield words
