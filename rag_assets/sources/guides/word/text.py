"""The words of a Word paragraph on one line, with what stands in it beside them: notes, text boxes, an anchor.

Fields show their results, pictures their descriptions, signs of special fonts their characters; hidden and struck
words are left out. What the paragraph is (heading, item) belongs to `reader.py`.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby

from rag_assets.japanese.raised import mixed_number, write_lowered, write_raised
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.guides.office_package import Element
from rag_assets.sources.guides.word.equations import read_drawn_words, read_equation
from rag_assets.sources.guides.word.names import DIAGRAM, WP, A, M, R, V, W, is_on, read_number, read_value
from rag_assets.sources.guides.word.notes import NoteKind, WordNotes
from rag_assets.sources.guides.word.remarks import WordRemarks
from rag_assets.sources.guides.word.styles import LetterFormat, ParagraphStyle, WordStyles, read_letters
from rag_assets.sources.guides.word.symbols import find_sign

_LINE_BREAK = "\v"
_NOTE_MARK, _NOTE_MARK_END = "\x01", "\x02"
"""Control characters that no XML holds."""
_MARKS_OF_NOTES = re.compile(f"{_NOTE_MARK}[^{_NOTE_MARK_END}]*{_NOTE_MARK_END}")
_WIDE = r"\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_TAB_BESIDE_WIDE = re.compile(rf"(?<=[{_WIDE}])[ \t]*\t[ \t]*|[ \t]*\t[ \t]*(?=[{_WIDE}])")
_LEFT_OUT_FIELDS = re.compile(r"\s*(?:TOC|INDEX|TOA|RD|TC|XE)\b", re.I)
_PLACES = {"superscript": write_raised, "subscript": write_lowered}
_FILE_NAME = re.compile(r"\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp)|https?://\S+", re.I)
_WRITTEN_BY_OFFICE = re.compile(
    r"\s*(?:が含まれている画像)?\s*(?:自動的に生成された説明"
    r"|AI によって生成されたコンテンツは間違っている可能性があります。"
    r"|Description automatically generated.*|AI-generated content may be incorrect\.?)"
)
_BREAKS = frozenset({"br", "cr"})


@dataclass(frozen=True, slots=True)
class WordWords:
    """What stands in one paragraph.

    Attributes:
        text: Its words on one line, with the marks of its notes.
        without_marks: The same without them.
        anchor: The first name that links give it.
        notes: The notes it refers to, each with its mark; those with a mark of their own have none.
        boxes: The text boxes anchored in it.
        diagrams: The relations that lead to the words of its diagrams (SmartArt).
        is_bold: Whether all words are bold.
        size: The height that most of them have, in half points; 0 where there are none.
        font: The font that most of them have; empty where nothing tells.
        is_contents: Whether it stands in a table of contents or index.
    """

    text: str
    without_marks: str
    anchor: str
    notes: tuple[tuple[str, Element], ...]
    boxes: tuple[Element, ...]
    diagrams: tuple[str, ...]
    is_bold: bool
    size: int
    font: str
    is_contents: bool


@dataclass(slots=True)
class _FieldState:
    """A field that has begun: first its code is read, then its result."""

    start: Element
    code: str = ""
    in_result: bool = False
    shows: bool = False


@dataclass(slots=True)
class _Gathered:
    """What a paragraph has shown so far: pieces of text with how their letters look."""

    pieces: list[tuple[str, LetterFormat]] = field(default_factory=list)
    notes: list[tuple[str, Element]] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    anchor: str = ""
    is_contents: bool = False


class WordText:
    """Reads the paragraphs of one document, in reading order: fields go over paragraphs, notes are counted."""

    def __init__(self, styles: WordStyles, notes: dict[NoteKind, WordNotes], remarks: WordRemarks) -> None:
        self._styles = styles
        self._notes = notes
        self._remarks = remarks
        self._fields: list[_FieldState] = []
        self.pictures = 0
        """Pictures seen so far."""

    def read(self, paragraph: Element, style: ParagraphStyle) -> WordWords:
        """The words of a paragraph."""
        found = _Gathered(is_contents=self._is_in_contents())
        self._read_children(paragraph, style.letters, found)
        text = _join_pieces(found.pieces)
        sizes: Counter[int] = Counter()
        fonts: Counter[str] = Counter()
        shown = [(words, letters) for words, letters in found.pieces if words.strip()]
        for words, letters in shown:
            sizes[letters.size or 0] += len(words)
            fonts[letters.font or ""] += len(words)
        return WordWords(
            text=text.replace(_NOTE_MARK, "").replace(_NOTE_MARK_END, ""),
            without_marks=one_line(_MARKS_OF_NOTES.sub("", text)),
            anchor=found.anchor,
            notes=tuple(found.notes),
            boxes=tuple(found.boxes),
            diagrams=tuple(found.diagrams),
            is_bold=bool(shown) and all(letters.bold for _, letters in shown),
            size=sizes.most_common(1)[0][0] if sizes else 0,
            font=fonts.most_common(1)[0][0] if fonts else "",
            is_contents=found.is_contents or self._is_in_contents(),
        )

    def _is_in_contents(self) -> bool:
        return any(_LEFT_OUT_FIELDS.match(each.code) for each in self._fields)

    @property
    def _is_shown(self) -> bool:
        return all(each.in_result for each in self._fields) and not self._is_in_contents()

    def _read_children(self, parent: Element, around: LetterFormat, found: _Gathered) -> None:
        for child in parent:
            if child.tag == W + "r":
                self._read_run(child, around, found)
            elif child.tag == W + "fldSimple":
                self._read_simple_field(child, around, found)
            elif child.tag == W + "bookmarkStart":
                found.anchor = found.anchor or read_anchor(child)
            elif child.tag == M + "oMath":
                self._show(_read_equation_after(found, child), around, found)
            elif child.tag == M + "oMathPara":
                for math in child.iter(M + "oMath"):
                    self._show(f"{_LINE_BREAK}{read_equation(math)[0]}{_LINE_BREAK}", around, found)
            elif child.tag in (W + "ruby", W + "rubyBase"):
                self._read_children(child, around, found)

    def _read_simple_field(self, element: Element, around: LetterFormat, found: _Gathered) -> None:
        self._fields.append(_FieldState(element, element.get(W + "instr", ""), in_result=True))
        found.is_contents = found.is_contents or self._is_in_contents()
        self._read_children(element, around, found)
        self._fields.pop()

    def _read_run(self, run: Element, around: LetterFormat, found: _Gathered) -> None:
        properties = run.find(W + "rPr")
        letters = around
        if properties is not None:
            style = read_value(properties, "rStyle")
            if style:
                letters = letters.override(self._styles.find_letters(style))
            letters = letters.override(read_letters(properties))
        for child in run:
            self._read_in_run(child, letters, found)

    def _read_in_run(self, element: Element, letters: LetterFormat, found: _Gathered) -> None:
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if name == "t":
            self._show(element.text or "", letters, found)
        elif name in ("tab", "ptab"):
            self._show("\t", letters, found)
        elif name in _BREAKS:
            self._show(_LINE_BREAK, letters, found)
        elif name == "noBreakHyphen":
            self._show("-", letters, found)
        elif name == "sym":
            self._show_sign(element, letters, found)
        elif name == "fldChar":
            self._read_field_mark(element, letters, found)
        elif name == "instrText":
            if self._fields and not self._fields[-1].in_result:
                self._fields[-1].code += element.text or ""
        elif name in ("footnoteReference", "endnoteReference"):
            self._read_note(element, "footnote" if name == "footnoteReference" else "endnote", letters, found)
        elif name in ("drawing", "pict", "object"):
            self._read_drawing(element, letters, found)
        elif name == "ruby":
            base = element.find(W + "rubyBase")
            if base is not None:
                self._read_children(base, letters, found)
        elif name == "commentReference":
            self._remarks.add("comment")

    def _show(self, words: str, letters: LetterFormat, found: _Gathered) -> None:
        """Take words into the paragraph where a reader sees them."""
        if not words or not self._is_shown:
            return
        if self._fields:
            self._fields[-1].shows = True
        if letters.hidden or letters.struck:
            if words.strip():
                self._remarks.add("hidden text" if letters.hidden else "struck text", one_line(words))
            return
        found.pieces.append((words, letters))

    def _show_sign(self, symbol: Element, letters: LetterFormat, found: _Gathered) -> None:
        sign = find_sign(symbol)
        if not sign and self._is_shown:
            self._remarks.add("unknown sign", f"{symbol.get(W + 'font')} {symbol.get(W + 'char')}")
        self._show(sign, letters, found)

    def _read_field_mark(self, mark: Element, letters: LetterFormat, found: _Gathered) -> None:
        kind = mark.get(W + "fldCharType")
        if kind == "begin":
            self._fields.append(_FieldState(mark))
        elif not self._fields:
            return
        elif kind == "separate":
            self._fields[-1].in_result = True
            found.is_contents = found.is_contents or self._is_in_contents()
        elif kind == "end":
            ended = self._fields.pop()
            if ended.shows and self._fields:
                self._fields[-1].shows = True
            if not ended.shows:
                self._show(self._read_without_result(ended), letters, found)

    def _read_without_result(self, ended: _FieldState) -> str:
        """What a field shows that keeps no result: a drawing of signs, a box of a form."""
        form = ended.start.find(W + "ffData")
        box = None if form is None else form.find(W + "checkBox")
        if box is not None:
            checked = is_on(box, "checked")
            return "☑" if (is_on(box, "default") if checked is None else checked) else "☐"
        choices = None if form is None else form.find(W + "ddList")
        if choices is not None:
            entries = [entry.get(W + "val", "") for entry in choices.findall(W + "listEntry")]
            chosen = read_number(choices, "result") or read_number(choices, "default") or 0
            return entries[chosen] if 0 <= chosen < len(entries) else ""
        drawn = read_drawn_words(ended.code)
        if drawn is None:
            return ""
        if not drawn:
            self._remarks.add("unread field", one_line(ended.code))
        return drawn

    def _read_note(self, reference: Element, kind: NoteKind, letters: LetterFormat, found: _Gathered) -> None:
        note = self._notes[kind].find(reference)
        if note is None or not self._is_shown or letters.hidden or letters.struck:
            return
        if reference.get(W + "customMarkFollows") in ("1", "true", "on"):
            found.notes.append(("", note))
            return
        mark = f"（注{self._notes[kind].count()}）"
        found.notes.append((mark, note))
        self._show(f"{_NOTE_MARK}{mark}{_NOTE_MARK_END}", LetterFormat(bold=letters.bold, size=letters.size), found)

    def _read_drawing(self, drawing: Element, letters: LetterFormat, found: _Gathered) -> None:
        if not self._is_shown or letters.hidden:
            return
        boxes = [box for box in drawing.iter(W + "txbxContent") if _is_outermost(box, drawing)]
        found.boxes.extend(boxes)
        found.diagrams.extend(each.get(R + "dm", "") for each in drawing.iter(DIAGRAM + "relIds"))
        for written in drawing.iter(V + "textpath"):
            self._show(f"{_LINE_BREAK}{written.get('string', '')}{_LINE_BREAK}", letters, found)
        described = _read_description(drawing)
        is_picture = next(drawing.iter(A + "blip", V + "imagedata"), None) is not None or any(
            content.get("uri", "").endswith("/chart") for content in drawing.iter(A + "graphicData")
        )
        self.pictures += is_picture
        if described and not boxes:
            self._show(f"（図：{described}）", letters, found)
        elif is_picture and not boxes:
            self._remarks.add("picture without description")


def read_anchor(bookmark: Element) -> str:
    """The name that links give a place; empty for the names that Word makes by itself."""
    name = bookmark.get(W + "name", "")
    return "" if name.startswith("_") else name


def _is_outermost(box: Element, drawing: Element) -> bool:
    for around in box.iterancestors():
        if around is drawing:
            return True
        if around.tag == W + "txbxContent":
            return False
    return True


def _read_description(drawing: Element) -> str:
    """The description that a person gave a picture; names of files and what Office wrote by itself are none."""
    told = [each.get("descr") or each.get("title") or "" for each in drawing.iter(WP + "docPr")]
    told += [each.get("alt") or "" for each in drawing.iter(V + "shape")]
    words = one_line(_WRITTEN_BY_OFFICE.sub("", next(filter(None, told), "")))
    return "" if _FILE_NAME.fullmatch(words) else words


def _read_equation_after(found: _Gathered, math: Element) -> str:
    """An equation; a fraction behind a number becomes a mixed number with it: 2と1/2."""
    written, is_fraction = read_equation(math)
    before = found.pieces[-1][0][-1:] if found.pieces else ""
    return mixed_number(before, written).removeprefix(before) if is_fraction and before.isdigit() else written


def _join_pieces(pieces: list[tuple[str, LetterFormat]]) -> str:
    """Pieces on one line; a line break separates by a full-width space, but not before an opening bracket."""
    words = ""
    for place, group in groupby(pieces, key=lambda piece: piece[1].place):
        written = "".join(text for text, _ in group)
        move = _PLACES.get(place or "")
        words += move(written) if move and written.strip(" \t\u3000") else written
    words = _TAB_BESIDE_WIDE.sub("\u3000", words)
    lines = [line for line in map(one_line, words.split(_LINE_BREAK)) if line]
    return re.sub("　(?=[（(])", "", "　".join(lines)) if len(lines) > 1 else "".join(lines)
