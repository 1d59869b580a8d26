from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from emulation.local_aws import LocalAws
from emulation.wire import SERVICES, routes, service_model
from rag_assets_tests.emulation.conftest import Source, source_of


def code_of(call: Any, **arguments: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    code: str = caught.value.response["Error"]["Code"]
    return code


def status_of(call: Any, **arguments: Any) -> int:
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    status: int = caught.value.response["ResponseMetadata"]["HTTPStatusCode"]
    return status


def test_every_operation_of_the_three_services_has_a_path_of_its_own() -> None:
    told = {(route.service, route.operation.name) for route in routes()}
    assert told == {(service, name) for service in SERVICES for name in service_model(service).operation_names}


def test_operations_that_are_not_emulated_say_so(aws: LocalAws) -> None:
    assert code_of(aws.client("bedrock-agent").list_agents) == "UnknownOperationException"
    assert code_of(aws.client("bedrock-runtime").list_async_invokes) == "UnknownOperationException"


def test_a_request_that_nobody_signed_is_refused(aws: LocalAws) -> None:
    answer = requests.post(f"{aws.url}/knowledgebases/", json={}, timeout=5)
    assert answer.status_code == 403
    assert answer.headers["x-amzn-ErrorType"].startswith("MissingAuthenticationTokenException")
    assert requests.get(f"{aws.url}/nothing", timeout=5).status_code == 404


@pytest.mark.parametrize(
    ("key", "code"), [("EXPIREDKEY", "ExpiredTokenException"), ("DENIEDKEY", "AccessDeniedException")]
)
def test_the_access_key_says_whether_it_is_good(source: Source, key: str, code: str) -> None:
    agent = source.aws.client("bedrock-agent", aws_access_key_id=key, aws_secret_access_key="x")
    assert code_of(agent.start_ingestion_job, **source.named) == code
    assert source.sync()["status"] == "COMPLETE"


def test_credentials_expire_and_are_renewed(source: Source) -> None:
    source.aws.service.faults.expire_credentials()
    assert code_of(source.agent.get_data_source, **source.named) == "ExpiredTokenException"
    source.aws.service.faults.renew_credentials()
    assert source.agent.get_data_source(**source.named)["dataSource"]["status"] == "AVAILABLE"


def test_nothing_is_found_from_another_region(source: Source) -> None:
    elsewhere = source.aws.client("bedrock-agent", region_name="us-west-2")
    assert code_of(elsewhere.get_data_source, **source.named) == "ResourceNotFoundException"
    assert elsewhere.list_knowledge_bases()["knowledgeBaseSummaries"] == []


def test_what_botocore_lets_pass_and_the_service_does_not(source: Source) -> None:
    search: dict[str, Any] = {"knowledgeBaseId": source.ids.knowledge_base_id, "retrievalQuery": {"text": "食事"}}

    def refused(**vector: Any) -> bool:
        configured = {"vectorSearchConfiguration": vector}
        return code_of(source.runtime.retrieve, **search, retrievalConfiguration=configured) == "ValidationException"

    assert refused(numberOfResults=101)
    assert refused(overrideSearchType="LEXICAL")
    assert refused(filter={"equals": {"key": "k" * 101, "value": "x"}})
    assert code_of(source.agent.start_ingestion_job, **source.named, clientToken="a" * 257) == "ValidationException"
    assert code_of(source.agent.start_ingestion_job, **source.named, clientToken="_" * 40) == "ValidationException"
    assert code_of(source.agent.start_ingestion_job, **source.named, description="d" * 201) == "ValidationException"
    wrong = {"knowledgeBaseId": "too-short", "dataSourceId": source.ids.data_source_id}
    assert code_of(source.agent.start_ingestion_job, **wrong) == "ValidationException"
    assert code_of(source.agent.list_ingestion_jobs, **source.named, maxResults=1001) == "ValidationException"


def test_a_client_token_is_33_characters_at_least(source: Source) -> None:
    # botocore knows minima; a client that does not is refused by the service.
    answer = requests.put(
        f"{source.aws.url}/knowledgebases/{source.ids.knowledge_base_id}/datasources/"
        f"{source.ids.data_source_id}/ingestionjobs/",
        json={"clientToken": "a" * 32},
        headers={"Authorization": "AWS4-HMAC-SHA256 Credential=K/20260401/ap-northeast-1/bedrock/aws4_request"},
        timeout=5,
    )
    assert answer.status_code == 400
    assert answer.json()["fieldList"] == [
        {"name": "clientToken", "message": "must have length greater than or equal to 33"}
    ]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ThrottlingException", 429),
        ("ConflictException", 409),
        ("ServiceQuotaExceededException", 402),
        ("InternalServerException", 500),
        ("AccessDeniedException", 403),
        ("ResourceNotFoundException", 404),
        ("ServiceUnavailableException", 503),
    ],
)
def test_errors_have_the_status_of_the_service(source: Source, code: str, status: int) -> None:
    source.aws.service.faults.refuse("StartIngestionJob", code)
    assert status_of(source.agent.start_ingestion_job, **source.named) == status


def test_what_is_not_there_is_not_found(source: Source) -> None:
    other = {**source.named, "dataSourceId": "ZZZZZZZZZZ"}
    assert code_of(source.agent.get_data_source, **other) == "ResourceNotFoundException"
    assert code_of(source.agent.get_knowledge_base, knowledgeBaseId="ZZZZZZZZZZ") == "ResourceNotFoundException"
    missing = {**source.named, "ingestionJobId": "ZZZZZZZZZZ"}
    assert code_of(source.agent.get_ingestion_job, **missing) == "ResourceNotFoundException"


def test_the_control_plane_tells_how_things_are_set_up(aws: LocalAws) -> None:
    source = source_of(aws, store="S3_VECTORS")
    knowledge_base = source.agent.get_knowledge_base(knowledgeBaseId=source.ids.knowledge_base_id)["knowledgeBase"]
    assert knowledge_base["status"] == "ACTIVE"
    assert knowledge_base["storageConfiguration"]["type"] == "S3_VECTORS"
    told = source.agent.get_data_source(**source.named)["dataSource"]
    assert told["dataSourceConfiguration"]["s3Configuration"] == {
        "bucketArn": "arn:aws:s3:::a-bucket",
        "inclusionPrefixes": ["docs/"],
    }
    assert told["vectorIngestionConfiguration"]["chunkingConfiguration"] == {"chunkingStrategy": "NONE"}


def test_lists_come_in_pages_and_a_token_is_good_for_its_own_request_only(aws: LocalAws) -> None:
    ids = [aws.service.add_knowledge_base(f"kb-{number}") for number in range(23)]
    agent = aws.client("bedrock-agent")
    first = agent.list_knowledge_bases()
    assert len(first["knowledgeBaseSummaries"]) == 10
    pages = agent.get_paginator("list_knowledge_bases").paginate(PaginationConfig={"PageSize": 5})
    assert [one["knowledgeBaseId"] for page in pages for one in page["knowledgeBaseSummaries"]] == ids
    aws.service.add_data_source(ids[0], "b")
    other = {"knowledgeBaseId": ids[0], "nextToken": first["nextToken"]}
    assert code_of(agent.list_data_sources, **other) == "ValidationException"
    assert code_of(agent.list_knowledge_bases, nextToken="made-up") == "ValidationException"


def test_a_deleted_data_source_leaves_its_chunks_only_where_the_policy_retains_them(aws: LocalAws) -> None:
    for bucket, policy in (("one-bucket", "DELETE"), ("other-bucket", "RETAIN")):
        source = source_of(aws, bucket, deletion_policy=policy)
        source.put("meal.txt", "食事を支給したとき")
        source.sync()
        assert source.agent.delete_data_source(**source.named)["status"] == "DELETING"
        assert code_of(source.agent.get_data_source, **source.named) == "ResourceNotFoundException"
        assert source.found("食事") == (["meal.txt"] if policy == "RETAIN" else [])
