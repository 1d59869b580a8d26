"""Tables that go on over the page: which piece goes on with which, and two pieces as one table."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from rag_assets.model import Cell
from rag_assets.sources.pdf.figures import count_of
from rag_assets.sources.pdf.paragraphs import joined_words
from rag_assets.sources.pdf.tables import PdfTable, unfolded

_SAME_COLUMN = 3.0
"""Points by which the columns of a table that goes on over the page may be shifted."""
_REPEATED = re.compile(r"[ \u3000\n]|[（(](?:続き|つづき|[^（）()]{1,3})[）)]$")
"""What a repeated heading may have or lack: blanks, 「（続き）」, the unit."""
_MARK = re.compile(r"[（(]?(?:単位[：: \u3000]*.{1,6}|.{0,12}(?:続き|つづき))[）)]?")
_UNFINISHED = re.compile(r"[、，,（(「『・]$|[^。．.）)」』]$")
_GOES_ON = re.compile(r"[ぁ-ん、。，．）)」』ー々]")
"""What no cell begins with: a particle or an ending, a mark that may not begin a line."""


def is_continuation_mark(text: str) -> bool:
    """Whether a line at the head of a page only says that a table goes on (別表第一（続き）), or its unit."""
    return _MARK.fullmatch(text) is not None


def continues(above: PdfTable, below: PdfTable) -> bool:
    """Whether a table may be the next piece of one that the page before ends with: the same columns.

    It has to be the last thing of its page, and the other the first of the next; the caller sees that.
    """
    if below.page != above.page + 1:
        return False
    if not (above.unruled or below.unruled):
        return _same_columns(above, below) and _same_headings(above, below)
    if _aligned(above, below) is None or not _same_headings(above, below):
        return False
    return any(cell.heading for cell in below.cells) or _counts_on(above, below)


def joined(above: PdfTable, below: PdfTable) -> PdfTable:
    """Two pieces of one table as one: rows counted on, rows that only repeat the heading left out.

    A row that the page's end breaks is one row. A group's name that reaches over the page stands in both pieces.
    Position and columns are those of the first piece, `page` that of the last, so that a third piece can be joined.
    """
    below = _aligned(above, below) or below
    repeated = _repeated_rows(above.cells, below.cells)
    height = max(cell.row + cell.row_span for cell in above.cells)
    moved = [cell.model_copy(update={"row": cell.row - repeated}) for cell in below.cells if cell.row >= repeated]
    cells = list(above.cells)
    if _is_broken_row(above, moved):
        cells, moved = _mended(cells, moved, height)
    else:
        moved = _with_group(above, moved)
    cells.extend(cell.model_copy(update={"row": cell.row + height}) for cell in moved)
    return replace(
        above,
        page=below.page,
        cells=tuple(cells),
        lines=(*above.lines, *below.lines),
        full=below.full,
        open_end=below.open_end,
    )


# Columns


def _same_columns(above: PdfTable, below: PdfTable) -> bool:
    if not len(above.columns) == len(below.columns) > 2:
        return False
    # Pages to the left and right of a fold have other margins: then rows have to be numbered on.
    shift = below.x0 - above.x0
    if abs(shift) > _SAME_COLUMN and not _counts_on(above, below, sure=True):
        return False
    return all(
        min(abs(a - b), abs(a - b + shift)) <= _SAME_COLUMN for a, b in zip(above.columns, below.columns, strict=True)
    )


def _aligned(above: PdfTable, below: PdfTable) -> PdfTable | None:
    """The lower piece in the columns of the upper one; None where they do not fit."""
    if not (above.unruled or below.unruled):
        return _as_blocks(above, below, below.cells) if _same_columns(above, below) else None
    places = next(filter(None, (_places(above, below, shift) for shift in (0.0, below.x0 - above.x0))), None)
    if places is None:
        return None
    width = len(above.columns) - 1
    if below.blocks > 1:
        return below if below.blocks == above.blocks and places == list(range(width)) else None
    cells = [
        cell.model_copy(
            update={
                "column": places[cell.column],
                "column_span": places[cell.column + cell.column_span - 1] - places[cell.column] + 1,
            }
        )
        for cell in below.cells
    ]
    height = max(cell.row + cell.row_span for cell in cells)
    missing = [column for column in range(width) if column not in places]
    heads = 1 + max((cell.row + cell.row_span - 1 for cell in cells if cell.heading), default=-1)
    cells += [Cell(text="", row=row, column=column) for column in missing for row in range(heads, height)]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return _as_blocks(above, below, cells)


def _as_blocks(above: PdfTable, below: PdfTable, cells: Sequence[Cell]) -> PdfTable:
    """The lower piece with its cells, blocks that stand side by side one below the other as in the upper one."""
    if above.blocks > 1 and below.blocks == 1:
        cells = unfolded(cells, above.blocks, len(above.columns) - 1)
    return replace(below, cells=tuple(cells))


def _places(above: PdfTable, below: PdfTable, shift: float) -> list[int] | None:
    """The column above each column below, if their words stand in line, and in no other column."""
    found: list[int] = []
    for x0, x1 in below.extents:
        left, right = x0 - shift, x1 - shift
        middle = (left + right) / 2
        at = next((at for at, (a, b) in enumerate(pairwise(above.columns)) if a <= middle < b), None)
        if at is None or (found and at <= found[-1]):
            return None
        reached = [column for column, (a, b) in enumerate(above.extents) if min(right, b) > max(left, a)]
        if reached != [at]:
            return None
        found.append(at)
    return found if found and found[0] == 0 else None


# Headings


def _same_headings(above: PdfTable, below: PdfTable) -> bool:
    """Whether what heads the lower piece, if it is known, heads the upper one, too."""
    heads = [_plain(cell.text) for cell in below.cells if cell.heading]
    known = [_plain(cell.text) for cell in above.cells if cell.heading]
    return not heads or not known or heads == known


def _counts_on(above: PdfTable, below: PdfTable, *, sure: bool = False) -> bool:
    """Whether the names of rows, where they are numbers, count on from those of the page before.

    `sure` asks for numbers on both pages.
    """
    last = [count for cell in above.cells if cell.column == 0 and (count := count_of(cell.text)) is not None]
    first = [count for cell in below.cells if cell.column == 0 and (count := count_of(cell.text)) is not None]
    if not (last and first):
        return not sure
    return first[0] > last[-1]


def _repeated_rows(above: Sequence[Cell], below: Sequence[Cell]) -> int:
    rows_above, rows_below = _rows(above), _rows(below)
    repeated = 0
    while repeated < min(len(rows_above), len(rows_below)) - 1 and rows_above[repeated] == rows_below[repeated]:
        repeated += 1
    return 0 if any(cell.row < repeated < cell.row + cell.row_span for cell in below) else repeated


def _rows(cells: Iterable[Cell]) -> list[tuple[tuple[int, int, int, str], ...]]:
    rows: defaultdict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for cell in cells:
        rows[cell.row].append((cell.column, cell.row_span, cell.column_span, _plain(cell.text)))
    return [tuple(rows[row]) for row in range(max(rows) + 1)]


def _plain(text: str) -> str:
    return _REPEATED.sub("", text)


# Rows that the page's end breaks


def _last_row(table: PdfTable) -> dict[int, Cell]:
    """The cells that end a table, by their first column."""
    height = max(cell.row + cell.row_span for cell in table.cells)
    return {cell.column: cell for cell in table.cells if cell.row + cell.row_span == height}


def _first_row(cells: Iterable[Cell]) -> dict[int, Cell]:
    return {cell.column: cell for cell in cells if cell.row == 0}


def _is_broken_row(above: PdfTable, below: Sequence[Cell]) -> bool:
    """Whether the first row below is the rest of the last one above.

    Its name has to be missing, and something has to show that the page's end broke a text: the row has no rule below
    it, a full line ends without a full stop, or the rest begins as no text does.
    """
    upper, lower = _last_row(above), _first_row(below)
    if not lower or upper.keys() != lower.keys() or any(cell.heading for cell in (*upper.values(), *lower.values())):
        return False
    if any(upper[column].column_span != cell.column_span for column, cell in lower.items()):
        return False
    if lower[min(lower)].text or not upper[min(upper)].text:
        return False
    if above.open_end:
        return True
    return any(
        (column in above.full and _UNFINISHED.search(upper[column].text) is not None)
        or _GOES_ON.match(cell.text) is not None
        or upper[column].text.endswith(("、", "，"))
        for column, cell in lower.items()
        if cell.text and upper[column].text
    )


def _mended(above: Sequence[Cell], below: Sequence[Cell], height: int) -> tuple[list[Cell], list[Cell]]:
    """The upper cells with the rest of their last row, and the lower ones without it."""
    rest = _first_row(below)
    cells = [
        cell.model_copy(update={"text": _whole(cell.text, rest[cell.column].text)})
        if cell.row + cell.row_span == height and cell.column in rest
        else cell
        for cell in above
    ]
    # A cell that reaches further down below has begun above: what it reaches over is one row less.
    reaching = [cell for cell in rest.values() if cell.row_span > 1]
    moved = [cell.model_copy(update={"row": cell.row - 1}) for cell in below if cell.row > 0]
    moved += [cell.model_copy(update={"text": "", "row": 0, "row_span": cell.row_span - 1}) for cell in reaching]
    return cells, sorted(moved, key=lambda cell: (cell.row, cell.column))


def _whole(above: str, below: str) -> str:
    if not (above and below):
        return above or below
    return joined_words(above, below) if _UNFINISHED.search(above) else f"{above}\n{below}"


def _with_group(above: PdfTable, below: Sequence[Cell]) -> list[Cell]:
    """The lower cells with the name of the group that the page's end breaks: it stands in the upper piece only."""
    upper, lower = _last_row(above), _first_row(below)
    names: Mapping[int, str] = {}
    first = lower.get(0)
    own = upper.get(0)
    if first is not None and own is not None and not first.text and own.text and not own.heading:
        unnamed = [cell for cell in above.cells if cell.column == 0 and not cell.text]
        if not unnamed and any(cell.text for cell in lower.values()):
            names = {0: own.text}
    return [
        cell.model_copy(update={"text": names[cell.column]}) if cell.row == 0 and cell.column in names else cell
        for cell in below
    ]
