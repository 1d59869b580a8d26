"""`make help` tells of every target."""

import re
import shutil
import subprocess

import pytest

from rag_assets_tests.conftest import REPOSITORY


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_help_lists_every_target_with_what_it_does() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=30
    )
    told = dict(line.split(maxsplit=2)[1:] for line in done.stdout.splitlines())
    phony = re.search(r"^\.PHONY: (.*)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    assert sorted(told) == sorted(phony[1].split())
    assert all(told.values())
