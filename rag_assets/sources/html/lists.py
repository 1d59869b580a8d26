"""The numbers of ordered lists, which browsers print and no text of the page holds: 4, d, iv, ニ, 四."""

import re
from collections.abc import Sequence

from bs4 import Tag

from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.html.styles import Styles

_LISTS = ("ol", "ul", "menu", "dir")
_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,9})")
_TYPES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヰヱヲン"
_KATAKANA_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_HIRAGANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん"
_HIRAGANA_IROHA = "いろはにほへとちりぬるをわかよたれそつねならむうゐのおくやまけふこえてあさきゆめみしゑひもせす"
_ALPHABETS = {
    "lower-alpha": _LATIN,
    "lower-latin": _LATIN,
    "upper-alpha": _LATIN.upper(),
    "upper-latin": _LATIN.upper(),
    "lower-greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "katakana": _KATAKANA,
    "katakana-iroha": _KATAKANA_IROHA,
    "hiragana": _HIRAGANA,
    "hiragana-iroha": _HIRAGANA_IROHA,
}
_KANJI_TYPES = frozenset(
    {"cjk-ideographic", "japanese-informal", "trad-chinese-informal", "simp-chinese-informal", "korean-hanja-informal"}
)
_KANJI = "〇一二三四五六七八九"
_FORMAL_KANJI = "零壱弐参四伍六七八九"
_UNNUMBERED = frozenset(
    {"none", "disc", "circle", "square", "disclosure-open", "disclosure-closed", "initial", "unset"}
)
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_ROMAN = 3999

_MARK_OF_ITS_OWN = re.compile(
    r"[（(〔\[]\s*(?:[0-9０-９]{1,3}|[一二三四五六七八九十]{1,3}|[ア-ンヰヱ]|[ivxIVX]{1,4}|[a-zA-Zａ-ｚＡ-Ｚ])\s*[)）〕\]]"
    r"|[①-⑳㉑-㉟㊱-㊿⑴-⒇⒈-⒛㈠-㈩Ⅰ-Ⅻⅰ-ⅻⒶ-ⓩ❶-❿]"
    r"|(?:[QＱqｑ]|問|第|[Nn][Oo]\.?|№|[Ss](?:tep|TEP))\s*[0-9０-９一二三四五六七八九十]+"
    r"|[0-9０-９]{1,3}(?:[.．、)）：:](?![0-9０-９])|\s)"
    r"|[一二三四五六七八九十]{1,3}[\s、．.]"
    r"|[ア-ンヰヱa-zA-Zａ-ｚＡ-Ｚ][\s、．.)）]"
)
"""How an item begins that prints its own number: (1), ①, Q1, 1．, 一　, イ　."""
_BARE_NUMBER = re.compile(r"([0-9０-９]{1,3})\s")
_REMARK = re.compile(r"[（(]注|※|注[）)0-9０-９]")


class ListNumbers:
    """The numbers of one page's list items."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._of_lists: dict[int, dict[int, str]] = {}

    def number_of(self, item: Tag) -> str:
        """The number that a browser prints before a list item, without a full stop; empty where there is none.

        A list whose items print their own numbers has none besides: its style sheet will have switched them off.
        """
        around = item.find_parent(_LISTS)
        if around is None:
            return ""
        if id(around) not in self._of_lists:
            self._of_lists[id(around)] = self._numbers_in(around)
        return self._of_lists[id(around)].get(id(item), "")

    def _numbers_in(self, around: Tag) -> dict[int, str]:
        items = [item for item in around.find_all("li") if item.find_parent(_LISTS) is around]
        types = [self._type(item, around) for item in items]
        if all(kind in _UNNUMBERED for kind in types):
            return {}
        values = _values(around, items)
        if _print_their_own(items, values):
            return {}
        return {
            id(item): "" if kind in _UNNUMBERED else written_number(value, kind)
            for item, kind, value in zip(items, types, values, strict=True)
        }

    def _type(self, item: Tag, around: Tag) -> str:
        if self._styles.declared(item, "display") not in ("", "list-item"):
            return "none"
        own = self._styles.declared(item, "list-style-type") or _type_told(item)
        of_list = self._styles.declared(around, "list-style-type") or _type_told(around)
        # A browser's own rule for ol and ul comes before what they would inherit from a list around them.
        return own or of_list or ("decimal" if around.name == "ol" else "disc")


def written_number(value: int, kind: str) -> str:
    """A list number as a CSS list style writes it; figures where the style has no number such as 0."""
    if kind in _ALPHABETS and value > 0:
        return _by_letters(value, _ALPHABETS[kind])
    if kind in ("lower-roman", "upper-roman") and 0 < value <= _MOST_ROMAN:
        return _roman(value) if kind == "lower-roman" else _roman(value).upper()
    if kind in _KANJI_TYPES and 0 <= value < 10000:
        return _kanji(value, _KANJI, "十百千")
    if kind == "japanese-formal" and 0 <= value < 10000:
        return _kanji(value, _FORMAL_KANJI, "拾百阡", one_before_units=True)
    if kind == "cjk-decimal" and value >= 0:
        return "".join(_KANJI[int(digit)] for digit in str(value))
    if kind == "decimal-leading-zero":
        return f"{value:02}" if value >= 0 else f"-{-value:02}"
    return str(value)


def _type_told(element: Tag) -> str:
    told = str(element.get("type", "")).strip()
    return _TYPES.get(told, told.lower() if told.lower() in _UNNUMBERED else "")


def _values(around: Tag, items: Sequence[Tag]) -> list[int]:
    backwards = around.name == "ol" and around.has_attr("reversed")
    start = _whole(around, "start") if around.name == "ol" else None
    value = start if start is not None else len(items) if backwards else 1
    values: list[int] = []
    for item in items:
        own = _whole(item, "value")
        value = own if own is not None else value
        values.append(value)
        value += -1 if backwards else 1
    return values


def _whole(element: Tag, attribute: str) -> int | None:
    found = _NUMBER.match(str(element.get(attribute, "")))
    return int(found[1]) if found else None


def _print_their_own(items: Sequence[Tag], values: Sequence[int]) -> bool:
    texts = [(one_line(item.get_text(" ")), value) for item, value in zip(items, values, strict=True)]
    told = [(text, value) for text, value in texts if text and not _REMARK.match(text)]
    if not told or not all(_MARK_OF_ITS_OWN.match(text) for text, _ in told):
        return False
    # 「3 人以上」 begins with a number too: numbers without a stop have to count as the list does.
    bare = [(int(found[1]), value) for text, value in told if (found := _BARE_NUMBER.match(text))]
    return len({number - value for number, value in bare}) <= 1 and (len(told) > 1 or all(n == v for n, v in bare))


def _by_letters(value: int, letters: str) -> str:
    written = ""
    while value > 0:
        value, place = divmod(value - 1, len(letters))
        written = letters[place] + written
    return written


def _roman(value: int) -> str:
    written = ""
    for worth, letters in _ROMAN:
        count, value = divmod(value, worth)
        written += letters * count
    return written


def _kanji(value: int, digits: str, units: str, *, one_before_units: bool = False) -> str:
    if value == 0:
        return digits[0]
    written = ""
    for place, digit in enumerate(map(int, reversed(str(value)))):
        if digit:
            unit = units[place - 1] if place else ""
            written = ("" if unit and digit == 1 and not one_before_units else digits[digit]) + unit + written
    return written
