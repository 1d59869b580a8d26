import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.radicals import mend_characters


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("⽤語の⼀覧", "用語の一覧"),  # Kangxi radicals
        ("社⻑と部⻑、⻘⾊申告", "社長と部長、青色申告"),  # radicals supplement beside Kangxi
        ("神⼾の⿊⽥", "神戸の黒田"),  # not 神戶の黑田
        ("\uf902\uf90a\uf967", "車金不"),  # duplicates made for Korean
        ("\U0002f804", "\u4f60"),  # 你, made for Chinese
        ("期間︓︵注︶︰", "期間：（注）‥"),
        ("o\ufb03ce", "office"),
    ],
)
def test_stand_ins_become_the_characters_that_a_reader_sees(printed: str, meant: str) -> None:
    assert mend_characters(printed) == meant


@pytest.mark.parametrize(
    "text",
    [
        "①⑴㈱㎡㏄㍿Ⅳ",
        "ＡＢＣ　１２３　ｱｲｳ　abc 123",
        "\ufa19\ufa10\ufa11\uf929\uf9dc\ufa4c",  # 神塚﨑朗隆社 as names write them
        "〜～−－—―‐",
        "𠮷野家",
        "",
    ],
)
def test_what_was_written_so_on_purpose_stays(text: str) -> None:
    assert mend_characters(text) == text


def test_no_radical_with_an_equivalent_is_left() -> None:
    radicals = [chr(code) for code in (*range(0x2E80, 0x2EF4), *range(0x2F00, 0x2FD6))]
    assigned = [radical for radical in radicals if unicodedata.category(radical) != "Cn"]
    left = [radical for radical in assigned if mend_characters(radical) == radical]
    assert left == ["⺀"]  # CJK RADICAL REPEAT is no character's twin


@given(st.text())
def test_mending_is_done_once_and_for_each_character_alone(text: str) -> None:
    mended = mend_characters(text)
    assert mend_characters(mended) == mended
    assert mended == "".join(map(mend_characters, text))


@given(st.text(alphabet=st.characters(codec="cp932", exclude_characters="¢£¬‖−〜")))
def test_what_cp932_can_write_stays(text: str) -> None:
    assert mend_characters(text) == text
