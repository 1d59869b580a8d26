"""What can be chosen about a hybrid search; how the choice is carried out is in `fusion`, which needs numpy."""

from typing import Literal

from pydantic import Field

from rag_assets.model import Model

Fusion = Literal["zscore", "max", "rrf"]
"""How the scores of full-text and vector search become one.

`zscore` and `max` add up the scores themselves, brought to one scale; `rrf` adds up reciprocal ranks (Cormack, Clarke
and Buettcher, SIGIR 2009), so that it does not matter by how much one passage is better than the next.
"""


class SearchSettings(Model):
    """How the two searches of a hybrid search become one ranking.

    The defaults were chosen by repeated cross-validation over four question sets: docs/measurements.md has the figures
    and the command.

    Attributes:
        fusion: See `Fusion`.
        bm25_weight: Weight of full-text search; that of vector search is what is left to 1.
        rrf_constant: Of `rrf` only: the smaller it is, the more the first few ranks count. The customary 60 is for
            long lists: a passage that only one of the two searches knows hardly comes up, even as its first.
    """

    fusion: Fusion = "zscore"
    bm25_weight: float = Field(default=0.3, ge=0, le=1)
    rrf_constant: float = Field(default=3, gt=0)
