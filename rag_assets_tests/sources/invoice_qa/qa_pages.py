"""Pages of a Q&A book as values: text set at given indents and broken at a margin, as a typesetter does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_assets.model import Cell
from rag_assets.sources.pdf.pages import PdfLine, PdfPage, PdfTable

LEFT, RIGHT, EM, PITCH = 70.0, 520.0, 10.0, 20.0
TOP, BOTTOM = 60.0, 760.0
BODY, HEAD = "Mincho", "Gothic"


def broken(text: str, first: float = 1, rest: float = 0, *, right: float = RIGHT) -> list[tuple[float, str]]:
    """A text as lines with their left edges: the first `first` em in, the others `rest`; no 、 or 。 leads a line."""
    lines: list[tuple[float, str]] = []
    while text:
        left = LEFT + (rest if lines else first) * EM
        room = int((right - left) // EM)
        while room < len(text) and text[room] in "、。）」":
            room += 1
        lines.append((left, text[:room]))
        text = text[room:]
    return lines


@dataclass
class Book:
    """Pages as they fill up from top to bottom."""

    _pages: list[tuple[list[PdfLine], list[PdfTable]]] = field(default_factory=lambda: [([], [])])
    _y: float = TOP

    def new_page(self) -> "Book":
        """Go on at the head of the next page."""
        self._pages.append(([], []))
        self._y = TOP
        return self

    def text(self, words: str, first: float = 1, rest: float = 0, *, size: float = EM, font: str = BODY) -> "Book":
        """A paragraph in the body."""
        for left, line in broken(words, first, rest):
            self._pages[-1][0].append(self._line(line, left, size, font))
        return self

    def line(self, words: str, indent: float = 0, *, size: float = EM, font: str = BODY) -> "Book":
        """One line, however long."""
        self._pages[-1][0].append(self._line(words, LEFT + indent * EM, size, font))
        return self

    def chapter(self, words: str) -> "Book":
        """A chapter line: larger, in the other font."""
        return self.line(words, size=12.0, font=HEAD)

    def heading(self, words: str) -> "Book":
        """A 見出し, brackets and all."""
        return self.text(words, 0, 0, font=HEAD)

    def question(self, words: str) -> "Book":
        """A question's lines, the further ones two em in."""
        return self.text(words, 0, 2)

    def box(self, *paragraphs: str) -> "Book":
        """A framed box; its paragraphs are broken at its own margin."""
        top = self._y
        lines = [
            self._line(line, left + EM, EM, BODY)
            for words in paragraphs
            for left, line in broken(words, right=RIGHT - 2 * EM)
        ]
        text = "\n".join(line.text for line in lines)
        self._pages[-1][1].append(self._table(top, [[text]], lines))
        return self

    def grid(self, rows: Sequence[Sequence[str]]) -> "Book":
        """A ruled table."""
        top = self._y
        self._y += PITCH * len(rows)
        self._pages[-1][1].append(self._table(top, rows, []))
        return self

    def pages(self) -> list[PdfPage]:
        """The pages as the PDF modules give them."""
        return [
            PdfPage(number=number, width=595.0, height=842.0, lines=tuple(lines), tables=tuple(tables))
            for number, (lines, tables) in enumerate(self._pages, start=1)
        ]

    def _line(self, words: str, left: float, size: float, font: str) -> PdfLine:
        if self._y > BOTTOM:
            self.new_page()
        top, self._y = self._y, self._y + PITCH
        width = sum(size / 2 if character.isascii() else size for character in words)
        return PdfLine(
            page=len(self._pages),
            text=words,
            x0=left,
            x1=left + width,
            top=top,
            bottom=top + size,
            size=size,
            font=font,
        )

    def _table(self, top: float, rows: Sequence[Sequence[str]], lines: Sequence[PdfLine]) -> PdfTable:
        width = max(len(row) for row in rows)
        return PdfTable(
            page=len(self._pages),
            x0=LEFT,
            x1=RIGHT,
            top=top - 2,
            bottom=self._y,
            cells=tuple(
                Cell(text=text, row=at, column=column) for at, row in enumerate(rows) for column, text in enumerate(row)
            ),
            lines=tuple(lines),
            columns=tuple(LEFT + (RIGHT - LEFT) * column / width for column in range(width + 1)),
        )
