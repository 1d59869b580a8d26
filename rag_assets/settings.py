"""The settings of a run: options, environment variables and one settings file, validated before anything starts.

An option of the command line goes before the environment variable, that before the settings file, that before the
default. What a setting does is told where it is used. Relative paths are relative to the working directory.
"""

import ipaddress
import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import pydantic_settings
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import TomlConfigSettingsSource as TomlSource

from rag_assets.corpus.variants import VARIANTS
from rag_assets.model import Variant
from rag_assets.sources.tax_answer import DOCUMENT

ENVIRONMENT_PREFIX = "RAG_ASSETS_"
SETTINGS_FILE = "rag_assets.toml"
SETTINGS_FILE_VARIABLE = "RAG_ASSETS_SETTINGS_FILE"
"""Names another settings file; without it, `rag_assets.toml` in the working directory is read where it exists."""

WITHOUT_OPTION = frozenset({"tax_answer_document", "tax_answer_links", "variant", "refresh_cron"})
"""Settings of the environment and the settings file only: set once for a place, not for a run."""

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


def _home_expanded(value: str) -> str:
    """A leading ~ as shells expand it, which they do not do in a settings file nor behind `--tax-answer=`."""
    return str(Path(value).expanduser()) if value.startswith("~") else value


HomePath = Annotated[Path, AfterValidator(Path.expanduser)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Paths = Annotated[tuple[HomePath, ...], NoDecode, BeforeValidator(_split)]
VariantName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_]*$")]


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
        variant: Further variants by name: `[variant.<name>]` tables of the settings file (as an environment variable,
            one JSON object).
        bm25_weight: Weight of BM25 in hybrid search, from 0 to 1; the rest is dense search's.
        rrf_constant: Hybrid search: the smaller, the more the first ranks of either arm count.
        refresh_cron: When the scheduled refresh runs, Japan time.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, allow_inf_nan=False
    )

    home: HomePath = Path("data")
    tax_answer: Annotated[str, AfterValidator(_home_expanded)] = "sample"
    tax_answer_document: str = ""
    tax_answer_links: str = ""
    contact: str = ""
    request_interval: float = Field(default=1.0, ge=0)
    questions: Paths = ()
    dictionaries: HomePath | None = None
    dictionary_problems: Literal["warn", "stop"] = "warn"
    variants: Names = ()
    variant: dict[VariantName, VariantSettings] = Field(default_factory=dict)
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
    def _fits_together(self) -> Self:
        faults = [
            *self._home_faults(),
            *self._site_faults(),
            *self._file_faults(),
            *self._variant_faults(),
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

    def _site_faults(self) -> Iterator[str]:
        if not self.contact.isascii() or not self.contact.isprintable():
            yield "contact: goes into an HTTP header: ASCII letters, digits and signs only"
        if self.is_live:
            parts = urlsplit(self.tax_answer)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                yield f"tax_answer: {self.tax_answer!r} is no base URL such as https://www.nta.go.jp"
            elif parts.query or parts.fragment or parts.username or parts.password:
                yield f"tax_answer: {self.tax_answer!r} has more than a base URL such as https://www.nta.go.jp has"
            elif not self.contact.strip() and not _is_this_machine(parts.hostname):
                yield (
                    "contact: a live site has to be told who is asking: set a mail address or URL "
                    "(--contact, RAG_ASSETS_CONTACT)"
                )
        elif not self.is_sample:
            folder = Path(self.tax_answer)
            if not self.tax_answer.strip() or not folder.is_dir():
                yield (
                    f"tax_answer: {self.tax_answer!r} is neither 'sample', nor an existing folder, "
                    "nor a base URL such as https://www.nta.go.jp"
                )
            elif not (folder / "taxes").is_dir():
                yield (
                    f"tax_answer: {self.tax_answer!r} has no folder 'taxes': it has to be the root of the site's tree, "
                    "with taxes/shiraberu/taxanswer/code/index.htm below it"
                )

    def _file_faults(self) -> Iterator[str]:
        for path in self.questions:
            if not path.is_file():
                yield f"questions: {path} {'is no file' if path.exists() else 'does not exist'}"
        if not self.dictionary_folder().is_dir():
            yield f"dictionaries: {self.dictionary_folder()} is no folder"

    def _variant_faults(self) -> Iterator[str]:
        for variant in VARIANTS:
            if variant.name in self.variant:
                yield f"variant.{variant.name}: there is a variant of this name already; choose another name"
        known = self.known_variants()
        unknown = [name for name in self.variants if name not in known]
        if unknown:
            yield f"variants: {', '.join(unknown)} unknown; known are {', '.join(known)}"

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
        return self.dictionaries or (SAMPLE_DICTIONARIES if self.is_sample else _shipped_dictionaries())

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
    misspelt = list(_unknown_variables())
    if misspelt:
        raise SettingsError("\n".join(misspelt))
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        raise SettingsError("\n".join(_in_words(fault, file) for fault in error.errors())) from error
    except pydantic_settings.SettingsError as error:
        raise SettingsError(f"environment: {error}: it has to be JSON ({error.__cause__})") from error
    except (ValueError, OSError) as error:
        raise SettingsError(f"settings file {file}: {error}") from error


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
    message = str(fault["msg"]).removeprefix("Value error, ")
    if not fault["loc"]:
        return "\n".join(f"setting {line}" for line in message.splitlines())
    top, *below = (str(part) for part in fault["loc"])
    name = ".".join(part for part in (top, *below) if part != "[key]")
    if fault["type"] == "extra_forbidden":
        return f"setting {name}: there is no such setting (in {file or 'the options'})"
    places = [f"{ENVIRONMENT_PREFIX}{top.upper()}", f"{top} in {file or SETTINGS_FILE}"]
    if top not in WITHOUT_OPTION:
        places.insert(0, f"--{top.replace('_', '-')}")
    return f"setting {name}: {message}, got {fault['input']!r} ({', or '.join((', '.join(places[:-1]), places[-1]))})"


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
