"""What a person reads on an asset's page: tables, samples and links as Dagster metadata."""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

MOST_ROWS = 200
"""Rows of a table in the metadata; the files hold the rest."""

OWNERS = ["team:rag-assets"]

if TYPE_CHECKING:
    import pandas as pd

    Materialized = dg.MaterializeResult[None]
else:
    # Dagster takes a parametrized result for the annotation of a single output, which an asset with checks has not.
    Materialized = dg.MaterializeResult


def table(rows: Sequence[Mapping[str, object]], *, most: int = MOST_ROWS) -> dg.MetadataValue:
    """Rows as a table; a note in place of an empty one."""
    if not rows:
        return dg.MetadataValue.text("none")
    records = [dg.TableRecord({column: _cell(value) for column, value in row.items()}) for row in list(rows)[:most]]
    columns = [dg.TableColumn(name, _column_type(value)) for name, value in records[0].data.items()]
    return dg.MetadataValue.table(records=records, schema=dg.TableSchema(columns=columns))


def frame_table(frame: "pd.DataFrame") -> dg.MetadataValue:
    """A data frame as a table."""
    return table([{str(column): value for column, value in row.items()} for row in frame.to_dict("records")])


def sample(text: str) -> dg.MetadataValue:
    """A text as it is, line breaks kept."""
    fence = "~~~~" if "~~~" in text else "~~~"
    return dg.MetadataValue.md(f"{fence}text\n{text}\n{fence}")


def picture(svg: str, description: str) -> dg.MetadataValue:
    """A drawing."""
    data = base64.b64encode(svg.encode()).decode()
    return dg.MetadataValue.md(f"![{description}](data:image/svg+xml;base64,{data})")


def folder(path: Path) -> dg.MetadataValue:
    """Where the files are."""
    return dg.MetadataValue.path(str(path))


def _cell(value: object) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else str(value)


def _column_type(value: object) -> str:
    return {bool: "bool", int: "int", float: "float"}.get(type(value), "string")
