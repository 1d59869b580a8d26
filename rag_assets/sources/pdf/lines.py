"""Characters into printed lines: by position, whatever order they were drawn in; ruby left out.

Which gaps between characters are blanks is told by `gaps`; what lines mean, where a paragraph ends or a table
stands, belongs elsewhere.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from rag_assets.japanese.radicals import mend_characters
from rag_assets.sources.pdf.drawings import Edge
from rag_assets.sources.pdf.gaps import spaced
from rag_assets.sources.pdf.raised import adheres, is_notation, written_on_line
from rag_assets.sources.pdf.text import BLANKS as BLANKS
from rag_assets.sources.pdf.text import Char

ASCENT, DESCENT = 0.88, 0.12
"""Edges of a Japanese font's em box above and below the baseline (OpenType's default for CJK fonts), in em."""

_SAME_ROW = 0.6
"""Share of the lower one's height by which two pieces of one line overlap; raised and lowered characters do."""
_SAME_BASE = 0.1
_RUBY_SIZE = 0.62
"""Ruby is half as large as its base line; a little more in some programs."""
_RUBY_RISE = (0.55, 1.7)
"""Where the baseline of ruby is above that of its base line, in em of the base line."""
_RUBY_MARKS = frozenset("ー・﹅﹆•●○、 \u3000")
"""Besides kana: what emphasis dots are drawn with."""
_UNDERLINE_DEPTH = 0.45
_UNDERLINE_GAP = 0.5
"""Em below the baseline, and beside a line's first or last word, within which a rule underlines a blank."""
_BY_X0 = attrgetter("x0")


@dataclass(frozen=True, slots=True)
class PdfLine:
    """One printed line.

    Attributes:
        page: Its page, from 1.
        text: Its words, radicals mended. A gap of 0.6 em and more is that many U+3000 (blanks to be filled in are
            nothing but gaps), a narrower one that parts something is one U+3000 (`pdf_gaps.spaced`), between Latin
            words one space; at the ends only where an underline shows a blank.
        x0: Left edge in points; the origin of all positions is the page's upper left corner.
        x1: Right edge.
        top: Upper edge of the em box of most characters.
        bottom: Its lower edge.
        size: Size of most characters in points.
        font: Name of most characters' font.
    """

    page: int
    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    font: str


@dataclass(slots=True)
class _LineInMaking:
    """A line in the making.

    Attributes:
        before: Blanks at its left end; `x0` is their outer edge.
        after: Blanks at its right end; `x1` is their outer edge.
        mixed: Whether characters off its baseline are among its own.
    """

    chars: list[Char]
    base: float
    size: float
    before: str = ""
    after: str = ""
    x0: float = math.inf
    x1: float = -math.inf
    mixed: bool = False

    @property
    def top(self) -> float:
        return self.base - ASCENT * self.size

    @property
    def bottom(self) -> float:
        return self.base + DESCENT * self.size


def make_lines(
    chars: Iterable[Char],
    page: int,
    standing: Iterable[Sequence[Char]] = (),
    underlines: Sequence[Edge] = (),
) -> list[PdfLine]:
    """Lines from top to bottom, and from left to right where several share their height.

    Args:
        chars: Level characters, in any order.
        page: Number of their page.
        standing: Runs of characters of other directions, each a line of its own as it was drawn.
        underlines: Horizontal rules that are no borders: one before the first or after the last word of a line shows
            a blank that belongs to it.
    """
    rows = _without_ruby(_rows(chars))
    for row in rows:
        _add_underlined(row, underlines)
    lines = [_line(row, page) for row in rows]
    lines += [_standing_line(run, page) for run in standing]
    return sorted((line for line in lines if line.text), key=lambda line: (line.bottom, line.x0))


def _rows(chars: Iterable[Char]) -> list[_LineInMaking]:
    """Characters of about one baseline together, raised and lowered ones with the line they belong to."""
    pieces: dict[tuple[float, float], _LineInMaking] = {}
    blanks: list[Char] = []
    run, base, piece = None, 0.0, None
    for char in chars:
        if char.text in BLANKS:
            blanks.append(char)
            continue
        if piece is None or char.run is not run or char.base != base:
            run, base = char.run, char.base
            place = round(base, 1), round(run.size, 1)
            piece = pieces.get(place)
            if piece is None:
                piece = pieces[place] = _LineInMaking([], *place)
        piece.chars.append(char)
    rows: list[_LineInMaking] = []
    for piece in _ordered(list(pieces.values())):
        near = [row for row in rows if abs(row.base - piece.base) < max(row.size, piece.size)]
        row = max(near, key=lambda row: _overlap(row, piece), default=None)
        if row is not None and (
            _overlap(row, piece) >= _SAME_ROW or adheres(piece.chars, piece.base, row.chars, row.base, row.size)
        ):
            row.chars.extend(piece.chars)
            row.mixed = True
        else:
            rows.append(piece)
    for blank in blanks:
        for row in rows:
            if abs(row.base - blank.base) < _SAME_BASE * row.size:
                row.chars.append(blank)
    for row in rows:
        row.chars.sort(key=_BY_X0)
    return rows


def _ordered(pieces: Sequence[_LineInMaking]) -> list[_LineInMaking]:
    """Pieces of lines, longer ones first; last what is raised or lowered beside others, as the figures of C₆H₁₂O₆."""
    moved = {
        id(piece)
        for piece in pieces
        if is_notation(piece.chars)
        and any(piece.size < 0.85 * other.size and abs(piece.base - other.base) < 0.6 * other.size for other in pieces)
    }
    return sorted(pieces, key=lambda piece: (id(piece) in moved, -len(piece.chars), -piece.size))


def _overlap(row: _LineInMaking, piece: _LineInMaking) -> float:
    """Share of the lower one's height that both cover; a large character beside small lines takes none of them in."""
    shared = min(row.bottom, piece.bottom) - max(row.top, piece.top)
    lower, higher = sorted((row.size, piece.size))
    if piece.size > row.size * 1.5 and abs(row.base - piece.base) > 0.25 * lower:
        return 0.0
    return shared / lower if lower > 0.3 * higher else 0.0


def _without_ruby(rows: list[_LineInMaking]) -> list[_LineInMaking]:
    return [row for row in rows if not any(_is_ruby(row, below) for below in rows)]


def _is_ruby(row: _LineInMaking, below: _LineInMaking) -> bool:
    if row.size > _RUBY_SIZE * below.size:
        return False
    least, most = _RUBY_RISE
    if not least * below.size < below.base - row.base < most * below.size:
        return False
    if not all(_is_kana(char.text) or char.text in _RUBY_MARKS for char in row.chars):
        return False
    seen = [char for char in row.chars if char.text not in BLANKS]
    left, right = below.chars[0].x0 - row.size, below.chars[-1].x1 + row.size
    return all(left <= char.x0 and char.x1 <= right for char in seen)


def _add_underlined(row: _LineInMaking, underlines: Sequence[Edge]) -> None:
    """Put blanks where a rule shows one at the row's ends; those inside are gaps like any other."""
    seen = [char for char in row.chars if char.text not in BLANKS]
    left, right, near = seen[0].x0, max(char.x1 for char in seen), _UNDERLINE_GAP * row.size
    for edge in underlines:
        if not -0.1 * row.size <= edge.top - row.base <= _UNDERLINE_DEPTH * row.size:
            continue
        blanks = "\u3000" * round((edge.x1 - edge.x0) / row.size)
        if not blanks:
            continue
        if abs(left - edge.x1) <= near:
            row.before, row.x0 = blanks, edge.x0
        elif abs(edge.x0 - right) <= near:
            row.after, row.x1 = blanks, edge.x1


def _is_kana(text: str) -> bool:
    return "\u3041" <= text <= "\u309f" or "\u30a1" <= text <= "\u30fa" or "\uff66" <= text <= "\uff9f"


def _line(row: _LineInMaking, page: int) -> PdfLine:
    seen = [char for char in row.chars if char.text not in BLANKS]
    size, font = row.size, Counter(char.run.font for char in seen).most_common(1)[0][0]
    chars = written_on_line(row.chars, row.base, size) if row.mixed else row.chars
    return PdfLine(
        page=page,
        text=row.before + mend_characters(spaced(chars, size)) + row.after,
        x0=round(min(seen[0].x0, row.x0), 2),
        x1=round(max(row.x1, *(char.x1 for char in seen)), 2),
        top=round(row.top, 2),
        bottom=round(row.bottom, 2),
        size=size,
        font=font,
    )


def _standing_line(run: Sequence[Char], page: int) -> PdfLine:
    text = "".join(char.text for char in run).strip(" \u3000")
    return PdfLine(
        page=page,
        text=mend_characters(text),
        x0=round(min(char.x0 for char in run), 2),
        x1=round(max(char.x1 for char in run), 2),
        top=round(min(char.base - ASCENT * char.size for char in run), 2),
        bottom=round(max(char.base + DESCENT * char.size for char in run), 2),
        size=round(run[0].size, 1),
        font=run[0].run.font,
    )
