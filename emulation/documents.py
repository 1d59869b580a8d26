"""Direct ingestion: documents put into a Knowledge Base, or taken out, without a job; only for S3 data sources.

The answer tells STARTING or DELETING; the change takes effect as the pace of the account tells, and may not be seen
for the first looks (`unnoticed_looks`). A batch is of ten, as
the service model has it; the user guide has ten for the console and 25 for the API. The smaller is the stricter.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from emulation.clocks import Clock
from emulation.errors import invalid
from emulation.faults import Faults
from emulation.ingestion import Ingestion
from emulation.pages import page
from emulation.sidecar_rules import Attributes, FileFailedError, SilentSkipError, check_attributes
from emulation.state import Account, DataSource, Document, KnowledgeBase

Parameters = Mapping[str, Any]


@dataclass
class Pending:
    """A change that has been taken but not made.

    Attributes:
        shown: What the document is shown as before anything is done, and while it is.
        polls: How often it was looked at.
        since: When it was asked for.
        make: Makes the change.
    """

    data_source: DataSource
    uri: str
    shown: tuple[str, str]
    since: datetime
    make: Callable[[], None]
    polls: int = 0


class Documents:
    """The document operations of an account."""

    def __init__(self, account: Account, ingestion: Ingestion, faults: Faults, clock: Clock) -> None:
        self._account = account
        self._ingestion = ingestion
        self._faults = faults
        self._clock = clock
        self._pending: list[Pending] = []
        self._by_token: dict[str, tuple[Parameters, dict[str, Any]]] = {}

    # -- operations

    def ingest(self, given: Parameters) -> dict[str, Any]:
        """IngestKnowledgeBaseDocuments."""
        knowledge_base, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        if (answered := self._answered(given)) is not None:
            return answered
        documents = given["documents"]
        uris = [_s3_uri(document["content"], data_source) for document in documents]
        details = []
        for uri, document in zip(uris, documents, strict=True):
            if fault := self._faults.take_file(_key(data_source, uri), "refused"):
                details.append(_named(data_source, uri) | {"status": "IGNORED", "statusReason": fault.reason})
                continue
            make = self._ingester(knowledge_base, data_source, uri, document.get("metadata"))
            details.append(self._take(data_source, uri, ("STARTING", "IN_PROGRESS"), make))
        return self._remember(given, {"documentDetails": details})

    def delete(self, given: Parameters) -> dict[str, Any]:
        """DeleteKnowledgeBaseDocuments: out of the index; the object stays in its bucket."""
        knowledge_base, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        if (answered := self._answered(given)) is not None:
            return answered
        uris = [_identified(identifier, data_source) for identifier in given["documentIdentifiers"]]
        details = []
        for uri in uris:
            if uri in data_source.documents:
                make = self._deleter(knowledge_base, data_source, uri)
                details.append(self._take(data_source, uri, ("DELETING", "DELETE_IN_PROGRESS"), make))
            else:
                details.append(self._told(data_source, uri))
        return self._remember(given, {"documentDetails": details})

    def get(self, given: Parameters) -> dict[str, Any]:
        """GetKnowledgeBaseDocuments."""
        _, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        uris = [_identified(identifier, data_source) for identifier in given["documentIdentifiers"]]
        self._look_at(data_source, uris)
        return {"documentDetails": [self._told(data_source, uri) for uri in uris]}

    def list_all(self, given: Parameters) -> dict[str, Any]:
        """ListKnowledgeBaseDocuments."""
        _, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        waiting = [pending.uri for pending in self._pending if pending.data_source is data_source]
        self._look_at(data_source, waiting)
        noticed = [pending.uri for pending in self._noticed(data_source)]
        shown, token = page(sorted({*data_source.documents, *noticed}), given)
        return {"documentDetails": [self._told(data_source, uri) for uri in shown], "nextToken": token}

    # -- how they go on

    def settle(self) -> None:
        """Make every change that is due by now."""
        for pending in list(self._pending):
            if self._progress(pending).may_finish:
                self._pending.remove(pending)
                pending.make()

    def _look_at(self, data_source: DataSource, uris: list[str]) -> None:
        for pending in self._pending:
            pending.polls += pending.data_source is data_source and pending.uri in uris
        self.settle()

    def _noticed(self, data_source: DataSource) -> list[Pending]:
        least = self._account.behaviour.unnoticed_looks
        return [pending for pending in self._pending if pending.data_source is data_source and pending.polls > least]

    def _progress(self, pending: Pending) -> Any:
        seconds = (self._clock.now() - pending.since).total_seconds()
        polls = max(0, pending.polls - self._account.behaviour.unnoticed_looks)
        return self._account.behaviour.pace.progress(polls, seconds)

    def _take(
        self, data_source: DataSource, uri: str, shown: tuple[str, str], make: Callable[[], None]
    ) -> dict[str, Any]:
        self._pending = [
            pending for pending in self._pending if (pending.data_source, pending.uri) != (data_source, uri)
        ]
        now = self._clock.now()
        self._pending.append(Pending(data_source, uri, shown, now, make))
        return _named(data_source, uri) | {"status": shown[0], "updatedAt": now}

    def _ingester(
        self, knowledge_base: KnowledgeBase, data_source: DataSource, uri: str, metadata: Parameters | None
    ) -> Callable[[], None]:
        def make() -> None:
            now = self._clock.now()
            if self._faults.take_file(_key(data_source, uri), "overlooked"):
                return
            try:
                inline = _inline_attributes(metadata)
                sidecar_uri = metadata["s3Location"]["uri"] if metadata and inline is None else None
                sidecar = self._ingestion.look_up(data_source, _key(data_source, sidecar_uri)) if sidecar_uri else None
                seen = self._ingestion.look_up(data_source, _key(data_source, uri))
            except SilentSkipError:
                data_source.documents[uri] = Document(uri, "IGNORED", now)
            except (ClientError, FileFailedError) as error:
                data_source.documents[uri] = Document(uri, "FAILED", now, reason=str(error))
            else:
                self._ingestion.index(knowledge_base, data_source, seen, sidecar, now, inline)

        return make

    def _deleter(self, knowledge_base: KnowledgeBase, data_source: DataSource, uri: str) -> Callable[[], None]:
        def make() -> None:
            if self._faults.take_file(_key(data_source, uri), "overlooked"):
                return
            self._ingestion.delete(knowledge_base, data_source, uri)

        return make

    def _answered(self, given: Parameters) -> dict[str, Any] | None:
        asked, answer = self._by_token.get(given.get("clientToken", ""), (given, None))
        if asked != given:
            raise invalid("The clientToken was used before with other parameters")
        return answer

    def _remember(self, given: Parameters, answer: dict[str, Any]) -> dict[str, Any]:
        if "clientToken" in given:
            self._by_token[given["clientToken"]] = dict(given), answer
        return answer

    def _told(self, data_source: DataSource, uri: str) -> dict[str, Any]:
        waiting = [pending for pending in self._noticed(data_source) if pending.uri == uri]
        document = data_source.documents.get(uri)
        told = _named(data_source, uri)
        if waiting:
            shown = waiting[0].shown[1 if self._progress(waiting[0]).begun else 0]
            return told | {"status": shown, "updatedAt": waiting[0].since}
        if document is None:
            return told | {"status": "NOT_FOUND"}
        return told | {"status": document.status, "statusReason": document.reason, "updatedAt": document.updated}


def _named(data_source: DataSource, uri: str) -> dict[str, Any]:
    return {
        "knowledgeBaseId": data_source.knowledge_base_id,
        "dataSourceId": data_source.data_source_id,
        "identifier": {"dataSourceType": "S3", "s3": {"uri": uri}},
    }


def _s3_uri(content: Parameters, data_source: DataSource) -> str:
    if content["dataSourceType"] != "S3" or "s3" not in content:
        raise invalid("The dataSourceType of a document must be that of its data source: S3, with s3.s3Location")
    return _covered(content["s3"]["s3Location"]["uri"], data_source)


def _identified(identifier: Parameters, data_source: DataSource) -> str:
    if identifier["dataSourceType"] != "S3" or "s3" not in identifier:
        raise invalid("The dataSourceType of a document must be that of its data source: S3, with s3.uri")
    return _covered(identifier["s3"]["uri"], data_source)


def _covered(uri: str, data_source: DataSource) -> str:
    if not data_source.covers(uri):
        raise invalid(f"{uri} does not lie in the data source {data_source.data_source_id}")
    return uri


def _key(data_source: DataSource, uri: str) -> str:
    if not uri.startswith(data_source.uri("")):
        raise FileFailedError(f"{uri} does not lie in the bucket of the data source")
    return uri.removeprefix(data_source.uri(""))


def _inline_attributes(metadata: Parameters | None) -> Attributes | None:
    """What a request says itself; None where it says nothing or names a sidecar."""
    if metadata is None or metadata["type"] == "S3_LOCATION":
        return None
    names = {
        "STRING": "stringValue",
        "NUMBER": "numberValue",
        "BOOLEAN": "booleanValue",
        "STRING_LIST": "stringListValue",
    }
    values = {
        attribute["key"]: attribute["value"].get(names[attribute["value"]["type"]])
        for attribute in metadata.get("inlineAttributes", [])
    }
    check_attributes(values)
    return Attributes(values)
