import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sync_s3 import PREFIX, bucket_of_hashes, make
from emulation.clocks import PollPace
from emulation.local_aws import make_client
from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.corpus.writing import SIDECAR_SUFFIX, write_files
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.changes import expected_after, record_changes
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.ledger import open_ledger
from rag_assets.ingestion.service import IngestionError
from rag_assets.s3.errors import s3_client_config
from rag_assets.s3.locations import IngestionTarget
from rag_assets.s3.objects import ObjectChange, SyncOptions, sync_folder
from rag_assets.store.lines import StorageError
from rag_assets_tests.ingestion.bench import Bench, standing

TEXTS = {f"a/{number}.txt": f"食事を支給したとき その{number}" for number in range(8)}
OTHER = "住宅借入金等特別控除"


@dataclass
class Chain:
    """The corpus of a variant, from its folder into the Knowledge Base."""

    bench: Bench
    corpus: Path
    most: int = 0

    def sync(self, texts: Mapping[str, str], kinds: Mapping[str, str] | None = None, **options: Any) -> ExpectedObjects:
        """Write the folder and sync it."""
        files = {name: text.encode() for name, text in texts.items()}
        for name in texts:
            files[name + SIDECAR_SUFFIX] = sidecar_bytes({"kind": (kinds or {}).get(name, "x")})
        write_files(self.corpus, files)
        target = self.bench.targets["prepared"]
        manifest = self.bench.folder / "manifest"
        self.bench.time.go_by(1)
        with record_changes(self.bench.state_file(), target) as note:
            report = sync_folder(
                self.bench.aws.s3, self.corpus, target, manifest, SyncOptions(**options), on_change=note
            )
        return expected_after(report)

    def run(self, texts: Mapping[str, str], kinds: Mapping[str, str] | None = None) -> IngestionReport:
        """Likewise, and ingest it."""
        return self.ingest(self.sync(texts, kinds))

    def ingest(self, expected: ExpectedObjects) -> IngestionReport:
        """Ingest what was synced."""
        return self.bench.ingest(expected, direct_up_to=self.most)


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[Chain]:
    with standing(tmp_path) as bench:
        yield Chain(bench, tmp_path / "corpus")


def counts(chain: Chain) -> tuple[int, int, int, int]:
    pending, changes = chain.bench.pending()
    assert changes.count == pending.total
    return pending.new, pending.changed, pending.metadata_changed, pending.deleted


def test_documents_are_counted_and_one_job_does_it_all(chain: Chain) -> None:
    expected = chain.sync(TEXTS)
    assert (expected.documents, expected.sidecars, counts(chain)) == (8, 8, (8, 0, 0, 0))
    report = chain.ingest(expected)
    assert (report.how, report.listed) == ("job", False)
    expected = chain.sync(TEXTS)
    assert (counts(chain), chain.ingest(expected).how) == ((0, 0, 0, 0), "nothing")
    assert not chain.bench.state().pending
    texts = {**TEXTS, "a/0.txt": OTHER, "a/1.txt": OTHER, "b/new.txt": OTHER}
    del texts["a/7.txt"]
    expected = chain.sync(texts, {"a/1.txt": "y", "a/2.txt": "y"})
    assert counts(chain) == (1, 2, 1, 1)
    report = chain.ingest(expected)
    assert (report.how, report.listed, report.statistics.modified) == ("job", False, 2)
    assert counts(chain) == (0, 0, 0, 0)
    assert chain.bench.starts() == 2
    assert chain.bench.found(OTHER) == ["0.txt", "1.txt", "new.txt"]
    assert chain.bench.texts() == sorted(texts.values())


def test_a_sidecar_is_not_counted_where_other_names_stand_between_it_and_its_text(chain: Chain) -> None:
    texts = {"a/1.txt": "食事 1", "a/1.txt-2.txt": "食事 2", "a/3.txt": "食事 3"}
    chain.run(texts)
    chain.sync({**texts, "a/1.txt": OTHER, "a/1.txt-2.txt": OTHER}, dict.fromkeys(texts, "y"))
    assert counts(chain) == (0, 2, 1, 0)


def test_few_changes_are_ingested_directly_and_many_by_a_job(chain: Chain) -> None:
    chain.most = 3
    assert chain.run(TEXTS).how == "job"
    texts = {**TEXTS, "a/0.txt": OTHER}
    del texts["a/7.txt"]
    report = chain.run(texts, {"a/1.txt": "y"})
    assert report.how == "direct"
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (2, 1)
    assert chain.bench.texts() == sorted(texts.values())
    texts |= dict.fromkeys(list(texts)[:4], "年末調整")
    assert chain.run(texts).how == "job"
    assert chain.bench.starts() == 2
    assert chain.bench.texts() == sorted(texts.values())


# What happens to documents in syncs one after another that are not ingested: texts by name, and what is pending then.
FEW = dict(list(TEXTS.items())[:3])
LESS = dict(list(FEW.items())[1:])
HISTORIES: dict[str, tuple[list[Mapping[str, str]], tuple[int, int, int, int]]] = {
    "changed twice": ([{**FEW, "a/0.txt": "住宅"}, {**FEW, "a/0.txt": OTHER}], (0, 1, 0, 0)),
    "changed and changed back": ([{**FEW, "a/0.txt": OTHER}, FEW], (0, 1, 0, 0)),
    "new, then changed": ([{**FEW, "n.txt": "住宅"}, {**FEW, "n.txt": OTHER}], (1, 0, 0, 0)),
    "new, then deleted": ([{**FEW, "n.txt": OTHER}, FEW], (0, 0, 0, 1)),
    "deleted, then there again": ([LESS, FEW], (1, 0, 0, 0)),
    "deleted, then another": ([LESS, {**FEW, "a/0.txt": OTHER}], (1, 0, 0, 0)),
    "one after the other": ([{**FEW, "a/1.txt": "住宅"}, {"a/0.txt": OTHER, **LESS, "a/1.txt": "住宅"}], (0, 2, 0, 0)),
    "synced twice": ([{**FEW, "a/0.txt": OTHER}] * 2, (0, 1, 0, 0)),
}
# What was tried after each of these syncs, what the last ingestion overlooks, and up to how much is ingested directly.
ATTEMPTS = [
    ("none", False, 0),
    ("none", False, 5),
    ("none", True, 5),
    ("a job that is denied", True, 0),
    ("a job that dies half done", True, 0),
    ("a job that dies half done", False, 0),
]


@pytest.mark.parametrize(("attempt", "overlooked", "most"), ATTEMPTS)
@pytest.mark.parametrize("history", HISTORIES)
def test_no_history_of_syncs_loses_anything_in_silence_or_ends_in_an_alarm_for_ever(
    tmp_path: Path, history: str, attempt: str, overlooked: bool, most: int
) -> None:
    """The next job may leave out a document without a word, or have nothing left to do: both end in what is right."""
    with standing(tmp_path, skips_counted=False, pace=PollPace(0, 1, documents=1)) as bench:
        chain = Chain(bench, tmp_path / "corpus")
        chain.run(FEW)
        steps, wanted = HISTORIES[history]
        for texts in steps:
            expected = chain.sync(texts, may_delete_more=True)
            if attempt == "a job that is denied":
                bench.faults.deny("StartIngestionJob", times=1)
                with pytest.raises(IngestionError):
                    chain.ingest(expected)
            elif attempt == "a job that dies half done":
                bench.faults.die_in_job(after=1)
                with suppress(IngestionError):
                    chain.ingest(expected)
                bench.faults.clear()
        if history != "synced twice":
            assert counts(chain) == wanted
        if overlooked:
            bench.faults.overlook_file("*/0.txt", times=1)
            bench.faults.overlook_file("*/n.txt", times=1)
        with suppress(IngestionError):
            chain.most = most
            chain.ingest(expected)
        chain.ingest(expected)
        assert bench.texts() == sorted(steps[-1].values())
        assert chain.ingest(expected).how == "nothing"
        assert counts(chain) == (0, 0, 0, 0)


def test_nothing_is_uploaded_where_the_mark_cannot_be_set(chain: Chain) -> None:
    chain.bench.state_file().write_text("{")
    with pytest.raises(StorageError, match="Delete it"):
        chain.sync(TEXTS)
    assert chain.bench.etags("prepared") == {}


# What a sync noted before it was killed, and had not done: the folder is as it was before when the next one runs.
BROKEN_OFF: dict[str, list[tuple[ObjectChange, str]]] = {
    "deleted": [("deleted", "a/0.txt"), ("deleted", "a/0.txt.metadata.json")],
    "new": [("new", "z.txt"), ("new", "z.txt.metadata.json")],
    "changed": [("changed", "a/0.txt")],
    "another sidecar": [("changed", "a/0.txt.metadata.json")],
    "all of it": [("deleted", "a/0.txt"), ("new", "z.txt"), ("changed", "a/1.txt")],
}


def break_off(chain: Chain, changes: list[tuple[ObjectChange, str]]) -> None:
    target = chain.bench.targets["prepared"]
    with record_changes(chain.bench.state_file(), target) as note:
        for change, name in changes:
            note(change, target.prefix + name)
        raise KeyboardInterrupt


@pytest.mark.parametrize("most", [0, 9])
@pytest.mark.parametrize("failed_before", [False, True])
@pytest.mark.parametrize("noted", BROKEN_OFF)
def test_what_a_broken_off_sync_was_to_do_and_the_next_is_not_harms_nothing(
    chain: Chain, noted: str, failed_before: bool, most: int
) -> None:
    chain.run(FEW)
    chain.most = most
    if failed_before:
        chain.bench.faults.deny("StartIngestionJob", times=1)
        chain.most = 0
        with pytest.raises(IngestionError):
            chain.run({**FEW, "a/2.txt": OTHER})
        chain.most = most
    with suppress(KeyboardInterrupt):
        break_off(chain, BROKEN_OFF[noted])
    chain.run(FEW)
    assert chain.bench.texts() == sorted(FEW.values())
    assert (counts(chain), chain.run(FEW).how) == ((0, 0, 0, 0), "nothing")


def test_with_a_fresh_state_a_sync_with_nothing_to_do_notes_every_document(chain: Chain) -> None:
    chain.run(TEXTS)
    chain.bench.state_file().unlink()
    expected = chain.sync(TEXTS)
    target = chain.bench.targets["prepared"]
    with open_ledger(chain.bench.state_file(), target) as ledger:
        assert (ledger.count_present(), ledger.count_pending().total) == (len(TEXTS), 0)
    assert chain.ingest(expected).listed
    chain.sync(TEXTS)
    with open_ledger(chain.bench.state_file(), target) as ledger:
        assert ledger.count_present() == 0


MOST_GROWTH = 600_000
"""Bytes, for 3,500 documents more: their paths, in a set, are 1,200,000. Of the listing some pages are at hand."""


def test_memory_does_not_grow_with_the_number_of_documents(tmp_path: Path) -> None:
    """What Python holds at most, over noting and syncing: the first time, and with a fresh state and nothing to do."""
    few, many = (_peaks(tmp_path / str(documents), documents) for documents in (2_500, 6_000))
    assert [more - less < MOST_GROWTH for less, more in zip(few, many, strict=True)] == [True, True], (few, many)


def _peaks(folder: Path, documents: int) -> tuple[int, int]:
    """Peak of the first sync of so many documents up to its uploads, and of one with nothing to do but to note all."""
    make(folder / "corpus", 2 * documents)
    peaks = []
    for there in ("nothing", "corpus"):
        with bucket_of_hashes(folder / there) as url:
            s3 = make_client("s3", url, region_name="us-east-1", config=s3_client_config())
            twice = [_peak(s3, folder / "corpus", folder / f"{there}.state", dry_run=there == "nothing") for _ in "12"]
            # What is made once in a process, whenever that is, counts for nothing.
            peaks.append(min(twice))
    return peaks[0], peaks[1]


def _peak(s3: Any, corpus: Path, state: Path, *, dry_run: bool) -> int:
    ids = {"knowledge_base_id": "A" * 10, "data_source_id": "B" * 10}
    target = IngestionTarget(bucket="a-bucket", prefix=PREFIX, chunking="NONE", **ids)
    state.unlink(missing_ok=True)
    tracemalloc.start()
    try:
        with record_changes(state, target) as note:
            report = sync_folder(
                s3, corpus, target, state.with_name("manifest"), SyncOptions(dry_run=dry_run), on_change=note
            )
        assert report.new == (report.documents + report.sidecars) * dry_run
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
