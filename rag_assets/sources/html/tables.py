"""HTML tables to Table: rowspan and colspan resolved to positions. Nothing here knows a site."""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

from bs4 import Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from rag_assets.model import Cell, Table
from rag_assets.sources.tables import place_cells

_MOST_SPAN = {"colspan": 1000, "rowspan": 65534}
"""HTML's own limits; a larger number is a typing error."""
_NUMBER = re.compile(r"\s*\+?([0-9]{1,9})")
_CELLS = ("td", "th")
_GROUPS = ("thead", "tbody", "tfoot")
_NO_WORDS = ("colgroup", "col")


@dataclass(slots=True)
class _HtmlRow:
    """One row, whether the page marks it as one or not.

    Attributes:
        group: The element whose rows a rowspan may reach.
        cells: Its cells.
    """

    group: Tag
    cells: list[Tag] = field(default_factory=list)


@dataclass(slots=True)
class _TableContents:
    """What stands in a table, apart from what stands in its cells.

    Attributes:
        rows: The rows in the order of the page's source.
        strays: Words and elements that stand in no cell.
        captions: Its captions, wherever they stand in it.
    """

    rows: list[_HtmlRow] = field(default_factory=list)
    strays: list[PageElement] = field(default_factory=list)
    captions: list[Tag] = field(default_factory=list)


def read_table(table: Tag, text_of: Callable[[Tag], str]) -> Table | None:
    """The table with every cell at its resolved position, or None where it holds no text at all.

    A rowspan is clipped to its row group, as browsers do, and `rowspan="0"` reaches to the group's last row. Where
    spans collide, the later cell covers only what is free. A column in which no cell begins is no column: a colspan of
    100 over a table of three columns covers three. Cells that are commented out are not there. Cells that stand in no
    row make one of their own. Tables inside a cell are part of that cell's text. Rows stand in the order of the page's
    source.

    Args:
        table: The `table` element.
        text_of: How the words of a cell or caption are read, on one line.
    """
    contents = _contents(table)
    spans = (
        [
            (element, min(_span(element, "rowspan") or left, left), _span(element, "colspan") or 1)
            for element in row.cells
        ]
        for row, left in zip(contents.rows, _rows_left_in_group(contents.rows), strict=True)
    )
    cells = [
        Cell(
            text=text_of(element),
            heading=element.name == "th" or element.find_parent("thead") is not None,
            **place._asdict(),
        )
        for element, place in place_cells(spans)
    ]
    title = "　".join(filter(None, map(text_of, contents.captions)))
    if not cells or not (title or any(cell.text for cell in cells)):
        return None
    return Table(caption=title, cells=tuple(_without_empty_columns(cells)))


def strays_in(table: Tag) -> list[PageElement]:
    """What a table holds outside its cells and caption: browsers show it before the table."""
    return _contents(table).strays


def _contents(table: Tag) -> _TableContents:
    found = _TableContents()
    _gather(table, table, None, found)
    return found


def _gather(parent: Tag, group: Tag, row: _HtmlRow | None, found: _TableContents) -> None:
    """Collect rows and strays below `parent`; a cell outside any row opens one, which lasts until the next row."""
    open_row = row
    for child in parent.children:
        if isinstance(child, PreformattedString):
            continue
        if not isinstance(child, Tag):
            if isinstance(child, NavigableString) and child.strip():
                found.strays.append(child)
        elif child.name in _CELLS:
            if open_row is None:
                open_row = _HtmlRow(group)
                found.rows.append(open_row)
            open_row.cells.append(child)
        elif child.name == "tr":
            own = _HtmlRow(group)
            found.rows.append(own)
            _gather(child, group, own, found)
            open_row = row
        elif child.name == "caption":
            found.captions.append(child)
        elif child.name in _GROUPS:
            _gather(child, child, None, found)
            open_row = row
        elif child.name == "table" or child.find(["tr", *_CELLS]) is None:
            if child.name not in _NO_WORDS:
                found.strays.append(child)
        else:
            # A form, link or division around rows: the rows are the table's all the same.
            _gather(child, group, open_row, found)


def _rows_left_in_group(rows: list[_HtmlRow]) -> list[int]:
    """For every row, how many rows there are from it to the end of its row group, itself included."""
    left: list[int] = []
    for position in range(len(rows) - 1, -1, -1):
        goes_on = position + 1 < len(rows) and rows[position + 1].group is rows[position].group
        left.append(left[-1] + 1 if goes_on else 1)
    return left[::-1]


def _without_empty_columns(cells: list[Cell]) -> list[Cell]:
    """The cells over the columns that some cell begins in."""
    columns = sorted({cell.column for cell in cells})
    placed: list[Cell] = []
    for cell in cells:
        column = bisect_left(columns, cell.column)
        end = bisect_left(columns, cell.column + cell.column_span)
        placed.append(cell.model_copy(update={"column": column, "column_span": end - column}))
    return placed


def _span(element: Tag, attribute: str) -> int:
    """The span as a number from 1; 0 where the attribute is 0; 1 where it is absent or no number."""
    number = _NUMBER.match(str(element.get(attribute, "")))
    return min(int(number[1]), _MOST_SPAN[attribute]) if number else 1
