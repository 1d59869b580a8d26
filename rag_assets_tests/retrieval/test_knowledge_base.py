import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from emulation.chunking import FixedSize
from emulation.local_aws import LocalAws, local_aws
from emulation.service import DataSourceIds
from emulation.state import Behaviour, Store
from rag_assets.corpus.passages import Hit
from rag_assets.evaluation.model import Question
from rag_assets.evaluation.run import AskedVariant, evaluate
from rag_assets.model import Attribute, Mode
from rag_assets.retrieval.bedrock_calls import BedrockError, BedrockPatience
from rag_assets.retrieval.filters import Condition, Filter
from rag_assets.retrieval.knowledge_base import KnowledgeBaseError, KnowledgeBaseSearch, KnowledgeBaseSettings
from rag_assets.retrieval.knowledge_base_filters import FilterError
from rag_assets.retrieval.knowledge_base_results import IngestedVariant, TraceError, passage_of
from rag_assets_tests.evaluation.results import IN_INDEX
from rag_assets_tests.sources.fetching.fake_clock import FakeClock

BUCKET = "a-bucket"
CUT = IngestedVariant(
    variant="cut",
    chunking="NONE",
    bucket="a-bucket",
    prefix="cut/",
    knowledge_base_id="K" * 10,
    data_source_id="S" * 10,
)
TEXTS = {
    "1/meal": "役員や使用人に支給する食事は、給与として課税されません",
    "1/rest": "六十分の休憩を与えなければならない",
    "2/loan": "住宅ローンを組んで家を買ったときの住宅借入金等特別控除",
    "3/health": "医療費を支払ったときの医療費控除",
    "4/gift": "父母から住宅取得等資金の贈与を受けた場合の非課税",
}
WHOLE = "\n".join(
    f"第{number}条　食事を支給したときの取扱い{number}。" + "社内の規程による。" * 20 for number in range(9)
)


@dataclass
class Workshop:
    """A Knowledge Base with two variants side by side: `cut`, a file a chunk, and `raw`, a file a record."""

    aws: LocalAws
    store: Store = "OPENSEARCH_SERVERLESS"
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.aws.create_bucket(BUCKET)
        self.knowledge_base_id = self.aws.service.add_knowledge_base(store=self.store)
        self.sources: dict[str, DataSourceIds] = {}

    def ingest(self, variant: str, texts: dict[str, str], *, sidecars: bool = True, cuts: bool = False) -> None:
        for name, text in texts.items():
            key = f"{variant}/s/{name}.txt"
            record = f"s/{name}" if cuts else f"s/{name}".rpartition("/")[0]
            self.aws.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())
            told = {"record_id": record, "chunk_id": f"s/{name}", "source": "s", "variant": variant, "as_of": 20260401}
            told |= {"tags": ["緊急", "店舗"]}
            if sidecars:
                body = json.dumps({"metadataAttributes": told}).encode()
                self.aws.s3.put_object(Bucket=BUCKET, Key=f"{key}.metadata.json", Body=body)
        self.sources[variant] = self.aws.service.add_data_source(
            self.knowledge_base_id, BUCKET, f"{variant}/", FixedSize() if cuts else None, name=variant
        )
        self.sync(variant)

    def sync(self, variant: str) -> None:
        ids = self.sources[variant]
        named = {"knowledgeBaseId": ids.knowledge_base_id, "dataSourceId": ids.data_source_id}
        agent = self.aws.client("bedrock-agent")
        job = agent.start_ingestion_job(**named)["ingestionJob"]
        while job["status"] != "COMPLETE":
            job = agent.get_ingestion_job(**named, ingestionJobId=job["ingestionJobId"])["ingestionJob"]

    def opened(self, variant: str = "cut", **settings: Any) -> KnowledgeBaseSearch:
        of_client = ("timeout", "aws_access_key_id", "aws_secret_access_key", "region_name")
        client = {name: settings.pop(name) for name in of_client if name in settings}
        lists = settings.pop("lists", frozenset({"tags"}))
        ids = self.sources.get(variant)
        given = {
            "knowledge_base_id": self.knowledge_base_id,
            "data_source_id": ids.data_source_id if ids else "S" * 10,
            "bucket": BUCKET,
            "prefix": f"{variant}/",
            "variant": variant,
            "chunking": "NONE",
        } | settings
        return KnowledgeBaseSearch(
            self.aws.client("bedrock-agent-runtime", **client),
            KnowledgeBaseSettings.model_validate(given),
            lists=lists,
            patience=BedrockPatience(clock=self.clock.clock()),
        )

    def searched(self) -> int:
        return self.aws.service.count("Retrieve")


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with local_aws() as running:
        yield running


@pytest.fixture
def workshop(aws: LocalAws) -> Workshop:
    made = Workshop(aws)
    made.ingest("cut", TEXTS)
    made.ingest("raw", {"9": WHOLE, "8": TEXTS["2/loan"]}, cuts=True)
    return made


def chunk_ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.passage.chunk_id for hit in hits]


@pytest.mark.parametrize(("mode", "kind"), [("hybrid", "HYBRID"), ("dense", "SEMANTIC")])
def test_the_passage_that_says_it_comes_first(workshop: Workshop, mode: Mode, kind: str) -> None:
    search = workshop.opened(search_type="BOTH")
    hits = search.search("食事の支給は課税されますか？", mode, k=3)
    assert chunk_ids(hits)[0] == "s/1/meal"
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    asked = workshop.aws.service.calls[-1].parameters
    assert asked["retrievalConfiguration"]["vectorSearchConfiguration"]["overrideSearchType"] == kind
    assert workshop.aws.service.calls[-2].parameters["retrievalQuery"]["text"] == "食事の支給は課税されますか"


def test_a_hit_is_the_chunk_with_its_attributes(workshop: Workshop) -> None:
    passage = workshop.opened().search("医療費", k=1)[0].passage
    assert (passage.passage_id, passage.chunk_id, passage.record_id, passage.source) == (
        "s/3/health",
        "s/3/health",
        "s/3",
        "s",
    )
    assert passage.text == TEXTS["3/health"]
    assert passage.attributes["as_of"] == 20260401
    assert isinstance(passage.attributes["as_of"], int)
    assert passage.attributes["tags"] == ("緊急", "店舗")
    assert not any(key.startswith("x-amz") for key in passage.attributes)


@pytest.mark.parametrize(
    ("search_type", "modes"), [("HYBRID", ("hybrid",)), ("SEMANTIC", ("dense",)), ("BOTH", ("dense", "hybrid"))]
)
def test_only_the_modes_of_the_settings_are_offered(
    workshop: Workshop, search_type: str, modes: tuple[Mode, ...]
) -> None:
    search = workshop.opened(search_type=search_type)
    assert search.modes() == modes
    with pytest.raises(ValueError, match="mode bm25 is not offered"):
        search.search("食事", "bm25")


def test_it_is_evaluated_as_the_embedded_index_is(workshop: Workshop) -> None:
    search = workshop.opened(search_type="BOTH")
    question = Question(question_id="q1", text="病院で払った医療費は？", source="s", gold=("s/3",), split="tune")
    results = evaluate({"cut": AskedVariant(search, IN_INDEX, ())}, [question], search.modes())
    assert [result.mode for result in results] == ["dense", "hybrid"]
    assert [(result.hits[0].record_id, result.hits[0].correct) for result in results] == [("s/3", True)] * 2


def test_variants_side_by_side_never_mix(workshop: Workshop) -> None:
    raw, cut = workshop.opened("raw", chunking="FIXED_SIZE"), workshop.opened("cut")
    assert {hit.passage.attributes["variant"] for hit in raw.search("食事", k=100)} == {"raw"}
    assert sorted(chunk_ids(cut.search("食事", k=100))) == sorted(f"s/{name}" for name in TEXTS)


def test_windows_of_one_file_are_passages_of_their_own(workshop: Workshop) -> None:
    hits = workshop.opened("raw", chunking="FIXED_SIZE").search("食事を支給したとき", k=100)
    windows = [hit.passage for hit in hits if hit.passage.record_id == "s/9"]
    assert len(windows) > 5
    assert len({passage.passage_id for passage in windows}) == len(windows)
    assert {passage.chunk_id for passage in windows} == {"s/9"}


def test_hits_of_one_record_are_counted_once_where_asked() -> None:
    with local_aws(Behaviour(results_per_page=2)) as aws:
        made = Workshop(aws)
        made.ingest("raw", {"9": WHOLE, "8": TEXTS["2/loan"], "7": TEXTS["3/health"]}, cuts=True)
        several = made.opened("raw", chunking="FIXED_SIZE").search("食事を支給したとき", k=3)
        once = made.opened("raw", chunking="FIXED_SIZE", once_a_record=True).search("食事を支給したとき", k=3)
    assert chunk_ids(several) == ["s/9"] * 3
    assert sorted(chunk_ids(once)) == ["s/7", "s/8", "s/9"]
    assert once[0].passage == several[0].passage
    assert [hit.rank for hit in once] == [1, 2, 3]


def test_as_many_pages_are_asked_for_as_it_takes() -> None:
    with local_aws(Behaviour(results_per_page=2)) as aws:
        made = Workshop(aws)
        made.ingest("cut", TEXTS)
        paged = made.opened(verify_order=False)
        assert len(paged.search("控除", k=5)) == 5
        assert made.searched() == 3
        assert len(paged.search("控除", k=2)) == 2
        assert made.searched() == 4
        assert len(set(chunk_ids(paged.search("控除", k=4)))) == 4


def test_a_search_answers_one_to_a_hundred_hits(workshop: Workshop) -> None:
    for k in (0, 101):
        with pytest.raises(ValueError, match=f"1 to 100 hits, not {k}"):
            workshop.opened().search("食事", k=k)


def test_the_question_keeps_to_the_limit_of_the_service(workshop: Workshop) -> None:
    assert workshop.opened().search("食" * 1000, k=1)
    with pytest.raises(KnowledgeBaseError, match="1001 characters, at most 1000"):
        workshop.opened().search("食" * 1001)
    assert workshop.opened().search("　\n") == []


# -- order


def test_the_best_hit_last_is_recognised_and_told_and_ranked_only_if_the_settings_say_so(aws: LocalAws) -> None:
    workshop = Workshop(aws, "RDS")
    workshop.ingest("cut", TEXTS)
    wrong = workshop.opened(search_type="SEMANTIC")
    for _ in range(2):
        with pytest.raises(KnowledgeBaseError, match=r"the best hit comes last.*semantic_order to best_last"):
            wrong.search(TEXTS["1/meal"], "dense", k=3)
    right = workshop.opened(search_type="SEMANTIC", semantic_order="best_last")
    hits = right.search(TEXTS["1/meal"], "dense", k=3)
    assert chunk_ids(hits)[0] == "s/1/meal"
    assert hits[0].score == pytest.approx(0, abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    # Hybrid searches of the same store are in order, and stay so.
    both = workshop.opened(search_type="BOTH", semantic_order="best_last")
    assert chunk_ids(both.search("食事の支給", "hybrid"))[0] == chunk_ids(both.search("食事の支給", "dense"))[0]


@pytest.mark.parametrize("verify", [True, False])
def test_unverified_the_order_is_believed(aws: LocalAws, verify: bool) -> None:
    workshop = Workshop(aws)
    workshop.ingest("cut", TEXTS)
    search = workshop.opened(search_type="SEMANTIC", semantic_order="best_last", verify_order=verify)
    if verify:
        with pytest.raises(KnowledgeBaseError, match=r"puts it first.*Set semantic_order to best_first"):
            search.search("食事の支給", "dense")
    else:
        assert chunk_ids(search.search("食事の支給", "dense"))[-1] == "s/1/meal"


def test_the_order_is_verified_once_a_mode(workshop: Workshop) -> None:
    search = workshop.opened(search_type="BOTH")
    for mode in ("dense", "hybrid", "dense", "hybrid"):
        search.search("食事", mode)
    assert workshop.searched() == 6


def test_passages_that_all_say_the_same_have_no_order(aws: LocalAws) -> None:
    workshop = Workshop(aws)
    workshop.ingest("cut", {"1/a": "食事", "2/b": "食事"})
    assert sorted(chunk_ids(workshop.opened().search("食事"))) == ["s/1/a", "s/2/b"]


def scored(*scores: float | None) -> Callable[..., dict[str, Any]]:
    """Answers results with these scores, whatever is asked, but the text asked for is the first of them."""

    def retrieve(**request: Any) -> dict[str, Any]:
        results = [
            {
                "content": {"text": f"文{number}"},
                "location": {"type": "S3", "s3Location": {"uri": f"s3://a-bucket/cut/s/{number}/a.txt"}},
                **({} if score is None else {"score": score}),
            }
            for number, score in enumerate(scores)
        ]
        asked = request["retrievalQuery"]["text"]
        return {"retrievalResults": sorted(results, key=lambda result: result["content"] != {"text": asked})}

    return retrieve


class Scored:
    """A client whose scores a store of the emulation does not give."""

    def __init__(self, *scores: float | None) -> None:
        self.meta = type("Meta", (), {"region_name": "ap-northeast-1"})
        self.retrieve = scored(*scores)


def search_of(client: Scored, **settings: Any) -> KnowledgeBaseSearch:
    given = CUT.model_dump() | settings
    return KnowledgeBaseSearch(client, KnowledgeBaseSettings.model_validate(given))


def test_distances_that_rise_from_a_verified_best_hit_are_told_as_negative_scores() -> None:
    hits = search_of(Scored(0.1, 0.4, 0.4)).search("何か")
    assert [hit.score for hit in hits] == [-0.1, -0.4, -0.4]
    assert chunk_ids(hits) == ["s/0/a", "s/1/a", "s/2/a"]


def test_scores_in_no_order_are_refused_unless_told_to_be_believed() -> None:
    with pytest.raises(KnowledgeBaseError, match=r"neither fall nor rise.*verify_order to false"):
        search_of(Scored(0.9, 0.1, 0.5)).search("何か")
    assert [hit.score for hit in search_of(Scored(0.9, 0.1, 0.5), verify_order=False).search("何か")] == [
        1,
        1 / 2,
        1 / 3,
    ]


def test_results_without_scores_are_ranked_as_they_come() -> None:
    hits = search_of(Scored(None, None)).search("何か")
    assert [(hit.score, hit.passage.record_id) for hit in hits] == [(1, "s/0"), (1 / 2, "s/1")]


def test_pages_beyond_the_number_asked_for_are_left_and_pages_without_end_are_told() -> None:
    endless, empty = Scored(0.9, 0.5), Scored(0.9)
    answer, asked = endless.retrieve, []

    def with_token(**request: Any) -> dict[str, Any]:
        asked.append(request)
        return answer(**request) | {"nextToken": "more"}

    endless.retrieve = with_token
    assert len(search_of(endless, verify_order=False).search("何か", k=2)) == 2
    assert len(asked) == 1
    empty.retrieve = lambda **_: {"retrievalResults": [], "nextToken": "more"}
    with pytest.raises(KnowledgeBaseError, match="2 results did not come in 100 pages"):
        search_of(empty).search("何か", k=2)


# -- stores, filters


def test_a_store_without_hybrid_search_is_told_and_nothing_else_is_searched(aws: LocalAws) -> None:
    workshop = Workshop(aws, "S3_VECTORS")
    workshop.ingest("cut", TEXTS)
    with pytest.raises(KnowledgeBaseError, match="cannot search by words: set search_type to SEMANTIC"):
        workshop.opened().search("食事の支給")
    assert workshop.searched() == 1
    semantic = workshop.opened(search_type="SEMANTIC")
    assert chunk_ids(semantic.search("食事の支給", "dense"))[0] == "s/1/meal"
    with pytest.raises(KnowledgeBaseError, match="S3 Vectors has neither startsWith"):
        semantic.search("食事", "dense", filters=[Filter(key="source", operator="starts_with", value="s")])


def test_filters_hold_beside_the_variant(workshop: Workshop) -> None:
    def found(*filters: Condition) -> set[str]:
        return {hit.passage.record_id for hit in workshop.opened().search("控除", k=100, filters=filters)}

    assert found(Filter(key="record_id", value="s/1")) == {"s/1"}
    assert found(Filter(key="record_id", operator="in", value=("s/2", "s/8"))) == {"s/2"}
    assert found(Filter(key="as_of", operator="above", value=20260401)) == set()
    assert found(Filter(key="tags", operator="contains", value="緊急")) == {"s/1", "s/2", "s/3", "s/4"}
    assert found(Filter(key="tags", operator="contains", value="緊")) == set()
    with pytest.raises(FilterError, match="tell which keys are lists"):
        workshop.opened(lists=None).search("控除", filters=[Filter(key="tags", operator="contains", value="緊急")])


# -- tracing


def test_files_without_sidecars_are_no_passages_of_the_variant(aws: LocalAws) -> None:
    workshop = Workshop(aws)
    workshop.ingest("cut", TEXTS, sidecars=False)
    with pytest.raises(KnowledgeBaseError, match=r"no passage with variant 'cut'.*sidecars \(\.metadata\.json\)"):
        workshop.opened().search("食事の支給")


@pytest.mark.parametrize(
    ("chunking", "name", "chunk", "record"),
    [("NONE", "s/1/meal", "s/1/meal", "s/1"), ("FIXED_SIZE", "s/9", "s/9", "s/9")],
)
def test_a_result_without_metadata_is_traced_by_its_file(
    chunking: Literal["NONE", "FIXED_SIZE"], name: str, chunk: str, record: str
) -> None:
    corpus = CUT.model_copy(update={"chunking": chunking})
    location = {"type": "S3", "s3Location": {"uri": f"s3://a-bucket/cut/{name}.txt"}}
    passages = [passage_of({"content": {"text": text}, "location": location}, corpus) for text in ("食事", "休憩")]
    assert {(one.chunk_id, one.record_id, one.source) for one in passages} == {(chunk, record, "s")}
    assert [one.attributes for one in passages] == [{}, {}]
    assert len({one.passage_id for one in passages}) == (1 if chunking == "NONE" else 2)


def test_a_result_that_leads_nowhere_is_told(workshop: Workshop) -> None:
    search = workshop.opened()
    search.search("食事")
    workshop.aws.service.faults.bare_results()
    with pytest.raises(TraceError, match=r"without a file.*leads back to no record.*sidecars"):
        search.search("食事")
    assert search.search("食事")


@pytest.mark.parametrize(
    ("uri", "metadata", "told"),
    [
        ("s3://a-bucket/cut/readme.txt", {}, "s3://a-bucket/cut/readme.txt: it leads back to no record"),
        ("s3://a-bucket/cut/s/1/a.pdf", {}, "s3://a-bucket/cut/s/1/a.pdf: it leads back to no record"),
        ("s3://a-bucket/cut2/s/1/a.txt", {}, "from elsewhere than s3://a-bucket/cut/. Check bucket and prefix"),
        (
            "s3://other/cut/s/1/a.txt",
            {"record_id": "s/1", "chunk_id": "s/1/a"},
            "from elsewhere than s3://a-bucket/cut/",
        ),
        ("s3://a-bucket/cut/s/1/a.txt", {"variant": "raw"}, "of variant 'raw', 'cut' was searched"),
        (
            "s3://a-bucket/cut/s/1/a.txt",
            {"x-amz-bedrock-kb-data-source-id": "OLD"},
            f"of data source OLD, {CUT.data_source_id} was searched",
        ),
    ],
)
def test_what_belongs_to_no_record_or_to_another_corpus_is_refused_by_name(
    uri: str, metadata: dict[str, Any], told: str
) -> None:
    location = {"type": "S3", "s3Location": {"uri": uri}}
    with pytest.raises(TraceError, match=re.escape(told)):
        passage_of({"content": {"text": "食事"}, "location": location, "metadata": metadata}, CUT)
    with pytest.raises(TraceError, match="has no text"):
        passage_of({"content": {"type": "IMAGE"}, "location": location}, CUT)


@pytest.mark.parametrize(
    ("told", "kept"), [(2.0, 2), (2.5, 2.5), (True, True), ("a", "a"), (["a"], ("a",)), ({"a": 1}, None), (None, None)]
)
def test_attributes_come_back_as_they_were(told: object, kept: Attribute | None) -> None:
    metadata = {"record_id": "s/1", "chunk_id": "s/1/a", "k": told}
    attributes = passage_of({"content": {"text": "食事"}, "metadata": metadata}, CUT).attributes
    assert attributes.get("k") == kept
    assert type(attributes.get("k")) is type(kept)


def test_a_data_source_that_cuts_prepared_chunks_is_told(workshop: Workshop) -> None:
    with pytest.raises(TraceError, match=r"s/9\.txt: it came back in several pieces.*chunking NONE"):
        workshop.opened("raw", chunking="NONE").search("食事を支給したとき", k=20)


# -- what goes wrong


def test_throttling_faults_and_silence_are_waited_out(workshop: Workshop) -> None:
    faults = workshop.aws.service.faults
    search = workshop.opened(timeout=0.3)
    happenings: list[Callable[[], None]] = [
        lambda: faults.throttle("Retrieve", times=2),
        lambda: faults.server_error("Retrieve"),
        lambda: faults.refuse("Retrieve", "ServiceUnavailableException"),
        lambda: faults.refuse("Retrieve", "BadGatewayException"),
        lambda: faults.refuse("Retrieve", "DependencyFailedException"),
        lambda: faults.slow("Retrieve", 0.6),
        lambda: faults.drop("Retrieve"),
        lambda: faults.refuse(
            "Retrieve", "ValidationException", "The Aurora DB instance db-1 is resuming after being auto-paused."
        ),
    ]
    for happens in happenings:
        happens()
        assert chunk_ids(search.search("食事の支給", k=1)) == ["s/1/meal"]
    assert len(workshop.clock.slept) == 9
    assert all(0.5 <= wait <= 20.5 for wait in workshop.clock.slept)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("throttle", "The service throttles.*higher quota.*ThrottlingException"),
        ("server_error", "AWS Health Dashboard.*InternalServerException"),
        ("drop", "AWS Health Dashboard.*Connection was closed"),
    ],
)
def test_patience_ends(workshop: Workshop, fault: str, told: str) -> None:
    workshop.aws.service.faults.told(fault, {"operation": "Retrieve", "times": 1000})
    search = workshop.opened()
    name = f"Knowledge Base {workshop.knowledge_base_id} .ap-northeast-1."
    with pytest.raises(BedrockError, match=f"{name}: Retrieve did not succeed within 60 seconds.*{told}"):
        search.search("食事の支給")
    assert 30 < sum(workshop.clock.slept) <= 60
    workshop.aws.service.faults.clear()
    assert search.search("食事の支給")


def test_what_cannot_pass_is_told_at_once(workshop: Workshop) -> None:
    def failure(**settings: Any) -> str:
        with pytest.raises(BedrockError) as caught:
            workshop.opened(**settings).search("食事の支給")
        return str(caught.value)

    assert "credentials are expired: renew" in failure(aws_access_key_id="EXPIRED1", aws_secret_access_key="-")
    assert re.search(
        r"Allow the action bedrock:Retrieve on arn:aws:bedrock:ap-northeast-1:<account>:knowledge-base/\w+ in",
        failure(aws_access_key_id="DENIED1", aws_secret_access_key="-"),
    )
    assert "Check knowledge_base_id, the region" in failure(knowledge_base_id="ZZZZZZZZZZ")
    assert "us-west-2" in failure(region_name="us-west-2")
    assert workshop.clock.slept == []


def test_nothing_ingested_is_told_and_nothing_let_through_is_not(workshop: Workshop) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"no passage with variant 'prepared_900'.*ingest the variant first"):
        workshop.opened("prepared_900").search("食事")
    assert workshop.opened().search("食事", filters=[Filter(key="number", value="9999")]) == []


def test_a_withdrawn_chunk_is_found_no_more(workshop: Workshop) -> None:
    search = workshop.opened()
    assert chunk_ids(search.search("医療費控除", k=1)) == ["s/3/health"]
    for suffix in ("", ".metadata.json"):
        workshop.aws.s3.delete_object(Bucket=BUCKET, Key=f"cut/s/3/health.txt{suffix}")
    workshop.sync("cut")
    assert "s/3/health" not in chunk_ids(search.search("医療費控除", k=100))
