"""Running a grid: each part once, resumable, and a choice that is judged on questions it has not seen."""

from pathlib import Path

import pytest

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.evaluation.model import Question, Split
from rag_assets.retrieval.grid_settings import TuningGrid
from rag_assets.store.home import Home
from rag_assets.tuning.cuts import Cut
from rag_assets.tuning.grid import GridInputs, GridRow, choose_best, list_searches, run_grid
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder
from rag_assets_tests.strategies import record, section
from rag_assets_tests.tuning.rows import row_of

WORDS = {
    "1": "食事を支給したとき",
    "2": "印紙税を納めなかったとき",
    "3": "親から借金をしたとき",
    "4": "災害と盗難の控除",
}
RECORDS = [record([section("概要", f"{words}。" * 9)], number=number, title=words) for number, words in WORDS.items()]
GRID = TuningGrid(windows=(256,), overlaps=(0,), limits=(300,), ablated_limit=400, semantic=False)


def question(number: str, split: Split = "tune") -> Question:
    return Question(
        question_id=f"q{number}", text=WORDS[number], source="tax_answer", gold=(f"tax_answer/{number}",), split=split
    )


QUESTIONS = [question("1"), question("2"), question("3", "holdout"), question("4", "holdout")]


class Bench:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)
        self.embedder = CountingEmbedder()
        self.told: list[str] = []

    def run(self, grid: TuningGrid = GRID, questions: list[Question] = QUESTIONS) -> list[GridRow]:
        inputs = GridInputs(self.home, RECORDS, questions, lambda _: Dictionary(), self.embedder)
        return run_grid(inputs, grid, self.told.append)


def figures(rows: list[GridRow]) -> list[tuple[object, ...]]:
    """All but times."""
    return [(row.name, row.passages, row.ranks, row.recall_at_5, row.index_bytes, row.characters) for row in rows]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_every_way_of_cutting_is_searched_in_every_way(bench: Bench) -> None:
    rows = bench.run()
    assert len(rows) == 7 * len(list_searches(GRID))
    assert len({row.name for row in rows}) == len(rows)
    best = next(row for row in rows if row.name == "structure_400, bm25")
    assert best.ranks == (1, 1, 1, 1)
    assert (best.mrr(), best.hit_at_8(), best.recall_at_5, best.recall_at_10) == (1, 1, 1, 1)
    assert best.latency_p95_ms >= best.latency_p50_ms > 0
    assert best.index_bytes > 0
    assert best.tokens > best.characters > 0


def test_nothing_is_done_twice(bench: Bench) -> None:
    first = bench.run()
    assert not any("unchanged" in line for line in bench.told)
    bench.told.clear()
    asked = list(bench.embedder.asked)
    assert bench.run() == first
    assert all(line.endswith("unchanged") for line in bench.told)
    assert bench.embedder.asked == asked


def test_other_questions_are_asked_of_the_same_vectors(bench: Bench) -> None:
    bench.run()
    asked = set(bench.embedder.asked)
    rows = bench.run(questions=QUESTIONS[:1])
    assert all(len(row.ranks) == 1 for row in rows)
    assert set(bench.embedder.asked) == asked


@pytest.mark.parametrize("after", range(1, 40, 6))
def test_a_run_that_is_broken_off_ends_in_the_same_table(tmp_path: Path, after: int) -> None:
    undisturbed = Bench(tmp_path / "undisturbed").run()
    broken = Bench(tmp_path / "broken")

    class Stopping(CountingEmbedder):
        calls = 0

        def embed(self, texts):  # type: ignore[no-untyped-def]
            self.calls += 1
            if self.calls == after:
                raise KeyboardInterrupt
            return super().embed(texts)

        embed_question = CountingEmbedder.embed_question

    broken.embedder = Stopping()
    with pytest.raises(KeyboardInterrupt):
        broken.run()
    broken.embedder = CountingEmbedder()
    assert figures(broken.run()) == figures(undisturbed)


def test_what_is_given_counts_once_however_many_of_its_pieces_are_found(bench: Bench) -> None:
    grid = TuningGrid(windows=(), limits=(), ablated_limit=None, semantic=False, modes=("bm25",))
    (row,) = bench.run(grid)
    assert row.cut.name == "parents_900"
    assert row.ranks == (1, 1, 1, 1)


def test_searches_are_listed_once_each() -> None:
    names = [search.name for search in list_searches(TuningGrid())]
    assert names == [
        "bm25",
        "dense",
        "hybrid zscore 0.3",
        "hybrid zscore 0.5",
        "hybrid rrf 3 0.3",
        "hybrid rrf 60 0.3",
        "hybrid rrf 3 0.5",
        "hybrid rrf 60 0.5",
    ]
    assert [search.name for search in list_searches(TuningGrid(modes=("dense",)))] == ["dense"]


def sized(size: int, ranks: tuple[int, ...]) -> GridRow:
    return row_of(Cut(kind="structure", size=size), ranks)


def many(count: int, split: Split) -> list[Question]:
    return [question("1", split).model_copy(update={"question_id": f"{split}{at}"}) for at in range(count)]


def test_the_best_on_tune_is_judged_on_holdout() -> None:
    default = sized(400, (2,) * 10 + (2,) * 20)
    best = sized(300, (1,) * 10 + (1,) * 20)
    flattered = sized(600, (1,) * 10 + (2,) * 20)
    questions = many(10, "tune") + many(20, "holdout")
    found = choose_best([default, best], questions, default.name)
    assert found is not None
    assert (found.best, found.is_winner, found.holdout_mrr, found.difference) == (best.name, True, 1.0, 0.5)
    found = choose_best([default, flattered], questions, default.name)
    assert found is not None
    assert (found.best, found.tune_mrr, found.holdout_mrr, found.is_winner) == (flattered.name, 1.0, 0.5, False)


def test_nothing_is_chosen_without_both_kinds_of_questions_or_without_the_default() -> None:
    row = sized(400, (1, 1))
    assert choose_best([row], many(2, "tune"), row.name) is None
    assert choose_best([row], many(2, "holdout"), row.name) is None
    assert choose_best([row], many(1, "tune") + many(1, "holdout"), "another") is None
