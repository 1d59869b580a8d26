"""The asset `retrieval_results`. Asking belongs to `evaluation/searching.py`.

What needs numpy is imported where it is used: preparing, in the same process, does without.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import dagster as dg

from rag_assets.corpus.prepared import passage_counts
from rag_assets.evaluation.comparable import find_strange_chunks, name_chunks
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult
from rag_assets.evaluation.search_warnings import HELD_CORPUS, warn_after
from rag_assets.evaluation.tables import make_score_table
from rag_assets.model import SearchIn, Variant
from rag_assets.orchestration.assets.each_variant import make_each, make_embedder
from rag_assets.orchestration.checks import result, telling
from rag_assets.orchestration.metadata import OWNERS, Materialized, Metadatum, code_version, folder, frame_table
from rag_assets.orchestration.partitions import ONE_RUN, same_variant
from rag_assets.orchestration.progress import log_every, log_waiting
from rag_assets.orchestration.recording import fail_for, record_partitions
from rag_assets.orchestration.resources import Bedrock, Evaluation, HomeFolder, Preparation, Sync
from rag_assets.s3.locations import Target
from rag_assets.settings import SettingsError
from rag_assets.store.build_cache import (
    build_unless_current,
    code_fingerprint,
    file_fingerprint,
    file_state,
    fingerprint,
)
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines

if TYPE_CHECKING:
    from rag_assets.evaluation.searching import SearchableVariants

_ANSWERED_BY: Mapping[SearchIn, str] = {"index": "search_index", "knowledge_base": "knowledge_base_ingestion"}
_CODE = (
    "retrieval",
    "corpus/passages.py",
    "corpus/tracing.py",
    "evaluation/ingested.py",
    "evaluation/model.py",
    "evaluation/run.py",
    "evaluation/searching.py",
)
_PROGRESS_EVERY = 100
_CHECK = telling("retrieval_results", "found_in_corpus", "All that was found are chunks as they are prepared here.")


def retrieval_results_asset(variants: dg.StaticPartitionsDefinition, search_in: SearchIn) -> dg.AssetsDefinition:
    """Makes the asset for the variants of a run and what is asked."""

    @dg.asset(
        group_name="evaluation",
        deps=[same_variant(_ANSWERED_BY[search_in]), dg.AssetDep("questions")],
        partitions_def=variants,
        backfill_policy=ONE_RUN,
        kinds={"json"},
        owners=OWNERS,
        code_version=code_version(*_CODE),
        check_specs=[_CHECK],
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
        questions = read_lines(home.home.questions, Question, "questions")
        search = _make_search(context, home.home, search_in, evaluation, sync, bedrock)
        searched, failed = make_each(context, lambda name: search.verify(preparation.variant(name)))
        fail_for(failed, "cannot be searched, and no question was asked", len(searched))

        def ask(name: str) -> _VariantResults:
            return _ask(context, home.home, preparation.variant(name), questions, search, searched[name])

        found, failed = make_each(context, ask)
        record_partitions(context, {name: one.metadata for name, one in found.items()}, step_fails=bool(failed))
        fail_for(failed, "could not be searched", len(found))
        strange = [f"{name}: {chunk_id}" for name, one in found.items() for chunk_id in one.strange]
        hits = sum(one.hits for one in found.values())
        return dg.MaterializeResult(
            check_results=[result(_CHECK.name, strange, looked_at=hits, severity=dg.AssetCheckSeverity.WARN)]
        )

    return retrieval_results


class _VariantResults(NamedTuple):
    """What was found for a variant.

    Attributes:
        metadata: For its page.
        strange: Chunks found that are none of its own.
        hits: How many there were in all.
    """

    metadata: dict[str, Metadatum]
    strange: list[str]
    hits: int


def _make_search(
    context: dg.AssetExecutionContext,
    home: Home,
    search_in: SearchIn,
    evaluation: Evaluation,
    sync: Sync,
    bedrock: Bedrock,
) -> "SearchableVariants":
    from rag_assets.evaluation.searching import IndexVariants, KnowledgeBaseVariants

    if search_in == "index":
        embedder = make_embedder(context, evaluation, bedrock)
        return IndexVariants(home, embedder, evaluation.embedder, evaluation.search_settings())
    return KnowledgeBaseVariants(
        home,
        partial(_require_target, sync),
        bedrock.client,
        {
            "search_type": evaluation.search_type,
            "semantic_order": evaluation.semantic_order,
            "verify_order": evaluation.verify_order,
            "once_a_record": evaluation.once_a_record,
        },
        log=context.log.info,
        progress_of=partial(log_waiting, context.log.info),
    )


def _require_target(sync: Sync, variant: str) -> Target:
    target = sync.target(variant)
    if target is None or not target.knowledge_base_id:
        raise SettingsError(
            f"no Knowledge Base is set for it: set knowledge_base_id of `[target.{variant}]` in rag_assets.toml, "
            "or search_in to index"
        )
    return target


def _ask(
    context: dg.AssetExecutionContext,
    home: Home,
    variant: Variant,
    questions: list[Question],
    search: "SearchableVariants",
    searched: HowSearched,
) -> _VariantResults:
    from rag_assets.evaluation.metrics import compute_scores
    from rag_assets.evaluation.run import find_unmatched_filters
    from rag_assets.evaluation.searching import ask_questions

    name, path = variant.name, home.results(variant.name)

    def ask() -> None:
        results = ask_questions(
            search,
            variant,
            searched,
            questions,
            warn=lambda warning: context.log.warning(f"{name}: {warning}"),
            progress=log_every(_PROGRESS_EVERY, context.log.info, name, "searches"),
        )
        write_lines(path, results)

    if searched.search_in == "index":
        # The embedded index answers the same as long as it is the same; a Knowledge Base may not.
        is_new = build_unless_current(
            home.cache_entry("results", name),
            fingerprint(
                file_fingerprint([home.index(name)]),
                searched.model_dump_json(),
                *(question.model_dump_json() for question in questions),
                code_fingerprint(*_CODE),
            ),
            find_state=lambda: file_state(path),
            build=ask,
        )
    else:
        ask()
        is_new = True
    results = read_lines(path, QuestionResult, "retrieval_results")
    context.log.info(f"{name}: {len(questions)} questions {'asked' if is_new else 'unchanged, and so is the index'}")
    strange = find_strange_chunks(results).get(name, [])
    for warning in warn_after(name, strange, find_unmatched_filters(results)):
        context.log.warning(f"{name}: {warning}")
    scores = compute_scores(results, {name: passage_counts(home, variant)})
    metadata: dict[str, Metadatum] = {
        "dagster/row_count": len(results),
        "searched in": searched.search_in,
        "what it held": HELD_CORPUS[searched.held],
        "documents of others": searched.foreign,
        "found, but not in the corpus": name_chunks(strange) or "none",
        "scores": frame_table(make_score_table(scores)),
        "file": folder(path),
    }
    return _VariantResults(metadata, strange, sum(len(one.hits) for one in results))
