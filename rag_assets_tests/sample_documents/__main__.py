"""Writes the sample's PDF and Word documents; what they say is in the modules of their names."""

from pathlib import Path

from rag_assets_tests.sample_documents import SAMPLE_PDFS, SAMPLE_WORD_FILES

FOLDER = Path(__file__).resolve().parents[2] / "rag_assets/sample/documents"


def main() -> None:
    """Write every document; one that has not changed keeps its bytes."""
    for name, make in {**SAMPLE_PDFS, **SAMPLE_WORD_FILES}.items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(make())


if __name__ == "__main__":
    main()
