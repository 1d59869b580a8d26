"""What the project ships is invented: no run of its text stands in the real documents."""

import re
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from rag_assets_tests.conftest import REPOSITORY

_RUN = 25
"""Characters from which equal text is no coincidence of the language."""
_SHIPPED = (
    "rag_assets",
    "rag_assets_tests",
    "dictionaries",
    "benchmarks",
    "emulation",
    "docs",
    "README.md",
    "README.ja.md",
)
_TEXT = frozenset({".py", ".md", ".txt", ".csv", ".xml", ".htm", ".html", ".jsonl", ".pdf", ".toml", ".docx"})
_NO_WORDS = re.compile(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>")
_FORM = re.compile(r"【令和[0-9元]+年[0-9]+月(?:追加|改訂)】|[.…・]{3,}")
"""Marks and leaders that any booklet of the kind prints."""


def _plain(text: str) -> str:
    """The words alone; ASCII, such as addresses and code, parts them."""
    text = re.sub(r"\s", "", unicodedata.normalize("NFKC", text))
    return re.sub(r"[!-~]{16,}", "\0", _FORM.sub("", text))


def _words(path: Path) -> str:
    if path.suffix == ".pdf":
        return _plain("".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)))
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            return _plain(_NO_WORDS.sub("", archive.read("word/document.xml").decode()))
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp932", "replace")
    if path.suffix in (".xml", ".htm", ".html"):
        text = _NO_WORDS.sub("", text)
    if path.suffix == ".py":
        text = re.sub(r'"\s*f?"', "", text)
    return _plain(text)


def _files(*places: Path) -> Iterator[Path]:
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix in _TEXT:
                yield path


def _common(shipped: dict[str, str], real: Iterator[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Runs that stand in both, with where they stand."""
    ours = {
        text[at : at + _RUN]: name
        for name, text in shipped.items()
        for at in range(len(text) - _RUN + 1)
        if "\0" not in text[at : at + _RUN]
    }
    return {
        text[at : at + _RUN]: (ours[text[at : at + _RUN]], name)
        for name, text in real
        for at in range(len(text) - _RUN + 1)
        if text[at : at + _RUN] in ours
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        (
            "あ" * 10 + "店で働く人はその日のうちに店長へ届け出なければならない",
            "店で働く人は、その日のうちに店長へ届け出なければならない",
            0,
        ),
        (
            "あ" * 10 + "店で働く人はその日のうちに店長へ届け出なければならない",
            "店で働く人は その日のうちに\n店長へ届け出なければならないい",
            3,
        ),
        ("目次" + "…" * 40 + "１０", "目次" + "." * 50 + "10", 0),
        ("https://example.org/a/long/path/of/a/page", "https://example.org/a/long/path/of/a/page", 0),
    ],
)
def test_runs_are_found_whatever_the_layout(ours: str, theirs: str, found: int) -> None:
    assert len(_common({"a": _plain(ours)}, iter([("b", _plain(theirs))]))) == found


@pytest.mark.realdata
def test_no_text_of_the_real_documents_is_shipped(realdata: Path) -> None:
    shipped = {str(path.relative_to(REPOSITORY)): _words(path) for path in _files(*map(REPOSITORY.joinpath, _SHIPPED))}
    assert len(shipped) > 100
    assert sum(map(len, shipped.values())) > 100_000
    documents = (path for path in _files(realdata) if path.name != "README.md" and path.parent.name != "questions")
    common = _common(shipped, ((str(path.relative_to(realdata)), _words(path)) for path in documents))
    assert common == {}, "write it in words of your own"
