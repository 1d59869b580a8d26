"""Whether the numbers of articles and chapters go on without a gap: a number that is missing is a heading not read.

Telling only; what the numbers are is found by `outline`, what the table of contents lists by `contents`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag_assets.sources.base import Finding, name_pages
from rag_assets.sources.work_rules.headings import LEVELS

Number = tuple[int, ...]
"""An article's number: (10, 2) for 第10条の２."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """An article, or a range of deleted ones, and the page it stands on."""

    first: Number
    last: Number
    page: int


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter's number, and the page it begins on; `level` is 0 for 編, 1 for 章, 2 for 節, 3 for 款."""

    level: int
    number: int
    page: int


@dataclass(slots=True)
class Book:
    """The numbers of one set of rules, in the order of the document."""

    articles: list[Numbered] = field(default_factory=list)
    chapters: list[Chapter] = field(default_factory=list)


def missing_articles(
    books: Sequence[Book], listed: Mapping[Number, int], rejected: Mapping[Number, int]
) -> Iterator[Finding]:
    """Articles that were not found.

    Those that the table of contents lists are faults; a gap that it has too is a note. Where it lists no articles, or
    there are several sets of rules, every gap is a fault.

    Args:
        books: Articles found, deleted ones among them.
        listed: Articles of the table of contents, with the page they are listed on.
        rejected: Lines that were taken for quotations of other articles, with their pages.
    """
    for book in books:
        listing = listed if len(books) == 1 else {}
        for before, after in _neighbours(book.articles):
            low = before.last if before else (0,)
            lost = sorted(number for number in listing if low < number and (after is None or number < after.first))
            if lost:
                told = (
                    f"{_name_articles(lost[0], lost[-1])}, listed in the table of contents (page {listing[lost[0]]}),"
                )
                yield _missing(True, before, after, told, _remedy(lost, rejected))
            elif after is not None and _next(low, after.first) != after.first:
                first, last = _next(low, after.first), _before(after.first)
                remedy = "the table of contents does not list it either: if the number is not in use, all is well"
                remedy = remedy if listing else _remedy([first, last], rejected)
                yield _missing(not listing, before, after, _name_articles(first, last), remedy)


def missing_chapters(books: Sequence[Book], listed: Mapping[tuple[str, int], int]) -> Iterator[Finding]:
    """Chapters that the table of contents lists and that were not found; without it, gaps in their numbers."""
    remedy = "see how its heading is printed (it has to begin its line): its articles stand under the chapter before"
    if listed:
        found = {(LEVELS[chapter.level], chapter.number) for book in books for chapter in book.chapters}
        for (level, number), page in listed.items():
            if (level, number) not in found:
                message = f"第{number}{level} is listed here, but was not found as a chapter; {remedy}"
                yield Finding.fault("missing chapter", f"page {page}", message)
        return
    for book in books:
        for above, chapter in _same_level(book.chapters):
            if chapter.number > above.number + 1:
                message = f"第{above.number + 1}{LEVELS[chapter.level]} was not found; {remedy}"
                place = name_pages(*sorted((above.page, chapter.page)))
                yield Finding.fault("missing chapter", place, message)


def _same_level(chapters: Sequence[Chapter]) -> Iterator[tuple[Chapter, Chapter]]:
    """Every chapter with the one before it under the same heading."""
    open_: dict[int, Chapter] = {}
    for chapter in chapters:
        if chapter.level in open_:
            yield open_[chapter.level], chapter
        open_ = {level: other for level, other in open_.items() if level < chapter.level} | {chapter.level: chapter}


def _neighbours(articles: Sequence[Numbered]) -> Iterator[tuple[Numbered | None, Numbered | None]]:
    """Pairs of articles next to each other by number, with None before the first and behind the last."""
    rising: list[Numbered] = []
    for article in sorted(articles, key=lambda article: article.first):
        if not rising or article.first > rising[-1].last:
            rising.append(article)
    if rising:
        yield from pairwise([None, *rising, None])


def _next(before: Number, after: Number) -> Number:
    """The first number behind `before` on the way to `after`: 11 or 10-2 behind 10, 10-3 or 11 behind 10-2."""
    shared = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if shared is not None:
        return (*before[:shared], before[shared] + 1)
    # A branch: the first one of 第10条 is 第10条の２.
    return (*before, 2)


def _before(after: Number) -> Number:
    """The number before another: 10 before 11 and before 10-2, 10-2 before 10-3."""
    if len(after) > 1 and after[-1] <= 2:
        return after[:-1]
    return (*after[:-1], after[-1] - 1)


def _name_articles(*numbers: Number) -> str:
    """One article, or the first and the last of several: 第10条の２ to 第12条."""
    names = (f"第{number[0]}条{''.join(f'の{branch}' for branch in number[1:])}" for number in numbers)
    return " to ".join(dict.fromkeys(names))


def _remedy(numbers: Sequence[Number], rejected: Mapping[Number, int]) -> str:
    quoted = next((rejected[number] for number in numbers if number in rejected), None)
    hint = f"; a line of page {quoted} that begins so was taken for a quotation" if quoted else ""
    return (
        "see how these pages print the number (an article begins its line with 第３条, 第3条 or 第三条): what it says, "
        f"if anything, is kept with what stands before it{hint}"
    )


def _missing(is_fault: bool, before: Numbered | None, after: Numbered | None, what: str, remedy: str) -> Finding:
    told = [
        *([f"behind {_name_articles(before.last)}"] if before else []),
        *([f"before {_name_articles(after.first)}"] if after else []),
    ]
    pages = [article.page for article in (before, after) if article]
    place = name_pages(min(pages), max(pages))
    message = f"{what} was not found {' and '.join(told)}; {remedy}"
    return (
        Finding.fault("missing article", place, message)
        if is_fault
        else Finding.note("number not in use", place, message)
    )
