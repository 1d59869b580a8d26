import logging
import socket
import threading
import traceback
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rag_assets import __version__
from rag_assets.sources.fetching.places import FetchError, Validators
from rag_assets.sources.fetching.web import WebOptions, WebPlace
from rag_assets_tests.http_server import Answer, ScriptedServer, page, redirect, serving
from rag_assets_tests.sources.fetching.fake_clock import START, FakeClock


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serving() as server:
        yield server


@pytest.fixture
def time() -> FakeClock:
    return FakeClock()


def _place(server: ScriptedServer, time: FakeClock, **options: Any) -> WebPlace:
    return WebPlace(server.url, WebOptions(**options), time.clock())


def _failure(place: WebPlace, path: str) -> str:
    with pytest.raises(FetchError) as caught:
        place.get(path)
    return caught.value.reason


@pytest.mark.parametrize("status", [403, 503])
def test_what_a_server_repeats_of_the_address_is_not_told(status: int, time: FakeClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answer = f"HTTP/1.1 {status} No /a.csv?token=SECRET for you\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        def reply() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer.encode())

        thread = threading.Thread(target=reply, daemon=True)
        thread.start()
        place = WebPlace(f"http://127.0.0.1:{listening.getsockname()[1]}", WebOptions(attempts=1), time.clock())
        told = _failure(place, "/a.csv?token=SECRET")
    assert "SECRET" not in told
    assert f"HTTP {status} No" in told


def test_page_comes_with_its_headers(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/a.htm", page("本文", ETag='"1"', Last_Modified="Wed, 01 Apr 2026 00:00:00 GMT"))
    reply = _place(server, time, contact="ops@example.jp").get("/a.htm#part")
    assert reply.body.decode() == "本文"
    assert reply.content_type == "text/html; charset=utf-8"
    assert (reply.etag, reply.last_modified) == ('"1"', "Wed, 01 Apr 2026 00:00:00 GMT")
    assert reply.url == reply.final_url == f"{server.url}/a.htm"
    agents = {request.headers["user-agent"] for request in server.requests}
    assert agents == {f"rag_assets/{__version__} (+ops@example.jp)"}


def test_contact_must_fit_a_header() -> None:
    assert WebOptions().user_agent == f"rag_assets/{__version__}"
    for wrong in ("a\r\nX: y", "税務課"):
        with pytest.raises(ValidationError, match="contact"):
            WebOptions(contact=wrong)


def test_chunked_and_empty_and_large_bodies(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/chunked", Answer(body=b"whole", chunked=True))
    server.on("/empty", Answer())
    server.on("/large", Answer(body=b"x" * 1001))
    place = _place(server, time, max_bytes=1000)
    assert place.get("/chunked").body == b"whole"
    assert "empty body" in _failure(place, "/empty")
    assert "max_bytes = 1000" in _failure(place, "/large")
    assert server.count("/large") == 1


def test_not_found_is_an_answer_and_other_refusals_are_not(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/gone", Answer(status=410, body=b"gone"))
    server.on("/forbidden", Answer(status=403))
    place = _place(server, time)
    assert place.get("/none").status == 404
    assert place.get("/gone").body == b"gone"
    assert _failure(place, "/forbidden") == "HTTP 403 Forbidden"
    assert server.count("/forbidden") == 1


def test_unchanged(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/a", page("a", ETag='"1"', Last_Modified="yesterday"))
    place = _place(server, time)
    assert place.get("/a", Validators(f"{server.url}/a", '"1"')).status == 304
    assert place.get("/a", Validators(f"{server.url}/a", '"0"', "yesterday")).status == 304
    assert place.get("/a", Validators(f"{server.url}/a", '"0"')).status == 200
    assert place.get("/a", Validators(f"{server.url}/elsewhere", '"1"')).status == 200
    server.on("/b", Answer(status=304))
    assert "HTTP 304" in _failure(place, "/b")


def test_interval_is_kept_between_all_requests(server: ScriptedServer, time: FakeClock) -> None:
    for name in "abc":
        server.on(f"/{name}", page(name))
    place = _place(server, time, interval_seconds=1.5)
    for name in "abc":
        place.get(f"/{name}")
    # robots.txt is a request too; the first of all waits for nothing.
    assert time.slept == [1.5, 1.5, 1.5]
    time.elapsed += 1.0
    place.get("/a")
    assert time.slept[3:] == [0.5]


def test_real_clock_keeps_the_interval(server: ScriptedServer) -> None:
    server.on("/a", page("a"))
    place = WebPlace(server.url, WebOptions(interval_seconds=0.1))
    place.get("/a")
    place.get("/a")
    times = [request.at for request in server.requests]
    assert all(later - earlier >= 0.09 for earlier, later in pairwise(times))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_passing_faults_are_tried_again_with_growing_waits(
    server: ScriptedServer, time: FakeClock, status: int
) -> None:
    server.on("/a", Answer(status=status), Answer(status=status), Answer(status=status), page("a"))
    assert _place(server, time, interval_seconds=0).get("/a").body == b"a"
    assert server.count("/a") == 4
    assert [1 <= time.slept[0] <= 2, 2 <= time.slept[1] <= 3, 4 <= time.slept[2] <= 5] == [True] * 3


def test_attempts_end(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/a", Answer(status=500))
    assert _failure(_place(server, time, attempts=3), "/a") == "HTTP 500 Internal Server Error (after 3 attempts)"
    assert server.count("/a") == 3


def test_retry_after_in_seconds(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/a", Answer(status=429, headers={"Retry-After": "77"}), page("a"))
    _place(server, time).get("/a")
    assert time.elapsed >= 77


def test_retry_after_as_a_date(server: ScriptedServer, time: FakeClock) -> None:
    at = format_datetime(START + timedelta(seconds=77), usegmt=True)
    server.on("/a", Answer(status=503, headers={"Retry-After": at}), page("a"))
    _place(server, time).get("/a")
    assert 77 <= time.elapsed < 78


@pytest.mark.parametrize("value", ["", "soon", "-5", "Thu, 01 Jan 1970 00:00:00 GMT", "1.5", "２"])
def test_retry_after_that_says_nothing_useful(server: ScriptedServer, time: FakeClock, value: str) -> None:
    server.on("/a", Answer(status=503, headers={"Retry-After": value.encode().decode("latin-1")}), page("a"))
    assert _place(server, time).get("/a").body == b"a"
    assert time.elapsed < 10


def test_retry_after_too_long_fails_and_the_site_is_left_alone(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/a", Answer(status=429, headers={"Retry-After": "3600"}))
    server.on("/b", page("b"))
    place = _place(server, time, max_wait_seconds=60)
    assert "3600 s, more than max_wait_seconds = 60" in _failure(place, "/a")
    assert "left alone for another" in _failure(place, "/b")
    assert (server.count("/a"), server.count("/b")) == (1, 0)
    time.elapsed += 3600
    assert place.get("/b").body == b"b"


@pytest.mark.parametrize(
    "short",
    [
        Answer(body=b"half a page", claimed_length=1000),
        Answer(body=b"half a page", chunked=True, broken=True),
        Answer(body=b"not gzip at all", headers={"Content-Encoding": "gzip"}),
    ],
)
def test_truncated_body_is_tried_again_and_never_passes(server: ScriptedServer, time: FakeClock, short: Answer) -> None:
    server.on("/mended", short, page("whole page"))
    server.on("/short", short)
    place = _place(server, time, attempts=2)
    assert place.get("/mended").body == b"whole page"
    assert "body" in _failure(place, "/short")
    assert server.count("/short") == 2


def test_slow_answers(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/late", Answer(body=b"late", delay=0.3), page("in time"))
    server.on("/never", Answer(body=b"late", delay=0.3))
    server.on("/stalls", Answer(body=b"xy", trickle=0.3))
    place = _place(server, time, read_timeout_seconds=0.1, attempts=2)
    assert place.get("/late").body == b"in time"
    assert _failure(place, "/never") == "no answer within 0.1 s (after 2 attempts)"
    assert "stalled for 0.1 s" in _failure(place, "/stalls")


def test_trickle_ends(server: ScriptedServer) -> None:
    server.on("/trickle", Answer(body=b"x" * 100, trickle=0.02))
    place = WebPlace(server.url, WebOptions(interval_seconds=0, attempts=1, total_timeout_seconds=0.2))
    assert "not complete within 0.2 s" in _failure(place, "/trickle")


def test_unreachable_site(time: FakeClock) -> None:
    with serving() as server:
        server.on("/a", page("a"))
        place = _place(server, time, attempts=2)
        place.get("/a")
    for _ in range(3):
        assert "cannot connect: [Errno 111] Connection refused (after 2 attempts)" in _failure(place, "/a")
    waited = time.elapsed
    assert "not tried" in _failure(place, "/a")
    assert time.elapsed == waited


def test_redirects_on_the_same_host_are_followed(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/old", redirect("new?x=1", 301))
    server.on("/new?x=1", redirect("/newest#part", 307))
    server.on("/newest", page("here", ETag='"1"'))
    place = _place(server, time)
    reply = place.get("/old")
    assert (reply.url, reply.final_url) == (f"{server.url}/old", f"{server.url}/newest")
    assert reply.body == b"here"
    assert place.get("/old", Validators(f"{server.url}/newest", '"1"')).status == 304


def test_redirects_elsewhere_round_and_to_nowhere_are_not(server: ScriptedServer, time: FakeClock) -> None:
    with serving() as other:
        other.on("/", page("other"))
        server.on("/away", redirect(f"{other.url}/"))
        server.on("/round", redirect("/round"))
        server.on("/nowhere", Answer(status=302))
        server.on("/port", redirect("http://127.0.0.1:port/"))
        server.on("/bracket", redirect("http://[/"))
        place = _place(server, time)
        assert f"another host, which is not followed: {other.url}/" in _failure(place, "/away")
        assert "5 redirects" in _failure(place, "/round")
        assert "without a Location" in _failure(place, "/nowhere")
        assert "redirected to" in _failure(place, "/port")
        assert "redirected to no address" in _failure(place, "/bracket")
        assert other.requests == []
        assert server.count("/round") == 6


def test_redirects_carry_no_credentials(
    server: ScriptedServer, time: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login bob password SECRET\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving() as other:
        told = {"Location": f"{other.url}/robots.txt", "Set-Cookie": "session=SECRET; Path=/"}
        server.on("/robots.txt", Answer(status=302, headers=told))
        server.on("/a?token=SECRET", redirect("/b"))
        server.on("/b", page("b"))
        assert _place(server, time).get("/a?token=SECRET").body == b"b"
        (robots,) = other.requests
    for request in (robots, *server.asked("/b")):
        assert "SECRET" not in request.path
        assert not {"authorization", "referer"} & request.headers.keys()
    assert "cookie" not in robots.headers


@pytest.mark.parametrize("user", ["bob:SECRET@", "SECRET@"])
def test_a_redirect_to_a_user_is_not_followed(server: ScriptedServer, time: FakeClock, user: str) -> None:
    server.on("/a", redirect(f"{server.url.replace('//', f'//{user}')}/b?token=SECRET"))
    told = _failure(_place(server, time), "/a")
    assert "user or password, which is not followed" in told
    assert f"{server.url}/b?…" in told
    assert "SECRET" not in told
    assert server.count("/b?token=SECRET") == 0


def test_no_failure_tells_a_query_nor_has_a_cause_that_does(server: ScriptedServer, time: FakeClock) -> None:
    path = "/a?token=SECRET"
    server.on("/loop?token=SECRET", redirect("/loop?token=SECRET"))
    server.on("/away?token=SECRET", redirect("https://files.example.jp/d?sig=SECRET"))
    server.on("/short?token=SECRET", Answer(body=b"short", claimed_length=99))
    server.on("/broken?token=SECRET", Answer(body=b"no gzip", headers={"Content-Encoding": "gzip"}))
    secure = WebPlace(server.url.replace("http:", "https:"), WebOptions(attempts=1), time.clock())
    unreachable = WebPlace("http://127.0.0.1:1", WebOptions(attempts=1), time.clock())
    here = _place(server, time, attempts=1)
    asked = [(secure, path), (unreachable, path), (here, path.removeprefix("/")), (here, f"/../{path}")]
    asked += [(here, f"/{name}?token=SECRET") for name in ("loop", "away", "short", "broken")]
    for place, each in asked:
        with pytest.raises(FetchError) as caught:
            place.get(each)
        assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_what_the_libraries_log_of_a_request_has_no_query(
    server: ScriptedServer, time: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.on("/a?token=SECRET", page("a"))
    _place(server, time).get("/a?token=SECRET")
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("urllib3")]
    assert any("/a?…" in line for line in logged)
    assert "SECRET" not in "".join(logged)


def test_validators_go_to_the_same_document_only(server: ScriptedServer, time: FakeClock) -> None:
    for query in ("id=3&sig=one", "id=3&sig=two", "id=4&sig=two"):
        server.on(f"/a?{query}", page("a", ETag='"1"'))
    place = _place(server, time)
    first = place.get("/a?id=3&sig=one")
    known = Validators(first.final_url, first.etag)
    assert "id=3" not in first.final_url
    assert [place.get(f"/a?{query}", known).status for query in ("id=3&sig=two", "id=4&sig=two")] == [304, 200]


def test_robots_rules(server: ScriptedServer, time: FakeClock) -> None:
    server.on(
        "/robots.txt",
        Answer(body=b"User-agent: *\nDisallow: /\n\nUser-agent: rag_assets\nDisallow: /private/\n"),
    )
    server.on("/a", page("a"))
    server.on("/to-private", redirect("/private/a"))
    place = _place(server, time)
    assert place.get("/a").body == b"a"
    for path in ("/private/a", "/to-private"):
        with pytest.raises(FetchError, match=r"refused by robots\.txt") as caught:
            place.get(path)
        assert caught.value.refused
    assert (server.count("/robots.txt"), server.count("/private/a")) == (1, 0)


def test_robots_for_everybody_else_does_not_bind(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/robots.txt", Answer(body=b"User-agent: otherbot\nDisallow: /\n"))
    server.on("/a", page("a"))
    assert _place(server, time).get("/a").body == b"a"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_no_robots_file_allows_all(server: ScriptedServer, time: FakeClock, status: int) -> None:
    server.on("/robots.txt", Answer(status=status, body=b"User-agent: *\nDisallow: /"))
    server.on("/a", page("a"))
    assert _place(server, time).get("/a").body == b"a"


def test_unreadable_robots_file_forbids_all(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/robots.txt", Answer(status=503))
    server.on("/a", page("a"))
    place = _place(server, time, attempts=2)
    for _ in range(2):
        assert "robots.txt could not be read (HTTP 503" in _failure(place, "/a")
    assert (server.count("/robots.txt"), server.count("/a")) == (2, 0)


def test_robots_file_may_be_redirected_to_another_host(server: ScriptedServer, time: FakeClock) -> None:
    with serving() as other:
        other.on("/rules", Answer(body=b"User-agent: *\nDisallow: /a\n"))
        server.on("/robots.txt", redirect(f"{other.url}/rules"))
        assert "refused by robots.txt" in _failure(_place(server, time), "/a")


def test_crawl_delay_counts_where_it_is_longer(server: ScriptedServer, time: FakeClock) -> None:
    server.on("/robots.txt", Answer(body=b"User-agent: *\nCrawl-delay: 7\n"))
    server.on("/a", page("a"))
    place = _place(server, time)
    place.get("/a")
    place.get("/a")
    assert time.slept == [7, 7]
    patient = _place(server, FakeClock(), interval_seconds=9)
    patient.get("/a")
    assert patient._interval == 9
    assert "7 s between requests" in _failure(_place(server, time, max_wait_seconds=5), "/a")
