"""What is drawn on a PDF page beside text: ruling lines, and how much of it pictures cover.

Which lines make a table is decided in `pdf_tables.py`.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rag_assets.sources.pdf_text import Frame

THIN = 3.0
"""Points; a filled shape or a picture no thicker than this is a ruling line, as several programs draw them."""
_STRAIGHT = 0.5
"""Points by which a ruling line may lean."""
_DEEPEST = 8
"""Forms inside forms are followed so far; real documents have two or three."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Edge:
    """A horizontal or vertical ruling line in points from the page's upper left corner; x0 ≤ x1, top ≤ bottom."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def horizontal(self) -> bool:
        """Whether it runs from left to right."""
        return self.x1 - self.x0 >= self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Drawings:
    """What a page shows beside text.

    Attributes:
        edges: Its ruling lines.
        pictures: Share of the page that pictures cover, from 0; more than 1 where they lie on one another.
        curves: Shapes drawn with curves: hundreds of them are letters drawn as outlines.
    """

    edges: tuple[Edge, ...]
    pictures: float
    curves: int


def read_drawings(page: Any, frame: Frame) -> Drawings:
    """The drawings of an open pypdfium2 page."""
    import pypdfium2.raw as raw

    edges: list[Edge] = []
    covered, curves = 0.0, 0
    width, height = frame.size
    for kind, shape, matrix in _objects(raw, page.raw, page.raw, _IDENTITY, 0):
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            area = _edge_of(frame, _bounds(raw, shape, matrix))
            if _is_thin(area):
                edges.append(_middle(area))
            else:
                shown_width = min(area.x1, width) - max(area.x0, 0)
                shown_height = min(area.bottom, height) - max(area.top, 0)
                covered += max(shown_width, 0) * max(shown_height, 0)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            found, curved = _path_edges(raw, shape, matrix, frame)
            edges.extend(found)
            curves += curved
    return Drawings(tuple(edges), covered / (width * height or 1), curves)


_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _objects(raw: Any, page: Any, owner: Any, matrix: _Matrix, depth: int) -> Iterator[tuple[int, Any, _Matrix]]:
    """Paths and pictures of a page or form, each with the matrix of the forms around it."""
    if depth == 0:
        count, get = raw.FPDFPage_CountObjects(owner), raw.FPDFPage_GetObject
    else:
        count, get = raw.FPDFFormObj_CountObjects(owner), raw.FPDFFormObj_GetObject
    get_type = raw.FPDFPageObj_GetType
    for index in range(count):
        shape = get(owner, index)
        kind = get_type(shape)
        if kind in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE):
            yield kind, shape, matrix
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            yield from _objects(raw, page, shape, _product(_matrix_of(raw, shape), matrix), depth + 1)


def _matrix_of(raw: Any, shape: Any) -> _Matrix:
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(shape, matrix)
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _product(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    a2, b2, c2, d2, e2, f2 = then
    return (
        a * a2 + b * c2,
        a * b2 + b * d2,
        c * a2 + d * c2,
        c * b2 + d * d2,
        e * a2 + f * c2 + e2,
        e * b2 + f * d2 + f2,
    )


def _applied(matrix: _Matrix, x: float, y: float) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _bounds(raw: Any, shape: Any, matrix: _Matrix) -> tuple[Point, Point]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(shape, left, bottom, right, top)
    return _applied(matrix, left.value, bottom.value), _applied(matrix, right.value, top.value)


def _edge_of(frame: Frame, points: tuple[Point, Point]) -> Edge:
    (ax, ay), (bx, by) = (frame.point(*point) for point in points)
    return Edge(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def _is_thin(area: Edge) -> bool:
    return min(area.x1 - area.x0, area.bottom - area.top) <= THIN


def _middle(area: Edge) -> Edge:
    """The line that a thin shape is, without its thickness."""
    if area.horizontal:
        middle = (area.top + area.bottom) / 2
        return Edge(area.x0, middle, area.x1, middle)
    middle = (area.x0 + area.x1) / 2
    return Edge(middle, area.top, middle, area.bottom)


def _path_edges(raw: Any, shape: Any, matrix: _Matrix, frame: Frame) -> tuple[list[Edge], bool]:
    """Ruling lines of a path, and whether it has curves.

    A stroked path rules along its straight segments; of a filled one only thin shapes are lines: fills are shading.
    """
    fill, stroke = ctypes.c_int(), raw.FPDF_BOOL()
    raw.FPDFPath_GetDrawMode(shape, fill, stroke)
    outer = _edge_of(frame, _bounds(raw, shape, matrix))
    if fill.value and _is_thin(outer):
        return [_middle(outer)], False
    lines, curved = _segments(raw, shape, _product(_matrix_of(raw, shape), matrix), frame)
    if not stroke.value:
        return [], curved
    straight = [
        Edge(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        for (ax, ay), (bx, by) in lines
        if min(abs(ax - bx), abs(ay - by)) <= _STRAIGHT
    ]
    if curved and _is_box(straight, outer):
        left, top, right, bottom = outer.x0, outer.top, outer.x1, outer.bottom
        return [
            Edge(left, top, right, top),
            Edge(left, bottom, right, bottom),
            Edge(left, top, left, bottom),
            Edge(right, top, right, bottom),
        ], True
    return straight, curved


def _segments(raw: Any, shape: Any, matrix: _Matrix, frame: Frame) -> tuple[list[tuple[Point, Point]], bool]:
    """The straight segments of a path, and whether it has curves."""
    x, y = ctypes.c_float(), ctypes.c_float()
    lines: list[tuple[Point, Point]] = []
    start = here = (0.0, 0.0)
    curved = False
    for index in range(raw.FPDFPath_CountSegments(shape)):
        segment = raw.FPDFPath_GetPathSegment(shape, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(*_applied(matrix, x.value, y.value))
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            lines.append((here, point))
        else:
            curved = True
        here = point
        if raw.FPDFPathSegment_GetClose(segment):
            lines.append((here, start))
            here = start
    return lines, curved


def _is_box(straight: list[Edge], outer: Edge) -> bool:
    """Whether straight edges make up most of the outline: a box with rounded corners."""
    length = sum(edge.x1 - edge.x0 + edge.bottom - edge.top for edge in straight)
    return length > (outer.x1 - outer.x0) + (outer.bottom - outer.top)
