"""Whether a value keeps to a shape of a service model: required members, lengths, ranges, patterns, enums, unions.

botocore itself checks required members, types and minima before it sends; maxima, patterns, enums and unions are left
to the service, so they are checked here. Messages are worded as AWS words them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from botocore.model import ListShape, MapShape, Shape, StructureShape

Problem = tuple[str, str]
"""Path of the member, and what is wrong with its value."""


def problems(shape: Shape, value: Any, at: str = "") -> Iterator[Problem]:
    """What is wrong with a value, member by member; nothing where all is well."""
    if getattr(shape, "is_document_type", False):
        return
    if isinstance(shape, StructureShape):
        yield from _structure_problems(shape, value, at)
    elif isinstance(shape, ListShape):
        if not isinstance(value, list):
            yield at, "must be a list"
            return
        yield from _size_problems(shape, len(value), at)
        for number, item in enumerate(value, start=1):
            yield from problems(shape.member, item, f"{at}.{number}.member")
    elif isinstance(shape, MapShape):
        if not isinstance(value, dict):
            yield at, "must be a map"
            return
        for key, item in value.items():
            yield from problems(shape.value, item, f"{at}.{key}")
    else:
        yield from _scalar_problems(shape, value, at)


def worded(found: list[Problem]) -> str:
    """The problems as the message of a ValidationException."""
    plural = "s" if len(found) > 1 else ""
    told = "; ".join(f"Value at '{at}' failed to satisfy constraint: Member {what}" for at, what in found)
    return f"{len(found)} validation error{plural} detected: {told}"


def _structure_problems(shape: StructureShape, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield at, "must be a structure"
        return
    prefix = f"{at}." if at else ""
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"{prefix}{name}", "must not be null"
    known = [name for name in shape.members if value.get(name) is not None]
    if shape.is_tagged_union and len(value) != 1:
        yield at, f"must have exactly one of {', '.join(shape.members)}"
    for name in known:
        yield from problems(shape.members[name], value[name], f"{prefix}{name}")


def _scalar_problems(shape: Shape, value: Any, at: str) -> Iterator[Problem]:
    kind = shape.type_name
    if kind in ("integer", "long", "double", "float"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield at, "must be a number"
        elif kind in ("integer", "long") and not isinstance(value, int):
            yield at, "must be a whole number"
        else:
            yield from _range_problems(shape, value, at)
    elif kind == "boolean":
        if not isinstance(value, bool):
            yield at, "must be a boolean"
    elif kind == "blob" and isinstance(value, bytes):
        yield from _size_problems(shape, len(value), at)
    elif not isinstance(value, str):
        yield at, "must be a string"
    elif kind == "string":
        yield from _string_problems(shape, value, at)


def _string_problems(shape: Shape, value: str, at: str) -> Iterator[Problem]:
    yield from _size_problems(shape, len(value), at)
    allowed = shape.metadata.get("enum")
    if allowed and value not in allowed:
        yield at, f"must satisfy enum value set: [{', '.join(allowed)}]"
    pattern = _compiled(shape.metadata["pattern"]) if "pattern" in shape.metadata else None
    if pattern and not pattern.fullmatch(value):
        yield at, f"must satisfy regular expression pattern: {shape.metadata['pattern']}"


def _size_problems(shape: Shape, size: int, at: str) -> Iterator[Problem]:
    if size > shape.metadata.get("max", size):
        yield at, f"must have length less than or equal to {shape.metadata['max']}"
    if size < shape.metadata.get("min", size):
        yield at, f"must have length greater than or equal to {shape.metadata['min']}"


def _range_problems(shape: Shape, value: float, at: str) -> Iterator[Problem]:
    if value > shape.metadata.get("max", value):
        yield at, f"must have value less than or equal to {shape.metadata['max']}"
    if value < shape.metadata.get("min", value):
        yield at, f"must have value greater than or equal to {shape.metadata['min']}"


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error:  # Java's classes, such as \P{C}, which Python does not know
        return None
