"""Half width for looking at."""

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.widths import half_width


def test_signs_letters_and_digits_become_half_width_and_circled_numbers_stay() -> None:
    assert half_width("問２４－２　①（Ａ）【答】") == "問24-2　①(A)【答】"


@given(st.text())
def test_every_character_keeps_its_place(text: str) -> None:
    assert len(half_width(text)) == len(text)
    assert half_width(half_width(text)) == half_width(text)
