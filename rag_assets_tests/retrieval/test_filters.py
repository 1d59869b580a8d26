import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from rag_assets.model import Attribute
from rag_assets.retrieval.filters import AllOf, AnyOf, Condition, Filter, Operator, Scalar, keys_of

ATTRIBUTES: dict[str, Attribute] = {
    "kind": "印刷",
    "cost": 1200,
    "hours": 1.5,
    "done": True,
    "tags": ("緊急", "店舗"),
}


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("kind", "equals", "印刷", True),
        ("kind", "equals", "印", False),
        ("cost", "equals", 1200.0, True),
        ("cost", "equals", "1200", False),
        ("done", "equals", True, True),
        ("done", "equals", 1, False),
        ("tags", "equals", "緊急", False),
        ("kind", "not_equals", "通信", True),
        ("kind", "not_equals", "印刷", False),
        ("done", "not_equals", 1, True),
        ("tags", "not_equals", "緊急", True),
        ("absent", "not_equals", "印刷", True),
        ("kind", "in", ("通信", "印刷"), True),
        ("cost", "in", (1, 1200), True),
        ("done", "in", (1, 0), False),
        ("absent", "in", ("印刷",), False),
        ("kind", "not_in", ("通信", "勤怠"), True),
        ("kind", "not_in", ("印刷",), False),
        ("absent", "not_in", ("印刷",), False),
        ("tags", "not_in", ("印刷",), False),
        ("tags", "contains", "店舗", True),
        ("tags", "contains", "店", False),
        ("kind", "contains", "刷", True),
        ("cost", "contains", "1", False),
        ("kind", "starts_with", "印", True),
        ("kind", "starts_with", "刷", False),
        ("cost", "starts_with", "1", False),
        ("cost", "above", 1200, False),
        ("cost", "above", 1199.5, True),
        ("cost", "at_least", 1200, True),
        ("hours", "below", 1.5, False),
        ("hours", "below", 2, True),
        ("hours", "at_most", 1.5, True),
        ("done", "at_least", 0, False),
        ("kind", "above", 0, False),
        ("absent", "below", 9, False),
    ],
)
def test_operators(key: str, operator: Operator, value: Scalar | tuple[Scalar, ...], expected: bool) -> None:
    assert Filter(key=key, operator=operator, value=value).matches(ATTRIBUTES) is expected


@pytest.mark.parametrize(
    ("operator", "value", "told"),
    [
        ("above", "3", "above needs a number, not '3'"),
        ("at_most", True, "at_most needs a number, not True"),
        ("in", "印刷", "in needs a list of values"),
        ("not_in", (), "not_in needs a list of values"),
        ("equals", ("印刷",), "equals needs one value"),
        ("starts_with", 1, "starts_with needs a string"),
    ],
)
def test_values_that_an_operator_cannot_take(operator: Operator, value: Scalar | tuple[Scalar, ...], told: str) -> None:
    with pytest.raises(ValidationError, match=f"filter on kind: {told}"):
        Filter(key="kind", operator=operator, value=value)


def test_conditions_nest_and_are_read_from_plain_values() -> None:
    read = TypeAdapter[Condition](Condition).validate_python(
        {
            "any_of": [
                {"all_of": [{"key": "kind", "value": "印刷"}, {"key": "cost", "operator": "below", "value": 1000}]},
                {"key": "tags", "operator": "contains", "value": "緊急"},
            ]
        }
    )
    printing, cheap = Filter(key="kind", value="印刷"), Filter(key="cost", operator="below", value=1000)
    assert read == AnyOf(
        any_of=(AllOf(all_of=(printing, cheap)), Filter(key="tags", operator="contains", value="緊急"))
    )
    assert read.matches(ATTRIBUTES)
    assert not read.matches({**ATTRIBUTES, "tags": ()})
    assert read.matches({"kind": "印刷", "cost": 999})
    assert keys_of(read) == ["kind", "cost", "tags"]


@pytest.mark.parametrize("group", [{"all_of": []}, {"any_of": []}])
def test_a_group_of_nothing_is_refused(group: dict[str, list[Filter]]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter[Condition](Condition).validate_python(group)


values = st.one_of(st.text(max_size=3), st.booleans(), st.integers(-3, 3), st.floats(-3, 3))


@given(values, values)
def test_what_equals_is_in_and_neither_is_not(actual: Scalar, value: Scalar) -> None:
    def holds(operator: Operator, against: Scalar | tuple[Scalar, ...]) -> bool:
        return Filter(key="k", operator=operator, value=against).matches({"k": actual})

    assert holds("equals", value) == holds("in", (value,))
    assert holds("equals", value) != holds("not_equals", value)
    assert holds("in", (value,)) != holds("not_in", (value,))
