"""How long preparing takes, and how much memory: fetched pages to the files of all variants.

    python -m benchmarks.prepare --site DIR [--copies 10]

Every figure is of a whole process of its own, with Python's start and everything that Dagster adds: pages are read as
records, cut in all variants, and written with their sidecars. Pages are fetched beforehand, outside the timing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rag_assets.japanese.encodings import decode_html
from rag_assets.settings import load_settings
from rag_assets.settings.places import SAMPLE_SITE
from rag_assets.sources.tax_answer.reader import INDEX_PATH, read_index

_TAX_ANSWER = "taxes/shiraberu/taxanswer"
_FIRST_NUMBER = 1000
"""Copies are numbered from here; article numbers have four digits."""


@dataclass(frozen=True)
class Figures:
    """One process: wall time in seconds, peak resident memory in MiB."""

    seconds: float
    mebibytes: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--site", type=Path, default=SAMPLE_SITE, help="a copy of the site's tree (default: the sample)"
    )
    parser.add_argument("--copies", type=int, default=0, help="measure that many copies of the corpus as well")
    parser.add_argument("--stage", nargs=2, metavar=("STAGES", "HOME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        run_stages(options.stage[0].split(","), Path(options.stage[1]), options.site)
        return
    with tempfile.TemporaryDirectory() as folder:
        first = measure("as it is", options.site, Path(folder) / "one")
        if options.copies:
            copied = Path(folder) / "site"
            copy_site(options.site, copied, options.copies)
            many = measure(f"{options.copies} copies", copied, Path(folder) / "many")
            print(f"{options.copies} copies take {many.seconds / first.seconds:.1f} times as long as one")


def measure(name: str, site: Path, home: Path) -> Figures:
    """Fetch, then prepare twice, and print the figures; those of the first preparation."""
    process("fetch", home, site)
    cold = process("records,files", home, site)
    before = newest_change(home / "corpus")
    again = process("records,files", home, site)
    written = "no file written" if newest_change(home / "corpus") == before else "FILES WERE WRITTEN"
    files = sum(1 for path in (home / "corpus").rglob("*") if path.is_file())
    print(f"{name}: {cold.seconds:.1f} s, {cold.mebibytes:.0f} MiB, {files} files")
    print(f"{name}, again: {again.seconds:.1f} s ({again.seconds / cold.seconds:.0%}), {written}")
    shutil.rmtree(home)
    process("fetch", home, site)
    whole = process("records,prepare", home, site)
    print(f"{name}, with the checks of dictionary and corpus quality: {whole.seconds:.1f} s, {whole.mebibytes:.0f} MiB")
    return cold


def process(stages: str, home: Path, site: Path) -> Figures:
    """Run stages in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.prepare", "--site", str(site), "--stage", stages, str(home)]
    started = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{stages} failed:\n{errors}")
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return Figures(seconds, usage.ru_maxrss / scale)


def run_stages(names: list[str], home: Path, site: Path) -> None:
    """What a measured process does: stages of the chain, or only some of a stage's assets."""
    from dataclasses import replace

    from rag_assets.definitions import build_defs
    from rag_assets.orchestration.chain import open_instance, run_stage
    from rag_assets.orchestration.stages import plan_run

    settings = load_settings(home=home, tax_answer=str(site))
    fetch, records, prepare, *_ = plan_run(settings)
    chosen = {
        "fetch": fetch,
        "records": records,
        "files": replace(prepare, assets=("chunks", "corpus_files")),
        "prepare": prepare,
    }
    with open_instance(home / "dagster") as instance:
        for name in names:
            result = run_stage(chosen[name], build_defs(settings), instance)
            if result.failures:
                sys.exit(str(result.failures))


def newest_change(folder: Path) -> int:
    """Time of the last change of any file below a folder."""
    return max(path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file())


def copy_site(site: Path, target: Path, copies: int) -> None:
    """A site with every article that many times, each copy under a number of its own."""
    links = read_index((site / INDEX_PATH.lstrip("/")).read_bytes())
    if len(links) * copies > 10_000 - _FIRST_NUMBER:
        sys.exit(f"{copies} copies of {len(links)} articles need more than four digits to number them")
    listed: list[str] = []
    for position, link in enumerate(link for _ in range(copies) for link in links):
        number = str(_FIRST_NUMBER + position)
        data = (site / link.path.lstrip("/")).read_bytes()
        page = decode_html(data).text
        page = re.sub(rf"No\.{re.escape(link.number)}(?![\d-])", f"No.{number}", page)
        page = re.sub(r"charset=[\w-]+", "charset=utf-8", page)
        path = target / _TAX_ANSWER / link.category / f"{number}.htm"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        listed.append(f'<li><a href="/{_TAX_ANSWER}/{link.category}/{number}.htm">{number}　{link.title}</a></li>')
    index = target / INDEX_PATH.lstrip("/")
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><div id="bodyArea"><ul>{"".join(listed)}</ul></div>', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
