"""Tables of figures whose rows or columns no rules part: pay tables (俸給表, 給料表) and the like.

Rows are told by what stands beside each other, columns by white space that goes through all rows. What cannot be told
for sure is left as it is: figures without headings are counted as a fault of the passages that hold them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, pairwise
from math import comb

from rag_assets.sources.pdf.figures import (
    Word,
    between,
    columns_of,
    is_counting,
    parted_alike,
    parted_at,
    pitch_of,
    rows_of,
    without_repeated_key,
    words_of,
)
from rag_assets.sources.pdf.text import BLANKS, Char

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_MOST_HEADING_ROWS = 4
_HEADING_STEP = 3.2
"""Em from one row of headings to the next, and to the first row of figures, at most."""
_FEWEST_ROWS = 3
"""Rows of figures that stand free on a page, at least, before they are taken for a table."""
_FREE_STEP = 2.6
"""Em from one row of figures that stand free to the next, at most."""
_MOST_PARTINGS = 5000
"""Ways to part columns under the headings of a row that are tried."""
_AWRY = 0.5
"""Share of a column's width by which a heading over several columns may miss their middle."""
_NO_HEADING = re.compile(r"。|^(?:第[0-9０-９一二三四五六七八九十百]+条|別表|附表|附則|様式|備考|注)")
_AMOUNT = re.compile(r"[0-9０-９][,，][0-9０-９]{3}")
_NUMBER = re.compile(r"[0-9０-９]+")
_LONGEST_NAME = 16
_SENTENCE = re.compile(r"[、。，]")
_FIGURES = frozenset("0123456789０１２３４５６７８９,.，．")


@dataclass(slots=True)
class Parted:
    """A ruled table as its figures part it.

    Attributes:
        contents: The characters of every cell; cells do not overlap, and cover what the boxes covered.
        headings: Those that head columns.
        units: What the figures of a column are counted in, by the heading that tells it.
        cuts: Places between columns that no rule shows.
    """

    contents: dict[Box, list[Char]] = field(default_factory=dict)
    headings: set[Box] = field(default_factory=set)
    units: dict[Box, str] = field(default_factory=dict)
    cuts: tuple[float, ...] = ()


def part_figures(boxes: Sequence[Box], chars: Mapping[Box, Sequence[Char]]) -> Parted | None:
    """The cells of a ruled table whose rules leave several rows or columns of figures in one cell; None for others.

    Args:
        boxes: The table's cells as rules make them.
        chars: What stands in them; those with nothing may be missing.
    """
    if not any(sum(char.text in _FIGURES for char in chars.get(box, ())) > 1 for box in boxes):
        return None
    return _Parter(boxes, chars).parted()


def free_figures(chars: Sequence[Char]) -> list[Box]:
    """Where tables of figures stand on a page without any rules, with their headings: boxes around them.

    Args:
        chars: What stands in no table.
    """
    bases: defaultdict[float, list[Char]] = defaultdict(list)
    for char in chars:
        if char.text not in BLANKS:
            bases[round(char.base)].append(char)
    likely = [base for base, line in bases.items() if 2 * sum(char.text in _FIGURES for char in line) >= len(line) > 3]
    if not likely:
        return []
    rows = [sorted(row, key=lambda word: word.x0) for row in _level_rows(words_of(chars))]
    found: list[Box] = []
    for first, last in _runs(rows):
        first += last > first and _counts_columns(rows[first], rows[first + 1 : last + 1])
        heading = _free_headings(rows, first, last)
        run = rows[first - heading : last + 1]
        keys = [row[0] for row in rows[first : last + 1]]
        # Few rows without a heading are what a table of the page before ends with, or no table.
        few = last - first + 1 < _FEWEST_ROWS and first > 0
        if not heading and (few or not is_counting(keys)):
            continue
        found.append(_around([word for row in run for word in row]))
    return found


def _level_rows(words: Sequence[Word]) -> list[list[Word]]:
    rows: defaultdict[int, list[Word]] = defaultdict(list)
    for word in words:
        rows[round(word.base)].append(word)
    return [rows[base] for base in sorted(rows)]


def _runs(rows: Sequence[Sequence[Word]]) -> Iterator[tuple[int, int]]:
    """First and last of every stretch of rows that are figures in the same columns."""
    first = 0
    while first < len(rows):
        last = first
        columns: list[tuple[float, float]] = []
        while last < len(rows) and _is_free_row(rows[last]):
            wider = columns_of([rows[last]], columns)
            # Rows that fitted fit still, where columns only got wider.
            run = rows[last : last + 1] if len(wider) == len(columns) else rows[first : last + 1]
            if last > first and not (_follows(rows[last - 1], rows[last]) and _fits(run, wider)):
                break
            columns = wider
            last += 1
        run = rows[first:last]
        if run and (_is_scale(run) or (len(run) >= _FEWEST_ROWS and max(map(len, run)) > 2)):
            yield first, last - 1
        first = max(last, first + 1)


def _is_scale(rows: Sequence[Sequence[Word]]) -> bool:
    """Whether rows are numbered steps, each with an amount."""
    return is_counting([row[0] for row in rows]) and all(_AMOUNT.search(row[1].text) for row in rows)


def _is_free_row(row: Sequence[Word]) -> bool:
    row = without_repeated_key(row)
    figures = sum(word.is_figure or word.count is not None for word in row)
    return figures > 1 and all(word.is_value for word in row[1:])


def _follows(above: Sequence[Word], below: Sequence[Word]) -> bool:
    return below[0].base - above[0].base <= _FREE_STEP * max(word.size for word in below)


def _fits(rows: Sequence[Sequence[Word]], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether every row has at most one word in each column, and the columns are those of a table."""
    return len(columns) > 1 and all(len({_at(columns, word) for word in row}) == len(row) for row in rows)


def _at(columns: Sequence[tuple[float, float]], word: Word) -> int:
    """The column that a word stands in, or next to."""
    return min(
        range(len(columns)),
        key=lambda at: (
            max(columns[at][0] - word.x1, word.x0 - columns[at][1]),
            abs(sum(columns[at]) / 2 - word.middle),
        ),
    )


def _free_headings(rows: Sequence[Sequence[Word]], first: int, last: int) -> int:
    """How many of the rows above free figures are their headings."""
    body = rows[first : last + 1]
    count = 0
    while count < min(_MOST_HEADING_ROWS, first):
        above, below = rows[first - count - 1], rows[first - count]
        if below[0].base - above[0].base > _HEADING_STEP * max(word.size for word in below):
            break
        if _NO_HEADING.search("".join(word.text for word in above)):
            break
        count += 1
    for heading in range(count, 0, -1):
        above = [word for row in rows[first - heading : first] for word in row if not word.is_unit]
        words = [part for word in above for part in parted_alike(word)]
        columns = columns_of(body)
        words = parted_at(words, between(columns))
        columns = _with_headings(columns, _level_rows(words))
        if _levels(words, columns, [-1e9, *between(columns), 1e9]):
            return heading
    return 0


def _around(words: Sequence[Word]) -> Box:
    return (
        min(word.x0 for word in words) - 2,
        min(word.base - 1.1 * word.size for word in words),
        max(word.x1 for word in words) + 2,
        max(word.base + 0.4 * word.size for word in words),
    )


@dataclass(slots=True)
class _Band:
    """One row of cells between two rules, and the rows of words in it.

    `first` and `last` are its first and last row of figures; no figures, no such rows.
    """

    boxes: list[Box]
    rows: list[list[Word]]
    units: list[Word]
    first: int = 0
    last: int = -1

    @property
    def figures(self) -> list[list[Word]]:
        return self.rows[self.first : self.last + 1]

    @property
    def top(self) -> float:
        return self.boxes[0][1]

    def leave(self) -> None:
        """Take its figures for no values: they head columns."""
        self.first, self.last = 0, -1


class _Parter:
    """Parts one table."""

    def __init__(self, boxes: Sequence[Box], chars: Mapping[Box, Sequence[Char]]) -> None:
        self._boxes = boxes
        self._chars = chars
        self._borders = sorted({x for box in boxes for x in (box[0], box[2])})
        self._bands = self._make_bands()

    def parted(self) -> Parted | None:
        """The table's cells; None where rules show them all, or nothing is sure."""
        bodies = [band for band in self._bands if band.figures]
        while len(bodies) > 1 and (_heads(bodies[0], bodies[1:]) or not self._has_keys(bodies[0], {}, bodies)):
            bodies.pop(0).leave()
        if not bodies:
            return None
        cuts = self._cuts(bodies)
        several = [band for band in bodies if len(band.figures) > 1]
        units = any(band.units for band in bodies)
        if (
            cuts is None
            or not (cuts or several or units)
            or not all(self._has_keys(band, cuts, bodies) for band in bodies)
        ):
            return None
        return self._made(bodies, cuts)

    # Reading

    def _make_bands(self) -> list[_Band]:
        ruled: defaultdict[tuple[float, float], list[Box]] = defaultdict(list)
        for box in self._boxes:
            ruled[box[1], box[3]].append(box)
        bands = []
        for _, boxes in sorted(ruled.items()):
            boxes.sort()
            words = [word for box in boxes for word in words_of(self._chars.get(box, ()))]
            units = _units_above(words)
            rows = _parted_rows(rows_of([word for word in words if word not in units]))
            bands.append(_with_figures(_Band(boxes, rows, units)))
        return bands

    def _cuts(self, bodies: Sequence[_Band]) -> dict[Box, list[float]] | None:
        """Places inside each cell between columns that no rule parts, by the cell's range; None if not sure."""
        ranges: defaultdict[tuple[float, float], list[list[Word]]] = defaultdict(list)
        for band in bodies:
            for box in band.boxes:
                for row in band.figures:
                    ranges[box[0], box[2]].append([word for word in row if box[0] <= word.middle < box[2]])
        cuts: dict[Box, list[float]] = {}
        found = {(x0, x1): columns_of(rows) for (x0, x1), rows in ranges.items()}
        cut = any(len(columns) > 1 for columns in found.values())
        counted = all(is_counting([row[0] for row in band.figures]) for band in bodies)
        for (x0, x1), rows in ranges.items():
            columns = found[x0, x1]
            if len(columns) < 2:
                # Where other columns have no rules, one without figures shows by its heading only.
                above = self._rows_above(bodies[0], x0, x1) if columns and (cut or counted) else []
                headed = _with_headings(columns, above)
                if len(headed) > (1 if cut or _are_alike(above, len(headed)) else 2):
                    cuts[x0, 0, x1, 0] = between(headed)
                continue
            if not _fits([row for row in rows if row], columns):
                return None
            if not counted and sum(len(row) > 1 for row in rows) < max(2, len(rows) / 2):
                return None
            columns = _with_headings(columns, self._rows_above(bodies[0], x0, x1))
            cuts[x0, 0, x1, 0] = between(columns)
        return cuts

    def _rows_above(self, body: _Band, x0: float, x1: float) -> list[list[Word]]:
        rows = [row for band in self._bands if band.top < body.top for row in band.rows]
        rows += body.rows[: body.first]
        return [[part for word in row for part in parted_alike(word) if x0 <= part.middle < x1] for row in rows]

    def _has_keys(self, band: _Band, cuts: Mapping[Box, list[float]], bodies: Sequence[_Band]) -> bool:
        """Whether every row of figures has a name or number at its left, so that it is a row."""
        rows = band.figures
        if len(rows) == 1 and not any((box[0], 0, box[2], 0) in cuts for box in band.boxes):
            return True
        columns = self._columns(band, cuts)
        for x0, x1, whole in columns:
            words = [word for row in rows for word in row if x0 <= word.middle < x1]
            if len(words) == len(rows):
                return is_counting(words) or (len(rows) >= _FEWEST_ROWS and len(bodies) == 1) or len(rows) == 1
            if not whole or len(words) > 1:
                return False
        return False

    def _columns(self, band: _Band, cuts: Mapping[Box, list[float]]) -> list[tuple[float, float, bool]]:
        """Left and right border of every column of a band, and whether it is a whole ruled cell."""
        found: list[tuple[float, float, bool]] = []
        for x0, _, x1, _ in band.boxes:
            inner = cuts.get((x0, 0, x1, 0), [])
            found.extend((left, right, not inner) for left, right in pairwise([x0, *inner, x1]))
        return found

    # Making

    def _made(self, bodies: Sequence[_Band], cuts: Mapping[Box, list[float]]) -> Parted:
        parted = Parted(cuts=tuple(sorted(x for inner in cuts.values() for x in inner)))
        borders = sorted({x for box in self._boxes for x in (box[0], box[2])} | set(parted.cuts))
        for band in self._bands:
            if band.figures:
                self._part_body(parted, band, cuts, first=band is bodies[0])
            elif band.top < bodies[0].top:
                self._part_headings(parted, band.boxes, band.rows, borders)
            else:
                for box in band.boxes:
                    parted.contents[box] = list(self._chars.get(box, ()))
        self._add_units(parted, [unit for band in self._bands for unit in band.units])
        return parted

    def _part_body(self, parted: Parted, band: _Band, cuts: Mapping[Box, list[float]], *, first: bool) -> None:
        top, bottom = band.boxes[0][1], band.boxes[0][3]
        rows = band.figures
        heights = [top, *(_border(above, below) for above, below in pairwise(rows)), bottom]
        if band.first:
            heights[0] = _border(band.rows[band.first - 1], rows[0])
            boxes = [(x0, top, x1, heights[0]) for x0, _, x1, _ in band.boxes]
            borders = sorted({x for box in boxes for x in (box[0], box[2])} | set(parted.cuts))
            self._part_headings(parted, boxes, band.rows[: band.first], borders, heading=first)
        if band.last + 1 < len(band.rows):
            heights[-1] = _border(rows[-1], band.rows[band.last + 1])
            below = [char for row in band.rows[band.last + 1 :] for word in row for char in word.chars]
            parted.contents[band.boxes[0][0], heights[-1], band.boxes[-1][2], bottom] = below
        for x0, x1, whole in self._columns(band, cuts):
            inside = [[word for word in row if x0 <= word.middle < x1] for row in rows]
            if (
                whole
                and len(rows) > 1
                and sum(map(bool, inside)) == 1
                and not any(w.is_value for r in inside for w in r)
            ):
                parted.contents[x0, heights[0], x1, heights[-1]] = [c for row in inside for w in row for c in w.chars]
                continue
            for row, (upper, lower) in zip(inside, pairwise(heights), strict=True):
                parted.contents[x0, upper, x1, lower] = [char for word in row for char in word.chars]

    def _part_headings(
        self,
        parted: Parted,
        boxes: Sequence[Box],
        rows: Sequence[Sequence[Word]],
        borders: Sequence[float],
        *,
        heading: bool = True,
    ) -> None:
        """Cells of headings: those that rules leave together over several columns, by what stands over each of them."""
        for box in boxes:
            x0, top, x1, bottom = box
            words = parted_at([word for row in rows for word in row if x0 <= word.middle < x1], parted.cuts)
            cut = any(x0 < x < x1 for x in parted.cuts)
            edges = [x for x in borders if x0 <= x <= x1] if cut else [x0, x1]
            columns = list(pairwise(edges))
            keyed = x0 == self._borders[0]
            levels = _levels(words, columns, edges, keyed=keyed) if len(columns) > 1 else None
            made: dict[Box, list[Char]] = {}
            if levels is None:
                made[box] = [char for word in words for char in word.chars]
            else:
                for (first, last, upper, lower), inside in levels.items():
                    steps = max(key[3] for key in levels)
                    height = (bottom - top) / steps
                    place = (edges[first], top + upper * height, edges[last + 1], top + lower * height)
                    if lower == steps:
                        place = (*place[:3], bottom)
                    made[place] = [char for word in inside for char in word.chars]
            parted.contents.update(made)
            if heading and (levels is not None or len(columns) == 1 or words):
                parted.headings.update(made)

    def _add_units(self, parted: Parted, units: Sequence[Word]) -> None:
        if not parted.headings:
            return
        lowest = max(box[3] for box in parted.headings)
        for box in parted.headings:
            over = [unit for unit in units if box[0] <= unit.middle < box[2]]
            if box[3] == lowest and over:
                parted.units[box] = over[0].text.strip("（）()")


def _parted_rows(rows: Sequence[list[Word]]) -> list[list[Word]]:
    """Rows with the words parted that are set close together, where other rows show the columns."""
    widest = max(map(len, rows), default=0)
    clear = [row for row in rows if len(row) == widest and _is_figure_row(row)]
    columns = columns_of(clear)
    if len(clear) < _FEWEST_ROWS or len(columns) != widest:
        return list(rows)
    borders = between(columns)
    return [parted_at(row, borders) if len(row) < widest else row for row in rows]


def _with_figures(band: _Band) -> _Band:
    """A band with its rows of figures found; what stands above them heads them, what stands below are notes."""
    marked = [_is_figure_row(row) for row in band.rows]
    if not any(marked):
        return band
    first = marked.index(True)
    last = first
    while last + 1 < len(marked) and marked[last + 1]:
        last += 1
    if any(marked[last + 1 :]):
        return band
    if last > first and _counts_columns(band.rows[first], band.rows[first + 1 : last + 1]):
        first += 1
    if any(_SENTENCE.search(word.text) for row in band.rows[:first] for word in row):
        return band
    band.first, band.last = first, last
    return band


def _is_figure_row(row: Sequence[Word]) -> bool:
    row = without_repeated_key(row)
    values = sum(word.is_value for word in row)
    figures = sum(word.is_figure for word in row)
    names = [word for word in row if not word.is_value]
    return (
        figures > 0
        and len(row) > 1
        and 2 * values >= len(row)
        and all(word.is_value for word in row[2:])
        and all(len(name.text) <= _LONGEST_NAME and not _SENTENCE.search(name.text) for name in names)
    )


def _heads(band: _Band, below: Sequence[_Band]) -> bool:
    """Whether the one row of figures of a band heads the others: it is named by words, they by figures."""
    rows = [row for body in below for row in body.figures]
    if len(band.figures) != 1:
        return False
    (own,) = band.figures
    nameless = own[0].is_value or own[0].count is not None
    named = not nameless and all(row[0].is_value or row[0].count is not None for row in rows)
    return named or _counts_columns(own, rows)


def _counts_columns(row: Sequence[Word], below: Sequence[Sequence[Word]]) -> bool:
    """Whether a first row of figures only numbers the columns: it has no number over the numbers of the rows below."""
    if any(other[0].count is None for other in below):
        return False
    row = without_repeated_key(row)
    if row[0].count is None:
        return is_counting(row[1:])
    return is_counting(row) and row[0].x0 > max(other[0].x1 for other in below)


def _are_alike(rows: Sequence[Sequence[Word]], count: int) -> bool:
    """Whether so many headings stand beside each other that differ by their numbers only."""
    return any(
        len(row) == count == len({word.text for word in row})
        and len({_NUMBER.sub("0", word.text) for word in row}) == 1
        and _NUMBER.search(row[0].text) is not None
        for row in rows
    )


def _units_above(words: Sequence[Word]) -> list[Word]:
    """Words that are only a unit and stand above all figures, with none beside them that they could belong to."""
    figures = [word for word in words if word.is_figure]
    if not figures:
        return []
    pitch = pitch_of(figures) or figures[0].size * 1.5
    top = min(word.base for word in figures)
    return [
        word
        for word in words
        if word.is_unit
        and word.base <= top + 0.45 * pitch
        and _stands_over(word, figures)
        and not any(
            abs(figure.base - word.base) < 0.1 * word.size and 0 <= word.x0 - figure.x1 < 1.5 * word.size
            for figure in figures
        )
    ]


def _stands_over(unit: Word, figures: Sequence[Word]) -> bool:
    """Whether a unit has figures below it, or others have where its own column has none."""
    own = [figure for figure in figures if figure.x0 < unit.x1 + unit.size and unit.x0 < figure.x1]
    lower = [figure for figure in own or figures if figure.base > unit.base + 0.3 * unit.size]
    return bool(lower) and (bool(own) or len(lower) == len(figures))


def _border(above: Sequence[Word], below: Sequence[Word]) -> float:
    """A height between two rows of words."""
    lower = max(word.base + 0.12 * word.size for word in above)
    upper = min(word.base - 0.88 * word.size for word in below)
    return (lower + upper) / 2


def _with_headings(columns: Sequence[tuple[float, float]], rows: Sequence[Sequence[Word]]) -> list[tuple[float, float]]:
    """Columns with those added that have a heading but no figure, as a grade with fewer steps has on a later page.

    A heading that stands over no figures beside a column that no heading stands over is that column's: words at the
    left of their cell, figures in its middle.
    """
    under = [
        [[at for at, (x0, x1) in enumerate(columns) if x0 < word.x1 and word.x0 < x1] for word in row] for row in rows
    ]
    headed = {at for over in under for own in over for at in own}
    if 2 * len(headed) < len(columns):
        return list(columns)
    for row, over in sorted(zip(rows, under, strict=True), key=lambda one: len(one[0]), reverse=True):
        if all(over) or not any(over):
            continue
        found = list(columns)
        for start, end in _stretches(over):
            before, after = (over[start - 1][-1] if start else -1), (over[end][0] if end < len(row) else len(columns))
            # The corner over the names of rows may name the columns, too: then what stands under that names the rows.
            bare = [at for at in range(before + 1, after) if at not in headed or (at == 0 and start == 0)]
            words = row[start:end]
            if not bare:
                found.extend((word.x0, word.x1) for word in words)
            elif len(bare) == len(words):
                for at, word in zip(bare, words, strict=True):
                    found[at] = min(columns[at][0], word.x0), max(columns[at][1], word.x1)
            else:
                return list(columns)
        return sorted(found)
    return list(columns)


def _stretches(over: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Words side by side that stand over no column: the first of them and the one behind the last."""
    start = 0
    for bare, words in groupby(over, key=lambda own: not own):
        end = start + len(list(words))
        if bare:
            yield start, end
        start = end


_Levels = dict[tuple[int, int, int, int], list[Word]]
"""Words by first and last column, and by first and behind the last level from the top."""


def _levels(
    words: Sequence[Word], columns: Sequence[tuple[float, float]], edges: Sequence[float], *, keyed: bool = True
) -> _Levels | None:
    """Which words stand over which columns; None where it is not sure.

    Args:
        words: The headings.
        columns: Left and right edge of every column.
        edges: Their borders, one more than columns.
        keyed: Whether the first column is that of the rows' names.
    """
    if not words or len(columns) < 2:
        return None
    starts = _block_starts(words, edges) if keyed else [0]
    if len(starts) > 1:
        return _block_levels(words, columns, edges, starts)
    stacked = _stacked(words, edges, keyed=keyed)
    if stacked is not None:
        return {(at, at, 0, 1): inside for at, inside in enumerate(stacked)}
    repeated = [word for word in words if word.middle >= edges[-2]]
    names = [word.text for word in words if word.middle < edges[1]]
    if keyed and len(columns) > 2 and names == [word.text for word in repeated]:
        # The names of the rows stand at the right, too.
        inner = _levels([word for word in words if word.middle < edges[-2]], columns[:-1], edges[:-1])
        if inner is not None:
            inner[len(columns) - 1, len(columns) - 1, 0, max(lower for _, _, _, lower in inner)] = repeated
        return inner
    key = [word for word in words if keyed and word.middle < edges[1]]
    rest = rows_of([word for word in words if word not in key])
    levels: _Levels = {(0, 0, 0, len(rest)): key} if keyed else {}
    for level, row in enumerate(rest):
        spans = _spans(row, columns, edges, 1 if keyed else 0)
        if spans is None:
            return None
        for word, (first, last) in zip(row, spans, strict=True):
            levels[first, last, level, level + 1] = [word]
    # The lowest level has to tell the columns apart.
    return levels if rest and len(rest[-1]) == len(columns) - keyed else None


def _block_starts(words: Sequence[Word], edges: Sequence[float]) -> list[int]:
    """The columns where a table begins anew beside itself: its first heading stands there again."""
    names = {word.text for word in words if word.middle < edges[1]}
    again = {
        at
        for at in range(1, len(edges) - 1)
        if names and names == {word.text for word in words if edges[at] <= word.middle < edges[at + 1]}
    }
    # A last column of a block only repeats the names of the rows.
    return [0, *sorted(at for at in again if at < len(edges) - 2 and at + 1 not in again)]


def _block_levels(
    words: Sequence[Word], columns: Sequence[tuple[float, float]], edges: Sequence[float], starts: Sequence[int]
) -> _Levels | None:
    """The levels of every block, side by side."""
    found: _Levels = {}
    heights = set()
    for start, end in pairwise([*starts, len(columns)]):
        inside = [word for word in words if edges[start] <= word.middle < edges[end]]
        levels = _levels(inside, columns[start:end], edges[start : end + 1])
        if levels is None:
            return None
        heights.add(max(lower for _, _, _, lower in levels))
        for (first, last, upper, lower), own in levels.items():
            found[first + start, last + start, upper, lower] = own
    return found if len(heights) == 1 else None


def _stacked(words: Sequence[Word], edges: Sequence[float], *, keyed: bool) -> list[list[Word]] | None:
    """The words over every column where each stands over one, and each column but that of names has some."""
    found: list[list[Word]] = [[] for _ in edges[1:]]
    for word in words:
        at = next((at for at in range(len(found)) if edges[at] <= word.middle < edges[at + 1]), None)
        if at is None:
            return None
        over = min(word.x1, edges[at + 1]) - max(word.x0, edges[at])
        if over < 0.8 * (word.x1 - word.x0):
            return None
        found[at].append(word)
    named = found[1:] if keyed else found
    if not all(named):
        return None
    # A word alone in its row, over one that has more, may reach over several columns.
    for row in rows_of([word for inside in named for word in inside]):
        if 2 * len(row) <= len(named) and any(len(inside) > 1 for inside in named if inside[0] in row):
            return None
    return found


def _spans(
    row: Sequence[Word], columns: Sequence[tuple[float, float]], edges: Sequence[float], start: int
) -> list[tuple[int, int]] | None:
    """First and last column under each word of a row that reaches over all columns from `start` on."""
    count = len(columns) - start
    if len(row) > count or comb(max(count - 1, 0), len(row) - 1) > _MOST_PARTINGS:
        return None
    if len(row) == count:
        inside = all(edges[at] <= word.middle < edges[at + 1] for at, word in enumerate(row, start))
        return [(at, at) for at in range(start, len(columns))] if inside else None
    best: tuple[float, list[tuple[int, int]]] | None = None
    for parting in combinations(range(start + 1, len(columns)), len(row) - 1):
        starts = [start, *parting, len(columns)]
        spans = [(first, behind - 1) for first, behind in pairwise(starts)]
        misses = [
            abs(word.middle - (columns[first][0] + columns[last][1]) / 2)
            for word, (first, last) in zip(row, spans, strict=True)
        ]
        if best is None or sum(misses) < best[0]:
            width = (columns[-1][1] - columns[start][0]) / count
            if len(row) == 1 or max(misses) <= _AWRY * width:
                best = sum(misses), spans
    return best[1] if best else None
