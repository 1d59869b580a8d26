"""What a home knows of a Knowledge Base: the files of its syncs, against the chunks that are prepared."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emulation.local_aws import LocalAws, local_aws
from rag_assets.corpus.writing import corpus_files, write_files
from rag_assets.evaluation.ingested import find_held_corpus
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.ledger import open_ledger
from rag_assets.ingestion.service import IngestionError
from rag_assets.ingestion.sync_receipt import SyncReceipt, write_receipt
from rag_assets.model import Chunk
from rag_assets.s3.checking import read_local_files
from rag_assets.s3.locations import IngestionTarget, Target
from rag_assets.s3.manifest_file import open_manifest
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError
from rag_assets.store.locks import held

BUCKET = "a-bucket"

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


def ingested(home: Home, target: IngestionTarget, chunks: tuple[Chunk, ...]) -> None:
    """What a sync of the chunks and a good ingestion leave in a home."""
    write_files(home.corpus("cut"), corpus_files(chunks))
    with open_manifest(home.objects("cut"), target) as tables:
        tables.add_files(read_local_files(home.corpus("cut"), target.prefix))
        fingerprint = tables.fingerprint()
    expected = ExpectedObjects(documents=len(chunks), fingerprint=fingerprint)
    write_receipt(home.synced("cut", target.key), SyncReceipt(target=as_set(target), expected=expected))
    with open_ledger(home.ingestion("cut", target.key), target) as ledger:
        ledger.end_well(fingerprint)


def as_set(target: IngestionTarget) -> Target:
    """The target as settings say it."""
    return Target.model_validate(target.model_dump(exclude={"chunking"}))


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    with local_aws() as aws:
        aws.create_bucket(BUCKET)
        yield aws


@pytest.fixture
def agent(aws: LocalAws) -> Any:
    return aws.client("bedrock-agent")


@pytest.fixture
def target(aws: LocalAws) -> IngestionTarget:
    """A data source in which no job has ever run."""
    return a_target(aws, "cut/")


def a_target(aws: LocalAws, prefix: str) -> IngestionTarget:
    ids = aws.service.add_data_source(aws.service.add_knowledge_base(), BUCKET, prefix)
    return IngestionTarget(
        bucket=BUCKET,
        prefix=prefix,
        knowledge_base_id=ids.knowledge_base_id,
        data_source_id=ids.data_source_id,
        chunking="NONE",
    )


@pytest.mark.parametrize("prefix", ["", "kb/cut/"])
def test_a_corpus_is_known_again_in_whatever_order_it_is_read(tmp_path: Path, aws: LocalAws, prefix: str) -> None:
    home, target, agent = Home(tmp_path), a_target(aws, prefix), aws.client("bedrock-agent")
    ingested(home, target, CHUNKS)
    assert find_held_corpus(home, "cut", target, CHUNKS, agent) == "corpus"
    assert find_held_corpus(home, "cut", target, CHUNKS[::-1], agent) == "corpus"


@pytest.mark.parametrize(
    "changed",
    [
        CHUNKS[1:],
        (*CHUNKS, chunk("s/3/a")),
        (chunk(CHUNK_IDS[0], "別の本文"), *CHUNKS[1:]),
        (CHUNKS[0].model_copy(update={"attributes": {"variant": "cut"}}), *CHUNKS[1:]),
    ],
)
def test_a_corpus_of_other_files_is_another(
    tmp_path: Path, target: IngestionTarget, agent: Any, changed: tuple[Chunk, ...]
) -> None:
    home = Home(tmp_path)
    ingested(home, target, CHUNKS)
    assert find_held_corpus(home, "cut", target, changed, agent) == "earlier"


def test_what_a_job_of_others_may_have_brought_is_told(tmp_path: Path, target: IngestionTarget, agent: Any) -> None:
    home = Home(tmp_path)
    ingested(home, target, CHUNKS)
    agent.start_ingestion_job(**target.ids)
    assert known(home, target, agent) == "others"


# Asking changes nothing, whatever is there.


def files(folder: Path) -> dict[Path, bytes]:
    """What each holds."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def known(home: Home, target: IngestionTarget, agent: Any) -> str:
    """What is known, or why nothing was searched; with no file made or changed."""
    before = files(home.root)
    try:
        return find_held_corpus(home, "cut", target, CHUNKS, agent)
    except (IngestionError, StorageError) as error:
        return str(error)
    finally:
        assert files(home.root) == before


def _not_a_ledger(home: Home, target: IngestionTarget) -> None:
    home.ingestion("cut", target.key).unlink()


def _ledger_of_another(home: Home, target: IngestionTarget) -> None:
    home.ingestion("cut", target.key).unlink()
    another = target.model_copy(update={"data_source_id": "DS87654321"})
    with open_ledger(home.ingestion("cut", target.key), another) as ledger:
        ledger.end_well("of another")


def _pending(home: Home, target: IngestionTarget) -> None:
    with open_ledger(home.ingestion("cut", target.key), target) as ledger:
        ledger.write(ledger.state.begin_change())


def _killed(home: Home, target: IngestionTarget) -> None:
    """What is pending stands in the journal alone."""
    killed = home.root / "killed"
    with open_ledger(home.ingestion("cut", target.key), target) as ledger:
        ledger.write(ledger.state.begin_change())
        shutil.copytree(home.ingestion("cut", target.key).parent, killed)
    shutil.copytree(killed, home.ingestion("cut", target.key).parent, dirs_exist_ok=True)
    assert home.ingestion("cut", target.key).with_name(f"cut.{target.key}.ingestion.sqlite-wal").stat().st_size > 0


def _not_synced(home: Home, target: IngestionTarget) -> None:
    home.synced("cut", target.key).unlink()


def _empty(home: Home, target: IngestionTarget) -> None:
    home.synced("cut", target.key).write_bytes(b"")


def _twice(home: Home, target: IngestionTarget) -> None:
    home.synced("cut", target.key).write_bytes(2 * home.synced("cut", target.key).read_bytes())


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_not_a_ledger, "has not been ingested well"),
        (_ledger_of_another, "has not been ingested well"),
        (_pending, "has not been ingested well"),
        (_killed, "has not been ingested well"),
        (_not_synced, "has begun and not come to its end"),
    ],
)
def test_what_is_not_done_is_told_with_the_remedy_and_left_as_it_is(
    tmp_path: Path,
    target: IngestionTarget,
    agent: Any,
    spoil: Callable[[Home, IngestionTarget], None],
    why: str,
) -> None:
    home = Home(tmp_path)
    ingested(home, target, CHUNKS)
    assert known(home, target, agent) == "corpus"
    spoil(home, target)
    told = known(home, target, agent)
    assert told.startswith(f"Knowledge Base {target.knowledge_base_id} was not searched, since it may hold anything: ")
    assert why in told
    assert "Materialize s3_objects and knowledge_base_ingestion for cut first" in told


@pytest.mark.parametrize(("spoil", "number"), [(_empty, 0), (_twice, 2)])
def test_a_file_that_tells_of_no_one_sync_is_told(
    tmp_path: Path,
    target: IngestionTarget,
    agent: Any,
    spoil: Callable[[Home, IngestionTarget], None],
    number: int,
) -> None:
    home = Home(tmp_path)
    ingested(home, target, CHUNKS)
    spoil(home, target)
    told = known(home, target, agent)
    assert f"synced.jsonl should tell of one sync, and tells of {number}: delete it and" in told


def test_where_nothing_was_synced_there_nothing_is_known(tmp_path: Path, target: IngestionTarget, agent: Any) -> None:
    home = Home(tmp_path)
    assert known(home, target, agent) == "unknown"
    ingested(home, target, CHUNKS)
    for differently in ({"knowledge_base_id": "KB87654321"}, {"bucket": "another-bucket"}, {"prefix": "cut2/"}):
        assert known(home, target.model_copy(update=differently), agent) == "unknown"
    assert known(home, target, agent) == "corpus"


@pytest.mark.parametrize("spoil", [None, _pending, _not_synced])
def test_a_run_that_is_ingesting_is_told(
    tmp_path: Path,
    target: IngestionTarget,
    agent: Any,
    spoil: Callable[[Home, IngestionTarget], None] | None,
) -> None:
    home = Home(tmp_path)
    ingested(home, target, CHUNKS)
    if spoil:
        spoil(home, target)
    lock = home.sync_lock("cut")
    lock.touch()
    with held(lock, AssertionError()):
        told = known(home, target, agent)
    assert told.startswith(
        f"Knowledge Base {target.knowledge_base_id} was not searched: an upload or an ingestion is under way"
    )
    assert "Wait until it has ended, then run again" in told
