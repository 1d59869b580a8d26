"""Printed lines into paragraphs: which line breaks are only where the paper ended.

By position alone, and a few marks that open paragraphs in Japanese documents; what a paragraph means is its source's.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from statistics import median

from rag_assets.sources.pdf.lines import PdfLine

_SENTENCE_ENDS = "。．！？!?"
_CARRIES_ON = ("、", "，", ",")
_CLOSING = "」』）)】］]〕》〉”’"
_OPENING = re.compile(
    r"[・●○◆◇■□▪▶▷※→◎☆★]"
    r"|[①-⓿❶-➓⑴-⒵㈠-㉇]"
    r"|[（(［\[〔](?:[0-9０-９一二三四五六七八九十]{1,3}|[ア-ンｱ-ﾝa-zA-Zａ-ｚＡ-Ｚ]|注[0-9０-９]*|例[0-9０-９]*|参考[0-9０-９]*)[）)］\]〕]"
    r"|【|[0-9０-９]{1,2}[)）]"
    r"|(?:[0-9０-９]{1,3}|[一二三四五六七八九十]{1,3}|[ア-ンイ-ンa-zA-Z])[\u3000．.]"
    r"|第[0-9０-９一二三四五六七八九十百]+[条章節款編部]"
)
"""What opens an item, note or heading; it decides only where position leaves both open."""
_SURE_OPENING = re.compile(r"[・●○◆◇■□▪▶▷※→◎☆★]|\S{1,5}[\u3000．]")
"""Of these, what does not stand inside a sentence as 「①及び②」 does."""
_NOT_FIRST = "、。，．,.・：；:;？！?!ー々ゝゞぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ」』）)】］]〕〉》”’…‥"
"""Characters that may not begin a line."""
_UNBROKEN = re.compile(rf"[「『（(【［\[〔〈《“‘]*(?:[!-~]+|.)[{re.escape(_NOT_FIRST)}]*")
_LETTER = r"[A-Za-z0-9\u00c0-\u024f]"
_LATIN_END = re.compile(rf"{_LETTER}[,;]?$")
_LATIN_START = re.compile(_LETTER)
_NUMBER_END = re.compile(r"\d,$")
_ADDRESS_END = re.compile(r"://[!-~]*$")
_SPREAD = 0.4
"""Em that a full line may lack besides: lines are not always spread to the edge."""
_STANDS_IN = 0.7
"""Em from the margin from which a first line is indented."""
_SAME_INDENT = 0.4
"""Em by which line starts at one indent differ."""
_HANG = 4.5
"""Em by which the further lines of an item stand in at most: 「（注１）　」."""
_PARAGRAPH_GAP = 1.3
"""Distance from line to line, against the usual one, from which a paragraph ends."""
_SAME_SIZE = 1.12
_HANGING = 14
"""Points by which lines with hanging punctuation are longer than the others."""


def paragraphs(
    lines: Sequence[PdfLine],
    *,
    left: float | None = None,
    right: float | None = None,
    pitch: float | None = None,
) -> list[tuple[PdfLine, ...]]:
    """Lines grouped as paragraphs, in order; `joined_text` gives the words of one.

    A line goes on with the one before if that one is full (the next line's first character had no room on it) and
    nothing speaks for a new start: a further indent than the paragraph's lines have, another size, a wider distance.
    A paragraph goes on over the page likewise.

    Args:
        lines: In reading order, without running headers, as `PdfPage.lines` and `PdfTable.lines` have them.
        left: Where text begins that is not indented, in points; None takes the leftmost line.
        right: Where full lines end; None takes the end of the longest line, without marks that hang over.
        pitch: The usual distance of a paragraph's lines; None takes the median of these lines.
    """
    if not lines:
        return []
    margin = min(line.x0 for line in lines) if left is None else left
    edge = _right_edge(lines) if right is None else right
    usual = _pitch(lines) if pitch is None else pitch
    groups: list[list[PdfLine]] = [[lines[0]]]
    for line in lines[1:]:
        if _goes_on(groups[-1], line, margin, edge, usual):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [tuple(group) for group in groups]


def joined_text(lines: Sequence[PdfLine]) -> str:
    """The lines of a paragraph as one, each joined with `joined_words`."""
    return reduce(joined_words, (line.text for line in lines), "")


def joined_words(before: str, after: str) -> str:
    """Two pieces of text that a line break parts, as one.

    Nothing stands between Japanese, one blank between Latin words and numbers, none inside a web address. A number
    broken behind its comma (1,|000) is one.
    """
    meet = _LATIN_END.search(before) and _LATIN_START.match(after)
    whole = _ADDRESS_END.search(before) or (_NUMBER_END.search(before) and after[:1].isdigit())
    return f"{before}{' ' if meet and not whole else ''}{after}"


def find_usual_edge(lines: Sequence[PdfLine]) -> float:
    """Where most of the longest lines end, in points; a few reach further (punctuation that hangs). 0 for no lines."""
    ends = Counter(round(line.x1) for line in lines)
    if not ends:
        return 0.0
    widest = max(ends)
    return float(max((end for end in ends if end >= widest - _HANGING), key=lambda end: (ends[end], end)))


def _right_edge(lines: Sequence[PdfLine]) -> float:
    """Where full lines end, but for marks that may hang over it."""
    return max(line.x1 - line.size * _hanging(line.text) for line in lines)


def _hanging(text: str) -> float:
    """Em that the marks at a line's end take which may not begin the next one."""
    marks = text[len(text.rstrip(_NOT_FIRST)) :]
    return sum(0.5 if mark.isascii() else 1.0 for mark in marks) if len(marks) < len(text) else 0.0


def _pitch(lines: Sequence[PdfLine]) -> float | None:
    """The usual distance from baseline to baseline; None where there is none to be seen."""
    steps = [
        below.bottom - above.bottom
        for above, below in pairwise(lines)
        if above.page == below.page and 0.5 * above.size < below.bottom - above.bottom < 3 * above.size
    ]
    return median(steps) if steps else None


def _goes_on(group: Sequence[PdfLine], line: PdfLine, margin: float, edge: float, pitch: float | None) -> bool:
    """Whether a line belongs to the paragraph of those before it."""
    first, before = group[0], group[-1]
    if not _is_next(before, line, pitch):
        return False
    size = before.size
    indent = (line.x0 - first.x0) / size
    full = before.x1 + _room(line, size) > edge
    ended = before.text.rstrip(_CLOSING).endswith(tuple(_SENTENCE_ENDS))
    unfinished = before.text.endswith(_CARRIES_ON)
    opens = _OPENING.match(line.text) is not None
    flush = abs(indent) <= _SAME_INDENT
    if opens and (ended or (flush and (_OPENING.match(first.text) or _SURE_OPENING.match(line.text)))):
        return False
    reaches = full or (unfinished and not opens)
    if len(group) > 1:
        return reaches and abs(line.x0 - group[1].x0) <= _SAME_INDENT * size
    if indent < -_SAME_INDENT:
        # The first line stood in, so that what begins at the margin goes on: even after a break that was set by hand.
        return full or unfinished or not (ended or opens)
    if not reaches:
        return False
    if indent > _SAME_INDENT:
        return indent <= _HANG and (not ended or _OPENING.match(first.text) is not None)
    stood_in = first.x0 - margin > _STANDS_IN * size and _OPENING.match(first.text) is None
    return not (ended and stood_in)


def _is_next(before: PdfLine, line: PdfLine, pitch: float | None) -> bool:
    """Whether a line is of the same size as the one before it and follows it at the usual distance."""
    if not before.size / _SAME_SIZE <= line.size <= before.size * _SAME_SIZE:
        return False
    if line.page != before.page:
        return True
    step = line.bottom - before.bottom
    return step > 0.5 * before.size and (pitch is None or step <= _PARAGRAPH_GAP * pitch)


def _room(line: PdfLine, size: float) -> float:
    """What the beginning of a line would have needed on the line before.

    Marks that may not begin a line are kept with the character before them, opening ones with the one after them
    (JIS X 4051), and Latin words and numbers are not broken.
    """
    start = _UNBROKEN.match(line.text)
    needed = sum(0.5 if character.isascii() else 1.0 for character in start[0]) if start else 1.0
    return (needed + _SPREAD) * size
