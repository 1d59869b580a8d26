"""A Word document (.docx, .docm) as headings and blocks, as a person sees it in Word with all changes accepted.

How the parts are opened is in `office_package.py`; how words, numbers and tables are read, in the modules beside.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import BinaryIO

from rag_assets.japanese.whitespace import close_spaced, one_line
from rag_assets.model import Block, Table, TextBlock
from rag_assets.sources.base import DocumentError
from rag_assets.sources.file_kinds import LOCKED_OFFICE, OLD_WORD, WORD
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.office_package import Element, OfficePackage, open_package
from rag_assets.sources.guides.word.changes import accept_changes, is_contents
from rag_assets.sources.guides.word.headings import FlowItem, WordParagraph, find_headings_by_looks, has_number
from rag_assets.sources.guides.word.names import A, W, read_number, read_value
from rag_assets.sources.guides.word.notes import NoteKind, WordNotes
from rag_assets.sources.guides.word.numbering import WordNumbering
from rag_assets.sources.guides.word.remarks import WordRemarks
from rag_assets.sources.guides.word.styles import BODY_LEVEL, ParagraphStyle, WordStyles, read_letters
from rag_assets.sources.guides.word.tables import CellContent, find_only_cell, read_word_table
from rag_assets.sources.guides.word.text import WordText, read_anchor
from rag_assets.sources.html.blocks import NOTE

_SAVE_AS_WORD = (
    "open it in Word, save it as a Word document (ファイル → 名前を付けて保存 → Word 文書 *.docx), and give that file"
)
_REMEDIES = {
    LOCKED_OFFICE.name: (
        "open it in Word with its password, take the password off (ファイル → 情報 → 文書の保護 → "
        "パスワードを使用して暗号化, and empty the field), save it, and give that file"
    ),
    OLD_WORD.name: _SAVE_AS_WORD,
    "office": "open it in its program, save it as a Word document (.docx), and give that file",
    "archive": "unpack it, and give the Word document inside; if it is damaged, copy it again from where it came from",
    "other": "open it in Word, save it again as a Word document (.docx), and give that file",
}
_CONTENTS_TITLE = re.compile(r"目次|もくじ|contents|table of contents|索引", re.I)
_PAGE_NUMBER = re.compile(r"[0-9０-９]\s*[)）-]?$")
_TYPED_LEADER = re.compile(r"[.．…‥・･]{3,}[\s　]*[(（-]?[0-9０-９]+\s*[)）-]?$|…[\s　]*[0-9０-９]+$")
_FEWEST_LINES_OF_CONTENTS = 3
_CONTENTS = WordParagraph("", role="contents")
"""Stands where a table of contents has been left out."""
_FIGURE = re.compile(r"[0-9０-９]")
_DEEPEST_ITEM = 8


def read_word(file: BinaryIO) -> GuideDocument:
    """Read a Word document.

    Headings are paragraphs with a heading style or an outline level; where there is none, those that look like
    headings, which a finding tells. Left out, and told in findings: hidden and struck text, tables of contents,
    comments, prompts of empty fields. Left out without a word: deleted text, page headers and footers.

    Args:
        file: The bytes.

    Raises:
        DocumentError: It is no such document, locked, damaged, or holds no text; the message says what to do.
    """
    package = open_package(file, WORD, _REMEDIES)
    return _WordReader(package).read()


class _WordReader:
    """Reads the flow of one document."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        name, root = package.find_main_part("word/document.xml")
        self._root = root
        self._relations = package.read_relations(name)
        settings = self._read_related("settings")
        self._remarks = WordRemarks()
        self._styles = WordStyles(self._read_related("styles"))
        self._numbering = WordNumbering(self._read_related("numbering"), self._styles)
        notes: dict[NoteKind, WordNotes] = {}
        for kind in ("footnote", "endnote"):
            part = self._read_related(f"{kind}s")
            if part is not None:
                accept_changes(part)
            notes[kind] = WordNotes(kind, part, settings)
        self._text = WordText(self._styles, notes, self._remarks)

    def read(self) -> GuideDocument:
        self._remarks.add("prompt", count=accept_changes(self._root))
        body = self._root.find(W + "body")
        items = self._leave_out_contents([] if body is None else list(self._read_flow(body)))
        dated, items = _take_date(items)
        title, items = _take_title(items)
        if not any(isinstance(item, WordParagraph) and item.level for item in items):
            items, count = find_headings_by_looks(items, is_titled=bool(title))
            self._remarks.add("headings by looks", count=count)
            if not title:
                title, items = _take_title(items)
        parts = tuple(_make_parts(items))
        if not parts and not title:
            raise DocumentError(self._describe_emptiness())
        return GuideDocument(
            parts=parts,
            title=title or self._package.title,
            dated=dated,
            modified_on=self._package.modified_on,
            findings=tuple(self._remarks.findings()),
        )

    def _read_related(self, kind: str) -> Element | None:
        named = next((each.target for each in self._relations.values() if each.kind == kind), "")
        return self._package.read_part(named) if named else None

    def _describe_emptiness(self) -> str:
        if self._text.pictures:
            return (
                f"The Word document holds {self._text.pictures} pictures and no text: it is a scan. Make a PDF with a "
                "text layer of it by OCR, and give that PDF"
            )
        return "The Word document holds no text: open it in Word, and give the file that has the text"

    def _read_flow(self, container: Element) -> Iterator[FlowItem]:
        """What stands in the body, a cell, a note or a text box, in reading order."""
        anchor = ""
        caption: WordParagraph | None = None
        for element in container:
            if element.tag == W + "bookmarkStart":
                anchor = read_anchor(element) or anchor
            elif element.tag == W + "p":
                if caption:
                    yield caption
                    caption = None
                for item in self._read_paragraph(element, anchor):
                    if isinstance(item, WordParagraph) and item.role == "caption" and not item.level:
                        caption = item
                    else:
                        yield item
                anchor = ""
            elif element.tag == W + "tbl":
                if caption and find_only_cell(element) is not None:
                    yield caption
                    caption = None
                yield from self._read_table(element, caption.text if caption else "")
                caption = None
            elif element.tag == W + "altChunk":
                self._remarks.add("inserted file")
            elif element.tag == W + "sdt" and is_contents(element):
                yield _CONTENTS
                self._remarks.add("table of contents", count=sum(1 for _ in element.iter(W + "p")))
        if caption:
            yield caption

    def _read_paragraph(self, paragraph: Element, anchor: str) -> Iterator[FlowItem]:
        style = self._styles.find_style(paragraph)
        properties = paragraph.find(W + "pPr")
        mark = None if properties is None else properties.find(W + "rPr")
        words = self._text.read(paragraph, style)
        if words.is_contents or style.role in ("contents", "contents_title"):
            self._remarks.add("table of contents", words.text)
            yield _CONTENTS
            return
        is_unseen = not words.text and bool(read_letters(mark).hidden)
        number = None if is_unseen else self._numbering.count(paragraph, style)
        level = _read_outline_level(properties, style)
        if words.text or (level and number and number.text):
            text, without_marks = words.text, words.without_marks
            if number:
                text, without_marks = number.put_before(text), number.put_before(without_marks)
            if level and without_marks:
                self._remarks.place = without_marks
            yield WordParagraph(
                text=text,
                without_marks=without_marks,
                number=number,
                level=level if without_marks else None,
                role=style.role,
                anchor=words.anchor or anchor,
                is_bold=words.is_bold,
                is_centered=(read_value(properties, "jc") or ("center" if style.is_centered else "")) == "center",
                size=words.size,
                font=words.font,
                has_leader=_has_leader(properties, words.text),
            )
        for box in words.boxes:
            yield from self._read_flow(box)
        for relation in words.diagrams:
            yield from self._read_diagram(relation)
        for note_mark, note in words.notes:
            told = _join_words(self._read_flow(note))
            if told:
                yield TextBlock(kind="note", text=f"{note_mark}{told}")

    def _read_diagram(self, relation: str) -> Iterator[WordParagraph]:
        """The words of a diagram (SmartArt), shape by shape."""
        target = self._relations.get(relation)
        root = self._package.read_part(target.target) if target else None
        for paragraph in [] if root is None else root.iter(A + "p"):
            text = one_line("".join(part.text or "" for part in paragraph.iter(A + "t")))
            if text:
                yield WordParagraph(text, without_marks=text)

    def _read_table(self, table: Element, caption: str) -> Iterator[FlowItem]:
        box = find_only_cell(table)
        if box is not None:
            yield from self._read_flow(box)
            return
        notes: list[TextBlock] = []
        emphasized = self._styles.find_emphasized_parts(table)
        read = read_word_table(table, lambda cell: self._read_cell(cell, notes), emphasized, caption)
        if read is not None:
            yield read
        yield from notes

    def _read_cell(self, cell: Element, notes: list[TextBlock]) -> CellContent:
        """The words of a cell; its notes are put by, to stand below the table."""
        items = list(self._read_flow(cell))
        notes += [item for item in items if isinstance(item, TextBlock)]
        rest = [item for item in items if not isinstance(item, TextBlock)]
        paragraphs = [item for item in rest if isinstance(item, WordParagraph)]
        return CellContent(_join_words(rest), bool(paragraphs) and all(item.is_bold for item in paragraphs))

    def _leave_out_contents(self, items: Sequence[FlowItem]) -> list[FlowItem]:
        """The items without tables of contents, and without the line 目次 above one.

        Lines that dots lead to a page number are one where there are several of them.
        """
        kept: list[FlowItem] = []
        for is_leading, group in groupby(items, key=lambda item: isinstance(item, WordParagraph) and item.has_leader):
            lines = list(group)
            if is_leading and len(lines) >= _FEWEST_LINES_OF_CONTENTS:
                self._remarks.add("table of contents", count=len(lines))
                lines = [_CONTENTS]
            for item in lines:
                if not _has_role(item, "contents"):
                    kept.append(item)
                elif kept and _CONTENTS_TITLE.fullmatch(close_spaced(_get_words(kept[-1]))):
                    kept.pop()
        return kept


def _has_leader(properties: Element | None, text: str) -> bool:
    """Whether a line ends in a page number that dots lead to, typed or drawn by a tab stop."""
    if not _PAGE_NUMBER.search(text):
        return False
    stops = [] if properties is None else properties.iterfind(f"{W}tabs/{W}tab")
    return _TYPED_LEADER.search(text) is not None or any(stop.get(W + "leader", "none") != "none" for stop in stops)


def _read_outline_level(properties: Element | None, style: ParagraphStyle) -> int | None:
    own = read_number(properties, "outlineLvl")
    if own is None:
        return style.level if style.role not in ("title", "subtitle") else None
    return own + 1 if 0 <= own < BODY_LEVEL else None


def _take_date(items: Sequence[FlowItem]) -> tuple[str, list[FlowItem]]:
    """The words of the Date paragraph before any heading, and the rest."""
    before = items[: _find_first_heading(items)]
    at = next(
        (at for at, item in enumerate(before) if _has_role(item, "date") and _FIGURE.search(_get_words(item))), None
    )
    return ("", list(items)) if at is None else (_get_words(items[at]), [*items[:at], *items[at + 1 :]])


def _take_title(items: Sequence[FlowItem]) -> tuple[str, list[FlowItem]]:
    """The document's title and the rest: its Title paragraphs before any heading, else its first Subtitle.

    Without these, the first line is the title where it is the only heading of the outermost level and has no number.
    Title paragraphs further on are headings of the outermost level.
    """
    first_heading = _find_first_heading(items)
    for role in ("title", "subtitle"):
        at = next((at for at, item in enumerate(items[:first_heading]) if _has_role(item, role)), None)
        if at is not None:
            end = next((end for end in range(at, len(items)) if not _has_role(items[end], role)), len(items))
            return "　".join(map(_get_words, items[at:end])), [*items[:at], *map(_as_heading, items[end:])]
    outermost = [item for item in items if isinstance(item, WordParagraph) and item.level == 1]
    if first_heading == 0 and len(outermost) == 1 and not has_number(outermost[0]):
        return _get_words(items[0]), list(map(_as_heading, items[1:]))
    return "", list(map(_as_heading, items))


def _find_first_heading(items: Sequence[FlowItem]) -> int:
    """Where the first heading stands; behind the last item where there is none."""
    return next((at for at, item in enumerate(items) if isinstance(item, WordParagraph) and item.level), len(items))


def _get_words(item: FlowItem) -> str:
    return item.without_marks if isinstance(item, WordParagraph) else ""


def _has_role(item: FlowItem, role: str) -> bool:
    return isinstance(item, WordParagraph) and item.role == role


def _as_heading(item: FlowItem) -> FlowItem:
    """A Title paragraph that does not name the document is a heading."""
    return replace(item, level=1) if isinstance(item, WordParagraph) and item.role == "title" else item


def _make_parts(items: Sequence[FlowItem]) -> Iterator[Heading | BodyBlock]:
    outermost = _find_outermost_levels(items)
    for item in items:
        if not isinstance(item, WordParagraph):
            yield BodyBlock(item)
        elif item.level:
            yield Heading(level=item.level, text=item.without_marks, anchor=item.anchor)
        else:
            yield BodyBlock(_make_block(item, outermost))


def _find_outermost_levels(items: Sequence[FlowItem]) -> dict[str, int]:
    """The outermost level of each list that numbers body text: levels above it number headings."""
    levels: dict[str, int] = {}
    for item in items:
        if isinstance(item, WordParagraph) and item.number and not item.level:
            key, level = item.number.list_key, item.number.level
            levels[key] = min(levels.get(key, level), level)
    return levels


def _make_block(paragraph: WordParagraph, outermost: dict[str, int]) -> Block:
    number = paragraph.number
    if number is not None and not NOTE.match(paragraph.text):
        depth = min(number.level - outermost[number.list_key], _DEEPEST_ITEM)
        return TextBlock(kind="item", text=paragraph.text, depth=depth)
    return TextBlock(kind="note" if NOTE.match(paragraph.text) else "paragraph", text=paragraph.text)


def _join_words(items: Iterator[FlowItem] | Sequence[FlowItem]) -> str:
    """The words of a cell or note on one line."""
    words: list[str] = []
    for item in items:
        if isinstance(item, Table):
            words.extend(text for text in (item.caption, *(cell.text for cell in item.cells)) if text)
        else:
            words.append(item.text)
    return "　".join(filter(None, words))
