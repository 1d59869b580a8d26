"""Results that differ in more than the preparation are refused, whatever it is."""

import pytest

from rag_assets.evaluation.comparable import (
    IncomparableError,
    find_searched,
    find_strange_chunks,
    require_comparable,
)
from rag_assets.evaluation.model import HowSearched, Question, QuestionResult
from rag_assets.retrieval.filters import Filter
from rag_assets_tests.evaluation.results import IN_INDEX, question, result

ASKED = (question("a"), question("b", gold=("s/2",)))
IN_KNOWLEDGE_BASE = HowSearched(
    search_in="knowledge_base",
    settings={
        "search_type": "HYBRID",
        "semantic_order": "best_first",
        "verify_order": "true",
        "once_a_record": "false",
    },
    held="corpus",
    knowledge_base_id="KB00000001",
    place="s3://bucket/raw/",
)


def results_of(variant: str, how: HowSearched = IN_INDEX, asked: tuple[Question, ...] = ASKED) -> list[QuestionResult]:
    return [result(each, ["s/1", "s/2"], variant=variant, searched=how) for each in asked]


def other(how: HowSearched, **settings: str) -> HowSearched:
    return how.model_copy(update={"settings": {**how.settings, **settings}})


def refusal(results: list[QuestionResult], variants: tuple[str, ...] = ("raw", "cut")) -> list[str]:
    with pytest.raises(IncomparableError) as caught:
        require_comparable(results, ASKED, variants)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("how", [IN_INDEX, IN_KNOWLEDGE_BASE])
def test_variants_searched_alike_are_compared(how: HowSearched) -> None:
    require_comparable([*results_of("raw", how), *results_of("cut", how)], ASKED, ["raw", "cut"])
    require_comparable([], [], ["raw", "cut"])


def test_variants_may_each_have_a_knowledge_base_of_their_own() -> None:
    another = IN_KNOWLEDGE_BASE.model_copy(
        update={"knowledge_base_id": "KB00000002", "place": "s3://b/", "held": "unknown"}
    )
    results = [*results_of("raw", IN_KNOWLEDGE_BASE), *results_of("cut", another)]
    require_comparable(results, ASKED, ["raw", "cut"])
    assert find_searched(results) == {"raw": IN_KNOWLEDGE_BASE, "cut": another}


@pytest.mark.parametrize(
    ("how", "name", "value"),
    [
        *((IN_INDEX, name, "other") for name in IN_INDEX.settings),
        *((IN_KNOWLEDGE_BASE, name, "other") for name in IN_KNOWLEDGE_BASE.settings),
    ],
)
def test_each_setting_that_differs_is_refused_by_name(how: HowSearched, name: str, value: str) -> None:
    told = refusal([*results_of("raw", how), *results_of("cut", other(how, **{name: value}))])
    assert told[1:3] == [f"  raw: {name} {how.settings[name]}", f"  cut: {name} {value}"]
    assert told[-1].startswith("Materialize retrieval_results for all of them (raw, cut)")


def test_an_index_and_a_knowledge_base_are_not_compared() -> None:
    told = refusal([*results_of("raw", IN_KNOWLEDGE_BASE), *results_of("cut")])
    assert told[1].startswith("  raw: search_in knowledge_base, search_type HYBRID")
    assert told[2].startswith("  cut: search_in index, embedder use")


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (ASKED[:1], "b"),
        ((), "a, b"),
        ((*ASKED, question("c")), "c"),
        ((ASKED[0], question("b", gold=("s/3",))), "b"),
        ((question("a", text="別の問い"), ASKED[1]), "a"),
        ((question("a", split="holdout"), ASKED[1]), "a"),
        ((question("a", only=Filter(key="source", value="s")), ASKED[1]), "a"),
    ],
)
def test_a_variant_that_was_asked_other_questions_is_refused_by_name(asked: tuple[Question, ...], named: str) -> None:
    told = refusal([*results_of("raw"), *results_of("cut", asked=asked)])
    assert told[1:] == [f"  cut: {named}", "Materialize retrieval_results for cut."]


def test_all_variants_may_have_been_asked_other_questions() -> None:
    many = tuple(question(f"q{number}") for number in range(9))
    told = refusal([*results_of("raw", asked=many), *results_of("cut", asked=many)])
    assert told[1] == "  raw: a, b, q0, q1, q2 and 6 more"
    assert told[-1] == "Materialize retrieval_results for raw, cut."


def test_chunks_of_another_corpus_are_named_once() -> None:
    results = [
        result(ASKED[0], ["s/1", "s/9"], variant="raw", strange={"s/9"}),
        result(ASKED[1], ["s/8", "s/9"], variant="raw", strange={"s/8", "s/9"}),
        result(ASKED[0], ["s/1"], variant="cut"),
    ]
    assert find_strange_chunks(results) == {"raw": ["s/9/2", "s/8/1"]}
