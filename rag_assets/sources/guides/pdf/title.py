"""The title of a guide: the largest lines of its first page, or its title property where they say the same.

Dates, editions and senders on the title page stay text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.japanese.whitespace import close_spaced, one_line
from rag_assets.sources.guides.pdf.contents import comparable
from rag_assets.sources.guides.pdf.flow import GuideFlow, GuideLine
from rag_assets.sources.guides.pdf.headings import is_date_line
from rag_assets.sources.guides.pdf.numbering import find_numbering
from rag_assets.sources.pdf.pages import joined_words

_LARGER = 1.1
_SAME_SIZE = 0.3
_FEW = 12
"""Lines of text on a page, at most, that is nothing but a title page."""
_TITLE_LINES = 5
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class GuideTitle:
    """What a document calls itself, and the positions of the lines that say so; empty where nothing does."""

    text: str = ""
    positions: frozenset[int] = frozenset()


def find_title(flow: GuideFlow, contents: frozenset[int], told: str) -> GuideTitle:
    """The title on the first page with text.

    Args:
        flow: The document.
        contents: Positions of its table of contents.
        told: Its title property, which many programs fill with something else.
    """
    lines = {at: part for at, part in enumerate(flow.parts) if isinstance(part, GuideLine) and at not in contents}
    if not lines:
        return GuideTitle()
    first = min(line.line.page for line in lines.values())
    page = [at for at, line in lines.items() if line.line.page == first]
    return _told_title(lines, page, told) or _largest_lines(flow, lines, page) or GuideTitle()


def _told_title(lines: dict[int, GuideLine], page: Sequence[int], told: str) -> GuideTitle | None:
    """The lines of the first page that say what the title property says."""
    wanted = comparable(told)
    for start, at in enumerate(page):
        said = ""
        for stop in range(start, min(start + _TITLE_LINES, len(page))):
            said += comparable(lines[page[stop]].text)
            if said == wanted:
                return _title(lines, page[start : stop + 1])
            if not wanted.startswith(said):
                break
        if find_numbering(lines[at].text) is not None:
            break
    return None


def _largest_lines(flow: GuideFlow, lines: dict[int, GuideLine], page: Sequence[int]) -> GuideTitle | None:
    largest = max(lines[at].line.size for at in page)
    if largest < _LARGER * flow.size:
        return _centred_head(lines, page)
    start = next(position for position, at in enumerate(page) if lines[at].line.size >= largest - _SAME_SIZE)
    stop = start + 1
    while stop < len(page) and page[stop] == page[stop - 1] + 1 and _goes_on(lines[page[stop - 1]], lines[page[stop]]):
        stop += 1
    found = page[start:stop]
    elsewhere = [
        line
        for at, line in lines.items()
        if at not in found and abs(line.line.size - largest) <= _SAME_SIZE and line.weight == lines[found[0]].weight
    ]
    numbered = find_numbering(lines[found[0]].text)
    is_cover = len(page) <= _FEW and all(line.line.page != lines[page[0]].line.page for line in elsewhere)
    centred = lines[found[0]].is_centred and not any(line.is_centred for line in elsewhere)
    if (numbered and numbered.number) or (elsewhere and not is_cover and not centred):
        return None
    return _title(lines, found) if sum(len(lines[at].text) for at in found) <= _LONGEST else None


def _goes_on(above: GuideLine, line: GuideLine) -> bool:
    near = line.line.bottom - above.line.bottom < 2.2 * line.line.size
    return near and abs(line.line.size - above.line.size) <= _SAME_SIZE and not is_date_line(line.text)


def _centred_head(lines: dict[int, GuideLine], page: Sequence[int]) -> GuideTitle | None:
    """The first line of a document in letters of one size, where it stands in the middle and nothing numbers it."""
    first = lines[page[0]]
    if not first.is_centred or find_numbering(first.text) or is_date_line(first.text) or "。" in first.text:
        return None
    return _title(lines, page[:1])


def _title(lines: dict[int, GuideLine], positions: Sequence[int]) -> GuideTitle:
    text = ""
    for at in positions:
        text = joined_words(text, lines[at].text)
    return GuideTitle(close_spaced(one_line(text)), frozenset(positions))
