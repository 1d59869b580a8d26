from typing import Any

import pytest

from emulation.errors import ServiceError
from emulation.filters import check_filter, matches
from emulation.local_aws import LocalAws
from rag_assets_tests.emulation.conftest import Source, source_of

CAT = {"animal": "cat", "legs": 4.0, "tame": True, "names": ["Mike", "Tama"]}


def condition(operator: str, key: str, value: Any) -> dict[str, Any]:
    return {operator: {"key": key, "value": value}}


@pytest.mark.parametrize(
    ("operator", "key", "value", "let_through"),
    [
        ("equals", "animal", "cat", True),
        ("equals", "animal", "Cat", False),
        ("equals", "legs", 4, True),
        ("equals", "tame", True, True),
        ("equals", "tame", 1, False),
        ("equals", "names", "Mike", False),
        ("equals", "absent", "cat", False),
        ("notEquals", "animal", "dog", True),
        ("notEquals", "animal", "cat", False),
        ("notEquals", "absent", "cat", True),
        ("in", "animal", ["dog", "cat"], True),
        ("in", "animal", ["dog"], False),
        ("in", "absent", ["dog"], False),
        ("notIn", "animal", ["dog"], True),
        ("notIn", "animal", ["cat"], False),
        ("notIn", "absent", ["cat"], False),
        ("greaterThan", "legs", 3, True),
        ("greaterThan", "legs", 4, False),
        ("greaterThanOrEquals", "legs", 4, True),
        ("lessThan", "legs", 4, False),
        ("lessThanOrEquals", "legs", 4, True),
        ("greaterThan", "animal", 1, False),
        ("greaterThan", "tame", 0, False),
        ("greaterThan", "absent", 1, False),
        ("startsWith", "animal", "ca", True),
        ("startsWith", "animal", "at", False),
        ("stringContains", "animal", "at", True),
        ("stringContains", "names", "am", True),
        ("stringContains", "names", "at", False),
        ("stringContains", "legs", "4", False),
        ("listContains", "names", "Tama", True),
        ("listContains", "names", "Tam", False),
        ("listContains", "animal", "cat", False),
    ],
)
def test_a_condition_lets_through_what_the_documentation_says(
    operator: str, key: str, value: Any, let_through: bool
) -> None:
    check_filter(condition(operator, key, value), "OPENSEARCH_SERVERLESS")
    assert matches(condition(operator, key, value), CAT) is let_through


def test_groups_combine() -> None:
    cat, dog = condition("equals", "animal", "cat"), condition("equals", "animal", "dog")
    four = condition("equals", "legs", 4)
    assert matches({"andAll": [cat, four]}, CAT)
    assert not matches({"andAll": [dog, four]}, CAT)
    assert matches({"orAll": [dog, {"andAll": [cat, four]}]}, CAT)
    assert not matches({"orAll": [dog, dog]}, CAT)
    assert matches(None, CAT)


@pytest.mark.parametrize(
    "refused",
    [
        {"andAll": [condition("equals", "a", "x")] * 6},
        {"orAll": [{"andAll": [{"orAll": [condition("equals", "a", "x")] * 2}] * 2}] * 2},
        condition("greaterThan", "a", "2026-04-01"),
        condition("lessThan", "a", True),
        condition("in", "a", "x"),
        condition("in", "a", []),
        condition("startsWith", "a", 1),
        condition("listContains", "a", ["x"]),
        condition("equals", "a", ["x"]),
        condition("equals", "a", ""),
        condition("equals", "a", None),
    ],
)
def test_what_makes_no_sense_is_refused(refused: dict[str, Any]) -> None:
    with pytest.raises(ServiceError, match="ValidationException"):
        check_filter(refused, "OPENSEARCH_SERVERLESS")


@pytest.mark.parametrize(
    ("store", "operator"), [("S3_VECTORS", "startsWith"), ("S3_VECTORS", "stringContains"), ("RDS", "startsWith")]
)
def test_not_every_store_knows_every_operator(store: str, operator: str) -> None:
    with pytest.raises(ServiceError, match="not supported"):
        check_filter(condition(operator, "a", "x"), store)


def test_filters_reach_the_results(aws: LocalAws) -> None:
    source: Source = source_of(aws)
    for year in (2024, 2025, 2026):
        source.put(f"{year}.txt", "食事を支給したとき", {"as_of": year * 10000 + 401})
    source.put("none.txt", "食事を支給したとき")
    source.sync()
    assert sorted(source.found("食事", filter=condition("greaterThanOrEquals", "as_of", 20250401))) == [
        "2025.txt",
        "2026.txt",
    ]
    assert sorted(source.found("食事", filter=condition("notEquals", "as_of", 20250401))) == [
        "2024.txt",
        "2026.txt",
        "none.txt",
    ]
