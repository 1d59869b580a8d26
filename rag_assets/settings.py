"""The settings of a run: options, environment variables and one settings file, validated before anything starts.

An option of the command line goes before the environment variable, that before the settings file, that before the
default. What a setting does is told where it is used. Relative paths are relative to the working directory.
"""

import ipaddress
import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pydantic_settings
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SerializeAsAny, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import TomlConfigSettingsSource as TomlSource

from rag_assets.corpus.variants import VARIANTS
from rag_assets.japanese.composed import composed
from rag_assets.model import Preparing, SearchIn, Variant, VariantName
from rag_assets.retrieval.embedder_choice import embedder_choice
from rag_assets.s3.locations import Target
from rag_assets.sources.base import DocumentSettings, DocumentSource
from rag_assets.sources.fetching.addresses import (
    LEFT_OUT,
    has_user_info,
    host_of,
    is_bare_user_info,
    is_url,
    link_fault,
    shown_address,
    without_secrets,
)
from rag_assets.sources.registry import BY_NAME, DOCUMENT_SOURCES, TAX_ANSWER, configured_document
from rag_assets.sources.tax_answer.source import DOCUMENT
from rag_assets.store.configuration_text import toml_tables
from rag_assets.store.file_names import existing_path
from rag_assets.store.validation import no_such_setting, said

ENVIRONMENT_PREFIX = "RAG_ASSETS_"
SETTINGS_FILE = "rag_assets.toml"
SETTINGS_FILE_VARIABLE = "RAG_ASSETS_SETTINGS_FILE"
"""Names another settings file; without it, `rag_assets.toml` in the working directory is read where it exists."""

WITHOUT_OPTION = frozenset(
    {
        *("tax_answer_document", "tax_answer_links", "document", "variant", "refresh_cron"),
        *("kept_query_parameters", "target", "aws_region", "aws_profile", "s3_endpoint", "bedrock_endpoint"),
        *(
            "most_deleted_share",
            "direct_ingestion_up_to",
            "search_type",
            "semantic_order",
            "verify_order",
            "once_a_record",
        ),
    }
)
"""Settings of the environment and the settings file only: set once for a place, not for a run."""

PACKAGE = Path(__file__).parent
SOURCES = (TAX_ANSWER, *BY_NAME)
"""Names of all sources there are, in the order they are shown."""

SAMPLE_NAME = "sample"
"""What a setting says for the bundled sample of a source."""
SAMPLE = PACKAGE / "sample"
SAMPLE_SITE = SAMPLE / "tax_answer_site"
SAMPLE_QUESTIONS = SAMPLE / "questions"
SAMPLE_DICTIONARIES = SAMPLE / "dictionaries"
SAMPLE_DOCUMENT = "みほん国税庁タックスアンサー（架空の見本）"
LIVE_SITE = "https://www.nta.go.jp"


def _split(value: Any) -> Any:
    """A comma-separated string, as environment variables and options have it, as its parts."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _in_capitals(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _home_expanded(value: str) -> str:
    """A leading ~ as shells expand it, which they do not do in a settings file nor behind `--tax-answer=`."""
    return str(Path(value).expanduser()) if value.startswith("~") else value


def _site(value: str) -> str:
    """Where the site is: a folder as the file system spells its name."""
    home = _home_expanded(value)
    return home if is_url(home) or not home.strip() else _same_if_it_is(home)


def _same_if_it_is(path: str) -> str:
    found = existing_path(Path(path))
    return path if found == Path(path) else str(found)


HomePath = Annotated[Path, AfterValidator(Path.expanduser), AfterValidator(existing_path)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Paths = Annotated[tuple[HomePath, ...], NoDecode, BeforeValidator(_split)]
Locations = Annotated[tuple[Annotated[str, AfterValidator(_home_expanded)], ...], NoDecode, BeforeValidator(_split)]


def _documents(value: Any) -> Any:
    """The `[document.<key>]` tables, each as the settings of its source's documents."""
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, Mapping):
        raise ValueError("it has to be tables: [document.<key>]")
    return {key: _document(key, table) for key, table in value.items()}


def _document(key: str, table: Any) -> DocumentSettings:
    if isinstance(table, DocumentSettings):
        return table
    if not isinstance(table, Mapping):
        raise ValueError(f"{key}: it has to be a table, [document.{key}]")
    try:
        _, settings = configured_document(key, table)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from error
    return settings


def _embedder(setting: str) -> str:
    embedder_choice(setting)
    return setting


class SettingsError(ValueError):
    """A setting is wrong; the message names it, where it may come from, and what it takes."""


class _TomlSource(TomlSource):
    """The settings file as people's editors save it."""

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        return toml_tables(file_path.read_bytes())


class Settings(BaseSettings):
    """All settings; README.md has the same table for people.

    Attributes:
        home: Output folder.
        tax_answer: `sample`, a folder holding a copy of the site's tree, or the site's base URL; empty leaves the
            source out. Where no source is named at all, all of them are the bundled sample.
        tax_answer_document: Name of the document in headers; empty for the one that fits `tax_answer`.
        tax_answer_links: Base URL under which readers see the site; empty for the one that fits `tax_answer`.
        invoice_qa: Q&A booklets: `sample`, paths or URLs of PDFs, or keys of `[document.<key>]` tables; empty means
            the tables of this source, if there are any.
        work_rules: Work rules, likewise.
        law: Laws, likewise: XML files, URLs or law IDs.
        csv_rows: Tables of rows, likewise.
        document: `[document.<key>]` tables of the settings file: documents with their finer settings, each with its
            `source` (as an environment variable, one JSON object).
        kept_query_parameters: Names of the query parameters of an address that may be kept and shown, such as `id`; all
            others may be signatures and tokens, and are left out wherever an address is written down.
        contact: Mail address or URL told to the site's owner in the User-Agent; required for a live site.
        request_interval: Seconds between two requests to a live site.
        questions: Question sets (CSV); empty means the sample's own for the sample, and no evaluation otherwise.
        dictionaries: Folder of the synonym dictionaries; empty means the sample's own for the sample, else
            `dictionaries` beside the package.
        dictionary_problems: `warn` goes on without the bad lines, `stop` stops the run.
        variants: Names of the variants to make; empty means all.
        variant: Further variants by name: `[variant.<name>]` tables of the settings file (as an environment variable,
            one JSON object).
        bm25_weight: Weight of BM25 in hybrid search, from 0 to 1; the rest is dense search's.
        rrf_constant: Hybrid search: the smaller, the more the first ranks of either arm count.
        target: Where a variant goes in AWS, by variant: `[target.<variant>]` tables of the settings file (as an
            environment variable, one JSON object: the output `RagAssetsTargets` of the CloudFormation stack).
        aws_region: Region of buckets and Knowledge Bases; empty leaves it to boto3 (environment, profile).
        aws_profile: Profile of the AWS configuration; credentials are boto3's own business, never settings.
        s3_endpoint: Another endpoint than AWS's, for an emulation.
        bedrock_endpoint: Likewise.
        sync: `on` uploads and ingests, `dry-run` tells what it would do, `off` leaves AWS alone.
        most_deleted_share: Of the objects that are there, 0 to 1: where a sync would delete more, it does nothing.
        allow_deletions: Deletes them all the same.
        adopt: Beginnings of keys below a prefix, such as `tax_answer/`: objects there that bear no mark count as sent
            from here, as those do that an earlier version sent.
        direct_ingestion_up_to: Up to how many changed documents are ingested without a job; 0 is never.
        search_in: What the evaluation asks: the embedded `index`, or the `knowledge_base`.
        search_type: HYBRID or SEMANTIC search of the Knowledge Base, or BOTH one after the other.
        semantic_order: Where a SEMANTIC search has its best result; `best_last` was seen on Aurora PostgreSQL.
        verify_order: Whether the order of the hits of the Knowledge Base is verified, and faults in it stop the run.
        once_a_record: Whether hits of one record in the Knowledge Base count once.
        embedder: Of the embedded index: `use`, or on Bedrock `titan-v2:512`, `cohere-multilingual-v3`.
        refresh_cron: When the scheduled refresh runs, Japan time.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        # What was given is told by `_in_words`, which knows what must not be shown.
        hide_input_in_errors=True,
    )

    home: HomePath = Path("data")
    tax_answer: Annotated[str, AfterValidator(_site)] = ""
    tax_answer_document: str = ""
    tax_answer_links: str = ""
    invoice_qa: Locations = ()
    work_rules: Locations = ()
    law: Locations = ()
    csv_rows: Locations = ()
    document: Annotated[dict[str, SerializeAsAny[DocumentSettings]], BeforeValidator(_documents)] = Field(
        default_factory=dict
    )
    kept_query_parameters: Names = ()
    contact: str = ""
    request_interval: float = Field(default=1.0, ge=0)
    questions: Paths = ()
    dictionaries: HomePath | None = None
    dictionary_problems: Literal["warn", "stop"] = "warn"
    variants: Names = ()
    variant: dict[VariantName, Preparing] = Field(default_factory=dict)
    bm25_weight: float = Field(default=0.35, ge=0, le=1)
    rrf_constant: float = Field(default=3, gt=0)
    target: dict[VariantName, Target] = Field(default_factory=dict)
    aws_region: str = ""
    aws_profile: str = ""
    s3_endpoint: str = ""
    bedrock_endpoint: str = ""
    sync: Literal["on", "dry-run", "off"] = "on"
    most_deleted_share: float = Field(default=0.3, ge=0, le=1)
    allow_deletions: bool = False
    adopt: Names = ()
    direct_ingestion_up_to: int = Field(default=0, ge=0)
    search_in: SearchIn = "index"
    search_type: Annotated[Literal["HYBRID", "SEMANTIC", "BOTH"], BeforeValidator(_in_capitals)] = "HYBRID"
    semantic_order: Literal["best_first", "best_last"] = "best_first"
    verify_order: bool = True
    once_a_record: bool = False
    embedder: Annotated[str, AfterValidator(_embedder)] = "use"
    refresh_cron: str = "0 5 * * *"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options, then environment, then the settings file: what the first of them says of a setting is all of it.

        Left to itself, pydantic-settings would mix tables of the file into those of a variable, field by field.
        """
        del dotenv_settings, file_secret_settings
        in_environment = env_settings()
        in_file = _TomlSource(settings_cls, toml_file=settings_file())()
        rest = {name: value for name, value in in_file.items() if name not in in_environment}
        return init_settings, env_settings, InitSettingsSource(settings_cls, rest)

    @model_validator(mode="before")
    @classmethod
    def _have_no_user_info(cls, given: Any) -> Any:
        """Before anything else looks at a value, since what finds fault with one may show it."""
        faults = list(_user_info_faults(given)) if isinstance(given, Mapping) else []
        if faults:
            raise ValueError("\n".join(faults))
        return given

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        faults = [
            *self._home_faults(),
            *self._contact_faults(),
            *self._site_faults(),
            *self._document_faults(),
            *self._address_faults(),
            *self._file_faults(),
            *self._variant_faults(),
            *self._target_faults(),
            *_cron_faults(self.refresh_cron),
        ]
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def _home_faults(self) -> Iterator[str]:
        if {"?", "%"} & set(str(self.home.absolute())):
            yield f"home: {self.home.absolute()}: '?' and '%' may not stand in its path (Dagster's database)"
        if self.home.exists() and not self.home.is_dir():
            yield f"home: {self.home} is a file; name a folder, it is made where it does not exist"

    def _contact_faults(self) -> Iterator[str]:
        if not self.contact.isascii() or not self.contact.isprintable():
            yield "contact: goes into an HTTP header: ASCII letters, digits and signs only"
        hosts = [host_of(address) for address in self._addresses()]
        if not self.contact.strip() and any(host and not _is_this_machine(host) for host in hosts):
            yield (
                "contact: a live site has to be told who is asking: set a mail address or URL "
                "(--contact, RAG_ASSETS_CONTACT)"
            )

    def _addresses(self) -> Iterator[str]:
        """Every path and URL that is read."""
        yield self.tax_answer
        for source, documents in self.chosen_documents().items():
            yield from (BY_NAME[source].address_of(document) for document in documents)

    def _site_faults(self) -> Iterator[str]:
        if is_url(self.tax_answer):
            told = shown_address(self.tax_answer, left_out=LEFT_OUT)
            if not host_of(self.tax_answer):
                yield f"tax_answer: {told!r} is no base URL such as https://www.nta.go.jp"
            elif {"?", "#"} & set(self.tax_answer):
                yield f"tax_answer: {told!r} has more than a base URL such as https://www.nta.go.jp has"
        elif self.tax_answer and not self._is_sample_site:
            folder, told = Path(self.tax_answer), without_secrets(self.tax_answer)
            if not self.tax_answer.strip() or not _can_be(folder.is_dir):
                yield (
                    f"tax_answer: {told!r} is neither 'sample', nor an existing folder, "
                    "nor a base URL such as https://www.nta.go.jp"
                )
            elif not (folder / "taxes").is_dir():
                yield (
                    f"tax_answer: {told!r} has no folder 'taxes': it has to be the root of the site's tree, "
                    "with taxes/shiraberu/taxanswer/code/index.htm below it"
                )

    def _document_faults(self) -> Iterator[str]:
        for source, documents in self.chosen_documents().items():
            for document in documents:
                address = BY_NAME[source].address_of(document)
                if is_url(address):
                    if not host_of(address):
                        told = shown_address(address, left_out=LEFT_OUT)
                        yield f"{source}: {told!r} is no URL such as https://www.example.jp/document.pdf"
                elif not _can_be(Path(address).is_file):
                    state = "is no file" if _can_be(Path(address).exists) else "does not exist"
                    what = BY_NAME[source].names_in_words
                    # The scheme may have been forgotten: what looks like a query is not shown.
                    told = without_secrets(str(Path(address).absolute()))
                    yield f"{source}: {told} {state}; name {what}, or its URL, or the key of a [document.<key>] table"
            keys = [document.key for document in documents]
            for key in sorted({key for key in keys if keys.count(key) > 1}):
                yield (
                    f"{source}: two documents would have the key {key!r}; give them keys of their own as "
                    f"[document.<key>] tables of the settings file"
                )

    def _address_faults(self) -> Iterator[str]:
        """Addresses that are shown as they are."""
        if self.tax_answer_links and (fault := link_fault(self.tax_answer_links)):
            yield f"tax_answer_links: {fault}"
        for name in ("tax_answer_links", "s3_endpoint", "bedrock_endpoint", "contact"):
            given: str = getattr(self, name)
            if without_secrets(given) != given:
                yield f"{name}: an address in it may have no query and no fragment (? and #): it is kept and shown"

    def _file_faults(self) -> Iterator[str]:
        for path in self.questions:
            if not _can_be(path.is_file):
                state = "is no file" if _can_be(path.exists) else "does not exist"
                yield f"questions: {without_secrets(str(path))} {state}"
        if not _can_be(self.dictionary_folder().is_dir):
            yield f"dictionaries: {without_secrets(str(self.dictionary_folder()))} is no folder"

    def _variant_faults(self) -> Iterator[str]:
        for variant in VARIANTS:
            if variant.name in self.variant:
                yield f"variant.{variant.name}: there is a variant of this name already; choose another name"
        known = self.known_variants()
        unknown = [name for name in self.variants if name not in known]
        if unknown:
            yield f"variants: {', '.join(unknown)} unknown; known are {', '.join(known)}"

    def _target_faults(self) -> Iterator[str]:
        known = self.known_variants()
        for name in self.target:
            if name not in known:
                yield f"target.{name}: there is no such variant; known are {', '.join(known)}"
        for (one, place), (other, another) in combinations(self.target.items(), 2):
            if place.overlaps(another):
                yield (
                    f"target.{one} and target.{other} lie in one place ({place.uri}): each would delete what the other "
                    "put there; give each a prefix of its own"
                )
            elif place.data_source_id and place.data_source_id == another.data_source_id:
                yield (
                    f"target.{one} and target.{other} have one data source ({place.data_source_id}), which reads one "
                    "prefix: give each the data source that was made for it"
                )
        if not self.target and "sync" in self.model_fields_set and self.sync != "off":
            yield (
                f"sync: it is set to {self.sync}, but no variant has a place in AWS: set target.<variant>, or leave it "
                "out"
            )
        if self.search_in == "knowledge_base":
            for variant in self.chosen_variants():
                target = self.target.get(variant.name)
                if target is None or not target.knowledge_base_id:
                    yield (
                        f"search_in: {variant.name} has no Knowledge Base: set target.{variant.name} with its "
                        "knowledge_base_id, or choose other variants (--variants)"
                    )

    @property
    def is_sample(self) -> bool:
        """Whether every source of this run is the bundled sample."""
        documents = [
            document == BY_NAME[source].sample
            for source, chosen in self.chosen_documents().items()
            for document in chosen
        ]
        return all(documents) and (not self._has_site or self._is_sample_site)

    def sources(self) -> tuple[str, ...]:
        """Names of the sources of this run, in the order they are shown."""
        return (*((TAX_ANSWER,) if self._has_site else ()), *self.chosen_documents())

    def chosen_documents(self) -> dict[str, tuple[DocumentSettings, ...]]:
        """The documents of this run by source; a source without any is left out."""
        chosen = {source.name: self._documents_of(source) for source in DOCUMENT_SOURCES}
        return {name: documents for name, documents in chosen.items() if documents}

    def _documents_of(self, source: DocumentSource) -> tuple[DocumentSettings, ...]:
        if self._names_no_source:
            return (source.sample,)
        tables = [document for document in self.document.values() if isinstance(document, source.settings)]
        named: tuple[str, ...] = getattr(self, source.name)
        return tuple(_named(location, tables, source) for location in named) if named else tuple(tables)

    @property
    def _names_no_source(self) -> bool:
        named = (getattr(self, source.name) for source in DOCUMENT_SOURCES)
        return not self.tax_answer and not self.document and not any(named)

    @property
    def _has_site(self) -> bool:
        return bool(self.tax_answer) or self._names_no_source

    @property
    def _is_sample_site(self) -> bool:
        return self._names_no_source or self.tax_answer == SAMPLE_NAME

    def site_location(self) -> str:
        """Folder or base URL of the Tax Answer site; empty where it is no source of this run."""
        return str(SAMPLE_SITE) if self._is_sample_site else self.tax_answer

    def site_document(self) -> str:
        """Name of the document in headers."""
        return self.tax_answer_document or (SAMPLE_DOCUMENT if self._is_sample_site else DOCUMENT)

    def site_links(self) -> str:
        """Base URL under which readers see the site; empty for the sample, which is nowhere to be seen."""
        if self.tax_answer_links or self._is_sample_site:
            return self.tax_answer_links
        return self.tax_answer if is_url(self.tax_answer) else LIVE_SITE

    def as_options(self) -> str:
        """The options of a command line that has these settings, as far as settings have options and were given.

        Without `allow_deletions` and `adopt`: they are meant for one run, and would be copied into all.
        """
        left_out = WITHOUT_OPTION | {"allow_deletions", "adopt"}
        given = (name for name in type(self).model_fields if name in self.model_fields_set - left_out)
        return shlex.join(word for name in given for word in _option(name, self._told(name)))

    def _told(self, name: str) -> Any:
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
        return self.dictionaries or (SAMPLE_DICTIONARIES if self.is_sample else _shipped_dictionaries())

    def known_variants(self) -> dict[str, Variant]:
        """All variants by name: the built-in ones and those of the settings file."""
        own = {name: Variant(name=name, **settings.model_dump()) for name, settings in self.variant.items()}
        return {variant.name: variant for variant in VARIANTS} | own

    def chosen_variants(self) -> tuple[Variant, ...]:
        """The variants to make, in the order of the table."""
        known = self.known_variants()
        return tuple(variant for name, variant in known.items() if not self.variants or name in self.variants)


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if not isinstance(value, tuple):
        return [option, str(value)] if str(value) else []
    if name in BY_NAME:
        return [word for each in value for word in (option, str(each))]
    words = [str(each) for each in value]
    if name == "variants":
        words = [",".join(words)] if words else []
    return [option, *words] if words else []


def _named(location: str, tables: list[DocumentSettings], source: DocumentSource) -> DocumentSettings:
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
    here, there = (composed(str(Path(place).expanduser().absolute())) for place in (one, other))
    return here == there


def settings_file() -> Path | None:
    """The settings file that is read, or None."""
    named = os.environ.get(SETTINGS_FILE_VARIABLE)
    if named:
        return existing_path(Path(named))
    return Path(SETTINGS_FILE) if Path(SETTINGS_FILE).is_file() else None


def load_settings(**options: Any) -> Settings:
    """The settings of this run.

    Where an option or an environment variable names a source, what the settings file says of other sources is left
    out: the command line says which documents there are, the file how each is read.

    Args:
        **options: Settings of the command line; None means not given.

    Raises:
        SettingsError: Something is wrong; every fault in a line.
    """
    file = settings_file()
    if file is not None and not file.is_file():
        raise SettingsError(f"{SETTINGS_FILE_VARIABLE}: the settings file {file} does not exist")
    misspelt = list(_unknown_variables())
    if misspelt:
        raise SettingsError("\n".join(misspelt))
    given = {name: value for name, value in options.items() if value is not None}
    named = {source for source in SOURCES if source in given or f"{ENVIRONMENT_PREFIX}{source.upper()}" in os.environ}
    unnamed = {source: () if source in BY_NAME else "" for source in SOURCES if named and source not in named}
    try:
        settings = Settings(**unnamed | given)
    except ValidationError as error:
        raise SettingsError("\n".join(_in_words(fault, file) for fault in error.errors())) from error
    except pydantic_settings.SettingsError as error:
        raise SettingsError(f"environment: {error}: it has to be JSON ({error.__cause__})") from error
    except (ValueError, OSError) as error:
        raise SettingsError(f"settings file {file}: {without_secrets(str(error))}") from error
    return _narrowed(settings, named) if named else settings


def _narrowed(settings: Settings, named: set[str]) -> Settings:
    """Without the tables of documents of other sources than those named."""
    wanted = tuple(BY_NAME[source].settings for source in named if source in BY_NAME)
    tables = {key: document for key, document in settings.document.items() if isinstance(document, wanted)}
    return settings.model_copy(update={"document": tables})


def _unknown_variables() -> Iterator[str]:
    """Environment variables that look like settings and are none: set, they would do nothing, in silence."""
    known = [name.upper() for name in Settings.model_fields]
    known.append(SETTINGS_FILE_VARIABLE.removeprefix(ENVIRONMENT_PREFIX))
    for variable in sorted(os.environ):
        name = variable.upper().removeprefix(ENVIRONMENT_PREFIX)
        if not variable.upper().startswith(ENVIRONMENT_PREFIX) or name in known:
            continue
        close = get_close_matches(name, known, n=1)
        names = ", ".join(f"{ENVIRONMENT_PREFIX}{each}" for each in close or known)
        hint = f"did you mean {names}?" if close else f"known are {names}"
        yield f"environment variable {variable}: there is no such setting; {hint}"


def _in_words(fault: Any, file: Path | None) -> str:
    message = said(fault)
    if not fault["loc"]:
        return "\n".join(f"setting {line}" for line in message.splitlines())
    top, *below = (str(part) for part in fault["loc"])
    name = ".".join(part for part in (top, *below) if part != "[key]")
    variable = f"{ENVIRONMENT_PREFIX}{top.upper()}"
    if fault["type"] == "extra_forbidden":
        place = variable if variable in os.environ else file or "the options"
        known = () if below else Settings.model_fields
        return f"setting {name}: {no_such_setting(name, known)} (in {place})"
    places = [variable, f"{top} in {file or SETTINGS_FILE}"]
    if top not in WITHOUT_OPTION:
        places.insert(0, f"--{top.replace('_', '-')}")
    where = ", or ".join((", ".join(places[:-1]), places[-1]))
    given = fault["input"]
    # Whole tables are left out: the message names what is wrong in them.
    got = "" if isinstance(given, Mapping) else f", got {_shown(given)!r}"
    return f"setting {name}: {message}{got} ({where})"


def _can_be(question: Callable[[], bool]) -> bool:
    """What is asked of a path; no where it is none, such as an address that is longer than a file name can be."""
    try:
        return question()
    except OSError:
        return False


def _shown(value: Any) -> Any:
    """A given value as it may be shown."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_shown(each) for each in value]
    return value


def _user_info_faults(given: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """A line for every setting with a user or password in an address; the address is not told."""
    for key, value in given.items():
        name = f"{above}{key}"
        values = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(each, str) and _has_user_info(key, each) for each in values):
            yield (
                f"{name}: a user or password may not stand in an address, which is kept and shown in many places: "
                "leave them out. Where the document cannot be had without them, download it and name the file"
            )
        for each in values:
            tables = each if isinstance(each, Mapping) else vars(each) if isinstance(each, BaseModel) else {}
            yield from _user_info_faults(tables, f"{name}.")


def _has_user_info(name: str, value: str) -> bool:
    if has_user_info(value):
        return True
    is_location = name in SOURCES or name == "location"
    return is_location and any(
        is_bare_user_info(each) and not _can_be(Path(each).exists)
        for each in (value, *map(str.strip, value.split(",")))
    )


def _cron_faults(cron: str) -> Iterator[str]:
    if cron == Settings.model_fields["refresh_cron"].default:
        return
    import dagster as dg

    try:
        dg.ScheduleDefinition(name="trial", job_name="trial", cron_schedule=cron)
    except dg.DagsterInvalidDefinitionError:
        yield (
            f"refresh_cron: {cron!r} is no cron expression such as '0 5 * * *' "
            f"({ENVIRONMENT_PREFIX}REFRESH_CRON, or refresh_cron in the settings file)"
        )


def _shipped_dictionaries() -> Path:
    """The dictionaries of the clone; an installed package has none beside it, and takes the working directory's."""
    beside = PACKAGE.parent / "dictionaries"
    return beside if beside.is_dir() else Path("dictionaries")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
