"""The emulated account behind its HTTP interface: what each operation does, and the faults that meet it.

The wire format is a matter of `wire`, the server of `server`.
"""

import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from emulation.chunking import Chunking, as_configuration
from emulation.clocks import Clock, RealClock
from emulation.documents import Documents
from emulation.errors import ServiceError, not_found
from emulation.faults import Faults, OperationFault
from emulation.ingestion import Ingestion
from emulation.jobs import Jobs
from emulation.models import invoke
from emulation.pages import page
from emulation.retrieval import retrieve
from emulation.state import Account, Behaviour, DataSource, KnowledgeBase, Store
from emulation.wire import (
    Answer,
    Caller,
    Request,
    Route,
    answer_of,
    caller_of,
    error_answer,
    parameters_of,
    route_of,
)

EXPIRED = "EXPIRED"
DENIED = "DENIED"
"""How an access key begins that is expired, or has no right to anything."""

Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """A request that reached an operation.

    Attributes:
        operation: Its name.
        parameters: As the service model names them.
        refused: Code of the error it was answered with; None where it succeeded.
    """

    operation: str
    parameters: Parameters
    refused: str | None


@dataclass(frozen=True)
class DataSourceIds:
    """What a client needs to know of a data source."""

    knowledge_base_id: str
    data_source_id: str


class KnowledgeBaseService:
    """The emulated account. Tests set it up and read it in the process; clients talk to it over HTTP.

    Attributes:
        faults: What is told to go wrong.
        calls: Every request that reached an operation, in order.
    """

    def __init__(self, s3: Any, behaviour: Behaviour, clock: Clock | None = None) -> None:
        self.behaviour = behaviour
        self.clock = clock or RealClock()
        self.faults = Faults()
        self.calls: list[Call] = []
        self.account = Account(behaviour)
        self._lock = threading.RLock()
        self._closing = threading.Event()
        ingestion = Ingestion(s3, self.faults)
        self._jobs = Jobs(self.account, ingestion, self.faults, self.clock, s3)
        self._documents = Documents(self.account, ingestion, self.faults, self.clock)
        self._operations: dict[str, Callable[[Parameters], dict[str, Any]]] = {
            "GetKnowledgeBase": self._get_knowledge_base,
            "ListKnowledgeBases": self._list_knowledge_bases,
            "GetDataSource": self._get_data_source,
            "ListDataSources": self._list_data_sources,
            "DeleteDataSource": self._delete_data_source,
            "StartIngestionJob": self._jobs.start,
            "GetIngestionJob": self._jobs.get,
            "ListIngestionJobs": self._jobs.list_all,
            "StopIngestionJob": self._jobs.stop,
            "IngestKnowledgeBaseDocuments": self._documents.ingest,
            "DeleteKnowledgeBaseDocuments": self._documents.delete,
            "GetKnowledgeBaseDocuments": self._documents.get,
            "ListKnowledgeBaseDocuments": self._documents.list_all,
            "Retrieve": self._retrieve,
            "InvokeModel": self._invoke_model,
        }

    # -- in the process

    def add_knowledge_base(self, name: str = "rag-assets", store: Store = "OPENSEARCH_SERVERLESS") -> str:
        """A new Knowledge Base.

        Returns:
            Its ID.
        """
        with self._lock:
            knowledge_base_id = self.account.new_id("knowledge base")
            self.account.knowledge_bases[knowledge_base_id] = KnowledgeBase(
                knowledge_base_id, name, store, self.clock.now()
            )
        return knowledge_base_id

    def add_data_source(
        self,
        knowledge_base_id: str,
        bucket: str,
        prefix: str | None = None,
        chunking: Chunking = None,
        *,
        name: str = "source",
        deletion_policy: Literal["DELETE", "RETAIN"] = "DELETE",
    ) -> DataSourceIds:
        """A new data source of a Knowledge Base; its bucket is looked for when a job reads it."""
        with self._lock:
            knowledge_base = self.account.knowledge_base(knowledge_base_id)
            data_source_id = self.account.new_id("data source")
            knowledge_base.data_sources[data_source_id] = DataSource(
                data_source_id,
                knowledge_base_id,
                name,
                bucket,
                prefix,
                chunking,
                deletion_policy,
                self.clock.now(),
            )
        return DataSourceIds(knowledge_base_id, data_source_id)

    def count(self, operation: str, *, refused: bool | None = None) -> int:
        """How many requests reached an operation; where asked, only those that were refused, or were not."""
        with self._lock:
            return sum(
                call.operation == operation and refused in (None, call.refused is not None) for call in self.calls
            )

    def chunk_texts(self, knowledge_base_id: str) -> list[str]:
        """The texts of all chunks of a Knowledge Base."""
        with self._lock:
            return [chunk.text for chunk, _ in self.account.knowledge_base(knowledge_base_id).index.meanings("-")]

    def settle(self) -> None:
        """Let jobs and direct ingestions go on as far as the clock allows."""
        with self._lock:
            self._jobs.settle()
            self._documents.settle()

    def close(self) -> None:
        """Break off every silence: nobody waits for an answer any more."""
        self._closing.set()

    # -- over HTTP

    def answer(self, request: Request) -> Answer | None:
        """The answer to a request; None where the connection is to be closed without one."""
        try:
            return self._met(request)
        except Exception:
            # A bug of the emulation must not look like the network's.
            message = f"the emulation itself failed: {traceback.format_exc()}"
            sys.stderr.write(message)
            return error_answer(ServiceError("EmulationFailure", message), 501)

    def _met(self, request: Request) -> Answer | None:
        try:
            route, in_path = route_of(request)
        except ServiceError as error:
            return error_answer(error, 404)
        operation = route.operation.name
        with self._lock:
            fault = self.faults.take_operation(operation) if operation in self._operations else None
        if fault and fault.delay:
            self._closing.wait(fault.delay)
        if fault and fault.drop == "before":
            return None
        answer = self._answer(route, in_path, request, fault)
        return None if fault and fault.drop == "after" else answer

    def _answer(
        self, route: Route, in_path: Mapping[str, str], request: Request, fault: OperationFault | None
    ) -> Answer:
        operation = route.operation.name
        given: Parameters = dict(in_path)
        with self._lock:
            try:
                caller = caller_of(request)
                self._check_credentials(caller, operation)
                if operation not in self._operations:
                    raise ServiceError("UnknownOperationException", f"this emulation does not offer {operation}")
                if fault and fault.error:
                    raise fault.error
                given = parameters_of(route, in_path, request)
                self.settle()
                answer = answer_of(route, self._done(operation, given, caller))
            except ServiceError as error:
                self.calls.append(Call(operation, given, error.code))
                return error_answer(error, route.status_of(error.code))
            self.calls.append(Call(operation, given, None))
            return answer

    def _check_credentials(self, caller: Caller, operation: str) -> None:
        if self.faults.credentials_expired or caller.access_key.startswith(EXPIRED):
            raise ServiceError("ExpiredTokenException", "The security token included in the request is expired")
        if caller.access_key.startswith(DENIED):
            raise ServiceError(
                "AccessDeniedException",
                f"User: arn:aws:iam::{self.behaviour.account}:user/denied is not authorized to perform: "
                f"bedrock:{operation} because no identity-based policy allows the bedrock:{operation} action",
            )

    def _done(self, operation: str, given: Parameters, caller: Caller) -> dict[str, Any]:
        """What an operation answers. Asked from another region than the account's, it finds nothing."""
        if caller.region != self.behaviour.region and "knowledgeBaseId" in given:
            raise not_found(f"Knowledge Base in {caller.region}", given["knowledgeBaseId"])
        if caller.region != self.behaviour.region and operation == "ListKnowledgeBases":
            return {"knowledgeBaseSummaries": []}
        return self._operations[operation](given)

    # -- operations that are not jobs or documents

    def _get_knowledge_base(self, given: Parameters) -> dict[str, Any]:
        return {"knowledgeBase": self._told(self.account.knowledge_base(given["knowledgeBaseId"]))}

    def _list_knowledge_bases(self, given: Parameters) -> dict[str, Any]:
        shown, token = page(list(self.account.knowledge_bases.values()), given)
        names = ("knowledgeBaseId", "name", "status", "updatedAt")
        summaries = [{name: self._told(one)[name] for name in names} for one in shown]
        return {"knowledgeBaseSummaries": summaries, "nextToken": token}

    def _get_data_source(self, given: Parameters) -> dict[str, Any]:
        _, data_source = self.account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        return {"dataSource": _told_data_source(data_source)}

    def _list_data_sources(self, given: Parameters) -> dict[str, Any]:
        knowledge_base = self.account.knowledge_base(given["knowledgeBaseId"])
        shown, token = page(list(knowledge_base.data_sources.values()), given)
        names = ("knowledgeBaseId", "dataSourceId", "name", "status", "updatedAt")
        summaries = [{name: _told_data_source(one)[name] for name in names} for one in shown]
        return {"dataSourceSummaries": summaries, "nextToken": token}

    def _delete_data_source(self, given: Parameters) -> dict[str, Any]:
        """With the policy RETAIN its chunks stay in the vector store, and are still found."""
        knowledge_base, data_source = self.account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        if any(job.running for job in data_source.jobs.values()):
            raise ServiceError("ConflictException", "An ingestion job of the data source is running")
        if data_source.deletion_policy == "DELETE":
            for uri in data_source.documents:
                knowledge_base.index.remove(data_source.data_source_id, uri)
        del knowledge_base.data_sources[data_source.data_source_id]
        ids = {name: given[name] for name in ("knowledgeBaseId", "dataSourceId")}
        return {**ids, "status": "DELETING"}

    def _retrieve(self, given: Parameters) -> dict[str, Any]:
        knowledge_base = self.account.knowledge_base(given["knowledgeBaseId"].rpartition("/")[2])
        answer = retrieve(knowledge_base, given, self.behaviour.results_per_page)
        if self.faults.take_bare_result():
            bare = [{"content": result["content"]} for result in answer["retrievalResults"]]
            return answer | {"retrievalResults": bare}
        return answer

    def _invoke_model(self, given: Parameters) -> dict[str, Any]:
        body, tokens = invoke(given["modelId"], given["body"])
        return {
            "body": body,
            "contentType": "application/json",
            "headers": {"x-amzn-bedrock-input-token-count": tokens},
        }

    def _told(self, knowledge_base: KnowledgeBase) -> dict[str, Any]:
        region, account = self.behaviour.region, self.behaviour.account
        identifier = knowledge_base.knowledge_base_id
        return {
            "knowledgeBaseId": identifier,
            "name": knowledge_base.name,
            "knowledgeBaseArn": f"arn:aws:bedrock:{region}:{account}:knowledge-base/{identifier}",
            "roleArn": f"arn:aws:iam::{account}:role/emulated",
            "knowledgeBaseConfiguration": {
                "type": "VECTOR",
                "vectorKnowledgeBaseConfiguration": {
                    "embeddingModelArn": f"arn:aws:bedrock:{region}::foundation-model/amazon.titan-embed-text-v2:0",
                    "embeddingModelConfiguration": {
                        "bedrockEmbeddingModelConfiguration": {"dimensions": 1024, "embeddingDataType": "FLOAT32"}
                    },
                },
            },
            "storageConfiguration": _storage(knowledge_base.store, region, account),
            "status": "ACTIVE",
            "createdAt": knowledge_base.created,
            "updatedAt": knowledge_base.created,
        }


def _storage(store: Store, region: str, account: str) -> dict[str, Any]:
    fields = {"vectorField": "vector", "textField": "text", "metadataField": "metadata"}
    match store:
        case "S3_VECTORS":
            index = f"arn:aws:s3vectors:{region}:{account}:bucket/emulated/index/emulated"
            return {"type": store, "s3VectorsConfiguration": {"indexArn": index}}
        case "RDS":
            rds = {
                "resourceArn": f"arn:aws:rds:{region}:{account}:cluster:emulated",
                "credentialsSecretArn": f"arn:aws:secretsmanager:{region}:{account}:secret:emulated",
                "databaseName": "emulated",
                "tableName": "chunks",
                "fieldMapping": {**fields, "primaryKeyField": "id", "customMetadataField": "custom_metadata"},
            }
            return {"type": store, "rdsConfiguration": rds}
        case _:
            collection = {
                "collectionArn": f"arn:aws:aoss:{region}:{account}:collection/emulated",
                "vectorIndexName": "emulated",
                "fieldMapping": fields,
            }
            return {"type": store, "opensearchServerlessConfiguration": collection}


def _told_data_source(data_source: DataSource) -> dict[str, Any]:
    s3: dict[str, Any] = {"bucketArn": f"arn:aws:s3:::{data_source.bucket}"}
    if data_source.prefix:
        s3["inclusionPrefixes"] = [data_source.prefix]
    return {
        "knowledgeBaseId": data_source.knowledge_base_id,
        "dataSourceId": data_source.data_source_id,
        "name": data_source.name,
        "status": "AVAILABLE",
        "dataSourceConfiguration": {"type": "S3", "s3Configuration": s3},
        "vectorIngestionConfiguration": {"chunkingConfiguration": as_configuration(data_source.chunking)},
        "dataDeletionPolicy": data_source.deletion_policy,
        "createdAt": data_source.created,
        "updatedAt": data_source.created,
    }
