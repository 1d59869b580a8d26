"""How fast CSV rows become records, and how much memory that takes: the more rows, the more time, not the more memory.

    python -m benchmarks.read_csv [--rows 10000 1000000]

Files of rows as a help desk has them are made in a temporary folder; each is read in a process of its own, whose peak
memory is with Python's start and all imports. Rows are counted and let go. One row in a thousand repeats an ID.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_COLUMNS = ("番号", "受付日", "分類", "件名", "質問", "回答", "経緯")
_KINDS = ("アカウント", "印刷", "通信", "端末", "その他")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000], help="sizes of the files")
    parser.add_argument("--read", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        read(options.read)
        return
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "helpdesk.csv"
            make(path, rows)
            print(f"{rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB: {measure(path)}")


def make(path: Path, rows: int) -> None:
    """A CP932 file with line breaks, commas and quotes inside cells."""
    with path.open("w", encoding="cp932", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for number in range(1, rows + 1):
            shown = number - 1 if number % 1000 == 0 else number
            writer.writerow(
                (
                    f"HD-{shown:07d}",
                    f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}",
                    _KINDS[number % len(_KINDS)],
                    f"{number}番の端末で画面が固まる",
                    "朝の開店準備のときに、売場の端末で画面が固まり、釣銭の登録ができない。",
                    f'電源を入れ直し、「"再開"」を押す,または{number % 60}分待つ。',
                    "9時5分 連絡を受けた。\r\n9時20分 再起動して直った。" if number % 4 == 0 else "",
                )
            )


def measure(path: Path) -> str:
    """Read the file in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.read_csv", "--read", str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = child.stdout.read().strip()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit("reading failed")
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return f"{told}, peak {usage.ru_maxrss / scale:.1f} MiB"


def read(path: Path) -> None:
    """What a measured process does."""
    from rag_assets.model import Record
    from rag_assets.sources.csv_rows.reader import read_document
    from rag_assets.sources.csv_rows.source import CsvRowsDocument

    settings = CsvRowsDocument.model_validate(
        {
            "key": "helpdesk",
            "location": str(path),
            "id": "番号",
            "title": "件名",
            "text": ["質問", "回答"],
            "metadata": {"category": "分類", "received": {"column": "受付日", "type": "date"}},
            "long": {"history": "経緯"},
        }
    )
    counts: Counter[str] = Counter()
    started = time.perf_counter()
    with path.open("rb") as file:
        for reading in read_document(file, settings, sha256="0" * 64):
            counts["records" if isinstance(reading, Record) else "findings"] += 1
    seconds = time.perf_counter() - started
    rows = counts.total()
    print(
        f"{seconds:.1f} s, {rows / seconds:,.0f} rows/s, {counts['records']:,} records, {counts['findings']:,} findings"
    )


if __name__ == "__main__":
    main()
