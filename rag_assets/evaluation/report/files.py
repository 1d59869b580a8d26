"""The files of a report: the page, its tables as CSV, and the figures that the terminal shows."""

from rag_assets.evaluation.report.model import Report, ReportTables
from rag_assets.evaluation.report.render import render_report
from rag_assets.evaluation.tables import (
    make_comparison_table,
    make_hit_table,
    make_quality_table,
    make_score_table,
    to_csv,
)
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_if_changed, write_lines


def write_report(home: Home, report: Report) -> None:
    """Write all of them.

    Raises:
        StorageError: One could not be written.
    """
    tables = {
        "retrieval.csv": make_score_table(report.scores),
        "retrieval_hits.csv": make_hit_table(report.results),
        "comparisons.csv": make_comparison_table([*report.comparisons, *report.further_comparisons]),
        "corpus_quality.csv": make_quality_table(report.quality),
    }
    write_if_changed(home.reports / "report.html", render_report(report).encode())
    for name, table in tables.items():
        write_if_changed(home.reports / name, to_csv(table))
    write_lines(home.report_tables, [report.tables])


def read_report_tables(home: Home) -> ReportTables:
    """The figures of the last report.

    Raises:
        StorageError: There is none, or it was written by another version.
    """
    (tables,) = read_lines(home.report_tables, ReportTables, "retrieval_report")
    return tables
