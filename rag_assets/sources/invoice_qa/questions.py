"""Where the questions of a Q&A document are: number, heading, question, revision note, chapter, and the answer's lines.

What the lines of an answer amount to belongs to `answer.py`.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from rag_assets.japanese.characters import SPACES, clip
from rag_assets.japanese.sentences import is_sentence_end
from rag_assets.sources.base import Finding, name_pages
from rag_assets.sources.invoice_qa.answer_marks import Above, after_answer_mark, bears_number
from rag_assets.sources.invoice_qa.blocks import join_lines
from rag_assets.sources.invoice_qa.flow import PAGE, FlowItem, FlowLine, FlowTable, body_style, words_only
from rag_assets.sources.invoice_qa.marks import (
    Marks,
    NumberedLine,
    QuestionNumber,
    chapter_level,
    chapter_name,
    ends_in_bracket,
    follows,
    in_brackets,
    is_sure_chapter,
    numbered_line,
    split_notes,
    without_leaders,
)

_MOST_HEADING_LINES = 4
_MOST_LEAD_LINES = 8
_FEWEST_ENTRIES = 3
"""Numbered lines before the first question that make a 目次."""
_LARGER = 1.15
"""Size against the text from which a line ends the last answer, as no heading inside an answer is set so."""
_CONTENTS = ("目次", "もくじ", "CONTENTS", "Contents")
_FRONT = "front matter"
_MOST_QUOTED = 3
_SHORTEST_NAME = 2
_LONGEST_QUOTE = 60
_SAME_INDENT = 5.0
"""Points by which lines at one indent differ, on the two sides of a sheet too."""


@dataclass(frozen=True, slots=True)
class FoundQuestion:
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

    number: QuestionNumber
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
    """What a document was found to be made of.

    Attributes:
        front: The lines before its 目次 and its first question: the title page.
        questions: Its questions.
        findings: What is the matter, and what stands outside all questions.
    """

    front: tuple[FlowLine, ...]
    questions: tuple[FoundQuestion, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Start:
    """A line that may begin a question: its place, where its heading and chapter lines begin, and what they say."""

    at: int
    page: int
    left: float
    line: NumberedLine
    heading_at: int
    lead_at: int
    heading: str
    chapters: tuple[tuple[int, str], ...] = ()

    @property
    def number(self) -> QuestionNumber:
        return self.line.number


@dataclass(slots=True)
class _Finder:
    """The flow of one document and what is known of it while questions are found."""

    flow: Sequence[FlowItem]
    marks: Marks
    style: tuple[float, str]
    listed_chapters: frozenset[str] = frozenset()
    listed_parts: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    unanswered: set[QuestionNumber] = field(default_factory=set)


def find_questions(flow: Sequence[FlowItem], marks: Marks) -> Layout:
    """The questions of a document, in order.

    A question is a line with a number, `問57　…`, that has an answer mark of its own before the next question. So
    the entries of the 目次 are none, and neither are references to other questions that begin a line. Where several
    such lines stand before one answer mark, the one with the next number is the question, then one with a 見出し
    above it, then the nearest.
    """
    reader = _Finder(flow, marks, body_style(flow))
    starts = [start for at in range(len(flow)) if (start := _candidate(reader, at)) is not None]
    answers = _answer_lines(reader, starts)
    if not _are_numbered(reader, starts, answers):
        reader.marks = replace(marks, latitude=replace(marks.latitude, numbered=False))
        answers = _answer_lines(reader, starts)
    if not answers or not starts:
        return Layout(tuple(item for item in flow if isinstance(item, FlowLine)), (), ())
    reader.listed_chapters = frozenset(_listed_chapters(reader, starts, answers[0][0]))
    chosen = [_with_lead(reader, start) for start in _choose_questions(reader, starts, answers)]
    front_end = chosen[0].lead_at if chosen else len(flow)
    entries = [start for start in starts if start.at < front_end]
    reader.listed_parts = frozenset(_listed_parts(reader, entries, front_end))
    questions = tuple(_questions(reader, chosen, dict(answers)))
    _check_numbers(reader, questions, entries)
    first = min([*(start.lead_at for start in entries), front_end])
    title_page = tuple(item for item in flow[:first] if isinstance(item, FlowLine))
    return Layout(title_page, questions, (*_front_findings(reader, entries, front_end), *reader.findings))


def first_words_below(flow: Sequence[FlowItem], at: int) -> str:
    """The first lines below one, which show how a document begins its answers; empty where there are none."""
    lines = (item for item in flow[at + 1 :] if isinstance(item, FlowLine))
    return _quote_lines(islice(lines, _MOST_QUOTED))


def _candidate(reader: _Finder, at: int) -> _Start | None:
    item = reader.flow[at]
    line = numbered_line(item.text, reader.marks) if isinstance(item, FlowLine) else None
    if not isinstance(item, FlowLine) or line is None:
        return None
    heading_at, heading = _heading_above(reader, at)
    if line.refers and not heading:
        return None
    return _Start(at, item.page, item.x0, line, heading_at, lead_at=heading_at, heading=heading)


def _heading_above(reader: _Finder, at: int) -> tuple[int, str]:
    """Where the bracketed 見出し right above a line begins, and its words; the line itself and none without one.

    What ends like a sentence is the last paragraph of the answer above, unless it is set in another style.
    """
    texts: list[str] = []
    for above in range(at - 1, max(at - 1 - _MOST_HEADING_LINES, -1), -1):
        item = reader.flow[above]
        if not isinstance(item, FlowLine) or after_answer_mark(item.text, reader.marks) is not None:
            break
        texts.insert(0, item.text.strip(SPACES))
        whole = join_lines(texts)
        if not ends_in_bracket(whole):
            break
        words = in_brackets(whole)
        if words is None:
            continue
        is_note = whole[0] == "【" and any(word in words for word in reader.marks.revision)
        is_sentence = words.endswith("。") and not _stands_out(reader, item)
        return (at, "") if is_note or is_sentence else (above, words)
    return at, ""


def _stands_out(reader: _Finder, line: FlowLine) -> bool:
    return (round(line.size, 1), line.font) != reader.style


def _answer_lines(reader: _Finder, starts: Sequence[_Start]) -> list[tuple[int, str]]:
    """Lines with an answer mark that has a candidate of its own before it, and what follows the mark on them.

    A second mark behind the same question is part of the answer. A letter (Ａ) answers a letter (Ｑ) only.
    """
    found: list[tuple[int, str]] = []
    before = iter(starts)
    upcoming = next(before, None)
    waiting: _Start | None = None
    for at in range(len(reader.flow)):
        while upcoming is not None and upcoming.at < at:
            waiting, upcoming = upcoming, next(before, None)
        if waiting is None:
            continue
        rest = _answer_begun(reader, at, waiting)
        if rest is not None:
            found.append((at, rest))
            waiting = None
    return found


def _are_numbered(reader: _Finder, starts: Sequence[_Start], answers: Sequence[tuple[int, str]]) -> bool:
    """Whether most answer marks bear their question's number; where few do, those are figures of the answers."""
    numbered = 0
    for at, _ in answers:
        item = reader.flow[at]
        question = starts[bisect_left(starts, at, key=lambda start: start.at) - 1]
        numbered += isinstance(item, FlowLine) and bears_number(item.text, reader.marks, _above(reader, at, question))
    return numbered * 2 > len(answers)


def _answer_begun(reader: _Finder, at: int, question: _Start) -> str | None:
    """What follows the answer mark that a line begins with; None where it begins with none."""
    item = reader.flow[at]
    return (
        after_answer_mark(item.text, reader.marks, _above(reader, at, question)) if isinstance(item, FlowLine) else None
    )


def _above(reader: _Finder, at: int, question: _Start) -> Above:
    return Above(number=question.number, letter=question.line.letter, ended=_is_ended(reader.flow[at - 1]))


def _is_ended(item: FlowItem) -> bool:
    """Whether a line ends a sentence, or ends where the next word would have fitted onto it."""
    if not isinstance(item, FlowLine):
        return True
    text = item.text.rstrip(SPACES)
    return is_sentence_end(text) or ends_in_bracket(text) or item.x1 < item.edge - 2 * item.size


def _choose_questions(
    reader: _Finder, starts: Sequence[_Start], answers: Sequence[tuple[int, str]]
) -> Iterator[_Start]:
    last: _Start | None = None
    answered = -1
    for at, _ in answers:
        waiting = [start for start in starts if answered < start.at < at]
        choice = _next_question(waiting, last.number) if last else _first_question(waiting)
        _tell_unanswered(reader, last, [start for start in waiting if start.at < choice.at])
        yield choice
        last, answered = choice, at
    _tell_unanswered(reader, last, [start for start in starts if start.at > answered])


def _next_question(waiting: Sequence[_Start], last: QuestionNumber) -> _Start:
    """The one that an answer mark answers.

    That is the likeliest, unless a further question begins below it: then the likeliest has no answer.
    """
    choice = max(waiting, key=lambda start: (follows(last, start.number), bool(start.heading), start.at))
    for other in waiting:
        begins = other.heading or (follows(choice.number, other.number) and _are_aligned(choice, other))
        if other.at > choice.at and begins:
            choice = other
    return choice


def _are_aligned(start: _Start, other: _Start) -> bool:
    """Whether two stand equally far in: a reference within a question stands further in than questions do."""
    return abs(start.left - other.left) < _SAME_INDENT


def _first_question(waiting: Sequence[_Start]) -> _Start:
    """The first question, among the entries of a 目次: it bears the number that the list begins with, once more."""
    same = [start for start in waiting if start.number == waiting[0].number]
    return same[-1] if len(same) > 1 else waiting[-1]


def _tell_unanswered(reader: _Finder, last: _Start | None, passed: Iterable[_Start]) -> None:
    """Tell which of the lines that were passed over begin questions by all signs but the answer mark.

    Before the first question there is none: those are the entries of the 目次.
    """
    for start in passed:
        if last is None or not (start.heading or (follows(last.number, start.number) and _are_aligned(last, start))):
            continue
        reader.unanswered.add(start.number)
        reader.findings.append(
            Finding.fault(
                "question without answer",
                f"page {start.page}",
                f"{start.line.label} has no answer mark before the next question, so its text stands in the "
                f"answer of {last.line.label}; add the mark that this document uses to answer_marks "
                f"(now: {' '.join(reader.marks.answer)}). What follows the question",
                first_words_below(reader.flow, start.at),
            )
        )


def _with_lead(reader: _Finder, start: _Start) -> _Start:
    """The candidate with the chapter lines above its heading, so that the answer above ends before them."""
    chapters: list[tuple[int, str]] = []
    lead_at = start.heading_at
    tail: list[str] = []
    for above in range(start.heading_at - 1, max(start.heading_at - 1 - _MOST_LEAD_LINES, -1), -1):
        item = reader.flow[above]
        if not isinstance(item, FlowLine) or after_answer_mark(item.text, reader.marks) is not None:
            break
        level = _chapter_level(reader, item)
        if level is not None:
            chapters.insert(0, (level, chapter_name(join_lines([item.text, *tail]))))
            lead_at, tail = above, []
        elif _stands_out(reader, item) and len(tail) < 2:
            tail.insert(0, item.text)
        else:
            break
    return replace(start, lead_at=lead_at, chapters=tuple(chapters))


def _chapter_level(reader: _Finder, line: FlowLine) -> int | None:
    """The level of a chapter line; None for any other.

    A mark alone is not enough for one: numbers head the parts of answers as well. The line stands in the 目次, or
    is set in another style than the body; only 第１章 and Ⅰ need neither.
    """
    known = words_only(line.text) in reader.listed_chapters
    level = chapter_level(line.text, reader.marks, bare=known)
    return level if known or _stands_out(reader, line) or is_sure_chapter(line.text) else None


def _listed_chapters(reader: _Finder, starts: Sequence[_Start], end: int) -> Iterator[str]:
    """The chapters of the 目次: the marked lines before and between its entries."""
    entries = [start.at for start in starts if start.at < end]
    if len(entries) < _FEWEST_ENTRIES:
        return
    for item in reader.flow[: entries[-1]]:
        if isinstance(item, FlowLine) and chapter_level(item.text, reader.marks, bare=True) is not None:
            yield words_only(without_leaders(item.text))


def _listed_parts(reader: _Finder, entries: Sequence[_Start], end: int) -> Iterator[str]:
    """What the 目次 lists below its last question: the parts at the document's end."""
    if len(entries) < _FEWEST_ENTRIES:
        return
    _, behind = _find_contents(reader, entries, end)
    entry_ended = False
    for item in reader.flow[entries[-1].at : behind]:
        if isinstance(item, FlowLine):
            entry = without_leaders(item.text)
            if entry_ended and len(words_only(entry)) >= _SHORTEST_NAME:
                yield words_only(entry)
            entry_ended = entry_ended or entry != item.text.strip(SPACES)


def _questions(reader: _Finder, chosen: Sequence[_Start], answers: dict[int, str]) -> Iterator[FoundQuestion]:
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
        yield FoundQuestion(
            number=start.number,
            label=start.line.label,
            heading=start.heading,
            text=text,
            notes=notes,
            chapter=tuple(path[level] for level in sorted(path)),
            chapter_count=count,
            page=start.page,
            shown=tuple(item for item in reader.flow[start.at : answer_at] if isinstance(item, FlowTable)),
            answer=tuple(_answer(reader, answer_at, answers[answer_at], end, start)),
        )


def _question_text(reader: _Finder, start: _Start, answer_at: int) -> tuple[str, tuple[str, ...]]:
    """The question, and the revision notes that stand behind it."""
    lines = [item.text for item in reader.flow[start.at + 1 : answer_at] if isinstance(item, FlowLine)]
    return split_notes(join_lines([start.line.rest, *lines]), reader.marks)


def _answer(reader: _Finder, at: int, rest: str, end: int, start: _Start) -> Iterator[FlowItem]:
    """The lines of an answer, up to the next question's lead or to a chapter's line with an introduction under it."""
    first = reader.flow[at]
    if rest and isinstance(first, FlowLine):
        yield replace(first, text=rest, x0=first.x1 - len(rest) * first.size)
    for position in range(at + 1, end):
        item = reader.flow[position]
        if isinstance(item, FlowLine) and (
            _is_listed_chapter(reader, item) or (end == len(reader.flow) and _ends_questions(reader, item))
        ):
            upto = "to the end" if end == len(reader.flow) else "up to the next question"
            message = (
                f"this and what follows it, {upto}, belongs to no question ({start.line.label} ends above it) and is "
                "left out"
            )
            reader.findings.extend(_report_left_out(reader.flow[position:end], "text outside questions", message))
            return
        yield item


def _is_listed_chapter(reader: _Finder, line: FlowLine) -> bool:
    return (
        words_only(line.text) in reader.listed_chapters
        and _stands_out(reader, line)
        and _chapter_level(reader, line) is not None
    )


def _ends_questions(reader: _Finder, line: FlowLine) -> bool:
    """Whether a line below the last question begins what is no answer any more: an appendix, an imprint.

    The 目次 lists it beside the questions, or it is set in larger letters than the text.
    """
    listed = words_only(line.text) in reader.listed_parts
    return line.frame == PAGE and (listed or line.size >= _LARGER * reader.style[0])


def _check_numbers(reader: _Finder, questions: Sequence[FoundQuestion], listed: Sequence[_Start]) -> None:
    """Tell numbers that are missing: those the 目次 lists, or, where there is none, the gaps between numbers."""
    known = {question.number for question in questions} | reader.unanswered
    if len(listed) >= _FEWEST_ENTRIES:
        for start in {start.number: start for start in listed}.values():
            if start.number not in known:
                _tell_missing(reader, f"{start.line.label} is listed in the 目次, but", f"page {start.page}")
        return
    for before, after in pairwise(questions):
        between = any(before.number < number < after.number for number in reader.unanswered)
        if after.number > before.number and not follows(before.number, after.number) and not between:
            what = f"the number after {before.label} is {after.label}: what stands between, if anything,"
            _tell_missing(reader, what, f"pages {before.page}-{after.page}")


def _tell_missing(reader: _Finder, what: str, place: str) -> None:
    reader.findings.append(
        Finding.fault(
            "missing question",
            place,
            f"{what} was not found as a question with an answer; compare how it is printed with "
            f"question_marks ({' '.join(reader.marks.question)}) and answer_marks ({' '.join(reader.marks.answer)})",
        )
    )


def _front_findings(reader: _Finder, entries: Sequence[_Start], end: int) -> Iterator[Finding]:
    """What stands before the first question, in order: the 目次, and what comes before and after it."""
    begin, behind = _find_contents(reader, entries, end)
    for topic, message, first, last in (
        (_FRONT, "stands before the first question; only title and dates are taken from it", 0, begin),
        ("table of contents", "left out of the text", begin, behind),
        (_FRONT, "stands before the first question and is left out", behind, end),
    ):
        yield from _report_left_out(reader.flow[first:last], topic, message)


def _find_contents(reader: _Finder, entries: Sequence[_Start], end: int) -> tuple[int, int]:
    """First item of the 目次 and the first behind it; both `end` where there is none."""
    if len(entries) < _FEWEST_ENTRIES:
        return end, end
    begin = entries[0].lead_at
    for at in range(begin - 1, -1, -1):
        item = reader.flow[at]
        if not isinstance(item, FlowLine):
            break
        if words_only(item.text) in _CONTENTS:
            begin = at
            break
        if chapter_level(item.text, reader.marks, bare=True) is not None:
            begin = at
    behind = entries[-1].at + 1
    for at in range(behind, end):
        item = reader.flow[at]
        if isinstance(item, FlowLine) and (
            without_leaders(item.text) != item.text.strip(SPACES) or words_only(item.text)[:2] in _CONTENTS
        ):
            behind = at + 1
    return begin, behind


def _report_left_out(items: Sequence[FlowItem], topic: str, message: str) -> Iterator[Finding]:
    """A note on what is left out, with its pages and first words; nothing where there is nothing."""
    if not items:
        return
    pages = [item.page for item in items]
    quote = _quote_lines(item for item in items[:_MOST_QUOTED] if isinstance(item, FlowLine))
    yield Finding.note(topic, name_pages(min(pages), max(pages)), message, quote)


def _quote_lines(lines: Iterable[FlowLine]) -> str:
    return clip(" / ".join(line.text.strip(SPACES) for line in lines), _LONGEST_QUOTE)
