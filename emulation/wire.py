"""The rest-json wire format of the three services: which operation a request asks for, its parameters, its answer.

botocore's service models are the source; nothing here knows what an operation does.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel, StructureShape

from emulation.constraints import problems, worded
from emulation.errors import COMMON_STATUS, ServiceError, invalid

SERVICES = ("bedrock-agent", "bedrock-agent-runtime", "bedrock-runtime")

_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/\d{8}/([^/]+)/([^/]+)/aws4_request")


@dataclass(frozen=True)
class Request:
    """One HTTP request; header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Caller:
    """Who signed a request, and for which region."""

    access_key: str
    region: str


@dataclass(frozen=True)
class Route:
    """An operation of a service, and the paths that ask for it."""

    service: str
    operation: OperationModel
    method: str
    path: re.Pattern[str]

    def status_of(self, code: str) -> int:
        """The HTTP status of an error of this service."""
        shapes = {shape.name: shape for shape in self.operation.service_model.error_shapes}
        known: Mapping[str, Any] = shapes[code].metadata.get("error", {}) if code in shapes else {}
        status: int = known.get("httpStatusCode", COMMON_STATUS.get(code, 400))
        return status


@lru_cache
def service_model(name: str) -> ServiceModel:
    """The model that botocore's client of this service works with."""
    return ServiceModel(Loader().load_service_model(name, "service-2"), name)


@lru_cache
def routes() -> tuple[Route, ...]:
    """Every operation of the services, those with the longest fixed path first."""
    return tuple(sorted(_routes(), key=lambda route: len(route.path.pattern.replace("[^/]+", "")), reverse=True))


def _routes() -> Iterator[Route]:
    for service in SERVICES:
        model = service_model(service)
        for name in model.operation_names:
            operation = model.operation_model(name)
            path = operation.http["requestUri"].partition("?")[0].rstrip("/")
            pattern = re.sub(r"\\\{(\w+)\\?\+?\\\}", r"(?P<\1>[^/]+)", re.escape(path))
            yield Route(service, operation, operation.http["method"], re.compile(pattern))


def route_of(request: Request) -> tuple[Route, dict[str, str]]:
    """The operation asked for, and the parameters in its path.

    Raises:
        ServiceError: There is none.
    """
    path = urlsplit(request.target).path.rstrip("/")
    for route in routes():
        found = route.path.fullmatch(path) if route.method == request.method else None
        if found:
            return route, {name: unquote(value) for name, value in found.groupdict().items()}
    raise ServiceError("UnknownOperationException", f"no operation answers {request.method} {path}")


def caller_of(request: Request) -> Caller:
    """Who signed the request.

    Raises:
        ServiceError: Nobody did.
    """
    found = _CREDENTIAL.search(request.headers.get("authorization", ""))
    if not found:
        raise ServiceError("MissingAuthenticationTokenException", "Missing Authentication Token")
    if found[3] != "bedrock":
        raise ServiceError(
            "UnrecognizedClientException", f"Credential should be scoped to service 'bedrock', not {found[3]}"
        )
    return Caller(access_key=found[1], region=found[2])


def parameters_of(route: Route, in_path: Mapping[str, str], request: Request) -> dict[str, Any]:
    """The parameters of a request, held to the service model.

    Raises:
        ServiceError: It breaks a constraint of the model, or its body is no JSON.
    """
    shape = route.operation.input_shape
    if shape is None:
        return {}
    given: dict[str, Any] = {}
    query = parse_qs(urlsplit(request.target).query)
    payload = shape.serialization.get("payload")
    for name, member in shape.members.items():
        place, wire_name = member.serialization.get("location"), member.serialization.get("name", name)
        if place == "uri":
            given[name] = in_path[wire_name]
        elif place == "header" and wire_name.lower() in request.headers:
            given[name] = request.headers[wire_name.lower()]
        elif place == "querystring" and wire_name in query:
            given[name] = query[wire_name][0]
    if payload:
        given[payload] = request.body
    else:
        given |= _decoded_blobs(shape, _json_body(request.body))
    found = list(problems(shape, given))
    if found:
        raise invalid(worded(found), found)
    return given


def answer_of(route: Route, result: Mapping[str, Any]) -> Answer:
    """A successful answer.

    Raises:
        AssertionError: The answer is none that the service model allows: a fault of the emulation.
    """
    shape = route.operation.output_shape
    status = int(route.operation.http.get("responseCode", 200))
    if shape is None:
        return Answer(status, {}, b"")
    payload = shape.serialization.get("payload")
    if payload:
        headers = {
            member.serialization["name"]: str(result[name])
            for name, member in shape.members.items()
            if member.serialization.get("location") == "header" and name in result
        }
        # Headers that the model does not know, such as token counts, go along as they are.
        headers |= {name: str(value) for name, value in result.get("headers", {}).items()}
        return Answer(status, headers, result[payload])
    told = _without_absent(result)
    # A job takes in documents of any address, also of those that no request may name: they are told all the same.
    found = [(at, what) for at, what in problems(shape, told) if not at.endswith("identifier.s3.uri")]
    if found:
        raise AssertionError(f"{route.operation.name}: {worded(found)}")
    return Answer(status, {"Content-Type": "application/json"}, json.dumps(told).encode())


def error_answer(error: ServiceError, status: int) -> Answer:
    """A refusal."""
    body: dict[str, Any] = {"message": error.message}
    if error.fields:
        body["fieldList"] = [{"name": name or "request", "message": message} for name, message in error.fields]
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": f"{error.code}:"}
    return Answer(status, headers, json.dumps(body).encode())


def timestamp(at: datetime) -> str:
    """As the services write it: ISO 8601 in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _json_body(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body or b"{}")
    except ValueError as error:
        raise ServiceError("SerializationException", f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ServiceError("SerializationException", "the body is no JSON object")
    return found


def _decoded_blobs(shape: StructureShape, body: dict[str, Any]) -> dict[str, Any]:
    """The body with what is base64 on the wire as bytes."""
    return {
        name: _decoded(shape.members[name], value) if name in shape.members else value for name, value in body.items()
    }


def _decoded(shape: Any, value: Any) -> Any:
    if isinstance(value, dict) and isinstance(shape, StructureShape) and not shape.is_document_type:
        return _decoded_blobs(shape, value)
    if isinstance(value, list) and shape.type_name == "list":
        return [_decoded(shape.member, item) for item in value]
    if isinstance(value, str) and shape.type_name == "blob":
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise ServiceError("SerializationException", f"no base64: {error}") from error
    return value


def _without_absent(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_absent(item) for name, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_without_absent(item) for item in value]
    return timestamp(value) if isinstance(value, datetime) else value
