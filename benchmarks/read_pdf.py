"""How fast the pages of a PDF are read, and in how much memory, beside pdfplumber on the same file.

    python -m benchmarks.read_pdf --pdf FILE [--rounds 3]

Every figure is the best of a few whole processes of their own, one after the other in turns; time counts from opening
the file to the last page, without Python's start and imports, and peak memory is of the whole process.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FACTOR = 4.0
"""How many times as fast as pdfplumber lines with geometry have to be read."""
MEBIBYTES = 300.0
"""Peak memory that they may take."""


@dataclass(frozen=True)
class Figures:
    """One process: time in seconds, peak resident memory in MiB, and what it read."""

    seconds: float
    mebibytes: float
    pages: int
    characters: int


def main() -> None:
    """Measure and print; the exit status tells whether the limits hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdf", type=Path, required=True, help="the PDF to read")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each figure")
    parser.add_argument("--way", choices=sorted(WAYS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        run(options.way, options.pdf)
        return
    runs: dict[str, list[Figures]] = {way: [] for way in WAYS}
    for _ in range(options.rounds):
        for way in WAYS:
            runs[way].append(measure(way, options.pdf))
    best = {way: min(figures, key=lambda one: one.seconds) for way, figures in runs.items()}
    peak = {way: max(one.mebibytes for one in figures) for way, figures in runs.items()}
    for way, figures in best.items():
        print(
            f"{WAYS[way][0]:<38} {figures.seconds:6.2f} s  {figures.pages / figures.seconds:6.0f} pages/s  "
            f"{peak[way]:4.0f} MiB  {figures.characters:,} characters on {figures.pages} pages"
        )
    factor = best["pdfplumber"].seconds / best["lines"].seconds
    holds = factor >= FACTOR and peak["lines"] < MEBIBYTES
    print(
        f"lines with geometry: {factor:.1f} times as fast as pdfplumber (at least {FACTOR:.0f}), "
        f"{peak['lines']:.0f} MiB (under {MEBIBYTES:.0f}): {'holds' if holds else 'DOES NOT HOLD'}"
    )
    sys.exit(not holds)


def measure(way: str, pdf: Path) -> Figures:
    """Read once in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.read_pdf", "--pdf", str(pdf), "--way", way]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{way} failed:\n{done.stderr}")
    seconds, mebibytes, pages, characters = done.stdout.split()
    return Figures(float(seconds), float(mebibytes), int(pages), int(characters))


def run(way: str, pdf: Path) -> None:
    """What a measured process does."""
    read = WAYS[way][1]()
    started = time.perf_counter()
    pages, characters = read(pdf)
    seconds = time.perf_counter() - started
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    print(seconds, peak, pages, characters)


Read = Callable[[Path], tuple[int, int]]
"""Reads a file; pages and characters (without blanks)."""


def lines_only() -> Read:
    """Lines with position, size and font, running headers and footers taken out."""
    return _ours(tables=False)


def lines_and_tables() -> Read:
    """The same with ruled tables as grids."""
    return _ours(tables=True)


def _ours(*, tables: bool) -> Read:
    import pdfplumber.table  # noqa: F401 - imports are not what is measured
    import pypdfium2  # noqa: F401

    from rag_assets.sources.pdf.pages import read_pages

    def read(path: Path) -> tuple[int, int]:
        pages = characters = 0
        with path.open("rb") as file:
            for page in read_pages(file, tables=tables):
                pages += 1
                texts = [line.text for line in page.lines] + [cell.text for one in page.tables for cell in one.cells]
                characters += sum(len("".join(text.split())) for text in texts)
        return pages, characters

    return read


def pdfplumber_text() -> Read:
    """`extract_text` of pdfplumber, every page closed after it."""
    import pdfplumber

    def read(path: Path) -> tuple[int, int]:
        pages = characters = 0
        with pdfplumber.open(path) as document:
            for page in document.pages:
                pages += 1
                characters += len("".join(page.extract_text().split()))
                page.close()
        return pages, characters

    return read


WAYS: dict[str, tuple[str, Callable[[], Read]]] = {
    "pdfplumber": ("pdfplumber extract_text", pdfplumber_text),
    "lines": ("lines with geometry, no tables", lines_only),
    "tables": ("lines with geometry and tables", lines_and_tables),
}


if __name__ == "__main__":
    main()
