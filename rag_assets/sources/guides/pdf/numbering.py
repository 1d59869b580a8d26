"""What a heading or list item begins with: 第１章, 1.2, （１）, ア, 【…】, ■, 附則 and the like, by its words alone.

Whether a line that begins so is a heading is decided in `headings.py`.
"""

import re
import unicodedata
from dataclasses import dataclass

from rag_assets.japanese.kanji_numbers import kanji_to_int

_SPACE = r"[ \u3000]*"
_BLANK = r"[ \u3000]"
_KANJI = "〇一二三四五六七八九十百千"
_NUMBER = rf"(?:[0-9０-９]+|[{_KANJI}]+)"
_DIGITS = r"[0-9０-９]{1,2}"
_UNIT = (
    r"(?:[年月日時分秒件人円個回点枚名社歳週倍割]|か月|ヶ月|カ月|箇月|キロ|グラム|メートル)(?![一-龠々ァ-ヶー])|[％%‰℃]"
)
"""What makes the number before it an amount: 3.5倍."""
_DATE_UNIT = r"(?:[年月日]|か月|ヶ月|カ月|箇月)(?![一-龠々])"
"""What does so behind a blank: 10 月; 2 人 begins a title as well."""
_FAMILY = "編部章節款目条"
_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_ROMAN = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"
_ROMAN_LETTERS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "X": 10}
_CLOSING = {"【": "】", "〔": "〕", "［": "］", "[": "]", "＜": "＞", "〈": "〉", "《": "》", "≪": "≫", "『": "』"}
_SIGNS = "■□◆◇●○◎▼▲▶★☆▪◼◯❖"

_LAW = re.compile(rf"第{_SPACE}(?P<number>{_NUMBER}){_SPACE}(?P<kind>[{_FAMILY}])(?P<branch>(?:の{_NUMBER})*)")
_DECIMAL = re.compile(
    rf"(?P<number>{_DIGITS}(?:{_SPACE}[.．・\-－―‐–−]{_SPACE}{_DIGITS}){{1,5}})[.．]?(?![0-9０-９.．])(?!{_UNIT})"
)
_PLAIN = re.compile(rf"(?P<number>{_DIGITS})(?:(?P<stop>[.．、])(?![0-9０-９])|{_BLANK})(?!{_SPACE}{_DATE_UNIT})")
_NUMBERED = (
    ("(1)", re.compile(rf"[（(]{_SPACE}(?P<number>{_DIGITS}){_SPACE}[）)]")),
    ("1)", re.compile(rf"(?P<number>{_DIGITS})[）)]")),
    ("(一)", re.compile(rf"[（(](?P<number>[{_KANJI}]{{1,3}})[）)]")),
    ("一", re.compile(rf"(?P<number>[{_KANJI}]{{1,3}})(?:[、.．]|{_BLANK})")),
    ("問", re.compile(rf"(?:問|Ｑ|Q){_SPACE}(?P<number>{_NUMBER})(?:[.．:：]|{_BLANK}|$)")),
)
_LETTERED = (
    ("①", re.compile(r"(?P<number>[①-⑳㉑-㉟㊱-㊿❶-❿⓵-⓾⑴-⒇])")),
    ("Ⅰ", re.compile(rf"(?P<number>[{_ROMAN}])[.．]?")),
    ("Ⅰ", re.compile(r"(?P<number>[IVX]{1,4})[.．](?![A-Za-z])")),
    ("(ア)", re.compile(rf"[（(](?P<number>[{_KANA}])[）)]")),
    ("ア", re.compile(rf"(?P<number>[{_KANA}])(?:[.．、）)]|{_BLANK})")),
    ("(a)", re.compile(r"[（(](?P<number>[a-zａ-ｚA-ZＡ-Ｚ])[）)]")),
    ("a", re.compile(r"(?P<number>[a-zａ-ｚ])(?:[.．）)]|\u3000)")),
    ("A", re.compile(r"(?P<number>[A-ZＡ-Ｚ])(?:[.．）)](?![A-Za-z])|\u3000)")),
)
_WORDS = re.compile(
    r"(?P<word>附則|付則|附[ \u3000]+則|別紙|別表|別添|別記|付録|附録|参考資料|参考|資料|様式|コラム|補足)"
    rf"(?:{_SPACE}(?:第{_SPACE})?(?P<number>{_NUMBER})(?:号)?)?(?=$|[ \u3000:：（(［\[〔【])"
)
_TOP_WORDS = re.compile(
    r"(?:はじめに|おわりに|まえがき|あとがき|序[文論]?|前文|結び|むすび|索引|用語集|用語解説|巻末.*|改[訂定]履歴)$"
)
"""Headings without a number that stand beside the outermost numbered ones."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The mark that a line begins with.

    Attributes:
        kind: What marks of one row share: `章`, `1.1`, `(1)`, `ア`, `【`, `■`, `附則`.
        number: Its number; several for 1.2 and 第10条の２; empty where it has none.
        label: The mark as printed.
        rest: What stands behind it.
        family: Of kinds that nest in a fixed order, their family (`第` or `1.`); empty for others.
        depth: Place in that order, from 0.
    """

    kind: str
    number: tuple[int, ...]
    label: str
    rest: str
    family: str = ""
    depth: int = 0

    @property
    def stands_on_top(self) -> bool:
        """Whether it is an annex, which stands beside the outermost headings."""
        return self.kind in ("附則", "別紙", "別表", "別添", "別記", "付録", "様式", "資料", "参考資料")


def find_numbering(text: str) -> Numbering | None:
    """The mark that a line begins with; None where it begins with words."""
    return _find_law(text) or _find_decimal(text) or _find_listed(text) or _find_bracket(text) or _find_word(text)


def is_top_word(text: str) -> bool:
    """Whether a line without a number is a heading beside the outermost ones, such as はじめに."""
    return _TOP_WORDS.match(re.sub(r"[ \u3000]", "", text)) is not None


def follows_number(above: tuple[int, ...], below: tuple[int, ...]) -> bool:
    """Whether a number counts on from another: 4 to 5, 10 to 10の2, 10の2 to 11, 1.2 to 1.3."""
    if not above or not below:
        return False
    if below[:-1] == above[: len(below) - 1] and below[-1] == above[len(below) - 1 : len(below)][-1:][0] + 1:
        return True
    return below[: len(above)] == above and len(below) == len(above) + 1 and below[-1] in (1, 2)


def _find_law(text: str) -> Numbering | None:
    match = _LAW.match(text)
    if match is None:
        return None
    numbers = [_value(part) for part in (match["number"], *match["branch"].split("の")[1:])]
    known = tuple(number for number in numbers if number is not None)
    if len(known) != len(numbers):
        return None
    return _numbering(match["kind"], known, text, match, family="第", depth=_FAMILY.index(match["kind"]))


def _find_decimal(text: str) -> Numbering | None:
    if match := _DECIMAL.match(text):
        parts = re.split(r"[^0-9０-９]+", match["number"])
        numbers = tuple(int(part) for part in parts)
        kind = ".".join("1" * len(numbers))
        return _numbering(kind, numbers, text, match, family="1.", depth=len(numbers) - 1)
    if match := _PLAIN.match(text):
        return _numbering(f"1{match['stop'] or ''}", (int(match["number"]),), text, match, family="1.")
    return None


def _find_listed(text: str) -> Numbering | None:
    for kind, pattern in _NUMBERED:
        if (match := pattern.match(text)) and (number := _value(match["number"])) is not None:
            return _numbering(kind, (number,), text, match)
    for kind, pattern in _LETTERED:
        if (match := pattern.match(text)) and (number := _place(match["number"])):
            return _numbering(kind, (number,), text, match)
    return None


def _find_bracket(text: str) -> Numbering | None:
    first = text[:1]
    if first in _CLOSING and _CLOSING[first] in text:
        return Numbering(first if first != "［" else "[", (), first, text[1:])
    if first and first in _SIGNS and len(text) > 1:
        return Numbering(first, (), first, text[1:].strip(" \u3000"))
    return None


def _find_word(text: str) -> Numbering | None:
    match = _WORDS.match(text)
    if match is None:
        return None
    number = _value(match["number"]) if match["number"] else None
    kind = re.sub(r"[ \u3000]", "", match["word"]).replace("付則", "附則").replace("附録", "付録")
    return _numbering(kind, (number,) if number is not None else (), text, match)


def _numbering(
    kind: str, number: tuple[int, ...], text: str, match: re.Match[str], *, family: str = "", depth: int = 0
) -> Numbering:
    label = match.group().rstrip(" \u3000")
    return Numbering(kind, number, label, text[match.end() :].strip(" \u3000"), family, depth)


def _value(digits: str) -> int | None:
    plain = unicodedata.normalize("NFKC", digits)
    return int(plain) if plain.isdecimal() else kanji_to_int(plain)


def _place(letter: str) -> int:
    """The place of a letter in its row, from 1; 0 where it has none."""
    if letter in _ROMAN:
        return _ROMAN.index(letter) + 1
    if letter in _KANA:
        return _KANA.index(letter) + 1
    if letter in _ROMAN_LETTERS:
        return _ROMAN_LETTERS[letter]
    plain = unicodedata.normalize("NFKC", letter).strip("()")
    if plain.isdecimal():
        return int(plain)
    return ord(plain.lower()) - ord("a") + 1 if len(plain) == 1 and plain.isascii() and plain.isalpha() else 1
