"""What an ingestion job does: scan the prefix, find what changed, and index, fail, skip or delete each document.

When a job does it, and how far it has come, is a matter of `jobs`. Objects are read with boto3 from any S3 server.
"""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from emulation.chunking import cut
from emulation.faults import Faults
from emulation.search_index import IndexedChunk
from emulation.sidecar_rules import (
    NOTHING,
    SUFFIX,
    Attributes,
    FileFailedError,
    SilentSkipError,
    check_for_s3_vectors,
    check_object_key,
    read_sidecar,
)
from emulation.state import DataSource, Document, KnowledgeBase, Seen, Work
from emulation.vectors import token_count
from rag_assets.sources.file_kinds import HTML, PDF, WORD
from rag_assets.sources.originals import read_text

_KINDS = {".html": HTML, ".docx": WORD, ".pdf": PDF}
MOST_BYTES = 50 * 1024 * 1024
MOST_TOKENS = 8192
MOST_CHARACTERS = 50_000
"""Of one chunk: what the embedding model takes."""

_TEXT = frozenset({".txt", ".md", ".csv"})
READABLE = _TEXT | {".html", ".docx", ".pdf"}
SUPPORTED = READABLE | {".doc", ".xls", ".xlsx"}


class SourceError(Exception):
    """The data source cannot be read: the job fails, with this reason."""


def scan(s3: Any, data_source: DataSource, region: str) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """What lies under the prefix: documents and sidecars, by URI. Folder markers are neither.

    Raises:
        SourceError: The bucket is missing, in another region, or S3 does not answer.
    """
    try:
        place = s3.get_bucket_location(Bucket=data_source.bucket)["LocationConstraint"] or "us-east-1"
        if place != region:
            raise SourceError(
                f"The bucket {data_source.bucket} is in {place}; it must be in the knowledge base's region, {region}."
            )
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=data_source.bucket, Prefix=data_source.prefix or "")
        found = [_seen(listed) for page in pages for listed in page.get("Contents", [])]
    except (ClientError, BotoCoreError) as error:
        raise SourceError(f"{error} Call to Amazon S3 Source did not succeed.") from error
    files = {data_source.uri(seen.key): seen for seen in found if not seen.key.endswith("/")}
    sidecars = {uri: seen for uri, seen in files.items() if uri.endswith(SUFFIX)}
    return {uri: seen for uri, seen in files.items() if uri not in sidecars}, sidecars


def _seen(listed: Mapping[str, Any]) -> Seen:
    return Seen(listed["Key"], listed["ETag"], listed["Size"], listed["LastModified"])


def find_work(
    known: Mapping[str, Document], documents: Mapping[str, Seen], sidecars: Mapping[str, Seen]
) -> Iterator[Work]:
    """What has to be done so that the index holds what the bucket holds. What is unchanged needs no work.

    A document that failed or was skipped before is new, or modified, until it succeeds.
    """
    for uri, seen in documents.items():
        sidecar = sidecars.get(uri + SUFFIX)
        before = known.get(uri)
        if before is None or before.indexed is None:
            yield Work(uri, "new", seen, sidecar)
            continue
        sidecar_changed = before.inline is None and before.sidecar != sidecar
        if before.indexed != seen or before.status != "INDEXED":
            yield Work(uri, "modified", seen, sidecar, sidecar_changed)
        elif sidecar_changed:
            yield Work(uri, "metadata", seen, sidecar, sidecar_changed)
    for uri in known:
        if uri not in documents:
            yield Work(uri, "deleted", None, None)


class Ingestion:
    """Puts documents into a Knowledge Base, and takes them out."""

    def __init__(self, s3: Any, faults: Faults) -> None:
        self._s3 = s3
        self._faults = faults

    def index(
        self,
        knowledge_base: KnowledgeBase,
        data_source: DataSource,
        seen: Seen,
        sidecar: Seen | None,
        now: datetime,
        inline: Attributes | None = None,
    ) -> Document:
        """Read and index one document. Where that fails, what was indexed of it before stays.

        Returns:
            The document as the data source now knows it: INDEXED, FAILED with a reason, or IGNORED.
        """
        uri = data_source.uri(seen.key)
        document = data_source.documents.setdefault(uri, Document(uri, "STARTING", now))
        document.updated, document.reason = now, None
        try:
            self._meet_faults(seen.key)
            check_object_key(seen.key)
            attributes = inline or (NOTHING if sidecar is None else read_sidecar(self._read(data_source, sidecar)))
            if knowledge_base.store == "S3_VECTORS":
                check_for_s3_vectors(attributes.values)
            texts = cut(self._text(data_source, seen), data_source.chunking)
            _check_sizes(texts)
        except SilentSkipError:
            document.status = "IGNORED"
            return document
        except (FileFailedError, ClientError, BotoCoreError) as error:
            document.status, document.reason = "FAILED", str(error)
            return document
        chunks = _chunks(data_source.data_source_id, uri, texts, attributes)
        knowledge_base.index.put(data_source.data_source_id, uri, chunks)
        document.status, document.indexed, document.sidecar, document.inline = "INDEXED", seen, sidecar, inline
        return document

    def delete(self, knowledge_base: KnowledgeBase, data_source: DataSource, uri: str) -> bool:
        """Take a document out of the index and forget it.

        Returns:
            Whether it was in the index.
        """
        document = data_source.documents.pop(uri, None)
        knowledge_base.index.remove(data_source.data_source_id, uri)
        return document is not None and document.indexed is not None

    def look_up(self, data_source: DataSource, key: str) -> Seen:
        """An object as it is now.

        Raises:
            ClientError: It is not there.
        """
        head = self._s3.head_object(Bucket=data_source.bucket, Key=key)
        return Seen(key, head["ETag"], head["ContentLength"], head["LastModified"])

    def _meet_faults(self, key: str) -> None:
        fault = self._faults.take_file(key, "failed", "skipped")
        if fault and fault.fate == "skipped":
            raise SilentSkipError("on demand")
        if fault:
            raise FileFailedError(fault.reason)

    def _read(self, data_source: DataSource, seen: Seen) -> bytes:
        content: bytes = self._s3.get_object(Bucket=data_source.bucket, Key=seen.key)["Body"].read()
        return content

    def _text(self, data_source: DataSource, seen: Seen) -> str:
        kind = PurePosixPath(seen.key).suffix.lower()
        if kind not in SUPPORTED:
            raise FileFailedError("their file format was not supported")
        if seen.size > MOST_BYTES:
            raise FileFailedError("their size exceeds the limit of 50 MB")
        if kind not in READABLE:
            raise FileFailedError(f"this emulation of a Knowledge Base reads no {kind} files")
        data = self._read(data_source, seen)
        try:
            text = data.decode("utf-8-sig") if kind in _TEXT else read_text(data, _KINDS[kind])
        except UnicodeDecodeError as error:
            raise FileFailedError("their text is not UTF-8") from error
        except Exception as error:  # Whatever parsers raise for a file that is damaged or something else.
            raise FileFailedError("they could not be parsed") from error
        if not text.strip():
            raise FileFailedError("no text content found")
        return text


def _check_sizes(texts: Iterable[str]) -> None:
    for text in texts:
        if token_count(text) > MOST_TOKENS or len(text) > MOST_CHARACTERS:
            raise FileFailedError(f"a chunk of them exceeds what the embedding model takes, {MOST_TOKENS} tokens")


def _chunks(data_source_id: str, uri: str, texts: Iterable[str], attributes: Attributes) -> list[IndexedChunk]:
    before = "".join(f"{key}: {attributes.values[key]}\n" for key in attributes.embedded)
    return [
        IndexedChunk(
            chunk_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{data_source_id} {uri} {number}")),
            data_source_id=data_source_id,
            uri=uri,
            text=text,
            attributes=attributes.values,
            embedded=before + text,
        )
        for number, text in enumerate(texts)
    ]


def failure_reasons(failures: Mapping[str, list[str]]) -> list[str]:
    """As GetIngestionJob tells them: each a JSON list in a string, with as many names as 2,048 characters hold."""
    return [_failure_reason(why, uris) for why, uris in failures.items()]


def _failure_reason(why: str, uris: list[str]) -> str:
    for named in range(len(uris), 0, -1):
        reason = (
            f"Encountered error: Ignored {len(uris)} files as {why} [Files: {', '.join(uris[:named])}]. "
            "Call to Amazon S3 Source did not succeed."
        )
        told = json.dumps([reason], ensure_ascii=False)
        if len(told) <= 2048:
            return told
    return json.dumps([f"Encountered error: Ignored {len(uris)} files as {why[:1000]}."], ensure_ascii=False)
