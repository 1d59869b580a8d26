"""Office files (Word, PowerPoint) as packages of XML parts: opened safely, by relation, within bounds.

What stands in the parts belongs to the readers. `file_kinds.py` tells what a file is that is no such package.
python-docx is not used to open them: it refuses documents with macros and those that name a part which is not there,
sets no bound to what it unpacks, and knows neither numbers as printed nor changes nor notes.
"""

import datetime
import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO
from urllib.parse import unquote

from lxml import etree

from rag_assets.clock import day_in_japan
from rag_assets.sources.base import DocumentError
from rag_assets.sources.file_kinds import FileKind, file_kind

Element = Any
"""An lxml element; lxml has no types of its own."""

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
"""Alternatives for programs of different ages."""

MOST_BYTES_OF_A_PART = 100_000_000
"""Most bytes of one unpacked XML part. The text of a thousand pages takes some 30 MB."""
MOST_BYTES_OF_ALL_PARTS = 200_000_000

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_DUBLIN_CORE_TERMS = "{http://purl.org/dc/terms/}"
_STRICT_NAMESPACES = (
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", b"officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", b"officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/presentationml/main", b"presentationml/2006/main"),
    (b"http://purl.oclc.org/ooxml/drawingml/main", b"drawingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
    (b"http://purl.oclc.org/ooxml/drawingml/diagram", b"drawingml/2006/diagram"),
)
"""Names of the strict form of the standard, and what the usual form calls the same."""
_USELESS_TITLE = re.compile(
    r"Microsoft (?:Office )?(?:Word|PowerPoint)\b.*"
    r"|.*\.(?:docx?|docm|dotx?|pptx?|pdf|rtf|odt|jtd|html?|md|txt)"
    r"|(?:文書|文書名|無題|タイトル|Document|Untitled|Title|Presentation|プレゼンテーション|Word Document|"
    r"PowerPoint\s*プレゼンテーション|PowerPoint Presentation|スライド)\s*[0-9０-９]*",
    re.I,
)
"""Titles that programs write by themselves: names of files and of new documents."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to.

    Attributes:
        kind: Last word of the relation's type: `styles`, `footnotes`, `slide`.
        target: Name of the part, or an address outside the file.
    """

    kind: str
    target: str


class OfficePackage:
    """The parts of one Office file."""

    def __init__(self, archive: zipfile.ZipFile, remedy: str) -> None:
        self._archive = archive
        self._names = {name.lower(): name for name in archive.namelist()}
        self._bytes_left = MOST_BYTES_OF_ALL_PARTS
        self._remedy = remedy

    def read_part(self, name: str) -> Element | None:
        """The root element of a part; None where the file has no such part.

        Raises:
            DocumentError: The part is damaged, too large, or defines entities.
        """
        stored = self._names.get(name.lower())
        return None if stored is None else self._parse(self._read(stored), name)

    def read_relations(self, name: str) -> dict[str, Relation]:
        """What a part refers to, by ID; the package itself has the empty name."""
        folder, base = posixpath.split(name)
        root = self.read_part(posixpath.join(folder, "_rels", f"{base}.rels"))
        if root is None:
            return {}
        return {
            element.get("Id", ""): Relation(
                element.get("Type", "").rpartition("/")[2], _resolve_target(folder, element.get("Target", ""))
            )
            for element in root.iter(_RELATIONSHIP)
        }

    def find_main_part(self, usual_name: str) -> tuple[str, Element]:
        """Name and root of the document itself.

        Raises:
            DocumentError: There is none.
        """
        main = [each.target for each in self.read_relations("").values() if each.kind == "officeDocument"]
        for name in (*main, usual_name):
            root = self.read_part(name)
            if root is not None:
                return name, root
        raise DocumentError(f"The file has no {usual_name}: it is damaged. {self._remedy}")

    @cached_property
    def _core_properties(self) -> Element | None:
        return next((root for root in map(self.read_part, self._list_property_parts()) if root is not None), None)

    def _list_property_parts(self) -> list[str]:
        told = [each.target for each in self.read_relations("").values() if each.kind == "core-properties"]
        return [*told, "docProps/core.xml"]

    @property
    def title(self) -> str:
        """The title in the file's properties; empty where there is none or a program wrote it by itself."""
        words = self._read_property(f"{_DUBLIN_CORE}title")
        return "" if _USELESS_TITLE.fullmatch(words) else words

    @property
    def modified_on(self) -> datetime.date | None:
        """The day in Japan on which the file says it was last changed."""
        try:
            moment = datetime.datetime.fromisoformat(self._read_property(f"{_DUBLIN_CORE_TERMS}modified"))
        except ValueError:
            return None
        return moment.date() if moment.tzinfo is None else day_in_japan(moment)

    def _read_property(self, name: str) -> str:
        root = self._core_properties
        element = None if root is None else root.find(name)
        return "" if element is None else " ".join((element.text or "").split())

    def _read(self, name: str) -> bytes:
        limit = min(MOST_BYTES_OF_A_PART, self._bytes_left)
        try:
            with self._archive.open(name) as part:
                data = part.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, EOFError) as error:
            raise DocumentError(f"Its part {name} cannot be unpacked ({error}). {self._remedy}") from error
        if len(data) > limit:
            raise DocumentError(
                f"Its part {name} is over {limit:,} bytes when unpacked, which no document of text needs: it is not "
                f"read. Split the document, and give the pieces."
            )
        self._bytes_left -= len(data)
        return data

    def _parse(self, data: bytes, name: str) -> Element:
        for strict, usual in _STRICT_NAMESPACES:
            data = data.replace(strict, b"http://schemas.openxmlformats.org/" + usual)
        # The parser's own limits on depth and size stay on.
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise DocumentError(f"Its part {name} is no well-formed XML ({error.msg}). {self._remedy}") from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise DocumentError(f"Its part {name} defines entities, which Office never does: it is not read.")
        return root


def open_package(file: BinaryIO, wanted: FileKind, remedies: dict[str, str]) -> OfficePackage:
    """The package in a file.

    Args:
        file: The bytes.
        wanted: What the file has to be.
        remedies: What to do with a file of another kind, by its family or its name; `other` for those not named.

    Raises:
        DocumentError: It is another kind of file, locked, or damaged; the message says what to do.
    """
    kind = file_kind(file)
    if kind != wanted:
        name = kind.name if kind else "a file of an unknown kind"
        family = kind.family if kind else "other"
        remedy = remedies.get(name) or remedies.get(family) or remedies["other"]
        raise DocumentError(f"This is {name}, not {wanted.name}: {remedy}")
    file.seek(0)
    return OfficePackage(zipfile.ZipFile(file), remedies["other"])


def choose_alternatives(root: Element) -> None:
    """Rewrite a part in place: of what is written several times, for programs of different ages, the newest is kept."""
    for element in list(root.iter(MC + "AlternateContent")):
        chosen = element.find(MC + "Choice")
        if chosen is None:
            chosen = element.find(MC + "Fallback")
        for alternative in list(element):
            if alternative is not chosen:
                element.remove(alternative)
        if element.getparent() is not None:
            unwrap(element, chosen)


def unwrap(wrapper: Element, content: Element | None) -> None:
    """Put what stands in `content` in the wrapper's place."""
    for child in list(content) if content is not None else []:
        wrapper.addprevious(child)
    wrapper.getparent().remove(wrapper)


def _resolve_target(folder: str, target: str) -> str:
    """The name of a part that is referred to from a folder of the package."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.I):
        return target
    path = posixpath.join("/", folder, unquote(target.replace("\\", "/")))
    return posixpath.normpath(path).lstrip("/")
