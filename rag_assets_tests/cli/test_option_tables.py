"""The tables in docs/: they are those of the code, and say something of every setting."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from rag_assets.cli.option_tables import DOCS, TABLES, fill_in_tables, main
from rag_assets.model import Preparing
from rag_assets.s3.locations import Target
from rag_assets.settings.table import SETTINGS
from rag_assets.sources.registry import BY_NAME, DOCUMENT_SOURCES, SOURCES

PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md"))}


def test_the_pages_hold_the_tables_of_the_code() -> None:
    assert main(["--check"]) == 0
    everything = "".join(PAGES.values())
    assert [name for name in TABLES if f"<!-- {name}:begin -->" not in everything] == []


def test_every_setting_and_every_source_has_its_line() -> None:
    lines = PAGES["settings.md"].splitlines()
    for setting in SETTINGS.values():
        (line,) = [line for line in lines if line.startswith(f"| `{setting.name}` |") and setting.variable in line]
        assert (setting.option_name in line) is bool(setting.option)
        assert setting.default in line
    for source in SOURCES:
        assert f"\n| `{source}` | `{SETTINGS[source].option_name}` |" in PAGES["sources.md"]


@pytest.mark.parametrize("model", [Preparing, Target, *(source.settings for source in DOCUMENT_SOURCES)])
def test_every_setting_of_a_table_is_described(model: type[BaseModel]) -> None:
    assert [name for name, field in model.model_fields.items() if not field.description] == []
    for name in model.model_fields:
        assert name == "key" or any(f"\n| `{name}` |" in page for page in PAGES.values())


def test_a_page_that_is_out_of_date_is_told_and_written_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("# 見出し\n\n<!-- sources:begin -->\nold\n<!-- sources:end -->\n\nbehind\n", encoding="utf-8")
    assert main(["--check", "--docs", str(tmp_path)]) == 1
    assert f"{page}: " in capsys.readouterr().err
    assert "old" in page.read_text(encoding="utf-8")
    assert main(["--docs", str(tmp_path)]) == 0
    written = page.read_text(encoding="utf-8")
    assert written.startswith("# 見出し\n\n<!-- sources:begin -->\n| source |")
    assert written.endswith("<!-- sources:end -->\n\nbehind\n")
    assert all(f"| `{source}` |" in written for source in BY_NAME)
    assert main(["--check", "--docs", str(tmp_path)]) == 0


def test_a_mark_of_no_table_is_an_error() -> None:
    with pytest.raises(KeyError, match="optoins"):
        fill_in_tables("<!-- optoins:begin -->\n<!-- optoins:end -->\n")


@pytest.mark.parametrize("name", TABLES)
def test_every_line_of_a_table_has_as_many_cells_as_its_head(name: str) -> None:
    for table in TABLES[name]().split("\n\n"):
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert len({row.replace(r"\|", "").count("|") for row in rows}) <= 1


@given(st.text())
def test_a_page_without_marks_stays_as_it_is(text: str) -> None:
    assert fill_in_tables(text) == text
