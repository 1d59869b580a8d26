"""A settings file's bytes as text: what editors put before it (a byte order mark) is no fault of its words.

What the settings mean belongs to `settings/`, and to the Lambda's `configuration.py`.
"""

import codecs
import tomllib
from typing import Any

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def settings_text(content: bytes) -> str:
    """The text of a settings file, UTF-8 with or without byte order mark.

    Raises:
        ValueError: It is in another encoding; the message says which, as far as that shows, and what to do.
    """
    remedy = "save it as UTF-8 (in the editor's 'Save as', under encoding)"
    if content.startswith(_UTF16) or b"\0" in content[:4]:
        raise ValueError(f"it is UTF-16, settings files are UTF-8: {remedy}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is no UTF-8 (Shift_JIS?): {remedy}") from error


def toml_tables(content: bytes) -> dict[str, Any]:
    """The tables of a settings file in TOML.

    Raises:
        ValueError: It is no TOML, or in another encoding than UTF-8.
    """
    return tomllib.loads(settings_text(content))
