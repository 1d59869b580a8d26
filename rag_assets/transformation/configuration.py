"""Settings of the Lambda: the same `[document.<key>]` and `[variant.<name>]` tables that the project's file holds.

Environment variables of the function say where they come from, see `docs/lambda.md` and `infrastructure/`.
"""

import json
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Literal, get_args

from pydantic import ValidationError

from rag_assets.corpus.dictionary import Dictionary, read_dictionary
from rag_assets.corpus.variants import VARIANTS
from rag_assets.japanese.composed import compose
from rag_assets.model import Variant
from rag_assets.sources.base import DocumentSettings, DocumentSource
from rag_assets.sources.fetching.addresses import shown_address
from rag_assets.sources.registry import BY_NAME, configure_document
from rag_assets.store.configuration_text import settings_text, toml_tables
from rag_assets.store.validation import faults_in_words
from rag_assets.transformation.errors import TransformationError
from rag_assets.transformation.objects import ObjectAddress, list_keys, parse_address, read_object

SETTINGS = "TRANSFORMATION_SETTINGS"
"""Tables as JSON, or the address of a settings file in S3 (`.toml` or `.json`)."""
VARIANT = "TRANSFORMATION_VARIANT"
"""Name of the variant; `prepared_400` where it is not set."""
DICTIONARIES = "TRANSFORMATION_DICTIONARIES"
"""Address of the folder in S3 with `<source>.txt`, for variants that use a dictionary."""
STORE = "TRANSFORMATION_STORE"
"""Where the Knowledge Base keeps its vectors: each has its own limits for metadata."""

DEFAULT_VARIANT = "prepared_400"

_LOGGER = logging.getLogger(__name__)

VectorStore = Literal["S3_VECTORS", "OPENSEARCH_SERVERLESS", "RDS"]


@dataclass(frozen=True)
class ConfiguredDocument:
    """One configured document and the source that reads it."""

    source: DocumentSource
    settings: DocumentSettings


@dataclass(frozen=True)
class LambdaConfiguration:
    """What a call needs beside its event.

    Attributes:
        documents: All that are configured.
        variant: The way of preparing.
        dictionary_of: Returns the dictionary of a source; called only if the variant uses one.
        store: Where the Knowledge Base keeps its vectors.
        origin: Where the tables came from, for messages.
    """

    documents: tuple[ConfiguredDocument, ...]
    variant: Variant
    dictionary_of: Callable[[str], Dictionary]
    store: VectorStore
    origin: str

    def find_document(self, addresses: Sequence[ObjectAddress]) -> ConfiguredDocument:
        """The document that a file in S3 is: by its address, else by its name.

        Args:
            addresses: What its address may mean, the likeliest first.

        Raises:
            TransformationError: None is configured for it, or several.
        """
        address = addresses[0]
        named = [document for document in self.documents if not document.settings.location.startswith("s3://")]
        ways = (
            *([one for one in self.documents if _is_same(one.settings.location, each.uri)] for each in addresses),
            *([one for one in named if _is_same_file(one.settings.location, each.key)] for each in addresses),
        )
        found = next(filter(None, ways), [])
        if len(found) == 1:
            return found[0]
        if found:
            keys = ", ".join(f"[document.{document.settings.key}]" for document in found)
            raise TransformationError(
                f"{address.uri}: {keys} are for files of this name; set location to the whole address in each "
                f"({self.origin})"
            )
        known = ", ".join(shown_address(document.settings.location) for document in self.documents) or "none"
        raise TransformationError(
            f"{address.uri}: no [document.<key>] table of {self.origin} is for this file: set location to "
            f"{address.uri!r} or to its name, or keep the file outside of the data source's prefix (tables are there "
            f"for: {known})"
        )


def read_configuration(environment: Mapping[str, str], s3: Any) -> LambdaConfiguration:
    """Read the configuration from the environment variables of the function.

    Settings in S3 are read each time, so that a change holds from the next synchronization on.

    Raises:
        TransformationError: A variable or a table is wrong; the message names it.
    """
    tables, origin = _read_tables(environment.get(SETTINGS, "").strip(), s3)
    documents = tuple(
        _make_document(key, table, origin) for key, table in _find_table(tables, "document", origin).items()
    )
    if not documents:
        raise TransformationError(f"{origin} has no [document.<key>] table, which would say what the columns hold")
    variant = _find_variant(environment.get(VARIANT) or DEFAULT_VARIANT, _find_table(tables, "variant", origin), origin)
    folder = environment.get(DICTIONARIES, "").strip()
    if variant.dictionary and not folder:
        raise TransformationError(
            f"{VARIANT}: {variant.name} uses a synonym dictionary: set {DICTIONARIES} to the folder with "
            f"{documents[0].source.name}.txt, such as s3://bucket/dictionaries/"
        )
    return LambdaConfiguration(
        documents=documents,
        variant=variant,
        dictionary_of=cache(lambda source: _load_dictionary(s3, parse_address(folder), source)),
        store=_check_store(environment.get(STORE, "S3_VECTORS")),
        origin=origin,
    )


def _read_tables(given: str, s3: Any) -> tuple[dict[str, Any], str]:
    if not given:
        raise TransformationError(
            f"the environment variable {SETTINGS} is not set: it takes the address of a settings file in S3 "
            "(s3://bucket/rag_assets.toml), or its tables as JSON"
        )
    in_s3 = given.startswith("s3://")
    is_toml = in_s3 and given.lower().endswith(".toml")
    content = read_object(s3, parse_address(given)) if in_s3 else given.encode()
    origin = given if in_s3 else SETTINGS
    try:
        tables = toml_tables(content) if is_toml else json.loads(settings_text(content))
    except ValueError as error:
        raise TransformationError(f"{origin}: {'no TOML' if is_toml else 'no JSON'}: {error}") from error
    if not isinstance(tables, dict):
        raise TransformationError(f'{origin}: it has to hold tables: {{"document": {{"<key>": {{...}}}}}}')
    return tables, origin


def _find_table(tables: Mapping[str, Any], name: str, origin: str) -> Mapping[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise TransformationError(f"{origin}: {name} has to hold tables: [{name}.<name>]")
    return found


def _make_document(key: str, table: Mapping[str, Any], origin: str) -> ConfiguredDocument:
    try:
        return ConfiguredDocument(*configure_document(key, table))
    except ValueError as error:
        raise TransformationError(f"{origin}: document.{key}: {error}") from error


def _find_variant(name: str, own: Mapping[str, Any], origin: str) -> Variant:
    known = {variant.name: variant for variant in VARIANTS}
    try:
        known |= {own_name: Variant(**{**table, "name": own_name}) for own_name, table in own.items()}
    except ValidationError as error:
        raise TransformationError(f"{origin}: variant: {faults_in_words(error)}") from error
    cutting = [variant.name for variant in known.values() if variant.chunking == "NONE"]
    if name not in known:
        raise TransformationError(f"{VARIANT}: {name!r} is none of the variants {', '.join(cutting)}")
    if name not in cutting:
        raise TransformationError(
            f"{VARIANT}: {name} leaves the cutting to the Knowledge Base (FIXED_SIZE), but what the function hands "
            "over is not cut any more, and could be longer than the embedding model takes: choose one that cuts "
            f"({', '.join(cutting)}), or set limit in [variant.<name>]"
        )
    return known[name]


def _check_store(name: str) -> VectorStore:
    for store in get_args(VectorStore):
        if store == name:
            known: VectorStore = store
            return known
    raise TransformationError(f"{STORE}: {name!r} is none of {', '.join(get_args(VectorStore))}")


def _load_dictionary(s3: Any, folder: ObjectAddress, source: str) -> Dictionary:
    """Copy the dictionaries into a folder, and read them as anywhere else.

    Raises:
        TransformationError: It has no entry, so that the variant would be another than its name says.
    """
    with tempfile.TemporaryDirectory() as kept:
        for key in list_keys(s3, folder):
            name = PurePosixPath(key).name
            if name.lower().endswith(".txt"):
                Path(kept, name).write_bytes(read_object(s3, ObjectAddress(bucket=folder.bucket, key=key)))
        dictionary = read_dictionary(Path(kept), source, BY_NAME)
    for problem in dictionary.problems:
        _LOGGER.warning("%s%s", folder.uri, problem, extra={"problem": problem.model_dump()})
    if not dictionary.entries:
        raise TransformationError(f"{folder.uri}: there is no {source}.txt with a headword in it")
    return dictionary


def _is_same_file(location: str, key: str) -> bool:
    return _is_same(_file_name(location), _file_name(key))


def _is_same(one: str, other: str) -> bool:
    """Whether two names are one: macOS spells が otherwise (NFD) than everything else does (NFC)."""
    return compose(one) == compose(other)


def _file_name(location: str) -> str:
    return PureWindowsPath(location).name if "\\" in location else PurePosixPath(location).name
