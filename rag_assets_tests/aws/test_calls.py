"""Whatever of the project asks Bedrock waits for the same, refuses the same, and reads no answer blindly."""

import copy
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.config import Config

from rag_assets.aws.calls import Backoff
from rag_assets.clock import Clock
from rag_assets.ingestion.data_source import check_setup
from rag_assets.ingestion.service import IngestionError, IngestionProgress, IngestionService, UnknownResourceError
from rag_assets.retrieval.bedrock_calls import BedrockError
from rag_assets.retrieval.embedders import EmbeddingError
from rag_assets_tests.aws.callers import BEDROCK, IDS, TARGET, Caller, answer, page, refusal
from rag_assets_tests.http_server import Answer, ScriptedServer, serving
from rag_assets_tests.sources.fetching.fake_clock import FakeClock

FAILURES = (IngestionError, BedrockError, EmbeddingError)
RESUMING = "The Aurora DB instance db-1 is resuming after being auto-paused. Please wait a few seconds."

PASSING: Mapping[str, Answer] = {
    "throttled": refusal("ThrottlingException", 429),
    "too many requests": refusal("TooManyRequestsException", 400),
    "quota 400": refusal("ServiceQuotaExceededException", 400, "Resubmit your request later."),
    "quota 402": refusal("ServiceQuotaExceededException", 402, "Resubmit your request later."),
    "conflict": refusal("ConflictException", 409),
    "waking database": refusal("ValidationException", 400, RESUMING),
    "error of its own": refusal("InternalServerException", 500),
    "unavailable": refusal("ServiceUnavailableException", 503),
    "model not ready": refusal("ModelNotReadyException", 429),
    "model timed out": refusal("ModelTimeoutException", 408),
    "dependency failed": refusal("DependencyFailedException", 424),
    "page of a gateway": page("<html>Bad Gateway</html>", 502),
    "silence": Answer(delay=0.7),
    "page of a proxy": page(),
    "nothing": Answer(),
    "empty object": answer({}),
    "array": answer([1]),
    "null": answer(None),
    "text": answer("x"),
    "no UTF-8": Answer(body=b"\xff\xfe{"),
    "refusal in an array": answer([1], 500),
    "broken off": Answer(body=b'{"embedding": [1, 2', claimed_length=60),
    "shorter than it says": Answer(body=b'{"embedding": [1]}', chunked=True, headers={"Content-Length": "60"}),
    "broken chunk": Answer(body=b'{"embedding": [1, 2, 3]}', chunked=True, broken=True),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with serving() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def message(caller: Caller, server: ScriptedServer, clock: FakeClock) -> str:
    with pytest.raises(FAILURES) as caught:
        caller.asked(server.url, clock)
    return str(caught.value)


@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.parametrize("name", BEDROCK)
def test_what_passes_is_waited_out(server: ScriptedServer, clock: FakeClock, name: str, fault: str) -> None:
    caller, good = BEDROCK[name], answer(BEDROCK[name].good)
    server.otherwise(good)
    wanted = repr(caller.asked(server.url))
    server.otherwise(PASSING[fault], PASSING[fault], good)
    assert repr(caller.asked(server.url, clock)) == wanted
    assert len(clock.slept) == 2


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        ("throttled", "The service throttles.*Service Quotas"),
        ("quota 400", "quota of the account is used up.*Service Quotas.*Resubmit your request later"),
        ("quota 402", "quota of the account is used up.*Service Quotas.*Resubmit your request later"),
        ("conflict", "stop it in the console"),
        ("waking database", "Aurora database.*long in resuming.*RDS console.*auto-paused"),
        ("error of its own", "AWS Health Dashboard.*InternalServerException"),
        ("shorter than it says", "(AWS Health Dashboard|something else than Amazon Bedrock)"),
        ("broken chunk", "(AWS Health Dashboard|something else than Amazon Bedrock)"),
        *(
            (fault, "at {url} seems to be something else than Amazon Bedrock.*bedrock_endpoint.*HTTPS_PROXY")
            for fault in ("page of a proxy", "nothing", "array", "null", "no UTF-8")
        ),
    ],
)
@pytest.mark.parametrize("name", BEDROCK)
def test_patience_ends_with_advice(
    server: ScriptedServer, clock: FakeClock, name: str, fault: str, advice: str
) -> None:
    server.otherwise(PASSING[fault])
    others = fault in ("throttled", "quota 400", "quota 402", "conflict")
    limit = 3600 if name == "start" and others else BEDROCK[name].limit
    told = message(BEDROCK[name], server, clock)
    assert f"did not succeed within {limit:,} seconds" in told
    assert limit / 2 < sum(clock.slept) <= limit
    assert re.search(advice.format(url=server.url), told)


@pytest.mark.parametrize("status", [302, 403, 404, 407])
@pytest.mark.parametrize("name", BEDROCK)
def test_a_refusal_that_is_no_services_is_told_at_once(
    server: ScriptedServer, clock: FakeClock, name: str, status: int
) -> None:
    server.otherwise(page("<html>Please log in\n to the network</html>", status))
    told = message(BEDROCK[name], server, clock)
    assert "<html>Please log in to the network</html>" in told
    assert f"What answers at {server.url} seems to be something else than Amazon Bedrock" in told
    assert clock.slept == []


@pytest.mark.parametrize("name", BEDROCK)
def test_what_cannot_pass_is_told_at_once_with_what_to_do(server: ScriptedServer, clock: FakeClock, name: str) -> None:
    def told(code: str, status: int) -> str:
        server.otherwise(refusal(code, status))
        return message(BEDROCK[name], server, clock)

    assert re.search(
        r"Allow the action bedrock:\w+ on (the Knowledge Base|arn:aws:bedrock:\S+) in",
        told("AccessDeniedException", 403),
    )
    assert re.search("AnotherException at [A-Z].*: as told.", told("AnotherException", 400))
    if name != "set-up":
        assert "region" in told("ResourceNotFoundException", 404)
    assert clock.slept == []


def test_only_what_is_not_there_is_told_as_such(server: ScriptedServer) -> None:
    server.otherwise(refusal("ResourceNotFoundException", 404))
    with pytest.raises(UnknownResourceError, match="region ap-northeast-1: compare the IDs"):
        BEDROCK["documents"].asked(server.url)


def parts(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is something in an answer."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in list(inside)[:3]:
        yield (*path, name)
        yield from parts(item, (*path, name))


def differently(good: Mapping[str, Any], path: tuple[Any, ...], put: tuple[Any, ...]) -> dict[str, Any]:
    """An answer without one of its parts, or with another in its place."""
    made: Any = copy.deepcopy(dict(good))
    *way, last = path
    holder = made
    for step in way:
        holder = holder[step]
    del holder[last]
    if put and isinstance(holder, dict):
        holder[last] = put[0]
    assert isinstance(made, dict)
    return made


@pytest.mark.parametrize("put", [(), (None,), ("x",), ([None],)], ids=["absent", "null", "text", "array of null"])
@pytest.mark.parametrize("name", BEDROCK)
def test_an_answer_that_lacks_a_part_or_has_another_in_its_place_fails_in_words_if_at_all(
    server: ScriptedServer, clock: FakeClock, name: str, put: tuple[Any, ...]
) -> None:
    caller, failures = BEDROCK[name], 0
    for path in parts(caller.good):
        server.otherwise(answer(differently(caller.good, path, put)))
        try:
            caller.asked(server.url, clock)
        except FAILURES:
            failures += 1
    assert failures


def test_a_member_that_is_read_and_not_there_is_named(server: ScriptedServer) -> None:
    server.otherwise(answer({"knowledgeBase": {"status": "ACTIVE"}}))
    with pytest.raises(IngestionError, match=r"GetKnowledgeBase: an answer without knowledgeBaseConfiguration\. What"):
        BEDROCK["set-up"].asked(server.url)
    server.otherwise(answer({"inputTextTokenCount": 3}))
    with pytest.raises(EmbeddingError, match=r"InvokeModel: an answer without embedding\. What answers at"):
        BEDROCK["Titan"].asked(server.url)


def test_an_endpoint_where_nobody_is_is_named(clock: FakeClock) -> None:
    for caller in BEDROCK.values():
        with pytest.raises(FAILURES, match=r"Nothing can be reached at http://127\.0\.0\.1:9: .*aws_region"):
            caller.asked("http://127.0.0.1:9", clock)


@dataclass
class HastyClock(FakeClock):
    """On which a real second is 400, so that what a client really waits counts."""

    def clock(self) -> Clock:
        return Clock(self.now, lambda: self.elapsed + 400 * time.monotonic(), self.sleep)


@pytest.mark.parametrize("name", BEDROCK)
def test_silence_is_borne_no_longer_than_said_and_one_try_on_top(server: ScriptedServer, name: str) -> None:
    caller, one_try = BEDROCK[name], 120
    server.otherwise(Answer(delay=2 * one_try / 400))
    client = caller.client(
        server.url, config=Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=one_try / 400)
    )
    clock = HastyClock()
    began = clock.clock().monotonic()
    with pytest.raises(FAILURES, match=rf"within {caller.limit} seconds.*does not answer at {server.url}: look"):
        caller.ask(client, clock)
    assert one_try <= clock.clock().monotonic() - began < caller.limit + 1.4 * one_try


@pytest.mark.parametrize("name", ["Retrieve", "Titan", "Cohere"])
def test_every_pause_is_told_before_it_begins(server: ScriptedServer, clock: FakeClock, name: str) -> None:
    caller, told = BEDROCK[name], list[str]()
    server.otherwise(PASSING["throttled"], PASSING["page of a proxy"], answer(caller.good))
    caller.ask(caller.client(server.url), clock, told.append)
    operation = "Retrieve" if name == "Retrieve" else "InvokeModel"
    first, second = (f"{pause:.1f} s" for pause in clock.slept)
    assert f": {operation}: throttled; next try in {first} (ThrottlingException: as told)" in told[0]
    assert f": {operation}: an answer that cannot be read; next try in {second} (" in told[1]
    assert len(told) == 2


@pytest.mark.parametrize("name", BEDROCK)
def test_what_is_missing_is_told_with_the_endpoint_that_was_asked(server: ScriptedServer, name: str) -> None:
    server.otherwise(refusal("ResourceNotFoundException", 404))
    if name != "set-up":
        told = message(BEDROCK[name], server, FakeClock())
        assert f"It was asked for at {server.url} (settings aws_region, bedrock_endpoint). " in told


def test_pauses_double_and_chance_parts_callers() -> None:
    def first(pauses: Backoff, number: int) -> list[float]:
        return [pause for pause, _ in zip(pauses, range(number), strict=False)]

    assert first(Backoff(first=1, longest=6), 5) == [1, 2, 4, 6, 6]
    assert first(Backoff(first=9, longest=6), 1) == [6]
    apart = Backoff(first=1, longest=6, spread=0.5)
    several = [first(apart, 4) for _ in range(20)]
    assert len({tuple(one) for one in several}) == 20
    assert all(least <= pause <= least + 0.5 for one in several for least, pause in zip((1, 2, 4, 6), one, strict=True))


@pytest.mark.parametrize(
    ("fault", "kind", "line"),
    [
        ("throttled", "throttles", "StartIngestionJob: throttled; next try in 11 s (ThrottlingException: as told)"),
        ("quota 402", "quotas", "a quota of the account is used up; next try in 11 s"),
        ("conflict", "conflicts", "another ingestion job of this Knowledge Base is running"),
        ("waking database", "waking", "was paused, and resumes; next try in 1 s"),
        ("unavailable", "unanswered", "no answer; next try in 1 s"),
        ("page of a proxy", "garbled", "an answer that cannot be read; next try in 1 s"),
    ],
)
def test_an_ingestion_tells_what_it_waits_for_and_counts_it(
    server: ScriptedServer, clock: FakeClock, fault: str, kind: str, line: str
) -> None:
    told: list[IngestionProgress] = []
    service = IngestionService(BEDROCK["start"].client(server.url), "here", clock.clock(), on_progress=told.append)
    server.otherwise(PASSING[fault], answer(BEDROCK["start"].good))
    service.start("StartIngestionJob", **IDS)
    assert line in told[0].message
    assert service.waited.model_dump(exclude_defaults=True) == {kind: 1, "seconds": sum(clock.slept)}


def test_looking_at_a_data_source_tells_what_it_waits_for(server: ScriptedServer, clock: FakeClock) -> None:
    caller, told = BEDROCK["set-up"], list[IngestionProgress]()
    server.otherwise(PASSING["throttled"], answer(caller.good))
    check_setup(caller.client(server.url), TARGET, clock=clock.clock(), on_progress=told.append)
    assert [progress.message.partition(";")[0] for progress in told] == ["GetKnowledgeBase: throttled"]
