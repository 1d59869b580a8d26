"""Rows of a CSV file, prepared, indexed, and searched with filters on their columns: the whole way."""

import io
from collections.abc import Iterator, Sequence

import pytest

from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.passages import passages_of_chunk
from rag_assets.corpus.variants import prepare
from rag_assets.model import Mode, Record, Variant
from rag_assets.retrieval.embedders import VectorCache
from rag_assets.retrieval.filters import AllOf, AnyOf, Condition, Filter
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_writing import write_index
from rag_assets.sources.csv_rows.reader import read_document
from rag_assets.sources.csv_rows.source import CsvRowsDocument
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder

MODES: tuple[Mode, ...] = ("bm25", "dense", "hybrid")
KINDS = ("印刷", "通信", "勤怠", "端末")
ROWS = 60


def _csv() -> bytes:
    lines = ["番号,件名,本文,経緯,分類,費用,受付日,済,札"]
    for number in range(ROWS):
        kind = KINDS[number % len(KINDS)] if number % 10 else ""
        done, tags = ("はい", "いいえ")[number % 2], "店舗、緊急" if number % 3 == 0 else "店舗"
        day = f"2026-{number // 28 + 1:02d}-{number % 28 + 1:02d}"
        lines.append(
            f"{number},端末が止まる,端末の画面が止まる。,電話で聞いた。,{kind},{number * 100},{day},{done},{tags}"
        )
    return "\n".join(lines).encode()


SETTINGS = CsvRowsDocument.model_validate(
    {
        "key": "desk",
        "location": "desk.csv",
        "id": "番号",
        "title": "件名",
        "text": "本文",
        "long": {"history": "経緯"},
        "metadata": {
            "kind": "分類",
            "cost": {"column": "費用", "type": "number"},
            "received": {"column": "受付日", "type": "date"},
            "done": {"column": "済", "type": "boolean"},
            "tags": {"column": "札", "type": "list"},
        },
    }
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    folder = tmp_path_factory.mktemp("index")
    records = [one for one in read_document(io.BytesIO(_csv()), SETTINGS, sha256="0" * 64) if isinstance(one, Record)]
    chunks = prepare(records, Variant(name="v", limit=400), lambda _: Dictionary())
    passages = [passage for chunk in chunks for passage in passages_of_chunk(chunk, windowed=False)]
    embedder, cache = CountingEmbedder(), VectorCache(folder / "vectors.sqlite")
    write_index(folder / "v.sqlite", passages, embedder, cache)
    cache.close()
    with LocalIndex.open(folder / "v.sqlite", embedder) as opened:
        yield opened


def _kind(number: int) -> str:
    return KINDS[number % len(KINDS)] if number % 10 else ""


CONDITIONS: list[tuple[Sequence[Condition], set[int]]] = [
    ([Filter(key="kind", value="勤怠")], {n for n in range(ROWS) if _kind(n) == "勤怠"}),
    ([Filter(key="kind", operator="not_equals", value="勤怠")], {n for n in range(ROWS) if _kind(n) != "勤怠"}),
    (
        [Filter(key="kind", operator="not_in", value=("勤怠",))],
        {n for n in range(ROWS) if _kind(n) not in ("勤怠", "")},
    ),
    ([Filter(key="cost", operator="above", value=5700)], {58, 59}),
    ([Filter(key="received", operator="at_most", value=20260102)], {0, 1}),
    ([Filter(key="done", value=False)], {n for n in range(ROWS) if n % 2}),
    ([Filter(key="tags", operator="contains", value="緊急")], {n for n in range(ROWS) if n % 3 == 0}),
    ([Filter(key="record_id", value="csv_rows/desk/7")], {7}),
    (
        [
            Filter(key="done", value=True),
            AnyOf(any_of=(Filter(key="number", value="4"), Filter(key="cost", value=600))),
        ],
        {4, 6},
    ),
    (
        [AllOf(all_of=(Filter(key="cost", operator="below", value=300), Filter(key="done", value=True)))],
        {0, 2},
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("filters", "numbers"), CONDITIONS)
def test_a_filter_on_a_column_finds_all_its_rows_and_no_other(
    index: LocalIndex, mode: Mode, filters: Sequence[Condition], numbers: set[int]
) -> None:
    hits = index.search("端末の画面が止まり電話で聞いた", mode, k=2 * ROWS, filters=filters)
    assert {int(hit.passage.record_id.rpartition("/")[2]) for hit in hits} == numbers
    assert len(hits) == 2 * len(numbers)


@pytest.mark.parametrize("mode", MODES)
def test_few_rows_among_many_fill_all_places(index: LocalIndex, mode: Mode) -> None:
    filters = [Filter(key="cost", operator="at_least", value=5500)]
    hits = index.search("端末の画面が止まり電話で聞いた", mode, k=8, filters=filters)
    assert len(hits) == 8
    assert {hit.passage.record_id for hit in hits} <= {f"csv_rows/desk/{number}" for number in range(55, 60)}


def test_a_long_column_is_found_by_its_own_chunk(index: LocalIndex) -> None:
    first, *_ = index.search("電話で聞いた", "bm25", k=1, filters=[Filter(key="number", value="12")])
    assert first.passage.chunk_id == "csv_rows/desk/12/history-001"
    assert first.passage.attributes["kind"] == "印刷"
    assert first.passage.record_id == "csv_rows/desk/12"
