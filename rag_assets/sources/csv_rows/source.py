"""The source of CSV rows: how a file is named, and how settings say what its columns hold.

How rows become records is in `reader.py`.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from rag_assets.corpus.sidecar_limits import is_taken
from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSettings, DocumentSource
from rag_assets.sources.csv_rows.text import canonical_encoding
from rag_assets.sources.csv_rows.values import PROFILE, Column


def _as_tuple(given: Any) -> Any:
    return (given,) if isinstance(given, str) and given else given or ()


def _as_mapping(given: Any) -> Any:
    """A list of names that are ASCII already is short for a mapping of each to itself."""
    names = isinstance(given, list | tuple) and all(isinstance(name, str) for name in given)
    return {name: name for name in given} if names else given


def _delimiter(given: Any) -> Any:
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
    return named.get(given, given) if isinstance(given, str) else given


def _encoding(given: Any) -> Any:
    return canonical_encoding(given) if isinstance(given, str) and given else given


ColumnName = Annotated[str, StringConstraints(min_length=1)]
ColumnNames = Annotated[tuple[ColumnName, ...], BeforeValidator(_as_tuple)]
SidecarKey = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9_-]*$")]
PartName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class CsvRowsDocument(DocumentSettings):
    """A CSV file, and what its columns hold. `text` or `long` has to be set, everything else may be left out."""

    id: ColumnNames = ()
    """Column of the ID, or several that make it together; without it, it is made of what the row says."""
    title: ColumnNames = ()
    """Column of the title, or a template 「{品名}（{材質}）」 (brackets that stay empty are left out), or several of
    them; without it, the beginning of the text."""
    text: ColumnNames = ()
    """Columns to be searched, in reading order, each by its name: 「品目：…」."""
    long: Annotated[dict[PartName, ColumnName], BeforeValidator(_as_mapping)] = Field(default_factory=dict)
    """Columns of long text, by ASCII name of the part that they become: `{history = "経緯"}`."""
    metadata: Annotated[dict[SidecarKey, Column], BeforeValidator(_as_mapping)] = Field(default_factory=dict)
    """Columns that filters look at, by ASCII key of the sidecar: a name, or `{column = "金額", type = "number"}`. An
    empty cell leaves the key out."""
    shown: Annotated[dict[SidecarKey, Column], BeforeValidator(_as_mapping)] = Field(default_factory=dict)
    """Columns that the header of every chunk shows, by ASCII key; in the sidecar they are lists (filter by
    `contains`)."""
    as_of_column: str = ""
    """Column of the date that a row speaks for, a month being its first day; where it is empty, or tells no date,
    `as_of` holds."""
    label: str = ""
    """How headers write the ID; `{id}` stands for it. Without it `No.{id}`, and the first characters behind `#` where
    the row made it."""
    link: str = ""
    """Where a reader can see the original; may name columns: `https://desk.example/tickets/{番号}`."""
    encoding: Annotated[str, BeforeValidator(_encoding)] = ""
    """One of utf-8, cp932, euc_jp, iso2022_jp or utf-16; detected without it."""
    delimiter: Annotated[Literal["", ",", "\t", ";", "|"], BeforeValidator(_delimiter)] = ""
    """`,`, `;`, `|` or `tab`; detected without it."""
    header_line: int = Field(default=1, ge=1)
    """Line on which the column names stand; what is above is left out."""
    bad_rows: Literal["fail", "skip"] = "fail"
    """A row that cannot be read as it should is told with its line number. `fail`: as a fault, so that the run ends by
    saying so (the good rows are kept); `skip`: as a note."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        faults = [
            *_twice("id", self.id),
            *_twice("text", self.text),
            *_twice("long", tuple(self.long.values())),
            *(
                f"{name}: it is in text as well; a column is one or the other"
                for name in self.text
                if name in self.long.values()
            ),
        ]
        if PROFILE in self.long:
            faults.append(f"long: {PROFILE} is the part of the short columns; give {self.long[PROFILE]} another name")
        faults += [
            f"sidecar key {key!r} means something else already; choose another"
            for key in (*self.metadata, *self.shown)
            if is_taken(key)
        ]
        faults += [f"sidecar key {key!r} is in metadata and in shown" for key in self.metadata if key in self.shown]
        faults += [
            f"shown: {column.column} can be a string or a list, not a {column.type}; put it into metadata as well"
            for column in self.shown.values()
            if column.type not in ("string", "list")
        ]
        if self.label and "{id}" not in self.label:
            faults.append("label: {id} has to stand in it, where the row's ID belongs")
        if faults:
            raise ValueError("; ".join(faults))
        return self


def _twice(setting: str, names: Sequence[str]) -> Iterator[str]:
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"{setting}: {name} stands there twice"


SOURCE = DocumentSource(
    name="csv_rows",
    kind="csv",
    title="表（CSV）",
    column_title="表\n(CSV)",
    names_in_words="a table of rows (CSV), its columns in a [document.<key>] table of the settings file",
    record_in_words="a row; its number is the row's ID",
    example_numbers=("1042", "T-17"),
    settings=CsvRowsDocument,
    sample=CsvRowsDocument(
        key="sample",
        location=str(SAMPLE_DOCUMENTS / "helpdesk.csv"),
        document="みほん商会 情報システム窓口 問い合わせの記録（架空の見本）",
        id=("番号",),
        title=("件名",),
        text=("質問", "回答"),
        long={"history": "経緯"},
        metadata={"department": Column(column="担当部署"), "priority": Column(column="優先度")},
        shown={"category": Column(column="分類")},
        as_of_column="受付日",
    ),
)
