"""The encoder in processes of its own, one a core."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rag_assets.retrieval import embedding_workers
from rag_assets.retrieval.embedding_workers import encode, encode_on_all_cores

TEXTS = [f"{number}番目の{'食事を支給したとき' * (number % 7)}" for number in range(150)]

PROGRAM = """
import time
from rag_assets.retrieval import embedding_workers
embedding_workers.encode_on_all_cores(["食事"] * 200)
print(*embedding_workers._start_pool()._processes, flush=True)
time.sleep(60)
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not (status := Path(f"/proc/{pid}/status")).exists() or "State:\tZ" not in status.read_text()


@pytest.mark.slow
def test_vectors_are_those_of_one_process_in_the_order_of_the_texts() -> None:
    assert np.allclose(encode_on_all_cores(TEXTS), encode(TEXTS), atol=1e-5)


@pytest.mark.slow
def test_a_process_that_is_killed_costs_no_text(caplog: pytest.LogCaptureFixture) -> None:
    encode_on_all_cores(TEXTS[:2])
    for pid in list(embedding_workers._start_pool()._processes):
        os.kill(pid, signal.SIGKILL)
    assert np.allclose(encode_on_all_cores(TEXTS), encode(TEXTS), atol=1e-5)
    assert "was killed" in caplog.text
    caplog.clear()
    assert len(encode_on_all_cores(TEXTS)) == len(TEXTS)
    assert not caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_the_processes_end_with_the_program(end: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers = [int(pid) for pid in program.stdout.readline().split()]
        assert workers
        program.send_signal(end)
        program.wait(30)
    until = time.monotonic() + 20
    while any(map(is_alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(is_alive, workers))
