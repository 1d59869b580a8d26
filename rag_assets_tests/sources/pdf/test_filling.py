import io
from typing import Any

import pytest
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFString

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.pdf.pages import read_pages
from rag_assets.sources.work_rules.reader import read_document
from rag_assets.sources.work_rules.source import WorkRulesDocument
from rag_assets_tests.sources.pdf.pdf_maker import HEIGHT, LEFT, MINCHO, TOP, PdfMaker
from rag_assets_tests.sources.pdf.test_hidden import pdf_of


def read(maker: PdfMaker) -> tuple[list[str], list[Finding]]:
    findings: list[Finding] = []
    pages = list(read_pages(maker.file(), findings=findings))
    cells = [cell.text for page in pages for table in page.tables for cell in table.cells]
    return [line.text for page in pages for line in page.lines] + cells, findings


def field(
    maker: PdfMaker, name: str, value: str, x0: float, top: float, x1: float, *, height: float = 14, **more: Any
) -> None:
    maker.canvas.acroForm.textfield(
        name=name, value=value, x=x0, y=HEIGHT - top - height, width=x1 - x0, height=height, fontSize=10, **more
    )


def annotation(maker: PdfMaker, kind: str, box: tuple[float, float, float, float], **more: Any) -> None:
    x0, top, x1, bottom = box
    rect = PDFArray([x0, HEIGHT - bottom, x1, HEIGHT - top])
    maker.canvas._addAnnotation(
        PDFDictionary({"Type": PDFName("Annot"), "Subtype": PDFName(kind), "Rect": rect, **more})
    )


@pytest.mark.parametrize(
    ("before", "width", "after", "value", "line"),
    [
        ("第４条　定年は、満", 40, "歳とする。", "60", "第４条　定年は、満60歳とする。"),
        ("第４条　定年は、満", 90, "歳とする。", "65", "第４条　定年は、満65歳とする。"),
        ("賃金は、毎月", 30, "日に払う。", "25", "賃金は、毎月25日に払う。"),
        ("会社名　", 200, "", "Mihon Inc.", "会社名Mihon Inc."),
    ],
)
def test_a_value_stands_in_its_line(before: str, width: float, after: str, value: str, line: str) -> None:
    for apart in (0, 4, 9):
        maker = PdfMaker()
        maker.text(LEFT, TOP, "第３条　社員は、定めを守る。")
        maker.text(LEFT, TOP + 20, before)
        x = LEFT + 10 * len(before)
        field(maker, "f", value, x + apart, TOP + 18, x + apart + width)
        maker.text(x + width + 2 * apart, TOP + 20, after)
        maker.text(LEFT, TOP + 40, "第５条　この規則を改める。")
        lines, findings = read(maker)
        assert [text.replace("\u3000", "") for text in lines] == [
            text.replace("\u3000", "") for text in ("第３条　社員は、定めを守る。", line, "第５条　この規則を改める。")
        ]
        assert [(finding.topic, finding.quote) for finding in findings] == [("form field", value)]


def test_a_japanese_value_is_read() -> None:
    content = "BT /F1 10 Tf 80 700 Td (name:) Tj 100 0 Td (end) Tj ET"
    value = "\ufeff山田　花子".encode("utf-16-be").hex()
    file = pdf_of(
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DA (/F1 0 Tf) >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [6 0 R] "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (n) /V <{value}> /Rect [110 696 178 712] /F 4 >>",
    )
    (page,) = read_pages(file)
    assert [line.text for line in page.lines] == ["name:山田　花子end"]


def test_a_value_replaces_the_blank_that_is_printed_for_it() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "休憩は、＿＿＿＿分とする。")
    field(maker, "f", "45", LEFT + 40, TOP - 2, LEFT + 80)
    assert read(maker)[0] == ["休憩は、45分とする。"]


def test_values_in_a_table_stand_in_their_cells() -> None:
    maker = PdfMaker()
    maker.grid([80, 180, 320], [100, 130, 160])
    maker.text(90, 110, "会社名")
    maker.text(90, 140, "所在地")
    field(maker, "a", "Mihon", 184, 108, 316)
    field(maker, "b", "Tokyo", 184, 138, 316)
    assert read(maker)[0] == ["会社名", "Mihon", "所在地", "Tokyo"]


def test_a_field_of_several_lines_and_one_that_stands_alone() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "備考")
    field(maker, "f", "one\ntwo", LEFT, TOP + 20, LEFT + 200, height=60, fieldFlags="multiline")
    maker.text(LEFT, TOP + 100, "以上")
    assert read(maker)[0] == ["備考", "one", "two", "以上"]


def test_ticks_are_read_in_their_places() -> None:
    maker = PdfMaker()
    for number, (name, checked) in enumerate((("正社員", True), ("契約社員", False))):
        x = LEFT + 100 * number
        maker.canvas.acroForm.checkbox(name=name, x=x, y=HEIGHT - TOP - 10, size=10, checked=checked)
        maker.text(x + 14, TOP, name)
    lines, findings = read(maker)
    assert "".join(lines).replace("\u3000", "") == "☑正社員☐契約社員"
    assert not findings


def test_a_tick_over_a_printed_box_takes_its_place() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "□有　□無")
    maker.canvas.acroForm.checkbox(name="a", x=LEFT, y=HEIGHT - TOP - 10, size=10, checked=True)
    maker.canvas.acroForm.checkbox(name="b", x=LEFT + 30, y=HEIGHT - TOP - 10, size=10, checked=False)
    assert read(maker)[0] == ["☑有　☐無"]


def test_a_choice_is_read_as_it_is_shown() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "時差出勤：")
    maker.canvas.acroForm.choice(
        name="c",
        value="b",
        options=[("early", "a"), ("late", "b")],
        x=LEFT + 50,
        y=HEIGHT - TOP - 12,
        width=60,
        height=14,
    )
    assert [line.replace("\u3000", "") for line in read(maker)[0]] == ["時差出勤：late"]


def test_fields_that_are_not_filled_in_are_told_and_stay_blanks() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "第１条　定年は、満")
    field(maker, "f", "", LEFT + 90, TOP - 2, LEFT + 130)
    maker.text(LEFT + 130, TOP, "歳とする。")
    maker.text(LEFT, TOP + 20, "第２条　賃金の締切日は毎月")
    field(maker, "g", "", LEFT + 130, TOP + 18, LEFT + 170)
    lines, findings = read(maker)
    assert lines == ["第１条　定年は、満　　　　歳とする。", "第２条　賃金の締切日は毎月　　　　"]
    assert [(finding.topic, finding.message) for finding in findings] == [
        ("empty form field", "2 form fields are not filled in")
    ]


def test_hidden_fields_and_passwords_are_told_without_being_read() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "第１条　この規則を定める。")
    field(maker, "f", "secret", LEFT, TOP + 18, LEFT + 100, annotationFlags="hidden")
    field(maker, "g", "hunter2", LEFT, TOP + 40, LEFT + 100, fieldFlags="password")
    lines, findings = read(maker)
    assert lines == ["第１条　この規則を定める。"]
    assert [finding.topic for finding in findings] == ["hidden text", "form field"]
    assert "hunter2" not in str(findings)


def test_words_struck_out_by_an_annotation_are_left_out_and_told() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "定年は、満60歳満65歳とする。")
    x0, x1, low, high = LEFT + 40, LEFT + 70, HEIGHT - TOP - 11, HEIGHT - TOP + 1
    quad = PDFArray([x0, high, x1, high, x0, low, x1, low])
    annotation(maker, "StrikeOut", (x0, TOP - 1, x1, TOP + 11), QuadPoints=quad)
    lines, findings = read(maker)
    assert lines[0].replace("\u3000", "") == "定年は、満65歳とする。"
    assert [(finding.topic, finding.quote) for finding in findings] == [("struck text", "満60歳")]


def test_typed_text_fills_a_gap_or_is_told_and_comments_are_nobodys_text() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "第１条　定年は、満")
    maker.text(LEFT + 130, TOP, "歳とする。")
    annotation(maker, "FreeText", (LEFT + 92, TOP - 2, LEFT + 128, TOP + 12), Contents=PDFString("70"))
    annotation(maker, "FreeText", (LEFT, 600, LEFT + 200, 620), Contents=PDFString("check this"))
    annotation(maker, "Text", (LEFT, 500, LEFT + 20, 520), Contents=PDFString("only a note"))
    lines, findings = read(maker)
    assert lines == ["第１条　定年は、満70歳とする。"]
    assert [(finding.topic, finding.quote) for finding in findings] == [
        ("typed annotation", "70"),
        ("typed annotation", "check this"),
    ]


def test_a_form_that_only_adobe_shows_is_refused() -> None:
    form = pdf_of(
        "<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA 4 0 R >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
        "<< /Length 7 >>\nstream\n<xdp/> \nendstream",
    )
    with pytest.raises(DocumentError, match=r"XFA form.*print it as PDF"):
        list(read_pages(form))


def test_the_values_of_work_rules_reach_their_article_and_the_person() -> None:
    maker = PdfMaker()
    maker.lines("（目的）", "第１条　この規則は、労働条件を定める。", "（定年）", "第２条　定年は、満")
    field(maker, "f", "66", LEFT + 90, TOP + 3 * 18 - 2, LEFT + 120)
    maker.text(LEFT + 120, TOP + 3 * 18, "歳とする。")
    file = io.BytesIO(maker.file().getvalue())
    readings = list(read_document(file, WorkRulesDocument(key="k", location="k.pdf"), sha256="0" * 64))
    assert any("満66歳とする。" in str(reading) for reading in readings)
    assert any(isinstance(reading, Finding) and reading.topic == "form field" for reading in readings)


@pytest.mark.parametrize("blank", ["＿＿＿＿", "…………", "・・・・", "......", "‥‥‥‥"])
def test_a_value_replaces_lines_and_dots_printed_for_it(blank: str) -> None:
    maker = PdfMaker()
    width = maker.canvas.stringWidth(blank, MINCHO, 10)
    maker.text(LEFT, TOP, f"定年は満{blank}歳とする。")
    field(maker, "age", "65", LEFT + 40, TOP - 2, LEFT + 40 + width)
    assert read(maker)[0] == ["定年は満65歳とする。"]
