import io

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph

from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import HEIGHT, LATIN, LEFT, MINCHO, TOP, PdfMaker

Piece = str | tuple[str, float, float]
"""Words on the line, or words with their size and how far they are raised, in em of the line."""


def written(*pieces: Piece, size: float = 10.0) -> str:
    """What is read of a line set of pieces, one close behind the other."""
    maker = PdfMaker()
    maker.text(LEFT, TOP, "第１条　次のとおり定める。", size)
    x, top = LEFT, TOP + 30
    for piece in pieces:
        text, share, rise = (piece, 1.0, 0.0) if isinstance(piece, str) else piece
        font = LATIN if all(character < "\u0250" for character in text) else MINCHO
        base = HEIGHT - top - 0.88 * size + rise * size
        maker.canvas.setFont(font, share * size)
        maker.canvas.drawString(x, base, text)
        x += maker.canvas.stringWidth(text, font, share * size)
    maker.text(LEFT, TOP + 60, "附則は、別に定める。", size)
    first, *lines, last = [line.text for page in read_pages(maker.file()) for line in page.lines]
    assert (first, last) == ("第１条　次のとおり定める。", "附則は、別に定める。")
    return "／".join(lines)


@pytest.mark.parametrize(
    ("pieces", "line"),
    [
        (("面積は10", ("3", 0.6, 0.4), "平方メートル"), "面積は10³平方メートル"),
        (("濃度は10", ("-6", 0.65, 0.33), "とする。"), "濃度は10⁻⁶とする。"),
        (("濃度は10", ("−6", 0.65, 0.33), "とする。"), "濃度は10⁻⁶とする。"),
        (("個数は10", ("12", 0.58, 0.35), "まで"), "個数は10¹²まで"),
        (("床面積は30m", ("2", 0.7, 0.4), "以上"), "床面積は30m²以上"),
        (("床面積は３０ｍ", ("２", 0.5, 0.45), "以上"), "床面積は３０ｍ²以上"),
        (("x", ("n", 0.6, 0.4), "を"), "xⁿを"),
        (("x", ("(n+1)", 0.6, 0.4), "を求める"), "xⁿ⁺¹を求める"),
        (("CO", ("2", 0.65, -0.15), "の量"), "CO₂の量"),
        (("C", ("6", 0.6, -0.1), "H", ("12", 0.6, -0.1), "O", ("6", 0.6, -0.1)), "C₆H₁₂O₆"),
        (("係数x", ("2", 0.7, -0.2), "に"), "係数x₂に"),
        (("上限は2", ("10", 1.0, 0.35), "とする。"), "上限は2¹⁰とする。"),
        (("上限は2", ("10", 1.0, 0.5), "とする。"), "上限は2¹⁰とする。"),
        (("労働者", ("1)", 0.6, 0.4), "は"), "労働者¹⁾は"),
        (("給与の", ("1", 0.6, 0.35), "/", ("2", 0.6, -0.1), "を払う"), "給与の1/2を払う"),
        (("日数は3", ("1", 0.6, 0.35), "/", ("2", 0.6, -0.1), "日"), "日数は3と1/2日"),
        (("率は", ("25", 0.7, 0.3), "／", ("100", 0.7, -0.15), "とする"), "率は25/100とする"),
        (("速度は5m", ("2", 0.6, 0.4), "/s", ("2", 0.6, 0.4)), "速度は5m²/s²"),
    ],
)
def test_raised_and_lowered_characters_cannot_run_into_what_is_before(pieces: tuple[Piece, ...], line: str) -> None:
    assert written(*pieces) == line
    assert written(*pieces, size=14) == line


@pytest.mark.parametrize(
    ("pieces", "line"),
    [
        (("賃金", ("※1", 0.6, 0.4), "を払う。"), "賃金※1を払う。"),
        (("賃金", ("(注1)", 0.6, 0.4), "を払う。"), "賃金(注1)を払う。"),
        (("賃金", ("*1", 0.6, 0.4), "を払う。"), "賃金*1を払う。"),
        (("賃金（注", ("1", 0.6, 0.3), "）を払う。"), "賃金（注1）を払う。"),
        (("1", ("st", 0.6, 0.4), " edition"), "1st edition"),
        (("月額", ("12", 0.9, 0.02), "万円"), "月額12万円"),
        (("月額", ("3", 0.75, 0.05), "万円"), "月額3万円"),
        (("年齢６０", ("歳", 0.7, 0.3)), "年齢６０歳"),
    ],
)
def test_marks_of_notes_and_figures_of_another_font_stay(pieces: tuple[Piece, ...], line: str) -> None:
    assert written(*pieces).replace("\u3000", "") == line


def test_a_raised_figure_in_a_table_cell_is_marked() -> None:
    maker = PdfMaker()
    maker.grid([80, 180, 280], [100, 130, 160])
    for row, (power, name) in enumerate((("3", "千"), ("6", "百万"))):
        maker.text(90, 110 + 30 * row, "10", font=LATIN)
        maker.text(102, 107 + 30 * row, power, size=6, font=LATIN)
        maker.text(190, 110 + 30 * row, name)
    (page,) = read_pages(maker.file())
    assert [cell.text for cell in page.tables[0].cells] == ["10³", "千", "10⁶", "百万"]


def test_what_a_program_calls_super_and_sub_is_marked() -> None:
    maker = PdfMaker()
    style = ParagraphStyle("", fontName=MINCHO, fontSize=10, leading=16)
    words = Paragraph("体積は5×10<super>-3</super>m<super>3</super>、H<sub>2</sub>Oとする。", style)
    words.wrapOn(maker.canvas, 400, 100)
    words.drawOn(maker.canvas, LEFT, 600)
    (page,) = read_pages(io.BytesIO(maker.file().getvalue()), tables=False)
    assert [line.text for line in page.lines] == ["体積は5×10⁻³m³、H₂Oとする。"]


def test_ruby_with_figures_above_the_line_stays_out_of_it() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP + 30, "瑕疵ある物")
    maker.text(LEFT, TOP + 23, "かし", size=5, spread=5)
    (page,) = read_pages(maker.file())
    assert [line.text for line in page.lines] == ["瑕疵ある物"]
