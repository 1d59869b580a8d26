"""Pages set in columns: where text stands in two or more columns, so that each is read to its end before the next.

Seen by position: a gutter that stays white over many lines, with text on both sides that breaks at it. What is ruled
is a table and no matter of this module.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from rag_assets.sources.pdf.lines import BLANKS, PdfLine, make_lines
from rag_assets.sources.pdf.tables import BesideTables, PdfTable
from rag_assets.sources.pdf.text import Char

_GUTTER = 1.4
"""White space between columns, in em, at least: JIS X 4051 has two em; a blank inside a line is one."""
_FEWEST = 6
"""Lines on each side of a gutter, at least."""
_NARROWEST = 9.0
"""Em of a column, at least: narrower ones are lists of words and figures."""
_FULL = 0.4
"""Share of a column's lines that reach its right edge: below a third in unruled tables, most in text."""
_SHORT_BY = 2.2
"""Em by which a full line may be shorter than its column."""
_STARTS = 0.5
"""Share of the lines right of the gutter that begin at one place, or a blank further in."""
_MOST_CANDIDATES = 4
_OPENINGS = 2
"""Articles or questions that begin on each side make columns of lines that are all too short to tell."""
_OPENING = re.compile(
    r"第[0-9０-９一二三四五六七八九十百]+[条章節編]|[問ＱQ][ \u3000]*[0-9０-９]|[【(（〔［](?:回?答)[】)）〕］]"
)


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A part of a page that is read from top to bottom, before the next part.

    Attributes:
        x0: Left edge of its region in points; regions have no margins, and together cover the page.
        top: Upper edge.
        x1: Right edge.
        bottom: Lower edge.
        shift: Points that it stands to the right of the first column beside it; 0 for that and for undivided parts.
        lines: From top to bottom, where they are printed.
    """

    x0: float
    top: float
    x1: float
    bottom: float
    shift: float
    lines: tuple[PdfLine, ...]

    def holds(self, table: PdfTable) -> bool:
        """Whether a table stands in it."""
        x, y = (table.x0 + table.x1) / 2, (table.top + table.bottom) / 2
        return self.x0 <= x < self.x1 and self.top <= y < self.bottom


def read_columns(beside: BesideTables, tables: Sequence[PdfTable], page: int) -> list[PageColumn]:
    """The text of a page as parts in reading order; a single one where it is not set in columns.

    Args:
        beside: What stands on the page beside its tables.
        tables: These.
        page: Its number.
    """
    rows = _rows(beside.chars)
    barriers = [_Baseline(table.bottom, [(table.x0, table.x1)], [], 0.0) for table in tables]
    inf = float("inf")
    whole = _Region(-inf, -inf, inf, inf, 0.0)
    regions = list(_divided(whole, sorted([*rows, *barriers], key=lambda row: row.base)))
    if len(regions) == 1:
        return [_column(whole, make_lines(beside.chars, page, beside.standing, beside.underlines))]
    columns = []
    for region in regions:
        chars = [char for char in beside.chars if region.has(char)]
        standing = [run for run in beside.standing if region.has(run[0])]
        columns.append(_column(region, make_lines(chars, page, standing, beside.underlines)))
    return columns


@dataclass(frozen=True, slots=True)
class _Region:
    x0: float
    top: float
    x1: float
    bottom: float
    shift: float

    def has(self, char: Char) -> bool:
        x, y = char.middle
        return self.x0 <= x < self.x1 and self.top <= y < self.bottom


def _column(region: _Region, lines: Sequence[PdfLine]) -> PageColumn:
    return PageColumn(region.x0, region.top, region.x1, region.bottom, region.shift, tuple(lines))


@dataclass(frozen=True, slots=True)
class _Baseline:
    """What stands on one baseline: its stretches between wide gaps, left to right; a table has no characters."""

    base: float
    stretches: list[tuple[float, float]]
    chars: list[Char]
    size: float

    @property
    def top(self) -> float:
        return self.base - self.size

    def between(self, x0: float, x1: float) -> "_Baseline":
        """The part of it that begins between two places."""
        chars = [char for char in self.chars if x0 <= char.x0 < x1]
        return _Baseline(self.base, [part for part in self.stretches if x0 <= part[0] < x1], chars, self.size)


def _rows(chars: Sequence[Char]) -> list[_Baseline]:
    by_base: defaultdict[int, list[Char]] = defaultdict(list)
    for char in chars:
        if char.text not in BLANKS:
            by_base[round(char.base)].append(char)
    rows = []
    for found in by_base.values():
        found.sort(key=lambda char: char.x0)
        size = median(char.size for char in found)
        stretches: list[tuple[float, float]] = []
        for char in found:
            if stretches and char.x0 - stretches[-1][1] < _GUTTER * size:
                stretches[-1] = stretches[-1][0], max(stretches[-1][1], char.x1)
            else:
                stretches.append((char.x0, char.x1))
        rows.append(_Baseline(found[0].base, stretches, found, size))
    return rows


def _divided(region: _Region, rows: Sequence[_Baseline]) -> Iterator[_Region]:
    """A region as regions that are read one after the other; `rows` from top to bottom, tables among them."""
    gutter = _gutter(rows)
    if gutter is None:
        yield region
        return
    x, first, last, step = gutter
    left, right = [row.between(-1e9, x) for row in rows], [row.between(x, 1e9) for row in rows]
    top = region.top if first == 0 else _border(rows, first)
    bottom = region.bottom if last == len(rows) - 1 else _border(rows, last + 1)
    if first:
        yield from _divided(_Region(region.x0, region.top, region.x1, top, region.shift), rows[:first])
    inside = slice(first, last + 1)
    yield from _divided(_Region(region.x0, top, x, bottom, region.shift), _filled(left[inside]))
    yield from _divided(_Region(x, top, region.x1, bottom, region.shift + step), _filled(right[inside]))
    if last < len(rows) - 1:
        yield from _divided(_Region(region.x0, bottom, region.x1, region.bottom, region.shift), rows[last + 1 :])


def _filled(rows: Sequence[_Baseline]) -> list[_Baseline]:
    return [row for row in rows if row.stretches]


def _border(rows: Sequence[_Baseline], at: int) -> float:
    """A height between the row before and the row at a place."""
    return min((rows[at - 1].base + rows[at].top) / 2 if rows[at].size else rows[at - 1].base + 1, rows[at].base)


def _gutter(rows: Sequence[_Baseline]) -> tuple[float, int, int, float] | None:
    """The first gutter of a region: its place, the first and last row along it, how far the columns are apart."""
    written = [row for row in rows if row.size]
    if len(written) < _FEWEST:
        return None
    size = median(row.size for row in written)
    margin = min(row.stretches[0][0] for row in written)
    starts = Counter(round(x0) for row in written for x0, _ in row.stretches if x0 > margin + _NARROWEST * size)
    near = Counter({x: sum(starts[other] for other in range(x - 2, x + 3)) for x in starts})
    found = []
    for start, count in near.most_common(_MOST_CANDIDATES):
        if count < _FEWEST * _STARTS:
            continue
        for first, last in _runs(rows, start - 2 - _GUTTER * size + 1, start - 2.0):
            step = _step(rows[first : last + 1], start, size)
            if step is not None:
                found.append((first, -last, start - 2.5, step))
    if not found:
        return None
    first, last, x, step = min(found)
    return x, first, -last, step


def _runs(rows: Sequence[_Baseline], x0: float, x1: float) -> Iterator[tuple[int, int]]:
    """First and last row of every stretch of rows that leave a place white and have text on both its sides."""
    first = 0
    for at in range(len(rows) + 1):
        if at < len(rows) and not any(a < x1 and b > x0 for a, b in rows[at].stretches):
            continue
        left = [number for number in range(first, at) if rows[number].stretches[0][0] < x0]
        right = [number for number in range(first, at) if rows[number].stretches[-1][0] >= x1]
        if left and right:
            yield left[0], max(left[-1], right[-1])
        first = at + 1


def _step(rows: Sequence[_Baseline], start: float, size: float) -> float | None:
    """How far apart two columns are that rows make on both sides of a gutter; None where they make none."""
    written = [row for row in rows if row.size]
    left = _filled([row.between(-1e9, start - 2.5) for row in written])
    right = _filled([row.between(start - 2.5, 1e9) for row in written])
    if min(len(left), len(right)) < _FEWEST:
        return None
    begins = [row.stretches[0][0] for row in right]
    if sum(x - start < 2.5 * size for x in begins) < _STARTS * len(begins):
        return None
    opening = min(sum(bool(_OPENING.match(_text(row))) for row in side) for side in (left, right))
    if not all(_is_text(side, size, opened=opening >= _OPENINGS) for side in (left, right)):
        return None
    return min(begins) - min(row.stretches[0][0] for row in left)


def _is_text(rows: Sequence[_Baseline], size: float, *, opened: bool) -> bool:
    """Whether rows are a column of text: wide enough, and many lines full, or its parts open as text does."""
    begins, ends = min(row.stretches[0][0] for row in rows), sorted(row.stretches[-1][1] for row in rows)
    edge = ends[int(0.9 * (len(ends) - 1))]
    if edge - begins < _NARROWEST * size:
        return False
    full = sum(end > edge - _SHORT_BY * size for end in ends)
    return opened or full >= _FULL * len(rows)


def _text(row: _Baseline) -> str:
    return "".join(char.text for char in row.chars)
