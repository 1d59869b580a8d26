"""Lines that hold figures and nothing that says of what: rows of a table that could not be read.

A pay table read line by line (「1　148,300　189,800」) gives every number, and none that can be used.
"""

import re
from collections.abc import Sequence

from rag_assets.corpus.text_layout import LineStretch, TextLayout
from rag_assets.japanese.widths import half_width

_FEWEST = 4
"""Figures that stand together without a heading, at least: one or two are a number of something said before."""
_UNIT = r"(?:[千万億]?円|日|時間|分|%|点|人|回)"
_NUMBER = r"\d[\d,.]*"
_STEP = r"\d{1,3}(?:号給?|号俸|級|等級)|[一二三四五六七八九十]{1,3}"
_FIGURE = re.compile(rf"[※*]?[△▲-]?{_NUMBER}(?:{_UNIT}{_NUMBER})*{_UNIT}?|{_STEP}")
_NO_FIGURE = re.compile(r"[千万億]?円|[-–—―ー…〃※*]+")
_BETWEEN = re.compile(r"[\s|／/]+")
_AMOUNT = re.compile(r"[△▲-]?\d{1,3}(?:,\d{3})+(?:[千万億]?円)?")
_BRACKETED = re.compile(r"\([^()]*\)")
_GRADES = re.compile(r"(?<!\d)\d{1,2}(?:級|等級)(?!以上|以下|から|まで|又は|及び|～|~|・|、)")
_GRADE = re.compile(r"\d+ ?(?:級|等級)|級$")


class BareFigures:
    """Finds the rows of bare figures of a text; each line is looked at once, however many passages are cut from it."""

    def __init__(self, layout: TextLayout) -> None:
        self._layout = layout
        self._counts: dict[int, int] = {}

    def rows_between(self, start: int, end: int) -> list[str]:
        """The lines of a stretch of the text that are such rows, where enough figures of them stand together."""
        found: list[str] = []
        run: list[str] = []
        count = 0
        for line in self._layout.lines_between(start, end):
            figures = self._count(line)
            if figures:
                run.append(self._layout.text[line.start : line.end])
                count += figures
                continue
            if count >= _FEWEST:
                found.extend(run)
            run, count = [], 0
        return found + run if count >= _FEWEST else found

    def _count(self, line: LineStretch) -> int:
        if line.start not in self._counts:
            self._counts[line.start] = _bare(self._layout.text, line)
        return self._counts[line.start]


def _bare(text: str, line: LineStretch) -> int:
    """How many figures of a line have no heading and no name beside them."""
    cells = [half_width(text[words.start : words.end]) for words in line.words]
    if not cells:
        words = half_width(text[line.start : line.end])
        return _count(words)
    if any(words.headings for words in line.words):
        headings = [words.headings for words in line.words]
        return (
            max(map(_several, cells), default=0)
            or _nameless(cells, headings)
            or _glued(cells, headings)
            or _headed_alike(cells, headings)
        )
    return sum(map(_count, cells)) if len(cells) > 1 and all(map(_count, cells)) else max(map(_several, cells))


def _count(words: str) -> int:
    """How many figures words are; 0 if they are anything else."""
    found = [word for word in _BETWEEN.split(words) if word]
    figures = [word for word in found if _FIGURE.fullmatch(word)]
    others = [word for word in found if not _FIGURE.fullmatch(word)]
    return len(figures) if all(map(_NO_FIGURE.fullmatch, others)) else 0


def _several(words: str) -> int:
    """How many figures stand in one cell, as where rows or columns could not be parted; 0 for a few."""
    count = _count(words)
    return count if count >= _FEWEST else 0


def _glued(cells: Sequence[str], headings: Sequence[tuple[str, ...]]) -> int:
    """How many figures stand under headings of several columns in one: 「1級　2級　3級」, 「月額　月額」."""
    return sum(
        _count(cell) * _FEWEST for cell, own in zip(cells, headings, strict=True) if any(map(_is_several_headings, own))
    )


def _headed_alike(cells: Sequence[str], headings: Sequence[tuple[str, ...]]) -> int:
    """How many figures a row has that stand under one heading, all of them: it tells none from another."""
    alike = len(cells) > 1 and len(set(headings)) == 1 and all(map(_count, cells))
    return sum(map(_count, cells)) if alike else 0


def _is_several_headings(heading: str) -> bool:
    words = [_BRACKETED.sub("", word) for word in half_width(heading).split()]
    makes = [re.sub(r"\d+", "0", word) for word in words if word]
    return len(set(makes)) < len(makes) or len(_GRADES.findall(half_width(heading))) > 1


def _nameless(cells: Sequence[str], headings: Sequence[tuple[str, ...]]) -> int:
    """How many amounts stand under grades in a row that has no step."""
    graded = all(any(_GRADE.search(half_width(heading)) for heading in own) for own in headings)
    return len(cells) * _FEWEST if graded and len(cells) > 1 and all(map(_AMOUNT.fullmatch, cells)) else 0
