"""The filters of a Knowledge Base let through what those of the embedded index do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from emulation.errors import ServiceError
from emulation.filters import check_filter, matches
from emulation.local_aws import local_aws
from rag_assets.corpus.passages import Passage
from rag_assets.model import Attribute
from rag_assets.retrieval.embedders import VectorCache
from rag_assets.retrieval.filters import AllOf, AnyOf, Condition, Filter, Operator
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import write_index
from rag_assets.retrieval.knowledge_base import KnowledgeBaseSearch, KnowledgeBaseSettings
from rag_assets.retrieval.knowledge_base_filters import (
    FilterError,
    condition_in_json,
    condition_of,
    list_attributes,
    retrieval_filter,
    variant_is,
)
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder

KINDS = ("印刷", "通信", "印紙")
TAGS = ("緊急", "店舗", "緊")
QUESTION = "食事を支給したとき"


def _attributes(number: int) -> dict[str, Attribute]:
    given: dict[str, Attribute | None] = {
        "kind": KINDS[number % 3] if number % 4 else None,
        "cost": number * 100 if number % 5 else None,
        "hours": number / 4,
        "done": bool(number % 2) if number % 3 else None,
        "tags": tuple(TAGS[: number % 4]) or None,
    }
    return {key: value for key, value in given.items() if value is not None}


def _passage(number: int) -> Passage:
    own: dict[str, Attribute] = {
        "record_id": f"s/{number}",
        "chunk_id": f"s/{number}/a",
        "source": "s",
        "variant": "cut",
    }
    return Passage(
        passage_id=f"s/{number}/a",
        chunk_id=f"s/{number}/a",
        record_id=f"s/{number}",
        source="s",
        text=f"食事を支給したときの取扱い {number}",
        attributes=own | _attributes(number),
    )


PASSAGES = [_passage(number) for number in range(24)]
OWN = variant_is("cut")
LISTS = list_attributes(passage.attributes for passage in PASSAGES)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    folder: Path = tmp_path_factory.mktemp("index")
    embedder = CountingEmbedder()
    with VectorCache(folder / "vectors.sqlite") as cache:
        write_index(folder / "v.sqlite", PASSAGES, embedder, cache)
    with LocalIndex.open(folder / "v.sqlite", embedder) as opened:
        yield opened


@pytest.fixture(scope="module")
def remote() -> Iterator[KnowledgeBaseSearch]:
    with local_aws() as aws:
        aws.create_bucket("filtered")
        for passage in PASSAGES:
            key = f"cut/{passage.chunk_id}.txt"
            sidecar = json.dumps({"metadataAttributes": passage.attributes}).encode()
            aws.s3.put_object(Bucket="filtered", Key=key, Body=passage.text.encode())
            aws.s3.put_object(Bucket="filtered", Key=f"{key}.metadata.json", Body=sidecar)
        ids = aws.service.add_data_source(aws.service.add_knowledge_base(), "filtered", "cut/")
        named = {"knowledgeBaseId": ids.knowledge_base_id, "dataSourceId": ids.data_source_id}
        agent = aws.client("bedrock-agent")
        job = agent.start_ingestion_job(**named)["ingestionJob"]
        while job["status"] != "COMPLETE":
            job = agent.get_ingestion_job(**named, ingestionJobId=job["ingestionJobId"])["ingestionJob"]
        given = KnowledgeBaseSettings(
            knowledge_base_id=ids.knowledge_base_id,
            data_source_id=ids.data_source_id,
            bucket="filtered",
            prefix="cut/",
            variant="cut",
            chunking="NONE",
        )
        yield KnowledgeBaseSearch(aws.client("bedrock-agent-runtime"), given, lists=LISTS)


words = st.sampled_from((*KINDS, *TAGS, "印", "ない"))
costs = st.integers(0, 24).map(lambda number: number * 100)
hours = st.integers(0, 24).map(lambda number: number / 4)
ids = st.integers(0, 24).map(lambda number: f"s/{number}")
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "kind": words,
    "cost": costs,
    "hours": hours,
    "done": st.one_of(st.booleans(), st.sampled_from((0, 1))),
    "record_id": ids,
    "absent": words,
}


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """A condition whose value is mostly of the kind that its key has."""
    operator: Operator = draw(st.sampled_from(get_args(Operator)))
    if operator == "contains":
        return Filter(key=draw(st.sampled_from(("kind", "tags", "cost"))), operator=operator, value=draw(words))
    if operator == "starts_with":
        return Filter(key=draw(st.sampled_from(("kind", "record_id", "cost"))), operator=operator, value=draw(words))
    if operator in ("above", "at_least", "below", "at_most"):
        key = draw(st.sampled_from(("cost", "hours", "done", "kind")))
        return Filter(key=key, operator=operator, value=draw(costs if key == "cost" else hours))
    key = draw(st.sampled_from(sorted(VALUES)))
    values = st.one_of(VALUES[key], VALUES[key], VALUES[key], words, hours)
    several = operator in ("in", "not_in")
    value = tuple(draw(st.lists(values, min_size=1, max_size=4))) if several else draw(values)
    return Filter(key=key, operator=operator, value=value)


conditions: st.SearchStrategy[Condition] = st.recursive(
    filters(),
    lambda inner: st.one_of(
        st.builds(AllOf, all_of=st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(AnyOf, any_of=st.lists(inner, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=7,
)


def _fits(asked: list[Condition]) -> bool:
    try:
        retrieval_filter([OWN, *asked], LISTS)
    except FilterError:
        event("too many or nested too deep")
        return False
    return True


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(conditions, min_size=1, max_size=2))
def test_any_condition_lets_through_the_same_passages(
    local: LocalIndex, remote: KnowledgeBaseSearch, asked: list[Condition]
) -> None:
    assume(_fits(asked))
    found = remote.search(QUESTION, k=100, filters=asked)
    expected = local.search(QUESTION, "dense", k=100, filters=asked)
    event("some" if 0 < len(expected) < len(PASSAGES) else "all or none")
    assert {hit.passage.passage_id for hit in found} == {hit.passage.passage_id for hit in expected}


@pytest.mark.parametrize(
    "condition",
    [
        Filter(key="kind", value="印刷"),
        Filter(key="kind", operator="not_equals", value="印刷"),
        Filter(key="cost", operator="in", value=(100, 200)),
        Filter(key="cost", operator="not_in", value=(100, 200)),
        Filter(key="tags", operator="contains", value="緊"),
        Filter(key="kind", operator="contains", value="刷"),
        Filter(key="kind", operator="starts_with", value="印"),
        Filter(key="cost", operator="above", value=1000),
        Filter(key="cost", operator="at_least", value=1100),
        Filter(key="hours", operator="below", value=2.5),
        Filter(key="hours", operator="at_most", value=2.5),
        Filter(key="done", value=True),
    ],
    ids=lambda condition: f"{condition.key} {condition.operator}",
)
def test_every_operator_lets_through_some_and_the_same(
    local: LocalIndex, remote: KnowledgeBaseSearch, condition: Filter
) -> None:
    found = {hit.passage.passage_id for hit in remote.search(QUESTION, k=100, filters=[condition])}
    assert found == {hit.passage.passage_id for hit in local.search(QUESTION, "dense", k=100, filters=[condition])}
    assert 0 < len(found) < len(PASSAGES)


def leaf(number: int) -> Filter:
    return Filter(key="n", value=number)


def any_of(*conditions: Condition) -> AnyOf:
    return AnyOf(any_of=conditions)


def all_of(*conditions: Condition) -> AllOf:
    return AllOf(all_of=conditions)


def told(number: int) -> dict[str, Any]:
    return {"equals": {"key": "n", "value": number}}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], None),
        ([leaf(1)], told(1)),
        ([any_of(all_of(leaf(1)))], told(1)),
        ([leaf(1), leaf(1)], told(1)),
        ([leaf(1), all_of(leaf(2), all_of(leaf(3)))], {"andAll": [told(1), told(2), told(3)]}),
        ([leaf(1), any_of(leaf(2), leaf(3))], {"andAll": [told(1), {"orAll": [told(2), told(3)]}]}),
        # What would lie three levels deep is multiplied out.
        (
            [leaf(1), any_of(leaf(2), all_of(leaf(3), leaf(4)))],
            {"andAll": [told(1), {"orAll": [told(2), told(3)]}, {"orAll": [told(2), told(4)]}]},
        ),
        (
            [leaf(0), any_of(all_of(*map(leaf, (1, 2, 3, 4))), all_of(*map(leaf, (5, 6, 7, 8))))],
            {"orAll": [{"andAll": list(map(told, (0, 1, 2, 3, 4)))}, {"andAll": list(map(told, (0, 5, 6, 7, 8)))}]},
        ),
        # Six side by side take a group within the group.
        (
            [leaf(number) for number in range(6)],
            {"andAll": [{"andAll": [told(number) for number in range(5)]}, told(5)]},
        ),
        (
            [any_of(*map(leaf, range(7)))],
            {"orAll": [{"orAll": list(map(told, range(5)))}, {"orAll": [told(5), told(6)]}]},
        ),
    ],
)
def test_groups_keep_to_the_limits(asked: list[Condition], expected: dict[str, Any] | None) -> None:
    made = retrieval_filter(asked)
    assert made == expected
    if made:
        check_filter(made, "OPENSEARCH_SERVERLESS")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([leaf(0), any_of(*map(leaf, range(1, 7)))], "too many or nested too deep.*operator 'in'"),
        ([leaf(number) for number in range(26)], "too many or nested too deep"),
        ([any_of(*(all_of(leaf(n), leaf(n + 1)) for n in range(0, 40, 2)))], "too many or nested too deep"),
        ([Filter(key="kind", value="")], "filter on kind: an empty value"),
        ([Filter(key="cost", operator="below", value=float("inf"))], "filter on cost: inf is no number"),
        ([Filter(key="k" * 101, value=1)], "at most 100 characters"),
        ([Filter(key="tags", operator="contains", value=1)], "contained is text"),
        ([Filter(key="tags", value="緊急")], "filter on tags: its values are lists: ask listContains"),
        ([Filter(key="tags", operator="not_in", value=("緊急",))], "its values are lists"),
    ],
)
def test_what_cannot_be_expressed_is_told(asked: list[Condition], reason: str) -> None:
    with pytest.raises(FilterError, match=reason):
        retrieval_filter(asked, LISTS)


def test_lists_are_known_from_the_attributes() -> None:
    assert sorted(LISTS) == ["tags"]


# -- and back


@given(conditions)
def test_a_condition_comes_back_as_it_was(asked: Condition) -> None:
    assume(_fits([asked]))
    made = retrieval_filter([asked], LISTS)
    back = condition_in_json(json.dumps(made), LISTS)
    event(next(iter(made or {})))
    assert [back.matches(passage.attributes) for passage in PASSAGES] == [
        asked.matches(passage.attributes) for passage in PASSAGES
    ]
    if isinstance(asked, Filter):
        assert back == asked


values: st.SearchStrategy[Any] = st.one_of(words, costs, st.booleans(), st.sampled_from(("", None, {})))
wild = st.builds(
    lambda name, key, value: {name: {"key": key, "value": value}},
    st.sampled_from(("equals", "greaterThan", "in", "startsWith", "stringContains", "listContains")),
    st.sampled_from((*VALUES, "tags")),
    st.one_of(values, st.lists(values, max_size=3)),
)
fitting = filters().filter(lambda one: _fits([one])).map(lambda one: retrieval_filter([one], LISTS))
written: st.SearchStrategy[Any] = st.recursive(
    st.one_of(*[fitting] * 9, wild),
    lambda inner: st.builds(
        lambda name, parts: {name: parts},
        st.sampled_from(("andAll", "orAll")),
        st.one_of(st.lists(inner, min_size=2, max_size=3), st.lists(inner, max_size=6)),
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(written)
def test_what_an_application_writes_means_what_the_service_takes_it_for(given_filter: dict[str, Any]) -> None:
    try:
        condition = condition_of(given_filter, LISTS)
    except FilterError:
        event("refused")
        return
    check_filter(given_filter, "OPENSEARCH_SERVERLESS")
    event("taken")
    for passage in PASSAGES:
        attributes = {
            key: list(value) if isinstance(value, tuple) else value for key, value in passage.attributes.items()
        }
        assert condition.matches(passage.attributes) == matches(given_filter, attributes)


@given(written)
def test_what_the_service_refuses_is_refused(given_filter: dict[str, Any]) -> None:
    try:
        check_filter(given_filter, "OPENSEARCH_SERVERLESS")
    except ServiceError:
        with pytest.raises(FilterError):
            condition_of(given_filter)


def equals(key: str = "kind", value: Any = "印刷") -> dict[str, Any]:
    return {"equals": {"key": key, "value": value}}


@pytest.mark.parametrize(
    ("written_filter", "told"),
    [
        ("", "it is no JSON (Expecting value at character 1)"),
        ("source = law", "it is no JSON (Expecting value at character 1): source = law"),
        ("{“equals”: 1}", "it is no JSON (Expecting property name enclosed in double quotes at character 2)"),
        ("[" * 100_000, "it is nested too deep"),
        ('{"equals": {"key": "a", "value": 1}, "equals": {"key": "b", "value": 1}}', "a name twice (equals, equals)"),
        ('"law"', 'one operator with what it takes, not "law"'),
        ("{}", "one operator with what it takes, not {}"),
        ({"equals": {}, "in": {}}, "one operator with what it takes, not {"),
        ({"equal": {"key": "kind", "value": 1}}, "there is no operator 'equal'; did you mean equals?"),
        ({"$": 1}, "there is no operator '$'; there are equals, notEquals,"),
        ({"equals": {"kind": "印刷"}}, 'equals takes {"key": …, "value": …}, not {"kind": "印刷"}'),
        ({"equals": ["kind", "印刷"]}, 'equals takes {"key": …, "value": …}, not ["kind", "印刷"]'),
        (equals(""), 'a key is the name of an attribute, not ""'),
        (equals("k" * 101), "at most 100 characters"),
        (equals(value=None), "equals on kind: a value is text, a number, true or false, or a list of these, not null"),
        (equals(value=[["a"]]), 'or a list of these, not [["a"]]'),
        (equals(value=["印刷"]), "equals needs one value"),
        (equals(value=""), "equals on kind: an empty value is refused"),
        (equals(value=float("nan")), "nan is no number"),
        ({"in": {"key": "kind", "value": "印刷"}}, "in needs a list of values"),
        ({"greaterThan": {"key": "cost", "value": "100"}}, "greaterThan: filter on cost: above needs a number"),
        ({"startsWith": {"key": "kind", "value": 1}}, "starts_with needs a string"),
        ({"listContains": {"key": "tags", "value": 1}}, "what is contained is text"),
        ({"listContains": {"key": "kind", "value": "印"}}, "its values are no lists: ask stringContains"),
        ({"stringContains": {"key": "tags", "value": "緊"}}, "its values are lists: ask listContains"),
        (equals("tags"), "its values are lists: ask listContains, equals depends on the vector store"),
        ({"andAll": [equals()]}, "andAll takes a list of 2 to 5 filters, not ["),
        ({"orAll": [equals()] * 6}, "orAll takes a list of 2 to 5 filters"),
        ({"orAll": equals()}, "orAll takes a list of 2 to 5 filters"),
        (
            {"andAll": [equals(), {"orAll": [equals(), {"andAll": [equals(), equals()]}]}]},
            "andAll lies too deep: a group holds at most one level of further groups",
        ),
    ],
)
def test_what_is_no_filter_is_told(written_filter: Any, told: str) -> None:
    text = written_filter if isinstance(written_filter, str) else json.dumps(written_filter, ensure_ascii=False)
    with pytest.raises(FilterError) as caught:
        condition_in_json(text, LISTS)
    assert told in str(caught.value)


def test_every_fault_of_a_filter_is_told_at_once() -> None:
    with pytest.raises(FilterError, match=r"no operator 'equal';.*; in: filter on kind: in needs a list"):
        condition_of({"andAll": [{"equal": 1}, {"in": {"key": "kind", "value": "a"}}]})


def test_where_lists_are_not_known_a_filter_is_not_held_against_them() -> None:
    for name in ("listContains", "stringContains"):
        found = condition_of({name: {"key": "tags", "value": "緊急"}})
        assert found == Filter(key="tags", operator="contains", value="緊急")
