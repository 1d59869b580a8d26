import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.passages import Passage, fixed_windows, passages_of_chunk
from rag_assets.model import Chunk

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
