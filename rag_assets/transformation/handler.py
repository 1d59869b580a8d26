"""The Lambda: a call of the service in, files with prepared chunks in the intermediate bucket, their keys out.

The service's own chunks are not looked at: with chunking NONE they are the file's text once more, already taken apart
or decoded in the service's way. The file itself is read instead, once, however many batches the service made of it.
"""

import hashlib
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, cast

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.transformation.configuration import ConfiguredDocument, LambdaConfiguration, read_configuration
from rag_assets.transformation.contents import ChunkContent, read_contents
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.event import ContentBatch, TransformationEvent, TransformedFile, build_answer, read_event
from rag_assets.transformation.objects import (
    IntermediateBucket,
    ObjectAddress,
    download_first,
    parse_address,
    possible_addresses,
    s3_client,
)

MOST_CHUNKS = 1000
"""Of one file in the intermediate bucket: what is held in memory at a time."""
TOLD_FINDINGS = 100
"""Of a topic, in the log; beyond them only their number is told."""
_TOLD_FAULTS = 3
"""In the message of an error, which the service cuts short, and of notes in the line that counts them."""
_SPARE_SECONDS = 10.0
"""Before the function's time is over: less, and it would end without a word."""

_LOGGER = logging.getLogger(__name__)


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Entry point: `rag_assets.transformation.handler.handler`.

    Raises:
        TransformationError: A file of the call cannot be transformed; none of them is ingested then, and the ingestion
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
    """Write the chunks of every file and tell where they are.

    Called twice with one event, it writes the same objects again. A file that is named several times in an event has
    its chunks where it is named first, and none at the other places: no row is ingested twice.

    Args:
        event: The call.
        configuration: What the files hold.
        s3: A boto3 client.
        seconds_left: How long the function may still run.

    Raises:
        TransformationError: A file cannot be transformed.
    """
    taken = [batch.key for file in event.input_files for batch in file.content_batches]
    call = _Call(event, configuration, s3, IntermediateBucket(s3, event.bucket_name, taken), seconds_left)
    done: set[str] = set()
    files: list[TransformedFile] = []
    for position, file in enumerate(event.input_files):
        place = _place_of(file)
        keys = [_write_nothing(call, file, place, position)] if place.uri in done else _write(call, file, place)
        done.add(place.uri)
        files.append(file.model_copy(update={"content_batches": tuple(ContentBatch(key=key) for key in keys)}))
    return build_answer(files)


@dataclass(frozen=True)
class _Call:
    """What all files of a call have in common."""

    event: TransformationEvent
    configuration: LambdaConfiguration
    s3: Any
    intermediate: IntermediateBucket
    seconds_left: Callable[[], float]


def _place_of(file: TransformedFile) -> ObjectAddress:
    location = file.original_file_location
    if location.type != "S3" or location.s3_location is None:
        raise TransformationError(f"{file.name}: only files of an S3 data source can be transformed")
    return parse_address(location.s3_location.uri)


def _write_nothing(call: _Call, file: TransformedFile, place: ObjectAddress, position: int) -> str:
    key = _key(file, place, f"none_{position}")
    call.intermediate.write(key, [])
    return key


def _key(file: TransformedFile, place: ObjectAddress, part: str) -> str:
    """Beside the service's own, by the file's address: the same event has the same keys, and no two files share one.

    What the service calls its own objects is not documented; in events that were seen, the names tell neither the
    folder of a file nor its ending.
    """
    folder, slash, _ = file.content_batches[0].key.rpartition("/")
    return f"{folder}{slash}rag_assets_{hashlib.sha256(place.uri.encode()).hexdigest()[:32]}_{part}.json"


def _write(call: _Call, file: TransformedFile, place: ObjectAddress) -> list[str]:
    """Write the chunks of a file.

    Returns:
        The keys of the objects that they are in, in order.
    """
    places = possible_addresses(place)
    document = call.configuration.document_of(places)
    tally = _Tally(place.uri, call.event)
    keys: list[str] = []
    with tempfile.TemporaryFile() as kept:
        copy = cast(BinaryIO, kept)
        sha256 = download_first(call.s3, places, copy)
        contents = read_contents(copy, document, call.configuration, sha256=sha256, file_metadata=file.file_metadata)
        in_time = _in_time(_told(contents, place, document), place, call.seconds_left)
        for number, batch in enumerate(_batches(tally.contents_among(in_time))):
            keys.append(_key(file, place, f"{number:05d}"))
            call.intermediate.write(keys[-1], batch)
    tally.close(document)
    return keys


def _in_time(
    contents: Iterator[ChunkContent | Finding], place: ObjectAddress, seconds_left: Callable[[], float]
) -> Iterator[ChunkContent | Finding]:
    """The same, as long as there is time: also where nothing but faults comes, and no batch gets full."""
    for read, content in enumerate(contents):
        if seconds_left() < _SPARE_SECONDS:
            raise TransformationError(
                f"{place.uri}: the function's time is over after {read} chunks and findings: raise its Timeout "
                "(900 seconds at most) or its memory, which brings more processor; or part the file"
            )
        yield content


def _told(
    contents: Iterator[ChunkContent | Finding], place: ObjectAddress, document: ConfiguredDocument
) -> Iterator[ChunkContent | Finding]:
    """The same; where the document turns out not to be readable, the error says which it is."""
    try:
        yield from contents
    except DocumentError as error:
        raise TransformationError(f"{place.uri} ([document.{document.settings.key}]): {error}") from error
    except ModuleNotFoundError as error:
        raise TransformationError(
            f"{place.uri}: the function was packaged without {error.name}: package it with "
            f"--source {document.source.name}"
        ) from error


def _batches(contents: Iterator[ChunkContent]) -> Iterator[list[ChunkContent]]:
    batch: list[ChunkContent] = []
    for content in contents:
        batch.append(content)
        if len(batch) == MOST_CHUNKS:
            yield batch
            batch = []
    if batch:
        yield batch


class _Tally:
    """Counts what a file yields, tells the log what is wrong with it, and lets the chunks through."""

    def __init__(self, uri: str, event: TransformationEvent) -> None:
        self._uri = uri
        self._event = event
        self._chunks = 0
        self._topics: Counter[tuple[str, str]] = Counter()
        self._faults: list[Finding] = []
        self._notes: list[Finding] = []

    def contents_among(self, contents: Iterator[ChunkContent | Finding]) -> Iterator[ChunkContent]:
        """The chunks."""
        for content in contents:
            if isinstance(content, Finding):
                self._note(content)
            else:
                self._chunks += 1
                yield content

    def _note(self, finding: Finding) -> None:
        self._topics[finding.kind, finding.topic] += 1
        if self._topics[finding.kind, finding.topic] <= TOLD_FINDINGS:
            level = logging.ERROR if finding.kind == "fault" else logging.WARNING
            told = {"file": self._uri, "finding": finding.model_dump()}
            _LOGGER.log(level, "%s, %s", self._uri, _in_words(finding), extra=told)
        first = self._faults if finding.kind == "fault" else self._notes
        if len(first) < _TOLD_FAULTS:
            first.append(finding)

    def close(self, document: ConfiguredDocument) -> None:
        """Tell the log what there was.

        Raises:
            TransformationError: There was no chunk, or a fault that the settings do not let pass.
        """
        topics = {f"{kind}: {topic}": count for (kind, topic), count in self._topics.items()}
        told = {
            "file": self._uri,
            "chunks": self._chunks,
            "findings": topics,
            "knowledge_base": self._event.knowledge_base_id,
            "data_source": self._event.data_source_id,
            "ingestion_job": self._event.ingestion_job_id,
        }
        _LOGGER.info("%s: %d chunks%s", self._uri, self._chunks, self._notes_in_words(), extra=told)
        faults = self._count("fault")
        if faults:
            first = "; ".join(map(_in_words, self._faults))
            more = f" (and {faults - len(self._faults)} more, see the function's log)" if faults > _TOLD_FAULTS else ""
            remedy = (
                f'mend them, or set bad_rows = "skip" in [document.{document.settings.key}] to go on as is said here'
                if hasattr(document.settings, "bad_rows")
                else "mend the file"
            )
            raise TransformationError(f"{self._uri}: {faults} fault(s): {first}{more}; {remedy}")
        if not self._chunks:
            raise TransformationError(f"{self._uri}: {self._why_nothing()}")

    def _count(self, kind: str) -> int:
        return sum(count for (of, _), count in self._topics.items() if of == kind)

    def _notes_in_words(self) -> str:
        notes = self._count("note")
        if not notes:
            return ""
        more = f" (and {notes - len(self._notes)} more)" if notes > len(self._notes) else ""
        return f", {notes} note(s): {'; '.join(map(_in_words, self._notes))}{more}"

    def _why_nothing(self) -> str:
        if not self._topics:
            return (
                "it can be read and holds no record (a table: column names and no row below them): put some into it, "
                "or keep it outside of the data source's prefix"
            )
        found = ", ".join(f"{topic} ({count})" for (_, topic), count in self._topics.most_common())
        return f"nothing in it became a chunk: {found}; the function's log has the places"


def _in_words(finding: Finding) -> str:
    return f"{finding.place} ({finding.topic}): {finding.message}"
