"""Puts what is typed into a PDF page among its characters, each in the line it stands in; takes out what is struck.

A value is spread over its field, as far as its neighbours in the line: a gap beside it would be read as a blank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_assets.sources.pdf.annotations import Annotations, Filled
from rag_assets.sources.pdf.drawings import Edge
from rag_assets.sources.pdf.paint import Paint
from rag_assets.sources.pdf.text import BLANKS, Char, PageText, Run

_TYPED = Paint(0, (None,))
_OVERDRAWN = frozenset("_＿…‥・.．")
"""What forms print for a blank to write on: lines and dots."""
_BOXES = frozenset("□☐■☑◻◽▢○◯")
"""What forms print for a box to tick."""
_BESIDE = 2.0
"""Em within which a character of the line is a value's neighbour."""
_LARGEST = 12.0
"""Points: what viewers choose at most where a field leaves the size to them."""
_PITCH = 1.2


@dataclass(slots=True)
class Filling:
    """What was put in and taken out.

    Attributes:
        values: Values of form fields, in the order of the page's annotations.
        typed: Typed text that fills a gap of a line.
        comments: Typed text that stands elsewhere, and is left out.
        empty: How many fields are not filled in.
        struck: Words that were struck out.
        blanks: Lines under fields that are not filled in, each a blank at the end of a line.
    """

    values: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    empty: int = 0
    struck: list[str] = field(default_factory=list)
    blanks: list[Edge] = field(default_factory=list)


def fill_in(text: PageText, annotations: Annotations) -> Filling:
    """Put the annotations of a page among its characters, which are changed."""
    done = Filling()
    for box in annotations.struck:
        words = take_out_struck(text, box)
        if words:
            done.struck.append(words)
    for filled in annotations.filled:
        beside = _beside(text.chars, filled.box)
        if filled.kind == "tick":
            _tick(text, filled, beside)
        elif filled.kind == "typed" and not (_fills_a_gap(text.chars, filled.box) and beside.run):
            done.comments.append(filled.words)
        elif filled.words:
            (done.values if filled.kind == "field" else done.typed).append(filled.words)
            _write(text, filled, beside)
        else:
            done.empty += 1
            if beside.run:
                height = beside.base + 0.2 * beside.run.size
                done.blanks.append(Edge(filled.box.x0, height, filled.box.x1, height))
    return done


def take_out_struck(text: PageText, box: Edge) -> str:
    """Take the characters inside a box out of a page's text; what they said."""
    struck = [char for char in text.chars if _is_inside(box, char)]
    gone = {id(char) for char in struck}
    text.chars = [char for char in text.chars if id(char) not in gone]
    text.struck.extend(struck)
    return "".join(char.text for char in sorted(struck, key=lambda char: char.x0)).strip(" \u3000")


def _is_inside(box: Edge, char: Char) -> bool:
    x, y = char.middle
    return box.x0 <= x <= box.x1 and box.top <= y <= box.bottom


@dataclass(frozen=True, slots=True)
class _FieldLine:
    """The line that a field stands in: how it is set, and where its neighbours to the left and right end and begin."""

    base: float = 0.0
    run: Run | None = None
    left: float | None = None
    right: float | None = None


def _beside(chars: Sequence[Char], box: Edge) -> _FieldLine:
    middle = (box.top + box.bottom) / 2
    row = [
        char
        for char in chars
        if char.text not in BLANKS
        and not _is_inside(box, char)
        and box.top - 0.3 * char.size < char.base - 0.38 * char.size < box.bottom + 0.3 * char.size
        and abs(char.base - 0.38 * char.size - middle) < max(0.6 * char.size, (box.bottom - box.top) / 2)
    ]
    if not row:
        return _FieldLine()

    def distance(char: Char) -> float:
        return max(box.x0 - char.x1, char.x0 - box.x1, 0.0)

    nearest = min(row, key=distance)
    line = [char for char in row if abs(char.base - nearest.base) < 0.3 * nearest.size]
    reach = _BESIDE * nearest.size
    left = max((char.x1 for char in line if -0.5 * char.size < box.x0 - char.x1 < reach), default=None)
    right = min((char.x0 for char in line if -0.5 * char.size < char.x0 - box.x1 < reach), default=None)
    return _FieldLine(nearest.base, nearest.run, left, right)


def _fills_a_gap(chars: Sequence[Char], box: Edge) -> bool:
    return not any(_is_inside(box, char) for char in chars if char.text not in BLANKS | _OVERDRAWN)


def _tick(text: PageText, filled: Filled, beside: _FieldLine) -> None:
    printed = next((char for char in text.chars if char.text in _BOXES and _is_inside(filled.box, char)), None)
    if printed is not None:
        printed.text = filled.words
        return
    box = filled.box
    size = beside.run.size if beside.run else max(box.bottom - box.top, 1.0)
    run = beside.run or Run(size, "", text.frame.turns, 0.0)
    base = beside.base if beside.run else (box.top + box.bottom) / 2 + 0.38 * size
    left = (box.x0 + box.x1 - size) / 2
    text.chars.append(Char(filled.words, left, left + size, base, size, run, _TYPED, 0))


def _write(text: PageText, filled: Filled, beside: _FieldLine) -> None:
    box = filled.box
    text.chars = [char for char in text.chars if char.text not in BLANKS | _OVERDRAWN or not _is_inside(box, char)]
    height = box.bottom - box.top
    own = filled.size or min(0.7 * height, _LARGEST)
    if beside.run is None or filled.multiline:
        run = Run(own, beside.run.font if beside.run else "", text.frame.turns, 0.0)
        for number, line in enumerate(_broken(filled.words, (box.x1 - box.x0) / own)):
            base = (
                box.top + (0.88 + _PITCH * number) * own
                if filled.multiline
                else (box.top + box.bottom) / 2 + 0.38 * own
            )
            text.chars.extend(_set(line, box.x0, None, base, run))
        return
    left = box.x0 if beside.left is None else beside.left
    text.chars.extend(_set(filled.words, left, beside.right, beside.base, beside.run))


def _set(words: str, left: float, right: float | None, base: float, run: Run) -> list[Char]:
    """Words as characters from one place on; up to another where one is given."""
    widths = [run.size * _width(character) for character in words]
    stretch = (right - left) / (sum(widths) or 1.0) if right is not None and right > left else 1.0
    chars = []
    for character, width in zip(words, widths, strict=True):
        chars.append(Char(character, left, left + stretch * width, base, run.size, run, _TYPED, 0))
        left += stretch * width
    return chars


def _broken(words: str, most: float) -> list[str]:
    """Words in lines of at most so many em."""
    lines: list[str] = []
    for paragraph in words.splitlines():
        line, width = "", 0.0
        for character in paragraph:
            if line and width + _width(character) > most:
                lines.append(line)
                line, width = "", 0.0
            line += character
            width += _width(character)
        lines.append(line)
    return lines


def _width(character: str) -> float:
    return 0.5 if character < "\u0250" or "\uff61" <= character <= "\uff9f" else 1.0
