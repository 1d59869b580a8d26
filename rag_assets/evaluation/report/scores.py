"""The comparison of variants on the page: lines of the table, and charts.

Which figures there are is decided in `metrics` and `significance`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_assets.evaluation.grouping import choose_sources
from rag_assets.evaluation.labels import MODE_NAMES, SHARE_COLUMNS, source_name, split_name
from rag_assets.evaluation.model import Comparison, Score
from rag_assets.evaluation.report.charts import Bar, BarGroup, choose_colours, draw_scores
from rag_assets.evaluation.report.model import Report
from rag_assets.model import Mode

if TYPE_CHECKING:
    from markupsafe import Markup

_CHARTS = (("mrr", "MRR"), ("hit_at_8", "hit@8"))
_MEASURES = ("mrr", *(column.field for column in SHARE_COLUMNS))


@dataclass(frozen=True)
class ScoreLine:
    """A line of the comparison table; `best` names the measures in which no variant of the mode is better."""

    score: Score
    comparison: Comparison | None
    best: frozenset[str]


@dataclass(frozen=True)
class ScorePanel:
    """The table and charts of one split and source."""

    split: str
    source: str
    questions: int
    groups: list[tuple[str, list[ScoreLine]]]
    charts: list[tuple[str, "Markup"]]


def find_lines(report: Report, mode: Mode, split: str, source: str) -> list[ScoreLine]:
    """The lines of one mode, split and source, the baseline first; variants that were asked nothing are left out."""
    place = (mode, split, source)
    scores = {score.variant: score for score in report.scores if score.place == place and score.questions}
    comparisons = {row.variant: row for row in report.comparisons if row.place == place}
    highest = {measure: max((getattr(score, measure) for score in scores.values()), default=0) for measure in _MEASURES}
    return [
        ScoreLine(
            score=scores[name],
            comparison=comparisons.get(name),
            best=frozenset(
                measure
                for measure in _MEASURES
                if len(scores) > 1 and getattr(scores[name], measure) == highest[measure]
            ),
        )
        for name in report.variant_names
        if name in scores
    ]


def make_score_panels(report: Report) -> Iterator[ScorePanel]:
    """A panel for every split and source that has scores, the whole first."""
    for source in choose_sources(score.source for score in report.scores):
        for split in ("all", "tune", "holdout"):
            found = {mode: find_lines(report, mode, split, source) for mode in MODE_NAMES}
            groups = [(MODE_NAMES[mode], lines) for mode, lines in found.items() if lines]
            if groups:
                questions = max(line.score.questions for _, lines in groups for line in lines)
                charts = _draw_charts(groups, choose_colours(report.variant_names), split, source)
                yield ScorePanel(split, source, questions, groups, charts)


def _draw_charts(
    groups: list[tuple[str, list[ScoreLine]]], colours: dict[str, str], split: str, source: str
) -> list[tuple[str, "Markup"]]:
    from markupsafe import Markup

    return [
        (
            title,
            Markup(
                draw_scores(
                    [
                        BarGroup(mode, [_make_bar(line.score, measure, colours) for line in lines])
                        for mode, lines in groups
                    ],
                    chart_id=f"chart-{measure}-{split}-{source}",
                    title=f"{title}（{source_name(source)}、{split_name(split)}）",
                    percent=measure != "mrr",
                )
            ),
        )
        for measure, title in _CHARTS
    ]


def _make_bar(score: Score, measure: str, colours: dict[str, str]) -> Bar:
    interval = (score.mrr_low, score.mrr_high) if measure == "mrr" else wilson_interval(score.hit_at_8, score.questions)
    return Bar(score.variant, getattr(score, measure), interval, colours[score.variant])


def wilson_interval(share: float, questions: int) -> tuple[float, float]:
    """95% interval of a share of yes-or-no outcomes (Wilson's score interval, 1927).

    Args:
        share: Observed share, 0 to 1.
        questions: Outcomes observed; with none the interval is everything.
    """
    if questions == 0:
        return 0.0, 1.0
    z = 1.959964
    spread = z * math.sqrt(share * (1 - share) / questions + z * z / (4 * questions**2))
    middle, scale = share + z * z / (2 * questions), 1 + z * z / questions
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
