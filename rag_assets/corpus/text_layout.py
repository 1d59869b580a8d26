"""A record's text by positions: where a line, sentence or cell begins and ends, and which cell's words stand where.

For those who look at a finished passage and ask where it was cut; cutting itself belongs in chunking.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from rag_assets.corpus.record_text import RecordLine, lines_of, plain_lines
from rag_assets.corpus.table_text import FIELD_BAR, CellWords, PlacedLine
from rag_assets.japanese.sentences import is_sentence_end, sentences
from rag_assets.model import Record

_BLANK = " \u3000\n"
_LONGEST_ENDING = 64
"""Characters in which a full stop is looked for before closing brackets and blanks."""


@dataclass(frozen=True, slots=True)
class LineStretch:
    """One line, at its place.

    Attributes:
        start: Position of its first character.
        end: Position behind its last.
        parts: What it is made of, as start and end: the fields or cells of a table row, else the line itself.
        words: The words of table cells in it, with their headings; empty for a line that is no table row.
    """

    start: int
    end: int
    parts: tuple[tuple[int, int], ...]
    words: tuple[CellWords, ...]


class TextLayout:
    """A text and its lines in order; positions count characters from 0."""

    def __init__(self, text: str, lines: list[LineStretch]) -> None:
        self.text = text
        self.lines = lines
        self._starts = [line.start for line in lines]
        self._sentence_ends_of: dict[tuple[int, int], frozenset[int]] = {}

    def begins_well(self, position: int) -> bool:
        """Whether a passage may begin here: a line, a sentence, a field or a cell does. Blanks do not count."""
        while position < len(self.text) and self.text[position] in _BLANK:
            position += 1
        if position >= len(self.text) or self._before_blanks(position) == 0:
            return True
        line = self.line_at(position)
        if self._before_blanks(position) <= line.start:
            return True
        if any(position == start for start, _ in line.parts) or any(position == words.start for words in line.words):
            return True
        return self._sentence_ends(line, self._before_blanks(position))

    def ends_well(self, position: int) -> bool:
        """Whether a passage may end here: a line, a sentence, a field or a cell does. Blanks do not count."""
        position = self._before_blanks(position)
        if position == 0:
            return True
        line = self.line_at(position - 1)
        if position == self._before_blanks(line.end):
            return True
        if any(position == words.end for words in line.words):
            return True
        # A bar behind a field belongs to it.
        if any(position in (end, end + len(FIELD_BAR)) for _, end in line.parts[:-1]):
            return True
        return self._sentence_ends(line, position)

    def line_at(self, position: int) -> LineStretch:
        """The line that holds a position (a line break belongs to the line before it)."""
        return self.lines[max(bisect_right(self._starts, position) - 1, 0)]

    def lines_between(self, start: int, end: int) -> Iterator[LineStretch]:
        """The lines of which anything stands from start up to end."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        for line in self.lines[first : bisect_left(self._starts, end)]:
            if line.end > start:
                yield line

    def _before_blanks(self, position: int) -> int:
        while position > 0 and self.text[position - 1] in _BLANK:
            position -= 1
        return position

    def _sentence_ends(self, line: LineStretch, position: int) -> bool:
        """Whether a sentence of the line ends just before a position: a full stop inside brackets ends none."""
        # Most positions can be told by the characters before them, without taking the sentences apart.
        if not is_sentence_end(self.text[max(line.start, position - _LONGEST_ENDING) : position]):
            return False
        return any(position in self._sentence_ends_in(part) for part in line.parts if part[0] < position <= part[1])

    def _sentence_ends_in(self, part: tuple[int, int]) -> frozenset[int]:
        """Positions behind the sentences of a part of a line; found once, however many passages are cut from it."""
        if part not in self._sentence_ends_of:
            start, end = part
            lengths = accumulate(len(sentence) for sentence in sentences(self.text[start:end]))
            self._sentence_ends_of[part] = frozenset(self._before_blanks(start + length) for length in lengths)
        return self._sentence_ends_of[part]


def prepared_layout(record: Record) -> TextLayout:
    """The layout of `record_text`, which the bodies of prepared chunks are slices of."""
    return _layout((line.text, *_parts_and_words(line)) for line in lines_of(record))


def plain_layout(record: Record) -> TextLayout:
    """The layout of `plain_text`, which is the body of a raw file."""
    return _layout((line.text, _cells(line), line.words) for line in plain_lines(record))


def bare_layout(text: str) -> TextLayout:
    """The layout of any text: its lines, no tables."""
    return _layout((line, ((0, len(line)),), ()) for line in text.split("\n"))


def set_between(before: str, layout: TextLayout, after: str) -> TextLayout:
    """A layout with whole lines put before and after its text; empty ones add nothing."""
    placed = [bare_layout(before)] if before else []
    placed.append(layout)
    placed.extend([bare_layout(after)] if after else [])
    lines: list[LineStretch] = []
    start = 0
    for part in placed:
        lines.extend(_moved(line, start) for line in part.lines)
        start += len(part.text) + 1
    return TextLayout("\n".join(part.text for part in placed), lines)


_Parts = tuple[tuple[int, int], ...]


def _layout(lines: Iterable[tuple[str, _Parts, tuple[CellWords, ...]]]) -> TextLayout:
    texts: list[str] = []
    stretches: list[LineStretch] = []
    start = 0
    for text, parts, words in lines:
        stretches.append(_moved(LineStretch(0, len(text), parts, words), start))
        texts.append(text)
        start += len(text) + 1
    return TextLayout("\n".join(texts), stretches)


def _moved(line: LineStretch, distance: int) -> LineStretch:
    return replace(
        line,
        start=line.start + distance,
        end=line.end + distance,
        parts=tuple((start + distance, end + distance) for start, end in line.parts),
        words=tuple(words.moved(distance) for words in line.words),
    )


def _cells(line: PlacedLine) -> _Parts:
    return tuple((words.start, words.end) for words in line.words) or ((0, len(line.text)),)


def _parts_and_words(line: RecordLine) -> tuple[_Parts, tuple[CellWords, ...]]:
    if line.row is None:
        return ((0, len(line.text)),), ()
    parts: list[tuple[int, int]] = []
    words: list[CellWords] = []
    start = 0
    for field in line.row.fields:
        end = start + len(field.text)
        parts.append((start, end))
        words.extend(own.moved(start) for own in field.words)
        start = end + len(FIELD_BAR)
    return tuple(parts), tuple(words)
