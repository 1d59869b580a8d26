"""The levels of a guide's headings: as the document lists them, else by size, weight, numbering and nesting.

Which lines are headings is decided in `headings.py`.
"""

from collections import defaultdict
from collections.abc import Sequence

from rag_assets.sources.guides.pdf.headings import FoundHeading, HeadingStyle
from rag_assets.sources.guides.pdf.numbering import Numbering, is_top_word

_SAME_SIZE = 1.04

_Rank = tuple[int, int]
"""The place of a heading in the order of nesting, outermost first: the listed level, then the place of its style."""


def find_levels(headings: Sequence[FoundHeading], body_size: float) -> list[int]:
    """The level of every heading, 1 for the outermost.

    Headings of one style have one level, unless the document lists other ones, or their numbers begin again below a
    heading beside them.

    Args:
        headings: In order.
        body_size: Size of the text in points.
    """
    deepest = max((heading.listed_level for heading in headings), default=0)
    levels = _levels_of_ranks(_rank_headings(headings, deepest, body_size), deepest)
    restarting: set[tuple[HeadingStyle, HeadingStyle]] = set()
    _nest_restarted(headings, levels, restarting, body_size)
    nested = _nest_restarted(headings, levels, restarting, body_size)
    # The outermost bookmark is often the title, which is no heading here.
    return [level - min(nested) + 1 for level in nested]


def _rank_headings(headings: Sequence[FoundHeading], deepest: int, body_size: float) -> list[_Rank]:
    places = _place_styles(headings, body_size)
    outermost = (1, 0) if deepest else (0, min(places.values(), default=0))
    listed: dict[HeadingStyle, int] = {}
    for heading in reversed(headings):
        if heading.listed_level:
            listed[heading.style] = heading.listed_level
    ranks: list[_Rank] = []
    for heading in headings:
        if heading.listed_level:
            listed[heading.style] = heading.listed_level
        if known := listed.get(heading.style):
            ranks.append((known, 0))
        elif heading.numbering and heading.numbering.stands_on_top:
            ranks.append(outermost)
        elif deepest:
            ranks.append(outermost if is_top_word(heading.text) else (deepest + 1, places[heading.style]))
        elif is_top_word(heading.text):
            ranks.append((0, min(place for style, place in places.items() if _is_same_size(style, heading.style))))
        else:
            ranks.append((0, places[heading.style]))
    return ranks


def _place_styles(headings: Sequence[FoundHeading], body_size: float) -> dict[HeadingStyle, int]:
    """The places of styles: larger and stronger ones first, then by fixed orders (章 before 条), then as first seen."""
    numberings = {heading.style: heading.numbering for heading in reversed(headings)}
    seen = list(dict.fromkeys(heading.style for heading in headings))
    groups: list[list[HeadingStyle]] = []
    for style in sorted(seen, key=lambda style: (-style.size, -style.weight)):
        if groups and _is_same_size(groups[-1][0], style) and groups[-1][0].weight == style.weight:
            groups[-1].append(style)
        else:
            groups.append([style])
    ordered: list[HeadingStyle] = []
    for group in groups:
        for style in sorted(group, key=seen.index):
            _insert(ordered, style, numberings, len(ordered))
    places = {style: place for place, style in enumerate(ordered)}
    for group in groups:
        numbered = [style for style in group if style.kind]
        plain = next((style for style in group if not style.kind), None)
        # What has no number stands beside the numbered where it comes first (はじめに and 第１章), or where it is
        # larger than the text: size is the order then.
        if plain is None or not numbered:
            continue
        if plain.size > body_size * _SAME_SIZE or seen.index(plain) < min(map(seen.index, numbered)):
            places[plain] = min(places[style] for style in numbered)
    return places


def _insert(
    ordered: list[HeadingStyle], style: HeadingStyle, numberings: dict[HeadingStyle, Numbering | None], end: int
) -> None:
    """Put a style at the end, or before the first that is deeper in the same fixed order."""
    own = numberings[style]
    for place, other in enumerate(ordered[:end]):
        known = numberings[other]
        if own and known and own.family and own.family == known.family and own.depth < known.depth:
            ordered.insert(place, style)
            return
    ordered.append(style)


def _is_same_size(one: HeadingStyle, other: HeadingStyle) -> bool:
    return max(one.size, other.size) <= _SAME_SIZE * min(one.size, other.size)


def _levels_of_ranks(ranks: Sequence[_Rank], deepest: int) -> list[int]:
    """Levels by what each rank stands below anywhere; those that the document lists are as listed."""
    parents: defaultdict[_Rank, set[_Rank]] = defaultdict(set)
    path: list[_Rank] = []
    for rank in ranks:
        while path and path[-1] >= rank:
            path.pop()
        parents[rank].update(path[-1:])
        path.append(rank)
    levels: dict[_Rank, int] = {}
    for rank in sorted(parents):
        listed = rank[0] if rank[0] <= deepest else 0
        levels[rank] = listed or 1 + max((levels[parent] for parent in parents[rank]), default=0)
    return [levels[rank] for rank in ranks]


def _nest_restarted(
    headings: Sequence[FoundHeading],
    levels: Sequence[int],
    restarting: set[tuple[HeadingStyle, HeadingStyle]],
    body_size: float,
) -> list[int]:
    """Levels with numbers that begin again put below the heading of another style that stands before them.

    １, ２, 附則, １: the second １ is the first section of the 附則.

    Args:
        headings: In order.
        levels: Theirs.
        restarting: Styles below which numbers of another style begin again somewhere; takes those found.
        body_size: Size of the text: among larger headings, size is the order, whatever their numbers are.
    """
    nested: list[int] = []
    beside: dict[int, list[FoundHeading]] = {}
    inside: tuple[int, HeadingStyle] | None = None
    for heading, level in zip(headings, levels, strict=True):
        if inside and (level < inside[0] or (level == inside[0] and heading.style != inside[1])):
            inside = None
        siblings = beside.get(level, [])
        is_ordered = bool(siblings) and not siblings[-1].numbering and heading.style.size > body_size * _SAME_SIZE
        if inside is None and not is_ordered and _begins_again(heading, siblings, restarting):
            inside = level, heading.style
        level += inside is not None
        beside = {each: siblings for each, siblings in beside.items() if each <= level}
        beside.setdefault(level, []).append(heading)
        nested.append(level)
    return nested


def _begins_again(
    heading: FoundHeading, siblings: Sequence[FoundHeading], restarting: set[tuple[HeadingStyle, HeadingStyle]]
) -> bool:
    """Whether a heading begins a row of numbers below the one before it, which is of another style."""
    numbering = heading.numbering
    if not siblings or not numbering or len(numbering.number) != 1 or siblings[-1].style == heading.style:
        return False
    above = siblings[-1]
    pair = above.style, heading.style
    earlier = next((each.numbering for each in reversed(siblings) if each.style == heading.style), None)
    if earlier and numbering.number <= earlier.number:
        restarting.add(pair)
        return True
    annexed = above.numbering is not None and above.numbering.stands_on_top
    return numbering.number == (1,) and (annexed or pair in restarting)
