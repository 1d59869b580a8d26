"""Pay tables as documents print them: a grid of amounts by grade and step, drawn in many ways."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rag_assets.corpus.table_text import readable_rows
from rag_assets.model import Table
from rag_assets.sources.pdf_pages import read_pages
from rag_assets.sources.rules_blocks import blocks_of
from rag_assets.sources.rules_lines import passages
from rag_assets_tests.sources.pdf_maker import LATIN, MINCHO, PdfMaker

Rules = Literal["full", "columns", "open", "frame", "bare frame", "key", "rows", "lines", "none", "open sides"]
Align = Literal["right", "center", "left"]
Head = Literal["one", "two", "spanning", "corner", "diagonal"]
Unit = Literal["none", "row", "each", "heading"]

_LEFT, _KEY, _STEP = 70.0, 46.0, 14.0
_PAGE_TOP = 70.0


@dataclass(frozen=True)
class PayTable:
    """A grid of amounts and how it is drawn.

    Attributes:
        steps: How many steps every grade has, grade by grade.
        rules: Which ruling lines there are.
        align: Where amounts stand in their column.
        head: How columns are headed.
        unit: Where 円 stands.
        rows: Rows on a page.
        repeated: Whether headings stand on every page.
        blocks: How many times the columns stand side by side.
        latin: Whether figures are set in a Latin font.
        shift: Points that every second page is moved to the right.
        pitch: Distance from row to row.
        width: Of a column.
    """

    steps: tuple[int, ...]
    rules: Rules = "frame"
    align: Align = "right"
    head: Head = "one"
    unit: Unit = "none"
    rows: int = 20
    repeated: bool = True
    blocks: int = 1
    latin: bool = False
    shift: float = 0.0
    pitch: float = _STEP
    width: float = 62.0

    def amounts(self) -> dict[tuple[str, str], str]:
        """Every amount by step and grade."""
        return {
            (str(step), f"{grade}級"): f"{139_600 + 37_700 * grade + 1_310 * step:,}"
            for grade, count in enumerate(self.steps, 1)
            for step in range(1, count + 1)
        }

    def pages(self) -> list[list[list[int]]]:
        """Steps by page, block and row."""
        steps = list(range(1, max(self.steps) + 1))
        found = []
        while steps:
            page = []
            for _ in range(self.blocks):
                if steps:
                    page.append(steps[: self.rows])
                    steps = steps[self.rows :]
            found.append(page)
        return found

    def draw(self) -> PdfMaker:
        """The table as a PDF with an article before it."""
        maker = PdfMaker()
        maker.text(80, 30, "第１条　給料の額は、次の表による。")
        for number, page in enumerate(self.pages()):
            if number:
                maker.page_break()
            _PageDrawer(maker, self, _LEFT + (self.shift if number % 2 else 0)).draw(
                page, headed=number == 0 or self.repeated
            )
        return maker


class _PageDrawer:
    def __init__(self, maker: PdfMaker, table: PayTable, left: float) -> None:
        self._maker, self._table = maker, table
        own = [_KEY, *[table.width] * len(table.steps)]
        self._xs = [left]
        for width in own * table.blocks:
            self._xs.append(self._xs[-1] + width)

    def draw(self, page: Sequence[Sequence[int]], *, headed: bool) -> None:
        table = self._table
        top = _PAGE_TOP
        head = self._heading(top) if headed else top
        own = len(table.steps) + 1
        unit = table.unit == "row" and headed
        for block, steps in enumerate(page):
            y = head + 3
            if unit:
                for column in range(1, own):
                    self._cell(block * own + column, y, "円", "right", size=7)
                y += 9
            for step in steps:
                self._cell(block * own, y, str(step), "center")
                for grade in range(1, own):
                    amount = table.amounts().get((str(step), f"{grade}級"))
                    if amount:
                        text = f"{amount}円" if table.unit == "each" else amount
                        self._cell(block * own + grade, y, text, table.align)
                y += table.pitch
        self._rules(top, head, unit, max(map(len, page)))

    def _heading(self, top: float) -> float:
        table = self._table
        own = len(table.steps) + 1
        unit = "（円）" if table.unit == "heading" else ""
        rows = 1 if table.head == "one" else 2
        for block in range(table.blocks):
            at = block * own
            if table.head in ("corner", "diagonal"):
                self._cell(at, top + 3, "職務の級", "right" if table.head == "diagonal" else "left", size=7)
                self._cell(at, top + 18, "号給", "left", size=8)
            else:
                self._cell(at, top + 3 + 7 * (rows - 1), "号給", "center")
            for grade in range(1, own):
                y = top + 3 + (15 if table.head == "spanning" else 7 if table.head in ("corner", "diagonal") else 0)
                self._cell(at + grade, y, f"{grade}級{unit}", "center")
                if table.head == "two":
                    self._cell(at + grade, top + 18, "給料月額", "center", size=8)
            if table.head == "spanning":
                left, right = self._xs[at + 1], self._xs[at + own]
                self._maker.text((left + right) / 2 - 20, top + 2, "職務の級", 10)
        return top + (18 if rows == 1 else 32)

    def _cell(self, column: int, y: float, text: str, align: str, size: float = 9.0) -> None:
        from reportlab.pdfbase.pdfmetrics import stringWidth

        font = LATIN if self._table.latin and text.isascii() else MINCHO
        x0, x1 = self._xs[column] + 3, self._xs[column + 1] - 3
        room = x1 - x0 - stringWidth(text, font, size)
        self._maker.text(x0 + {"left": 0.0, "center": room / 2, "right": room}[align], y, text, size, font)

    def _rules(self, top: float, head: float, unit: bool, rows: int) -> None:
        table, rule = self._table, self._maker.rule
        first, last = self._xs[0], self._xs[-1]
        start = head + 3 + (9 if unit else 0)
        bottom = start + rows * table.pitch
        own = len(table.steps) + 1
        if table.rules == "none":
            return
        for y in {top, bottom} if table.rules != "open" else {top}:
            rule(first, y, last, y)
        if table.rules != "bare frame" and head > top:
            rule(first, head, last, head)
        if table.rules not in ("rows", "lines", "open sides"):
            for x in (first, last):
                rule(x, top, x, bottom)
        inner = range(1, len(self._xs) - 1)
        if table.rules == "key":
            inner_columns = [column for column in inner if column % own in (0, 1)]
        else:
            inner_columns = list(inner) if table.rules in ("full", "columns", "open", "open sides") else []
        spanned = table.head == "spanning" and head > top
        for column in inner_columns:
            rule(self._xs[column], top + (15 if spanned and column % own > 1 else 0), self._xs[column], bottom)
        for block in range(table.blocks if spanned and inner_columns and table.rules != "key" else 0):
            rule(self._xs[block * own + 1], top + 15, self._xs[block * own + own], top + 15)
        if table.rules in ("full", "rows"):
            for row in range(1, rows):
                y = start + row * table.pitch - 2.5
                rule(first, y, last, y)


def tables_of(maker: PdfMaker) -> list[Table]:
    """The tables that a reader of rules finds in a PDF."""
    found = passages(read_pages(maker.file(), name="rules.pdf"))
    blocks, _ = blocks_of(found, under_number=False, signs=True)
    return [block for block in blocks if isinstance(block, Table)]


def read_amounts(tables: Sequence[Table]) -> dict[tuple[str, str], str]:
    """Every value by the name of its row and the grade in its column's heading, as single rows tell them."""
    found: dict[tuple[str, str], str] = {}
    for table in tables:
        for row in readable_rows(table):
            key = row.fields[0].value
            for field in row.fields[1:]:
                for words in field.words:
                    grades = [match[0] for heading in words.headings if (match := re.match("[0-9]級", heading))]
                    name = grades[0] if grades else ""
                    text = field.text[words.start : words.end]
                    assert (key, name) not in found, (key, name)
                    found[key, name] = text.removesuffix("円")
    return found


def is_whole(steps: Sequence[int]) -> bool:
    """Whether no grade has more steps than the one before."""
    return all(above >= below for above, below in pairwise(steps))
