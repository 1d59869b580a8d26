"""The Lambda: it takes an event, writes prepared chunks to the intermediate bucket, and returns their keys.

It does not read the service's own chunks: with chunking NONE they are the file's text once more, already decoded or
taken apart. It reads the file itself, once, however many batches the service made of it.
https://docs.aws.amazon.com/bedrock/latest/userguide/kb-custom-transformation.html
"""

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, cast

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.transformation.configuration import ConfiguredDocument, LambdaConfiguration, read_configuration
from rag_assets.transformation.contents import ChunkContent, read_contents
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.event import ContentBatch, TransformationEvent, TransformedFile, build_answer, read_event
from rag_assets.transformation.file_report import FileReport
from rag_assets.transformation.objects import (
    IntermediateBucket,
    ObjectAddress,
    download_first,
    parse_address,
    possible_addresses,
    s3_client,
)

MOST_CHUNKS = 1000
"""Chunks in one object of the intermediate bucket: what is in memory at a time."""
_SPARE_SECONDS = 10.0
"""Seconds before the function's time-out at which it stops with a message; later, it would end without one."""

_LOGGER = logging.getLogger(__name__)


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Entry point: `rag_assets.transformation.handler.handler`.

    Raises:
        TransformationError: A file of the call cannot be transformed. Then none of them is ingested, and the ingestion
            job counts them as failed.
    """
    logging.getLogger().setLevel(logging.INFO)
    s3 = _client()
    try:
        configuration = read_configuration(os.environ, s3)
        return transform(read_event(event), configuration, s3, lambda: context.get_remaining_time_in_millis() / 1000)
    except TransformationError as error:
        _LOGGER.error("not transformed: %s", error)
        raise


@cache
def _client() -> Any:
    return s3_client()


def transform(
    event: TransformationEvent, configuration: LambdaConfiguration, s3: Any, seconds_left: Callable[[], float]
) -> dict[str, Any]:
    """Write the chunks of every file, and return where they are.

    Called twice with one event, it writes the same objects again. If an event names a file several times, its chunks
    are returned for the first, and none for the others: no row is ingested twice.

    Args:
        event: The call.
        configuration: What the files hold.
        s3: A boto3 client.
        seconds_left: How long the function may still run.

    Raises:
        TransformationError: A file cannot be transformed.
    """
    taken = [batch.key for file in event.input_files for batch in file.content_batches]
    call = _EventCall(event, configuration, s3, IntermediateBucket(s3, event.bucket_name, taken), seconds_left)
    done: set[str] = set()
    files: list[TransformedFile] = []
    for position, file in enumerate(event.input_files):
        address = _find_address(file)
        is_done = address.uri in done
        keys = [call.write_nothing(file, address, position)] if is_done else call.write_chunks(file, address)
        done.add(address.uri)
        files.append(file.model_copy(update={"content_batches": tuple(ContentBatch(key=key) for key in keys)}))
    return build_answer(files)


def _find_address(file: TransformedFile) -> ObjectAddress:
    location = file.original_file_location
    if location.type != "S3" or location.s3_location is None:
        raise TransformationError(f"{file.name}: only files of an S3 data source can be transformed")
    return parse_address(location.s3_location.uri)


def _make_key(file: TransformedFile, address: ObjectAddress, part: str) -> str:
    """A key beside the service's own, made from the file's address: one event gives the same keys, two files never do.

    How the service names its own objects is not documented; the names that were seen tell neither the folder of a file
    nor its ending.
    """
    folder, slash, _ = file.content_batches[0].key.rpartition("/")
    return f"{folder}{slash}rag_assets_{hashlib.sha256(address.uri.encode()).hexdigest()[:32]}_{part}.json"


@dataclass(frozen=True)
class _EventCall:
    """What all files of a call have in common."""

    event: TransformationEvent
    configuration: LambdaConfiguration
    s3: Any
    intermediate: IntermediateBucket
    seconds_left: Callable[[], float]

    def write_nothing(self, file: TransformedFile, address: ObjectAddress, position: int) -> str:
        """Write an object without chunks; its key."""
        key = _make_key(file, address, f"none_{position}")
        self.intermediate.write(key, [])
        return key

    def write_chunks(self, file: TransformedFile, address: ObjectAddress) -> list[str]:
        """Write the chunks of a file; the keys of their objects, in order."""
        addresses = possible_addresses(address)
        document = self.configuration.find_document(addresses)
        report = FileReport(address.uri, self.event)
        keys: list[str] = []
        with tempfile.TemporaryFile() as kept:
            copy = cast(BinaryIO, kept)
            sha256 = download_first(self.s3, addresses, copy)
            contents = read_contents(
                copy, document, self.configuration, sha256=sha256, file_metadata=file.file_metadata
            )
            chunks = report.take_out_findings(self._watch_time(_name_errors(contents, address, document), address))
            for number, batch in enumerate(_make_batches(chunks)):
                keys.append(_make_key(file, address, f"{number:05d}"))
                self.intermediate.write(keys[-1], batch)
        report.finish(document)
        return keys

    def _watch_time(
        self, contents: Iterator[ChunkContent | Finding], address: ObjectAddress
    ) -> Iterator[ChunkContent | Finding]:
        """The same while there is time, even if only faults come and no batch gets full."""
        for read, content in enumerate(contents):
            if self.seconds_left() < _SPARE_SECONDS:
                raise TransformationError(
                    f"{address.uri}: the function's time is over after {read} chunks and findings: raise its Timeout "
                    "(900 seconds at most) or its memory, which brings more processor; or part the file"
                )
            yield content


def _name_errors(
    contents: Iterator[ChunkContent | Finding], address: ObjectAddress, document: ConfiguredDocument
) -> Iterator[ChunkContent | Finding]:
    """The same; an error names the document."""
    try:
        yield from contents
    except DocumentError as error:
        raise TransformationError(f"{address.uri} ([document.{document.settings.key}]): {error}") from error
    except ModuleNotFoundError as error:
        raise TransformationError(
            f"{address.uri}: the function was packaged without {error.name}: package it with "
            f"--source {document.source.name}"
        ) from error


def _make_batches(contents: Iterator[ChunkContent]) -> Iterator[list[ChunkContent]]:
    batch: list[ChunkContent] = []
    for content in contents:
        batch.append(content)
        if len(batch) == MOST_CHUNKS:
            yield batch
            batch = []
    if batch:
        yield batch
