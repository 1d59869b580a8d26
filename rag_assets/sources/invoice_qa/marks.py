"""What single lines of a Q&A say by their marks: a question, a chapter, a 見出し, a note.

Lines by themselves only; which of them count, seen in their order and place, belongs to `questions.py`. What begins
an answer is in `answer_marks.py`.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from rag_assets.japanese.characters import HYPHENS, ONE_TO_TEN, SPACES, remove_spaces
from rag_assets.japanese.kanji_numbers import kanji_to_int
from rag_assets.japanese.widths import half_width

QuestionNumber = tuple[int, int]
"""Number and branch of a question; branch 0 where it has none."""

_NAMED_REFERENCE = re.compile(r"[ \u3000]*[《≪〈]")
"""What follows a number that refers to a question by its 見出し: 「問110《…》」."""
_REFERENCE = re.compile(
    r"[をのはとにがもや、。）)」』～~]|及び|又は|並びに|若しくは|から|まで"
    r"|[ \u3000]*(?:[をも][ \u3000]*)?(?:ご|御)?(?:参照|覧)"
)
"""What follows one that refers to a question within a sentence: 「問５もご参照」, 「問１参照」."""
_SEPARATOR = re.compile(r"[ \u3000.:、)\]】]+")
_LEADERS = re.compile(r"[ \u3000]*(?:[.…‥・･_─━―-]|[ \u3000]){2,}[ \u3000]*\d*[ \u3000]*$|[…‥_]+[ \u3000]*\d*$")
"""What leads from an entry of a 目次 to its page number."""
_ORNAMENT = re.compile(r"^[○◯〇●■◆◇□▼▶][ \u3000]*")
ORNAMENT = "[○◯〇●■◆◇□▼▶▽▷◎・]"
"""What may stand before a mark to be seen."""
_KANJI = f"{ONE_TO_TEN}百"
OTHER_NUMBER = rf"\(\d{{1,4}}\)|[①-⑳]|[{_KANJI}]{{1,5}}(?=[ \u3000.:、)\]】>〉]|$)"
"""A number in brackets, circled, or in 漢数字 that end there: 「問一般に」 holds none."""
_PAIRS = {"（": "）", "(": ")", "〔": "〕", "［": "］", "[": "]", "【": "】", "〈": "〉", "＜": "＞"}
_ROMAN = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"
_SURE_CHAPTER = re.compile(rf"[ \u3000]*(?:第[\d{_KANJI}]+[編部章節]|[{_ROMAN}])")


@dataclass(frozen=True, slots=True)
class Latitude:
    """How freely marks are read. What is free takes more lines for marks than are: the whole document has to agree.

    Attributes:
        decorated: Whether a question's number may have brackets, an ornament or a point, （Ｑ１）, Q1), ■Q1, Q.1, or
            be written otherwise: 問一, Ｑ①, 問(1).
        freedom: Of answer marks. 0: what parts a mark from the words behind it is printed (答　…, A1.…). 1: its number,
            if it is the question's, parts it too (A1会議室…), a letter answers 問１, and a mark may stand behind the
            question on its line. 2: nothing parts it (答会議室…). 3: wherever a line begins so, with any number.
        numbered: Whether a number behind an answer mark may belong to the mark. Else it is a figure of the answer.
    """

    decorated: bool = False
    freedom: int = 0
    numbered: bool = True


@dataclass(frozen=True, slots=True)
class Marks:
    """What a publisher writes, as printed; a number in a chapter mark stands for any number of its kind.

    Attributes:
        question: Marks of questions.
        answer: Marks of answers.
        chapters: Marks of chapters by level.
        revision: Words of revision notes.
        latitude: How freely the marks are read.
    """

    question: tuple[str, ...]
    answer: tuple[str, ...]
    chapters: tuple[tuple[str, ...], ...]
    revision: tuple[str, ...]
    latitude: "Latitude" = Latitude()


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a question's number.

    Attributes:
        number: Number and branch.
        label: The number as printed, without blanks: 問24－２.
        rest: What follows it.
        letter: Whether its mark is a letter (Ｑ).
        refers: Whether what follows reads as if a sentence referred to the question.
    """

    number: QuestionNumber
    label: str
    rest: str
    letter: bool
    refers: bool


def numbered_line(text: str, marks: Marks) -> NumberedLine | None:
    """A line read as the beginning of a question; None where it is none, as 「問110《…》」 is not."""
    unified = half_width(text)
    for mark in marks.question:
        match = _question_pattern(mark, decorated=marks.latitude.decorated).match(unified)
        if match is None or _NAMED_REFERENCE.match(unified[match.end() :]):
            continue
        separator = _SEPARATOR.match(unified[match.end() :])
        return NumberedLine(
            number=(number_value(match["number"]), int(match["branch"] or 0)),
            label=remove_spaces(text[match.start("label") : match.end("label")]),
            rest=text[match.end() + (separator.end() if separator else 0) :],
            letter=half_width(mark).isascii(),
            refers=_REFERENCE.match(unified[match.end() :]) is not None,
        )
    return None


def number_value(number: str) -> int:
    """A number as digits, in brackets, circled or in 漢数字: 12, (12), ⑫, 十二."""
    digits = number.strip("() \u3000")
    if digits.isdecimal():
        return int(digits)
    return kanji_to_int(digits) or int(unicodedata.numeric(digits, 0))


@cache
def _question_pattern(mark: str, *, decorated: bool) -> re.Pattern[str]:
    words = half_width(mark)
    point = "[ \u3000.\\-‐－]*" if decorated and words.isascii() else "[ \u3000]*"
    digits = rf"\d{{1,4}}|{OTHER_NUMBER}" if decorated else r"\d{1,4}"
    label = (
        rf"(?P<label>{re.escape(words)}{point}(?P<number>{digits})"
        rf"(?:[ \u3000]*(?:[{HYPHENS}]|の(?=\d+[ \u3000.:]))[ \u3000]*(?P<branch>\d{{1,3}}))?)"
    )
    if not decorated:
        return re.compile(rf"[ \u3000]*{label}")
    opening, closing = (re.escape("".join(map(half_width, signs))) for signs in (_PAIRS, _PAIRS.values()))
    end = r"[)、]?" if words.isascii() else r"[)]?"
    return re.compile(
        rf"[ \u3000]*{ORNAMENT}?[ \u3000]*(?P<open>[{opening}])?[ \u3000]*{label}"
        rf"(?(open)[ \u3000]*[{closing}]|{end})"
    )


def chapter_level(text: str, marks: Marks, *, bare: bool) -> int | None:
    """The level whose mark a line begins with, 0 for the outermost; `bare` takes a number with no gap behind it too."""
    for level, level_marks in enumerate(marks.chapters):
        if any(re.match(_chapter_pattern(mark, bare=bare), half_width(text)) for mark in level_marks):
            return level
    return None


def is_sure_chapter(text: str) -> bool:
    """Whether a line begins as nothing but a chapter does: 第１章, Ⅰ."""
    return _SURE_CHAPTER.match(half_width(text)) is not None


def chapter_name(text: str) -> str:
    """A chapter line as a name: its number stays, mere ornaments go."""
    return _ORNAMENT.sub("", without_leaders(text))


def without_leaders(text: str) -> str:
    """An entry of a 目次 without leaders and page number."""
    match = _LEADERS.search(half_width(text))
    return (text[: match.start()] if match else text).strip(SPACES)


def in_brackets(text: str) -> str | None:
    """What one pair of brackets around a whole text holds; None where there is none around it."""
    if not text or text[0] not in _PAIRS:
        return None
    opening, closing = text[0], _PAIRS[text[0]]
    depth = 0
    for position, character in enumerate(text):
        depth += (character == opening) - (character == closing)
        if not depth:
            return text[1:-1].strip(SPACES) if position == len(text) - 1 else None
    return None


def ends_in_bracket(text: str) -> bool:
    """Whether a text ends with a closing bracket of those that 見出し stand in."""
    return text.endswith(tuple(_PAIRS.values()))


def split_notes(text: str, marks: Marks) -> tuple[str, tuple[str, ...]]:
    """Split the revision notes 【…】 off a question's end; they come without brackets and blanks."""
    words = "|".join(map(re.escape, marks.revision))
    tail = re.search(rf"(?:[ \u3000]*【[^【】]*(?:{words})[^【】]*】)+[ \u3000]*$", text) if words else None
    if tail is None:
        return text, ()
    notes = tuple(map(remove_spaces, re.findall(r"【([^【】]*)】", tail.group())))
    return text[: tail.start()].strip(SPACES), notes


def write_number(number: QuestionNumber) -> str:
    """A number as part of an ID: 24-2."""
    return f"{number[0]}-{number[1]}" if number[1] else str(number[0])


def follows(last: QuestionNumber, number: QuestionNumber) -> bool:
    """Whether a number is the next: 24 → 24-2 or 25, 24-2 → 24-3 or 25, 1-5 → 2-1."""
    if number[0] == last[0]:
        return number[1] == last[1] + 1 or (last[1] == 0 and number[1] == 2)
    return number[0] == last[0] + 1 and number[1] <= 1


def _chapter_pattern(mark: str, *, bare: bool) -> str:
    """A chapter mark as a pattern: its number stands for any of that kind, with a gap behind it unless `bare`."""
    words = half_width(mark)
    pattern = "".join(map(_any_number, re.findall(rf"\d+|[{_ROMAN}]+|[{_KANJI}]+|.", words)))
    ends_in_number = re.search(rf"[\d{_ROMAN}{_KANJI}]$", words) is not None
    return rf"[ \u3000]*{pattern}" + (r"(?:[ \u3000]|[.、](?!\d))" if ends_in_number and not bare else "")


def _any_number(part: str) -> str:
    """A piece of a mark as a pattern: a number as any of its kind, other words as they are."""
    return next((f"[{kind}]+" for kind in ("0123456789", _ROMAN, _KANJI) if part[0] in kind), re.escape(part))
