"""Settings are read and checked before anything starts: options, environment variables, then the settings file.

An option of the command line goes before the environment variable, that before the settings file, that before the
default. Relative paths are relative to the working directory.
"""

import os
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import pydantic_settings
from pydantic import ValidationError

from rag_assets.settings.faults import find_faults
from rag_assets.settings.file import ENVIRONMENT_PREFIX, SETTINGS_FILE_VARIABLE, find_settings_file
from rag_assets.settings.messages import SettingsError, describe_fault
from rag_assets.settings.model import Settings
from rag_assets.settings.table import SETTINGS
from rag_assets.sources.fetching.addresses import without_secrets
from rag_assets.sources.registry import BY_NAME, SOURCES


def load_settings(**options: Any) -> Settings:
    """The settings of this run.

    Where an option or an environment variable names a source, what the settings file says of other sources is left
    out: the command line says which documents there are, the file how each is read.

    Args:
        **options: Settings of the command line; None means not given.

    Raises:
        SettingsError: Something is wrong; every fault in a line.
    """
    file = find_settings_file()
    if file is not None and not file.is_file():
        raise SettingsError(f"{SETTINGS_FILE_VARIABLE}: the settings file {file} does not exist")
    misspelt = list(_find_unknown_variables())
    if misspelt:
        raise SettingsError("\n".join(misspelt))
    given = {name: value for name, value in options.items() if value is not None}
    named = {source for source in SOURCES if source in given or SETTINGS[source].variable in os.environ}
    unnamed = {source: () if source in BY_NAME else "" for source in SOURCES if named and source not in named}
    try:
        settings = Settings(**unnamed | given)
    except ValidationError as error:
        raise SettingsError("\n".join(describe_fault(fault, file) for fault in error.errors())) from error
    except pydantic_settings.SettingsError as error:
        raise SettingsError(f"environment: {error}: it has to be JSON ({error.__cause__})") from error
    except (ValueError, OSError) as error:
        raise SettingsError(f"settings file {file}: {without_secrets(str(error))}") from error
    faults = [f"setting {fault}" for fault in find_faults(settings)]
    if faults:
        raise SettingsError("\n".join(faults))
    return _keep_named(settings, named) if named else settings


def _keep_named(settings: Settings, named: set[str]) -> Settings:
    """Settings without the tables of documents of other sources than those named."""
    wanted = tuple(BY_NAME[source].settings for source in named if source in BY_NAME)
    tables = {key: document for key, document in settings.document.items() if isinstance(document, wanted)}
    return settings.model_copy(update={"document": tables})


def _find_unknown_variables() -> Iterator[str]:
    """Environment variables that look like settings and are none: set, they would do nothing, in silence."""
    known = [name.upper() for name in SETTINGS]
    known.append(SETTINGS_FILE_VARIABLE.removeprefix(ENVIRONMENT_PREFIX))
    for variable in sorted(os.environ):
        name = variable.upper().removeprefix(ENVIRONMENT_PREFIX)
        if not variable.upper().startswith(ENVIRONMENT_PREFIX) or name in known:
            continue
        close = get_close_matches(name, known, n=1)
        names = ", ".join(f"{ENVIRONMENT_PREFIX}{each}" for each in close or known)
        hint = f"did you mean {names}?" if close else f"known are {names}"
        yield f"environment variable {variable}: there is no such setting; {hint}"
