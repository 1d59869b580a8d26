"""Makes the pictures of the README: the comparison in the report, a question side by side, the lineage in the UI.

`python -m benchmarks.pictures --home DIR` takes a home folder that `run` has made of the sample, and Chromium.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, FloatRect, sync_playwright

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
_PATIENCE_S = 120
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """Write the three pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, metavar="DIR", help="a home folder made of the sample")
    home = parser.parse_args().home.absolute()
    chromium = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if chromium is None:
        print(f"None of {', '.join(_BROWSERS)} is installed.", file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take_report(browser, home / "reports" / "report.html")
        with open_ui(home) as address:
            take_lineage(browser, address)
        browser.close()
    for path in sorted(IMAGES.glob("*.png")):
        print(f"{path.name}: {path.stat().st_size // 1024} kB")
    return 0


def take_report(browser: Browser, report: Path) -> None:
    """The comparison in the report, and its first question opened."""
    page = browser.new_page(viewport={"width": 1300, "height": 800})
    page.goto(f"{report.as_uri()}#comparison")
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "report.png")
    card = page.locator("#question-list .question").first
    card.locator("summary").first.click()
    page.wait_for_timeout(500)
    box = card.evaluate("card => { const box = card.getBoundingClientRect(); return [box.x, box.y + window.scrollY]; }")
    clip: FloatRect = {"x": box[0], "y": box[1], "width": 1236, "height": 760}
    page.screenshot(path=IMAGES / "question.png", clip=clip, full_page=True)
    page.close()


def take_lineage(browser: Browser, address: str) -> None:
    """What the report is made from."""
    page = browser.new_page(viewport={"width": 1600, "height": 900}, device_scale_factor=2)
    page.goto(f"{address}/assets/retrieval_report?view=lineage&lineageScope=upstream&lineageDepth=8")
    page.get_by_text("corpus_quality").first.wait_for(timeout=_PATIENCE_S * 1000)
    page.wait_for_timeout(4000)
    graph: FloatRect = {"x": 670, "y": 280, "width": 500, "height": 610}
    page.screenshot(path=IMAGES / "lineage.png", clip=graph)
    page.close()


@contextmanager
def open_ui(home: Path) -> Iterator[str]:
    """The address of the Dagster UI over the home, while it runs."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = int(listening.getsockname()[1])
    command = [sys.executable, "-m", "rag_assets", "ui", "--home", str(home), "--port", str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + _PATIENCE_S
        while not _is_up(address):
            if running.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the Dagster UI did not come up")
            time.sleep(0.5)
        yield address
    finally:
        os.killpg(running.pid, signal.SIGINT)
        running.wait(timeout=30)


def _is_up(address: str) -> bool:
    try:
        with urlopen(f"{address}/server_info", timeout=1):
            return True
    except (URLError, OSError):
        return False


if __name__ == "__main__":
    raise SystemExit(main())
