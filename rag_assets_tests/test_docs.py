"""The papers say what is so: links lead somewhere, and every command, option and variable they name exists."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag_assets.settings.table import SETTINGS
from rag_assets_tests.conftest import REPOSITORY

PAGES = sorted(
    [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"), *REPOSITORY.glob("*/README.md")],
)
_OTHER_VARIABLES = {"RAG_ASSETS_SETTINGS_FILE"}
_OTHER_OPTIONS = {"--help", "--port"}


def names(pages: list[Path]) -> list[str]:
    return [page.relative_to(REPOSITORY).as_posix() for page in pages]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.M)
            assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("name", ["README.md", "README.ja.md"])
def test_the_first_page_is_short(name: str) -> None:
    text = (REPOSITORY / name).read_text()
    assert len(text.splitlines()) <= 150
    assert len(re.findall(r"!\[[^\]]+\]\(docs/images/\w+\.png\)", text)) == 3


def test_both_first_pages_tell_the_same() -> None:
    english, japanese = ((REPOSITORY / name).read_text() for name in ("README.md", "README.ja.md"))
    for pattern in (r"`--[a-z-]+`", r"\]\((?!README)[^)]+\)", r"^make [a-z-]+"):
        assert re.findall(pattern, english, re.M) == re.findall(pattern, japanese, re.M)


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_what_is_named_exists(page: Path) -> None:
    text = page.read_text()
    variables = {setting.variable for setting in SETTINGS.values()}
    assert set(re.findall(r"RAG_ASSETS_[A-Z][A-Z0-9_]+", text)) <= variables | _OTHER_VARIABLES
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.M))
    assert set(re.findall(r"(?:`|^(?=make \S+ +#))make ([a-z][a-z-]*)", text, re.M)) <= targets
    for module in re.findall(r"python -m ([a-z0-9_.]+[a-z0-9_])", text):
        assert find_spec(module), module


def test_options_of_run_exist() -> None:
    options = {f"--{name.replace('_', '-')}" for name in SETTINGS} | _OTHER_OPTIONS
    for page in PAGES:
        for command in re.findall(r"-m rag_assets (?:run|ui)((?:.*\\\n)*.*)", page.read_text()):
            assert set(re.findall(r"(--[a-z][a-z0-9-]*)", command.partition("#")[0])) <= options, (page.name, command)
