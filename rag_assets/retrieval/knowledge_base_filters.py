"""Conditions of `filters` as the `RetrievalFilter` of a Knowledge Base, within the limits it sets.

Source: `RetrievalFilter` in the API reference of Amazon Bedrock Agents Runtime, and "Query configurations" in the user
guide: a group joins two to five conditions, and holds at most one level of further groups.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from rag_assets.model import Attribute
from rag_assets.retrieval.filters import AllOf, AnyOf, Condition, Filter, Operator

MOST_IN_GROUP = 5
LONGEST_KEY = 100
"""Characters of a key that is filtered by (`FilterKey`); a sidecar may have longer ones."""

_NAMES: Mapping[Operator, str] = {
    "equals": "equals",
    "not_equals": "notEquals",
    "in": "in",
    "not_in": "notIn",
    "starts_with": "startsWith",
    "above": "greaterThan",
    "at_least": "greaterThanOrEquals",
    "below": "lessThan",
    "at_most": "lessThanOrEquals",
}

Clauses = list[tuple[Filter, ...]]


class FilterError(ValueError):
    """A condition that a Knowledge Base cannot be asked; the message says why and what to ask instead."""


def list_attributes(attributes: Iterable[Mapping[str, Attribute]]) -> frozenset[str]:
    """The keys whose values are lists, over the attributes of all passages: what `retrieval_filter` has to know."""
    return frozenset(key for of_one in attributes for key, value in of_one.items() if isinstance(value, tuple))


def retrieval_filter(conditions: Sequence[Condition], lists: frozenset[str] | None = None) -> dict[str, Any] | None:
    """The filter that lets through what fulfils all conditions; None without conditions.

    It lets through what `Condition.matches` does. Conditions nested too deep are multiplied out, and more than five
    side by side are put into groups, as far as that goes.

    Args:
        conditions: All of them have to hold.
        lists: Keys whose values are lists (`list_attributes`); None where that is not known.

    Raises:
        FilterError: It cannot be expressed.
    """
    if not conditions:
        return None
    whole = AllOf(all_of=tuple(conditions))
    for outer, inner, is_outer in (("andAll", "orAll", AllOf), ("orAll", "andAll", AnyOf)):
        clauses = _clauses(whole, is_outer)
        grouped = _grouped(clauses, outer, inner, lists) if clauses is not None else None
        if grouped is not None:
            return grouped
    raise FilterError(
        f"these conditions are too many or nested too deep for a Knowledge Base: a group joins up to {MOST_IN_GROUP} "
        "conditions and holds one level of groups. Ask with fewer, and join values of one key with the operator 'in'"
    )


def _clauses(condition: Condition, is_outer: type[AllOf] | type[AnyOf]) -> Clauses | None:
    """The condition multiplied out: clauses, joined the outer way, of conditions, joined the other way.

    None where there would be more than any filter holds.
    """
    if isinstance(condition, Filter):
        return [(condition,)]
    parts = condition.all_of if isinstance(condition, AllOf) else condition.any_of
    of_parts = [_clauses(part, is_outer) for part in parts]
    known = [clauses for clauses in of_parts if clauses is not None]
    if len(known) < len(of_parts):
        return None
    joined_outside = isinstance(condition, is_outer)
    count = sum(map(len, known)) if joined_outside else math.prod(map(len, known))
    if count > MOST_IN_GROUP**2:
        return None
    if joined_outside:
        return _unique(clause for clauses in known for clause in clauses)
    return _unique(tuple(dict.fromkeys(sum(chosen, ()))) for chosen in product(*known))


def _unique(clauses: Iterable[tuple[Filter, ...]]) -> Clauses:
    return list(dict.fromkeys(clauses))


def _grouped(clauses: Clauses, outer: str, inner: str, lists: frozenset[str] | None) -> dict[str, Any] | None:
    """Clauses as groups; None where they do not fit."""
    several = [clause for clause in clauses if len(clause) > 1]
    single = [_told(clause[0], lists) for clause in clauses if len(clause) == 1]
    if any(len(clause) > MOST_IN_GROUP for clause in several):
        return None
    groups = [{inner: [_told(one, lists) for one in clause]} for clause in several]
    if len(groups) + len(single) > MOST_IN_GROUP:
        packs = [single[start : start + MOST_IN_GROUP] for start in range(0, len(single), MOST_IN_GROUP)]
        single = [_joined(pack, outer) for pack in packs]
    return _joined(single + groups, outer) if len(groups) + len(single) <= MOST_IN_GROUP else None


def _joined(parts: list[dict[str, Any]], operator: str) -> dict[str, Any]:
    return parts[0] if len(parts) == 1 else {operator: parts}


def _told(condition: Filter, lists: frozenset[str] | None) -> dict[str, Any]:
    """One condition in the service's words."""
    for fault in _faults(condition, lists):
        raise FilterError(f"filter on {condition.key}: {fault}")
    value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
    if condition.operator == "contains":
        name = "listContains" if condition.key in (lists or ()) else "stringContains"
    else:
        name = _NAMES[condition.operator]
    return {name: {"key": condition.key, "value": value}}


def _faults(condition: Filter, lists: frozenset[str] | None) -> Iterable[str]:
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    if len(condition.key) > LONGEST_KEY:
        yield f"a Knowledge Base filters by keys of at most {LONGEST_KEY} characters"
    if any(isinstance(value, str) and not value for value in values):
        yield "an empty value is refused by a Knowledge Base, and no attribute has one"
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        yield f"{condition.value!r} is no number that a Knowledge Base can compare"
    if condition.operator == "contains":
        if not isinstance(condition.value, str):
            yield f"'contains' takes text in a Knowledge Base, not {condition.value!r}"
        if lists is None:
            yield "'contains' is one question of a list and another of text: tell which keys are lists"
    elif condition.key in (lists or ()):
        yield f"its values are lists: ask 'contains', '{condition.operator}' depends on the vector store"
