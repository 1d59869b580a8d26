"""The commands of `python -m rag_assets`: from arguments to settings to a command, and its exit code."""

import io
import sys
from collections.abc import Sequence

from rag_assets.cli.parser import make_parser
from rag_assets.cli.run import check_questions, run, tune
from rag_assets.cli.ui import check_port, open_ui
from rag_assets.settings import Settings, SettingsError, load_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 made, 1 something failed, 2 a setting is wrong, 130 interrupted."""
    parser = make_parser()
    options = vars(parser.parse_args(arguments))
    command = options.pop("command")
    port = options.pop("port", None)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no Japanese gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        settings = load_settings(**options)
        _make_home(settings)
        if command != "ui":
            check_questions(settings)
        else:
            check_port(port)
    except SettingsError as error:
        sys.stderr.write(f"{error}\nRun 'python -m rag_assets {command} --help' for the options.\n")
        return 2
    if command == "ui":
        open_ui(options, port)
    return tune(settings) if command == "tune" else run(settings)


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
