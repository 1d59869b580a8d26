"""Whether a data source is set up as a variant needs it: asked for before anything is uploaded or ingested."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_assets.clock import Clock
from rag_assets.ingestion.service import IngestionError, IngestionService, OnProgress, UnknownResourceError
from rag_assets.s3.locations import IngestionTarget

MAX_TOKENS = 300
OVERLAP_PERCENTAGE = 20
"""Of FIXED_SIZE chunking, as the variant `raw` is compared with (the chunking is set explicitly)."""


class DataSourceSetup(NamedTuple):
    """How a Knowledge Base and a data source are set up.

    Attributes:
        faults: How they differ from what the target needs: what is, what should be, and what to do.
        store: Type of the vector store, as GetKnowledgeBase names it; empty where there is none.
    """

    faults: list[str]
    store: str = ""


def check_setup(
    agent: Any, target: IngestionTarget, *, clock: Clock | None = None, on_progress: OnProgress | None = None
) -> DataSourceSetup:
    """What there is to say of them. Needs bedrock:GetKnowledgeBase and bedrock:GetDataSource.

    Args:
        agent: A boto3 client of bedrock-agent, best with `service.client_config()`.
        target: The data source.
        clock: Time and waiting.
        on_progress: Takes the lines for the log, where an answer is long in coming.

    Raises:
        IngestionError: It could not be found out: credentials, rights, or no answer.
    """
    return _check(IngestionService(agent, str(target), clock or Clock(), on_progress=on_progress), target)


def _check(service: IngestionService, target: IngestionTarget) -> DataSourceSetup:
    try:
        found = service.call("GetKnowledgeBase", knowledgeBaseId=target.knowledge_base_id)["knowledgeBase"]
    except UnknownResourceError:
        missing = (
            f"there is no Knowledge Base {target.knowledge_base_id} in region {service.region}: put its ID and region "
            "into the settings as the Bedrock console tells them, or create it"
        )
        return DataSourceSetup([missing])
    faults, store = find_knowledge_base_faults(found), found.get("storageConfiguration", {}).get("type", "")
    try:
        source = service.call("GetDataSource", **target.ids)["dataSource"]
    except UnknownResourceError:
        missing = (
            f"Knowledge Base {target.knowledge_base_id} has no data source {target.data_source_id}: put the ID into "
            "the settings as the Bedrock console tells it, or create the data source"
        )
        return DataSourceSetup([*faults, missing], store)
    return DataSourceSetup(faults + find_source_faults(source, target), store)


def require_data_source(service: IngestionService, target: IngestionTarget) -> None:
    """Raise where the data source is not as the target needs it.

    Raises:
        IngestionError: With all the faults.
    """
    faults = _check(service, target).faults
    if faults:
        raise IngestionError(
            f"{target}: nothing was ingested, because its set-up does not fit:\n" + "\n".join(f"- {f}" for f in faults)
        )


def find_knowledge_base_faults(found: Mapping[str, Any]) -> list[str]:
    """What GetKnowledgeBase tells that stands in the way."""
    faults = []
    kind = found["knowledgeBaseConfiguration"]["type"]
    if kind != "VECTOR":
        faults.append(f"the Knowledge Base is of type {kind}, not VECTOR: use one with a vector store")
    if found["status"] != "ACTIVE":
        reasons = "".join(f"; the service says: {reason}" for reason in found.get("failureReasons", ()))
        faults.append(f"the Knowledge Base is {found['status']}, not ACTIVE: {_find_remedy(found['status'])}{reasons}")
    return faults


def find_source_faults(found: Mapping[str, Any], target: IngestionTarget) -> list[str]:
    """What GetDataSource tells that differs from the target."""
    configuration = found["dataSourceConfiguration"]
    if configuration["type"] != "S3":
        return [f"the data source is of type {configuration['type']}, not S3: create one of type S3 for {target.uri}"]
    faults = []
    if found["status"] != "AVAILABLE":
        faults.append(f"the data source is {found['status']}, not AVAILABLE: {_find_remedy(found['status'])}")
    faults += _find_location_faults(configuration["s3Configuration"], target)
    faults += find_chunking_faults(found.get("vectorIngestionConfiguration", {}).get("chunkingConfiguration"), target)
    if found.get("dataDeletionPolicy", "DELETE") != "DELETE":
        faults.append(
            "its data deletion policy is RETAIN, it should be DELETE: once the data source is deleted, its chunks "
            "would go on being found. Change it (UpdateDataSource, or Edit in the console)"
        )
    return faults


def _find_location_faults(s3: Mapping[str, Any], target: IngestionTarget) -> list[str]:
    faults = []
    bucket = s3["bucketArn"].rpartition(":::")[2]
    if bucket != target.bucket:
        faults.append(
            f"it reads the bucket {bucket}, but the variant is uploaded to {target.bucket}: correct the bucket in the "
            "settings, or create a data source for it"
        )
    prefixes: Sequence[str] = s3.get("inclusionPrefixes") or [""]
    if list(prefixes) != [target.prefix]:
        faults.append(
            f"it reads {_describe_prefix(prefixes[0])}, but the variant is uploaded to "
            f"{_describe_prefix(target.prefix)}: it would mix in or miss files. Correct the prefix in "
            "the settings, or the inclusion prefix of the data source"
        )
    return faults


def find_chunking_faults(found: Mapping[str, Any] | None, target: IngestionTarget) -> list[str]:
    """How chunking differs; None is the service's default, which is not set explicitly."""
    wanted = "NONE" if target.chunking == "NONE" else f"FIXED_SIZE, {MAX_TOKENS} tokens, {OVERLAP_PERCENTAGE}% overlap"
    actual = _describe_chunking(found)
    if actual == wanted:
        return []
    why = (
        "each prepared file is a chunk already, and would be cut again"
        if target.chunking == "NONE"
        else "the variant is compared as cut in just this way"
    )
    return [
        f"its chunking is {actual}, it should be {wanted}: {why}. Chunking cannot be changed after a data source was "
        "created: create another data source with it, and put its ID into the settings; then delete this one"
    ]


def _describe_chunking(chunking: Mapping[str, Any] | None) -> str:
    if not chunking:
        return "the default, not set explicitly"
    strategy: str = chunking["chunkingStrategy"]
    sizes = chunking.get("fixedSizeChunkingConfiguration")
    return f"{strategy}, {sizes['maxTokens']} tokens, {sizes['overlapPercentage']}% overlap" if sizes else strategy


def _describe_prefix(prefix: str) -> str:
    return f"the prefix {prefix}" if prefix else "the whole bucket"


def _find_remedy(status: str) -> str:
    if status in ("CREATING", "UPDATING"):
        return "wait until it is, then run again"
    return "look at it in the Bedrock console, mend or create it anew"
