"""Conditions of `filters` as the `RetrievalFilter` of a Knowledge Base, within the limits it sets, and back.

Source: `RetrievalFilter` in the API reference of Amazon Bedrock Agents Runtime, and "Query configurations" in the user
guide: a group joins two to five conditions, and holds at most one level of further groups.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any

from pydantic import ValidationError

from rag_assets.model import Attribute
from rag_assets.retrieval.filters import AllOf, AnyOf, Condition, Filter, Operator
from rag_assets.store.validation import said

MOST_IN_GROUP = 5
LONGEST_KEY = 100
"""Characters of a key that is filtered by (`FilterKey`); a sidecar may have longer ones."""
_MOST_DEEP = 2
_SHOWN = 60

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

_CONTAINS = ("listContains", "stringContains")
"""One condition here, two in a Knowledge Base: of a list, an item; of text, a part."""
_OPERATORS: Mapping[str, Operator] = {name: operator for operator, name in _NAMES.items()} | {
    "listContains": "contains",
    "stringContains": "contains",
}
_GROUPS = ("andAll", "orAll")

Clauses = list[tuple[Filter, ...]]


class FilterError(ValueError):
    """A condition that a Knowledge Base cannot be asked; the message says why and what to ask instead."""


def variant_is(name: str) -> Filter:
    """The condition that lets one variant through and no other that lies beside it: every sidecar names its own."""
    return Filter(key="variant", value=name)


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


def condition_of(given: object, lists: frozenset[str] | None = None) -> Condition:
    """The condition that a `RetrievalFilter` is, as an application would pass it to Retrieve.

    The inverse of `retrieval_filter`. What the service refuses is refused: a group of fewer than two or more than five,
    groups nested deeper than one level.

    Args:
        given: As JSON has it: `{"equals": {"key": "source", "value": "law"}}`, `{"andAll": […]}`.
        lists: Keys whose values are lists (`list_attributes`). `listContains` of another key, and any other operator
            of one of these, is refused. None where that is not known.

    Raises:
        FilterError: It is none, or cannot be asked; every fault is told.
    """
    faults = list(dict.fromkeys(_faults_of_given(given, lists)))
    if faults:
        raise FilterError("; ".join(faults))
    return _condition(given)


def condition_in_json(text: str, lists: frozenset[str] | None = None) -> Condition:
    """Likewise, of a `RetrievalFilter` that is written as JSON.

    Raises:
        FilterError: It is no JSON, or no filter that can be asked.
    """
    try:
        given = json.loads(text, object_pairs_hook=_each_once)
    except RecursionError as error:
        raise FilterError("it is nested too deep") from error
    except json.JSONDecodeError as error:
        raise FilterError(f"it is no JSON ({error.msg} at character {error.pos + 1}): {text[:_SHOWN]}") from error
    return condition_of(given, lists)


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Python would take the last of two members of one name, and lose a condition in silence."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = ", ".join(name for name, _ in pairs)
        raise FilterError(f"an object holds a name twice ({names}): join filters with andAll or orAll")
    return made


def _condition(given: Any) -> Condition:
    """The condition that a filter without faults is."""
    ((name, operand),) = given.items()
    if name == "andAll":
        return AllOf(all_of=tuple(map(_condition, operand)))
    if name == "orAll":
        return AnyOf(any_of=tuple(map(_condition, operand)))
    return _single(name, operand)


def _single(name: str, operand: Mapping[str, Any]) -> Filter:
    value = operand["value"]
    values = tuple(value) if isinstance(value, list) else value
    return Filter(key=operand["key"], operator=_OPERATORS[name], value=values)


def _faults_of_given(given: object, lists: frozenset[str] | None, depth: int = 1) -> Iterator[str]:
    if not isinstance(given, dict) or len(given) != 1:
        yield f"a filter is one operator with what it takes, not {_shown(given)}"
        return
    ((name, operand),) = given.items()
    if name in _OPERATORS:
        yield from _faults_of_operand(name, operand, lists)
    elif name not in _GROUPS:
        known = (*_OPERATORS, *_GROUPS)
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
        yield f"there is no operator {name!r}; {hint}"
    elif not isinstance(operand, list) or not 2 <= len(operand) <= MOST_IN_GROUP:
        yield f"{name} takes a list of 2 to {MOST_IN_GROUP} filters, not {_shown(operand)}"
    elif depth > _MOST_DEEP:
        yield f"{name} lies too deep: a group holds at most one level of further groups"
    else:
        for inner in operand:
            yield from _faults_of_given(inner, lists, depth + 1)


def _faults_of_operand(name: str, operand: object, lists: frozenset[str] | None) -> Iterator[str]:
    if not isinstance(operand, dict) or operand.keys() != {"key", "value"}:
        yield f'{name} takes {{"key": …, "value": …}}, not {_shown(operand)}'
        return
    key, value = operand["key"], operand["value"]
    if not isinstance(key, str) or not key:
        yield f"{name}: a key is the name of an attribute, not {_shown(key)}"
        return
    if not all(isinstance(one, str | int | float) for one in (value if isinstance(value, list) else [value])):
        yield f"{name} on {key}: a value is text, a number, true or false, or a list of these, not {_shown(value)}"
        return
    try:
        condition = _single(name, operand)
    except ValidationError as error:
        yield from (f"{name}: {said(fault)}" for fault in error.errors())
        return
    if name in _CONTAINS and lists is not None and (key in lists) != (name == "listContains"):
        fits = _CONTAINS[key not in lists]
        yield f"{name} on {key}: its values are {'lists' if key in lists else 'no lists'}: ask {fits}"
    else:
        yield from (f"{name} on {key}: {fault}" for fault in _faults(condition, lists or frozenset()))


def _shown(given: object) -> str:
    """A part of a filter as it was written."""
    text = json.dumps(given, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


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
        name = _CONTAINS[condition.key not in (lists or ())]
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
            yield f"what is contained is text in a Knowledge Base, not {condition.value!r}"
        if lists is None:
            yield "'contains' is one question of a list and another of text: tell which keys are lists"
    elif condition.key in (lists or ()):
        yield f"its values are lists: ask listContains, {_NAMES[condition.operator]} depends on the vector store"
