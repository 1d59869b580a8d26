"""Conditions on a passage's attributes: which passages a search looks at, as a Knowledge Base filters.

How an index is searched is in `index.py`. Source of the rules: `RetrievalFilter` in the API reference of Amazon Bedrock
Agents Runtime.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from rag_assets.model import Attribute, Model

Scalar = str | bool | int | float
Operator = Literal[
    "equals",
    "not_equals",
    "in",
    "not_in",
    "contains",
    "starts_with",
    "above",
    "at_least",
    "below",
    "at_most",
]
_RANGES = ("above", "at_least", "below", "at_most")
_LISTS = ("in", "not_in")


class Filter(Model):
    """A condition on a passage's attributes, or on its `source`, `record_id` or `chunk_id`.

    A passage without the attribute does not match, except with `not_equals`, as in a Knowledge Base. Ranges work on
    numbers only: dates are YYYYMMDD numbers. Truth values match truth values only, not 0 and 1. A list is compared by
    `contains` only, and by `not_equals`, which it always fulfils.

    Attributes:
        key: Name of the attribute.
        operator: In a Knowledge Base's words: `equals` equals, `not_equals` notEquals, `in` in, `not_in` notIn,
            `contains` listContains of a list and stringContains of a string, `starts_with` startsWith, `above`
            greaterThan, `at_least` greaterThanOrEquals, `below` lessThan, `at_most` lessThanOrEquals.
        value: What is compared with; several for `in` and `not_in`.
    """

    key: str = Field(min_length=1)
    operator: Operator = "equals"
    value: Scalar | tuple[Scalar, ...]

    @model_validator(mode="after")
    def _operator_fits_value(self) -> Self:
        told = f"filter on {self.key}: {self.operator}"
        if self.operator in _LISTS:
            if not isinstance(self.value, tuple) or not self.value:
                raise ValueError(f"{told} needs a list of values, not {self.value!r}")
        elif isinstance(self.value, tuple):
            raise ValueError(f"{told} needs one value, not {self.value!r}")
        elif self.operator in _RANGES and not _is_number(self.value):
            raise ValueError(f"{told} needs a number, not {self.value!r}")
        elif self.operator == "starts_with" and not isinstance(self.value, str):
            raise ValueError(f"{told} needs a string, not {self.value!r}")
        return self

    def matches(self, attributes: Mapping[str, Attribute]) -> bool:
        """Whether the attributes fulfil the condition."""
        actual = attributes.get(self.key)
        if actual is None:
            return self.operator == "not_equals"
        return _MATCHES[self.operator](actual, self.value)


class AllOf(Model):
    """Every one of the conditions (andAll)."""

    all_of: tuple["Condition", ...] = Field(min_length=1)

    def matches(self, attributes: Mapping[str, Attribute]) -> bool:
        """Whether the attributes fulfil all of them."""
        return all(condition.matches(attributes) for condition in self.all_of)


class AnyOf(Model):
    """At least one of the conditions (orAll)."""

    any_of: tuple["Condition", ...] = Field(min_length=1)

    def matches(self, attributes: Mapping[str, Attribute]) -> bool:
        """Whether the attributes fulfil one of them."""
        return any(condition.matches(attributes) for condition in self.any_of)


Condition = Filter | AllOf | AnyOf
"""What a search takes; by its fields alone it is told which of the three it is."""

AllOf.model_rebuild()
AnyOf.model_rebuild()


def keys_of(condition: Condition) -> list[str]:
    """The attributes that a condition looks at, each once."""
    if isinstance(condition, Filter):
        return [condition.key]
    parts = condition.all_of if isinstance(condition, AllOf) else condition.any_of
    return list(dict.fromkeys(key for part in parts for key in keys_of(part)))


_Value = Scalar | tuple[Scalar, ...]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(actual: Attribute, value: object) -> bool:
    return actual == value and isinstance(actual, bool) == isinstance(value, bool)


def _among(actual: Attribute, values: _Value) -> bool:
    return isinstance(values, tuple) and any(_same(actual, value) for value in values)


def _contains(actual: Attribute, value: _Value) -> bool:
    if isinstance(actual, str):
        return isinstance(value, str) and value in actual
    return isinstance(actual, tuple) and value in actual


def _starts_with(actual: Attribute, value: _Value) -> bool:
    return isinstance(actual, str) and isinstance(value, str) and actual.startswith(value)


def _ranged(holds: Callable[[float, float], bool]) -> Callable[[Attribute, _Value], bool]:
    def compared(actual: Attribute, value: _Value) -> bool:
        return _is_number(actual) and holds(actual, value)  # type: ignore[arg-type]

    return compared


_MATCHES: dict[Operator, Callable[[Attribute, _Value], bool]] = {
    "equals": _same,
    "not_equals": lambda actual, value: not _same(actual, value),
    "in": _among,
    "not_in": lambda actual, values: not isinstance(actual, tuple) and not _among(actual, values),
    "contains": _contains,
    "starts_with": _starts_with,
    "above": _ranged(operator.gt),
    "at_least": _ranged(operator.ge),
    "below": _ranged(operator.lt),
    "at_most": _ranged(operator.le),
}
