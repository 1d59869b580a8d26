"""What a home knows of a Knowledge Base: the files of its syncs, against the chunks that are prepared."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_assets.assets.ingested import held_in_knowledge_base
from rag_assets.assets.sync import Synced
from rag_assets.corpus.writing import corpus_files, write_files
from rag_assets.layout import Home
from rag_assets.locks import held
from rag_assets.model import Chunk
from rag_assets.storage import write_lines
from rag_assets.sync.checking import local_files
from rag_assets.sync.judgement import Expected
from rag_assets.sync.manifest import opened
from rag_assets.sync.places import Target
from rag_assets.sync.service import IngestionError
from rag_assets.sync.state import changing, opened_ledger

# Neither the order of reading nor that of the chunk IDs is that of the keys: "-" comes before "." and "." before "0".
CHUNK_IDS = ("s/2/b", "s/1/a0", "s/1/a", "s/1/a-b", "s/10/a")


def chunk(chunk_id: str, text: str = "本文") -> Chunk:
    return Chunk(
        chunk_id=chunk_id,
        record_id=chunk_id.rpartition("/")[0],
        variant="cut",
        header="見出し",
        body=text,
        attributes={"chunk_id": chunk_id, "variant": "cut"},
    )


CHUNKS = tuple(chunk(chunk_id) for chunk_id in CHUNK_IDS)


def ingested(home: Home, target: Target, chunks: tuple[Chunk, ...]) -> None:
    """What a sync of the chunks and a good ingestion leave in a home."""
    write_files(home.corpus("cut"), corpus_files(chunks))
    with opened(home.objects("cut"), target) as tables:
        tables.take_here(local_files(home.corpus("cut"), target.prefix))
        fingerprint = tables.fingerprint()
    write_lines(
        home.synced("cut"), [Synced(target=target, expected=Expected(documents=len(chunks), fingerprint=fingerprint))]
    )
    with opened_ledger(home.ingestion("cut"), target) as ledger:
        ledger.ended_well(fingerprint)


@pytest.mark.parametrize("prefix", ["", "kb/cut/"])
def test_a_corpus_is_known_again_in_whatever_order_it_is_read(tmp_path: Path, prefix: str) -> None:
    home, target = Home(tmp_path), _target(prefix)
    ingested(home, target, CHUNKS)
    assert held_in_knowledge_base(home, "cut", target, CHUNKS) == "corpus"
    assert held_in_knowledge_base(home, "cut", target, CHUNKS[::-1]) == "corpus"


@pytest.mark.parametrize(
    "changed",
    [
        CHUNKS[1:],
        (*CHUNKS, chunk("s/3/a")),
        (chunk(CHUNK_IDS[0], "別の本文"), *CHUNKS[1:]),
        (CHUNKS[0].model_copy(update={"attributes": {"variant": "cut"}}), *CHUNKS[1:]),
    ],
)
def test_a_corpus_of_other_files_is_another(tmp_path: Path, changed: tuple[Chunk, ...]) -> None:
    home, target = Home(tmp_path), _target("cut/")
    ingested(home, target, CHUNKS)
    assert held_in_knowledge_base(home, "cut", target, changed) == "earlier"


# Asking changes nothing, whatever is there.


def files(folder: Path) -> dict[Path, bytes]:
    """What each holds."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def known(home: Home, target: Target) -> str:
    """What is known, or why nothing was searched; with no file made or changed."""
    before = files(home.root)
    try:
        return held_in_knowledge_base(home, "cut", target, CHUNKS)
    except IngestionError as error:
        return str(error)
    finally:
        assert files(home.root) == before


def _not_a_ledger(home: Home, _: Target) -> None:
    home.ingestion("cut").unlink()


def _ledger_of_another(home: Home, target: Target) -> None:
    home.ingestion("cut").unlink()
    with opened_ledger(home.ingestion("cut"), target.model_copy(update={"data_source_id": "DS87654321"})) as ledger:
        ledger.ended_well("of another")


def _pending(home: Home, target: Target) -> None:
    with opened_ledger(home.ingestion("cut"), target) as ledger:
        ledger.write(changing(ledger.state))


def _killed(home: Home, target: Target) -> None:
    """What is pending stands in the journal alone."""
    killed = home.root / "killed"
    with opened_ledger(home.ingestion("cut"), target) as ledger:
        ledger.write(changing(ledger.state))
        shutil.copytree(home.ingestion("cut").parent, killed)
    shutil.copytree(killed, home.ingestion("cut").parent, dirs_exist_ok=True)
    assert home.ingestion("cut").with_name("cut.ingestion.sqlite-wal").stat().st_size > 0


def _not_synced(home: Home, _: Target) -> None:
    home.synced("cut").unlink()


def _empty(home: Home, _: Target) -> None:
    home.synced("cut").write_bytes(b"")


def _twice(home: Home, _: Target) -> None:
    home.synced("cut").write_bytes(2 * home.synced("cut").read_bytes())


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_not_a_ledger, "has not been ingested well"),
        (_ledger_of_another, "has not been ingested well"),
        (_pending, "has not been ingested well"),
        (_killed, "has not been ingested well"),
        (_not_synced, "has begun and not come to its end"),
        (_empty, "cut.synced.jsonl should tell of one sync, and tells of 0"),
        (_twice, "cut.synced.jsonl should tell of one sync, and tells of 2"),
    ],
)
def test_what_is_not_done_is_told_with_the_remedy_and_left_as_it_is(
    tmp_path: Path, spoil: Callable[[Home, Target], None], why: str
) -> None:
    home, target = Home(tmp_path), _target("cut/")
    ingested(home, target, CHUNKS)
    assert known(home, target) == "corpus"
    spoil(home, target)
    told = known(home, target)
    assert told.startswith("Knowledge Base KB12345678 was not searched, since it may hold anything: ")
    assert why in told
    assert "Materialize s3_objects and knowledge_base_ingestion for cut first" in told


def test_where_nothing_was_synced_there_nothing_is_known(tmp_path: Path) -> None:
    home, target = Home(tmp_path), _target("cut/")
    assert known(home, target) == "unknown"
    ingested(home, target, CHUNKS)
    assert known(home, target.model_copy(update={"knowledge_base_id": "KB87654321"})) == "unknown"


@pytest.mark.parametrize("spoil", [None, _pending, _not_synced])
def test_a_run_that_is_ingesting_is_told(tmp_path: Path, spoil: Callable[[Home, Target], None] | None) -> None:
    home, target = Home(tmp_path), _target("cut/")
    ingested(home, target, CHUNKS)
    if spoil:
        spoil(home, target)
    lock = home.sync_lock("cut")
    lock.touch()
    with held(lock, AssertionError()):
        told = known(home, target)
    assert told.startswith("Knowledge Base KB12345678 was not searched: an upload or an ingestion is under way")
    assert "Wait until it has ended, then run again" in told


def _target(prefix: str) -> Target:
    return Target(bucket="a-bucket", prefix=prefix, knowledge_base_id="KB12345678", data_source_id="DS12345678")
