import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rag_assets.clock import Clock
from rag_assets.japanese.encodings import decode_html
from rag_assets.sources.fetching.crawl import CrawlResult, crawl, place_at
from rag_assets.sources.fetching.manifest import FetchEntry, open_manifest, read_manifest
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.fetching.places import FetchPlace, FolderPlace, Reply
from rag_assets.sources.fetching.web import WebOptions, WebPlace
from rag_assets_tests.http_server import Answer, Request, ScriptedServer, page, redirect, serving

REALDATA = Path(__file__).resolve().parents[3] / "../shared/realdata"
ERROR_PAGE = "指定されたページを表示できませんでした"
KEYS = ("1000", "1100", "1200")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serving() as server:
        for key in KEYS:
            server.on(f"/{key}.htm", page(f"article {key}", ETag=f'"{key}"'))
        yield server


def _targets(*keys: str) -> list[tuple[str, str]]:
    return [(key, f"/{key}.htm") for key in keys]


def _is_error_page(reply: Reply) -> bool:
    return reply.status == 200 and ERROR_PAGE in decode_html(reply.body, reply.content_type).text


class Crawler:
    """One manifest and one store, crawled again and again."""

    def __init__(self, home: Path, place: FetchPlace) -> None:
        self.home = home
        self.place = place
        self.path = home / "manifest.jsonl"
        self.store = FetchedObjects(home)

    def __call__(self, *keys: str, **options: Any) -> CrawlResult:
        with open_manifest(self.path) as manifest:
            return crawl(self.place, _targets(*keys), manifest, self.store, is_withdrawn=_is_error_page, **options)

    @property
    def entries(self) -> dict[str, FetchEntry]:
        return read_manifest(self.path)

    def text(self, key: str) -> str:
        sha256 = self.entries[key].sha256
        assert sha256 is not None
        return self.store.get(sha256).decode()


def _quick(server: ScriptedServer, **options: Any) -> WebPlace:
    return WebPlace(server.url, WebOptions(interval_seconds=0, backoff_seconds=0, attempts=2, **options))


@pytest.fixture
def crawler(tmp_path: Path, server: ScriptedServer) -> Crawler:
    return Crawler(tmp_path / "home", _quick(server))


def test_first_crawl_fetches_and_second_asks_conditionally(crawler: Crawler, server: ScriptedServer) -> None:
    assert crawler(*KEYS) == CrawlResult(fetched=KEYS)
    first = crawler.entries
    assert [crawler.text(key) for key in KEYS] == [f"article {key}" for key in KEYS]
    assert crawler(*KEYS) == CrawlResult(unchanged=KEYS)
    second = crawler.entries
    for key in KEYS:
        assert [request.headers.get("if-none-match") for request in server.asked(f"/{key}.htm")] == [
            None,
            f'"{key}"',
        ]
        assert second[key].sha256 == first[key].sha256
        assert second[key].fetched_at == first[key].fetched_at
        assert second[key].checked_at > first[key].checked_at
        assert second[key].content_type == "text/html; charset=utf-8"


def test_changed_page_and_page_without_validators(crawler: Crawler, server: ScriptedServer) -> None:
    server.on("/1100.htm", page("plain"))
    crawler(*KEYS)
    server.on("/1000.htm", page("new words", ETag='"2"'))
    assert crawler(*KEYS) == CrawlResult(fetched=("1000",), unchanged=("1100", "1200"))
    assert crawler.text("1000") == "new words"
    assert crawler.entries["1000"].etag == '"2"'


def test_conditions_are_sent_only_for_bytes_that_are_intact(crawler: Crawler, server: ScriptedServer) -> None:
    crawler(*KEYS)
    damaged, missing, _ = (crawler.store.path_of(crawler.entries[key].sha256 or "") for key in KEYS)
    damaged.write_bytes(b"article 1OOO")
    missing.unlink()
    assert crawler(*KEYS) == CrawlResult(fetched=("1000", "1100"), unchanged=("1200",))
    assert [crawler.text(key) for key in KEYS] == [f"article {key}" for key in KEYS]


def test_one_bad_page_loses_no_other_and_keeps_its_earlier_bytes(crawler: Crawler, server: ScriptedServer) -> None:
    crawler(*KEYS)
    server.on("/1000.htm", Answer(status=500))
    server.on("/1100.htm", Answer(body=b"artic", claimed_length=12))
    server.on("/1300.htm", Answer(status=404))
    result = crawler(*KEYS, "1300", "../1400")
    assert result.unchanged == ("1200",)
    assert result.failed == {
        "1000": f"{server.url}/1000.htm: HTTP 500 Internal Server Error (after 2 attempts)",
        "1100": f"{server.url}/1100.htm: body cut short after 5 bytes (after 2 attempts)",
        "1300": f"{server.url}/1300.htm: there is no such page (HTTP 404)",
        "../1400": "/../1400.htm: path refused, it may lead out of the site: '/../1400.htm'",
    }
    entries = crawler.entries
    assert entries["1000"].outcome == "failed"
    assert (crawler.text("1000"), crawler.text("1100")) == ("article 1000", "article 1100")
    assert entries["1300"].sha256 is None
    server.on("/1000.htm", page("article 1000", ETag='"1000"'))
    assert crawler("1000", "1200").unchanged == ("1000", "1200")
    assert server.asked("/1000.htm")[-1].headers["if-none-match"] == '"1000"'


def test_500_then_200_is_no_failure(crawler: Crawler, server: ScriptedServer) -> None:
    server.on("/1000.htm", Answer(status=500), page("after all"))
    assert crawler("1000") == CrawlResult(fetched=("1000",))


def test_refused_by_robots(crawler: Crawler, server: ScriptedServer) -> None:
    server.on("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /1100\n"))
    result = crawler(*KEYS)
    assert result.fetched == ("1000", "1200")
    assert result.failed == {"1100": f"{server.url}/1100.htm: refused by robots.txt"}
    assert crawler.entries["1100"].outcome == "refused"


@pytest.mark.parametrize("way", ["page", "redirect"])
def test_error_page_is_a_withdrawn_article(crawler: Crawler, server: ScriptedServer, way: str) -> None:
    crawler(*KEYS)
    # As the real site does: in Shift_JIS, whatever the header says.
    error = Answer(body=ERROR_PAGE.encode("cp932"), headers={"Content-Type": "text/html; charset=utf-8"})
    server.on("/error.htm", error)
    server.on("/1100.htm", redirect("/error.htm") if way == "redirect" else error)
    for _ in range(2):
        assert crawler(*KEYS) == CrawlResult(unchanged=("1000", "1200"), withdrawn=("1100",))
        entry = crawler.entries["1100"]
        assert (entry.sha256, entry.outcome) == (None, "withdrawn")
    server.on("/1100.htm", Answer(status=500))
    crawler(*KEYS)
    assert crawler.entries["1100"].sha256 is None
    server.on("/1100.htm", page("back again"))
    assert crawler(*KEYS).fetched == ("1100",)


def test_unchanged_bytes_are_judged_anew(crawler: Crawler, server: ScriptedServer) -> None:
    crawler(*KEYS)
    with open_manifest(crawler.path) as manifest:
        result = crawl(
            crawler.place, _targets(*KEYS), manifest, crawler.store, is_withdrawn=lambda r: b"1100" in r.body
        )
    assert result.withdrawn == ("1100",)


def test_a_404_is_withdrawn_where_the_source_says_so(crawler: Crawler) -> None:
    with open_manifest(crawler.path) as manifest:
        result = crawl(crawler.place, _targets("9999"), manifest, crawler.store, is_withdrawn=lambda r: r.status == 404)
    assert result == CrawlResult(withdrawn=("9999",))


def test_new_and_delisted_articles(crawler: Crawler, server: ScriptedServer) -> None:
    crawler("1000", "1100")
    assert crawler("1100", "1200") == CrawlResult(fetched=("1200",), unchanged=("1100",), delisted=("1000",))
    assert crawler.entries["1000"].outcome == "delisted"
    assert crawler.entries["1000"].sha256 is None
    assert crawler("1100", "1200").delisted == ()
    assert crawler() == CrawlResult()
    assert crawler.entries["1100"].sha256 is not None
    assert crawler(*KEYS).fetched == ("1000",)


def test_only_forces_these_and_touches_no_other(crawler: Crawler, server: ScriptedServer) -> None:
    crawler(*KEYS)
    server.forget()
    result = crawler("1000", "1100", only=["1100", "7777"])
    assert result == CrawlResult(unchanged=("1100",))
    assert [request.path for request in server.requests] == ["/1100.htm"]
    assert "if-none-match" not in server.requests[0].headers
    assert crawler.entries["1200"].sha256 is not None


def test_repeated_targets_are_one_and_contradictions_are_told(crawler: Crawler, server: ScriptedServer) -> None:
    crawler("1000", "1000")
    assert server.count("/1000.htm") == 1
    with open_manifest(crawler.path) as manifest, pytest.raises(ValueError, match="1000 is listed at two"):
        crawl(crawler.place, [("1000", "/a"), ("1000", "/b")], manifest, crawler.store)


def test_progress(crawler: Crawler, server: ScriptedServer) -> None:
    server.on("/1100.htm", Answer(status=403))
    seen: list[tuple[int, int, str, str]] = []
    crawler(*KEYS, on_progress=lambda *step: seen.append(step))
    assert seen == [(1, 3, "1000", "fetched"), (2, 3, "1100", "failed"), (3, 3, "1200", "fetched")]


class _StopError(Exception):
    pass


def _stop_after(key: str) -> Any:
    def stop(done: int, total: int, at: str, outcome: str) -> None:
        if at == key:
            raise _StopError

    return stop


def test_broken_off_crawl_goes_on_where_it_stopped(crawler: Crawler, server: ScriptedServer) -> None:
    server.on("/1000.htm", Answer(status=403), page("late"))
    with pytest.raises(_StopError):
        crawler(*KEYS, on_progress=_stop_after("1100"))
    server.forget()
    result = crawler(*KEYS)
    assert result == CrawlResult(fetched=KEYS, resumed=("1100",))
    assert [request.path for request in server.requests] == ["/1000.htm", "/1200.htm"]
    assert crawler(*KEYS).resumed == ()


def test_broken_off_crawl_asks_again_for_bytes_that_are_lost(crawler: Crawler, server: ScriptedServer) -> None:
    with pytest.raises(_StopError):
        crawler(*KEYS, on_progress=_stop_after("1100"))
    crawler.store.path_of(crawler.entries["1000"].sha256 or "").unlink()
    assert crawler(*KEYS) == CrawlResult(fetched=KEYS, resumed=("1100",))


def test_page_that_moved_is_fetched_from_its_new_address(crawler: Crawler, server: ScriptedServer) -> None:
    def visit(path: str, **options: Any) -> CrawlResult:
        with open_manifest(crawler.path) as manifest:
            return crawl(crawler.place, [("1000", path)], manifest, crawler.store, **options)

    with pytest.raises(_StopError):
        visit("/1000.htm", on_progress=_stop_after("1000"))
    server.on("/moved.htm", Answer(status=500), Answer(status=500), page("moved", ETag='"1000"'))
    failed = visit("/moved.htm")
    assert list(failed.failed) == ["1000"]
    # The old address's validators, sent to the new one, would make it pass for unchanged.
    assert visit("/moved.htm") == CrawlResult(fetched=("1000",))
    assert crawler.text("1000") == "moved"


def test_304_without_headers_keeps_what_is_known(crawler: Crawler, server: ScriptedServer) -> None:
    crawler("1000")
    server.on("/1000.htm", Answer(status=304, headers={"Content-Type": "text/plain"}))
    assert crawler("1000").unchanged == ("1000",)
    entry = crawler.entries["1000"]
    assert (entry.etag, entry.content_type) == ('"1000"', "text/html; charset=utf-8")


def test_failure_without_bytes_promises_none(crawler: Crawler, server: ScriptedServer) -> None:
    crawler("1000")
    crawler.store.path_of(crawler.entries["1000"].sha256 or "").unlink()
    server.on("/1000.htm", Answer(status=500))
    crawler("1000")
    assert crawler.entries["1000"].sha256 is None


def test_delisting_survives_a_break(crawler: Crawler, server: ScriptedServer) -> None:
    crawler(*KEYS)
    with pytest.raises(_StopError):
        crawler("1000", "1100", on_progress=_stop_after("1000"))
    assert crawler.entries["1200"].outcome == "fetched"
    result = crawler("1000", "1100")
    assert (result.resumed, result.delisted) == (("1000",), ("1200",))


def test_old_or_foreign_break_begins_anew(crawler: Crawler, server: ScriptedServer, tmp_path: Path) -> None:
    long_ago = Clock(now=lambda: datetime.now(UTC) - timedelta(hours=25))
    with pytest.raises(_StopError):
        crawler(*KEYS, on_progress=_stop_after("1100"), clock=long_ago)
    result = crawler(*KEYS)
    assert result == CrawlResult(fetched=("1200",), unchanged=("1000", "1100"))
    with pytest.raises(_StopError):
        crawler(*KEYS, on_progress=_stop_after("1100"))
    assert crawler(*KEYS, resume_within=timedelta(0)).resumed == ()
    with pytest.raises(_StopError):
        crawler(*KEYS, on_progress=_stop_after("1100"))
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "1000.htm").write_text("from the folder")
    crawler.place = FolderPlace(folder)
    result = crawler("1000", "1100")
    assert (result.fetched, list(result.failed), result.resumed) == (("1000",), ["1100"], ())
    # What the other place once said of 1100 is no answer of this one.
    assert crawler.entries["1100"].sha256 is None


KILLED = """
import sys
from pathlib import Path
from rag_assets.sources.fetching.crawl import crawl
from rag_assets.sources.fetching.manifest import open_manifest
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.fetching.web import WebOptions, WebPlace

url, home = sys.argv[1], Path(sys.argv[2])
with open_manifest(home / "manifest.jsonl") as manifest:
    place = WebPlace(url, WebOptions(interval_seconds=0))
    crawl(place, [(str(n), f"/{n}.htm") for n in range(20)], manifest, FetchedObjects(home))
"""


def test_killed_process_is_resumed_without_fetching_twice(server: ScriptedServer, tmp_path: Path) -> None:
    asked, released = threading.Event(), threading.Event()

    def hang(request: Request) -> Answer:
        asked.set()
        released.wait(5)
        return page("12")

    for number in range(20):
        server.on(f"/{number}.htm", page(f"{number}"))
    server.script("/12.htm", hang)
    with subprocess.Popen([sys.executable, "-c", KILLED, server.url, str(tmp_path)]) as process:
        assert asked.wait(20)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    released.set()
    crawler = Crawler(tmp_path, _quick(server))
    keys = tuple(str(number) for number in range(20))
    assert crawler(*keys) == CrawlResult(fetched=keys, resumed=keys[:12])
    assert {key: server.count(f"/{key}.htm") for key in keys} == dict.fromkeys(keys, 1) | {"12": 2}
    assert [crawler.text(key) for key in keys] == list(keys)


def test_folder_is_crawled_like_a_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for key in KEYS:
        (site / f"{key}.htm").write_text(f"article {key}")
    (site / "1200.htm").write_bytes(ERROR_PAGE.encode("cp932"))
    crawler = Crawler(tmp_path / "home", place_at(site))
    assert crawler(*KEYS) == CrawlResult(fetched=("1000", "1100"), withdrawn=("1200",))
    (site / "1000.htm").write_text("article 1OOO")
    (site / "1100.htm").touch()
    assert crawler(*KEYS) == CrawlResult(fetched=("1000",), unchanged=("1100",), withdrawn=("1200",))
    (site / "1100.htm").unlink()
    assert list(crawler(*KEYS).failed) == ["1100"]
    assert crawler.text("1100") == "article 1100"


@pytest.mark.realdata
def test_whole_real_tree_is_quick_and_quicker_when_nothing_changed(tmp_path: Path) -> None:
    root = REALDATA / "taxanswer_site"
    if not root.is_dir():
        pytest.skip("the real documents are not beside the checkout")
    pages = sorted(root.rglob("*.htm"))
    targets = [(path.stem, "/" + path.relative_to(root).as_posix()) for path in pages if path.stem[0].isdigit()]
    place, store = place_at(root), FetchedObjects(tmp_path)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        with open_manifest(tmp_path / "manifest.jsonl") as manifest:
            result = crawl(
                place,
                targets,
                manifest,
                store,
                is_withdrawn=lambda r: "bodyArea" not in decode_html(r.body).text,
            )
        seconds.append(time.perf_counter() - start)
    assert sorted(result.withdrawn) == ["4512", "5207", "5209", "5435", "5437", "6950"]
    assert len(result.unchanged) == 756
    assert max(seconds) < 3
