"""Marks of paragraphs and items that no blank sets apart from their words: ２．, ２、, 2), 二, イ.

Such a line may as well go on with the sentence above (…の範囲内で|２．５倍とする), so that the count and the end of the
line above decide. Marks that stand apart are told by `headings` alone.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from rag_assets.japanese.kanji_numbers import kanji_to_int

Style = Literal["digit", "bracket", "half bracket", "circle", "kanji", "aiueo", "iroha"]

_ORDERS: tuple[tuple[Style, str], ...] = (
    ("aiueo", "アイウエオカキクケコサシスセソタチツテト"),
    ("iroha", "イロハニホヘトチリヌルヲワカヨタレソツネ"),
)
_DIGITS = re.compile(r"^(?P<number>[0-9０-９]{1,2})(?P<sign>[.．、，)）]?)(?P<rest>.*)$")
_BRACKETED = re.compile(r"^(?:[（(](?P<number>[0-9０-９]{1,2})[）)]|(?P<one>[⑴-⒇]))(?P<rest>.*)$")
_CIRCLED = re.compile(r"^(?P<one>[①-⑳])(?P<rest>.*)$")
_KANJI = re.compile(r"^(?P<number>[一二三四五六七八九十]{1,3})(?P<sign>[.．、，]?)(?P<rest>.*)$")
_LETTER = re.compile(r"^(?P<letter>[ア-ンｱ-ﾝ])(?P<sign>[.．、，)）]?)(?P<rest>.*)$")
_WORD_GOES_ON = re.compile(r"^[ァ-ヿｦ-ﾟ]")
_NUMBER_GOES_ON = re.compile(
    r"^(?:[0-9０-９.．,，%％〜～~\-－―‐×/／・]|[〇一二三四五六七八九十百千万億兆]"
    r"|[かヶカヵケ箇]月|[年月日時分秒円人名回件週割倍条項号章節款編箇個枚部歳才級等度番次点種本台社国者級メミキセグト㎡㎞㎏]"
    r"|以[上下内前後外]|未満|つ|暦|泊|親等|階|交替|交代|期|世|般|定|切|律|重|方|括|時)"
)
_PARTICLE = re.compile(r"^(?:[をにはがのとへもやで]|から|まで|より|又は|及び|並びに|若しくは|[、，・）)」。])")
_ENDED = re.compile(r"。[）)」』】〕］]*$")
_UNFINISHED = re.compile(
    r"(?:[、，（(「『第はがをにでへもや]|(?<!も)の|(?<!こ)と|から|まで|より|及び|又は|並びに|若しくは)$"
)


@dataclass(frozen=True, slots=True)
class ParagraphMark:
    """A mark as one style reads it.

    Attributes:
        style: What it is counted in.
        number: Its place in the count, from 1.
        sign: What parts it from its words: ．, 、 or ）; empty where nothing does.
        rest: The words behind it.
    """

    style: Style
    number: int
    sign: str
    rest: str


def marks_of(text: str) -> list[ParagraphMark]:
    """Every way in which a line's beginning can be a mark."""
    if match := _BRACKETED.match(text):
        number = _value(match["number"]) if match["number"] else ord(match["one"]) - ord("⑴") + 1
        return [ParagraphMark("bracket", number, "", match["rest"])]
    if match := _CIRCLED.match(text):
        return [ParagraphMark("circle", ord(match["one"]) - ord("①") + 1, "", match["rest"])]
    if match := _DIGITS.match(text):
        style: Style = "half bracket" if match["sign"] in (")", "）") else "digit"
        return [ParagraphMark(style, _value(match["number"]), match["sign"], match["rest"])]
    if match := _KANJI.match(text):
        number = kanji_to_int(match["number"]) or 0
        return [ParagraphMark("kanji", number, match["sign"], match["rest"])]
    if match := _LETTER.match(text):
        letter = unicodedata.normalize("NFKC", match["letter"])
        found = [(style, order.find(letter) + 1) for style, order in _ORDERS]
        return [ParagraphMark(style, number, match["sign"], match["rest"]) for style, number in found if number]
    return []


def goes_on_with(text: str, above: str) -> bool:
    """Whether a line that begins with a mark still belongs to the sentence above: …第１号及び|（２）に定める者."""
    return not _ENDED.search(above) and any(mark.rest and _PARTICLE.match(mark.rest) for mark in marks_of(text))


def is_unfinished(text: str) -> bool:
    """Whether a text ends in the middle of a sentence for sure: with a comma, a particle, an open bracket, 第."""
    return _UNFINISHED.search(text) is not None


@dataclass(slots=True)
class ParagraphCount:
    """How far the marks of each style have counted in one article."""

    _last: dict[Style, int] = field(default_factory=dict)

    def restart(self) -> None:
        """A heading begins: its first paragraph is number 1, whether it says so or not."""
        self._last = {"digit": 1}

    def begin(self, text: str) -> None:
        """A paragraph begins with these words."""
        for mark in marks_of(text):
            if mark.style == "digit":
                self._last = {"digit": mark.number}
            elif self._expects(mark) or mark.number == 1:
                self._last[mark.style] = mark.number

    def opens(self, text: str, above: str) -> bool:
        """Whether a line opens a paragraph with a mark that no blank sets apart.

        Args:
            text: The line.
            above: The paragraph above it, as far as it is read.
        """
        return any(self._opens(mark, above) for mark in marks_of(text))

    def goes_on_at(self, text: str) -> bool:
        """Whether a paragraph with these words is the next one of a count that has begun."""
        return any(mark.number > 1 and self._expects(mark) for mark in marks_of(text))

    def _opens(self, mark: ParagraphMark, above: str) -> bool:
        rest = mark.rest
        if not rest or _PARTICLE.match(rest) or _UNFINISHED.search(above):
            return False
        if mark.style in ("aiueo", "iroha"):
            if _WORD_GOES_ON.match(rest) and not mark.sign:
                return False
        elif _NUMBER_GOES_ON.match(rest) and (mark.sign in ("", "、", "，") or re.match("[0-9０-９]", rest)):
            return False
        ended = _ENDED.search(above) is not None
        if mark.sign in (".", "．", ")", "）"):
            same = any(own.style == mark.style for own in marks_of(above))
            return ended or (same and self._expects(mark))
        return ended and mark.number > 1 and self._expects(mark)

    def _expects(self, mark: ParagraphMark) -> bool:
        return mark.number == self._last.get(mark.style, 0) + 1


def _value(digits: str) -> int:
    return int(unicodedata.normalize("NFKC", digits))
