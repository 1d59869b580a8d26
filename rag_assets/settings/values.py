"""How the text of an option, a variable or the settings file becomes the value of a setting.

What a value has to fit together with is in `faults.py`.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, SerializeAsAny
from pydantic_settings import NoDecode

from rag_assets.retrieval.embedder_choice import embedder_choice
from rag_assets.sources.base import DocumentSettings
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.registry import configure_document
from rag_assets.store.file_names import existing_path


def is_true(question: Callable[[], bool]) -> bool:
    """Whether something is true of a path; no where it is no path, such as an address longer than file names can be."""
    try:
        return question()
    except OSError:
        return False


def _split(value: Any) -> Any:
    """Split a comma-separated string, as environment variables and options have it."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _write_in_capitals(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _expand_home(value: str) -> str:
    """Expand a leading ~; shells do not do it in a settings file nor behind `--tax-answer=`."""
    return str(Path(value).expanduser()) if value.startswith("~") else value


def _find_site(value: str) -> str:
    """Where the site is: a folder as the file system spells its name."""
    home = _expand_home(value)
    if is_url(home) or not home.strip():
        return home
    found = existing_path(Path(home))
    return home if found == Path(home) else str(found)


def _read_documents(value: Any) -> Any:
    """Read the `[document.<key>]` tables, each as the settings of its source's documents."""
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, Mapping):
        raise ValueError("it has to be tables: [document.<key>]")
    return {key: _read_document(key, table) for key, table in value.items()}


def _read_document(key: str, table: Any) -> DocumentSettings:
    if isinstance(table, DocumentSettings):
        return table
    if not isinstance(table, Mapping):
        raise ValueError(f"{key}: it has to be a table, [document.{key}]")
    try:
        _, settings = configure_document(key, table)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from error
    return settings


def _check_embedder(setting: str) -> str:
    embedder_choice(setting)
    return setting


HomePath = Annotated[Path, AfterValidator(Path.expanduser), AfterValidator(existing_path)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Paths = Annotated[tuple[HomePath, ...], NoDecode, BeforeValidator(_split)]
Locations = Annotated[tuple[Annotated[str, AfterValidator(_expand_home)], ...], NoDecode, BeforeValidator(_split)]
Site = Annotated[str, AfterValidator(_find_site)]
DocumentTables = Annotated[dict[str, SerializeAsAny[DocumentSettings]], BeforeValidator(_read_documents)]
InCapitals = BeforeValidator(_write_in_capitals)
EmbedderName = Annotated[str, AfterValidator(_check_embedder)]
