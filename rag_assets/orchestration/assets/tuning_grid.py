"""The asset `tuning_grid`. What a grid compares, and how, is decided in `tuning/`.

What needs numpy is imported where it is used: preparing, in the same process, does without.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.corpus.prepared import all_records, record_assets
from rag_assets.evaluation.model import Question
from rag_assets.orchestration.assets.each_variant import make_embedder
from rag_assets.orchestration.metadata import OWNERS, Materialized, code, code_version, table
from rag_assets.orchestration.partitions import all_of
from rag_assets.orchestration.resources import Bedrock, Evaluation, HomeFolder, Preparation
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.store.lines import read_lines, write_if_changed

if TYPE_CHECKING:
    from rag_assets.tuning.grid import GridRow

_SHOWN = 20


def tuning_grid_asset(sources: Sequence[str], grid: TuningGrid) -> dg.AssetsDefinition:
    """Makes the asset for the sources of a run and its grid."""

    @dg.asset(
        group_name="evaluation",
        deps=[*(all_of(asset) for asset in record_assets(sources)), dg.AssetDep("questions")],
        kinds={"html"},
        owners=OWNERS,
        code_version=code_version("tuning", "retrieval", "corpus", "japanese"),
    )
    def tuning_grid(
        context: dg.AssetExecutionContext,
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        bedrock: Bedrock,
    ) -> Materialized:
        """The tuning grid: ways of cutting times ways of searching, each measured with the same questions.

        Every way of cutting is indexed once and kept, so that a run that was broken off goes on where it was. The best
        on tune is judged on holdout; it wins only if it beats the default by more than noise.
        """
        from rag_assets.tuning.grid import GridInputs, choose_best, run_grid
        from rag_assets.tuning.page import describe_choice, make_csv, make_page

        questions = [one for one in read_lines(home.home.questions, Question, "questions") if one.gold]
        inputs = GridInputs(
            home=home.home,
            records=all_records(home.home, sources),
            questions=questions,
            dictionary_of=cache(preparation.dictionary),
            embedder=make_embedder(context, evaluation, bedrock),
        )
        rows = run_grid(inputs, grid, context.log.info)
        choice = choose_best(rows, questions, _name_default(evaluation, rows))
        page = make_page(rows, choice, grid.price_per_million_tokens)
        write_if_changed(home.home.reports / "tuning.html", page.encode())
        write_if_changed(
            home.home.reports / "tuning.csv", make_csv(rows, grid.price_per_million_tokens).encode("utf-8-sig")
        )
        return dg.MaterializeResult(
            metadata={
                "page": dg.MetadataValue.path(str(home.home.reports / "tuning.html")),
                "what came of it": dg.MetadataValue.text(describe_choice(choice)),
                "best": table(_show_best(rows, grid)),
                **_paste(rows, choice.best if choice else ""),
            }
        )

    return tuning_grid


def _name_default(evaluation: Evaluation, rows: Sequence["GridRow"]) -> str:
    """The row of prepared_400_dict, searched with the settings of the run; that of prepared_400 where there is none."""
    from rag_assets.tuning.grid import SearchWay

    search = SearchWay(mode="hybrid", settings=evaluation.search_settings()).name
    names = {row.name for row in rows}
    wanted = (f"structure_400_dict, {search}", f"structure_400, {search}")
    return next((name for name in wanted if name in names), wanted[0])


def _show_best(rows: Sequence["GridRow"], grid: TuningGrid) -> list[dict[str, object]]:
    from rag_assets.tuning.page import row_values

    best = sorted(rows, key=lambda row: -row.mrr())[:_SHOWN]
    return [dict(row_values(row, grid.price_per_million_tokens)) for row in best]


def _paste(rows: Sequence["GridRow"], best: str) -> dict[str, dg.MetadataValue]:
    from rag_assets.tuning.page import make_settings

    settings = next((make_settings(row) for row in rows if row.name == best), "")
    return {"settings to paste": code(settings)} if settings else {}
