"""What assets are given: the home folder, the sources, the ways of preparing, how to search.

Plain configuration with one method that makes the domain value from it; nothing is opened before an asset asks.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import dagster as dg

from rag_assets.corpus.dictionary import Dictionary, DictionaryError, Problem, read_dictionary, stray_files
from rag_assets.model import Model, Variant
from rag_assets.orchestration.aws_clients import make_client
from rag_assets.retrieval.search_settings import Fusion, SearchSettings
from rag_assets.s3.locations import Target
from rag_assets.settings import Settings
from rag_assets.sources.base import DocumentSettings
from rag_assets.sources.fetching.addresses import LEFT_OUT, is_url, shown_address
from rag_assets.sources.fetching.crawl import place_at
from rag_assets.sources.fetching.places import FetchPlace
from rag_assets.sources.fetching.web import WebOptions
from rag_assets.sources.registry import BY_NAME, SOURCES
from rag_assets.store.home import Home


class HomeFolder(dg.ConfigurableResource[None]):
    """Where everything is written."""

    root: str

    @property
    def home(self) -> Home:
        """The folder's layout."""
        return Home(Path(self.root))


class Web(dg.ConfigurableResource[None]):
    """How sites are asked."""

    contact: str
    interval_seconds: float
    kept_query_parameters: list[str]

    def options(self) -> WebOptions:
        """The same, as fetching takes it."""
        return WebOptions(
            contact=self.contact,
            interval_seconds=self.interval_seconds,
            kept_query_parameters=tuple(self.kept_query_parameters),
        )


class TaxAnswerSite(dg.ConfigurableResource[None]):
    """Where Tax Answer is read from; nowhere where it is no source of this run."""

    location: str
    document: str
    links: str

    def place(self, options: WebOptions) -> FetchPlace:
        """The site, be it a folder or on the web."""
        return place_at(self.location, options)


class Documents(dg.ConfigurableResource[None]):
    """The documents of the other sources.

    Attributes:
        by_source: Settings of every document by source, see `DocumentSettings`; the locations as they may be shown.
    """

    by_source: dict[str, list[dict[str, Any]]]

    def of(self, source: str) -> list[DocumentSettings]:
        """The documents of a source; of a configured folder, the documents in it.

        Raises:
            DocumentError: A folder has none, or two documents have one key.
        """
        kind = BY_NAME[source]
        return kind.find_documents(kind.settings.model_validate(settings) for settings in self.by_source[source])

    def every(self) -> Iterator[tuple[str, DocumentSettings]]:
        """All documents, each with the name of its source."""
        for source in self.by_source:
            yield from ((source, document) for document in self.of(source))


class Addresses:
    """Where documents are asked for: whole addresses, with signatures and tokens.

    A plain object, not configuration: what is configured stands in Dagster's storage, and is shown in its UI.
    """

    def __init__(self, by_document: Mapping[tuple[str, str], str]) -> None:
        self._by_document = dict(by_document)

    def of(self, source: str, document: DocumentSettings) -> str:
        """Path or URL of a document of a source; only a URL is shown with less than it needs."""
        if is_url(document.location):
            return self._by_document[source, document.key]
        return BY_NAME[source].address_of(document)


class ObjectStore(Protocol):
    """S3, where something goes there."""

    def get_client(self) -> Any:
        """A client of S3."""
        ...


class Bedrock(dg.ConfigurableResource[None]):
    """Bedrock and its Knowledge Bases; credentials are found as boto3 finds them."""

    region: str
    profile: str
    endpoint: str

    def client(self, service: str) -> Any:
        """A client of `bedrock-agent`, `bedrock-agent-runtime` or `bedrock-runtime`."""
        from rag_assets.ingestion.service import client_config

        return make_client(service, self.profile or None, self.region or None, self.endpoint or None, client_config())


class Sync(dg.ConfigurableResource[None]):
    """Where variants go in AWS, and how.

    Attributes:
        targets: By variant, see `Target`; a variant without one stays on this machine.
        mode: `on`, `dry-run` or `off`.
        most_deleted_share: Of the objects that are there; where a sync would delete more, it does nothing.
        allow_deletions: Whether it does all the same.
        adopt: Beginnings of keys below a prefix: objects there that bear no mark count as sent from here.
        direct_ingestion_up_to: Up to how many changed documents are ingested without a job.
    """

    targets: dict[str, dict[str, Any]]
    mode: str
    most_deleted_share: float
    allow_deletions: bool
    adopt: list[str]
    direct_ingestion_up_to: int

    def target(self, variant: str) -> Target | None:
        """Where a variant goes; None where nowhere."""
        return Target.model_validate(self.targets[variant]) if variant in self.targets else None


class Preparation(dg.ConfigurableResource[None]):
    """The ways of preparing, and the dictionaries.

    Attributes:
        variants: See `Variant`.
        dictionaries: Folder of the dictionaries.
        dictionary_problems: What bad lines do: `warn` or `stop`.
    """

    variants: list[dict[str, Any]]
    dictionaries: str
    dictionary_problems: str

    def variant(self, name: str) -> Variant:
        """The variant of a partition."""
        return next(variant for variant in self.all_variants() if variant.name == name)

    def all_variants(self) -> list[Variant]:
        """All variants, in the order they are shown."""
        return [Variant.model_validate(settings) for settings in self.variants]

    def dictionary(self, source: str) -> Dictionary:
        """The dictionary of a source.

        Raises:
            DictionaryError: It has problems, and the settings say that these stop the run.
        """
        dictionary = read_dictionary(Path(self.dictionaries), source, SOURCES)
        problems = [*dictionary.problems, *self.stray_dictionaries()]
        if problems and self.dictionary_problems == "stop":
            raise DictionaryError(problems)
        return dictionary

    def stray_dictionaries(self) -> list[Problem]:
        """Dictionary files that belong to no source."""
        return stray_files(Path(self.dictionaries), SOURCES)


class Evaluation(dg.ConfigurableResource[None]):
    """What is asked, and how the embedded index is searched."""

    questions: list[str]
    fusion: Fusion
    bm25_weight: float
    rrf_constant: float
    command: str
    embedder: str
    search_type: str
    semantic_order: str
    verify_order: bool
    once_a_record: bool

    def question_files(self) -> list[Path]:
        """The question sets."""
        return [Path(path) for path in self.questions]

    def search_settings(self) -> SearchSettings:
        """How the two searches of hybrid search become one ranking."""
        return SearchSettings(fusion=self.fusion, bm25_weight=self.bm25_weight, rrf_constant=self.rrf_constant)


def _object_store(settings: Settings) -> object:
    """S3; nothing where no variant has a place there: dagster-aws takes long to import."""
    if not settings.target:
        return dg.ResourceDefinition.none_resource("No variant goes to AWS.")
    from rag_assets.orchestration.s3_resource import CorpusStore

    return CorpusStore(
        region_name=settings.aws_region or None,
        endpoint_url=settings.s3_endpoint or None,
        profile_name=settings.aws_profile or None,
    )


def _plain(value: Model) -> dict[str, Any]:
    """A value as Dagster's configuration takes it, which knows no null inside a list."""
    return value.model_dump(mode="json", exclude_defaults=True)


def _shown(document: DocumentSettings, kept: Collection[str]) -> dict[str, Any]:
    """A document's settings with its location as it may be kept and shown."""
    return _plain(document) | {"location": shown_address(document.location, kept, left_out=LEFT_OUT)}


def resources_of(settings: Settings) -> dict[str, object]:
    """The resources that the settings ask for, by the names assets know them by."""
    return {
        "home": HomeFolder(root=str(settings.home.absolute())),
        "site": TaxAnswerSite(
            location=settings.site_location(), document=settings.site_document(), links=settings.site_links()
        ),
        "documents": Documents(
            by_source={
                source: [_shown(document, settings.kept_query_parameters) for document in documents]
                for source, documents in settings.chosen_documents().items()
            }
        ),
        "addresses": Addresses(
            {
                (source, document.key): BY_NAME[source].address_of(document)
                for source, documents in settings.chosen_documents().items()
                for document in documents
            }
        ),
        "web": Web(
            contact=settings.contact,
            interval_seconds=settings.request_interval,
            kept_query_parameters=list(settings.kept_query_parameters),
        ),
        "preparation": Preparation(
            variants=[_plain(variant) for variant in settings.chosen_variants()],
            dictionaries=str(settings.dictionary_folder().absolute()),
            dictionary_problems=settings.dictionary_problems,
        ),
        "store": _object_store(settings),
        "bedrock": Bedrock(
            region=settings.aws_region, profile=settings.aws_profile, endpoint=settings.bedrock_endpoint
        ),
        "sync": Sync(
            targets={variant: target.model_dump() for variant, target in settings.target.items()},
            mode=settings.sync,
            most_deleted_share=settings.most_deleted_share,
            allow_deletions=settings.allow_deletions,
            adopt=list(settings.adopt),
            direct_ingestion_up_to=settings.direct_ingestion_up_to,
        ),
        "evaluation": Evaluation(
            questions=[str(path.absolute()) for path in settings.question_files()],
            fusion=settings.fusion,
            bm25_weight=settings.bm25_weight,
            rrf_constant=settings.rrf_constant,
            embedder=settings.embedder,
            search_type=settings.search_type,
            semantic_order=settings.semantic_order,
            verify_order=settings.verify_order,
            once_a_record=settings.once_a_record,
            command=f"python -m rag_assets run {settings.as_options()}".rstrip(),
        ),
    }
