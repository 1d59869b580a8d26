import io
import re
from collections.abc import Callable

import pytest

from rag_assets.sources.base import Finding
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import HEIGHT, LEFT, MINCHO, TOP, WIDTH, PdfMaker

SEEN = "社員は、所定の時刻までに出勤する。"
SECRET = "この定めは効力を持たない。"


def read(file: io.BytesIO, *, tables: bool = True) -> tuple[list[str], list[Finding]]:
    findings: list[Finding] = []
    pages = list(read_pages(file, tables=tables, findings=findings))
    lines = [line.text for page in pages for line in page.lines]
    return [*lines, *(cell.text for page in pages for table in page.tables for cell in table.cells)], findings


def painted(
    maker: PdfMaker,
    x: float,
    top: float,
    text: str,
    *,
    mode: int = 0,
    fill: tuple[float, ...] = (0, 0, 0),
    alpha: float = 1,
) -> None:
    maker.canvas.saveState()
    words = maker.canvas.beginText(x, HEIGHT - top - 8.8)
    words.setFont(MINCHO, 10)
    maker.canvas.setFillAlpha(alpha)
    words.setFillColorRGB(*fill)
    words.setTextRenderMode(mode)
    words.textOut(text)
    maker.canvas.drawText(words)
    maker.canvas.restoreState()


def ground(maker: PdfMaker, x0: float, top: float, x1: float, bottom: float, *fill: float, alpha: float = 1) -> None:
    maker.canvas.saveState()
    maker.canvas.setFillColorRGB(*fill)
    maker.canvas.setFillAlpha(alpha)
    maker.canvas.rect(x0, HEIGHT - bottom, x1 - x0, bottom - top, stroke=0, fill=1)
    maker.canvas.restoreState()


def clipped(maker: PdfMaker, x: float, top: float, text: str, box: tuple[float, float, float, float]) -> None:
    maker.canvas.saveState()
    path = maker.canvas.beginPath()
    path.rect(*box)
    maker.canvas.clipPath(path, stroke=0, fill=0)
    maker.text(x, top, text)
    maker.canvas.restoreState()


def steps(*draws: Callable[[PdfMaker], None]) -> Callable[[PdfMaker], None]:
    def draw(maker: PdfMaker) -> None:
        for each in draws:
            each(maker)

    return draw


HIDDEN: dict[str, tuple[Callable[[PdfMaker], None], str]] = {
    "render mode 3": (lambda maker: painted(maker, LEFT, 150, SECRET, mode=3), "invisible"),
    "nothing painted through it": (lambda maker: painted(maker, LEFT, 150, SECRET, mode=7), "not painted"),
    "white": (lambda maker: painted(maker, LEFT, 150, SECRET, fill=(1, 1, 1)), "colour of its ground"),
    "nearly white": (lambda maker: painted(maker, LEFT, 150, SECRET, fill=(0.97, 0.97, 0.96)), "colour of its ground"),
    "transparent": (lambda maker: painted(maker, LEFT, 150, SECRET, alpha=0), "transparent"),
    "white on a white box": (
        steps(
            lambda maker: ground(maker, 60, 140, 400, 170, 1, 1, 1),
            lambda maker: painted(maker, LEFT, 150, SECRET, fill=(1, 1, 1)),
        ),
        "colour of its ground",
    ),
    "blue on blue": (
        steps(
            lambda maker: ground(maker, 60, 140, 400, 170, 0.1, 0.2, 0.6),
            lambda maker: painted(maker, LEFT, 150, SECRET, fill=(0.1, 0.2, 0.6)),
        ),
        "colour of its ground",
    ),
    "under a white box": (
        steps(lambda maker: maker.text(LEFT, 150, SECRET), lambda maker: ground(maker, 60, 140, 400, 170, 1, 1, 1)),
        "covered",
    ),
    "blacked out": (
        steps(lambda maker: maker.text(LEFT, 150, SECRET), lambda maker: ground(maker, 79, 149, 215, 162, 0, 0, 0)),
        "covered",
    ),
    "clipped away": (lambda maker: clipped(maker, LEFT, 150, SECRET, (0, 0, 50, 50)), "clipped"),
    "off the page": (lambda maker: maker.text(WIDTH + 40, 150, SECRET), "outside the page"),
    "below the page": (lambda maker: maker.text(LEFT, HEIGHT + 50, SECRET), "outside the page"),
    "too small": (lambda maker: maker.text(LEFT, 150, SECRET, size=0.5), "too small"),
}


@pytest.mark.parametrize(("draw", "reason"), HIDDEN.values(), ids=HIDDEN.keys())
def test_text_that_no_reader_sees_is_left_out_and_told(draw: Callable[[PdfMaker], None], reason: str) -> None:
    lines, findings = read(with_seen(draw))
    assert lines == [SEEN]
    (finding,) = findings
    assert (finding.kind, finding.topic, finding.place, finding.quote) == ("note", "hidden text", "page 1", SECRET)
    assert reason in finding.message
    assert read(with_seen(draw), tables=False)[0] == [SEEN]


def with_seen(draw: Callable[[PdfMaker], None]) -> io.BytesIO:
    maker = PdfMaker()
    maker.text(LEFT, TOP, SEEN)
    draw(maker)
    return maker.file()


VISIBLE: dict[str, Callable[[PdfMaker], None]] = {
    "white on a dark box": steps(
        lambda maker: ground(maker, 60, 140, 400, 170, 0.1, 0.1, 0.3),
        lambda maker: painted(maker, LEFT, 150, SECRET, fill=(1, 1, 1)),
    ),
    "white on a picture": steps(
        lambda maker: maker.picture(60, 140, 400, 170), lambda maker: painted(maker, LEFT, 150, SECRET, fill=(1, 1, 1))
    ),
    "grey": lambda maker: painted(maker, LEFT, 150, SECRET, fill=(0.6, 0.6, 0.6)),
    "yellow on white": lambda maker: painted(maker, LEFT, 150, SECRET, fill=(1, 1, 0)),
    "on a shaded box": steps(
        lambda maker: ground(maker, 60, 140, 400, 170, 0.9, 0.9, 0.9), lambda maker: maker.text(LEFT, 150, SECRET)
    ),
    "under a highlighter": steps(
        lambda maker: maker.text(LEFT, 150, SECRET), lambda maker: ground(maker, 60, 140, 400, 170, 1, 1, 0, alpha=0.4)
    ),
    "beside a later box": steps(
        lambda maker: maker.text(LEFT, 150, SECRET), lambda maker: ground(maker, 60, 170, 400, 200, 1, 1, 1)
    ),
    "outlined": lambda maker: painted(maker, LEFT, 150, SECRET, mode=2),
    "inside its clip": lambda maker: clipped(maker, LEFT, 150, SECRET, (0, 600, 500, 200)),
    "through which a box is painted": steps(
        lambda maker: painted(maker, LEFT, 150, SECRET, mode=7),
        lambda maker: ground(maker, 60, 140, 400, 170, 0.8, 0, 0),
    ),
}


@pytest.mark.parametrize("draw", VISIBLE.values(), ids=VISIBLE.keys())
def test_text_that_a_reader_sees_is_kept(draw: Callable[[PdfMaker], None]) -> None:
    assert read(with_seen(draw)) == ([SEEN, SECRET], [])


def test_what_is_written_anew_over_a_whitened_line_is_read() -> None:
    maker = PdfMaker()
    maker.text(LEFT, 150, "定年は、満六十歳とする。")
    ground(maker, 60, 140, 400, 170, 1, 1, 1)
    maker.text(LEFT, 150, "定年は、満六十五歳とする。")
    lines, findings = read(maker.file())
    assert lines == ["定年は、満六十五歳とする。"]
    assert [finding.quote for finding in findings] == ["定年は、満六十歳とする。"]


def test_white_heads_of_dark_table_cells_are_kept() -> None:
    maker = PdfMaker()
    ground(maker, 80, 100, 280, 130, 0.2, 0.3, 0.5)
    maker.grid([80, 180, 280], [100, 130, 160])
    painted(maker, 90, 110, "区分", fill=(1, 1, 1))
    painted(maker, 190, 110, "日数", fill=(1, 1, 1))
    maker.text(90, 140, "忌引")
    maker.text(190, 140, "五日")
    assert read(maker.file()) == (["区分", "日数", "忌引", "五日"], [])


def test_one_hidden_word_in_a_line_leaves_the_rest() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "休暇は、")
    painted(maker, LEFT + 40, TOP, "会社が", fill=(1, 1, 1))
    maker.text(LEFT + 70, TOP, "毎年五日とする。")
    lines, findings = read(maker.file())
    assert re.sub("\u3000", "", lines[0]) == "休暇は、毎年五日とする。"
    assert findings[0].quote == "会社が"


def test_the_text_layer_of_a_scanned_page_is_read_and_told_once() -> None:
    maker = PdfMaker()
    for number in range(1, 4):
        maker.picture(0, 0, WIDTH, HEIGHT)
        for row in range(12):
            painted(maker, LEFT, TOP + 20 * row, f"第{number}章の{row}番目の定めを述べる。", mode=3)
        maker.text(LEFT, 800, "受領")
        maker.page_break()
    lines, findings = read(maker.file())
    assert "第1章の0番目の定めを述べる。" in lines
    assert len(lines) == 36
    assert [(finding.topic, finding.place) for finding in findings] == [("OCR text layer", "pages 1-3")]


def test_invisible_words_on_a_page_of_seen_ones_over_a_picture_are_hidden() -> None:
    maker = PdfMaker()
    maker.picture(0, 0, WIDTH, HEIGHT)
    maker.lines(*[SEEN] * 5)
    painted(maker, LEFT, 400, SECRET, mode=3)
    lines, findings = read(maker.file())
    assert lines == [SEEN] * 5
    assert [finding.quote for finding in findings] == [SECRET]


def test_text_on_a_layer_that_is_off_is_hidden() -> None:
    off, on = layered("OFF"), layered("ON")
    assert read(on) == (["abc", "xyz"], [])
    lines, findings = read(off)
    assert lines == ["abc"]
    assert [finding.quote for finding in findings] == ["xyz"]
    assert "layer" in findings[0].message


def layered(state: str) -> io.BytesIO:
    """A page with a line on a layer."""
    content = b"BT /F1 12 Tf 80 700 Td (abc) Tj ET /OC /L1 BDC BT /F1 12 Tf 80 600 Td (xyz) Tj ET EMC"
    return pdf_of(
        f"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /{state} [6 0 R] >> >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> /Properties << /L1 6 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content.decode()}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /OCG /Name (notes) >>",
    )


def pdf_of(*objects: str) -> io.BytesIO:
    """A PDF of objects written by hand, the catalog first."""
    data, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    trailer = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return io.BytesIO(data + f"{trailer}startxref\n{len(data)}\n%%EOF\n".encode())
