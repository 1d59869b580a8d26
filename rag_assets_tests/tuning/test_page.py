"""What people see of a tuning grid."""

import csv
import io
import tomllib

import pytest
from bs4 import BeautifulSoup

from rag_assets.model import Preparing
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.tuning.cuts import Cut
from rag_assets.tuning.grid import GridChoice, GridRow
from rag_assets.tuning.page import COLUMNS, describe_choice, make_csv, make_page, make_settings
from rag_assets_tests.tuning.rows import row_of

BEST = row_of(Cut(kind="structure", size=600, dictionary=True), (1, 1, 2, 0), SearchSettings(fusion="rrf"))
OTHER = row_of(Cut(kind="windows", size=256, overlap=20), (0, 4, 0, 0))
CHOICE = GridChoice(
    best=BEST.name,
    default=OTHER.name,
    tune_mrr=1,
    holdout_mrr=0.25,
    low=0.1,
    high=0.4,
    difference=0.25,
    p_value=0.2,
    is_winner=False,
    questions=2,
)


def test_the_table_is_sorted_by_mrr_and_marks_the_best() -> None:
    page = BeautifulSoup(make_page([OTHER, BEST], CHOICE, 0.02), "html.parser")
    rows = page.select("tbody tr")
    assert [row.get("class") for row in rows] == [["best"], None]
    assert len(rows[0].select("td")) == len(page.select("th button")) == len(COLUMNS)
    cells = [cell.get_text() for cell in rows[0].select("td")]
    assert cells[:3] == ["structure_600_dict", "hybrid rrf 3 0.3", "1,234"]
    assert cells[-2:] == ["1,000,000", "0.02"]
    assert page.select("td")[2]["data-value"] == "1234"
    assert len(page.select("svg circle")) == 2


def test_the_verdict_names_both_kinds_of_questions_and_noise() -> None:
    told = describe_choice(CHOICE)
    assert BEST.name in told
    assert OTHER.name in told
    assert "確認用の 2 問では 0.250" in told
    assert "偶然と区別できない" in told
    assert "偶然とは考えにくい" in describe_choice(CHOICE.model_copy(update={"is_winner": True}))
    assert "最も良かったのは、既定の" in describe_choice(CHOICE.model_copy(update={"default": CHOICE.best}))
    assert "そろっていません" in describe_choice(None)


def test_settings_to_paste_are_settings() -> None:
    read = tomllib.loads(make_settings(BEST))
    assert (read["fusion"], read["bm25_weight"], read["rrf_constant"]) == ("rrf", 0.3, 3)
    assert Preparing(**read["variant"][BEST.cut.name]) == Preparing(limit=600, digits=True, dictionary=True)
    assert make_settings(OTHER) == ""


@pytest.mark.parametrize("rows", [[], [OTHER], [BEST, OTHER]])
def test_the_csv_has_the_same_figures(rows: list[GridRow]) -> None:
    read = list(csv.DictReader(io.StringIO(make_csv(rows, 0))))
    assert [row["cut"] for row in read] == [row.cut.name for row in rows]
    assert all(float(row["embedding_usd"]) == 0 for row in read)


def test_a_grid_of_nothing_is_a_page_all_the_same() -> None:
    page = BeautifulSoup(make_page([], None, 0), "html.parser")
    assert not page.select("tbody tr, svg, pre")
