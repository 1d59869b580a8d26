"""The characters of one PDF page: where each stands, how large and in which font, in the direction the page is read.

Only what pypdfium2 tells is gathered here; lines, tables and what repeats from page to page have modules of their own.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_assets.sources.pdf.fonts import font_name, lost_fonts
from rag_assets.sources.pdf.objects import PageObjects, address, bare
from rag_assets.sources.pdf.paint import Paint, PaintReader

_BLANKS = dict.fromkeys((0x09, 0x20, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F), " ") | {0x3000: "\u3000"}
BLANKS = frozenset(" \u3000")
"""What the text of a blank `Char` is."""
_INVISIBLE = frozenset({0x0A, 0x0D, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF})
_HYPHEN = 0x02
"""What pdfium puts for a hyphen at the end of a line."""
_UNKNOWN = frozenset({0, 0xFFFE, 0xFFFF})
MISSING = "〓"
"""Stands for a character that the PDF does not name (the printer's mark for a type that is not at hand)."""

_SIGN_FONTS = ("symbol", "wingding", "webding", "dingbat", "marlett")
"""Parts of the names of fonts of signs, whose characters have private codes: bullets, not text."""
_SIGNS = dict(
    zip(
        (
            0xF0B7,
            0xF0A7,
            0xF06C,
            0xF06E,
            0xF06F,
            0xF0A8,
            0xF075,
            0xF076,
            0xF0D8,
            0xF0E0,
            0xF0E8,
            0xF0FB,
            0xF0FC,
            0xF0FE,
        ),
        "•▪●■□□◆❖➢→➔✗✓☑",
        strict=True,
    )
)
"""What the signs that word processors put before list items look like: Symbol's • and Wingdings' others."""

_SLANT = math.radians(5)
_QUARTER = math.pi / 2
SLANTED = -1
"""Direction of a `Run` at an angle."""
_STANDING_STEP = 2.5
"""Em from one character to the next in a line that is not level; two blanks between them part it."""

_VERTICAL_SHARE = 0.6
_VERTICAL_STEPS = 12
"""From this share of steps that go straight down, and this many of them, a page is set in vertical lines."""


@dataclass(slots=True)
class Run:
    """What all characters share that one operation draws.

    Attributes:
        size: Of the font, in points as printed.
        font: Name of the font, without the prefix of a subset.
        direction: Quarter turns counterclockwise from the PDF's x axis; -1 where they are slanted.
        rise: From the lower edge of a character's box up to its baseline.
        tight: Whether the font does not tell its height, so that boxes fit each character's own shape.
    """

    size: float
    font: str
    direction: int
    rise: float
    tight: bool = False


@dataclass(slots=True)
class Char:
    """One character as printed.

    Attributes:
        text: The character as the PDF names it; U+3000 or a space for a blank that the PDF sets.
        x0: Left edge of its advance box, in points from the page's upper left corner, as it is read.
        x1: Right edge.
        base: Its baseline.
        size: Its font's, in points as printed.
        run: What it was drawn with.
        paint: How it was painted.
        order: Place of its text object in the page's drawing order.
    """

    text: str
    x0: float
    x1: float
    base: float
    size: float
    run: Run
    paint: Paint
    order: int

    @property
    def middle(self) -> tuple[float, float]:
        """A point well inside the character."""
        return (self.x0 + self.x1) / 2, self.base - 0.38 * self.size


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the points of a PDF page lie once it is turned so that most of its text stands upright.

    A page whose text runs sideways, whether the page is turned (/Rotate) or the text, is thus read like any other.

    Attributes:
        turns: Quarter turns counterclockwise from the PDF's x axis to the direction of the text.
        box: Left, bottom, right, top of the visible page in the PDF's own coordinates.
    """

    turns: int
    box: tuple[float, float, float, float]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points."""
        left, bottom, right, top = self.box
        return (right - left, top - bottom) if self.turns % 2 == 0 else (top - bottom, right - left)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """From the PDF's coordinates to points from the upper left corner."""
        left, bottom, right, top = self.box
        if self.turns == 0:
            return x - left, top - y
        if self.turns == 1:
            return y - bottom, x - left
        if self.turns == 2:
            return right - x, y - bottom
        return top - y, right - x


@dataclass(slots=True)
class PageText:
    """What is printed on a page as characters.

    Attributes:
        frame: How it lies.
        chars: The level ones in drawing order, blanks among them.
        standing: Those of other directions, each run a list in drawing order.
        vertical: Whether the page is set in vertical lines.
        unnamed: Characters for which the PDF has no name, by font; each is in `chars` as 〓.
        outside: Characters drawn where the page does not show them, in none of the others.
        struck: Characters that are struck out, in none of the others.
        runs: Those of all characters, each once.
        paints: Likewise.
        lost_fonts: Names of fonts that are not embedded and whose characters this machine cannot give in full.
    """

    frame: Frame
    chars: list[Char]
    standing: list[list[Char]] = field(default_factory=list)
    vertical: bool = False
    unnamed: Counter[str] = field(default_factory=Counter)
    outside: list[Char] = field(default_factory=list)
    struck: list[Char] = field(default_factory=list)
    runs: Sequence[Run] = ()
    paints: Sequence[Paint] = ()
    lost_fonts: frozenset[str] = frozenset()


_Drawn = tuple[int, Run, float, float, float, float, Paint, int]
"""Code point, run, left, bottom, right, top in the PDF's own coordinates, paint and place in the drawing order."""
_Page = tuple[list[_Drawn], list[tuple[Run, Paint]], Counter[str], frozenset[str]]
"""Characters, what they are drawn with, unnamed characters by font, and fonts that are not at hand."""


def read_text(page: Any, objects: PageObjects) -> PageText:
    """The characters of an open pypdfium2 page, those too that a reader does not see (`hidden`)."""
    textpage = page.get_textpage()
    try:
        drawn, told, unnamed, lost = _drawn(textpage, objects)
    finally:
        textpage.close()
    turns = _turns(drawn, page)
    frame = Frame(turns, _visible(page))
    text = PageText(frame, [], unnamed=unnamed, lost_fonts=lost)
    text.runs = list({id(run): run for run, _ in told}.values())
    text.paints = list({id(paint): paint for _, paint in told}.values())
    width, height = frame.size
    for char in _level(drawn, frame.box) if turns == 0 else [_turned(one, frame) for one in drawn]:
        if char.x1 < 0 or char.x0 > width or char.base < 0 or char.base - char.size > height:
            text.outside.append(char)
            continue
        if char.run.direction == turns:
            text.chars.append(char)
        elif text.standing and _follows(text.standing[-1][-1], char):
            text.standing[-1].append(char)
        else:
            text.standing.append([char])
    text.vertical = _is_vertical(text.chars)
    return text


def _visible(page: Any) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of what a page shows, in coordinates that no turn of the page changes."""
    media, crop = page.get_mediabox(), page.get_cropbox()
    left, right = max(min(box[0], box[2]) for box in (media, crop)), min(max(box[0], box[2]) for box in (media, crop))
    bottom, top = max(min(box[1], box[3]) for box in (media, crop)), min(max(box[1], box[3]) for box in (media, crop))
    return (left, bottom, right, top) if left < right and bottom < top else media


def _turns(drawn: Sequence[_Drawn], page: Any) -> int:
    """The direction of most characters."""
    directions = Counter(char[1].direction for char in drawn)
    level = [(count, -direction) for direction, count in directions.items() if direction != SLANTED]
    return -max(level)[1] if level else int(page.get_rotation()) // 90


def _drawn(textpage: Any, objects: PageObjects) -> _Page:
    """Characters in the PDF's own coordinates. A call a character and fact: this loop is most of the time."""
    import pypdfium2.raw as raw

    handle, box = address(textpage.raw), raw.FS_RECTF()
    box_address = ctypes.addressof(box)
    get_code = bare(raw.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
    get_object = bare(raw.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    get_box = bare(raw.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    has_no_name = bare(raw.FPDFText_HasUnicodeMapError, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    reader = _RunReader(raw, textpage.raw)
    paints = PaintReader(raw, objects)
    known: dict[int, tuple[Run, Paint, int]] = {}
    unnamed: Counter[str] = Counter()
    drawn: list[_Drawn] = []
    for index in range(textpage.count_chars()):
        code = get_code(handle, index)
        if code in _INVISIBLE or (code in _BLANKS and raw.FPDFText_IsGenerated(textpage.raw, index) == 1):
            continue
        text_object = get_object(handle, index)
        if not text_object:
            continue
        get_box(handle, index, box_address)
        told = known.get(text_object)
        if told is None:
            run, paint = reader.read(index, text_object, box), paints.read(text_object)
            told = known[text_object] = run, paint, objects.texts.get(text_object, 0)
        run, paint, order = told
        if run.tight:
            reader.fit_box(index, run, box)
        if code in _UNKNOWN or has_no_name(handle, index) == 1:
            unnamed[run.font] += 1
            code = ord(MISSING)
        elif 0xF000 <= code < 0xF100 and is_sign_font(run.font):
            code = ord(_SIGNS.get(code, MISSING))
        elif code == _HYPHEN and raw.FPDFText_IsHyphen(textpage.raw, index) == 1:
            code = ord("-")
        elif 0xDC00 <= code < 0xE000 and drawn and 0xD800 <= drawn[-1][0] < 0xDC00:
            high = drawn.pop()
            code = 0x10000 + ((high[0] - 0xD800) << 10) + (code - 0xDC00)
            box.left, box.right = min(box.left, high[2]), max(box.right, high[4])
            box.bottom, box.top = min(box.bottom, high[3]), max(box.top, high[5])
        drawn.append((code, run, box.left, box.bottom, box.right, box.top, paint, order))
    silent = [each for each in objects.texts if each not in known]
    lost = lost_fonts(silent, lambda font: "".join(chr(each[0]) for each in drawn if each[1].font == font))
    return drawn, [(run, paint) for run, paint, _ in known.values()], unnamed, lost


def is_sign_font(name: str) -> bool:
    """Whether a font has signs instead of letters."""
    return any(part in name.lower() for part in _SIGN_FONTS)


class _RunReader:
    """Reads what characters are drawn with; many PDFs draw every character by an operation of its own."""

    def __init__(self, raw: Any, handle: Any) -> None:
        self._raw = raw
        self._handle = handle
        self._matrix = raw.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._address, self._matrix_address = address(handle), ctypes.addressof(self._matrix)
        self._get_matrix = bare(raw.FPDFText_GetMatrix, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        self._get_size = bare(raw.FPDFText_GetFontSize, ctypes.c_double, ctypes.c_void_p, ctypes.c_int)
        self._get_font = bare(raw.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
        self._names: dict[int, str] = {}
        self._runs: dict[tuple[int, float, float, float, float, float], Run] = {}

    def read(self, index: int, text_object: int, box: Any) -> Run:
        """The run of a character, given its box; one object for all that are drawn with the same."""
        raw, matrix = self._raw, self._matrix
        self._get_matrix(self._address, index, self._matrix_address)
        size = self._get_size(self._address, index)
        font_address = self._get_font(text_object) or 0
        key = font_address, size, matrix.a, matrix.b, matrix.c, matrix.d
        if key not in self._runs:
            font = ctypes.cast(font_address, raw.FPDF_FONT)
            if font_address not in self._names:
                self._names[font_address] = font_name(raw, font) if font else ""
            quarters = math.atan2(matrix.b, matrix.a) / _QUARTER
            slanted = abs(quarters - round(quarters)) * _QUARTER > _SLANT
            direction = SLANTED if slanted else round(quarters) % 4
            scaled = size * math.hypot(matrix.c, matrix.d) or 1.0
            # A font without a name is drawn shape by shape (Type 3), and its height is that of the shapes used.
            if self._names.get(font_address) and self._tells_height(font):
                rise, tight = _rise(direction, box, *self._origin(index)), False
            else:
                rise, tight = 0.0, True
            self._runs[key] = Run(scaled, self._names[font_address], direction, rise, tight)
        return self._runs[key]

    def fit_box(self, index: int, run: Run, box: Any) -> None:
        """Let a character's box begin at its baseline, where pdfium gives only the box of its shape."""
        x, y = self._origin(index)
        if run.direction in (0, SLANTED):
            box.bottom = y
        elif run.direction == 1:
            box.right = x
        elif run.direction == 2:
            box.top = y
        else:
            box.left = x

    def _origin(self, index: int) -> tuple[float, float]:
        self._raw.FPDFText_GetCharOrigin(self._handle, index, ctypes.byref(self._x), ctypes.byref(self._y))
        return self._x.value, self._y.value

    def _tells_height(self, font: Any) -> bool:
        ascent, descent = ctypes.c_float(), ctypes.c_float()
        self._raw.FPDFFont_GetAscent(font, 1000.0, ascent)
        self._raw.FPDFFont_GetDescent(font, 1000.0, descent)
        return ascent.value != descent.value


def _rise(direction: int, box: Any, x: float, y: float) -> float:
    """How far the baseline is above the lower edge of the character's box, in the direction of reading."""
    return float((y - box.bottom, box.right - x, box.top - y, x - box.left)[direction if direction != SLANTED else 0])


def _follows(before: Char, char: Char) -> bool:
    """Whether a character that does not lie level is drawn by the same, and close to the one before."""
    (ax, ay), (bx, by) = before.middle, char.middle
    return before.run is char.run and math.hypot(ax - bx, ay - by) <= _STANDING_STEP * char.size


def _level(drawn: Sequence[_Drawn], box: tuple[float, float, float, float]) -> list[Char]:
    """What `_turned` does, for all characters of a page that is not turned, as nearly all are."""
    x, y = box[0], box[3]
    return [
        Char(_BLANKS.get(code) or chr(code), left - x, right - x, y - bottom - run.rise, run.size, run, paint, order)
        for code, run, left, bottom, right, _, paint, order in drawn
    ]


def _turned(char: _Drawn, frame: Frame) -> Char:
    code, run, left, bottom, right, top, paint, order = char
    text = _BLANKS[code] if code in _BLANKS else chr(code)
    ax, ay = frame.point(left, bottom)
    bx, by = frame.point(right, top)
    return Char(text, min(ax, bx), max(ax, bx), max(ay, by) - run.rise, run.size, run, paint, order)


def _is_vertical(chars: Sequence[Char]) -> bool:
    """Whether most characters stand straight below the one drawn before."""
    down = along = 0
    before: Char | None = None
    for char in chars:
        if char.text in BLANKS:
            continue
        if before is not None and char.base == before.base:
            along += char.x0 - before.x0 > 0.2 * char.size or before.x0 - char.x0 > 0.2 * char.size
        elif before is not None:
            x, y = abs(char.x0 - before.x0) / char.size, (char.base - before.base) / char.size
            down += x < 0.3 and 0.8 < y < 1.4
            along += abs(y) < 0.3 and x > 0.2
        before = char
    return down >= _VERTICAL_STEPS and down > _VERTICAL_SHARE * (down + along)
