"""The whole chain in one process: stage after stage, as one run of Dagster each."""

import gc
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_shared.error import SerializableErrorInfo

from rag_assets.orchestration.partitions import tag_range
from rag_assets.orchestration.stages import READ_RECORDS, REFRESH_SOURCES, Stage, plan_run
from rag_assets.settings import Settings
from rag_assets.sources.fetching.manifest import all_entries
from rag_assets.store.home import Home
from rag_assets.store.locks import held

DAGSTER_YAML = """\
# Written by rag_assets. Nothing leaves this machine.
telemetry:
  enabled: false
nux:
  enabled: false
"""


@dataclass(frozen=True)
class StageResult:
    """How a stage ended: the failures by asset, none where it succeeded."""

    stage: Stage
    failures: dict[str, str]


def prepare_dagster_home(folder: Path) -> None:
    """Make the folder Dagster keeps its runs in, and point Dagster at it."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text(DAGSTER_YAML)
    os.environ["DAGSTER_HOME"] = str(folder.absolute())


@contextmanager
def open_instance(folder: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance in a home folder, for runs in this process."""
    prepare_dagster_home(folder)
    # What imports have made stays to the end, and little of what the stages make goes in cycles: with its defaults the
    # garbage collector walks it again and again while tens of thousands of chunks are made (a tenth of the time).
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    with dg.DagsterInstance.get() as instance:
        yield instance


def run_stage(
    stage: Stage,
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    *,
    asset_config: dict[str, Any] | None = None,
) -> StageResult:
    """Materialize one stage's assets over all its partitions in this process.

    Args:
        stage: What to materialize.
        definitions: Of all assets.
        instance: Where the run is recorded.
        asset_config: Configuration by asset.

    Raises:
        KeyboardInterrupt: The run was interrupted; Dagster itself takes that for a failed step.
    """
    result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(asset) for asset in stage.assets],
        tags=tag_range(stage.partitions),
        run_config={
            "loggers": {"terminal": {}},
            "ops": {asset: {"config": config} for asset, config in (asset_config or {}).items()},
        },
        raise_on_error=False,
    )
    if any(_is_interrupt(event) for event in result.all_events):
        raise KeyboardInterrupt
    return StageResult(stage, {} if result.success else _find_failures(result))


def _is_interrupt(event: dg.DagsterEvent) -> bool:
    error = event.step_failure_data.error if event.is_step_failure else None
    return error is not None and error.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")


def _find_failures(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    failures: dict[str, str] = {}
    for event in result.all_events:
        if event.is_step_failure and event.step_key:
            data = event.step_failure_data
            failures[event.step_key] = (
                data.user_failure_data.description or "" if data.user_failure_data else _describe_error(data.error)
            )
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.ERROR:
            named = evaluation.metadata.get("named")
            failures[f"{evaluation.asset_key.to_user_string()}: check {evaluation.check_name}"] = str(
                named.value if named else "failed"
            )
    return failures or {"run": "failed before its first step"}


def _describe_error(error: SerializableErrorInfo | None) -> str:
    """What an asset raised, without what Dagster wraps around it and without the exception's own causes."""
    if error is None:
        return "failed"
    raised = error.cause or error
    name = raised.cls_name or ""
    return re.sub(rf"^(?:\w+\.)*{re.escape(name)}: ", "", raised.message.strip()) or name


class HomeInUseError(Exception):
    """Another run is at work in the same home folder."""


@contextmanager
def hold_home(home: Home) -> Iterator[None]:
    """Hold the home folder for this run: two at once would write the same files.

    Raises:
        HomeInUseError: Another run holds it.
    """
    in_use = HomeInUseError(
        f"another run is at work in {home.root}: wait until it has ended, or name another folder with --home"
    )
    with held(home.dagster / "run.lock", in_use):
        yield


def run_chain(
    settings: Settings,
    definitions: dg.Definitions,
    on_stage: Callable[[Stage], None] = lambda _: None,
    stages: Sequence[Stage] | None = None,
) -> list[StageResult]:
    """Run stage after stage; stop at the first whose failure leaves nothing to go on with.

    Args:
        settings: Of the run.
        definitions: Made from the same settings.
        on_stage: Called with every stage before it runs.
        stages: Those to run; without them, those of the `run` command.

    Raises:
        HomeInUseError: Another run is at work in the same home folder.

    Returns:
        The stages that were run; the chain is complete where these are all and none has failures.
    """
    home = Home(settings.home)
    results: list[StageResult] = []
    with open_instance(home.dagster) as instance, hold_home(home):
        for stage in plan_run(settings) if stages is None else stages:
            on_stage(stage)
            results.append(run_stage(stage, definitions, instance))
            if results[-1].failures and not _can_go_on(stage, settings.sources(), home):
                break
    return results


def _can_go_on(stage: Stage, sources: Sequence[str], home: Home) -> bool:
    """Whether a stage that failed has left anything for the next one."""
    if not stage.keeps_good or stage.is_needed:
        return False
    if stage.job == REFRESH_SOURCES:
        return any(entry.sha256 for source in sources for entry in all_entries(home.fetched(source)))
    if stage.job == READ_RECORDS:
        return any(path.stat().st_size for source in sources for path in home.records(source).glob("*.jsonl"))
    return True
