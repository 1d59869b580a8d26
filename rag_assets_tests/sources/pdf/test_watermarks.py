from typing import Any

import pytest

from rag_assets.sources.base import Finding
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import GOTHIC, HEIGHT, LATIN, LEFT, TOP, WIDTH, PdfMaker

SENTENCES = [f"第{number}条　社員は、定めた時刻までに出勤し、所定の場所で就業する。" for number in range(1, 25)]


def read(maker: PdfMaker) -> tuple[list[list[str]], list[Finding]]:
    findings: list[Finding] = []
    pages = [[line.text for line in page.lines] for page in read_pages(maker.file(), findings=findings)]
    return pages, findings


def laid_over(
    maker: PdfMaker,
    text: str,
    *,
    angle: float = 45,
    size: float = 70,
    grey: float = 0.8,
    alpha: float = 1.0,
    font: str = GOTHIC,
    place: tuple[float, float] = (WIDTH / 2, HEIGHT / 2),
) -> None:
    canvas = maker.canvas
    canvas.saveState()
    canvas.setFillGray(grey)
    canvas.setFillAlpha(alpha)
    canvas.translate(*place)
    canvas.rotate(angle)
    canvas.setFont(font, size)
    canvas.drawCentredString(0, 0, text)
    canvas.restoreState()


def pages_with(count: int = 3, **watermark: Any) -> PdfMaker:
    maker = PdfMaker()
    for number in range(count):
        if number:
            maker.page_break()
        if watermark:
            laid_over(maker, **watermark)
        maker.lines(*SENTENCES)
    return maker


@pytest.mark.parametrize(
    "watermark",
    [
        {"text": "社外秘"},
        {"text": "DRAFT", "font": LATIN, "angle": 30},
        {"text": "見本", "grey": 0.0, "alpha": 0.2, "angle": -40},
        {"text": "禁複写", "grey": 0.0},
        {"text": "社外秘", "angle": 0},
        {"text": "COPY", "font": LATIN, "angle": 0, "grey": 0.2},
        {"text": "案", "angle": 0, "size": 200, "grey": 0.9},
        {"text": "取扱注意", "angle": 20, "size": 12, "grey": 0.5},
    ],
)
def test_words_over_every_page_are_left_out_and_told_once(watermark: dict[str, Any]) -> None:
    expected, _ = read(pages_with())
    pages, findings = read(pages_with(**watermark))
    assert pages == expected
    (finding,) = findings
    assert (finding.topic, finding.place, finding.quote) == ("watermark", "pages 1-3", watermark["text"])


def test_a_watermark_on_the_only_page_is_left_out_and_told() -> None:
    expected, _ = read(pages_with(1))
    pages, findings = read(pages_with(1, text="見本"))
    assert pages == expected
    assert [(finding.topic, finding.place) for finding in findings] == [("watermark", "page 1")]


def test_a_slanted_heading_and_a_stamp_of_one_page_are_no_watermarks() -> None:
    maker = pages_with(2)
    laid_over(maker, "大切なこと", angle=12, size=14, grey=0.0, place=(300, 800))
    maker.text(500, 40, "別紙", size=16)
    maker.page_break()
    maker.lines(*SENTENCES)
    pages, findings = read(maker)
    assert not findings
    assert "大切なこと" in pages[1]
    assert "別紙" in pages[1]


def test_large_light_titles_of_single_pages_stay() -> None:
    maker = PdfMaker()
    for title in ("第一章　総則", "第二章　勤務", "第三章　賃金"):
        laid_over(maker, title, angle=0, size=20, grey=0.75, place=(300, HEIGHT - 60))
        maker.lines(*SENTENCES[:5])
        maker.page_break()
    pages, findings = read(maker)
    assert [page[0] for page in pages] == ["第一章　総則", "第二章　勤務", "第三章　賃金"]
    assert not findings


def test_words_at_the_edge_set_upright_stay() -> None:
    expected, _ = read(pages_with(1))
    maker = pages_with(1)
    laid_over(maker, "みほん規程集", angle=90, size=9, grey=0.0, place=(570, 400))
    pages, findings = read(maker)
    assert sorted(pages[0]) == sorted([*expected[0], "みほん規程集"])
    assert not findings


def test_an_artifact_over_text_is_a_watermark_whatever_it_looks_like() -> None:
    maker = pages_with(1)
    maker.canvas._code.append("/Artifact <</Type /Pagination /Subtype /Watermark>> BDC")
    maker.text(LEFT + 4, TOP + 20, "写しの配布を禁ずる", size=11)
    maker.canvas._code.append("EMC")
    pages, findings = read(maker)
    assert pages == read(pages_with(1))[0]
    assert [finding.quote for finding in findings] == ["写しの配布を禁ずる"]


@pytest.mark.parametrize("pages", [1, 3])
def test_small_light_words_laid_over_a_page_in_tiles_are_no_text(pages: int) -> None:
    maker = PdfMaker()
    for _ in range(pages):
        maker.lines(*TILED)
        maker.canvas.setFillGray(0.8)
        for row in range(6):
            for column in range(4):
                maker.text(LEFT + 110 * column, TOP + 3 + 17 * row, "みほん社", 9)
        maker.canvas.setFillGray(0)
        maker.page_break()
    findings: list[Finding] = []
    lines = [line.text for page in read_pages(maker.file(), findings=findings) for line in page.lines]
    assert lines == [*TILED] * pages
    assert [(finding.topic, set(finding.quote.split("みほん社"))) for finding in findings] == [("watermark", {""})]


def test_light_words_that_a_table_says_often_stay() -> None:
    maker = PdfMaker()
    maker.lines(*TILED)
    maker.canvas.setFillGray(0.7)
    for row in range(5):
        maker.text(LEFT + 40 * row, TOP + 90, "未定")
    lines = [line.text for page in read_pages(maker.file()) for line in page.lines]
    assert [*lines[:-1], lines[-1].replace("\u3000", "")] == [*TILED, "未定" * 5]


TILED = ("第１条　社員は、定めを守るものとする。", "第２条　会社は、定めを知らせる。", "第３条　休日は、別に示す。")
