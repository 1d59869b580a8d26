"""Two-dimensional notation on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.raised import fraction, mixed_number, write_lowered, write_raised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", "³"),
        ("１２", "¹²"),
        ("-2", "⁻²"),
        ("\u22122", "⁻²"),
        ("n", "ⁿ"),
        ("n+1", "ⁿ⁺¹"),
        ("(1)", "⁽¹⁾"),
        ("（２）", "⁽²⁾"),
        ("x", "^(x)"),
        ("2/3", "^(2/3)"),
        ("乗", "^(乗)"),
        ("注", "^(注)"),
        ("10²", "^(10²)"),
        ("²", "²"),
        ("°", "°"),
        ("′", "′"),
        ("st", "st"),
        ("※1", "※1"),
        ("（注2）", "（注2）"),
        ("＊", "＊"),
        (" 3 ", "³"),
        ("", ""),
    ],
)
def test_a_superscript_cannot_be_taken_for_digits_on_the_line(text: str, expected: str) -> None:
    assert write_raised(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("2", "₂"), ("１", "₁"), ("max", "_(max)"), ("n+1", "_(n+1)"), ("", "")]
)
def test_a_subscript_cannot_be_taken_for_digits_on_the_line(text: str, expected: str) -> None:
    assert write_lowered(text) == expected


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        ("1", "2", "1/2"),
        ("a+b", "c", "(a+b)/c"),
        ("所得税の額", "その年の月数", "所得税の額/その年の月数"),
        ("1 - x", "(y+1)", "(1 - x)/(y+1)"),
        ("(a)+(b)", "2", "((a)+(b))/2"),
    ],
)
def test_a_fraction_keeps_its_stroke(numerator: str, denominator: str, expected: str) -> None:
    assert fraction(numerator, denominator) == expected


def test_a_mixed_number_keeps_its_whole_apart() -> None:
    assert mixed_number("2", "1/2") == "2と1/2"
    assert mixed_number("その", "1/2") == "その1/2"


@given(st.text(alphabet="0123456789０１２３４５６７８９xn注乙+-", min_size=1, max_size=6))
def test_no_digit_of_a_superscript_can_join_a_number_before_it(text: str) -> None:
    written = write_raised(text)
    assert not written[0].isdigit() or written[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹"
    assert written.isascii() is False or written.startswith("^(")
