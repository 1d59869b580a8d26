"""Reading an object under more than one spelling of its key: only one that is not there leads to the next."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from emulation.local_aws import make_client
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.objects import ObjectAddress, ObjectMissingError, download_first
from rag_assets_tests.http_server import Answer, ScriptedServer, serving

LITERAL, DECODED = (ObjectAddress(bucket="b", key=key) for key in ("help%20desk.csv", "help desk.csv"))
PATHS = {"literal": "/b/help%2520desk.csv", "decoded": "/b/help%20desk.csv"}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serving() as server:
        server.on(PATHS["decoded"], Answer(body=b"another file"))
        yield server


@pytest.fixture
def s3(server: ScriptedServer) -> Any:
    from botocore.config import Config

    config = Config(retries={"total_max_attempts": 1}, read_timeout=0.5, s3={"addressing_style": "path"})
    return make_client("s3", server.url, region_name="us-east-1", config=config)


def refusal(status: int, code: str) -> Answer:
    return Answer(status=status, body=f"<Error><Code>{code}</Code><Message>as told</Message></Error>".encode())


@pytest.mark.parametrize("answer", [refusal(404, "NoSuchKey"), refusal(403, "AccessDenied")])
def test_where_the_first_is_not_there_the_next_is_read(server: ScriptedServer, s3: Any, answer: Answer) -> None:
    server.on(PATHS["literal"], answer)
    file = io.BytesIO()
    download_first(s3, [LITERAL, DECODED], file)
    assert file.read() == b"another file"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(delay=1.0),
        refusal(500, "InternalError"),
        refusal(503, "SlowDown"),
        refusal(400, "ExpiredToken"),
        Answer(body=b"cut", claimed_length=100),
    ],
    ids=["silence", "500", "503", "expired", "cut"],
)
def test_a_file_that_cannot_be_read_is_not_taken_for_another(server: ScriptedServer, s3: Any, answer: Answer) -> None:
    server.on(PATHS["literal"], answer)
    with pytest.raises(TransformationError, match=r"help%20desk\.csv") as caught:
        download_first(s3, [LITERAL, DECODED], io.BytesIO())
    assert not isinstance(caught.value, ObjectMissingError)
    assert server.count(PATHS["decoded"]) == 0


def test_where_none_is_there_the_first_is_told(server: ScriptedServer, s3: Any) -> None:
    for path in PATHS.values():
        server.on(path, refusal(404, "NoSuchKey"))
    with pytest.raises(ObjectMissingError, match=r"help%20desk\.csv: there is no such object"):
        download_first(s3, [LITERAL, DECODED], io.BytesIO())
