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

from rag_assets.definitions import build_defs
from rag_assets.orchestration.schedules import whole_range
from rag_assets.settings import Settings
from rag_assets.sources.fetching.manifest import all_entries
from rag_assets.sources.registry import BY_NAME, TAX_ANSWER
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.store.home import Home
from rag_assets.store.locks import held

FETCHING = "Fetch sources"
READING = "Read records"

DAGSTER_YAML = """\
# Written by rag_assets. Nothing leaves this machine.
telemetry:
  enabled: false
nux:
  enabled: false
"""


@dataclass(frozen=True)
class Stage:
    """Assets that one run materializes.

    Attributes:
        title: What a person is told.
        assets: Names of the assets.
        partitions: Their partitions, all in one run.
        keeps_good: Whether what succeeded before the stage failed is enough for the next one.
    """

    title: str
    assets: tuple[str, ...]
    partitions: tuple[str, ...]
    keeps_good: bool = False


@dataclass(frozen=True)
class StageResult:
    """How a stage ended: the failures by asset, none where it succeeded."""

    stage: Stage
    failures: dict[str, str]


def stages(settings: Settings) -> list[Stage]:
    """What has to be made for these settings. Without a question set nothing is searched; the report tells quality.

    Questions are checked apart: a wrong one is told before embedding, which takes longest.
    """
    sources = settings.sources()
    categories = tuple(CATEGORIES) if TAX_ANSWER in sources else ()
    fetching = tuple(BY_NAME[source].fetching_asset if source in BY_NAME else "tax_answer_pages" for source in sources)
    reading = tuple(f"{source}_records" for source in sources)
    variants = tuple(variant.name for variant in settings.chosen_variants())
    index = ("search_index",) if settings.search_in == "index" else ()
    search = (*index, "retrieval_results") if settings.question_files() else ()
    return [
        Stage(FETCHING, fetching, categories, keeps_good=True),
        Stage(READING, reading, categories, keeps_good=True),
        Stage("Prepare corpora", ("synonym_dictionary", "chunks", "corpus_files", "corpus_quality"), variants),
        *_sync_stages(settings, variants),
        Stage("Check questions", ("questions",), ()),
        Stage("Evaluate", (*search, "retrieval_report"), variants),
    ]


def _sync_stages(settings: Settings, variants: tuple[str, ...]) -> list[Stage]:
    """The way into AWS, for the variants that have one.

    A variant that cannot be uploaded holds up the ingestion of no other, nor the comparison in the embedded index.
    """
    targets = [settings.target[variant] for variant in variants if variant in settings.target]
    if settings.sync == "off" or not targets:
        return []
    upload = Stage("Sync with S3", ("s3_objects",), variants, keeps_good=True)
    if settings.sync != "on" or not any(target.knowledge_base_id for target in targets):
        return [upload]
    is_needed = settings.search_in == "knowledge_base"
    return [upload, Stage("Ingest", ("knowledge_base_ingestion",), variants, keeps_good=not is_needed)]


def prepare_dagster_home(folder: Path) -> None:
    """Make the folder Dagster keeps its runs in, and point Dagster at it."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text(DAGSTER_YAML)
    os.environ["DAGSTER_HOME"] = str(folder.absolute())


@contextmanager
def opened_instance(folder: Path) -> Iterator[dg.DagsterInstance]:
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
    stage: Stage, settings: Settings, instance: dg.DagsterInstance, *, asset_config: dict[str, Any] | None = None
) -> StageResult:
    """Materialize one stage's assets over all its partitions in this process.

    Raises:
        KeyboardInterrupt: The run was interrupted; Dagster itself takes that for a failed step.
    """
    job = build_defs(settings).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(asset) for asset in stage.assets],
        tags=whole_range(stage.partitions),
        run_config={
            "loggers": {"terminal": {}},
            "ops": {asset: {"config": config} for asset, config in (asset_config or {}).items()},
        },
        raise_on_error=False,
    )
    if any(_is_interrupt(event) for event in result.all_events):
        raise KeyboardInterrupt
    return StageResult(stage, {} if result.success else _failures(result))


def _is_interrupt(event: dg.DagsterEvent) -> bool:
    error = event.step_failure_data.error if event.is_step_failure else None
    return error is not None and error.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")


def _failures(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    failures: dict[str, str] = {}
    for event in result.all_events:
        if event.is_step_failure and event.step_key:
            data = event.step_failure_data
            failures[event.step_key] = (
                data.user_failure_data.description or "" if data.user_failure_data else _in_words(data.error)
            )
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.ERROR:
            named = evaluation.metadata.get("named")
            failures[f"{evaluation.asset_key.to_user_string()}: check {evaluation.check_name}"] = str(
                named.value if named else "failed"
            )
    return failures or {"run": "failed before its first step"}


def _in_words(error: SerializableErrorInfo | None) -> str:
    """What an asset raised, without what Dagster wraps around it and without the exception's own causes."""
    if error is None:
        return "failed"
    raised = error.cause or error
    name = raised.cls_name or ""
    return re.sub(rf"^(?:\w+\.)*{re.escape(name)}: ", "", raised.message.strip()) or name


class HomeInUseError(Exception):
    """Another run is at work in the same home folder."""


@contextmanager
def only_run(home: Home) -> Iterator[None]:
    """Hold the home folder for this run: two at once would write the same files.

    Raises:
        HomeInUseError: Another run holds it.
    """
    in_use = HomeInUseError(
        f"another run is at work in {home.root}: wait until it has ended, or name another folder with --home"
    )
    with held(home.dagster / "run.lock", in_use):
        yield


def run_chain(settings: Settings, on_stage: Callable[[Stage], None] = lambda _: None) -> list[StageResult]:
    """Run stage after stage; stop at the first whose failure leaves nothing to go on with.

    Args:
        settings: Of the run.
        on_stage: Called with every stage before it runs.

    Raises:
        HomeInUseError: Another run is at work in the same home folder.

    Returns:
        The stages that were run; the chain is complete where these are all and none has failures.
    """
    home = Home(settings.home)
    results: list[StageResult] = []
    with opened_instance(home.dagster) as instance, only_run(home):
        for stage in stages(settings):
            on_stage(stage)
            results.append(run_stage(stage, settings, instance))
            if results[-1].failures and not (stage.keeps_good and _has_good(stage, settings.sources(), home)):
                break
    return results


def _has_good(stage: Stage, sources: Sequence[str], home: Home) -> bool:
    """Whether a stage that failed has left anything for the next one."""
    if stage.title not in (FETCHING, READING):
        return True
    if stage.title == FETCHING:
        return any(entry.sha256 for source in sources for entry in all_entries(home.fetched(source)))
    return any(path.stat().st_size for source in sources for path in home.records(source).glob("*.jsonl"))
