import time

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.table_text import placed_rows, readable_rows
from rag_assets.model import Table
from rag_assets.sources.html.tables import read_table, strays_in


def _element(html: str) -> Tag:
    found = BeautifulSoup(html, "lxml").find("table")
    assert isinstance(found, Tag)
    return found


def _read(html: str) -> Table:
    found = read_table(_element(html), lambda cell: cell.get_text())
    assert found is not None
    return found


def _grid(of: Table) -> dict[tuple[int, int], str]:
    """Every position with the words of the cell that covers it; fails where two do."""
    grid: dict[tuple[int, int], str] = {}
    for cell in of.cells:
        for row in range(cell.row, cell.row + cell.row_span):
            for column in range(cell.column, cell.column + cell.column_span):
                assert (row, column) not in grid
                grid[row, column] = cell.text
    return grid


def _lines(of: Table) -> list[str]:
    """The grid as text, a line a row, a dot where no cell is."""
    grid = _grid(of)
    width = max(column for _, column in grid) + 1
    return [
        "".join(grid.get((row, column), ".") for column in range(width)) for row in range(max(r for r, _ in grid) + 1)
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><td>a<td>b<tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c", ["ab", "ac"]),
        ("<tr><td colspan=2>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td rowspan=9>a<td>b<tr><td>c", ["ab", "ac"]),
        ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", ["ab", "ac", "ad"]),
        ("<tr><td colspan=0>a<td>b<tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td colspan=100000>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td colspan=999999999999999999999>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td colspan='2px'>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td colspan='-2' rowspan='x'>a<td>b<tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td colspan='２'>a<td>b<tr><td>c<td>d", ["ab", "cd"]),
        # A colspan that runs into a rowspan from above covers what is free.
        ("<tr><td>a<td rowspan=2>b<td>c<tr><td colspan=3>d<td>e", ["abc", "dbe"]),
        ("<tr><td>a<td>b<td rowspan=2>c<tr><td>d<tr><td>e<td>f<td>g", ["abc", "d.c", "efg"]),
        # A rowspan ends with its row group.
        ("<thead><tr><td rowspan=3>a<td>b<tbody><tr><td>c<td>d", ["ab", "cd"]),
        ("<tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d<td>e", ["ab", "ac", "de"]),
        ("<tbody><tr><td>a<td>b<tfoot><tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td>a<td>b<tr><!-- <td>x<td>y --><tr><td>c<td>d", ["ab", "..", "cd"]),
        ("<tr><td>a<!-- <td>x --><td>b<tr><td>c<td>d", ["ab", "cd"]),
    ],
)
def test_positions(html: str, expected: list[str]) -> None:
    assert _lines(_read(f"<table>{html}</table>")) == expected


@pytest.mark.parametrize(
    ("html", "expected", "strays"),
    [
        ("<td>a<td>b", ["ab"], ""),
        ("<tbody><td>a<td>b<tr><td>c<td>d", ["ab", "cd"], ""),
        ("<thead><th>a<th>b</thead><tbody><tr><td>c<td>d", ["ab", "cd"], ""),
        ("<tr><td>a<td>b</tr><td>c</td><td>d</td>", ["ab", "cd"], ""),
        ("<tr><td>a<td>b</tr><p>x</p><tr><td>c<td>d", ["ab", "cd"], "x"),
        ("x<tr><td>a</td>y</tr><tbody>z<tr><td>b", ["a", "b"], "xyz"),
        ("<form><tr><td>a</td><td>b</td></tr></form><tr><td>c<td>d", ["ab", "cd"], ""),
        ("<tr><form><td>a</td><td>b</td></form></tr>", ["ab"], ""),
        ("<div>x<tr><td>a</td></tr></div><tr><td>b", ["a", "b"], "x"),
        ("<tbody><td rowspan=2>a<td>b<tr><td>c", ["ab", "ac"], ""),
    ],
)
def test_cells_outside_rows_and_words_outside_cells(html: str, expected: list[str], strays: str) -> None:
    element = _element(f"<table>{html}</table>")
    assert _lines(_read(f"<table>{html}</table>")) == expected
    assert "".join(stray.get_text() for stray in strays_in(element)) == strays


def test_a_table_of_strays_only_holds_no_table() -> None:
    element = _element("<table><tr><p>x</p></tr></table>")
    assert read_table(element, lambda cell: cell.get_text()) is None
    assert [stray.get_text() for stray in strays_in(element)] == ["x"]


def test_a_caption_in_the_wrong_place_and_a_second_one() -> None:
    assert (
        _read("<table><tbody><caption>甲</caption><tr><td>a</tbody><caption>乙</caption></table>").caption == "甲　乙"
    )


def test_headings_are_th_and_whatever_stands_in_thead() -> None:
    of = _read("<table><thead><tr><td>a<th>b</thead><tbody><tr><th>c<td>d</table>")
    assert {cell.text: cell.heading for cell in of.cells} == {"a": True, "b": True, "c": True, "d": False}


def test_caption() -> None:
    assert _read("<table><caption>税率</caption><tr><td>a</table>").caption == "税率"


def test_the_caption_of_an_inner_table_is_not_the_outer_ones() -> None:
    html = "<table><tr><td><table><caption>内</caption><tr><td>x</table><td>b<tr><td>c<td>d</table>"
    of = _read(html)
    assert of.caption == ""
    assert [cell.text for cell in of.cells] == ["内x", "b", "c", "d"]


def test_a_table_in_a_cell_is_that_cells_text() -> None:
    of = _read("<table><tr><td>a<table><tr><td>x<td>y<tr><td>z</table><td>b</table>")
    assert [(cell.row, cell.column, cell.text) for cell in of.cells] == [(0, 0, "axyz"), (0, 1, "b")]


@pytest.mark.parametrize("html", ["<table></table>", "<table><tr></table>", "<table><tr><td></td></table>"])
def test_a_table_without_words_is_none(html: str) -> None:
    assert read_table(_element(html), lambda cell: cell.get_text()) is None


def test_a_caption_over_empty_cells_is_kept() -> None:
    assert _read("<table><caption>税率</caption><tr><td></table>").caption == "税率"


_SPAN = st.sampled_from([1, 1, 1, 2, 3, 0, 7, 100000])
_CELLS = st.lists(st.tuples(st.sampled_from(["td", "th"]), _SPAN, _SPAN), max_size=5)
_GROUPS = st.lists(
    st.tuples(st.sampled_from(["tbody", "tfoot", "thead"]), st.lists(_CELLS, min_size=1, max_size=4)),
    min_size=1,
    max_size=3,
)


def _html(groups: list[tuple[str, list[list[tuple[str, int, int]]]]]) -> tuple[str, list[str]]:
    """A table of cells whose words are all different, and those words in order."""
    words: list[str] = []
    parts: list[str] = []
    for group, rows in groups:
        parts.append(f"<{group}>")
        for row in rows:
            parts.append("<tr>")
            for name, row_span, column_span in row:
                words.append(f"［{len(words)}］")
                parts.append(f"<{name} rowspan={row_span} colspan={column_span}>{words[-1]}</{name}>")
            parts.append("</tr>")
        parts.append(f"</{group}>")
    return f"<table>{''.join(parts)}</table>", words


def _slots_as_browsers_fill_them(groups: list[tuple[str, list[list[tuple[str, int, int]]]]]) -> list[set[int]]:
    """Which cells cover something in each row, after the HTML standard's algorithm for forming a table."""
    covered: list[dict[int, int]] = []
    number = 0
    for _, rows in groups:
        first = len(covered)
        covered.extend({} for _ in rows)
        for offset, row in enumerate(rows):
            column = 0
            for _, row_span, column_span in row:
                while column in covered[first + offset]:
                    column += 1
                end = len(rows) if row_span == 0 else min(offset + row_span, len(rows))
                width = min(max(column_span, 1), 1000)
                for below in range(offset, end):
                    for position in range(column, column + width):
                        covered[first + below].setdefault(position, number)
                column += width
                number += 1
    return [set(row.values()) for row in covered]


@given(_GROUPS)
def test_random_spans_fill_a_grid_without_overlap_as_browsers_do(
    groups: list[tuple[str, list[list[tuple[str, int, int]]]]],
) -> None:
    html, words = _html(groups)
    if not words:
        return
    of = _read(html)
    assert [cell.text for cell in of.cells] == words
    grid = _grid(of)
    rows = [
        {int(text[1:-1]) for (row, _), text in grid.items() if row == number}
        for number in range(sum(len(rows) for _, rows in groups))
    ]
    assert rows == _slots_as_browsers_fill_them(groups)
    begun = {cell.column for cell in of.cells}
    assert begun == set(range(max(column for _, column in grid) + 1))


@given(_GROUPS)
def test_random_spans_lose_no_words_on_the_way_to_text(
    groups: list[tuple[str, list[list[tuple[str, int, int]]]]],
) -> None:
    html, words = _html(groups)
    if not words:
        return
    of = _read(html)
    plain = "\n".join(row.text for row in placed_rows(of))
    assert [plain.count(word) for word in words] == [1] * len(words)
    readable = "\n".join(row.text for row in readable_rows(of))
    assert all(word in readable for word in words)


def test_time_is_linear_in_the_number_of_rows() -> None:
    def seconds(rows: int) -> float:
        element = _element(f"<table>{'<tr><td>a<td rowspan=2>b<tr><td>c' * rows}</table>")
        start = time.perf_counter()
        read_table(element, lambda cell: cell.get_text())
        return time.perf_counter() - start

    # Quadratic time would be 400 times; the margin is for a busy machine.
    assert seconds(4000) < 100 * max(seconds(200), 0.001)
