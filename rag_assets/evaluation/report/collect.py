"""The data of a report, read from the files of the other assets. What is shown of it belongs to `render`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.passages import passage_texts
from rag_assets.corpus.prepared import all_records, chunks_of, passage_counts, uses_of
from rag_assets.corpus.record_files import StoredRecord
from rag_assets.corpus.variants import BASELINES, find_baseline
from rag_assets.evaluation.comparable import find_searched, require_comparable
from rag_assets.evaluation.metrics import compute_scores
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult
from rag_assets.evaluation.report.model import ExamplePassage, RecordLink, Report, ReportDocument, ReportFinding
from rag_assets.evaluation.significance import compare_variants
from rag_assets.model import QualityRow, Record, Variant
from rag_assets.sources.document_records import DocumentSummary
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.staleness import staleness
from rag_assets.sources.tax_answer.reader import CATEGORIES
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines

_SHOWN_FINDINGS = 10
_SHOWN_HEADWORDS = 20
_JAPAN = ZoneInfo("Asia/Tokyo")


@dataclass(frozen=True)
class ReportedRun:
    """What the settings of a run say of it.

    Attributes:
        sources: Names of the sources.
        variants: In the order they are shown.
        locations: Where everything is read from: the site by its source, documents by source and key.
        dictionary_of: Reads the dictionary of a source.
        settings: Further settings that the page names, as text.
        command: What to type to make the report again.
        is_sample: Whether all sources are the bundled sample.
    """

    sources: Sequence[str]
    variants: Sequence[Variant]
    locations: Mapping[str, str]
    dictionary_of: Callable[[str], Dictionary]
    settings: Mapping[str, str]
    command: str
    is_sample: bool


def collect_report(home: Home, run: ReportedRun) -> Report:
    """Everything the page shows.

    Raises:
        IncomparableError: The results of the variants differ in more than the preparation.
        StorageError: A file is missing or was written by another version.
    """
    records = all_records(home, run.sources)
    questions = read_lines(home.questions, Question, "questions")
    asked = run.variants if questions else ()
    results = [
        found for one in asked for found in read_lines(home.results(one.name), QuestionResult, "retrieval_results")
    ]
    require_comparable(results, questions, [variant.name for variant in run.variants])
    counts = {variant.name: passage_counts(home, variant) for variant in asked}
    baseline = find_baseline(variant.name for variant in run.variants)
    quality = [row for one in run.variants for row in read_lines(home.quality(one.name), QualityRow, "corpus_quality")]
    return Report(
        documents=tuple(_list_documents(records, run)),
        made_at=datetime.now(_JAPAN),
        variants=tuple(run.variants),
        scores=tuple(compute_scores(results, counts)),
        comparisons=tuple(compare_variants(results, baseline)),
        further_comparisons=tuple(
            compared
            for further in BASELINES
            if further != baseline
            for compared in compare_variants(results, further)
            if compared.variant not in BASELINES
        ),
        results=tuple(results),
        quality=tuple(quality),
        questions=len(questions),
        examples=tuple(_read_examples(home, run.variants, quality)),
        records=tuple(_make_links(records)),
        findings=tuple(_read_findings(home, run)),
        dictionary_notes=tuple(_note_dictionaries(records, run)),
        staleness=tuple(staleness(home, source) for source in run.sources),
        settings={
            **{name: "sample" if run.is_sample else location for name, location in run.locations.items()},
            **run.settings,
            **_list_search_settings(find_searched(results)),
        },
        command=run.command,
        sample=run.is_sample,
    )


def _list_search_settings(searched: Mapping[str, HowSearched]) -> dict[str, str]:
    """What was searched, and how, as the results say it: the settings may be others by now."""
    settings: dict[str, str] = {}
    for how in searched.values():
        settings |= {"search_in": how.search_in, **how.settings}
    in_aws = {variant: how for variant, how in searched.items() if how.knowledge_base_id}
    return settings | {
        f"target.{variant}": f"{how.knowledge_base_id}（{how.place}）" for variant, how in in_aws.items()
    }


def _read_examples(home: Home, variants: Sequence[Variant], quality: Sequence[QualityRow]) -> Iterator[ExamplePassage]:
    """The passages that quality rows name, in full."""
    by_name = {variant.name: variant for variant in variants}
    for row in quality:
        wanted = {passage_id for examples in row.examples.values() for passage_id in examples}
        texts = passage_texts(chunks_of(home, row.variant), by_name[row.variant], wanted)
        for name, text in texts.items():
            yield ExamplePassage(variant=row.variant, chunk_id=name, text=text)


def _list_documents(records: Sequence[Record], run: ReportedRun) -> Iterator[ReportDocument]:
    """Every document, in the order of the records. Tax Answer is one document."""
    counts = Counter(_find_collection(record) for record in records)
    names = {_find_collection(record): record.document for record in records}
    for collection, count in counts.items():
        location = "同梱の見本（sample）" if run.is_sample else run.locations.get(collection, "")
        source = collection.partition("/")[0]
        yield ReportDocument(source=source, name=names[collection], location=location, records=count)


def _find_collection(record: Record) -> str:
    """What a record belongs to: the site, or a document by its source and key."""
    return record.record_id.rpartition("/")[0]


def _make_links(records: Sequence[Record]) -> Iterator[RecordLink]:
    """A link a record; its label has the document's name where its source has several documents."""
    documents = Counter(source for source, _ in {(record.source, record.document) for record in records})
    for record in records:
        label = f"{record.document} {record.label}" if documents[record.source] > 1 else record.label
        yield RecordLink(record_id=record.record_id, label=label, title=record.title, url=record.url)


def _read_findings(home: Home, run: ReportedRun) -> Iterator[ReportFinding]:
    """What was found in the documents beside their records. A document that could not be read has no such file."""
    names = [name for name in run.locations if "/" in name]
    names += [f"{TAX_ANSWER}/{category}" for category in CATEGORIES] if TAX_ANSWER in run.sources else []
    for name in names:
        source, _, key = name.partition("/")
        path = home.summary(source, key)
        for summary in read_lines(path, DocumentSummary, "the records") if path.is_file() else ():
            for topic in summary.topics:
                yield ReportFinding(
                    document=name,
                    topic=topic.topic,
                    count=topic.count,
                    fault=topic.kind == "fault",
                    examples=tuple(summary.told(topic)[:_SHOWN_FINDINGS]),
                )


def _note_dictionaries(records: Sequence[StoredRecord], run: ReportedRun) -> Iterator[str]:
    """Problems of the dictionaries, headwords that are too common, and headwords that no record has."""
    for source in run.sources:
        dictionary = run.dictionary_of(source)
        uses = uses_of(records, source, dictionary)
        yield from map(str, dictionary.problems)
        for use in uses:
            if use.common:
                yield f"{use.file}:{use.line}: 見出し語「{use.headword}」は {use.records} 件の記事にあり、広すぎます"
        if unused := [use.headword for use in uses if not use.records]:
            words = "、".join([*unused[:_SHOWN_HEADWORDS], *(["…"] if len(unused) > _SHOWN_HEADWORDS else [])])
            yield f"{source}: どの記事にも出ない見出し語が {len(unused)} 件あります（{words}）"
