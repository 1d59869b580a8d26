"""Faults that were found in small documents, a test each: every input gives the right value.

The documents lie in `../shared/cases` beside the checkout; their README tells what was wrong. Each kind of fault has
its own tests, with inputs of other shapes, beside the code that mends it.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.record_text import record_text
from rag_assets.corpus.variants import prepare
from rag_assets.japanese.widths import half_width
from rag_assets.model import Record, Variant
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.registry import BY_NAME
from rag_assets.sources.tax_answer.reader import read_article

pytestmark = pytest.mark.realdata

Read = Callable[..., tuple[dict[str, Record], list[Finding]]]


@pytest.fixture
def read(cases: Path) -> Read:
    """Reads a document of a source; its records by number, and what was found beside them."""

    def read(source: str, name: str, **settings: Any) -> tuple[dict[str, Record], list[Finding]]:
        kind = BY_NAME[source]
        document = kind.settings(key="case", location=str(cases / name), **settings)
        with (cases / name).open("rb") as file:
            readings = list(kind.reader(file, document, sha256="0" * 64))
        records = {reading.number: reading for reading in readings if isinstance(reading, Record)}
        return records, [reading for reading in readings if isinstance(reading, Finding)]

    return read


@pytest.fixture
def article(cases: Path) -> Callable[[str], str]:
    """The text of the one article of a case's site."""

    def text(case: str) -> str:
        [page] = (cases / case / "site/taxes/shiraberu/taxanswer/shotoku").glob("*.htm")
        return record_text(read_article(page.read_bytes(), number=page.stem).record)

    return text


def body(record: Record) -> str:
    return record_text(record)


def chunk_texts(records: dict[str, Record]) -> str:
    made = prepare(records.values(), Variant(name="prepared_400", limit=400), lambda _: Dictionary())
    return "\n".join(chunk.text for chunk in made)


def as_of(records: dict[str, Record]) -> set[str]:
    return {str(record.as_of.date) if record.as_of else "none" for record in records.values()}


def faults(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.kind == "fault"]


# Rules


def test_the_last_amendment_dates_the_rules(read: Read) -> None:
    records, _ = read("work_rules", "asof_last_amendment.pdf")
    assert as_of(records) == {"2021-09-13"}
    [label] = {record.as_of.label for record in records.values() if record.as_of}
    assert "2010" not in label
    assert "平成22年" not in label


def test_a_bare_list_of_dates(read: Read) -> None:
    records, _ = read("work_rules", "asof_bare_list.pdf")
    assert as_of(records) == {"2022-11-16"}


def test_a_vertical_page_costs_that_page(read: Read) -> None:
    records, findings = read("work_rules", "vertical_form_page.pdf")
    assert {str(number) for number in range(1, 8)} < set(records)
    assert any(number.startswith("suppl") for number in records)
    assert any("3" in finding.place for finding in findings)


def test_a_pay_table_without_inner_lines(read: Read) -> None:
    records, _ = read("work_rules", "pay_table_no_inner_lines.pdf")
    lines = half_width(chunk_texts(records)).splitlines()
    for grade, step, amount in [
        ("1級", "2", "149,950"),
        ("3級", "2", "232,750"),
        ("3級", "27", "276,500"),
        ("4級", "36", "338,800"),
    ]:
        [line] = [line for line in lines if re.search(rf"号俸:{step}\|", line)]
        assert re.search(rf"\|{grade}:[^|]*{amount}(?:\||$)", line)


def test_a_pay_table_with_an_outer_frame_only(read: Read) -> None:
    records, _ = read("work_rules", "pay_table_outer_frame_only.pdf")
    lines = [line for line in chunk_texts(records).splitlines() if "265,170" in line]
    assert len(lines) == 1
    assert re.search(r"30", lines[0])
    assert re.search(r"３級[^｜]*：265,170", lines[0])


def test_a_cell_that_goes_on_over_a_page_is_one(read: Read) -> None:
    records, findings = read("work_rules", "cell_over_page.pdf")
    text = chunk_texts(records)
    assert "入院の日から当該配偶者が退院した日の後１週間を経過する日までにおける３日の範囲内の期間" in text
    assert "空欄" not in text
    assert not [finding for finding in findings if finding.topic == "blank"]


def test_underlined_words_are_no_rows(read: Read) -> None:
    records, _ = read("work_rules", "underlined_words_in_table.pdf")
    [table] = [
        block for record in records.values() for s in record.sections for block in s.blocks if block.kind == "table"
    ]
    keys = [cell.text for cell in table.cells if cell.column == 0]
    assert keys == ["給与規程第６条第１項", "給与規程第９条", "給与規程第14条第２項"]
    assert [cell.row for cell in table.cells if cell.column == 2] == [0, 1, 2]


def test_forms_are_no_part_of_the_supplement(read: Read) -> None:
    records, findings = read("work_rules", "forms_after_supplement.pdf")
    assert "空欄：会社で定める" not in chunk_texts(records)
    assert not [finding for finding in findings if finding.topic == "blank"]
    supplements = [record for number, record in records.items() if number.startswith("suppl")]
    assert not any("別紙様式" in record.title or "氏" in body(record)[-40:] for record in supplements)


def test_tables_stay_inside_their_article(read: Read) -> None:
    records, _ = read("work_rules", "table_inside_article.pdf")
    assert not [number for number in records if number.startswith("table")]
    text = body(records["2"])
    assert [mark for mark in "３４５" if re.search(rf"(?m)^{mark}[．.　]", text)] == ["３", "４", "５"]


def test_a_chapter_line_with_title_and_date(read: Read) -> None:
    records, _ = read("work_rules", "chapter_line_with_title_and_date.pdf")
    assert as_of(records) == {"2024-07-01"}
    assert records["1"].chapter[0].replace("　", " ") in ("第１章 総則", "第１章総則")


def test_a_paragraph_below_a_full_line_is_its_own(read: Read) -> None:
    records, _ = read("work_rules", "paragraph_glued.pdf")
    assert re.search(r"(?m)^２．", body(records["2"]))


def test_rows_without_rules(read: Read) -> None:
    records, _ = read("work_rules", "rows_without_rules.pdf")
    text = body(records["2"])
    assert re.search(r"(?m)^[^\n]*９時間[^\n]*１３１日[^\n]*１３１日$", text)
    assert re.search(r"(?m)^[^\n]*７時間50分[^\n]*９８日[^\n]*９９日$", text)


def test_a_deleted_appendix_is_a_note(read: Read) -> None:
    records, findings = read("work_rules", "deleted_appendix.pdf")
    assert not faults(findings)
    [deleted] = [finding for finding in findings if finding.topic == "deleted appendix"]
    assert "別表第１" in deleted.place + deleted.quote
    assert "table-2" in records


@pytest.mark.parametrize(
    ("name", "document"),
    [
        (
            "two_line_title.pdf",
            "令和７年４月に開設するみほん大学附属図書館分館の長となる者の選考における特例に関する規程",
        ),
        (
            "two_line_title_short_first.pdf",
            "令和７年４月に開設するみほん大学附属分館の長等の選考における特例に関する規程",
        ),
    ],
)
def test_a_title_over_two_lines(read: Read, name: str, document: str) -> None:
    records, _ = read("work_rules", name)
    assert {record.document for record in records.values()} == {document}
    assert as_of(records) == {"2024-11-20"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("word.docx", "Word"), ("policy.md", "Markdown"), ("page.html", "HTML"), ("slides.pptx", "PowerPoint")],
)
def test_a_wrong_file_is_told_by_its_kind(read: Read, name: str, kind: str) -> None:
    with pytest.raises(DocumentError, match=kind) as told:
        read("work_rules", name)
    assert "PDF" in str(told.value)
    assert "fetch it again" not in str(told.value)


def test_a_raised_figure_in_a_pdf(read: Read) -> None:
    records, _ = read("work_rules", "11-pdf-superscript/sup_ascii.pdf")
    assert "10³平方メートル" in chunk_texts(records)


@pytest.mark.parametrize("name", ["invisible.pdf", "white.pdf"])
def test_text_that_nobody_sees(read: Read, name: str) -> None:
    records, findings = read("work_rules", f"12-pdf-invisible/{name}")
    assert "無効" not in chunk_texts(records)
    assert any("無効" in finding.quote for finding in findings)


def test_a_filled_form_field(read: Read) -> None:
    records, _ = read("work_rules", "14-pdf-form-field/acroform.pdf")
    assert "60" in body(records["4"])


# Laws


def test_cells_merged_by_their_borders(read: Read) -> None:
    records, _ = read("law", "law_border_merged.xml")
    rows = [line for line in body(records["2"]).splitlines() if "｜" in line]
    assert sum("第八条第一項" in row for row in rows) == 3
    last = next(row for row in rows if "郵送のときは" in row)
    assert "第十一条" in last
    assert "返却の日" in last


def test_the_title_of_an_appendix_keeps_its_brackets(read: Read) -> None:
    records, _ = read("law", "law_title_brackets.xml")
    assert any(record.title == "標識の寸法（第二条、第三条関係）" for record in records.values())
    assert "みほん標識設置法 第一条 みほん標識設置法" not in chunk_texts(records)


def test_a_deleted_appendix_of_a_law(read: Read) -> None:
    _, findings = read("law", "deleted_appendix.xml")
    assert not faults(findings)
    assert any("別表第一" in finding.place and "deleted" in finding.topic for finding in findings)


# Rows


def test_the_proposed_table_keeps_every_column(read: Read) -> None:
    with pytest.raises((DocumentError, ValueError)) as told:
        read("csv_rows", "template_drops_a_column.csv")
    [text] = re.findall(r"(?m)^text = (.*)$", str(told.value))
    assert "プラ類" in text or re.search(r"(?m)^[^#\n]*プラ類", str(told.value))


def test_lines_above_the_header(read: Read) -> None:
    with pytest.raises((DocumentError, ValueError)) as told:
        read("csv_rows", "lines_above_header.csv")
    assert re.search(r"(?m)^header_line = 4$", str(told.value))
    assert "件名" in str(told.value)


# Pages of Tax Answer


@pytest.mark.parametrize(
    ("case", "right", "wrong"),
    [
        ("01-html-sup-exponent", ["1×10³平方メートル", "1/2"], ["103"]),
        ("03-commented-body", ["いまの税率は15％です。"], ["むかし"]),
        ("04-ruby", ["瑕疵の責任と権利を定めます。"], ["かし"]),
        ("05-table-without-cells", ["甲", "10円", "（ただし、乙は対象外です。）", "丙", "5,000円"], []),
        ("06-ol-numbers", ["1 申込書", "2 届出書", "3 証明書", "4 住民票"], []),
        ("07-struck-and-hidden", ["税率は15％です。"], ["20％", "旧規定", "見えません", "これも"]),
    ],
)
def test_pages_are_read_as_a_reader_sees_them(
    article: Callable[[str], str], case: str, right: list[str], wrong: list[str]
) -> None:
    text = article(case)
    plain = re.sub(r"(?m)^(\d+)[.．)　 ]+", r"\1 ", text)
    assert not [words for words in right if words not in text and words not in plain], text
    assert not [words for words in wrong if words in text], text


def test_a_date_in_both_calendars(cases: Path) -> None:
    [page] = (cases / "08-asof-both-calendars/site/taxes/shiraberu/taxanswer/shotoku").glob("*.htm")
    record = read_article(page.read_bytes(), number=page.stem).record
    assert record.as_of is not None
    assert str(record.as_of.date) == "2026-04-01"
