"""Metadata filters of Retrieve: which are refused, and which documents one lets through.

Source: `RetrievalFilter` in the API reference. Groups hold two to five conditions and one level of groups within.
"""

from collections.abc import Mapping
from typing import Any

from emulation.errors import invalid

MOST_IN_GROUP = 5
_GROUPS = ("andAll", "orAll")
_RANGES = ("greaterThan", "greaterThanOrEquals", "lessThan", "lessThanOrEquals")
_UNSUPPORTED = {
    "S3_VECTORS": ("startsWith", "stringContains"),
    "RDS": ("startsWith",),
}
"""Operators that a vector store cannot evaluate."""


def check_filter(condition: Mapping[str, Any], store: str, depth: int = 1) -> None:
    """Refuse what the service refuses.

    Args:
        condition: As the request gives it; its shape has been held to the service model.
        store: Type of the vector store, as `storageConfiguration` names it.
        depth: How many groups it lies within, and one.

    Raises:
        ServiceError: A ValidationException.
    """
    ((operator, operand),) = condition.items()
    if operator in _GROUPS:
        if not 2 <= len(operand) <= MOST_IN_GROUP:
            raise invalid(f"{operator} takes 2 to {MOST_IN_GROUP} conditions, not {len(operand)}")
        if depth > 2:
            raise invalid("filter groups can be nested one level deep")
        for inner in operand:
            check_filter(inner, store, depth + 1)
        return
    if operator in _UNSUPPORTED.get(store, ()):
        raise invalid(f"the filter {operator} is not supported by the vector store {store}")
    _check_operand(operator, operand["value"])


def _check_operand(operator: str, value: Any) -> None:
    if operator in _RANGES:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise invalid(f"the filter {operator} takes a number")
    elif operator in ("in", "notIn"):
        if not isinstance(value, list) or not value:
            raise invalid(f"the filter {operator} takes a list that is not empty")
        for item in value:
            _check_operand("equals", item)
    elif operator in ("startsWith", "stringContains", "listContains"):
        if not isinstance(value, str) or not value:
            raise invalid(f"the filter {operator} takes a string that is not empty")
    elif not isinstance(value, (str, int, float)) or value == "":
        raise invalid(f"the filter {operator} takes a string, number or boolean")


def matches(condition: Mapping[str, Any] | None, attributes: Mapping[str, Any]) -> bool:
    """Whether a document with these attributes is let through."""
    if condition is None:
        return True
    ((operator, operand),) = condition.items()
    if operator == "andAll":
        return all(matches(inner, attributes) for inner in operand)
    if operator == "orAll":
        return any(matches(inner, attributes) for inner in operand)
    key, wanted = operand["key"], operand["value"]
    if key not in attributes:
        return operator == "notEquals"
    return _compares(operator, attributes[key], wanted)


def _compares(operator: str, value: Any, wanted: Any) -> bool:
    match operator:
        case "equals":
            return _same(value, wanted)
        case "notEquals":
            return not _same(value, wanted)
        case "in":
            return any(_same(value, item) for item in wanted)
        case "notIn":
            return not any(_same(value, item) for item in wanted)
        case "listContains":
            return isinstance(value, list) and wanted in value
        case "startsWith":
            return isinstance(value, str) and value.startswith(wanted)
        case "stringContains":
            return any(
                isinstance(item, str) and wanted in item for item in (value if isinstance(value, list) else [value])
            )
        case _:
            return _in_range(operator, value, wanted)


def _same(value: Any, wanted: Any) -> bool:
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)


def _in_range(operator: str, value: Any, bound: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    match operator:
        case "greaterThan":
            return value > bound
        case "greaterThanOrEquals":
            return value >= bound
        case "lessThan":
            return value < bound
        case _:
            return value <= bound
