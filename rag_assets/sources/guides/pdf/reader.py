"""A guide as PDF: a guideline, manual or rule book whose headings are told by numbers, size, weight and its own lists.

The order of reading is here; its steps are in the modules `pdf_*.py`, pages and tables in `sources/pdf/`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from rag_assets.japanese.whitespace import close_spaced
from rag_assets.sources.base import Finding
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.pdf.blocks import BlockReader
from rag_assets.sources.guides.pdf.contents import (
    GuideContents,
    ListedLines,
    find_listed_lines,
    read_bookmarks,
    read_contents,
)
from rag_assets.sources.guides.pdf.flow import FlowPart, GuideFlow, GuideLine, read_flow
from rag_assets.sources.guides.pdf.headings import FoundHeading, find_headings
from rag_assets.sources.guides.pdf.levels import find_levels
from rag_assets.sources.guides.pdf.title import find_title
from rag_assets.sources.pdf.pages import read_pages
from rag_assets.sources.pdf.properties import read_properties
from rag_assets.sources.pdf.remarks import pages_in_words


def read_pdf(file: BinaryIO, *, picture_pages: tuple[int, ...] = ()) -> GuideDocument:
    """What a PDF says, as headings and blocks in reading order.

    All of its text is in memory: which lines are headings shows only over the whole.

    Args:
        file: The PDF, open for reading in binary mode and seekable.
        picture_pages: Pages, from 1, that may be pictures only, since nothing on them is to be read.

    Raises:
        DocumentError: It is no PDF, is damaged or protected, or has no text that can be read.
    """
    findings: list[Finding] = []
    properties = read_properties(file)
    flow = read_flow(read_pages(file, picture_pages=picture_pages, findings=findings))
    contents = read_contents(flow.parts)
    title = find_title(flow, contents.positions, properties.title)
    lines = {
        at: part
        for at, part in enumerate(flow.parts)
        if isinstance(part, GuideLine) and at not in contents.positions and at not in title.positions
    }
    marked = find_listed_lines(read_bookmarks(properties.bookmarks), lines)
    entered = find_listed_lines(contents.headings, lines)
    listed = marked if len(marked) >= len(entered) else entered
    headings = find_headings(flow, lines, listed)
    if contents.positions:
        findings.append(_describe_contents(contents, flow, entered))
    left_out = contents.positions | title.positions
    return GuideDocument(
        parts=tuple(_read_parts(flow, headings, left_out)),
        title=title.text,
        modified_on=properties.changed_on,
        findings=tuple(findings),
    )


def _read_parts(
    flow: GuideFlow, headings: Sequence[FoundHeading], left_out: frozenset[int]
) -> Iterator[Heading | BodyBlock]:
    blocks = BlockReader(flow)
    text: list[FlowPart] = []
    stop = 0
    for heading, level in zip(headings, find_levels(headings, flow.size), strict=True):
        text += _between(flow, stop, heading.positions[0], left_out)
        yield from blocks.read(text, heading.page)
        yield Heading(level, close_spaced(heading.text), page=heading.page)
        stop = heading.positions[-1] + 1
        text = []
        if heading.rest is not None:
            last = flow.parts[stop - 1]
            assert isinstance(last, GuideLine)
            text.append(GuideLine(heading.rest, last.frame, last.left, last.right, last.gap, last.weight))
    text += _between(flow, stop, len(flow.parts), left_out)
    yield from blocks.read(text, None)


def _between(flow: GuideFlow, start: int, stop: int, left_out: frozenset[int]) -> list[FlowPart]:
    return [flow.parts[at] for at in range(start, stop) if at not in left_out]


def _describe_contents(contents: GuideContents, flow: GuideFlow, entered: Mapping[int, ListedLines]) -> Finding:
    pages = {part.line.page for at in contents.positions if isinstance(part := flow.parts[at], GuideLine)}
    return Finding(
        kind="note",
        topic="table of contents",
        place=pages_in_words(pages),
        message=(
            f"left out of the text: its {len(contents.headings)} entries tell the headings; "
            f"{len(entered)} of them are found as such in the text"
        ),
    )
