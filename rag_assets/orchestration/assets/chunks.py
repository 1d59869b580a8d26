"""Chunks: the records of all sources, cut in every way of preparing."""

from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import dagster as dg

from rag_assets.corpus.building import CHUNKS_CODE, build_chunks, is_over_limit
from rag_assets.corpus.prepared import all_records, chunks_of, record_assets, records_in
from rag_assets.model import Chunk
from rag_assets.orchestration.checks import blocking, result
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, folder, sample, table
from rag_assets.orchestration.partitions import ONE_RUN, all_of
from rag_assets.orchestration.resources import HomeFolder, Preparation
from rag_assets.sources.originals import read_originals


def chunks_asset(variants: dg.StaticPartitionsDefinition, sources: Sequence[str]) -> dg.AssetsDefinition:
    """The asset `chunks`.

    Args:
        variants: One partition a way of preparing.
        sources: Names of the sources of this run.
    """

    @dg.asset(
        group_name="corpus",
        deps=[*(all_of(asset) for asset in record_assets(sources)), dg.AssetDep("synonym_dictionary")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"json"},
        owners=OWNERS,
        code_version=code_version(*CHUNKS_CODE),
        check_specs=[
            blocking("chunks", "no_lost_records", "Every record is in at least one chunk."),
            blocking("chunks", "within_limit", "No chunk's body is over its variant's limit, except a single token."),
        ],
    )
    def chunks(context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation) -> Materialized:
        """Chunks: every record cut at its own structure, each piece saying whose it is.

        The header names document, number, title, tax item and as-of date; a section or table row that goes on says
        so; the dictionary variant adds everyday words. `raw` leaves each record whole, `as_is` each document, for the
        Knowledge Base to cut.
        """
        records = all_records(home.home, sources)
        dictionary_of = cache(preparation.dictionary)
        read_documents = partial(read_originals, home.home, records)
        lost: list[str] = []
        over: list[str] = []
        total = 0
        for name in context.partition_keys:
            variant = preparation.variant(name)
            build_chunks(home.home, sources, records, variant, dictionary_of, read_documents)
            made = chunks_of(home.home, name)
            context.add_asset_metadata(_chunk_metadata(made, home.home.chunks(name)), partition_key=name)
            context.log.info(f"{name}: {len(made)} chunks of {len(records)} records")
            having = records_in(made)
            lost += [f"{name}: {record.record_id}" for record in records if record.record_id not in having]
            over += [f"{name}: {chunk.chunk_id}" for chunk in made if is_over_limit(chunk, variant)]
            total += len(made)
        return dg.MaterializeResult(
            metadata={"records": len(records), "this run, chunks": total},
            check_results=[
                result("no_lost_records", lost, looked_at=len(records) * len(context.partition_keys)),
                result("within_limit", over, looked_at=total),
            ],
        )

    return chunks


def _chunk_metadata(made: Sequence[Chunk], path: Path) -> dict[str, Metadatum]:
    per_record = Counter(Counter(chunk.record_id for chunk in made).values())
    lengths = [len(chunk.body) for chunk in made]
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": len(made),
        "characters of a body, mean": round(sum(lengths) / max(len(made), 1), 1),
        "characters of a body, most": max(lengths, default=0),
        "with everyday words": sum(bool(chunk.keywords) for chunk in made),
        "records by number of chunks": table(
            [{"chunks": chunks, "records": records} for chunks, records in sorted(per_record.items())]
        ),
        "file": folder(path),
    }
    for position, chunk in enumerate(made[:2], start=1):
        metadata[f"sample {position}"] = sample(chunk.text)
    return metadata
