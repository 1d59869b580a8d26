"""The asset `retrieval_report`. What the report holds and how it looks is decided in `evaluation/report/`.

What needs numpy is imported where it is used: preparing, in the same process, does without.
"""

from collections.abc import Iterable, Iterator, Sequence

import dagster as dg

from rag_assets.corpus.prepared import record_assets
from rag_assets.corpus.variants import BASELINES
from rag_assets.evaluation.labels import find_main_mode
from rag_assets.evaluation.report.cautions import list_cautions
from rag_assets.evaluation.report.currency import list_notices
from rag_assets.evaluation.report.files import write_report
from rag_assets.evaluation.report.model import Report
from rag_assets.evaluation.report.summary import summarize
from rag_assets.evaluation.tables import make_comparison_table, make_quality_table, make_score_table
from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, frame_table
from rag_assets.orchestration.partitions import all_of
from rag_assets.orchestration.resources import Documents, Evaluation, HomeFolder, Preparation, TaxAnswerSite
from rag_assets.sources.registry import TAX_ANSWER

_CHECK = telling(
    "retrieval_report",
    "preparation_pays",
    "No prepared variant is significantly worse than the baseline in the report's main search over all questions.",
)


def retrieval_report_asset(sources: Sequence[str], *, is_sample: bool) -> dg.AssetsDefinition:
    """Makes the asset for the sources of a run."""

    @dg.asset(
        group_name="evaluation",
        deps=[
            *(all_of(asset) for asset in record_assets(sources)),
            all_of("retrieval_results"),
            all_of("corpus_quality"),
            dg.AssetDep("synonym_dictionary"),
        ],
        kinds={"html"},
        owners=OWNERS,
        code_version=code_version("evaluation", "corpus/passages.py", "corpus/dictionary.py", "sources/staleness.py"),
        check_specs=[_CHECK],
    )
    def retrieval_report(
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        site: TaxAnswerSite,
        documents: Documents,
    ) -> Materialized:
        """The comparison of the variants: one HTML page, and the same tables as CSV.

        MRR, hit@8, Recall and latency by variant and search mode, with intervals and a paired test against `as_is`; the
        corpus quality table; and for every question the passages of each variant side by side, right ones marked.
        """
        from rag_assets.evaluation.report.collect import ReportedRun, collect_report

        run = ReportedRun(
            sources=sources,
            variants=preparation.all_variants(),
            locations=_list_locations(site, documents),
            dictionary_of=preparation.dictionary,
            settings={"questions": ", ".join(evaluation.questions), "dictionaries": preparation.dictionaries},
            command=evaluation.command,
            is_sample=is_sample,
        )
        report = collect_report(home.home, run)
        write_report(home.home, report)
        path = dg.MetadataValue.path(str(home.home.reports / "report.html"))
        return dg.MaterializeResult(
            metadata={"report": path, **_describe(report)}, check_results=[_check_preparation(report)]
        )

    return retrieval_report


def _list_locations(site: TaxAnswerSite, documents: Documents) -> dict[str, str]:
    """Where everything is read from: the site by its source, every document by its source and key."""
    tax_answer = {TAX_ANSWER: site.location} if site.location else {}
    return tax_answer | {f"{source}/{document.key}": document.location for source, document in documents.every()}


def _describe(report: Report) -> dict[str, Metadatum]:
    return {
        "summary": _to_list(summarize(report)),
        "cautions": _to_list(list_cautions(report)),
        "currency of the text": dg.MetadataValue.md("\n".join(_list_notices(report)) or "none"),
        "scores": frame_table(make_score_table(row for row in report.scores if row.place[1:] == ("all", "all"))),
        "against the baseline": frame_table(
            make_comparison_table(row for row in report.comparisons if row.place[1:] == ("all", "all"))
        ),
        "corpus quality": frame_table(make_quality_table(report.quality)),
    }


def _to_list(sentences: Iterable[str]) -> dg.MetadataValue:
    return dg.MetadataValue.md("\n".join(f"- {sentence}" for sentence in sentences) or "none")


def _list_notices(report: Report) -> Iterator[str]:
    """What is old, missing, gone or undated, as a list; names beyond the first are counted."""
    for notice in list_notices(report):
        yield f"- {notice.message}"
        yield from (f"    - {name}" for name in notice.shown)
        if notice.folded:
            yield f"    - … {len(notice.folded):,}"


def _check_preparation(report: Report) -> dg.AssetCheckResult:
    mode = find_main_mode(score.mode for score in report.scores)
    compared = [row for row in report.comparisons if row.place == (mode, "all", "all")]
    worse = [
        f"{row.variant}: MRR ({mode}) {row.difference:+.3f} (p = {row.p_value:.3f})"
        for row in compared
        if row.verdict == "worse" and row.variant not in BASELINES
    ]
    return result(_CHECK.name, worse, looked_at=len(compared), severity=dg.AssetCheckSeverity.WARN)
