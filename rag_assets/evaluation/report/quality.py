"""The quality of the corpora on the page: the table of faults, examples, and histograms of lengths."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from rag_assets.evaluation.fault_labels import FAULTS, FaultLabel
from rag_assets.evaluation.grouping import choose_sources
from rag_assets.evaluation.labels import format_share, source_name
from rag_assets.evaluation.report.charts import choose_colours, compute_length_shares, draw_lengths
from rag_assets.evaluation.report.model import Report
from rag_assets.model import QualityRow, Variant

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class FaultCell:
    """One variant's count of one fault; `shade` from 0 to 1; `figure` is empty where it does not apply."""

    variant: str
    figure: str
    detail: str
    shade: float
    examples: list[tuple[str, str | None]] = field(default_factory=list)


@dataclass(frozen=True)
class QualityPanel:
    """The fault table and length histograms of one source."""

    source: str
    rows: list[QualityRow]
    faults: list[tuple[FaultLabel, list[FaultCell]]]
    histograms: list[tuple[QualityRow, "Markup"]]


def make_quality_panels(report: Report) -> Iterator[QualityPanel]:
    """A panel for every source with quality rows, all sources together first."""
    variants = {variant.name: variant for variant in report.ordered_variants}
    texts = {(hit.variant, hit.chunk_id): hit.text for result in report.results for hit in result.hits}
    texts |= {(example.variant, example.chunk_id): example.text for example in report.examples}
    for source in choose_sources(row.source for row in report.quality):
        found = {row.variant: row for row in report.quality if row.source == source}
        rows = [found[name] for name in variants if name in found]
        yield QualityPanel(
            source=source,
            rows=rows,
            faults=[
                (fault, [_make_cell(row, fault, variants[row.variant], texts) for row in rows]) for fault in FAULTS
            ],
            histograms=_draw_histograms(rows, choose_colours(list(variants)), source),
        )


def _draw_histograms(
    rows: list[QualityRow], colours: Mapping[str, str], source: str
) -> list[tuple[QualityRow, "Markup"]]:
    from markupsafe import Markup

    filled = (number for row in rows for number, count in enumerate(row.histogram, start=1) if count)
    bins = max(filled, default=1)
    shares = [share for row in rows for share in compute_length_shares(row.histogram, bins)]
    draw = partial(draw_lengths, bins=bins, top_share=max(shares))
    return [
        (
            row,
            Markup(
                draw(
                    row.histogram,
                    chart_id=f"lengths-{source}-{row.variant}",
                    title=f"{row.variant} のチャンクの長さの分布（{source_name(source)}）",
                    colour=colours[row.variant],
                    median=row.length_p50,
                )
            ),
        )
        for row in rows
    ]


def _make_cell(row: QualityRow, label: FaultLabel, variant: Variant, texts: Mapping[tuple[str, str], str]) -> FaultCell:
    if label.fault == "over_limit" and variant.limit is None:
        return FaultCell(row.variant, "", "上限なし", 0.0)
    count: int | None = getattr(row, label.fault)
    if count is None:
        return FaultCell(row.variant, "", "数えられない", 0.0)
    share = min(1.0, count / row.passages) if row.passages else float(count > 0)
    if label.unit == "チャンク":
        figure, detail = format_share(count, row.passages), f"{count:,} 件"
    else:
        figure, detail = f"{count:,}", label.unit
    # A square root, so that one passage in a hundred can be told from none by eye.
    shade = math.sqrt(share) if label.fault != "lost_records" else float(count > 0)
    examples = [(chunk_id, texts.get((row.variant, chunk_id))) for chunk_id in row.examples.get(label.fault, ())]
    return FaultCell(row.variant, figure, detail, shade, examples)
