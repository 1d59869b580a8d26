"""Documents of others beside ours in a data source: ours are taken in and made sure of, theirs are left alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_assets.ingestion.service import IngestionError
from rag_assets_tests.ingestion.bench import SIDECAR, Bench, standing

TEXTS = {f"{number}.txt": f"食事を支給したとき その{number}" for number in range(4)}
PAIR = "old/copy.txt"
OTHER = "住宅借入金等特別控除"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as bench:
        yield bench


def put_others(bench: Bench) -> tuple[str, ...]:
    """What others have put there: a text alone, a text with its sidecar, and a file that no Knowledge Base can read."""
    target = bench.targets["prepared"]
    names = ("old/note.txt", PAIR, "old/picture.zip")
    for name in names:
        bench.put(target.prefix + name, "手で書いた覚え書き".encode())
    bench.put_sidecar(target, PAIR, {"variant": "prepared"})
    return (*names, PAIR + SIDECAR)


def calls(bench: Bench, operation: str) -> list[Any]:
    return [call for call in bench.aws.service.calls if call.operation == operation]


def test_counts_add_up_though_others_are_counted_too(bench: Bench) -> None:
    foreign = put_others(bench)
    report = bench.ingest(bench.sync(TEXTS, foreign=foreign))
    assert (report.how, report.foreign) == ("job", 3)
    assert report.statistics.scanned == 7
    assert report.statistics.failed == 1
    assert bench.ingest(bench.sync(foreign=foreign)).how == "nothing"


@pytest.mark.parametrize("fault", ["overlook_file", "skip_file"])
def test_one_of_ours_that_is_left_out_is_not_hidden_by_theirs(bench: Bench, fault: str) -> None:
    foreign = put_others(bench)
    getattr(bench.faults, fault)("*/2.txt", **({"times": 2} if fault == "overlook_file" else {}))
    with pytest.raises(IngestionError, match=r"3 documents are INDEXED, but 4|2\.txt"):
        bench.ingest(bench.sync(TEXTS, foreign=foreign))


def test_what_fails_of_ours_is_told_though_theirs_fail_too(bench: Bench) -> None:
    foreign = put_others(bench)
    bench.faults.fail_file("*/2.txt", "too long")
    with pytest.raises(IngestionError, match=r"prepared/2\.txt is FAILED: too long") as caught:
        bench.ingest(bench.sync(TEXTS, foreign=foreign))
    assert "picture.zip is FAILED" not in str(caught.value)


def test_more_than_is_known_of_is_told(bench: Bench) -> None:
    foreign = put_others(bench)
    expected = bench.sync(TEXTS, foreign=foreign)
    bench.put("prepared/later.txt", b"later")
    with pytest.raises(IngestionError, match=r"scanned 8 documents, but 4 were uploaded \(and 3 not sent from here\)"):
        bench.ingest(expected)


def test_theirs_are_never_taken_in_or_out_by_name(bench: Bench) -> None:
    foreign = put_others(bench)
    bench.ingest(bench.sync(TEXTS, foreign=foreign))
    report = bench.ingest(bench.sync({"1.txt": OTHER}, delete=("3.txt",), foreign=foreign), direct_up_to=10)
    assert report.how == "direct"
    # A job that finds theirs as they were leaves them alone as well.
    bench.state_file().unlink()
    assert bench.ingest(bench.sync(foreign=foreign)).how == "job"
    named = [
        str(call.parameters)
        for operation in ("IngestKnowledgeBaseDocuments", "DeleteKnowledgeBaseDocuments")
        for call in calls(bench, operation)
    ]
    assert len(named) == 2
    assert not any("old/" in one for one in named)


def test_a_document_of_others_at_a_key_that_was_ours_is_not_taken_out_by_name(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    # Ours goes; before an ingestion has told the Knowledge Base so, somebody puts another there.
    bench.sync(delete=("3.txt",))
    bench.put("prepared/3.txt", "手で書いた覚え書き".encode())
    report = bench.ingest(bench.sync(foreign=("3.txt",)), direct_up_to=10)
    assert report.how == "job"
    assert calls(bench, "DeleteKnowledgeBaseDocuments") == []
    assert bench.found("手で書いた") == ["3.txt"]
    assert bench.found("その3") == []


def test_the_ledger_of_an_earlier_version_is_read(bench: Bench) -> None:
    bench.ingest(bench.sync(TEXTS))
    with closing(sqlite3.connect(bench.state_file())) as connection, connection:
        connection.execute("DROP TABLE foreign_documents")
    foreign = put_others(bench)
    assert bench.ingest(bench.sync({"1.txt": OTHER}, foreign=foreign)).how == "job"
