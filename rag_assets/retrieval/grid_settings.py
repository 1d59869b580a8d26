"""What a tuning grid crosses: the table `[tuning]` of the settings. How a grid is run is in `tuning/`."""

from pydantic import ConfigDict, Field

from rag_assets.model import Mode, Model
from rag_assets.retrieval.search_settings import Fusion


class TuningGrid(Model):
    """The ways of cutting and of searching that a grid crosses."""

    # The text below each setting is its description in docs/settings.md.
    model_config = ConfigDict(use_attribute_docstrings=True)

    windows: tuple[int, ...] = (256, 512)
    """Fixed windows of so many tokens, cut from the text of whole records; empty for none."""
    overlaps: tuple[int, ...] = (0, 10, 20)
    """Overlap of fixed windows in percent."""
    limits: tuple[int, ...] = (300, 400, 600, 900)
    """Most characters of chunks that are cut by structure."""
    ablated_limit: int | None = Field(default=400, ge=50)
    """The limit at which header, digits and dictionary are each left out or put in."""
    hierarchical: bool = True
    """Whether chunks of 300 characters are searched and the passage of 900 around them is given."""
    semantic: bool = True
    """Whether records are cut where neighbouring sentences have least in common."""
    modes: tuple[Mode, ...] = ("bm25", "dense", "hybrid")
    """Search modes."""
    fusions: tuple[Fusion, ...] = ("zscore", "rrf")
    """Of hybrid search."""
    bm25_weights: tuple[float, ...] = (0.3, 0.5)
    """Weights of BM25 in hybrid search."""
    rrf_constants: tuple[float, ...] = (3, 60)
    """Of the fusion `rrf`."""
    price_per_million_tokens: float = Field(default=0.0, ge=0)
    """Of embedding, in US dollars, for the column of costs."""
