"""The questions on the page: a card each with ranks by variant, and the passages for the page's script."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from rag_assets.evaluation.model import Question, QuestionResult, RankedHit
from rag_assets.evaluation.report.model import RecordLink, Report
from rag_assets.model import Mode
from rag_assets.sources.fetching.addresses import readers_address

SHOWN_HITS = 8
"""Passages shown a question, variant and mode: as many as a model is given (hit@8)."""


@dataclass(frozen=True)
class RankMark:
    """Rank of one variant's first right passage; up, down or same against the baseline's, or none."""

    variant: str
    rank: int | None
    change: str


@dataclass(frozen=True)
class QuestionCard:
    """A question with its ranks by mode, and for each mode the filters it passes: differs, missed, worse."""

    index: int
    question: Question
    gold: list[RecordLink]
    ranks: dict[Mode, list[RankMark]]
    flags: dict[Mode, list[str]]


def make_cards(report: Report, modes: Sequence[Mode]) -> list[QuestionCard]:
    """One card a question, in the order the results bring them."""
    links = {record.record_id: record for record in report.records}
    cards = []
    for index, found in enumerate(_group_by_question(report)):
        question = next(iter(found.values())).question
        marks = {mode: _mark_ranks(report, found, mode) for mode in modes}
        cards.append(
            QuestionCard(
                index=index,
                question=question,
                gold=[_find_link(links, record_id) for record_id in question.gold],
                ranks=marks,
                flags={mode: _find_flags(of_mode) for mode, of_mode in marks.items()},
            )
        )
    return cards


def _group_by_question(report: Report) -> list[dict[tuple[str, Mode], QuestionResult]]:
    found: dict[str, dict[tuple[str, Mode], QuestionResult]] = {}
    for result in report.results:
        found.setdefault(result.question.question_id, {})[result.variant, result.mode] = result
    return list(found.values())


def _mark_ranks(report: Report, found: dict[tuple[str, Mode], QuestionResult], mode: Mode) -> list[RankMark]:
    ranks = {name: found[name, mode].first_correct_rank for name in report.variant_names if (name, mode) in found}
    return [RankMark(name, rank, _compare_ranks(rank, ranks, report.baseline, name)) for name, rank in ranks.items()]


def _compare_ranks(rank: int | None, ranks: dict[str, int | None], baseline: str | None, name: str) -> str:
    if baseline not in ranks or name == baseline:
        return "none"
    ours, base = _to_place(rank), _to_place(ranks[baseline])
    return "same" if ours == base else "up" if ours < base else "down"


def _to_place(rank: int | None) -> float:
    return math.inf if rank is None else rank


def _find_flags(marks: Sequence[RankMark]) -> list[str]:
    flags = {
        "differs": len({mark.rank for mark in marks}) > 1,
        "missed": bool(marks) and all(_to_place(mark.rank) > SHOWN_HITS for mark in marks),
        "worse": any(mark.change == "down" for mark in marks),
    }
    return [flag for flag, holds in flags.items() if holds]


def _find_link(links: dict[str, RecordLink], record_id: str) -> RecordLink:
    return links.get(record_id) or RecordLink(record_id=record_id, label=record_id, title="")


def make_passage_data(report: Report, modes: Sequence[Mode]) -> dict[str, Any]:
    """The hits for the page's script, every line of text and every record stored once.

    Variants share most of their lines (headers, bodies under the limit), so lines are stored once and texts
    are lists of line numbers.

    Returns:
        `lines`, `texts` (line numbers), `records` (`[id, label, title, url]`), `passages`
        (`[text, record, chunk id]`), `variants`, `modes`, and `questions`: by question, mode and variant null
        or `[latency in ms, [hit, …]]`, a hit being `[passage, rank, right, score, mixed]`. The first right hit is
        kept even when it lies beyond `SHOWN_HITS`.
    """
    links = {record.record_id: record for record in report.records}
    lines, texts, records, passages = (
        _FirstSightNumbers(),
        _FirstSightNumbers(),
        _FirstSightNumbers(),
        _FirstSightNumbers(),
    )

    def number_hit(hit: RankedHit) -> list[int | float]:
        text = texts.number(tuple(lines.number(line) for line in hit.text.split("\n")))
        link = _find_link(links, hit.record_id)
        record = records.number((link.record_id, link.label, link.title, readers_address(link.url)))
        passage = passages.number((text, record, hit.chunk_id))
        return [passage, hit.rank, int(hit.correct), round(hit.score, 5), int(hit.is_mixed)]

    def number_result(result: QuestionResult | None) -> list[object] | None:
        if result is None:
            return None
        return [round(result.latency_ms, 2), [number_hit(hit) for hit in _choose_hits(result)]]

    questions = [
        [[number_result(found.get((name, mode))) for name in report.variant_names] for mode in modes]
        for found in _group_by_question(report)
    ]
    return {
        "variants": report.variant_names,
        "modes": list(modes),
        "lines": lines.values(),
        "texts": texts.values(),
        "records": records.values(),
        "passages": passages.values(),
        "questions": questions,
    }


def _choose_hits(result: QuestionResult) -> list[RankedHit]:
    """The first hits, and the first right one where it lies beyond them."""
    first = result.first_correct_rank
    return [hit for hit in result.hits if hit.rank <= SHOWN_HITS or hit.rank == first]


class _FirstSightNumbers:
    """Numbers values in order of first sight."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[Hashable]:
        return list(self._numbers)
