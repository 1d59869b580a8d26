"""What the function's log, and the error for the service, say of one file."""

import logging
from collections.abc import Iterable, Iterator

from rag_assets.sources.base import Finding
from rag_assets.sources.finding_tally import FindingTally
from rag_assets.transformation.configuration import ConfiguredDocument
from rag_assets.transformation.contents import ChunkContent
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.event import TransformationEvent

LOGGED_FINDINGS = 100
"""Findings of a topic that are logged; of the rest only the number is."""
_SHOWN = 3
"""Findings in the message of an error, which the service shortens, and in the line that counts the notes."""

_LOGGER = logging.getLogger(__name__)


class FileReport:
    """Counts the chunks of a file, and logs what is wrong with it."""

    def __init__(self, uri: str, event: TransformationEvent) -> None:
        self._uri = uri
        self._event = event
        self._chunks = 0
        self._findings = FindingTally(LOGGED_FINDINGS)

    def take_out_findings(self, contents: Iterable[ChunkContent | Finding]) -> Iterator[ChunkContent]:
        """The chunks; the findings among them are counted and logged."""
        for content in contents:
            if isinstance(content, Finding):
                self._add(content)
            else:
                self._chunks += 1
                yield content

    def _add(self, finding: Finding) -> None:
        if self._findings.add(finding):
            level = logging.ERROR if finding.kind == "fault" else logging.WARNING
            extra = {"file": self._uri, "finding": finding.model_dump()}
            _LOGGER.log(level, "%s, %s", self._uri, _describe(finding), extra=extra)

    def finish(self, document: ConfiguredDocument) -> None:
        """Log the totals.

        Raises:
            TransformationError: There was no chunk, or a fault that the settings do not accept.
        """
        extra = {
            "file": self._uri,
            "chunks": self._chunks,
            "findings": {f"{kind}: {topic}": count for (kind, topic), count in self._findings.counts.items()},
            "knowledge_base": self._event.knowledge_base_id,
            "data_source": self._event.data_source_id,
            "ingestion_job": self._event.ingestion_job_id,
        }
        notes, first_notes = self._findings.count("note"), self._describe_first("note")
        more = f" (and {notes - _SHOWN} more)" if notes > _SHOWN else ""
        described = f", {notes} note(s): {first_notes}{more}" if notes else ""
        _LOGGER.info("%s: %d chunks%s", self._uri, self._chunks, described, extra=extra)
        faults = self._findings.count("fault")
        if faults:
            more = f" (and {faults - _SHOWN} more, see the function's log)" if faults > _SHOWN else ""
            remedy = (
                f'mend them, or set bad_rows = "skip" in [document.{document.settings.key}] to go on as is said here'
                if hasattr(document.settings, "bad_rows")
                else "mend the file"
            )
            first_faults = self._describe_first("fault")
            raise TransformationError(f"{self._uri}: {faults} fault(s): {first_faults}{more}; {remedy}")
        if not self._chunks:
            raise TransformationError(f"{self._uri}: {self._explain_no_chunks()}")

    def _describe_first(self, kind: str) -> str:
        return "; ".join([_describe(finding) for finding in self._findings.first if finding.kind == kind][:_SHOWN])

    def _explain_no_chunks(self) -> str:
        counts = self._findings.counts
        if not counts:
            return (
                "it can be read and holds no record (a table: column names and no row below them): put some into it, "
                "or keep it outside of the data source's prefix"
            )
        found = ", ".join(f"{topic} ({count})" for (_, topic), count in counts.most_common())
        return f"nothing in it became a chunk: {found}; the function's log has the places"


def _describe(finding: Finding) -> str:
    return f"{finding.place} ({finding.topic}): {finding.message}"
