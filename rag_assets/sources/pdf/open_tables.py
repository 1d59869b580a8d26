"""The borders that an open table lacks: at a page's end where it goes on over the page, or at its sides."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rag_assets.sources.pdf.drawings import Edge

_TOLERANCE = 3.0
"""Points by which edges miss each other."""
_FEWEST = 3
"""Rules side by side that end at one height, at least: two may be anything."""
_MARGIN = 20.0
"""Points from a side to the next rule beside it: no column is narrower."""
_SHARE = 0.5
"""Share of an open side that a rule has to cover to close it."""


def closing_edges(edges: Sequence[Edge]) -> list[Edge]:
    """Edges that close tables where three rules and more end side by side with none across.

    Args:
        edges: Ruling lines, the pieces of a broken one together.
    """
    upright = [edge for edge in edges if not edge.horizontal]
    level = [edge for edge in edges if edge.horizontal]
    # Level rules without any upright one are underlines; upright ones alone are the columns of a page between others.
    ends = [*_closing(_side_by_side(upright, level), level), *_closing(_as_long(upright, level), level)]
    # At the sides it is the same with x and y exchanged.
    rules, columns = [_turned(edge) for edge in [*level, *ends]], [_turned(edge) for edge in upright]
    return [*ends, *map(_turned, _closing(_open_on_both_sides(rules, columns), columns))]


def _turned(edge: Edge) -> Edge:
    return Edge(edge.top, edge.x0, edge.bottom, edge.x1)


def _closing(groups: Iterable[Sequence[Edge]], across: Sequence[Edge]) -> list[Edge]:
    """What closes groups of upright rules at the ends that all of them share."""
    found: dict[tuple[int, int], Edge] = {}
    for members in groups:
        left, right = min(edge.x0 for edge in members), max(edge.x1 for edge in members)
        for ends in ([edge.top for edge in members], [edge.bottom for edge in members]):
            place = ends[0]
            if max(ends) - min(ends) > _TOLERANCE:
                continue
            covered = sum(
                min(edge.x1, right) - max(edge.x0, left)
                for edge in across
                if abs(edge.top - place) <= 2 * _TOLERANCE and edge.x0 < right and edge.x1 > left
            )
            if covered <= _SHARE * (right - left):
                found[round(place / _TOLERANCE), round(left)] = Edge(left, place, right, place)
    return list(found.values())


def _side_by_side(upright: Sequence[Edge], across: Sequence[Edge]) -> Iterator[list[Edge]]:
    """Upright rules that one rule joins, from the first to the last."""
    for rule in across:
        members = [edge for edge in upright if _meet(edge, rule)]
        if len(members) >= _FEWEST and _spans(rule, members):
            yield members


def _open_on_both_sides(upright: Sequence[Edge], across: Sequence[Edge]) -> Iterator[list[Edge]]:
    """Upright rules of one length that rules cross between their ends, and at no end."""
    joined: Counter[tuple[Edge, ...]] = Counter()
    for rule in across:
        members = [edge for edge in upright if _meet(edge, rule)]
        if not members:
            continue
        first, last = min(edge.top for edge in members), max(edge.bottom for edge in members)
        whole = [edge for edge in members if edge.top <= first + _TOLERANCE and edge.bottom >= last - _TOLERANCE]
        inside = first + _MARGIN < rule.top < last - _MARGIN
        if len(whole) > 1 and inside and _spans(rule, members):
            joined[tuple(whole)] += 1
    yield from (list(members) for members, count in joined.items() if len(members) >= _FEWEST or count > 1)


def _as_long(upright: Sequence[Edge], across: Sequence[Edge]) -> Iterator[list[Edge]]:
    """Upright rules that begin and end side by side, crossed by none."""
    found: dict[tuple[int, int], list[Edge]] = {}
    for edge in upright:
        if not any(_meet(edge, rule) for rule in across):
            found.setdefault((round(edge.top / _TOLERANCE), round(edge.bottom / _TOLERANCE)), []).append(edge)
    yield from (members for members in found.values() if len(members) >= _FEWEST)


def _meet(edge: Edge, rule: Edge) -> bool:
    return (
        rule.x0 - _TOLERANCE <= edge.x0 <= rule.x1 + _TOLERANCE
        and edge.top - _TOLERANCE <= rule.top <= edge.bottom + _TOLERANCE
    )


def _spans(rule: Edge, members: Sequence[Edge]) -> bool:
    return (
        min(edge.x0 for edge in members) >= rule.x0 - _TOLERANCE
        and rule.x0 >= min(edge.x0 for edge in members) - _TOLERANCE
        and rule.x1 <= max(edge.x0 for edge in members) + _TOLERANCE
    )
