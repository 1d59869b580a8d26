"""From records to the files of a variant, and what is wrong with them: by variant."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.passages import passage_texts
from rag_assets.corpus.prepared import all_records, chunks_of, record_assets, uses_of
from rag_assets.corpus.quality import corpus_quality
from rag_assets.corpus.sidecar_limits import IN_S3_VECTORS
from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.corpus.variants import prepare
from rag_assets.corpus.writing import FileFault, WriteReport, corpus_files, file_faults, write_files
from rag_assets.japanese.sentences import tokens
from rag_assets.model import BIN_WIDTH, Chunk, QualityRow, Record, Variant
from rag_assets.orchestration.checks import blocking, result, telling
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code, folder, sample, small_bars, table
from rag_assets.orchestration.partitions import ONE_RUN, all_of, same_variant
from rag_assets.orchestration.progress import told_every
from rag_assets.orchestration.resources import HomeFolder, Preparation
from rag_assets.store.build_cache import (
    code_fingerprint,
    file_fingerprint,
    file_state,
    fingerprint,
    folder_state,
    is_current,
    make_unless_current,
    set_stamp,
)
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines

_CUTTING_CODE = ("corpus", "japanese", "model.py")
_WRITING_CODE = ("corpus/writing.py", "corpus/sidecars.py", "model.py", "corpus/sidecar_limits.py")
_JUDGING_CODE = ("corpus", "japanese", "model.py")

_PASSAGES_TOLD = 5000
"""Passages between two lines of progress in the log."""


def corpus_assets(variants: dg.StaticPartitionsDefinition, sources: Sequence[str]) -> list[dg.AssetsDefinition]:
    """The assets of the corpus group.

    Args:
        variants: One partition a way of preparing.
        sources: Names of the sources of this run.
    """

    @dg.asset(
        group_name="corpus",
        deps=[all_of(asset) for asset in record_assets(sources)],
        kinds={"text"},
        owners=OWNERS,
        code_version="1",
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
        common = [use for use in uses if use.common]
        return dg.MaterializeResult(
            metadata={
                "headwords": len(uses),
                "headwords in use": len(uses) - len(unused),
                "most common": table([_use_row(use.headword, use.words, use.records) for use in uses[:50]]),
                "in no article": table(
                    [{"file": f"{use.file}:{use.line}", "headword": use.headword} for use in unused]
                ),
                "problems": table([{"where": f"{p.file}:{p.line}", "problem": p.message} for p in problems]),
                "folder": folder(Path(preparation.dictionaries)),
            },
            check_results=[
                result(
                    "well_formed_lines",
                    [str(problem) for problem in problems],
                    looked_at=len(uses),
                    severity=dg.AssetCheckSeverity.WARN,
                ),
                result(
                    "specific_headwords",
                    [f"{use.file}:{use.line}: {use.headword!r} stands in {use.records} records" for use in common],
                    looked_at=len(uses),
                    severity=dg.AssetCheckSeverity.WARN,
                ),
            ],
        )

    @dg.asset(
        group_name="corpus",
        deps=[*(all_of(asset) for asset in record_assets(sources)), dg.AssetDep("synonym_dictionary")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[
            blocking("chunks", "no_lost_records", "Every record has at least one chunk."),
            blocking("chunks", "within_limit", "No chunk's body is over its variant's limit, except a single token."),
        ],
    )
    def chunks(context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation) -> Materialized:
        """Chunks: every record cut at its own structure, each piece saying whose it is.

        The header names document, number, title, tax item and as-of date; a section or table row that goes on says
        so; the dictionary variant adds everyday words. `raw` leaves each record whole, for the Knowledge Base to cut.
        """
        records = all_records(home.home, sources)
        dictionaries: dict[str, Dictionary] = {}

        def dictionary_of(source: str) -> Dictionary:
            if source not in dictionaries:
                dictionaries[source] = preparation.dictionary(source)
            return dictionaries[source]

        lost: list[str] = []
        over: list[str] = []
        total = 0
        for name in context.partition_keys:
            variant = preparation.variant(name)
            made = _made_chunks(home.home, sources, records, variant, dictionary_of)
            context.add_asset_metadata(_chunk_metadata(made, home.home.chunks(name)), partition_key=name)
            context.log.info(f"{name}: {len(made)} chunks of {len(records)} records")
            having = {chunk.record_id for chunk in made}
            lost += [f"{name}: {record.record_id}" for record in records if record.record_id not in having]
            over += [f"{name}: {chunk.chunk_id}" for chunk in made if _is_over_limit(chunk, variant)]
            total += len(made)
        return dg.MaterializeResult(
            metadata={"records": len(records), "this run, chunks": total},
            check_results=[
                result("no_lost_records", lost, looked_at=len(records) * len(context.partition_keys)),
                result("within_limit", over, looked_at=total),
            ],
        )

    @dg.asset(
        name="corpus_files",
        group_name="corpus",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"file"},
        owners=OWNERS,
        code_version="1",
        check_specs=[blocking("corpus_files", "valid_sidecars", "The Knowledge Base will refuse or skip no file.")],
    )
    def corpus_files_of_variant(context: dg.AssetExecutionContext, home: HomeFolder) -> Materialized:
        """Corpus files: the folder that is the future bucket, a `.txt` and its `.metadata.json` a chunk.

        Everything is checked against the rules of the Knowledge Base before anything is written; only files that
        differ are written, files of chunks that are gone are removed, and a crash leaves no half file.
        """
        faults: list[FileFault] = []
        looked_at = 0
        for name in context.partition_keys:
            made = chunks_of(home.home, name)
            looked_at += len(made)
            broken, report = _made_files(home.home, name, made)
            faults += broken
            if report is None:
                continue
            context.add_asset_metadata(_file_metadata(made, report, home.home.corpus(name)), partition_key=name)
            context.log.info(
                f"{name}: {report.new} new, {report.changed} changed, {report.unchanged} unchanged, "
                f"{report.deleted} deleted files"
            )
        return dg.MaterializeResult(
            check_results=[
                result(
                    "valid_sidecars",
                    [f"{fault.key}: {'; '.join(fault.faults)}" for fault in faults],
                    looked_at=looked_at,
                )
            ],
        )

    @dg.asset(
        name="corpus_quality",
        group_name="corpus",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"table"},
        owners=OWNERS,
        code_version="1",
    )
    def corpus_quality_of_variant(
        context: dg.AssetExecutionContext, home: HomeFolder, preparation: Preparation
    ) -> Materialized:
        """Corpus quality: faults that need no question and no model to be seen.

        Passages that do not say which article they belong to, that begin or end inside a sentence, that hold a
        telephone number without its owner, table rows parted from their headings; and how long passages are.
        """
        records = all_records(home.home, sources)
        overview: list[QualityRow] = []
        for name in context.partition_keys:
            made, variant = chunks_of(home.home, name), preparation.variant(name)
            progress = told_every(_PASSAGES_TOLD, context, name, "passages looked at")
            rows = _made_quality(home.home, sources, records, variant, made, progress)
            context.add_asset_metadata(_quality_metadata(rows[0], made, variant), partition_key=name)
            overview.append(rows[0])
        return dg.MaterializeResult(metadata={"this run, by variant": _quality_table(overview)})

    return [synonym_dictionary, chunks, corpus_files_of_variant, corpus_quality_of_variant]


def _made_chunks(
    home: Home,
    sources: Sequence[str],
    records: Sequence[Record],
    variant: Variant,
    dictionary_of: Callable[[str], Dictionary],
) -> tuple[Chunk, ...]:
    """A variant's chunks, made anew only where records, settings, dictionary or code have changed."""
    path = home.chunks(variant.name)
    used = [dictionary_of(source).model_dump_json() for source in sources if variant.dictionary]
    made_from = fingerprint(
        _record_files(home, sources), variant.model_dump_json(), *used, code_fingerprint(*_CUTTING_CODE)
    )
    make_unless_current(
        home.stamp("chunks", variant.name),
        made_from,
        look=lambda: file_state(path),
        make=lambda: write_lines(path, prepare(records, variant, dictionary_of)),
    )
    return chunks_of(home, variant.name)


def _made_files(home: Home, variant: str, made: Sequence[Chunk]) -> tuple[list[FileFault], WriteReport | None]:
    """What keeps a variant's files from being written, or what was written."""
    folder_of_variant = home.corpus(variant)
    stamp = home.stamp("files", variant)
    made_from = fingerprint(file_fingerprint([home.chunks(variant)]), code_fingerprint(*_WRITING_CODE))
    if is_current(stamp, made_from, folder_state(folder_of_variant)):
        return [], WriteReport(new=0, changed=0, unchanged=2 * len(made), deleted=0, bytes_written=0)
    broken = file_faults(made)
    if broken:
        return broken, None
    report = write_files(folder_of_variant, corpus_files(made))
    set_stamp(stamp, made_from, folder_state(folder_of_variant))
    return [], report


def _made_quality(
    home: Home,
    sources: Sequence[str],
    records: Sequence[Record],
    variant: Variant,
    made: Sequence[Chunk],
    progress: Callable[[int, int], None],
) -> list[QualityRow]:
    """A variant's quality rows, made anew only where records, chunks, settings or code have changed."""
    path = home.quality(variant.name)
    make_unless_current(
        home.stamp("quality", variant.name),
        fingerprint(
            _record_files(home, sources),
            variant.model_dump_json(),
            file_fingerprint([home.chunks(variant.name)]),
            code_fingerprint(*_JUDGING_CODE),
        ),
        look=lambda: file_state(path),
        make=lambda: write_lines(path, corpus_quality(records, made, variant, progress=progress)),
    )
    return read_lines(path, QualityRow, "corpus_quality")


def _record_files(home: Home, sources: Sequence[str]) -> str:
    return file_fingerprint(path for source in sources for path in sorted(home.records(source).glob("*.jsonl")))


def _is_over_limit(chunk: Chunk, variant: Variant) -> bool:
    if variant.limit is None:
        return False
    length = len(chunk.body) + (len(chunk.context) + 1 if chunk.context else 0)
    return length > variant.limit and len(tokens(chunk.body)) > 1


def _use_row(headword: str, words: tuple[str, ...], records: int) -> dict[str, object]:
    return {"headword": headword, "everyday words": "、".join(words), "records": records}


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


def _file_metadata(made: Sequence[Chunk], report: WriteReport, path: Path) -> dict[str, Metadatum]:
    sizes = [len(sidecar_bytes(chunk.attributes)) for chunk in made]
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": 2 * len(made),
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
    if made:
        sidecar = sidecar_bytes(made[0].attributes)
        metadata["sample file"] = sample(f"{made[0].chunk_id}.txt\n\n{made[0].text}")
        metadata["sample sidecar"] = code(json.dumps(json.loads(sidecar), ensure_ascii=False, indent=2))
    return metadata


_MEASURES = {
    "passages": "passages",
    "unnamed": "unnamed",
    "begins_mid_sentence": "begins mid-sentence",
    "ends_mid_sentence": "ends mid-sentence",
    "parted_rows": "table rows parted from headings",
    "unkeyed_figures": "tables that could not be read",
    "orphan_phone": "phone without owner",
    "several_records": "several records",
    "over_limit": "over limit",
    "lost_records": "lost records",
    "length_p5": "length P5",
    "length_p50": "length P50",
    "length_p95": "length P95",
    "length_max": "length max",
}


def _quality_table(rows: Sequence[QualityRow]) -> dg.MetadataValue:
    """A line a measure, a column a variant: the page is higher than it is wide."""
    return table(
        [{"measure": name, **{row.variant: getattr(row, field) for row in rows}} for field, name in _MEASURES.items()]
    )


def _quality_metadata(row: QualityRow, made: Sequence[Chunk], variant: Variant) -> dict[str, Metadatum]:
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": row.passages,
        "faults": _quality_table([row]),
        "lengths": small_bars(row.histogram, bin_width=BIN_WIDTH, what="characters of a passage"),
    }
    wanted = {examples[0] for examples in row.examples.values() if examples}
    texts = passage_texts(made, variant, wanted)
    for fault, examples in row.examples.items():
        if examples and examples[0] in texts:
            metadata[f"example: {_MEASURES[fault]}"] = sample(f"{examples[0]}\n\n{texts[examples[0]]}")
    return metadata
