"""How many rows head a ruled table: a PDF does not say, so they are told by what their cells are.

One guess for all sources that read PDFs; where a document marks its headings itself, nobody asks here.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.japanese.widths import half_width
from rag_assets.model import Cell

_LONGEST_NAME = 40
_VALUE = re.compile(r"[\W_]*(?:\d[\d,./]*(?:円|%|点|個|人)*[\W_]*|[①-⑳⑴-⒇].*|\d+[ \u3000].*)?", re.DOTALL)
_FORM = re.compile(
    r"御中|登録番号[ \u3000:]*[T\d]|[㈱㈲]|\(株\)|株式会社|No\.|T\d|様(?:$|[ \u3000])"
    r"|\d[\d,]{3,}円|(?<![和成])[X●■○]+年[ X●■○\d]+月|20[\dX]{2}\."
)
"""What stands in the first row of a form drawn as a grid: to whom, from whom, when, how much."""
_NUMBERED = re.compile(r"([0-9]{1,2})(?:\([^()]*\))?")
_FIGURE = re.compile(r"\d[\d,.]*")


def heading_rows(cells: Sequence[Cell]) -> int:
    """How many of a table's first rows name its columns; 0 where none does.

    One row does if over every column there is a name, all different, none a value, none a sentence, none of the same
    make as the figures below it; one column in the middle may lack its name (「又は」). Where a name reaches over
    several columns, the rows below it that name them one by one, beside cells that reach down or are empty, are
    headings too; there, the columns may only be numbered (１ ２ ３ below 職務の級). A form drawn as a grid (a receipt)
    has none. In doubt there is no heading row, as a wrong one would make a false statement of every row below it.

    Args:
        cells: Of the whole table, its spans resolved; at least one.
    """
    height = max(cell.row + cell.row_span for cell in cells)
    width = max(cell.column + cell.column_span for cell in cells)
    first = [cell for cell in cells if cell.row == 0]
    depth = _depth(cells, first)
    heads = [cell for cell in cells if cell.row < depth]
    if width < 2 or height <= depth or any(cell.row + cell.row_span > depth for cell in heads):
        return 0
    if sum(cell.column_span for cell in first) != width or not _names_columns(_without_repeated_name(cells, first)):
        return 0
    heads = [cell for cell in heads if not _is_number_below(cell, heads)]
    if not all(_is_name(cell.text) for cell in heads if cell.text) or _like_below(cells, heads, depth):
        return 0
    return depth


def _is_number_below(cell: Cell, heads: Sequence[Cell]) -> bool:
    """Whether a heading only numbers its column, and one above reaches over all the columns so numbered."""
    if cell.row == 0 or cell.column_span > 1:
        return False
    upper = [
        head
        for head in heads
        if head.column_span > 1
        and head.row + head.row_span == cell.row
        and head.column <= cell.column < head.column + head.column_span
    ]
    if not upper:
        return False
    over = upper[0]
    columns = range(over.column, over.column + over.column_span)
    beside = [head for head in heads if head.row == cell.row and head.column in columns]
    return _is_name(over.text) and _counts_columns([head.text for head in beside])


def _counts_columns(names: Sequence[str]) -> bool:
    """Whether names are numbers alone, perhaps with a unit, each one more than the last: １ ２ ３."""
    numbers = [int(match[1]) for name in names if (match := _NUMBERED.fullmatch(half_width(name)))]
    return len(numbers) == len(names) > 1 and all(below == above + 1 for above, below in pairwise(numbers))


def _without_repeated_name(cells: Sequence[Cell], first: Sequence[Cell]) -> Sequence[Cell]:
    """The first row without its last cell, where the last column only repeats the first: rows named at both sides."""
    if len(first) < 3 or first[0].text != first[-1].text:
        return first
    left, right = ([cell.text for cell in cells if cell.column == end.column] for end in (first[0], first[-1]))
    return first[:-1] if left == right else first


def _depth(cells: Sequence[Cell], first: Sequence[Cell]) -> int:
    """How many rows could be headings by the cells that reach over columns and rows."""
    spanning = [cell for cell in first if cell.column_span > 1]
    reaching = max(cell.row_span for cell in first)
    if not spanning:
        return 1
    if reaching > 1:
        return reaching
    second = {cell.column: cell for cell in cells if cell.row == 1}
    alone = [cell.column for cell in first if cell.column_span == 1]
    goes_on = alone and all(column in second and not second[column].text for column in alone)
    return 2 if goes_on and all(_is_name(cell.text) for cell in second.values() if cell.text) else 1


def _names_columns(first: Sequence[Cell]) -> bool:
    """Whether the first row has a name over each column, or over all but one between others, and no name twice."""
    names = [cell.text for cell in first if cell.text]
    nameless = [position for position, cell in enumerate(first) if not cell.text]
    if nameless and not (len(nameless) == 1 and len(names) > 1 and 0 <= nameless[0] < len(first) - 1):
        return False
    return len(set(names)) == len(names)


def _is_name(text: str) -> bool:
    words = half_width(text)
    return (
        len(words) <= _LONGEST_NAME
        and "。" not in words
        and _VALUE.fullmatch(words) is None
        and _FORM.search(words) is None
    )


def _like_below(cells: Sequence[Cell], heads: Sequence[Cell], depth: int) -> bool:
    """Whether a column's first cell has figures and is made like the one below: 昭和30年 above 昭和32年 is a value."""
    text_at = {(cell.row, cell.column): cell.text for cell in cells}
    return any(
        cell.column_span == 1
        and cell.row + cell.row_span == depth
        and _FIGURE.search(half_width(cell.text))
        and _shape(cell.text) == _shape(text_at.get((depth, cell.column), ""))
        for cell in heads
    )


def _shape(text: str) -> str:
    """A text with every figure as the same sign, which no text has."""
    return _FIGURE.sub("\0", half_width(text))
