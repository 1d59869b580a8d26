"""What every test may ask for: where the documents are, and how long the search for counterexamples takes."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile(
    "rag_assets", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("fast", settings.get_profile("rag_assets"), max_examples=10)
settings.load_profile("rag_assets")

SLOW = (
    "aws/test_calls.py",
    "cli",
    "corpus/test_every_sidecar.py",
    "emulation",
    "ingestion",
    "knowledge_base",
    "orchestration",
    "retrieval/test_knowledge_base_filters.py",
    "s3",
    "sources/guides/word/test_libreoffice.py",
    "sources/pdf/test_fonts.py",
    "sources/test_staleness.py",
    "test_definitions.py",
    "test_infrastructure.py",
    "test_secrets.py",
    "test_ui_browser.py",
    "transformation/test_package.py",
)
"""What `make test-fast` leaves out as a whole: folders and modules that run Dagster, servers of AWS or processes.

In other modules it leaves out tests that are marked `realdata`, `browser` or `slow` (measures memory or time, kills
processes, loads the encoder). A test that takes more than a second belongs to one of these.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="leave out slow tests, and search for counterexamples less")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--fast"):
        settings.load_profile("fast")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    place = collection_path.relative_to(Path(__file__).parent).as_posix()
    return True if config.getoption("--fast") and place in SLOW else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--fast"):
        left_out = [item for item in items if any(map(item.get_closest_marker, ("realdata", "browser", "slow")))]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(scope="session")
def sample_site() -> Path:
    """Root of the bundled sample site."""
    return REPOSITORY / "rag_assets/sample/tax_answer_site"


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real documents; the test is skipped where it is absent."""
    return _find_shared("realdata", "the real documents")


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of documents that were once read wrong; the test is skipped where it is absent."""
    return _find_shared("cases", "the cases")


def _find_shared(name: str, what: str) -> Path:
    """A folder beside the checkout, whatever the checkout is called; `TEST_DOCUMENTS` names another place for both."""
    folder = Path(os.environ.get("TEST_DOCUMENTS", REPOSITORY / "../shared")).resolve() / name
    if not folder.is_dir():
        pytest.skip(f"{what} ({folder.parent.name}/{name} beside the checkout, or below $TEST_DOCUMENTS) are not here")
    return folder
