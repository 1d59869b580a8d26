"""Ingests documents into a Knowledge Base, or deletes them from it, by name and without a job; for small changes.

The bucket has to hold the same already: a later job deletes what is not there, and ingests again what was only deleted
from the index (https://docs.aws.amazon.com/bedrock/latest/userguide/kb-direct-ingestion.html). The guide also wants one
job to have run before. A batch has ten documents according to the service model; the guide says 25 for the API.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rag_assets.corpus.writing import SIDECAR_SUFFIX
from rag_assets.ingestion.documents import NAMED, UNDER_WAY, describe_document, document_identifiers, read_key
from rag_assets.ingestion.ledger import ChangedDocuments
from rag_assets.ingestion.service import IngestionError, IngestionService
from rag_assets.ingestion.state import IngestionState
from rag_assets.model import Model
from rag_assets.s3.locations import IngestionTarget

BATCH = 10
MOST_URI_CHARACTERS = 128
"""Of an address in a request, after `s3://` (S3Location in the API reference); a sidecar's may have 1,024."""

Detail = Mapping[str, Any]
"""A document as the service shows it (KnowledgeBaseDocumentDetail in the API reference)."""


class DirectCounts(Model):
    """What a direct ingestion did, in documents."""

    ingested: int
    deleted: int


def longest_key(target: IngestionTarget) -> int:
    """Characters that the key of a document may have, for the document to be named in a request."""
    return MOST_URI_CHARACTERS - len(f"{target.bucket}/")


def ingest_directly(
    service: IngestionService, target: IngestionTarget, changes: ChangedDocuments, state: IngestionState
) -> DirectCounts:
    """Ingest documents, then delete others, and wait for all of them.

    The service may show a document as it was before for a while. It counts as ingested only when it was updated since.

    Needs bedrock:IngestKnowledgeBaseDocuments, DeleteKnowledgeBaseDocuments and GetKnowledgeBaseDocuments.

    Args:
        service: The service.
        target: The data source.
        changes: What changed.
        state: Names the attempt, so that a batch whose answer was lost is not done twice.

    Raises:
        IngestionError: A document was not ingested or deleted, or that is not known.
    """
    wanted = {**dict.fromkeys(changes.put, "INDEXED"), **dict.fromkeys(changes.deleted, "NOT_FOUND")}
    # What was asked for before, by a run that was broken off, must not pass for what is asked for now.
    before = _wait_for(service, target, list(wanted), lambda _, detail: detail["status"] not in UNDER_WAY)
    refused: dict[str, str] = {}
    for keys in _batches(changes.put):
        answer = service.start(
            "IngestKnowledgeBaseDocuments",
            **target.ids,
            documents=[_name_document(target, key) for key in keys],
            clientToken=state.make_token("\n".join(["put", *keys])),
        )
        refused |= _read_refused(target, answer)
    for keys in _batches(changes.deleted):
        service.start(
            "DeleteKnowledgeBaseDocuments",
            **target.ids,
            documentIdentifiers=document_identifiers(target, keys),
            clientToken=state.make_token("\n".join(["delete", *keys])),
        )
    taken = [key for key in wanted if key not in refused]

    def is_done(key: str, detail: Detail) -> bool:
        if detail["status"] in UNDER_WAY:
            return False
        return detail["status"] == wanted[key] == "NOT_FOUND" or _version(detail) != _version(before[key])

    after = _wait_for(service, target, taken, is_done)
    faults = [
        *refused.values(),
        *(_describe_unchanged(detail) for key, detail in after.items() if not is_done(key, detail)),
        *(
            describe_document(detail)
            for key, detail in after.items()
            if is_done(key, detail) and detail["status"] != wanted[key]
        ),
    ]
    if faults:
        raise IngestionError(_describe_faults(target, changes, faults))
    return DirectCounts(ingested=len(changes.put), deleted=len(changes.deleted))


def _read_refused(target: IngestionTarget, answer: Mapping[str, Any]) -> dict[str, str]:
    """The documents that an answer to IngestKnowledgeBaseDocuments refuses, by key, with the reason."""
    details = answer["documentDetails"]
    return {read_key(target, one): describe_document(one) for one in details if one["status"] in ("IGNORED", "FAILED")}


def _wait_for(
    service: IngestionService, target: IngestionTarget, keys: Sequence[str], is_done: Callable[[str, Detail], bool]
) -> dict[str, Detail]:
    """The documents as the service shows them, by key, when it is done with all of them or the wait is over.

    A document that it does not mention counts as not found.
    """
    poll = service.start_polling()
    told: dict[str, Detail] = {
        key: {"status": "NOT_FOUND", "identifier": identifier}
        for key, identifier in zip(keys, document_identifiers(target, keys), strict=True)
    }
    waiting = keys
    while waiting:
        told |= _get_details(service, target, waiting)
        waiting = [key for key in waiting if not is_done(key, told[key])]
        under_way = any(told[key]["status"] in UNDER_WAY for key in waiting)
        limit = service.patience.job if under_way else service.patience.answer
        pause = poll.next_pause(limit) if waiting else None
        if pause is None:
            break
        done = len(keys) - len(waiting)
        service.tell(f"direct ingestion: {done:,} of {len(keys):,} done; next look in {pause:,.0f} s")
        service.clock.sleep(pause)
    return told


def _version(detail: Detail) -> tuple[str, Any]:
    """What changes when the service works on a document; not every status has an update time."""
    return detail["status"], detail.get("updatedAt")


def _describe_unchanged(detail: Detail) -> str:
    if detail["status"] in UNDER_WAY:
        return f"{describe_document(detail)} still"
    return f"{describe_document(detail)}, as it was before: the service took the request and did nothing"


def _get_details(
    service: IngestionService, target: IngestionTarget, keys: Sequence[str]
) -> Iterator[tuple[str, Detail]]:
    for batch in _batches(keys):
        answer = service.call(
            "GetKnowledgeBaseDocuments", **target.ids, documentIdentifiers=document_identifiers(target, batch)
        )
        yield from ((read_key(target, detail), detail) for detail in answer["documentDetails"])


def _name_document(target: IngestionTarget, key: str) -> dict[str, Any]:
    return {
        "content": {"dataSourceType": "S3", "s3": {"s3Location": {"uri": target.object_uri(key)}}},
        "metadata": {"type": "S3_LOCATION", "s3Location": {"uri": target.object_uri(key + SIDECAR_SUFFIX)}},
    }


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]


def _describe_faults(target: IngestionTarget, changes: ChangedDocuments, faults: Sequence[str]) -> str:
    more = [f"- and {len(faults) - NAMED:,} more"] if len(faults) > NAMED else []
    return "\n".join(
        [
            f"{target}: {len(faults):,} of {changes.count:,} documents were not ingested directly:",
            *(f"- {fault}" for fault in faults[:NAMED]),
            *more,
            "Mend those files where a reason is told. Then run again: the next run starts an ingestion job, which "
            "looks at every document",
        ]
    )
