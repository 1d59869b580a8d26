"""Which lines of a guide are its headings: those it lists itself, and those set or numbered as headings are.

Decided over the whole document: lines of one style and one kind of numbering are headings together or not at all.
Their levels are found in `levels.py`.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from rag_assets.japanese.dates import find_dates
from rag_assets.japanese.whitespace import one_line
from rag_assets.sources.guides.pdf.contents import ListedLines
from rag_assets.sources.guides.pdf.flow import GAP, GuideFlow, GuideLine
from rag_assets.sources.guides.pdf.numbering import Numbering, find_numbering, follows_number, is_top_word
from rag_assets.sources.pdf.pages import PdfLine, joined_words

_LARGER = 1.08
"""Size against the text from which a line is set as a heading."""
_SMALLEST = 0.75
_LONGEST = 90
_SHORT = 30
"""Characters of a heading that is set like the text and parted from it by nothing."""
_LINES = 4
_MOST = 0.6
"""Share of a class's lines that have to look like headings."""
_SAME_INDENT = 0.5
_SENTENCE = re.compile(r"。|[、，,．;；]$|[：:]$")
_QUOTED = re.compile(r"「[^「」]*」|（[^（）]*）|『[^『』]*』")
_NO_HEADING = re.compile(
    r"※|[（(〔\[]?注(?:記|意?[ \u3000]*[0-9０-９]*)?[)）〕\]:：]|[・•‣–]|https?:|.*@.*\.|以[ \u3000]*上$"
)
CAPTION = re.compile(
    r"[【\[［〔<＜]?(?P<what>図表?|表|写真|画面|Figure|Fig\.|Table)[ \u3000]*[0-9０-９一二三四五六七八九十A-ZＡ-Ｚ]"
    r"[0-9０-９.．\-－―‐]*[\]］】〕>＞]?(?:[ \u3000:：.．]|$)"
)
"""What names a figure or table: 表１-1　用語の定義."""
_WORDS = re.compile(r"[A-Za-zぁ-んァ-ヶ一-龠々〇Ａ-Ｚａ-ｚ①-⑳Ⅰ-Ⅻ]|第")
_AROUND_DATE = re.compile(
    r"(?:[ \u3000()（）〔〕\[\]:：～~・／/、第版初0-9０-９.．]|Ver|年|月|日|改[定訂正]|制定"
    r"|作成|決定|策定|施行|現在|更新|公表|発行|一部|最終|最新)*"
)
_ARTICLE_CAPTION = re.compile(r"[（(【［\[](?P<words>[^（()）。]+(?:[（(][^（()）。]*[）)][^（()）。]*)*)[）)】］\]]")
_BEFORE_CAPTION = re.compile(r"以下|^[0-9０-９ア-ンa-z]{1,2}$")
_LISTED_KINDS = frozenset({"1", "1.", "1.1", "1.1.1", "1.1.1.1", "Ⅰ", "A"})
"""Kinds that head sections even where nothing but their words and what follows them tells."""
_UNITS = frozenset("編部章節款目")


@dataclass(frozen=True, slots=True)
class HeadingStyle:
    """How a heading is set and numbered; headings of one style are of one level unless the document lists others.

    Attributes:
        kind: Of its numbering; empty where it has none.
        size: In points, to the half.
        weight: As in `GuideLine`; 0 for what is larger than the text.
        indent: In em, of lines that are set like the text; 0 for others.
    """

    kind: str
    size: float
    weight: int
    indent: float


@dataclass(frozen=True, slots=True)
class FoundHeading:
    """A heading and where it stands.

    Attributes:
        positions: Positions of its lines in the flow.
        text: Its words on one line.
        page: From 1.
        style: How it is set and numbered.
        numbering: The mark it begins with.
        listed_level: Level that the document's own list tells; 0 where it does not.
        rest: What stands behind it on its last line and belongs to the text below; None for nothing.
        listed: Whether the document lists it.
    """

    positions: tuple[int, ...]
    text: str
    page: int
    style: HeadingStyle
    numbering: Numbering | None = None
    listed_level: int = 0
    rest: PdfLine | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class _HeadingCandidate:
    """Lines that begin something and may be a heading; `fits` says whether their words can be one."""

    positions: tuple[int, ...]
    text: str
    style: HeadingStyle
    numbering: Numbering | None
    set_apart: bool
    fits: bool
    gap: float
    has_content: bool = True


def find_headings(
    flow: GuideFlow, lines: Mapping[int, GuideLine], listed: Mapping[int, ListedLines]
) -> list[FoundHeading]:
    """The headings of a document in order.

    Args:
        flow: The document.
        lines: Its lines by position, without its title and table of contents.
        listed: The lines of the headings that it lists, by their first position.
    """
    return _HeadingFinder(flow, lines, listed).find()


def is_date_line(text: str) -> bool:
    """Whether a line tells nothing but a date or an edition: 令和３年９月10日改定."""
    plain = text
    for printed in find_dates(text):
        plain = plain.replace(printed.words, "")
    return (plain != text or "版" in text) and _AROUND_DATE.fullmatch(plain) is not None


class _HeadingFinder:
    def __init__(self, flow: GuideFlow, lines: Mapping[int, GuideLine], listed: Mapping[int, ListedLines]) -> None:
        self._flow = flow
        self._lines = lines
        self._listed = listed
        self._body_styles = self._find_body_styles()

    def find(self) -> list[FoundHeading]:
        """All headings."""
        articles = self._find_articles()
        taken = {at for article in articles for at in article.positions}
        candidates = self._find_candidates(taken)
        classes: defaultdict[HeadingStyle, list[_HeadingCandidate]] = defaultdict(list)
        for candidate in candidates:
            classes[candidate.style].append(candidate)
        accepted = {style for style, members in classes.items() if self._is_heading_class(style, members)}
        found = [*articles]
        last: dict[HeadingStyle, Numbering] = {}
        for candidate in candidates:
            listed = candidate.positions[0] in self._listed
            if listed or (candidate.fits and candidate.style in accepted and self._may_stand(candidate)):
                found.append(self._heading(candidate))
                if candidate.numbering:
                    last[candidate.style] = candidate.numbering
            elif candidate.style in accepted and (heading := self._number_alone(candidate, last)):
                found.append(heading)
                if heading.numbering:
                    last[candidate.style] = heading.numbering
        return sorted(found, key=lambda heading: heading.positions)

    def _find_body_styles(self) -> Set[tuple[float, int]]:
        """Styles that differ from the main text and hold running text all the same: most of their lines are full."""
        full: defaultdict[tuple[float, int], list[bool]] = defaultdict(list)
        for line in self._lines.values():
            full[_round(line.line.size), line.weight].append(line.is_full or "。" in line.text)
        return {style for style, each in full.items() if len(each) >= 4 and sum(each) > 0.5 * len(each)}

    def _is_set_apart(self, line: GuideLine) -> bool:
        """Whether a line is larger or stronger than the text."""
        if (_round(line.line.size), line.weight) in self._body_styles:
            return False
        size = line.line.size / self._flow.size
        return size >= _LARGER or (line.weight > self._flow.weight and size >= _SMALLEST)

    def _style(self, line: GuideLine, numbering: Numbering | None) -> HeadingStyle:
        kind = numbering.kind if numbering else ""
        if self._is_set_apart(line):
            # Letters of another script in a large heading have another face: there, size alone tells.
            larger = line.line.size >= _LARGER * self._flow.size
            return HeadingStyle(kind, _round(line.line.size), 0 if larger else line.weight, 0.0)
        indent = (line.line.x0 - line.left) / line.line.size
        if numbering and (numbering.family == "第" or numbering.stands_on_top):
            indent = 0.0
        return HeadingStyle(kind, _round(line.line.size), line.weight, round(indent / _SAME_INDENT) * _SAME_INDENT)

    def _begins(self, at: int) -> bool:
        """Whether a line begins something and does not go on with the line above it."""
        line, above = self._lines[at], self._lines.get(at - 1)
        if above is None or above.frame != line.frame or self._style_key(above) != self._style_key(line):
            return True
        return (line.gap >= GAP and line.gap != float("inf")) or not above.is_full or "。" in above.text[-2:]

    def _style_key(self, line: GuideLine) -> tuple[float, int]:
        return _round(line.line.size), line.weight

    def _find_candidates(self, taken: Set[int]) -> list[_HeadingCandidate]:
        found: list[_HeadingCandidate] = []
        skip_to = -1
        for at in sorted(self._lines):
            if at < skip_to or at in taken:
                continue
            listed = self._listed.get(at)
            if listed is None and not self._begins(at):
                continue
            positions = listed.positions if listed else self._lines_of(at, taken)
            if found and self._is_only_a_number(found[-1]) and self._follows_directly(found[-1], at) and not listed:
                positions = range(found[-1].positions[0], positions.stop)
                found.pop()
            found.append(self._candidate(positions))
            skip_to = positions.stop
        return found

    def _lines_of(self, at: int, taken: Set[int]) -> range:
        """A line, and those below it that go on with it where it is set apart."""
        first = self._lines[at]
        stop = at + 1
        if not self._is_set_apart(first):
            return range(at, stop)
        while stop - at < _LINES and (line := self._lines.get(stop)) is not None and stop not in taken:
            above = self._lines[stop - 1]
            if stop in self._listed or line.frame != first.frame or self._style_key(line) != self._style_key(first):
                break
            near = line.line.page == above.line.page and line.line.bottom - above.line.bottom < 1.9 * line.line.size
            centred = above.is_centred and line.is_centred
            if not near or not (above.is_full or centred) or find_numbering(line.text) or is_date_line(line.text):
                break
            stop += 1
        return range(at, stop)

    def _is_only_a_number(self, candidate: _HeadingCandidate) -> bool:
        numbering = candidate.numbering
        return numbering is not None and not numbering.rest and bool(numbering.number) and not numbering.stands_on_top

    def _follows_directly(self, candidate: _HeadingCandidate, at: int) -> bool:
        line, above = self._lines[at], self._lines[candidate.positions[-1]]
        return (
            candidate.positions[-1] == at - 1
            and self._style_key(line) == self._style_key(above)
            and self._is_set_apart(line)
            and find_numbering(line.text) is None
        )

    def _candidate(self, positions: range) -> _HeadingCandidate:
        lines = [self._lines[at] for at in positions]
        text = ""
        for line in lines:
            numbered = find_numbering(text)
            text = f"{text}\u3000{line.text}" if numbered and not numbered.rest else joined_words(text, line.text)
        numbering = find_numbering(lines[0].text)
        if numbering and len(lines) > 1:
            numbering = find_numbering(text) or numbering
        first = lines[0]
        return _HeadingCandidate(
            positions=tuple(positions),
            text=one_line(text),
            style=self._style(first, numbering),
            numbering=numbering,
            set_apart=self._is_set_apart(first),
            fits=self._fits(lines, text, positions),
            gap=first.gap,
            has_content=self._has_content(positions),
        )

    def _fits(self, lines: Sequence[GuideLine], text: str, positions: range) -> bool:
        """Whether words can be a heading where they stand."""
        bare = _QUOTED.sub("", text)
        if _SENTENCE.search(bare) or len(text) > _LONGEST or _is_other(text):
            return False
        if not _WORDS.search(text) or (len(lines) == 1 and lines[0].is_at_right):
            return False
        below = self._lines.get(positions.stop)
        last = lines[-1]
        if below is None or below.frame != last.frame or below.gap >= GAP or not last.is_full:
            return True
        # A full line is a heading with text at once below it only where it is set apart from that text.
        larger = last.line.size >= _LARGER * self._flow.size
        further_in = below.line.x0 > last.line.x0 + 0.5 * last.line.size
        return self._is_set_apart(last) and self._style_key(below) != self._style_key(last) and (larger or further_in)

    def _has_content(self, positions: range) -> bool:
        """Whether something else stands below a line than one more of its kind."""
        below = self._lines.get(positions.stop)
        if below is None:
            return True
        first = self._lines[positions[0]]
        numbering, other = find_numbering(first.text), find_numbering(below.text)
        return self._style(first, numbering) != self._style(below, other)

    def _is_heading_class(self, style: HeadingStyle, members: Sequence[_HeadingCandidate]) -> bool:
        """Whether lines of one style and numbering are headings."""
        fitting = [member for member in members if member.fits]
        if not fitting:
            return False
        members = [member for member in members if member.fits or not _is_other(member.text)]
        listed = sum(member.positions[0] in self._listed for member in fitting)
        if listed >= 0.5 * len(fitting) and (style.kind or members[0].set_apart):
            return True
        with_content = sum(member.has_content for member in fitting) / len(fitting)
        if members[0].set_apart:
            return len(fitting) >= 0.5 * len(members) and (len(fitting) < 4 or with_content >= 0.3)
        if style.kind in _UNITS or (members[0].numbering and members[0].numbering.stands_on_top):
            return True
        if not style.kind or len(fitting) < _MOST * len(members) or with_content < 0.5:
            return False
        gaps = [member.gap for member in fitting if member.gap != float("inf")]
        if not gaps or sum(gap >= GAP for gap in gaps) >= _MOST * len(gaps):
            return True
        short = all(len(member.text) <= _SHORT for member in fitting)
        return style.kind in _LISTED_KINDS and len(fitting) > 1 and short and with_content >= 0.8

    def _may_stand(self, candidate: _HeadingCandidate) -> bool:
        """Whether a line is none of the title page's: its date, sender and edition are set large and head nothing."""
        first = self._lines[candidate.positions[0]]
        if first.line.page != 1 or candidate.numbering or is_top_word(candidate.text):
            return True
        elsewhere = any(
            line.line.page > 1 and self._style_key(line) == self._style_key(first) and find_numbering(line.text) is None
            for line in self._lines.values()
        )
        return elsewhere or (not first.is_centred and self._heads_text(candidate.positions[-1]))

    def _heads_text(self, at: int) -> bool:
        """Whether text or a table stands on the page below a heading's last line, at once or below smaller headings."""
        while (below := self._lines.get(at + 1)) is not None and below.line.page == self._lines[at].line.page:
            if not self._is_set_apart(below):
                return True
            if below.line.size >= self._lines[at].line.size - 0.3:
                return False
            at += 1
        return below is None and self._is_table(at + 1)

    def _is_table(self, at: int) -> bool:
        return at < len(self._flow.parts) and not isinstance(self._flow.parts[at], GuideLine)

    def _heading(self, candidate: _HeadingCandidate) -> FoundHeading:
        listed = self._listed.get(candidate.positions[0])
        return FoundHeading(
            positions=candidate.positions,
            text=candidate.text,
            page=self._lines[candidate.positions[0]].line.page,
            style=candidate.style,
            numbering=candidate.numbering,
            listed_level=listed.level if listed else 0,
            listed=listed is not None,
        )

    def _number_alone(
        self, candidate: _HeadingCandidate, last: Mapping[HeadingStyle, Numbering]
    ) -> FoundHeading | None:
        """The heading of a numbered paragraph that stands among headings and has no title: its number alone."""
        numbering, above = candidate.numbering, last.get(candidate.style)
        if (
            numbering is None
            or above is None
            or candidate.set_apart
            or candidate.gap < GAP
            or len(candidate.positions) > 1
        ):
            return None
        if not numbering.family or not numbering.rest or not follows_number(above.number, numbering.number):
            return None
        line = self._lines[candidate.positions[0]].line
        heading = replace(self._heading(candidate), text=numbering.label)
        return replace(heading, rest=_behind(line, numbering.label, numbering.rest))

    def _find_articles(self) -> list[FoundHeading]:
        """The articles (第１条): their numbers with their captions, in brackets above or behind, head what they say."""
        found: list[FoundHeading] = []
        lists_articles = any(
            (numbering := find_numbering(self._lines[at].text)) is not None and numbering.kind == "条"
            for at in self._listed
        )
        last: tuple[int, ...] = ()
        for at in sorted(self._lines):
            line = self._lines[at]
            numbering = find_numbering(line.text)
            if numbering is None or numbering.kind != "条":
                continue
            behind = line.text[len(numbering.label) : len(numbering.label) + 1]
            captioned = self._is_article_caption(at - 1)
            if behind not in ("", " ", "\u3000", "（", "(", "【") or not (captioned or self._begins(at)):
                continue
            listed = self._listed.get(at)
            in_order = not last or follows_number(last, numbering.number) or numbering.number in (last, (1,))
            if listed is None and not captioned and (lists_articles or not in_order):
                continue
            found.append(self._article(at, numbering, listed, captioned=captioned))
            last = numbering.number
        return found

    def _is_article_caption(self, at: int) -> bool:
        line = self._lines.get(at)
        return line is not None and _ARTICLE_CAPTION.fullmatch(line.text) is not None

    def _article(self, at: int, numbering: Numbering, listed: ListedLines | None, *, captioned: bool) -> FoundHeading:
        line = self._lines[at]
        text, rest = numbering.label, numbering.rest
        inner = _ARTICLE_CAPTION.match(rest)
        if captioned:
            text += self._lines[at - 1].text
        elif inner and not _BEFORE_CAPTION.search(inner["words"]):
            text, rest = text + inner.group(), rest[inner.end() :].strip(" \u3000")
        elif rest and self._fits([line], line.text, range(at, at + 1)) and len(rest) <= _SHORT and not line.is_full:
            text, rest = line.text, ""
        return FoundHeading(
            positions=(at - 1, at) if captioned else (at,),
            text=one_line(text),
            page=self._lines[at - 1].line.page if captioned else line.line.page,
            style=self._style(line, numbering),
            numbering=numbering,
            listed_level=listed.level if listed else 0,
            rest=_behind(line.line, text, rest) if rest else None,
            listed=listed is not None,
        )


def _is_other(text: str) -> bool:
    """Whether a line is a caption, note or date, which may be set as headings are."""
    return bool(CAPTION.match(text) or _NO_HEADING.match(text)) or is_date_line(text) or _names_columns(text)


def _names_columns(text: str) -> bool:
    """Whether a line is a row of names that only count: ４月　５月　６月."""
    names = re.split(r"[ \u3000]+", text)
    return len(names) > 1 and len({re.sub(r"[0-9０-９]+", "", name) for name in names}) == 1


def _behind(line: PdfLine, before: str, rest: str) -> PdfLine:
    """What stands behind a heading on its line."""
    share = 1 - len(rest) / max(len(line.text), len(before) + len(rest))
    return replace(line, text=rest, x0=round(line.x0 + share * (line.x1 - line.x0), 2))


def _round(size: float) -> float:
    return round(size * 2) / 2
