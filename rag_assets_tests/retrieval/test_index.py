from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_assets.corpus.passages import Hit, Passage
from rag_assets.model import Mode
from rag_assets.retrieval.embedders import VectorCache
from rag_assets.retrieval.filters import Filter
from rag_assets.retrieval.index import LocalIndex
from rag_assets.retrieval.index_file import IndexFileError
from rag_assets.retrieval.index_writing import require_current, write_index
from rag_assets.retrieval.search_settings import Fusion, SearchSettings
from rag_assets_tests.retrieval.counting_embedder import CountingEmbedder

MODES: tuple[Mode, ...] = ("bm25", "dense", "hybrid")
TEXTS = {
    "meal": "食事を支給したとき。食事の価額の半分以上を負担",
    "stamp": "印紙税を納めなかったとき。過怠税",
    "gift": "親から金銭を借りた場合。贈与税",
    "loss": "雑損控除。災害や盗難",
}


def passage(name: str, text: str, **attributes: str | int | float | bool | tuple[str, ...]) -> Passage:
    return Passage(
        passage_id=name, chunk_id=f"chunk-{name}", record_id=f"s/{name}", source="s", text=text, attributes=attributes
    )


PASSAGES = [passage(name, text) for name, text in TEXTS.items()]


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "indexes/v.sqlite"
        self.embedder = CountingEmbedder()
        self.cache = VectorCache(folder / "vectors.sqlite")

    def write(self, passages: list[Passage]) -> tuple[int, int, int, int, bool]:
        changes = write_index(self.path, passages, self.embedder, self.cache)
        return changes.added, changes.changed, changes.removed, changes.unchanged, changes.rebuilt

    def search(self, question: str, mode: Mode, k: int = 8, **options: object) -> list[Hit]:
        with LocalIndex.open(self.path, self.embedder) as index:
            return index.search(question, mode, k, **options)  # type: ignore[arg-type]

    def ids(self, question: str, mode: Mode, k: int = 8, **options: object) -> list[str]:
        return [hit.passage.passage_id for hit in self.search(question, mode, k, **options)]


@contextmanager
def workshop_in_a_folder_of_its_own() -> Iterator[Workshop]:
    with TemporaryDirectory() as folder:
        made = Workshop(Path(folder))
        yield made
        made.cache.close()


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    made.cache.close()


@pytest.mark.parametrize("mode", MODES)
def test_the_passage_that_says_it_comes_first(workshop: Workshop, mode: Mode) -> None:
    workshop.write(PASSAGES)
    hits = workshop.search("印紙税を納めなかったときは？", mode, k=2)
    assert hits[0].passage == PASSAGES[1]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert hits[0].score > hits[-1].score or len(hits) == 1


def test_words_find_only_what_shares_one_and_vectors_rank_everything(workshop: Workshop) -> None:
    workshop.write(PASSAGES)
    assert workshop.ids("盗難", "bm25") == ["loss"]
    assert len(workshop.ids("盗難", "dense")) == len(workshop.ids("盗難", "hybrid")) == 4
    assert workshop.ids("ζζζ", "bm25") == workshop.ids("？", "bm25") == []


@pytest.mark.parametrize("mode", MODES)
def test_equal_passages_are_ranked_by_id_however_the_file_came_about(workshop: Workshop, mode: Mode) -> None:
    twins = [passage(name, "食事") for name in ("c", "a", "b")]
    workshop.write(twins[:1])
    workshop.write(twins)
    assert workshop.ids("食事", mode) == ["a", "b", "c"]
    assert workshop.ids("食事", mode, k=2) == ["a", "b"]


def test_only_what_changed_is_made_anew(workshop: Workshop) -> None:
    assert workshop.write(PASSAGES) == (4, 0, 0, 0, True)
    before = workshop.path.stat()
    assert workshop.write(PASSAGES[::-1]) == (0, 0, 0, 4, False)
    after = workshop.path.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    workshop.embedder.asked.clear()
    edited = passage("meal", "社員食堂")
    assert workshop.write([edited, *PASSAGES[1:3], passage("new", "国外財産")]) == (1, 1, 1, 2, False)
    assert workshop.embedder.asked == ["国外財産", "社員食堂"]
    assert workshop.ids("食堂", "bm25") == ["meal"]
    assert workshop.ids("価額", "bm25") == workshop.ids("盗難", "bm25") == []
    assert "loss" not in workshop.ids("盗難", "dense")


def test_a_changed_attribute_is_seen(workshop: Workshop) -> None:
    workshop.write([passage("a", "食事", kind="old")])
    assert workshop.write([passage("a", "食事", kind="new")])[1] == 1
    assert workshop.search("食事", "bm25")[0].passage.attributes == {"kind": "new"}


states = st.dictionaries(st.sampled_from("abcdef"), st.text(alphabet="相続税贈与かな12 ", min_size=1, max_size=12))


@settings(max_examples=15)
@given(states, states, st.text(alphabet="相続税贈与かな12", min_size=1, max_size=6))
def test_an_updated_index_finds_what_one_made_anew_finds(
    before: dict[str, str], after: dict[str, str], question: str
) -> None:
    old, new = ([passage(*item) for item in state.items()] for state in (before, after))
    with workshop_in_a_folder_of_its_own() as updated, workshop_in_a_folder_of_its_own() as fresh:
        updated.write(old)
        updated.write(new)
        fresh.write(new)
        for mode in MODES:
            ours, theirs = updated.search(question, mode), fresh.search(question, mode)
            assert [hit.passage for hit in ours] == [hit.passage for hit in theirs]
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs])


def test_another_embedder_makes_the_file_anew(workshop: Workshop) -> None:
    workshop.write(PASSAGES)
    workshop.embedder = CountingEmbedder("other", dimension=32)
    assert workshop.write(PASSAGES) == (4, 0, 0, 0, True)
    assert workshop.ids("盗難", "dense")[0] == "loss"


def test_a_crash_leaves_the_old_index_and_no_litter(workshop: Workshop) -> None:
    workshop.write(PASSAGES)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_index(workshop.path, [passage("new", "国外財産")], workshop.embedder, workshop.cache, progress=stop)
    assert workshop.ids("盗難", "bm25") == ["loss"]
    assert [file.name for file in workshop.path.parent.iterdir()] == ["v.sqlite"]


def test_a_failure_at_the_last_step_leaves_no_litter(workshop: Workshop) -> None:
    workshop.path.mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        workshop.write(PASSAGES)
    assert list(workshop.path.parent.iterdir()) == [workshop.path]


def test_two_passages_with_one_id_are_refused(workshop: Workshop) -> None:
    with pytest.raises(ValueError, match="two passages have the ID meal"):
        workshop.write([*PASSAGES, PASSAGES[0].model_copy()])


def test_an_index_of_nothing_finds_nothing(workshop: Workshop) -> None:
    workshop.write([])
    assert [workshop.ids("食事", mode) for mode in MODES] == [[], [], []]
    workshop.write(PASSAGES)
    workshop.write([])
    assert [workshop.ids("食事", mode) for mode in MODES] == [[], [], []]


FILTERED = [
    passage("a", "食事", number="1", as_of=20250401, tax=("所得税", "消費税"), open=True),
    passage("b", "食事", number="2", as_of=20260401, tax=("消費税",), open=False, weight=1.5),
    passage("c", "食事"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], ["a", "b", "c"]),
        ([Filter(key="number", value="2")], ["b"]),
        ([Filter(key="tax", operator="contains", value="消費税")], ["a", "b"]),
        ([Filter(key="tax", operator="contains", value="消費")], []),
        ([Filter(key="number", operator="contains", value="1")], ["a"]),
        ([Filter(key="as_of", operator="at_least", value=20260101)], ["b"]),
        ([Filter(key="as_of", operator="at_most", value=20260401)], ["a", "b"]),
        ([Filter(key="weight", operator="at_least", value=1.5)], ["b"]),
        ([Filter(key="open", value=True)], ["a"]),
        ([Filter(key="open", value=1)], []),
        ([Filter(key="open", operator="at_least", value=0)], []),
        ([Filter(key="number", operator="at_least", value=0)], []),
        ([Filter(key="absent", value="x")], []),
        ([Filter(key="record_id", value="s/c")], ["c"]),
        ([Filter(key="source", value="s"), Filter(key="number", value="1")], ["a"]),
        ([Filter(key="source", value="other")], []),
    ],
)
def test_filters_hold_in_every_mode(workshop: Workshop, mode: Mode, filters: list[Filter], expected: list[str]) -> None:
    workshop.write(FILTERED)
    assert workshop.ids("食事", mode, filters=filters) == expected


def test_a_filtered_passage_takes_no_place_of_another(workshop: Workshop) -> None:
    workshop.write([passage(f"p{number}", "食事", number=number) for number in range(10)])
    filters = [Filter(key="number", operator="at_least", value=8)]
    for mode in MODES:
        assert workshop.ids("食事", mode, k=1, filters=filters) == ["p8"]


def test_a_range_needs_a_number() -> None:
    with pytest.raises(ValidationError, match="filter on as_of: at_least needs a number"):
        Filter(key="as_of", operator="at_least", value="2026")


@pytest.mark.parametrize("fusion", ["zscore", "max", "rrf"])
@pytest.mark.parametrize(("weight", "like"), [(1, "bm25"), (0, "dense")])
def test_a_weight_of_zero_leaves_the_other_ranking(
    workshop: Workshop, weight: float, like: Mode, fusion: Fusion
) -> None:
    workshop.write(PASSAGES)
    alone = SearchSettings(fusion=fusion, bm25_weight=weight)
    question = "親から借りた食事の税"
    assert workshop.ids(question, "hybrid", settings=alone) == workshop.ids(question, like)
    assert workshop.ids(question, "bm25") != workshop.ids(question, "dense")


@pytest.mark.parametrize("question", ["コード4161", "No.4161とは？", "4161"])
def test_an_article_asked_for_by_number_comes_before_those_that_refer_to_it(workshop: Workshop, question: str) -> None:
    referring = [
        passage(f"a{n}", f"贈与の特例。詳しくはコード4161、コード{4000 + n}を参照" + "あ" * n) for n in range(5)
    ]
    workshop.write([*referring, passage("own", "タックスアンサー No.4161 贈与財産")])
    assert workshop.ids(question, "bm25")[0] == "own"


def test_no_index_an_old_one_and_another_embedders_are_told(workshop: Workshop, tmp_path: Path) -> None:
    with pytest.raises(IndexFileError, match=r"absent\.sqlite: there is no search index"):
        LocalIndex.open(tmp_path / "absent.sqlite")
    other_file = tmp_path / "text.sqlite"
    other_file.write_text("this is no database, only words" * 100)
    with pytest.raises(IndexFileError, match=r"text\.sqlite: there is no search index"):
        LocalIndex.open(other_file)
    workshop.write(PASSAGES)
    with pytest.raises(IndexFileError, match="of counting, questions would be embedded by other"):
        LocalIndex.open(workshop.path, CountingEmbedder("other"))
    with pytest.raises(IndexFileError, match="of counting, questions would be embedded by other"):
        require_current(workshop.path, PASSAGES, CountingEmbedder("other"))


@pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
def test_a_damaged_index_is_told_and_made_anew(workshop: Workshop, place: float) -> None:
    many = [PASSAGES[0].model_copy(update={"passage_id": f"p{number}"}) for number in range(200)]
    workshop.write(many)
    whole = workshop.path.read_bytes()
    at = int(len(whole) * place)
    workshop.path.write_bytes(whole[:at] + b"\xff" * 8192 + whole[at + 8192 :])
    with pytest.raises(IndexFileError, match=r"it is damaged \(.+\); write it again \(asset search_index\)"):
        LocalIndex.open(workshop.path)
    assert workshop.write(many) == (len(many), 0, 0, 0, True)
    with LocalIndex.open(workshop.path) as index:
        assert len(index) == len(many)


CHANGED = PASSAGES[0].model_copy(update={"text": "食事を支給したとき。別の文章"})


@pytest.mark.parametrize(
    ("passages", "told"),
    [
        ([*PASSAGES, passage("new", "新しい文章")], "1 added (new)"),
        (PASSAGES[1:], "1 removed (meal)"),
        ([CHANGED, *PASSAGES[1:]], "1 changed (meal)"),
        ([passage("meal", TEXTS["meal"], year=2026), *PASSAGES[1:]], "1 changed (meal)"),
        ([], "4 removed (meal, stamp, gift, …)"),
        ([CHANGED, *PASSAGES[2:], passage("new", "新しい")], "1 added (new), 1 changed (meal), 1 removed (stamp)"),
    ],
)
def test_an_index_of_other_passages_is_refused_with_which_and_the_remedy(
    workshop: Workshop, passages: list[Passage], told: str
) -> None:
    workshop.write(PASSAGES)
    require_current(workshop.path, PASSAGES[::-1], workshop.embedder)
    with pytest.raises(IndexFileError) as caught:
        require_current(workshop.path, passages, workshop.embedder)
    assert str(caught.value).startswith(f"{workshop.path}: it is not of the corpus as it is prepared now")
    assert f"passages were {told}; write it again (asset search_index)" in str(caught.value)
    workshop.write(passages)
    require_current(workshop.path, passages, workshop.embedder)


def test_without_an_embedder_words_can_be_searched_and_vectors_not(workshop: Workshop) -> None:
    workshop.write(PASSAGES)
    with LocalIndex.open(workshop.path) as index:
        assert [hit.passage.passage_id for hit in index.search("盗難", "bm25")] == ["loss"]
        with pytest.raises(ValueError, match="without an embedder"):
            index.search("盗難", "hybrid")


def test_passages_are_counted_by_source(workshop: Workshop) -> None:
    workshop.write([*PASSAGES, PASSAGES[0].model_copy(update={"passage_id": "x", "source": "t"})])
    with LocalIndex.open(workshop.path) as index:
        assert index.counts() == {"s": 4, "t": 1}
        assert len(index) == 5


def test_searching_leaves_the_file_alone(workshop: Workshop) -> None:
    workshop.write(PASSAGES)
    workshop.path.chmod(0o444)
    before = workshop.path.read_bytes()
    assert workshop.ids("盗難", "hybrid")[0] == "loss"
    assert workshop.path.read_bytes() == before
    assert [file.name for file in workshop.path.parent.iterdir()] == ["v.sqlite"]


def test_a_passage_is_found_as_it_was_written(workshop: Workshop) -> None:
    written = passage("p", "食事を支給", number="1", tags=("a", "b")).model_copy(update={"is_mixed": True})
    workshop.write([written, PASSAGES[1]])
    assert {hit.passage.passage_id: hit.passage for hit in workshop.search("食事", "hybrid")} == {
        "p": written,
        PASSAGES[1].passage_id: PASSAGES[1],
    }
