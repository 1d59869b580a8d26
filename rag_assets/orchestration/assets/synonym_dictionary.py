"""The synonym dictionary: what its editors should mend."""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from rag_assets.corpus.dictionary import HeadwordUse
from rag_assets.corpus.prepared import all_records, record_assets, uses_of
from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.metadata import OWNERS, Materialized, code_version, folder, table
from rag_assets.orchestration.partitions import all_of
from rag_assets.orchestration.resources import HomeFolder, Preparation

_CODE = ("corpus/dictionary.py", "japanese", "model.py")
_MOST_COMMON = 50
"""Headwords shown, the most frequent first."""


def synonym_dictionary_asset(sources: Sequence[str]) -> dg.AssetsDefinition:
    """The asset `synonym_dictionary`.

    Args:
        sources: Names of the sources of this run.
    """

    @dg.asset(
        group_name="corpus",
        deps=[all_of(asset) for asset in record_assets(sources)],
        kinds={"text"},
        owners=OWNERS,
        code_version=code_version(*_CODE),
        check_specs=[
            telling("synonym_dictionary", "well_formed_lines", "Every line is a headword with everyday words."),
            telling(
                "synonym_dictionary", "specific_headwords", "No headword is so common that it tells nothing apart."
            ),
        ],
    )
    def synonym_dictionary(
        context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation
    ) -> Materialized:
        """The synonym dictionary (同義語辞書): everyday words for the words of the documents, edited by people.

        Reads `dictionaries/<source>.txt` and tells what a content owner should mend: lines that are malformed,
        headwords written twice, headwords that stand in no article, headwords that stand in too many.
        """
        dictionaries = {source: preparation.dictionary(source) for source in sources}
        problems = [problem for dictionary in dictionaries.values() for problem in dictionary.problems]
        problems += preparation.stray_dictionaries()
        for problem in problems:
            context.log.warning(str(problem))
        records = all_records(home.home, sources)
        uses = [use for source, dictionary in dictionaries.items() for use in uses_of(records, source, dictionary)]
        unused = [use for use in uses if not use.records]
        return dg.MaterializeResult(
            metadata={
                "headwords": len(uses),
                "headwords in use": len(uses) - len(unused),
                "most common": table([_use_row(use) for use in uses[:_MOST_COMMON]]),
                "in no article": table(
                    [{"file": f"{use.file}:{use.line}", "headword": use.headword} for use in unused]
                ),
                "problems": table([{"where": f"{p.file}:{p.line}", "problem": p.message} for p in problems]),
                "folder": folder(Path(preparation.dictionaries)),
            },
            check_results=[
                _warning("well_formed_lines", list(map(str, problems)), uses),
                _warning("specific_headwords", [_describe_common(use) for use in uses if use.common], uses),
            ],
        )

    return synonym_dictionary


def _warning(check: str, faults: Sequence[str], uses: Sequence[HeadwordUse]) -> dg.AssetCheckResult:
    return result(check, faults, looked_at=len(uses), severity=dg.AssetCheckSeverity.WARN)


def _describe_common(use: HeadwordUse) -> str:
    return f"{use.file}:{use.line}: {use.headword!r} stands in {use.records} records"


def _use_row(use: HeadwordUse) -> dict[str, object]:
    return {"headword": use.headword, "everyday words": "、".join(use.words), "records": use.records}
