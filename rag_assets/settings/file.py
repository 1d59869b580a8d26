"""The settings file: which it is, and its tables as pydantic-settings takes them."""

import os
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic_settings import TomlConfigSettingsSource

from rag_assets.store.configuration_text import toml_tables
from rag_assets.store.file_names import existing_path

ENVIRONMENT_PREFIX = "RAG_ASSETS_"
SETTINGS_FILE = "rag_assets.toml"
SETTINGS_FILE_VARIABLE = f"{ENVIRONMENT_PREFIX}SETTINGS_FILE"
"""Names another settings file; without it, `rag_assets.toml` in the working directory is read where it exists."""


def find_settings_file() -> Path | None:
    """The settings file that is read, or None."""
    named = os.environ.get(SETTINGS_FILE_VARIABLE)
    if named:
        return existing_path(Path(named))
    return Path(SETTINGS_FILE) if Path(SETTINGS_FILE).is_file() else None


class TomlSource(TomlConfigSettingsSource):
    """The settings file as people's editors save it."""

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        return toml_tables(file_path.read_bytes())
