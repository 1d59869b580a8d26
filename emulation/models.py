"""InvokeModel: Titan Text Embeddings V2 and Cohere Embed Multilingual V3, by their request and answer formats.

Source: the model parameter pages of the Bedrock user guide, and the messages that Bedrock was seen to answer with.
The vectors are hashed n-grams: deterministic, and no measure of what the models find.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from emulation.errors import invalid
from emulation.vectors import Vector, embed, token_count

TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-multilingual-v3"

TITAN_CHARACTERS = 50_000
TITAN_TOKENS = 8192
COHERE_TEXTS = 96
COHERE_CHARACTERS = 2048
COHERE_TOKENS = 512

_INPUT_TYPES = ("search_document", "search_query", "classification", "clustering", "image")
_EMBEDDING_TYPES = ("float", "int8", "uint8", "binary", "ubinary")
_TRUNCATE = ("NONE", "START", "END")


def invoke(model_id: str, body: bytes) -> tuple[bytes, int]:
    """The body of the answer, and how many tokens came in.

    Args:
        model_id: Of the model, or its ARN.
        body: Of the request.

    Raises:
        ServiceError: A ValidationException.
    """
    model = MODELS.get(model_id.rpartition("foundation-model/")[2])
    if model is None:
        raise invalid("The provided model identifier is invalid.")
    try:
        given = json.loads(body)
    except ValueError as error:
        raise _malformed("unexpected character, the body is no JSON") from error
    if not isinstance(given, dict):
        raise _malformed("#: expected type: JSONObject")
    answer, tokens = model(given)
    return json.dumps(answer).encode(), tokens


def _titan(given: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    _check_keys(given, required=("inputText",), optional=("dimensions", "normalize", "embeddingTypes"))
    text, dimensions = given["inputText"], given.get("dimensions", 1024)
    normalize, kinds = given.get("normalize", True), given.get("embeddingTypes", ["float"])
    if not isinstance(text, str):
        raise _malformed("#/inputText: expected type: String")
    if not text:
        raise _malformed("expected minLength: 1, actual: 0")
    if len(text) > TITAN_CHARACTERS:
        raise _malformed(f"expected maxLength: {TITAN_CHARACTERS}, actual: {len(text)}")
    if isinstance(dimensions, bool) or dimensions not in (256, 512, 1024):
        raise _malformed(f"#/dimensions: {dimensions} is not a valid enum value")
    if not isinstance(normalize, bool):
        raise _malformed("#/normalize: expected type: Boolean")
    if not isinstance(kinds, list) or not kinds or not set(kinds) <= {"float", "binary"}:
        raise _malformed(f"#/embeddingTypes: {kinds} is not a valid enum value")
    tokens = token_count(text)
    if tokens > TITAN_TOKENS:
        raise invalid(
            "400 Bad Request: Too many input tokens. "
            f"Max input tokens: {TITAN_TOKENS}, request input token count: {tokens} "
        )
    vector = embed(text, dimensions, normalize=normalize)
    told = {"float": _numbers(vector), "binary": [int(number > 0) for number in vector]}
    return {
        "embedding": told["float"],
        "inputTextTokenCount": tokens,
        "embeddingsByType": {kind: told[kind] for kind in kinds},
    }, tokens


def _cohere(given: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    _check_keys(given, required=("texts", "input_type"), optional=("truncate", "embedding_types"))
    texts, input_type, truncate = given["texts"], given["input_type"], given.get("truncate", "END")
    kinds = given.get("embedding_types")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _malformed("#/texts: expected type: JSONArray of String")
    if not texts:
        raise _malformed("#/texts: expected minimum item count: 1, found: 0")
    if len(texts) > COHERE_TEXTS:
        raise _malformed(f"#/texts: expected maximum item count: {COHERE_TEXTS}, found: {len(texts)}")
    for number, text in enumerate(texts):
        if len(text) > COHERE_CHARACTERS:
            raise _malformed(f"#/texts/{number}: expected maxLength: {COHERE_CHARACTERS}, actual: {len(text)}")
    if input_type not in _INPUT_TYPES[:-1]:
        raise _malformed(f"#/input_type: {input_type} is not a valid enum value")
    if truncate not in _TRUNCATE:
        raise _malformed(f"#/truncate: {truncate} is not a valid enum value")
    if kinds is not None and (not isinstance(kinds, list) or not kinds or not set(kinds) <= set(_EMBEDDING_TYPES)):
        raise _malformed(f"#/embedding_types: {kinds} is not a valid enum value")
    kept = [_truncated(text, truncate, number) for number, text in enumerate(texts)]
    vectors = [_with_input_type(embed(text), input_type) for text in kept]
    answer = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([texts, input_type]))),
        "response_type": "embeddings_floats" if kinds is None else "embeddings_by_type",
        "texts": texts,
        "embeddings": [_numbers(vector) for vector in vectors]
        if kinds is None
        else {kind: [_COHERE_KINDS[kind](vector) for vector in vectors] for kind in kinds},
    }
    return answer, sum(map(token_count, kept))


def _truncated(text: str, truncate: str, number: int) -> str:
    tokens = token_count(text)
    if tokens <= COHERE_TOKENS:
        return text
    if truncate == "NONE":
        raise invalid(
            f"too many tokens: text at index {number} has {tokens} tokens, at most {COHERE_TOKENS} are allowed"
        )
    keep = len(text) * COHERE_TOKENS // tokens
    return text[:keep] if truncate == "END" else text[-keep:]


def _with_input_type(vector: Vector, input_type: str) -> Vector:
    """Questions and documents are embedded a little differently."""
    moved = vector + np.float32(0.05) * embed(input_type)
    unit: Vector = (moved / float(np.linalg.norm(moved))).astype(np.float32)
    return unit


def _numbers(vector: Vector) -> list[float]:
    return [float(number) for number in vector]


def _bytes(vector: Vector) -> list[int]:
    return [int(np.clip(round(float(number) * 127), -128, 127)) for number in vector]


def _bits(vector: Vector) -> list[int]:
    return [int(byte) for byte in np.packbits(vector > 0)]


_COHERE_KINDS: dict[str, Callable[[Vector], list[Any]]] = {
    "float": _numbers,
    "int8": _bytes,
    "uint8": lambda vector: [byte + 128 for byte in _bytes(vector)],
    "binary": lambda vector: [byte - 128 for byte in _bits(vector)],
    "ubinary": _bits,
}


def _check_keys(given: Mapping[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    found = list(_key_faults(given, required, optional))
    if found:
        raise _malformed("".join(found))


def _key_faults(given: Mapping[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[str]:
    for name in required:
        if name not in given:
            yield f"#: required key [{name}] not found"
    for name in given:
        if name not in (*required, *optional):
            yield f"#: extraneous key [{name}] is not permitted"


def _malformed(what: str) -> Exception:
    return invalid(f"Malformed input request: {what}, please reformat your input and try again.")


MODELS: dict[str, Callable[[Mapping[str, Any]], tuple[dict[str, Any], int]]] = {TITAN: _titan, COHERE: _cohere}
