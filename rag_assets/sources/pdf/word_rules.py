"""Ruling lines that belong to words: drawn under them or through them, and no border of a table's cell."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_assets.sources.pdf.drawings import Edge
from rag_assets.sources.pdf.text import BLANKS, Char

_UNDER = (-0.05, 0.4)
"""Em below the baseline where an underline is drawn."""
_THROUGH = (0.2, 0.6)
"""Em above the baseline where a line through words is drawn."""
_SAME_END = 0.2
"""Em by which the ends of such a line and those of its words differ."""
_SAME_BORDER = 0.6
"""Points by which a border's end misses the border that it meets; cells have at least that much margin."""
_LEAST_SHARE = 0.7
"""Of the width of its words that a line has; a dot of a dotted border is narrower than a character."""
_WIDEST_GAP = 1.3
"""Em between two words that one line runs under: a blank."""


@dataclass(frozen=True, slots=True)
class WordRules:
    """The horizontal edges of a page that belong to words.

    Attributes:
        under: Those below words.
        through: Those through the middle of words: they are struck out.
    """

    under: frozenset[Edge]
    through: frozenset[Edge]


def find_word_rules(chars: Sequence[Char], edges: Sequence[Edge]) -> WordRules:
    """The edges that are exactly as wide as the words above them or on them, and reach no border on both sides.

    Args:
        chars: The level characters of the page.
        edges: Its ruling lines.
    """
    level = [edge for edge in edges if edge.horizontal]
    if not level:
        return WordRules(frozenset(), frozenset())
    lines = _Lines(chars)
    upright = [edge for edge in edges if not edge.horizontal]
    under: set[Edge] = set()
    through: set[Edge] = set()
    for edge in level:
        ways = [
            (under, lines.with_base(edge.top, *_UNDER)),
            (through, lines.with_base(edge.top, *_THROUGH, above=True)),
        ]
        for found, near in ways:
            if any(_spans(edge, line) for line in near) and not _closes(edge, upright):
                found.add(edge)
    return WordRules(frozenset(under), frozenset(through))


class _Lines:
    """Characters by baseline, so that those near a height are found without looking at all."""

    def __init__(self, chars: Sequence[Char]) -> None:
        by_base: defaultdict[float, list[Char]] = defaultdict(list)
        for char in chars:
            by_base[round(char.base, 1)].append(char)
        self._bases = sorted(by_base)
        self._lines = by_base
        self._largest = max((char.size for char in chars), default=0.0)

    def with_base(self, y: float, least: float, most: float, *, above: bool = False) -> Iterator[list[Char]]:
        """Lines whose baseline is so many em above (or below) a height."""
        reach = most * self._largest
        near = (y - 0.1 * self._largest, y + reach) if above else (y - reach, y + 0.1 * self._largest)
        for base in self._bases[bisect_left(self._bases, near[0]) : bisect_right(self._bases, near[1])]:
            line = self._lines[base]
            distance = (base - y if above else y - base) / line[0].size
            if least <= distance <= most:
                yield line


def _spans(edge: Edge, line: Sequence[Char]) -> bool:
    """Whether words of a line begin and end where an edge does, with no more than blanks between them."""
    slack = _SAME_END * line[0].size
    inside = sorted(
        (char for char in line if edge.x0 - slack <= char.x0 and char.x1 <= edge.x1 + slack), key=lambda char: char.x0
    )
    if all(char.text in BLANKS for char in inside):
        return False
    first, last = inside[0].x0, max(char.x1 for char in inside)
    if first - edge.x0 > slack or edge.x1 - last > slack or edge.x1 - edge.x0 < _LEAST_SHARE * (last - first):
        return False
    reached = inside[0].x1
    for char in inside[1:]:
        if char.x0 - reached > _WIDEST_GAP * char.size:
            return False
        reached = max(reached, char.x1)
    return True


def _closes(edge: Edge, upright: Sequence[Edge]) -> bool:
    """Whether an edge begins and ends at upright ones, as the border of a cell does."""
    return all(
        any(abs(side.x0 - x) <= _SAME_BORDER and side.top - 1 <= edge.top <= side.bottom + 1 for side in upright)
        for x in (edge.x0, edge.x1)
    )
