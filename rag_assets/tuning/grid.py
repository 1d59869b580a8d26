"""Runs a grid: every way of cutting is indexed once, and searched in every way.

A cut's rows are kept as soon as they are there, with the hash of what they came from: a run that was broken off goes on
where it was, and what has not changed is not done again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.passages import Passage
from rag_assets.evaluation.model import Question
from rag_assets.evaluation.significance import compute_bootstrap_interval, compute_p_value, is_noise
from rag_assets.model import Mode, Model, Record
from rag_assets.retrieval.embedders import Embedder, VectorCache
from rag_assets.retrieval.fusion import Scores, fuse, keep_found, rank_best
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import write_index
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.store.build_cache import build_unless_current, code_fingerprint, file_state, fingerprint
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines, write_lines
from rag_assets.tuning.cuts import CHARACTERS_A_TOKEN, Cut, cut_records, list_cuts

GRID_CODE = ("tuning", "corpus", "japanese", "retrieval", "model.py")
DEPTH = 10
"""Ranks that count: MRR@10, as most published grids have it."""


class SearchWay(Model):
    """One way of searching."""

    mode: Mode
    settings: SearchSettings

    @property
    def name(self) -> str:
        """Tells it from all others."""
        if self.mode != "hybrid":
            return self.mode
        constant = f" {self.settings.rrf_constant:g}" if self.settings.fusion == "rrf" else ""
        return f"hybrid {self.settings.fusion}{constant} {self.settings.bm25_weight:g}"


class GridRow(Model):
    """A cell of the grid: a way of cutting, searched in one way.

    Attributes:
        cut: How records are cut.
        search: How passages are searched.
        passages: How many there are.
        ranks: Rank of the first right passage for every question, in their order; 0 beyond the first ten.
        recall_at_5: Mean share of a question's right records among the first 5 passages.
        recall_at_10: Likewise 10.
        latency_p50_ms: Median time of a search: tokens, vector of the question, both searches, fusion.
        latency_p95_ms: 95th percentile.
        index_bytes: Size of the index file.
        characters: Of all passages, which is what is embedded.
    """

    cut: Cut
    search: SearchWay
    passages: int = Field(ge=0)
    ranks: tuple[int, ...]
    recall_at_5: float
    recall_at_10: float
    latency_p50_ms: float
    latency_p95_ms: float
    index_bytes: int
    characters: int

    @property
    def tokens(self) -> int:
        """Of the embedding model, about."""
        return round(self.characters / CHARACTERS_A_TOKEN)

    @property
    def name(self) -> str:
        """Tells it from all others."""
        return f"{self.cut.name}, {self.search.name}"

    def mrr(self, chosen: Sequence[bool] | None = None) -> float:
        """MRR@10 over all questions, or some; not a number of none."""
        values = reciprocal_ranks(self.ranks, chosen)
        return float(np.mean(values)) if values else float("nan")

    def hit_at_8(self) -> float:
        """Share of questions with a right passage among the first 8."""
        return float(np.mean([0 < rank <= 8 for rank in self.ranks])) if self.ranks else float("nan")


def reciprocal_ranks(ranks: Sequence[int], chosen: Sequence[bool] | None = None) -> list[float]:
    """1/rank of every question, or of some; 0 where nothing right was found."""
    kept = ranks if chosen is None else [rank for rank, keep in zip(ranks, chosen, strict=True) if keep]
    return [1 / rank if rank else 0.0 for rank in kept]


class GridChoice(Model):
    """The best row on the questions that may be looked at, and what it is worth on the others.

    Attributes:
        best: Name of the row.
        default: Name of the row of the default settings.
        tune_mrr: MRR@10 of the best on tune, which flatters: it was chosen there.
        holdout_mrr: On holdout.
        low: Lower end of the 95% interval of that.
        high: Upper end.
        difference: Mean difference to the default on holdout.
        p_value: Of that difference.
        is_winner: Whether the difference is more than noise.
        questions: How many holdout questions there are.
    """

    best: str
    default: str
    tune_mrr: float
    holdout_mrr: float
    low: float
    high: float
    difference: float
    p_value: float
    is_winner: bool
    questions: int


def list_searches(grid: TuningGrid) -> list[SearchWay]:
    """All ways of searching of a grid, each once."""
    ways = [SearchWay(mode=mode, settings=SearchSettings()) for mode in grid.modes if mode != "hybrid"]
    if "hybrid" in grid.modes:
        for fusion in grid.fusions:
            for weight in grid.bm25_weights:
                constants = grid.rrf_constants if fusion == "rrf" else (SearchSettings().rrf_constant,)
                ways += [
                    SearchWay(
                        mode="hybrid",
                        settings=SearchSettings(fusion=fusion, bm25_weight=weight, rrf_constant=constant),
                    )
                    for constant in constants
                ]
    return list(dict.fromkeys(ways))


@dataclass(frozen=True)
class GridInputs:
    """What a grid is run on.

    Attributes:
        home: Where it is kept.
        records: All records, in reading order.
        questions: With gold.
        dictionary_of: The dictionary of a source.
        embedder: Makes the vectors.
    """

    home: Home
    records: Sequence[Record]
    questions: Sequence[Question]
    dictionary_of: Callable[[str], Dictionary]
    embedder: Embedder


def run_grid(inputs: GridInputs, grid: TuningGrid, log: Callable[[str], None]) -> list[GridRow]:
    """All rows of a grid; those that are there already are not made again.

    Args:
        inputs: Records, questions and where to keep what is made.
        grid: The grid.
        log: Told about every cut that is done.
    """
    cuts, searches = list_cuts(grid), list_searches(grid)
    shared = fingerprint(
        *(record.digest() for record in inputs.records),
        *(question.model_dump_json() for question in inputs.questions),
        *(search.model_dump_json() for search in searches),
        inputs.embedder.name,
        code_fingerprint(*GRID_CODE),
    )
    rows: list[GridRow] = []
    with VectorCache(inputs.home.vectors, log) as cache:
        for number, cut in enumerate(cuts, start=1):
            is_new = _build_cut(inputs, cut, searches, cache, shared)
            log(f"{number}/{len(cuts)} {cut.name}{'' if is_new else ': unchanged'}")
            rows += read_lines(inputs.home.tuning(cut.name), GridRow, "tuning_grid")
    return rows


def _build_cut(
    inputs: GridInputs, cut: Cut, searches: Sequence[SearchWay], cache: VectorCache, shared_inputs: str
) -> bool:
    """Write the rows of a cut, unless they are current; True if written."""
    path = inputs.home.tuning(cut.name)
    sources = sorted({record.source for record in inputs.records})
    dictionaries = [inputs.dictionary_of(source).model_dump_json() for source in sources if cut.dictionary]
    return build_unless_current(
        inputs.home.cache_entry("tuning", cut.name),
        fingerprint(shared_inputs, cut.model_dump_json(), *dictionaries),
        find_state=lambda: file_state(path),
        build=lambda: write_lines(path, _measure_cut(inputs, cut, searches, cache)),
    )


def _measure_cut(inputs: GridInputs, cut: Cut, searches: Sequence[SearchWay], cache: VectorCache) -> Iterator[GridRow]:
    made = cut_records(cut, inputs.records, inputs.dictionary_of, lambda texts: cache.vectors(inputs.embedder, texts))
    path = inputs.home.tuning_index(cut.name)
    write_index(path, made.passages, inputs.embedder, cache)
    ordered = sorted(made.passages, key=lambda passage: passage.passage_id)
    given = np.array([made.parents.get(passage.passage_id, passage.passage_id) for passage in ordered])
    records = np.array([passage.record_id for passage in ordered])
    with LocalIndex.open(path, inputs.embedder) as index:
        if inputs.questions:
            _search_timed(index, inputs.questions[0].text)  # Loads what is loaded once.
        found = [_search_timed(index, question.text) for question in inputs.questions]
    for search in searches:
        yield _make_row(cut, search, inputs.questions, found, given, records, path, made.passages)


@dataclass(frozen=True)
class _Searched:
    """Scores of all passages for a question, and the milliseconds each search took."""

    words: Scores
    dense: Scores
    words_ms: float
    dense_ms: float


def _search_timed(index: LocalIndex, question: str) -> _Searched:
    begun = time.perf_counter()
    words = index.score_words(question)
    between = time.perf_counter()
    dense = index.score_vectors(question)
    return _Searched(words, dense, 1000 * (between - begun), 1000 * (time.perf_counter() - between))


def _rank(searched: _Searched, search: SearchWay) -> tuple[list[int], float]:
    """Positions of the best passages, and the milliseconds it took to find them."""
    begun = time.perf_counter()
    match search.mode:
        case "bm25":
            scores, before = keep_found(searched.words), searched.words_ms
        case "dense":
            scores, before = searched.dense, searched.dense_ms
        case "hybrid":
            scores = fuse(searched.words, searched.dense, search.settings)
            before = searched.words_ms + searched.dense_ms
    order = rank_best(scores, 20 * DEPTH)
    return order, before + 1000 * (time.perf_counter() - begun)


def _make_row(
    cut: Cut,
    search: SearchWay,
    questions: Sequence[Question],
    found: Sequence[_Searched],
    given: NDArray[np.str_],
    records: NDArray[np.str_],
    path: Path,
    passages: Sequence[Passage],
) -> GridRow:
    ranks: list[int] = []
    recalls: dict[int, list[float]] = {5: [], 10: []}
    latencies: list[float] = []
    for question, searched in zip(questions, found, strict=True):
        order, milliseconds = _rank(searched, search)
        # What is given counts once, however many of its small chunks were found.
        record_of: dict[str, str] = {}
        for at in order:
            record_of.setdefault(str(given[at]), str(records[at]))
        top = list(record_of.values())[:DEPTH]
        ranks.append(next((rank for rank, record_id in enumerate(top, start=1) if record_id in question.gold), 0))
        for k, values in recalls.items():
            values.append(len(set(question.gold) & set(top[:k])) / len(question.gold))
        latencies.append(milliseconds)
    p50, p95 = np.percentile(latencies, (50, 95)) if latencies else (0.0, 0.0)
    return GridRow(
        cut=cut,
        search=search,
        passages=len(passages),
        ranks=tuple(ranks),
        recall_at_5=float(np.mean(recalls[5])) if ranks else 0.0,
        recall_at_10=float(np.mean(recalls[10])) if ranks else 0.0,
        latency_p50_ms=float(p50),
        latency_p95_ms=float(p95),
        index_bytes=path.stat().st_size,
        characters=sum(len(passage.text) for passage in passages),
    )


def choose_best(rows: Sequence[GridRow], questions: Sequence[Question], default: str) -> GridChoice | None:
    """The row that is best on tune, judged on holdout; None without questions of both kinds.

    Args:
        rows: Of one grid.
        questions: In the order of the rows' ranks.
        default: Name of the row that it is compared with.
    """
    tune = [question.split == "tune" for question in questions]
    holdout = [question.split == "holdout" for question in questions]
    by_name: Mapping[str, GridRow] = {row.name: row for row in rows}
    if not (any(tune) and any(holdout)) or default not in by_name:
        return None
    best = max(rows, key=lambda row: (row.mrr(tune), -row.characters))
    ours = np.array(reciprocal_ranks(best.ranks, holdout))
    differences = ours - np.array(reciprocal_ranks(by_name[default].ranks, holdout))
    low, high = compute_bootstrap_interval(ours)
    p_value = compute_p_value(differences)
    return GridChoice(
        best=best.name,
        default=default,
        tune_mrr=best.mrr(tune),
        holdout_mrr=float(ours.mean()),
        low=low,
        high=high,
        difference=float(differences.mean()),
        p_value=p_value,
        is_winner=not is_noise(p_value) and float(differences.mean()) > 0,
        questions=len(ours),
    )
