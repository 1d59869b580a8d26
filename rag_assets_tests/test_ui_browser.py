"""The Dagster UI over a home folder, in a browser: assets by group, a page to read, a partition made by hand."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rag_assets_tests.command_line import REPOSITORY, command, environment, sample_run

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE_MS = 30_000

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on the PATH"),
]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def is_up(address: str) -> bool:
    try:
        with urlopen(f"{address}/server_info", timeout=1):
            return True
    except (URLError, OSError):
        return False


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's home, our own copy: the UI writes into it."""
    copy = tmp_path_factory.mktemp("ui") / "home"
    shutil.copytree(sample_run(tmp_path_factory).home, copy)
    return copy


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    port = free_port()
    running = subprocess.Popen(
        command("ui", "--home", home, "--variants", "raw,prepared_400", "--port", str(port)),
        cwd=REPOSITORY,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 120
    try:
        while not is_up(url):
            assert running.poll() is None, "the UI ended by itself"
            assert time.monotonic() < until, "the UI did not come up"
            time.sleep(0.2)
        yield url
    finally:
        os.killpg(running.pid, signal.SIGINT)
        try:
            running.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page; at the end it must have asked nobody else for anything."""
    opened = browser.new_page(viewport={"width": 1500, "height": 1100})
    opened.set_default_timeout(PATIENCE_MS)
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    assert [url for url in asked if not re.match(r"(https?|ws)://127\.0\.0\.1[:/]|data:|blob:", url)] == []
    opened.close()


def sees(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible(timeout=PATIENCE_MS)


def the_catalog_lists_every_asset_with_its_group(page: Page, address: str) -> None:
    page.goto(f"{address}/assets")
    for name in ("tax_answer_pages", "tax_answer_records", "chunks", "corpus_files", "retrieval_report"):
        sees(page, name)
    for group in ("sources", "records", "corpus", "evaluation"):
        expect(page.get_by_role("link", name=f"asset_group {group}").first).to_be_visible(timeout=PATIENCE_MS)
    # Nothing stands before the page: no invitation, no sign-up.
    expect(page.get_by_role("dialog")).to_have_count(0)


def the_page_of_records_explains_itself(page: Page, address: str) -> None:
    page.goto(f"{address}/assets/tax_answer_records?view=partitions&partition=gensen")
    sees(page, "使用人に食事を支給した場合の取扱い")
    sees(page, "No.2583 交通機関を利用する人の通勤手当")
    page.goto(f"{address}/assets/tax_answer_records?view=overview")
    sees(page, "Tax Answer articles as records")


def the_page_of_corpus_quality_draws_its_picture(page: Page, address: str) -> None:
    page.goto(f"{address}/assets/corpus_quality?view=partitions&partition=raw")
    sees(page, "begins mid-sentence")
    picture = page.get_by_alt_text("characters of a passage")
    expect(picture).to_be_visible(timeout=PATIENCE_MS)
    assert picture.evaluate("image => image.naturalWidth") > 100


def the_page_of_the_report_tells_what_came_out(page: Page, address: str) -> None:
    page.goto(f"{address}/assets/retrieval_report?view=overview")
    sees(page, "MRR")
    sees(page, "report.html")


def a_partition_is_made_by_hand(page: Page, address: str, home: Path) -> None:
    """Also shows that the UI works with the settings of its command line: the variants, and the home."""
    (home / "corpus/prepared_400").rename(home / "taken away")
    page.goto(f"{address}/assets/corpus_files?view=partitions")
    sees(page, "2 Partitions Selected")
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_text("Select a partition").click()
    dialog.get_by_role("menuitem", name="prepared_400").click()
    dialog.get_by_text("Launch runs to materialize").click()
    dialog.get_by_role("button", name=re.compile("^Launch")).click()
    made = home / "corpus/prepared_400"
    until = time.monotonic() + 60
    taken_away = len(list((home / "taken away").rglob("*.txt")))
    while len(list(made.rglob("*.txt"))) < taken_away and time.monotonic() < until:
        page.wait_for_timeout(200)
    assert len(list(made.rglob("*.txt"))) == taken_away
    page.goto(f"{address}/assets/corpus_files?view=partitions&partition=prepared_400")
    sees(page, "View all historical events (2)")
    expect(page.get_by_text("Failed (0)")).to_be_visible(timeout=PATIENCE_MS)
    page.goto(f"{address}/runs")
    expect(page.get_by_text("Success").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text("Failure", exact=True)).to_have_count(0)


def test_the_ui(page: Page, address: str, home: Path) -> None:
    """One test, since the UI takes long to come up and every process that tests would start its own."""
    the_catalog_lists_every_asset_with_its_group(page, address)
    the_page_of_records_explains_itself(page, address)
    the_page_of_corpus_quality_draws_its_picture(page, address)
    the_page_of_the_report_tells_what_came_out(page, address)
    a_partition_is_made_by_hand(page, address, home)
