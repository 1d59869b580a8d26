"""The tables in a terminal of 80 columns."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from rag_assets.evaluation.terminal import comparison_table, quality_table
from rag_assets.evaluation.wording import FAULTS, share_of
from rag_assets_tests.evaluation.report_example import VARIANTS, example_report, quality_row

REPORT = example_report()


def printed(table: Table, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("table", [comparison_table(REPORT.scores, REPORT.comparisons), quality_table(REPORT.quality)])
def test_a_table_fits_80_columns_with_nothing_cut(table: Table) -> None:
    lines = printed(table)
    assert max(map(cell_len, lines)) <= 80
    assert "…" not in "".join(lines)
    assert lines == [line[: len(line)] for line in printed(table, 200)], "wider terminals change nothing"
    for variant in VARIANTS:
        assert any(variant.name in line.split() for line in lines)


def test_every_row_ends_in_the_same_column() -> None:
    lines = [line for line in printed(quality_table(REPORT.quality)) if line.startswith(("raw", "prepared"))]
    assert len(lines) == len(VARIANTS)
    assert len({cell_len(line) for line in lines}) == 1


def test_the_baseline_comes_first_in_every_mode() -> None:
    lines = printed(comparison_table(REPORT.scores, REPORT.comparisons))
    for mode in ("hybrid", "bm25", "dense"):
        assert next(line for line in lines if line.startswith(mode)).split()[1] == "raw"
    rows = printed(quality_table(REPORT.quality))
    assert next(line for line in rows if line.startswith(("raw", "prepared"))).startswith("raw")


def test_noise_is_called_chance() -> None:
    noise = next(row for row in REPORT.comparisons if row.verdict == "noise" and row.split == "all")
    line = next(
        line
        for line in printed(
            comparison_table([row for row in REPORT.scores if row.mode == noise.mode], REPORT.comparisons)
        )
        if noise.variant in line.split()
    )
    assert line.split()[-2:] == [f"{noise.difference:+.3f}", "偶然"]


def test_only_the_split_asked_for_is_shown() -> None:
    lines = printed(comparison_table(REPORT.scores, REPORT.comparisons, split="holdout"))
    holdout = [score for score in REPORT.scores if score.split == "holdout"]
    assert f"確認用（holdout） {holdout[0].questions}問" in lines[0]
    shown = [line for line in lines[3:-2] if any(variant.name in line.split() for variant in VARIANTS)]
    assert len(shown) == len(holdout)
    for score in holdout:
        assert any(f"{score.mrr:.3f}" in line for line in shown)


def test_scores_without_comparisons_are_shown() -> None:
    lines = printed(comparison_table(REPORT.scores, []))
    assert sum("prepared_400_dict" in line for line in lines) == 3


def test_several_sources_are_named() -> None:
    rows = [quality_row("raw", "tax_answer"), quality_row("raw", "law"), quality_row("prepared_400", "law")]
    lines = [line.split()[:2] for line in printed(quality_table(rows), 100)]
    assert ["tax_answer", "raw"] in lines
    assert ["law", "prepared_400"] in lines


@given(st.integers(1, 10**6), st.data())
def test_a_share_never_hides_a_fault_nor_an_exception(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    told = share_of(count, total)
    assert (told == "0") == (count == 0)
    assert (told == "100%") == (count == total)
    assert told != "0.0%"
    assert cell_len(told) <= 5


def test_column_headings_stay_narrow() -> None:
    for words in FAULTS:
        assert all(cell_len(line) <= 6 for line in words.heading.split("\n"))


def test_a_single_source_beside_all_is_not_told_twice() -> None:
    rows = [quality_row(name, source) for name in ("raw", "prepared_400") for source in ("all", "tax_answer")]
    text = "\n".join(printed(quality_table(rows), 100))
    assert "tax_answer" not in text
    assert text.count("prepared_400") == 1
