"""Whole documents: what comes out of them, what it costs, and what the real ones say."""

import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from rag_assets.japanese.radicals import mend_characters
from rag_assets.sources.pdf.pages import PdfPage, read_pages
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker

REAL = ("invoice_qa_rebuilt.pdf", "keshouhin-standard.pdf", "model_shugyo_kisoku_R4-11.pdf", "qa_futankeigen.pdf")


def long_document(pages: int) -> bytes:
    maker = PdfMaker()
    for number in range(1, pages + 1):
        if number > 1:
            maker.page_break()
        maker.text(80, 50, "旅費の手引", size=8)
        maker.lines(*(f"第{number}の{row}の定めは、次の章に述べるところによるものとする。" for row in range(25)))
        maker.grid([80, 180, 320], [600, 620, 640])
        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
            maker.text(85 + 100 * column, 605 + 20 * row, f"欄{row}{column}")
        maker.text(290, 790, f"- {number} -")
    return maker.file().getvalue()


def test_pages_come_in_order_with_their_own_lines_and_tables() -> None:
    pages = list(read_pages(io.BytesIO(long_document(5))))
    assert [page.number for page in pages] == [1, 2, 3, 4, 5]
    for page in pages:
        assert (page.width, page.height) == (595, 842)
        assert [line.text[:5] for line in page.lines] == [f"第{page.number}の{row}の定"[:5] for row in range(25)]
        assert {line.page for line in page.lines} == {page.number}
        assert [cell.text for cell in page.tables[0].cells] == ["欄00", "欄01", "欄10", "欄11"]


def test_a_document_that_was_read_twice_says_the_same() -> None:
    file = io.BytesIO(long_document(3))
    assert list(read_pages(file)) == list(read_pages(file))
    assert not file.closed


@pytest.mark.slow
def test_memory_does_not_grow_with_the_document(tmp_path: Path) -> None:
    peaks = []
    for pages in (30, 300):
        path = tmp_path / f"{pages}.pdf"
        path.write_bytes(long_document(pages))
        peaks.append(peak_mebibytes(path))
    assert peaks[1] < peaks[0] + 15


def peak_mebibytes(path: Path) -> float:
    """Peak memory of a process that reads a document with its tables and keeps nothing."""
    code = (
        "import resource, sys\n"
        "from rag_assets.sources.pdf.pages import read_pages\n"
        "with open(sys.argv[1], 'rb') as file:\n"
        "    for page in read_pages(file):\n"
        "        pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout) / (1024 if sys.platform != "darwin" else 1024 * 1024)


@pytest.fixture(scope="module", params=REAL)
def real(request: pytest.FixtureRequest, realdata: Path) -> Path:
    return realdata / "pdf" / str(request.param)


@cache
def read(path: Path, *, tables: bool = True) -> list[PdfPage]:
    with path.open("rb") as file:
        return list(read_pages(file, tables=tables))


def letters(texts: Iterable[str]) -> Counter[str]:
    return Counter(re.sub(r"\s", "", "".join(texts)))


@pytest.mark.realdata
def test_real_documents_lose_their_page_numbers_and_nothing_else(real: Path) -> None:
    import pdfplumber

    pages = read(real)
    with pdfplumber.open(real) as plumber:
        for page, other in list(zip(pages, plumber.pages, strict=True))[:: 1 + len(pages) // 50]:
            printed = letters(mend_characters(char["text"]) for char in other.dedupe_chars(tolerance=1).chars)
            other.close()
            found = letters(line.text for line in page.lines)
            found += letters(cell.text for table in page.tables for cell in table.cells)
            assert found - printed == Counter()
            lost = "".join((printed - found).elements())
            assert re.fullmatch(r"[0-9０-９－／目次-]{0,8}", lost), page.number


@pytest.mark.realdata
def test_real_documents_say_the_same_with_and_without_tables(real: Path) -> None:
    for with_tables, without in zip(read(real), read(real, tables=False), strict=True):
        found = letters(line.text for line in with_tables.lines)
        found += letters(line.text for table in with_tables.tables for line in table.lines)
        assert found == letters(line.text for line in without.lines)


@pytest.mark.realdata
def test_real_documents_have_no_radical_and_no_page_number_left(real: Path) -> None:
    for page in read(real):
        assert not re.search("[\u2e80-\u2fdf\ufe10-\ufe1f]", "".join(line.text for line in page.lines))
        for line in page.lines[:1] + page.lines[-1:]:
            assert not re.fullmatch(r"(?:目次)?[-－\s]*[0-9０-９]+(?:[／/]\d+)?[-－\s]*", line.text)


@pytest.mark.realdata
def test_a_real_table_goes_on_over_its_pages(realdata: Path) -> None:
    from rag_assets.sources.pdf.pages import continues

    pages = read(realdata / "pdf" / "keshouhin-standard.pdf")
    tables = [(page.number, table) for page in pages for table in page.tables]
    assert all(len(table.cells) > 1 for _, table in tables)
    going_on = [
        above.number
        for above, below in pairwise(pages)
        if above.tables and below.tables and continues(above.tables[-1], below.tables[0])
    ]
    assert going_on


@pytest.mark.realdata
def test_real_blanks_to_fill_in_are_kept(realdata: Path) -> None:
    text = "\n".join(line.text for page in read(realdata / "pdf" / REAL[2], tables=False) for line in page.lines)
    assert re.search(r"[^\u3000\n]\u3000+か月間", text)
    assert len(re.findall(r"\u3000+円", text)) > 10
