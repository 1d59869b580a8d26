"""`python -m rag_assets`: the whole chain from one command, and the UI over the same home folder."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rag_assets.settings import Settings, SettingsError, load_settings

_EPILOG = """\
Every option is also an environment variable (RAG_ASSETS_HOME, RAG_ASSETS_TAX_ANSWER, …) and a line of the settings
file rag_assets.toml; README.md has the table. Exit code 0 only if everything asked for was made.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 made, 1 something failed, 2 a setting is wrong."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    command = options.pop("command")
    try:
        settings = load_settings(**options)
    except SettingsError as error:
        print(f"{error}\nRun 'python -m rag_assets --help' for the options.", file=sys.stderr)
        return 2
    return run(settings) if command == "run" else ui(settings)


def run(settings: Settings) -> int:
    """Make everything, and show what came out."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rich.console import Console

    from rag_assets.chain import Stage, run_chain, stages
    from rag_assets.closing import show_failures, show_results

    console = Console(stderr=True)
    started = time.monotonic()
    total = len(stages(settings))
    seen = 0

    def on_stage(stage: Stage) -> None:
        nonlocal seen
        seen += 1
        console.print(f"[bold]{seen}/{total} {stage.title}[/bold]")

    results = run_chain(settings, on_stage)
    failed = [result for result in results if result.failures]
    complete = len(results) == total and not failed
    if len(results) == total and not results[-1].failures:
        show_results(settings, Console())
    show_failures(failed, console)
    console.print(f"{'Done' if complete else 'Not complete'} after {time.monotonic() - started:.0f} s.")
    return 0 if complete else 1


def ui(settings: Settings) -> int:
    """Open the Dagster UI over the home folder; ends when it is stopped."""
    from rag_assets.chain import prepare_dagster_home
    from rag_assets.layout import Home

    prepare_dagster_home(Home(settings.home).dagster)
    command = Path(sys.executable).with_name("dg")
    os.execv(command, [str(command), "dev"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rag_assets",
        description="Prepare documents for Amazon Bedrock Knowledge Bases, and measure what the preparation is worth.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run_parser = commands.add_parser(
        "run",
        help="make everything: fetch, records, corpora, index, report",
        description="The whole chain in one process; a second run does only what has changed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ui_parser = commands.add_parser("ui", help="open the Dagster UI over the same home folder")
    for each in (run_parser, ui_parser):
        _add_settings(each)
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--home", metavar="DIR", help="output folder (default: data)")
    add(
        "--tax-answer",
        metavar="sample|DIR|URL",
        help="the bundled sample (default), a folder holding a copy of the site's tree, or the site's base URL",
    )
    add("--contact", help="mail address or URL told to the owner of a live site")
    add("--request-interval", metavar="SECONDS", help="between two requests to a live site (default: 1)")
    add(
        "--questions", metavar="CSV", nargs="+", type=Path, help="question sets (default: the sample's, for the sample)"
    )
    add("--dictionaries", metavar="DIR", help="folder of the synonym dictionaries (default: dictionaries)")
    add("--dictionary-problems", choices=["warn", "stop"], help="what bad dictionary lines do (default: warn)")
    add("--variants", metavar="a,b", help="names of the variants to make (default: all)")
    add("--bm25-weight", metavar="0..1", help="weight of BM25 in hybrid search")
    add("--rrf-constant", metavar="N", help="rank constant of hybrid search")


if __name__ == "__main__":
    sys.exit(main())
