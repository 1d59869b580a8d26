"""What a home knows of a Knowledge Base: the files of its syncs, against the chunks that are prepared."""

from pathlib import Path

import pytest

from rag_assets.assets.ingested import held_in_knowledge_base
from rag_assets.assets.sync import Synced
from rag_assets.corpus.writing import corpus_files, write_files
from rag_assets.layout import Home
from rag_assets.model import Chunk
from rag_assets.storage import write_lines
from rag_assets.sync.checking import local_files
from rag_assets.sync.judgement import Expected
from rag_assets.sync.manifest import opened
from rag_assets.sync.places import Target
from rag_assets.sync.state import opened_ledger

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


def _target(prefix: str) -> Target:
    return Target(bucket="a-bucket", prefix=prefix, knowledge_base_id="KB12345678", data_source_id="DS12345678")
