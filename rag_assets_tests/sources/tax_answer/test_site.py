"""The site as a whole: which categories and articles are visited, how a broken crawl goes on, what is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.sources.fetching.crawl import place_at
from rag_assets.sources.fetching.places import FetchPlace, FolderPlace, Reply, Validators
from rag_assets.sources.fetching.web import WebOptions
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.sources.tax_answer.site import CategoryRecords, NeverFetchedError, crawl_site, read_category
from rag_assets_tests.http_server import Answer, serving
from rag_assets_tests.small_site import SmallSite, article_html, folder_site

ALL = list(CATEGORIES)
LOST = Answer(status=404, body=b"nothing here")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        small = SmallSite(server)
        small.publish("1000", category="shotoku")
        small.publish("1001", category="shotoku")
        small.publish("2502")
        small.publish("2503")
        small.publish("8010", category="saigai")
        yield small


class BrokenOffError(Exception):
    """The process ends here."""


class BreaksOff:
    """A place that answers so many requests and is then gone with the process."""

    def __init__(self, place: FetchPlace, answers: int) -> None:
        self._place = place
        self._left = answers

    @property
    def location(self) -> str:
        return self._place.location

    def url_of(self, path: str) -> str:
        return self._place.url_of(path)

    def get(self, path: str, validators: Validators | None = None) -> Reply:
        if not self._left:
            raise BrokenOffError
        self._left -= 1
        return self._place.get(path, validators)


def web(site: SmallSite) -> FetchPlace:
    return place_at(site.server.url, WebOptions(interval_seconds=0, attempts=1))


def read(folder: Path, category: str, earlier: CategoryRecords | None = None) -> CategoryRecords:
    known = (
        {record.record_id: (earlier.fingerprints[record.record_id], record) for record in earlier.records}
        if earlier
        else {}
    )
    return read_category(
        folder,
        category,
        document="文書",
        link_base="https://example.jp/",
        earlier=known,
        earlier_findings=earlier.findings if earlier else (),
    )


def test_every_category_is_visited_and_counted(site: SmallSite, tmp_path: Path) -> None:
    crawled = crawl_site(web(site), tmp_path, ALL)
    assert {name: count for name, count in crawled.listed.items() if count} == {"shotoku": 2, "gensen": 2, "saigai": 1}
    assert crawled.crawls["shotoku"].fetched == ("1000", "1001")
    assert sorted(site.fetched()) == ["1000", "1001", "2502", "2503", "8010"]


def test_other_categories_are_left_alone(site: SmallSite, tmp_path: Path) -> None:
    crawled = crawl_site(web(site), tmp_path, ["gensen"])
    assert list(crawled.crawls) == ["gensen"]
    assert site.fetched() == ["2502", "2503"]


@pytest.mark.parametrize("answers", range(1, 7))
def test_a_crawl_broken_off_anywhere_asks_for_nothing_twice(site: SmallSite, tmp_path: Path, answers: int) -> None:
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), answers - 1), tmp_path, ALL)
    crawled = crawl_site(web(site), tmp_path, ALL)
    assert sorted(site.fetched()) == ["1000", "1001", "2502", "2503", "8010"]
    assert [key for result in crawled.crawls.values() for key in result.fetched] == [
        "1000",
        "1001",
        "2502",
        "2503",
        "8010",
    ]
    resumed = [key for result in crawled.crawls.values() for key in result.resumed]
    assert len(resumed) == max(answers - 2, 0)


def test_a_crawl_broken_off_asks_again_for_what_had_failed(site: SmallSite, tmp_path: Path) -> None:
    site.answer("1001", LOST, category="shotoku")
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), 4), tmp_path, ALL)
    site.publish("1001", category="shotoku")
    crawled = crawl_site(web(site), tmp_path, ALL)
    assert crawled.failed() == {}
    assert site.fetched().count("1000") == 1
    assert site.fetched().count("1001") == 2
    assert crawled.crawls["shotoku"].resumed == ("1000",)


def test_a_crawl_broken_off_still_tells_what_was_withdrawn_before_the_break(site: SmallSite, tmp_path: Path) -> None:
    site.withdraw("1001")
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), 4), tmp_path, ALL)
    assert crawl_site(web(site), tmp_path, ALL).withdrawn() == ["1001"]


def test_an_article_that_leaves_the_list_while_a_crawl_is_broken_off_is_gone_when_it_goes_on(
    site: SmallSite, tmp_path: Path
) -> None:
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), 4), tmp_path, ALL)
    site.delist("1001")
    assert crawl_site(web(site), tmp_path, ALL).delisted() == ["1001"]


def test_a_crawl_that_ended_is_followed_by_a_new_one(site: SmallSite, tmp_path: Path) -> None:
    crawl_site(web(site), tmp_path, ALL)
    site.server.forget()
    crawled = crawl_site(web(site), tmp_path, ALL)
    assert len(site.fetched()) == 5
    assert crawled.crawls["shotoku"].unchanged == ("1000", "1001")


def test_a_crawl_broken_off_of_other_categories_is_not_gone_on_with(site: SmallSite, tmp_path: Path) -> None:
    crawl_site(web(site), tmp_path, ["shotoku"])
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), 2), tmp_path, ["gensen"])
    site.server.forget()
    crawl_site(web(site), tmp_path, ["shotoku", "gensen"])
    assert site.fetched() == ["1000", "1001", "2503"]


def test_single_articles_do_not_end_a_crawl_that_was_broken_off(site: SmallSite, tmp_path: Path) -> None:
    with pytest.raises(BrokenOffError):
        crawl_site(BreaksOff(web(site), 4), tmp_path, ALL)
    crawl_site(web(site), tmp_path, ALL, only=["8010"])
    site.server.forget()
    crawl_site(web(site), tmp_path, ALL)
    assert "1000" not in site.fetched()
    assert "2503" in site.fetched()


def test_an_article_of_a_category_not_chosen_is_refused(site: SmallSite, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"1000 is in category 'shotoku', which is not among those chosen \(gensen\)"):
        crawl_site(web(site), tmp_path, ["gensen"], only=["1000", "2502"])
    assert site.fetched() == []


def test_a_category_never_fetched_is_no_empty_category(tmp_path: Path) -> None:
    with pytest.raises(NeverFetchedError, match="gensen"):
        read(tmp_path, "gensen")


def test_an_unchanged_page_is_not_read_again(site: SmallSite, tmp_path: Path) -> None:
    crawl_site(web(site), tmp_path, ["gensen"])
    first = read(tmp_path, "gensen")
    site.publish("2503", "新しい本文です。")
    crawl_site(web(site), tmp_path, ["gensen"])
    second = read(tmp_path, "gensen", first)
    assert (first.reused, second.reused) == (0, 1)
    assert second.records[0] == first.records[0]
    assert second.fingerprints["tax_answer/2503"] != first.fingerprints["tax_answer/2503"]


def test_what_was_left_out_of_a_page_is_told_again_where_the_page_is_not_read_again(
    site: SmallSite, tmp_path: Path
) -> None:
    site.publish("2502", "<del>旧</del>新。")
    crawl_site(web(site), tmp_path, ["gensen"])
    first = read(tmp_path, "gensen")
    site.publish("2503", "<s>昔</s>今。")
    crawl_site(web(site), tmp_path, ["gensen"])
    second = read(tmp_path, "gensen", first)
    assert [(finding.place, finding.quote) for finding in first.findings] == [("No.2502", "旧")]
    assert second.reused == 1
    assert [(finding.place, finding.quote) for finding in second.findings] == [("No.2502", "旧"), ("No.2503", "昔")]


def test_another_document_name_reads_every_page_again(site: SmallSite, tmp_path: Path) -> None:
    crawl_site(web(site), tmp_path, ["gensen"])
    first = read(tmp_path, "gensen")
    known = {record.record_id: (first.fingerprints[record.record_id], record) for record in first.records}
    second = read_category(tmp_path, "gensen", document="別の文書", link_base="https://example.jp", earlier=known)
    assert second.reused == 0
    assert {record.document for record in second.records} == {"別の文書"}


def test_records_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder_site(tmp_path / "site", "2511", "2511-10", "2511-2", "2502")
    crawl_site(FolderPlace(tmp_path / "site"), tmp_path / "kept", ["gensen"])
    assert [record.number for record in read(tmp_path / "kept", "gensen").records] == [
        "2502",
        "2511",
        "2511-2",
        "2511-10",
    ]


@pytest.mark.parametrize("name", ["site", "taxes", "税", "taxes/shiraberu/taxes"])
def test_the_address_for_readers_does_not_depend_on_where_a_copy_lies(tmp_path: Path, name: str) -> None:
    folder_site(tmp_path / name, "2502")
    crawl_site(FolderPlace(tmp_path / name), tmp_path / "kept", ["gensen"])
    (record,) = read(tmp_path / "kept", "gensen").records
    assert record.url == "https://example.jp/taxes/shiraberu/taxanswer/gensen/2502.htm"


def test_progress_is_told_page_by_page(site: SmallSite, tmp_path: Path) -> None:
    told: list[tuple[str, int, int, str, str]] = []
    crawl_site(web(site), tmp_path, ["gensen", "saigai"], on_progress=lambda *page: told.append(page))
    assert told == [
        ("gensen", 1, 2, "2502", "fetched"),
        ("gensen", 2, 2, "2503", "fetched"),
        ("saigai", 1, 1, "8010", "fetched"),
    ]


def test_a_page_that_answers_for_another_article_is_told(tmp_path: Path) -> None:
    folder_site(tmp_path / "site", "2502", "2503")
    (tmp_path / "site/taxes/shiraberu/taxanswer/gensen/2503.htm").write_text(article_html("2502"))
    crawl_site(FolderPlace(tmp_path / "site"), tmp_path / "kept", ["gensen"])
    found = read(tmp_path / "kept", "gensen")
    assert [record.number for record in found.records] == ["2502"]
    assert "the page says No.2502 but is listed as 2503" in found.failed["2503"]
