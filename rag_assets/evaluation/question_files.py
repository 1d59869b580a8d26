"""Reads the rows of a question set from a CSV file. What a row may say is checked in `questions`."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from rag_assets.japanese.composed import compose
from rag_assets.model import Model

REQUIRED_COLUMNS = ("id", "question", "gold", "split")


class QuestionSetFault(Model):
    """One thing wrong in a question set: where, what, and what to do about it."""

    file: str
    line: int
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}. {self.remedy}."


class QuestionError(ValueError):
    """Question sets that cannot be used; `faults` and the message name everything wrong with them."""

    def __init__(self, faults: Sequence[QuestionSetFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in faults))


class QuestionRow(Model):
    """A row of a question set, its cells by column."""

    file: str
    line: int
    cells: dict[str, str]

    def make_fault(self, message: str, remedy: str) -> QuestionSetFault:
        """Something wrong in this row."""
        return QuestionSetFault(file=self.file, line=self.line, message=message, remedy=remedy)


def read_rows(path: Path) -> tuple[list[QuestionRow], list[QuestionSetFault]]:
    """The rows of a file in UTF-8 (with or without BOM) or CP932 that hold anything, and what is wrong with it."""

    def make_fault(line: int, message: str, remedy: str) -> QuestionSetFault:
        return QuestionSetFault(file=str(path), line=line, message=message, remedy=remedy)

    try:
        text = compose(_decode(path.read_bytes()))
    except OSError as error:
        return [], [make_fault(1, f"the file cannot be read ({error.strerror})", "Check the path of the question set")]
    except UnicodeDecodeError:
        return [], [make_fault(1, "the file is neither UTF-8 nor CP932", "Save it as CSV in UTF-8")]
    lines = _number_lines(text)
    _, header = next(lines, (1, []))
    names = [name.strip() for name in header]
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        remedy = f"The first line has to name the columns {','.join(REQUIRED_COLUMNS)}, separated by commas"
        return [], [make_fault(1, f"no column {', '.join(missing)}; found {', '.join(names) or 'nothing'}", remedy)]
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        return [], [
            make_fault(1, f"column {', '.join(repeated)} is there more than once", "Give every column its own name")
        ]
    rows: list[QuestionRow] = []
    faults: list[QuestionSetFault] = []
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            message = f"{len(cells)} cells where the first line names {len(names)} columns"
            faults.append(
                make_fault(line, message, 'Put cells that contain commas or line breaks in double quotes ("…")')
            )
            continue
        stripped = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
        rows.append(QuestionRow(file=str(path), line=line, cells=stripped))
    return rows, faults


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp932")


def _number_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, with the line it begins on. A quoted cell may hold line breaks."""
    reader = csv.reader(io.StringIO(text, newline=""))
    line = 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1
