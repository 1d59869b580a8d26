"""The HTML report: what a run found, as one page that opens from disk.

Only what is shown and in which words belongs here: figures come computed, charts from `charts`, shared words
from `wording`, layout from `report.html.jinja`.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from rag_assets.evaluation.charts import (
    Bar,
    BarGroup,
    length_histogram,
    score_chart,
    shares_by_length,
    variant_colours,
)
from rag_assets.evaluation.comparable import searched_by_variant, strange_chunks
from rag_assets.evaluation.currency import NameOf, Notice, as_of_tables, currency_notices
from rag_assets.evaluation.model import Comparison, Held, HowSearched, Question, QuestionResult, RankedHit, Score
from rag_assets.evaluation.wording import (
    FAULTS,
    HELD_IN_REPORT,
    MODE_NAMES,
    MODE_ORDER,
    TERMS,
    VERDICTS,
    FaultWords,
    condition_in_words,
    foreign_in_report,
    main_mode,
    milliseconds,
    probability,
    searched_in_words,
    share_of,
    shown_sources,
    signed,
    source_name,
    split_name,
    strangers_in_report,
    topic_name,
    variant_in_words,
)
from rag_assets.model import Mode, Model, QualityRow, Variant
from rag_assets.sources.fetching.addresses import readers_address
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.staleness import Staleness

if TYPE_CHECKING:
    from markupsafe import Markup

SHOWN_HITS = 8
"""Passages shown a question, variant and mode: what a model is handed (hit@8)."""

SCORED_SPLITS = ("all", "tune", "holdout")

_SEARCHES: dict[Mode, str] = {
    "hybrid": "併用検索（hybrid）",
    "bm25": "言葉の一致の検索（BM25）",
    "dense": "意味の近さの検索（dense）",
}


class RecordLink(Model):
    """What a reader has to know of a record to find it.

    Attributes:
        label: The number as the document writes it, such as `No.2594`.
        url: Where the original can be seen; only http and https become links.
    """

    record_id: str
    label: str
    title: str
    url: str | None = None


class ReportDocument(Model):
    """A document whose records were prepared.

    Attributes:
        source: Name of its source.
        name: As readers know it.
        location: Where it was read from: a folder, a file, a URL, or the bundled sample.
        records: How many records it has.
    """

    source: str
    name: str
    location: str
    records: int = Field(ge=0)


class ReportFinding(Model):
    """What reading a document found beside its records.

    Attributes:
        document: Key of the document, with its source: `work_rules/rules2026`.
        topic: What was found, such as `blank`.
        count: How often.
        fault: Whether it should be mended; otherwise it was left out or marked on purpose.
        examples: Some of them, with their places.
    """

    document: str
    topic: str
    count: int = Field(ge=1)
    fault: bool
    examples: tuple[str, ...] = ()


class ExamplePassage(Model):
    """Text of a passage that `QualityRow.examples` names."""

    variant: str
    chunk_id: str
    text: str


class Report(Model):
    """Everything the report tells.

    Attributes:
        documents: What was prepared.
        made_at: When the report was made.
        variants: In the order to show; the baseline is put first.
        scores: Of every variant, mode, split and source; `unanswerable` is not shown in the table.
        comparisons: Against one baseline; may be empty where there is none.
        results: Hits of every question, variant and mode, best first.
        quality: Of every variant and source.
        questions: Questions asked, the unanswerable included.
        records: Links of the records that hits and gold name; a record without one is shown by its ID.
        examples: Texts of the example passages of `quality`.
        findings: What was found in the documents beside their records, counted.
        dictionary_notes: What the editor of the dictionary should look at, a line each.
        staleness: How current the stored text of each source is.
        settings: Name and value of the run's settings, as text.
        command: What to type to make this report again.
        sample: Whether the corpus is the bundled sample.
    """

    documents: tuple[ReportDocument, ...] = Field(min_length=1)
    made_at: datetime
    variants: tuple[Variant, ...]
    scores: tuple[Score, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    results: tuple[QuestionResult, ...] = ()
    quality: tuple[QualityRow, ...] = ()
    questions: int = Field(default=0, ge=0)
    records: tuple[RecordLink, ...] = ()
    examples: tuple[ExamplePassage, ...] = ()
    findings: tuple[ReportFinding, ...] = ()
    dictionary_notes: tuple[str, ...] = ()
    staleness: tuple[Staleness, ...] = ()
    settings: dict[str, str] = Field(default_factory=dict)
    command: str = "python -m rag_assets run"
    sample: bool = False

    @property
    def corpus(self) -> str:
        """What was prepared, in a title's length: 「国税庁タックスアンサー ほか2文書」."""
        first, *others = self.documents
        return f"{first.name} ほか{len(others)}文書" if others else first.name

    @property
    def searched(self) -> dict[str, HowSearched]:
        """What answered the questions, by variant, the baseline first."""
        found = searched_by_variant(self.results)
        return {variant.name: found[variant.name] for variant in ordered_variants(self) if variant.name in found}

    @model_validator(mode="after")
    def _variants_are_known(self) -> "Report":
        known = {variant.name for variant in self.variants}
        named = {
            *(score.variant for score in self.scores),
            *(comparison.variant for comparison in self.comparisons),
            *(result.variant for result in self.results),
            *(row.variant for row in self.quality),
        }
        if unknown := sorted(named - known):
            raise ValueError(
                f"report of {self.corpus}: results of {', '.join(unknown)}, which `variants` does not list; "
                "add these variants or leave their results out"
            )
        return self


def render_report(report: Report) -> str:
    """The report as one HTML page with everything inside it, to be written as UTF-8.

    Summary, tables and charts are plain markup; the passages lie in the page once each, as JSON, and a script
    lays them out for the question that is opened. The page's own policy forbids it to load anything.

    Returns:
        The page, from doctype to the closing tag.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        milliseconds=milliseconds,
        signed=signed,
        probability=probability,
        percent=lambda share: f"{share:.0%}",
        source_name=source_name,
        split_name=split_name,
        topic_name=topic_name,
        readers_address=readers_address,
        in_words=condition_in_words,
    )
    template = environment.from_string(
        resources.files("rag_assets.evaluation").joinpath("report.html.jinja").read_text(encoding="utf-8")
    )
    variants = ordered_variants(report)
    names = [variant.name for variant in variants]
    searched = dict.fromkeys(searched_in_words(how) for how in report.searched.values())
    modes = [mode for mode in MODE_ORDER if any(result.mode == mode for result in report.results)]
    cards = question_cards(report, names, modes)
    return template.render(
        report=report,
        summary=summary(report),
        baseline=baseline_name(report),
        cautions=cautions(report),
        notices=notices_of(report),
        as_of=as_of_tables(report.staleness),
        searched="・".join(searched),
        variants=[(variant, variant_in_words(variant)) for variant in variants],
        colours=variant_colours(names),
        panels=score_panels(report),
        quality=quality_panels(report),
        terms=TERMS,
        verdicts=VERDICTS,
        modes=modes,
        mode_names=MODE_NAMES,
        shown_hits=SHOWN_HITS,
        asked=[card for card in cards if card.question.split != "unanswerable"],
        unanswerable=[card for card in cards if card.question.split == "unanswerable"],
        passages=_json_for_script(passage_data(report, names, modes)),
    )


def notices_of(report: Report) -> list[Notice]:
    """What a reader has to know of how current the text is: old, missing, gone, undated."""
    return currency_notices(report.staleness, _name_of(report))


def _name_of(report: Report) -> NameOf:
    """Records, articles and documents by the names that readers know."""
    records = {record.record_id: f"{record.label} {record.title}".strip() for record in report.records}

    def name(record_id: str) -> str:
        source, _, key = record_id.partition("/")
        return records.get(record_id) or (f"No.{key}" if source == TAX_ANSWER else record_id)

    return name


# Order and choice


def baseline_name(report: Report) -> str | None:
    """The variant the others are compared with: what the comparisons say, else `raw` if there is one."""
    named = next((comparison.baseline for comparison in report.comparisons), "raw")
    return named if any(variant.name == named for variant in report.variants) else None


def ordered_variants(report: Report) -> list[Variant]:
    """The variants with the baseline first, the others as they come."""
    baseline = baseline_name(report)
    return sorted(report.variants, key=lambda variant: variant.name != baseline)


def _main_source(scores: Sequence[Score]) -> str:
    return next(iter(shown_sources(score.source for score in scores)), "all")


# Summary


def summary(report: Report) -> list[str]:
    """What the figures say in plain sentences: the best variant, its lead, and whether that is noise."""
    sentences = [f"{report.corpus}を {len(report.variants)} 通りの方法（variant）で準備しました。"]
    source = _main_source(report.scores)
    names = [variant.name for variant in ordered_variants(report)]
    ranked = _main_scores(report, "all", source, names)
    if not ranked:
        return [*sentences, "質問がないため、検索の比較は行っていません。", *_quality_summary(report, None)]

    best = max(ranked, key=lambda score: score.mrr)
    baseline = baseline_name(report)
    base = next((score for score in ranked if score.variant == baseline), None)
    sentences.append(
        f"質問 {best.questions} 問を{_SEARCHES[best.mode]}で比べると、正解が最も上位に出たのは {best.variant} "
        f"で、MRR は {best.mrr:.3f}、上位 8 件に正解が入った質問は {best.hit_at_8:.0%} でした。"
    )
    if base is None:
        sentences.append("比べる元になる variant（raw）がないため、前処理の効果は測っていません。")
    elif best.variant == base.variant:
        sentences.append(
            f"比べる元の {base.variant} を上回った variant はなく、今回の質問では前処理の効果は見られません。"
        )
    else:
        sentences.append(
            f"比べる元の {base.variant}（MRR {base.mrr:.3f}、上位 8 件 {base.hit_at_8:.0%}）より "
            f"{_gain(best.mrr, base.mrr)}高い値です。"
        )
        sentences.append(_verdict_sentence(report, best, "この差"))
        sentences.extend(_holdout_sentence(report, best.variant, base.variant, source))
    if base is not None:
        sentences.extend(_others(report, ranked, {best.variant, base.variant}))
    return [*sentences, *_quality_summary(report, best.variant)]


def cautions(report: Report) -> list[str]:
    """Why figures may be those of another corpus than the one that was prepared, a sentence each; mostly none."""
    return [*_strangers(report), *_foreign(report), *_uncertain(report)]


def _strangers(report: Report) -> list[str]:
    strange = strange_chunks(report.results)
    return [strangers_in_report(variant, strange[variant]) for variant in report.searched if variant in strange]


def _foreign(report: Report) -> list[str]:
    searched = report.searched.items()
    return [foreign_in_report(variant, how.place, how.foreign) for variant, how in searched if how.foreign]


def _uncertain(report: Report) -> list[str]:
    variants: dict[Held, list[str]] = {}
    for variant, how in report.searched.items():
        variants.setdefault(how.held, []).append(variant)
    return [f"{'、'.join(variants[held])}：{told}" for held, told in HELD_IN_REPORT.items() if held in variants]


def _main_scores(report: Report, split: str, source: str, names: Sequence[str]) -> list[Score]:
    mode = main_mode(score.mode for score in report.scores)
    found = {
        score.variant: score
        for score in report.scores
        if (score.mode, score.split, score.source) == (mode, split, source) and score.questions
    }
    return [found[name] for name in names if name in found]


def _comparison_of(report: Report, score: Score) -> Comparison | None:
    key = (score.variant, score.mode, score.split, score.source)
    return next((row for row in report.comparisons if (row.variant, row.mode, row.split, row.source) == key), None)


def _gain(value: float, base: float) -> str:
    relative = f"（{(value - base) / base:.0%}）" if base > 0 else ""
    return f"{value - base:.3f}{relative}"


def _verdict_sentence(report: Report, score: Score, subject: str) -> str:
    comparison = _comparison_of(report, score)
    if comparison is None:
        return f"{subject}の検定はありません。"
    counts = f"順位が上がった質問 {comparison.better}、下がった質問 {comparison.worse}"
    told = "偶然と区別できません" if comparison.verdict == "noise" else "偶然とは考えにくいものです"
    return f"{subject}は{told}（{probability(comparison.p_value)}、{counts}）。"


def _holdout_sentence(report: Report, best: str, baseline: str, source: str) -> list[str]:
    scores = {score.variant: score for score in _main_scores(report, "holdout", source, [best, baseline])}
    if len(scores) < 2:
        return []
    ours, base = scores[best], scores[baseline]
    return [
        f"準備中に見ていない確認用の {ours.questions} 問（holdout）だけでは {ours.mrr:.3f} と {base.mrr:.3f}"
        f"（差 {signed(ours.mrr - base.mrr)}）で、" + _verdict_sentence(report, ours, "この差")
    ]


def _others(report: Report, ranked: Sequence[Score], told: set[str]) -> list[str]:
    kinds: dict[str, list[str]] = {"noise": [], "better": [], "worse": []}
    for score in ranked:
        comparison = _comparison_of(report, score)
        if comparison is not None and score.variant not in told:
            kinds[comparison.verdict].append(f"{score.variant}（{signed(comparison.difference)}）")
    sentences = []
    if kinds["noise"]:
        sentences.append(f"ほかに {'、'.join(kinds['noise'])}の差は偶然と区別できません。")
    if kinds["better"]:
        sentences.append(f"ほかに {'、'.join(kinds['better'])}も偶然とは考えにくい差で上回りました。")
    if kinds["worse"]:
        sentences.append(f"{'、'.join(kinds['worse'])}は偶然とは考えにくい差で下回りました。")
    return sentences


def _quality_summary(report: Report, best: str | None) -> list[str]:
    baseline = baseline_name(report)
    source = next(iter(shown_sources(row.source for row in report.quality)), "all")
    rows = {row.variant: row for row in report.quality if row.source == source and row.passages}
    others = [name for name in rows if name != baseline]
    other = best if best in others else next(reversed(others), None)
    if baseline not in rows or other is None:
        return []
    base, ours = rows[baseline], rows[other]
    return [
        f"文章そのものを見ると、{baseline} では {_share_in_words(base.unnamed, base.passages)} のチャンクが"
        "どの記事のものか書かれておらず、"
        f"{_share_in_words(base.begins_mid_sentence, base.passages)} が文の途中から始まります"
        f"（{other} ではそれぞれ {_share_in_words(ours.unnamed, ours.passages)} と "
        f"{_share_in_words(ours.begins_mid_sentence, ours.passages)}）。"
    ]


def _share_in_words(count: int, total: int) -> str:
    share = share_of(count, total)
    return {"0": "0%", "<0.1%": "0.1% 未満"}.get(share, share)


# Comparison table and charts


@dataclass(frozen=True)
class ScoreLine:
    """One row of the comparison table; `best` names the columns where no variant of the mode does better."""

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


_BEST_HIGH = ("mrr", "hit_at_8", "recall_at_5", "recall_at_10")


def score_panels(report: Report) -> list[ScorePanel]:
    """A panel for every split and source that has scores, the whole first."""
    from markupsafe import Markup

    names = [variant.name for variant in ordered_variants(report)]
    colours = variant_colours(names)
    panels = []
    for source in shown_sources(score.source for score in report.scores):
        for split in SCORED_SPLITS:
            groups = _score_groups(report, split, source, names)
            if not groups:
                continue
            where = f"{source_name(source)}、{split_name(split)}"
            charts = []
            for measure, title in (("mrr", "MRR"), ("hit_at_8", "hit@8")):
                bars = [
                    BarGroup(MODE_NAMES[mode], [_bar(line.score, measure, colours) for line in lines])
                    for mode, lines in groups
                ]
                drawn = score_chart(
                    bars,
                    chart_id=f"chart-{measure}-{split}-{source}",
                    title=f"{title}（{where}）",
                    percent=measure != "mrr",
                )
                charts.append((title, Markup(drawn)))
            panels.append(
                ScorePanel(
                    split=split,
                    source=source,
                    questions=max(line.score.questions for _, lines in groups for line in lines),
                    groups=[(MODE_NAMES[mode], lines) for mode, lines in groups],
                    charts=charts,
                )
            )
    return panels


def _score_groups(report: Report, split: str, source: str, names: Sequence[str]) -> list[tuple[Mode, list[ScoreLine]]]:
    groups = []
    for mode in MODE_ORDER:
        found = {
            score.variant: score
            for score in report.scores
            if (score.mode, score.split, score.source) == (mode, split, source) and score.questions
        }
        rows = [found[name] for name in names if name in found]
        lines = [
            ScoreLine(
                score=score,
                comparison=_comparison_of(report, score),
                best=frozenset(
                    column
                    for column in _BEST_HIGH
                    if len(rows) > 1 and getattr(score, column) == max(getattr(row, column) for row in rows)
                ),
            )
            for score in rows
        ]
        if lines:
            groups.append((mode, lines))
    return groups


def _bar(score: Score, measure: str, colours: dict[str, str]) -> Bar:
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


# Quality


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
    faults: list[tuple[FaultWords, list[FaultCell]]]
    histograms: list[tuple[QualityRow, "Markup"]]


def quality_panels(report: Report) -> list[QualityPanel]:
    """A panel for every source with quality rows, all sources together first."""
    from markupsafe import Markup

    variants = {variant.name: variant for variant in ordered_variants(report)}
    colours = variant_colours(list(variants))
    texts = {(hit.variant, hit.chunk_id): hit.text for result in report.results for hit in result.hits}
    texts |= {(example.variant, example.chunk_id): example.text for example in report.examples}

    panels = []
    for source in shown_sources(row.source for row in report.quality):
        found = {row.variant: row for row in report.quality if row.source == source}
        rows = [found[name] for name in variants if name in found]
        if not rows:
            continue
        bins = max(_last_filled_bin(row.histogram) for row in rows) + 1
        shares = [share for row in rows for share in shares_by_length(row.histogram, bins)]
        draw = partial(length_histogram, bins=bins, top_share=max(shares))
        panels.append(
            QualityPanel(
                source=source,
                rows=rows,
                faults=[
                    (words, [_fault_cell(row, words, variants[row.variant], texts) for row in rows]) for words in FAULTS
                ],
                histograms=[
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
                ],
            )
        )
    return panels


def _last_filled_bin(histogram: Sequence[int]) -> int:
    return max((position for position, count in enumerate(histogram) if count), default=0)


def _fault_cell(row: QualityRow, words: FaultWords, variant: Variant, texts: dict[tuple[str, str], str]) -> FaultCell:
    if words.fault == "over_limit" and variant.limit is None:
        return FaultCell(row.variant, "", "上限なし", 0.0)
    count: int = getattr(row, words.fault)
    share = min(1.0, count / row.passages) if row.passages else float(count > 0)
    if words.unit == "チャンク":
        figure, detail = share_of(count, row.passages), f"{count:,} 件"
    else:
        figure, detail = f"{count:,}", words.unit
    # A square root, so that one passage in a hundred can be told from none by eye.
    shade = math.sqrt(share) if words.fault != "lost_records" else float(count > 0)
    examples = [(chunk_id, texts.get((row.variant, chunk_id))) for chunk_id in row.examples.get(words.fault, ())]
    return FaultCell(row.variant, figure, detail, shade, examples)


# Questions


@dataclass(frozen=True)
class RankMark:
    """Rank of one variant's first right passage; up, down or same against the baseline's, or none."""

    variant: str
    rank: int | None
    change: str


@dataclass(frozen=True)
class QuestionCard:
    """A question with its ranks by mode, and for each mode the filters it passes: differs, missed, worse."""

    index: int
    question: Question
    gold: list[RecordLink]
    ranks: dict[Mode, list[RankMark]]
    flags: dict[Mode, list[str]]


def question_cards(report: Report, names: Sequence[str], modes: Sequence[Mode]) -> list[QuestionCard]:
    """One card a question, in the order the results bring them."""
    records = {record.record_id: record for record in report.records}
    baseline = baseline_name(report)
    results = _results_by_question(report)
    cards = []
    for index, (question, found) in enumerate(results):
        ranks = {
            mode: {name: found[name, mode].first_correct_rank for name in names if (name, mode) in found}
            for mode in modes
        }
        cards.append(
            QuestionCard(
                index=index,
                question=question,
                gold=[_link(records, record_id) for record_id in question.gold],
                ranks={
                    mode: [
                        RankMark(name, rank, _change(rank, of_mode, baseline, name)) for name, rank in of_mode.items()
                    ]
                    for mode, of_mode in ranks.items()
                },
                flags={mode: _flags(of_mode, baseline) for mode, of_mode in ranks.items()},
            )
        )
    return cards


def _results_by_question(
    report: Report,
) -> list[tuple[Question, dict[tuple[str, Mode], QuestionResult]]]:
    questions: dict[str, Question] = {}
    found: dict[str, dict[tuple[str, Mode], QuestionResult]] = {}
    for result in report.results:
        key = result.question.question_id
        questions.setdefault(key, result.question)
        found.setdefault(key, {})[result.variant, result.mode] = result
    return [(question, found[key]) for key, question in questions.items()]


def _link(records: dict[str, RecordLink], record_id: str) -> RecordLink:
    return records.get(record_id) or RecordLink(record_id=record_id, label=record_id, title="")


def _place(rank: int | None) -> float:
    return math.inf if rank is None else rank


def _change(rank: int | None, ranks: dict[str, int | None], baseline: str | None, name: str) -> str:
    if baseline not in ranks or name == baseline:
        return "none"
    ours, base = _place(rank), _place(ranks[baseline])
    return "same" if ours == base else "up" if ours < base else "down"


def _flags(ranks: dict[str, int | None], baseline: str | None) -> list[str]:
    flags = []
    if len(set(ranks.values())) > 1:
        flags.append("differs")
    if ranks and all(_place(rank) > SHOWN_HITS for rank in ranks.values()):
        flags.append("missed")
    if any(_change(rank, ranks, baseline, name) == "down" for name, rank in ranks.items()):
        flags.append("worse")
    return flags


def passage_data(report: Report, names: Sequence[str], modes: Sequence[Mode]) -> dict[str, Any]:
    """The hits for the page's script, every line of text and every record stored once.

    Variants share most of their lines (headers, bodies under the limit), so lines are stored once and texts
    are lists of line numbers.

    Returns:
        `lines`, `texts` (line numbers), `records` (`[id, label, title, url]`), `passages`
        (`[text, record, chunk id]`), `variants`, `modes`, and `questions`: by question, mode and variant null
        or `[latency in ms, [hit, …]]`, a hit being `[passage, rank, right, score]`. The first right hit is
        kept even when it lies beyond `SHOWN_HITS`.
    """
    links = {record.record_id: record for record in report.records}
    lines, texts, records, passages = _Numbering(), _Numbering(), _Numbering(), _Numbering()

    def hit_row(hit: RankedHit) -> list[int | float]:
        text = texts.number(tuple(lines.number(line) for line in hit.text.split("\n")))
        link = _link(links, hit.record_id)
        record = records.number((link.record_id, link.label, link.title, readers_address(link.url)))
        return [
            passages.number((text, record, hit.chunk_id)),
            hit.rank,
            int(hit.correct),
            round(hit.score, 5),
        ]

    questions = [
        [
            [
                [round(found[name, mode].latency_ms, 2), [hit_row(hit) for hit in shown(found[name, mode])]]
                if (name, mode) in found
                else None
                for name in names
            ]
            for mode in modes
        ]
        for _, found in _results_by_question(report)
    ]
    return {
        "variants": list(names),
        "modes": list(modes),
        "lines": lines.values(),
        "texts": texts.values(),
        "records": records.values(),
        "passages": passages.values(),
        "questions": questions,
    }


def shown(result: QuestionResult) -> list[RankedHit]:
    """The first hits, and the first right one where it lies beyond them."""
    first = result.first_correct_rank
    return [hit for hit in result.hits if hit.rank <= SHOWN_HITS or hit.rank == first]


class _Numbering:
    """Numbers values in order of first sight."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[Any]:
        return list(self._numbers)


def _json_for_script(data: dict[str, Any]) -> "Markup":
    from markupsafe import Markup

    # Every `<` is escaped, so that neither `</script` nor `<!--` in a passage can end or change the element.
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))
