"""What rules print of their own history: 制定 平成22年4月7日規程第11号, 令和6年4月1日一部改正（令和6年5月1日施行）.

Reading such lines only; which of the dates holds is decided in `edition`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import groupby
from typing import Literal

from rag_assets.japanese.characters import CLOSING, DIGITS, ONE_TO_TEN, OPENING, SPACES
from rag_assets.japanese.dates import ERAS, PrintedDate, find_dates
from rag_assets.japanese.elided_dates import spell_out_dates

Kind = Literal["made", "amended", "in force", "as of", "repealed", ""]
"""What happened on a day; empty where no word says it."""

_WORDS: dict[Kind, str] = {
    "amended": "(?:最終|最近|直近|一部|全部|全面|全文)?(?:改正|改定|改訂|変更|更新|見直し|修正)",
    "made": "制定|新設|作成|策定|公布|発行|告示|初版|第(?:1|１|一)版",
    "in force": "施行|実施|適用|発効",
    "as of": "現在|時点|現行|版",
    "repealed": "廃止|失効",
}
_NUMBER = rf"(?:[{DIGITS}]+|[〇{ONE_TO_TEN}百]+)"
_WORD = re.compile(
    rf"(?:(?:第{_NUMBER}(?:[.．][0-9０-９]+)*版|(?<![A-Za-z])(?:[Vv]er(?:sion)?|[Rr]ev)[.．]?\s*[0-9]+(?:\.[0-9]+)*)"
    r"(?P<later_edition>)|"
    + "|".join(f"(?P<k{at}>{words})" for at, words in enumerate(_WORDS.values()))
    + ")(?P<day>年月日|期日|日付|日)?"
)
_KINDS: tuple[Kind, ...] = tuple(_WORDS)
_FIRST_EDITION = re.compile(r"第(?:1|１|一)(?:[.．][0０])?版|\D+1(?:\.0)*$")
_WORD_ALONE = re.compile("(?:(?:最終|最近|直近|一部|全部|全面)?改[正定訂]|制定|施行|公布)+(?:年月日|日)?[:：]?")
"""What heads a list of dates on a line of its own; other words do so only beside their dates."""
_HINT = re.compile(
    r"[0-9０-９元〇一二三四五六七八九十同翌][ \u3000]*[年./・．／‐－（(〔-]|号"
    r"|^[ \u3000制定最終近直一部全面改正訂施行公布年月日:：]+$"
)
"""What a line of the history has at least: most lines of a document are told apart by it at once."""
_LAST = re.compile("^(?:最終|最近|直近)")
"""Of an amendment that is called the last one, the label says what it is: of several it is the one that holds."""

_DATE = "\ue000"
"""Stands for a date in a line whose dates are taken out."""
_ORDINANCE = re.compile(
    rf"(?:(?:明治|大正|昭和|平成|令和){_NUMBER}?元?年)?[^\s{_DATE}。、（()）はをが]{{0,40}}?第?{_NUMBER}号(?:の{_NUMBER})?"
)
_DECISION = re.compile(
    r"[一-龠々ァ-ヶー・]{0,16}(?:会|長|役|部|局|課|員|者)?(?:決定|決議|裁定|承認|議決|決裁|可決|達示?|通知)"
)
_UNNUMBERED = re.compile(rf"(?<={_DATE})(?:規程|規則|条例|細則|内規|要綱|訓令|告示)$")
"""What the number stands to on the next line."""
_PARTICLES = re.compile(rf"(?<={_DATE})(?:付けで?|付で?|から|より|以降|以後|に|をもって)")
_SIGNS = re.compile(r"[\s（）()［］\[\]【】〔〕「」＜＞<>：:・･,，、/／|｜=＝→⇒~～〜―－\-*※○●■◆]")
_SPACED_WORD = re.compile(r"(?<!\S)[制改施廃最一全][\s]+\S(?:[\s]+\S){0,2}(?!\S)")
_LONGEST = 120
_BRACKETS = re.compile(r"[（(【［\[〔]([^（）()【】［］\[\]〔〕]*)[）)】］\]〕]")


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Something that rules tell of their own history.

    Attributes:
        kind: What happened.
        day: When.
        printed: The date as printed, on one line.
        word: The word that says what happened, as printed; empty where none does.
        page: Where it is printed.
        in_force: From when it holds, where that is told beside it.
    """

    kind: Kind
    day: date
    printed: str
    word: str = ""
    page: int = 1
    in_force: date | None = None

    @property
    def label(self) -> str:
        """The date and what happened on it, as a header shows it: 令和3年9月13日 改正, 令和4年11月版."""
        word = _LAST.sub("", self.word)
        return f"{self.printed}{' ' if word and self.kind in ('made', 'amended') else ''}{word}"

    def holds_on(self, today: date) -> bool:
        """Whether what happened holds on a day."""
        return max(self.day, self.in_force or self.day) <= today


@dataclass(frozen=True, slots=True)
class _HistoryWord:
    kind: Kind
    text: str


_Token = PrintedDate | _HistoryWord


def is_history(text: str) -> bool:
    """Whether a line says nothing but when the rules were made, amended or came into force, or their number.

    Brackets around a word alone are the caption of an article: （改正）.
    """
    if len(text) > _LONGEST or "。" in text or not _HINT.search(text):
        return False
    # 同12年4月1日 on a line of its own is a date of whatever era stands above it.
    _, text = spell_out_dates((f"{ERAS[1]}1年", text))
    dates = _dates(text)
    without = _take_out(text, dates)
    rest = _ORDINANCE.sub("", without)
    numbered = rest != without
    if dates:
        rest = _PARTICLES.sub("", _DECISION.sub("", _UNNUMBERED.sub("", rest)))
    elif not numbered:
        return _WORD_ALONE.fullmatch(re.sub(r"\s", "", text)) is not None
    rest = _WORD.sub("", _close_words(rest))
    return not _SIGNS.sub("", rest.replace(_DATE, ""))


def split_history(text: str) -> tuple[str, str]:
    """A line that something else stands on, and what it says of the rules' history before or behind that.

    就業規則　2024年7月1日 制定 is (就業規則, 2024年7月1日 制定). Nothing is split off a line that is all the one or the
    other.
    """
    if len(text) > _LONGEST or not _dates(text) or is_history(text):
        return text, ""
    starts = _starts_of_pieces(text)[1:]
    for at in starts:
        if _tells_date(text[at:]) and text[:at].strip():
            return text[:at].rstrip(SPACES), text[at:].strip(SPACES)
    for at in reversed(starts):
        if _tells_date(text[:at]) and text[at:].strip():
            return text[at:].strip(SPACES), text[:at].rstrip(SPACES)
    return text, ""


def events(lines: Sequence[tuple[int, str]]) -> list[HistoryEvent]:
    """What happened when, by lines that tell of it, each with its page.

    A word may stand left or right of its date, above or below it, or once for all the dates that follow.
    """
    pages = (page for page, _ in lines)
    read = list(zip(pages, map(_segments, spell_out_dates(text for _, text in lines)), strict=True))
    return [event for block in _blocks(read) for event in block]


def unreadable_dates(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, PrintedDate]]:
    """Dates that no calendar has, or that two calendars tell differently, with their page."""
    return ((page, printed) for page, text in lines for printed in _dates(text) if printed.day is None)


@lru_cache(maxsize=1024)
def _dates(text: str) -> tuple[PrintedDate, ...]:
    """The dates of a line; kept, since several questions are asked of each line."""
    return tuple(find_dates(text))


def _tells_date(text: str) -> bool:
    return is_history(text) and any(printed.day for printed in _dates(text))


def _take_out(text: str, dates: Iterable[PrintedDate]) -> str:
    pieces, at = [], 0
    for printed in dates:
        pieces += [text[at : printed.start], _DATE]
        at = printed.end
    return "".join(pieces) + text[at:]


def _close_words(text: str) -> str:
    """Close up words that are set with blanks between their letters: 制　定."""
    return _SPACED_WORD.sub(lambda found: re.sub(r"\s", "", found[0]), text)


def _starts_of_pieces(text: str) -> list[int]:
    """Where pieces of a line begin: behind blanks, and at brackets; never inside a date."""
    inside = {at for printed in _dates(text) for at in range(printed.start + 1, printed.end)}
    behind_blanks = {found.end() for found in re.finditer(rf"[{SPACES}]+", text)}
    at_brackets = {found.start() for found in re.finditer(rf"(?=[{OPENING}])|(?<=[{CLOSING}])", text)}
    return sorted(({0} | behind_blanks | at_brackets) - inside)


def _segments(text: str) -> list[list[_Token]]:
    """The dates and words of a line; of its brackets, which tell of what stands before them, each for itself."""
    text = _close_words(text)
    outside, at = [], 0
    inside = []
    for found in _BRACKETS.finditer(text):
        # The year of another calendar inside a date is no bracket of its own.
        is_in_date = any(printed.start < found.start() < printed.end for printed in _dates(text))
        if is_in_date or not _dates(found[1]):
            continue
        outside.append(text[at : found.start()])
        inside.append(_tokens(found[1]))
        at = found.end()
    outside.append(text[at:])
    segments = [_tokens("\u3000".join(outside)), *inside]
    return [segment for segment in segments if segment]


def _tokens(text: str) -> list[_Token]:
    dates = _dates(text)
    found: list[tuple[int, _Token]] = [(printed.start, printed) for printed in dates]
    blanked = list(text)
    for printed in dates:
        blanked[printed.start : printed.end] = _DATE * (printed.end - printed.start)
    words = _WORD.finditer(_blank_ordinances("".join(blanked)))
    found += [
        (match.start(), _HistoryWord(_kind_of(match), match[0].removesuffix(match["day"] or ""))) for match in words
    ]
    return [token for _, token in sorted(found, key=lambda item: item[0])]


def _blank_ordinances(text: str) -> str:
    """The text with names and numbers of rules blanked, at the same length: 備品変更規程第12号 tells of no change."""

    def blanked(found: re.Match[str]) -> str:
        word = _WORD.match(found[0])
        return f"{word[0] if word else '':\u3000<{len(found[0])}}"

    return _ORDINANCE.sub(blanked, text) if _DATE in text else text


def _kind_of(match: re.Match[str]) -> Kind:
    if match["later_edition"] is not None:
        return "made" if _FIRST_EDITION.match(match[0]) else "amended"
    return next(kind for at, kind in enumerate(_KINDS) if match[f"k{at}"])


def _is_words(segments: list[list[_Token]]) -> bool:
    return bool(segments) and all(isinstance(token, _HistoryWord) for segment in segments for token in segment)


def _is_dates(segments: list[list[_Token]]) -> bool:
    return bool(segments) and all(isinstance(token, PrintedDate) for segment in segments for token in segment)


def _blocks(read: Sequence[tuple[int, list[list[_Token]]]]) -> Iterator[list[HistoryEvent]]:
    """The events of lines that tell something, by stretches of lines of dates or words alone, and of both."""
    carried: _HistoryWord | None = None
    for apart, lines in groupby(
        [line for line in read if line[1]], key=lambda line: _is_words(line[1]) or _is_dates(line[1])
    ):
        if apart:
            found, carried = _lines_apart(list(lines), carried)
            yield found
        else:
            for page, segments in lines:
                found, carried = _one_line(page, segments)
                yield found


def _lines_apart(
    lines: Sequence[tuple[int, list[list[_Token]]]], carried: _HistoryWord | None
) -> tuple[list[HistoryEvent], _HistoryWord | None]:
    """Lines of which each has only words or only dates: words head what follows, or stand below their dates."""
    below = _is_dates(lines[0][1]) and _is_words(lines[-1][1]) and carried is None
    found: list[HistoryEvent] = []
    waiting: list[_HistoryWord] = []
    undecided: list[int] = []
    for page, segments in lines:
        tokens = [token for segment in segments for token in segment]
        words = [token for token in tokens if isinstance(token, _HistoryWord)]
        dates = [token for token in tokens if isinstance(token, PrintedDate)]
        if words and below:
            for at, word in zip(undecided[-len(words) :], words, strict=False):
                found[at] = replace(found[at], kind=word.kind, word=word.text)
            undecided = []
        elif words:
            waiting, carried = words, None
        elif len(waiting) == len(dates) > 1:
            found += _make_events(page, zip(dates, waiting, strict=True))
            waiting = []
        else:
            for printed in dates:
                head = waiting[-1] if waiting else carried
                undecided.append(len(found))
                made = _make_events(page, [(printed, head)])
                found += made
                undecided = undecided if made else undecided[:-1]
                waiting, carried = [], _goes_on(head)
    return found, carried


def _one_line(page: int, segments: list[list[_Token]]) -> tuple[list[HistoryEvent], _HistoryWord | None]:
    """A line with dates and words; a bracket that says from when is about the date before it."""
    found: list[HistoryEvent] = []
    carried: _HistoryWord | None = None
    for position, segment in enumerate(segments):
        pairs = _pair_words(segment)
        made = _make_events(page, pairs)
        if position and found and made and all(event.kind == "in force" for event in made):
            found[-1] = replace(found[-1], in_force=made[-1].day)
        else:
            found += made
        if position == 0 and isinstance(segment[0], _HistoryWord):
            carried = _goes_on(pairs[-1][1] if pairs else None)
    return _with_day_beside(found), carried


def _with_day_beside(found: Sequence[HistoryEvent]) -> list[HistoryEvent]:
    """A line's events; where it tells of one amendment and of the later day from which that is in force, joined.

    In either order: 令和8年9月1日改正、令和9年4月1日施行; 令和9年4月1日施行（令和8年9月1日改正）.
    """
    made = [event for event in found if event.kind in ("made", "amended")]
    forces = [event for event in found if event.kind == "in force"]
    if len(found) == 2 and made and forces and forces[0].day > made[0].day:
        return [replace(event, in_force=forces[0].day) if event in made else event for event in found]
    return list(found)


def _pair_words(segment: Sequence[_Token]) -> list[tuple[PrintedDate, _HistoryWord | None]]:
    """Each date with its word: the one before it where a line begins with a word, else the one behind it."""
    before = isinstance(segment[0], _HistoryWord)
    pairs: list[tuple[PrintedDate, _HistoryWord | None]] = []
    last: _HistoryWord | None = None
    for at, token in enumerate(segment):
        if isinstance(token, _HistoryWord):
            last = token
            continue
        behind = segment[at + 1] if at + 1 < len(segment) else None
        follows = behind if isinstance(behind, _HistoryWord) else None
        has_its_own = isinstance(segment[at - 1], PrintedDate) and follows is not None and at + 2 == len(segment)
        if not before or has_its_own:
            pairs.append((token, follows))
        else:
            pairs.append((token, last))
            last = _goes_on(last)
    return pairs


def _goes_on(word: _HistoryWord | None) -> _HistoryWord | None:
    """A word that stands once for several dates; made or in force rules are but once."""
    return word if word is not None and word.kind == "amended" else None


def _make_events(page: int, pairs: Iterable[tuple[PrintedDate, _HistoryWord | None]]) -> list[HistoryEvent]:
    return [
        HistoryEvent(
            word.kind if word else "", printed.day, re.sub(r"\s", "", printed.words), word.text if word else "", page
        )
        for printed, word in pairs
        if printed.day is not None
    ]
