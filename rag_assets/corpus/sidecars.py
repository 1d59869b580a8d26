"""The sidecar of a file: the attributes a Knowledge Base keeps beside a chunk, and the rules they have to keep.

The service skips a file whose sidecar breaks a rule, mostly without a word; so the rules are checked here, before
anything is written. Source of the rules: the metadata section of the Bedrock Knowledge Bases data source guide, and
what the service was seen to do (an empty value drops the file in silence).
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from rag_assets.corpus.sidecar_limits import (
    ANYWHERE,
    IN_S3_VECTORS,
    MOST_CHARACTERS,
    MOST_LIST_ITEMS,
    RESERVED_KEYS,
    RESERVED_PREFIXES,
    SizeLimits,
)
from rag_assets.japanese.characters import clip
from rag_assets.japanese.dates import date_number
from rag_assets.model import Attribute, Record

TOTAL_SUFFIX = "_total"
"""Behind the key of a facet with more values than a list may have: how many the record has."""
FEWEST_CHARACTERS = 40
"""That are left of a title or heading path, however large the rest of its sidecar is."""

_KEY = re.compile(r"[a-zA-Z0-9_-]+")


def sidecar_attributes(
    record: Record, chunk_id: str, variant: str, headings: Sequence[str], part: str = ""
) -> dict[str, Attribute]:
    """The attributes of one chunk: what filters need and what leads back to the record.

    Unknown and blank values are absent. A title or heading path that is too long for a sidecar, or would make it too
    large for S3 Vectors, ends, or begins, in 「…」; a facet with more values than a list may have keeps the first and
    says how many there are (`tax_items_total`). Record and header hold them all. Anything else that breaks a rule is
    left for `sidecar_faults` to name.

    Raises:
        ValueError: A facet or attribute of the record has a key that means something else here.
    """
    attributes: dict[str, Attribute | None] = {
        "record_id": record.record_id,
        "chunk_id": chunk_id,
        "source": record.source,
        "variant": variant,
        "document": record.document,
        "number": record.number,
        "title": clip(record.title, MOST_CHARACTERS),
        "chapter": _clipped_path("＞".join(record.chapter)),
        "section": _clipped_path("＞".join(headings)),
        "part": part,
        "url": record.url,
        "as_of": date_number(record.as_of.date) if record.as_of and record.as_of.date else None,
    }
    for key, further in _further_attributes(record):
        if key in attributes:
            raise ValueError(
                f"{record.record_id}: its attribute {key!r} would hide another of that name in the sidecar; "
                "give it another name where its source is read"
            )
        attributes[key] = further
    told = {key: value for key, given in attributes.items() if (value := _without_blanks(given)) is not None}
    return _fitted(told)


def document_attributes(source: str, document: str, chunk_id: str, variant: str) -> dict[str, Attribute]:
    """The attributes of a document that holds several records, of which nothing can be said that holds for all."""
    return _fitted(
        {"chunk_id": chunk_id, "source": source, "variant": variant, "document": clip(document, MOST_CHARACTERS)}
    )


def _further_attributes(record: Record) -> Iterator[tuple[str, Attribute]]:
    for facet in record.facets:
        yield facet.key, facet.values[:MOST_LIST_ITEMS]
        if len(facet.values) > MOST_LIST_ITEMS:
            yield facet.key + TOTAL_SUFFIX, len(facet.values)
    yield from record.attributes.items()


def _clipped_path(path: str, most: int = MOST_CHARACTERS) -> str:
    """A heading path that is too long keeps its end, the heading nearest to the text."""
    return path if len(path) <= most else f"…{path[1 - most :]}"


_CLIPPING: Mapping[str, Callable[[str, int], str]] = {
    "title": clip,
    "chapter": _clipped_path,
    "section": _clipped_path,
}


def _fitted(attributes: dict[str, Attribute]) -> dict[str, Attribute]:
    """The attributes, the longest of title and heading paths shortened until the sidecar fits into S3 Vectors.

    Short ones stay as they are: where the rest alone is too large, that is for `sidecar_faults` to name.
    """
    while len(sidecar_bytes(attributes)) > IN_S3_VECTORS.most_bytes:
        lengths = {key: len(text) for key in _CLIPPING if isinstance(text := attributes.get(key), str)}
        longest = max(lengths, key=lengths.__getitem__, default="")
        if lengths.get(longest, 0) <= FEWEST_CHARACTERS:
            break
        shorter = max(FEWEST_CHARACTERS, lengths[longest] * 3 // 4)
        attributes = attributes | {longest: _CLIPPING[longest](str(attributes[longest]), shorter)}
    return attributes


def _without_blanks(value: Attribute | None) -> Attribute | None:
    """The value, a list without its blank items; None where nothing is left."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, tuple):
        return tuple(item for item in value if item.strip()) or None
    return value


def sidecar_bytes(attributes: Mapping[str, Attribute]) -> bytes:
    """The content of a `.metadata.json` file, UTF-8, keys in order."""
    content = {"metadataAttributes": dict(sorted(attributes.items()))}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def sidecar_faults(attributes: Mapping[str, Attribute], limits: SizeLimits = ANYWHERE) -> list[str]:
    """What the service would refuse or skip, in words that name the key; empty where all is well.

    The size of the file is looked at where every key and value is well-formed.

    Args:
        attributes: What the sidecar holds.
        limits: How much it may hold; depends on the vector store.
    """
    faults = [fault for key, value in attributes.items() for fault in (*_key_faults(key), *_value_faults(key, value))]
    if not attributes:
        faults.append("there is no attribute at all")
    size = 0 if faults else len(sidecar_bytes(attributes))
    return faults + size_faults(size, len(attributes), limits)


def size_faults(size: int, keys: int, limits: SizeLimits) -> list[str]:
    """In what a sidecar of so many bytes and attributes is too large."""
    faults = []
    if size > limits.most_bytes:
        faults.append(f"the file has {size} bytes, at most {limits.most_bytes} are allowed{limits.note}")
    if keys > limits.most_keys:
        faults.append(f"{keys} attributes, at most {limits.most_keys} are allowed{limits.note}")
    return faults


def _key_faults(key: str) -> list[str]:
    faults = []
    if not _KEY.fullmatch(key):
        faults.append(f"key {key!r}: only ASCII letters, digits, '_' and '-' are allowed")
    if key.lower().startswith(RESERVED_PREFIXES):
        faults.append(f"key {key!r}: names beginning with 'x-amz-bedrock' or '_' are reserved")
    if key.lower() in RESERVED_KEYS:
        faults.append(f"key {key!r} is reserved; call it record_id or the like")
    return faults


def _value_faults(key: str, value: object) -> list[str]:
    match value:
        case bool():
            return []
        case int() | float():
            return [] if abs(value) <= sys.float_info.max else [f"{key}: it is no number that a filter can compare"]
        case str():
            return _string_faults(key, value)
        case tuple() | list():
            return _list_faults(key, value)
        case _:
            return [f"{key}: {type(value).__name__} is neither string, number, boolean nor list of strings"]


def _string_faults(key: str, value: str) -> list[str]:
    if not value.isprintable() and any("\ud800" <= character <= "\udfff" for character in value):
        return [f"{key}: {value!r} is no text that UTF-8 can hold"]
    if not value.strip():
        return [f"{key}: an empty value makes the Knowledge Base skip the file in silence; leave the key out"]
    if len(value) > MOST_CHARACTERS:
        return [f"{key}: {len(value)} characters, at most {MOST_CHARACTERS} are allowed"]
    return []


def _list_faults(key: str, value: Sequence[object]) -> list[str]:
    if not value:
        return [f"{key}: an empty list makes the Knowledge Base skip the file in silence; leave the key out"]
    faults = (
        [] if len(value) <= MOST_LIST_ITEMS else [f"{key}: {len(value)} items, at most {MOST_LIST_ITEMS} are allowed"]
    )
    for item in value:
        faults.extend(_string_faults(key, item) if isinstance(item, str) else [f"{key}: {item!r} is no string"])
    return faults
