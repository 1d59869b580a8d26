"""Footnotes and endnotes of Word: which number the next one has, and where its words are."""

from typing import Literal

from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.names import W, read_number, read_value
from rag_assets.sources.guides.word.number_formats import format_number

NoteKind = Literal["footnote", "endnote"]

_USUAL_FORMATS: dict[NoteKind, str] = {"footnote": "decimal", "endnote": "lowerRoman"}


class WordNotes:
    """The notes of one kind, numbered through the document: where Word begins anew on each page is not in the file."""

    def __init__(self, kind: NoteKind, root: Element | None, settings: Element | None) -> None:
        """Args: kind: Which notes. root: Their part; None where there is none. settings: The part `settings`."""
        notes = [] if root is None else root.findall(W + kind)
        self._by_id = {note.get(W + "id", ""): note for note in notes if note.get(W + "type", "normal") == "normal"}
        properties = None if settings is None else settings.find(f"{W}{kind}Pr")
        self._format = read_value(properties, "numFmt") or _USUAL_FORMATS[kind]
        self._next = read_number(properties, "numStart") or 1

    def find(self, reference: Element) -> Element | None:
        """The note that a reference leads to."""
        return self._by_id.get(reference.get(W + "id", ""))

    def count(self) -> str:
        """The number of the next note as Word writes it."""
        number = self._next
        self._next += 1
        return format_number(number, self._format)
