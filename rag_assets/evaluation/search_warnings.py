"""English log messages about what was searched. The report says the same in Japanese, see `report/cautions.py`."""

from collections.abc import Iterator, Sequence

from rag_assets.evaluation.comparable import name_chunks
from rag_assets.evaluation.filter_text import describe_condition
from rag_assets.evaluation.model import HeldCorpus, HowSearched
from rag_assets.retrieval.filters import Condition, keys_of

_SYNC = "s3_objects and knowledge_base_ingestion"
"""Assets that bring a Knowledge Base up to the corpus. An embedded index of another corpus is never searched."""

HELD_CORPUS: dict[HeldCorpus, str] = {
    "corpus": "the corpus as it is prepared here",
    "earlier": (
        "the Knowledge Base holds what an earlier sync of this home brought there, and the corpus has changed since; "
        f"materialize {_SYNC} to measure the corpus of now"
    ),
    "others": (
        "others have ingested there since this home has, so that the Knowledge Base may hold another corpus; "
        f"materialize {_SYNC} to measure that of this home"
    ),
    "unknown": (
        "this home has never ingested it there, so that nothing is known of what the Knowledge Base holds; whether it "
        "is the corpus as it is prepared here shows in the hits alone"
    ),
}
"""What was searched."""


def warn_before(searched: HowSearched) -> Iterator[str]:
    """What is known before the first question: another corpus may be searched, or documents of others as well."""
    if searched.held != "corpus":
        yield HELD_CORPUS[searched.held]
    if searched.foreign:
        yield (
            f"the last sync saw {searched.foreign:,} document(s) in {searched.place} that were not sent from here "
            "(s3_objects names them): the Knowledge Base takes them in too, so that they may be among the hits, and "
            f"stand before a right one. Move them elsewhere, then materialize {_SYNC}, to measure this corpus alone"
        )


def warn_after(variant: str, strange: Sequence[str], unmatched: Sequence[tuple[str, str, Condition]]) -> Iterator[str]:
    """What the hits show: chunks that are none of the variant's, and filters that no passage fulfils.

    Args:
        variant: Its name.
        strange: IDs of the chunks.
        unmatched: As `find_unmatched_filters` finds them.
    """
    if strange:
        yield (
            f"{len(strange)} chunk(s) were found that are none of {variant} as it is prepared here "
            f"({name_chunks(strange)}): what was searched holds another corpus, and the figures are not of this one. "
            f"Materialize {_SYNC} for {variant}, then retrieval_results again"
        )
    for _, question_id, condition in unmatched:
        yield (
            f"question {question_id} has found nothing, and counts as missed: no passage of {variant} fulfils its "
            f"filter ({describe_condition(condition)}). Look for {', '.join(keys_of(condition))} in the sidecars below "
            f"corpus/{variant}, and correct the filter in the question set"
        )
