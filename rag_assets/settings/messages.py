"""How settings are told: what is wrong with one and where it may come from, and options for copying."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag_assets.settings.file import ENVIRONMENT_PREFIX, SETTINGS_FILE
from rag_assets.settings.table import SETTINGS
from rag_assets.sources.fetching.addresses import without_secrets
from rag_assets.store.validation import no_such_setting, said


class SettingsError(ValueError):
    """A setting is wrong; the message names it, where it may come from, and what it takes."""


def describe_fault(fault: Mapping[str, Any], file: Path | None) -> str:
    """One error of pydantic's validation, with every place the setting may come from."""
    message = said(fault)
    if not fault["loc"]:
        return "\n".join(f"setting {line}" for line in message.splitlines())
    top, *below = (str(part) for part in fault["loc"])
    name = ".".join(part for part in (top, *below) if part != "[key]")
    variable = f"{ENVIRONMENT_PREFIX}{top.upper()}"
    if fault["type"] == "extra_forbidden":
        place = variable if variable in os.environ else file or "the options"
        return f"setting {name}: {no_such_setting(name, () if below else SETTINGS)} (in {place})"
    places = [variable, f"{top} in {file or SETTINGS_FILE}"]
    if SETTINGS[top].option:
        places.insert(0, SETTINGS[top].option_name)
    where = ", or ".join((", ".join(places[:-1]), places[-1]))
    given = fault["input"]
    # Whole tables are left out: the message names what is wrong in them.
    got = "" if isinstance(given, Mapping) else f", got {_hide_secrets(given)!r}"
    return f"setting {name}: {message}{got} ({where})"


def _hide_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_hide_secrets(each) for each in value]
    return value


def to_words(name: str, value: Any) -> list[str]:
    """The words of a command line that give a setting this value; none where the value is empty."""
    setting = SETTINGS[name]
    form = setting.option.form if setting.option else "value"
    words = [str(each) for each in value] if isinstance(value, tuple) else [str(value)]
    if form == "repeated":
        return [word for each in words for word in (setting.option_name, each)]
    if form == "value":
        words = [",".join(words)]
    return [setting.option_name, *words] if any(words) else []
