"""Lines of an answer into the paragraphs, items and notes that they were before the page broke them.

Where an answer begins and ends is decided before this; what becomes a section or a caption, after it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Literal

from rag_assets.japanese.characters import ONE_TO_TEN, SPACES
from rag_assets.japanese.sentences import is_sentence_end
from rag_assets.japanese.widths import half_width
from rag_assets.sources.invoice_qa.flow import FlowLine, FlowTable
from rag_assets.sources.pdf.pages import joined_words

_Counting = Literal["number", "roman", "small roman", "bracketed", "circled", "kana", "circled kana", "kanji", "letter"]
PassageMark = _Counting | Literal["", "bullet", "arrow", "example", "note", "label"]
"""What a line begins with; nothing for a plain paragraph."""

_GAP = f"[{SPACES}]"
_CIRCLED = "①-⑳㉑-㉟❶-❿"
_MARKS: tuple[tuple[PassageMark, re.Pattern[str]], ...] = (
    ("note", re.compile(rf"(?:\(注[\d\-]*\)|注[\d\-]*\))(?:{_GAP}|\d|$)|※[\d(]*")),
    ("note", re.compile(rf"\((?:参考|例|補足|備考)[\d\-]*\)(?:{_GAP}|\d|$)")),
    ("example", re.compile(r"例\d?:")),
    ("label", re.compile(r"【[^】]+(?:】|$)|《[^》]+》$|〔[^〕]+〕$|＜[^＞]+＞$|<[^>]+>$|≪[^≫]+≫$")),
    ("number", re.compile(rf"\d{{1,2}}(?:{_GAP}|[.](?!\d))")),
    ("roman", re.compile(rf"[Ⅰ-Ⅻ](?:{_GAP}|[.])")),
    ("small roman", re.compile(r"[ⅰ-ⅻ]|\([ⅰ-ⅻ]\)")),
    ("bracketed", re.compile(r"\(\d{1,2}\)|[⑴-⒇]")),
    ("circled", re.compile(rf"[{_CIRCLED}]")),
    ("kana", re.compile(rf"(?:[イロハニホヘトチリヌルヲ](?:{_GAP}|[.])|\([イロハニホヘトチリヌ]\))")),
    ("circled kana", re.compile(r"[㋐-㋾]")),
    ("kanji", re.compile(rf"[{ONE_TO_TEN}]{{1,3}}(?:[~～〜][{ONE_TO_TEN}]{{1,3}})?{_GAP}")),
    ("letter", re.compile(rf"(?:\(?[A-Za-z]\)|[A-Za-z][.](?![A-Za-z]))(?:{_GAP})?")),
    ("bullet", re.compile(r"[・･•‣●○〇◎◆◇■□▲▶➢✓](?![●○〇◎◆◇■□▲])")),
    ("arrow", re.compile(r"[⇒➡→]")),
)
_SURE_MARKS = frozenset({"note", "label", "bullet", "arrow", "example"})
"""Marks that no line begins with by chance, in the middle of a sentence."""
_NOT_BEHIND_MARK = "、，。）)」』】・からまでのをはにがともやへで及又若並"
"""What follows a number that is part of a sentence: 「①、④及び⑤の…」."""
_NUMBERS = re.compile(rf"([{_CIRCLED}])[ \u3000]*[{_CIRCLED}]+")
"""Several circled numbers: an item that begins with a reference (② ①以外の者), or references alone (②④）)."""
_BEHIND_REFERENCE = "。）)」』】"
_AFTER_LAW = re.compile(r"(?:[法令規則達通]|第)[ \u3000]*\d+(?:[-－の]\d+)*(?:条(?:の\d+)*)?(?:第\d+項)?[①-⑳]?$")
"""What a number that begins a line goes on with, where the line above ends so: 消法30｜②①."""
_REFERS_ON = re.compile(r"(?:次の|上記の?|前記の?|下記の?|[、,(「]|及び|又は|若しくは|並びに)$")
_REFERENCE = re.compile(r"(?:問|Q)\d+(?:[-－]\d+)?[《≪「]")
_UNBREAKABLE = re.compile(r"(?:[A-Za-z0-9.,:/_\-]+|.)[、。，．）)」』】〕］]*")
_OPENING, _CLOSING = "（「『【〔《≪(", "）」』】〕》≫)"


@dataclass(frozen=True, slots=True)
class AnswerPassage:
    """A paragraph, list item, note or label, its lines joined.

    Attributes:
        text: Its words on one line.
        mark: What kind of mark it begins with; empty for a paragraph.
        page: Page it begins on.
        frame: Frame it stands in.
        lines: How many lines it was.
        short: Whether its last line ends well before the right margin.
    """

    text: str
    mark: PassageMark
    page: int
    frame: int
    lines: int
    short: bool

    @property
    def is_sentence(self) -> bool:
        """Whether it ends as sentences do; a remark in brackets behind a heading, 「…場合（…を除く。）」, is none."""
        return is_sentence_end(re.sub(r"(?:（[^（）]*(?:（[^（）]*）[^（）]*)*）)+$", "", self.text.rstrip()))


def passages(items: Iterable[FlowLine | FlowTable]) -> list[AnswerPassage | FlowTable]:
    """The paragraphs and tables of a stretch of the flow, in order.

    A line goes on with the one above where that one is full, or stops short of its sentence in a way that no
    paragraph ends (an open bracket, a comma), and where it stands as far in as the lines before it do. A line with
    a mark of its own (①, （注）, ・) begins a new passage.
    """
    grouped: list[list[FlowLine] | FlowTable] = []
    for item, below in pairwise([*items, None]):
        last = grouped[-1] if grouped else None
        if isinstance(item, FlowTable):
            grouped.append(item)
        elif item and isinstance(last, list) and _goes_on(last, item, below):
            last.append(item)
        elif item:
            grouped.append([item])
    return [item if isinstance(item, FlowTable) else _passage(item) for item in grouped]


def mark_of(text: str) -> PassageMark:
    """The kind of mark a line begins with."""
    stripped = half_width(text.lstrip(SPACES))
    numbers = _NUMBERS.match(stripped)
    if numbers:
        return "" if stripped[numbers.end() : numbers.end() + 1] in tuple(_BEHIND_REFERENCE) else "circled"
    for name, pattern in _MARKS:
        match = pattern.match(stripped)
        if match and (name in _SURE_MARKS or stripped[match.end() : match.end() + 1] not in tuple(_NOT_BEHIND_MARK)):
            return name
    return ""


def join_lines(texts: Iterable[str]) -> str:
    """Lines as one, joined with `joined_words`, without blanks at its ends."""
    return reduce(joined_words, texts, "").strip(SPACES)


def _passage(lines: list[FlowLine]) -> AnswerPassage:
    first, last = lines[0], lines[-1]
    return AnswerPassage(
        text=join_lines(line.text for line in lines),
        mark=mark_of(first.text),
        page=first.page,
        frame=first.frame,
        lines=len(lines),
        short=last.x1 < last.edge - 2 * last.size,
    )


def _goes_on(lines: list[FlowLine], line: FlowLine, below: FlowLine | FlowTable | None) -> bool:
    """Whether a line belongs to the passage of the lines above it; the line below it tells an indent from a hang."""
    above = lines[-1]
    if above.frame != line.frame:
        return False
    mark = mark_of(line.text)
    ended = is_sentence_end(above.text)
    text = "".join(other.text for other in lines)
    unfinished = not ended and (above.text.rstrip().endswith(("、", "，")) or _has_open_bracket(text))
    if (_REFERENCE.match(half_width(line.text)) or _refers_on(above, line.text)) and not ended:
        return True
    if mark in _SURE_MARKS:
        return mark == "label" and unfinished and _has_open_bracket(text)
    if _is_closed_label(text):
        return False
    full = _is_full(above, line.text)
    at_place = _stands_as_continuation(lines, line)
    if mark:
        return full and not ended and at_place and len(lines) > 1 and not _is_indented_like_first(lines, line)
    if not at_place:
        return not ended and (_has_open_bracket(text) or (full and line.page != above.page))
    if len(lines) == 1 and _begins_paragraph(above, line, below):
        return False
    return full or unfinished


def _refers_on(above: FlowLine, text: str) -> bool:
    """Whether a line's circled numbers belong to the sentence that the line above breaks off."""
    if not _NUMBERS.match(text):
        return False
    end = half_width(above.text)
    return bool(_AFTER_LAW.search(end) or (_REFERS_ON.search(end) and _is_full(above, text)))


def _begins_paragraph(above: FlowLine, line: FlowLine, below: FlowLine | FlowTable | None) -> bool:
    """Whether a line that stands further in than the one above is a paragraph's first: the next one falls back.

    So a heading that fills its line is parted from the paragraph under it.
    """
    slack = 0.6 * line.size
    return (
        isinstance(below, FlowLine)
        and below.frame == line.frame
        and line.x0 > above.x0 + slack
        and abs(below.x0 - above.x0) <= slack
        and not mark_of(below.text)
        and _is_full(line, below.text)
        and not is_sentence_end(line.text)
    )


def _stands_as_continuation(lines: list[FlowLine], line: FlowLine) -> bool:
    """Whether a line begins where the lines after a passage's first begin, or where its second may."""
    slack = 0.6 * line.size
    if len(lines) > 1:
        return abs(line.x0 - lines[1].x0) <= slack
    first = lines[0]
    if line.x0 > first.x0 + slack:
        return bool(mark_of(first.text))
    if line.x0 < first.x0 - slack:
        return True
    return not is_sentence_end(first.text)


def _is_indented_like_first(lines: list[FlowLine], line: FlowLine) -> bool:
    slack = 0.6 * line.size
    return abs(line.x0 - lines[0].x0) <= slack < abs(lines[1].x0 - lines[0].x0)


def _is_full(line: FlowLine, following: str) -> bool:
    """Whether the beginning of the next line would not have fitted onto this one."""
    match = _UNBREAKABLE.match(following.lstrip(SPACES))
    run = match.group() if match else ""
    width = sum(0.5 if character.isascii() else 1.0 for character in run) * line.size
    return line.x1 + width + line.size > line.edge


def _has_open_bracket(text: str) -> bool:
    depth = 0
    for character in text:
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth = max(depth - 1, 0)
    return depth > 0


def _is_closed_label(text: str) -> bool:
    return bool(re.fullmatch(r"[ \u3000]*(?:【[^】]*】|《[^》]*》|（参考[^）]*）)[ \u3000]*", text))
