"""What a sidecar cannot hold, where sources that make its values have to know as well as the corpus that writes it.

The checks themselves, and the rules that only the writer keeps, are in `corpus/sidecars.py`. Source of the rules: the
metadata section of the Bedrock Knowledge Bases data source guide.
"""

from typing import NamedTuple


class SizeLimits(NamedTuple):
    """How much one sidecar may hold.

    Attributes:
        most_bytes: Of the whole file.
        most_keys: Of its attributes.
        note: Where this holds and what to do, to be put behind a fault.
    """

    most_bytes: int
    most_keys: int
    note: str = ""


ANYWHERE = SizeLimits(10 * 1024, 50)
IN_S3_VECTORS = SizeLimits(
    1024, 35, " in S3 Vectors: give its record fewer or shorter attributes, or use another vector store"
)
"""Custom metadata of one vector (the S3 Vectors page of the Knowledge Base's guide)."""


def size_limits(store: str) -> SizeLimits:
    """What holds in a vector store.

    Args:
        store: Type of the Knowledge Base's storage, as GetKnowledgeBase names it; empty where it is not known.
    """
    return IN_S3_VECTORS if store == "S3_VECTORS" else ANYWHERE


MOST_CHARACTERS = 2048
"""Of a string, and of each string in a list."""
MOST_LIST_ITEMS = 10

SERVICE_PREFIX = "x-amz-bedrock"
"""How keys begin that the service itself puts beside the attributes of a sidecar."""
RESERVED_PREFIXES = (SERVICE_PREFIX, "_")
"""Beginnings of a key, in lower case, that the service keeps for itself."""
RESERVED_KEYS = frozenset({"id"})
"""Keys, in lower case, that the service keeps for itself."""
RECORD_KEYS = frozenset(
    {
        *("record_id", "chunk_id", "source", "variant", "document", "number", "title", "section", "part"),
        *("chapter", "url", "as_of"),
    }
)
"""Keys, in lower case, that every record's sidecars have, or leave out where there is nothing to say."""


def is_taken(key: str) -> bool:
    """Whether a key means something already, in whatever case it is written: it cannot name another value."""
    lowered = key.lower()
    return lowered in RESERVED_KEYS | RECORD_KEYS or lowered.startswith(RESERVED_PREFIXES)
