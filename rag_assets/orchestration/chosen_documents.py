"""What the two assets of a source of documents share: which documents are done, and how the step fails over some."""

from collections.abc import Mapping, Sequence

import dagster as dg
from pydantic import Field

from rag_assets.orchestration.record_metadata import describe_failed, failed_table
from rag_assets.sources.base import DocumentSettings

MOST_LOGGED = 20
"""Documents of a source up to which each has a line in the log; of a larger folder, the log tells progress and sums."""
PROGRESS_EVERY = 25


class DocumentsConfig(dg.Config):
    """Which documents."""

    documents: list[str] = Field(
        default=[], description="Keys of the documents to do, and no others; empty does all of the source."
    )


def choose_documents(every: Sequence[DocumentSettings], config: DocumentsConfig) -> list[DocumentSettings]:
    """The documents of a source that this run does.

    Raises:
        dagster.Failure: The configuration names one that there is not.
    """
    unknown = set(config.documents) - {document.key for document in every}
    if unknown:
        raise dg.Failure(
            f"No document of this source has the key {', '.join(sorted(unknown))}; "
            f"there are {', '.join(document.key for document in every)}",
            allow_retries=False,
        )
    return [document for document in every if not config.documents or document.key in config.documents]


def fail_for_documents(failed: Mapping[str, str], what: str, rows: dg.MetadataValue) -> None:
    """Fail the step over some documents, after everything else was done.

    Args:
        failed: Why, by key.
        what: What they could not be, and what to do.
        rows: What is told of all documents.

    Raises:
        dagster.Failure: There are any.
    """
    if failed:
        raise dg.Failure(
            description=describe_failed("document(s)", what, failed),
            metadata={"failed": failed_table("document", failed), "this run, documents": rows},
            allow_retries=False,
        )
