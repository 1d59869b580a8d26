import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.base import Finding
from rag_assets.sources.work_rules.numbers import Book, Chapter, Number, Numbered, missing_articles, missing_chapters


def book(*numbers: Number | tuple[Number, Number]) -> Book:
    """Articles on page 1, 2, …; a pair of numbers is a range of deleted ones."""
    made = Book()
    for page, number in enumerate(numbers, 1):
        first, last = number if isinstance(number[0], tuple) else (number, number)
        made.articles.append(Numbered(tuple(first), tuple(last), page))
    return made


def told(*numbers: Number | tuple[Number, Number], listed: tuple[Number, ...] = ()) -> list[Finding]:
    return list(missing_articles([book(*numbers)], dict.fromkeys(listed, 9), {}))


def what(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.place, each.message.partition(" was not found")[0]) for each in found]


@pytest.mark.parametrize(
    "numbers",
    [
        ((1,), (2,), (3,)),
        ((1,), (1, 2), (1, 3), (2,)),
        ((1,), ((2,), (4,)), (5,)),
        ((1,), ((1, 2), (1, 4)), (1, 5), (2,)),
        ((1,), (2,), (2,), (3,)),
        ((2,), (1,), (3,)),
        ((1,), (1, 2), (1, 2, 2), (1, 3)),
    ],
)
def test_numbers_that_go_on(numbers: tuple[Number | tuple[Number, Number], ...]) -> None:
    assert told(*numbers) == []


@pytest.mark.parametrize(
    ("numbers", "place", "words"),
    [
        (((1,), (2,), (4,)), "pages 2-3", "第3条"),
        (((1,), (6,)), "pages 1-2", "第2条 to 第5条"),
        (((3,),), "page 1", "第1条 to 第2条"),
        (((1,), (1, 3)), "pages 1-2", "第1条の2"),
        (((1,), (1, 2), (1, 5)), "pages 2-3", "第1条の3 to 第1条の4"),
        (((1,), (2, 2)), "pages 1-2", "第2条"),
        (((1,), ((2,), (4,)), (6,)), "pages 2-3", "第5条"),
    ],
)
def test_a_gap_is_a_fault_that_says_where_to_look(
    numbers: tuple[Number | tuple[Number, Number], ...], place: str, words: str
) -> None:
    found = told(*numbers)
    assert what(found) == [("fault", place, words)]
    assert "see how these pages print the number" in found[0].message


@given(st.integers(2, 30), st.sets(st.integers(1, 29)))
def test_every_missing_number_lies_in_exactly_one_gap(last: int, gone: set[int]) -> None:
    kept = [(number,) for number in range(1, last + 1) if number == last or number not in gone]
    spans = [message.replace("第", "").replace("条", "").split(" to ") for _, _, message in what(told(*kept))]
    missing = [number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)]
    assert missing == sorted(number for number in gone if number < last)


def test_the_table_of_contents_says_which_numbers_there_are() -> None:
    found = told((1,), (4,), (6,), listed=((1,), (3,), (4,), (6,), (7,), (8,)))
    assert what(found) == [
        ("fault", "pages 1-2", "第3条, listed in the table of contents (page 9),"),
        ("note", "pages 2-3", "第5条"),
        ("fault", "page 3", "第7条 to 第8条, listed in the table of contents (page 9),"),
    ]


def test_a_line_taken_for_a_quotation_is_pointed_at() -> None:
    (found,) = missing_articles([book((1,), (3,))], {}, {(2,): 7})
    assert "a line of page 7 that begins so was taken for a quotation" in found.message


def test_several_sets_of_rules_are_counted_apart() -> None:
    assert list(missing_articles([book((1,), (2,)), book((1,))], {(5,): 1}, {})) == []
    assert len(list(missing_articles([book((1,), (2,)), book((1,), (3,))], {}, {}))) == 1


def test_chapters() -> None:
    chapters = Book(chapters=[Chapter(1, 1, 3), Chapter(2, 1, 3), Chapter(2, 2, 4), Chapter(1, 3, 5), Chapter(2, 1, 5)])
    (gap,) = missing_chapters([chapters], {})
    assert (gap.kind, gap.place) == ("fault", "pages 3-5")
    assert gap.message.startswith("第2章 was not found")
    (unlisted,) = missing_chapters([chapters], {("章", 1): 2, ("章", 3): 2, ("章", 4): 2})
    assert unlisted.place == "page 2"
    assert unlisted.message.startswith("第4章 is listed here")
