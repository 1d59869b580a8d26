"""Dictionary, chunks, files and quality as assets: what stops, what only tells, what is written."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from rag_assets.corpus import building
from rag_assets.corpus.dictionary import Dictionary
from rag_assets.corpus.variants import prepare
from rag_assets.model import Chunk, QualityRow, Record, Variant
from rag_assets.store.lines import read_lines
from rag_assets_tests.small_site import Run, folder_site

Prepare = Callable[[Iterable[Record], Variant, Callable[[str], Dictionary]], list[Chunk]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A site of two articles, fetched and read."""
    made = Run(str(folder_site(tmp_path / "site", "2502", "2594")), tmp_path / "home")
    made.refresh()
    return made


def with_dictionary(run: Run, *lines: str, **settings: str) -> Run:
    folder = run.home.root.parent / "words"
    folder.mkdir()
    (folder / "tax_answer.txt").write_text("".join(f"{line}\n" for line in lines))
    return Run(
        run.settings.tax_answer,
        run.home.root,
        dictionaries=folder,
        variants="raw,prepared_400,prepared_400_dict",
        **settings,
    )


def changed(monkeypatch: pytest.MonkeyPatch, change: Callable[[Chunk], Chunk | None]) -> None:
    """Let the preparation be faulty in a way that it is not."""

    def faulty(records: Iterable[Record], variant: Variant, dictionary_of: Callable[[str], Dictionary]) -> list[Chunk]:
        made = [change(chunk) for chunk in prepare(records, variant, dictionary_of)]
        return [chunk for chunk in made if chunk is not None]

    monkeypatch.setattr(building, "prepare", faulty)


def test_every_chunk_is_a_text_and_a_sidecar(run: Run) -> None:
    assert run.corpora() == {}
    assert sorted(run.files("raw")) == [
        "tax_answer/2502.txt",
        "tax_answer/2502.txt.metadata.json",
        "tax_answer/2594.txt",
        "tax_answer/2594.txt.metadata.json",
    ]
    for chunk in read_lines(run.home.chunks("prepared_400"), Chunk, "chunks"):
        _, text = run.files("prepared_400")[f"{chunk.chunk_id}.txt"]
        assert text.decode().rstrip("\n") == chunk.text
        _, sidecar = run.files("prepared_400")[f"{chunk.chunk_id}.txt.metadata.json"]
        attributes = json.loads(sidecar)["metadataAttributes"]
        assert attributes["url"] == f"https://www.nta.go.jp/taxes/shiraberu/taxanswer/gensen/{attributes['number']}.htm"
        assert attributes["as_of"] == 20250401


def test_nothing_is_written_twice(run: Run) -> None:
    run.corpora()
    before = run.files("raw") | run.files("prepared_400")
    run.refresh()
    assert run.corpora() == {}
    assert run.files("raw") | run.files("prepared_400") == before


def test_files_that_are_no_chunk_are_removed(run: Run) -> None:
    run.corpora()
    stray = run.home.corpus("raw") / "tax_answer" / "0000.txt"
    stray.write_text("left over")
    assert run.corpora() == {}
    assert not stray.exists()


def test_without_records_nothing_is_made_and_nothing_deleted(run: Run) -> None:
    run.corpora()
    before = run.files("raw")
    for file in run.home.records("tax_answer").iterdir():
        file.unlink()
    told = run.corpora()
    assert "materialize tax_answer_records first" in told["synonym_dictionary"]
    assert run.files("raw") == before


def test_a_chunk_over_the_limit_stops_what_comes_after(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lambda chunk: chunk.model_copy(update={"body": "長い文です。" * 100}))
    told = run.corpora()
    (chunk, *_) = read_lines(run.home.chunks("prepared_400"), Chunk, "chunks")
    assert f"prepared_400: {chunk.chunk_id}" in told["chunks: check within_limit"]
    assert "raw" not in told["chunks: check within_limit"]
    assert not run.home.corpus("raw").exists()
    assert not run.home.quality("raw").exists()


def test_a_single_token_may_be_over_the_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lambda chunk: chunk.model_copy(update={"body": "A" * 401, "context": ""}))
    assert run.corpora() == {}


def test_a_record_without_a_chunk_stops_what_comes_after(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lambda chunk: None if chunk.record_id.endswith("2594") else chunk)
    told = run.corpora()
    assert "prepared_400: tax_answer/2594" in told["chunks: check no_lost_records"]
    assert "2502" not in told["chunks: check no_lost_records"]
    assert not run.home.corpus("raw").exists()


def test_a_sidecar_that_would_be_refused_keeps_the_variant_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.corpora()
    before = run.files("prepared_400")
    folder_site(Path(run.settings.tax_answer), "2502", "2594", "2600")
    run.refresh()
    changed(monkeypatch, lambda chunk: chunk.model_copy(update={"attributes": {**chunk.attributes, "id": "1"}}))
    told = run.corpora()
    assert "tax_answer/2502.txt" in told["corpus_files: check valid_sidecars"]
    assert "'id' is reserved" in told["corpus_files: check valid_sidecars"]
    assert run.files("prepared_400") == before


def test_bad_dictionary_lines_are_warned_about_and_the_run_goes_on(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    told = with_dictionary(run, "記事2594: お昼代", "この行には区切りがない")
    assert told.corpora() == {}
    assert "tax_answer.txt:2" in capfd.readouterr().err
    words = {chunk.keywords for chunk in read_lines(run.home.chunks("prepared_400_dict"), Chunk, "chunks")}
    assert words == {(), ("お昼代",)}


def test_bad_dictionary_lines_stop_the_run_where_that_is_set(run: Run) -> None:
    told = with_dictionary(run, "この行には区切りがない", dictionary_problems="stop").corpora()
    assert "tax_answer.txt:1" in told["synonym_dictionary"]
    assert not run.home.chunks("raw").exists()


def test_quality_has_a_row_a_source_and_one_over_all(run: Run) -> None:
    run.corpora()
    rows = read_lines(run.home.quality("prepared_400"), QualityRow, "corpus_quality")
    assert [row.source for row in rows] == ["all", "tax_answer"]
    assert rows[0].passages == len(read_lines(run.home.chunks("prepared_400"), Chunk, "chunks"))
    assert rows[0].unnamed == 0


def test_files_before_chunks_are_refused_with_the_remedy(run: Run) -> None:
    told = run.stage("corpus_files").failures["corpus_files"]
    assert "raw.jsonl does not exist yet: materialize chunks first" in told
