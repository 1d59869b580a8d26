"""The pages of a guide as one flow of lines and tables: boxes opened, tables joined over pages, footnotes set apart.

What a line means (heading, item, note) is decided after this.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag_assets.sources.pdf.pages import PdfLine, PdfPage, PdfTable, continues, is_continuation_mark, joined
from rag_assets.sources.pdf.paragraphs import find_usual_edge

_BOLD = re.compile(r"(?i)bold|heavy|black|demi|w[6-9]\b|太")
_STRONG = re.compile(r"(?i)ゴシック|gothic|kaku|meiryo|メイリオ|sans.*cjk|cjk.*sans|notosans|maru|丸")
_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龠々]")
_FOOTNOTE = re.compile(r"(?:\d{1,3}|[*＊※†‡]\d{0,3}|注\d{0,3}|[（(]?注?\d{1,3}[)）])[ \u3000]?\S")
_FOOTNOTE_SIZE = 0.93
"""Size of footnotes against the text, at most."""
_FOOT = 0.45
"""Share of the page's height below which footnotes stand."""
GAP = 1.35
"""Distance to the line above in usual distances, from which white space parts two lines."""
_SHORT_BY = 2.0
"""Ems: a line that ends so far before the right edge is not full."""
_FULL_LINES = 4
"""Lines that have to end at one place before it is the right edge of a page or box."""


@dataclass(frozen=True, slots=True)
class GuideLine:
    """A printed line with what its surroundings tell.

    Attributes:
        line: The line.
        frame: The box it stands in; 0 outside of all.
        left: Where text begins in its frame, in points.
        right: Where full lines end in its frame.
        gap: Distance to what stands above it, in usual distances of lines; infinite at the head of a page.
        weight: 0 for a light face (明朝), 1 for a stronger one (ゴシック), 2 for a bold one.
    """

    line: PdfLine
    frame: int
    left: float
    right: float
    gap: float
    weight: int

    @property
    def text(self) -> str:
        """Its words."""
        return self.line.text

    @property
    def is_full(self) -> bool:
        """Whether it reaches the right edge, so that the sentence may go on below it."""
        return self.line.x1 >= self.right - _SHORT_BY * self.line.size

    @property
    def is_centred(self) -> bool:
        """Whether it stands in the middle, away from both edges."""
        before, behind = self.line.x0 - self.left, self.right - self.line.x1
        return min(before, behind) > 2.5 * self.line.size and abs(before - behind) < 0.25 * (self.right - self.left)

    @property
    def is_at_right(self) -> bool:
        """Whether it stands at the right edge only, as dates and senders do."""
        return self.line.x0 > (self.left + self.right) / 2 and self.right - self.line.x1 < 3 * self.line.size


@dataclass(frozen=True, slots=True)
class GuideTable:
    """A table, all its pages joined, and the page it begins on."""

    table: PdfTable
    page: int


FlowPart = GuideLine | GuideTable


@dataclass(frozen=True, slots=True)
class GuideFlow:
    """A document's lines and tables in reading order.

    Attributes:
        parts: The lines and tables.
        footnotes: Footnotes by page, each as its lines.
        size: Size of most of its text in points.
        weight: Weight of most of its text.
        pitch: The usual distance of its lines in points.
    """

    parts: tuple[FlowPart, ...]
    footnotes: dict[int, tuple[tuple[PdfLine, ...], ...]]
    size: float
    weight: int
    pitch: float


def read_flow(pages: Iterable[PdfPage]) -> GuideFlow:
    """The flow of all pages. All of it is in memory: it grows with the document's text."""
    everything = list(pages)
    lines = [line for page in everything for line in page.lines]
    boxed = [line for page in everything for table in page.tables if table.holds_one_text for line in table.lines]
    size, weight = _body_style([*lines, *boxed])
    pitch = _usual_pitch([*lines, *boxed], size)
    usual = _Edges.of([line for line in lines if abs(line.size - size) < 0.5], lines)
    parts: list[FlowPart] = []
    footnotes: dict[int, tuple[tuple[PdfLine, ...], ...]] = {}
    frames = _Boxes()
    for page in everything:
        foot = _footnote_lines(page, size)
        if foot:
            footnotes[page.number] = (*footnotes.get(page.number, ()), *_split_footnotes(foot))
        _add_page(parts, page, set(foot), frames, usual, pitch)
    return GuideFlow(tuple(parts), footnotes, size, weight, pitch)


def font_weight(line: PdfLine) -> int:
    """How strong the face of a line is: 2 bold, 1 ゴシック, 0 any other."""
    if _BOLD.search(line.font):
        return 2
    return 1 if _STRONG.search(line.font) and _JAPANESE.search(line.text) else 0


@dataclass(frozen=True, slots=True)
class _Edges:
    left: float
    right: float

    @classmethod
    def of(cls, lines: Sequence[PdfLine], others: Sequence[PdfLine]) -> "_Edges":
        """Where most lines of the text begin and the longest end; all lines tell it where those are few."""
        if len(lines) < _FULL_LINES:
            every = [*lines, *others]
            return cls(min((line.x0 for line in every), default=0.0), max((line.x1 for line in every), default=0.0))
        starts = Counter(round(line.x0) for line in lines)
        many = [start for start, count in starts.items() if count >= max(2, 0.05 * len(lines))]
        return cls(float(min(many or starts)), find_usual_edge(lines))


class _Boxes:
    """Numbers the boxes; one at a page's head goes on from one at the foot of the page before."""

    def __init__(self) -> None:
        self._count = 0
        self._last: tuple[int, PdfTable] | None = None

    def number(self, box: PdfTable, *, opens_page: bool) -> int:
        last = self._last
        goes_on = last is not None and opens_page and box.page == last[1].page + 1 and abs(box.x0 - last[1].x0) < 3
        if not goes_on:
            self._count += 1
        self._last = self._count, box
        return self._count

    def leave(self) -> None:
        """What follows stands in no box."""
        self._last = None


def _add_page(
    parts: list[FlowPart], page: PdfPage, foot: set[PdfLine], frames: _Boxes, usual: _Edges, pitch: float
) -> None:
    outside = [line for line in page.lines if line not in foot]
    boxes = [table for table in page.tables if table.holds_one_text]
    around = {line: box for box in boxes for line in box.lines}
    edges = {id(box): _box_edges(box) for box in boxes}
    grids = [table for table in page.tables if not table.holds_one_text]
    things: list[PdfLine | PdfTable] = [*outside, *around, *grids]
    numbers: dict[int, int] = {}
    bottom: float | None = None
    ordered = sorted(things, key=lambda thing: (thing.top, thing.x0))
    above = parts[-1] if parts else None
    if isinstance(above, GuideTable) and (count := _count_continuing(above.table, ordered)):
        table = ordered[count - 1]
        assert isinstance(table, PdfTable)
        parts[-1] = GuideTable(joined(above.table, table), above.page)
        ordered, bottom = ordered[count:], table.bottom
    for position, thing in enumerate(ordered):
        if isinstance(thing, PdfTable):
            parts.append(GuideTable(thing, thing.page))
            frames.leave()
        else:
            box = around.get(thing)
            if box is not None and id(box) not in numbers:
                numbers[id(box)] = frames.number(box, opens_page=position == 0)
            elif box is None:
                frames.leave()
            frame = numbers[id(box)] if box is not None else 0
            edge = edges[id(box)] if box is not None else usual
            gap = float("inf") if bottom is None else (thing.bottom - bottom) / max(pitch, 1.0)
            parts.append(GuideLine(thing, frame, edge.left, edge.right, gap, font_weight(thing)))
        bottom = thing.bottom


def _count_continuing(above: PdfTable, things: Sequence[PdfLine | PdfTable]) -> int:
    """How many things at a page's head only continue a table of the page before: marks that say so, then the table."""
    for position, thing in enumerate(things):
        if isinstance(thing, PdfTable):
            return position + 1 if continues(above, thing) else 0
        if not is_continuation_mark(thing.text):
            return 0
    return 0


def _box_edges(box: PdfTable) -> _Edges:
    size = max((line.size for line in box.lines), default=10.0)
    longest = [line.x1 for line in box.lines if line.x1 <= box.x1]
    left = min((line.x0 for line in box.lines), default=box.x0)
    return _Edges(left, max([box.x1 - 1.2 * size, *longest]))


def _body_style(lines: Iterable[PdfLine]) -> tuple[float, int]:
    """Size and weight of most characters."""
    sizes: Counter[tuple[float, int]] = Counter()
    for line in lines:
        sizes[round(line.size, 1), font_weight(line)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else (10.0, 0)


def _usual_pitch(lines: Sequence[PdfLine], size: float) -> float:
    steps = [
        below.bottom - above.bottom
        for above, below in pairwise(lines)
        if above.page == below.page
        and abs(above.size - size) < 0.5 > abs(below.size - size)
        and 0.8 * size < below.bottom - above.bottom < 3 * size
    ]
    return median(steps) if steps else 1.5 * size


def _footnote_lines(page: PdfPage, size: float) -> list[PdfLine]:
    """The lines of the footnotes at a page's foot: smaller than the text, the first of them with a mark."""
    small: list[PdfLine] = []
    for line in sorted(page.lines, key=lambda line: line.bottom, reverse=True):
        if line.size > _FOOTNOTE_SIZE * size or line.top < _FOOT * page.height:
            break
        small.insert(0, line)
    if any(table.bottom > small[0].top for table in page.tables) if small else True:
        return []
    first = next((at for at, line in enumerate(small) if _FOOTNOTE.match(line.text)), None)
    return small[first:] if first is not None else []


def _split_footnotes(lines: Sequence[PdfLine]) -> list[tuple[PdfLine, ...]]:
    notes: list[list[PdfLine]] = []
    left = min(line.x0 for line in lines)
    for line in lines:
        if not notes or (_FOOTNOTE.match(line.text) and line.x0 - left < line.size):
            notes.append([line])
        else:
            notes[-1].append(line)
    return [tuple(note) for note in notes]
