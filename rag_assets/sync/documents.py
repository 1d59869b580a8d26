"""The documents of a data source, as the service knows them one by one.

Statuses: KnowledgeBaseDocumentDetail in the API reference of Agents for Amazon Bedrock.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_assets.sync.data_source import IngestionTarget
from rag_assets.sync.service import Service
from rag_assets.sync.state import Ledger

UNDER_WAY = frozenset({"STARTING", "PENDING", "IN_PROGRESS", "DELETING", "DELETE_IN_PROGRESS"})
PAGE = 1000
"""Most documents that ListKnowledgeBaseDocuments tells at once."""
NAMED = 20
"""How many documents a message names."""


@dataclass
class Documents:
    """How many documents have which status, and the first that are not INDEXED, in words."""

    statuses: Counter[str] = field(default_factory=Counter)
    named: list[str] = field(default_factory=list)

    def add(self, detail: Mapping[str, Any]) -> None:
        """Count one in."""
        self.statuses[detail["status"]] += 1
        if detail["status"] != "INDEXED" and len(self.named) < NAMED:
            self.named.append(worded(detail))

    @property
    def others(self) -> int:
        """Documents that are not INDEXED."""
        return self.statuses.total() - self.statuses["INDEXED"]


def worded(detail: Mapping[str, Any]) -> str:
    """A document, its status, and the reason where there is one."""
    reason = f": {detail['statusReason']}" if detail.get("statusReason") else ""
    return f"{detail['identifier']['s3']['uri']} is {detail['status']}{reason}"


def list_documents(service: Service, target: IngestionTarget, ledger: Ledger, page: int = PAGE) -> Documents:
    """All documents of a data source; those that are under way are waited for, as long as for an answer.

    Memory does not grow with their number. Needs bedrock:ListKnowledgeBaseDocuments.

    Args:
        service: The service.
        target: The data source.
        ledger: Takes down which of the pending documents were seen, and as of when.
        page: How many are asked for at once.

    Raises:
        IngestionError: They cannot be listed.
    """
    began, pauses = service.clock.monotonic(), iter(service.patience.poll_pauses)
    while True:
        found = Documents()
        ledger.forget_seen()
        for detail in _details(service, target, page):
            found.add(detail)
            ledger.see(key_of(target, detail), detail.get("updatedAt"))
        waiting = sum(found.statuses[status] for status in UNDER_WAY)
        pause = next(pauses)
        if not waiting or service.clock.monotonic() - began + pause > service.patience.answer:
            return found
        service.tell(f"{waiting:,} documents are still under way; next look in {pause:,.0f} s")
        service.clock.sleep(pause)


def _details(service: Service, target: IngestionTarget, page: int) -> Iterator[Mapping[str, Any]]:
    further: dict[str, str] = {}
    while True:
        answer = service.call("ListKnowledgeBaseDocuments", **target.ids, maxResults=page, **further)
        yield from answer["documentDetails"]
        if not answer.get("nextToken"):
            return
        further = {"nextToken": answer["nextToken"]}


def document_faults(found: Documents, documents: int) -> list[str]:
    """How the documents of a data source differ from `documents` that are all INDEXED."""
    faults = list(found.named)
    if found.others > len(found.named):
        faults.append(f"and {found.others - len(found.named):,} more documents that are not INDEXED")
    indexed = found.statuses["INDEXED"]
    if indexed > documents:
        faults.append(
            f"{indexed:,} documents are INDEXED, but {documents:,} were uploaded: {indexed - documents:,} that are "
            "gone from the bucket are still found"
        )
    elif indexed < documents and found.statuses.total() != documents:
        faults.append(
            f"{indexed:,} documents are INDEXED, but {documents:,} were uploaded; the service knows "
            f"{found.statuses.total():,} in all"
        )
    return faults


def identifiers(target: IngestionTarget, keys: Iterable[str]) -> list[dict[str, Any]]:
    """What names documents in a call."""
    return [{"dataSourceType": "S3", "s3": {"uri": target.object_uri(key)}} for key in keys]


def key_of(target: IngestionTarget, detail: Mapping[str, Any]) -> str:
    """Key of the document that an answer is about."""
    uri: str = detail["identifier"]["s3"]["uri"]
    return uri.removeprefix(target.object_uri(""))
