"""What of the stored text is not what its source says today."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.evaluation.report.currency import find_notices
from rag_assets.sources.fetching.web import WebOptions, WebPlace
from rag_assets.sources.staleness import staleness
from rag_assets.sources.tax_answer.reader import INDEX_PATH
from rag_assets.sources.tax_answer.site import crawl_site
from rag_assets_tests.http_server import Answer, page, serving
from rag_assets_tests.small_site import Run, SmallSite, article_html

LOST = Answer(status=404, body=b"nothing here")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with serving() as server:
        small = SmallSite(server)
        for number in ("2502", "2503", "2594"):
            small.publish(number)
        small.publish("8010", category="saigai")
        yield small


@pytest.fixture
def run(site: SmallSite, tmp_path: Path) -> Run:
    return Run(site.server.url, tmp_path / "home")


def test_a_fresh_home_has_nothing_stale(run: Run) -> None:
    run.refresh()
    found = staleness(run.home, "tax_answer")
    assert found.records == 4
    assert (found.failed, found.unread, found.withdrawn, found.undated) == ((), (), (), ())
    assert found.as_of == {(2025, 4): 4}


def test_nothing_is_known_of_an_empty_home(run: Run) -> None:
    found = staleness(run.home, "law")
    assert (found.records, found.failed, found.as_of) == (0, (), {})


def test_what_failed_to_be_fetched_tells_whether_old_text_is_served_and_since_when(site: SmallSite, run: Run) -> None:
    run.refresh()
    site.answer("2503", LOST)
    site.answer("2595", LOST)
    run.pages(), run.records()
    old, none = staleness(run.home, "tax_answer").failed
    assert (old.key, old.is_served, none.key, none.is_served) == ("2503", True, "2595", False)
    assert old.fetched_at is not None
    assert old.fetched_at < old.checked_at
    assert none.fetched_at is None
    assert "404" in old.why
    assert old.address.endswith("/2503.htm")


@pytest.mark.parametrize("answer", [Answer(status=503), LOST, page("<p>ただいまメンテナンス中です。</p>"), page("")])
def test_a_list_that_cannot_be_had_makes_everything_old_until_it_can(site: SmallSite, run: Run, answer: Answer) -> None:
    run.refresh()
    site.server.on(INDEX_PATH, answer)
    assert run.pages()
    found = staleness(run.home, "tax_answer")
    assert found.failed == ()
    assert found.list_failure is not None
    assert found.list_failure.why
    (notice,) = find_notices([found], lambda record_id: record_id)
    assert notice.kind == "old"
    assert "以前の文章のまま検索されています（4 件）" in notice.message
    assert found.list_failure.why in notice.names[0]
    site.publish("2502")
    # One category gone through again says nothing of the others.
    place = WebPlace(site.server.url, WebOptions(interval_seconds=0))
    crawl_site(place, run.home.fetched("tax_answer"), ["saigai"])
    assert staleness(run.home, "tax_answer").not_asked == 3
    run.pages()
    assert staleness(run.home, "tax_answer").list_failure is None


def test_what_cannot_be_read_tells_likewise(site: SmallSite, run: Run) -> None:
    run.refresh()
    for number in ("2503", "2595"):
        site.answer(number, page(article_html(number).replace("h1>", "b>")))
    run.pages(), run.records()
    found = staleness(run.home, "tax_answer")
    assert [(each.key, each.is_served) for each in found.unread] == [("2503", True), ("2595", False)]
    assert found.failed == ()


def test_what_failed_and_was_never_read_serves_nothing(site: SmallSite, run: Run) -> None:
    site.answer("2503", page(article_html("2503").replace("h1>", "b>")), LOST)
    run.pages(), run.records(), run.pages()
    (failed,) = staleness(run.home, "tax_answer").failed
    assert (failed.key, failed.is_served, failed.fetched_at) == ("2503", False, None)


def test_withdrawn_and_undated_and_the_months(site: SmallSite, run: Run) -> None:
    run.refresh()
    site.withdraw("2502")
    site.delist("8010")
    site.answer("2503", page(article_html("2503").replace("令和7年4月1日", "令和6年10月1日")))
    site.answer("2594", page(article_html("2594").replace("<p>[令和7年4月1日現在法令等]</p>", "")))
    run.pages(), run.records()
    found = staleness(run.home, "tax_answer")
    assert sorted(found.withdrawn) == ["2502", "8010"]
    assert found.undated == ("tax_answer/2594",)
    assert found.as_of == {(2024, 10): 1}


def test_documents_are_told_by_their_keys(tmp_path: Path) -> None:
    tables = {}
    for key in ("desk", "lost"):
        (tmp_path / f"{key}.csv").write_text("番号,件名,回答,日\n1,鍵,総務へ。,2025-04-01\n2,傘,受付へ。,\n")
        tables[key] = {"source": "csv_rows", "location": str(tmp_path / f"{key}.csv"), "id": "番号", "title": "件名"}
        tables[key] |= {"text": "回答", "as_of_column": "日"}
    run = Run("", tmp_path / "home", document=tables)
    run.stage("csv_rows_csv"), run.stage("csv_rows_records")
    (tmp_path / "desk.csv").unlink()
    (tmp_path / "lost.csv").write_text("番号,題\n1,鍵\n")
    run.stage("csv_rows_csv"), run.stage("csv_rows_records")
    found = staleness(run.home, "csv_rows")
    (failed,), (unread,) = found.failed, found.unread
    assert (failed.key, failed.is_served, unread.key, unread.is_served) == ("desk", True, "lost", True)
    assert found.undated == ("csv_rows/desk/2", "csv_rows/lost/2")
    assert found.as_of == {(2025, 4): 2}
