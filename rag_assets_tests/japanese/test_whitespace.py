import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.whitespace import close_spaced, one_line

_TEXT = st.one_of(st.text(), st.text(st.sampled_from("税a1。 　\t\r\n\u00a0\u2028\u0085\u200b\ufeff"), max_size=40))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("源泉\n   徴収", "源泉徴収"),
        ("源泉\r\n\t徴収", "源泉徴収"),
        ("tax\nanswer", "tax answer"),
        ("令和\n7年", "令和 7年"),
        ("1　 甲", "1　甲"),
        ("甲　　乙", "甲　乙"),
        ("a \t b", "a b"),
        ("甲\u00a0乙", "甲 乙"),
        ("甲\u2028乙\u2029丙\u0085丁", "甲 乙 丙 丁"),
        ("源\u200b泉\ufeff徴\u00ad収", "源泉徴収"),
        (" 　甲 　", "甲"),
        ("", ""),
    ],
)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected


@given(_TEXT)
def test_is_one_line_with_clean_ends(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line == line.strip(" 　")


@given(_TEXT)
def test_twice_is_once(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)


@given(_TEXT)
def test_only_white_space_and_invisible_characters_go(text: str) -> None:
    def seen(words: str) -> str:
        return "".join(words.split()).translate(dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad")))

    assert seen(one_line(text)) == seen(text)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("就　業　規　則", "就業規則"),
        ("総　則", "総則"),
        ("みほん株式会社　就　業　規　則", "みほん株式会社　就業規則"),
        ("育児　休業", "育児　休業"),
        ("A B 規則", "A B 規則"),
        ("第１ 章", "第１ 章"),
        ("休み", "休み"),
    ],
)
def test_words_set_with_blanks_between_their_letters_are_closed_up(text: str, closed: str) -> None:
    assert close_spaced(text) == closed
