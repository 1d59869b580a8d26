"""`python -m rag_assets` as a process of its own, and one whole run on the sample that several tests look at."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


def environment(further: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without settings of the project, which would leak into a test."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_ASSETS_", "DAGSTER_"))}
    return {**own, "COLUMNS": "100", **(further or {})}


def command(*arguments: str | Path) -> list[str]:
    """The command line; what is deprecated is an error."""
    return [sys.executable, "-W", "error::DeprecationWarning:rag_assets", "-m", "rag_assets", *map(str, arguments)]


def rag_assets(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*arguments),
        cwd=REPOSITORY,
        env=environment(variables),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@dataclass(frozen=True)
class SampleRun:
    """A whole run on the bundled sample."""

    home: Path
    code: int
    out: str
    err: str


def sample_run(tmp_path_factory: pytest.TempPathFactory) -> SampleRun:
    """The run, made once however many processes test. Its home is to be read, not written."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    shared = tmp_path_factory.getbasetemp().parent if worker else tmp_path_factory.getbasetemp()
    home, told = shared / "sample-run", shared / "sample-run.json"
    with (shared / "sample-run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            ended = rag_assets("run", "--home", home)
            told.write_text(json.dumps([ended.returncode, ended.stdout, ended.stderr]))
    return SampleRun(home, *json.loads(told.read_text()))
