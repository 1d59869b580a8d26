from typing import Any

from emulation.clocks import PollPace
from emulation.local_aws import local_aws
from emulation.state import Behaviour
from rag_assets_tests.emulation.conftest import Source, source_of
from rag_assets_tests.emulation.test_wire import code_of

ROOT = "s3://a-bucket/docs/"


def document(name: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    content = {"dataSourceType": "S3", "s3": {"s3Location": {"uri": ROOT + name}}}
    return {"content": content, **({"metadata": metadata} if metadata else {})}


def identifier(name: str) -> dict[str, Any]:
    return {"dataSourceType": "S3", "s3": {"uri": ROOT + name}}


def statuses(source: Source, *names: str) -> list[str]:
    told = source.agent.get_knowledge_base_documents(
        **source.named, documentIdentifiers=[identifier(name) for name in names]
    )
    return [detail["status"] for detail in told["documentDetails"]]


def test_a_document_is_ingested_without_a_job(source: Source) -> None:
    source.put("meal.txt", "食事を支給したとき", {"kind": "x"})
    sidecar = {"type": "S3_LOCATION", "s3Location": {"uri": f"{ROOT}meal.txt.metadata.json"}}
    told = source.agent.ingest_knowledge_base_documents(**source.named, documents=[document("meal.txt", sidecar)])
    assert [detail["status"] for detail in told["documentDetails"]] == ["STARTING"]
    assert [statuses(source, "meal.txt") for _ in range(3)] == [["STARTING"], ["IN_PROGRESS"], ["INDEXED"]]
    assert source.found("食事", filter={"equals": {"key": "kind", "value": "x"}}) == ["meal.txt"]
    # A job then finds nothing to do.
    assert source.counts() == {"DocumentsScanned": 1, "MetadataDocumentsScanned": 1}


def test_attributes_may_come_with_the_request(source: Source) -> None:
    source.put("meal.txt", "食事を支給したとき")
    value = {"type": "NUMBER", "numberValue": 20260401}
    inline = {"type": "IN_LINE_ATTRIBUTE", "inlineAttributes": [{"key": "as_of", "value": value}]}
    source.agent.ingest_knowledge_base_documents(**source.named, documents=[document("meal.txt", inline)])
    for _ in range(3):
        statuses(source, "meal.txt")
    assert source.found("食事", filter={"greaterThan": {"key": "as_of", "value": 20260000}}) == ["meal.txt"]


def test_a_document_is_deleted_without_a_job() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0))) as aws:
        source = source_of(aws)
        source.put("meal.txt", "食事を支給したとき")
        source.sync()
        named = {**source.named, "documentIdentifiers": [identifier("meal.txt"), identifier("none.txt")]}
        told = source.agent.delete_knowledge_base_documents(**named)
        assert [detail["status"] for detail in told["documentDetails"]] == ["DELETING", "NOT_FOUND"]
        assert statuses(source, "meal.txt") == ["NOT_FOUND"]
        assert source.found("食事") == []
        # The object is still in the bucket: the next job takes it in again.
        assert source.counts() == {"DocumentsScanned": 1, "NewDocumentsIndexed": 1}


def test_batches_are_of_ten(source: Source) -> None:
    batch = [document(f"{number}.txt") for number in range(11)]
    ingest = source.agent.ingest_knowledge_base_documents
    assert code_of(ingest, **source.named, documents=batch) == "ValidationException"
    assert ingest(**source.named, documents=batch[:10])


def test_what_cannot_be_ingested_tells_so() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0))) as aws:
        source = source_of(aws)
        source.put("empty.txt", " ")
        source.put("skipped.txt", "食事", {"kind": ""})
        sidecar = {"type": "S3_LOCATION", "s3Location": {"uri": f"{ROOT}skipped.txt.metadata.json"}}
        documents = [document("empty.txt"), document("none.txt"), document("skipped.txt", sidecar)]
        source.agent.ingest_knowledge_base_documents(**source.named, documents=documents)
        assert statuses(source, "empty.txt", "none.txt", "skipped.txt") == ["FAILED", "FAILED", "IGNORED"]


def test_only_documents_of_the_data_source_are_taken(source: Source) -> None:
    ingest = source.agent.ingest_knowledge_base_documents
    elsewhere = {"content": {"dataSourceType": "S3", "s3": {"s3Location": {"uri": "s3://a-bucket/other/a.txt"}}}}
    assert code_of(ingest, **source.named, documents=[elsewhere]) == "ValidationException"
    text = {"type": "TEXT", "textContent": {"data": "食事"}}
    custom = {"customDocumentIdentifier": {"id": "x"}, "sourceType": "IN_LINE", "inlineContent": text}
    inline = {"content": {"dataSourceType": "CUSTOM", "custom": custom}}
    assert code_of(ingest, **source.named, documents=[inline]) == "ValidationException"


def test_the_same_token_is_answered_the_same_and_does_nothing_twice(source: Source) -> None:
    source.put("meal.txt", "食事")
    request = {**source.named, "documents": [document("meal.txt")], "clientToken": "t" * 40}
    first = source.agent.ingest_knowledge_base_documents(**request)
    for _ in range(3):
        statuses(source, "meal.txt")
    again = source.agent.ingest_knowledge_base_documents(**request)
    assert again["documentDetails"] == first["documentDetails"]
    assert statuses(source, "meal.txt") == ["INDEXED"]
    assert code_of(source.agent.ingest_knowledge_base_documents, **{**request, "documents": [document("b.txt")]}) == (
        "ValidationException"
    )


def test_documents_are_listed_in_pages(source: Source) -> None:
    for number in range(12):
        source.put(f"{number:02}.txt", "食事")
    source.put("bad.txt", b"\xff")
    source.sync()
    pages = source.agent.get_paginator("list_knowledge_base_documents").paginate(
        **source.named, PaginationConfig={"PageSize": 5}
    )
    listed = [page["documentDetails"] for page in pages]
    assert [len(page) for page in listed] == [5, 5, 3]
    told = {detail["identifier"]["s3"]["uri"]: detail["status"] for page in listed for detail in page}
    assert told.pop(f"{ROOT}bad.txt") == "FAILED"
    assert set(told.values()) == {"INDEXED"}


def test_what_a_document_was_before_may_be_told_for_a_while() -> None:
    with local_aws(Behaviour(unnoticed_looks=2)) as aws:
        source = source_of(aws)
        source.put("meal.txt", "食事を支給したとき")
        source.sync()
        source.put("meal.txt", "住宅借入金等特別控除")
        told = source.agent.ingest_knowledge_base_documents(**source.named, documents=[document("meal.txt")])
        assert told["documentDetails"][0]["status"] == "STARTING"
        seen = [statuses(source, "meal.txt")[0] for _ in range(5)]
        assert seen == ["INDEXED", "INDEXED", "STARTING", "IN_PROGRESS", "INDEXED"]
        source.agent.delete_knowledge_base_documents(**source.named, documentIdentifiers=[identifier("meal.txt")])
        seen = [statuses(source, "meal.txt")[0] for _ in range(5)]
        assert seen == ["INDEXED", "INDEXED", "DELETING", "DELETE_IN_PROGRESS", "NOT_FOUND"]


def test_what_is_overlooked_or_refused_stays_as_it_was() -> None:
    with local_aws(Behaviour(pace=PollPace(0, 0))) as aws:
        source = source_of(aws)
        source.put("a.txt", "食事")
        source.put("b.txt", "食事")
        source.sync()
        named = {**source.named, "documentIdentifiers": [identifier("a.txt"), identifier("b.txt")]}
        before = source.agent.get_knowledge_base_documents(**named)["documentDetails"]
        source.put("a.txt", "住宅")
        source.put("b.txt", "住宅")
        aws.service.faults.overlook_file("docs/a.txt")
        aws.service.faults.refuse_file("docs/b.txt", "too old")
        told = source.agent.ingest_knowledge_base_documents(
            **source.named, documents=[document("a.txt"), document("b.txt")]
        )["documentDetails"]
        assert [(detail["status"], detail.get("statusReason")) for detail in told] == [
            ("STARTING", None),
            ("IGNORED", "too old"),
        ]
        assert source.agent.get_knowledge_base_documents(**named)["documentDetails"] == before
        assert aws.service.chunk_texts(source.ids.knowledge_base_id) == ["食事", "食事"]
