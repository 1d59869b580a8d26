from pathlib import Path

import pytest

from rag_assets.japanese.composed import compose
from rag_assets.sources.guides.folder import find_guides, tell_unread
from rag_assets.sources.guides.settings import GuideSettings


def _folder(root: Path, *names: str) -> GuideSettings:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# 題\n\n文", encoding="utf-8")
    return GuideSettings(key="book", location=str(root))


def _paths(settings: GuideSettings) -> list[str]:
    return [document.path for document in find_guides(settings)]


def test_every_readable_file_is_a_document_and_the_others_are_told(tmp_path: Path) -> None:
    settings = _folder(
        tmp_path, "b.md", "_index.md", "a/c.html", "a/d.docx", "e.pdf", "old.doc", "pic.png", "hyo.xlsx", "LICENSE",
        ".git/x.md", "~$d.docx", "node_modules/y.md", "style.css", "Thumbs.db",
    )  # fmt: skip
    documents = find_guides(settings)
    assert [document.path for document in documents] == ["_index.md", "b.md", "e.pdf", "a/c.html", "a/d.docx"]
    assert set(documents[0].unread) == {"old.doc", "pic.png", "hyo.xlsx", "LICENSE"}
    assert not any(document.unread for document in documents[1:])


@pytest.mark.parametrize(("path", "remedy"), [("old.doc", ".docx"), ("hyo.xls", "--csv-rows"), ("pic.png", "OCR")])
def test_unread_files_are_told_with_what_to_do(path: str, remedy: str) -> None:
    finding = tell_unread(path)
    assert (finding.kind, finding.place) == ("note", path)
    assert remedy in finding.message


def test_patterns(tmp_path: Path) -> None:
    settings = _folder(tmp_path, "a.md", "drafts/b.md", "c/drafts/d.md", "c/e.draft.md", "c/f.MD")
    assert _paths(settings) == ["a.md", "c/e.draft.md", "c/f.MD", "c/drafts/d.md", "drafts/b.md"]
    narrowed = settings.model_copy(update={"exclude": ("drafts/**", "*.draft.md")})
    assert _paths(narrowed) == ["a.md", "c/f.MD", "c/drafts/d.md"]
    assert _paths(settings.model_copy(update={"exclude": ("**/drafts/*",)})) == ["a.md", "c/e.draft.md", "c/f.MD"]
    assert _paths(settings.model_copy(update={"include": ("c/*.md",)})) == ["c/e.draft.md", "c/f.MD"]


@pytest.mark.parametrize("name", ["\ufa19田.md", "か\u3099く.md", "がく.md", "\u795e田.md"])
def test_a_pattern_as_settings_have_it_matches_the_name_it_was_copied_from(tmp_path: Path, name: str) -> None:
    """Settings compose か and a combining mark, and leave the compatibility ideographs of names as they are."""
    settings = _folder(tmp_path, name, "other.md")
    assert _paths(settings.model_copy(update={"include": (compose(name),)})) == [compose(name)]


def test_keys_are_ascii_unique_and_do_not_depend_on_other_files(tmp_path: Path) -> None:
    names = ["a-b.md", "a/b.md", "A/b.md", "a b.md", "経費.md", "規則.md", "a/b.html", "x" * 150 + ".md", "y/_index.md"]
    settings = _folder(tmp_path, *names)
    keys = {document.path: document.key for document in find_guides(settings)}
    assert len(set(keys.values())) == len(names)
    assert (keys["a-b.md"], keys["a/b.md"], keys["y/_index.md"]) == ("book--a-b", "book--a--b", "book--y--_index")
    assert all(key.isascii() and len(key) <= 100 for key in keys.values())
    (tmp_path / "a/b.html").unlink()
    assert {document.path: document.key for document in find_guides(settings)}.items() <= keys.items()


def test_a_file_or_address_stands_for_itself(tmp_path: Path) -> None:
    _folder(tmp_path, "a.md")
    for location in (str(tmp_path / "a.md"), "https://example.jp/a.md", str(tmp_path / "none.md")):
        settings = GuideSettings(key="a", location=location)
        assert find_guides(settings) == [settings]
