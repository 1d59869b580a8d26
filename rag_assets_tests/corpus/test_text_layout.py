from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.record_text import plain_text, record_text
from rag_assets.corpus.text_layout import bare_layout, plain_layout, prepared_layout, set_between
from rag_assets.model import Cell, Record, Section, Table, TextBlock

HEADINGS = ("区分", "税率", "備考")


def record(values: list[list[str]]) -> Record:
    cells = [Cell(text=text, row=0, column=column, heading=True) for column, text in enumerate(HEADINGS)]
    for row, texts in enumerate(values, start=1):
        cells.extend(Cell(text=text, row=row, column=column) for column, text in enumerate(texts))
    return Record(
        record_id="articles/1",
        source="articles",
        document="みほん税務相談",
        number="1",
        label="No.1",
        title="題名",
        origin_sha256="0" * 64,
        sections=(
            Section(headings=("概要",), blocks=(TextBlock(text="一つ目。二つ目。"), Table(cells=tuple(cells)))),
            Section(headings=("概要", "細目"), blocks=(TextBlock(text="三つ目。"),)),
        ),
    )


VALUES = st.lists(
    st.lists(st.sampled_from(["", "組合", "20%", "税率", "例外。", "組合"]), min_size=2, max_size=3), min_size=1
)


@given(VALUES)
def test_words_of_cells_are_found_at_their_places(values: list[list[str]]) -> None:
    one = record(values)
    texts = {text for row in values for text in row if text}

    for layout, text in ((plain_layout(one), plain_text(one)), (prepared_layout(one), record_text(one))):
        assert layout.text == text
        words = [words for line in layout.lines for words in line.words if words.headings]
        assert {layout.text[word.start : word.end] for word in words} == texts
        for word in words:
            assert set(word.headings) <= set(HEADINGS)
            assert layout.begins_well(word.start)
            assert layout.ends_well(word.end)


def test_a_plain_and_a_prepared_row_give_cells_the_same_headings() -> None:
    one = record([["組合", "20%", "例外"], ["法人", "15%", "なし"]])

    def headings(layout_words: list[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
        return [found for found in layout_words if found[1]]

    plain, prepared = plain_layout(one), prepared_layout(one)
    of_plain = [(plain.text[w.start : w.end], w.headings) for line in plain.lines for w in line.words]
    of_prepared = [(prepared.text[w.start : w.end], w.headings) for line in prepared.lines for w in line.words]

    assert headings(of_plain) == headings(of_prepared)
    assert ("15%", ("税率",)) in of_plain


def test_a_row_that_fits_no_columns_stands_under_all_headings() -> None:
    one = record([["組合", "20%"]])

    for layout in (plain_layout(one), prepared_layout(one)):
        found = {layout.text[w.start : w.end]: w.headings for line in layout.lines for w in line.words if w.headings}
        assert found == {"組合": HEADINGS, "20%": HEADINGS}


@given(st.text(alphabet="あ。\n　 ", max_size=40))
def test_lines_of_any_text_are_good_places_and_characters_are_kept(text: str) -> None:
    layout = bare_layout(text)

    assert layout.text == text
    for line in layout.lines:
        assert layout.begins_well(line.start)
        assert layout.ends_well(line.end)


@given(st.text(alphabet="いろ\n", max_size=9), st.text(alphabet="はに\n", max_size=9))
def test_text_set_before_and_behind_moves_every_line(before: str, after: str) -> None:
    inner = bare_layout("一行目\n二行目")

    layout = set_between(before, inner, after)

    assert layout.text == "\n".join(part for part in (before, inner.text, after) if part)
    assert [layout.text[line.start : line.end] for line in layout.lines] == layout.text.split("\n")


def test_a_place_inside_a_sentence_is_none() -> None:
    layout = bare_layout("一つ目。二つ目")

    assert [position for position in range(8) if layout.begins_well(position)] == [0, 4, 7]
    assert [position for position in range(8) if layout.ends_well(position)] == [0, 4, 7]
