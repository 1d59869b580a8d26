"""Charts of the report as SVG strings: figures in, markup out, no drawing library.

Which figures are drawn is decided in `scores` and `quality`.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from rag_assets.model import BIN_WIDTH

PALETTE = ("#8a8f98", "#2f6f9f", "#2a8c82", "#b7791f", "#7a5aa6", "#b4506a")
"""Fills by order of variant, the baseline's grey first; labels, not fills, tell bars apart."""

INK = "#1f2933"
MUTED = "#5f6b76"
RULE = "#d9dee3"


class Bar(NamedTuple):
    """One bar of `draw_scores`: a share from 0 to 1, and the ends of its interval where there is one."""

    label: str
    value: float
    interval: tuple[float, float] | None
    colour: str


class BarGroup(NamedTuple):
    """Bars under one heading."""

    label: str
    bars: Sequence[Bar]


def choose_colours(variants: Sequence[str]) -> dict[str, str]:
    """A fill for each variant, by order; beyond the palette's length fills repeat."""
    return {name: PALETTE[position % len(PALETTE)] for position, name in enumerate(variants)}


def draw_scores(groups: Sequence[BarGroup], *, chart_id: str, title: str, percent: bool = False) -> str:
    """Horizontal bars from 0 to 1 in groups, each with its value and a whisker for its interval.

    The axis always spans 0 to 1, so that two charts can be compared by eye.

    Args:
        groups: Groups from top to bottom.
        chart_id: Unique in the page; the title and description are found by it.
        title: What is measured; also the accessible name.
        percent: Write values as percentages instead of with three decimals.

    Returns:
        One `<svg>` element that also stands alone as a file.
    """
    left, plot, right, row, head, top = 148, 372, 60, 22, 26, 12
    bars = sum(len(group.bars) for group in groups)
    bottom = top + bars * row + len(groups) * head
    parts: list[str] = []

    for step in range(5):
        share = step / 4
        x = left + share * plot
        label = f"{share:.0%}" if percent else f"{share:g}"
        parts.append(f'<line x1="{x:g}" y1="{top}" x2="{x:g}" y2="{bottom}" stroke="{RULE}"/>')
        parts.append(_draw_text(x, bottom + 16, label, anchor="middle", colour=MUTED))

    y = float(top)
    descriptions: list[str] = []
    for group in groups:
        parts.append(_draw_text(0, y + 17, group.label, weight=600))
        y += head
        for bar in group.bars:
            middle = y + row / 2
            value = f"{bar.value:.0%}" if percent else f"{bar.value:.3f}"
            parts.append(_draw_text(left - 8, middle + 4, bar.label, anchor="end"))
            parts.append(
                f'<rect x="{left}" y="{middle - 7:g}" width="{_clip(bar.value) * plot:.1f}" height="14" '
                f'fill="{escape(bar.colour)}"/>'
            )
            if bar.interval is not None:
                low, high = (left + _clip(end) * plot for end in bar.interval)
                parts.append(
                    f'<path class="whisker" d="M{low:.1f} {middle:g}H{high:.1f}M{low:.1f} {middle - 4:g}v8'
                    f'M{high:.1f} {middle - 4:g}v8" fill="none" stroke="{INK}" stroke-width="1.4"/>'
                )
            parts.append(_draw_text(left + plot + right - 6, middle + 4, value, anchor="end", weight=600))
            descriptions.append(f"{group.label} {bar.label} {value}{_describe_interval(bar.interval, percent)}")
            y += row

    return _wrap_svg(chart_id, left + plot + right, bottom + 24, title, "、".join(descriptions), parts)


def draw_lengths(
    histogram: Sequence[int],
    *,
    chart_id: str,
    title: str,
    colour: str,
    median: int,
    bins: int | None = None,
    top_share: float | None = None,
) -> str:
    """Share of passages by length, with a line at the median; one of several small multiples.

    Args:
        histogram: Passages by length, bins of `BIN_WIDTH` characters from 0; the last bin is open.
        chart_id: Unique in the page.
        title: The accessible name.
        colour: Fill of the bars.
        median: Median length in characters.
        bins: Bins to draw, the same for all multiples; what lies beyond is added to the last. Default: all.
        top_share: Highest share of all multiples, so that they share an axis. Default: the highest bar.

    Returns:
        One `<svg>` element that also stands alone as a file.
    """
    shown = compute_length_shares(histogram, bins or len(histogram))
    # Up to a full tenth; rounded first, so that 0.3 held as 0.30000000000000004 does not become 0.4.
    top_share = max(1, math.ceil(round(10 * (top_share or max(shown)), 6))) / 10
    left, plot, top, height = 40, 236, 10, 104
    bottom = top + height
    step = plot / max(len(shown), 1)
    parts: list[str] = []

    for share in (0.0, top_share / 2, top_share):
        y = bottom - share / top_share * height
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + plot}" y2="{y:.1f}" stroke="{RULE}"/>')
        parts.append(_draw_text(left - 6, y + 4, f"{share:.0%}", anchor="end", colour=MUTED, size=11))
    for position, share in enumerate(shown):
        bar = share / top_share * height
        parts.append(
            f'<rect x="{left + position * step + 0.5:.1f}" y="{bottom - bar:.1f}" '
            f'width="{max(step - 1, 1):.1f}" height="{bar:.1f}" fill="{escape(colour)}"/>'
        )
    every = max(1, -(-len(shown) // 6))
    for position in range(0, len(shown), every):
        x = left + position * step
        parts.append(_draw_text(x, bottom + 16, f"{position * BIN_WIDTH:,}", anchor="middle", colour=MUTED, size=11))
    x = left + min(median / BIN_WIDTH, len(shown)) * step
    parts.append(
        f'<line class="median" x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{INK}" '
        'stroke-dasharray="3 2"/>'
    )
    parts.append(_draw_text(left + plot, bottom + 32, "字数", anchor="end", colour=MUTED, size=11))

    shares = "、".join(f"{position * BIN_WIDTH}字から {share:.1%}" for position, share in enumerate(shown) if share > 0)
    return _wrap_svg(chart_id, left + plot + 10, bottom + 38, title, f"中央値 {median}字。{shares}", parts)


def compute_length_shares(histogram: Sequence[int], bins: int) -> list[float]:
    """Share of passages in each of `bins` bins, the counts beyond them added to the last; sums to 1 or 0."""
    if bins < 1:
        raise ValueError(f"a histogram needs at least one bin, not {bins}")
    counts = [*histogram[: bins - 1], sum(histogram[bins - 1 :])]
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))


def _describe_interval(interval: tuple[float, float] | None, percent: bool) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f"（{low:.0%}から{high:.0%}）" if percent else f"（{low:.3f}から{high:.3f}）"


def _draw_text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    colour: str = INK,
    weight: int = 400,
    size: int = 12,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


def _wrap_svg(chart_id: str, width: float, height: float, title: str, description: str, parts: list[str]) -> str:
    name = escape(chart_id)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-labelledby="{name}-title {name}-desc" '
        "font-family=\"'Hiragino Sans','Noto Sans CJK JP','Noto Sans JP','Yu Gothic',sans-serif\">"
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>'
        f"{''.join(parts)}</svg>"
    )
