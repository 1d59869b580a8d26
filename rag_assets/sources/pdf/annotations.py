"""What lies on a PDF page as annotations and is seen by a reader: values of form fields, typed text, struck-out words.

They are read here as boxes and words; `filling` puts them among the page's characters. Comments that open on a
click are nobody's text.
"""

import ctypes
from dataclasses import dataclass, field
from typing import Any, Literal

from rag_assets.sources.pdf.drawings import Edge, edge_of
from rag_assets.sources.pdf.text import Frame

CHECKED, UNCHECKED = "☑", "☐"

_HIDDEN_FLAGS = 2 | 32
"""Hidden, and shown in print only."""
_MULTILINE, _PASSWORD = 1 << 12, 1 << 13


@dataclass(frozen=True, slots=True)
class Filled:
    """Something typed or ticked on a page.

    Attributes:
        box: Where it stands.
        words: What was typed, lines parted by line breaks; empty for a field that is not filled in.
        kind: A text field, a box to tick, or text typed anywhere.
        size: Of its letters in points, 0 where the program that shows it chooses.
        multiline: Whether its words begin at the top of the box, not in the middle.
    """

    box: Edge
    words: str
    kind: Literal["field", "tick", "typed"]
    size: float = 0.0
    multiline: bool = False


@dataclass(slots=True)
class Annotations:
    """What lies on a page.

    Attributes:
        filled: Values and ticks.
        struck: Boxes around words that are struck out.
        unseen: Values of fields that are hidden from readers.
        secret: How many fields hold a password, which nobody sees.
    """

    filled: list[Filled] = field(default_factory=list)
    struck: list[Edge] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    secret: int = 0


def read_annotations(page: Any, form: Any, frame: Frame) -> Annotations:
    """The annotations of an open pypdfium2 page.

    Args:
        page: The page.
        form: pdfium's handle of the document's form, None where it has none.
        frame: How the page lies.
    """
    import pypdfium2.raw as raw

    found = Annotations()
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        annotation = raw.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            _add(raw, annotation, form, frame, found)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _add(raw: Any, annotation: Any, form: Any, frame: Frame, found: Annotations) -> None:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    seen = not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN_FLAGS
    if kind == raw.FPDF_ANNOT_STRIKEOUT and seen:
        found.struck.extend(_quads(raw, annotation, frame))
    elif kind == raw.FPDF_ANNOT_FREETEXT and seen:
        words = _wide(raw.FPDFAnnot_GetStringValue, annotation, b"Contents").strip()
        if words:
            found.filled.append(Filled(_box(raw, annotation, frame), words, "typed", multiline="\n" in words))
    elif kind == raw.FPDF_ANNOT_WIDGET and form is not None:
        filled = _field(raw, annotation, form, frame, found)
        if filled is not None and seen:
            found.filled.append(filled)
        elif filled is not None and filled.words and filled.kind == "field":
            found.unseen.append(filled.words)


def _field(raw: Any, annotation: Any, form: Any, frame: Frame, found: Annotations) -> Filled | None:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    box = _box(raw, annotation, frame)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return Filled(box, CHECKED if raw.FPDFAnnot_IsChecked(form, annotation) else UNCHECKED, "tick")
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return None
    flags = raw.FPDFAnnot_GetFormFieldFlags(form, annotation) if kind == raw.FPDF_FORMFIELD_TEXTFIELD else 0
    words = _chosen(raw, annotation, form) if kind != raw.FPDF_FORMFIELD_TEXTFIELD else ""
    words = words or _wide(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    words = "\n".join(line.strip(" \u3000\t") for line in words.splitlines()).strip("\n")
    if flags & _PASSWORD and words:
        found.secret += 1
        return None
    size = ctypes.c_float()
    raw.FPDFAnnot_GetFontSize(form, annotation, size)
    return Filled(box, words, "field", size.value, bool(flags & _MULTILINE) or "\n" in words)


def _chosen(raw: Any, annotation: Any, form: Any) -> str:
    """What is chosen from a list, as the list shows it: its value may be another."""
    count = raw.FPDFAnnot_GetOptionCount(form, annotation)
    return "、".join(
        _wide(raw.FPDFAnnot_GetOptionLabel, form, annotation, index)
        for index in range(max(count, 0))
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, index)
    )


def _box(raw: Any, annotation: Any, frame: Frame) -> Edge:
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, box)
    return edge_of(frame, ((box.left, box.bottom), (box.right, box.top)))


def _quads(raw: Any, annotation: Any, frame: Frame) -> list[Edge]:
    """The words that a strike-out lies over, a box a line."""
    quad = raw.FS_QUADPOINTSF()
    found = []
    for index in range(raw.FPDFAnnot_CountAttachmentPoints(annotation)):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, index, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            found.append(edge_of(frame, ((min(xs), min(ys)), (max(xs), max(ys)))))
    return found or [_box(raw, annotation, frame)]


def _wide(call: Any, *arguments: Any) -> str:
    """A text that pdfium gives in UTF-16."""
    length = call(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(length + 2)
    call(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return buffer.raw[:length].decode("utf-16-le", "replace").rstrip("\0")
