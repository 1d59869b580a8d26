"""What is drawn on a PDF page beside text: ruling lines, and how much of it pictures cover.

Which lines make a table is decided in `tables.py`.
"""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag_assets.sources.pdf.objects import Matrix, PageObjects, Point, Shape, applied, matrix_of, product
from rag_assets.sources.pdf.text import Frame

THIN = 3.0
"""Points; a filled shape or a picture no thicker than this is a ruling line, as several programs draw them."""
_STRAIGHT = 0.5
"""Points by which a ruling line may lean."""


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


def read_drawings(objects: PageObjects, frame: Frame) -> Drawings:
    """The drawings among the objects of a page."""
    import pypdfium2.raw as raw

    edges: list[Edge] = []
    covered, curves = 0.0, 0
    width, height = frame.size
    for shape in objects.shapes:
        if shape.kind == raw.FPDF_PAGEOBJ_IMAGE:
            area = edge_of(frame, object_bounds(raw, shape.handle, shape.group.matrix))
            if _is_thin(area):
                edges.append(_middle(area))
            else:
                shown_width = min(area.x1, width) - max(area.x0, 0)
                shown_height = min(area.bottom, height) - max(area.top, 0)
                covered += max(shown_width, 0) * max(shown_height, 0)
        elif shape.kind == raw.FPDF_PAGEOBJ_PATH:
            found, curved = _path_edges(raw, shape.handle, shape.group.matrix, frame)
            edges.extend(found)
            curves += curved
    return Drawings(tuple(edges), covered / (width * height or 1), curves)


def object_bounds(raw: Any, handle: Any, matrix: Matrix) -> tuple[Point, Point]:
    """Two corners of an object's box in the page's own coordinates, given the matrix of the forms around it."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(handle, left, bottom, right, top)
    return applied(matrix, left.value, bottom.value), applied(matrix, right.value, top.value)


def edge_of(frame: Frame, points: tuple[Sequence[float], Sequence[float]]) -> Edge:
    """The box that has two points for its corners, as it lies on the page."""
    (ax, ay), (bx, by) = (frame.point(*point) for point in points)
    return Edge(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def is_rectangle(raw: Any, shape: Shape, frame: Frame) -> bool:
    """Whether a path is one upright rectangle."""
    lines, curved = _segments(raw, shape.handle, product(matrix_of(raw, shape.handle), shape.group.matrix), frame)
    lines = [line for line in lines if math.dist(*line) > _STRAIGHT]
    if curved or len(lines) != 4:
        return False
    return all(min(abs(ax - bx), abs(ay - by)) <= _STRAIGHT for (ax, ay), (bx, by) in lines)


def _is_thin(area: Edge) -> bool:
    return min(area.x1 - area.x0, area.bottom - area.top) <= THIN


def _middle(area: Edge) -> Edge:
    """The line that a thin shape is, without its thickness."""
    if area.horizontal:
        middle = (area.top + area.bottom) / 2
        return Edge(area.x0, middle, area.x1, middle)
    middle = (area.x0 + area.x1) / 2
    return Edge(middle, area.top, middle, area.bottom)


def _path_edges(raw: Any, shape: Any, matrix: Matrix, frame: Frame) -> tuple[list[Edge], bool]:
    """Ruling lines of a path, and whether it has curves.

    A stroked path rules along its straight segments; of a filled one only thin shapes are lines: fills are shading.
    """
    fill, stroke = ctypes.c_int(), raw.FPDF_BOOL()
    raw.FPDFPath_GetDrawMode(shape, fill, stroke)
    outer = edge_of(frame, object_bounds(raw, shape, matrix))
    if fill.value and _is_thin(outer):
        return [_middle(outer)], False
    lines, curved = _segments(raw, shape, product(matrix_of(raw, shape), matrix), frame)
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


def _segments(raw: Any, shape: Any, matrix: Matrix, frame: Frame) -> tuple[list[tuple[Point, Point]], bool]:
    """The straight segments of a path, and whether it has curves."""
    x, y = ctypes.c_float(), ctypes.c_float()
    lines: list[tuple[Point, Point]] = []
    start = here = (0.0, 0.0)
    curved = False
    for index in range(raw.FPDFPath_CountSegments(shape)):
        segment = raw.FPDFPath_GetPathSegment(shape, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(*applied(matrix, x.value, y.value))
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
