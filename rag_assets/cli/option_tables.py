"""`python -m rag_assets.cli.option_tables`: writes the tables of settings and sources into the pages in `docs/`.

A table stands between the marks `<!-- NAME:begin -->` and `<!-- NAME:end -->`; everything else on a page is people's.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rag_assets.model import Preparing
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.s3.locations import Target
from rag_assets.settings.places import PACKAGE
from rag_assets.settings.table import SETTINGS, Setting, describe_default, describe_field
from rag_assets.sources.base import DocumentSettings
from rag_assets.sources.registry import BY_NAME, DOCUMENT_SOURCES, SOURCES

DOCS = PACKAGE.parent / "docs"
Row = Sequence[str]
_BLOCK = re.compile(r"(<!-- (?P<name>[a-z]+):begin -->\n).*?(<!-- (?P=name):end -->)", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or with `--check` tell which pages are out of date; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m rag_assets.cli.option_tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a page is out of date")
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="folder of the pages")
    given = parser.parse_args(arguments)
    outdated = [page for page in sorted(given.docs.glob("*.md")) if _is_outdated(page)]
    for page in outdated:
        if given.check:
            sys.stderr.write(f"{page}: its tables are not those of the code: run `make docs`\n")
        else:
            page.write_text(fill_in_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
            sys.stdout.write(f"{page}\n")
    return 1 if given.check and outdated else 0


def _is_outdated(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return text != fill_in_tables(text)


def fill_in_tables(text: str) -> str:
    """A page with every table between its marks made anew.

    Raises:
        KeyError: A mark names a table that there is not.
    """
    return _BLOCK.sub(lambda block: f"{block[1]}{TABLES[block['name']]()}\n{block[3]}", text)


def _make_options_table() -> str:
    return _make_table(
        ("setting", "option", "environment variable", "default", "what it does"),
        (
            (
                _as_code(setting.name),
                _as_code(setting.option_name) if setting.option else "",
                _describe_variable(setting),
                _as_code(setting.default),
                _add_choices(setting.description, setting.choices),
            )
            for setting in SETTINGS.values()
        ),
    )


def _describe_variable(setting: Setting) -> str:
    if setting.is_table:
        return f"{_as_code(setting.variable)} (JSON)"
    return _as_code(setting.variable) + (" (commas)" if setting.is_list else "")


def _make_sources_table() -> str:
    return _make_table(
        ("source", "option", "takes", "one record is", "its number in IDs"),
        (
            (
                _as_code(source.name),
                _as_code(SETTINGS[source.name].option_name),
                source.names_in_words,
                source.record_in_words,
                ", ".join(map(_as_code, source.example_numbers)),
            )
            for source in SOURCES.values()
        ),
    )


def _make_documents_tables() -> str:
    common = DocumentSettings.model_fields
    first = ("`source`", "required", f"The source that reads it: {', '.join(map(_as_code, BY_NAME))}")
    parts = ["Every source:", _make_fields_table(DocumentSettings, left_out=("key",), first=(first,))]
    for source in DOCUMENT_SOURCES:
        same = [
            name
            for name, field in source.settings.model_fields.items()
            if name in common and field.description == common[name].description
        ]
        parts += [f"`{source.name}`, {source.names_in_words}:", _make_fields_table(source.settings, left_out=same)]
    return "\n\n".join(_escape(part) if part.endswith(":") else part for part in parts)


def _make_fields_table(model: type[BaseModel], left_out: Iterable[str] = (), first: Iterable[Row] = ()) -> str:
    fields = {name: field for name, field in model.model_fields.items() if name not in set(left_out)}
    return _make_table(
        ("setting", "default", "what it does"), [*first, *(_make_row(name, field) for name, field in fields.items())]
    )


def _make_row(name: str, field: FieldInfo) -> Row:
    default = _as_code(describe_default(field.get_default(call_default_factory=True)))
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return (
        _as_code(name),
        "required" if field.is_required() else default,
        _add_choices(describe_field(field), choices),
    )


def _add_choices(description: str, choices: Sequence[str]) -> str:
    """A description with the values that a setting can have, as far as it does not name them itself."""
    missing = [choice for choice in choices if choice.strip() and f"`{choice}`" not in description]
    return f"{description} ({', '.join(map(_as_code, choices))})" if missing else description


def _make_table(head: Row, rows: Iterable[Row]) -> str:
    lines = [head, ["---"] * len(head), *([_escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _as_code(text: str) -> str:
    return f"`{text}`" if text else ""


def _escape(text: str) -> str:
    """Text in which Markdown sees no table, tag or emphasis that is not meant."""
    parts = text.replace("|", r"\|").split("`")
    return "`".join(re.sub(r"([<*_])", r"\\\1", part) if at % 2 == 0 else part for at, part in enumerate(parts))


TABLES: dict[str, Callable[[], str]] = {
    "options": _make_options_table,
    "variant": lambda: _make_fields_table(Preparing),
    "target": lambda: _make_fields_table(Target),
    "tuning": lambda: _make_fields_table(TuningGrid),
    "sources": _make_sources_table,
    "documents": _make_documents_tables,
}

if __name__ == "__main__":
    sys.exit(main())
