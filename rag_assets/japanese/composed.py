"""One spelling of names: macOS writes が as か and a combining ゛ (NFD), everything else as one character (NFC)."""

import re
import unicodedata
from typing import Any

_MARK = re.compile("[\u0300-\u036f\u3099\u309a]")
_DECOMPOSED = re.compile("[^\u0300-\u036f\u3099\u309a][\u0300-\u036f\u3099\u309a]+")


def composed(text: str) -> str:
    """A text with every letter and its combining marks as one character, where there is one; all else as it is.

    NFC would do more: it takes the compatibility ideographs of names (神 U+FA19) for their everyday forms.
    """
    if text.isascii() or not _MARK.search(text):
        return text
    return _DECOMPOSED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)


def all_composed(value: Any) -> Any:
    """A value of settings, the texts in its lists and tables composed; their keys too."""
    match value:
        case str():
            return composed(value)
        case list() | tuple():
            return type(value)(map(all_composed, value))
        case dict():
            return {all_composed(name): all_composed(each) for name, each in value.items()}
        case _:
            return value
