"""The arguments of the commands: their options are made from the table of settings."""

import argparse
from pathlib import Path
from typing import Any, NoReturn

from rag_assets.cli.ui import UI_PORT
from rag_assets.settings.table import SETTINGS, Setting
from rag_assets.sources.fetching.addresses import without_secrets

_EPILOG = """\
Every option is also an environment variable (RAG_ASSETS_HOME, RAG_ASSETS_TAX_ANSWER, …) and a line of the settings
file rag_assets.toml; docs/settings.md has the table. Exit code 0 only if everything asked for was made.
"""


_MAKING = (
    (
        "run",
        "make everything: fetch, records, corpora, index, report",
        "The whole chain in one process; a second run does only what has changed.",
    ),
    (
        "tune",
        "compare ways of cutting and searching with your questions",
        "Fetches and reads what has changed, then runs the tuning grid (table [tuning] of the settings).",
    ),
)
"""The commands that make something: name, purpose, and what they do."""


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong with the arguments, without secrets that stand in an address."""

    def error(self, message: str) -> NoReturn:
        super().error(without_secrets(message))


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="python -m rag_assets",
        description="Prepare documents for Amazon Bedrock Knowledge Bases, and measure what the preparation is worth.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    made = [
        commands.add_parser(
            name, help=purpose, description=words, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        for name, purpose, words in _MAKING
    ]
    ui_parser = commands.add_parser("ui", help="open the Dagster UI over the same home folder")
    ui_parser.add_argument(
        "--port", type=int, metavar="N", default=UI_PORT, help=f"port of the UI on this machine (default: {UI_PORT})"
    )
    for setting in SETTINGS.values():
        for each in (*made, ui_parser):
            _add_option(each, setting)
    return parser


def _add_option(parser: argparse.ArgumentParser, setting: Setting) -> None:
    if setting.option is None:
        return
    notes = [f"default: {setting.default}"] if setting.default and setting.option.form != "flag" else []
    further: dict[str, Any] = {"metavar": setting.option.metavar, "choices": setting.choices or None}
    match setting.option.form:
        case "flag":
            # What is not given is None, so that the variable and the settings file are asked.
            further = {"action": "store_true", "default": None}
        case "repeated":
            further["action"] = "append"
            notes.append("may be given several times")
        case "values":
            further |= {"nargs": "+", "type": Path}
    # A percent sign in a help text is argparse's own.
    help_text = setting.description.replace("%", "%%") + (f" ({', '.join(notes)})" if notes else "")
    parser.add_argument(setting.option_name, help=help_text, **further)
