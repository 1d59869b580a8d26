"""Where the questions of a Q&A document are: number, heading, question, revision note, chapter, and the answer's lines.

What the lines of an answer amount to belongs to `qa_answer.py`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rag_assets.sources.documents import Finding
from rag_assets.sources.qa_blocks import join_lines
from rag_assets.sources.qa_flow import FlowItem, FlowLine, FlowTable, body_style, plain, words_only

_HYPHENS = "-‐‑‒–—―−ー"
_REFERENCE_TAIL = re.compile(
    r"[ \u3000]*[《≪〈]|(?:[をのはとにがもや、。）)」』～~]|及び|又は|並びに|若しくは|から|まで|参照)"
)
"""What follows a number that only refers to a question: 「問110《…》」, 「問５もご参照」, 「問１参照」."""
_SEPARATOR = re.compile(r"[ \u3000.:、)\]】]+")
_LEADERS = re.compile(r"[ \u3000]*(?:[.…‥・･_─━―-]|[ \u3000]){2,}[ \u3000]*[0-9]*[ \u3000]*$|[…‥_]+[ \u3000]*[0-9]*$")
_PAIRS = {"（": "）", "(": ")", "〔": "〕", "［": "］", "[": "]", "【": "】", "〈": "〉", "＜": "＞"}
_MOST_HEADING_LINES = 4
_SAME_INDENT = 5.0
"""Points by which lines at one indent differ, on the two sides of a sheet too."""
_KANJI_NUMBERS = "一二三四五六七八九十百"
_ROMAN_NUMBERS = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"

Number = tuple[int, int]
"""Number and branch of a question; branch 0 where it has none."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a publisher writes, as printed; a number in a chapter mark stands for any number of its kind."""

    question: tuple[str, ...]
    answer: tuple[str, ...]
    chapters: tuple[tuple[str, ...], ...]
    revision: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One 問 as found.

    Attributes:
        number: Number and branch.
        label: As printed, without blanks: 問24－２.
        heading: Its 見出し without brackets; empty where the document has none.
        text: The question on one line, without its revision notes.
        notes: Revision notes without their brackets: 令和６年４月改訂.
        chapter: Chapter path, outermost first.
        chapter_count: How many outermost chapters have begun up to here.
        page: Page it begins on.
        shown: Tables between the question and its answer.
        answer: Lines and tables of the answer.
    """

    number: Number
    label: str
    heading: str
    text: str
    notes: tuple[str, ...]
    chapter: tuple[str, ...]
    chapter_count: int
    page: int
    shown: tuple[FlowTable, ...]
    answer: tuple[FlowItem, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a document was found to be made of: what stands before its questions, the questions, what is the matter."""

    front: tuple[FlowLine, ...]
    questions: tuple[Question, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line that may begin a question: where it stands, where its heading and chapter lines begin."""

    at: int
    number: Number
    label: str
    rest: str
    letter: bool
    left: float
    heading_at: int
    lead_at: int
    heading: str
    chapters: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class _Reader:
    """The flow of one document and what is known of it while it is read."""

    flow: Sequence[FlowItem]
    marks: Marks
    style: tuple[float, str]
    listed_chapters: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)


def find_questions(flow: Sequence[FlowItem], marks: Marks) -> Layout:
    """The questions of a document, in order.

    A question is a line with a number, `問57　…`, that has an answer mark of its own before the next question. So
    the entries of the 目次 are none, and neither are references to other questions that begin a line. Where several
    such lines stand before one answer mark, the one with the next number is the question, then one with a 見出し
    above it, then the nearest.
    """
    reader = _Reader(flow, marks, body_style(flow))
    starts = [start for at in range(len(flow)) if (start := _candidate(reader, at)) is not None]
    answers = _answer_lines(reader, starts)
    if not answers or not starts:
        return Layout(tuple(_lines(flow)), (), ())
    reader.listed_chapters = frozenset(_listed_chapters(reader, starts, answers[0][0]))
    chosen = [_with_lead(reader, start) for start in _chosen(reader, starts, answers)]
    front_end = chosen[0].lead_at if chosen else len(flow)
    questions = tuple(_questions(reader, chosen, dict(answers)))
    _check_numbers(reader, questions, [start for start in starts if start.at < front_end])
    return Layout(_title_page(reader, starts, front_end), questions, tuple(reader.findings))


def printed_number(number: Number) -> str:
    """A number as part of an ID: 24-2."""
    return f"{number[0]}-{number[1]}" if number[1] else str(number[0])


def _candidate(reader: _Reader, at: int) -> _Candidate | None:
    item = reader.flow[at]
    if not isinstance(item, FlowLine):
        return None
    text = plain(item.text)
    for mark in reader.marks.question:
        match = re.match(
            rf"[ \u3000]*{re.escape(plain(mark))}[ \u3000]*(\d{{1,4}})"
            rf"(?:[ \u3000]*(?:[{_HYPHENS}]|の(?=\d+[ \u3000.:]))[ \u3000]*(\d{{1,3}}))?",
            text,
        )
        if match is None or _REFERENCE_TAIL.match(text[match.end() :]):
            continue
        separator = _SEPARATOR.match(text[match.end() :])
        start = match.end() + (separator.end() if separator else 0)
        heading_at, heading = _heading_above(reader, at)
        return _Candidate(
            at=at,
            number=(int(match[1]), int(match[2] or 0)),
            label=re.sub(r"[ \u3000]", "", item.text[: match.end()]),
            rest=item.text[start:],
            letter=plain(mark).isascii(),
            left=item.x0,
            heading_at=heading_at,
            lead_at=heading_at,
            heading=heading,
        )
    return None


def _heading_above(reader: _Reader, at: int) -> tuple[int, str]:
    """Where the bracketed 見出し right above a line begins, and its words; the line itself and none without one.

    What ends like a sentence is the last paragraph of the answer above, unless it is set in another style.
    """
    texts: list[str] = []
    for above in range(at - 1, max(at - 1 - _MOST_HEADING_LINES, -1), -1):
        item = reader.flow[above]
        if not isinstance(item, FlowLine):
            break
        texts.insert(0, item.text.strip(" \u3000"))
        whole = join_lines(texts)
        if not whole.endswith(tuple(_PAIRS.values())) or (len(texts) == 1 and _answer_rest(reader, item) is not None):
            break
        if whole[0] in _PAIRS and _closes_at(whole) == len(whole) - 1:
            words = whole[1:-1].strip(" \u3000")
            if any(word in words for word in reader.marks.revision) and whole[0] == "【":
                break
            if not words.endswith("。") or _stands_out(reader, item):
                return above, words
            break
    return at, ""


def _closes_at(text: str) -> int:
    """Position of the bracket that closes the one a text begins with, -1 where none does."""
    opening, closing = text[0], _PAIRS[text[0]]
    depth = 0
    for position, character in enumerate(text):
        depth += (character == opening) - (character == closing)
        if not depth:
            return position
    return -1


def _stands_out(reader: _Reader, line: FlowLine) -> bool:
    return (round(line.size, 1), line.font) != reader.style


def _answer_rest(reader: _Reader, item: FlowItem, *, letters: bool = True) -> str | None:
    """What follows an answer mark on its line; None where a line does not begin with one."""
    if not isinstance(item, FlowLine):
        return None
    text = plain(item.text)
    for mark in reader.marks.answer:
        words = plain(mark)
        if words.isalpha() and words.isascii():
            pattern = rf"{re.escape(words)}\d*(?:-\d+)?(?:[.:]|[ \u3000]|$)" if letters else r"(?!)"
        else:
            pattern = r"[ \u3000]*".join(re.escape(character) for character in words)
        match = re.match(rf"[ \u3000]*{pattern}", text)
        if match:
            return item.text[match.end() :].strip(" \u3000")
    return None


def _answer_lines(reader: _Reader, starts: Sequence[_Candidate]) -> list[tuple[int, str]]:
    """Lines with an answer mark that has a candidate of its own before it, and what follows the mark on them.

    A second mark behind the same question is part of the answer. A letter (Ａ) answers a letter (Ｑ) only.
    """
    found: list[tuple[int, str]] = []
    before = iter(starts)
    upcoming = next(before, None)
    waiting: _Candidate | None = None
    for at, item in enumerate(reader.flow):
        while upcoming is not None and upcoming.at < at:
            waiting, upcoming = upcoming, next(before, None)
        if waiting is None:
            continue
        rest = _answer_rest(reader, item, letters=waiting.letter)
        if rest is not None:
            found.append((at, rest))
            waiting = None
    return found


def _chosen(reader: _Reader, starts: Sequence[_Candidate], answers: Sequence[tuple[int, str]]) -> Iterator[_Candidate]:
    last: Number | None = None
    answered = -1
    for at, _ in answers:
        waiting = [start for start in starts if answered < start.at < at]
        if last is None:
            choice = _first_question(waiting)
        else:
            choice = _next_question(waiting, last)
            for other in waiting:
                if other.at < choice.at and (
                    other.heading or (_follows(last, other.number) and _aligned(other, choice))
                ):
                    _tell_unanswered(reader, other)
        yield choice
        last, answered = choice.number, at


def _next_question(waiting: Sequence[_Candidate], last: Number) -> _Candidate:
    """The one that an answer mark answers.

    That is the likeliest, unless a further question begins below it: then the likeliest has no answer.
    """
    choice = max(waiting, key=lambda start: _rank(start, last))
    for other in waiting:
        begins = other.heading or (_follows(choice.number, other.number) and _aligned(choice, other))
        if other.at > choice.at and begins:
            choice = other
    return choice


def _aligned(start: _Candidate, other: _Candidate) -> bool:
    """Whether two stand equally far in: a reference within a question stands further in than questions do."""
    return abs(start.left - other.left) < _SAME_INDENT


def _first_question(waiting: Sequence[_Candidate]) -> _Candidate:
    """The first question, among the entries of a 目次: it bears the number that the list begins with, once more."""
    same = [start for start in waiting if start.number == waiting[0].number]
    return same[-1] if len(same) > 1 else waiting[-1]


def _rank(start: _Candidate, last: Number) -> tuple[bool, bool, int]:
    return _follows(last, start.number), bool(start.heading), start.at


def _follows(last: Number, number: Number) -> bool:
    """Whether a number is the next: 24 → 24-2 or 25, 24-2 → 24-3 or 25, 1-5 → 2-1."""
    if number[0] == last[0]:
        return number[1] == last[1] + 1 or (last[1] == 0 and number[1] == 2)
    return number[0] == last[0] + 1 and number[1] <= 1


def _tell_unanswered(reader: _Reader, start: _Candidate) -> None:
    reader.findings.append(
        Finding(
            kind="fault",
            topic="question without answer",
            place=f"page {_page(reader.flow[start.at])}",
            message=f"{start.label} has no answer mark before the next question, so its text stands in the answer "
            f"above; add the mark that this document uses to answer_marks (now: {' '.join(reader.marks.answer)})",
        )
    )


def _page(item: FlowItem) -> int:
    return item.page


def _with_lead(reader: _Reader, start: _Candidate) -> _Candidate:
    """The candidate with the chapter lines above its heading, so that the answer above ends before them."""
    chapters: list[tuple[int, str]] = []
    lead_at = start.heading_at
    tail: list[str] = []
    for above in range(start.heading_at - 1, max(start.heading_at - 9, -1), -1):
        item = reader.flow[above]
        if not isinstance(item, FlowLine) or _answer_rest(reader, item) is not None:
            break
        level = _chapter_level(reader, item)
        if level is not None:
            chapters.insert(0, (level, _chapter_words(join_lines([item.text, *tail]))))
            lead_at, tail = above, []
        elif _stands_out(reader, item) and len(tail) < 2:
            tail.insert(0, item.text)
        else:
            break
    return replace(start, lead_at=lead_at, chapters=tuple(chapters))


def _chapter_level(reader: _Reader, line: FlowLine) -> int | None:
    """The level of a chapter line; None for any other.

    A mark alone is not enough for one: numbers head the parts of answers as well. The line stands in the 目次, or
    is set in another style than the body; only 第１章 and Ⅰ need neither.
    """
    level = _marked_level(reader, line.text)
    if level is None:
        return None
    known = words_only(line.text) in reader.listed_chapters
    sure = re.match(rf"[ \u3000]*(?:第[\d{_KANJI_NUMBERS}]+[編部章節]|[{_ROMAN_NUMBERS}])", plain(line.text))
    return level if known or _stands_out(reader, line) or sure else None


def _marked_level(reader: _Reader, text: str) -> int | None:
    for level, marks in enumerate(reader.marks.chapters):
        if any(re.match(_mark_pattern(mark), plain(text)) for mark in marks):
            return level
    return None


def _mark_pattern(mark: str) -> str:
    """A chapter mark as a pattern: its number stands for any of that kind, and a bare number needs a gap behind it."""
    words = plain(mark)
    pattern = "".join(
        r"\d+"
        if part[0].isdigit() and part.isascii()
        else f"[{_ROMAN_NUMBERS}]+"
        if part[0] in _ROMAN_NUMBERS
        else f"[{_KANJI_NUMBERS}]+"
        if part[0] in _KANJI_NUMBERS
        else re.escape(part)
        for part in re.findall(rf"\d+|[{_ROMAN_NUMBERS}]+|[{_KANJI_NUMBERS}]+|.", words)
    )
    ends_in_number = bool(re.search(rf"[\d{_ROMAN_NUMBERS}{_KANJI_NUMBERS}]$", words))
    return rf"[ \u3000]*{pattern}" + (r"(?:[ \u3000]|[.、](?!\d))" if ends_in_number else "")


def _chapter_words(text: str) -> str:
    """A chapter line as a name: numbers stay, mere ornaments go."""
    return re.sub(r"^[○◯〇●■◆◇□▼▶][ \u3000]*", "", _without_leaders(text))


def _without_leaders(text: str) -> str:
    match = _LEADERS.search(plain(text))
    return (text[: match.start()] if match else text).strip(" \u3000")


def _listed_chapters(reader: _Reader, starts: Sequence[_Candidate], end: int) -> Iterator[str]:
    """The chapters of the 目次: marked lines between its entries that have leaders, or that stand out."""
    entries = [start.at for start in starts if start.at < end]
    if len(entries) < 3:
        return
    for item in reader.flow[: entries[-1]]:
        if isinstance(item, FlowLine) and _marked_level(reader, item.text) is not None:
            yield words_only(_without_leaders(item.text))


def _questions(reader: _Reader, chosen: Sequence[_Candidate], answers: dict[int, str]) -> Iterator[Question]:
    marks_at = sorted(answers)
    path: dict[int, str] = {}
    outermost = min((level for start in chosen for level, _ in start.chapters), default=0)
    count = 0
    for position, start in enumerate(chosen):
        for level, words in start.chapters:
            path = {other: name for other, name in path.items() if other < level} | {level: words}
            count += level == outermost
        answer_at = next(at for at in marks_at if at > start.at)
        end = chosen[position + 1].lead_at if position + 1 < len(chosen) else len(reader.flow)
        text, notes = _question_text(reader, start, answer_at)
        yield Question(
            number=start.number,
            label=start.label,
            heading=start.heading,
            text=text,
            notes=notes,
            chapter=tuple(path[level] for level in sorted(path)),
            chapter_count=count,
            page=_page(reader.flow[start.at]),
            shown=tuple(item for item in reader.flow[start.at : answer_at] if isinstance(item, FlowTable)),
            answer=tuple(_answer(reader, answer_at, answers[answer_at], end, start)),
        )


def _question_text(reader: _Reader, start: _Candidate, answer_at: int) -> tuple[str, tuple[str, ...]]:
    """The question, and the revision notes that stand behind it."""
    lines = [item.text for item in reader.flow[start.at + 1 : answer_at] if isinstance(item, FlowLine)]
    text = join_lines([start.rest, *lines])
    words = "|".join(map(re.escape, reader.marks.revision))
    tail = re.search(rf"(?:[ \u3000]*【[^【】]*(?:{words})[^【】]*】)+[ \u3000]*$", text)
    if tail is None or not words:
        return text, ()
    notes = tuple(re.sub(r"[ \u3000]", "", note) for note in re.findall(r"【([^【】]*)】", tail.group()))
    return text[: tail.start()].strip(" \u3000"), notes


def _answer(reader: _Reader, at: int, rest: str, end: int, start: _Candidate) -> Iterator[FlowItem]:
    """The lines of an answer, up to the next question's lead or to a chapter's line with an introduction under it."""
    first = reader.flow[at]
    if rest and isinstance(first, FlowLine):
        yield replace(first, text=rest, x0=first.x1 - len(rest) * first.size)
    for position in range(at + 1, end):
        item = reader.flow[position]
        if isinstance(item, FlowLine) and _is_listed_chapter(reader, item):
            reader.findings.append(
                Finding(
                    kind="note",
                    topic="text outside questions",
                    place=f"page {item.page}",
                    message=f"「{item.text}」 and what follows it, up to the next question, belongs to no question "
                    f"({start.label} ends above it) and is left out",
                )
            )
            return
        yield item


def _is_listed_chapter(reader: _Reader, line: FlowLine) -> bool:
    return (
        words_only(line.text) in reader.listed_chapters
        and _stands_out(reader, line)
        and _chapter_level(reader, line) is not None
    )


def _check_numbers(reader: _Reader, questions: Sequence[Question], listed: Sequence[_Candidate]) -> None:
    """Tell numbers that are missing: those the 目次 lists, or, where there is none, the gaps between numbers."""
    found = {question.number for question in questions}
    told = {finding.message.split(" ")[0] for finding in reader.findings}
    if len(listed) >= 3:
        for start in {start.number: start for start in listed}.values():
            if start.number not in found and start.label not in told:
                _tell_missing(reader, start.label, f"page {_page(reader.flow[start.at])}", "is listed in the 目次, but")
        return
    for before, after in pairwise(questions):
        if after.number > before.number and not _follows(before.number, after.number):
            _tell_missing(
                reader,
                f"the number after {before.label}",
                f"pages {before.page}-{after.page}",
                f"is {after.label}: what stands between, if anything,",
            )


def _tell_missing(reader: _Reader, name: str, place: str, what: str) -> None:
    reader.findings.append(
        Finding(
            kind="fault",
            topic="missing question",
            place=place,
            message=f"{name} {what} was not found as a question with an answer; compare how it is printed with "
            f"question_marks ({' '.join(reader.marks.question)}) and answer_marks ({' '.join(reader.marks.answer)})",
        )
    )


def _title_page(reader: _Reader, starts: Sequence[_Candidate], end: int) -> tuple[FlowLine, ...]:
    """What stands before the 目次 and the first question."""
    first = min([start.lead_at for start in starts if start.at < end] + [end])
    return tuple(_lines(reader.flow[:first]))


def _lines(flow: Iterable[FlowItem]) -> Iterator[FlowLine]:
    return (item for item in flow if isinstance(item, FlowLine))
