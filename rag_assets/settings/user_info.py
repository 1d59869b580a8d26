"""Users and passwords in addresses: found before anything else looks at a value, and never shown."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rag_assets.settings.values import is_true
from rag_assets.sources.fetching.addresses import has_user_info, is_bare_user_info
from rag_assets.sources.registry import SOURCES


def find_user_info_faults(given: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """A line for every setting with a user or password in an address; the address is not told."""
    for key, value in given.items():
        name = f"{above}{key}"
        values = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(each, str) and _has_user_info(key, each) for each in values):
            yield (
                f"{name}: a user or password may not stand in an address, which is kept and shown in many places: "
                "leave them out. Where the document cannot be had without them, download it and name the file"
            )
        for each in values:
            tables = each if isinstance(each, Mapping) else vars(each) if isinstance(each, BaseModel) else {}
            yield from find_user_info_faults(tables, f"{name}.")


def _has_user_info(name: str, value: str) -> bool:
    if has_user_info(value):
        return True
    is_location = name in SOURCES or name == "location"
    return is_location and any(
        is_bare_user_info(each) and not is_true(Path(each).exists)
        for each in (value, *map(str.strip, value.split(",")))
    )
