"""Which layers (optional content) of a PDF are not shown: pdfium tells the layer of a text, not whether it is on."""

from collections.abc import Iterator
from typing import Any, BinaryIO


def layers_off(file: BinaryIO) -> frozenset[str]:
    """Names of the layers that are off when the PDF is opened; none where that cannot be read."""
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfparser import PDFParser
    from pdfminer.psexceptions import PSException

    try:
        catalog = PDFDocument(PDFParser(file)).catalog
        return frozenset(_names_off(catalog.get("OCProperties")))
    except (PSException, ValueError, TypeError, KeyError):
        return frozenset()  # the text is kept then, as if every layer were on


def _names_off(properties: Any) -> Iterator[str]:
    from pdfminer.pdftypes import resolve1
    from pdfminer.utils import decode_text

    properties = resolve1(properties) or {}
    default = resolve1(properties.get("D")) or {}
    every = [(getattr(each, "objid", None), resolve1(each)) for each in resolve1(properties.get("OCGs")) or []]
    off = {getattr(each, "objid", None) for each in resolve1(default.get("OFF")) or []}
    on = {getattr(each, "objid", None) for each in resolve1(default.get("ON")) or []}
    base_is_off = getattr(default.get("BaseState"), "name", "") == "OFF"
    for number, layer in every:
        if number in off or (base_is_off and number not in on):
            name = resolve1(layer.get("Name", b""))
            yield decode_text(name) if isinstance(name, bytes) else str(name)
