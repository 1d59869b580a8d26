"""A sync that is killed, at any request, before or after S3 has done what it was asked, or interrupted."""

import os
import random
import signal
import subprocess
import sys
import threading

import pytest

from rag_assets.s3.marks import OwnershipMark
from rag_assets_tests.s3.conftest import BUCKET, Bench
from rag_assets_tests.s3.faulty_s3 import Asked, Fault, Operation

DOCUMENTS = 20
REQUESTS = 1 + 2 * DOCUMENTS + 1
_UPLOADS = sorted(random.Random(20260401).sample(range(2, REQUESTS), 4))
MOMENTS = {
    "listing": (1, True),
    "an upload": (_UPLOADS[0], False),
    "an upload that was made": (_UPLOADS[1], True),
    "another": (_UPLOADS[2], False),
    "another that was made": (_UPLOADS[3], True),
    "the deletion": (REQUESTS, False),
    "the deletion that was made": (REQUESTS, True),
}
"""Number of the request at which it is killed, and whether S3 has done what it asks by then."""


@pytest.mark.parametrize(("moment", "done"), MOMENTS.values(), ids=MOMENTS)
def test_a_sync_killed_anywhere_is_made_good_by_the_next(bench: Bench, moment: int, done: bool) -> None:
    for number in range(DOCUMENTS - 3):
        bench.write(f"tax_answer/{number + 10}", f"{number}の本文です。\n")
    bench.put_sent_there("kb/raw/tax_answer/old.txt")
    bench.put_there("kb/raw2/old.txt")
    process: subprocess.Popen[bytes]

    def kill(asked: Asked, number: int) -> None:
        if number == moment:
            process.send_signal(signal.SIGKILL)
            process.wait()

    bench.faulty.before, bench.faulty.after = (bench.faulty.before, kill) if done else (kill, bench.faulty.after)
    process = _sync(bench)
    process.wait(timeout=60)
    assert process.returncode == -signal.SIGKILL
    left = bench.there()
    assert "kb/raw/tax_answer/old.txt" in left or moment == REQUESTS
    assert all(f"{key}.metadata.json" in left for key in left if key.endswith(".txt") and "old" not in key)

    bench.faulty.before = bench.faulty.after = lambda _asked, _number: None
    bench.sync(may_delete_more=True)

    assert bench.there() == bench.here() | {"kb/raw2/old.txt": b"somebody else's"}
    bench.faulty.asked.clear()
    assert bench.sync().unchanged == 2 * DOCUMENTS
    assert bench.faulty.counts() == {"list": 1}


@pytest.mark.parametrize("operation", ["list", "head", "put", "delete"])
def test_an_interrupt_ends_it_at_once_though_s3_keeps_silent(bench: Bench, operation: Operation) -> None:
    bench.put_sent_there("kb/raw/tax_answer/old.txt")
    # Of the right size, and no more can be seen of it: that is asked for.
    size = len(bench.here()["kb/raw/law/3-2.txt"])
    mark = OwnershipMark(bench.place).metadata("kb/raw/law/3-2.txt", b"x" * size)
    bench.put_there("kb/raw/law/3-2.txt", b"x" * size, Metadata=mark)
    under_way = threading.Event()

    def note(asked: Asked, _number: int) -> None:
        if asked.operation == operation:
            under_way.set()

    bench.faulty.before = note
    bench.faulty.fail(Fault(operation, "silence"))
    process = _sync(bench, stderr=subprocess.DEVNULL)
    assert under_way.wait(60)
    process.send_signal(signal.SIGINT)

    # A silent request is given up after 30 seconds at the earliest.
    assert process.wait(timeout=10) == -signal.SIGINT

    bench.faulty.fail()
    bench.sync(may_delete_more=True)
    assert bench.there() == bench.here()


def _sync(bench: Bench, stderr: int | None = None) -> "subprocess.Popen[bytes]":
    arguments = [bench.faulty.url, BUCKET, bench.place.prefix, str(bench.folder), str(bench.manifest)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(bench.folder.parent)}
    command = [sys.executable, "-m", "rag_assets_tests.s3.killable", *arguments]
    return subprocess.Popen(command, env=environment, stderr=stderr)
