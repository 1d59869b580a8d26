"""What a validation by pydantic has found wrong, in words for a user."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError


def said(fault: Mapping[str, Any]) -> str:
    """What one error of a validation says, without what pydantic puts before it."""
    return str(fault["msg"]).removeprefix("Value error, ")


def faults_in_words(error: ValidationError) -> str:
    """Everything that a validation has found wrong, each with the field before it, if it is a single field's."""
    return "; ".join(": ".join(filter(None, (field_of(fault), said(fault)))) for fault in error.errors())


def field_of(fault: Mapping[str, Any]) -> str:
    """The field that one error of a validation is about; empty where it is about all of them together."""
    return ".".join(map(str, fault["loc"]))
