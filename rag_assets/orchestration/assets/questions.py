"""The asset `questions`. What a question set may hold is decided in `evaluation/questions.py`."""

from collections.abc import Sequence

import dagster as dg

from rag_assets.corpus.prepared import all_records, record_assets
from rag_assets.evaluation.filter_text import describe_condition
from rag_assets.evaluation.model import Question
from rag_assets.evaluation.questions import load_current_questions
from rag_assets.model import SearchIn
from rag_assets.orchestration.metadata import OWNERS, Materialized, code_version, table
from rag_assets.orchestration.partitions import all_of
from rag_assets.orchestration.resources import Evaluation, HomeFolder
from rag_assets.sources.fetching.manifest import all_entries
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.store.home import Home
from rag_assets.store.lines import write_lines


def questions_asset(sources: Sequence[str], search_in: SearchIn) -> dg.AssetsDefinition:
    """Makes the asset for the sources of a run and what is asked."""

    @dg.asset(
        group_name="evaluation",
        deps=[all_of(asset) for asset in record_assets(sources)],
        kinds={"csv"},
        owners=OWNERS,
        code_version=code_version(
            "evaluation/heading_index.py",
            "evaluation/question_files.py",
            "evaluation/questions.py",
            "evaluation/model.py",
            "japanese/heading_numbers.py",
            "retrieval/filters.py",
            "retrieval/knowledge_base_filters.py",
        ),
    )
    def questions(context: dg.AssetExecutionContext, home: HomeFolder, evaluation: Evaluation) -> Materialized:
        """The question sets, validated: everyday questions and the records that answer them (gold).

        A question set is a CSV file with `id,question,gold,split`; every fault is told with file and line, unknown
        gold numbers by name. A column `filter` narrows the search of a question, as an application would.
        """
        files = evaluation.question_files()
        listed = _list_articles(home.home) if TAX_ANSWER in sources else {}
        loaded, notes = load_current_questions(files, all_records(home.home, sources), sources, listed, search_in)
        for note in notes:
            context.log.warning(note)
        write_lines(home.home.questions, loaded)
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": len(loaded),
                "questions": table([_to_row(question) for question in loaded]),
                "records that are gone": "\n".join(notes) or "none",
                "files": ", ".join(map(str, files)) or "none",
            }
        )

    return questions


def _list_articles(home: Home) -> dict[str, str]:
    """Every article that Tax Answer has ever listed: its number, by the ID its record has where there is one."""
    return {f"{TAX_ANSWER}/{entry.key}": entry.key for entry in all_entries(home.fetched(TAX_ANSWER))}


def _to_row(question: Question) -> dict[str, object]:
    return {
        "id": question.question_id,
        "question": question.text,
        "gold": " ".join(question.gold),
        "split": question.split,
        "filter": describe_condition(question.filter) if question.filter else "",
    }
