"""An embedder small enough for tests: counts characters, and remembers what it was asked to embed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rag_assets.retrieval.embedders import Vectors, unit


@dataclass
class CountingEmbedder:
    name: str = "counting"
    dimension: int = 64
    reads: float = math.inf
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for character in text:
                vectors[row, ord(character) % self.dimension] += 1
        return unit(vectors)

    def embed_question(self, question: str) -> Vectors:
        return np.asarray(self.embed([question])[0])
