"""The documents of a source as fetched."""

import dagster as dg

from rag_assets.orchestration.chosen_documents import (
    MOST_LOGGED,
    PROGRESS_EVERY,
    DocumentsConfig,
    choose_documents,
    fail_for_documents,
)
from rag_assets.orchestration.metadata import FRESHNESS, OWNERS, Materialized, code_version, folder, table
from rag_assets.orchestration.progress import log_every
from rag_assets.orchestration.resources import Addresses, Documents, HomeFolder, Web
from rag_assets.sources.base import DocumentSource
from rag_assets.sources.fetching.documents import FetchedDocument, fetch_document, forget_others

_CODE = ("sources/fetching",)


def document_files_asset(source: DocumentSource) -> dg.AssetsDefinition:
    """The asset that fetches the documents of a source."""

    @dg.asset(
        name=source.fetching_asset,
        group_name="sources",
        description=(
            f"The documents of the source {source.name} ({source.names_in_words}), as fetched from where the settings "
            "say: a path, or a URL, politely. Bytes that have not changed are not kept twice; a document that cannot "
            "be read keeps its earlier edition, loses no other, and fails the step by name."
        ),
        kinds={source.kind},
        owners=OWNERS,
        code_version=code_version(*_CODE),
        freshness_policy=FRESHNESS,
    )
    def document_files(
        context: dg.AssetExecutionContext,
        config: DocumentsConfig,
        home: HomeFolder,
        documents: Documents,
        addresses: dg.ResourceParam[Addresses],
        web: Web,
    ) -> Materialized:
        kept = home.home.fetched(source.name)
        every = documents.of(source.name)
        fetched: list[FetchedDocument] = []
        shown: dict[str, str] = {}
        chosen = choose_documents(every, config)
        log_progress = log_every(PROGRESS_EVERY, context.log.info, source.name, "documents fetched")
        for document in chosen:
            address = addresses.of(source.name, document)
            fetched.append(
                fetch_document(address, document.key, kept, web.options(), takes_web_pages=source.takes_web_pages)
            )
            shown[document.key] = source.address_of(document)
            if len(chosen) > MOST_LOGGED:
                log_progress(len(fetched), len(chosen))
            else:
                context.log.info(f"{document.key}: {fetched[-1].outcome} ({shown[document.key]})")
        forgotten = forget_others({document.key for document in every}, kept)
        rows = table([_fetch_row(document, shown[document.key]) for document in fetched])
        fail_for_documents(
            {document.key: document.error for document in fetched if document.error},
            "could not be fetched. The others are kept; run again to retry these",
            rows,
        )
        return dg.MaterializeResult(
            metadata={
                "this run, documents": rows,
                "no longer in the settings": ", ".join(forgotten) or "none",
                "folder": folder(kept),
            }
        )

    return document_files


def _fetch_row(fetched: FetchedDocument, address: str) -> dict[str, object]:
    return {
        "document": fetched.key,
        "from": address,
        "outcome": fetched.outcome,
        "bytes": fetched.size,
        "error": fetched.error,
    }
