"""What the styles of a Word document say: which are headings, and how letters look, over all they are based on.

What a paragraph or run says by itself goes before; `text.py` and `reader.py` lay the two together.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Literal

from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.names import W, is_on, read_number, read_value

StyleRole = Literal["title", "subtitle", "date", "contents", "contents_title", "caption", ""]

_HEADING = re.compile(r"(?:heading|見出し|標題)\s*([1-9１-９])", re.I)
_ROLES: tuple[tuple[StyleRole, re.Pattern[str]], ...] = (
    ("title", re.compile(r"title|表題", re.I)),
    ("subtitle", re.compile(r"subtitle|副題", re.I)),
    ("date", re.compile(r"date|日付", re.I)),
    ("contents_title", re.compile(r"(?:toc|contents) ?heading|目次の見出し", re.I)),
    (
        "contents",
        re.compile(r"(?:toc|contents|目次) ?[1-9１-９]|table of figures|図表目次|(?:index|索引) ?[1-9]", re.I),
    ),
    ("caption", re.compile(r"caption|図表番号|table ?caption|表題番号|table|キャプション", re.I)),
)
BODY_LEVEL = 9
"""The outline level of body text; headings have 0 to 8."""
_PARTS_OF_TABLES = {"firstRow": ("firstRow", 0x20), "firstCol": ("firstColumn", 0x80)}
_MOST_BASES = 50
_USUAL_SIZE = 20
"""Half points of letters in a document that does not tell."""


@dataclass(frozen=True, slots=True)
class LetterFormat:
    """How letters look; None where nothing is said.

    Attributes:
        bold: Whether they are bold.
        size: Their height in half points.
        font: The font of their Japanese letters.
        hidden: Whether they are hidden text.
        struck: Whether a line goes through them.
        place: `superscript`, `subscript` or `baseline`.
    """

    bold: bool | None = None
    size: int | None = None
    font: str | None = None
    hidden: bool | None = None
    struck: bool | None = None
    place: str | None = None

    def override(self, other: "LetterFormat") -> "LetterFormat":
        """This format where the other one says nothing."""
        said = {each.name: value for each in fields(other) if (value := getattr(other, each.name)) is not None}
        return replace(self, **said) if said else self


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph style says, with all that it is based on.

    Attributes:
        role: What its name tells, where that is more than body text.
        level: Outline level of a heading, from 1; None for body text.
        numbering: ID of the list that it numbers its paragraphs by; None where it has none.
        numbered_by: The style among its bases that says so: a list's level names that one.
        list_level: The level that the style itself tells, from 0.
        is_centered: Whether its paragraphs stand in the middle.
        letters: How its letters look.
    """

    role: StyleRole = ""
    level: int | None = None
    numbering: int | None = None
    numbered_by: str = ""
    list_level: int | None = None
    is_centered: bool = False
    letters: LetterFormat = LetterFormat()


class WordStyles:
    """The styles of one document."""

    def __init__(self, root: Element | None) -> None:
        """Args: root: The part `styles`; None where the file has none."""
        styles = [] if root is None else root.findall(W + "style")
        self._by_id: Mapping[str, Element] = {style.get(W + "styleId", ""): style for style in styles}
        self._default = next(
            (
                style.get(W + "styleId", "")
                for style in styles
                if style.get(W + "type") == "paragraph" and style.get(W + "default") in ("1", "true", "on")
            ),
            "",
        )
        defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._default_letters = LetterFormat(size=_USUAL_SIZE).override(read_letters(defaults))
        # A cache of the method itself would keep every document ever read.
        self.paragraph_style = cache(self._read_paragraph_style)
        self.find_letters = cache(self._read_style_letters)

    def find_style(self, paragraph: Element) -> ParagraphStyle:
        """The style of a paragraph."""
        return self.paragraph_style(read_value(paragraph.find(W + "pPr"), "pStyle") or self._default)

    def find_list(self, style_id: str) -> int | None:
        """The list that a list style stands for."""
        style = self._by_id.get(style_id)
        return None if style is None else read_number(style.find(f"{W}pPr/{W}numPr"), "numId")

    def find_emphasized_parts(self, table: Element) -> frozenset[str]:
        """Which parts of a table its style sets bold or shades, and the table asks for: `firstRow`, `firstCol`."""
        properties = table.find(W + "tblPr")
        bases = self._find_bases(read_value(properties, "tblStyle") or "")
        look = None if properties is None else properties.find(W + "tblLook")
        return frozenset(
            part.get(W + "type", "")
            for style in bases
            for part in style.iterfind(W + "tblStylePr")
            if _asks_for(look, part.get(W + "type", ""))
            and (is_on(part.find(W + "rPr"), "b") or part.find(f"{W}tcPr/{W}shd") is not None)
        )

    def _find_bases(self, style_id: str) -> list[Element]:
        """A style and all that it is based on, itself first."""
        found: list[Element] = []
        while (style := self._by_id.get(style_id)) is not None and style not in found and len(found) < _MOST_BASES:
            found.append(style)
            style_id = read_value(style, "basedOn") or ""
        return found

    def _read_style_letters(self, style_id: str) -> LetterFormat:
        """How letters of a character style look."""
        letters = LetterFormat()
        for style in reversed(self._find_bases(style_id)):
            letters = letters.override(read_letters(style.find(W + "rPr")))
        return letters

    def _read_paragraph_style(self, style_id: str) -> ParagraphStyle:
        bases = self._find_bases(style_id)
        is_own = bool(bases) and bases[0].get(W + "customStyle") in ("1", "true", "on")
        level: int | None = None
        role: StyleRole = ""
        numbering: int | None = None
        numbered_by = ""
        list_level: int | None = None
        aligned = ""
        for style in bases:
            properties = style.find(W + "pPr")
            names = _read_names(style)
            level = _pick_first(level, read_number(properties, "outlineLvl"), _find_level(names))
            # What comes with the program may be based on a style of another role: Subtitle on Title.
            role = role or (_find_role(names) if style is bases[0] or is_own else "")
            numbers = None if properties is None else properties.find(W + "numPr")
            if numbering is None and numbers is not None and (list_id := read_number(numbers, "numId")) is not None:
                numbering, numbered_by = list_id, style.get(W + "styleId", "")
            list_level = _pick_first(list_level, read_number(numbers, "ilvl"))
            aligned = aligned or read_value(properties, "jc") or ""
        return ParagraphStyle(
            role=role,
            level=level + 1 if level is not None and 0 <= level < BODY_LEVEL else None,
            numbering=numbering,
            numbered_by=numbered_by,
            list_level=list_level,
            is_centered=aligned == "center",
            letters=self._default_letters.override(self._read_style_letters(style_id)),
        )


def read_letters(properties: Element | None) -> LetterFormat:
    """How letters look by a `w:rPr` alone."""
    if properties is None or not len(properties):
        return LetterFormat()
    struck = [is_on(properties, name) for name in ("strike", "dstrike")]
    return LetterFormat(
        bold=is_on(properties, "b"),
        size=read_number(properties, "sz"),
        font=_read_japanese_font(properties.find(W + "rFonts")),
        hidden=is_on(properties, "vanish"),
        struck=None if struck == [None, None] else any(struck),
        place=read_value(properties, "vertAlign"),
    )


def _asks_for(look: Element | None, part: str) -> bool:
    """Whether a table shows what its style says of a part; older versions write all such answers as one number."""
    if look is None or part not in _PARTS_OF_TABLES:
        return False
    attribute, bit = _PARTS_OF_TABLES[part]
    told = look.get(W + attribute)
    if told is not None:
        return bool(told in ("1", "true", "on"))
    try:
        return bool(int(look.get(W + "val", "0"), 16) & bit)
    except ValueError:
        return False


def _read_japanese_font(fonts: Element | None) -> str | None:
    """The font of Japanese letters by its own name, or by that of the theme (`majorEastAsia`)."""
    return None if fonts is None else fonts.get(W + "eastAsiaTheme") or fonts.get(W + "eastAsia")


def _read_names(style: Element) -> list[str]:
    """The names a style is known by: its own, its ID, and others that people gave it."""
    names = [
        read_value(style, "name") or "",
        style.get(W + "styleId", ""),
        *(read_value(style, "aliases") or "").split(","),
    ]
    return [name.strip().replace("_20_", " ") for name in names if name.strip()]


def _find_level(names: list[str]) -> int | None:
    found = next((found for name in names if (found := _HEADING.fullmatch(name))), None)
    return int(found[1]) - 1 if found else None


def _find_role(names: list[str]) -> StyleRole:
    return next((role for role, pattern in _ROLES if any(pattern.fullmatch(name) for name in names)), "")


def _pick_first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
