import json
import math
from typing import Any

import pytest
from botocore.exceptions import ClientError

from emulation.local_aws import LocalAws
from emulation.models import COHERE, TITAN

Vector = list[float]


def invoked(aws: LocalAws, model: str, **body: Any) -> dict[str, Any]:
    answer = aws.client("bedrock-runtime").invoke_model(modelId=model, body=json.dumps(body))
    assert answer["contentType"] == "application/json"
    told: dict[str, Any] = json.loads(answer["body"].read())
    return told


def refusal(aws: LocalAws, model: str, **body: Any) -> str:
    with pytest.raises(ClientError) as caught:
        invoked(aws, model, **body)
    assert caught.value.response["Error"]["Code"] == "ValidationException"
    message: str = caught.value.response["Error"]["Message"]
    return message


def cosine(first: Vector, second: Vector) -> float:
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return product / math.hypot(*first) / math.hypot(*second)


@pytest.mark.parametrize("dimensions", [256, 512, 1024])
def test_titan_answers_in_the_dimensions_asked_for(aws: LocalAws, dimensions: int) -> None:
    told = invoked(aws, TITAN, inputText="食事を支給したとき", dimensions=dimensions)
    assert len(told["embedding"]) == dimensions
    assert math.hypot(*told["embedding"]) == pytest.approx(1, abs=1e-5)
    assert told["embeddingsByType"] == {"float": told["embedding"]}
    assert told["inputTextTokenCount"] == 11
    loose = invoked(aws, TITAN, inputText="食事を支給したとき", dimensions=dimensions, normalize=False)
    assert math.hypot(*loose["embedding"]) > 2


def test_titan_is_1024_dimensions_unless_told_otherwise_and_tells_bits(aws: LocalAws) -> None:
    told = invoked(aws, TITAN, inputText="食事を支給したとき", embeddingTypes=["binary", "float"])
    assert len(told["embedding"]) == 1024
    assert set(told["embeddingsByType"]["binary"]) == {0, 1}
    model = f"arn:aws:bedrock:ap-northeast-1::foundation-model/{TITAN}"
    assert invoked(aws, model, inputText="食事を支給したとき")["embedding"] == told["embedding"]


def test_texts_that_share_wording_lie_nearer(aws: LocalAws) -> None:
    meal, meals, loan = (
        invoked(aws, TITAN, inputText=text)["embedding"]
        for text in ("食事を支給したときの課税", "食事の支給と課税", "住宅借入金等特別控除の手続")
    )
    assert cosine(meal, meals) > cosine(meal, loan) + 0.2


def test_titan_refuses_what_it_refuses(aws: LocalAws) -> None:
    assert "required key [inputText] not found" in refusal(aws, TITAN, text="x")
    assert "extraneous key [texts] is not permitted" in refusal(aws, TITAN, inputText="x", texts=["x"])
    assert "expected minLength: 1, actual: 0" in refusal(aws, TITAN, inputText="")
    assert "expected maxLength: 50000, actual: 50001" in refusal(aws, TITAN, inputText="x" * 50001)
    assert "Max input tokens: 8192, request input token count: 8236" in refusal(aws, TITAN, inputText="食" * 7000)
    assert "384 is not a valid enum value" in refusal(aws, TITAN, inputText="x", dimensions=384)
    assert "expected type: Boolean" in refusal(aws, TITAN, inputText="x", normalize="true")
    assert "expected type: String" in refusal(aws, TITAN, inputText=["x"])
    assert "int8" in refusal(aws, TITAN, inputText="x", embeddingTypes=["int8"])
    assert len(invoked(aws, TITAN, inputText="食" * 6900)["embedding"]) == 1024


def test_cohere_embeds_many_texts_at_once(aws: LocalAws) -> None:
    texts = [f"食事を支給したとき {number}" for number in range(96)]
    told = invoked(aws, COHERE, texts=texts, input_type="search_document")
    assert told["response_type"] == "embeddings_floats"
    assert told["texts"] == texts
    assert [len(vector) for vector in told["embeddings"]] == [1024] * 96
    (question,) = invoked(aws, COHERE, texts=texts[:1], input_type="search_query")["embeddings"]
    assert 0.99 < cosine(question, told["embeddings"][0]) < 0.99999


def test_cohere_tells_embeddings_by_type(aws: LocalAws) -> None:
    kinds = ["float", "int8", "uint8", "binary", "ubinary"]
    told = invoked(aws, COHERE, texts=["食事", "住宅"], input_type="clustering", embedding_types=kinds)
    assert told["response_type"] == "embeddings_by_type"
    assert {kind: len(told["embeddings"][kind][1]) for kind in kinds} == {
        "float": 1024,
        "int8": 1024,
        "uint8": 1024,
        "binary": 128,
        "ubinary": 128,
    }


def test_cohere_truncates_or_refuses(aws: LocalAws) -> None:
    long, document = "食" * 400 + "住" * 400, {"input_type": "search_document"}
    (end,) = invoked(aws, COHERE, texts=[long], truncate="END", **document)["embeddings"]
    (start,) = invoked(aws, COHERE, texts=[long], truncate="START", **document)["embeddings"]
    assert invoked(aws, COHERE, texts=[long], **document)["embeddings"] == [end]
    assert start != end
    assert "at most 512" in refusal(aws, COHERE, texts=[long], truncate="NONE", **document)


def test_cohere_refuses_what_it_refuses(aws: LocalAws) -> None:
    document = {"input_type": "search_document"}
    assert "required key [input_type] not found" in refusal(aws, COHERE, texts=["x"])
    assert "extraneous key [inputText]" in refusal(aws, COHERE, inputText="x")
    assert "expected maximum item count: 96, found: 97" in refusal(aws, COHERE, texts=["x"] * 97, **document)
    assert "expected minimum item count: 1" in refusal(aws, COHERE, texts=[], **document)
    assert "#/texts/1: expected maxLength: 2048" in refusal(aws, COHERE, texts=["x", "x" * 2049], **document)
    assert "passage is not a valid enum value" in refusal(aws, COHERE, texts=["x"], input_type="passage")
    assert "LEFT" in refusal(aws, COHERE, texts=["x"], truncate="LEFT", **document)
    assert "int4" in refusal(aws, COHERE, texts=["x"], embedding_types=["int4"], **document)


def test_an_unknown_model_and_a_body_that_is_no_json_are_refused(aws: LocalAws) -> None:
    assert refusal(aws, "amazon.titan-embed-text-v9:0", inputText="x") == "The provided model identifier is invalid."
    with pytest.raises(ClientError, match="Malformed input request"):
        aws.client("bedrock-runtime").invoke_model(modelId=TITAN, body=b"{")


def test_models_are_throttled_on_demand(aws: LocalAws) -> None:
    aws.service.faults.throttle("InvokeModel")
    with pytest.raises(ClientError, match="ThrottlingException"):
        invoked(aws, TITAN, inputText="x")
    assert invoked(aws, TITAN, inputText="x")
