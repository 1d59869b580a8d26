"""Watermarks (社外秘, DRAFT, 見本) over pages, known by angle, size, colour and repetition, never by what they say.

A page gives candidates, taken out of its text since their letters would mix with the lines below them; which of them
are watermarks shows only over the whole document. The others go back to their page.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby

from rag_assets.sources.pdf.lines import PdfLine, make_lines
from rag_assets.sources.pdf.paint import Paint
from rag_assets.sources.pdf.text import BLANKS, SLANTED, Char, PageText

_LARGE = 1.5
"""Size against the page's text from which level words may be a watermark, and slanted ones on one page only are."""
_LIGHT = 0.5
"""Luminance from which a colour is light; pure red has 0.2, silver 0.5."""
_PALE = 166
"""Alpha, of 255, up to which text lets the page shine through: 65%."""
_OVER = 3
"""Letters of the page's text that words lie over, from which they are laid over it."""
_SAME_PLACE = 8.0
"""Points by which a watermark's place may differ from page to page."""
_TILES = 3
"""Times that light words are said on a page, from which they may be laid over it in tiles."""
_SHARE = 0.6
"""Share of the document's pages on which level words that lie over no text have to stand."""


@dataclass(frozen=True, slots=True)
class WatermarkCandidate:
    """Words that may be a watermark.

    Attributes:
        page: Their page.
        words: What they say.
        lines: The lines that they make if they are none.
        x0: Left edge in points.
        top: Upper edge.
        slanted: Whether they stand at an angle.
        light: Whether they are light or let the page shine through.
        large: Whether they are larger than the page's text.
        over: Whether they lie over the page's text.
        artifact: Whether the PDF says that they are no part of its text.
    """

    page: int
    words: str
    lines: tuple[PdfLine, ...]
    x0: float
    top: float
    slanted: bool
    light: bool
    large: bool
    over: bool
    artifact: bool


def take_out_candidates(text: PageText, page: int) -> list[WatermarkCandidate]:
    """Take out of a page's text what may be a watermark."""
    runs = [run.size for run in text.runs]
    level: list[list[Char]] = []
    body = max(runs, default=0.0)
    pale = {id(paint) for paint in text.paints if _is_light(paint)} if len(text.paints) > 1 else set()
    if runs and (body >= _LARGE * min(runs) or pale or any(paint.artifact for paint in text.paints)):
        sizes = Counter(char.run.size for char in text.chars if char.text not in BLANKS)
        body = sizes.most_common(1)[0][0] if sizes else 0.0
        groups = list(_groups(text.chars))
        tiles = _tiles(groups, pale)
        level = [group for group in groups if _may_be_level(group, body) or _words(group) in tiles]
    slanted = [run for run in text.standing if run[0].run.direction == SLANTED]
    if not level and not slanted:
        return []
    apart = {id(char) for group in level for char in group}
    rest = [char for char in text.chars if id(char) not in apart]
    found = [_candidate(run, rest, body, page, slanted=True) for run in slanted]
    kept: list[Char] = []
    candidates = [(group, _candidate(group, rest, body, page, slanted=False)) for group in level]
    over = {candidate.words for _, candidate in candidates if candidate.over and candidate.light}
    for group, candidate in candidates:
        if candidate.over or (candidate.light and (candidate.large or candidate.words in over)):
            found.append(candidate)
        else:
            kept.extend(group)
    gone = apart - {id(char) for char in kept}
    text.chars = [char for char in text.chars if id(char) not in gone]
    text.standing = [run for run in text.standing if not any(run is other for other in slanted)]
    return [candidate for candidate in found if candidate.words]


def _groups(chars: Sequence[Char]) -> Iterable[list[Char]]:
    """Characters drawn one after the other, on one line and by the same."""
    for _, group in groupby(chars, key=lambda char: (id(char.run), id(char.paint), round(char.base))):
        yield list(group)


def _tiles(groups: Sequence[Sequence[Char]], pale: Set[int]) -> set[str]:
    """What light words say over and over on a page, as those do that a program lays over all of it."""
    said = Counter(_words(group) for group in groups if id(group[0].paint) in pale)
    return {words for words, times in said.items() if times >= _TILES and len(words) > 1}


def _words(group: Sequence[Char]) -> str:
    return "".join(char.text for char in group if char.text not in BLANKS)


def _may_be_level(group: Sequence[Char], body: float) -> bool:
    first = group[0]
    return first.paint.artifact or first.run.size >= _LARGE * body > 0


def _candidate(
    group: Sequence[Char], rest: Sequence[Char], body: float, page: int, *, slanted: bool
) -> WatermarkCandidate:
    x0, x1 = min(char.x0 for char in group), max(char.x1 for char in group)
    top = min(char.base - 0.8 * char.size for char in group)
    bottom = max(char.base for char in group)
    over = 0
    for char in rest:
        x, y = char.middle
        over += x0 < x < x1 and top < y < bottom and char.text not in BLANKS
    lines = make_lines([], page, [group]) if slanted else make_lines(group, page)
    return WatermarkCandidate(
        page=page,
        words=_words(group),
        lines=tuple(lines),
        x0=x0,
        top=top,
        slanted=slanted,
        light=_is_light(group[0].paint),
        large=group[0].run.size >= _LARGE * body,
        over=over >= _OVER,
        artifact=group[0].paint.artifact,
    )


def _is_light(paint: Paint) -> bool:
    def is_light(ink: tuple[tuple[int, int, int], int]) -> bool:
        (red, green, blue), alpha = ink
        return alpha <= _PALE or _luminance(red, green, blue) >= _LIGHT

    return bool(paint.inks) and all(ink is not None and is_light(ink) for ink in paint.inks)


def _luminance(*channels: int) -> float:
    """Relative luminance of an sRGB colour."""
    red, green, blue = (((channel / 255 + 0.055) / 1.055) ** 2.4 for channel in channels)
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


@dataclass(slots=True)
class Watermarks:
    """The candidates of all pages, and the verdict over them."""

    pages: int = 0
    _found: list[WatermarkCandidate] = field(default_factory=list)

    def add(self, candidates: Iterable[WatermarkCandidate]) -> None:
        """Note a page, with or without candidates."""
        self.pages += 1
        self._found.extend(candidates)

    def verdict(self) -> tuple[dict[str, list[int]], dict[int, list[PdfLine]]]:
        """The words of watermarks with their pages, and by page the lines that are none and go back."""
        groups: defaultdict[tuple[str, bool], list[WatermarkCandidate]] = defaultdict(list)
        for candidate in self._found:
            groups[candidate.words, candidate.slanted].append(candidate)
        marks: defaultdict[str, list[int]] = defaultdict(list)
        back: defaultdict[int, list[PdfLine]] = defaultdict(list)
        for group in groups.values():
            for candidate in group:
                if self._is_watermark(candidate, group):
                    marks[candidate.words].append(candidate.page)
                else:
                    back[candidate.page].extend(candidate.lines)
        return dict(marks), dict(back)

    def _is_watermark(self, candidate: WatermarkCandidate, group: Sequence[WatermarkCandidate]) -> bool:
        there = {
            other.page
            for other in group
            if abs(other.x0 - candidate.x0) <= _SAME_PLACE and abs(other.top - candidate.top) <= _SAME_PLACE
        }
        repeated = len(there) > 1
        if candidate.slanted:
            return len({other.page for other in group}) > 1 or (
                candidate.large and (candidate.light or candidate.over or candidate.artifact)
            )
        if candidate.over or any(other.over and other.page == candidate.page for other in group):
            return repeated or candidate.light or candidate.artifact
        return candidate.light and repeated and len(there) >= _SHARE * self.pages
