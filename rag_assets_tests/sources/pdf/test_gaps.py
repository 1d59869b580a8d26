"""Blanks inside a line: what parts something stays, whatever makes the gap; what only spreads a line does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase import pdfmetrics

from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import LEFT, MINCHO, TOP, PdfMaker

_MARKS = ("①", "（１）", "⑵", "２．", "ア", "ロ", "ⅲ", "・", "※", "⇒", "（注）", "（注）１", "例：", "十二", "㋑")
_TITLES = ("第2条", "第１２条", "第三条", "第２条の３", "第1章", "第二節", "問２", "問3-1", "（目的）第4条")


def _read(*texts: str, spread: float = 0.0) -> list[str]:
    maker = PdfMaker()
    for number, text in enumerate(texts):
        maker.text(LEFT, TOP + 20 * number, text, spread=spread)
    return [line.text for page in read_pages(maker.file(), tables=False) for line in page.lines]


def _apart(first: str, second: str, em: float, rest: str = "") -> str:
    """A line of two pieces of text that a gap without any space parts."""
    maker = PdfMaker()
    maker.text(LEFT, TOP, first)
    maker.text(LEFT + pdfmetrics.stringWidth(first, MINCHO, 10) + em * 10, TOP, second + rest)
    (line,) = (line.text for page in read_pages(maker.file(), tables=False) for line in page.lines)
    return line


@pytest.mark.parametrize("mark", _MARKS + _TITLES)
@pytest.mark.parametrize("words", ["従業員は、届け出る。", "１０日前までに届け出る。", "三日以内に届け出る。"])
def test_half_a_blank_behind_a_mark_is_kept_as_a_space_and_as_a_gap(mark: str, words: str) -> None:
    assert _read(f"{mark} {words}") == [f"{mark}\u3000{words}"]
    assert _apart(mark, words, 0.5) == f"{mark}\u3000{words}"


@given(
    first=st.text("０１２３４５６７８９", min_size=1, max_size=3),
    second=st.text("０１２３４５６７８９", min_size=1, max_size=3),
    start=st.sampled_from(["", "月額", "従業員は、"]),
)
def test_figures_that_stand_apart_never_become_one(first: str, second: str, start: str) -> None:
    kept = f"{start}{first}\u3000{second}円とする。"
    assert _read(f"{start}{first} {second}円とする。") == [kept]
    assert _apart(start + first, second, 0.3, "円とする。") == _apart(start + first, second, 0.55, "円とする。") == kept


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("２ ５日前までに届け出る。", "２\u3000５日前までに届け出る。"),
        ("４ 三日以内に届け出る。", "４\u3000三日以内に届け出る。"),
        ("２ 10日以上の休暇", "２\u300010日以上の休暇"),
        ("2 5日前までに届け出る。", "2 5日前までに届け出る。"),
        ("月額 10 000円とする。", "月額10 000円とする。"),
    ],
)
def test_figures_of_unlike_width_stay_apart(typed: str, read: str) -> None:
    assert _read(typed) == [read]


@pytest.mark.parametrize("em", [0.25, 0.33, 0.5])
def test_words_behind_an_articles_number_stand_apart_by_any_gap_that_is_seen(em: float) -> None:
    assert _apart("第2条", "この規則は、従業員に適用する。", em) == "第2条\u3000この規則は、従業員に適用する。"


def test_a_provision_that_a_sentence_goes_on_from_is_no_title() -> None:
    assert _apart("第10条", "に定める場合を除く。", 0.3) == "第10条に定める場合を除く。"


@pytest.mark.parametrize(
    "line",
    [
        "採用した日から か月間を試用期間とする。",
        "始業の時刻は、午前 時とする。",
        "届出は（ 日以内）に行う。",
        "採用した日は令和 年 月 日とする。",
        "年 月 日",
        "理由（ ）を書く。",
        "甲は、 株式会社とする。",
    ],
)
def test_half_a_blank_between_japanese_is_kept(line: str) -> None:
    assert _read(line) == [line.replace(" ", "\u3000")]


def test_a_gap_of_half_an_em_between_japanese_is_a_blank_without_any_space() -> None:
    assert _apart("採用した日から", "か月間を試用期間とする。", 0.55) == "採用した日から\u3000か月間を試用期間とする。"


@pytest.mark.parametrize(
    "line",
    [
        "7 年 4 月から施行する。",
        "令和 ７ 年 ４ 月から施行する。",
        "３ か月以内に届け出る。",
        "10 日以上の休暇を与える。",
        "30 名以下の事業場",
        "第 三 条の定めによる。",
        "これを Excel で作る。",
        "時間単位での付与 ）とする。",
        "会社 （本店をいう。）は、",
        "就 業 規 則",
        "従 業 員 は 、 次 の 定 め を 守 る 。",
        "２ 日 以 内 に 会 社 へ 届 け 出 る 。",
    ],
)
def test_spaces_that_part_nothing_are_left_out(line: str) -> None:
    assert _read(line) == [line.replace(" ", "")]


@pytest.mark.parametrize("number", ["２", "2", "三"])
@pytest.mark.parametrize(
    "words", ["年次有給休暇は別に定める。", "日曜日を休日とする。", "時間外労働を命ずる。", "人事は"]
)
def test_a_paragraphs_number_is_told_from_a_quantity(number: str, words: str) -> None:
    assert _read(f"{number} {words}") == [f"{number}\u3000{words}"]


@given(
    st.text("あいうかきく従業員会社１２３四五", min_size=6, max_size=30).map(lambda text: f"この{text}"),
    st.floats(0.0, 5.5),
)
def test_a_line_spread_evenly_has_no_blanks(text: str, spread: float) -> None:
    assert _read(text, spread=spread) == [text]


@pytest.mark.parametrize("spread", [1.0, 2.5])
def test_a_gap_is_seen_in_a_spread_line_too(spread: float) -> None:
    assert _read("２ 従業員は、休暇を届け出る。", spread=spread)[0].startswith("２\u3000従業員は、休暇を")


def test_the_room_that_programs_put_beside_latin_figures_is_no_blank() -> None:
    maker = PdfMaker()
    x = LEFT
    for piece in ("従業員は", "10", "日前と", "5", "千円までの額を", "3", "回"):
        maker.text(x, TOP, piece)
        x += pdfmetrics.stringWidth(piece, MINCHO, 10) + 3.3
    (line,) = (line.text for page in read_pages(maker.file(), tables=False) for line in page.lines)
    assert line == "従業員は10日前と5千円までの額を3回"
