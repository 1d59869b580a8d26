"""What assets are given: the home folder, the site, the ways of preparing, how to search.

Plain configuration with one method that makes the domain value from it; nothing is opened before an asset asks.
"""

from pathlib import Path

import dagster as dg

from rag_assets.corpus.dictionary import Dictionary, DictionaryError, Problem, read_dictionary, stray_files
from rag_assets.layout import Home
from rag_assets.model import Variant
from rag_assets.retrieval.fusion import SearchSettings
from rag_assets.settings import Settings
from rag_assets.sources.fetching import place_at
from rag_assets.sources.places import Place
from rag_assets.sources.web import WebOptions

SOURCES = ("tax_answer",)
"""Names of the sources, in the order they are shown."""


class HomeFolder(dg.ConfigurableResource[None]):
    """Where everything is written."""

    root: str

    @property
    def home(self) -> Home:
        """The folder's layout."""
        return Home(Path(self.root))


class TaxAnswerSite(dg.ConfigurableResource[None]):
    """Where Tax Answer is read from, and how it is asked."""

    location: str
    document: str
    links: str
    contact: str
    interval_seconds: float

    def place(self) -> Place:
        """The site, be it a folder or on the web."""
        return place_at(self.location, WebOptions(contact=self.contact, interval_seconds=self.interval_seconds))


class VariantConfig(dg.Config):
    """A variant as configuration, see `Variant`."""

    name: str
    limit: int | None
    header: str
    dictionary: bool


class Preparation(dg.ConfigurableResource[None]):
    """The ways of preparing, and the dictionaries."""

    variants: list[VariantConfig]
    dictionaries: str
    dictionary_problems: str

    def variant(self, name: str) -> Variant:
        """The variant of a partition."""
        return next(variant for variant in self.all_variants() if variant.name == name)

    def all_variants(self) -> list[Variant]:
        """All variants, in the order they are shown."""
        return [Variant.model_validate(settings.model_dump()) for settings in self.variants]

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
    bm25_weight: float
    rrf_constant: float

    def question_files(self) -> list[Path]:
        """The question sets."""
        return [Path(path) for path in self.questions]

    def search_settings(self) -> SearchSettings:
        """The weights of hybrid search."""
        return SearchSettings(
            bm25_weight=self.bm25_weight, dense_weight=1 - self.bm25_weight, rrf_constant=self.rrf_constant
        )


def resources_of(settings: Settings) -> dict[str, object]:
    """The resources that the settings ask for, by the names assets know them by."""
    return {
        "home": HomeFolder(root=str(settings.home.absolute())),
        "site": TaxAnswerSite(
            location=settings.site_location(),
            document=settings.site_document(),
            links=settings.site_links(),
            contact=settings.contact,
            interval_seconds=settings.request_interval,
        ),
        "preparation": Preparation(
            variants=[VariantConfig(**variant.model_dump()) for variant in settings.chosen_variants()],
            dictionaries=str(settings.dictionary_folder().absolute()),
            dictionary_problems=settings.dictionary_problems,
        ),
        "evaluation": Evaluation(
            questions=[str(path.absolute()) for path in settings.question_files()],
            bm25_weight=settings.bm25_weight,
            rrf_constant=settings.rrf_constant,
        ),
    }
