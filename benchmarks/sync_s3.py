"""How fast a folder gets into S3, beside `aws s3 sync`, and how much memory that takes: the more objects, not the more.

    python -m benchmarks.sync_s3 [--aws PATH] [--objects 7300] [--rounds 3] [--memory 1000 100000]

Both programs sync the same folder to the same local S3 server (moto, in a process of its own), each time as a process
of its own with Python's start and all imports, in turns, each into a bucket of its own: first all objects, then three
times, with nothing changed, none. The server's share is in the times of both. `aws` has ten requests under way at once,
as it comes; it compares size and time, we compare content. PATH is the program of `pip install awscli` in some other
environment; without it only our own times are shown.

Memory is the peak of the whole process, changes being noted for an ingestion as in a real run: first sync, a second
with nothing changed, and a third likewise, but that a fresh state has every document noted. It is against a server of
the standard library that keeps hashes only: moto would take minutes and gigabytes. 100,000 objects take some minutes
even so.
"""

import argparse
import hashlib
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from emulation.http_server import Handler, Server
from rag_assets.corpus.sidecars import sidecar_bytes
from rag_assets.ingestion.changes import record_changes
from rag_assets.model import Attribute
from rag_assets.s3.errors import s3_client_config
from rag_assets.s3.locations import IngestionTarget
from rag_assets.s3.objects import sync_folder

PREFIX = "kb/prepared/"
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "EMULATED",
    "AWS_SECRET_ACCESS_KEY": "emulated",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aws", type=Path, metavar="PATH", help="the AWS CLI to compare with")
    parser.add_argument("--objects", type=int, default=7300, help="objects of the comparison, two a chunk")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program begins with an empty bucket")
    parser.add_argument("--memory", type=int, nargs="*", default=[1_000, 100_000], help="objects of the memory figures")
    parser.add_argument("--sync", nargs=4, metavar=("URL", "BUCKET", "FOLDER", "MANIFEST"), help=argparse.SUPPRESS)
    parser.add_argument("--state", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sync:
        sync(*options.sync, state=options.state)
    elif options.serve:
        serve(int(options.serve[0]), Path(options.serve[1]))
    else:
        compare(options.objects, options.rounds, options.aws)
        for objects in options.memory:
            measure_memory(objects)


def make(folder: Path, objects: int) -> None:
    """Chunks of some 400 characters and their sidecars, ten chunks a record."""
    body = "店で出すまかないは、代金の半分より多くを働く人が払っているとき、みほん国では税の対象になりません。" * 8
    for number in range(objects // 2):
        record, name = f"tax_answer/{1000 + number // 10}", hashlib.sha256(str(number).encode()).hexdigest()[:10]
        text = folder / record / f"{name}.txt"
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text(f"国税庁タックスアンサー No.{number}\n{body}\n", encoding="utf-8")
        attributes: dict[str, Attribute] = {
            "record_id": record,
            "chunk_id": f"{record}/{name}",
            "title": "食事を支給したとき",
            "as_of": 20260401,
        }
        text.with_name(f"{name}.txt.metadata.json").write_bytes(sidecar_bytes(attributes))


# -- speed


def compare(objects: int, rounds: int, aws: Path | None) -> None:
    """Time both programs in turns."""
    took: dict[tuple[str, str], list[Took]] = {}
    names = ["rag_assets", "aws s3 sync"] if aws else ["rag_assets"]
    with tempfile.TemporaryDirectory() as scratch, _moto() as url:
        folder = Path(scratch, "corpus")
        make(folder, objects)
        for turn in range(rounds):
            for what in ("first sync", *["nothing changed"] * 3):
                for name in names:
                    bucket = f"{name.split()[0].replace('_', '-')}-{turn}"
                    if what == "first sync":
                        _client(url).create_bucket(Bucket=bucket)
                    manifest = Path(scratch, f"{bucket}.sqlite")
                    own = name == "rag_assets"
                    command = _own(url, bucket, folder, manifest) if own else _aws(aws, url, bucket, folder)
                    took.setdefault((what, name), []).append(_timed(command))
    for (what, name), times in took.items():
        seconds = [one.seconds for one in times]
        print(
            f"{objects:,} objects, {what:15} {name:11} median {statistics.median(seconds):6.2f} s, "
            f"best {min(seconds):6.2f} s, CPU time of its own {statistics.median(one.cpu for one in times):6.2f} s"
        )


@dataclass(frozen=True)
class Took:
    """Wall clock of a process, and the processor time that it used itself; in seconds."""

    seconds: float
    cpu: float


def _timed(command: list[str]) -> Took:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, env=os.environ | _CREDENTIALS, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _aws(program: Path | None, url: str, bucket: str, folder: Path) -> list[str]:
    place = f"s3://{bucket}/{PREFIX}"
    return [str(program), "--endpoint-url", url, "s3", "sync", str(folder), place, "--delete", "--only-show-errors"]


def _own(url: str, bucket: str, folder: Path, manifest: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.sync_s3", "--sync", url, bucket, str(folder), str(manifest)]


def sync(url: str, bucket: str, folder: str, manifest: str, *, state: Path | None) -> None:
    """Sync, note what changes where a state file is given, and print what it took."""
    target = IngestionTarget(
        bucket=bucket, prefix=PREFIX, knowledge_base_id="A" * 10, data_source_id="B" * 10, chunking="NONE"
    )
    with record_changes(state, target) if state else nullcontext() as note:
        report = sync_folder(_client(url), Path(folder), target, Path(manifest), on_change=note)
    print(json.dumps({"sent": report.new + report.changed, "seconds": report.seconds, "mib": _peak_mib()}))


def _peak_mib() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: on Linux that begins with what the parent had.
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _client(url: str) -> Any:
    import boto3

    session = boto3.session.Session(aws_access_key_id="EMULATED", aws_secret_access_key="emulated")
    return session.client("s3", endpoint_url=url, region_name="us-east-1", config=s3_client_config())


@contextmanager
def _moto() -> Iterator[str]:
    port = _free_port()
    with _server([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port) as url:
        yield url


@contextmanager
def _server(command: list[str], port: int) -> Iterator[str]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the S3 server does not start")


# -- memory


def measure_memory(objects: int) -> None:
    """First and second sync of a folder, each in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch, bucket_of_hashes(Path(scratch, "nothing")) as url:
        folder = Path(scratch, "corpus")
        make(folder, objects)
        command = _own(url, "a-bucket", folder, Path(scratch, "manifest.sqlite"))
        for what, state in (("first sync", "state"), ("nothing changed", "state"), ("fresh state", "fresh")):
            noting = [*command, "--state", str(Path(scratch, state))]
            took: Mapping[str, float] = json.loads(subprocess.run(noting, check=True, capture_output=True).stdout)
            print(f"{objects:,} objects, {what}: {took['mib']:.0f} MiB, {took['sent']:,} sent, {took['seconds']:.1f} s")


@contextmanager
def bucket_of_hashes(folder: Path) -> Iterator[str]:
    """The endpoint of a bucket, in a process of its own, that keeps hashes only.

    Args:
        folder: What it holds from the beginning, below `PREFIX`; nothing where it is missing.
    """
    port = _free_port()
    with _server([sys.executable, "-m", "benchmarks.sync_s3", "--serve", str(port), str(folder)], port) as url:
        yield url


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


class _Bucket(Handler):
    """As much of S3 as a sync asks for: listing, uploading; contents are let go."""

    objects: dict[str, tuple[str, int]]
    order: list[str]

    def do_PUT(self) -> None:  # noqa: N802
        content = self.read_body()
        etag = _md5(content)
        self.objects[unquote(urlsplit(self.path).path).split("/", 2)[2]] = (etag, len(content))
        self.order.clear()
        self._answer(b"", etag)

    def do_GET(self) -> None:  # noqa: N802
        query = parse_qs(urlsplit(self.path).query)
        if not self.order:
            self.order.extend(sorted(self.objects))
        begin = bisect_right(self.order, query.get("continuation-token", [""])[0])
        keys = self.order[begin : begin + 1000]
        more = begin + 1000 < len(self.order)
        contents = "".join(
            f"<Contents><Key>{key}</Key><LastModified>2026-04-01T00:00:00.000Z</LastModified>"
            f"<ETag>&quot;{self.objects[key][0]}&quot;</ETag><Size>{self.objects[key][1]}</Size></Contents>"
            for key in keys
        )
        token = f"<NextContinuationToken>{keys[-1]}</NextContinuationToken>" if more else ""
        self._answer(
            f"<ListBucketResult><Name>a-bucket</Name><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}{contents}</ListBucketResult>".encode()
        )

    def _answer(self, body: bytes, etag: str = "0") -> None:
        head = f'HTTP/1.1 200 OK\r\nETag: "{etag}"\r\nContent-Length: {len(body)}\r\n\r\n'
        self.wfile.write(head.encode() + body)


def serve(port: int, folder: Path) -> None:
    """Answer until the process ends; the files of a folder are there already."""
    files = {PREFIX + path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    objects = {key: (_md5(content), len(content)) for key, path in files.items() for content in (path.read_bytes(),)}
    handler = type("Handler", (_Bucket,), {"objects": objects, "order": []})
    with Server(handler, port) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
