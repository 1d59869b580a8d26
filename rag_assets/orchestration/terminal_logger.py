"""What a person at a terminal sees while the chain runs: the assets' own words, without Dagster's."""

import logging

import dagster as dg
from rich.console import Console
from rich.text import Text

_STYLES = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}


class TerminalHandler(logging.Handler):
    """Prints what assets log, and nothing of Dagster's own events."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line, if an asset said it."""
        said = getattr(record, "dagster_meta", {})
        if said.get("dagster_event") is not None:
            return
        asset = said.get("op_name") or ""
        text = str(said.get("orig_message") or record.getMessage())
        self.console.print(
            Text.assemble((f"  {asset:<20} ", "dim"), (text, _STYLES.get(record.levelname, ""))), soft_wrap=True
        )


@dg.logger({}, description="The assets' own words on the terminal.")
def terminal_logger(context: dg.InitLoggerContext) -> logging.Logger:
    """The logger of `python -m rag_assets run`."""
    del context
    logger = logging.Logger("rag_assets.orchestration.terminal_logger", level=logging.INFO)
    logger.addHandler(TerminalHandler(Console(stderr=True)))
    return logger
