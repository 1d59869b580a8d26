"""Questions asked of every variant, and what came of it.

What needs numpy is imported where it is used: preparing, in the same process, does without.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import dagster as dg

from rag_assets.corpus.passages import passage_texts
from rag_assets.corpus.record_files import StoredRecord
from rag_assets.corpus.variants import RAW
from rag_assets.evaluation.comparable import require_comparable, searched_by_variant, strange_chunks
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult
from rag_assets.evaluation.questions import load_questions, longest_question, without_gone
from rag_assets.evaluation.report import (
    ExamplePassage,
    RecordLink,
    Report,
    ReportDocument,
    ReportFinding,
    cautions,
    notices_of,
    render_report,
    summary,
)
from rag_assets.evaluation.tables import comparison_table, csv_bytes, hit_table, quality_table, score_table
from rag_assets.evaluation.wording import (
    HELD_IN_LOG,
    condition_in_words,
    foreign_in_log,
    main_mode,
    some_chunks,
    strangers_in_log,
)
from rag_assets.ingestion.data_source import IngestionTarget
from rag_assets.ingestion.service import IngestionError
from rag_assets.model import QualityRow, Record, SearchIn, Variant
from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.ingested import foreign_documents, held_in_knowledge_base
from rag_assets.orchestration.inputs import (
    all_records,
    chunks_of,
    listed_articles,
    passage_counts,
    passages_of,
    record_assets,
    uses_of,
)
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, folder, frame_table, table
from rag_assets.orchestration.partitions import ONE_RUN, all_of, same_variant
from rag_assets.orchestration.progress import told_every, told_in_log
from rag_assets.orchestration.recording import fail_for, record_partitions, why_failed
from rag_assets.orchestration.resources import (
    Bedrock,
    Documents,
    Evaluation,
    HomeFolder,
    Preparation,
    Sync,
    TaxAnswerSite,
)
from rag_assets.retrieval.filters import Condition, keys_of
from rag_assets.retrieval.knowledge_base_filters import list_attributes
from rag_assets.s3.locations import Target
from rag_assets.settings import SettingsError
from rag_assets.sources.document_records import DocumentSummary
from rag_assets.sources.staleness import staleness
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.sources.tax_answer.reader import SOURCE as TAX_ANSWER
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError, read_lines, write_if_changed, write_lines

if TYPE_CHECKING:
    from rag_assets.evaluation.run import Asked
    from rag_assets.retrieval.embedders import Embedder
    from rag_assets.retrieval.index import IndexChanges

_ANSWERED_BY: "Mapping[SearchIn, str]" = {"index": "search_index", "knowledge_base": "knowledge_base_ingestion"}
_PROGRESS_EVERY = 1000
_SEARCHES_EVERY = 100
_SHOWN_FINDINGS = 10
_JAPAN = ZoneInfo("Asia/Tokyo")


def evaluation_assets(
    variants: dg.StaticPartitionsDefinition, sources: Sequence[str], *, search_in: SearchIn, is_sample: bool
) -> list[dg.AssetsDefinition]:
    """The assets of the evaluation group.

    Args:
        variants: One partition a way of preparing.
        sources: Names of the sources of this run.
        search_in: What is asked, and so what the results come from.
        is_sample: Whether all of them are the bundled sample.
    """

    @dg.asset(
        name="questions",
        group_name="evaluation",
        deps=[all_of(asset) for asset in record_assets(sources)],
        kinds={"csv"},
        owners=OWNERS,
        code_version="1",
    )
    def questions_asset(context: dg.AssetExecutionContext, home: HomeFolder, evaluation: Evaluation) -> Materialized:
        """The question sets, validated: everyday questions and the records that answer them (gold).

        A question set is a CSV file with `id,question,gold,split`; every fault is told with file and line, unknown
        gold numbers by name. A column `filter` narrows the search of a question, as an application would.
        """
        records = all_records(home.home, sources)
        known = {record.record_id: record.number for record in records}
        lists = list_attributes(
            {facet.key: facet.values for facet in record.facets} | record.attributes for record in records
        )
        listed = listed_articles(home.home) if TAX_ANSWER in sources else {}
        gone = {record_id: entry.key for record_id, entry in listed.items() if record_id not in known}
        files = evaluation.question_files()
        loaded = load_questions(
            files,
            sources=sources,
            known_records=known | gone,
            lists=lists,
            longest=longest_question(search_in),
        )
        questions, told = without_gone(loaded, gone)
        for line in told:
            context.log.warning(line)
        write_lines(home.home.questions, questions)
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": len(questions),
                "questions": table([_question_row(question) for question in questions]),
                "records that are gone": "\n".join(told) or "none",
                "files": ", ".join(map(str, files)) or "none",
            }
        )

    @dg.asset(
        group_name="evaluation",
        deps=[same_variant("chunks")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"sqlite"},
        owners=OWNERS,
        code_version="1",
    )
    def search_index(
        context: dg.AssetExecutionContext,
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        bedrock: Bedrock,
    ) -> Materialized:
        """The embedded index: attributes, BM25 and vectors in one SQLite file a variant.

        `raw` is cut into windows of 300 tokens with 20% overlap, as the Knowledge Base would. Vectors are reused by
        content over all variants and runs.
        """
        from rag_assets.retrieval.embedders import VectorCache, read_in_part
        from rag_assets.retrieval.index import write_index

        embedder = _embedder(context, evaluation, bedrock)

        def indexed(name: str) -> dict[str, Metadatum]:
            passages = passages_of(home.home, preparation.variant(name))
            cut = read_in_part(embedder, [passage.text for passage in passages])
            if cut:
                context.log.warning(f"{name}: {cut}")
            changes = write_index(
                home.home.index(name),
                passages,
                embedder,
                cache,
                progress=told_every(_PROGRESS_EVERY, context, name, "texts embedded"),
            )
            context.log.info(f"{name}: {len(passages)} passages, {changes.added + changes.changed} new or changed")
            metadata = _index_metadata(changes, len(passages), home.home.index(name))
            return metadata | {"texts read in part": cut or "none"}

        with VectorCache(home.home.vectors, context.log.warning) as cache:
            complete, failed = _each_by_itself(context, indexed)
        record_partitions(context, complete, step_fails=bool(failed))
        fail_for(failed, "could not be indexed", len(complete))
        return dg.MaterializeResult()

    @dg.asset(
        group_name="evaluation",
        deps=[same_variant(_ANSWERED_BY[search_in]), dg.AssetDep("questions")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"json"},
        owners=OWNERS,
        code_version="1",
        check_specs=[
            telling("retrieval_results", "found_in_corpus", "All that was found are chunks as they are prepared here.")
        ],
    )
    def retrieval_results(
        context: dg.AssetExecutionContext,
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        sync: Sync,
        bedrock: Bedrock,
    ) -> Materialized:
        """What is found for every question, by variant: in the embedded index, or in the Knowledge Base.

        The index is searched by words (BM25), by meaning (dense) and by both (hybrid), a Knowledge Base by what its
        store offers (`search_type`). Every result says what answered and how it was asked: only variants that were
        searched alike are compared. Before the first question it is made sure of all variants that they can be asked.
        """
        from rag_assets.evaluation.metrics import scores
        from rag_assets.evaluation.run import evaluate, unmatched_filters

        questions = read_lines(home.home.questions, Question, "questions")
        # Imports what is heavy and makes clients: only where the index is searched.
        embedder = _embedder(context, evaluation, bedrock) if search_in == "index" else None

        def how_searched(name: str) -> HowSearched:
            variant = preparation.variant(name)
            if embedder is not None:
                return _how_index_searched(home.home, variant, evaluation, embedder)
            return _how_knowledge_base_searched(context, home.home, variant, evaluation, sync, bedrock)

        def found(name: str) -> _Found:
            variant, how = preparation.variant(name), searched[name]
            if how.held != "corpus":
                context.log.warning(f"{name}: {HELD_IN_LOG[how.held]}")
            if how.foreign:
                context.log.warning(f"{name}: {foreign_in_log(how.place, how.foreign)}")
            with _asked(context, home.home, variant, how, evaluation, sync, bedrock, embedder) as asked:
                progress = told_every(_SEARCHES_EVERY, context, name, "searches")
                results = evaluate({name: asked}, questions, asked.searcher.modes(), progress=progress)
            strange = strange_chunks(results).get(name, [])
            write_lines(home.home.results(name), results)
            rows = score_table(scores(results, {name: passage_counts(home.home, variant)}))
            context.log.info(f"{name}: {len(questions)} questions asked")
            if strange:
                context.log.warning(strangers_in_log(name, strange))
            for _, question_id, condition in unmatched_filters(results):
                context.log.warning(_filtered_out(name, question_id, condition))
            metadata: dict[str, Metadatum] = {
                "dagster/row_count": len(results),
                "searched in": how.search_in,
                "what it held": HELD_IN_LOG[how.held],
                "documents of others": how.foreign,
                "found, but not in the corpus": some_chunks(strange) or "none",
                "scores": frame_table(rows),
                "file": folder(home.home.results(name)),
            }
            return _Found(metadata, strange, sum(len(one.hits) for one in results))

        searched, failed = _each_by_itself(context, how_searched)
        fail_for(failed, "cannot be searched, and no question was asked", len(searched))
        complete, failed = _each_by_itself(context, found)
        metadata = {name: one.metadata for name, one in complete.items()}
        record_partitions(context, metadata, step_fails=bool(failed))
        fail_for(failed, "could not be searched", len(complete))
        strangers = [f"{name}: {chunk_id}" for name, one in complete.items() for chunk_id in one.strange]
        looked_at = sum(one.hits for one in complete.values())
        return dg.MaterializeResult(
            check_results=[
                result("found_in_corpus", strangers, looked_at=looked_at, severity=dg.AssetCheckSeverity.WARN)
            ]
        )

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
        code_version="1",
        check_specs=[
            telling(
                "retrieval_report",
                "preparation_pays",
                "No prepared variant is significantly worse than raw in the report's main search over all questions.",
            )
        ],
    )
    def retrieval_report(
        home: HomeFolder,
        preparation: Preparation,
        evaluation: Evaluation,
        site: TaxAnswerSite,
        documents: Documents,
    ) -> Materialized:
        """The comparison of the variants: one HTML page, and the same tables as CSV.

        MRR, hit@8, Recall and latency by variant and search mode, with intervals and a paired test against `raw`; the
        corpus quality table; and for every question the passages of each variant side by side, right ones marked.
        """
        locations = _locations(site, documents)
        findings = tuple(_findings(home.home, documents, sources))
        report = _collect(home.home, sources, preparation, evaluation, locations, findings, is_sample=is_sample)
        reports = home.home.reports
        write_if_changed(reports / "report.html", render_report(report).encode())
        write_if_changed(reports / "retrieval.csv", csv_bytes(score_table(report.scores)))
        write_if_changed(reports / "retrieval_hits.csv", csv_bytes(hit_table(report.results)))
        write_if_changed(reports / "comparisons.csv", csv_bytes(comparison_table(report.comparisons)))
        write_if_changed(reports / "corpus_quality.csv", csv_bytes(quality_table(report.quality)))
        overall = [score for score in report.scores if score.split == "all" and score.source == "all"]
        against = [row for row in report.comparisons if row.split == "all" and row.source == "all"]
        mode = main_mode(score.mode for score in report.scores)
        judged = [row for row in against if row.mode == mode]
        worse = [row for row in judged if row.verdict == "worse"]
        return dg.MaterializeResult(
            metadata={
                "summary": dg.MetadataValue.md("\n".join(f"- {sentence}" for sentence in summary(report))),
                "cautions": dg.MetadataValue.md("\n".join(f"- {caution}" for caution in cautions(report)) or "none"),
                "currency of the text": dg.MetadataValue.md("\n".join(_notices_in_markdown(report)) or "none"),
                "report": dg.MetadataValue.path(str(reports / "report.html")),
                "scores": frame_table(score_table(overall)),
                "against raw": frame_table(comparison_table(against)),
                "corpus quality": frame_table(quality_table(report.quality)),
            },
            check_results=[
                result(
                    "preparation_pays",
                    [f"{row.variant}: MRR ({mode}) {row.difference:+.3f} (p = {row.p_value:.3f})" for row in worse],
                    looked_at=len(judged),
                    severity=dg.AssetCheckSeverity.WARN,
                )
            ],
        )

    return [questions_asset, search_index, retrieval_results, retrieval_report]


class _Found(NamedTuple):
    """What was found for a variant.

    Attributes:
        metadata: For its page.
        strange: Chunks found that are none of its own.
        hits: How many there were in all.
    """

    metadata: dict[str, Metadatum]
    strange: list[str]
    hits: int


_Made = TypeVar("_Made")


def _each_by_itself(
    context: dg.AssetExecutionContext, work: Callable[[str], _Made]
) -> tuple[dict[str, _Made], dict[str, str]]:
    """What the work made of each variant, and why it failed for others: what fails holds up no other."""
    from rag_assets.retrieval.bedrock_calls import BedrockError
    from rag_assets.retrieval.embedders import EmbeddingError
    from rag_assets.retrieval.index import IndexFileError

    foreseen = (StorageError, SettingsError, IngestionError, IndexFileError, EmbeddingError, BedrockError)
    made: dict[str, _Made] = {}
    failed: dict[str, str] = {}
    for name in context.partition_keys:
        try:
            made[name] = work(name)
        except Exception as error:
            failed[name] = why_failed(context, name, error, foreseen)
    return made, failed


def _embedder(context: dg.AssetExecutionContext, evaluation: Evaluation, bedrock: Bedrock) -> "Embedder":
    """What makes the vectors of passages and questions."""
    from rag_assets.retrieval.bedrock_calls import BedrockPatience
    from rag_assets.retrieval.bedrock_embedders import embedder_of

    patience = BedrockPatience(tell=context.log.info)
    return embedder_of(evaluation.embedder, lambda: bedrock.client("bedrock-runtime"), patience=patience)


def _how_index_searched(home: Home, variant: Variant, evaluation: Evaluation, embedder: "Embedder") -> HowSearched:
    """How the embedded index is asked about a variant; nothing is asked yet.

    Raises:
        IndexFileError: It holds another corpus than is prepared here, or cannot be searched.
        StorageError: The corpus was never made.
    """
    from rag_assets.retrieval.index import require_current

    require_current(home.index(variant.name), passages_of(home, variant), embedder)
    return HowSearched(search_in="index", settings=_index_settings(evaluation), held="corpus")


def _how_knowledge_base_searched(
    context: dg.AssetExecutionContext,
    home: Home,
    variant: Variant,
    evaluation: Evaluation,
    sync: Sync,
    bedrock: Bedrock,
) -> HowSearched:
    """How the Knowledge Base is asked about a variant; no question is asked yet.

    Raises:
        SettingsError: It has none.
        IngestionError: What was prepared here is not all in it.
        StorageError: The corpus was never made, or a file of the sync cannot be read.
    """
    target = _target(variant, sync)
    return HowSearched(
        search_in="knowledge_base",
        settings=_knowledge_base_settings(evaluation),
        held=held_in_knowledge_base(
            home,
            variant.name,
            IngestionTarget.of(target, variant.chunking),
            chunks_of(home, variant.name),
            bedrock.client("bedrock-agent"),
            told_in_log(context, variant.name),
        ),
        knowledge_base_id=target.knowledge_base_id,
        place=target.uri,
        foreign=foreign_documents(home, variant.name, target),
    )


def _target(variant: Variant, sync: Sync) -> Target:
    target = sync.target(variant.name)
    if target is None or not target.knowledge_base_id:
        raise SettingsError(
            f"no Knowledge Base is set for it: set knowledge_base_id of `[target.{variant.name}]` in rag_assets.toml, "
            "or search_in to index"
        )
    return target


@contextmanager
def _asked(
    context: dg.AssetExecutionContext,
    home: Home,
    variant: Variant,
    searched: HowSearched,
    evaluation: Evaluation,
    sync: Sync,
    bedrock: Bedrock,
    embedder: "Embedder | None",
) -> "Iterator[Asked]":
    """What answers the questions about a variant."""
    from rag_assets.evaluation.run import Asked
    from rag_assets.retrieval.bedrock_calls import BedrockPatience
    from rag_assets.retrieval.index import LocalIndex
    from rag_assets.retrieval.knowledge_base import KnowledgeBaseSearch, KnowledgeBaseSettings

    chunks = chunks_of(home, variant.name)
    chunk_ids = {chunk.chunk_id for chunk in chunks}
    if searched.search_in == "index":
        with LocalIndex.open(home.index(variant.name), embedder, evaluation.search_settings()) as index:
            yield Asked(index, searched, chunk_ids)
        return
    settings = KnowledgeBaseSettings.model_validate(
        {
            **_target(variant, sync).model_dump(),
            "variant": variant.name,
            "chunking": variant.chunking,
            "search_type": evaluation.search_type,
            "semantic_order": evaluation.semantic_order,
            "verify_order": evaluation.verify_order,
            "once_a_record": evaluation.once_a_record,
        }
    )
    lists = list_attributes(chunk.attributes for chunk in chunks)
    runtime = bedrock.client("bedrock-agent-runtime")
    searcher = KnowledgeBaseSearch(runtime, settings, lists=lists, patience=BedrockPatience(tell=context.log.info))
    yield Asked(searcher, searched, chunk_ids)


def _index_settings(evaluation: Evaluation) -> dict[str, str]:
    """The settings that have a say in what the embedded index finds."""
    return {
        "embedder": evaluation.embedder,
        "bm25_weight": f"{evaluation.bm25_weight:g}",
        "rrf_constant": f"{evaluation.rrf_constant:g}",
    }


def _knowledge_base_settings(evaluation: Evaluation) -> dict[str, str]:
    """The settings that have a say in what a Knowledge Base finds."""
    return {
        "search_type": evaluation.search_type,
        "semantic_order": evaluation.semantic_order,
        "verify_order": str(evaluation.verify_order).lower(),
        "once_a_record": str(evaluation.once_a_record).lower(),
    }


def _locations(site: TaxAnswerSite, documents: Documents) -> dict[str, str]:
    """Where everything is read from: the site, and every document by its source and key."""
    tax_answer = {TAX_ANSWER: site.location} if site.location else {}
    return tax_answer | {
        f"{source}/{document['key']}": document["location"]
        for source, of_source in documents.by_source.items()
        for document in of_source
    }


def _collect(
    home: Home,
    sources: Sequence[str],
    preparation: Preparation,
    evaluation: Evaluation,
    locations: Mapping[str, str],
    findings: tuple[ReportFinding, ...],
    *,
    is_sample: bool,
) -> Report:
    """Everything the report tells, from the files of the other assets."""
    from rag_assets.evaluation.metrics import scores
    from rag_assets.evaluation.significance import compare

    variants = preparation.all_variants()
    questions = read_lines(home.questions, Question, "questions")
    results = [
        found
        for variant in variants
        if questions
        for found in read_lines(home.results(variant.name), QuestionResult, "retrieval_results")
    ]
    require_comparable(results, questions, [variant.name for variant in variants])
    counts = {variant.name: passage_counts(home, variant) for variant in variants if questions}
    is_compared = any(variant.name == RAW for variant in variants) and bool(results)
    records = all_records(home, sources)
    shared = _sources_of_several_documents(records)
    quality = tuple(
        row for variant in variants for row in read_lines(home.quality(variant.name), QualityRow, "corpus_quality")
    )
    return Report(
        documents=tuple(_documents(records, locations, is_sample=is_sample)),
        made_at=datetime.now(_JAPAN),
        variants=tuple(variants),
        scores=tuple(scores(results, counts)) if results else (),
        comparisons=tuple(compare(results, RAW)) if is_compared else (),
        results=tuple(results),
        quality=quality,
        questions=len(questions),
        examples=tuple(example for row in quality for example in _examples(home, preparation, row)),
        records=tuple(
            RecordLink(record_id=record.record_id, label=_label(record, shared), title=record.title, url=record.url)
            for record in records
        ),
        findings=findings,
        dictionary_notes=tuple(_dictionary_notes(records, sources, preparation)),
        staleness=tuple(staleness(home, source) for source in sources),
        settings={
            **{name: "sample" if is_sample else location for name, location in locations.items()},
            "questions": ", ".join(evaluation.questions),
            "dictionaries": preparation.dictionaries,
            **_search_settings(searched_by_variant(results)),
        },
        command=evaluation.command,
        sample=is_sample,
    )


def _search_settings(searched: Mapping[str, HowSearched]) -> dict[str, str]:
    """What was searched, and how, as the results say it: the settings may be others by now."""
    told: dict[str, str] = {}
    for how in searched.values():
        told |= {"search_in": how.search_in, **how.settings}
    in_aws = {variant: how for variant, how in searched.items() if how.knowledge_base_id}
    return told | {f"target.{variant}": f"{how.knowledge_base_id}（{how.place}）" for variant, how in in_aws.items()}


def _examples(home: Home, preparation: Preparation, row: QualityRow) -> list[ExamplePassage]:
    """The passages that a quality row names, in full."""
    wanted = {passage_id for examples in row.examples.values() for passage_id in examples}
    texts = passage_texts(chunks_of(home, row.variant), preparation.variant(row.variant), wanted)
    return [ExamplePassage(variant=row.variant, chunk_id=name, text=text) for name, text in texts.items()]


def _documents(records: Sequence[Record], locations: Mapping[str, str], *, is_sample: bool) -> Iterator[ReportDocument]:
    """What was prepared: every document, in the order of the records."""
    counts = Counter(_collection(record) for record in records)
    names = {_collection(record): record.document for record in records}
    for collection, count in counts.items():
        location = "同梱の見本（sample）" if is_sample else locations.get(collection, "")
        source = collection.partition("/")[0]
        yield ReportDocument(source=source, name=names[collection], location=location, records=count)


def _sources_of_several_documents(records: Sequence[Record]) -> set[str]:
    counts = Counter(source for source, _ in {(record.source, record.document) for record in records})
    return {source for source, documents in counts.items() if documents > 1}


def _label(record: Record, shared: Collection[str]) -> str:
    """The record's label, with its document's name where its source has several."""
    return f"{record.document} {record.label}" if record.source in shared else record.label


def _collection(record: Record) -> str:
    """What a record belongs to: the site, or a document by its source and key."""
    return record.record_id.rpartition("/")[0]


def _findings(home: Home, documents: Documents, sources: Collection[str]) -> Iterator[ReportFinding]:
    """What was found in the documents beside their records; one that could not be read at all has told so already."""
    paths = {
        f"{source}/{document['key']}": home.summary(source, document["key"])
        for source, of_source in documents.by_source.items()
        for document in of_source
    }
    if TAX_ANSWER in sources:
        paths |= {f"{TAX_ANSWER}/{category}": home.summary(TAX_ANSWER, category) for category in CATEGORIES}
    for name, path in paths.items():
        for read in read_lines(path, DocumentSummary, "the records") if path.is_file() else ():
            for topic in read.topics:
                yield ReportFinding(
                    document=name,
                    topic=topic.topic,
                    count=topic.count,
                    fault=topic.kind == "fault",
                    examples=tuple(read.told(topic)[:_SHOWN_FINDINGS]),
                )


def _dictionary_notes(records: Sequence[StoredRecord], sources: Sequence[str], preparation: Preparation) -> list[str]:
    notes: list[str] = []
    for source in sources:
        dictionary = preparation.dictionary(source)
        uses = uses_of(records, source, dictionary)
        unused = [use for use in uses if not use.records]
        notes += [str(problem) for problem in dictionary.problems]
        notes += [
            f"{use.file}:{use.line}: 見出し語「{use.headword}」は {use.records} 件の記事にあり、広すぎます"
            for use in uses
            if use.common
        ]
        if unused:
            words = "、".join(use.headword for use in unused[:20]) + ("、…" if len(unused) > 20 else "")
            notes.append(f"{source}: どの記事にも出ない見出し語が {len(unused)} 件あります（{words}）")
    return notes


def _notices_in_markdown(report: Report) -> Iterator[str]:
    """What is old, missing, gone or undated, as a list; names beyond the first are counted."""
    for notice in notices_of(report):
        yield f"- {notice.message}"
        yield from (f"    - {name}" for name in notice.shown)
        if notice.folded:
            yield f"    - … {len(notice.folded):,}"


def _question_row(question: Question) -> dict[str, object]:
    return {
        "id": question.question_id,
        "question": question.text,
        "gold": " ".join(question.gold),
        "split": question.split,
        "filter": condition_in_words(question.filter) if question.filter else "",
    }


def _filtered_out(variant: str, question_id: str, condition: Condition) -> str:
    return (
        f"{variant}: question {question_id} has found nothing, and counts as missed: no passage of {variant} fulfils "
        f"its filter ({condition_in_words(condition)}). Look for {', '.join(keys_of(condition))} in the sidecars below "
        f"corpus/{variant}, and correct the filter in the question set"
    )


def _index_metadata(changes: "IndexChanges", passages: int, path: Path) -> dict[str, Metadatum]:
    return {
        "dagster/row_count": passages,
        "added": changes.added,
        "changed": changes.changed,
        "removed": changes.removed,
        "unchanged": changes.unchanged,
        "file": folder(path),
    }
