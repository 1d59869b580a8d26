"""The files of a report, and the figures that a terminal reads from them."""

from pathlib import Path

import pytest

from rag_assets.evaluation.report.files import read_report_tables, write_report
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError
from rag_assets_tests.evaluation.report.report_example import example_report


def test_the_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    report = example_report()
    write_report(Home(tmp_path), report)
    tables = read_report_tables(Home(tmp_path))
    assert (tables.scores, tables.comparisons, tables.quality) == (report.scores, report.comparisons, report.quality)
    assert tables.searched == {result.variant: result.searched for result in report.results}
    assert list(tables.searched) == list(dict.fromkeys(result.variant for result in report.results))


def test_a_report_is_a_page_and_its_tables(tmp_path: Path) -> None:
    write_report(Home(tmp_path), example_report())
    assert {path.name for path in Home(tmp_path).reports.iterdir()} == {
        "report.html",
        "retrieval.csv",
        "retrieval_hits.csv",
        "comparisons.csv",
        "corpus_quality.csv",
    }


def test_figures_that_are_not_there_are_named_with_the_asset_that_makes_them(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"report\.tables\.jsonl does not exist yet: materialize retrieval_report"):
        read_report_tables(Home(tmp_path))
