"""Numbers of lists as Word writes them: 1, １, 一, 壱, ア, イロハ, 甲, ①, iv.

Which number a paragraph has is counted in `numbering.py`.
"""

import re
from collections.abc import Callable

from rag_assets.sources.html.lists import written_number

_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
_PLACES = str.maketrans("0123456789", "〇一二三四五六七八九")
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_HALF_KATAKANA = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_HALF_IROHA = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽ"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_CIRCLED = "".join(
    chr(code)
    for first, last in ((0x2460, 0x2473), (0x3251, 0x325F), (0x32B1, 0x32BF))
    for code in range(first, last + 1)
)
_IN_BRACKETS = "".join(map(chr, range(0x2474, 0x2488)))
_WITH_STOP = "".join(map(chr, range(0x2488, 0x249C)))
_NOTE_SIGNS = "*†‡§"
_MOST_REPEATED = 30


def format_number(value: int, kind: str, pattern: str = "") -> str:
    """A list number as a `w:numFmt` writes it; figures for kinds that are not known and numbers a kind has not.

    Args:
        value: The number.
        kind: The `w:val`, such as `japaneseCounting`.
        pattern: The `w:format` of the kind `custom`: `001, 002, 003, ...`.
    """
    if kind in ("none", "bullet"):
        return ""
    if kind == "custom":
        zeros = re.match(r"0*1\b", pattern)
        return str(value).zfill(len(zeros[0])) if zeros else str(value)
    writer = _WRITERS.get(kind)
    return (writer(value) if writer and value > 0 else "") or str(value)


def _pick(letters: str) -> Callable[[int], str]:
    """One of some signs; nothing past the last."""
    return lambda value: letters[value - 1 : value]


def _pick_in_turn(letters: str) -> Callable[[int], str]:
    """One of some signs, which begin anew after the last."""
    return lambda value: letters[(value - 1) % len(letters)]


def _pick_repeated(letters: str) -> Callable[[int], str]:
    """One of some signs, doubled after the last, then tripled: z, aa, bb."""

    def write(value: int) -> str:
        times, place = divmod(value - 1, len(letters))
        return letters[place] * (times + 1) if times < _MOST_REPEATED else ""

    return write


def _write_as_css(kind: str) -> Callable[[int], str]:
    """As the list style of that name in style sheets writes it."""
    return lambda value: written_number(value, kind)


def _write_ordinal(value: int) -> str:
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


_WRITERS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02}",
    "decimalHalfWidth": str,
    "decimalFullWidth": lambda value: str(value).translate(_WIDE),
    "decimalFullWidth2": lambda value: str(value).translate(_WIDE),
    "numberInDash": lambda value: f"- {value} -",
    "ordinal": _write_ordinal,
    "hex": lambda value: f"{value:X}",
    "lowerRoman": _write_as_css("lower-roman"),
    "upperRoman": _write_as_css("upper-roman"),
    "lowerLetter": _pick_repeated("abcdefghijklmnopqrstuvwxyz"),
    "upperLetter": _pick_repeated("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "chicago": _pick_repeated(_NOTE_SIGNS),
    "japaneseCounting": _write_as_css("japanese-informal"),
    "chineseCounting": _write_as_css("japanese-informal"),
    "chineseCountingThousand": _write_as_css("japanese-informal"),
    "taiwaneseCountingThousand": _write_as_css("japanese-informal"),
    "taiwaneseCounting": _write_as_css("japanese-informal"),
    "japaneseLegal": _write_as_css("japanese-formal"),
    "japaneseDigitalTenThousand": lambda value: str(value).translate(_PLACES),
    "ideographDigital": lambda value: str(value).translate(_PLACES),
    "taiwaneseDigital": lambda value: str(value).translate(_PLACES),
    "ideographTraditional": _pick(_STEMS),
    "ideographZodiac": _pick(_BRANCHES),
    "ideographZodiacTraditional": lambda value: _pick_in_turn(_STEMS)(value) + _pick_in_turn(_BRANCHES)(value),
    "ideographEnclosedCircle": lambda value: "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"[value - 1 : value],
    "aiueo": _pick_in_turn(_HALF_KATAKANA),
    "aiueoFullWidth": _pick_in_turn(_KATAKANA),
    "iroha": _pick_in_turn(_HALF_IROHA),
    "irohaFullWidth": _pick_in_turn(_IROHA),
    "decimalEnclosedCircle": _pick(_CIRCLED),
    "decimalEnclosedCircleChinese": _pick(_CIRCLED),
    "decimalEnclosedParen": _pick(_IN_BRACKETS),
    "decimalEnclosedFullstop": _pick(_WITH_STOP),
}
"""Kinds that only other languages have are left to figures."""
