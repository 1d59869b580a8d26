import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.csv_table import BadRow, Row, Table, detect_delimiter, open_table
from rag_assets.sources.documents import DocumentError


def _table(text: str, delimiter: str = "", header_line: int = 1) -> Table:
    return open_table(iter(io.StringIO(text, newline="")), delimiter, header_line)


def _rows(text: str, delimiter: str = "") -> list[tuple[int, list[str]]]:
    return [(row.line, row.cells) for row in _table(text, delimiter).rows if isinstance(row, Row)]


def _bad(text: str) -> list[tuple[int, str]]:
    return [(row.line, row.topic) for row in _table(text).rows if isinstance(row, BadRow)]


def test_a_row_knows_the_line_it_begins_in() -> None:
    text = '番号,質問\r\n1,"動かない、\r\n赤い灯がつく"\r\n\r\n2,"料金は,いくら"\r\n'
    assert _rows(text) == [(2, ["1", "動かない、\r\n赤い灯がつく"]), (5, ["2", "料金は,いくら"])]


cells = st.text(st.sampled_from('あ漢a1,\t;|"\n\r 　'), max_size=12)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=12), st.sampled_from(",\t;|"))
def test_whatever_is_written_is_read(rows: list[list[str]], delimiter: str) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows([["甲", "乙", "丙"], *rows])
    expected, line = [], 2
    for row in rows:
        if "".join(row).strip():
            expected.append((line, row))
        line += _lines_of(row, delimiter)
    assert _rows(file.getvalue(), delimiter) == expected


def _lines_of(row: list[str], delimiter: str) -> int:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerow(row)
    return len(list(io.StringIO(file.getvalue(), newline="")))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("番号,品名\n1,鍋\n", ","),
        ("番号\t品名\n1\t鍋、釜,皿\n2\t椀,箸\n", "\t"),
        ("番号;品名\n1;鍋, 釜\n2;皿, 椀\n", ";"),
        ("番号|品名\n1|鍋\n", "|"),
        ('番号,品名\n1,"鍋\t釜\t皿"\n2,"a;b;c;d"\n', ","),
        ("品目（大,中,小）\t区分\n鍋\t金属\n皿\t陶器\n", "\t"),
        ("品名\n鍋\n", ","),
    ],
)
def test_the_delimiter_that_parts_all_rows_alike(text: str, delimiter: str) -> None:
    assert detect_delimiter(text.splitlines(keepends=True)) == delimiter
    assert _table(text).delimiter == delimiter


def test_too_few_and_too_many_cells_are_told() -> None:
    text = "番号,品名,区分\n1,鍋,金属\n2,皿\n3,椀,木,漆\n4,箸,木,,\n"
    assert _bad(text) == [(3, "ragged row"), (4, "ragged row")]
    assert _rows(text) == [(2, ["1", "鍋", "金属"]), (5, ["4", "箸", "木"])]
    few, many = (row.message for row in _table(text).rows if isinstance(row, BadRow))
    assert "2 cells where there are 3 columns; the row is left out: 区分 and what follows" in few
    assert "4 cells where there are 3 columns" in many


def test_every_bad_row_says_that_it_is_left_out() -> None:
    text = '番号,品名\n1,鍋,木\n2\n3,\udce3皿\n4,\0\n5,"24"インチ\n6,"箸\n'
    messages = {row.topic: row.message for row in _table(text).rows if isinstance(row, BadRow)}
    assert len(messages) == 5
    assert [topic for topic, message in messages.items() if "the row is left out" not in message] == []


def test_blank_rows_are_left_out_quietly() -> None:
    assert list(_table("番号,品名\n\n,\n 　,\n").rows) == []


def test_columns_without_name_at_the_end_are_none() -> None:
    table = _table("番号,品名,,\n1,鍋,,\n")
    assert table.columns == ("番号", "品名")
    assert [row.cells for row in table.rows if isinstance(row, Row)] == [["1", "鍋"]]


def test_a_quote_nobody_closes_costs_its_row_only() -> None:
    text = '番号,品名\n1,鍋\n2,"皿\n3,椀\n4,"箸, 箱"\n5,盆\n'
    assert _bad(text) == [(3, "unclosed quote")]
    assert [line for line, _ in _rows(text)] == [2, 4, 5, 6]


def test_a_quote_nobody_closes_in_a_long_file_is_found_soon() -> None:
    text = '番号,品名\n1,"皿\n' + "".join(f"{number},椀\n" for number in range(2, 20_000))
    first = next(_table(text).rows)
    assert isinstance(first, BadRow)
    assert (first.line, first.topic) == (2, "unclosed quote")
    assert "by line 50" in first.message
    assert len(_rows(text)) == 19_998


def test_at_the_end_of_the_file_a_quote_is_found_open() -> None:
    assert _bad('番号,品名\n1,鍋\n2,"皿') == [(3, "unclosed quote")]


def test_text_behind_a_closing_quote_is_told() -> None:
    text = '番号,品名\n1,"24"インチ\n2,皿\n'
    assert _bad(text) == [(2, "misplaced quote")]
    assert [line for line, _ in _rows(text)] == [3]


def test_quotes_throughout_that_are_never_closed_end_the_reading() -> None:
    text = "番号,品名\n" + '1,"皿\n' * 300
    with pytest.raises(DocumentError, match=r"the 101th quote that is not closed"):
        list(_table(text).rows)


def test_nul_and_damaged_bytes_are_told_and_left_out() -> None:
    text = "番号,品名\n1,鍋\0\n2,\udce3皿\n3,椀\n"
    assert _bad(text) == [(2, "NUL byte"), (3, "undecodable bytes")]
    assert [line for line, _ in _rows(text)] == [4]
    messages = [row.message for row in _table(text).rows if isinstance(row, BadRow)]
    assert messages[1].startswith("in column 品名 (byte 0xE3);")


def test_names_may_stand_further_down() -> None:
    table = _table("備品一覧（架空）\n\n番号,品名\n1,鍋\n", header_line=3)
    assert table.columns == ("番号", "品名")
    assert table.line == 3
    assert [row.line for row in table.rows] == [4]
    assert _table("\n\n番号,品名\n1,鍋\n").line == 3


@pytest.mark.parametrize(("text", "line"), [("", 1), ("番号\n", 5), ("\n 　,\n", 1), ('番号,"品名\n', 1)])
def test_a_file_without_names_is_refused(text: str, line: int) -> None:
    with pytest.raises(DocumentError, match=f"line {line}: there are no column names"):
        _table(text, header_line=line)


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(DocumentError, match="line 1: the column names hold bytes that are no text"):
        _table("番号,\udce3\n1,鍋\n")
