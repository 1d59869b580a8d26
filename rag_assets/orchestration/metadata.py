"""What a person reads on an asset's page: tables, samples and links as Dagster metadata."""

import base64
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from rag_assets.store.build_cache import code_fingerprint

MOST_ROWS = 200
"""Rows of a table in the metadata; the files hold the rest."""

MOST_INLINE = 990
"""Characters of Markdown that the page shows by itself; 1,000 and more are behind a link (dagster-webserver 1.13)."""

Metadatum = dg.MetadataValue | int | float | str

_BREAK = "  \n"
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#+\-.!|~&]")

OWNERS = ["team:rag-assets"]

FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=7), warn_window=timedelta(days=2))
"""Of what is fetched: https://docs.dagster.io/guides/observe/asset-freshness-policies."""

_VERSION_LENGTH = 16

if TYPE_CHECKING:
    import pandas as pd

    Materialized = dg.MaterializeResult[None]
else:
    # Dagster takes a parametrized result for the annotation of a single output, which an asset with checks has not.
    Materialized = dg.MaterializeResult


def code_version(*places: str) -> str:
    """The code version of an asset: the hash that the build cache takes over the code that makes the asset's data.

    Dagster shows an asset as out of date where it changes, see
    https://docs.dagster.io/guides/build/assets/asset-versioning-and-caching.

    Args:
        *places: Modules or packages, see `code_fingerprint`.
    """
    return code_fingerprint(*places)[:_VERSION_LENGTH]


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
    """A text for reading: line breaks kept, long lines wrapped by the page, signs of Markdown without effect.

    A text too long to be shown on the page itself ends in 「…」.
    """
    lines = [_MARKDOWN.sub(r"\\\g<0>", line) or "&nbsp;" for line in text.split("\n")]
    whole = _BREAK.join(lines)
    if len(whole) <= MOST_INLINE:
        return dg.MetadataValue.md(whole)
    return dg.MetadataValue.md(whole[: MOST_INLINE - 1].rstrip("\\") + "…")


def code(text: str) -> dg.MetadataValue:
    """Lines as they are, in a fixed width."""
    return dg.MetadataValue.md(f"~~~~\n{text}\n~~~~")


def small_bars(counts: Sequence[int], *, bin_width: int, what: str) -> dg.MetadataValue:
    """A small histogram, short enough to be drawn on the page itself.

    Args:
        counts: Things in each bin, the first from 0; the last is open.
        bin_width: What one bin spans.
        what: What is counted along the axis.
    """
    most = max([*counts, 1])
    bars = "".join(
        f"M{9 * bin_number} 40v-{max(round(38 * count / most), 1)}h8V40"
        for bin_number, count in enumerate(counts)
        if count
    )
    width = 9 * len(counts)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="100" viewBox="0 0 {width} 50">'
        f'<path fill="#4a7ab5" d="{bars}"/><path stroke="#888" d="M0 40h{width}"/>'
        '<g font-size="7" fill="#888"><text y="48">0</text>'
        f'<text x="{width - 9}" y="48" text-anchor="middle">{bin_width * (len(counts) - 1)}+</text></g></svg>'
    )
    data = base64.b64encode(svg.encode()).decode()
    return dg.MetadataValue.md(f"![{what}](data:image/svg+xml;base64,{data})")


def folder(path: Path) -> dg.MetadataValue:
    """Where the files are."""
    return dg.MetadataValue.path(str(path))


def _cell(value: object) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else str(value)


def _column_type(value: object) -> str:
    return {bool: "bool", int: "int", float: "float"}.get(type(value), "string")
