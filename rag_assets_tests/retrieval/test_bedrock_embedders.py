import dataclasses
import json
import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulation.faults import FOREVER
from emulation.local_aws import LocalAws, local_aws
from rag_assets.aws.calls import Backoff, RetryLimit
from rag_assets.clock import Clock
from rag_assets.corpus.passages import Passage
from rag_assets.retrieval.bedrock_calls import BedrockPatience, Tell
from rag_assets.retrieval.bedrock_embedders import CohereEmbedder, TitanEmbedder, embedder_of
from rag_assets.retrieval.embedder_choice import EmbedderChoice, embedder_choice
from rag_assets.retrieval.embedders import Embedder, EmbeddingError, UseEmbedder, VectorCache, read_in_part
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import write_index
from rag_assets_tests.aws.callers import answer
from rag_assets_tests.http_server import Answer, serving
from rag_assets_tests.sources.fetching.fake_clock import FakeClock

TEXTS = ["食事を支給したときの課税", "食事の支給と課税", "住宅借入金等特別控除の手続"]


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with local_aws(s3_url="http://127.0.0.1:9") as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def untold(_: str) -> None:
    pass


def titan(aws: LocalAws, clock: FakeClock, dimension: int = 256, tell: Tell = untold, **options: Any) -> TitanEmbedder:
    client = aws.client("bedrock-runtime", **options)
    return TitanEmbedder(client, dimension, patience=BedrockPatience(clock=clock.clock(), tell=tell))


def cohere(aws: LocalAws, clock: FakeClock, tell: Tell = untold, **options: Any) -> CohereEmbedder:
    client = aws.client("bedrock-runtime", **options)
    return CohereEmbedder(client, patience=BedrockPatience(clock=clock.clock(), tell=tell))


def assert_requests_end() -> None:
    """What is under way comes to its end, and nothing is tried again."""
    helpers = [thread for thread in threading.enumerate() if thread.name == "rag_assets helper"]
    for helper in helpers:
        helper.join(10)
    assert not any(helper.is_alive() for helper in helpers)


def bodies(aws: LocalAws) -> list[dict[str, Any]]:
    """Of the requests that were not refused."""
    return [json.loads(call.parameters["body"]) for call in aws.service.calls if not call.refused]


@pytest.mark.parametrize(
    "setting", ["titan-v2", "titan-v2:256", "titan-v2:512", "titan-v2:512:unnormalized", "cohere-multilingual-v3"]
)
def test_texts_that_share_wording_lie_near(aws: LocalAws, setting: str) -> None:
    embedder = embedder_of(setting, lambda: aws.client("bedrock-runtime"))
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
    question = embedder.embed_question(TEXTS[0])
    assert question.shape == (embedder.dimension,)
    assert np.linalg.norm(question) == pytest.approx(1, abs=1e-5)
    assert np.argmax(vectors @ question) == 0
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_titan_is_asked_for_what_the_setting_says(aws: LocalAws, clock: FakeClock) -> None:
    titan(aws, clock, 512).embed(["食事"])
    unnormalized = embedder_of("titan-v2:unnormalized", lambda: aws.client("bedrock-runtime"))
    unnormalized.embed_question("食事")
    assert bodies(aws) == [
        {"inputText": "食事", "dimensions": 512, "normalize": True},
        {"inputText": "食事", "dimensions": 1024, "normalize": False},
    ]


def test_cohere_is_told_questions_from_documents(aws: LocalAws, clock: FakeClock) -> None:
    embedder = cohere(aws, clock)
    (document,) = embedder.embed(["食事"])
    question = embedder.embed_question("食事")
    assert [body["input_type"] for body in bodies(aws)] == ["search_document", "search_query"]
    assert 0.99 < document @ question < 0.99999


def test_cohere_embeds_96_texts_a_request_in_order(aws: LocalAws, clock: FakeClock) -> None:
    texts = [f"食事 {number}" for number in range(200)]
    vectors = cohere(aws, clock).embed(texts)
    assert sorted(len(body["texts"]) for body in bodies(aws)) == [8, 96, 96]
    assert np.allclose(vectors[150], cohere(aws, clock).embed([texts[150]])[0], atol=1e-6)


def test_titan_keeps_the_order_of_texts_asked_for_at_once(aws: LocalAws, clock: FakeClock) -> None:
    texts = [f"食事 {number}" for number in range(40)]
    vectors = titan(aws, clock).embed(texts)
    assert np.allclose(vectors[::13], [titan(aws, clock).embed([text])[0] for text in texts[::13]], atol=1e-6)
    assert aws.service.count("InvokeModel") == 44


def test_cohere_reads_long_texts_in_part_and_that_can_be_told(aws: LocalAws, clock: FakeClock) -> None:
    embedder = cohere(aws, clock)
    texts = ["食" * 2048 + "事", "食" * 2048, "食" * 666, "食" * 665, "食事"]
    vectors = embedder.embed(texts)
    assert np.array_equal(vectors[0], vectors[1])
    assert read_in_part(embedder, texts) == (
        "3 of 5 texts are likely longer than cohere.embed-multilingual-v3 reads (about 666 characters): what goes "
        "beyond is not in their vectors, and such texts are compared by their beginning. Cut them smaller (a variant "
        "with a limit), or choose an embedder that reads more"
    )
    assert read_in_part(embedder, texts[3:]) == ""
    assert read_in_part(titan(aws, clock), texts) == ""
    assert read_in_part(UseEmbedder(), texts) == ""


@pytest.mark.parametrize("text", ["食" * 7000, "x" * 50_001])
def test_titan_refuses_a_text_that_is_too_long_by_its_beginning(aws: LocalAws, clock: FakeClock, text: str) -> None:
    embedder = titan(aws, clock)
    told = rf"The text has {len(text):,} characters and begins with '{text[:30]}'.*8,192 tokens.*cut it smaller"
    with pytest.raises(EmbeddingError, match=told) as caught:
        embedder.embed(["食事", text])
    assert list(caught.value.made) in ([0], [])


@pytest.mark.parametrize("make", [titan, cohere])
def test_a_text_of_nothing_is_refused_by_its_place(aws: LocalAws, clock: FakeClock, make: Any) -> None:
    embedder = make(aws, clock)
    with pytest.raises(EmbeddingError, match="without any word"):
        embedder.embed_question("　")
    for nothing in ("", " ", "　\n"):
        told = re.escape(f"{nothing!r}, number 2 of 3; the one before it begins with '食事を支給したときの課税'")
        with pytest.raises(EmbeddingError, match=told):
            embedder.embed([TEXTS[0], nothing, TEXTS[1]])
    assert aws.service.count("InvokeModel") == 0


@pytest.mark.parametrize("make", [titan, cohere])
def test_a_refused_text_is_named(aws: LocalAws, clock: FakeClock, make: Any) -> None:
    aws.service.faults.refuse("InvokeModel", "ValidationException", "not that")
    with pytest.raises(EmbeddingError, match=r"not that\. The text has 12 characters and begins with '食事を支給した"):
        make(aws, clock).embed(TEXTS[:1])


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("#/texts/2: expected something else", "The text has 13 characters and begins with '住宅借入金等"),
        ("text at index 2 is too long", "The text has 13 characters and begins with '住宅借入金等"),
        ("one is too long", "It is about one of 3 texts; the first has 12 characters and begins with '食事を支給した"),
        ("text at index 99 is too long", "characters and begins with '食事を支給した"),
    ],
)
def test_of_several_texts_the_refused_one_is_named(aws: LocalAws, clock: FakeClock, message: str, named: str) -> None:
    aws.service.faults.refuse("InvokeModel", "ValidationException", message)
    with pytest.raises(EmbeddingError, match=re.escape(named)):
        cohere(aws, clock).embed(TEXTS)


@pytest.mark.parametrize("make", [titan, cohere])
@pytest.mark.parametrize(
    "message",
    [
        "Invocation of model ID m with on-demand throughput isn’t supported. Retry your request with the ID or ARN of "
        "an inference profile that contains this model.",
        "The provided model doesn't support on-demand throughput.",
    ],
)
def test_a_model_that_is_not_offered_on_demand_is_no_matter_of_the_text(
    aws: LocalAws, clock: FakeClock, make: Any, message: str
) -> None:
    aws.service.faults.refuse("InvokeModel", "ValidationException", message)
    with pytest.raises(EmbeddingError, match=r"inference profile or .*set aws_region to a region.*embedder") as caught:
        make(aws, clock).embed(["食事"])
    assert "begins with" not in str(caught.value)


# -- the cache


def test_settings_that_make_other_vectors_have_other_names(aws: LocalAws) -> None:
    names = {
        embedder_of(setting, lambda: aws.client("bedrock-runtime")).name
        for setting in ("use", "titan-v2", "titan-v2:256", "titan-v2:512", "titan-v2:unnormalized")
    }
    assert len(names | {CohereEmbedder.name}) == 6


@pytest.mark.parametrize("setting", ["titan-v2:256", "cohere-multilingual-v3"])
def test_what_was_embedded_before_a_failure_is_kept(aws: LocalAws, tmp_path: Path, setting: str) -> None:
    texts = [f"食事 {number}" for number in range(300)]
    embedder = embedder_of(setting, lambda: aws.client("bedrock-runtime"))
    with VectorCache(tmp_path / "v.sqlite") as cache:
        cache.vectors(embedder, texts[:50])
        before = len(bodies(aws))
        # Far enough on that of the smaller requests some are done.
        aws.service.faults.slow("InvokeModel", 0, times=30 if setting == "titan-v2:256" else 2)
        aws.service.faults.refuse("InvokeModel", "ValidationException", "no more")
        embedder = embedder_of(
            setting, lambda: aws.client("bedrock-runtime"), patience=BedrockPatience(clock=FakeClock().clock())
        )
        with pytest.raises(EmbeddingError, match="no more") as caught:
            cache.vectors(embedder, texts)
        made = len(caught.value.made)
        # What was under way when the one failed is not waited for.
        assert made <= sum(len(body.get("texts", "1")) for body in bodies(aws)[before:]) < 250
        assert made > 0 or setting != "titan-v2:256"
        assert_requests_end()
        before = len(bodies(aws))
        cache.vectors(embedder, texts)
    assert sum(len(body.get("texts", "1")) for body in bodies(aws)[before:]) == 250 - made


def test_an_index_is_written_and_searched_with_them(aws: LocalAws, clock: FakeClock, tmp_path: Path) -> None:
    passages = [
        Passage(passage_id=f"p{n}", chunk_id=f"p{n}", record_id=f"s/{n}", source="s", text=text)
        for n, text in enumerate(TEXTS)
    ]
    embedder: Embedder = cohere(aws, clock)
    with VectorCache(tmp_path / "v.sqlite") as cache:
        write_index(tmp_path / "i.sqlite", passages, embedder, cache)
    with LocalIndex.open(tmp_path / "i.sqlite", embedder) as index:
        assert index.search("住宅の控除は？", "dense", k=1)[0].passage.record_id == "s/2"
    assert bodies(aws)[-1] == {"texts": ["住宅の控除は"], "input_type": "search_query", "truncate": "END"}


# -- what goes wrong


@pytest.mark.parametrize("make", [titan, cohere])
def test_throttling_faults_and_silence_are_waited_out(aws: LocalAws, clock: FakeClock, make: Any) -> None:
    embedder = make(aws, clock, timeout=0.3)
    faults = aws.service.faults
    happenings: list[Callable[[], None]] = [
        lambda: faults.throttle("InvokeModel", times=2),
        lambda: faults.server_error("InvokeModel"),
        lambda: faults.refuse("InvokeModel", "ModelNotReadyException"),
        lambda: faults.refuse("InvokeModel", "ModelTimeoutException"),
        lambda: faults.slow("InvokeModel", 0.6),
        lambda: faults.drop("InvokeModel"),
    ]
    for happens in happenings:
        happens()
        assert embedder.embed(["食事"]).shape == (1, embedder.dimension)
    assert len(clock.slept) == 7


@pytest.mark.parametrize("make", [titan, cohere])
def test_what_cannot_pass_is_told_at_once(aws: LocalAws, clock: FakeClock, make: Any) -> None:
    def failure(**options: Any) -> str:
        with pytest.raises(EmbeddingError) as caught:
            make(aws, clock, **options).embed(["食事"])
        return str(caught.value)

    denied = failure(aws_access_key_id="DENIED1", aws_secret_access_key="-")
    assert re.search(
        r"Allow the action bedrock:InvokeModel on arn:aws:bedrock:ap-northeast-1::foundation-model/\w+\.", denied
    )
    assert "model catalog of the Bedrock console in ap-northeast-1" in denied
    assert "docs/aws.md, step 1: Model" in denied
    assert "credentials are expired: renew" in failure(aws_access_key_id="EXPIRED1", aws_secret_access_key="-")
    aws.service.faults.refuse("InvokeModel", "ResourceNotFoundException")
    assert "not offered in this region" in failure()
    assert clock.slept == []


@pytest.mark.parametrize("make", [titan, cohere])
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e39, 0.0, 1e-60])
def test_a_vector_that_is_none_is_refused_by_its_text_and_never_cached(
    aws: LocalAws, clock: FakeClock, tmp_path: Path, make: Any, number: float
) -> None:
    def answered(vector: list[float], dimension: int) -> Answer:
        return answer({"embedding": vector * dimension, "embeddings": [vector * dimension]})

    with serving() as server, VectorCache(tmp_path / "v.sqlite") as cache:
        embedder = make(dataclasses.replace(aws, url=server.url), clock)
        server.otherwise(answered([number], embedder.dimension))
        for ask in (lambda: cache.vectors(embedder, ["食事の支給"]), lambda: embedder.embed_question("食事の支給")):
            with pytest.raises(
                EmbeddingError, match=r"Model (amazon|cohere).*begins with '食事の支給' cannot be compared"
            ):
                ask()
        server.otherwise(answered([0.5], embedder.dimension))
        server.forget()
        assert np.isclose(np.linalg.norm(cache.vectors(embedder, ["食事の支給"])), 1)
        assert len(server.requests) == 1


@pytest.mark.parametrize("end", ["interrupted", "failed"])
def test_nothing_is_tried_again_once_it_is_over(aws: LocalAws, end: str) -> None:
    faults, over = aws.service.faults, threading.Event()
    faults.throttle("InvokeModel", times=7)
    if end == "failed":
        faults.refuse("InvokeModel", "ValidationException", "no more")
    faults.throttle("InvokeModel", times=FOREVER)
    told: list[str] = []
    # Everybody waits until it is over, or longer than anybody would wait for a test.
    patience = BedrockPatience(clock=Clock(sleep=lambda _: bool(over.wait(20))), tell=told.append)  # type: ignore[arg-type]
    embedder = TitanEmbedder(aws.client("bedrock-runtime"), 256, patience=patience)
    if end == "interrupted":
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt if end == "interrupted" else EmbeddingError):
        embedder.embed([str(number) for number in range(50)])
    assert time.monotonic() - began < 5
    time.sleep(0.2)
    asked, lines = aws.service.count("InvokeModel"), len(told)
    over.set()
    time.sleep(0.5)
    assert asked == 8
    assert (aws.service.count("InvokeModel"), len(told)) == (asked, lines)
    assert all("InvokeModel: throttled; next try in" in line for line in told)


def test_whoever_pauses_wakes_up_once_it_is_over(aws: LocalAws) -> None:
    aws.service.faults.throttle("InvokeModel", times=7)
    aws.service.faults.refuse("InvokeModel", "ValidationException", "no more")
    long = RetryLimit(seconds=900, pauses=Backoff(first=600, longest=600))
    embedder = TitanEmbedder(aws.client("bedrock-runtime"), 256, patience=BedrockPatience(answer=long))
    with pytest.raises(EmbeddingError, match="no more"):
        embedder.embed([str(number) for number in range(8)])
    assert_requests_end()


@pytest.mark.parametrize("make", [titan, cohere])
def test_pauses_are_told_in_the_thread_that_waits_for_the_vectors(
    aws: LocalAws, clock: FakeClock, make: Callable[..., Embedder]
) -> None:
    aws.service.faults.throttle("InvokeModel", times=3)
    threads: list[int] = []
    embedder = make(aws, clock, tell=lambda _: threads.append(threading.get_ident()))
    assert len(embedder.embed([str(number) for number in range(200)])) == 200
    assert threads == [threading.get_ident()] * 3


# -- the setting


@pytest.mark.parametrize(
    ("setting", "choice"),
    [
        ("use", EmbedderChoice()),
        ("titan-v2", EmbedderChoice(model="titan-v2", dimensions=1024)),
        (" titan-v2:256 ", EmbedderChoice(model="titan-v2", dimensions=256)),
        ("titan-v2:unnormalized", EmbedderChoice(model="titan-v2", dimensions=1024, normalize=False)),
        ("titan-v2:512:unnormalized", EmbedderChoice(model="titan-v2", dimensions=512, normalize=False)),
        ("cohere-multilingual-v3", EmbedderChoice(model="cohere-multilingual-v3", dimensions=1024)),
    ],
)
def test_a_setting_names_an_embedder(setting: str, choice: EmbedderChoice) -> None:
    assert embedder_choice(setting) == choice


@pytest.mark.parametrize(
    "setting",
    ["", "titan", "titan-v2:", "titan-v2:384", "titan-v2:256:512", "titan-v2:unnormalized:256", "use:512",
     "cohere-multilingual-v3:512", "titan-v2:unnormalized:unnormalized"],
)  # fmt: skip
def test_a_setting_that_names_none_is_told_what_it_takes(setting: str) -> None:
    with pytest.raises(ValueError, match=r"is unknown; it takes use, titan-v2\[:256\|512\|1024\]"):
        embedder_choice(setting)


@given(st.text(max_size=30))
def test_any_other_text_names_none(setting: str) -> None:
    with pytest.raises(ValueError, match="is unknown"):
        embedder_choice(f"x{setting}")


def test_the_bundled_embedder_takes_no_client() -> None:
    def client() -> Any:
        raise AssertionError("a client was made")

    assert isinstance(embedder_of("use", client), UseEmbedder)
    with pytest.raises(ValueError, match="is unknown"):
        embedder_of("another", client)
    with pytest.raises(ValueError, match="not of 384"):
        TitanEmbedder(None, 384)
