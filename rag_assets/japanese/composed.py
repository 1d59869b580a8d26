"""One spelling of names: macOS writes が as か and a combining ゛ (NFD), everything else as one character (NFC)."""

import re
import unicodedata
from typing import Any

_MARK = re.compile("[\u0300-\u036f\u3099\u309a]")
_DECOMPOSED = re.compile("[^\u0300-\u036f\u3099\u309a][\u0300-\u036f\u3099\u309a]+")


def compose(text: str) -> str:
    """Make one character of every letter and its combining marks, where there is one; leave all else as it is.

    NFC would do more: it takes the compatibility ideographs of names (神 U+FA19) for their everyday forms.
    """
    if text.isascii() or not _MARK.search(text):
        return text
    return _DECOMPOSED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)


def compose_all(value: Any) -> Any:
    """Compose a value of settings: the texts in its lists and tables, their keys too."""
    match value:
        case str():
            return compose(value)
        case list() | tuple():
            return type(value)(map(compose_all, value))
        case dict():
            return {compose_all(name): compose_all(each) for name, each in value.items()}
        case _:
            return value
