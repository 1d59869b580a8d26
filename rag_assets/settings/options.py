"""All settings with their types, defaults and descriptions, written once.

`table.py` makes them the table that options, messages and documentation are made from. What follows from the
settings is in `model.py`, what contradicts in `faults.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from rag_assets.model import Preparing, SearchIn, VariantName
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.retrieval.search_settings import Fusion
from rag_assets.s3.locations import Target
from rag_assets.settings.file import ENVIRONMENT_PREFIX, TomlSource, find_settings_file
from rag_assets.settings.values import (
    DocumentTables,
    EmbedderName,
    HomePath,
    InCapitals,
    Locations,
    Names,
    Paths,
    Site,
)
from rag_assets.sources.base import DocumentSource
from rag_assets.sources.registry import DOCUMENT_SOURCES, SOURCES, TAX_ANSWER


@dataclass(frozen=True)
class Option:
    """How a setting is given on the command line. A setting without an option is set for a place, not for a run.

    Attributes:
        metavar: What the help shows for its value.
        form: One `value`; several `values` behind the option; the option `repeated` for every value; a `flag`.
        for_one_run: Left out of commands that are shown for copying.
    """

    metavar: str | None = None
    form: Literal["value", "values", "repeated", "flag"] = "value"
    for_one_run: bool = False


def _capitalize(words: str) -> str:
    return words[:1].upper() + words[1:]


class _Place(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        # The text below each setting is its description in help texts and in docs/settings.md.
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        # What was given is told by `messages.py`, which knows what must not be shown.
        hide_input_in_errors=True,
    )

    home: Annotated[HomePath, Option("DIR")] = Path("data")
    """Output folder."""
    tax_answer: Annotated[Site, Option("sample|DIR|URL")] = Field(
        default="",
        description=f"{_capitalize(SOURCES[TAX_ANSWER].names_in_words)}. Where no source is named, all are samples.",
    )
    tax_answer_document: str = ""
    """Name of the Tax Answer site in headers; without it, the one that fits `tax_answer`."""
    tax_answer_links: str = ""
    """Base URL under which readers see the Tax Answer site; without it, the one that fits `tax_answer`."""


def _make_source_field(source: DocumentSource) -> tuple[Any, Any]:
    places = ("FILE", "FOLDER", "URL") if source.takes_folders else ("FILE", "URL")
    description = (
        f"{_capitalize(source.names_in_words)}: path, URL, `sample`, or key of a `[document.<key>]` table. Without "
        "any, the tables of this source, if there are any."
    )
    return Annotated[Locations, Option("|".join(places), form="repeated")], Field(default=(), description=description)


if TYPE_CHECKING:
    _Sources = _Place
else:
    _Sources = create_model(
        "_Sources", __base__=_Place, **{source.name: _make_source_field(source) for source in DOCUMENT_SOURCES}
    )


class Options(_Sources):
    """All settings, each by itself; those of the document sources are made from the registry."""

    document: DocumentTables = Field(default_factory=dict)
    """`[document.<key>]` tables: documents with their finer settings, each with its `source`."""
    kept_query_parameters: Names = ()
    """Names of the query parameters of an address that may be kept and shown, such as `id`; all others may be
    signatures and tokens, and are left out wherever an address is written down."""
    contact: Annotated[str, Option()] = ""
    """Mail address or URL told to the owner of a live site in the User-Agent; required there."""
    request_interval: Annotated[float, Option("SECONDS")] = Field(default=1.0, ge=0)
    """Seconds between two requests to a live site."""
    questions: Annotated[Paths, Option("CSV", form="values")] = ()
    """Question sets; without any, the sample's for the sample, and no evaluation otherwise."""
    dictionaries: Annotated[HomePath | None, Option("DIR")] = None
    """Folder of the synonym dictionaries, `<source>.txt` or `<source>_*.txt`; without it, the sample's for the sample,
    else `dictionaries`."""
    dictionary_problems: Annotated[Literal["warn", "stop"], Option()] = "warn"
    """`warn` goes on without the bad lines of a dictionary, `stop` stops the run."""
    variants: Annotated[Names, Option("a,b")] = ()
    """Names of the variants to make; without any, all."""
    variant: dict[VariantName, Preparing] = Field(default_factory=dict)
    """`[variant.<name>]` tables: further variants."""
    fusion: Annotated[Fusion, Option()] = "zscore"
    """How hybrid search makes one ranking of two: `zscore` and `max` add up scores brought to one scale, `rrf` adds up
    reciprocal ranks."""
    bm25_weight: Annotated[float, Option("0..1")] = Field(default=0.3, ge=0, le=1)
    """Weight of BM25 in hybrid search; the rest is dense search's."""
    rrf_constant: Annotated[float, Option("N")] = Field(default=3, gt=0)
    """Of the fusion `rrf`: the smaller, the more the first ranks of either search count."""
    target: dict[VariantName, Target] = Field(default_factory=dict)
    """`[target.<variant>]` tables: where a variant goes in AWS; the output `RagAssetsTargets` of the CloudFormation
    stack is the variable's value."""
    aws_region: str = ""
    """Region of buckets and Knowledge Bases; without it, boto3's (environment, profile)."""
    aws_profile: str = ""
    """Profile of the AWS configuration; credentials are boto3's own business, never settings."""
    s3_endpoint: str = ""
    """Another endpoint of S3 than AWS's, for an emulation."""
    bedrock_endpoint: str = ""
    """Another endpoint of Bedrock than AWS's, for an emulation."""
    sync: Annotated[Literal["on", "dry-run", "off"], Option()] = "on"
    """`on` uploads and ingests, `dry-run` tells what it would do, `off` leaves AWS alone; nothing happens without a
    target."""
    most_deleted_share: float = Field(default=0.3, ge=0, le=1)
    """Of a variant's own objects in its place, 0 to 1: where a sync would delete more, it does nothing."""
    allow_deletions: Annotated[bool, Option(form="flag", for_one_run=True)] = False
    """Let a sync delete more than `most_deleted_share` allows."""
    adopt: Annotated[Names, Option("a/,b/", for_one_run=True)] = ()
    """Beginnings of keys below a prefix, such as `tax_answer/`: objects there that bear no mark count as sent from
    here, as those do that an earlier version sent."""
    direct_ingestion_up_to: int = Field(default=0, ge=0)
    """Up to how many changed documents are ingested without a job; 0 is never."""
    search_in: Annotated[SearchIn, Option()] = "index"
    """What the evaluation asks: the embedded `index`, or the Knowledge Bases (`knowledge_base`)."""
    search_type: Annotated[Literal["HYBRID", "SEMANTIC", "BOTH"], InCapitals] = "HYBRID"
    """Search of the Knowledge Base; `BOTH` is one after the other."""
    semantic_order: Literal["best_first", "best_last"] = "best_first"
    """Where a SEMANTIC search has its best result; `best_last` was seen on Aurora PostgreSQL."""
    verify_order: bool = True
    """Whether the order of the hits of the Knowledge Base is verified, and faults in it stop the run."""
    once_a_record: bool = False
    """Whether hits of one record in the Knowledge Base count once."""
    embedder: Annotated[EmbedderName, Option("NAME")] = "use"
    """Of the embedded index: `use`, or on Bedrock `titan-v2:512`, `cohere-multilingual-v3`."""
    tuning: TuningGrid = Field(default_factory=TuningGrid)
    """`[tuning]` table: what `python -m rag_assets tune` compares."""
    refresh_cron: str = "0 5 * * *"
    """When the scheduled refresh runs, Japan time (cron expression)."""

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
        in_file = TomlSource(settings_cls, toml_file=find_settings_file())()
        rest = {name: value for name, value in in_file.items() if name not in in_environment}
        return init_settings, env_settings, InitSettingsSource(settings_cls, rest)
