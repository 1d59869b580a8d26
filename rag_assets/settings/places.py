"""Where files lie that no setting names: the bundled samples, the dictionaries of the clone."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]

SAMPLE_NAME = "sample"
"""What a setting says for the bundled sample of a source."""
SAMPLE = PACKAGE / "sample"
SAMPLE_SITE = SAMPLE / "tax_answer_site"
SAMPLE_QUESTIONS = SAMPLE / "questions"
SAMPLE_DICTIONARIES = SAMPLE / "dictionaries"
SAMPLE_DOCUMENT = "みほん国税庁タックスアンサー（架空の見本）"
"""Name of the sample site in headers."""
LIVE_SITE = "https://www.nta.go.jp"


def find_dictionaries() -> Path:
    """The dictionaries of the clone; an installed package has none beside it, and takes the working directory's."""
    beside = PACKAGE.parent / "dictionaries"
    return beside if beside.is_dir() else Path("dictionaries")
