"""Groups of results by variant, mode, split and source: the rows of the tables.

What is computed over a group belongs to `metrics` and `significance`.
"""

from collections.abc import Iterable
from itertools import product, starmap
from typing import NamedTuple

from rag_assets.evaluation.model import QuestionResult
from rag_assets.model import Mode

ALL = "all"
"""The split of tune and holdout together, and the source of all sources together."""

_SPLITS = ("tune", "holdout", ALL)


class ResultGroup(NamedTuple):
    """What a row of a table is about."""

    variant: str
    mode: Mode
    split: str
    source: str


def group_results(results: Iterable[QuestionResult]) -> dict[ResultGroup, list[QuestionResult]]:
    """Results of the questions that have an answer, in every group they belong to. Empty groups are left out.

    Variants, modes and sources keep the order in which they first appear. Splits are in the order tune, holdout, all.
    The group of all sources comes after those of single sources.

    Raises:
        ValueError: A question was answered twice by the same variant in the same mode.
    """
    answerable = [result for result in results if result.question.split != "unanswerable"]
    seen: set[tuple[str, Mode, str]] = set()
    groups: dict[ResultGroup, list[QuestionResult]] = {}
    for result in answerable:
        once = (result.variant, result.mode, result.question.question_id)
        if once in seen:
            raise ValueError(f"question {once[2]} was answered twice by {once[0]} in mode {once[1]}")
        seen.add(once)
        for split in (result.question.split, ALL):
            for source in (result.question.source, ALL):
                groups.setdefault(ResultGroup(result.variant, result.mode, split, source), []).append(result)
    variants = dict.fromkeys(result.variant for result in answerable)
    modes = dict.fromkeys(result.mode for result in answerable)
    sources = [*dict.fromkeys(result.question.source for result in answerable), ALL]
    ordered = starmap(ResultGroup, product(variants, modes, _SPLITS, sources))
    return {group: groups[group] for group in ordered if group in groups}


def compute_reciprocal_rank(result: QuestionResult) -> float:
    """1 / rank of the first passage of a right record; 0 where none is among the hits."""
    rank = result.first_correct_rank
    return 1 / rank if rank else 0.0


def choose_sources(sources: Iterable[str]) -> list[str]:
    """`all` first, then each source; a single source beside `all` is left out, since it would only repeat it."""
    named = list(dict.fromkeys(sources))
    single = [source for source in named if source != ALL]
    if ALL not in named:
        return single
    return [ALL, *single] if len(single) > 1 else [ALL]
