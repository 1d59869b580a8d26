"""What a PDF page draws, in drawing order: text, paths, pictures and shadings, those inside forms too.

What they look like is told by `paint` (text) and `drawings` (the rest); what they mean, elsewhere.
"""

import ctypes
from dataclasses import dataclass, field
from typing import Any

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
Point = tuple[float, float]

_DEEPEST = 8
"""Forms inside forms are followed so far; real documents have two or three."""


@dataclass(frozen=True, slots=True)
class Group:
    """What a form does to everything that it draws.

    Attributes:
        matrix: From its coordinates to the page's.
        see_through: Whether it is drawn with transparency.
        marks: Handles of the marked content that it stands in, outermost first.
    """

    matrix: Matrix = IDENTITY
    see_through: bool = False
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """A path, picture or shading.

    Attributes:
        kind: pdfium's number for what it is.
        handle: pdfium's own.
        order: Of all objects of the page, the later one lies on top.
        group: The forms around it.
    """

    kind: int
    handle: Any
    order: int
    group: Group


@dataclass(slots=True)
class PageObjects:
    """The objects of a page.

    Attributes:
        shapes: All but text, in drawing order.
        texts: By the address of a text object, its place in the drawing order.
        groups: The forms around those that stand in any.
    """

    shapes: list[Shape] = field(default_factory=list)
    texts: dict[int, int] = field(default_factory=dict)
    groups: dict[int, Group] = field(default_factory=dict)


def read_objects(page: Any) -> PageObjects:
    """The objects of an open pypdfium2 page."""
    import pypdfium2.raw as raw

    found = PageObjects()
    _walk(raw, address(page.raw), Group(), 0, found)
    return found


def _walk(raw: Any, owner: int, group: Group, depth: int, found: PageObjects) -> None:
    names = (
        ("FPDFFormObj_CountObjects", "FPDFFormObj_GetObject")
        if depth
        else ("FPDFPage_CountObjects", "FPDFPage_GetObject")
    )
    count = bare(getattr(raw, names[0]), ctypes.c_int, ctypes.c_void_p)
    index_type = ctypes.c_ulong if depth else ctypes.c_int
    get = bare(getattr(raw, names[1]), ctypes.c_void_p, ctypes.c_void_p, index_type)
    get_type = bare(raw.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
    text, form = raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_FORM
    for index in range(count(owner)):
        each = get(owner, index)
        kind = get_type(each)
        order = len(found.texts) + len(found.shapes)
        if kind == text:
            found.texts[each] = order
            if depth:
                found.groups[each] = group
            continue
        handle = ctypes.cast(each, raw.FPDF_PAGEOBJECT)
        if kind != form:
            found.shapes.append(Shape(kind, handle, order, group))
        elif depth < _DEEPEST:
            inner = Group(
                product(matrix_of(raw, handle), group.matrix),
                group.see_through or bool(raw.FPDFPageObj_HasTransparency(handle)),
                (*group.marks, *marks_of(raw, handle)),
            )
            _walk(raw, each, inner, depth + 1, found)


def marks_of(raw: Any, handle: Any) -> list[int]:
    """Addresses of the marked content that an object stands in, outermost first."""
    count = raw.FPDFPageObj_CountMarks(handle)
    return [address(raw.FPDFPageObj_GetMark(handle, index)) for index in range(max(count, 0))]


def matrix_of(raw: Any, handle: Any) -> Matrix:
    """How an object lies in what it is drawn on."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(handle, matrix)
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def product(first: Matrix, then: Matrix) -> Matrix:
    """One matrix that does what two do one after the other."""
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


def applied(matrix: Matrix, x: float, y: float) -> Point:
    """Where a matrix puts a point."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def bare(function: Any, result: Any, *arguments: Any) -> Any:
    """A pdfium function that takes and gives addresses as numbers: objects around them are half the time of a call."""
    return ctypes.CFUNCTYPE(result, *arguments)(address(function))


def address(pointer: Any) -> Any:
    """The number behind a ctypes pointer."""
    return ctypes.cast(pointer, ctypes.c_void_p).value
