"""Direct ingestion: documents put into a Knowledge Base, or taken out, without a job; for small changes.

The bucket has to hold the same already: a later job takes out what is not there, and takes in what was only taken out
of the index (user guide, "Ingest changes directly into a knowledge base"). The guide also wants one job to have run
before. A batch has ten documents: so the service model; the guide has 25 for the API and ten for the console.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rag_assets.corpus.writing import SIDECAR_SUFFIX
from rag_assets.model import Model
from rag_assets.sync.data_source import IngestionTarget
from rag_assets.sync.documents import NAMED, UNDER_WAY, identifiers, worded
from rag_assets.sync.service import IngestionError, Service
from rag_assets.sync.state import IngestionState

BATCH = 10
MOST_URI_CHARACTERS = 1024
"""Of an S3 URI in a request (CustomS3Location in the API reference)."""


class Changes(Model):
    """Documents that a sync of the objects changed, by whole key, without their sidecars.

    Attributes:
        put: New, or with another text or sidecar. Each has a sidecar beside it.
        deleted: Gone from the bucket.
    """

    put: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Documents in all."""
        return len(self.put) + len(self.deleted)


class DirectCounts(Model):
    """What a direct ingestion did, in documents."""

    ingested: int
    deleted: int


def fits_directly(state: IngestionState, target: IngestionTarget, changes: Changes, most: int) -> bool:
    """Whether changes may be ingested without a job.

    Only where they are all that has happened since a good ingestion: otherwise documents that nobody names would be
    left as they are.
    """
    longest = max((len(target.object_uri(key + SIDECAR_SUFFIX)) for key in changes.put), default=0)
    return state.alone and 0 < changes.count <= most and longest <= MOST_URI_CHARACTERS


def ingest_directly(service: Service, target: IngestionTarget, changes: Changes, state: IngestionState) -> DirectCounts:
    """Put documents into the Knowledge Base, then take others out, and wait until each of them is.

    Needs bedrock:IngestKnowledgeBaseDocuments, DeleteKnowledgeBaseDocuments and GetKnowledgeBaseDocuments.

    Args:
        service: The service.
        target: The data source.
        changes: What changed.
        state: Names the attempt: a batch whose answer was lost is not done twice.

    Raises:
        IngestionError: A document was not taken in or out, or that could not be found out.
    """
    refused: list[str] = []
    for number, keys in enumerate(_batches(changes.put)):
        answer = service.start(
            "IngestKnowledgeBaseDocuments",
            **target.ids,
            documents=[_document(target, key) for key in keys],
            clientToken=state.token(f"put {number}"),
        )
        refused += refused_at_once(answer)
    for number, keys in enumerate(_batches(changes.deleted)):
        service.start(
            "DeleteKnowledgeBaseDocuments",
            **target.ids,
            documentIdentifiers=identifiers(target, keys),
            clientToken=state.token(f"delete {number}"),
        )
    faults = [*refused, *_faults(service, target, changes.put, "INDEXED")]
    faults += _faults(service, target, changes.deleted, "NOT_FOUND")
    if faults:
        raise IngestionError(_message(target, changes, list(dict.fromkeys(faults))))
    return DirectCounts(ingested=len(changes.put), deleted=len(changes.deleted))


def refused_at_once(answer: Mapping[str, Any]) -> list[str]:
    """The documents that an answer to IngestKnowledgeBaseDocuments says are not taken, in words.

    Asked for later, such a document may be told INDEXED: what it was before is.
    """
    return [worded(detail) for detail in answer["documentDetails"] if detail["status"] in ("IGNORED", "FAILED")]


def _faults(service: Service, target: IngestionTarget, keys: Sequence[str], wanted: str) -> list[str]:
    """The documents that do not come to the wanted status, in words."""
    began, pauses = service.clock.monotonic(), iter(service.patience.poll_pauses)
    waiting, faults = list(keys), []
    while waiting:
        details = [detail for batch in _batches(waiting) for detail in _details(service, target, batch)]
        under_way = [detail for detail in details if detail["status"] in UNDER_WAY]
        faults += [worded(detail) for detail in details if detail["status"] not in {wanted, *UNDER_WAY}]
        pause = next(pauses)
        if under_way and service.clock.monotonic() - began + pause > service.patience.job:
            return faults + [f"{worded(detail)} still" for detail in under_way]
        if under_way:
            done = len(keys) - len(under_way)
            service.tell(f"direct ingestion: {done:,} of {len(keys):,} done; next look in {pause:,.0f} s")
            service.clock.sleep(pause)
        waiting = [_key(target, detail) for detail in under_way]
    return faults


def _details(service: Service, target: IngestionTarget, keys: Sequence[str]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = service.call(
        "GetKnowledgeBaseDocuments", **target.ids, documentIdentifiers=identifiers(target, keys)
    )["documentDetails"]
    return found


def _key(target: IngestionTarget, detail: Mapping[str, Any]) -> str:
    uri: str = detail["identifier"]["s3"]["uri"]
    return uri.removeprefix(target.object_uri(""))


def _document(target: IngestionTarget, key: str) -> dict[str, Any]:
    return {
        "content": {"dataSourceType": "S3", "s3": {"s3Location": {"uri": target.object_uri(key)}}},
        "metadata": {"type": "S3_LOCATION", "s3Location": {"uri": target.object_uri(key + SIDECAR_SUFFIX)}},
    }


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]


def _message(target: IngestionTarget, changes: Changes, faults: Sequence[str]) -> str:
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
