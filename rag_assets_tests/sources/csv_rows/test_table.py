import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.base import DocumentError
from rag_assets.sources.csv_rows.table import BadRow, CsvRow, CsvTable, detect_delimiter, open_table


def _table(text: str, delimiter: str = "", header_line: int = 1) -> CsvTable:
    return open_table(iter(io.StringIO(text, newline="")), delimiter, header_line)


def _rows(text: str, delimiter: str = "") -> list[tuple[int, list[str]]]:
    return [(row.line, row.cells) for row in _table(text, delimiter).rows if isinstance(row, CsvRow)]


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
    assert many.endswith("if column 4 is one of its own, give it a name in line 1")


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
    assert [row.cells for row in table.rows if isinstance(row, CsvRow)] == [["1", "鍋"]]


def test_a_quote_nobody_closes_costs_its_row_only() -> None:
    text = '番号,品名\n1,鍋\n2,"皿\n3,椀\n4,"箸, 箱"\n5,盆\n'
    assert _bad(text) == [(3, "unclosed quote")]
    assert [line for line, _ in _rows(text)] == [2, 4, 5, 6]


def test_a_quote_nobody_closes_in_a_long_file_costs_its_row_only() -> None:
    text = '番号,品名\n1,"皿\n' + "".join(f"{number},椀\n" for number in range(2, 20_000))
    first = next(_table(text).rows)
    assert isinstance(first, BadRow)
    assert (first.line, first.topic) == (2, "unclosed quote")
    assert len(_rows(text)) == 19_998


def test_a_quote_that_would_hold_more_than_a_row_may_ends_the_reading() -> None:
    text = '番号,品名\n1,鍋\n2,"皿\n' + f"3,{'椀' * 100_000}\n" * 84
    rows = _table(text).rows
    assert next(rows) == CsvRow(2, ["1", "鍋"])
    with pytest.raises(DocumentError, match="line 3: a quote that opens in this row is not closed within 8,388,608"):
        next(rows)


@pytest.mark.parametrize("cell", ["長" * 200_000, "行\n" * 6_000, "甲,乙,丙\n" * 6_000, "6,丁\n" * 6_000 + "7,戊,\n"])
@pytest.mark.parametrize("delimiter", [",", ""])
def test_a_long_cell_is_one_cell(cell: str, delimiter: str) -> None:
    text = f'番号,品名\n1,鍋\n2,"{cell}"\n3,椀\n'
    table = _table(text, delimiter)
    assert list(table.rows) == [
        CsvRow(2, ["1", "鍋"]),
        CsvRow(3, ["2", cell]),
        CsvRow(4 + cell.count("\n"), ["3", "椀"]),
    ]


@pytest.mark.parametrize(
    ("text", "swallowed"),
    [
        ('番号,品名\n1,"皿\n2,椀\n3,24"\n', 2),
        ('番号,品名\n1,"皿, 大\n2,椀\n\n3,24"\n', 2),
        ('番号,品名,材質\n1,"皿\n2,椀,木\n3,24",鉄\n', 2),
        ('番号,品名,材質\n1,皿,"陶\n2,24インチ,鉄"\n', 1),
        ('番号\t品名\n1\t"皿\r\n2\t椀\r\n3\t24"\r\n', 2),
        # Sentences, addresses, and lists that have other numbers of delimiters than rows have.
        ('番号,品名\n1,"皿\nHello, world\nBye, all"\n', 0),
        ('番号,品名\n1,"皿\n丸の内1,2"\n', 0),
        ('番号,品名,材質\n1,"皿\n甲,乙\n丙,丁",鉄\n', 0),
        ('番号,品名,材質\n1,"皿\n2,椀,木\n以上",鉄\n', 0),
        ('品名\n"皿\n椀\n箸"\n', 0),
    ],
)
def test_a_cell_that_swallowed_rows_is_doubted(text: str, swallowed: int) -> None:
    (row,) = _table(text).rows
    assert isinstance(row, CsvRow)
    assert (row.line, row.swallowed) == (2, swallowed)


plain = st.text(st.sampled_from("あ漢a1"), min_size=1, max_size=4)


@given(st.lists(st.lists(plain, min_size=3, max_size=3), min_size=3, max_size=9), st.data())
def test_no_row_is_swallowed_quietly(rows: list[list[str]], data: st.DataObject) -> None:
    """A quote left open before some cell of one row, and one too many behind some cell of a later row."""
    first = data.draw(st.integers(0, len(rows) - 2))
    last = data.draw(st.integers(first + 1, len(rows) - 1))
    begin, end = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    rows[first][begin] = f'"{rows[first][begin]}'
    rows[last][end] = f'{rows[last][end]}"'
    read = list(_table("甲,乙,丙\n" + "".join(",".join(row) + "\n" for row in rows), ",").rows)
    kept = [row for row in read if isinstance(row, CsvRow)]
    told = [row for row in read if isinstance(row, BadRow) or row.swallowed]
    weak = begin == end < 2 and last == first + 1
    assert told or weak or len(kept) == len(rows)


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


@pytest.mark.parametrize("again", ["番号,品名", "\ufeff番号,品名,,", ' 番号 ,"品名"'])
def test_column_names_that_stand_there_again_are_no_row(again: str) -> None:
    rows = list(_table(f"番号,品名\n1,鍋\n{again}\n2,品名\n番号,皿\n").rows)
    assert [(row.line, isinstance(row, CsvRow)) for row in rows] == [(2, True), (3, False), (4, True), (5, True)]
    assert isinstance(rows[1], BadRow)
    assert (rows[1].topic, rows[1].harmless) == ("repeated column names", True)
    assert "the column names of line 1 once more" in rows[1].message


def test_in_a_table_of_one_column_its_name_is_a_word_like_any_other() -> None:
    assert _rows("品名\n鍋\n品名\n") == [(2, ["鍋"]), (3, ["品名"])]


def test_control_characters_are_left_out_and_white_space_stays() -> None:
    marks = "".join(map(chr, (*range(1, 9), *range(14, 28), 0x7F, 0x80, 0x9F, 0x200F, 0x202E, 0x2066)))
    text = f"番{marks}号,品名\n{marks}1,\x1b[1;31m赤い{marks}鍋\x1b[0m\t\x0b\x85\u2028\u3000蓋[1m]\n"
    table = _table(text, ",")
    assert table.columns == ("番号", "品名")
    assert list(table.rows) == [CsvRow(2, ["1", "赤い鍋\t\x0b\x85\u2028\u3000蓋[1m]"])]


@pytest.mark.parametrize(
    ("text", "delimiter", "header_line", "used"),
    [
        ("sep=;\n番号;品名\n1;鍋,釜,皿\n", "", 1, ";"),
        ("SEP=:\r\n番号:品名\r\n1:鍋,釜,皿\r\n", "", 1, ":"),
        ("sep=;\n番号;品名\n1;鍋,釜,皿\n", "", 2, ";"),
        ("sep=,\n番号;品名\n1;鍋,釜,皿\n", ";", 1, ";"),
        ("sep=;\n一覧\n番号;品名\n1;鍋,釜,皿\n", "", 3, ";"),
    ],
)
def test_a_first_line_for_excel_tells_the_delimiter(text: str, delimiter: str, header_line: int, used: str) -> None:
    table = _table(text, delimiter, header_line)
    assert (table.delimiter, table.columns, table.line) == (used, ("番号", "品名"), max(2, header_line))
    assert list(table.rows) == [CsvRow(table.line + 1, ["1", "鍋,釜,皿"])]


def test_a_column_may_be_named_like_that_line() -> None:
    assert _table("sep=,品名\n1,鍋\n").columns == ("sep=", "品名")
