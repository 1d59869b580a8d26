import io
import logging

from rich.console import Console

from rag_assets.orchestration.terminal_logger import TerminalHandler


def printed(level: int, message: str, **meta: object) -> str:
    out = io.StringIO()
    handler = TerminalHandler(Console(file=out, width=40, color_system=None))
    record = logging.LogRecord("dagster", level, "", 0, f"run - {message}", None, None)
    record.dagster_meta = {"orig_message": message, **meta}
    handler.emit(record)
    return out.getvalue()


def test_what_an_asset_says_stands_behind_its_name() -> None:
    assert printed(logging.INFO, "12 chunks", op_name="chunks") == "  chunks               12 chunks\n"


def test_what_dagster_says_of_itself_is_not_printed() -> None:
    assert printed(logging.INFO, "Started step", op_name="chunks", dagster_event=object()) == ""


def test_brackets_and_long_lines_stay_as_they_are() -> None:
    message = "[red]/a/long/path/that/is/wider/than/the/terminal/report.html"
    assert printed(logging.WARNING, message, op_name="x").strip().endswith(message)


def test_a_record_of_another_program_is_printed_as_it_is() -> None:
    out = io.StringIO()
    TerminalHandler(Console(file=out, color_system=None)).emit(
        logging.LogRecord("other", logging.INFO, "", 0, "%d of %d", (1, 2), None)
    )
    assert "1 of 2" in out.getvalue()
