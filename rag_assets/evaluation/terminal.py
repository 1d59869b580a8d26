"""The comparison and quality tables for a terminal, as rich tables that fit 80 columns.

Intervals and passages stand in the HTML report alone.
"""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from rag_assets.corpus.variants import find_baseline
from rag_assets.evaluation.fault_labels import FAULTS, FaultLabel
from rag_assets.evaluation.grouping import choose_sources
from rag_assets.evaluation.labels import (
    MODE_NAMES,
    SHARE_COLUMNS,
    find_main_mode,
    format_milliseconds,
    format_share,
    source_column_name,
    source_name,
    split_name,
)
from rag_assets.evaluation.model import Comparison, Score
from rag_assets.model import QualityRow

_VERDICTS = {"better": ("良い", "green"), "worse": ("悪い", "red"), "noise": ("偶然", "dim")}


def make_comparison_table(
    scores: Sequence[Score],
    comparisons: Sequence[Comparison],
    *,
    split: str = "all",
    source: str = "all",
) -> Table:
    """Variants by search mode over the questions of one split and source.

    Args:
        scores: All scores of the run; those of other splits and sources are passed over.
        comparisons: Likewise; a row without one leaves its last two cells empty.
        split: `all`, `tune` or `holdout`.
        source: `all` or one source.

    Returns:
        A table at most 80 columns wide as long as variant names have at most 18 characters.
    """
    chosen = [score for score in scores if (score.split, score.source) == (split, source)]
    against = {(row.variant, row.mode): row for row in comparisons if (row.split, row.source) == (split, source)}
    baseline = next((row.baseline for row in against.values()), find_baseline(score.variant for score in chosen))
    questions = max((score.questions for score in chosen), default=0)

    table = _make_table(
        f"検索の比較：{source_name(source)}、{split_name(split)} {questions}問",
        f"差：MRR の {baseline} との差　偶然：検定で偶然と区別できない差\n"
        "R@5・R@10：正解の記事が見つかった割合　P50・P95：検索時間（ミリ秒）",
    )
    table.add_column("検索", no_wrap=True)
    table.add_column("variant", overflow="fold")
    for heading in ("件数", "MRR", *(column.short_heading for column in SHARE_COLUMNS), "P50", "P95", "差"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("判定", no_wrap=True)

    for mode in MODE_NAMES:
        rows = sorted((score for score in chosen if score.mode == mode), key=lambda score: score.variant != baseline)
        best = max((score.mrr for score in rows), default=0.0)
        for position, score in enumerate(rows):
            comparison = against.get((score.variant, mode))
            table.add_row(
                mode if position == 0 else "",
                score.variant,
                f"{score.chunks}",
                Text(f"{score.mrr:.3f}", style="bold" if score.mrr == best else ""),
                *(f"{getattr(score, column.field):.0%}" for column in SHARE_COLUMNS),
                format_milliseconds(score.latency_p50_ms),
                format_milliseconds(score.latency_p95_ms),
                f"{comparison.difference:+.3f}" if comparison else "",
                Text(*_VERDICTS[comparison.verdict]) if comparison else "",
                end_section=position == len(rows) - 1,
            )
    return table


def make_quality_table(rows: Sequence[QualityRow]) -> Table:
    """Faults of each variant's passages: shares of the passages, and plain counts of table rows and records.

    Args:
        rows: One row a variant and source; shown are those of all sources together, the baseline's first.

    Returns:
        A table at most 80 columns wide as long as variant names have at most 18 characters.
    """
    source = next(iter(choose_sources(row.source for row in rows)), "all")
    shown = [row for row in rows if row.source == source]
    there = [fault for fault in FAULTS if any(getattr(row, fault.fault) for row in shown)]
    absent = [fault.heading.replace("\n", "") for fault in FAULTS if fault not in there]
    table = _make_table(
        "コーパスの質（質問なしで分かる不備）",
        "%：チャンクに占める割合　表見出なし：見出しから切り離された表の行の数\n"
        "余計な行：ページ番号や目次など、記事でない行が混ざる\n"
        "字数中央：チャンクの長さの中央値" + (f"\nどの variant にもない不備：{'、'.join(absent)}" if absent else ""),
    )
    table.add_column("variant", overflow="fold")
    for heading in ("件数", *(fault.heading for fault in there), "字数\n中央"):
        table.add_column(heading, justify="right", no_wrap=True)
    baseline = find_baseline(row.variant for row in shown)
    for row in sorted(shown, key=lambda row: row.variant != baseline):
        faults = [_make_fault_cell(row, fault) for fault in there]
        table.add_row(row.variant, f"{row.passages}", *faults, f"{row.length_p50}")
    return table


def make_source_table(scores: Sequence[Score]) -> Table | None:
    """MRR by variant and source in the main mode of the run; None where there is but one source.

    Args:
        scores: All scores of the run; the baseline's row comes first.

    Returns:
        A table at most 80 columns wide as long as variant names have at most 18 characters and there are at most
        five sources.
    """
    mode = find_main_mode(score.mode for score in scores)
    chosen = [score for score in scores if (score.split, score.mode) == ("all", mode)]
    sources = choose_sources(score.source for score in chosen)
    if len(sources) < 2:
        return None
    found = {(score.variant, score.source): score for score in chosen}
    table = _make_table(f"文書の種類ごとの MRR（{mode}、全問）", "太字：その種類で最も良い値")
    table.add_column("variant", overflow="fold")
    for source in sources:
        questions = max(score.questions for score in chosen if score.source == source)
        table.add_column(f"{source_column_name(source)}\n{questions}問", justify="right", no_wrap=True)
    names = list(dict.fromkeys(score.variant for score in chosen))
    baseline = find_baseline(names)
    for variant in sorted(names, key=lambda name: name != baseline):
        table.add_row(variant, *(_make_mrr_cell(found, variant, source) for source in sources))
    return table


"""Names of sources that are too wide for a column."""


def _make_mrr_cell(found: Mapping[tuple[str, str], Score], variant: str, source: str) -> Text:
    score = found.get((variant, source))
    if score is None:
        return Text("")
    best = max(other.mrr for (_, of), other in found.items() if of == source)
    return Text(f"{score.mrr:.3f}", style="bold" if score.mrr == best else "")


def _make_fault_cell(row: QualityRow, label: FaultLabel) -> Text:
    count: int | None = getattr(row, label.fault)
    if count is None:
        return Text("－", style="dim")
    text = format_share(count, row.passages) if label.unit == "チャンク" else f"{count}"
    return Text(text, style="yellow" if count else "green")


def _make_table(title: str, caption: str) -> Table:
    return Table(
        title=title,
        caption=caption,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
