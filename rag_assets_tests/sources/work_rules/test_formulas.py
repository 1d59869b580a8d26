from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.pdf.pages import PdfLine
from rag_assets.sources.work_rules.formulas import join_formulas


def line(text: str, x0: float, top: float, page: int = 1) -> PdfLine:
    return PdfLine(page, text, x0, x0 + 10 * len(text), top, top + 10, 10.0, "Mincho")


def joined(*lines: PdfLine) -> list[str]:
    return [each.text for each in join_formulas(lines)[0]]


def test_a_fraction_with_a_factor_beside_it() -> None:
    assert joined(line("基本給＋手当", 100, 100), line("×1.25×時間数", 180, 112), line("一か月の時間数", 105, 124)) == [
        "（基本給＋手当）÷一か月の時間数×1.25×時間数"
    ]


def test_a_fraction_behind_a_sum_that_is_multiplied() -> None:
    assert joined(
        line("手当＋役付", 200, 100),
        line("時給　＋", 140, 112),
        line("一か月の時間数", 205, 124),
        line("×　1.25", 200, 150),
        line("次の行", 100, 170),
    ) == ["｛時給＋（手当＋役付）÷一か月の時間数｝×1.25", "次の行"]


def test_two_fractions() -> None:
    assert joined(
        line("日給　　　　　手当＋役付", 100, 100), line("＋", 150, 112), line("一日の時間　　一か月の時間", 95, 124)
    ) == ["日給÷一日の時間＋（手当＋役付）÷一か月の時間"]


def test_a_formula_over_a_number() -> None:
    assert joined(line("(365－休日)×時間", 100, 100), line("12", 140, 124)) == ["｛(365－休日)×時間｝÷12"]


def test_lines_of_text_are_no_fraction() -> None:
    lines = [
        line("手当＋役付を払う。", 100, 100),
        line("×を付ける", 200, 118),
        line("時間の数", 100, 136),
        line("12", 100, 154),
    ]
    assert joined(*lines) == [each.text for each in lines]
    assert join_formulas(lines)[1] == set()


def test_lines_of_two_pages_are_no_fraction() -> None:
    lines = [line("手当＋役付", 100, 100), line("×1.25", 180, 112, page=2), line("時間数", 105, 124, page=2)]
    assert joined(*lines) == [each.text for each in lines]


@given(
    st.lists(
        st.builds(line, st.text("あ＋×÷　1。（", min_size=1, max_size=8), st.floats(50, 500), st.floats(50, 800)),
        max_size=12,
    )
)
def test_no_character_is_lost(lines: list[PdfLine]) -> None:
    before = sorted("".join(each.text for each in lines).replace("　", ""))
    after = sorted("".join(joined(*lines)).replace("　", ""))
    for letter in set(before):
        assert after.count(letter) >= before.count(letter)
