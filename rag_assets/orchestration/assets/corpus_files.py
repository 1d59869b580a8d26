"""Corpus files: the folder of each variant that is the future bucket."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import dagster as dg

from rag_assets.corpus.building import FILES_CODE, build_files
from rag_assets.corpus.prepared import chunks_of
from rag_assets.corpus.sidecar_limits import IN_S3_VECTORS
from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.corpus.writing import WriteReport
from rag_assets.model import Chunk
from rag_assets.orchestration.checks import blocking, result
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code, code_version, folder, sample
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.resources import HomeFolder
from rag_assets.sources.originals import read_original_bytes


def corpus_files_asset(variants: dg.StaticPartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `corpus_files`.

    Args:
        variants: One partition a way of preparing.
    """

    @dg.asset(
        group_name="corpus",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"file"},
        owners=OWNERS,
        code_version=code_version(*FILES_CODE),
        check_specs=[blocking("corpus_files", "valid_sidecars", "The Knowledge Base will refuse or skip no file.")],
    )
    def corpus_files(context: dg.AssetExecutionContext, home: HomeFolder) -> Materialized:
        """Corpus files: the folder that is the future bucket, a `.txt` or document and its `.metadata.json` a chunk.

        Everything is checked against the rules of the Knowledge Base before anything is written; only files that
        differ are written, files of chunks that are gone are removed, and a crash leaves no half file.
        """
        faults: list[str] = []
        looked_at = 0
        for name in context.partition_keys:
            chunks = chunks_of(home.home, name)
            looked_at += len(chunks)
            broken, report = build_files(home.home, name, chunks, partial(read_original_bytes, home.home))
            faults += [f"{fault.key}: {'; '.join(fault.faults)}" for fault in broken]
            if report is None:
                continue
            context.add_asset_metadata(_file_metadata(chunks, report, home.home.corpus(name)), partition_key=name)
            context.log.info(
                f"{name}: {report.new} new, {report.changed} changed, {report.unchanged} unchanged, "
                f"{report.deleted} deleted files"
            )
        return dg.MaterializeResult(check_results=[result("valid_sidecars", faults, looked_at=looked_at)])

    return corpus_files


def _file_metadata(chunks: Sequence[Chunk], report: WriteReport, path: Path) -> dict[str, Metadatum]:
    sizes = [len(sidecar_bytes(chunk.attributes)) for chunk in chunks]
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": 2 * len(chunks),
        "new": report.new,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "largest sidecar, bytes": max(sizes, default=0),
        f"sidecars over {IN_S3_VECTORS.most_bytes} bytes (too large for S3 Vectors)": sum(
            size > IN_S3_VECTORS.most_bytes for size in sizes
        ),
        "folder": folder(path),
    }
    if chunks:
        sidecar = sidecar_bytes(chunks[0].attributes)
        metadata["sample file"] = sample(f"{chunks[0].key}\n\n{chunks[0].text}")
        metadata["sample sidecar"] = code(json.dumps(json.loads(sidecar), ensure_ascii=False, indent=2))
    return metadata
