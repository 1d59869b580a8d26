"""Pages of a list: maxResults and nextToken."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from emulation.errors import invalid

Item = TypeVar("Item")

_USUAL = 10
"""How many items a list operation answers with that is not told how many."""


def page(items: Sequence[Item], given: Mapping[str, Any], size: int | None = None) -> tuple[Sequence[Item], str | None]:
    """The items of the page that a request asks for, and the token of the next page, if there is one.

    A token belongs to the request it was given out for: the same parameters, but for `maxResults`.

    Raises:
        ServiceError: The token is none that was given out for such a request.
    """
    asked = {name: value for name, value in given.items() if name not in ("nextToken", "maxResults")}
    start = _start(given["nextToken"], asked) if "nextToken" in given else 0
    end = start + (size or given.get("maxResults", _USUAL))
    return items[start:end], _token(end, asked) if end < len(items) else None


def _token(start: int, asked: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps([start, _digest(asked)]).encode()).decode()


def _start(token: str, asked: Mapping[str, Any]) -> int:
    try:
        start, digest = json.loads(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, binascii.Error) as error:
        raise invalid("The provided nextToken is not valid") from error
    if digest != _digest(asked) or not isinstance(start, int):
        raise invalid("The provided nextToken belongs to another request")
    return start


def _digest(asked: Mapping[str, Any]) -> int:
    return binascii.crc32(json.dumps(asked, sort_keys=True, default=str).encode())
