"""How a data source cuts a document: NONE, or FIXED_SIZE in windows of tokens.

The other strategies of the service are not emulated.
"""

from dataclasses import dataclass
from typing import Any

from emulation.vectors import TOKENS_PER_CHARACTER


@dataclass(frozen=True)
class FixedSize:
    """FIXED_SIZE chunking.

    Attributes:
        max_tokens: Largest size of a chunk.
        overlap_percentage: How much of it the next one repeats.
    """

    max_tokens: int = 300
    overlap_percentage: int = 20

    def __post_init__(self) -> None:
        if not (1 <= self.max_tokens <= 8192 and 1 <= self.overlap_percentage <= 99):
            raise ValueError(f"FIXED_SIZE takes 1 to 8192 tokens and an overlap of 1 to 99%, not {self}")


Chunking = FixedSize | None
"""None is the strategy NONE: a file is a chunk."""


def cut(text: str, chunking: Chunking) -> list[str]:
    """The chunks of a text: characters stand in for tokens, as many as Japanese text was measured to need."""
    if chunking is None:
        return [text]
    size = max(1, round(chunking.max_tokens / TOKENS_PER_CHARACTER))
    step = max(1, round(size * (100 - chunking.overlap_percentage) / 100))
    chunks = [text[:size]]
    start = step
    while start + size - step < len(text):
        chunks.append(text[start : start + size])
        start += step
    return [chunk for chunk in chunks if chunk.strip()]


def as_configuration(chunking: Chunking) -> dict[str, Any]:
    """The `chunkingConfiguration` that GetDataSource tells."""
    if chunking is None:
        return {"chunkingStrategy": "NONE"}
    return {
        "chunkingStrategy": "FIXED_SIZE",
        "fixedSizeChunkingConfiguration": {
            "maxTokens": chunking.max_tokens,
            "overlapPercentage": chunking.overlap_percentage,
        },
    }
