"""Pages of a document of rules as values: paragraphs broken at a margin, frames and tables, as a typesetter does."""

from dataclasses import dataclass, field

from rag_assets.model import Cell
from rag_assets.sources.pdf.pages import PdfLine, PdfPage, PdfTable

LEFT, RIGHT, EM, PITCH = 90.0, 510.0, 10.0, 18.0
TOP = 100.0


@dataclass
class _Page:
    lines: list[PdfLine] = field(default_factory=list)
    tables: list[PdfTable] = field(default_factory=list)


class Rules:
    """A document as it fills up from top to bottom; what is added inside a frame stands in that frame."""

    def __init__(self) -> None:
        self._pages = [_Page()]
        self._y = TOP
        self._framed: list[PdfLine] | None = None

    def page(self) -> "Rules":
        """Go on at the head of the next page; an open frame goes on there."""
        framed = self._framed is not None
        if framed:
            self.end()
        self._pages.append(_Page())
        self._y = TOP
        return self.frame() if framed else self

    def line(self, text: str, indent: float = 0, *, size: float = EM) -> "Rules":
        """One line, however long; `indent` in em."""
        x0 = LEFT + indent * EM
        width = sum(0.5 if character.isascii() else 1.0 for character in text) * size
        made = PdfLine(len(self._pages), text, x0, x0 + width, self._y, self._y + size, size, "Mincho")
        (self._pages[-1].lines if self._framed is None else self._framed).append(made)
        self._y += PITCH
        return self

    def text(self, text: str, first: float = 0, rest: float = 1) -> "Rules":
        """A paragraph: its first line `first` em in, the others `rest`, broken at the right margin."""
        indent = first
        while text:
            room = int((RIGHT - LEFT) / EM - indent)
            while room < len(text) and text[room] in "、。）」":
                room += 1
            self.line(text[:room], indent)
            text, indent = text[room:], rest
        return self

    def gap(self, lines: int = 1) -> "Rules":
        """Blank lines."""
        self._y += lines * PITCH
        return self

    def frame(self) -> "Rules":
        """Open a frame."""
        self._framed = []
        return self

    def end(self) -> "Rules":
        """Close the frame."""
        lines = self._framed or []
        top, bottom = lines[0].top - 4, self._y - 4
        text = "\n".join(line.text for line in lines)
        self._pages[-1].tables.append(
            PdfTable(
                page=len(self._pages),
                x0=LEFT - 6,
                x1=RIGHT + 6,
                top=top,
                bottom=bottom,
                cells=(Cell(text=text, row=0, column=0),),
                lines=tuple(lines),
            )
        )
        self._framed = None
        return self

    def table(self, *rows: tuple[str, ...]) -> "Rules":
        """A ruled table."""
        cells = tuple(
            Cell(text=text, row=row, column=column)
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
        )
        bottom = self._y + PITCH * len(rows)
        left, right = LEFT + 20, RIGHT - 20
        width = (right - left) / len(rows[0])
        self._pages[-1].tables.append(
            PdfTable(
                page=len(self._pages),
                x0=left,
                x1=right,
                top=self._y,
                bottom=bottom,
                cells=cells,
                columns=tuple(left + width * column for column in range(len(rows[0]) + 1)),
            )
        )
        self._y = bottom + PITCH
        return self

    def pages(self) -> list[PdfPage]:
        """The document."""
        return [
            PdfPage(
                number=number,
                width=595.0,
                height=842.0,
                lines=tuple(page.lines),
                tables=tuple(page.tables),
            )
            for number, page in enumerate(self._pages, 1)
        ]
