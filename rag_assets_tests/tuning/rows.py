"""Rows of a grid with made-up figures."""

from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.tuning.cuts import Cut
from rag_assets.tuning.grid import GridRow, SearchWay


def row_of(cut: Cut, ranks: tuple[int, ...], settings: SearchSettings | None = None) -> GridRow:
    """A row of hybrid search with these ranks."""
    return GridRow(
        cut=cut,
        search=SearchWay(mode="hybrid", settings=settings or SearchSettings()),
        passages=1234,
        ranks=ranks,
        recall_at_5=0.5,
        recall_at_10=0.75,
        latency_p50_ms=3.21,
        latency_p95_ms=9.87,
        index_bytes=5_000_000,
        characters=850_000,
    )
