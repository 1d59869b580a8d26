import unicodedata
from pathlib import Path

import pytest

from rag_assets.store.file_names import existing_path
from rag_assets_tests.japanese.test_composed import Form


@pytest.mark.parametrize(("named", "asked"), [("NFD", "NFC"), ("NFC", "NFD"), ("NFC", "NFC")])
def test_a_file_is_found_in_either_spelling(tmp_path: Path, named: Form, asked: Form) -> None:
    folder = tmp_path / unicodedata.normalize(named, "ごみ") / "2026"
    folder.mkdir(parents=True)
    file = folder / unicodedata.normalize(named, "分別が.csv")
    file.touch()
    wanted = tmp_path / unicodedata.normalize(asked, "ごみ") / "2026" / unicodedata.normalize(asked, "分別が.csv")
    assert existing_path(wanted) == file


def test_a_file_that_is_not_there_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("が").mkdir()
    for path in (Path("か/い.csv"), Path("が/い.csv"), tmp_path / "ん", Path()):
        assert existing_path(path) == path
