"""What follows from the settings: which sources, documents, question sets, dictionaries and variants a run has."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import model_validator

from rag_assets.corpus.variants import VARIANTS
from rag_assets.japanese.composed import compose
from rag_assets.model import Variant
from rag_assets.settings.messages import to_words
from rag_assets.settings.options import Options
from rag_assets.settings.places import (
    LIVE_SITE,
    SAMPLE_DICTIONARIES,
    SAMPLE_DOCUMENT,
    SAMPLE_NAME,
    SAMPLE_QUESTIONS,
    SAMPLE_SITE,
    find_dictionaries,
)
from rag_assets.settings.table import SETTINGS
from rag_assets.settings.user_info import find_user_info_faults
from rag_assets.sources.base import DocumentSettings, DocumentSource
from rag_assets.sources.fetching.addresses import is_url, shown_address
from rag_assets.sources.registry import BY_NAME, DOCUMENT_SOURCES, TAX_ANSWER
from rag_assets.sources.tax_answer.source import DOCUMENT


class Settings(Options):
    """All settings of a run, and what follows from them; see `Options` for the settings themselves."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_user_info(cls, given: Any) -> Any:
        """Before anything else looks at a value, since what finds fault with one may show it."""
        faults = list(find_user_info_faults(given)) if isinstance(given, Mapping) else []
        if faults:
            raise ValueError("\n".join(faults))
        return given

    @property
    def is_sample(self) -> bool:
        """Whether every source of this run is the bundled sample."""
        documents = [
            document == BY_NAME[source].sample
            for source, chosen in self.chosen_documents().items()
            for document in chosen
        ]
        return all(documents) and (not self._has_site or self.is_sample_site)

    def sources(self) -> tuple[str, ...]:
        """Names of the sources of this run, in the order they are shown."""
        return (*((TAX_ANSWER,) if self._has_site else ()), *self.chosen_documents())

    def chosen_documents(self) -> dict[str, tuple[DocumentSettings, ...]]:
        """The documents of this run by source; a source without any is left out."""
        chosen = {source.name: self._find_documents(source) for source in DOCUMENT_SOURCES}
        return {name: documents for name, documents in chosen.items() if documents}

    def _find_documents(self, source: DocumentSource) -> tuple[DocumentSettings, ...]:
        if self._names_no_source:
            return (source.sample,)
        tables = [document for document in self.document.values() if isinstance(document, source.settings)]
        named: tuple[str, ...] = getattr(self, source.name)
        return tuple(_find_document(location, tables, source) for location in named) if named else tuple(tables)

    @property
    def _names_no_source(self) -> bool:
        named = (getattr(self, source.name) for source in DOCUMENT_SOURCES)
        return not self.tax_answer and not self.document and not any(named)

    @property
    def _has_site(self) -> bool:
        return bool(self.tax_answer) or self._names_no_source

    @property
    def is_sample_site(self) -> bool:
        """Whether Tax Answer is the bundled sample."""
        return self._names_no_source or self.tax_answer == SAMPLE_NAME

    def site_location(self) -> str:
        """Folder or base URL of the Tax Answer site; empty where it is no source of this run."""
        return str(SAMPLE_SITE) if self.is_sample_site else self.tax_answer

    def site_document(self) -> str:
        """Name of the document in headers."""
        return self.tax_answer_document or (SAMPLE_DOCUMENT if self.is_sample_site else DOCUMENT)

    def site_links(self) -> str:
        """Base URL under which readers see the site; empty for the sample, which is nowhere to be seen."""
        if self.tax_answer_links or self.is_sample_site:
            return self.tax_answer_links
        return self.tax_answer if is_url(self.tax_answer) else LIVE_SITE

    def as_options(self) -> str:
        """The options of a command line that has these settings, as far as settings have options and were given.

        Without options that are meant for one run: they would be copied into all.
        """
        given = (
            setting.name
            for setting in SETTINGS.values()
            if setting.name in self.model_fields_set and setting.option and not setting.option.for_one_run
        )
        return shlex.join(word for name in given for word in to_words(name, self._show_value(name)))

    def _show_value(self, name: str) -> Any:
        """A setting as it may be shown; `<query>` stands where the query of an address has to be put in again."""
        value = getattr(self, name)
        if name not in BY_NAME:
            return value
        return tuple(shown_address(each, self.kept_query_parameters, left_out="?<query>") for each in value)

    def question_files(self) -> tuple[Path, ...]:
        """The question sets; none means that nothing is evaluated."""
        if self.questions or not self.is_sample:
            return self.questions
        return tuple(SAMPLE_QUESTIONS / f"{source}.csv" for source in self.sources())

    def dictionary_folder(self) -> Path:
        """Folder of the synonym dictionaries."""
        return self.dictionaries or (SAMPLE_DICTIONARIES if self.is_sample else find_dictionaries())

    def known_variants(self) -> dict[str, Variant]:
        """All variants by name: the built-in ones and those of the settings file."""
        own = {name: Variant(name=name, **settings.model_dump()) for name, settings in self.variant.items()}
        return {variant.name: variant for variant in VARIANTS} | own

    def chosen_variants(self) -> tuple[Variant, ...]:
        """The variants to make, in the order of the table."""
        known = self.known_variants()
        return tuple(variant for name, variant in known.items() if not self.variants or name in self.variants)


def _find_document(location: str, tables: list[DocumentSettings], source: DocumentSource) -> DocumentSettings:
    """The document that an option names: the sample, one with a table of its own, or one without."""
    if location == SAMPLE_NAME:
        return source.sample
    for table in tables:
        if location == table.key or _is_same_place(location, table.location):
            return table
    return source.settings(key=source.key_of(location), location=location)


def _is_same_place(one: str, other: str) -> bool:
    if is_url(one) or is_url(other):
        return one == other
    here, there = (compose(str(Path(place).expanduser().absolute())) for place in (one, other))
    return here == there
