"""The asset `search_index`. How an index is made belongs to `retrieval/index_writing.py`.

What needs numpy is imported where it is used: preparing, in the same process, does without.
"""

import dagster as dg

from rag_assets.corpus.prepared import passages_of
from rag_assets.orchestration.assets.each_variant import make_each, make_embedder
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, folder
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import log_every
from rag_assets.orchestration.recording import fail_for, record_partitions
from rag_assets.orchestration.resources import Bedrock, Evaluation, HomeFolder, Preparation

_PROGRESS_EVERY = 1000


def search_index_asset(variants: dg.StaticPartitionsDefinition) -> dg.AssetsDefinition:
    """Makes the asset for the variants of a run."""

    @dg.asset(
        group_name="evaluation",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"sqlite"},
        owners=OWNERS,
        code_version=code_version("corpus/passages.py", "corpus/prepared.py", "retrieval"),
    )
    def search_index(
        context: dg.AssetExecutionContext,
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        bedrock: Bedrock,
    ) -> Materialized:
        """The embedded index: attributes, BM25 and vectors in one SQLite file a variant.

        `as_is` and `raw` are cut into windows of 300 tokens with 20% overlap, as the Knowledge Base would. Vectors are
        reused by content over all variants and runs.
        """
        from rag_assets.retrieval.embedders import VectorCache, read_in_part
        from rag_assets.retrieval.index_writing import write_index

        embedder = make_embedder(context, evaluation, bedrock)

        def index(name: str) -> dict[str, Metadatum]:
            path, passages = home.home.index(name), passages_of(home.home, preparation.variant(name))
            cut = read_in_part(embedder, [passage.text for passage in passages])
            if cut:
                context.log.warning(f"{name}: {cut}")
            progress = log_every(_PROGRESS_EVERY, context.log.info, name, "texts embedded")
            changes = write_index(path, passages, embedder, cache, progress=progress)
            context.log.info(f"{name}: {len(passages)} passages, {changes.added + changes.changed} new or changed")
            return {
                "dagster/row_count": len(passages),
                "added": changes.added,
                "changed": changes.changed,
                "removed": changes.removed,
                "unchanged": changes.unchanged,
                "file": folder(path),
                "texts read in part": cut or "none",
            }

        with VectorCache(home.home.vectors, context.log.warning) as cache:
            complete, failed = make_each(context, index)
        record_partitions(context, complete, step_fails=bool(failed))
        fail_for(failed, "could not be indexed", len(complete))
        return dg.MaterializeResult()

    return search_index
