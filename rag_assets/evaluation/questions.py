"""Makes questions from question sets and names every fault in them.

Reading the files belongs to `question_files`, asking the questions to `run`.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from rag_assets.corpus.record_files import StoredRecord
from rag_assets.evaluation.heading_index import HeadingIndex
from rag_assets.evaluation.model import Question, Split
from rag_assets.evaluation.question_files import QuestionError, QuestionRow, QuestionSetFault, read_rows
from rag_assets.model import SearchIn
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.knowledge_base import LONGEST_QUESTION
from rag_assets.retrieval.knowledge_base_filters import (
    FilterError,
    condition_in_json,
    list_attributes,
    retrieval_filter,
    variant_is,
)
from rag_assets.retrieval.query import normalize_question

_SPLITS: tuple[str, ...] = get_args(Split)
_GOLD_SEPARATORS = re.compile(r"[\s,、;；]+")
_FILTER_REMEDY = (
    'Write a RetrievalFilter of Amazon Bedrock as JSON, {"equals": {"key": "source", "value": "law"}}, or empty the '
    "cell; the keys and values there are stand in the sidecars (.metadata.json)"
)


def load_questions(
    paths: Iterable[Path],
    *,
    sources: Sequence[str],
    known_records: Mapping[str, str] | None = None,
    lists: frozenset[str] | None = None,
    longest: int | None = None,
    resolve_gold: Callable[[str, str], str] | None = None,
) -> tuple[Question, ...]:
    """Reads question sets: CSV files in UTF-8 (with or without BOM) or CP932.

    The columns are `id,question,gold,split` and, optionally, `source`, `key_point`, `filter`; others are ignored. Empty
    rows are skipped.

    - `source`: If there is no such cell, the file's name decides (`invoice_qa.csv`, `invoice_qa_2.csv`), or the only
      source there is.
    - `gold`: Numbers of the records that answer the question, separated by spaces. `2594` is the record of that number
      in the source. If several documents of the source have it, the document's key stands before the number, or the
      full record ID is written: `322ac0000000049/36`, `law/322ac0000000049/36`.
    - `filter`: A `RetrievalFilter` of a Knowledge Base as JSON, as the application passes it with such a question.

    Args:
        paths: The files; question IDs are unique over all of them.
        sources: Names of the sources there are.
        known_records: Number by ID of all records there are; gold that is not among them is a fault. None does not
            check.
        lists: Keys of attributes whose values are lists (`list_attributes`); None does not check filters against it.
        longest: Most characters of a question, as it is searched for; None for any number.
        resolve_gold: Gives for a source and its gold the same with record IDs in place of what else may stand for
            them, such as `path/file.md#見出し`; a ValueError of it is a fault. None takes gold as it is.

    Raises:
        QuestionError: There is a fault in a file; the message names all faults.
    """
    questions: list[Question] = []
    faults: list[QuestionSetFault] = []
    by_number = _index_by_number(known_records or {})
    first_use: dict[str, QuestionRow] = {}
    for path in paths:
        rows, file_faults = read_rows(path)
        for row in rows:
            question_id = row.cells["id"]
            earlier = first_use.setdefault(question_id, row) if question_id else row
            row_faults = [*_check_row(row, earlier, longest)]
            source = row.cells.get("source") or _find_named_source(path, sources) or sources[0]
            row_faults += _check_source(row, path, source, sources)
            named, gold_faults = _resolve_gold(row, source, resolve_gold)
            row_faults += gold_faults
            gold = _split_gold(named, source, sources)
            if known_records is not None and not row_faults:
                row_faults += _check_gold(row, gold, known_records, by_number)
            condition, filter_faults = _read_filter(row, lists)
            row_faults += filter_faults
            file_faults += row_faults
            if not row_faults:
                found = (by_number.get(record_id, [record_id])[0] for record_id in gold)
                questions.append(_question(row.cells, source, tuple(dict.fromkeys(found)), condition))
        faults += sorted(file_faults, key=lambda fault: fault.line)
    if faults:
        raise QuestionError(faults)
    return tuple(questions)


def load_current_questions(
    paths: Iterable[Path],
    records: Sequence[StoredRecord],
    sources: Sequence[str],
    listed: Mapping[str, str],
    search_in: SearchIn,
) -> tuple[list[Question], list[str]]:
    """The questions that the records of now can answer, and a line for every gold record that is gone.

    Args:
        paths: The question sets.
        records: All there are.
        sources: Names of the sources there are.
        listed: Number by ID of the records that were ever listed, be they there or not.
        search_in: What will be asked.

    Raises:
        QuestionError: See `load_questions`.
    """
    known = {record.record_id: record.number for record in records}
    gone = {record_id: number for record_id, number in listed.items() if record_id not in known}
    lists = list_attributes(
        {facet.key: facet.values for facet in record.facets} | record.attributes for record in records
    )
    longest = find_longest_question(search_in)
    loaded = load_questions(
        paths,
        sources=sources,
        known_records=known | gone,
        lists=lists,
        longest=longest,
        resolve_gold=HeadingIndex(records).resolve,
    )
    return drop_gone(loaded, gone)


def find_longest_question(search_in: SearchIn) -> int | None:
    """Most characters of a question that can be asked; None for any number."""
    return LONGEST_QUESTION if search_in == "knowledge_base" else None


def drop_gone(questions: Iterable[Question], gone: Collection[str]) -> tuple[list[Question], list[str]]:
    """The questions that can still be answered, and a line for every gold record that is gone.

    A record that the source has withdrawn, or that could not be fetched, is no fault of the question set. It is removed
    from the gold, and a question without other gold is left out.

    Args:
        questions: As loaded.
        gone: IDs of records that were listed and are not there.
    """
    kept: list[Question] = []
    notes: list[str] = []
    for question in questions:
        lost = [record_id for record_id in question.gold if record_id in gone]
        gold = tuple(record_id for record_id in question.gold if record_id not in gone)
        if lost:
            fate = "it is asked without" if gold else "the question is left out"
            notes.append(f"question {question.question_id}: {', '.join(lost)} is not there any more; {fate}")
        if gold or not lost:
            kept.append(question.model_copy(update={"gold": gold}))
    return kept, notes


def _check_row(row: QuestionRow, earlier: QuestionRow, longest: int | None) -> Iterator[QuestionSetFault]:
    split, gold = row.cells["split"], row.cells["gold"]
    if not row.cells["id"]:
        yield row.make_fault("the question has no id", "Give it one that no other question has")
    if not row.cells["question"]:
        yield row.make_fault("the question is empty", "Write the question, or delete the line")
    length = len(normalize_question(row.cells["question"]))
    if longest is not None and length > longest:
        yield row.make_fault(
            f"the question {row.cells['id']} has {length:,} characters, and a Knowledge Base takes at most {longest:,}",
            "Shorten it, or ask the embedded index (search_in: index)",
        )
    if split not in _SPLITS:
        yield row.make_fault(f"unknown split {split!r}", f"Use one of {', '.join(_SPLITS)}")
    elif split == "unanswerable" and gold:
        yield row.make_fault(
            f"an unanswerable question has gold ({gold})", "Empty the cell, or make the split tune or holdout"
        )
    elif split != "unanswerable" and not gold:
        remedy = "Name the numbers of the records that answer it, or make the split unanswerable"
        yield row.make_fault(f"a {split} question has no gold", remedy)
    if earlier is not row:
        yield row.make_fault(
            f"the id {row.cells['id']} is already that of {earlier.file}:{earlier.line}",
            "Give every question an id of its own, over all question sets",
        )


def _check_source(row: QuestionRow, path: Path, source: str, sources: Sequence[str]) -> Iterator[QuestionSetFault]:
    if row.cells.get("source"):
        if source not in sources:
            remedy = (
                f"Correct it, leave the question out, or name the source's documents; here are {', '.join(sources)}"
            )
            yield row.make_fault(f"source {source!r} is none of this run", remedy)
    elif not _find_named_source(path, sources) and len(sources) > 1:
        yield row.make_fault(
            f"it does not say which source it is about ({', '.join(sources)})",
            "Add a column source, or name the file after its source",
        )


def _find_named_source(path: Path, sources: Sequence[str]) -> str:
    """The source that a file is named after, as `tax_answer.csv` and `tax_answer_2.csv` are; empty if none."""
    return next((source for source in sources if path.stem == source or path.stem.startswith(f"{source}_")), "")


def _index_by_number(known_records: Mapping[str, str]) -> dict[str, list[str]]:
    """Record IDs by all that may stand for them: the ID, and source and number with or without the document's key.

    The number of a row may be no part of its ID, which is ASCII. Several documents of a source may have a number.
    """
    found: dict[str, set[str]] = {}
    for record_id, number in known_records.items():
        source, *key, last = record_id.split("/")
        for name in (last, unicodedata.normalize("NFKC", number)):
            found.setdefault(f"{source}/{name}", set()).add(record_id)
            found.setdefault("/".join([source, *key, name]), set()).add(record_id)
    return {short: sorted(ids) for short, ids in found.items()}


def _resolve_gold(
    row: QuestionRow, source: str, resolve: Callable[[str, str], str] | None
) -> tuple[str, list[QuestionSetFault]]:
    """The row's gold with record IDs in it, and what is wrong with it."""
    gold = row.cells["gold"]
    try:
        return (resolve(source, gold) if resolve else gold), []
    except ValueError as error:
        return gold, [row.make_fault(f"gold {error}", "Correct it, or name the record by its ID")]


def _split_gold(gold: str, source: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The names in the cell, each with a source before it."""
    gold = unicodedata.normalize("NFKC", gold)
    names = [name for name in _GOLD_SEPARATORS.split(gold) if name]
    return tuple(dict.fromkeys(name if name.partition("/")[0] in sources else f"{source}/{name}" for name in names))


def _check_gold(
    row: QuestionRow, gold: Sequence[str], known_records: Collection[str], by_number: Mapping[str, Sequence[str]]
) -> Iterator[QuestionSetFault]:
    for record_id in gold:
        source, _, number = record_id.partition("/")
        having = by_number.get(record_id, ())
        if len(having) > 1:
            yield row.make_fault(
                f"gold {number} is the number of {len(having)} records of {source}: {', '.join(having)}",
                "Name the one that answers it by its full ID",
            )
        elif not having:
            count = sum(known.startswith(f"{source}/") for known in known_records)
            yield row.make_fault(
                f"gold {number} is the number of no record of {source} ({count} records)",
                "Correct the number; where the record was withdrawn, name another or delete the question",
            )


def _read_filter(row: QuestionRow, lists: frozenset[str] | None) -> tuple[Condition | None, list[QuestionSetFault]]:
    """The condition in the cell, and what is wrong with it."""
    cell = row.cells.get("filter")
    if not cell:
        return None, []
    try:
        condition = condition_in_json(cell, lists)
        # As it is asked: beside the condition that keeps other variants out.
        retrieval_filter([variant_is("any"), condition], lists or frozenset())
    except FilterError as error:
        return None, [row.make_fault(f"filter: {error}", _FILTER_REMEDY)]
    return condition, []


def _question(cells: Mapping[str, str], source: str, gold: tuple[str, ...], condition: Condition | None) -> Question:
    return Question(
        question_id=cells["id"],
        text=cells["question"],
        source=source,
        gold=gold,
        split=cells["split"],
        key_point=cells.get("key_point", ""),
        filter=condition,
    )
