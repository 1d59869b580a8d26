"""The tables in a terminal of 80 columns."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from rag_assets.evaluation.fault_labels import FAULTS
from rag_assets.evaluation.labels import format_share, source_name
from rag_assets.evaluation.terminal import make_comparison_table, make_quality_table, make_source_table
from rag_assets.sources.registry import SOURCES
from rag_assets_tests.evaluation.report.report_example import VARIANTS, example_report, quality_row

REPORT = example_report()


def printed(table: Table, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(
    "table", [make_comparison_table(REPORT.scores, REPORT.comparisons), make_quality_table(REPORT.quality)]
)
def test_a_table_fits_80_columns_with_nothing_cut(table: Table) -> None:
    lines = printed(table)
    assert max(map(cell_len, lines)) <= 80
    assert "…" not in "".join(lines)
    assert lines == [line[: len(line)] for line in printed(table, 200)], "wider terminals change nothing"
    for variant in VARIANTS:
        assert any(variant.name in line.split() for line in lines)


def test_every_row_ends_in_the_same_column() -> None:
    lines = [line for line in printed(make_quality_table(REPORT.quality)) if line.startswith(("raw", "prepared"))]
    assert len(lines) == len(VARIANTS)
    assert len({cell_len(line) for line in lines}) == 1


def test_the_baseline_comes_first_in_every_mode() -> None:
    lines = printed(make_comparison_table(REPORT.scores, REPORT.comparisons))
    for mode in ("hybrid", "bm25", "dense"):
        assert next(line for line in lines if line.startswith(mode)).split()[1] == "raw"
    rows = printed(make_quality_table(REPORT.quality))
    assert next(line for line in rows if line.startswith(("raw", "prepared"))).startswith("raw")


def test_sources_are_compared_in_the_search_there_was() -> None:
    """A Knowledge Base in S3 Vectors is searched by meaning alone."""
    of_both = [
        score.model_copy(update={"source": source})
        for score in REPORT.scores
        for source in ("all", "law", "tax_answer")
    ]
    for mode in ("hybrid", "dense"):
        table = make_source_table([score for score in of_both if mode == "hybrid" or score.mode == mode])
        assert table is not None
        assert f"（{mode}、全問）" in printed(table)[0]


def test_noise_is_called_chance() -> None:
    noise = next(row for row in REPORT.comparisons if row.verdict == "noise" and row.split == "all")
    line = next(
        line
        for line in printed(
            make_comparison_table([row for row in REPORT.scores if row.mode == noise.mode], REPORT.comparisons)
        )
        if noise.variant in line.split()
    )
    assert line.split()[-2:] == [f"{noise.difference:+.3f}", "偶然"]


def test_only_the_split_asked_for_is_shown() -> None:
    lines = printed(make_comparison_table(REPORT.scores, REPORT.comparisons, split="holdout"))
    holdout = [score for score in REPORT.scores if score.split == "holdout"]
    assert f"確認用（holdout） {holdout[0].questions}問" in lines[0]
    shown = [line for line in lines[3:-2] if any(variant.name in line.split() for variant in VARIANTS)]
    assert len(shown) == len(holdout)
    for score in holdout:
        assert any(f"{score.mrr:.3f}" in line for line in shown)


def test_scores_without_comparisons_are_shown() -> None:
    lines = printed(make_comparison_table(REPORT.scores, []))
    assert sum("prepared_400_dict" in line for line in lines) == 3


def test_all_sources_together_are_judged_in_one_row_a_variant() -> None:
    rows = [quality_row(name, source) for source in ("all", "tax_answer", "law") for name in ("raw", "prepared_400")]
    lines = [line.split()[0] for line in printed(make_quality_table(rows)) if line.startswith(("raw", "prepared"))]
    assert lines == ["raw", "prepared_400"]


def test_variants_are_compared_by_source() -> None:
    of_law = [score.model_copy(update={"source": "law", "mrr": score.mrr / 2}) for score in REPORT.scores]
    of_rules = [score.model_copy(update={"source": source}) for score in of_law for source in list(SOURCES)[1:]]
    table = make_source_table([*REPORT.scores, *of_law, *of_rules])
    assert table is not None
    lines = printed(table)
    assert max(map(cell_len, lines)) <= 80
    raw = next(score for score in REPORT.scores if (score.variant, score.split, score.mode) == ("raw", "all", "hybrid"))
    row = next(line for line in lines if line.startswith("raw")).split()
    assert row[1:3] == [f"{raw.mrr:.3f}", f"{raw.mrr / 2:.3f}"]
    assert any("就業規則" in line for line in lines)


def test_one_source_is_not_compared_with_itself() -> None:
    assert make_source_table(REPORT.scores) is None


def test_every_source_has_a_name_for_readers() -> None:
    assert all(source_name(source) != source for source in SOURCES)


@given(st.integers(1, 10**6), st.data())
def test_a_share_never_hides_a_fault_nor_an_exception(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    told = format_share(count, total)
    assert (told == "0") == (count == 0)
    assert (told == "100%") == (count == total)
    assert told != "0.0%"
    assert cell_len(told) <= 5


def test_column_headings_stay_narrow() -> None:
    for words in FAULTS:
        assert all(cell_len(line) <= 6 for line in words.heading.split("\n"))


def test_a_single_source_beside_all_is_not_told_twice() -> None:
    rows = [quality_row(name, source) for name in ("raw", "prepared_400") for source in ("all", "tax_answer")]
    text = "\n".join(printed(make_quality_table(rows), 100))
    assert "tax_answer" not in text
    assert text.count("prepared_400") == 1
