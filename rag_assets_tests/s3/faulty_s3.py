"""An S3 server that does wrong on demand: an HTTP proxy before a good one, which counts what it is asked.

What is right about S3 is the business of the server behind it.
"""

import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from io import BytesIO
from typing import Literal
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from emulation.http_server import Handler, Server, running

Operation = Literal["list", "head", "put", "delete", "other"]
Way = Literal["answer", "silence", "drop", "drop_after", "cut", "drip"]
"""How a request goes wrong: answered by us, never answered, the connection closed without the server having been asked,
closed when it has done what it was asked, closed in the middle of its answer, or answered a byte now and then."""

_PATIENCE = 20.0
"""Seconds after which a request is dropped that the client would wait for."""
_DRIP = 0.2
"""Seconds between two bytes."""


@dataclass
class Fault:
    """What goes wrong with requests of one kind.

    Attributes:
        operation: Of which kind.
        way: How.
        status: Of our own answer.
        code: S3's error code in it; without one, `body` is the answer.
        further: XML beside the code.
        times: With how many requests; None for all.
        after: How many go well before.
    """

    operation: Operation
    way: Way = "answer"
    status: int = 500
    code: str = ""
    further: str = ""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    times: int | None = None
    after: int = 0

    def content(self) -> bytes:
        """Our own answer."""
        if not self.code:
            return self.body
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{self.code}</Code><Message>as told</Message>'
            f"{self.further}<RequestId>1</RequestId></Error>"
        ).encode()


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    operation: Operation
    key: str
    expects_leave: bool = False
    """It waits for a `100 Continue` before it sends its body."""


class FaultyS3:
    """The proxy's state: faults to come, requests so far.

    Attributes:
        opaque_etags: ETags are no MD5, as with SSE-KMS.
        salt: Other opaque ETags for the same contents, as of another upload.
        knows_checksums: No answer tells a checksum otherwise.
        forgets_prefix: Listings show the whole bucket, whatever prefix was asked for.
        before: Called with every request and its number from 1, before anything is done.
        after: Likewise when the server has done it.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream).netloc
        self.url = ""
        self.asked: list[Asked] = []
        self.opaque_etags = False
        self.salt = "kms"
        self.knows_checksums = True
        self.forgets_prefix = False
        self.before: Callable[[Asked, int], None] = lambda _asked, _number: None
        self.after: Callable[[Asked, int], None] = lambda _asked, _number: None
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def fail(self, *faults: Fault) -> None:
        """From now on these go wrong, and no others."""
        with self._lock:
            self._faults = list(faults)

    def counts(self) -> Counter[Operation]:
        """Number of requests by kind."""
        return Counter(asked.operation for asked in self.asked)

    def keys(self, operation: Operation) -> list[str]:
        """Keys of the requests of a kind, in order."""
        return [asked.key for asked in self.asked if asked.operation == operation]

    def take(self, asked: Asked) -> tuple[int, Fault | None]:
        """Count a request; its number, and what goes wrong with it."""
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked)
            for fault in self._faults:
                if fault.operation != asked.operation:
                    continue
                if fault.after:
                    fault.after -= 1
                elif fault.times is None:
                    return number, fault
                elif fault.times:
                    fault.times -= 1
                    return number, fault
            return number, None


class _Handler(Handler):
    # Headers and body leave in one packet: without this every answer waits for an acknowledgement.
    wbufsize = -1
    faulty: FaultyS3

    def setup(self) -> None:
        super().setup()
        self.upstream = HTTPConnection(self.faulty.upstream, timeout=60)

    def finish(self) -> None:
        self.upstream.close()
        super().finish()

    def handle_expect_100(self) -> bool:
        proceed = super().handle_expect_100()
        self.wfile.flush()
        return proceed

    def handle_any(self) -> None:
        content = self.read_body()
        asked = Asked(_operation(self.command, self.path), _key(self.path), "Expect" in self.headers)
        number, fault = self.faulty.take(asked)
        self.faulty.before(asked, number)
        if fault is None or fault.way in ("drop_after", "cut", "drip"):
            status, headers, body = self._forwarded(content)
            self.faulty.after(asked, number)
            if fault is not None and fault.way == "drop_after":
                self.hang_up()
            elif fault is not None and fault.way == "drip":
                self._drip(status, headers, body)
            else:
                self._answer(status, headers, body, cut=fault is not None)
        elif fault.way == "answer":
            self._answer(fault.status, {"Content-Type": "application/xml"} | fault.headers, fault.content())
        else:
            if fault.way == "silence":
                self._wait_for_hanging_up()
            self.hang_up()

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any  # noqa: N815

    def _forwarded(self, content: bytes) -> tuple[int, dict[str, str], bytes]:
        path = _without_prefix(self.path) if self.faulty.forgets_prefix else self.path
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        self.upstream.request(self.command, path, content or None, headers)
        response = self.upstream.getresponse()
        body = response.read()
        kept = {
            name: value
            for name, value in response.getheaders()
            if name.lower() not in ("transfer-encoding", "connection", "date", "server")
            and (name.lower() != "content-length" or self.command == "HEAD")
        }
        if not self.faulty.knows_checksums:
            kept = {name: value for name, value in kept.items() if not name.lower().startswith("x-amz-checksum-")}
        if self.faulty.opaque_etags:
            salt = self.faulty.salt
            kept = {name: _opaque(value, salt) if name.lower() == "etag" else value for name, value in kept.items()}
            body = _opaque(body.decode(), salt).encode()
        return response.status, kept, body

    def _answer(self, status: int, headers: dict[str, str], body: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if not any(name.lower() == "content-length" for name in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.wfile.flush()
        if cut:
            self.hang_up()

    def _drip(self, status: int, headers: dict[str, str], body: bytes) -> None:
        to_client, self.wfile = self.wfile, BytesIO()
        self._answer(status, headers, body)
        content, self.wfile = self.wfile.getvalue(), to_client
        try:
            for byte in content[: int(_PATIENCE / _DRIP)]:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(_DRIP)
        except OSError:
            pass
        self.hang_up()

    def _wait_for_hanging_up(self) -> None:
        # The client's own time-out ends it.
        self.connection.settimeout(_PATIENCE)
        try:
            self.connection.recv(1)
        except OSError:
            return


def _operation(method: str, path: str) -> Operation:
    query = parse_qs(urlsplit(path).query, keep_blank_values=True)
    if method == "GET" and "list-type" in query:
        return "list"
    if method == "POST" and "delete" in query:
        return "delete"
    if method == "PUT" and _key(path):
        return "put"
    return "head" if method == "HEAD" and _key(path) else "other"


def _key(path: str) -> str:
    return unquote(urlsplit(path).path.lstrip("/").partition("/")[2])


def _without_prefix(path: str) -> str:
    parts = urlsplit(path)
    query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    query.pop("prefix", None)
    return f"{parts.path}?{urlencode(query)}"


def _opaque(text: str, salt: str) -> str:
    def other(found: re.Match[str]) -> str:
        return hashlib.md5(f"{salt}{found[0]}".encode(), usedforsecurity=False).hexdigest()

    return re.sub(r"(?<=&quot;)[0-9a-f]{32}(?=&quot;)|(?<=\")[0-9a-f]{32}(?=\")", other, text)


@contextmanager
def faulty_s3(upstream: str) -> Iterator[FaultyS3]:
    """The proxy before an S3 server, on a port of its own."""
    faulty = FaultyS3(upstream)
    handler = type("Handler", (_Handler,), {"faulty": faulty})
    with running(Server(handler)) as server:
        faulty.url = server.url
        yield faulty
