from rag_assets.sources.work_rules.contents import table_of_contents
from rag_assets.sources.work_rules.lines import passages
from rag_assets_tests.sources.work_rules.rules_pages import Rules


def test_chapters_and_articles_with_the_page_they_are_listed_on() -> None:
    rules = Rules().line("目次").line("第１章　総則……２").line("第１条（目的）").line("第２条（休日）").page()
    rules.line("第２章　休み……３").line("第１０条の２（休み）").line("附則……４").page()
    rules.line("第１章　総則").text("第１条（目的）　目的を定める。")
    contents = table_of_contents(passages(rules.pages()))
    assert contents.articles == {(1,): 1, (2,): 1, (10, 2): 2}
    assert contents.chapters == {("章", 1): 1, ("章", 2): 2}
    assert len(contents.positions) == 7


def test_articles_of_chapters_as_ranges() -> None:
    rules = Rules().line("目次").line("第一章　総則（第一条―第三条）").line("第二章　休み（第四条・第五条）")
    rules.line("第三章　手当（第七条）").page().line("第一章　総則").text("第一条（目的）　目的を定める。")
    contents = table_of_contents(passages(rules.pages()))
    assert sorted(contents.articles) == [(1,), (2,), (3,), (4,), (5,), (7,)]


def test_a_table_of_chapters_alone_lists_no_articles() -> None:
    rules = Rules().line("目次").line("第１章　総則").line("第２章　休み").page()
    rules.line("第１章　総則").text("第１条（目的）　目的を定める。").line("第２章　休み").text("第２条　休む。")
    contents = table_of_contents(passages(rules.pages()))
    assert contents.articles == {}
    assert set(contents.chapters) == {("章", 1), ("章", 2)}


def test_no_table_of_contents() -> None:
    contents = table_of_contents(passages(Rules().text("第１条（目的）　目的を定める。").pages()))
    assert (contents.positions, contents.articles, contents.chapters) == (frozenset(), {}, {})
