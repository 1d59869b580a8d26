"""Telephone numbers in a text, who answers them, and whether a reader is told.

What a passage is and how its faults are counted belongs in passage_faults and quality.
"""

import re
import unicodedata
from dataclasses import dataclass

from rag_assets.corpus.text_layout import LineStretch, TextLayout

OWNER_REACH = 300
"""Characters before a number in which its owner is looked for: about one paragraph of an official text."""

_LONGEST_NAME = 30
"""Characters up to which a cell is taken for a name rather than for prose about somebody."""

_DIGIT = "[0-9０-９]"
_HYPHEN = "[-－‐‑‒–—―−ー]"
_OPENING, _CLOSING = "[(（]", "[)）]"
_NUMBER = re.compile(
    rf"(?<!{_DIGIT})(?<!{_DIGIT}{_HYPHEN})(?:"
    rf"{_OPENING}[0０]{_DIGIT}{{1,4}}{_CLOSING}{_DIGIT}{{1,4}}{_HYPHEN}{_DIGIT}{{3,4}}"
    rf"|[0０]{_DIGIT}{{1,4}}{_OPENING}{_DIGIT}{{1,4}}{_CLOSING}{_DIGIT}{{3,4}}"
    rf"|[0０]{_DIGIT}{{1,4}}{_HYPHEN}{_DIGIT}{{1,4}}{_HYPHEN}{_DIGIT}{{3,4}}"
    rf"|(?<=電話)[0０]{_DIGIT}{{9,10}}"
    rf")(?!{_DIGIT})(?!{_HYPHEN}{_DIGIT})"
)
_DIGITS_OF_A_NUMBER = re.compile(r"0\d{9,10}")

_NOUN = re.compile(r"[一-龥々〆ヶァ-ヴーA-Za-z0-9Ａ-Ｚａ-ｚ０-９・]+")
_KINDS = (
    "税務署|国税局|監督署|センター|デスク|事務所|営業所|協会|連合会|組合|銀行|金庫|機構|公庫|支部|支店|役所|役場|会社|財団|社団"
    "|法人会|委員会|審判所|裁判所|公社|大学|病院|商工会|会議所"
)
_ORGANISATION = re.compile(rf"(?:[署局庁省課係室部]|窓口|部門|本店|{_KINDS})$")
_NO_ORGANISATION = re.compile(
    r"(?:関係|賦課|日課|考課|非課|自署|部署|連署|結局|薬局|当局|[寝病温浴居個客和洋教]室|[一全内外大上下細]部)$"
)
_DESK = re.compile(rf"(?!.*(?:{_KINDS}|[局署庁省]).).*(?:[課係室部]|窓口|部門|本局|本店)")
"""Parts of an organisation that is not named with them: every organisation has such desks."""

_MERE_KIND = re.compile(rf"(?:各|所轄)?(?:{_KINDS})")

_CONTACT_WORDS = re.compile(r"電話|連絡先|ＴＥＬ|TEL|Tel|℡|ＦＡＸ|FAX|番号|ダイヤル")
_NAMED_BEHIND = re.compile(r"[ 　]*[(（]([^()（）\n]{2,40})[)）]")


@dataclass(frozen=True, slots=True)
class PhoneNumber:
    """One number where it stands, and the words that name its owner; empty where the text has none."""

    start: int
    end: int
    owner: str


def phone_numbers(layout: TextLayout) -> list[PhoneNumber]:
    """The Japanese telephone numbers of a text: ten or eleven digits from 0, written with hyphens or brackets.

    Area codes that nobody has (0000-84-2201) count, as invented numbers are written so. Dates, amounts, post codes,
    and law and form numbers are none.

    The owner is the last organisation-like noun before the number, in full: 立川税務署, 電話相談センター, 総務課. In a
    table row it is looked for among the row's cells, and failing that the first cell is the owner; otherwise within
    `OWNER_REACH` characters before. A name in brackets right behind the number goes before all of these.
    """
    return [
        PhoneNumber(match.start(), match.end(), _owner(layout, match.start(), match.end()))
        for match in _NUMBER.finditer(layout.text)
        if _DIGITS_OF_A_NUMBER.fullmatch(_digits(match.group()))
    ]


def tells_owner(text: str, number: PhoneNumber, *, named: bool) -> bool:
    """Whether who reads a passage is told whose number stands in it.

    The owner has to be there in full. Where it is a mere desk (法人課税係, 相談窓口), some organisation by name or the
    record has to be named with it; where the text names no owner, the record.

    Args:
        text: The whole passage.
        number: A number in it.
        named: Whether the passage names its record.
    """
    if not number.owner:
        return named
    if number.owner not in text:
        return False
    if named or not _DESK.fullmatch(number.owner):
        return True
    return any(not _DESK.fullmatch(noun) and not _MERE_KIND.fullmatch(noun) for noun in _organisations(text))


def _digits(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", text) if character.isdecimal())


def _owner(layout: TextLayout, start: int, end: int) -> str:
    behind = _NAMED_BEHIND.match(layout.text, end)
    if behind and (owner := _last_organisation(behind[1])):
        return owner
    line = layout.line_at(start)
    if line.words and (owner := _owner_in_row(layout.text, line, start)):
        return owner
    reach = line.start if line.words else start
    return _last_organisation(layout.text[max(0, reach - OWNER_REACH) : reach])


def _owner_in_row(text: str, line: LineStretch, start: int) -> str:
    """The owner among the cells before a number: column headings are the same in every row and name nobody."""
    cells = [text[words.start : words.end] for words in line.words if words.end <= start]
    for cell in reversed(cells):
        if noun := _last_organisation(cell):
            # A cell that is a name is one as a whole: 東国税局 相談室, or ゆうなぎ税務署 (noun: 税務署).
            return cell if len(cell) <= _LONGEST_NAME else noun
    return cells[0] if cells and not _CONTACT_WORDS.search(cells[0]) else ""


def _last_organisation(text: str) -> str:
    return next(reversed(_organisations(text)), "")


def _organisations(text: str) -> list[str]:
    return [
        noun
        for noun in _NOUN.findall(text)
        if len(noun) > 1 and _ORGANISATION.search(noun) and not _NO_ORGANISATION.search(noun)
    ]
