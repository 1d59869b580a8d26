"""The summary at the top of the page: what the figures say, in plain Japanese sentences."""

from collections.abc import Sequence

from rag_assets.evaluation.grouping import choose_sources
from rag_assets.evaluation.labels import (
    find_main_mode,
    format_probability,
    format_share,
    format_signed,
)
from rag_assets.evaluation.report.model import Report
from rag_assets.evaluation.report.scores import ScoreLine, find_lines
from rag_assets.model import Mode

_SEARCHES: dict[Mode, str] = {
    "hybrid": "併用検索（hybrid）",
    "bm25": "言葉の一致の検索（BM25）",
    "dense": "意味の近さの検索（dense）",
}


def summarize(report: Report) -> list[str]:
    """The best variant, its lead over the baseline, and whether that lead is noise."""
    sentences = [f"{report.corpus}を {len(report.variants)} 通りの方法（variant）で準備しました。"]
    mode = find_main_mode(score.mode for score in report.scores)
    source = next(iter(choose_sources(score.source for score in report.scores)), "all")
    lines = {line.score.variant: line for line in find_lines(report, mode, "all", source)}
    if not lines:
        return [*sentences, "質問がないため、検索の比較は行っていません。", *_summarize_quality(report, None)]

    best_line = max(lines.values(), key=lambda line: line.score.mrr)
    best, base = best_line.score, lines[report.baseline].score if report.baseline in lines else None
    sentences.append(
        f"質問 {best.questions} 問を{_SEARCHES[mode]}で比べると、正解が最も上位に出たのは {best.variant} "
        f"で、MRR は {best.mrr:.3f}、上位 8 件に正解が入った質問は {best.hit_at_8:.0%} でした。"
    )
    if base is None:
        sentences.append("比べる元になる variant（raw）がないため、前処理の効果は測っていません。")
    elif best.variant == base.variant:
        sentences.append(
            f"比べる元の {base.variant} を上回った variant はなく、今回の質問では前処理の効果は見られません。"
        )
    else:
        holdout = {line.score.variant: line for line in find_lines(report, mode, "holdout", source)}
        sentences += [
            f"比べる元の {base.variant}（MRR {base.mrr:.3f}、上位 8 件 {base.hit_at_8:.0%}）より "
            f"{_describe_gain(best.mrr, base.mrr)}高い値です。",
            _describe_verdict(best_line),
            *_describe_holdout(holdout.get(best.variant), holdout.get(base.variant)),
        ]
    if base is not None:
        named = (best.variant, base.variant)
        sentences += _describe_others([line for name, line in lines.items() if name not in named])
    return [*sentences, *_summarize_quality(report, best.variant)]


def _describe_gain(value: float, base: float) -> str:
    relative = f"（{(value - base) / base:.0%}）" if base > 0 else ""
    return f"{value - base:.3f}{relative}"


def _describe_verdict(line: ScoreLine) -> str:
    comparison = line.comparison
    if comparison is None:
        return "この差の検定はありません。"
    verdict = "偶然と区別できません" if comparison.verdict == "noise" else "偶然とは考えにくいものです"
    counts = f"順位が上がった質問 {comparison.better}、下がった質問 {comparison.worse}"
    return f"この差は{verdict}（{format_probability(comparison.p_value)}、{counts}）。"


def _describe_holdout(best: ScoreLine | None, base: ScoreLine | None) -> list[str]:
    if best is None or base is None:
        return []
    ours, theirs = best.score, base.score
    return [
        f"準備中に見ていない確認用の {ours.questions} 問（holdout）だけでは {ours.mrr:.3f} と {theirs.mrr:.3f}"
        f"（差 {format_signed(ours.mrr - theirs.mrr)}）で、" + _describe_verdict(best)
    ]


def _describe_others(lines: Sequence[ScoreLine]) -> list[str]:
    compared = [line.comparison for line in lines if line.comparison is not None]
    sentences = {
        "noise": "ほかに {}の差は偶然と区別できません。",
        "better": "ほかに {}も偶然とは考えにくい差で上回りました。",
        "worse": "{}は偶然とは考えにくい差で下回りました。",
    }
    named = {
        verdict: [f"{row.variant}（{format_signed(row.difference)}）" for row in compared if row.verdict == verdict]
        for verdict in sentences
    }
    return [sentence.format("、".join(named[verdict])) for verdict, sentence in sentences.items() if named[verdict]]


def _summarize_quality(report: Report, best: str | None) -> list[str]:
    baseline = report.baseline
    source = next(iter(choose_sources(row.source for row in report.quality)), "all")
    rows = {row.variant: row for row in report.quality if row.source == source and row.passages}
    others = [name for name in rows if name != baseline]
    other = best if best in others else next(reversed(others), None)
    if baseline not in rows or other is None:
        return []
    base, ours = rows[baseline], rows[other]
    return [
        f"文章そのものを見ると、{baseline} では {_describe_share(base.unnamed, base.passages)} のチャンクが"
        "どの記事のものか書かれておらず、"
        f"{_describe_share(base.begins_mid_sentence, base.passages)} が文の途中から始まります"
        f"（{other} ではそれぞれ {_describe_share(ours.unnamed, ours.passages)} と "
        f"{_describe_share(ours.begins_mid_sentence, ours.passages)}）。"
    ]


def _describe_share(count: int, total: int) -> str:
    share = format_share(count, total)
    return {"0": "0%", "<0.1%": "0.1% 未満"}.get(share, share)
