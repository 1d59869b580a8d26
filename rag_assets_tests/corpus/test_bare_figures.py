import pytest

from rag_assets.corpus.bare_figures import BareFigures
from rag_assets.corpus.text_layout import prepared_layout
from rag_assets.sources.base import Finding
from rag_assets.sources.document_records import with_unread_tables
from rag_assets_tests.corpus.test_quality import chunk, prepared_row, record, table

READ = record("1", "給料表", table(("号給", "１級", "２級"), ("1", "139,600", "177,300"), ("2", "140,910", "178,820")))


def found(*texts: str) -> list[str]:
    layout = prepared_layout(record("1", "給料表", *texts))
    return BareFigures(layout).rows_between(0, len(layout.text))


@pytest.mark.parametrize(
    "texts",
    [
        ("1　148,300", "2　149,950"),
        ("272,300　313,300　354,300", "273,900　315,550　356,700"),
        ("9時間　131日　131日", "8時間　103日　103日"),
        ("148,300", "149,950", "151,600", "152,750"),
    ],
)
def test_lines_of_figures_alone_are_told(texts: tuple[str, ...]) -> None:
    assert found(*texts) == list(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("基本給は月額 148,300円とする。", "手当は 1,000円とする。"),
        ("1　148,300",),
        ("係長　30,000円", "課長　50,000円"),
        ("令和6年4月1日", "03-0000-0000", "第1条", "（1）", "2"),
    ],
)
def test_words_dates_and_single_figures_are_not(texts: tuple[str, ...]) -> None:
    assert found(*texts) == []


def test_rows_of_a_table() -> None:
    unheaded = record("1", "給料表", table(("41", "198,000", "236,000"), ("42", "199,000", "237,000"), heading_rows=0))
    glued = record("1", "給料表", table(("号給", "１級"), ("27 28 29 30", "186,200 187,850 189,000 190,650")))
    nameless = record("1", "給料表", table(("１級", "２級"), ("186,200", "231,100"), ("187,850", "232,900")))
    prices = record("1", "料金表", table(("金額", "税額"), ("10,000円", "200円"), ("50,000円", "400円")))
    for read in (READ, prices):
        assert prepared_row([read], chunk(read, prepared_layout(read).text)).unkeyed_figures == 0
    for unread in (unheaded, glued, nameless):
        row = prepared_row([unread], chunk(unread, prepared_layout(unread).text))
        assert row.unkeyed_figures == 1
        assert row.examples["unkeyed_figures"] == ("articles/1/a",)


def test_a_document_with_such_rows_is_told_of() -> None:
    unread = record("2", "給料表", "1　148,300", "2　149,950")
    read, first, note = with_unread_tables([READ, unread])
    assert (read, first) == (READ, unread)
    assert isinstance(note, Finding)
    assert (note.kind, note.topic, note.place, note.quote) == ("note", "unreadable table", "No.2 給料表", "1　148,300")
