"""The numbers that Word prints before paragraphs, and no paragraph holds: 第１章, 1.2, (3), ①, ア.

Counts as Word does over the whole document. How one number is written is in `number_formats.py`.
"""

import re
from dataclasses import dataclass, field

from rag_assets.sources.guides.office_package import MC, Element
from rag_assets.sources.guides.word.names import W, is_on, parse_number, read_number, read_value
from rag_assets.sources.guides.word.number_formats import format_number
from rag_assets.sources.guides.word.styles import ParagraphStyle, WordStyles

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_FIGURE = re.compile(r"[0-9０-９]")
_ENDS_AS_WORD = re.compile(r"[^\x00-\x7f①-⓿㉑-㊿⑴-⒛ｦ-ﾟ０-９．）］〕｝]$")
_NOTE_SIGN = re.compile("[※注]")
"""What bullets say that are more than bullets."""
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How a list numbers one of its levels.

    Attributes:
        start: The first number.
        kind: How it is written (`w:numFmt`); `bullet` and `none` are no numbers.
        pattern: What a `custom` kind looks like.
        text: What is printed, `%1` for the number of the first level.
        suffix: What stands behind it: `tab`, `space` or `nothing`.
        in_figures: Whether the numbers of all levels are written in figures.
        restarts_after: It begins anew after this level or an outer one, from 1; 0 for never, None for any outer one.
        style: The paragraph style that is numbered on this level.
    """

    start: int = 1
    kind: str = "decimal"
    pattern: str = ""
    text: str = ""
    suffix: str = "tab"
    in_figures: bool = False
    restarts_after: int | None = None
    style: str = ""


@dataclass(frozen=True, slots=True)
class ListNumber:
    """What a list puts before one paragraph.

    Attributes:
        text: As printed; empty for bullets, but for those that mark a note (※).
        suffix: See `ListLevel`.
        list_key: Which list counts it: lists of one look may share their numbers.
        level: From 0.
    """

    text: str
    suffix: str
    list_key: str
    level: int

    def put_before(self, words: str) -> str:
        """Number and words with a space between, a wide one behind a word: 第1章　総則, 1.2 範囲, (1) 目的.

        Before a figure the space is wide too, so that nobody reads the two as one number.
        """
        if not self.text or not words:
            return self.text or words
        figures_meet = _FIGURE.match(words) is not None and _FIGURE.match(self.text[-1]) is not None
        if self.suffix == "nothing" and not figures_meet:
            return f"{self.text}{words}"
        is_wide = _ENDS_AS_WORD.search(self.text) is not None or _FIGURE.match(words) is not None
        return f"{self.text}{'　' if is_wide else ' '}{words}"


@dataclass(slots=True)
class _Counters:
    """Where a list stands: the last number of each level, and the uses of it that have begun anew already."""

    values: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)
    restarted: set[tuple[int, int]] = field(default_factory=set)


class WordNumbering:
    """Counts the numbered paragraphs of one document, in reading order."""

    def __init__(self, root: Element | None, styles: WordStyles) -> None:
        """Args: root: The part `numbering`; None where the file has none. styles: For lists that a style names."""
        self._styles = styles
        self._abstract: dict[str, dict[int, ListLevel]] = {}
        self._linked: dict[str, str] = {}
        self._used: dict[int, str] = {}
        self._own_levels: dict[int, dict[int, ListLevel]] = {}
        self._restarts: dict[int, dict[int, int]] = {}
        self._counters: dict[str, _Counters] = {}
        for element in [] if root is None else root.findall(W + "abstractNum"):
            self._read_abstract(element)
        for element in [] if root is None else root.findall(W + "num"):
            self._read_list(element)

    def count(self, paragraph: Element, style: ParagraphStyle) -> ListNumber | None:
        """The number of the next paragraph; None where it stands in no list."""
        own = paragraph.find(f"{W}pPr/{W}numPr")
        own_list = read_number(own, "numId")
        list_id = style.numbering if own_list is None else own_list
        if not list_id or list_id not in self._used:
            return None
        levels = self._levels_of(list_id)
        level = read_number(own, "ilvl")
        if level is None:
            by_style = (at for at, each in levels.items() if style.numbered_by and each.style == style.numbered_by)
            level = next(by_style, style.list_level or 0) if own_list is None else 0
        level = min(max(level, 0), _LEVELS - 1)
        return self._count(list_id, level, levels)

    def _count(self, list_id: int, level: int, levels: dict[int, ListLevel]) -> ListNumber:
        key = self._resolve(self._used[list_id])
        counters = self._counters.setdefault(key, _Counters())
        start = levels.get(level, ListLevel()).start
        restart = self._restarts.get(list_id, {}).get(level)
        if restart is not None and (list_id, level) not in counters.restarted:
            counters.restarted.add((list_id, level))
            counters.values[level] = None
            start = restart
        for outer in range(level):
            # Word counts a level that is left out as one number of it: after 1.1 the first outermost number is 2.
            if counters.values[outer] is None:
                counters.values[outer] = self._find_first(list_id, outer, levels.get(outer, ListLevel()).start)
        last = counters.values[level]
        counters.values[level] = self._find_first(list_id, level, start) if last is None else last + 1
        for deeper in range(level + 1, _LEVELS):
            after = levels.get(deeper, ListLevel()).restarts_after
            if after is None or level < after:
                counters.values[deeper] = None
        this = levels.get(level, ListLevel())
        return ListNumber(self._write(this, levels, counters), this.suffix, key, level)

    def _find_first(self, list_id: int, level: int, start: int) -> int:
        return self._restarts.get(list_id, {}).get(level, start)

    def _write(self, this: ListLevel, levels: dict[int, ListLevel], counters: _Counters) -> str:
        if this.kind == "bullet":
            return this.text if _NOTE_SIGN.search(this.text) else ""

        def number_at(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            shown = levels.get(at, ListLevel())
            value = counters.values[at]
            kind = "decimal" if this.in_figures and shown.kind not in ("none", "bullet") else shown.kind
            return format_number(shown.start if value is None else value, kind, shown.pattern)

        return _PRIVATE.sub("", _PLACE.sub(number_at, this.text)).strip(" \t\u3000")

    def _levels_of(self, list_id: int) -> dict[int, ListLevel]:
        shared = self._abstract.get(self._resolve(self._used[list_id]), {})
        own = self._own_levels.get(list_id)
        return {**shared, **own} if own else shared

    def _resolve(self, abstract_id: str) -> str:
        """The list that is meant: one may only name a list style, which stands for another."""
        for _ in range(_LEVELS):
            style = self._linked.get(abstract_id)
            list_id = self._styles.find_list(style) if style else None
            if list_id is None or list_id not in self._used:
                break
            abstract_id = self._used[list_id]
        return abstract_id

    def _read_abstract(self, element: Element) -> None:
        key = element.get(W + "abstractNumId", "")
        self._abstract[key] = dict(map(_read_level, element.findall(W + "lvl")))
        if style := read_value(element, "numStyleLink"):
            self._linked[key] = style

    def _read_list(self, element: Element) -> None:
        list_id = parse_number(element.get(W + "numId"))
        if list_id is None:
            return
        self._used[list_id] = read_value(element, "abstractNumId") or ""
        for override in element.findall(W + "lvlOverride"):
            level = parse_number(override.get(W + "ilvl")) or 0
            if (start := read_number(override, "startOverride")) is not None:
                self._restarts.setdefault(list_id, {})[level] = start
            if (own := override.find(W + "lvl")) is not None:
                self._own_levels.setdefault(list_id, {})[level] = _read_level(own)[1]


def _read_level(element: Element) -> tuple[int, ListLevel]:
    # Word wraps kinds that older versions do not know, such as 001, and offers them another.
    kind = next(iter(element.iterfind(f"{MC}AlternateContent/{MC}Choice/{W}numFmt")), element.find(W + "numFmt"))
    start = read_number(element, "start")
    return parse_number(element.get(W + "ilvl")) or 0, ListLevel(
        start=1 if start is None else start,
        kind="decimal" if kind is None else kind.get(W + "val", "decimal"),
        pattern="" if kind is None else kind.get(W + "format", ""),
        text=read_value(element, "lvlText") or "",
        suffix=read_value(element, "suff") or "tab",
        in_figures=bool(is_on(element, "isLgl")),
        restarts_after=read_number(element, "lvlRestart"),
        style=read_value(element, "pStyle") or "",
    )
