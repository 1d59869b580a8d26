"""The data of an evaluation: Question, HowSearched, RankedHit, Score, Comparison.

Shapes only; the modules beside compute them.
"""

from typing import Literal

from pydantic import Field

from rag_assets.model import Mode, Model, SearchIn
from rag_assets.retrieval.filters import Condition

Split = Literal["tune", "holdout", "unanswerable"]

HeldCorpus = Literal["corpus", "earlier", "others", "unknown"]
"""Which corpus was searched: the one prepared here, an earlier one of this home, one that others have ingested since,
or an unknown one."""


class Question(Model):
    """A question in everyday words and the records that answer it.

    Attributes:
        question_id: Unique within all question sets of a run.
        text: The question as a user would type it.
        source: The source whose records answer it.
        gold: IDs of the records that answer it (any of them counts); empty where the corpus has no answer.
        split: `tune` for questions read while preparing, `holdout` for those never read, `unanswerable` for those the
            corpus cannot answer.
        key_point: What a right answer has to say; empty where the set does not say.
        filter: Narrows the search, as an application may do; None for all passages.
    """

    question_id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    source: str
    gold: tuple[str, ...] = ()
    split: Split
    key_point: str = ""
    filter: Condition | None = None


class HowSearched(Model):
    """What answered the questions about a variant, and how it was searched.

    Attributes:
        search_in: What was searched.
        settings: The settings that decide what is found, by name, as text. Where they differ, results differ in more
            than the preparation.
        held: Which corpus it held before the first question.
        knowledge_base_id: Of a Knowledge Base; empty for the embedded index. Every variant may have its own.
        place: What its data source reads; empty for the embedded index.
        foreign: Documents there that were not sent from here, as the last sync counted them. A Knowledge Base ingests
            them too.
    """

    search_in: SearchIn
    settings: dict[str, str]
    held: HeldCorpus
    knowledge_base_id: str = ""
    place: str = ""
    foreign: int = Field(default=0, ge=0)


class RankedHit(Model):
    """One passage found for one question.

    Attributes:
        rank: From 1.
        score: As the search mode gives it, higher is better; comparable within one mode and question only.
        correct: Whether the passage's record is among the question's gold records.
        in_corpus: Whether its chunk was one of the variant's own, as they were prepared here when it was found.
        text: The passage in full, as it was indexed.
        is_mixed: Whether it holds text of further records, as a window of a whole document may.
    """

    question_id: str
    variant: str
    mode: Mode
    rank: int = Field(ge=1)
    record_id: str
    chunk_id: str
    score: float
    correct: bool
    in_corpus: bool
    text: str
    is_mixed: bool = False


class QuestionResult(Model):
    """What one variant found for one question in one mode, best first, and how long it took."""

    question: Question
    variant: str
    searched: HowSearched
    mode: Mode
    hits: tuple[RankedHit, ...]
    latency_ms: float = Field(ge=0)

    @property
    def first_correct_rank(self) -> int | None:
        """Rank of the first passage of a right record, None where there is none among the hits."""
        return next((hit.rank for hit in self.hits if hit.correct), None)


class Score(Model):
    """One row of the comparison table: a variant in a mode over the questions of a split and source.

    Attributes:
        split: A split, or `all` for tune and holdout together.
        source: A source, or `all`.
        chunks: Passages in the variant's index (of that source, where one is named).
        mrr: Mean reciprocal rank of the first right passage; 0 for a question with none among the hits.
        mrr_low: Lower end of the 95% bootstrap interval.
        mrr_high: Upper end.
        hit_at_8: Share of questions with a right passage among the first 8 (the passages a model is handed).
        recall_at_5: Mean share of a question's gold records found among the first 5 passages.
        recall_at_10: Likewise among the first 10.
    """

    variant: str
    mode: Mode
    split: str
    source: str
    questions: int
    chunks: int
    mrr: float
    mrr_low: float
    mrr_high: float
    hit_at_8: float
    recall_at_5: float
    recall_at_10: float
    latency_p50_ms: float
    latency_p95_ms: float

    @property
    def place(self) -> tuple[Mode, str, str]:
        """Mode, split and source: where the figures stand in the comparison."""
        return self.mode, self.split, self.source


class Comparison(Model):
    """A variant against the baseline over the same questions, paired.

    Attributes:
        difference: Mean over questions of (reciprocal rank of the variant - that of the baseline).
        low: Lower end of the 95% bootstrap interval of the difference.
        high: Upper end.
        p_value: Two-sided, of a paired sign-flip permutation test.
        better: Questions where the variant ranks a right passage higher than the baseline.
        worse: Questions where it ranks it lower.
        verdict: `better` or `worse` where p < 0.05, else `noise`: the difference may be chance.
    """

    variant: str
    baseline: str
    mode: Mode
    split: str
    source: str
    questions: int
    difference: float
    low: float
    high: float
    p_value: float
    better: int
    worse: int
    verdict: Literal["better", "worse", "noise"]

    @property
    def place(self) -> tuple[Mode, str, str]:
        """Mode, split and source: where the figures stand in the comparison."""
        return self.mode, self.split, self.source
