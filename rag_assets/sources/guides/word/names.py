"""Names in the XML of Word, and how its values are read. What elements mean belongs to the modules that read them."""

from rag_assets.sources.guides.office_package import Element

_OFFICE = "http://schemas.openxmlformats.org"
W = f"{{{_OFFICE}/wordprocessingml/2006/main}}"
"""Word's own elements and attributes."""
M = f"{{{_OFFICE}/officeDocument/2006/math}}"
"""Equations."""
R = f"{{{_OFFICE}/officeDocument/2006/relationships}}"
"""References to other parts."""
A = f"{{{_OFFICE}/drawingml/2006/main}}"
"""Drawings."""
WP = f"{{{_OFFICE}/drawingml/2006/wordprocessingDrawing}}"
"""How drawings stand in the text."""
DIAGRAM = f"{{{_OFFICE}/drawingml/2006/diagram}}"
V = "{urn:schemas-microsoft-com:vml}"
"""Drawings of older versions."""

_OFF = frozenset({"0", "false", "off", "none"})


def read_value(parent: Element | None, name: str) -> str | None:
    """The `w:val` of a child of that name; None where there is no such child, empty where it has no value."""
    child = None if parent is None else parent.find(W + name)
    return None if child is None else child.get(W + "val", "")


def is_on(parent: Element | None, name: str) -> bool | None:
    """Whether a switch is on; None where it is not set. A switch without a value is on."""
    told = read_value(parent, name)
    return None if told is None else told.lower() not in _OFF


def parse_number(text: str | None) -> int | None:
    """A whole number as attributes write it; None where it is none. Fractions, which some programs write, are cut."""
    try:
        return int(float(text)) if text else None
    except (ValueError, OverflowError):
        return None


def read_number(parent: Element | None, name: str) -> int | None:
    """The `w:val` of a child as a whole number."""
    return parse_number(read_value(parent, name))
