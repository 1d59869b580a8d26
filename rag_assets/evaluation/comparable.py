"""Verifies that the results of several variants differ in the preparation and in nothing else.

The comparison itself belongs to `significance`.
"""

from collections.abc import Iterable, Sequence

from rag_assets.evaluation.model import HowSearched, Question, QuestionResult

_SHOWN = 5


class IncomparableError(ValueError):
    """The results of some variants cannot be compared; the message says which, why, and what to do."""


def find_searched(results: Iterable[QuestionResult]) -> dict[str, HowSearched]:
    """How every variant was searched, in the order of the results. All results of a variant are of one search."""
    found: dict[str, HowSearched] = {}
    for result in results:
        found.setdefault(result.variant, result.searched)
    return found


def find_strange_chunks(results: Iterable[QuestionResult]) -> dict[str, list[str]]:
    """IDs of chunks that were found but do not belong to the variant as prepared here, each once, by variant.

    What was searched then holds another corpus than the report is about.
    """
    found: dict[str, dict[str, None]] = {}
    for result in results:
        for hit in result.hits:
            if not hit.in_corpus:
                found.setdefault(result.variant, {})[hit.chunk_id] = None
    return {variant: list(chunks) for variant, chunks in found.items()}


def name_chunks(chunk_ids: Sequence[str], separator: str = ", ") -> str:
    """The first of some chunks; an ellipsis stands for the others."""
    return separator.join([*chunk_ids[:_SHOWN], *(["…"] if len(chunk_ids) > _SHOWN else [])])


def require_comparable(
    results: Iterable[QuestionResult], questions: Sequence[Question], variants: Sequence[str]
) -> None:
    """Refuses results that differ in more than the preparation: one partition may have been made again on its own.

    Args:
        results: Of all variants.
        questions: The questions there are now.
        variants: Names of the variants.

    Raises:
        IncomparableError: A variant was asked other questions than these, or variants were searched in different ways.
    """
    results = list(results)
    _require_same_questions(results, questions, variants)
    _require_same_search(find_searched(results))


def _require_same_questions(
    results: Sequence[QuestionResult], questions: Sequence[Question], variants: Sequence[str]
) -> None:
    wanted = {question.question_id: question for question in questions}
    asked: dict[str, dict[str, Question]] = {variant: {} for variant in variants}
    for result in results:
        asked[result.variant][result.question.question_id] = result.question
    differing = {
        variant: [name for name in wanted | of_variant if wanted.get(name) != of_variant.get(name)]
        for variant, of_variant in asked.items()
    }
    stale = {variant: names for variant, names in differing.items() if names}
    if stale:
        lines = [f"  {variant}: {_name_some(names)}" for variant, names in stale.items()]
        raise IncomparableError(
            "The question sets have changed since these variants were asked, so that their results are no answer to "
            "the questions of now; new, changed or gone are\n"
            + "\n".join(lines)
            + f"\nMaterialize retrieval_results for {', '.join(stale)}."
        )


def _require_same_search(searched: dict[str, HowSearched]) -> None:
    used = {variant: {"search_in": how.search_in, **how.settings} for variant, how in searched.items()}
    names = dict.fromkeys(name for settings in used.values() for name in settings)
    differing = [name for name in names if len({settings.get(name) for settings in used.values()}) > 1]
    if not differing:
        return
    lines = [
        f"  {variant}: {', '.join(f'{name} {settings[name]}' for name in differing if name in settings)}"
        for variant, settings in used.items()
    ]
    raise IncomparableError(
        "The variants were not searched in the same way, so that what their results differ in is not the preparation "
        "alone:\n"
        + "\n".join(lines)
        + f"\nMaterialize retrieval_results for all of them ({', '.join(used)}) with the settings that are wanted."
    )


def _name_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
