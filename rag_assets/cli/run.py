"""`run`: the whole chain in this process, and what a terminal shows of it."""

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag_assets.settings import Settings, SettingsError

if TYPE_CHECKING:
    from rich.console import Console

    from rag_assets.orchestration.stages import Stage

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""


def check_questions(settings: Settings) -> None:
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
    from rag_assets.cli.results import show_results
    from rag_assets.orchestration.stages import plan_run

    return _run_stages(settings, plan_run(settings), show_results)


def tune(settings: Settings) -> int:
    """Run the tuning grid, and show the best of it."""
    from rag_assets.cli.results import show_grid
    from rag_assets.orchestration.stages import plan_tune

    return _run_stages(settings, plan_tune(settings), show_grid)


def _run_stages(settings: Settings, stages: "Sequence[Stage]", show: "Callable[[Settings, Console], None]") -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rich.console import Console
    from sqlalchemy.exc import SQLAlchemyError

    from rag_assets.cli.results import show_failures
    from rag_assets.definitions import build_defs
    from rag_assets.orchestration.chain import HomeInUseError, run_chain

    console = Console(stderr=True)
    started = time.monotonic()
    total = len(stages)
    seen = 0

    def on_stage(stage: "Stage") -> None:
        nonlocal seen
        seen += 1
        console.print(f"[bold]{seen}/{total} {stage.title}[/bold]")

    try:
        results = run_chain(settings, build_defs(settings), on_stage, stages)
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
        show(settings, Console())
    show_failures(failed, console)
    console.print(f"{'Done' if complete else 'Not complete'} after {time.monotonic() - started:.0f} s.")
    return 0 if complete else 1
