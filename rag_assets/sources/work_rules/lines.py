"""A document of rules as passages in reading order: paragraphs with their place, and tables.

Layout only: which passages are articles, captions or commentary is told by their words (`headings`), and what
belongs to which article is decided in `outline`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rag_assets.japanese.blanks import BLANK, is_blank_between
from rag_assets.sources.pdf.pages import (
    PdfLine,
    PdfPage,
    PdfTable,
    continues,
    is_continuation_mark,
    joined,
    joined_words,
)
from rag_assets.sources.pdf.paragraphs import find_usual_edge
from rag_assets.sources.work_rules.appendices import appendix_heading
from rag_assets.sources.work_rules.deleted import deleted_part
from rag_assets.sources.work_rules.formulas import join_formulas
from rag_assets.sources.work_rules.headings import article_heading, is_heading, opens_item
from rag_assets.sources.work_rules.marks import ParagraphCount, goes_on_with, is_unfinished

_SAME_EDGE = 4.0
"""Points by which lines that begin at the same edge may differ."""
_SHORT_BY = 2.2
"""Ems: a line that ends so far before the right edge ends its paragraph (line breaking rules leave up to two)."""
_HANGING = 2.5
"""Ems by which further lines hang in at most; what begins further in has white space before it."""
_PADDING = 0.8
"""Ems between a frame and the longest line in it, at most."""
_BESIDE = 8.0
"""Points below a table's upper edge down to which a line stands beside its first row."""
_ENOUGH_LINES = 6
"""Lines from which a page's own right edge is taken from it and not from the whole document."""
_ENDED = re.compile(r"[。：:）)」』】］\]]$")
_COLUMN = re.compile(r"[ \u3000]{2,}[^ \u3000]{1,8}$")
"""A line that ends in a short column of its own: 調理師　　　　　月額　　　円."""
_UNFINISHED = re.compile(r"(?:[、，,（(「『]|(?<!次)第)$")


@dataclass(frozen=True, slots=True)
class RulePassage:
    """One paragraph, or one table, and where it stands.

    Attributes:
        page: The page it begins on, from 1.
        text: The words on one line; empty for a table.
        x0: Left edge of its first line, in points.
        left: Left edge of the whole paragraph, in points.
        size: Size of its letters, in points.
        frame: Which frame it stands in; one that goes on over pages is one. 0 outside of all.
        table: The table.
    """

    page: int
    text: str
    x0: float
    left: float
    size: float
    frame: int
    table: PdfTable | None = None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A line or a table in its frame; `right` is where full lines end there, `alone` says that it joins no other.

    A table over several pages stands on the first, whatever page its last piece is on.
    """

    item: PdfLine | PdfTable
    page: int
    frame: int
    right: float
    alone: bool = False


def passages(pages: Iterable[PdfPage]) -> list[RulePassage]:
    """The passages of a document, in reading order; a table of one cell is a frame around passages."""
    return list(_join_lines(_place_items(list(pages))))


def _place_items(pages: Sequence[PdfPage]) -> Iterator[_Placed]:
    flows, formulas = zip(*map(_flow, pages), strict=True) if pages else ((), ())
    _join_tables(flows)
    usual = find_usual_edge([item for flow in flows for item in flow if isinstance(item, PdfLine)])
    frames = _Frames()
    for page, flow, alone in zip(pages, flows, formulas, strict=True):
        boxes = sorted((table for table in page.tables if table.holds_one_text), key=lambda table: -_area(table))
        framed = [(item, _box_around(item, boxes)) for item in flow]
        outside = [item for item, box in framed if box is None and isinstance(item, PdfLine)]
        edge = find_usual_edge(outside) if len(outside) >= _ENOUGH_LINES else usual
        for position, (item, box) in enumerate(framed):
            frame = frames.number(page.number, box, opens_page=position == 0)
            right = edge if box is None else _frame_edge(box, [line for line, around in framed if around is box])
            yield _Placed(item, page.number, frame, right, id(item) in alone)


def _join_tables(flows: Sequence[list[PdfLine | PdfTable]]) -> None:
    """Put every table that goes on at the head of a page to its piece at the foot of the page before."""
    above: list[PdfLine | PdfTable] = []
    for flow in flows:
        while len(flow) > 1 and isinstance(flow[0], PdfLine) and is_continuation_mark(flow[0].text):
            if not (above and isinstance(above[-1], PdfTable) and _next_goes_on(above[-1], flow)):
                break
            del flow[0]
        last, first = above[-1] if above else None, flow[0] if flow else None
        if isinstance(last, PdfTable) and isinstance(first, PdfTable) and continues(last, first):
            above[-1] = joined(last, first)
            del flow[0]
            if not flow:
                continue
        above = flow


def _next_goes_on(table: PdfTable, flow: Sequence[PdfLine | PdfTable]) -> bool:
    """Whether the first table of a page goes on with one of the page before, but for marks that say so."""
    first = next((item for item in flow if not isinstance(item, PdfLine) or not is_continuation_mark(item.text)), None)
    return isinstance(first, PdfTable) and continues(table, first)


def _flow(page: PdfPage) -> tuple[list[PdfLine | PdfTable], set[int]]:
    """Lines and grids from top to bottom, frames opened and formulas on one line; and the identities of these."""
    framed = [line for table in page.tables if table.holds_one_text for line in table.lines]
    grids = [table for table in page.tables if not table.holds_one_text]
    by_top = sorted([*page.lines, *framed], key=lambda line: (line.top, line.x0))
    lines, formulas = join_formulas(by_top)
    items: list[PdfLine | PdfTable] = [*lines, *grids]
    # What stands beside a table's first row (a month's name beside its calendar) is read before it.
    ordered = sorted(items, key=lambda item: (item.top + (_BESIDE if isinstance(item, PdfTable) else 0.0), item.x0))
    return ordered, {id(lines[position]) for position in formulas}


def _area(table: PdfTable) -> float:
    return (table.x1 - table.x0) * (table.bottom - table.top)


class _Frames:
    """Numbers the frames of a document; a frame at a page's head goes on from one at the foot of the page before."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, float, float], int] = {}
        self._last = 0

    def number(self, page: int, box: PdfTable | None, *, opens_page: bool) -> int:
        """The number of the frame that the next item stands in, 0 for none."""
        if box is None:
            self._last = 0
        else:
            fresh = self._last if opens_page and self._last else len(self._numbers) + 1
            self._last = self._numbers.setdefault((page, box.top, box.x0), fresh)
        return self._last


def _box_around(item: PdfLine | PdfTable, boxes: Sequence[PdfTable]) -> PdfTable | None:
    """The largest frame around an item."""
    x, y = (item.x0 + item.x1) / 2, (item.top + item.bottom) / 2
    return next((box for box in boxes if box.x0 <= x <= box.x1 and box.top <= y <= box.bottom), None)


def _frame_edge(box: PdfTable, items: Sequence[PdfLine | PdfTable]) -> float:
    lines = [item for item in items if isinstance(item, PdfLine)]
    size = max((line.size for line in lines), default=0.0)
    return max([box.x1 - _PADDING * size, *(line.x1 for line in lines if line.x1 <= box.x1)])


class _Paragraph:
    """A paragraph while its lines are being gathered.

    `inner` is the left edge of its further lines, once there are any.
    """

    def __init__(self, placed: _Placed, line: PdfLine, count: ParagraphCount) -> None:
        self.first = line
        self.above = line
        self.frame = placed.frame
        self.alone = placed.alone
        self.right = placed.right
        self.text = line.text
        self.inner: float | None = None
        self._count = count

    def goes_on(self, placed: _Placed, line: PdfLine) -> bool:
        """Whether a line belongs to this paragraph."""
        above = self.above
        if self.alone or placed.alone:
            return False
        if placed.frame != self.frame or abs(line.size - above.size) > 0.15 * above.size:
            return False
        if _stands_alone(line.text) or _stands_alone(self.text) or self._count.opens(line.text, self.text):
            return False
        if opens_item(line.text) and not (self._is_full() and goes_on_with(line.text, self.text)):
            return False
        if appendix_heading(line.text) and not (self._is_full() and is_unfinished(self.text)):
            return False
        if line.page == above.page and line.top - above.bottom > 1.3 * above.size:
            return False
        if _UNFINISHED.search(self.text):
            return True
        if _COLUMN.search(above.text) and _COLUMN.search(line.text):
            return False
        edge = above.x0 if self.inner is None else self.inner
        if not self._is_full():
            goes_on = self.inner is not None and line.text.startswith(("（", "("))
            return goes_on and not _ENDED.search(self.text) and abs(line.x0 - edge) <= _SAME_EDGE
        if self.inner is not None and _ENDED.search(self.text):
            return abs(line.x0 - edge) <= _SAME_EDGE
        return -2.5 * above.size <= line.x0 - edge <= 4.5 * above.size

    def _is_full(self) -> bool:
        """Whether the last line reaches the margin, so that the sentence may go on below it."""
        return self.above.x1 >= self.right - _SHORT_BY * self.above.size

    def add(self, placed: _Placed, line: PdfLine) -> None:
        """Put a line at the end, with what the break between the lines stands for."""
        if self.inner is None:
            indented = line.x0 > self.first.x0 + _HANGING * line.size
        else:
            indented = line.x0 > self.inner + 0.9 * line.size
        ended_early = self.above.x1 < self.right - 0.9 * self.above.size
        if (indented or ended_early) and is_blank_between(self.text, line.text):
            self.text += BLANK + line.text
        else:
            self.text = joined_words(self.text, line.text)
        self.inner = min(line.x0, self.inner) if self.inner is not None else line.x0
        self.above, self.right = line, placed.right

    def close(self) -> RulePassage:
        """The paragraph as it stands."""
        first = self.first
        left = first.x0 if self.inner is None else min(first.x0, self.inner)
        return RulePassage(first.page, self.text, first.x0, left, first.size, self.frame)


def _stands_alone(text: str) -> bool:
    return is_heading(text) or deleted_part(text) is not None


def _join_lines(stream: Iterable[_Placed]) -> Iterator[RulePassage]:
    paragraph: _Paragraph | None = None
    count = ParagraphCount()
    for placed in stream:
        item = placed.item
        if paragraph is not None and isinstance(item, PdfLine) and paragraph.goes_on(placed, item):
            paragraph.add(placed, item)
            continue
        if paragraph is not None:
            yield paragraph.close()
        if isinstance(item, PdfLine):
            if is_heading(item.text) or article_heading(item.text) or appendix_heading(item.text):
                count.restart()
            else:
                count.begin(item.text)
            paragraph = _Paragraph(placed, item, count)
        else:
            paragraph = None
            yield RulePassage(placed.page, "", item.x0, item.x0, 0.0, placed.frame, item)
    if paragraph is not None:
        yield paragraph.close()
