"""A filter as a reader reads it, on one line. What a filter is belongs to `retrieval/filters.py`."""

from rag_assets.retrieval.filters import AllOf, Condition, Filter, Operator, Scalar

_CONDITIONS: dict[Operator, str] = {
    "equals": "{key} ＝ {value}",
    "not_equals": "{key} ≠ {value}",
    "in": "{key} が {value} のどれか",
    "not_in": "{key} が {value} のどれでもない",
    "contains": "{key} に「{value}」を含む",
    "starts_with": "{key} が「{value}」で始まる",
    "above": "{key} ＞ {value}",
    "at_least": "{key} ≧ {value}",
    "below": "{key} ＜ {value}",
    "at_most": "{key} ≦ {value}",
}


def describe_condition(condition: Condition) -> str:
    """What a search is narrowed to, on one line: `source ＝ law かつ as_of ≧ 20260401`."""
    if isinstance(condition, Filter):
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        text = "、".join(map(to_text, values))
        return _CONDITIONS[condition.operator].format(key=condition.key, value=text)
    parts, joined = (condition.all_of, " かつ ") if isinstance(condition, AllOf) else (condition.any_of, " または ")
    words = (describe_condition(part) for part in parts)
    return joined.join(
        text if isinstance(part, Filter) else f"（{text}）" for part, text in zip(parts, words, strict=True)
    )


def to_text(value: Scalar) -> str:
    """A value as people write it: `true`, `law`, `20260401`."""
    return str(value).lower() if isinstance(value, bool) else str(value)
