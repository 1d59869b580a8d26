"""Text of a PDF page that no reader sees: invisible, in the colour of its ground, covered, clipped away, off the page.

It is taken out of the page's characters and told. The text layer that text recognition puts over a scanned page is
invisible too, but says what the picture shows: it stays.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_assets.sources.pdf.drawings import Edge, edge_of, is_rectangle, object_bounds
from rag_assets.sources.pdf.objects import PageObjects, Shape, address
from rag_assets.sources.pdf.paint import CLIP_ONLY, INVISIBLE, ClipReader, Colour, Paint
from rag_assets.sources.pdf.text import BLANKS, Char, Frame, PageText

_ALIKE = 16
"""Difference of the strongest channel, of 255, up to which nobody tells a colour from its ground: 6%."""
_FAINT = 13
"""Alpha, of 255, up to which text is not there for a reader."""
_TINY = 1.0
"""Points; smaller text cannot be read at all."""
_SMALLEST_GROUND = 2.0
"""Points; a thinner shape is a line, no ground of text."""
_PICTURE = 0.1
"""Share of the page from which a picture may be a scanned one with recognised text over it."""
_WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Words that a reader does not see, and why."""

    reason: str
    words: str


@dataclass(slots=True)
class Seen:
    """What was decided of a page's text.

    Attributes:
        hidden: What was taken out, in drawing order.
        recognised: Whether invisible text was kept as the text layer of a scanned picture.
    """

    hidden: list[HiddenText] = field(default_factory=list)
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class _Area:
    """A shape that text may stand on or lie under; `colour` is None where it cannot be told."""

    order: int
    edge: Edge
    colour: Colour | None
    covers: bool

    def has(self, x: float, y: float) -> bool:
        return self.edge.x0 <= x <= self.edge.x1 and self.edge.top <= y <= self.edge.bottom


def take_out_hidden(text: PageText, objects: PageObjects, layers_off: Callable[[], frozenset[str]]) -> Seen:
    """Take out of a page's text what a reader does not see.

    Args:
        text: Is changed.
        objects: What the page draws.
        layers_off: Gives the names of the optional content that is not shown; asked only where the page has any.
    """
    judge = _Judge(text.frame, objects, layers_off)
    seen = Seen()
    chars = [*text.chars, *(char for run in text.standing for char in run)]
    if not text.outside and not judge.may_hide(text, chars):
        return seen
    reasons = {id(char): reason for char in chars if (reason := judge.reason(char))}
    if reasons:
        for char in judge.recognised(chars, reasons):
            seen.recognised |= char.text not in BLANKS
            del reasons[id(char)]
    taken = [(reasons[id(char)], char) for char in chars if id(char) in reasons]
    taken += [("it stands outside the page", char) for char in text.outside]
    seen.hidden = _in_words(taken)
    if reasons:
        text.chars = [char for char in text.chars if id(char) not in reasons]
        runs = ([char for char in run if id(char) not in reasons] for run in text.standing)
        text.standing = [run for run in runs if run]
    return seen


def _in_words(taken: Sequence[tuple[str, Char]]) -> list[HiddenText]:
    """Characters drawn one after the other for one reason as words; blanks alone are nothing to tell."""
    words: list[tuple[str, list[str]]] = []
    for reason, char in taken:
        if not words or words[-1][0] != reason:
            words.append((reason, []))
        words[-1][1].append(char.text)
    return [HiddenText(reason, said) for reason, parts in words if (said := "".join(parts).strip(" \u3000"))]


class _Judge:
    """Decides for the characters of one page; most are settled by how their text object is painted."""

    def __init__(self, frame: Frame, objects: PageObjects, layers_off: Callable[[], frozenset[str]]) -> None:
        import pypdfium2.raw as raw

        self._frame = frame
        self._areas = _areas(raw, frame, objects.shapes)
        self._pictures = [area.edge for area in self._areas if area.colour is None and not area.covers]
        self._grounds = {_WHITE, *(area.colour for area in self._areas if area.colour is not None)}
        self._last_cover = max((area.order for area in self._areas if area.covers), default=-1)
        self._layers_off = layers_off
        self._alike: dict[Colour, bool] = {}
        self._plain: dict[int, bool] = {}

    def may_hide(self, text: PageText, chars: Sequence[Char]) -> bool:
        """Whether anything on the page speaks for unseen text: little time for the pages where nothing does."""
        if any(run.size < _TINY for run in text.runs):
            return True
        if not all(self._is_plain(paint) for paint in text.paints):
            return True
        return self._last_cover >= 0 and min((char.order for char in chars), default=0) < self._last_cover

    def reason(self, char: Char) -> str:
        """Why a character is not seen; empty where it is."""
        if char.size < _TINY:
            return "it is too small to be read"
        plain = self._plain.get(id(char.paint))
        if plain is None:
            plain = self._plain[id(char.paint)] = self._is_plain(char.paint)
        return "" if plain and char.order > self._last_cover else self._reason(char)

    def _is_plain(self, paint: Paint) -> bool:
        """Whether nothing in how text is painted can hide it, wherever it stands."""
        return (
            bool(paint.inks)
            and paint.clip is None
            and not paint.layers
            and any(ink is None or (ink[1] > _FAINT and not self._is_like_a_ground(ink[0])) for ink in paint.inks)
        )

    def _is_like_a_ground(self, colour: Colour) -> bool:
        if colour not in self._alike:
            self._alike[colour] = any(_are_alike(colour, ground) for ground in self._grounds)
        return self._alike[colour]

    def _reason(self, char: Char) -> str:
        paint = char.paint
        x, y = char.middle
        if paint.layers and not self._layers_off().isdisjoint(paint.layers):
            return "it is on a layer that is not shown"
        if paint.clip is not None:
            clip = edge_of(self._frame, (paint.clip[:2], paint.clip[2:]))
            if not (clip.x0 <= x <= clip.x1 and clip.top - 0.2 * char.size <= y <= clip.bottom + 0.2 * char.size):
                return "it is clipped away"
        if paint.mode == INVISIBLE:
            return "it is invisible (text render mode 3)"
        if paint.mode == CLIP_ONLY:
            shown = any(area.order > char.order and area.has(x, y) for area in self._areas)
            return "" if shown else "it is not painted (text render mode 7)"
        if all(ink is not None and ink[1] <= _FAINT for ink in paint.inks):
            return "it is transparent"
        ground = self._ground(char)
        if ground is not None and all(
            ink is not None and (ink[1] <= _FAINT or _are_alike(ink[0], ground)) for ink in paint.inks
        ):
            return "it has the colour of its ground"
        if char.order < self._last_cover and any(
            area.covers and area.order > char.order and _lies_under(char, area.edge) for area in self._areas
        ):
            return "it is covered by what is drawn over it"
        return ""

    def _ground(self, char: Char) -> Colour | None:
        """The colour that a character stands on, None where that cannot be told."""
        x, y = char.middle
        ground: Colour | None = _WHITE
        for area in self._areas:
            if area.order > char.order:
                break
            if area.has(x, y):
                ground = area.colour
        return ground

    def recognised(self, chars: Sequence[Char], reasons: dict[int, str]) -> list[Char]:
        """Unseen characters that a picture shows: more of them over it than of those that are seen."""
        width, height = self._frame.size
        found: dict[int, Char] = {}
        for edge in self._pictures:
            if _size(edge, width, height) < _PICTURE * width * height:
                continue
            over = [char for char in chars if _inside(edge, char)]
            unseen = [char for char in over if id(char) in reasons and not _is_painted(char.paint)]
            if 2 * len(unseen) > len(over):
                found |= {id(char): char for char in unseen}
        return list(found.values())


def _is_painted(paint: Paint) -> bool:
    return any(ink is None or ink[1] > _FAINT for ink in paint.inks)


def _inside(edge: Edge, char: Char) -> bool:
    x, y = char.middle
    return edge.x0 <= x <= edge.x1 and edge.top <= y <= edge.bottom


def _lies_under(char: Char, edge: Edge) -> bool:
    margin = 0.15 * (char.x1 - char.x0)
    return (
        edge.x0 <= char.x0 + margin
        and char.x1 - margin <= edge.x1
        and edge.top <= char.base - 0.65 * char.size
        and char.base - 0.1 * char.size <= edge.bottom
    )


def _size(edge: Edge, width: float, height: float) -> float:
    across, down = min(edge.x1, width) - max(edge.x0, 0), min(edge.bottom, height) - max(edge.top, 0)
    return max(across, 0) * max(down, 0)


def _are_alike(one: Colour, other: Colour) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _ALIKE


def _areas(raw: Any, frame: Frame, shapes: Sequence[Shape]) -> list[_Area]:
    """What text may stand on or lie under, in drawing order."""
    clips = ClipReader(raw)
    return [area for shape in shapes if (area := _area(raw, frame, shape, clips)) is not None]


def _area(raw: Any, frame: Frame, shape: Shape, clips: ClipReader) -> _Area | None:
    edge = edge_of(frame, object_bounds(raw, shape.handle, shape.group.matrix))
    if min(edge.x1 - edge.x0, edge.bottom - edge.top) < _SMALLEST_GROUND:
        return None
    clip = clips.box(address(shape.handle), shape.group)
    if clip is not None:
        inner = edge_of(frame, (clip[:2], clip[2:]))
        edge = Edge(
            max(edge.x0, inner.x0), max(edge.top, inner.top), min(edge.x1, inner.x1), min(edge.bottom, inner.bottom)
        )
        if edge.x1 <= edge.x0 or edge.bottom <= edge.top:
            return None
    if shape.kind != raw.FPDF_PAGEOBJ_PATH:
        return _Area(shape.order, edge, None, covers=False)
    fill, stroke = ctypes.c_int(), raw.FPDF_BOOL()
    raw.FPDFPath_GetDrawMode(shape.handle, fill, stroke)
    if not fill.value:
        return None
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    told = raw.FPDFPageObj_GetFillColor(shape.handle, red, green, blue, alpha)
    if told and alpha.value <= _FAINT:
        return None
    opaque = told and not (shape.group.see_through or raw.FPDFPageObj_HasTransparency(shape.handle))
    if not opaque or not is_rectangle(raw, shape, frame):
        return _Area(shape.order, edge, None, covers=False)
    return _Area(shape.order, edge, (red.value, green.value, blue.value), covers=True)
