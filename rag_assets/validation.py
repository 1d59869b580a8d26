"""What a validation by pydantic has found wrong, in words for a user."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError


def said(fault: Mapping[str, Any]) -> str:
    """What one error of a validation says, without what pydantic puts before it."""
    return str(fault["msg"]).removeprefix("Value error, ")


def faults_in_words(error: ValidationError) -> str:
    """Everything that a validation has found wrong, each with the field before it."""
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {said(fault)}" for fault in error.errors())
