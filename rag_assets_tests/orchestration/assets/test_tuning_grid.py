"""The tuning grid as an asset, and as the command `tune`."""

import csv
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from rag_assets.cli.main import main
from rag_assets.orchestration.stages import TUNE, plan_run, plan_tune
from rag_assets.settings import Settings
from rag_assets_tests.small_site import folder_site

QUESTIONS = """\
id,question,gold,split
q1,記事2594の取扱いは？,2594,tune
q2,記事2502の取扱いは？,2502,holdout
q3,火星の税金は？,,unanswerable
"""
SETTINGS = """\
[tuning]
windows = [256]
overlaps = [0, 20]
limits = [400]
hierarchical = false
semantic = false
fusions = ["zscore"]
bm25_weights = [0.3]
price_per_million_tokens = 0.02
"""


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "rag_assets.toml").write_text(SETTINGS)
    (tmp_path / "dictionaries").mkdir()
    monkeypatch.setenv("RAG_ASSETS_SETTINGS_FILE", str(tmp_path / "rag_assets.toml"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    site = folder_site(tmp_path / "site", "2502", "2594")
    given = {"home": tmp_path / "home", "tax-answer": site, "questions": tmp_path / "questions.csv"}
    return [f"--{name}={value}" for name, value in (given | {"dictionaries": tmp_path / "dictionaries"}).items()]


@pytest.mark.slow
def test_one_command_makes_the_table_and_again_only_what_has_changed(
    arguments: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", *arguments]) == 0
    shown = capfd.readouterr()
    assert "1/4 Fetch sources" in shown.err
    assert "structure_400" in shown.out
    assert str(tmp_path / "home/reports/tuning.html") in shown.out.replace("\n", "")
    with (tmp_path / "home/reports/tuning.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    cuts = {row["cut"] for row in rows}
    assert cuts == {
        *(f"windows_256_overlap_{overlap}" for overlap in (0, 20)),
        *(f"structure_400{change}" for change in ("", "_no_header", "_no_digits", "_dict")),
    }
    assert len(rows) == 3 * len(cuts)
    page = BeautifulSoup((tmp_path / "home/reports/tuning.html").read_text(encoding="utf-8"), "html.parser")
    assert len(page.select("tbody tr")) == len(rows)
    assert "確認用の 1 問" in page.select_one("p.choice").get_text()  # type: ignore[union-attr]
    assert not (tmp_path / "home/corpus").exists()
    assert main(["tune", *arguments]) == 0
    assert capfd.readouterr().err.count(": unchanged") == len(cuts)


def test_the_grid_is_no_part_of_a_run(tmp_path: Path) -> None:
    settings = Settings(tax_answer="sample", home=tmp_path)
    assert all("tuning_grid" not in stage.assets for stage in plan_run(settings))
    assert [stage.title for stage in plan_tune(settings)] == [
        "Fetch sources",
        "Read records",
        "Check questions",
        "Tune",
    ]
    assert plan_tune(settings)[-1].job == TUNE
