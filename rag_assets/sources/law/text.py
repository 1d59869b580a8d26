"""The inside of law XML: paragraphs, items, lists, tables and formulas as Blocks.

Follows the e-Gov 法令標準XMLスキーマ, version 3. Which element becomes a record does not belong here.
"""

import re
from collections.abc import Iterator

from rag_assets.japanese.characters import CIRCLED_TO_20
from rag_assets.japanese.raised import write_lowered, write_raised
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import Block, Cell, Table, TextBlock
from rag_assets.sources.law.tables import BorderedCell, Borders, merge_by_borders
from rag_assets.sources.law.xml import Element, local_name
from rag_assets.sources.tables import place_cells

FIGURE = "（図：元の法令を参照）"
"""Stands where the law has an image, which has no words."""

_SUBITEM = re.compile(r"(?:Subitem|Sublist)[0-9]+")
_TITLED = frozenset(
    {
        *("Paragraph", "Item", "List", "Class", "Remarks", "Article"),
        *("Part", "Chapter", "Section", "Subsection", "Division"),
    }
)
_CONTAINERS = frozenset(
    {
        *("AmendProvision", "AmendProvisionSentence", "NewProvision", "FigStruct", "StyleStruct", "Style"),
        *("NoteStruct", "Note", "FormatStruct", "Format", "TableStruct", "Table", "SupplNote", "LawBody"),
        *("MainProvision", "SupplProvision", "Preamble", "TOC", "AppdxTable", "AppdxNote", "AppdxStyle", "Appdx"),
        *("AppdxFig", "AppdxFormat", "SupplProvisionAppdxTable", "SupplProvisionAppdxStyle", "SupplProvisionAppdx"),
        *("RelatedArticleNum", "EnactStatement", "LawTitle"),
    }
)
_MARKS = ("Title", "Num", "Label")
_LONGEST_SPAN = 200
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def words(element: Element) -> str:
    """The words of an element on one line: without the reading of ruby, images told, exponents raised (10²)."""
    return one_line(_inline(element))


def has_no_printed_number(paragraph: Element) -> bool:
    """Whether a paragraph is of an old law that prints no numbers, so that its number comes from the XML alone."""
    return paragraph.get("OldNum") == "true" and not _marks(paragraph) and _position(paragraph) > 1


def blocks(element: Element, depth: int = 0) -> Iterator[Block]:
    """An element as blocks in reading order.

    A paragraph's own words stand at the depth given, its items one deeper, their subitems deeper still; each begins
    with its number as the law writes it (２, 一, イ). Of an old law without printed numbers the second paragraph on
    are numbered ②, ③, as e-Gov prints them. Unknown elements give their words.
    """
    name = local_name(element)
    if name == "Table":
        table = _table(element, "")
        if table is not None:
            yield table
    elif name == "TableStruct":
        yield from _table_struct(element, depth)
    elif name in _TITLED or _SUBITEM.fullmatch(name):
        yield from _read_titled(element, name, depth)
    else:
        yield from _flow(element, depth, "note" if name == "SupplNote" else "paragraph")


def _inline(element: Element) -> str:
    name = local_name(element)
    if name == "Rt":
        return ""
    if name == "Fig":
        return FIGURE
    if name in ("Sup", "Sub"):
        return (write_raised if name == "Sup" else write_lowered)("".join(element.itertext()))
    # Blocks inside a sentence (a quoted table, a quoted article) are parted from their neighbours.
    apart = "\u3000" if name in ("TableColumn", "TableHeaderColumn", "Column") or _is_block(name) else ""
    text = (element.text or "") if name else ""
    return apart + text + "".join(_inline(child) + (child.tail or "") for child in element if name) + apart


def _is_block(name: str) -> bool:
    return name in _TITLED or name in _CONTAINERS or _SUBITEM.fullmatch(name) is not None


def _read_titled(element: Element, name: str, depth: int) -> Iterator[Block]:
    """What has a number or name and words of its own, and more below: 「二　次に掲げる者」."""
    sentence: list[Element] = []
    below: list[Element] = []
    for child in element:
        child_name = local_name(child)
        if child_name.endswith("Caption"):
            yield from _text_block(words(child), depth, "paragraph")
        elif child_name in ("Sentence", "Column"):
            sentence.append(child)
        elif child_name.endswith("Sentence") and child_name != "AmendProvisionSentence":
            sentence += [part for part in child if local_name(part) != "Table"] or ([child] if child.text else [])
            below += [part for part in child if local_name(part) == "Table"]
        elif child_name and not child_name.endswith(_MARKS):
            below.append(child)
    # Columns, which the law sets apart by a blank, stand one behind the other like sentences.
    words_of_its_own = one_line("".join(map(_inline, sentence)))
    text = "\u3000".join(filter(None, (*_numbers(element), words_of_its_own)))
    yield from _text_block(text, depth, _block_kind(name))
    for child in below:
        yield from blocks(child, depth + (1 if text else 0))


def _block_kind(name: str) -> str:
    if name in ("Item", "List") or _SUBITEM.fullmatch(name):
        return "item"
    return "note" if name == "Remarks" else "paragraph"


def _numbers(element: Element) -> list[str]:
    if has_no_printed_number(element):
        position = _position(element)
        return [CIRCLED_TO_20[position - 1] if position <= 20 else str(position).translate(_FULL_WIDTH)]
    return _marks(element)


def _marks(element: Element) -> list[str]:
    return [mark for child in element if local_name(child).endswith(_MARKS) and (mark := words(child))]


def _position(paragraph: Element) -> int:
    number = paragraph.get("Num", "")
    return int(number) if number.isascii() and number.isdigit() else 0


def _flow(element: Element, depth: int, kind: str) -> Iterator[Block]:
    """Words and blocks as they come; words between two blocks are one block."""
    if local_name(element) == "Fig":
        yield from _text_block(FIGURE, depth, kind)
        return
    run = element.text or ""
    for child in element:
        name = local_name(child)
        if _is_block(name):
            yield from _text_block(one_line(run), depth, kind)
            run = ""
            yield from blocks(child, depth)
        elif name.endswith(("Title", "Label", "Caption")):
            yield from _text_block(one_line(run), depth, kind)
            yield from _text_block(words(child), depth, kind)
            run = ""
        elif name:
            run += _set_apart(run, _inline(child))
        run += child.tail or ""
    yield from _text_block(one_line(run), depth, kind)


def _set_apart(before: str, sentence: str) -> str:
    """A further sentence of a cell, which the law sets on a new line, kept from running into the one before."""
    touching = not before.strip() or before.rstrip().endswith("。") or sentence.startswith(("（", "("))
    return sentence if touching else f"\u3000{sentence}"


def _text_block(text: str, depth: int, kind: str) -> Iterator[TextBlock]:
    if text:
        yield TextBlock.model_validate({"kind": kind, "text": text, "depth": depth})


def _table_struct(element: Element, depth: int) -> Iterator[Block]:
    title = "\u3000".join(_marks(element))
    for child in element:
        name = local_name(child)
        if name == "Table":
            table = _table(child, title)
            title = ""
            if table is not None:
                yield table
        elif name and not name.endswith(_MARKS):
            yield from blocks(child, depth)
    yield from _text_block(title, depth, "paragraph")


def _table(element: Element, caption: str) -> Table | None:
    """The table with spans resolved: a rowspan is clipped to the table, a colspan to the columns that are free.

    Cells that have no line between them are one, see `tables.py`.
    """
    rows = [row for row in element if local_name(row).endswith("Row")]
    spans = (
        [(cell, min(_span(cell, "rowspan"), left), _span(cell, "colspan")) for cell in row if local_name(cell)]
        for row, left in zip(rows, range(len(rows), 0, -1), strict=True)
    )
    cells = [
        BorderedCell(
            Cell(text=_cell_text(cell), heading=local_name(cell) == "TableHeaderColumn", **place._asdict()),
            _borders(cell),
        )
        for cell, place in place_cells(spans)
    ]
    if not any(each.cell.text for each in cells):
        return None
    return Table(caption=caption, cells=merge_by_borders(cells, lambda before, text: before + _set_apart(before, text)))


def _borders(cell: Element) -> Borders:
    sides = ("Top", "Bottom", "Left", "Right")
    return Borders(*(cell.get(f"Border{side}", "solid").strip().lower() for side in sides))


def _span(cell: Element, attribute: str) -> int:
    number = cell.get(attribute, "")
    return min(max(int(number), 1), _LONGEST_SPAN) if number.isascii() and number.isdigit() else 1


def _cell_text(cell: Element) -> str:
    texts: list[str] = []
    for block in _flow(cell, 0, "paragraph"):
        if isinstance(block, TextBlock):
            texts.append(block.text)
        else:
            texts += filter(None, (block.caption, *(inner.text for inner in block.cells)))
    return "\u3000".join(texts)
