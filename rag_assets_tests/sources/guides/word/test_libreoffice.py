"""The sample's Word document, opened and saved by another word processor, is read the same."""

import shutil
import subprocess
from pathlib import Path

import pytest

from rag_assets.sources.guides.word import read_word
from rag_assets_tests.sample_documents.travel_expenses import travel_expenses_docx
from rag_assets_tests.sources.guides.word.word_files import lines_of


def test_a_document_saved_by_libreoffice(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice, which saves the document anew, is not here")
    given = tmp_path / "travel_expenses.docx"
    given.write_bytes(travel_expenses_docx())
    command = [office, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless"]
    saved = tmp_path / "saved"
    subprocess.run(
        [*command, "--convert-to", "docx:MS Word 2007 XML", "--outdir", saved, given], check=True, capture_output=True
    )
    with given.open("rb") as before, (saved / given.name).open("rb") as after:
        ours, theirs = read_word(before), read_word(after)
    assert lines_of(theirs) == lines_of(ours)
    assert (theirs.title, theirs.dated) == (ours.title, ours.dated)
    assert [finding.topic for finding in theirs.findings] == [finding.topic for finding in ours.findings]
