"""What every test may ask for: where the documents are, and how long the search for counterexamples takes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile(
    "rag_assets", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("rag_assets")


@pytest.fixture(scope="session")
def sample_site() -> Path:
    """Root of the bundled sample site."""
    return REPOSITORY / "rag_assets/sample/tax_answer_site"


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real documents beside the checkout; the test is skipped where it is absent."""
    folder = (REPOSITORY / "../shared/realdata").resolve()
    if not folder.is_dir():
        pytest.skip("the real documents (../shared/realdata beside the checkout) are not here")
    return folder
