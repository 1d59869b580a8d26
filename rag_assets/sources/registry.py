"""All sources in the order they are shown, and looking them up; what a source is stands in `base.py`.

A further source of documents is a folder with its entry in `source.py`, and a line here. Settings, options, assets,
stages, dictionaries and the tables in `docs/` follow from the entry.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rag_assets.sources.base import DocumentSettings, DocumentSource, Source
from rag_assets.sources.csv_rows.source import SOURCE as CSV_ROWS
from rag_assets.sources.guides.source import SOURCE as GUIDES
from rag_assets.sources.invoice_qa.source import SOURCE as INVOICE_QA
from rag_assets.sources.law.source import SOURCE as LAW
from rag_assets.sources.tax_answer.source import SOURCE as TAX_ANSWER_SITE
from rag_assets.sources.work_rules.source import SOURCE as WORK_RULES
from rag_assets.store.validation import faults_in_words

TAX_ANSWER = TAX_ANSWER_SITE.name
"""The source that is a site of articles, with assets of its own; all others are made of documents."""

DOCUMENT_SOURCES: tuple[DocumentSource, ...] = (INVOICE_QA, WORK_RULES, LAW, CSV_ROWS, GUIDES)

BY_NAME = {source.name: source for source in DOCUMENT_SOURCES}

SOURCES: dict[str, Source] = {TAX_ANSWER: TAX_ANSWER_SITE, **BY_NAME}
"""All sources by name."""


def configure_document(key: str, table: Mapping[str, Any]) -> tuple[DocumentSource, DocumentSettings]:
    """Make the document that a `[document.<key>]` table configures; with it, the source that reads it.

    Raises:
        ValueError: The table is wrong; the message names the setting.
    """
    fields = dict(table)
    source = BY_NAME.get(str(fields.pop("source", "")))
    if source is None:
        raise ValueError(f"source has to be one of {', '.join(BY_NAME)}")
    if "key" in fields:
        raise ValueError("key: the table's name is the key")
    try:
        return source, source.settings(**fields, key=key)
    except ValidationError as error:
        raise ValueError(
            faults_in_words(error, (name for name in source.settings.model_fields if name != "key"))
        ) from error
