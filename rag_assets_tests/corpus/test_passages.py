import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.passages import Passage, fixed_windows, passages_of_chunk, trace_passage
from rag_assets.corpus.tracing import SpanOwners
from rag_assets.model import Chunk, Original, Span

sizes = st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size)))


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, []),
        (1, [1]),
        (255, [255]),
        (256, [255, 52]),
        (459, [255, 255]),
        (460, [255, 255, 52]),
    ],
)
def test_windows_of_the_knowledge_base(length: int, expected: list[int]) -> None:
    assert [len(window) for window in fixed_windows("あ" * length)] == expected


@given(st.text(max_size=300), sizes)
def test_windows_hold_every_character_and_only_the_last_is_short(text: str, size_step: tuple[int, int]) -> None:
    size, step = size_step
    windows = fixed_windows(text, size, step)
    assert "".join(window[:step] for window in windows[:-1]) + "".join(windows[-1:]) == text
    assert all(len(window) == size for window in windows[:-1])


@given(st.text(min_size=1, max_size=300), sizes)
def test_no_window_lies_within_the_one_before(text: str, size_step: tuple[int, int]) -> None:
    size, step = size_step
    count = len(fixed_windows(text, size, step))
    assert count == 1 or (count - 2) * step + size < len(text)


@pytest.mark.parametrize("step", [0, -1, 11])
def test_a_step_that_would_lose_text_or_never_end_is_refused(step: int) -> None:
    with pytest.raises(ValueError, match="step must lie between 1 and size"):
        fixed_windows("text", 10, step)


def chunk(body: str) -> Chunk:
    return Chunk(
        chunk_id="tax_answer/1/abc",
        record_id="tax_answer/1",
        variant="v",
        header="No.1 題",
        body=body,
        keywords=("まかない",),
        attributes={"number": "1", "as_of": 20260401},
    )


def test_a_prepared_chunk_is_one_passage_with_its_header() -> None:
    (passage,) = passages_of_chunk(chunk("本文。"), windowed=False)
    assert passage == Passage(
        passage_id="tax_answer/1/abc",
        chunk_id="tax_answer/1/abc",
        record_id="tax_answer/1",
        source="tax_answer",
        text="No.1 題\n本文。\n関連する言葉：まかない",
        attributes={"number": "1", "as_of": 20260401},
    )


def test_a_raw_file_is_its_windows_each_with_an_id_of_its_own() -> None:
    whole = chunk("あ" * 600)
    passages = list(passages_of_chunk(whole, windowed=True))
    assert [passage.text for passage in passages] == fixed_windows(whole.text)
    assert len({passage.passage_id for passage in passages}) == len(passages) == 3
    assert {passage.chunk_id for passage in passages} == {"tax_answer/1/abc"}


def test_blank_windows_are_no_passages() -> None:
    passages = list(passages_of_chunk(chunk("あ" + " " * 600 + "い"), windowed=True))
    assert all(passage.text.strip() for passage in passages)
    assert len(passages) < len(fixed_windows(chunk("あ" + " " * 600 + "い").text))


def test_the_content_hash_tells_any_change() -> None:
    passage = Passage(passage_id="p", chunk_id="c", record_id="r", source="s", text="題本文")
    others = [
        passage.model_copy(update=change) for change in ({"text": "題本"}, {"attributes": {"a": 1}}, {"record_id": "q"})
    ]
    assert len({other.content_hash() for other in [passage, *others]}) == 4


def document(text: str, *spans: tuple[int, int, str]) -> Chunk:
    return Chunk(
        chunk_id="law/act",
        record_id="law/act",
        variant="as_is",
        body=text,
        original=Original(sha256="", suffix=".txt"),
        spans=tuple(Span(start=start, end=end, record_id=record_id) for start, end, record_id in spans),
    )


def test_a_window_of_a_document_goes_by_the_record_it_holds_most_of() -> None:
    whole = document("目次\n" + "あ" * 250 + "い" * 400, (3, 253, "law/act/1"), (253, 653, "law/act/2"))
    found = [(one.record_id, one.is_mixed) for one in passages_of_chunk(whole, windowed=True)]
    assert found == [("law/act/1", True), ("law/act/2", True), ("law/act/2", False)]


def test_a_window_without_any_record_goes_by_its_document() -> None:
    whole = document("目次" * 200 + "本文", (400, 402, "law/act/1"))
    assert [one.record_id for one in passages_of_chunk(whole, windowed=True)] == ["law/act", "law/act/1"]


def test_a_passage_of_a_service_goes_by_the_record_it_holds_most_of() -> None:
    whole = document("第一条\n目的を定める。\n第二条\n言葉を定義する。", (0, 11, "law/act/1"), (12, 23, "law/act/2"))
    passage = next(iter(passages_of_chunk(whole, windowed=True)))
    owners = SpanOwners(whole.text, whole.spans)
    cut = trace_passage(passage.model_copy(update={"text": "定める。第二条 言葉を定義する。"}), whole, owners)
    assert (cut.record_id, cut.is_mixed) == ("law/act/2", True)
    assert trace_passage(passage.model_copy(update={"text": "無関係な話"}), whole, owners).record_id == "law/act"


def test_owners_and_gaps_are_told_by_position() -> None:
    text = "表紙\n本文一\n- 1 -\n本文二"
    owners = SpanOwners(text, document(text, (3, 6, "s/d/1"), (13, 16, "s/d/2")).spans)
    assert owners.find_between(0, len(text)) == ["s/d/1", "s/d/2"]
    assert [owners.has_gap_between(*place) for place in ((0, 6), (3, 6), (5, 7), (5, 9), (13, 16))] == [
        True,
        False,
        False,
        True,
        False,
    ]
