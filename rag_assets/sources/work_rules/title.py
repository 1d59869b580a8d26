"""The head of a document of rules: the name it gives itself, over however many lines, and the lines that date it."""

import re
from collections.abc import Sequence
from itertools import groupby, takewhile

from rag_assets.japanese.dates import PrintedDate, find_dates
from rag_assets.japanese.whitespace import close_spaced, one_line
from rag_assets.sources.work_rules.history import events, is_history, split_history
from rag_assets.sources.work_rules.lines import RulePassage

_SAME_SIZE = 1.03
_MARKS = "○◯〇●◆◇■□★☆ \u3000"
"""What is set before titles in collections of rules: ○みほん市備品規則."""
_ENDS_TITLE = re.compile(
    r"(?:規程|規則|細則|内規|規定|要綱|要領|要項|基準|条例|規約|定款|協定|約款|憲章|指針|方針|心得|申合せ|マニュアル|ガイドライン"
    r"|ハンドブック)(?:集|\(案\)|（案）)?(?:[（(【［〈][^（）()]*[）)】］〉])?$"
)
_GOES_ON = re.compile(r"(?:おける|する|ための|係る|並びに|[のにをとびへがや等、，・])$|(?:おける|する|係る|ための)")
"""A line of a title that another has to follow, though a company's name stands in it."""
_OPENING = "（(【［〈"
_SENTENCE = re.compile(r"[ぁ-ん。]")
_NAMES_OWNER = re.compile(
    r"^(?:株式会社|有限会社|合同会社|(?:一般|公益)?(?:社団|財団)法人|学校法人|国立大学法人|公立大学法人|医療法人|社会福祉法人)"
    r"|(?:株式会社|有限会社|合同会社|法人|大学|学校|学園|病院|組合|協会|機構|財団|市|町|村|県|省|庁)$|[（(][株有][）)]|㈱|㈲"
)


def document_title(head: Sequence[RulePassage]) -> str:
    """The title: the lines in the largest letters that follow each other; empty where nothing names the document.

    Dates are no part of it, unless they stand inside it. A line that is complete in itself (the company above the
    title) is parted from the next by a full-width blank; one that only ran full is not.
    """
    title = ""
    for line in (close_spaced(one_line(split_history(passage.text)[0])) for passage in _title_lines(head)):
        title += f"\u3000{line}" if title and _is_whole(title) and line[:1] not in _OPENING else line
    return title.lstrip(_MARKS)


def _is_whole(line: str) -> bool:
    return bool(_ENDS_TITLE.search(line) or (_NAMES_OWNER.search(line) and not _GOES_ON.search(line)))


def dating_lines(head: Sequence[RulePassage]) -> list[tuple[int, str]]:
    """The lines of the head that tell of the rules' history, each with its page; a date inside the title does not."""
    title = {id(passage) for passage in _title_lines(head)}
    lines = [
        (passage.page, split_history(text)[1] if id(passage) in title else text)
        for passage in head
        for text in _texts(passage)
    ]
    return [(page, told) for page, text in _whole_dates(lines) if (told := _history_of(text))]


def _whole_dates(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines, with those joined between which a date is broken."""
    joined: list[tuple[int, str]] = []
    for page, text in lines:
        above = joined[-1][1] if joined else ""
        if len(_days(above + text)) > len(_days(above)) + len(_days(text)):
            joined[-1] = joined[-1][0], above + text
        else:
            joined.append((page, text))
    return joined


def _days(text: str) -> list[PrintedDate]:
    return [printed for printed in find_dates(text) if not printed.is_month]


def is_head_line(text: str) -> bool:
    """Whether a line is the head's wherever it stands: it tells when the rules were made, alone or beside a title."""
    name, told = split_history(text)
    return is_history(text) or (bool(told) and _ENDS_TITLE.search(close_spaced(name)) is not None)


def _texts(passage: RulePassage) -> list[str]:
    """The lines of a passage; of a table, its rows, as far as their cells tell of the history and nothing else."""
    if passage.table is None:
        return [passage.text]
    rows: dict[int, list[str]] = {}
    for cell in passage.table.cells:
        rows.setdefault(cell.row, []).append(one_line(cell.text))
    return ["\u3000".join(filter(is_history, cells)) for cells in rows.values()]


def _history_of(text: str) -> str:
    if is_history(text):
        return text
    name, told = split_history(text)
    if _ENDS_TITLE.search(name) or _NAMES_OWNER.search(name) or _SENTENCE.search(text):
        return told
    # A date that no word of the history is about, as 印刷 令和4年1月5日, dates something else.
    return text if any(event.kind for event in events([(1, text)])) else ""


def _title_lines(head: Sequence[RulePassage]) -> list[RulePassage]:
    """The lines in the largest letters that follow each other, as far as the last that ends a title, if one does."""
    lines = [(split_history(passage.text)[0], passage) for passage in head]
    sizes = [passage.size for text, passage in lines if text and not is_history(text)]
    if not sizes:
        return []
    groups = groupby(lines, key=lambda line: _is_of_title(line[0], line[1], max(sizes)))
    first = next(list(group) for of_title, group in groups if of_title)
    on_page = [(text, passage) for text, passage in first if passage.page == first[0][1].page]
    ends = [at for at, (text, _) in enumerate(on_page, 1) if _ENDS_TITLE.search(close_spaced(one_line(text)))]
    last = ends[-1] if ends else len(on_page)
    last += sum(1 for _ in takewhile(lambda line: line[0][:1] in _OPENING, on_page[last:]))
    return [passage for _, passage in on_page[:last]]


def _is_of_title(text: str, passage: RulePassage, size: float) -> bool:
    return bool(text) and not is_history(text) and passage.size * _SAME_SIZE >= size
