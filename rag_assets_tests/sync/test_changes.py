from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.corpus.writing import SIDECAR_SUFFIX, write_files
from rag_assets.storage import StorageError
from rag_assets.sync.changes import ChangeCount
from rag_assets.sync.ingestion import IngestionReport
from rag_assets.sync.judgement import Expected
from rag_assets.sync.objects import sync_folder
from rag_assets_tests.sync.bench import Bench, standing

TEXTS = {f"a/{number}.txt": f"食事を支給したとき その{number}" for number in range(8)}
OTHER = "住宅借入金等特別控除"


@dataclass
class Chain:
    """The corpus of a variant, from its folder into the Knowledge Base."""

    bench: Bench
    corpus: Path
    most: int = 0

    def run(
        self, texts: Mapping[str, str], kinds: Mapping[str, str] | None = None, **settings: Any
    ) -> tuple[Expected, IngestionReport]:
        """Write the folder, sync it, ingest it."""
        files = {name: text.encode() for name, text in texts.items()}
        for name in texts:
            files[name + SIDECAR_SUFFIX] = sidecar_bytes({"kind": (kinds or {}).get(name, "x")})
        write_files(self.corpus, files)
        target = self.bench.targets["prepared"]
        count = ChangeCount(self.bench.state_file(), target, self.most)
        manifest = self.bench.folder / "manifest"
        report = sync_folder(self.bench.aws.s3, self.corpus, target, manifest, on_change=count, **settings)
        expected = count.expected(report)
        return expected, self.bench.ingest(expected, changes=count.changes, direct_up_to=self.most)


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[Chain]:
    with standing(tmp_path) as bench:
        yield Chain(bench, tmp_path / "corpus")


def counts(expected: Expected) -> tuple[int, int, int, int]:
    return expected.new, expected.changed, expected.metadata_changed, expected.deleted


def test_documents_are_counted_and_one_job_does_it_all(chain: Chain) -> None:
    expected, report = chain.run(TEXTS)
    assert (expected.documents, expected.sidecars, counts(expected)) == (8, 8, (8, 0, 0, 0))
    assert (report.how, report.listed) == ("job", False)
    expected, report = chain.run(TEXTS)
    assert (counts(expected), report.how) == ((0, 0, 0, 0), "nothing")
    assert not chain.bench.state().pending
    texts = {**TEXTS, "a/0.txt": OTHER, "a/1.txt": OTHER, "b/new.txt": OTHER}
    del texts["a/7.txt"]
    expected, report = chain.run(texts, {"a/1.txt": "y", "a/2.txt": "y"})
    assert counts(expected) == (1, 2, 1, 1)
    assert (report.how, report.listed, report.statistics.modified) == ("job", False, 2)
    assert chain.bench.starts() == 2
    assert chain.bench.found(OTHER) == ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "new.txt"]


def test_few_changes_are_ingested_directly_and_many_by_a_job(chain: Chain) -> None:
    chain.most = 3
    assert chain.run(TEXTS)[1].how == "job"
    texts = {**TEXTS, "a/0.txt": OTHER}
    del texts["a/7.txt"]
    _, report = chain.run(texts, {"a/1.txt": "y"})
    assert report.how == "direct"
    assert report.direct
    assert (report.direct.ingested, report.direct.deleted) == (2, 1)
    assert chain.run(texts | dict.fromkeys(list(texts)[:4], "年末調整"))[1].how == "job"
    assert chain.bench.starts() == 2


def test_nothing_is_uploaded_where_the_mark_cannot_be_set(chain: Chain) -> None:
    chain.bench.state_file().write_text("{")
    with pytest.raises(StorageError, match="Delete it and run again"):
        chain.run(TEXTS)
    assert chain.bench.etags("prepared") == {}
