"""Formulas in MathML on one line."""

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.html.math import formula

_HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
_A_PLUS_B = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"


def _written(inside: str, attributes: str = "") -> str:
    math = BeautifulSoup(f"<math {attributes}>{inside}</math>", "lxml").find("math")
    assert isinstance(math, Tag)
    return formula(math)[0]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (_HALF, "1/2"),
        (f"<mn>2</mn>{_HALF}", "2と1/2"),
        (f"<mrow><mn>2</mn><mo>&#x2064;</mo>{_HALF}</mrow>", "2と1/2"),
        (f"<mfrac>{_A_PLUS_B}<mi>c</mi></mfrac>", "(a+b)/c"),
        (f"<mfrac>{_HALF}<mn>3</mn></mfrac>", "(1/2)/3"),
        (f"<mn>6</mn><mo>÷</mo>{_HALF}", "6÷(1/2)"),
        (f"<mn>6</mn><mo>×</mo>{_HALF}", "6×1/2"),
        (f"{_HALF}<mi>x</mi>", "(1/2)x"),
        (f"<mi>a</mi><mo>+</mo><mn>2</mn>{_HALF}<mi>x</mi>", "a+(2と1/2)x"),
        (f"<mi>x</mi>{_HALF}", "x(1/2)"),
        ("<mtext>課税価格</mtext><mo>×</mo><mfrac><mn>7.8</mn><mn>110</mn></mfrac>", "課税価格×7.8/110"),
        ("<mfrac linethickness='0'><mn>5</mn><mn>2</mn></mfrac>", "5; 2"),
    ],
)
def test_fractions(inside: str, expected: str) -> None:
    assert _written(inside) == expected


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<msup><mn>10</mn><mn>3</mn></msup>", "10³"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10⁻³"),
        (f"<msup>{_A_PLUS_B}<mn>2</mn></msup>", "(a+b)²"),
        ("<msup><mrow><mo>(</mo><mn>1</mn><mo>+</mo><mi>r</mi><mo>)</mo></mrow><mi>n</mi></msup>", "(1+r)ⁿ"),
        ("<msup><msup><mi>x</mi><mn>2</mn></msup><mn>3</mn></msup>", "(x²)³"),
        (f"<msup><mn>2</mn>{_HALF}</msup>", "2^(1/2)"),
        (f"<msup>{_HALF}<mn>3</mn></msup>", "(1/2)³"),
        ("<msup><mn>90</mn><mo>°</mo></msup>", "90°"),
        ("<msub><mi>CO</mi><mn>2</mn></msub>", "CO₂"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x₁²"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "₆¹⁴C"),
        ("<mmultiscripts><mi>x</mi><mn>1</mn><none/></mmultiscripts>", "x₁"),
    ],
)
def test_raised_and_lowered(inside: str, expected: str) -> None:
    assert _written(inside) == expected


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<msqrt><mn>2</mn></msqrt>", "√2"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x+1)"),
        ("<msqrt><mn>2</mn></msqrt><mi>x</mi>", "(√2)x"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "³√8"),
        ("<mn>2</mn><mroot><mn>8</mn><mn>3</mn></mroot>", "2(³√8)"),
        ("<menclose notation='radical'><mi>x</mi></menclose>", "√x"),
        ("<munder><mi>lim</mi><mrow><mi>n</mi><mo>→</mo><mi>∞</mi></mrow></munder>", "lim_(n→∞)"),
        ("<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "∑_(k=1)ⁿ"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x\u0304"),
        ("<mover><mi>x</mi><mn>2</mn></mover>", "x²"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mfenced open='[' close=')' separators=';'><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>", "[a;b;c)"),
        (
            "<mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr>"
            "<mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>]</mo>",
            "[1, 2; 3, 4]",
        ),
        ("<mtable><mtr><mtd><mi>x</mi></mtd><mtd><mo>=</mo><mn>1</mn></mtd></mtr></mtable>", "x =1"),
        ("<mi>f</mi><mo>&#x2061;</mo><mo>(</mo><mi>x</mi><mo>)</mo>", "f(x)"),
        ("<mi>sin</mi><mi>x</mi>", "sin x"),
        ("<mi>x</mi><mi>y</mi><mi>z</mi>", "xyz"),
        ("<mn>2</mn><mo>&#x2062;</mo><mi>x</mi>", "2x"),
        ("<mn>1</mn><mphantom><mn>9</mn></mphantom><mspace width='1em'/><mn>2</mn>", "12"),
        ("<unknown><mn>5</mn></unknown>", "5"),
    ],
)
def test_roots_limits_brackets_and_tables(inside: str, expected: str) -> None:
    assert _written(inside) == expected


def test_the_same_formula_in_another_language_is_not_read_beside_it() -> None:
    tex = "<annotation encoding='application/x-tex'>\\frac12</annotation>"
    assert _written(f"<semantics>{_HALF}{tex}</semantics>") == "1/2"
    assert _written("<semantics><mrow><mn>7</mn></mrow><annotation-xml><p>七</p></annotation-xml></semantics>") == "7"


def test_a_formula_without_content_is_told_by_its_alternative_text() -> None:
    assert _written("", "altimg='f.png' alttext='a÷b'") == "（式：a÷b）"
    assert _written("", "altimg='f.png'") == ""


_NUMBERS = st.integers(min_value=0, max_value=99999)


@given(_NUMBERS, _NUMBERS, _NUMBERS)
def test_no_two_numbers_of_a_formula_run_into_one(whole: int, above: int, below: int) -> None:
    fraction = f"<mfrac><mn>{above}</mn><mn>{below}</mn></mfrac>"
    assert _written(f"<mn>{whole}</mn>{fraction}") == f"{whole}と{above}/{below}"
    power = f"<msup><mn>{whole}</mn><mn>{above}</mn></msup>"
    assert [part for part in _written(power) if part.isascii()] == list(str(whole))
