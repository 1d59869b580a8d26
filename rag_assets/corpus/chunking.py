"""Where a record's text is cut: section, then paragraph, list item or table row, then sentence, then clause.

Cutting only: what stands at the head of a chunk and which words are added belong to headers and dictionary.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import groupby

from rag_assets.corpus.lead_lines import leads_in
from rag_assets.corpus.outline import governing_lines, is_item
from rag_assets.corpus.record_text import RecordLine, lines_of, section_title
from rag_assets.corpus.table_text import FIELD_BAR, Field, TextRow
from rag_assets.japanese.characters import clip
from rag_assets.japanese.sentences import clauses, may_part, sentences, tokens
from rag_assets.model import Part, Record

CONTINUED = "（続き）"


class Cut(IntEnum):
    """What stands before a piece: how deep a cut there goes.

    NESTED stands before an item under another item, LED_IN before a line that the one above leads in, NEVER between a
    heading and the line below it.
    """

    SECTION = 0
    LINE = 1
    NESTED = 2
    SENTENCE = 3
    LED_IN = 4
    CLAUSE = 5
    TOKEN = 6
    NEVER = 7


_LINE_STARTS = (Cut.SECTION, Cut.LINE, Cut.NESTED, Cut.LED_IN, Cut.NEVER)


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
        return "\n" if self.before in _LINE_STARTS else ""


@dataclass(frozen=True, slots=True)
class Cutting:
    """One chunk's share of a record: joining the bodies (see `joined`) gives the record's text."""

    body: str
    context: str
    headings: tuple[str, ...]
    before: Cut
    part: Part | None = None


def cut_record(record: Record, limit: int) -> list[Cutting]:
    """Cut a record's text into bodies of at most `limit` characters, context included.

    Only a single token (a number, a Latin word) that is longer by itself goes over the limit. A heading is not
    parted from the line below it, unless headings upon headings alone fill half a chunk. Small neighbouring
    sections share a chunk, those of different parts never do; a section or row that goes on says so.

    Args:
        record: The record; nothing of another record ever comes into its chunks.
        limit: Most characters of context and body together.
    """
    return [
        Cutting(
            body=_joined_pieces(group),
            context=group[0].context,
            headings=record.sections[group[0].section].headings,
            before=group[0].before,
            part=part,
        )
        for part, pieces in groupby(_pieces(record, limit), key=lambda piece: record.sections[piece.section].part)
        for group in _grouped(list(pieces), limit)
    ]


def joined(cuttings: list[Cutting]) -> str:
    """The record's text again, from its cuttings in order."""
    return "".join(
        ("\n" if position and cutting.before in _LINE_STARTS else "") + cutting.body
        for position, cutting in enumerate(cuttings)
    )


def content_ids(cuttings: list[Cutting]) -> list[str]:
    """An ID for every cutting, unique within its record.

    It comes from the cutting's own words: it changes when they do, and with nothing else. A text that stands twice in
    one record gets its count behind the second. In a named part it is the part's name, with the cutting's count in it
    where there are several or the part always counts: `profile`, `description-001`.
    """
    parts = Counter(cutting.part.name for cutting in cuttings if cutting.part)
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for cutting in cuttings:
        part = cutting.part
        name = part.name if part else hashlib.sha256(f"{cutting.context}\n{cutting.body}".encode()).hexdigest()[:10]
        seen[name] += 1
        if part:
            ids.append(f"{name}-{seen[name]:03d}" if part.numbered or parts[name] > 1 else name)
        else:
            ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return ids


def _pieces(record: Record, limit: int) -> Iterator[Piece]:
    """The record's text as the largest pieces that fit."""
    lead = 0
    section = -1
    opening = above = ""
    for line, governing in _governed(lines_of(record)):
        if section >= 0 and record.sections[line.section].part != record.sections[section].part:
            lead = 0
        glued = 0 < lead <= limit // 2
        before = Cut.NEVER if glued else _before_line(line, section, above, governing)
        opens_section = line.section != section
        if opens_section:
            # A paragraph of a law has no heading but its number.
            opening = clip(line.text, limit // 8) if is_item(line.text) else ""
        heading = section_title(record.sections[line.section].headings) or opening
        for piece in _line_pieces(
            line, before, heading, limit, lead if glued else 0, governing, opens_section=opens_section
        ):
            fits = len(piece.context) + 1 + len(piece.text) <= limit
            yield piece if fits or not piece.context else replace(piece, context="")
            last = piece.text
        below = len(last) + 1 if line.kind in ("heading", "caption") else 0
        lead = below + (lead if glued else 0) if below else 0
        section, above = line.section, line.text


def _governed(lines: Sequence[RecordLine]) -> Iterator[tuple[RecordLine, str]]:
    """Every line with the line it stands under within its section; table rows stand under none."""
    for _, section in groupby(lines, key=lambda line: line.section):
        within = list(section)
        yield from zip(
            within,
            governing_lines([line.text if line.kind == "text" else "" for line in within]),
            strict=True,
        )


def _before_line(line: RecordLine, section_above: int, above: str, governing: str) -> Cut:
    if line.section != section_above:
        return Cut.SECTION
    if leads_in(above, line.text):
        return Cut.LED_IN
    return Cut.NESTED if governing else Cut.LINE


def _line_pieces(
    line: RecordLine, before: Cut, heading: str, limit: int, lead: int, governing: str, *, opens_section: bool
) -> Iterator[Piece]:
    """A line as pieces; `lead` is the length of the headings above that its first piece has to stand with."""
    context = "" if opens_section else _continued(heading, _table_name(line), limit, governing)
    first = Piece(line.text, before, line.section, context)
    budget = limit - max(lead, len(context) + 1 if context else 0)
    if len(line.text) <= budget:
        yield first
    elif line.row is not None:
        yield from _row_pieces(line.row, first, heading, line.caption, limit, lead)
    else:
        yield from _text_pieces(line.text, first, _continued(heading, "", limit), limit, lead)


def _text_pieces(text: str, first: Piece, context: str, limit: int, lead: int) -> Iterator[Piece]:
    """A line that is too long, cut at sentences; a sentence too long at clauses; a clause too long at tokens."""
    budget = limit - max(len(context) + 1, len(first.context) + 1, lead)
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
    """Tokens in runs as long as fit, cut where Japanese text may be; anywhere if there is no such place in a run."""
    run: list[str] = []
    length = 0
    for token in tokens(text):
        while run and length + len(token) > budget:
            kept = _last_place_to_part([*run, token])
            yield "".join(run[:kept])
            run = run[kept:]
            length = sum(map(len, run))
        run.append(token)
        length += len(token)
    if run:
        yield "".join(run)


def _last_place_to_part(pieces: list[str]) -> int:
    """How many of the pieces, of which the last one no longer fits, may stand before a cut."""
    places = (count for count in range(len(pieces) - 1, 0, -1) if may_part(pieces[count - 1], pieces[count]))
    return next(places, len(pieces) - 1)


def _row_pieces(row: TextRow, first: Piece, heading: str, caption: str, limit: int, lead: int) -> Iterator[Piece]:
    """A table row that is too long, cut between its fields and inside them; every piece says whose row it is."""
    continued = _continued(heading, caption, limit)
    label = f"{continued}\n{clip(row.fields[0].text, limit // 6)}{FIELD_BAR}"
    for position, field in enumerate(row.fields):
        words = field.text + (FIELD_BAR if position < len(row.fields) - 1 else "")
        if position == 0:
            yield from _text_pieces(words, first, continued, limit, lead)
        else:
            start = Piece(words, Cut.CLAUSE, first.section, label)
            yield from _text_pieces(words, start, label + _field_name(field, limit), limit, 0)


def _field_name(field: Field, limit: int) -> str:
    return f"{field.heading}：" if field.heading and len(field.heading) <= limit // 6 else ""


def _table_name(line: RecordLine) -> str:
    return line.caption if line.kind == "row" else ""


def _continued(heading: str, caption: str, limit: int, governing: str = "") -> str:
    """What a chunk that does not begin at a section's start says first.

    The section and that it goes on, the table, and of a nested item the line it stands under.
    """
    table = f"（表）{clip(caption, limit // 6)}" if caption else ""
    item = f"\n{clip(governing, limit // 8)}" if governing else ""
    return f"{_clipped_path(heading, limit // 4)}{CONTINUED}{table}{item}"


def _clipped_path(heading: str, most: int) -> str:
    """A heading path 【手続き＞申告先等】 that is too long keeps its end, the heading nearest to the text."""
    return heading if len(heading) <= most else f"【…{heading[len(heading) - most + 2 :]}"


def _grouped(pieces: list[Piece], limit: int) -> list[list[Piece]]:
    """The pieces in order, in groups of at most `limit` characters, cut where a cut hurts least.

    Of all ways to cut, the cheapest: every chunk has its price (the fewer the better), every cut one by its depth, and
    a chunk left mostly empty costs a little, so that the last one is no scrap. The prices are the order of preference
    made into numbers: a cut inside a section costs less than one more chunk, a cut inside a sentence more.

    Prices are whole numbers and ties go to the earlier cut. So an edit stays local: from a chunk's start that two
    editions of a record share, all cuts are the same as far as the text is.
    """
    count = len(pieces)
    cheapest = [0] * (count + 1)
    end_of = [count] * (count + 1)
    for start in range(count - 1, -1, -1):
        cheapest[start], end_of[start] = min(
            (price + cheapest[end], end) for price, end in _priced_ends(pieces, start, limit)
        )
    groups: list[list[Piece]] = []
    start = 0
    while start < count:
        groups.append(pieces[start : end_of[start]])
        start = end_of[start]
    return groups


def _priced_ends(pieces: list[Piece], start: int, limit: int) -> Iterator[tuple[int, int]]:
    """Price and end of every chunk that can begin at a piece; one piece may always stand alone."""
    first = pieces[start]
    length = len(first.context) + 1 + len(first.text) if first.context else len(first.text)
    for end in range(start + 1, len(pieces) + 1):
        if end > start + 1:
            added = pieces[end - 1]
            length += len(added.joint) + len(added.text)
        if end > start + 1 and length > limit:
            return
        cut = _CUT_PRICE[pieces[end].before] if end < len(pieces) else 0
        empty = max(limit - length, 0)
        yield _CHUNK_PRICE + cut + _EMPTY_PRICE * empty * empty // (limit * limit), end


_CHUNK_PRICE = 1_000_000
_EMPTY_PRICE = 500_000
_CUT_PRICE = {
    Cut.SECTION: 0,
    Cut.LINE: 300_000,
    Cut.NESTED: 450_000,
    Cut.SENTENCE: 500_000,
    Cut.LED_IN: 800_000,
    Cut.CLAUSE: 1_500_000,
    Cut.TOKEN: 3_000_000,
    Cut.NEVER: 100_000_000,
}


def _joined_pieces(group: list[Piece]) -> str:
    return "".join((piece.joint if position else "") + piece.text for position, piece in enumerate(group))
