"""The source of laws: how a law is named and configured. How its XML is read is in `reader.py`."""

import re
from typing import Literal
from urllib.parse import unquote

from pydantic import Field

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSettings, DocumentSource, find_address
from rag_assets.sources.document_keys import make_key
from rag_assets.sources.law.law_ids import API, api_url, is_law_id


class LawDocument(DocumentSettings):
    """One law."""

    supplementary: Literal["all", "original", "none"] = "all"
    """Which 附則 become records: all, only the law's own, or none. Those of amending laws tell from when an amendment
    holds and what goes on as before; an often amended law has more of them than articles."""
    appended: bool = True
    """Whether 別表, 様式 and the like become records."""
    api: str = Field(default=API, pattern=r"^https?://[^/?#@]+[^?#]*$")
    """Where a location that is a law ID is asked for: e-Gov's law API, or a mirror of it."""


def _find_address(document: DocumentSettings) -> str:
    if isinstance(document, LawDocument) and is_law_id(document.location):
        return api_url(document.location, document.api)
    return find_address(document)


def _make_key(location: str) -> str:
    """The law ID where the location has it: the same law in a later edition keeps its records' IDs."""
    for part in re.split(r"[^0-9A-Za-z]+", unquote(location)):
        if is_law_id(part):
            return part.lower()
    return make_key(location)


SOURCE = DocumentSource(
    name="law",
    kind="xml",
    title="法令",
    names_in_words="a law as e-Gov standard XML, or its law ID (such as 322AC0000000049)",
    record_in_words="an article of the law; a 附則 by article, 別表, 前文",
    example_numbers=("36", "32-3-2", "suppl-1", "table-1"),
    settings=LawDocument,
    sample=LawDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "law.xml"), as_of="令和7年4月1日施行"),
    address_of=_find_address,
    key_of=_make_key,
    packages=("lxml",),
)
