"""Where a record's text is cut: section, then paragraph, list item or table row, then sentence, then clause.

Cutting only: what stands at the head of a chunk and which words are added belong to headers and dictionary.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from rag_assets.corpus.record_text import Line, lines_of, section_title
from rag_assets.corpus.table_text import FIELD_BAR, Field, Row
from rag_assets.japanese.sentences import clauses, sentences, tokens
from rag_assets.model import Record

CONTINUED = "（続き）"


class Cut(IntEnum):
    """What stands before a piece: how deep a cut there goes."""

    SECTION = 0
    LINE = 1
    SENTENCE = 2
    CLAUSE = 3
    TOKEN = 4
    NEVER = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the record's text that is not cut any further.

    Attributes:
        text: The words, without the line break before them.
        before: How deep a cut before this piece goes.
        section: Position of its section.
        context: What a chunk that begins here has to say first; empty where nothing is needed.
    """

    text: str
    before: Cut
    section: int
    context: str

    @property
    def joint(self) -> str:
        """What joins it to the piece before: a line break at a line's start, nothing inside a line."""
        return "\n" if self.before in (Cut.SECTION, Cut.LINE, Cut.NEVER) else ""


@dataclass(frozen=True, slots=True)
class Cutting:
    """One chunk's share of a record: joining the bodies (see `joined`) gives the record's text."""

    body: str
    context: str
    headings: tuple[str, ...]
    before: Cut


def cut_record(record: Record, limit: int) -> list[Cutting]:
    """Cut a record's text into bodies of at most `limit` characters, context included.

    Only a single token (a number, a Latin word) that is longer by itself goes over the limit. A heading is never
    parted from the line below it. Small neighbouring sections share a chunk; a section or row that goes on says so.

    Args:
        record: The record; nothing of another record ever comes into its chunks.
        limit: Most characters of context and body together.
    """
    pieces = list(_pieces(record, limit))
    return [
        Cutting(
            body=_joined_pieces(group),
            context=group[0].context,
            headings=record.sections[group[0].section].headings,
            before=group[0].before,
        )
        for group in _grouped(pieces, limit)
    ]


def joined(cuttings: list[Cutting]) -> str:
    """The record's text again, from its cuttings in order."""
    return "".join(
        (("\n" if cutting.before in (Cut.SECTION, Cut.LINE) else "") if position else "") + cutting.body
        for position, cutting in enumerate(cuttings)
    )


def content_ids(cuttings: list[Cutting]) -> list[str]:
    """An ID for every cutting, from its own words: it changes when they do, and with nothing else.

    A text that stands twice in one record gets its count behind the second.
    """
    seen: dict[str, int] = {}
    ids: list[str] = []
    for cutting in cuttings:
        digest = hashlib.sha256(f"{cutting.context}\n{cutting.body}".encode()).hexdigest()[:10]
        seen[digest] = seen.get(digest, 0) + 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids


def _pieces(record: Record, limit: int) -> Iterator[Piece]:
    """The record's text as the largest pieces that fit."""
    after_heading = False
    section = -1
    for line in lines_of(record):
        before = Cut.SECTION if line.section != section else Cut.NEVER if after_heading else Cut.LINE
        heading = section_title(record.sections[line.section].headings)
        yield from _line_pieces(line, before, heading, limit)
        section, after_heading = line.section, line.kind in ("heading", "caption")


def _line_pieces(line: Line, before: Cut, heading: str, limit: int) -> Iterator[Piece]:
    starts_section = before is Cut.SECTION
    context = "" if starts_section else _continued(heading, _table_name(line))
    first = Piece(line.text, before, line.section, context)
    budget = limit - len(context) - (1 if context else 0)
    if before is Cut.NEVER:
        budget -= len(heading) + 1
    if len(line.text) <= budget:
        yield first
    elif line.row is not None:
        yield from _row_pieces(line.row, first, heading, line.caption, limit)
    else:
        yield from _text_pieces(line.text, first, _continued(heading, ""), limit)


def _text_pieces(text: str, first: Piece, context: str, limit: int) -> Iterator[Piece]:
    """A line that is too long, cut at sentences; a sentence too long at clauses; a clause too long at tokens."""
    budget = limit - max(len(context), len(first.context)) - 1
    if first.before is Cut.NEVER:
        budget -= len(context)
    for position, (words, level) in enumerate(_fitting(text, max(budget, 1))):
        if position == 0:
            yield replace(first, text=words)
        else:
            yield Piece(words, level, first.section, context)


def _fitting(text: str, budget: int) -> Iterator[tuple[str, Cut]]:
    for sentence in sentences(text):
        if len(sentence) <= budget:
            yield sentence, Cut.SENTENCE
            continue
        for clause_position, clause in enumerate(clauses(sentence)):
            clause_cut = Cut.CLAUSE if clause_position else Cut.SENTENCE
            if len(clause) <= budget:
                yield clause, clause_cut
                continue
            for run_position, run in enumerate(_token_runs(clause, budget)):
                yield run, Cut.TOKEN if run_position else clause_cut


def _token_runs(text: str, budget: int) -> Iterator[str]:
    run = ""
    for token in tokens(text):
        if run and len(run) + len(token) > budget:
            yield run
            run = ""
        run += token
    if run:
        yield run


def _row_pieces(row: Row, first: Piece, heading: str, caption: str, limit: int) -> Iterator[Piece]:
    """A table row that is too long, cut between its fields and inside them; every piece says whose row it is."""
    label = _row_label(row, limit)
    for position, field in enumerate(row.fields):
        words = field.text + (FIELD_BAR if position < len(row.fields) - 1 else "")
        own = _continued(heading, caption) + (f"\n{label}" if position else "")
        inside = own + (_field_name(field, limit) if position else "")
        start = (
            replace(first, text=words)
            if position == 0
            else Piece(words, Cut.CLAUSE, first.section, own)
        )
        yield from _text_pieces(words, start, inside, limit)


def _row_label(row: Row, limit: int) -> str:
    """The first field of a row, which says what the row is about, short enough to stand before its other fields."""
    text = row.fields[0].text
    most = limit // 6
    return f"{text if len(text) <= most else text[: most - 1] + '…'}{FIELD_BAR}"


def _field_name(field: Field, limit: int) -> str:
    return f"{field.heading}：" if field.heading and len(field.heading) <= limit // 6 else ""


def _table_name(line: Line) -> str:
    return line.caption if line.kind == "row" else ""


def _continued(heading: str, caption: str) -> str:
    """What a chunk that does not begin at a section's start says first: the section, that it goes on, the table."""
    return f"{heading}{CONTINUED}{f'（表）{caption}' if caption else ''}"


def _grouped(pieces: list[Piece], limit: int) -> list[list[Piece]]:
    """The pieces in order, in groups of at most `limit` characters, cut where a cut hurts least.

    Of all ways to cut, the cheapest: every chunk costs 1 (the fewer the better), every cut costs by its depth, and a
    chunk left mostly empty costs a little, so that the last one is no scrap. The prices are the order of preference
    made into numbers: a cut inside a section costs less than one more chunk, a cut inside a sentence more.
    """
    best: list[float] = [0.0] + [float("inf")] * len(pieces)
    start_of: list[int] = [0] * (len(pieces) + 1)
    for end in range(1, len(pieces) + 1):
        length = 0
        for start in range(end - 1, -1, -1):
            piece = pieces[start]
            length += len(piece.text) + (len(pieces[start + 1].joint) if start + 1 < end else 0)
            total = length + (len(piece.context) + 1 if piece.context else 0)
            if length > limit and start < end - 1:
                break
            if total > limit and start < end - 1:
                continue
            if piece.before is Cut.NEVER and start > 0:
                continue
            cost = best[start] + 1 + _CUT_COST[piece.before] * (start > 0) + _EMPTY_COST * (1 - min(total / limit, 1)) ** 2
            if cost < best[end]:
                best[end], start_of[end] = cost, start
    groups: list[list[Piece]] = []
    end = len(pieces)
    while end > 0:
        groups.append(pieces[start_of[end] : end])
        end = start_of[end]
    return groups[::-1]


_CUT_COST = {Cut.SECTION: 0.0, Cut.LINE: 0.3, Cut.SENTENCE: 0.5, Cut.CLAUSE: 1.5, Cut.TOKEN: 3.0, Cut.NEVER: 100.0}
_EMPTY_COST = 0.5


def _joined_pieces(group: list[Piece]) -> str:
    return "".join((piece.joint if position else "") + piece.text for position, piece in enumerate(group))
