"""Text -> vector and text -> number of tokens, the same on every machine: stand-ins for an embedding model.

Character n-grams, hashed: texts that share wording lie near each other, which is all the tests need. Nothing is learnt.
"""

import math
import re
import unicodedata
from typing import Any

import numpy as np

Vector = np.ndarray[Any, np.dtype[np.float32]]

DIMENSIONS = 1024
TOKENS_PER_CHARACTER = 300 / 255
"""Titan Text Embeddings V2 on Japanese text: 300 tokens were measured to be about 255 characters."""
CHARACTERS_PER_TOKEN = 4.7
"""Titan Text Embeddings V2 on English text, from its model page."""

_SPACE = re.compile(r"\s+")
_LENGTHS = (1, 2, 3)


def embed(text: str, dimensions: int = DIMENSIONS, *, normalize: bool = True) -> Vector:
    """The vector of a text; of a text with no character, one that is near to none."""
    hashes = _gram_hashes(_SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip())
    signs = np.where(hashes >> np.uint32(31), 1.0, -1.0)
    vector = np.bincount(hashes % np.uint32(dimensions), weights=signs, minlength=dimensions).astype(np.float32)
    length = float(np.linalg.norm(vector))
    if length == 0:
        vector[0] = length = 1.0
    return vector / np.float32(length) if normalize else vector


def _gram_hashes(text: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """A hash of every n-gram, from the code points it is of."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    hashes = []
    for length in _LENGTHS:
        grams = np.full(max(0, len(codes) - length + 1), length, dtype=np.uint32)
        for place in range(length):
            grams = (grams ^ codes[place : place + len(grams)]) * np.uint32(0x9E3779B1)
            grams ^= grams >> np.uint32(15)
        hashes.append(grams)
    return np.concatenate(hashes)


def token_count(text: str) -> int:
    """About how many tokens an embedding model counts."""
    narrow = sum(character.isascii() for character in text)
    return math.ceil((len(text) - narrow) * TOKENS_PER_CHARACTER + narrow / CHARACTERS_PER_TOKEN)
