"""A record as text: as lines that can be cut and read alone, and plainly as its page has it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag_assets.corpus.table_text import FIELD_BAR, PlacedLine, TextRow, placed_rows, readable_rows
from rag_assets.model import Record, Section, Table, TextBlock

BACK_TO_TEXT = "【本文の続き】"
_BRACKETED = re.compile(r"^[【《［〔]([^【】《》［］〔〕]+)[】》］〕]$")

LineKind = Literal["heading", "text", "caption", "row"]


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of a record's text.

    Attributes:
        kind: What it is.
        text: Its words.
        section: Position of its section in the record.
        caption: Caption of the table, for rows.
        row: The row behind it, for rows.
    """

    kind: LineKind
    text: str
    section: int
    caption: str = ""
    row: TextRow | None = None


def lines_of(record: Record) -> list[RecordLine]:
    """The record's text in reading order, a line a heading, paragraph, list item, caption or table row.

    Text without a heading that follows text under one, such as a box, says that it is the text again.
    """
    lines: list[RecordLine] = []
    for position, section in enumerate(record.sections):
        above = record.sections[position - 1] if position else None
        if above and above.headings and not section.headings and section.part == above.part:
            lines.append(RecordLine("heading", BACK_TO_TEXT, position))
        lines.extend(_section_lines(section, position))
    return lines


def record_text(record: Record) -> str:
    """The record's full text: what the bodies of its prepared chunks give back when joined."""
    return "\n".join(line.text for line in lines_of(record))


def plain_text(record: Record) -> str:
    """The record as its page has it: headings by their own words, table cells once each, no row headings."""
    return "\n".join(line.text for line in plain_lines(record))


def plain_lines(record: Record) -> list[PlacedLine]:
    """The lines of `plain_text`; those that are no table row have no cells' words."""
    lines: list[PlacedLine] = []
    shown: tuple[str, ...] = ()
    for section in record.sections:
        lines.extend(PlacedLine(heading, ()) for heading in _new_headings(shown, section.headings))
        shown = section.headings
        for block in section.blocks:
            if isinstance(block, TextBlock):
                lines.append(PlacedLine(block.text, ()))
            else:
                lines.extend([PlacedLine(block.caption, ())] if block.caption else [])
                lines.extend(placed_rows(block))
    return lines


def section_title(headings: tuple[str, ...]) -> str:
    """A heading path as it stands over a section: 【手続き＞申告先等】; empty for an empty path.

    Brackets of that kind around a whole heading, 【参考】, give way to those around the path.
    """
    bare = (_BRACKETED.sub(r"\1", heading) for heading in headings)
    return f"【{'＞'.join(bare)}】" if headings else ""


def _new_headings(shown: tuple[str, ...], headings: tuple[str, ...]) -> tuple[str, ...]:
    common = 0
    while common < min(len(shown), len(headings) - 1) and shown[common] == headings[common]:
        common += 1
    return headings[common:]


def _section_lines(section: Section, position: int) -> Iterator[RecordLine]:
    if section.headings:
        yield RecordLine("heading", section_title(section.headings), position)
    for block in section.blocks:
        if isinstance(block, TextBlock):
            yield RecordLine("text", "　" * block.depth + block.text, position)
        else:
            yield from _table_lines(block, position)


def _table_lines(table: Table, position: int) -> Iterator[RecordLine]:
    if table.caption:
        yield RecordLine("caption", f"（表）{table.caption}", position)
    for row in readable_rows(table):
        yield RecordLine("row", row.text, position, caption=table.caption, row=row)


__all__ = ["FIELD_BAR", "LineKind", "RecordLine", "lines_of", "plain_text", "record_text", "section_title"]
