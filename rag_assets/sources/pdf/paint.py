"""How the text of a PDF page is painted: render mode, colours, clip and the marked content around it.

Whether a reader sees it is decided in `hidden.py`.
"""

import ctypes
import struct
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from rag_assets.sources.pdf.objects import IDENTITY, Group, PageObjects, applied, bare, marks_of

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top in the PDF's own coordinates."""

INVISIBLE, CLIP_ONLY = 3, 7
"""Render modes: not painted at all; what is drawn later is cut out in the text's shape."""
_PAGE = Group()
_FILLS, _STROKES = frozenset({0, 2, 4, 6}), frozenset({1, 2, 5, 6})


@dataclass(frozen=True, slots=True)
class Paint:
    """How text is painted: one object for all text objects of a page that are painted the same.

    Attributes:
        mode: Text render mode, 0 to 7.
        inks: Colour and alpha (0 to 255) of what is filled and stroked; None where it is a pattern or cannot be told.
        clip: What it is clipped to, None where nothing clips it.
        artifact: Whether it is marked as an artifact, as headers, footers and watermarks are in a tagged PDF.
        layers: Names of the optional content that it stands in.
    """

    mode: int
    inks: tuple[tuple[Colour, int] | None, ...]
    clip: Box | None = None
    artifact: bool = False
    layers: tuple[str, ...] = ()


class PaintReader:
    """Reads how the text objects of one page are painted; a call a fact, as there may be one object a character."""

    def __init__(self, raw: Any, objects: PageObjects) -> None:
        self._raw = raw
        self._groups = objects.groups
        self._mode = bare(raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int, ctypes.c_void_p)
        colour = (ctypes.c_int, ctypes.c_void_p, *(ctypes.c_void_p,) * 4)
        self._fill = bare(raw.FPDFPageObj_GetFillColor, *colour)
        self._stroke = bare(raw.FPDFPageObj_GetStrokeColor, *colour)
        self._colour = (ctypes.c_uint * 4)()
        start = ctypes.addressof(self._colour)
        self._parts = tuple(start + 4 * part for part in range(4))
        self._clips = ClipReader(raw)
        self._count_marks = bare(raw.FPDFPageObj_CountMarks, ctypes.c_int, ctypes.c_void_p)
        self._marks: dict[int, tuple[bool, str]] = {}
        self._known: dict[Hashable, Paint] = {}

    def read(self, text_object: int) -> Paint:
        """How the text object at an address is painted."""
        mode = self._mode(text_object)
        fill = bytes(self._colour) if mode in _FILLS and self._fill(text_object, *self._parts) else b""
        stroke = bytes(self._colour) if mode in _STROKES and self._stroke(text_object, *self._parts) else b""
        group = self._groups.get(text_object, _PAGE)
        clip = self._clips.box(text_object, group)
        marks = group.marks
        if self._count_marks(text_object) > 0:
            marks += tuple(marks_of(self._raw, ctypes.cast(text_object, self._raw.FPDF_PAGEOBJECT)))
        key = mode, fill, stroke, clip, marks
        paint = self._known.get(key)
        if paint is None:
            inks = [_ink(fill)] if mode in _FILLS else []
            if mode in _STROKES:
                inks.append(_ink(stroke))
            paint = self._known[key] = Paint(mode, tuple(inks), clip, *self._marked(marks))
        return paint

    def _marked(self, marks: tuple[int, ...]) -> tuple[bool, tuple[str, ...]]:
        for mark in marks:
            if mark not in self._marks:
                self._marks[mark] = self._read_mark(ctypes.cast(mark, self._raw.FPDF_PAGEOBJECTMARK))
        told = [self._marks[mark] for mark in marks]
        return any(artifact for artifact, _ in told), tuple(layer for _, layer in told if layer)

    def _read_mark(self, mark: Any) -> tuple[bool, str]:
        """Whether it is an artifact's (pdfium does not tell of which kind), and the name of its optional content."""
        raw = self._raw
        name = _wide(lambda *rest: raw.FPDFPageObjMark_GetName(mark, *rest))
        if name == "OC":
            return False, _wide(lambda *rest: raw.FPDFPageObjMark_GetParamStringValue(mark, b"Name", *rest))
        return name in ("Artifact", "Watermark"), ""


def _ink(parts: bytes) -> tuple[Colour, int] | None:
    """Colour and alpha from the four numbers that pdfium gives; None where it gives none."""
    if not parts:
        return None
    red, green, blue, alpha = struct.unpack("4I", parts)
    return (red, green, blue), alpha


class ClipReader:
    """Reads what the objects of one page are clipped to; objects drawn one after the other share their clips."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._clip = bare(raw.FPDFPageObj_GetClipPath, ctypes.c_void_p, ctypes.c_void_p)
        self._count = bare(raw.FPDFClipPath_CountPaths, ctypes.c_int, ctypes.c_void_p)
        self._segment = bare(
            raw.FPDFClipPath_GetPathSegment, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int
        )
        self._boxes: dict[int, Box] = {}

    def box(self, page_object: int, group: Group) -> Box | None:
        """The box that all clips of the object at an address leave; None where nothing clips it."""
        clip = self._clip(page_object)
        count = self._count(clip) if clip else 0
        if count <= 0:
            return None
        box: Box | None = None
        for index in range(count):
            first = self._segment(clip, index, 0)
            if not first:
                continue
            if first not in self._boxes:
                self._boxes[first] = self._path_box(clip, index)
            box = self._boxes[first] if box is None else _shared(box, self._boxes[first])
        return box if box is None or group.matrix == IDENTITY else _moved(box, group)

    def _path_box(self, clip: int, index: int) -> Box:
        raw = self._raw
        path = ctypes.cast(clip, raw.FPDF_CLIPPATH)
        x, y = ctypes.c_float(), ctypes.c_float()
        xs, ys = [], []
        for at in range(raw.FPDFClipPath_CountPathSegments(path, index)):
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(path, index, at), x, y)
            xs.append(x.value)
            ys.append(y.value)
        return min(xs), min(ys), max(xs), max(ys)


def _shared(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _moved(box: Box, group: Group) -> Box:
    corners = [applied(group.matrix, x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _wide(call: Any) -> str:
    """A text that pdfium gives in UTF-16; empty where there is none."""
    length = ctypes.c_ulong()
    buffer = ctypes.create_string_buffer(512)
    done = call(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer), length)
    return buffer.raw[: min(length.value, len(buffer))].decode("utf-16-le", "replace").rstrip("\0") if done else ""
