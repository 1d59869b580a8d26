"""What the service makes of a `.metadata.json` file and of a key: takes, skips without a word, or fails the document.

Written from the documentation and from what the service was seen to do (DESIGN.md, section 6), and on purpose without
a look at how the project checks its own sidecars: the tests hold one against the other.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

Value = str | float | bool | list[str]

SUFFIX = ".metadata.json"
MOST_BYTES = 10_240
MOST_ATTRIBUTES = 50
LONGEST_KEY = 200
LONGEST_STRING = 2048
LONGEST_LIST = 10
S3_VECTORS_MOST_BYTES = 1024
S3_VECTORS_MOST_KEYS = 35

_TYPED: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "STRING": ("stringValue", (str,)),
    "NUMBER": ("numberValue", (int, float)),
    "BOOLEAN": ("booleanValue", (bool,)),
    "STRING_LIST": ("stringListValue", (list,)),
}
"""Of each type of the typed form: the name of its value, and what that is in JSON."""


class SilentSkipError(Exception):
    """The document is left out and nothing tells why."""


class FileFailedError(Exception):
    """The document fails; the message is the reason that the job gives."""


@dataclass(frozen=True)
class Attributes:
    """What a sidecar says.

    Attributes:
        values: What filters look at and results carry.
        embedded: Keys whose values are embedded with the text.
    """

    values: Mapping[str, Value]
    embedded: tuple[str, ...] = ()


NOTHING = Attributes({})


def read_sidecar(content: bytes) -> Attributes:
    """What the file says.

    Raises:
        SilentSkipError: It is malformed, or a value is empty.
        FileFailedError: It is too large, or a key or value breaks a limit.
    """
    if len(content) > MOST_BYTES:
        raise FileFailedError(f"their metadata file exceeds the limit of {MOST_BYTES} bytes")
    try:
        whole = json.loads(content.decode("utf-8"), parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise SilentSkipError(f"no JSON: {error}") from error
    given = whole.get("metadataAttributes") if isinstance(whole, dict) else None
    if not isinstance(given, dict) or not given:
        raise SilentSkipError("no metadataAttributes")
    plain = {key: _plain(value) for key, value in given.items()}
    embedded = tuple(
        key for key, value in given.items() if isinstance(value, dict) and value.get("includeForEmbedding")
    )
    check_attributes(plain)
    return Attributes(plain, embedded)


def check_object_key(key: str) -> None:
    """Hold the S3 key of a document to the rules.

    Raises:
        FileFailedError: It has other characters than ASCII.
    """
    if not key.isascii():
        raise FileFailedError("their S3 key has characters that are not ASCII")


def check_attributes(attributes: Mapping[str, Any]) -> None:
    """Hold the attributes of one document to the rules, wherever they come from.

    Raises:
        SilentSkipError: A value is empty, or of a kind that the service does not read.
        FileFailedError: A key or value breaks a limit.
    """
    for key, value in attributes.items():
        _check_readable(key, value)
    if len(attributes) > MOST_ATTRIBUTES:
        raise FileFailedError(f"their metadata has more than {MOST_ATTRIBUTES} attributes")
    for key, value in attributes.items():
        _check_key(key)
        _check_limits(key, value)


def check_for_s3_vectors(attributes: Mapping[str, Value]) -> None:
    """Hold the attributes to what a vector in S3 Vectors may carry beside what the service itself stores there.

    Raises:
        FileFailedError: They are too many or too large.
    """
    size = len(json.dumps(dict(attributes), ensure_ascii=False, separators=(",", ":")).encode())
    if size > S3_VECTORS_MOST_BYTES:
        raise FileFailedError(f"their custom metadata exceeds {S3_VECTORS_MOST_BYTES} bytes per vector")
    if len(attributes) > S3_VECTORS_MOST_KEYS:
        raise FileFailedError(f"their custom metadata has more than {S3_VECTORS_MOST_KEYS} keys per vector")


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _plain(value: Any) -> Any:
    """The value of the typed form; any other value as it is."""
    if not isinstance(value, dict):
        return value
    typed = value.get("value")
    if not isinstance(typed, dict) or str(typed.get("type")) not in _TYPED:
        raise SilentSkipError("an attribute is neither a plain value nor of the typed form")
    if not isinstance(value.get("includeForEmbedding", False), bool):
        raise SilentSkipError("includeForEmbedding is no boolean")
    name, kinds = _TYPED[str(typed["type"])]
    # By its very type: to Python, true is a number.
    if name not in typed or type(typed[name]) not in kinds:
        raise SilentSkipError(f"{name} is missing, or of another type than {typed['type']}")
    return typed[name]


def _check_readable(key: str, value: Any) -> None:
    if value is None or (isinstance(value, (str, list)) and not value):
        raise SilentSkipError(f"{key} is empty")
    if isinstance(value, str) and not value.strip():
        raise SilentSkipError(f"{key} is blank")
    if isinstance(value, list):
        for item in value:
            if not isinstance(item, str):
                raise SilentSkipError(f"{key} is a list of something else than strings")
            _check_readable(key, item)
    elif not isinstance(value, (str, int, float)):
        raise SilentSkipError(f"{key} is of no known kind")


def _check_key(key: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", key) or len(key) > LONGEST_KEY:
        raise FileFailedError(f"their metadata key '{key}' has characters or a length that are not allowed")
    if key.casefold() == "id" or key.startswith("_") or key.casefold().startswith("x-amz-bedrock"):
        raise FileFailedError(f"their metadata key '{key}' is reserved")


def _check_limits(key: str, value: Value) -> None:
    if isinstance(value, list) and len(value) > LONGEST_LIST:
        raise FileFailedError(f"their metadata key '{key}' has a list of more than {LONGEST_LIST} items")
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    for text in texts:
        if len(text) > LONGEST_STRING:
            raise FileFailedError(f"their metadata key '{key}' has a value of more than {LONGEST_STRING} characters")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise FileFailedError(f"their metadata key '{key}' has a value that is no Unicode text")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not _is_double(value):
        raise FileFailedError(f"their metadata key '{key}' has a number out of range")


def _is_double(value: float) -> bool:
    try:
        return isfinite(float(value))
    except OverflowError:
        return False
