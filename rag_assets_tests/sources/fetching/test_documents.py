"""A document from a path or a URL: kept once, told when it changes, an earlier edition kept where it fails."""

from datetime import timedelta
from io import BufferedReader, FileIO
from pathlib import Path

import pytest

from rag_assets.clock import Clock, utc_now
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.fetching.documents import document_entry, fetch_document, forget_others
from rag_assets.sources.fetching.manifest import FetchEntry, open_manifest
from rag_assets.sources.fetching.objects import FetchedObjects, ObjectError
from rag_assets.sources.fetching.web import WebOptions
from rag_assets_tests.http_server import Answer, page, serving

QUICK = WebOptions(interval_seconds=0, attempts=1)


def held(folder: Path, key: str = "doc") -> bytes:
    entry = document_entry(key, folder)
    assert entry is not None
    assert entry.sha256 is not None
    return FetchedObjects(folder).get(entry.sha256)


def test_a_file_is_kept_and_known_again(tmp_path: Path) -> None:
    file, kept = tmp_path / "就業規則 第2版.pdf", tmp_path / "fetched"
    file.write_bytes(b"one")
    first = fetch_document(str(file), "doc", kept)
    second = fetch_document(str(file), "doc", kept)
    file.write_bytes(b"another")
    third = fetch_document(str(file), "doc", kept)
    assert [found.outcome for found in (first, second, third)] == ["fetched", "unchanged", "fetched"]
    assert (first.size, third.size) == (3, 7)
    assert held(kept) == b"another"


def test_a_file_that_is_gone_keeps_its_earlier_edition_and_says_so(tmp_path: Path) -> None:
    file, kept = tmp_path / "a.pdf", tmp_path / "fetched"
    file.write_bytes(b"one")
    fetch_document(str(file), "doc", kept)
    file.unlink()
    found = fetch_document(str(file), "doc", kept)
    assert found.outcome == "failed"
    assert "a.pdf" in found.error
    assert "no such file" in found.error
    assert held(kept) == b"one"


@pytest.mark.parametrize(("content", "reason"), [(b"", "empty"), (None, "cannot be read")])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "a.csv"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    found = fetch_document(str(file), "doc", tmp_path / "fetched")
    assert (found.outcome, found.size) == ("failed", 0)
    assert reason in found.error


def test_a_damaged_copy_is_made_again(tmp_path: Path) -> None:
    file, kept = tmp_path / "a.csv", tmp_path / "fetched"
    file.write_bytes(b"rows")
    fetch_document(str(file), "doc", kept)
    entry = document_entry("doc", kept)
    assert entry is not None
    assert entry.sha256 is not None
    FetchedObjects(kept).path_of(entry.sha256).write_bytes(b"rot")
    with pytest.raises(ObjectError, match="damaged"):
        FetchedObjects(kept).open(entry.sha256)
    fetch_document(str(file), "doc", kept)
    assert held(kept) == b"rows"


def test_a_url_is_asked_conditionally(tmp_path: Path) -> None:
    with serving() as server:
        server.on("/docs/qa.pdf?edition=2", *[page("first", ETag='"1"')] * 2, page("second", ETag='"2"'))
        found = [fetch_document(f"{server.url}/docs/qa.pdf?edition=2", "doc", tmp_path, QUICK) for _ in range(3)]
        asked = [request for request in server.requests if request.path.startswith("/docs")]
    assert [each.outcome for each in found] == ["fetched", "unchanged", "fetched"]
    assert asked[1].headers["if-none-match"] == '"1"'
    assert held(tmp_path) == b"second"


def test_a_url_that_fails_keeps_its_earlier_edition(tmp_path: Path) -> None:
    with serving() as server:
        server.on("/qa.pdf", page("first"), Answer(status=404))
        fetch_document(f"{server.url}/qa.pdf", "doc", tmp_path, QUICK)
        found = fetch_document(f"{server.url}/qa.pdf", "doc", tmp_path, QUICK)
    assert found.outcome == "failed"
    assert "/qa.pdf" in found.error
    assert "404" in found.error
    assert held(tmp_path) == b"first"


def test_another_address_of_the_same_site_is_another_document(tmp_path: Path) -> None:
    with serving() as server:
        server.on("/one.pdf", page("first"))
        fetch_document(f"{server.url}/one.pdf", "doc", tmp_path, QUICK)
        found = fetch_document(f"{server.url}/two.pdf", "doc", tmp_path, QUICK)
    assert found.outcome == "failed"
    entry = document_entry("doc", tmp_path)
    assert entry is not None
    assert entry.sha256 is None


def test_an_address_signed_anew_every_day_is_the_same_document(tmp_path: Path) -> None:
    signed = "/qa.pdf?versionId=7&X-Amz-Date=2026010{}T000000Z&X-Amz-Signature=SECRET{}"
    with serving() as server:
        for day in (1, 2):
            server.on(signed.format(day, day), page("first", ETag='"1"'))
        server.on(signed.format(3, 3), Answer(status=403))
        found = [fetch_document(server.url + signed.format(day, day), "doc", tmp_path, QUICK) for day in (1, 2, 3)]
        assert [each.outcome for each in found] == ["fetched", "unchanged", "failed"]
        (asked,) = server.asked(signed.format(2, 2))
        assert asked.headers["if-none-match"] == '"1"'
        assert found[2].error == f"{server.url}/qa.pdf: HTTP 403 Forbidden"
        other = fetch_document(f"{server.url}/qa.pdf?versionId=8", "doc", tmp_path, QUICK)
    assert (other.outcome, other.size) == ("failed", 0)
    assert "SECRET" not in (tmp_path / "manifest" / "doc.jsonl").read_text()


def test_documents_of_one_path_are_told_apart_by_what_the_settings_let_be_shown(tmp_path: Path) -> None:
    options = QUICK.model_copy(update={"kept_query_parameters": ("id",)})
    with serving() as server:
        server.on("/get?id=3&k=SECRET", page("three"))
        fetch_document(f"{server.url}/get?id=3&k=SECRET", "doc", tmp_path, options)
        entry = document_entry("doc", tmp_path)
    assert entry is not None
    assert entry.url == f"{server.url}/get?id=3"
    assert "SECRET" not in (tmp_path / "manifest" / "doc.jsonl").read_text()


def test_what_an_earlier_version_wrote_of_an_address_is_gone_after_a_visit(tmp_path: Path) -> None:
    with serving() as server:
        server.on("/qa.pdf?token=SECRET", page("first"))
        whole = f"{server.url}/qa.pdf?token=SECRET"
        with open_manifest(tmp_path / "manifest" / "doc.jsonl") as manifest:
            manifest.begin(whole, utc_now())
            manifest.record(FetchEntry(key="doc", url=whole, final_url=whole, checked_at=utc_now(), outcome="fetched"))
        fetch_document(whole, "doc", tmp_path, QUICK)
    assert "SECRET" not in (tmp_path / "manifest" / "doc.jsonl").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>ログイン</body></html>",
        "\ufeff<!DOCTYPE html>\n<p>",
        '<?xml version="1.0"?><!-- x --><HTML lang="ja">',
    ],
)
def test_a_web_page_in_place_of_a_document_is_refused_and_keeps_the_earlier_edition(tmp_path: Path, text: str) -> None:
    with serving() as server:
        server.on("/qa.pdf", page("first"), page(text))
        fetch_document(f"{server.url}/qa.pdf", "doc", tmp_path, QUICK)
        found = fetch_document(f"{server.url}/qa.pdf", "doc", tmp_path, QUICK)
    assert (found.outcome, held(tmp_path)) == ("failed", b"first")
    assert "web page" in found.error


def test_a_document_that_moves_is_the_same_while_its_bytes_are(tmp_path: Path) -> None:
    one, other, kept = tmp_path / "a.pdf", tmp_path / "b.pdf", tmp_path / "fetched"
    one.write_bytes(b"same")
    other.write_bytes(b"same")
    fetch_document(str(one), "doc", kept)
    before = document_entry("doc", kept)
    fetch_document(str(other), "doc", kept)
    after = document_entry("doc", kept)
    assert before is not None
    assert after is not None
    assert (before.sha256, before.url) == (after.sha256, one.as_uri())
    assert after.url == other.as_uri()


def test_a_file_that_is_written_to_while_it_is_read_is_told(tmp_path: Path) -> None:
    class Growing(BufferedReader):
        """Grows whenever it is read from its start."""

        def seek(self, offset: int, whence: int = 0) -> int:
            with path.open("ab") as more:
                more.write(b"more")
            return super().seek(offset, whence)

    path = tmp_path / "a.csv"
    path.write_bytes(b"one")
    with Growing(FileIO(path)) as file, pytest.raises(ObjectError, match="being written to"):
        FetchedObjects(tmp_path / "fetched").put_file(file)
    assert not list((tmp_path / "fetched").glob("objects/*/*"))


def test_earlier_editions_go_after_a_day(tmp_path: Path) -> None:
    file, kept = tmp_path / "a.pdf", tmp_path / "fetched"
    for edition in (b"one", b"two"):
        file.write_bytes(edition)
        fetch_document(str(file), "doc", kept)
    forget_others({"doc"}, kept)
    assert len(list(kept.glob("objects/*/*"))) == 2
    forget_others({"doc"}, kept, Clock(now=lambda: utc_now() + timedelta(days=2)))
    assert held(kept) == b"two"
    assert len(list(kept.glob("objects/*/*"))) == 1


def test_documents_that_are_no_longer_named_are_forgotten(tmp_path: Path) -> None:
    file, kept = tmp_path / "a.pdf", tmp_path / "fetched"
    file.write_bytes(b"one")
    for key in ("old", "new"):
        fetch_document(str(file), key, kept)
    assert forget_others({"new"}, kept) == ["old"]
    assert document_entry("old", kept) is None
    assert document_entry("new", kept) is not None


@pytest.mark.parametrize(
    ("address", "expected"), [("https://example.jp/a.pdf", True), ("data/a.pdf", False), ("C:\\a.pdf", False)]
)
def test_what_is_a_url(address: str, expected: bool) -> None:
    assert is_url(address) is expected
