"""Corpus quality: faults of each variant that need no question to be seen."""

from collections.abc import Sequence

import dagster as dg

from rag_assets.corpus.building import QUALITY_CODE, build_quality
from rag_assets.corpus.passages import passage_texts
from rag_assets.corpus.prepared import all_records, chunks_of
from rag_assets.model import BIN_WIDTH, Chunk, QualityRow, Variant
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, sample, small_bars, table
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import log_every
from rag_assets.orchestration.resources import HomeFolder, Preparation

_PROGRESS_EVERY = 5000
"""Passages between two lines of progress in the log."""

_MEASURES = {
    "passages": "passages",
    "unnamed": "unnamed",
    "begins_mid_sentence": "begins mid-sentence",
    "ends_mid_sentence": "ends mid-sentence",
    "parted_rows": "table rows parted from headings",
    "unkeyed_figures": "tables that could not be read",
    "orphan_phone": "phone without owner",
    "several_records": "several records",
    "page_furniture": "page furniture",
    "over_limit": "over limit",
    "lost_records": "lost records",
    "length_p5": "length P5",
    "length_p50": "length P50",
    "length_p95": "length P95",
    "length_max": "length max",
}


def corpus_quality_asset(variants: dg.StaticPartitionsDefinition, sources: Sequence[str]) -> dg.AssetsDefinition:
    """The asset `corpus_quality`.

    Args:
        variants: One partition a way of preparing.
        sources: Names of the sources of this run.
    """

    @dg.asset(
        group_name="corpus",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"table"},
        owners=OWNERS,
        code_version=code_version(*QUALITY_CODE),
    )
    def corpus_quality(context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation) -> Materialized:
        """Corpus quality: faults that need no question and no model to be seen.

        Passages that do not say which article they belong to, that begin or end inside a sentence, that hold a
        telephone number without its owner, table rows parted from their headings; and how long passages are.
        """
        records = all_records(home.home, sources)
        overview: list[QualityRow] = []
        for name in context.partition_keys:
            chunks, variant = chunks_of(home.home, name), preparation.variant(name)
            progress = log_every(_PROGRESS_EVERY, context.log.info, name, "passages looked at")
            whole = build_quality(home.home, sources, records, variant, chunks, progress)[0]
            context.add_asset_metadata(_quality_metadata(whole, chunks, variant), partition_key=name)
            overview.append(whole)
        return dg.MaterializeResult(metadata={"this run, by variant": _quality_table(overview)})

    return corpus_quality


def _quality_table(rows: Sequence[QualityRow]) -> dg.MetadataValue:
    """A line a measure, a column a variant: the page is higher than it is wide."""
    return table(
        [{"measure": name, **{row.variant: getattr(row, field) for row in rows}} for field, name in _MEASURES.items()]
    )


def _quality_metadata(row: QualityRow, chunks: Sequence[Chunk], variant: Variant) -> dict[str, Metadatum]:
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": row.passages,
        "faults": _quality_table([row]),
        "lengths": small_bars(row.histogram, bin_width=BIN_WIDTH, what="characters of a passage"),
    }
    wanted = {examples[0] for examples in row.examples.values() if examples}
    texts = passage_texts(chunks, variant, wanted)
    for fault, examples in row.examples.items():
        if examples and examples[0] in texts:
            metadata[f"example: {_MEASURES[fault]}"] = sample(f"{examples[0]}\n\n{texts[examples[0]]}")
    return metadata
