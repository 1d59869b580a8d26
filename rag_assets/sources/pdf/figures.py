"""Figures of a page by where they stand: words parted by white space, rows of them, and the columns that they make.

What a table without rules is read by (`unruled`); whether something is a table is decided there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag_assets.japanese.dates import ERAS, era_year
from rag_assets.japanese.kanji_numbers import kanji_to_int
from rag_assets.japanese.widths import half_width
from rag_assets.sources.pdf.text import BLANKS, Char

_SAME_BASE = 0.25
"""Em by which baselines of one row's characters differ within a cell."""
_HALF_GAP = 0.25
"""Em between two figures of half width that part numbers."""
_FULL_GAP = 0.9
"""Em between two figures of full width that part numbers; they are often spread."""
_WORD_GAP = 1.4
"""Em between words that part cells; letters of one word are spread by one em (９　時　間)."""
_VALUE_GAP = 1.15
"""Em behind a number in kanji or a unit that part it from a figure: wider than between letters that are spread."""
_BORDER_GAP = 0.3
"""Em between words that part cells where a border between columns is known."""
_SAME_ROW = 0.5
"""Share of the distance from row to row within which words stand in one row: columns are not always level."""

_HALF = frozenset("0123456789,.")
_ENDS = frozenset("一二三四五六七八九十百円号俸給級年")
_FULL = frozenset("０１２３４５６７８９，．")
_UNIT = (
    "円|千円|万円|百円|銭|日|時間|分|秒|年|[かヶカヵケ箇]月|月|[%％‰]|パーセント|点|人|名|歳|才|回|割|倍"
    "|キロ|km|㎞|m|kg|g"
)
_NUMBER = r"[0-9０-９][0-9０-９,，.．]*"
_FIGURE = re.compile(
    rf"[※＊*（(\[〔]*[△▲−－-]?{_NUMBER}(?:(?:{_UNIT}){_NUMBER})*(?:{_UNIT})?(?:以上|以下|未満|まで)?[）)\]〕※＊*]*"
)
_NO_VALUE = re.compile(r"[-－―—ー─‐–−…‥・〃″／/*＊×]+")
_UNIT_WORD = re.compile(rf"[（(]?(?:単位[：:]?)?(?:{_UNIT})[）)]?")
_COUNT = re.compile(
    rf"第?(?:(?P<number>[0-9]{{1,3}}|(?:19|20)[0-9]{{2}}|[〇一二三四五六七八九十百]{{1,5}})"
    rf"|(?P<era>{'|'.join(ERAS)})(?P<of_era>元|[0-9]{{1,2}}))(?:号給?|号俸|級|等級|年度?|年目)?"
)


@dataclass(slots=True)
class Word:
    """Characters side by side on one baseline, white space around them.

    Attributes:
        chars: Its characters from left to right, blanks among them.
        text: What is printed, without blanks.
        x0: Left edge in points.
        x1: Right edge.
        base: Baseline.
        size: Of its letters.
    """

    chars: list[Char]
    text: str
    x0: float
    x1: float
    base: float
    size: float

    @property
    def middle(self) -> float:
        """Halfway between its edges."""
        return (self.x0 + self.x1) / 2

    @property
    def is_figure(self) -> bool:
        """Whether it is a number, with or without its unit."""
        return _FIGURE.fullmatch(self.text) is not None

    @property
    def is_value(self) -> bool:
        """Whether it is a number, or a sign that there is none."""
        return self.is_figure or _NO_VALUE.fullmatch(self.text) is not None

    @property
    def is_unit(self) -> bool:
        """Whether it is only what figures are counted in."""
        return _UNIT_WORD.fullmatch(self.text) is not None

    @property
    def count(self) -> int | None:
        """The whole number that it is, as steps of a scale are numbered; None where it is none."""
        return count_of(self.text)


def count_of(text: str) -> int | None:
    """The whole number that a text is, as steps are numbered: 5, 第5号, 5号俸, 五, 2025年; None where it is none."""
    match = _COUNT.fullmatch(half_width(text))
    if match is None:
        return None
    if match["era"]:
        return era_year(match["era"], 1 if match["of_era"] == "元" else int(match["of_era"]))
    return int(match["number"]) if match["number"].isdecimal() else kanji_to_int(match["number"])


def words_of(chars: Iterable[Char], borders: Sequence[float] = ()) -> list[Word]:
    """Words from top to bottom and left to right.

    Args:
        chars: In any order.
        borders: Places, in order, that no word reaches over: upright rules.
    """
    found: list[Word] = []
    ordered = sorted(chars, key=lambda char: (round(char.base, 1), char.x0))
    current: list[Char] = []
    blanks: list[Char] = []
    for char in ordered:
        if char.text in BLANKS:
            blanks.append(char)
            continue
        if current and not _is_same(current[-1], char, borders):
            found.append(_word(current))
            current = []
        current.append(char)
    if current:
        found.append(_word(current))
    _add_blanks(found, blanks)
    return found


def _is_same(before: Char, char: Char, borders: Sequence[float]) -> bool:
    if abs(char.base - before.base) > _SAME_BASE * before.size or char.x0 < before.x0:
        return False
    if borders and bisect_right(borders, before.middle[0]) != bisect_right(borders, char.middle[0]):
        return False
    both = {before.text, char.text}
    if before.text in _ENDS and char.text in _HALF | _FULL:
        gap = _VALUE_GAP
    else:
        gap = _HALF_GAP if both <= _HALF else _FULL_GAP if both <= _HALF | _FULL else _WORD_GAP
    return char.x0 - before.x1 < gap * max(before.size, char.size)


def _word(chars: list[Char]) -> Word:
    return Word(
        chars=chars,
        text="".join(char.text for char in chars),
        x0=min(char.x0 for char in chars),
        x1=max(char.x1 for char in chars),
        base=chars[0].base,
        size=max(char.size for char in chars),
    )


def _add_blanks(words: Sequence[Word], blanks: Iterable[Char]) -> None:
    """Give every word the blanks inside it: they tell how it is spread."""
    by_base: dict[float, list[Word]] = {}
    for word in words:
        by_base.setdefault(round(word.base, 1), []).append(word)
    for blank in blanks:
        for word in by_base.get(round(blank.base, 1), ()):
            if word.x0 < blank.x0 < word.x1:
                word.chars.append(blank)
                break


def parted_at(words: Iterable[Word], borders: Sequence[float]) -> list[Word]:
    """Words with those parted that reach over a border between columns and are really several, set close together."""
    found: list[Word] = []
    for word in words:
        chars = [char for char in word.chars if char.text not in BLANKS]
        gaps = [after.x0 - before.x1 for before, after in pairwise(chars)]
        usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
        start = 0
        for at, gap in enumerate(gaps, 1):
            wide = gap >= _BORDER_GAP * word.size and gap > 1.3 * usual
            if wide and any(chars[at - 1].x0 < border < chars[at].x1 for border in borders):
                found.append(_word(chars[start:at]))
                start = at
        found.append(_word(chars[start:]) if start else word)
    return found


def parted_alike(word: Word) -> list[Word]:
    """The words that a run of headings of one make consists of: 1級2級3級, set close over narrow columns, is three."""
    chars = [char for char in word.chars if char.text not in BLANKS]
    ends = [
        at for at, (before, after) in enumerate(pairwise(chars), 1) if after.x0 - before.x1 >= _BORDER_GAP * word.size
    ]
    pieces = [_word(chars[start:end]) for start, end in pairwise([0, *ends, len(chars)])]
    alike = len({re.sub(r"[0-9０-９]+", "0", piece.text) for piece in pieces}) == 1
    return pieces if alike and len({piece.text for piece in pieces}) == len(pieces) else [word]


def pitch_of(words: Sequence[Word]) -> float | None:
    """The usual distance from a word to the next one below it; None where none stands below another."""
    lowest: list[Word] = []
    steps: list[float] = []
    for word in sorted(words, key=lambda word: word.base):
        above = [other for other in lowest if other.x0 < word.x1 and word.x0 < other.x1]
        if above:
            step = word.base - max(other.base for other in above)
            if step > 0.5 * word.size:
                steps.append(step)
        lowest = [other for other in lowest if other not in above]
        lowest.append(word)
    return median(steps) if steps else None


def rows_of(words: Sequence[Word]) -> list[list[Word]]:
    """Words that stand beside each other, row by row; a little higher or lower is the same row.

    A word below another one is in a row of its own, however close: a few rows under headings do not tell their pitch.
    """
    pitch = pitch_of(words)
    reach = _SAME_ROW * (pitch if pitch is not None else max((word.size for word in words), default=0.0))
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.base):
        if rows and word.base - rows[-1][0].base < reach and not any(_is_above(other, word) for other in rows[-1]):
            rows[-1].append(word)
        else:
            rows.append([word])
    for row in rows:
        row.sort(key=lambda word: word.x0)
    return rows


def _is_above(word: Word, below: Word) -> bool:
    lower = below.base - word.base > 0.5 * min(word.size, below.size)
    return lower and word.x0 < below.x1 and below.x0 < word.x1


def columns_of(rows: Iterable[Sequence[Word]], known: Sequence[tuple[float, float]] = ()) -> list[tuple[float, float]]:
    """Left and right edge of every column that words of rows make: what no white space parts over all rows.

    Args:
        rows: Whose words.
        known: Columns of rows before them.
    """
    columns: list[tuple[float, float]] = []
    for x0, x1 in sorted([*known, *((word.x0, word.x1) for row in rows for word in row)]):
        if columns and x0 < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], x1)
        else:
            columns.append((x0, x1))
    return columns


def between(columns: Sequence[tuple[float, float]]) -> list[float]:
    """The places halfway between columns."""
    return [(left[1] + right[0]) / 2 for left, right in pairwise(columns)]


def without_repeated_key(row: Sequence[Word]) -> Sequence[Word]:
    """A row without its name at the right end, where that only repeats the one at the left: wide tables have both."""
    return row[:-1] if len(row) > 2 and row[-1].text == row[0].text else row


def is_counting(words: Sequence[Word]) -> bool:
    """Whether words count upwards, as the steps of a scale do."""
    counts = [word.count for word in words]
    known = [count for count in counts if count is not None]
    return len(known) == len(counts) > 0 and all(above < below for above, below in pairwise(known))


_SPREAD_LETTERS = re.compile(r"\S(?:[ \u3000]+\S)+")


def closed_up(text: str) -> str:
    """A cell's words without the blanks that only spread their letters: 「９　時　間」 is 「９時間」."""
    return "\n".join(
        re.sub(r"[ \u3000]", "", line) if _SPREAD_LETTERS.fullmatch(line) else line for line in text.split("\n")
    )
