"""Results as CSV tables that others script against: columns, their order and their rounding.

The report people read is made in `report`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rag_assets.evaluation.model import Comparison, QuestionResult, Score
from rag_assets.model import QualityRow

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = [name for name in Score.model_fields if name not in ("mrr_low", "mrr_high")]
"""Columns of `reports/retrieval.csv`, one row a variant, mode, split and source."""

HIT_COLUMNS = ("question", "variant", "mode", "rank", "record", "chunk")
"""Columns of `reports/retrieval_hits.csv`, one row a passage found; `question`, `record` and `chunk` are IDs."""

_BEGINS_A_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
"""What a spreadsheet takes for a formula where a cell begins with it (OWASP, CSV injection)."""

_FIGURE_DIGITS = 4
_LATENCY_DIGITS = {"latency_p50_ms": 2, "latency_p95_ms": 2}


def make_score_table(scores: Iterable[Score]) -> "pd.DataFrame":
    """`reports/retrieval.csv`: columns `SCORE_COLUMNS`; figures with 4 decimals, latencies with 2."""
    import pandas as pd

    frame = pd.DataFrame([score.model_dump() for score in scores], columns=SCORE_COLUMNS)
    return frame.round(_LATENCY_DIGITS).round(_FIGURE_DIGITS)


def make_hit_table(results: Iterable[QuestionResult]) -> "pd.DataFrame":
    """`reports/retrieval_hits.csv`: columns `HIT_COLUMNS`, in the order of the results, best first."""
    import pandas as pd

    rows = (
        (hit.question_id, hit.variant, hit.mode, hit.rank, hit.record_id, hit.chunk_id)
        for result in results
        for hit in result.hits
    )
    return pd.DataFrame(rows, columns=list(HIT_COLUMNS))


def make_comparison_table(comparisons: Iterable[Comparison]) -> "pd.DataFrame":
    """The paired comparisons with the baseline: the fields of `Comparison`; figures with 4 decimals."""
    import pandas as pd

    frame = pd.DataFrame([comparison.model_dump() for comparison in comparisons], columns=list(Comparison.model_fields))
    return frame.round(_FIGURE_DIGITS)


def make_quality_table(rows: Iterable[QualityRow]) -> "pd.DataFrame":
    """`reports/corpus_quality.csv`: a row a variant and source; counts of passages, lengths in characters."""
    import pandas as pd

    columns = [name for name in QualityRow.model_fields if name not in ("histogram", "examples")]
    return pd.DataFrame([row.model_dump(include=set(columns)) for row in rows], columns=columns)


def to_csv(frame: "pd.DataFrame") -> bytes:
    """A table as CSV that is safe to open in a spreadsheet: words that would be taken for a formula get a ' before."""
    return frame.map(_to_cell_text).to_csv(index=False).encode()


def _to_cell_text(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGINS_A_FORMULA) else value
