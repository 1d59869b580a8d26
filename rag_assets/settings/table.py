"""All settings as a table: what the options of the command line, messages and `docs/settings.md` are made from."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from rag_assets.settings.file import ENVIRONMENT_PREFIX
from rag_assets.settings.options import Option, Options


@dataclass(frozen=True)
class Setting:
    """One setting as people see it.

    Attributes:
        name: In the settings file.
        description: What it does.
        option: How it is given on the command line; None where it has no option.
        choices: The values it can have, where they are few.
        default: As people write it; empty where the description tells.
        is_list: Whether it takes several values, which an environment variable parts with commas.
        is_table: Whether it is a table of tables, which an environment variable holds as JSON.
    """

    name: str
    description: str
    option: Option | None
    choices: tuple[str, ...]
    default: str
    is_list: bool
    is_table: bool

    @property
    def option_name(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"{ENVIRONMENT_PREFIX}{self.name.upper()}"


def _list_settings() -> Iterator[Setting]:
    for name, field in Options.model_fields.items():
        kind, default = field.annotation, field.get_default(call_default_factory=True)
        is_choice = get_origin(kind) is Literal
        yield Setting(
            name=name,
            description=describe_field(field),
            option=next((each for each in field.metadata if isinstance(each, Option)), None),
            choices=tuple(map(str, get_args(kind))) if is_choice else (),
            default=describe_default(default),
            is_list=isinstance(default, tuple),
            is_table=get_origin(kind) is dict,
        )


def describe_field(field: FieldInfo) -> str:
    """What a field is for, on one line and without a full stop, so that more can follow."""
    return " ".join((field.description or "").split()).removesuffix(".")


def describe_default(value: Any) -> str:
    """A default as people write it in a settings file; empty where nothing is set."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value:g}"
        case tuple() if value:
            return json.dumps(value, ensure_ascii=False)
    return str(value) if value else ""


SETTINGS = {setting.name: setting for setting in _list_settings()}
"""All settings by name, in the order they are shown."""
