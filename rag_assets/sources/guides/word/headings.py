"""Headings of a Word document without heading styles: short lines told by their numbers, weight and size."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_assets.model import Table, TextBlock
from rag_assets.sources.guides.word.numbering import ListNumber
from rag_assets.sources.guides.word.styles import StyleRole

_DIGITS = "[0-9０-９一二三四五六七八九十百]+"
_MARKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    *(
        (word, re.compile(rf"第\s*{_DIGITS}\s*{word}(?![0-9０-９一-龠ぁ-んァ-ヶ])|第{_DIGITS}{word}の{_DIGITS}"))
        for word in "編部章節款条"
    ),
    ("1.1.1", re.compile(r"[0-9０-９]+(?:[.．－-][0-9０-９]+){2,}")),
    ("1.1", re.compile(r"[0-9０-９]+[.．－-][0-9０-９]+")),
    ("I", re.compile(r"[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ]|[IVX]+[.．\s]")),
    ("1.", re.compile(r"[0-9０-９]{1,2}(?:[.．、)）]|[\s　]|$)")),
    ("一", re.compile(r"[一二三四五六七八九十]{1,3}[、．.\s　]")),
    ("(1)", re.compile(r"[（(][0-9０-９一二三四五六七八九十]{1,2}[)）]|[⑴-⒇]")),
    ("①", re.compile(r"[①-⑳]")),
    ("ア", re.compile(r"[ア-ンｱ-ﾝa-zA-Zａ-ｚ][.．、)）\s　]|[（(][ア-ンｱ-ﾝa-zａ-ｚ][)）]")),
    ("■", re.compile(r"[■□◆◇●○▼【〔]")),
)
_SURE = frozenset({"編", "部", "章", "節"})
"""Markers that need no other look: nothing but a heading is a line of its own that begins so."""
_OF_RULES = ("編", "部", "章", "節", "款", "条")
"""Markers that stand above all others, in this order."""
_ARTICLE = re.compile(rf"第\s*{_DIGITS}\s*条(?:の{_DIGITS})*")
_CAPTION = re.compile(r"[（(][^（）()]{1,20}[)）]")
"""What stands above or behind the number of an article and names it: （目的）."""
_MOST_LETTERS = 50
_GOTHIC = re.compile(r"ゴシック|ｺﾞｼｯｸ|gothic|メイリオ|meiryo|majorEastAsia", re.I)
_ENDS_A_SENTENCE = re.compile(r"[。．、，,：:；;]$")
_APPENDIX = re.compile(
    r"附\s*則|付\s*則|別\s*[表紙添]\s*(?:第?[0-9０-９一二三四五六七八九十]*)|はじめに|おわりに|まえがき"
)


@dataclass(frozen=True, slots=True)
class WordParagraph:
    """A paragraph with what tells what it is.

    Attributes:
        text: Its words with their number.
        without_marks: The same without the marks of notes, as headings are told.
        number: The number that a list gives it.
        level: Level of a heading, from 1; None for body text.
        role: What its style's name tells.
        anchor: The name that links give it.
        is_bold: Whether all of it is bold.
        is_centered: Whether it stands in the middle.
        size: Height of its letters in half points; 0 for the words of a diagram, which tell none.
        font: Font of its letters; empty where nothing tells.
        has_leader: Whether dots lead to a page number at its end, as in a table of contents typed by hand.
    """

    text: str
    without_marks: str = ""
    number: ListNumber | None = None
    level: int | None = None
    role: StyleRole = ""
    anchor: str = ""
    is_bold: bool = False
    is_centered: bool = False
    size: int = 0
    font: str = ""
    has_leader: bool = False


FlowItem = WordParagraph | TextBlock | Table
"""What stands in the flow: paragraphs, notes that stand behind theirs, and tables."""


def find_headings_by_looks(items: Sequence[FlowItem], *, is_titled: bool) -> tuple[list[FlowItem], int]:
    """The items with levels on those paragraphs that look like headings, and how many do.

    The first line becomes the title where it looks like one and the document is not `is_titled` otherwise.
    Larger letters stand above smaller ones; among those of one size 編 stands above 章, 節, 条, and other kinds of
    numbers in the order in which they come up.
    """
    paragraphs = [item for item in items if isinstance(item, WordParagraph)]
    body = _find_body(paragraphs)
    title = None if is_titled else _find_title(items, body)
    kinds: dict[int, tuple[str, int]] = {}
    for position, item in enumerate(items):
        if isinstance(item, WordParagraph) and item is not title and not item.role:
            following = items[position + 1] if position + 1 < len(items) else None
            names_article = _names_article(item, following)
            marker = "条" if names_article else _find_marker(item.text)
            if names_article or _looks_like_heading(item, marker, body):
                kinds[position] = (marker, 0 if marker in _OF_RULES else max(item.size - body.size, 0))
    levels = _rank_kinds(list(kinds.values()))
    found: list[FlowItem] = []
    for position, item in enumerate(items):
        if item is title and isinstance(item, WordParagraph):
            found.append(replace(item, role="title"))
        elif position in kinds and isinstance(item, WordParagraph):
            found.append(replace(item, level=levels[kinds[position]]))
        else:
            found.append(item)
    return found, len(kinds)


def has_number(paragraph: WordParagraph) -> bool:
    """Whether a paragraph begins with a number or a mark of headings: 第１章, 1.2, ■."""
    return bool(_find_marker(paragraph.text))


@dataclass(frozen=True, slots=True)
class _BodyLook:
    """How most letters of a document look."""

    size: int
    is_bold: bool
    is_gothic: bool


def _find_body(paragraphs: Sequence[WordParagraph]) -> _BodyLook:
    letters: Counter[_BodyLook] = Counter()
    for paragraph in filter(lambda each: each.size, paragraphs):
        letters[_BodyLook(paragraph.size, paragraph.is_bold, _is_gothic(paragraph))] += len(paragraph.text)
    return letters.most_common(1)[0][0] if letters else _BodyLook(0, is_bold=False, is_gothic=False)


def _is_gothic(paragraph: WordParagraph) -> bool:
    """Whether letters have no serifs: in a text of 明朝 that is how headings stand out without being bold."""
    return _GOTHIC.search(paragraph.font) is not None


def _find_title(items: Sequence[FlowItem], body: _BodyLook) -> WordParagraph | None:
    """The first line of the document where it is short, has no number, and is larger, or bold in the middle."""
    first = next((item for item in items if not isinstance(item, WordParagraph) or item.text), None)
    if not isinstance(first, WordParagraph) or len(first.text) > _MOST_LETTERS or _find_marker(first.text):
        return None
    others = [item for item in items if isinstance(item, WordParagraph) and item is not first and item.text]
    is_largest = all(first.size > other.size for other in others)
    stands_out = first.size > body.size and (is_largest or first.is_centered)
    return first if others and (stands_out or (first.is_centered and first.is_bold)) else None


def _find_marker(text: str) -> str:
    return next((kind for kind, pattern in _MARKERS if pattern.match(text)), "")


def _names_article(paragraph: WordParagraph, following: FlowItem | None) -> bool:
    """Whether a line is the caption of an article: 第１条（目的）, or （目的） above the line 第１条 ….

    Such lines need no other look.
    """
    article = _ARTICLE.match(paragraph.text)
    if article:
        return _CAPTION.fullmatch(paragraph.text[article.end() :].strip(" \u3000")) is not None
    begins_article = isinstance(following, WordParagraph) and _ARTICLE.match(following.text) is not None
    return begins_article and _CAPTION.fullmatch(paragraph.text) is not None


def _looks_like_heading(paragraph: WordParagraph, marker: str, body: _BodyLook) -> bool:
    text = paragraph.text
    if not text or len(text) > _MOST_LETTERS or _ENDS_A_SENTENCE.search(text):
        return False
    if marker in _SURE or _APPENDIX.fullmatch(text):
        return True
    if paragraph.number is not None and not paragraph.number.text:
        return False  # an item behind a bullet
    is_bolder = paragraph.is_bold and not body.is_bold
    return is_bolder or paragraph.size > body.size or (_is_gothic(paragraph) and not body.is_gothic)


def _rank_kinds(kinds: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """The level of every kind of heading: how it is numbered, and by how much it is larger than the text."""
    first_seen: dict[str, int] = {}
    for marker, _ in kinds:
        first_seen.setdefault(marker, len(first_seen))
    numbered_sizes = {size for marker, size in kinds if marker}
    ranks = {
        kind: (0, _OF_RULES.index(kind[0]), 0) if kind[0] in _OF_RULES else (1, -kind[1], first_seen[kind[0]])
        for kind in kinds
        if kind[0] or kind[1] not in numbered_sizes
    }
    by_rank = {rank: level for level, rank in enumerate(sorted(set(ranks.values())), start=1)}
    levels = {kind: by_rank[rank] for kind, rank in ranks.items()}
    for kind in kinds:
        # A heading without a number stands beside the outermost numbered ones of its size.
        if kind not in levels:
            levels[kind] = min(level for (marker, size), level in levels.items() if marker and size == kind[1])
    return levels
