"""What a validation by pydantic has found wrong, in words for a user."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError


def said(fault: Mapping[str, Any]) -> str:
    """What one error of a validation says, without what pydantic puts before it."""
    return str(fault["msg"]).removeprefix("Value error, ")


def no_such_setting(name: str, known: Iterable[str] = ()) -> str:
    """What a user is told of a setting that does not exist, with the known one that may be meant."""
    close = get_close_matches(name, list(known), n=1)
    return "there is no such setting" + (f"; did you mean {close[0]}?" if close else "")


def faults_in_words(error: ValidationError, known: Iterable[str] = ()) -> str:
    """Everything that a validation has found wrong, each with the field before it, if it is a single field's.

    Args:
        error: The validation's error.
        known: Names of settings, one of which a misspelt name may mean.
    """
    names = list(known)
    return "; ".join(": ".join(filter(None, (field_of(fault), _told(fault, names)))) for fault in error.errors())


def _told(fault: Mapping[str, Any], known: Iterable[str]) -> str:
    return no_such_setting(field_of(fault), known) if fault["type"] == "extra_forbidden" else said(fault)


def field_of(fault: Mapping[str, Any]) -> str:
    """The field that one error of a validation is about; empty where it is about all of them together."""
    return ".".join(map(str, fault["loc"]))
