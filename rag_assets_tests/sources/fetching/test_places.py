import os
from email.utils import formatdate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.fetching.crawl import fetch, place_at
from rag_assets.sources.fetching.places import FetchError, FolderPlace, check_path
from rag_assets.sources.fetching.web import WebPlace


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret.htm").write_text("secret")
    pages = tmp_path / "site" / "taxes"
    pages.mkdir(parents=True)
    (pages / "a.htm").write_bytes(b"page a")
    (pages / "所得.htm").write_bytes(b"page b")
    (pages / "empty.htm").touch()
    return tmp_path / "site"


def test_url_path_is_file_path(site: Path) -> None:
    os.utime(site / "taxes/a.htm", (1_700_000_000, 1_700_000_000))
    reply = FolderPlace(site).get("/taxes/a.htm#top")
    assert (reply.status, reply.body) == (200, b"page a")
    assert reply.final_url == (site / "taxes/a.htm").as_uri()
    assert reply.last_modified == formatdate(1_700_000_000, usegmt=True)
    assert FolderPlace(site).get("/taxes/%E6%89%80%E5%BE%97.htm").body == b"page b"


@pytest.mark.parametrize("path", ["/taxes/none.htm", "/taxes", "/taxes/", "/taxes/a.htm/b.htm"])
def test_what_is_no_file_is_not_found(site: Path, path: str) -> None:
    assert FolderPlace(site).get(path).status == 404


def test_empty_file_is_a_fault(site: Path) -> None:
    with pytest.raises(FetchError, match="empty"):
        FolderPlace(site).get("/taxes/empty.htm")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.htm",
        "/taxes/../../secret.htm",
        "/%2e%2e/secret.htm",
        "/..%2fsecret.htm",
        "/..\\secret.htm",
        "secret.htm",
        "",
        "/a\0b",
        "/%00",
        "http://127.0.0.1/",
    ],
)
def test_paths_out_of_the_root_are_refused_by_every_place(site: Path, path: str) -> None:
    for place in (FolderPlace(site), WebPlace("http://127.0.0.1:9")):
        with pytest.raises(FetchError, match="path"):
            place.get(path)


@given(st.text(st.sampled_from("/.%2efFcC\\a#?"), max_size=20))
def test_no_path_leads_out(path: str) -> None:
    root = Path("/root/of/site")
    place = object.__new__(FolderPlace)
    place._root = root
    try:
        file = place._file("/" + path)
    except FetchError:
        return
    assert Path(os.path.normpath(file)).is_relative_to(root)


def test_two_slashes_are_no_host(site: Path) -> None:
    assert check_path("//taxes/a.htm") == "//taxes/a.htm"
    assert FolderPlace(site).get("//taxes/a.htm").body == b"page a"


def test_a_setting_names_a_site_or_a_folder(site: Path) -> None:
    assert isinstance(place_at("https://example.jp/"), WebPlace)
    assert place_at("https://example.jp/").url_of("/a.htm") == "https://example.jp/a.htm"
    assert place_at(str(site)).location == str(site)
    with pytest.raises(ValueError, match="no such folder"):
        place_at(site / "none")
    for wrong in ("ftp://example.jp", "https://", "https://u:p@example.jp", "https://x?q", "http://x:99999"):
        with pytest.raises(ValueError, match=wrong.replace("u:p@", "").removesuffix("?q")):
            place_at(wrong)


def test_fetch_gives_a_page_or_says_which_address_has_none(site: Path) -> None:
    place = FolderPlace(site)
    assert fetch(place, "/taxes/a.htm").body == b"page a"
    with pytest.raises(FetchError, match=r"file:.*/taxes/none\.htm.*404"):
        fetch(place, "/taxes/none.htm")
    with pytest.raises(FetchError, match=r"file:.*empty\.htm"):
        fetch(place, "/taxes/empty.htm")
