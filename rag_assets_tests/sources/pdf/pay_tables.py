"""Pay tables as documents print them: a grid of amounts by grade and step, drawn in many ways."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag_assets.corpus.table_text import readable_rows
from rag_assets.japanese.widths import half_width
from rag_assets.model import Block, Table
from rag_assets.sources.base import Finding
from rag_assets.sources.document_records import with_unread_tables
from rag_assets.sources.pdf.pages import read_pages
from rag_assets.sources.work_rules.blocks import blocks_of
from rag_assets.sources.work_rules.lines import passages
from rag_assets_tests.corpus.test_quality import record
from rag_assets_tests.sources.pdf.pdf_maker import LATIN, MINCHO, PdfMaker

Rules = Literal["full", "columns", "open", "frame", "bare frame", "key", "rows", "lines", "none", "open sides"]
Align = Literal["right", "center", "left"]
Head = Literal["one", "two", "spanning", "corner", "diagonal"]
Unit = Literal["none", "row", "each", "heading"]
Grades = Literal["half", "full", "bare", "bare full"]
Steps = Literal["half", "full", "kanji", "suffixed", "years"]

_FULL = str.maketrans("0123456789", "０１２３４５６７８９")
_KANJI = "〇一二三四五六七八九"
_LEFT, _KEY, _STEP = 70.0, 46.0, 14.0
_PAGE_TOP = 70.0


def _kanji(number: int) -> str:
    tens, ones = divmod(number, 10)
    return (_KANJI[tens] if tens > 1 else "") + ("十" if tens else "") + (_KANJI[ones] if ones else "")


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
        grades: How grades are named: 1級, １級, or by their number alone.
        names: How steps are named: 1, １, 一, 1号俸, or by four-digit years.
        twin: Whether steps are named at the right, too.
        thousands: Whether amounts are in thousands of yen.
        framed: Whether a box is drawn around the table, with a sentence in it.
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
    grades: Grades = "half"
    names: Steps = "half"
    twin: bool = False
    thousands: bool = False
    framed: bool = False

    @property
    def own(self) -> int:
        """Columns of one block."""
        return len(self.steps) + 1 + self.twin

    def step(self, step: int) -> str:
        """What a step is called in its row."""
        match self.names:
            case "full":
                return str(step).translate(_FULL)
            case "kanji":
                return _kanji(step)
            case "suffixed":
                return f"{step}号俸"
            case "years":
                return str(1980 + step)
            case _:
                return str(step)

    def grade(self, grade: int) -> str:
        """What a grade is called over its column."""
        number = str(grade).translate(_FULL) if self.grades in ("full", "bare full") else str(grade)
        return number if self.grades.startswith("bare") else f"{number}級"

    def amount(self, step: int, grade: int) -> str:
        """What stands in a cell, without its unit; nothing where the grade has no such step."""
        if step > self.steps[grade - 1]:
            return ""
        yen = 139_600 + 37_700 * grade + 1_310 * step
        return f"{yen / 1000:,.1f}" if self.thousands else f"{yen:,}"

    def amounts(self) -> dict[tuple[str, str], str]:
        """Every amount by step and grade."""
        return {
            (self.step(step), f"{grade}級"): self.amount(step, grade)
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
        own = [_KEY, *[table.width] * len(table.steps), *[_KEY] * table.twin]
        self._xs = [left]
        for width in own * table.blocks:
            self._xs.append(self._xs[-1] + width)

    def draw(self, page: Sequence[Sequence[int]], *, headed: bool) -> None:
        table = self._table
        top = _PAGE_TOP
        head = self._heading(top) if headed else top
        own, behind = table.own, len(table.steps) + 1
        unit = table.unit == "row" and headed
        for block, steps in enumerate(page):
            y = head + 3
            if unit:
                for column in range(1, behind):
                    self._cell(block * own + column, y, self._unit, "right", size=7)
                y += 9
            for step in steps:
                for column in range(0, own, behind):
                    self._cell(block * own + column, y, table.step(step), "center")
                for grade in range(1, behind):
                    amount = table.amount(step, grade)
                    if amount:
                        text = f"{amount}{self._unit}" if table.unit == "each" else amount
                        self._cell(block * own + grade, y, text, table.align)
                y += table.pitch
        self._rules(top, head, unit, max(map(len, page)))
        if table.framed:
            self._maker.text(self._xs[0], top - 20, "次の表は、給料の額の例である。", 9)
            bottom = head + 30 + max(map(len, page)) * table.pitch
            self._maker.grid([self._xs[0] - 12, self._xs[-1] + 12], [top - 26, bottom])

    @property
    def _unit(self) -> str:
        return "千円" if self._table.thousands else "円"

    def _heading(self, top: float) -> float:
        table = self._table
        own, behind = table.own, len(table.steps) + 1
        unit = f"（{self._unit}）" if table.unit == "heading" else ""
        rows = 1 if table.head == "one" else 2
        for block in range(table.blocks):
            at = block * own
            if table.head in ("corner", "diagonal"):
                self._cell(at, top + 3, "職務の級", "right" if table.head == "diagonal" else "left", size=7)
                self._cell(at, top + 18, "号給", "left", size=8)
            else:
                self._cell(at, top + 3 + 7 * (rows - 1), "号給", "center")
            if table.twin:
                self._cell(at + behind, top + 3 + 7 * (rows - 1), "号給", "center")
            for grade in range(1, behind):
                y = top + 3 + (15 if table.head == "spanning" else 7 if table.head in ("corner", "diagonal") else 0)
                self._cell(at + grade, y, f"{table.grade(grade)}{unit}", "center")
                if table.head == "two":
                    self._cell(at + grade, top + 18, "給料月額", "center", size=8)
            if table.head == "spanning":
                left, right = self._xs[at + 1], self._xs[at + behind]
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
        own, behind = table.own, len(table.steps) + 1
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
            inner_columns = [column for column in inner if column % own in (0, 1, behind)]
        else:
            inner_columns = list(inner) if table.rules in ("full", "columns", "open", "open sides") else []
        spanned = table.head == "spanning" and head > top
        for column in inner_columns:
            rule(self._xs[column], top + (15 if spanned and 1 < column % own < behind else 0), self._xs[column], bottom)
        for block in range(table.blocks if spanned and inner_columns and table.rules != "key" else 0):
            rule(self._xs[block * own + 1], top + 15, self._xs[block * own + behind], top + 15)
        if table.rules in ("full", "rows"):
            for row in range(1, rows):
                y = start + row * table.pitch - 2.5
                rule(first, y, last, y)


def blocks_read(maker: PdfMaker) -> list[Block]:
    """What a reader of rules finds in a PDF."""
    found = passages(read_pages(maker.file(), name="rules.pdf"))
    blocks, _ = blocks_of(found, under_number=False, signs=True)
    return list(blocks)


def tables_of(maker: PdfMaker) -> list[Table]:
    """The tables that a reader of rules finds in a PDF."""
    return [block for block in blocks_read(maker) if isinstance(block, Table)]


def read_amounts(tables: Sequence[Table]) -> dict[tuple[str, str], str]:
    """Every value by the name of its row and the grade in its column's heading, as single rows tell them.

    A value under no grade, or under several, has none; a step that is named at the right again is no value.
    """
    found: dict[tuple[str, str], str] = {}
    for table in tables:
        for row in readable_rows(table):
            key = row.fields[0].value
            for field in row.fields[1:]:
                for words in field.words:
                    text = field.text[words.start : words.end]
                    heads = half_width("　".join(words.headings))
                    grades = [*re.findall("([0-9])級", heads), *re.findall("職務の級\u3000?([0-9])", heads)]
                    if text == key and not grades:
                        continue
                    name = f"{grades[0]}級" if len(set(grades)) == 1 else ""
                    found[key, name if (key, name) not in found else ""] = re.sub("千?円$", "", text)
    return found


def is_told(blocks: Sequence[Block]) -> bool:
    """Whether the findings of a document with such blocks tell of a table that could not be read."""
    readings = with_unread_tables([record("1", "給料表", *blocks)])
    return any(isinstance(reading, Finding) and reading.topic == "unreadable table" for reading in readings)
