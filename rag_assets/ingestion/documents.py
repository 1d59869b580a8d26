"""Lists the documents of a data source, and finds what is wrong with them.

Statuses: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_KnowledgeBaseDocumentDetail.html
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rag_assets.ingestion.job_verification import JobProblem, classify_reason
from rag_assets.ingestion.ledger import IngestionLedger
from rag_assets.ingestion.service import IngestionService
from rag_assets.s3.locations import IngestionTarget

UNDER_WAY = frozenset({"STARTING", "PENDING", "IN_PROGRESS", "DELETING", "DELETE_IN_PROGRESS"})
PAGE = 1000
"""Most documents that ListKnowledgeBaseDocuments tells at once."""
NAMED = 20
"""How many documents a message names."""


@dataclass
class DocumentStatuses:
    """The documents of a data source after a job.

    Attributes:
        statuses: How many have which status.
        named: The first that are not INDEXED.
        left: How many of those the job did not even try, so that their present state is not known.
        elsewhere: How many more lie outside the location of the data source.
        foreign: How many more are not ours, in whatever state.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    named: list[JobProblem] = field(default_factory=list)
    left: int = 0
    elsewhere: int = 0
    foreign: int = 0

    @property
    def others(self) -> int:
        """Documents that are not INDEXED."""
        return self.statuses.total() - self.statuses["INDEXED"]

    def add(self, detail: Mapping[str, Any], target: IngestionTarget, ledger: IngestionLedger, since: datetime) -> None:
        """Count a document, and note in the ledger what it says of the pending ones."""
        status, updated, key = detail["status"], detail.get("updatedAt"), read_key(target, detail)
        if not _read_uri(detail).startswith(target.uri):
            self.elsewhere += 1
            return
        if ledger.is_foreign(key):
            self.foreign += 1
            return
        self.statuses[status] += 1
        if status == "INDEXED":
            ledger.see(key, updated)
            return
        if len(self.named) < NAMED:
            self.named.append(
                JobProblem(classify_reason(detail.get("statusReason") or "", "files"), describe_document(detail))
            )
        if status not in UNDER_WAY and (updated is None or updated < since):
            self.left += 1
            ledger.see_unfit(key, since)


def describe_document(detail: Mapping[str, Any]) -> str:
    """A document, its status, and the reason where there is one."""
    reason = f": {detail['statusReason']}" if detail.get("statusReason") else ""
    return f"{_read_uri(detail)} is {detail['status']}{reason}"


def list_documents(
    service: IngestionService, target: IngestionTarget, ledger: IngestionLedger, since: datetime, page: int = PAGE
) -> DocumentStatuses:
    """All documents of a data source. It waits for those that are under way, as long as for an answer.

    Memory does not grow with their number. Needs bedrock:ListKnowledgeBaseDocuments.

    Args:
        service: The service.
        target: The data source.
        ledger: Notes which pending documents were seen, and when they were updated; and which were left.
        since: When the job began.
        page: How many are asked for at once.

    Raises:
        IngestionError: They cannot be listed.
    """
    poll = service.start_polling()
    while True:
        found = DocumentStatuses()
        ledger.forget_seen()
        for detail in _list_details(service, target, page):
            found.add(detail, target, ledger, since)
        waiting = sum(found.statuses[status] for status in UNDER_WAY)
        pause = poll.next_pause(service.patience.answer) if waiting else None
        if pause is None:
            return found
        service.tell(f"{waiting:,} documents are still under way; next look in {pause:,.0f} s")
        service.clock.sleep(pause)


def _list_details(service: IngestionService, target: IngestionTarget, page: int) -> Iterator[Mapping[str, Any]]:
    further: dict[str, str] = {}
    while True:
        answer = service.call("ListKnowledgeBaseDocuments", **target.ids, maxResults=page, **further)
        yield from answer["documentDetails"]
        if not answer.get("nextToken"):
            return
        further = {"nextToken": answer["nextToken"]}


def find_document_problems(found: DocumentStatuses, documents: int, skipped: int) -> list[JobProblem]:
    """How the documents of a data source differ from so many documents that are all INDEXED.

    Args:
        found: The documents.
        documents: How many were uploaded.
        skipped: How many the job says that it skipped, also where that was right since they had not changed.
    """
    faults = list(found.named)
    if found.others > len(faults):
        faults.append(JobProblem("files", f"and {found.others - len(faults):,} more documents that are not INDEXED"))
    known, indexed = found.statuses.total(), found.statuses["INDEXED"]
    if found.elsewhere:
        faults.append(JobProblem("surplus", f"{found.elsewhere:,} documents of another place are still known"))
    if indexed > documents:
        faults.append(
            JobProblem(
                "surplus",
                f"{indexed:,} documents are INDEXED, but {documents:,} were uploaded: {indexed - documents:,} that are "
                "gone from the bucket are still found",
            )
        )
    elif known < documents:
        faults.append(
            JobProblem(
                "files" if documents - known <= skipped else "missing",
                f"{indexed:,} documents are INDEXED, but {documents:,} were uploaded; "
                f"the service knows {known:,} in all",
            )
        )
    if faults and skipped:
        faults.append(JobProblem("files", f"{skipped:,} document(s) skipped"))
    return faults


def document_identifiers(target: IngestionTarget, keys: Iterable[str]) -> list[dict[str, Any]]:
    """What names documents in a call."""
    return [{"dataSourceType": "S3", "s3": {"uri": target.object_uri(key)}} for key in keys]


def read_key(target: IngestionTarget, detail: Mapping[str, Any]) -> str:
    """Key of the document that an answer is about."""
    return _read_uri(detail).removeprefix(target.object_uri(""))


def _read_uri(detail: Mapping[str, Any]) -> str:
    uri: str = detail["identifier"]["s3"]["uri"]
    return uri
