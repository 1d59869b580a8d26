"""An answer's lines and tables as the sections of a Record: headings, items with depth, notes, captions, boxes.

How lines become passages is in `blocks.py`; what stands around an answer is no matter of this module.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from rag_assets.japanese.whitespace import one_line
from rag_assets.japanese.widths import half_width
from rag_assets.model import Block, Section, Table, TextBlock
from rag_assets.sources.invoice_qa.blocks import AnswerPassage, PassageMark, passages
from rag_assets.sources.invoice_qa.flow import PAGE, FlowItem, FlowTable
from rag_assets.sources.pdf.headings import heading_rows
from rag_assets.sources.tables import mark_headings

_LONGEST_HEADING = 120
_LONGEST_LABEL = 80
_MOST_HEADING_LINES = 3
_LABEL_LEVEL = 2
"""Level of headings in brackets; numbered ones stand above them."""
_CONCLUSION = re.compile(r"したがって、|よって、|以上(?:のとおり|から|より)|ご質問の|このため、ご質問")
"""What an answer comes back to its question with, after parts under headings in brackets."""
_NUMBER = re.compile(r"[ \u3000]*(\d{1,2})")
_NOTE_NUMBER = re.compile(r"[ \u3000]*(?:\(注\)|※|注\))[ \u3000]*(\d{1,2})(?!\d)")

_Part = AnswerPassage | FlowTable


def answer_sections(items: Sequence[FlowItem], shown: Sequence[FlowTable] = ()) -> tuple[Section, ...]:
    """The sections of one answer, in reading order; empty where it says nothing.

    Headings are what the answer itself sets as such: numbered lines that are no sentence and have text under them
    (１　登録手続), lines in brackets (【…の場合】), and the label of a box (（参考）). They stay as printed. A line in
    brackets or with ○ right above a table is the table's caption. A box without a label is text like any other.

    Args:
        items: Lines and tables of the answer.
        shown: Tables that stand in the question, before the answer.
    """
    writer = _Writer()
    for table in shown:
        writer.add(_table(table, ""))
    if shown:
        writer.close()
    parts = [part for part in passages(items) if isinstance(part, FlowTable) or part.text]
    groups = [list(group) for _, group in groupby(parts, key=lambda part: part.frame)]
    for position, group in enumerate(groups):
        following = groups[position + 1] if position + 1 < len(groups) else []
        if group[0].frame == PAGE:
            _write_body(writer, group, following)
        else:
            _write_box(writer, group, following)
    return writer.finish()


@dataclass(slots=True)
class _Writer:
    """Sections as they grow; `path` are the headings in force with their levels."""

    path: list[tuple[int, str]] = field(default_factory=list)
    numbered: int = 0
    _sections: list[Section] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _box: str = ""

    def add(self, *blocks: Block) -> None:
        self._blocks.extend(blocks)

    def open(self, level: int, words: str) -> None:
        self.close()
        self.path = [(other, name) for other, name in self.path if other < level] + [(level, words)]
        self.numbered += level == 1

    def leave_label(self) -> None:
        """Go on under the numbered heading, or under none: the heading in brackets ends here."""
        self.close()
        self.path = [(level, name) for level, name in self.path if level < _LABEL_LEVEL]

    def open_box(self, label: str) -> None:
        self.leave_label()
        self._box = label

    @property
    def is_numbered(self) -> bool:
        """Whether a numbered heading is in force."""
        return any(level < _LABEL_LEVEL for level, _ in self.path)

    def close(self) -> None:
        names = [words for _, words in self.path]
        headings = tuple([*names, self._box] if self._box else names)
        if self._blocks:
            self._sections.append(Section(headings=headings, blocks=tuple(self._blocks)))
        elif headings and not self._is_shown(headings):
            self._sections.append(Section(headings=headings, blocks=()))
        self._blocks, self._box = [], ""

    def finish(self) -> tuple[Section, ...]:
        if self._blocks or self._box:
            self.close()
        return tuple(self._sections)

    def _is_shown(self, headings: tuple[str, ...]) -> bool:
        """Whether a heading path without text needs no section of its own, as the one before stands under it."""
        return bool(self._sections) and self._sections[-1].headings[: len(headings)] == headings


def _write_body(writer: _Writer, group: Sequence[_Part], following: Sequence[_Part]) -> None:
    depths = _Depths()
    for position, part in enumerate(group):
        below = next(iter((*group[position + 1 : position + 2], *following)), None)
        above = group[position - 1] if position else None
        if isinstance(part, FlowTable):
            caption = above.text if isinstance(above, AnswerPassage) and _is_caption(above, part) else ""
            writer.add(_table(part, caption))
            continue
        if _is_caption(part, below):
            continue
        level = None if depths.is_next_note(part) else _heading_level(writer, part, below)
        if level is None:
            if not part.mark and writer.path and not writer.is_numbered and _CONCLUSION.match(part.text):
                writer.leave_label()
            writer.add(depths.block(part))
        else:
            writer.open(level, part.text)
            depths = _Depths()


def _write_box(writer: _Writer, group: Sequence[_Part], following: Sequence[_Part]) -> None:
    """A box as a section of its own under its label; it ends the section of a heading in brackets above it.

    Where text goes on below it under the same numbered heading, the label leads the box's first paragraph instead: a
    heading that is returned to would read as if it were printed twice.
    """
    label, *rest = (part for part in group if isinstance(part, AnswerPassage))
    depths = _Depths()
    if not rest or not _is_label(label):
        writer.add(*(depths.block(part) for part in (label, *rest)))
        return
    below = next(iter(following), None)
    ends_section = below is None or (
        isinstance(below, AnswerPassage) and _heading_level(writer, below, (*following, None)[1]) is not None
    )
    if writer.is_numbered and not ends_section:
        writer.add(depths.block(replace(rest[0], text=f"{label.text}\u3000{rest[0].text}", mark="note")))
        writer.add(*(depths.block(part) for part in rest[1:]))
        return
    writer.open_box(label.text)
    writer.add(*(depths.block(part) for part in rest))
    writer.close()


def _is_label(passage: AnswerPassage) -> bool:
    return (
        passage.mark in ("note", "label")
        and not passage.is_sentence
        and passage.lines == 1
        and len(passage.text) <= _LONGEST_LABEL
    )


def _is_caption(passage: AnswerPassage, below: _Part | None) -> bool:
    return (
        isinstance(below, FlowTable)
        and passage.mark in ("label", "bullet")
        and not passage.is_sentence
        and len(passage.text) <= _LONGEST_HEADING
    )


def _heading_level(writer: _Writer, passage: AnswerPassage, below: _Part | None) -> int | None:
    """Level of a passage that heads what stands below it; None where it is text.

    Numbers head where they count on from the heading before and each has text of its own below: a list has not.
    """
    if below is None or passage.is_sentence or len(passage.text) > _LONGEST_HEADING:
        return None
    if passage.lines > _MOST_HEADING_LINES or _is_caption(passage, below):
        return None
    if passage.mark == "label":
        return _LABEL_LEVEL
    lone = not (isinstance(below, AnswerPassage) and below.mark == "number")
    return 1 if lone and passage.mark == "number" and _number(passage) == writer.numbered + 1 else None


def _number(passage: AnswerPassage) -> int:
    match = _NUMBER.match(half_width(passage.text))
    return int(match[1]) if match else 0


@dataclass(slots=True)
class _Depths:
    """How deep list items stand, by the kinds of mark that are open above them."""

    open: list[PassageMark] = field(default_factory=list)
    next_note: int = 0

    def is_next_note(self, passage: AnswerPassage) -> bool:
        """Whether a numbered passage goes on with numbered notes: 「（注）１ …」, 「２ …」."""
        return passage.mark == "number" and _number(passage) == self.next_note

    def block(self, passage: AnswerPassage) -> TextBlock:
        """The passage as a block."""
        text = one_line(passage.text)
        if self.is_next_note(passage):
            self.next_note += 1
            self.open = []
            return TextBlock(kind="note", text=text, depth=1)
        if passage.mark == "note":
            match = _NOTE_NUMBER.match(half_width(passage.text))
            self.open, self.next_note = [], int(match[1]) + 1 if match else 0
            return TextBlock(kind="note", text=text)
        if passage.mark in ("", "label", "example"):
            self.open = []
            return TextBlock(text=text)
        if passage.mark in self.open:
            self.open = self.open[: self.open.index(passage.mark)]
        self.open.append(passage.mark)
        return TextBlock(kind="item", text=text, depth=len(self.open) - 1)


def _table(table: FlowTable, caption: str) -> Table:
    cells = [cell.model_copy(update={"text": _cell_text(cell.text)}) for cell in table.cells]
    heads = 0 if any(cell.heading for cell in cells) else heading_rows(cells)
    in_order = sorted(cells, key=lambda cell: (cell.row, cell.column))
    return Table(caption=one_line(caption), cells=mark_headings(in_order, heads))


def _cell_text(text: str) -> str:
    return "　".join(filter(None, (one_line(part) for part in text.split("\n"))))
