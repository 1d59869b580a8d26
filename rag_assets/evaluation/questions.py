"""Question sets: CSV -> Questions, with every fault named.

Belongs here: the file format and its rules. What a question is lies in `model`; asking it, in `run`.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from rag_assets.evaluation.model import Question, Split
from rag_assets.japanese.composed import composed
from rag_assets.model import Model, SearchIn
from rag_assets.retrieval.filters import Condition
from rag_assets.retrieval.knowledge_base import LONGEST_QUESTION
from rag_assets.retrieval.knowledge_base_filters import FilterError, condition_in_json, retrieval_filter, variant_is
from rag_assets.retrieval.query import normalize_question

REQUIRED_COLUMNS = ("id", "question", "gold", "split")
_SPLITS: tuple[str, ...] = get_args(Split)
_GOLD_SEPARATORS = re.compile(r"[\s,、;；]+")
_FILTER_REMEDY = (
    'Write a RetrievalFilter of Amazon Bedrock as JSON, {"equals": {"key": "source", "value": "law"}}, or empty the '
    "cell; the keys and values there are stand in the sidecars (.metadata.json)"
)


class Fault(Model):
    """One thing wrong in a question set: where, what, and what to do about it."""

    file: str
    line: int
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}. {self.remedy}."


class QuestionError(ValueError):
    """Question sets that cannot be used; `faults` holds everything wrong with them, the message says it all."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in faults))


class _Row(Model):
    file: str
    line: int
    cells: dict[str, str]

    def fault(self, message: str, remedy: str) -> Fault:
        return Fault(file=self.file, line=self.line, message=message, remedy=remedy)


def load_questions(
    paths: Iterable[Path],
    *,
    sources: Sequence[str],
    known_records: Mapping[str, str] | None = None,
    lists: frozenset[str] | None = None,
    longest: int | None = None,
    resolve_gold: Callable[[str, str], str] | None = None,
) -> tuple[Question, ...]:
    """Read question sets: CSV files in UTF-8 (with or without BOM) or CP932.

    Columns `id,question,gold,split`, and where wanted `source`, `key_point`, `filter`; others are left alone. The
    source a question is about stands in its column, or else in the name of the file (`invoice_qa.csv`), or else it is
    the only one there is. `gold` holds the numbers of the records that answer the question, separated by spaces: `2594`
    means the record of that number in the source. Where several documents of the source have it, and wherever one
    likes, the document's key stands before it, or the full record ID there: `322ac0000000049/36`,
    `law/322ac0000000049/36`. `filter` is a `RetrievalFilter` of a Knowledge Base as JSON, as the application passes it
    with such a question. Rows with nothing in them are skipped.

    Args:
        paths: The files; question IDs are unique over all of them.
        sources: Names of the sources there are.
        known_records: Number by ID of all records there are; gold that is not among them is a fault. None does not
            check.
        lists: Keys of attributes whose values are lists (`list_attributes`); None does not check filters against it.
        longest: Most characters of a question, as it is searched for, that what is asked takes; None for any.
        resolve_gold: Gives for a source and its gold the same with record IDs in place of what else may stand for
            them, such as `path/file.md#見出し`; a ValueError of it is a fault. None takes gold as it is.

    Raises:
        QuestionError: Any fault in any file; all are told at once.
    """
    questions: list[Question] = []
    faults: list[Fault] = []
    by_number = _by_number(known_records or {})
    first_use: dict[str, _Row] = {}
    for path in paths:
        rows, file_faults = _rows(path)
        for row in rows:
            question_id = row.cells["id"]
            earlier = first_use.setdefault(question_id, row) if question_id else row
            row_faults = [*_row_faults(row, longest), *_duplicate_faults(row, earlier)]
            source = row.cells.get("source") or (path.stem if path.stem in sources else sources[0])
            row_faults += _source_faults(row, path, source, sources)
            named, resolving_faults = _resolve(row, source, resolve_gold)
            row_faults += resolving_faults
            gold = _gold(named, source, sources)
            if known_records is not None and not row_faults:
                row_faults += _gold_faults(row, gold, known_records, by_number)
            condition, filter_faults = _filter(row, lists)
            row_faults += filter_faults
            file_faults += row_faults
            if not row_faults:
                found = (by_number.get(record_id, [record_id])[0] for record_id in gold)
                questions.append(_question(row.cells, source, tuple(dict.fromkeys(found)), condition))
        faults += sorted(file_faults, key=lambda fault: fault.line)
    if faults:
        raise QuestionError(faults)
    return tuple(questions)


def longest_question(search_in: SearchIn) -> int | None:
    """Most characters of a question that what is asked takes; None for any."""
    return LONGEST_QUESTION if search_in == "knowledge_base" else None


def without_gone(questions: Iterable[Question], gone: Collection[str]) -> tuple[list[Question], list[str]]:
    """The questions that can still be answered, and a line for every gold record that is gone.

    A record that the source has withdrawn, or that could not be fetched, is no fault of the question set: it counts
    for no question any more, and a question that has no other gold is left out.

    Args:
        questions: As loaded.
        gone: IDs of records that were listed and are not there.
    """
    kept: list[Question] = []
    told: list[str] = []
    for question in questions:
        lost = [record_id for record_id in question.gold if record_id in gone]
        gold = tuple(record_id for record_id in question.gold if record_id not in gone)
        if lost:
            fate = "it is asked without" if gold else "the question is left out"
            told.append(f"question {question.question_id}: {', '.join(lost)} is not there any more; {fate}")
        if gold or not lost:
            kept.append(question.model_copy(update={"gold": gold}))
    return kept, told


def _rows(path: Path) -> tuple[list[_Row], list[Fault]]:
    def fault(line: int, message: str, remedy: str) -> Fault:
        return Fault(file=str(path), line=line, message=message, remedy=remedy)

    try:
        text = composed(_decoded(path.read_bytes()))
    except OSError as error:
        return [], [fault(1, f"the file cannot be read ({error.strerror})", "Check the path of the question set")]
    except UnicodeDecodeError:
        return [], [fault(1, "the file is neither UTF-8 nor CP932", "Save it as CSV in UTF-8")]
    lines = _numbered(text)
    _, header = next(lines, (1, []))
    names = [name.strip() for name in header]
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        remedy = f"The first line has to name the columns {','.join(REQUIRED_COLUMNS)}, separated by commas"
        return [], [fault(1, f"no column {', '.join(missing)}; found {', '.join(names) or 'nothing'}", remedy)]
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        return [], [fault(1, f"column {', '.join(repeated)} is there more than once", "Give every column its own name")]
    rows: list[_Row] = []
    faults: list[Fault] = []
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            message = f"{len(cells)} cells where the first line names {len(names)} columns"
            faults.append(fault(line, message, 'Put cells that contain commas or line breaks in double quotes ("…")'))
            continue
        stripped = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
        rows.append(_Row(file=str(path), line=line, cells=stripped))
    return rows, faults


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp932")


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, with the number of the line it begins on: a quoted cell may hold line breaks."""
    reader = csv.reader(io.StringIO(text, newline=""))
    line = 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1


def _row_faults(row: _Row, longest: int | None) -> Iterator[Fault]:
    split, gold = row.cells["split"], row.cells["gold"]
    if not row.cells["id"]:
        yield row.fault("the question has no id", "Give it one that no other question has")
    if not row.cells["question"]:
        yield row.fault("the question is empty", "Write the question, or delete the line")
    length = len(normalize_question(row.cells["question"]))
    if longest is not None and length > longest:
        yield row.fault(
            f"the question {row.cells['id']} has {length:,} characters, and a Knowledge Base takes at most {longest:,}",
            "Shorten it, or ask the embedded index (search_in: index)",
        )
    if split not in _SPLITS:
        yield row.fault(f"unknown split {split!r}", f"Use one of {', '.join(_SPLITS)}")
    elif split == "unanswerable" and gold:
        yield row.fault(
            f"an unanswerable question has gold ({gold})", "Empty the cell, or make the split tune or holdout"
        )
    elif split != "unanswerable" and not gold:
        remedy = "Name the numbers of the records that answer it, or make the split unanswerable"
        yield row.fault(f"a {split} question has no gold", remedy)


def _duplicate_faults(row: _Row, earlier: _Row) -> Iterator[Fault]:
    if earlier is not row:
        yield row.fault(
            f"the id {row.cells['id']} is already that of {earlier.file}:{earlier.line}",
            "Give every question an id of its own, over all question sets",
        )


def _source_faults(row: _Row, path: Path, source: str, sources: Sequence[str]) -> Iterator[Fault]:
    if row.cells.get("source"):
        if source not in sources:
            remedy = (
                f"Correct it, leave the question out, or name the source's documents; here are {', '.join(sources)}"
            )
            yield row.fault(f"source {source!r} is none of this run", remedy)
    elif path.stem not in sources and len(sources) > 1:
        yield row.fault(
            f"it does not say which source it is about ({', '.join(sources)})",
            "Add a column source, or name the file after its source",
        )


def _by_number(known_records: Mapping[str, str]) -> dict[str, list[str]]:
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


def _resolve(row: _Row, source: str, resolve_gold: Callable[[str, str], str] | None) -> tuple[str, list[Fault]]:
    """The row's gold with record IDs in it, and what is wrong with it."""
    gold = row.cells["gold"]
    try:
        return (resolve_gold(source, gold) if resolve_gold else gold), []
    except ValueError as error:
        return gold, [row.fault(f"gold {error}", "Correct it, or name the record by its ID")]


def _gold(gold: str, source: str, sources: Sequence[str]) -> tuple[str, ...]:
    """What the cell names, each with a source before it."""
    gold = unicodedata.normalize("NFKC", gold)
    names = [name for name in _GOLD_SEPARATORS.split(gold) if name]
    return tuple(dict.fromkeys(name if name.partition("/")[0] in sources else f"{source}/{name}" for name in names))


def _gold_faults(
    row: _Row, gold: Sequence[str], known_records: Collection[str], by_number: Mapping[str, Sequence[str]]
) -> Iterator[Fault]:
    for record_id in gold:
        source, _, number = record_id.partition("/")
        having = by_number.get(record_id, ())
        if len(having) > 1:
            yield row.fault(
                f"gold {number} is the number of {len(having)} records of {source}: {', '.join(having)}",
                "Name the one that answers it by its full ID",
            )
        elif not having:
            count = sum(known.startswith(f"{source}/") for known in known_records)
            yield row.fault(
                f"gold {number} is the number of no record of {source} ({count} records)",
                "Correct the number; where the record was withdrawn, name another or delete the question",
            )


def _filter(row: _Row, lists: frozenset[str] | None) -> tuple[Condition | None, list[Fault]]:
    """What the cell narrows the search to, and what is wrong with it."""
    cell = row.cells.get("filter")
    if not cell:
        return None, []
    try:
        condition = condition_in_json(cell, lists)
        # As it is asked: beside the condition that keeps other variants out.
        retrieval_filter([variant_is("any"), condition], lists or frozenset())
    except FilterError as error:
        return None, [row.fault(f"filter: {error}", _FILTER_REMEDY)]
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
