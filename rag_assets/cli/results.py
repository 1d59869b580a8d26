"""What a person reads at the end of a run: the comparison, where the report is, and what to do next."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from rag_assets.corpus.variants import RAW
from rag_assets.evaluation.comparable import searched_by_variant
from rag_assets.evaluation.metrics import scores
from rag_assets.evaluation.model import QuestionResult
from rag_assets.evaluation.significance import compare
from rag_assets.evaluation.terminal import comparison_table, quality_table, source_table
from rag_assets.evaluation.labels import searched_in_words
from rag_assets.model import QualityRow
from rag_assets.orchestration.chain import StageResult
from rag_assets.corpus.prepared import passage_counts
from rag_assets.settings import Settings
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines


def show_results(settings: Settings, console: Console) -> None:
    """The tables of a run that went through."""
    home = Home(settings.home)
    variants = settings.chosen_variants()
    names = [variant.name for variant in variants]
    quality = [row for name in names for row in read_lines(home.quality(name), QualityRow, "corpus_quality")]
    console.print(quality_table(quality))
    if settings.question_files():
        results = [
            found for name in names for found in read_lines(home.results(name), QuestionResult, "retrieval_results")
        ]
        counts = {variant.name: passage_counts(home, variant) for variant in variants}
        comparisons = compare(results, RAW) if RAW in names else []
        if RAW not in names:
            console.print(f"{RAW} is not among the variants of this run: nothing is compared with it.")
        searched = dict.fromkeys(searched_in_words(how) for how in searched_by_variant(results).values())
        console.print(f"検索先：{'、'.join(searched)}", markup=False, highlight=False)
        found = scores(results, counts)
        console.print(comparison_table(found, comparisons))
        by_source = source_table(found)
        if by_source is not None:
            console.print(by_source)
    else:
        console.print("No question set: nothing was searched. Give one with --questions CSV to compare the variants.")
    # Paths and commands are for copying: no line breaks inside, and a bracket is a bracket.
    console.print(_next_steps(settings, home), soft_wrap=True, markup=False, highlight=False)


def show_failures(failed: Sequence[StageResult], console: Console) -> None:
    """What failed, by stage and asset, in the words of the failure."""
    for result in failed:
        for asset, why in result.failures.items():
            console.print(Text(f"{result.stage.title}: {asset} failed", "red"))
            console.print(why, soft_wrap=True, markup=False, highlight=False)


def _next_steps(settings: Settings, home: Home) -> str:
    steps = [
        f"Report: {(home.reports / 'report.html').absolute()}",
        f"Corpora: {home.root.absolute() / 'corpus'} (a folder a variant, as it will lie in S3)",
        "Next:",
        "  open the report in a browser",
        f"  open the Dagster UI: {_python()} -m rag_assets ui {settings.as_options()}".rstrip(),
    ]
    if settings.is_sample:
        steps.append(
            f"  prepare the real site: {_python()} -m rag_assets run --home data/nta "
            "--tax-answer https://www.nta.go.jp --contact you@example.com --questions your_questions.csv"
        )
    return "\n".join(steps)


def _python() -> str:
    """This Python as it can be typed here: `.venv/bin/python` in a clone."""
    try:
        return str(Path(sys.executable).relative_to(Path.cwd()))
    except ValueError:
        return sys.executable
