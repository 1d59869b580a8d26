from typing import Any

import pytest
from botocore.config import Config

from emulation.local_aws import LocalAws, local_aws, make_client
from emulation.state import Behaviour
from rag_assets_tests.emulation.conftest import Source, source_of
from rag_assets_tests.emulation.test_wire import code_of

TEXTS = {
    "meal.txt": "役員や使用人に支給する食事は、給与として課税されません",
    "loan.txt": "住宅ローンを組んで家を買ったときの住宅借入金等特別控除",
    "health.txt": "医療費を支払ったときの医療費控除",
    "gift.txt": "父母から住宅取得等資金の贈与を受けた場合の非課税",
}


def filled(source: Source) -> Source:
    for name, text in TEXTS.items():
        source.put(name, text, {"title": name, "year": 2026, "tags": ["a", "b"], "open": True})
    source.sync()
    return source


@pytest.mark.parametrize("kind", ["HYBRID", "SEMANTIC"])
def test_the_document_that_shares_the_words_comes_first(source: Source, kind: str) -> None:
    filled(source)
    questions = {
        "meal.txt": "食事の支給は課税されますか",
        "health.txt": "病院で払った医療費は？",
        "loan.txt": "住宅ローン控除",
        "gift.txt": "親からの贈与",
    }
    assert {name: source.found(question, overrideSearchType=kind)[0] for name, question in questions.items()} == {
        name: name for name in questions
    }


def test_a_result_is_as_the_service_tells_it(source: Source) -> None:
    filled(source)
    result, *others = source.runtime.retrieve(
        knowledgeBaseId=source.ids.knowledge_base_id, retrievalQuery={"text": "食事の支給"}
    )["retrievalResults"]
    assert result["content"] == {"text": TEXTS["meal.txt"], "type": "TEXT"}
    uri = "s3://a-bucket/docs/meal.txt"
    assert result["location"] == {"type": "S3", "s3Location": {"uri": uri}}
    metadata = result["metadata"]
    assert metadata["x-amz-bedrock-kb-source-uri"] == uri
    assert metadata["x-amz-bedrock-kb-data-source-id"] == source.ids.data_source_id
    assert len(metadata["x-amz-bedrock-kb-chunk-id"]) == 36
    assert (metadata["title"], metadata["tags"], metadata["open"]) == ("meal.txt", ["a", "b"], True)
    # Numbers come back as floats.
    assert isinstance(metadata["year"], float)
    scores = [result["score"], *(other["score"] for other in others)]
    assert scores == sorted(scores, reverse=True)


def test_five_results_unless_told_otherwise(source: Source) -> None:
    for number in range(8):
        source.put(f"{number}.txt", f"食事 {number}")
    source.sync()
    assert len(source.found("食事")) == 5
    assert len(source.found("食事", numberOfResults=7)) == 7
    assert len(source.found("食事", numberOfResults=100)) == 8


def test_results_come_in_pages_where_they_do_not_fit() -> None:
    with local_aws(Behaviour(results_per_page=3)) as aws:
        source = source_of(aws)
        for number in range(8):
            source.put(f"{number}.txt", f"食事 {number}")
        source.sync()
        pages = source.runtime.get_paginator("retrieve").paginate(
            knowledgeBaseId=source.ids.knowledge_base_id,
            retrievalQuery={"text": "食事"},
            retrievalConfiguration={"vectorSearchConfiguration": {"numberOfResults": 7}},
        )
        found = [[result["location"]["s3Location"]["uri"] for result in page["retrievalResults"]] for page in pages]
    assert [len(page) for page in found] == [3, 3, 1]
    assert len({uri for page in found for uri in page}) == 7


def test_aurora_answers_semantic_with_the_best_last(aws: LocalAws) -> None:
    source = filled(source_of(aws, store="RDS"))
    results = source.runtime.retrieve(
        knowledgeBaseId=source.ids.knowledge_base_id,
        retrievalQuery={"text": TEXTS["meal.txt"]},
        retrievalConfiguration={"vectorSearchConfiguration": {"overrideSearchType": "SEMANTIC"}},
    )["retrievalResults"]
    assert results[-1]["location"]["s3Location"]["uri"].endswith("meal.txt")
    assert results[-1]["score"] == pytest.approx(0, abs=1e-5)
    distances = [result["score"] for result in results]
    assert distances == sorted(distances, reverse=True)
    # The nearest are found, they only come in the wrong order.
    assert source.found(TEXTS["meal.txt"], overrideSearchType="SEMANTIC", numberOfResults=1) == ["meal.txt"]
    assert (
        source.found(TEXTS["meal.txt"])[0]
        == source.found(TEXTS["meal.txt"], overrideSearchType="HYBRID")[0]
        == "meal.txt"
    )


def test_s3_vectors_knows_no_hybrid_search(aws: LocalAws) -> None:
    source = filled(source_of(aws, store="S3_VECTORS"))
    hybrid = {"vectorSearchConfiguration": {"overrideSearchType": "HYBRID"}}
    query = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": "食事"}}
    assert code_of(source.runtime.retrieve, **query, retrievalConfiguration=hybrid) == "ValidationException"
    assert source.found("食事の支給")[0] == source.found("食事の支給", overrideSearchType="SEMANTIC")[0] == "meal.txt"


def test_a_question_of_nothing_is_refused(source: Source) -> None:
    query = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": "　"}}
    assert code_of(source.runtime.retrieve, **query) == "ValidationException"


def test_a_question_may_have_a_thousand_characters(source: Source) -> None:
    filled(source)
    longest = "食" * 1000
    assert source.found(longest)
    query = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": longest + "事"}}
    assert code_of(source.runtime.retrieve, **query) == "ValidationException"


def test_an_empty_knowledge_base_finds_nothing(source: Source) -> None:
    assert source.found("食事") == source.found('"食事" OR (', overrideSearchType="HYBRID") == []


def test_what_a_sidecar_wants_embedded_is_found_and_not_shown(source: Source) -> None:
    words = {"value": {"type": "STRING", "stringValue": "まかない"}, "includeForEmbedding": True}
    source.put("meal.txt", "食事を支給したとき", {"words": words})
    source.put("loan.txt", "住宅借入金等特別控除")
    source.sync()
    assert source.found("まかない")[0] == "meal.txt"
    assert sorted(source.aws.service.chunk_texts(source.ids.knowledge_base_id))[1] == "食事を支給したとき"


def test_results_may_come_bare(source: Source) -> None:
    filled(source)
    source.aws.service.faults.bare_results()
    query = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": "食事"}}
    assert set(source.runtime.retrieve(**query)["retrievalResults"][0]) == {"content"}
    assert "metadata" in source.runtime.retrieve(**query)["retrievalResults"][0]


ATTRIBUTES = [{"key": "title", "type": "STRING", "description": "記事の題名"}]
MODEL = "arn:aws:bedrock:ap-northeast-1::foundation-model/a-model"


@pytest.mark.parametrize(
    ("configuration", "told"),
    [
        ({"managedSearchConfiguration": {}}, "managedSearchConfiguration is for Knowledge Bases of type MANAGED"),
        (
            {"managedSearchConfiguration": {"numberOfResults": 3}, "vectorSearchConfiguration": {"numberOfResults": 3}},
            "managedSearchConfiguration",
        ),
        ({"vectorSearchConfiguration": {"implicitFilterConfiguration": {}}}, "metadataAttributes"),
        ({"vectorSearchConfiguration": {"implicitFilterConfiguration": {"modelArn": MODEL}}}, "metadataAttributes"),
        (
            {"vectorSearchConfiguration": {"implicitFilterConfiguration": {"metadataAttributes": ATTRIBUTES}}},
            "modelArn",
        ),
        (
            {
                "vectorSearchConfiguration": {
                    "implicitFilterConfiguration": {"metadataAttributes": [], "modelArn": MODEL}
                }
            },
            "metadataAttributes",
        ),
        (
            {
                "vectorSearchConfiguration": {
                    "implicitFilterConfiguration": {"metadataAttributes": [{"key": "title"}], "modelArn": MODEL}
                }
            },
            "description",
        ),
        (
            {
                "vectorSearchConfiguration": {
                    "implicitFilterConfiguration": {"metadataAttributes": ATTRIBUTES, "modelArn": "a-model"}
                }
            },
            "modelArn",
        ),
    ],
)
def test_what_the_service_refuses_of_a_search_is_refused(
    source: Source, configuration: dict[str, Any], told: str
) -> None:
    filled(source)
    # botocore itself refuses some of it, and would never ask.
    config = Config(parameter_validation=False)
    unchecked = make_client("bedrock-agent-runtime", source.aws.url, region_name="ap-northeast-1", config=config)
    with pytest.raises(unchecked.exceptions.ValidationException, match=told):
        unchecked.retrieve(
            knowledgeBaseId=source.ids.knowledge_base_id,
            retrievalQuery={"text": "食事"},
            retrievalConfiguration=configuration,
        )


def test_an_implicit_filter_with_all_it_needs_is_taken(source: Source) -> None:
    filled(source)
    implicit = {"metadataAttributes": ATTRIBUTES, "modelArn": MODEL}
    assert "meal.txt" in source.found("食事", implicitFilterConfiguration=implicit)
