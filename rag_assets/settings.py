"""The settings of a run: options, environment variables and one settings file, validated before anything starts.

An option of the command line goes before the environment variable, that before the settings file, that before the
default. What a setting does is told where it is used.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import TomlConfigSettingsSource as TomlSource

from rag_assets.corpus.model import Variant
from rag_assets.corpus.variants import VARIANTS
from rag_assets.sources.tax_answer import DOCUMENT

ENVIRONMENT_PREFIX = "RAG_ASSETS_"
SETTINGS_FILE = "rag_assets.toml"
SETTINGS_FILE_VARIABLE = "RAG_ASSETS_SETTINGS_FILE"
"""Names another settings file; without it, `rag_assets.toml` in the working directory is read where it exists."""

PACKAGE = Path(__file__).parent
SAMPLE = PACKAGE / "sample"
SAMPLE_SITE = SAMPLE / "tax_answer_site"
SAMPLE_QUESTIONS = SAMPLE / "questions" / "tax_answer.csv"
SAMPLE_DICTIONARIES = SAMPLE / "dictionaries"
SAMPLE_DOCUMENT = "みほん国税庁タックスアンサー（架空の見本）"
LIVE_SITE = "https://www.nta.go.jp"


def _split(value: Any) -> Any:
    """A comma-separated string, as environment variables and options have it, as its parts."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Paths = Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_split)]


class VariantSettings(BaseModel):
    """A `[variant.<name>]` table of the settings file: one more way of preparing."""

    model_config = ConfigDict(extra="forbid")

    limit: int | None = Field(default=None, ge=50)
    header: Literal["full", "title"] = "full"
    dictionary: bool = False


class SettingsError(ValueError):
    """A setting is wrong; the message names it, where it may come from, and what it takes."""


class Settings(BaseSettings):
    """All settings; README.md has the same table for people.

    Attributes:
        home: Output folder.
        tax_answer: `sample`, a folder holding a copy of the site's tree, or the site's base URL.
        tax_answer_document: Name of the document in headers; empty for the one that fits `tax_answer`.
        tax_answer_links: Base URL under which readers see the site; empty for the one that fits `tax_answer`.
        contact: Mail address or URL told to the site's owner in the User-Agent; required for a live site.
        request_interval: Seconds between two requests to a live site.
        questions: Question sets (CSV); empty means the sample's own for the sample, and no evaluation otherwise.
        dictionaries: Folder of the synonym dictionaries; empty means the sample's own for the sample, else
            `dictionaries` beside the package.
        dictionary_problems: `warn` goes on without the bad lines, `stop` stops the run.
        variants: Names of the variants to make; empty means all.
        variant: Further variants by name.
        bm25_weight: Weight of BM25 in hybrid search, from 0 to 1; the rest is dense search's.
        rrf_constant: Hybrid search: the smaller, the more the first ranks of either arm count.
        refresh_cron: When the scheduled refresh runs, Japan time.
    """

    model_config = SettingsConfigDict(env_prefix=ENVIRONMENT_PREFIX, extra="forbid", frozen=True)

    home: Path = Path("data")
    tax_answer: str = "sample"
    tax_answer_document: str = ""
    tax_answer_links: str = ""
    contact: str = ""
    request_interval: float = Field(default=1.0, ge=0)
    questions: Paths = ()
    dictionaries: Path | None = None
    dictionary_problems: Literal["warn", "stop"] = "warn"
    variants: Names = ()
    variant: dict[str, VariantSettings] = Field(default_factory=dict)
    bm25_weight: float = Field(default=0.35, ge=0, le=1)
    rrf_constant: float = Field(default=3, gt=0)
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
        """Options, then environment, then the settings file."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlSource(settings_cls, toml_file=settings_file())

    @model_validator(mode="after")
    def _place_exists(self) -> Self:
        if self.tax_answer != "sample" and not self.is_live:
            folder = Path(self.tax_answer)
            if not folder.is_dir():
                raise ValueError(
                    f"tax_answer: {self.tax_answer!r} is neither 'sample', nor an existing folder, "
                    "nor a base URL such as https://www.nta.go.jp"
                )
            if not (folder / "taxes").is_dir():
                raise ValueError(
                    f"tax_answer: {self.tax_answer!r} has no folder 'taxes': it has to be the root of the site's tree, "
                    "with taxes/shiraberu/taxanswer/code/index.htm below it"
                )
        if self.is_live and not self.contact and not _is_loopback(self.tax_answer):
            raise ValueError(
                "contact: a live site has to be told who is asking: set a mail address or URL "
                "(--contact, RAG_ASSETS_CONTACT)"
            )
        return self

    @model_validator(mode="after")
    def _files_exist(self) -> Self:
        for path in self.questions:
            if not path.is_file():
                raise ValueError(f"questions: {path} does not exist")
        if not self.dictionary_folder().is_dir():
            raise ValueError(f"dictionaries: {self.dictionary_folder()} is no folder")
        return self

    @model_validator(mode="after")
    def _variants_are_known(self) -> Self:
        known = self.known_variants()
        unknown = [name for name in self.variants if name not in known]
        if unknown:
            raise ValueError(f"variants: {', '.join(unknown)} unknown; known are {', '.join(known)}")
        return self

    @property
    def is_live(self) -> bool:
        """Whether Tax Answer is read over HTTP."""
        return "://" in self.tax_answer

    @property
    def is_sample(self) -> bool:
        """Whether Tax Answer is the bundled sample."""
        return self.tax_answer == "sample"

    def site_location(self) -> str:
        """Folder or base URL of the site."""
        return str(SAMPLE_SITE) if self.is_sample else self.tax_answer

    def site_document(self) -> str:
        """Name of the document in headers."""
        return self.tax_answer_document or (SAMPLE_DOCUMENT if self.is_sample else DOCUMENT)

    def site_links(self) -> str:
        """Base URL under which readers see the site; empty for the sample, which is nowhere to be seen."""
        return self.tax_answer_links or ("" if self.is_sample else self.tax_answer if self.is_live else LIVE_SITE)

    def question_files(self) -> tuple[Path, ...]:
        """The question sets; none means that nothing is evaluated."""
        return self.questions or ((SAMPLE_QUESTIONS,) if self.is_sample else ())

    def dictionary_folder(self) -> Path:
        """Folder of the synonym dictionaries."""
        return self.dictionaries or (SAMPLE_DICTIONARIES if self.is_sample else PACKAGE.parent / "dictionaries")

    def known_variants(self) -> dict[str, Variant]:
        """All variants by name: the built-in ones and those of the settings file."""
        own = {name: Variant(name=name, **settings.model_dump()) for name, settings in self.variant.items()}
        return {variant.name: variant for variant in VARIANTS} | own

    def chosen_variants(self) -> tuple[Variant, ...]:
        """The variants to make, in the order of the table."""
        known = self.known_variants()
        return tuple(variant for name, variant in known.items() if not self.variants or name in self.variants)


def settings_file() -> Path | None:
    """The settings file that is read, or None."""
    named = os.environ.get(SETTINGS_FILE_VARIABLE)
    if named:
        return Path(named)
    return Path(SETTINGS_FILE) if Path(SETTINGS_FILE).is_file() else None


def load_settings(**options: Any) -> Settings:
    """The settings of this run.

    Args:
        **options: Settings of the command line; None means not given.

    Raises:
        SettingsError: Something is wrong; every fault in a line.
    """
    file = settings_file()
    if file is not None and not file.is_file():
        raise SettingsError(f"{SETTINGS_FILE_VARIABLE}: the settings file {file} does not exist")
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        raise SettingsError("\n".join(_in_words(fault, file) for fault in error.errors())) from error
    except ValueError as error:
        raise SettingsError(f"settings file {file}: {error}") from error


def _in_words(fault: Any, file: Path | None) -> str:
    message = str(fault["msg"]).removeprefix("Value error, ")
    name = ".".join(map(str, fault["loc"]))
    if not name:
        return f"setting {message}"
    if fault["type"] == "extra_forbidden":
        return f"setting {name}: there is no such setting (in {file or 'the options'})"
    top = str(fault["loc"][0])
    return (
        f"setting {name}: {message}, got {fault['input']!r} "
        f"(--{top.replace('_', '-')}, {ENVIRONMENT_PREFIX}{top.upper()}, or {top} in {file or SETTINGS_FILE})"
    )


def _is_loopback(url: str) -> bool:
    return url.split("://", 1)[1].startswith(("127.", "localhost", "[::1]"))
