"""The committed sample documents are what the generator draws, and PDF readers read what was written."""

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pdfplumber
import pypdfium2
import pytest

from rag_assets.corpus.dictionary import parse_dictionary
from rag_assets.sources.guides.document import Heading
from rag_assets.sources.guides.word import read_word
from rag_assets_tests.sample_documents import SAMPLE_PDFS, SAMPLE_WORD_FILES
from rag_assets_tests.sample_documents.__main__ import FOLDER
from rag_assets_tests.sample_documents.invoice_qa import BOOK, Question
from rag_assets_tests.sample_documents.japanese_lines import broken, width
from rag_assets_tests.sample_documents.work_rules import BOOKLET, Article

SAMPLE = FOLDER.parent
SOURCES = ("invoice_qa", "work_rules", "law", "csv_rows")


def _drawn(pdf: bytes) -> list[tuple[str, list[tuple[float, ...]]]]:
    """What stands on every page: words and rulings. The bytes themselves hang on the version of zlib."""
    document = pypdfium2.PdfDocument(pdf)
    pages: list[tuple[str, list[tuple[float, ...]]]] = []
    for page in document:
        rulings = [entry.get_bounds() for entry in page.get_objects() if entry.type == pypdfium2.raw.FPDF_PAGEOBJ_PATH]
        pages.append((page.get_textpage().get_text_range(), rulings))
    return pages


def _words(pdf: bytes) -> str:
    """All words without the white space of layout."""
    return re.sub(r"\s", "", "".join(text for text, _ in _drawn(pdf)))


@pytest.mark.parametrize("name", SAMPLE_PDFS)
def test_committed_pdf_is_what_the_generator_draws(name: str) -> None:
    committed = _drawn((FOLDER / name).read_bytes())
    remedy = "write the sample anew: python -m rag_assets_tests.sample_documents"
    assert committed == _drawn(SAMPLE_PDFS[name]()), remedy


@pytest.mark.parametrize("name", SAMPLE_PDFS)
def test_generator_draws_the_same_bytes_every_time(name: str) -> None:
    assert SAMPLE_PDFS[name]() == SAMPLE_PDFS[name]()


@pytest.mark.parametrize("name", SAMPLE_WORD_FILES)
def test_committed_word_file_is_what_the_generator_writes(name: str) -> None:
    committed, made = (FOLDER / name).read_bytes(), SAMPLE_WORD_FILES[name]()
    assert _parts(committed) == _parts(made), "write the sample anew: python -m rag_assets_tests.sample_documents"
    assert SAMPLE_WORD_FILES[name]() == made


def _parts(package: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_word_file_is_read_as_word_shows_it() -> None:
    guide = read_word(io.BytesIO(SAMPLE_WORD_FILES["guides/travel_expenses.docx"]()))
    assert (guide.title, guide.dated) == ("出張旅費規程", "令和8年4月1日改訂")
    headings = [part.text for part in guide.parts if isinstance(part, Heading)]
    assert len(headings) == 12
    assert headings[:3] == ["第１章　総則", "第１条（目的）", "第２条（出張の区分）"]
    assert headings[-3:] == ["第７条（日当と宿泊費）", "第８条（海外出張）", "附則"]
    assert [finding.topic for finding in guide.findings] == ["table of contents", "comment"]


def test_every_question_is_read_twice_contents_and_body() -> None:
    words = _words(SAMPLE_PDFS["invoice_qa.pdf"]())
    for entry in BOOK:
        if isinstance(entry, Question):
            assert words.count(f"問{entry.number}{entry.heading}") == 1, "table of contents"
            opening = re.sub(r"\s", "", f"（{entry.heading}）問{entry.number}{entry.question}")
            body = re.sub(r"-\d+-", "", words)
            assert body.count(opening) == 1, "body"


def test_every_rule_is_read_with_its_blanks() -> None:
    text = "".join(text for text, _ in _drawn(SAMPLE_PDFS["work_rules.pdf"]()))
    lines = re.sub(r"\r\n", "", text)
    for entry in BOOKLET:
        if isinstance(entry, Article):
            for rule in entry.rule:
                if isinstance(rule, str):
                    assert re.sub(r"- \d+ -", "", lines).count(rule) >= 1, rule


def test_pdfplumber_reads_whole_cells_and_merged_ones() -> None:
    tables: list[Any] = []
    with pdfplumber.open(io.BytesIO(SAMPLE_PDFS["invoice_qa.pdf"]())) as document:
        for page in document.pages:
            tables += page.extract_tables()
    assert ["電子申請", "個人事業者", "14日"] in tables[0]
    assert [None, "法人", "21日"] in tables[0]
    assert tables[-1][0] == ["仕入れを行った時期", "差し引くことができる割合", None]
    assert len(tables) == 4, "the long table goes over a page's end"


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("あいうえお。かき", ["あいうえ", "お。かき"]),
        ("あいうえ（かき）く", ["あいうえ", "（かき）く"]),
        ("あいう1,234円", ["あいう", "1,234円"]),
        ("あい\nうえ", ["あい", "うえ"]),
    ],
)
def test_lines_end_where_a_booklet_ends_them(words: str, lines: list[str]) -> None:
    assert [line for line, _ in broken(words, 5, 5)][: len(lines)] == lines
    assert "".join(line for line, _ in broken(words, 5, 5)) == words.replace("\n", "")


def test_width_counts_ascii_half() -> None:
    assert width("問10　") == 3.0


def test_helpdesk_rows_hold_what_a_csv_reader_has_to_cope_with() -> None:
    data = (FOLDER / "helpdesk.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len({row["番号"] for row in rows}) == len(rows) == 30
    assert {None} & {key for row in rows for key in row} == set(), "a row with more cells than columns"
    assert sum("\n" in row["経緯"] and "," in row["経緯"] for row in rows) >= 5
    assert max(len(row["経緯"]) for row in rows) > 500


@pytest.mark.parametrize("folder", [SAMPLE / "dictionaries", Path(__file__).parents[2] / "dictionaries"])
@pytest.mark.parametrize("source", SOURCES)
def test_dictionaries_have_no_problems(folder: Path, source: str) -> None:
    dictionary = parse_dictionary((folder / f"{source}.txt").read_bytes(), f"{source}.txt")
    assert dictionary.problems == ()
    assert dictionary.entries
