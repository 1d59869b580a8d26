"""`python -m rag_assets`: the whole chain from one command, and the UI over the same home folder."""

import argparse
import io
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from rag_assets.settings import ENVIRONMENT_PREFIX, Settings, SettingsError, load_settings
from rag_assets.sources.fetching.addresses import without_secrets
from rag_assets.sources.registry import DOCUMENT_SOURCES

UI_PORT = 3000
"""Where Dagster's UI is unless told otherwise."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""

_EPILOG = """\
Every option is also an environment variable (RAG_ASSETS_HOME, RAG_ASSETS_TAX_ANSWER, …) and a line of the settings
file rag_assets.toml; README.md has the table. Exit code 0 only if everything asked for was made.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 made, 1 something failed, 2 a setting is wrong, 130 interrupted."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    command = options.pop("command")
    port = options.pop("port", UI_PORT)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no Japanese gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        settings = load_settings(**options)
        _make_home(settings)
        if command == "run":
            _check_questions(settings)
        else:
            _check_port(port)
    except SettingsError as error:
        print(f"{error}\nRun 'python -m rag_assets {command} --help' for the options.", file=sys.stderr)
        return 2
    if command == "ui":
        ui(options, port)
    return run(settings)


def _make_home(settings: Settings) -> None:
    from rag_assets.orchestration.chain import prepare_dagster_home
    from rag_assets.store.home import Home

    try:
        prepare_dagster_home(Home(settings.home).dagster)
        probe = Home(settings.home).dagster / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise SettingsError(f"setting home: {settings.home} cannot be written to: {error}") from error


def _check_port(port: int) -> None:
    """Dagster itself would stay alive without a page, and mind schedules beside whoever has the port."""
    with socket.socket() as probe:
        # As servers do: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise SettingsError(
                f"port {port} cannot be used ({error.strerror}): if the UI is open already, look there "
                f"(http://127.0.0.1:{port}); otherwise choose another with --port"
            ) from error


def _check_questions(settings: Settings) -> None:
    """Tell what is wrong with the question sets before anything is fetched; which records there are shows later."""
    from rag_assets.evaluation.question_files import QuestionError
    from rag_assets.evaluation.questions import find_longest_question, load_questions

    longest = find_longest_question(settings.search_in)
    try:
        load_questions(settings.question_files(), sources=settings.sources(), longest=longest)
    except QuestionError as error:
        raise SettingsError(str(error)) from error


def run(settings: Settings) -> int:
    """Make everything, and show what came out."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rich.console import Console
    from sqlalchemy.exc import SQLAlchemyError

    from rag_assets.cli.results import show_failures, show_results
    from rag_assets.definitions import build_defs
    from rag_assets.orchestration.chain import HomeInUseError, run_chain
    from rag_assets.orchestration.stages import Stage, plan_run

    console = Console(stderr=True)
    started = time.monotonic()
    total = len(plan_run(settings))
    seen = 0

    def on_stage(stage: Stage) -> None:
        nonlocal seen
        seen += 1
        console.print(f"[bold]{seen}/{total} {stage.title}[/bold]")

    try:
        results = run_chain(settings, build_defs(settings), on_stage)
    except (OSError, SQLAlchemyError) as error:
        why = error.args[0] if error.args else error
        console.print(f"Dagster could not write what it keeps in {settings.home / 'dagster'}: {why}", markup=False)
        console.print("Make room, or mend its permissions, and run the same command again.")
        return 1
    except HomeInUseError as error:
        console.print(str(error), markup=False)
        return 1
    except KeyboardInterrupt:
        console.print("Interrupted: what was done is kept; run the same command again to go on.")
        return INTERRUPTED
    failed = [result for result in results if result.failures]
    complete = len(results) == total and not failed
    if len(results) == total and not results[-1].failures:
        show_results(settings, Console())
    show_failures(failed, console)
    console.print(f"{'Done' if complete else 'Not complete'} after {time.monotonic() - started:.0f} s.")
    return 0 if complete else 1


def ui(options: Mapping[str, object], port: int) -> NoReturn:
    """Become the Dagster UI over the home folder, with the settings of this command line."""
    # Dagster loads the definitions in processes of its own, which read the settings from the environment.
    os.environ |= {
        f"{ENVIRONMENT_PREFIX}{name.upper()}": _in_environment(value)
        for name, value in options.items()
        if value is not None
    }
    command = Path(sys.executable).with_name("dg")
    os.execv(command, [str(command), "dev", "--module-name", "rag_assets.definitions", "--port", str(port)])


def _in_environment(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong with the arguments, without secrets that stand in an address."""

    def error(self, message: str) -> NoReturn:
        super().error(without_secrets(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
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
    ui_parser.add_argument(
        "--port", type=int, metavar="N", default=UI_PORT, help=f"port of the UI on this machine (default: {UI_PORT})"
    )
    for each in (run_parser, ui_parser):
        _add_settings(each)
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--home", metavar="DIR", help="output folder (default: data)")
    add(
        "--tax-answer",
        metavar="sample|DIR|URL",
        help="the Tax Answer site: the bundled sample, a folder holding a copy of its tree, or its base URL "
        "(default: the samples of all sources, unless a source is named)",
    )
    for source in DOCUMENT_SOURCES:
        add(
            f"--{source.name.replace('_', '-')}",
            metavar="FILE|URL",
            action="append",
            help=f"{source.names_in_words}; may be given several times",
        )
    add("--contact", help="mail address or URL told to the owner of a live site")
    add("--request-interval", metavar="SECONDS", help="between two requests to a live site (default: 1)")
    add(
        "--questions", metavar="CSV", nargs="+", type=Path, help="question sets (default: the sample's, for the sample)"
    )
    add("--dictionaries", metavar="DIR", help="folder of the synonym dictionaries (default: dictionaries)")
    add("--dictionary-problems", choices=["warn", "stop"], help="what bad dictionary lines do (default: warn)")
    add("--variants", metavar="a,b", help="names of the variants to make (default: all)")
    add("--sync", choices=["on", "dry-run", "off"], help="upload and ingest, tell what would be done, or neither")
    add("--allow-deletions", action="store_true", default=None, help="let a sync delete more than its guard allows")
    add("--adopt", metavar="a/,b/", help="take objects without a mark, whose keys begin so, for sent from here")
    add("--search-in", choices=["index", "knowledge_base"], help="what the evaluation asks (default: index)")
    add("--embedder", metavar="NAME", help="of the embedded index: use (default), titan-v2:512, cohere-multilingual-v3")
    add("--bm25-weight", metavar="0..1", help="weight of BM25 in hybrid search")
    add("--rrf-constant", metavar="N", help="rank constant of hybrid search")


if __name__ == "__main__":
    sys.exit(main())
