"""Keys of documents that the settings give none: made from the name of the file, and as stable as the name."""

import hashlib
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rag_assets.sources.fetching.addresses import is_url

_LONGEST_KEY = 60


def make_key(location: str) -> str:
    """A key from the name of a file; 「モデル就業規則.pdf」 has nothing in ASCII, so its key is a hash."""
    stem = Path(unquote(_read_path(location))).stem
    plain = make_slug(stem).strip("-_")[:_LONGEST_KEY]
    if stem.isascii() and plain and len(stem) <= _LONGEST_KEY:
        return plain
    digest = hashlib.sha256(unicodedata.normalize("NFC", stem).encode()).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else f"d-{digest}"


def make_slug(name: str) -> str:
    """What a name has in ASCII, in lower case, with - in place of all else; may be empty."""
    return re.sub(r"[^a-z0-9_]+", "-", unicodedata.normalize("NFKC", name).lower()).strip("-")


def _read_path(location: str) -> str:
    if not is_url(location):
        return location
    try:
        return urlsplit(location).path.rstrip("/")
    except ValueError:  # It is no URL after all, which is told where locations are checked.
        return location
