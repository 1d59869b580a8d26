"""Hypothesis strategies for the words of the domain, and short ways to write them down in examples."""

from collections.abc import Iterable

from hypothesis import strategies as st

from rag_assets.model import Block, Cell, Record, Section, Table, TextBlock

_JAPANESE = "役員や使用人に支給する食事は次の要件を満たすとき給与として課税されません税率カタカナ"
_MARKS = "。、，．（）「」『』【】｜：；！？ー・〜　"
_OTHER = "0123456789０１２%,./-aZé가𠮷が①㈱ "


def lines(*, max_size: int = 120) -> st.SearchStrategy[str]:
    """Text on one line, neither empty nor blank: sentences, marks in odd places, long tokens, long runs."""
    words = st.text(st.sampled_from(_JAPANESE + _MARKS + _OTHER), min_size=1, max_size=max_size)
    token = st.builds(lambda unit, times: unit * times, st.sampled_from("a9Ｘ漢あ。、"), st.integers(1, max_size))
    sentences = st.lists(st.text(st.sampled_from(_JAPANESE), min_size=3, max_size=40), min_size=1, max_size=6).map(
        lambda found: "".join(sentence + "。" for sentence in found)
    )
    return st.one_of(sentences, words, token).map(lambda text: text.strip(" 　") or "。")


def text_blocks(*, max_size: int = 120) -> st.SearchStrategy[TextBlock]:
    """Paragraphs, notes, and list items at any depth up to three."""
    return st.builds(
        TextBlock,
        kind=st.sampled_from(["paragraph", "item", "note"]),
        text=lines(max_size=max_size),
        depth=st.integers(0, 3),
    )


@st.composite
def tables(draw: st.DrawFn, *, max_text: int = 30) -> Table:
    """Tables whose cells, some of them empty, fill a grid with spans; leading rows or any cells may be headings."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    heading_rows = draw(st.integers(0, height))
    ragged = draw(st.booleans())
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row in range(height):
        for column in range(width):
            if (row, column) in taken or (ragged and draw(st.integers(0, 5)) == 0):
                continue
            free = next((c for c in range(column, width) if (row, c) in taken), width) - column
            row_span, column_span = draw(st.integers(1, height - row)), draw(st.integers(1, free))
            taken.update((r, c) for r in range(row, row + row_span) for c in range(column, column + column_span))
            cells.append(
                Cell(
                    text=draw(st.one_of(st.just(""), lines(max_size=max_text))),
                    row=row,
                    column=column,
                    row_span=row_span,
                    column_span=column_span,
                    heading=row < heading_rows or draw(st.integers(0, 6)) == 0,
                )
            )
    if not any(cell.text for cell in cells):
        cells = [Cell(text="語", row=0, column=0)]
    return Table(caption=draw(st.one_of(st.just(""), lines(max_size=max_text))), cells=tuple(cells))


def headings(*, max_size: int = 20) -> st.SearchStrategy[tuple[str, ...]]:
    """Heading paths, the empty one included."""
    return st.lists(lines(max_size=max_size), max_size=3).map(tuple)


@st.composite
def sections(draw: st.DrawFn, *, max_size: int = 120, max_heading: int = 20) -> Section:
    """Sections with any mixture of blocks, none at all included."""
    blocks: st.SearchStrategy[Block] = st.one_of(text_blocks(max_size=max_size), tables())
    return Section(
        headings=draw(headings(max_size=max_heading)), blocks=tuple(draw(st.lists(blocks, min_size=0, max_size=4)))
    )


@st.composite
def records(draw: st.DrawFn, *, max_size: int = 120, max_heading: int = 20) -> Record:
    """Records of one to six sections; the words of one may repeat in another."""
    found = draw(st.lists(sections(max_size=max_size, max_heading=max_heading), min_size=1, max_size=6))
    return record(found)


def record(found: Iterable[Section], number: str = "1000", title: str = "食事を支給したとき") -> Record:
    """A record with these sections and nothing else of note."""
    return Record(
        record_id=f"tax_answer/{number}",
        source="tax_answer",
        document="国税庁タックスアンサー",
        number=number,
        label=f"No.{number}",
        title=title,
        origin_sha256="0" * 64,
        sections=tuple(found),
    )


def section(heading: str | tuple[str, ...], *texts: str | Block) -> Section:
    """A section of paragraphs, or of the blocks given."""
    path = (heading,) if isinstance(heading, str) else heading
    blocks = tuple(TextBlock(text=text) if isinstance(text, str) else text for text in texts)
    return Section(headings=path, blocks=blocks)


def table(*rows: str, caption: str = "", heading_rows: int = 1) -> Table:
    """A table without spans, its rows written as "区分｜税率"."""
    cells = [
        Cell(text=text, row=row, column=column, heading=row < heading_rows)
        for row, line in enumerate(rows)
        for column, text in enumerate(line.split("｜"))
    ]
    return Table(caption=caption, cells=tuple(cells))
