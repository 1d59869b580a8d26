"""What people see of a tuning grid: a page with a table to sort, a picture and settings to paste; the same as CSV."""

import csv
import io
import math
from collections.abc import Sequence
from html import escape

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from rag_assets.tuning.grid import GridChoice, GridRow

_LABELS = {
    "cut": "切り方",
    "search": "検索",
    "passages": "件数",
    "recall_at_5": "Recall@5",
    "recall_at_10": "Recall@10",
    "mrr_at_10": "MRR@10",
    "hit_at_8": "hit@8",
    "latency_p50_ms": "P50（ms）",
    "latency_p95_ms": "P95（ms）",
    "index_mb": "索引（MB）",
    "embedded_characters": "埋め込み（字）",
    "embedded_tokens": "同（トークン）",
    "embedding_usd": "同（ドル）",
}
COLUMNS = tuple(_LABELS)


def row_values(row: GridRow, price_per_million_tokens: float) -> dict[str, str | float | int]:
    """The columns of a row."""
    return {
        "cut": row.cut.name,
        "search": row.search.name,
        "passages": row.passages,
        "recall_at_5": round(row.recall_at_5, 3),
        "recall_at_10": round(row.recall_at_10, 3),
        "mrr_at_10": round(row.mrr(), 3),
        "hit_at_8": round(row.hit_at_8(), 3),
        "latency_p50_ms": round(row.latency_p50_ms, 1),
        "latency_p95_ms": round(row.latency_p95_ms, 1),
        "index_mb": round(row.index_bytes / 1e6, 1),
        "embedded_characters": row.characters,
        "embedded_tokens": row.tokens,
        "embedding_usd": round(row.tokens / 1e6 * price_per_million_tokens, 4),
    }


def make_csv(rows: Sequence[GridRow], price_per_million_tokens: float) -> str:
    """The grid as CSV."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row_values(row, price_per_million_tokens) for row in rows)
    return file.getvalue()


def describe_choice(choice: GridChoice | None) -> str:
    """What came of the grid, in two sentences."""
    if choice is None:
        return (
            "調整用（tune）と確認用（holdout）の質問が両方そろい、既定の設定が表にあるとき、最良の組合せを確認用の質問で"
            "確かめます。今回はそろっていません。"
        )
    if choice.best == choice.default:
        return (
            f"調整用の質問で最も良かったのは、既定の {choice.best} でした（MRR@10 {choice.tune_mrr:.3f}、確認用の "
            f"{choice.questions} 問では {choice.holdout_mrr:.3f}、95% 区間 {choice.low:.3f}～{choice.high:.3f}）。"
        )
    verdict = "偶然とは考えにくい差です。" if choice.is_winner else "偶然と区別できないので、既定のままでかまいません。"
    return (
        f"調整用の質問で最も良かったのは {choice.best}（MRR@10 {choice.tune_mrr:.3f}）で、選ぶときに見ていない確認用の "
        f"{choice.questions} 問では {choice.holdout_mrr:.3f}（95% 区間 {choice.low:.3f}～{choice.high:.3f}）でした。"
        f"既定（{choice.default}）との差は {choice.difference:+.3f}（p = {choice.p_value:.3f}）で、{verdict}"
    )


def make_settings(row: GridRow) -> str:
    """Lines for rag_assets.toml that make a row's way of cutting and searching one's own; empty for other cutters."""
    if row.cut.kind != "structure" or not row.cut.header:
        return ""
    lines = []
    if row.search.mode == "hybrid":
        lines += [f'fusion = "{row.search.settings.fusion}"', f"bm25_weight = {row.search.settings.bm25_weight:g}"]
        if row.search.settings.fusion == "rrf":
            lines.append(f"rrf_constant = {row.search.settings.rrf_constant:g}")
    lines += [
        "",
        f"[variant.{row.cut.name}]",
        f"limit = {row.cut.size}",
        f"digits = {str(row.cut.digits).lower()}",
        f"dictionary = {str(row.cut.dictionary).lower()}",
    ]
    return "\n".join(lines).strip() + "\n"


def make_page(rows: Sequence[GridRow], choice: GridChoice | None, price_per_million_tokens: float) -> str:
    """The page: what came of it, quality against cost, the table, and settings to paste."""
    ordered = sorted(rows, key=lambda row: -row.mrr())
    best = next((row for row in ordered if choice and row.name == choice.best), ordered[0] if ordered else None)
    templates = Environment(loader=PackageLoader("rag_assets.tuning", "."), autoescape=True, trim_blocks=True)
    return templates.get_template("page.html.jinja").render(
        choice=describe_choice(choice),
        picture=Markup(draw_costs(ordered)),
        labels=_LABELS.values(),
        rows=[{"cells": row_values(row, price_per_million_tokens).values(), "is_best": row is best} for row in ordered],
        settings=make_settings(best) if best else "",
    )


def draw_costs(rows: Sequence[GridRow]) -> str:
    """Quality against cost: every cut's best MRR@10 by the characters it embeds, as one `<svg>`."""
    best: dict[str, GridRow] = {}
    for row in rows:
        if row.cut.name not in best or row.mrr() > best[row.cut.name].mrr():
            best[row.cut.name] = row
    points = [row for row in best.values() if row.characters and not math.isnan(row.mrr())]
    if not points:
        return ""
    left, top, width, height = 60, 20, 560, 380
    characters = [row.characters for row in points]
    start, most = 0.95 * min(characters), 1.02 * max(characters)
    low = max(0.0, min(row.mrr() for row in points) - 0.03)
    high = max(row.mrr() for row in points) + 0.03
    marks: list[str] = []
    label_y = 0.0
    for row in sorted(points, key=lambda row: -row.mrr()):
        x = left + width * (row.characters - start) / (most - start)
        y = top + height * (high - row.mrr()) / (high - low)
        # Labels of like heights stand below each other beside the plot, each with a line from its point.
        label_y = max(y, label_y + 14)
        marks.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{left + width + 10}" y2="{label_y:.1f}" stroke="#d9dee3"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2f6f9f"><title>{escape(row.name)}</title></circle>'
            f'<text x="{left + width + 14}" y="{label_y + 4:.1f}" font-size="11">'
            f"{escape(row.cut.name)} {row.mrr():.3f}</text>"
        )
    ticks = "".join(
        f'<text x="{left - 8}" y="{top + height * (high - value) / (high - low) + 4:.1f}" font-size="11" '
        f'text-anchor="end">{value:.2f}</text>'
        for value in (low, (low + high) / 2, high)
    )
    return (
        f'<svg viewBox="0 0 {left + width + 220} {max(top + height + 50, label_y + 20):.0f}" role="img" '
        'aria-label="切り方ごとの MRR@10 と、埋め込む字数">'
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#d9dee3"/>{ticks}'
        f'<text x="{left}" y="{top + height + 34}" font-size="12">'
        f"埋め込む字数（右ほど費用がかかる。{start:,.0f}～{most:,.0f} 字）</text>"
        f'<text x="{left}" y="{top - 6}" font-size="12">MRR@10（検索ごとに最も良い値）</text>{"".join(marks)}</svg>'
    )
