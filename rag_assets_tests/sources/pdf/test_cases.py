"""The cases in which PDF text was found at fault, where they lie beside the checkout."""

from pathlib import Path

import pytest

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.pdf.pages import read_pages

pytestmark = pytest.mark.realdata


def read(path: Path) -> tuple[str, list[str]]:
    findings: list[Finding] = []
    with path.open("rb") as file:
        text = "".join(line.text for page in read_pages(file, findings=findings) for line in page.lines)
    return text, [finding.topic for finding in findings]


def test_a_raised_figure(cases: Path) -> None:
    assert "面積は10³平方メートルとする。" in read(cases / "11-pdf-superscript/sup_ascii.pdf")[0]


@pytest.mark.parametrize("name", ["invisible.pdf", "white.pdf"])
def test_hidden_text(cases: Path, name: str) -> None:
    text, topics = read(cases / "12-pdf-invisible" / name)
    assert "無効" not in text
    assert topics == ["hidden text"]


def test_a_form_value(cases: Path) -> None:
    text, topics = read(cases / "14-pdf-form-field/acroform.pdf")
    assert "60" in text
    assert topics == ["form field"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("word.docx", "Word"), ("policy.md", "Markdown"), ("page.html", "HTML"), ("slides.pptx", "PowerPoint")],
)
def test_a_wrong_file(cases: Path, name: str, kind: str) -> None:
    with pytest.raises(DocumentError, match=kind) as told:
        read(cases / name)
    assert "fetch it again" not in str(told.value)
