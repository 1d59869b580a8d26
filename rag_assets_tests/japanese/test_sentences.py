import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.sentences import clauses, is_sentence_end, may_part, sentences, tokens

_TEXT = st.one_of(st.text(), st.text(st.sampled_from("。．！？!?、，：｜「」（）()1２aＢ税 　\n\u3099"), max_size=60))


@given(_TEXT)
def test_no_function_loses_or_doubles_anything(text: str) -> None:
    assert "".join(sentences(text)) == text
    assert "".join(clauses(text)) == text
    assert "".join(tokens(text)) == text


@given(_TEXT)
def test_no_piece_is_empty(text: str) -> None:
    assert all([*sentences(text), *clauses(text), *tokens(text)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("課税されます。ただし、除きます。", ["課税されます。", "ただし、除きます。"]),
        ("課税されます。　ただし", ["課税されます。　", "ただし"]),
        ("そうですか！？はい。", ["そうですか！？", "はい。"]),
        ("税込（税額を含みます。）で判定します。次に", ["税込（税額を含みます。）で判定します。", "次に"]),
        ("「甲。乙「丙。」丁。」とします。", ["「甲。乙「丙。」丁。」とします。"]),
        ("1) 甲です。2) 乙です。", ["1) 甲です。", "2) 乙です。"]),
        ("（甲です。乙です。", ["（甲です。", "乙です。"]),
        ("税率は1.5です。次", ["税率は1.5です。", "次"]),
        ("税率は１．５％です。次", ["税率は１．５％です。", "次"]),
        ("１．所得税　２．法人税", ["１．所得税　２．法人税"]),
        ("Ⅱ．賃貸の場合", ["Ⅱ．賃貸の場合"]),
        ("課税されます．ただし", ["課税されます．", "ただし"]),
        ("Yahoo!ニュースを見ます。", ["Yahoo!ニュースを見ます。"]),
        ("本当ですか? はい。", ["本当ですか? ", "はい。"]),
        ("法人税である。」次に", ["法人税である。」", "次に"]),
        ("（そうです。）（はい。） 次", ["（そうです。）（はい。） 次"]),
        ("終わりです。』）と書く。", ["終わりです。』）", "と書く。"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("甲、乙および丙", ["甲、", "乙および丙"]),
        ("甲（乙）、丙", ["甲（乙）、", "丙"]),
        ("区分：甲｜税率：乙", ["区分：", "甲｜", "税率：", "乙"]),
        ("１，２００円、５，０００円", ["１，２００円、", "５，０００円"]),
        ("１０：３０まで", ["１０：３０まで"]),
        ("（甲です。乙です。）丙", ["（甲です。", "乙です。）", "丙"]),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert clauses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200円", ["1,200", "円"]),
        ("７．８％です", ["７．８％", "で", "す"]),
        ("NPO法人", ["NPO", "法", "人"]),
        ("か\u3099く", ["か\u3099", "く"]),
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize("text", ["です。", "です。　", "です。）", "「です。」", "ですか？", "です。）\n", "A．"])
def test_ends_a_sentence(text: str) -> None:
    assert is_sentence_end(text)


@pytest.mark.parametrize("text", ["", "です", "です、", "（注）", "協同組合等｜", "1.5", "」"])
def test_does_not_end_a_sentence(text: str) -> None:
    assert not is_sentence_end(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *((before, after) for before in ("人", "ア", "1") for after in "。、」）』】ー々ゝァィッょヶ！？％・～"),
        *((before, "税") for before in "（「『【〔￥"),
    ],
)
def test_a_word_is_not_cut_before_what_closes_or_behind_what_opens(before: str, after: str) -> None:
    assert not may_part(before, after)


@pytest.mark.parametrize(("before", "after"), [("人", "税"), ("。", "次"), ("」", "と"), ("ー", "バ"), ("々", "の")])
def test_a_word_may_be_cut_elsewhere(before: str, after: str) -> None:
    assert may_part(before, after)


def test_time_is_linear() -> None:
    text = "（役員に支給する「食事。」は、1.5です。）" * 20_000
    assert "".join(sentences(text)) == text
    assert len(sentences("（" * 50_000 + "。" * 50_000)) == 1
