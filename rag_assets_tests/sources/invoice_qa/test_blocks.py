"""Lines back into the paragraphs, items and notes that they were."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rag_assets.sources.invoice_qa.blocks import AnswerPassage, join_lines, mark_of, passages
from rag_assets.sources.invoice_qa.flow import FlowTable, read_flow
from rag_assets_tests.sources.invoice_qa.qa_pages import Book

LONG = "登録を受けた店は、売った品物の値段と税の額を書いた紙を客に渡し、その写しを手元に残しておくこととされています"


def texts(book: Book) -> list[str]:
    return [part.text for part in passages(read_flow(book.pages())) if isinstance(part, AnswerPassage)]


def test_a_paragraph_is_joined_with_nothing_between_its_lines() -> None:
    assert texts(Book().text(LONG + "。")) == [LONG + "。"]


def test_an_indented_line_begins_a_paragraph() -> None:
    assert texts(Book().text(LONG + "。").text("また、" + LONG + "。")) == [LONG + "。", "また、" + LONG + "。"]


def test_short_paragraphs_stay_apart() -> None:
    assert texts(Book().text("はい、できます。").text("ただし、紙に限ります。")) == [
        "はい、できます。",
        "ただし、紙に限ります。",
    ]


def test_a_hanging_item_is_joined_and_the_next_mark_begins_another() -> None:
    book = (
        Book().text("①　" + LONG, 1, 2).text("②　売った日", 1, 2).text("③　" + LONG + "（その写しを含みます。）", 1, 2)
    )
    assert texts(book) == ["①　" + LONG, "②　売った日", "③　" + LONG + "（その写しを含みます。）"]


def test_an_item_whose_further_lines_fall_back_is_joined() -> None:
    assert texts(Book().text("※　" + LONG + "。", 1, 0)) == ["※　" + LONG + "。"]


def test_a_reference_to_another_question_goes_on_with_the_line_above() -> None:
    book = Book().text("なお、登録の手続については、").line("問７《登録の手続》をご参照ください。")
    assert texts(book) == ["なお、登録の手続については、問７《登録の手続》をご参照ください。"]


def test_a_reference_behind_an_open_bracket_goes_on_too() -> None:
    book = Book().text("登録は要りません（詳しくは").line("問７《登録の手続》をご参照ください。）。")
    assert texts(book) == ["登録は要りません（詳しくは問７《登録の手続》をご参照ください。）。"]


def test_a_reference_after_a_full_stop_is_a_paragraph() -> None:
    book = Book().text("登録は要りません。").line("問７《登録の手続》をご参照ください。")
    assert len(texts(book)) == 2


def test_circled_numbers_inside_a_sentence_begin_nothing() -> None:
    start = "あ" * 43 + "上記"
    assert texts(Book().line(start).line("①、④及び⑤の下線を引いたところを書きます。")) == [
        start + "①、④及び⑤の下線を引いたところを書きます。"
    ]


@pytest.mark.parametrize("second", ["②①以外の店　紙", "②　①以外の店　紙", "①②以外の店　紙", "③①及び②に準ずる店"])
def test_an_item_that_begins_with_a_reference_is_its_own(second: str) -> None:
    book = Book().text("①　" + "店" * 41, 1, 2).text(second, 1, 2)
    assert texts(book) == ["①　" + "店" * 41, second]


@pytest.mark.parametrize("end", ["（紙法30", "紙令49の２", "紙規15－４", "紙法第30条", "次の", "箱、", "（"])
def test_circled_numbers_behind_a_law_or_what_refers_go_on(end: str) -> None:
    start = "あ" * (44 - len(end)) + end
    assert texts(Book().line(start, 1).line("②①のとおりです。")) == [start + "②①のとおりです。"]


def test_a_paragraph_goes_on_over_the_page() -> None:
    book = Book().line("あ" * 44, 1).new_page().line("いいいです。")
    assert texts(book) == ["あ" * 44 + "いいいです。"]


def test_a_heading_that_fills_its_line_is_parted_from_the_paragraph_below() -> None:
    heading = "１　" + "あ" * 42
    assert texts(Book().line(heading).text(LONG + "。")) == [heading, LONG + "。"]


def test_a_label_over_two_lines_is_one() -> None:
    label = "【" + "あ" * 50 + "記載例】"
    assert texts(Book().text(label, 0, 1).text("本文です。")) == [label, "本文です。"]


def test_boxes_and_tables_part_passages() -> None:
    book = Book().line("あ" * 44, 1).grid([["一", "二"]]).line("い" * 44, 0).box("うです。")
    parts = passages(read_flow(book.pages()))
    assert [type(part) for part in parts] == [AnswerPassage, FlowTable, AnswerPassage, AnswerPassage]


def test_latin_words_are_joined_by_a_blank_and_addresses_by_nothing() -> None:
    assert join_lines(["the first", "second"]) == "the first second"
    assert join_lines(["https://example.jp/invo", "ice.html"]) == "https://example.jp/invoice.html"
    assert join_lines(["登録を", "受けた"]) == "登録を受けた"


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("②①以外の店", "circled"),
        ("②　①以外の店", "circled"),
        ("①　売った日", "circled"),
        ("②④）。", ""),
        ("①及び②は", ""),
        ("⑴　書くこと", "bracketed"),
        ("（１）書くこと", "bracketed"),
        ("２　期間", "number"),
        ("２割を引いた額", ""),
        ("1,000円を", ""),
        ("1.5倍", ""),
        ("イ　紙", "kana"),
        ("イオンの店", ""),
        ("ⅰ　日付", "small roman"),
        ("ⅱ及びⅲの", ""),
        ("㋑　名前", "circled kana"),
        ("十二　手続", "kanji"),
        ("・紙", "bullet"),
        ("○○株式会社", ""),
        ("○　法律第２条", "bullet"),
        ("⇒　引ける", "arrow"),
        ("例：①　五千円", "example"),
        ("（注）　これは", "note"),
        ("（注）１　これは", "note"),
        ("(注)までに", ""),
        ("※　これは", "note"),
        ("（参考）", "note"),
        ("【登録した場合】", "label"),
        ("《登録した場合》", "label"),
        ("ただの文です。", ""),
    ],
)
def test_marks(line: str, mark: str) -> None:
    assert mark_of(line) == mark


SENTENCES = st.lists(
    st.text(alphabet="登録店紙税額日本語文書写手元客品物値段のをはがにで", min_size=3, max_size=90),
    min_size=1,
    max_size=3,
).map(lambda words: "".join(f"{sentence}。" for sentence in words))


@given(st.lists(st.tuples(st.sampled_from(["", "①　", "・　", "※　", "（注）　"]), SENTENCES), min_size=1, max_size=8))
def test_whatever_is_set_comes_back(given_parts: list[tuple[str, str]]) -> None:
    book = Book()
    for mark, words in given_parts:
        book.text(mark + words, 1, 2 if mark else 0)
    assert texts(book) == [mark + words for mark, words in given_parts]


@given(
    st.lists(st.text(alphabet="あいう①２（）「」、。・※ \u3000【】問７《》Ab1", min_size=1, max_size=60), max_size=8)
)
def test_no_word_is_lost_or_doubled(lines: list[str]) -> None:
    assume(all(line.strip(" \u3000") for line in lines))
    book = Book()
    for line in lines:
        book.line(line.strip(" \u3000"))
    squeezed = "".join("".join(texts(book)).split())
    assert squeezed == "".join("".join(lines).split())
