import pytest

from rag_assets_tests.sources.pdf.pay_tables import tables_of
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker


@pytest.mark.parametrize(
    ("depth", "margin"),
    [(11.0, 2.0), (12.0, 4.0), (10.2, 8.0), (5.5, 3.0)],
)
def test_rules_under_and_through_words_are_no_borders(depth: float, margin: float) -> None:
    maker = PdfMaker()
    maker.text(80, 40, "第１条　次の表のとおり読み替える。")
    maker.grid([100, 200, 200 + 2 * margin + 100], [100, 170, 230])
    for top, rows in ((104, 4), (174, 3)):
        maker.text(100 + margin, top, "第３条")
        for row in range(rows):
            maker.text(200 + margin, top + 14 * row, "十字の言葉に線を引く")
            maker.rule(200 + margin, top + 14 * row + depth, 200 + margin + 100, top + 14 * row + depth)
    (table,) = tables_of(maker)
    assert [(cell.row, cell.column) for cell in table.cells] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_rule_from_border_to_border_is_a_border_even_close_under_full_text() -> None:
    maker = PdfMaker()
    maker.text(80, 40, "第１条　次の表のとおりとする。")
    maker.grid([100, 200, 300], [100, 114, 128, 142])
    for row, name in enumerate(("甲", "乙", "丙")):
        maker.text(102, 101 + 14 * row, name)
        maker.text(200, 101 + 14 * row, "十字の言葉を並べた行")
    (table,) = tables_of(maker)
    assert [cell.text for cell in table.cells if cell.column == 0] == ["甲", "乙", "丙"]
