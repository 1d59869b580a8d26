"""What begins an answer: 【答】, 回答：, A1. and the like, at a line's beginning or behind the question on its line.

Lines by themselves only; which of them answers which question belongs to `questions.py`, how freely a document's
marks may be read, to `consistency.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from rag_assets.japanese.characters import GAP, SPACES
from rag_assets.japanese.widths import half_width
from rag_assets.sources.invoice_qa.marks import ORNAMENT, OTHER_NUMBER, Latitude, Marks, QuestionNumber, number_value

_OPENING, _CLOSING = "([〔【〈<《≪", ")]〕】〉>》≫"
_NUMBER = re.compile(rf"{GAP}[.\-]?{GAP}(0*\d{{1,4}}|{OTHER_NUMBER})(?:{GAP}[\-‐‑–—−ーの]{GAP}(\d{{1,3}}))?(?!\d)")
_SURE_GAP = re.compile(rf"{GAP}[.:)\]】>〉]+|{GAP}$")
"""What parts a mark from the words behind it beyond doubt, or is the end of the line."""
_GAP_OR_COMMA = re.compile(r"[ \u3000]+|、")
"""What may as well stand inside a sentence: 「Ａ　社の…」."""
_BEHIND_SENTENCE = re.compile(rf"(?<=[。．？?！!)〕】」]){GAP}(?=\S)")
_BEHIND_GAP = re.compile(rf"[ \u3000]+(?=\S)|(?=[{re.escape(_OPENING)}])")
"""What a mark on its question's line has before it where the question is no sentence; brackets need nothing."""


@dataclass(frozen=True, slots=True)
class Above:
    """What a mark on a line is judged by besides the line.

    Attributes:
        number: Number of the question before it; None where that does not matter.
        letter: Whether that question's mark is a letter (Ｑ): a letter answers a letter.
        ended: Whether the line above ends a sentence or a paragraph, so that this one begins something.
    """

    number: QuestionNumber | None = None
    letter: bool = True
    ended: bool = True


def after_answer_mark(text: str, marks: Marks, above: Above = Above()) -> str | None:
    """What follows an answer mark on its line; None where a line does not begin with one.

    A mark in brackets counts with its number or without. One without brackets needs something that parts it from what
    follows, and, where that is no more than a blank, a line above that ended: 「答申の写し」, 「A社」 begin no answer.
    """
    unified = half_width(text)
    for mark in marks.answer:
        if _is_letter(mark) and not (above.letter or marks.latitude.freedom):
            continue
        match = _mark_pattern(mark).match(unified)
        if match is None:
            continue
        end = match.end() if _is_whole(mark) else _end_of_mark(unified, match.end(), mark, marks.latitude, above)
        if end is not None:
            return text[end:].strip(SPACES)
    return None


def bears_number(text: str, marks: Marks, above: Above) -> bool:
    """Whether the question's own number seems to stand behind the mark that a line begins with.

    By itself that tells little: in 「Ａ　1.5倍です。」 behind Ｑ１ it is a figure of the answer.
    """
    unified = half_width(text)
    marked = filter(None, (_mark_pattern(mark).match(unified) for mark in marks.answer if not _is_whole(mark)))
    return any(
        numbered for match in marked for _, numbered in _number_ends(unified, match.end(), marks.latitude, above.number)
    )


def answer_mark_inside(text: str, marks: Marks, above: Above = Above()) -> int | None:
    """Where an answer's mark stands on a line, behind a sentence or a gap; None where there is none.

    Behind a gap, and in brackets, it needs what parts it from the words behind it, however freely marks are read.
    """
    strictly = replace(marks, latitude=replace(marks.latitude, freedom=0))
    for pattern, read in ((_BEHIND_SENTENCE, marks), (_BEHIND_GAP, strictly)):
        for match in pattern.finditer(half_width(text)):
            if match.end() and after_answer_mark(text[match.end() :], read, above) is not None:
                return match.end()
    return None


def _end_of_mark(text: str, start: int, mark: str, latitude: Latitude, above: Above) -> int | None:
    """Where a mark without brackets ends, with its number and what parts it from the words; None where it is none."""
    ended = above.ended or latitude.freedom >= 3
    for at, numbered in _number_ends(text, start, latitude, above.number):
        sure = _SURE_GAP.match(text, at)
        if sure:
            return sure.end()
        gap = _GAP_OR_COMMA.match(text, at)
        if ended and gap:
            return gap.end()
        is_word_on = _is_letter(mark) and text[at].isascii() and not numbered
        if ended and latitude.freedom >= (1 if numbered else 2) and not is_word_on:
            return at
    return None


def _number_ends(
    text: str, start: int, latitude: Latitude, number: QuestionNumber | None
) -> Iterator[tuple[int, bool]]:
    """Where the number behind a mark ends, if it is the question's; then where the mark itself ends."""
    match = _NUMBER.match(text, start) if latitude.numbered else None
    if match:
        printed = number_value(match[1]), int(match[2] or 0)
        if number in (None, printed) or latitude.freedom >= 3:
            yield match.end(), True
        elif number and number == (printed[0], 0):
            yield match.end(1), True
        elif number and latitude.freedom and match[1].startswith(str(number[0])) and not number[1]:
            # A figure of the answer follows right behind: A510時まで answers 問５.
            yield match.start(1) + len(str(number[0])), True
    yield start, False


@cache
def _mark_pattern(mark: str) -> re.Pattern[str]:
    words = half_width(mark)
    if _is_whole(mark) and words[0] in _OPENING and words[-1] in _CLOSING:
        number = rf"(?:{GAP}[.\-]?{GAP}\d{{1,4}}(?:-\d{{1,3}})?)?"
        return re.compile(f"{GAP}{ORNAMENT}?{GAP}{_allow_gaps(words[:-1])}{number}{GAP}{re.escape(words[-1])}[:]?")
    return re.compile(f"{GAP}{ORNAMENT}?{GAP}{_allow_gaps(words)}")


def _allow_gaps(words: str) -> str:
    return GAP.join(map(re.escape, words))


def _is_whole(mark: str) -> bool:
    """Whether a mark needs nothing that parts it from the words behind it: 【答】, 回答要旨：."""
    return not half_width(mark)[-1:].isalpha()


def _is_letter(mark: str) -> bool:
    """Whether a mark is a letter, in brackets or not."""
    words = half_width(mark).strip(_OPENING + _CLOSING)
    return words.isascii() and words.isalpha()
