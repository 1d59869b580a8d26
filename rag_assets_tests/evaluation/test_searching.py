"""Searching whole documents: what is found goes by the record it holds most of."""

from collections.abc import Sequence

from rag_assets.corpus.passages import Hit, Passage
from rag_assets.evaluation.searching import TracedSearch
from rag_assets.model import Chunk, Mode, Span
from rag_assets.retrieval.filters import Condition

TEXT = "第一条\nこの規則の目的を定める。\n第二条\n言葉の意味を定義する。"
ACT = Chunk(
    chunk_id="law/act",
    record_id="law/act",
    variant="as_is",
    body=TEXT,
    spans=(Span(start=0, end=16, record_id="law/act/1"), Span(start=17, end=len(TEXT), record_id="law/act/2")),
)


class Found:
    """A search that finds the same passages whatever is asked."""

    def search(self, question: str, mode: Mode, k: int, *, filters: Sequence[Condition] = ()) -> list[Hit]:  # noqa: ARG002
        texts = {"言葉の意味を定義する。": "law/act", "定める。第二条 言葉の意味": "law/act", "よその文書": "x/y"}
        passages = (_passage(text, chunk_id) for text, chunk_id in texts.items())
        return [Hit(rank=rank, score=1 / rank, passage=passage) for rank, passage in enumerate(passages, start=1)][:k]

    def modes(self) -> tuple[Mode, ...]:
        return ("hybrid",)


def _passage(text: str, chunk_id: str) -> Passage:
    return Passage(passage_id=f"{chunk_id}#1", chunk_id=chunk_id, record_id=chunk_id, source="law", text=text)


def test_passages_are_traced_to_the_records_of_their_document() -> None:
    traced = TracedSearch(Found(), [ACT])
    passages = [hit.passage for hit in traced.search("意味は？", "hybrid", 3)]
    assert [(one.record_id, one.is_mixed) for one in passages] == [
        ("law/act/2", False),
        ("law/act/2", True),
        ("x/y", False),
    ]
    assert traced.modes() == ("hybrid",)
