"""A PDF as pages of lines and tables: what the document sources read, and all that they need to know of PDF.

How each part is done has modules of its own beside this one; what lines mean belongs to the source that reads them.
"""

import pickle
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import SEEK_END
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Any, BinaryIO

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.file_kinds import PDF, as_pdf, file_kind
from rag_assets.sources.pdf.annotations import read_annotations
from rag_assets.sources.pdf.columns import PageColumn, read_columns
from rag_assets.sources.pdf.continued import continues, is_continuation_mark, joined
from rag_assets.sources.pdf.drawings import Drawings, read_drawings
from rag_assets.sources.pdf.faults import FEW, Faults
from rag_assets.sources.pdf.filling import Filling, fill_in
from rag_assets.sources.pdf.hidden import take_out_hidden
from rag_assets.sources.pdf.layers import layers_off
from rag_assets.sources.pdf.lines import PdfLine, make_lines
from rag_assets.sources.pdf.objects import read_objects
from rag_assets.sources.pdf.paragraphs import joined_text, joined_words, paragraphs
from rag_assets.sources.pdf.remarks import Remarks
from rag_assets.sources.pdf.running import EdgeLines, line_rows, without_running
from rag_assets.sources.pdf.strokes import close_struck_gaps, take_out_struck_words, write_fractions
from rag_assets.sources.pdf.tables import PdfTable, split_tables
from rag_assets.sources.pdf.text import PageText, read_text
from rag_assets.sources.pdf.watermarks import Watermarks, take_out_candidates

__all__ = [
    "PdfLine",
    "PdfPage",
    "PdfTable",
    "continues",
    "is_continuation_mark",
    "joined",
    "joined_text",
    "joined_words",
    "paragraphs",
    "read_pages",
]

_IN_MEMORY = 4_000_000
"""Bytes of pages that wait in memory; what is more waits in a temporary file."""
_TAIL = 65_536
PDFIUM = Lock()
"""PDFium is not made for several threads: one document at a time."""


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page as it is read.

    Attributes:
        number: From 1: the page of the file, whatever number is printed on it. The columns of a page share it: each is
            a page of its own here, its positions as if it were the first column, so that text goes on from one to the
            next as it does from page to page.
        width: In points, with the text upright.
        height: In points.
        lines: From top to bottom, and from left to right where several share their height; without running headers
            and footers, page numbers, and without what stands in `tables`.
        tables: From top to bottom; empty if they were not asked for, their text is in `lines` then.
    """

    number: int
    width: float
    height: float
    lines: tuple[PdfLine, ...]
    tables: tuple[PdfTable, ...] = ()

    def flow(self) -> list[PdfLine | PdfTable]:
        """Lines and tables in reading order, boxes opened: lines inside a box stand among the others."""
        boxed = [line for table in self.tables if table.is_box for line in table.lines]
        grids = [table for table in self.tables if not table.is_box]
        things: list[PdfLine | PdfTable] = [*self.lines, *boxed, *grids]
        return sorted(things, key=lambda thing: (thing.top, thing.x0))


def read_pages(
    file: BinaryIO,
    *,
    tables: bool = True,
    name: str = "",
    picture_pages: Collection[int] = (),
    findings: list[Finding] | None = None,
) -> Iterator[PdfPage]:
    """The pages of a PDF in order; a page set in columns comes as several of one number, one a column.

    The whole document is looked at before the first page comes: what repeats from page to page is seen only then, and
    a document with a fault on its last page gives no page at all. Meanwhile the pages wait in a temporary file (the
    first 4 MB in memory); what grows in memory with every page is a few words of its edges and some counts.

    Args:
        file: The PDF, open for reading in binary mode and seekable, until the last page has come.
        tables: Whether ruled tables are taken out of the lines. Without them reading is faster, and blanks at the
            ends of a line, which only their underlines show, are not seen; nor are columns: tables look like them then.
        name: What the document is called in messages.
        picture_pages: Pages that may be pictures only, or set in vertical lines, since nothing on them is to be read.
        findings: Takes what a person should know of the pages, all of it before the first page comes: single pages
            that are pictures, and vertical ones, which come without lines; hidden and struck-out text and watermarks
            that are left out, values of form fields, text layers of scanned pages.

    Raises:
        DocumentError: Before the first page: it is no PDF, is damaged or encrypted, or has no text that can be read
            (most pages scanned or set in vertical lines, fonts that do not tell their characters). The message says
            which pages and what to do.
    """
    name = name or getattr(file, "name", "") or "the PDF"
    at_edges, faults = EdgeLines(), Faults(name, picture_pages)
    with SpooledTemporaryFile(_IN_MEMORY) as waiting:
        with PDFIUM:
            document = open_pdf(file, name)
            reader = _PageReader(document, file, name, faults, tables=tables)
            try:
                count = len(document)
                for number in range(1, count + 1):
                    page, columns = reader.read(number)
                    at_edges.add(number, page.height, page.lines, [(table.top, table.bottom) for table in page.tables])
                    pickle.dump((page, columns), waiting, pickle.HIGHEST_PROTOCOL)
            finally:
                document.close()
        running = at_edges.running()
        left_out = faults.refuse(running)
        watermarks, others = reader.watermarks.verdict()
        if findings is not None:
            findings.extend(left_out.findings)
            findings.extend(reader.remarks.findings(watermarks))
        waiting.seek(0)
        for number in range(1, count + 1):
            page, columns = pickle.load(waiting)
            if number in left_out.vertical:
                yield replace(page, lines=(), tables=())
                continue
            page = replace(page, lines=without_running(page.lines, running.get(number, ())))
            first, *rest = _parts(page, columns)
            yield _with_lines(first, others.get(number, ()))
            yield from rest


class _PageReader:
    """Reads the pages of one open document, and gathers what is told of it as a whole."""

    def __init__(self, document: Any, file: BinaryIO, name: str, faults: Faults, *, tables: bool) -> None:
        self._document = document
        self._name = name
        self._faults = faults
        self._tables = tables
        self._form = document.formenv.raw if document.formenv else None
        self._layers_off = cache(lambda: layers_off(file))
        self.remarks = Remarks()
        self.watermarks = Watermarks()

    def read(self, number: int) -> tuple[PdfPage, Sequence[PageColumn]]:
        """One page with its running lines still in place, and its columns."""
        text, drawings, filling = self._text(number)
        self.watermarks.add(candidates := take_out_candidates(text, number))
        size = text.frame.size
        found: list[PdfTable] = []
        columns: list[PageColumn] = []
        if self._tables and drawings is not None:
            found, beside = split_tables(text, drawings.edges, number)
            beside = replace(beside, underlines=(*beside.underlines, *filling.blanks))
            columns = read_columns(beside, found, number)
            every = (line for column in columns for line in column.lines)
            lines = sorted(every, key=lambda line: (line.bottom, line.x0))
        else:
            lines = make_lines(text.chars, number, text.standing)
        rows = [sum(len(line.text) for line in row) for row in line_rows(lines)]
        self._faults.add(number, text, drawings, [*rows, *(len(each.words) for each in candidates)], len(found))
        return PdfPage(number, size[0], size[1], tuple(lines), tuple(found)), columns

    def _text(self, number: int) -> tuple[PageText, Drawings | None, Filling]:
        """The text of a page as a reader sees it, what is drawn beside it, and what was typed into it."""
        import pypdfium2

        try:
            page = self._document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise DocumentError(f"{self._name}: page {number} is damaged ({error}); fetch the PDF again") from error
        try:
            objects = read_objects(page)
            text = read_text(page, objects)
            self.remarks.add_seen(number, take_out_hidden(text, objects, self._layers_off))
            drawings = read_drawings(objects, text.frame) if self._tables or len(text.chars) < FEW else None
            annotations = read_annotations(page, self._form, text.frame)
        finally:
            page.close()
        filling = fill_in(text, annotations)
        self.remarks.add_filling(number, annotations, filling)
        if drawings is not None:
            struck, edges = take_out_struck_words(text, drawings.edges)
            for words in struck:
                self.remarks.add_struck(number, words)
            drawings = replace(drawings, edges=write_fractions(text, edges))
        close_struck_gaps(text)
        return text, drawings, filling


def _with_lines(page: PdfPage, lines: Sequence[PdfLine]) -> PdfPage:
    """A page with lines that were held back put in their places."""
    if not lines:
        return page
    return replace(page, lines=tuple(sorted((*page.lines, *lines), key=lambda line: (line.bottom, line.x0))))


def _parts(page: PdfPage, columns: Sequence[PageColumn]) -> Iterator[PdfPage]:
    """A page as it is, or one page a column, each with what stands in it moved to where the first column stands."""
    kept = set(page.lines)
    parts = [
        replace(
            page,
            lines=tuple(_moved(line, column.shift) for line in column.lines if line in kept),
            tables=tuple(_moved_table(table, column.shift) for table in page.tables if column.holds(table)),
        )
        for column in (columns if len(columns) > 1 else ())
    ]
    yield from [part for part in parts if part.lines or part.tables] or [page]


def _moved(line: PdfLine, shift: float) -> PdfLine:
    return replace(line, x0=round(line.x0 - shift, 2), x1=round(line.x1 - shift, 2)) if shift else line


def _moved_table(table: PdfTable, shift: float) -> PdfTable:
    return replace(
        table,
        x0=table.x0 - shift,
        x1=table.x1 - shift,
        lines=tuple(_moved(line, shift) for line in table.lines),
        columns=tuple(round(x - shift, 2) for x in table.columns),
        extents=tuple((round(x0 - shift, 2), round(x1 - shift, 2)) for x0, x1 in table.extents),
    )


def open_pdf(file: BinaryIO, name: str) -> Any:
    """An open PDFium document; whoever calls holds `PDFIUM` and closes it.

    Raises:
        DocumentError: It is no PDF, or a damaged, cut off or protected one.
    """
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        document = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise DocumentError(
                f"{name}: the PDF is encrypted and asks for a password; save a copy without one, and read that"
            ) from error
        raise DocumentError(f"{name}: {_no_pdf(file, error)}") from error
    if document.get_formtype() == raw.FORMTYPE_XFA_FULL:
        document.close()
        raise DocumentError(
            f"{name}: the PDF is an XFA form, whose text only Adobe's programs show; open it in Adobe Acrobat or "
            "Reader, print it as PDF, and read that"
        )
    document.init_forms()
    if not _has_end(file):
        document.close()
        raise DocumentError(f"{name}: the PDF is cut off, its end is missing; fetch it again")
    return document


def _no_pdf(file: BinaryIO, error: Exception) -> str:
    """What a file that pdfium does not open is instead, and what to do."""
    kind = file_kind(file)
    if kind is None or kind is PDF:
        return f"this is no PDF, or a damaged one ({error}); open it in a viewer, and fetch it again"
    return f"this is {kind.name}, no PDF: {as_pdf(kind)}"


def _has_end(file: BinaryIO) -> bool:
    """Whether the pointer to the list of objects is there: it ends every PDF, and without it pages are guessed at."""
    size = file.seek(0, SEEK_END)
    file.seek(max(0, size - _TAIL))
    return b"startxref" in file.read()
