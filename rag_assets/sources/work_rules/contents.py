"""The table of contents (目次) of a document of rules: which passages are its lines, and what it lists.

It gives no record; what it lists bears out what is found behind it (`numbers`).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_assets.sources.work_rules.headings import (
    ARTICLE,
    alternative_heading,
    article_heading,
    caption_line,
    contents_heading,
    contents_key,
    has_leaders,
    numbers_in,
)
from rag_assets.sources.work_rules.lines import RulePassage

_SEVERAL = 3
"""Entries that make a table of contents where none of them comes again."""
_UNNUMBERED = ("附", "付則", "別表", "別紙", "様式", "はじめに", "前文", "目次", "[", "［", "〔")
_TO = re.compile(r"[ \u3000]*(?:から|[―－—–ー～〜-]+)[ \u3000]*")


@dataclass(frozen=True, slots=True)
class Contents:
    """What a table of contents lists.

    Attributes:
        positions: Of its lines among the passages.
        articles: Articles by number, with the page they are listed on; empty where only chapters are listed.
        chapters: Chapters by kind and number, ("章", 1), with the page they are listed on.
    """

    positions: frozenset[int]
    articles: dict[tuple[int, ...], int]
    chapters: dict[tuple[str, int], int]


def table_of_contents(passages: Sequence[RulePassage]) -> Contents:
    """The table of contents of a document's passages; with nothing in it where there is none."""
    positions = _positions(passages)
    articles: dict[tuple[int, ...], int] = {}
    chapters: dict[tuple[str, int], int] = {}
    for passage in (passages[at] for at in sorted(positions)):
        key = contents_key(passage.text)
        if key is not None and key[0] != "条":
            chapters.setdefault((key[0], key[1][0]), passage.page)
        for number in _find_listed_articles(passage.text):
            articles.setdefault(number, passage.page)
    return Contents(frozenset(positions), articles if len(articles) >= _SEVERAL else {}, chapters)


def _find_listed_articles(text: str) -> Collection[tuple[int, ...]]:
    """The articles that a line names: its own, or those of a chapter (第１条―第５条)."""
    named = [(match, numbers_in(match.group())) for match in re.finditer(ARTICLE, text)]
    if named and named[0][0].start() == 0:
        return [named[0][1]] if named[0][1] else []
    found = {number for _, number in named if number}
    for (first, low), (last, high) in pairwise(named):
        if low and high and _TO.fullmatch(text[first.end() : last.start()]):
            found |= {(number,) for number in range(low[0] + 1, high[0])}
    return found


def _positions(passages: Sequence[RulePassage]) -> set[int]:
    """Positions of the table of contents: from its heading to where its first entry comes again, and leader lines.

    It has no sentences: where one stands before that, the table ends with the last of several entries above it.
    """
    found = {position for position, passage in enumerate(passages) if _is_entry(passage.text)}
    start = next((at for at, passage in enumerate(passages) if contents_heading(passage.text)), None)
    if start is None or any(article_heading(passage.text) and "。" in passage.text for passage in passages[:start]):
        return found
    behind = range(start + 1, len(passages))
    sentence = next((at for at in behind if "。" in passages[at].text), len(passages))
    keys = {at: key for at in behind if at < sentence and (key := contents_key(passages[at].text))}
    first = min(keys, default=sentence)
    again = [at for at, key in keys.items() if key == keys[first] and at > first and at not in found]
    last_entry = max(keys) + 1 if len(keys) >= _SEVERAL else first
    end = again[0] if again else last_entry
    entries = [at for at in range(start, end) if at in found or at in keys or alternative_heading(passages[at].text)]
    last_page = passages[max(entries, default=start)].page
    return found | {
        at for at in range(start, end) if passages[at].page <= last_page and not _is_body(passages, at, end)
    }


def _is_entry(text: str) -> bool:
    """A line that leads to the page of something with a number or name of its own, not 部長………50,000."""
    return has_leaders(text) and "。" not in text and (contents_key(text) is not None or text.startswith(_UNNUMBERED))


def _is_body(passages: Sequence[RulePassage], at: int, end: int) -> bool:
    """A caption that belongs to the first article behind the table of contents."""
    return (
        at == end - 1
        and end < len(passages)
        and bool(caption_line(passages[at].text))
        and article_heading(passages[end].text) is not None
    )
