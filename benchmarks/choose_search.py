"""Chooses the settings of hybrid search by repeated cross-validation over all questions of a home folder.

    python -m benchmarks.choose_search HOME [--variants prepared_900,prepared_400,prepared_400_dict] [--repeats 20]

HOME is that of a run with question sets, searched in the embedded indexes. A candidate's score is its mean reciprocal
rank over the variants. In every fold the questions of four fifths choose, by the one-standard-error rule (Breiman et
al., Classification and Regression Trees, 1984): of the candidates that are no worse than the best by more than one
standard error of their paired difference, the simplest one, and of equally simple ones the best. The questions of the
last fifth then judge the choice. Printed are the candidates, how often each was chosen, and what the choice is worth on
questions that had no part in it.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_assets.corpus.prepared import chunks_of, passages_of
from rag_assets.corpus.variants import VARIANTS
from rag_assets.evaluation.model import Question
from rag_assets.model import Variant
from rag_assets.retrieval.embedders import UseEmbedder, VectorCache, unit
from rag_assets.retrieval.fusion import Scores, fuse, rank_best, standardize
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.query import normalize_question
from rag_assets.retrieval.search_settings import SearchSettings
from rag_assets.store.home import Home
from rag_assets.store.lines import read_lines

Table = NDArray[np.float64]

DEPTH = 50
FOLDS = 5


@dataclass(frozen=True)
class Candidate:
    """One way to rank.

    Attributes:
        name: For the table.
        parts: How many things it does beyond adding up two searches.
        settings: Of the fusion.
        head_weight: Share of a vector of the header alone in a passage's vector.
        record_weight: How much the best vector score of a passage's record counts besides its own.
    """

    name: str
    parts: int
    settings: SearchSettings
    head_weight: float = 0.0
    record_weight: float = 0.0


def list_candidates() -> list[Candidate]:
    """All that are compared."""
    fusions = [
        *((f"zscore {weight}", SearchSettings(fusion="zscore", bm25_weight=weight)) for weight in (0.2, 0.3, 0.4, 0.5)),
        *((f"max {weight}", SearchSettings(fusion="max", bm25_weight=weight)) for weight in (0.3, 0.4, 0.5, 0.6)),
        *(
            (f"rrf {constant} {weight}", SearchSettings(fusion="rrf", bm25_weight=weight, rrf_constant=constant))
            for constant in (3, 10, 60)
            for weight in (0.35, 0.5)
        ),
    ]
    plain = [Candidate(name, 0, settings) for name, settings in fusions]
    headed = [
        Candidate(f"{name}, head vector {share}", 1, settings, head_weight=share)
        for name, settings in fusions
        if name in ("zscore 0.3", "rrf 3 0.35", "rrf 3 0.5")
        for share in (0.2, 0.35)
    ]
    voting = [
        Candidate(f"zscore 0.3, record's best vector {share}", 1, SearchSettings(), record_weight=share)
        for share in (0.1, 0.2, 0.4)
    ]
    return [*plain, *headed, *voting]


def rank_questions(
    home: Home, variant: Variant, questions: Sequence[Question], candidates: Sequence[Candidate]
) -> Table:
    """Reciprocal rank of the first right passage, shape (candidates, questions); 0 beyond the first 50."""
    embedder = UseEmbedder()
    passages = sorted(passages_of(home, variant), key=lambda passage: passage.passage_id)
    headers = {chunk.chunk_id: chunk.header or " " for chunk in chunks_of(home, variant.name)}
    records = np.array([passage.record_id for passage in passages])
    with LocalIndex.open(home.index(variant.name), embedder) as index, VectorCache(home.vectors) as cache:
        texts = cache.vectors(embedder, [passage.text for passage in passages])
        heads = cache.vectors(embedder, [headers[passage.chunk_id] for passage in passages])
        weighted = {
            share: unit((1 - share) * texts + share * heads) for share in {one.head_weight for one in candidates}
        }
        asked = [
            (index.score_words(question.text), embedder.embed_question(normalize_question(question.text)))
            for question in questions
        ]
    _, owner = np.unique(records, return_inverse=True)
    ranks = np.zeros((len(candidates), len(questions)))
    for at, (question, (words, vector)) in enumerate(zip(questions, asked, strict=True)):
        is_right = np.isin(records, question.gold)
        cosines = {share: np.asarray(vectors @ vector, dtype=np.float64) for share, vectors in weighted.items()}
        for row, one in enumerate(candidates):
            scores = fuse(words, cosines[one.head_weight], one.settings)
            if one.record_weight:
                scores = scores + one.record_weight * standardize(_best_of_record(cosines[one.head_weight], owner))
            ranks[row, at] = _reciprocal_rank(scores, is_right)
    return ranks


def cross_validate(
    scores: Table, parts: Sequence[int], groups: Sequence[str], repeats: int, seed: int = 7
) -> tuple[Counter[int], list[float]]:
    """How often each candidate was chosen, and what each choice was worth on the questions left out.

    Args:
        scores: Shape (candidates, questions).
        parts: How complicated each candidate is.
        groups: Question set of each question; every fold has its share of each.
        repeats: How often the questions are dealt anew.
        seed: Of the dealing.
    """
    chosen: Counter[int] = Counter()
    worth: list[float] = []
    random = np.random.default_rng(seed)
    for _ in range(repeats):
        fold = np.empty(len(groups), dtype=int)
        for group in sorted(set(groups)):
            own = np.flatnonzero(np.array(groups) == group)
            fold[random.permutation(own)] = np.arange(len(own)) % FOLDS
        for left_out in range(FOLDS):
            winner = choose(scores[:, fold != left_out], parts)
            chosen[winner] += 1
            worth.append(float(scores[winner, fold == left_out].mean()))
    return chosen, worth


def choose(scores: Table, parts: Sequence[int]) -> int:
    """The candidate that the one-standard-error rule takes."""
    best = int(scores.mean(axis=1).argmax())
    lost = scores[best] - scores
    error = lost.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    good = [at for at in range(len(scores)) if lost[at].mean() <= error[at]]
    return min(good, key=lambda at: (parts[at], -scores[at].mean()))


def _best_of_record(scores: Scores, owner: NDArray[np.intp]) -> Scores:
    best = np.full(owner.max() + 1, -np.inf)
    np.maximum.at(best, owner, scores)
    return best[owner]


def _reciprocal_rank(scores: Scores, is_right: NDArray[np.bool_]) -> float:
    found = np.flatnonzero(is_right[rank_best(scores, DEPTH)])
    return 1 / (int(found[0]) + 1) if len(found) else 0.0


def main() -> None:
    """Choose and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--variants", default="prepared_900,prepared_400,prepared_400_dict")
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    home = Home(options.home)
    questions = [question for question in read_lines(home.questions, Question, "questions") if question.gold]
    candidates, names = list_candidates(), options.variants.split(",")
    variants = [variant for variant in VARIANTS if variant.name in names]
    tables = [rank_questions(home, variant, questions, candidates) for variant in variants]
    scores = np.mean(tables, axis=0)
    chosen, worth = cross_validate(
        scores, [one.parts for one in candidates], [question.source for question in questions], options.repeats
    )
    best = int(scores.mean(axis=1).argmax())
    print(f"{len(questions)} questions; mean of {', '.join(variant.name for variant in variants)}")
    print("| candidate | MRR | " + " | ".join(variant.name for variant in variants) + " | behind the best | chosen |")
    print("|---|---|" + "---|" * len(variants) + "---|---|")
    for at in np.argsort(-scores.mean(axis=1), kind="stable"):
        lost = scores[best] - scores[at]
        error = lost.std(ddof=1) / len(lost) ** 0.5
        cells = [f"{table[at].mean():.3f}" for table in tables]
        behind = f"{lost.mean():.3f} ± {error:.3f}"
        share = f"{chosen[int(at)] / sum(chosen.values()):.0%}"
        print(f"| {' | '.join([candidates[at].name, f'{scores[at].mean():.3f}', *cells, behind, share])} |")
    print(f"On the fifth that had no part in choosing: MRR {np.mean(worth):.3f}")


if __name__ == "__main__":
    main()
