"""The date that a guide speaks for: what its metadata tell, else its own lines at head and foot, else its file.

How dates and lines of a history are read is in `japanese/dates.py` and `work_rules/history.py`.
"""

import datetime
from collections.abc import Iterator

from rag_assets.japanese.dates import find_dates, written_date
from rag_assets.model import AsOf, TextBlock
from rag_assets.sources.base import Finding
from rag_assets.sources.guides.document import BodyBlock, GuideDocument
from rag_assets.sources.work_rules.edition import edition
from rag_assets.sources.work_rules.history import is_history

_NEAR = 12
"""Blocks at either end of a document among which its own date stands."""


def date_guide(document: GuideDocument, today: datetime.date) -> tuple[AsOf | None, tuple[Finding, ...]]:
    """The date of a document, and what a person should know of its other dates."""
    if document.dated:
        printed = next((printed for printed in find_dates(document.dated) if printed.day), None)
        label = printed.words if printed else document.dated
        return AsOf(label=label, date=written_date(document.dated, or_month=True)), ()
    texts = list(_lines(document))
    near = texts[:_NEAR] + texts[max(len(texts) - _NEAR, _NEAR) :]
    told = edition([line for line in near if is_history(line[1])], (), near, today)
    if told.holds:
        return AsOf(label=told.holds.label, date=told.holds.day), told.findings
    if document.modified_on:
        day = document.modified_on
        return AsOf(label=f"{day.year}年{day.month}月{day.day}日更新", date=day), told.findings
    return None, told.findings


def _lines(document: GuideDocument) -> Iterator[tuple[int, str]]:
    for part in document.parts:
        if isinstance(part, BodyBlock) and isinstance(part.block, TextBlock):
            yield part.page or 1, part.block.text.strip("　 ()（）[]［］")
