"""What a terminal shows at the end of a run: the comparison, where the report lies, and what to do next."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rag_assets.corpus.variants import BASELINES, find_baseline
from rag_assets.evaluation.labels import describe_search
from rag_assets.evaluation.report.files import read_report_tables
from rag_assets.evaluation.terminal import make_comparison_table, make_quality_table, make_source_table
from rag_assets.orchestration.chain import StageResult
from rag_assets.settings import Settings
from rag_assets.store.home import Home

_BEST = 10
"""Rows of the tuning grid that a terminal shows."""


def show_results(settings: Settings, console: Console) -> None:
    """Prints the figures of the report that a run has made, and what to do next."""
    home = Home(settings.home)
    tables = read_report_tables(home)
    console.print(make_quality_table(tables.quality))
    if settings.question_files():
        if find_baseline(variant.name for variant in settings.chosen_variants()) is None:
            console.print(f"Neither {' nor '.join(BASELINES)} is among the variants of this run: nothing is compared.")
        searched = dict.fromkeys(map(describe_search, tables.searched.values()))
        console.print(f"検索先：{'、'.join(searched)}", markup=False, highlight=False)
        console.print(make_comparison_table(tables.scores, tables.comparisons))
        by_source = make_source_table(tables.scores)
        if by_source is not None:
            console.print(by_source)
    else:
        console.print("No question set: nothing was searched. Give one with --questions CSV to compare the variants.")
    # Paths and commands are for copying: no line breaks inside, and a bracket is a bracket.
    console.print(_list_next_steps(settings, home), soft_wrap=True, markup=False, highlight=False)


def show_grid(settings: Settings, console: Console) -> None:
    """Prints the best rows of the tuning grid, and where all of them are."""
    reports = Home(settings.home).reports
    with (reports / "tuning.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: -float(row["mrr_at_10"]))
    shown = ("cut", "search", "passages", "mrr_at_10", "hit_at_8")
    table = Table(title=f"{len(rows)}通りのうち上位{min(len(rows), _BEST)}", title_justify="left", box=None)
    for column in shown:
        table.add_column(column, no_wrap=True, justify="left" if column in ("cut", "search") else "right")
    for row in rows[:_BEST]:
        table.add_row(*(row[column] for column in shown))
    console.print(table)
    console.print(
        f"Page: {(reports / 'tuning.html').absolute()}\nOpen it for the verdict on holdout, all rows and settings.",
        soft_wrap=True,
        markup=False,
        highlight=False,
    )


def show_failures(failed: Sequence[StageResult], console: Console) -> None:
    """Prints what failed, by stage and asset, with the message of each failure."""
    for result in failed:
        for asset, why in result.failures.items():
            console.print(Text(f"{result.stage.title}: {asset} failed", "red"))
            console.print(why, soft_wrap=True, markup=False, highlight=False)


def _list_next_steps(settings: Settings, home: Home) -> str:
    steps = [
        f"Report: {(home.reports / 'report.html').absolute()}",
        f"Corpora: {home.root.absolute() / 'corpus'} (a folder a variant, as it will lie in S3)",
        "Next:",
        "  open the report in a browser",
        f"  open the Dagster UI: {_find_python()} -m rag_assets ui {settings.as_options()}".rstrip(),
    ]
    if settings.is_sample:
        steps.append(
            f"  prepare the real site: {_find_python()} -m rag_assets run --home data/nta "
            "--tax-answer https://www.nta.go.jp --contact you@example.com --questions your_questions.csv"
        )
    return "\n".join(steps)


def _find_python() -> str:
    """This Python as it can be typed here: `.venv/bin/python` in a clone."""
    try:
        return str(Path(sys.executable).relative_to(Path.cwd()))
    except ValueError:
        return sys.executable
