"""How freely a Q&A document's marks are read: as strictly as finds its questions, and alike over the whole of it.

People write 「Ａ１．」, 「答　」, 「(A)」, or a letter and nothing else, and a line of an answer may begin so by
chance. One line tells nothing; the same mark behind question after question does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from rag_assets.japanese.characters import SPACES
from rag_assets.sources.invoice_qa.answer_marks import Above, after_answer_mark, answer_mark_inside
from rag_assets.sources.invoice_qa.flow import FlowItem, FlowLine
from rag_assets.sources.invoice_qa.marks import Latitude, Marks, QuestionNumber, follows, numbered_line
from rag_assets.sources.invoice_qa.questions import Layout, find_questions

_FREEDOMS = (0, 1, 2, 3)
_SEVERAL = 2
"""Times as many questions as a stricter reading finds: then the document is written the freer way."""
_NEARLY_ALL = 0.8
"""Of the questions asked, which a freer reading has to find answers to: else its marks are not the document's."""
_HARDLY_ANY = 1 / 3
"""Of the questions asked: where fewer have an answer, those few are chance."""


def consistent_layout(flow: Sequence[FlowItem], marks: Marks) -> Layout:
    """The questions of a document under the strictest reading of its marks that finds most of them.

    A freer reading counts only where it finds at least twice as many, and answers to nearly all of them: a single
    question without an answer is a fault to be told, no reason to take a line of it for one. Where hardly a question
    has an answer however they are read, none is found: those few are chance.
    """
    best = find_questions(flow, marks)
    if _is_complete(best):
        return best
    for decorated, freedom in product((False, True), _FREEDOMS):
        read = replace(marks, latitude=Latitude(decorated=decorated, freedom=freedom))
        layout = find_questions(list(_split_lines(flow, read)) if freedom else flow, read)
        several = len(layout.questions) >= max(_SEVERAL * len(best.questions), 1)
        if several and len(layout.questions) >= _NEARLY_ALL * _count_asked(flow, read):
            best = layout
        if best.questions and _is_complete(best):
            break
    if len(best.questions) < _HARDLY_ANY * _count_asked(flow, marks):
        return Layout(best.front, (), ())
    return best


def _is_complete(layout: Layout) -> bool:
    return bool(layout.questions) and not any(finding.kind == "fault" for finding in layout.findings)


def _count_asked(flow: Sequence[FlowItem], marks: Marks) -> int:
    """How many questions a document seems to ask: the longest run of lines whose numbers count on."""
    longest = run = 0
    last: QuestionNumber | None = None
    for item in flow:
        line = numbered_line(item.text, marks) if isinstance(item, FlowLine) else None
        if line is None or line.refers:
            continue
        if last is not None and follows(last, line.number):
            run, last = run + 1, line.number
        elif last is None or line.number[0] == 1:
            run, last = 1, line.number
        longest = max(longest, run)
    return longest


def _split_lines(flow: Sequence[FlowItem], marks: Marks) -> Iterator[FlowItem]:
    """The flow with an answer that begins behind its question, on the same line, on a line of its own."""
    waiting: Above | None = None
    for item in flow:
        if not isinstance(item, FlowLine):
            yield item
            continue
        question = numbered_line(item.text, marks)
        if question and not question.refers:
            waiting = Above(number=question.number, letter=question.letter)
        at = answer_mark_inside(item.text, marks, waiting) if waiting else None
        if waiting and (at is not None or after_answer_mark(item.text, marks, waiting) is not None):
            waiting = None
        if at is None:
            yield item
            continue
        middle = item.x1 - sum(item.size / 2 if sign.isascii() else item.size for sign in item.text[at:])
        yield replace(item, text=item.text[:at].rstrip(SPACES), x1=middle)
        yield replace(item, text=item.text[at:], x0=middle)
