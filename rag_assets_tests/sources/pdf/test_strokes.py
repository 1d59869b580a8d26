import pytest

from rag_assets.sources.base import Finding
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import LATIN, LEFT, MINCHO, TOP, PdfMaker
from rag_assets_tests.sources.pdf.test_filling import annotation


def read(maker: PdfMaker) -> tuple[list[str], list[Finding]]:
    findings: list[Finding] = []
    pages = list(read_pages(maker.file(), findings=findings))
    cells = [cell.text for page in pages for table in page.tables for cell in table.cells]
    return [line.text for page in pages for line in page.lines] + cells, findings


def base_of(top: float, size: float = 10.0) -> float:
    return top + 0.88 * size


@pytest.mark.parametrize("height", [0.3, 0.38, 0.5])
def test_words_with_a_rule_through_them_are_left_out_and_told(height: float) -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "定年は、満六十歳満六十五歳とする。")
    y = base_of(TOP) - 10 * height
    maker.rule(LEFT + 40, y, LEFT + 80, y)
    lines, findings = read(maker)
    assert lines[0].replace("\u3000", "") == "定年は、満六十五歳とする。"
    assert [(finding.topic, finding.quote) for finding in findings] == [("struck text", "満六十歳")]


def test_a_whole_line_struck_twice_is_told_once() -> None:
    maker = PdfMaker()
    maker.lines("第１条　社員は、定めを守る。", "第２条　この条は、使わない。", "第３条　会社は、定めを知らせる。")
    for share in (0.3, 0.45):
        y = base_of(TOP + 18) - 10 * share
        maker.rule(LEFT, y, LEFT + 140, y)
    lines, findings = read(maker)
    assert lines == ["第１条　社員は、定めを守る。", "第３条　会社は、定めを知らせる。"]
    assert [finding.quote for finding in findings] == ["第２条　この条は、使わない。"]


def test_rules_under_over_and_between_words_strike_nothing() -> None:
    maker = PdfMaker()
    maker.lines("定年は、満六十歳とする。", "賃金は、月額　　　　円とする。")
    maker.rule(LEFT + 40, base_of(TOP) + 1.5, LEFT + 80, base_of(TOP) + 1.5)
    maker.rule(LEFT, base_of(TOP) - 10, LEFT + 100, base_of(TOP) - 10)
    maker.rule(LEFT + 70, base_of(TOP + 18) - 3, LEFT + 110, base_of(TOP + 18) - 3)
    lines, findings = read(maker)
    assert lines == ["定年は、満六十歳とする。", "賃金は、月額　　　　円とする。"]
    assert not findings


def stacked(maker: PdfMaker, x: float, top: float, above: str, below: str, size: float = 7.0) -> float:
    """A fraction beside a line of ten points whose upper edge is given; where it ends."""
    middle = base_of(top) - 3.5
    width = max(maker.canvas.stringWidth(words, LATIN, size) for words in (above, below)) + 2
    for words, base in ((above, middle - 2), (below, middle + 0.9 * size)):
        inset = (width - maker.canvas.stringWidth(words, LATIN, size)) / 2
        maker.text(x + inset, base - 0.88 * size, words, size=size, font=LATIN)
    maker.rule(x, middle, x + width, middle)
    return float(x + width)


@pytest.mark.parametrize(
    ("before", "above", "below", "line"),
    [
        ("割増は賃金の", "1", "2", "割増は賃金の1/2とする。"),
        ("上限は", "25", "100", "上限は25/100とする。"),
        ("率は", "a+b", "c", "率は(a+b)/cとする。"),
    ],
)
def test_a_stacked_fraction_is_written_on_one_line(before: str, above: str, below: str, line: str) -> None:
    for size in (7.0, 9.0):
        maker = PdfMaker()
        maker.text(LEFT, TOP - 30, "第１条　次のとおりとする。")
        maker.text(LEFT, TOP, before)
        end = stacked(maker, LEFT + 10 * len(before) + 1, TOP, above, below, size)
        maker.text(end + 1, TOP, "とする。")
        assert read(maker) == (["第１条　次のとおりとする。", line], [])


def test_a_whole_number_does_not_run_into_its_fraction() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "係数は1")
    end = stacked(maker, LEFT + 36, TOP, "1", "2")
    maker.text(end + 1, TOP, "とする。")
    assert read(maker)[0] == ["係数は1と1/2とする。"]


def test_an_underlined_number_above_another_is_no_fraction() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "12", font=LATIN)
    maker.rule(LEFT, base_of(TOP) + 1.5, LEFT + 12, base_of(TOP) + 1.5)
    maker.text(LEFT, TOP + 14, "34", font=LATIN)
    assert read(maker)[0] == ["12", "34"]


@pytest.mark.parametrize(
    ("before", "above", "below", "after", "line"),
    [
        ("給与の", "一", "二", "を払う。", "給与の一/二を払う。"),
        ("基本給に", "勤続日数", "365", "を乗じる。", "基本給に勤続日数/365を乗じる。"),
        ("率は", "1日", "3日", "とする。", "率は1日/3日とする。"),
        ("額は５", "年", "月", "とする。", "額は５年/月とする。"),
    ],
)
def test_a_fraction_of_words_stays_in_its_line(before: str, above: str, below: str, after: str, line: str) -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP - 30, "第１条　次のとおりとする。")
    maker.text(LEFT, TOP, before)
    left, middle = LEFT + 10 * len(before) + 1, base_of(TOP) - 3.5
    widths = [maker.canvas.stringWidth(words, MINCHO, 8) for words in (above, below)]
    for words, width, base in zip((above, below), widths, (middle - 2, middle + 7.2), strict=True):
        maker.text(left + (max(widths) - width) / 2, base - 0.88 * 8, words, size=8)
    maker.rule(left, middle, left + max(widths), middle)
    maker.text(left + max(widths) + 1, TOP, after)
    assert read(maker) == (["第１条　次のとおりとする。", line], [])


@pytest.mark.parametrize(
    ("text", "first", "last", "line"),
    [
        ("定年は満六十五歳とする。", 4, 7, "定年は満歳とする。"),
        ("手当は月額３０，０００円とする。", 5, 12, "手当は月額とする。"),
        ("手当は、月額千円二千円とする。", 6, 8, "手当は、月額二千円とする。"),
    ],
)
@pytest.mark.parametrize("heights", [(0.38,), (0.3, 0.45)])
def test_what_was_struck_out_leaves_no_blank(
    text: str, first: int, last: int, line: str, heights: tuple[float, ...]
) -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, text)
    for height in heights:
        y = base_of(TOP) - 10 * height
        maker.rule(LEFT + 10 * first, y, LEFT + 10 * last, y)
    lines, (finding,) = read(maker)
    assert (lines, finding.quote) == ([line], text[first:last])


def test_what_was_struck_out_in_a_cell_by_an_annotation_leaves_no_blank() -> None:
    maker = PdfMaker()
    maker.grid([LEFT - 5, LEFT + 95, LEFT + 300], [TOP - 5, TOP + 20, TOP + 45])
    for x, top, text in ((0, 0, "手当"), (100, 0, "月額５０００円"), (0, 25, "特別手当"), (100, 25, "なし")):
        maker.text(LEFT + x, TOP + top, text)
    annotation(maker, "StrikeOut", (LEFT + 120, TOP - 1, LEFT + 160, TOP + 11))
    lines, (finding,) = read(maker)
    assert (lines, finding.quote) == (["手当", "月額円", "特別手当", "なし"], "５０００")
